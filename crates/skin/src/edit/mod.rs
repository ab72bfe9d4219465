//! Changing weights that are there: smooth, mirror, prune, set one; and typed rows for weights that were found.
//! Which vertices are meant, and where the weights are kept, is for the caller.
//!
//! Everything works on the rows of outlines as [`Weights::Explicit`](crate::Weights::Explicit) has them: one entry a vertex, through all
//! outlines in order. Outlines of several paths may be strung together, so that what they share stays together.
//! Locked bones keep their weights, whatever is done; the others share what is left.
//!
//! ```
//! use bone_core::BoneId;
//! use kurbo::BezPath;
//! use skin::edit::{Locks, Prune, Smooth, prune, smooth};
//! use skin::{BLine, VertexWeights, BoneWeights};
//!
//! let sleeve = BLine::from_path(&BezPath::from_svg("M0 0L50 0L100 0")?);
//! let (upper, fore) = (BoneId::new(0), BoneId::new(1));
//! let mut weights: Vec<_> =
//!     [upper, upper, fore].into_iter().map(|bone| VertexWeights::new(BoneWeights::one(bone))).collect();
//!
//! smooth(&sleeve, &mut weights, Smooth { strength: 0.5, iterations: 1 }, &Locks::new())?;
//! assert_eq!(weights[1].anchor.influences(), [(upper, 0.75), (fore, 0.25)]);
//! prune(&mut weights, Prune { most: Some(1), ..Prune::default() }, &Locks::new());
//! assert_eq!(weights[1].anchor, BoneWeights::one(upper));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod change;
mod fit;
mod mirror;
mod smooth;

use std::collections::BTreeSet;

use bone_core::BoneId;

pub use change::outline_change;
pub use fit::vertex_weights_of_field;
pub use mirror::{Mirror, MirrorDirection, Unmatched, mirror};
pub use smooth::{Smooth, smooth};

use crate::blend::Influence;
use crate::bline::BLine;
use crate::error::BindError;
use crate::weights::{BoneWeights, VertexWeights};

/// The bones whose weights are not to be changed.
pub type Locks = BTreeSet<BoneId>;

/// What is taken out of rows.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Prune {
    /// How many bones a row keeps, the strongest; of equals the first in the skeleton. All if not given.
    pub most: Option<usize>,
    /// Weights below this go, but for the strongest of a row.
    pub threshold: f64,
}

/// Leaves each row its strongest bones, and shares what the others had among them.
///
/// Locked bones stay and count; where they do not hold a point wholly, one other bone stays, too.
pub fn prune(weights: &mut [VertexWeights], prune: Prune, locks: &Locks) {
    for row in weights.iter_mut().flat_map(rows) {
        let mut free: Vec<Influence> =
            row.influences().iter().copied().filter(|(bone, _)| !locks.contains(bone)).collect();
        let locked = row.influences().len() - free.len();
        free.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let most = prune.most.map_or(usize::MAX, |most| most.saturating_sub(locked).max(1));
        let least = if prune.threshold.is_nan() { 0.0 } else { prune.threshold };
        let kept = free.iter().take(most).enumerate().take_while(|(i, (_, w))| *i == 0 || *w >= least);
        let kept: Vec<Influence> = kept.map(|(_, influence)| *influence).collect();
        if kept.len() < free.len() {
            *row = shared(row, &kept, locks);
        }
    }
}

/// Gives a bone a weight, within 0 and what locked bones leave; the other bones share the rest in proportion, or keep it if there is
/// no other that may take it. A locked bone is left alone.
pub fn set_weight(row: &mut BoneWeights, bone: BoneId, weight: f64, locks: &Locks) {
    if locks.contains(&bone) || weight.is_nan() {
        return;
    }
    let held: f64 = row.influences().iter().filter(|(b, _)| locks.contains(b)).map(|(_, w)| w).sum();
    let free = (1.0 - held).max(0.0);
    let weight = weight.clamp(0.0, free);
    let others: Vec<Influence> =
        row.influences().iter().copied().filter(|(b, _)| *b != bone && !locks.contains(b)).collect();
    let rest: f64 = others.iter().map(|(_, w)| w).sum();
    if rest == 0.0 {
        // Nobody else may hold it: the bone keeps what it has, or all that is free once it is given any.
        if weight > 0.0 {
            *row = shared(row, &[(bone, 1.0)], locks);
        }
        return;
    }
    let scale = (free - weight) / rest;
    let wanted: Vec<Influence> =
        others.into_iter().map(|(b, w)| (b, w * scale)).chain([(bone, weight)]).collect();
    *row = shared(row, &wanted, locks);
}

/// The rows of a vertex.
fn rows(vertex: &mut VertexWeights) -> impl Iterator<Item = &mut BoneWeights> {
    [Some(&mut vertex.anchor), vertex.tangent_in.as_mut(), vertex.tangent_out.as_mut()].into_iter().flatten()
}

/// The wanted weights, brought to the sum that locked bones leave; those keep what they have in `row`. If nothing is wanted of
/// the others, the row stays.
fn shared(row: &BoneWeights, wanted: &[Influence], locks: &Locks) -> BoneWeights {
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

/// Whether there is one entry a vertex.
fn fits(lines: &[BLine], weights: &[VertexWeights]) -> Result<(), BindError> {
    let vertices = lines.iter().map(|line| line.vertices().len()).sum();
    if vertices == weights.len() {
        return Ok(());
    }
    Err(BindError::VertexCount { vertices, weights: weights.len() })
}
