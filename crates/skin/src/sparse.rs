//! Symmetric sparse systems: an ordering that keeps factors small and a scalar Cholesky factorisation, with
//! the same bits on every machine. There is no pivoting: a matrix that is not positive definite is reported.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Sub};

use kurbo::Point;

/// A symmetric matrix by rows, both halves stored, columns sorted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sparse {
    pub(crate) starts: Vec<u32>,
    pub(crate) columns: Vec<u32>,
    pub(crate) values: Vec<f64>,
}

impl Sparse {
    /// From entries (row, column, value) in any order; entries at one position are added in the order of
    /// their values.
    pub(crate) fn new(n: usize, mut entries: Vec<(u32, u32, f64)>) -> Self {
        sort_in_rows(&mut entries, n, |entry| entry.0, |a, b| a.1.cmp(&b.1).then(a.2.total_cmp(&b.2)));
        let mut matrix = Self { starts: vec![0; n + 1], ..Self::default() };
        let mut last = None;
        for (row, column, value) in entries {
            if last == Some((row, column)) {
                if let Some(sum) = matrix.values.last_mut() {
                    *sum += value;
                }
            } else {
                last = Some((row, column));
                matrix.columns.push(column);
                matrix.values.push(value);
                matrix.starts[row as usize + 1] += 1;
            }
        }
        for row in 0..n {
            matrix.starts[row + 1] += matrix.starts[row];
        }
        matrix
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Columns and values of a row.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[row] as usize..self.starts[row + 1] as usize;
        self.columns[range.clone()].iter().map(|&c| c as usize).zip(self.values[range].iter().copied())
    }
}

/// Sorts by a row below `n`, and within each row by `compare`: faster than comparing all, where rows are
/// short.
pub(crate) fn sort_in_rows<T: Copy>(
    entries: &mut Vec<T>,
    n: usize,
    row: impl Fn(&T) -> u32,
    compare: impl Fn(&T, &T) -> Ordering,
) {
    let mut ends = vec![0_usize; n + 1];
    entries.iter().for_each(|entry| ends[row(entry) as usize + 1] += 1);
    for at in 0..n {
        ends[at + 1] += ends[at];
    }
    let mut sorted = entries.clone();
    for entry in entries.iter() {
        let place = &mut ends[row(entry) as usize];
        sorted[*place] = *entry;
        *place += 1;
    }
    // Each row ends now where the next one began.
    let mut start = 0;
    for end in &ends[..n] {
        sorted[start..*end].sort_unstable_by(&compare);
        start = *end;
    }
    *entries = sorted;
}

/// Nested dissection (George 1973): an order of elimination (new to old), separators last. The cuts are
/// straight lines, since every unknown has a position.
pub(crate) fn dissect(matrix: &Sparse, points: &[Point]) -> Vec<u32> {
    let mut order = Vec::with_capacity(matrix.len());
    let mut side = vec![0_u8; matrix.len()];
    let all: Vec<u32> = (0..matrix.len() as u32).collect();
    halve(matrix, points, all, &mut side, &mut order);
    order
}

const SMALL: usize = 12;

fn halve(matrix: &Sparse, points: &[Point], mut nodes: Vec<u32>, side: &mut [u8], order: &mut Vec<u32>) {
    // Sorted, so that the order does not depend on the selection algorithm of the standard library.
    if nodes.len() <= SMALL {
        nodes.sort_unstable();
        order.extend(nodes);
        return;
    }
    let at = |v: u32| points[v as usize];
    let span = |f: fn(Point) -> f64| {
        let (lo, hi) = nodes.iter().fold((f64::MAX, f64::MIN), |(lo, hi), &v| {
            let x = f(at(v));
            (lo.min(x), hi.max(x))
        });
        hi - lo
    };
    let wide = span(|p| p.x) >= span(|p| p.y);
    let place = |v: u32| if wide { (at(v).x, at(v).y) } else { (at(v).y, at(v).x) };
    let by_place = |a: &u32, b: &u32| {
        let (a0, b0) = (place(*a), place(*b));
        a0.0.total_cmp(&b0.0).then(a0.1.total_cmp(&b0.1)).then(a.cmp(b))
    };
    let middle = nodes.len() / 2;
    nodes.select_nth_unstable_by(middle, by_place);
    let upper = nodes.split_off(middle);
    let lower = nodes;
    lower.iter().for_each(|&v| side[v as usize] = 1);
    let meets = |v: u32| matrix.row(v as usize).any(|(u, _)| side[u] == 1);
    let (mut separator, upper): (Vec<u32>, Vec<u32>) = upper.into_iter().partition(|&v| meets(v));
    lower.iter().for_each(|&v| side[v as usize] = 0);
    halve(matrix, points, lower, side, order);
    halve(matrix, points, upper, side, order);
    separator.sort_unstable();
    order.extend(separator);
}

/// `P A P^T = L D L^T`, by rows (Davis, "Direct Methods for Sparse Linear Systems", 2006, and his LDL
/// package).
#[derive(Debug)]
pub(crate) struct Factor {
    order: Vec<u32>,
    starts: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<f64>,
    diagonal: Vec<f64>,
}

impl Factor {
    /// Factors the rows and columns listed in `order` (new to old); the others are left out. `None` if that
    /// part is not positive definite.
    pub(crate) fn new(matrix: &Sparse, order: Vec<u32>) -> Option<Self> {
        let n = order.len();
        let mut places = vec![u32::MAX; matrix.len()];
        order.iter().enumerate().for_each(|(new, &old)| places[old as usize] = new as u32);
        // The elimination tree: a column's parent is its first entry below the diagonal.
        let mut parents = vec![u32::MAX; n];
        let mut flags = vec![u32::MAX; n];
        let mut counts = vec![0_u32; n];
        for k in 0..n {
            flags[k] = k as u32;
            for (j, _) in matrix.row(order[k] as usize) {
                let mut i = places[j];
                if i == u32::MAX {
                    continue;
                }
                while (i as usize) < k && flags[i as usize] != k as u32 {
                    if parents[i as usize] == u32::MAX {
                        parents[i as usize] = k as u32;
                    }
                    counts[i as usize] += 1;
                    flags[i as usize] = k as u32;
                    i = parents[i as usize];
                }
            }
        }
        let mut starts = vec![0_u32; n + 1];
        for k in 0..n {
            starts[k + 1] = starts[k] + counts[k];
        }
        let total = starts[n] as usize;
        let mut factor =
            Self { order, starts, rows: vec![0; total], values: vec![0.0; total], diagonal: vec![0.0; n] };
        factor.fill(matrix, &places, &parents).then_some(factor)
    }

    fn fill(&mut self, matrix: &Sparse, places: &[u32], parents: &[u32]) -> bool {
        let n = self.order.len();
        let mut flags = vec![u32::MAX; n];
        let mut ends: Vec<u32> = self.starts[..n].to_vec();
        let mut row = vec![0.0; n];
        let mut pattern = vec![0_u32; n];
        for k in 0..n {
            let mut top = n;
            flags[k] = k as u32;
            let mut pivot = 0.0;
            for (j, value) in matrix.row(self.order[k] as usize) {
                let mut i = places[j];
                if i == u32::MAX || i as usize > k {
                    continue;
                }
                if i as usize == k {
                    pivot += value;
                    continue;
                }
                row[i as usize] += value;
                let mut length = 0;
                while flags[i as usize] != k as u32 {
                    pattern[length] = i;
                    length += 1;
                    flags[i as usize] = k as u32;
                    i = parents[i as usize];
                }
                while length > 0 {
                    length -= 1;
                    top -= 1;
                    pattern[top] = pattern[length];
                }
            }
            for &i in &pattern[top..] {
                let i = i as usize;
                let y = std::mem::take(&mut row[i]);
                let (from, to) = (self.starts[i] as usize, ends[i] as usize);
                for (&r, &v) in self.rows[from..to].iter().zip(&self.values[from..to]) {
                    row[r as usize] -= v * y;
                }
                let l = y / self.diagonal[i];
                pivot -= l * y;
                self.rows[to] = k as u32;
                self.values[to] = l;
                ends[i] += 1;
            }
            if pivot.is_nan() || pivot <= 0.0 {
                return false;
            }
            self.diagonal[k] = pivot;
        }
        true
    }

    /// The unknowns that were factored, in the order of elimination.
    #[cfg(feature = "weights")]
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Solves in place; entries of unknowns that were left out are not changed.
    #[cfg(feature = "weights")]
    pub(crate) fn solve(&self, x: &mut [f64]) {
        self.solve_with(x, &mut Vec::with_capacity(self.order.len()));
    }

    /// The same for numbers or vectors, with memory that is used again.
    pub(crate) fn solve_with<T>(&self, x: &mut [T], y: &mut Vec<T>)
    where
        T: Copy + Default + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T> + Div<f64, Output = T>,
    {
        y.clear();
        y.extend(self.order.iter().map(|&v| x[v as usize]));
        let n = y.len();
        let column = |k: usize| {
            let range = self.starts[k] as usize..self.starts[k + 1] as usize;
            self.rows[range.clone()].iter().zip(&self.values[range])
        };
        for k in 0..n {
            let known = y[k];
            column(k).for_each(|(&r, &v)| y[r as usize] = y[r as usize] - known * v);
        }
        y.iter_mut().zip(&self.diagonal).for_each(|(y, d)| *y = *y / *d);
        for k in (0..n).rev() {
            let sum = column(k).fold(T::default(), |sum, (&r, &v)| sum + y[r as usize] * v);
            y[k] = y[k] - sum;
        }
        self.order.iter().zip(y.iter()).for_each(|(&v, &y)| x[v as usize] = y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The five-point Laplacian of a grid plus a little on the diagonal.
    fn grid(side: u32) -> (Sparse, Vec<Point>) {
        let n = side * side;
        let mut entries = Vec::new();
        for v in 0..n {
            entries.push((v, v, 4.01));
            if v % side > 0 {
                entries.extend([(v, v - 1, -1.0), (v - 1, v, -1.0)]);
            }
            if v >= side {
                entries.extend([(v, v - side, -1.0), (v - side, v, -1.0)]);
            }
        }
        let points = (0..n).map(|v| Point::new(f64::from(v % side), f64::from(v / side))).collect();
        (Sparse::new(n as usize, entries), points)
    }

    #[test]
    fn solutions_satisfy_their_equations() {
        let (matrix, points) = grid(30);
        let order = dissect(&matrix, &points);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().zip(0..).all(|(&a, b)| a == b), "every unknown once");
        let right: Vec<f64> = (0..900).map(|i| f64::from(i % 7) - 3.0).collect();
        let mut x = right.clone();
        Factor::new(&matrix, order).expect("positive definite").solve(&mut x);
        for (row, want) in right.iter().enumerate() {
            let got: f64 = matrix.row(row).map(|(j, a)| a * x[j]).sum();
            assert!((got - want).abs() < 1e-12);
        }
    }

    #[test]
    fn rows_are_sorted_as_all_would_be() {
        let mut entries: Vec<(u32, u32)> = (0..500_u32).map(|i| (i * 7919 % 13, i * 104_729 % 97)).collect();
        let mut expected = entries.clone();
        expected.sort_unstable();
        sort_in_rows(&mut entries, 20, |entry| entry.0, |a, b| a.1.cmp(&b.1));
        assert_eq!(entries, expected);
    }

    #[test]
    fn unknowns_can_be_left_out() {
        let (matrix, _) = grid(3);
        let mut x = vec![4.01; 9];
        Factor::new(&matrix, vec![4]).expect("positive").solve(&mut x);
        assert_eq!(x, [4.01, 4.01, 4.01, 4.01, 1.0, 4.01, 4.01, 4.01, 4.01]);
    }

    #[test]
    fn matrices_that_are_not_positive_definite_give_none() {
        let matrix = Sparse::new(2, vec![(0, 0, 1.0), (0, 1, 2.0), (1, 0, 2.0), (1, 1, 1.0)]);
        assert!(Factor::new(&matrix, vec![0, 1]).is_none());
        let matrix = Sparse::new(1, vec![(0, 0, f64::NAN)]);
        assert!(Factor::new(&matrix, vec![0]).is_none());
    }

    #[test]
    fn dissection_keeps_factors_small() {
        let (matrix, points) = grid(40);
        let nested = Factor::new(&matrix, dissect(&matrix, &points)).expect("positive");
        let plain = Factor::new(&matrix, (0..1600).collect()).expect("positive");
        assert!(
            nested.values.len() * 2 < plain.values.len(),
            "{} {}",
            nested.values.len(),
            plain.values.len()
        );
    }
}
