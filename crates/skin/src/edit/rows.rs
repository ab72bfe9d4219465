//! Rows of weights, and the bones that keep theirs.

use std::collections::BTreeSet;

use bone_core::BoneId;

use crate::blend::Influence;
use crate::bline::BLine;
use crate::error::BindError;
use crate::options::vertex_count;
use crate::weights::{BoneWeights, VertexWeights};

/// The bones whose weights are not changed.
pub type Locks = BTreeSet<BoneId>;

/// The weights of a vertex: anchor, and tangents if they have their own.
pub(super) fn rows(vertex: &mut VertexWeights) -> impl Iterator<Item = &mut BoneWeights> {
    [Some(&mut vertex.anchor), vertex.tangent_in.as_mut(), vertex.tangent_out.as_mut()].into_iter().flatten()
}

/// The wanted weights, scaled to the rest left by locked bones; those keep their weights from `row`. If no
/// weight is wanted, the row is not changed.
pub(super) fn shared(row: &BoneWeights, wanted: &[Influence], locks: &Locks) -> BoneWeights {
    let held = || row.influences().iter().copied().filter(|(bone, _)| locks.contains(bone));
    let free = || wanted.iter().copied().filter(|(bone, weight)| !locks.contains(bone) && *weight > 0.0);
    let locked: f64 = held().map(|(_, weight)| weight).sum();
    let total: f64 = free().map(|(_, weight)| weight).sum();
    let left = 1.0 - locked;
    if held().next().is_none() {
        return BoneWeights::new(free()).unwrap_or_else(|_| row.clone());
    }
    if !(left > 0.0 && total > 0.0 && total.is_finite()) {
        return row.clone();
    }
    BoneWeights::new(held().chain(free().map(|(bone, weight)| (bone, weight / total * left))))
        .unwrap_or_else(|_| row.clone())
}

/// Checks that there is one entry for each vertex.
pub(super) fn fits(lines: &[BLine], weights: &[VertexWeights]) -> Result<(), BindError> {
    let vertices = vertex_count(lines);
    if vertices == weights.len() {
        return Ok(());
    }
    Err(BindError::VertexCount { vertices, weights: weights.len() })
}
