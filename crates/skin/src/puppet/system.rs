//! The equations of a puppet, factored once.

use kurbo::{Point, Vec2};

use crate::sparse::{Factor, Sparse, dissect};

/// What frames solve.
#[derive(Debug)]
pub(super) struct PuppetSystem {
    /// Of each triangle the three edges, from corner `k` to `k + 1`, times their weights.
    pub(super) edges: Vec<[Vec2; 3]>,
    /// Of each vertex the sum of twice the areas of its triangles.
    pub(super) areas: Vec<f64>,
    /// Over the vertices between the pins.
    pub(super) factor: Factor,
    /// Entries of the matrix between an unknown and a vertex of a disc.
    pub(super) held: Vec<(u32, u32, f64)>,
}

impl PuppetSystem {
    /// The equations with cotangent weights (Pinkall and Polthier 1993, eq. 5). The weight of an edge may be
    /// negative; the matrix is positive definite all the same, as its energy is that of linear functions.
    ///
    /// `discs` are the vertices that pins hold. None for a mesh that has no solution.
    pub(super) fn new<'d>(
        points: &[Point],
        triangles: &[[u32; 3]],
        stiffness: &[f64],
        discs: impl Iterator<Item = &'d u32>,
    ) -> Option<Self> {
        let n = points.len();
        let (mut entries, mut edges, mut areas) = (Vec::new(), Vec::new(), vec![0.0; n]);
        for (corners, stiffness) in triangles.iter().zip(stiffness) {
            let [a, b, c] = corners.map(|v| points[v as usize]);
            let double = (b - a).cross(c - a);
            if double.is_nan() || double <= 0.0 {
                return None;
            }
            corners.iter().for_each(|v| areas[*v as usize] += double);
            let at = [a, b, c];
            edges.push([0, 1, 2].map(|k| {
                let (i, j, o) = (at[k], at[(k + 1) % 3], at[(k + 2) % 3]);
                let weight = 0.5 * stiffness * (i - o).dot(j - o) / double;
                let (from, to) = (corners[k], corners[(k + 1) % 3]);
                entries.extend([
                    (from, to, -weight),
                    (to, from, -weight),
                    (from, from, weight),
                    (to, to, weight),
                ]);
                (j - i) * weight
            }));
        }
        let matrix = Sparse::new(n, entries);
        let mut is_held = vec![false; n];
        discs.for_each(|v| is_held[*v as usize] = true);
        let reached = reached(n, &matrix, &is_held);
        let is_free = |v: u32| reached[v as usize] && !is_held[v as usize];
        let mut order = dissect(&matrix, points);
        order.retain(|v| is_free(*v));
        let held = (0..n as u32).filter(|v| is_free(*v)).flat_map(|v| {
            let row = matrix.row(v as usize).filter(|(column, _)| is_held[*column]);
            row.map(move |(column, value)| (v, column as u32, value)).collect::<Vec<_>>()
        });
        let held = held.collect();
        Some(Self { edges, areas, factor: Factor::new(&matrix, order)?, held })
    }
}

/// The vertices of pieces that have a pin.
fn reached(n: usize, matrix: &Sparse, is_held: &[bool]) -> Vec<bool> {
    let mut reached = is_held.to_vec();
    let mut waiting: Vec<usize> = (0..n).filter(|v| is_held[*v]).collect();
    while let Some(v) = waiting.pop() {
        for (next, _) in matrix.row(v) {
            if !std::mem::replace(&mut reached[next], true) {
                waiting.push(next);
            }
        }
    }
    reached
}
