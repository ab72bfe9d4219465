//! The cotangent Laplacian and the lumped masses of a mesh. Weights of edges are never negative: an obtuse
//! corner would make them so, and then heat would leave the range of its sources.

use super::mesh::Mesh;
use crate::sparse::{Sparse, sort_in_rows};

/// Weight of a link between vertices of touching pieces: that of an edge of two equilateral triangles.
const LINK: f64 = 0.577_350_269_189_625_8;
/// Least weight of an edge, so that a piece stays connected in the equations.
const LEAST: f64 = 1e-6;

/// `K = -L`, positive semidefinite, and the diagonal of `M`, in grid units squared.
#[derive(Debug)]
pub(crate) struct Laplacian {
    pub(crate) stiffness: Sparse,
    pub(crate) masses: Vec<f64>,
}

impl Laplacian {
    /// `K_ij = -(cot a + cot b) / 2` over the two triangles at an edge (Pinkall and Polthier 1993, eq. 5); a
    /// third of each triangle's area for each corner.
    pub(crate) fn new(mesh: &Mesh) -> Self {
        let n = mesh.points.len();
        let mut masses = vec![0.0; n];
        let mut edges: Vec<(u32, u32, f64)> = Vec::with_capacity(mesh.triangles.len() * 3 + mesh.links.len());
        for &triangle in &mesh.triangles {
            let corners = mesh.corners(triangle);
            let double = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            for k in 0..3 {
                let (a, b) = (corners[(k + 1) % 3] - corners[k], corners[(k + 2) % 3] - corners[k]);
                let (i, j) = (triangle[(k + 1) % 3], triangle[(k + 2) % 3]);
                edges.push((i.min(j), i.max(j), 0.5 * a.dot(b) / double));
                masses[triangle[k] as usize] += double / 6.0;
            }
        }
        edges.extend(mesh.links.iter().map(|&[i, j]| (i, j, LINK)));
        sort_in_rows(&mut edges, n, |edge| edge.0, |a, b| a.1.cmp(&b.1).then(a.2.total_cmp(&b.2)));
        let mut diagonal = vec![0.0; n];
        let mut entries = Vec::with_capacity(edges.len() * 2 + n);
        for same in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (i, j) = (same[0].0, same[0].1);
            let weight = same.iter().map(|e| e.2).sum::<f64>().max(LEAST);
            entries.extend([(i, j, -weight), (j, i, -weight)]);
            diagonal[i as usize] += weight;
            diagonal[j as usize] += weight;
        }
        entries.extend((0..).zip(&diagonal).map(|(i, &d)| (i, i, d)));
        Self { stiffness: Sparse::new(n, entries), masses }
    }
}
