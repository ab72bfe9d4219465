//! Transitions between two motions: pairs of frames from which on the motions are alike for a while, so that
//! one can fade into the other.

use std::collections::VecDeque;

use crate::distance::{PoseTable, each_diagonal};

/// A pair of frames at which one motion can fade into another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transition {
    /// The frame of the first motion at which its fade-out begins.
    pub from: usize,
    /// The frame of the second motion at which its fade-in begins.
    pub to: usize,
    /// The root mean square distance of the joints during the fade, in heights of the body.
    pub distance: f64,
}

/// The largest number of transitions that are kept; it bounds the memory for noisy motions.
const MAX_TRANSITIONS: usize = 50_000;

/// The local minima of the distance of all stretches of `window` frames that are below `threshold` (in
/// heights of the body), the best first. To compare a motion with itself pass it twice, and the least number
/// of frames between both stretches as `apart`.
pub fn transitions(
    a: &PoseTable,
    b: &PoseTable,
    window: usize,
    threshold: f64,
    apart: Option<usize>,
) -> Vec<Transition> {
    let mut found: Vec<Transition> = Vec::new();
    let bound = threshold * threshold;
    // The neighbours of a pair are up to two diagonals away.
    let mut near: VecDeque<(isize, Vec<f64>)> = VecDeque::with_capacity(5);
    // Below the main diagonal of a motion compared with itself are the same pairs in reverse.
    let first = apart.map_or(isize::MIN, |apart| apart.max(1) as isize);
    let mut look = |near: &VecDeque<(isize, Vec<f64>)>, at: isize| {
        let Some(middle) = near.iter().position(|(d, _)| *d == at) else { return };
        minima(near, middle, bound, &mut found);
        if found.len() > 2 * MAX_TRANSITIONS {
            best(&mut found);
        }
    };
    let mut last = None;
    each_diagonal(a, b, window, first..isize::MAX, |d, distances| {
        let mut row = if near.len() == 5 { near.pop_front().unwrap_or_default().1 } else { Vec::new() };
        row.clear();
        row.extend_from_slice(distances);
        near.push_back((d, row));
        look(&near, d - 2);
        last = Some(d);
    });
    if let Some(last) = last {
        look(&near, last - 1);
        look(&near, last);
    }
    best(&mut found);
    if apart.is_some() {
        let back = found.iter().map(|t| Transition { from: t.to, to: t.from, ..*t }).collect::<Vec<_>>();
        found.extend(back);
        best(&mut found);
    }
    found
}

/// The best first; among equal ones the earliest.
fn best(found: &mut Vec<Transition>) {
    found.sort_by(|a, b| a.distance.total_cmp(&b.distance).then((a.from, a.to).cmp(&(b.from, b.to))));
    found.truncate(MAX_TRANSITIONS);
}

/// The pairs of one diagonal that are below the bound and below all their neighbours; among equal neighbours
/// the first counts.
fn minima(near: &VecDeque<(isize, Vec<f64>)>, middle: usize, bound: f64, found: &mut Vec<Transition>) {
    let (d, distances) = (near[middle].0, &near[middle].1);
    let begin = |d: isize| (-d).max(0);
    // The diagonals from d - 2 to d + 2, if they exist.
    let rows: [&[f64]; 5] = std::array::from_fn(|at| {
        let wanted = d + at as isize - 2;
        near.iter().find(|(other, _)| *other == wanted).map_or(&[][..], |(_, row)| row)
    });
    let value = |i: isize, way: isize| -> Option<f64> {
        rows[(way + 2) as usize].get(usize::try_from(i - begin(d + way)).ok()?).copied()
    };
    let around = [(0, 1), (1, 0), (-1, 0), (0, -1), (1, 1), (-1, -1), (-1, 1), (1, -1)];
    for (at, &here) in distances.iter().enumerate() {
        if here >= bound {
            continue;
        }
        let i = begin(d) + at as isize;
        let least = around.iter().all(|&(di, dj)| {
            let Some(there) = value(i + di, dj - di) else { return true };
            if (di, dj) < (0, 0) { here < there } else { here <= there }
        });
        if least {
            found.push(Transition { from: i as usize, to: (i + d) as usize, distance: here.sqrt() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::distance_squared;
    use crate::distance::tests::random_poses;

    fn brute(
        a: &PoseTable,
        b: &PoseTable,
        window: usize,
        threshold: f64,
        apart: usize,
    ) -> Vec<(usize, usize)> {
        let (rows, columns) = (a.frames() + 1 - window, b.frames() + 1 - window);
        let exists = |i: isize, j: isize| {
            (0..rows as isize).contains(&i) && (0..columns as isize).contains(&j) && i.abs_diff(j) >= apart
        };
        let at = |i: isize, j: isize| distance_squared(a, b, i as usize, j as usize, window);
        let mut found = Vec::new();
        for i in 0..rows as isize {
            for j in 0..columns as isize {
                if !exists(i, j) || at(i, j).sqrt() >= threshold {
                    continue;
                }
                let mut least = true;
                for (x, y) in (i - 1..=i + 1).flat_map(|x| (j - 1..=j + 1).map(move |y| (x, y))) {
                    least &= (x, y) == (i, j) || !exists(x, y) || at(i, j) < at(x, y);
                }
                if least {
                    found.push((i as usize, j as usize));
                }
            }
        }
        found
    }

    fn pairs(found: &[Transition]) -> Vec<(usize, usize)> {
        let mut pairs: Vec<(usize, usize)> = found.iter().map(|t| (t.from, t.to)).collect();
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn minima_agree_with_brute_force() {
        for (rows, columns, window) in [(30, 20, 3), (8, 25, 1), (6, 6, 5)] {
            let (a, b) = (random_poses(rows, 3), random_poses(columns, 4));
            let found = transitions(&a, &b, window, 0.9, None);
            assert!(found.windows(2).all(|two| two[0].distance <= two[1].distance));
            assert!(!found.is_empty());
            assert_eq!(pairs(&found), brute(&a, &b, window, 0.9, 0));
        }
    }

    /// Both directions are found, and none with less than the given number of frames between them.
    #[test]
    fn a_motion_has_transitions_to_itself() {
        let a = random_poses(40, 5);
        let found = transitions(&a, &a, 4, 0.9, Some(6));
        let other_side = |list: &[(usize, usize)]| {
            let mut turned: Vec<(usize, usize)> = list.iter().map(|&(i, j)| (j, i)).collect();
            turned.sort_unstable();
            turned
        };
        let found = pairs(&found);
        assert!(!found.is_empty());
        assert_eq!(found, other_side(&found));
        assert_eq!(found, brute(&a, &a, 4, 0.9, 6));
    }

    /// Among equal distances one pair is reported.
    #[test]
    fn a_still_figure_has_one_transition() {
        let one = random_poses(1, 6);
        let still = PoseTable::from_positions(
            (0..30).map(|_| std::array::from_fn(|at| (kurbo::Point::new(at as f64, one.middle(0)), 1.0))),
        );
        assert_eq!(pairs(&transitions(&still, &still, 3, 0.1, None)), [(0, 0)]);
    }
}
