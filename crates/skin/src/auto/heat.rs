//! Heat weights: each bone is a heat source for its nearest vertices, and heat diffuses through the drawing.
//! The system is always solvable: a piece without a bone is heated by the nearest ones.

use super::laplacian::Laplacian;
use super::mesh::Mesh;
use super::seeds::SeedAssignment;
use super::sparse::{Factor, Sparse, dissect};

/// Solves `(K + M c/d^2) W = (M c/d^2) P` (Baran and Popovic 2007, section 4, eq. 2), one row of weights for
/// each vertex. `None` if the matrix cannot be factored.
///
/// If `soft` has a length for each vertex, `d^2 + soft^2` replaces `d^2`: across a limb, from its bone to its
/// border, weights change from one bone to the next within about the same length.
pub(crate) fn solve(
    mesh: &Mesh,
    laplacian: &Laplacian,
    seeds: &SeedAssignment,
    (bones, c, soft): (usize, f64, &[f64]),
) -> Option<Vec<f64>> {
    let n = mesh.points.len();
    // On a bone d is 0 and the vertex has weight 1; this keeps the numbers finite.
    let least = mesh.edge * 1e-6;
    let hold: Vec<f64> = seeds
        .distances
        .iter()
        .zip(&laplacian.masses)
        .enumerate()
        .map(|(v, (&d, &m))| {
            let soft = soft.get(v).copied().filter(|soft| soft.is_finite()).unwrap_or(0.0);
            if d.is_finite() { c * m / (d.max(least) * d.max(least) + soft * soft) } else { 0.0 }
        })
        .collect();
    let matrix = with_diagonal(&laplacian.stiffness, &hold);
    let order = dissect(&matrix, &mesh.points);
    let factor = Factor::new(&matrix, order)?;
    let mut weights = vec![0.0; n * bones];
    let mut column = vec![0.0; n];
    for bone in 0..bones {
        column.fill(0.0);
        for (v, right) in column.iter_mut().enumerate() {
            let nearest = seeds.of(v);
            if nearest.contains(&(bone as u32)) {
                *right = hold[v] / nearest.len() as f64;
            }
        }
        if column.iter().all(|&r| r == 0.0) {
            continue;
        }
        factor.solve(&mut column);
        column.iter().enumerate().for_each(|(v, &w)| weights[v * bones + bone] = w);
    }
    Some(weights)
}

/// The matrix with these values added to its diagonal.
pub(crate) fn with_diagonal(matrix: &Sparse, add: &[f64]) -> Sparse {
    let mut sum = matrix.clone();
    for (row, add) in add.iter().enumerate() {
        let range = sum.starts[row] as usize..sum.starts[row + 1] as usize;
        if let Ok(k) = sum.columns[range.clone()].binary_search(&(row as u32)) {
            sum.values[range.start + k] += add;
        }
    }
    sum
}
