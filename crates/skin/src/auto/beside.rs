//! Weights of pieces that no bone enters. Diffusion from bones far away gives such a piece one flat mixture;
//! distances tell its ends apart.

use super::mesh::Mesh;
use super::seeds::SeedAssignment;
use super::segment::LineSegment;

/// The power of the inverse distance.
const POWER: i32 = 3;
/// A bone with less than this share of the strongest weight has none, as 0.2 beside 0.8: art that no bone
/// enters mostly follows one bone as a whole.
const LEAST: f64 = 0.25;

/// Overwrites the weights of pieces without a bone: inverse distances to the bones (Shepard 1968), of which
/// small ones fade to 0.
pub(crate) fn weigh(mesh: &Mesh, seeds: &SeedAssignment, bones: &[LineSegment], weights: &mut [f64]) {
    // On a bone the distance is 0; this keeps the numbers finite.
    let nearest = mesh.edge * 1e-6;
    for (v, row) in weights.chunks_exact_mut(bones.len()).enumerate() {
        if seeds.held[mesh.pieces[v] as usize] {
            continue;
        }
        for (weight, bone) in row.iter_mut().zip(bones) {
            *weight = bone.nearest(mesh.points[v]).1.max(nearest);
        }
        let least = row.iter().copied().fold(f64::INFINITY, f64::min);
        for weight in row.iter_mut() {
            let share = (least / *weight).powi(POWER);
            let s = ((share - LEAST) / (1.0 - LEAST)).max(0.0);
            *weight = s * s * (3.0 - 2.0 * s);
        }
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|weight| *weight /= sum);
    }
}
