//! Editing of weights: smooth, mirror, prune, set; and explicit weights for a field.
//!
//! All functions work on vertex weights as in [`Weights::Explicit`](crate::Weights::Explicit): one entry for
//! each vertex, through all outlines in order. Outlines of several paths may be concatenated, so that what
//! they share stays equal. Locked bones keep their weights; the others share the rest.
//!
//! ```
//! use bone_core::BoneId;
//! use kurbo::BezPath;
//! use bone_skin::edit::{Locks, Prune, Smooth, prune, smooth};
//! use bone_skin::{BLine, VertexWeights, BoneWeights};
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
mod rows;
mod smooth;

use bone_core::BoneId;

pub use change::outline_change;
pub use fit::{vertex_weights_at_anchors, vertex_weights_of_field};
pub use mirror::{Mirror, MirrorDirection, Unmatched, mirror};
pub use rows::Locks;
use rows::{rows, shared};
pub use smooth::{Smooth, smooth};

use crate::blend::Influence;
use crate::weights::{BoneWeights, VertexWeights};

/// The parameters of pruning.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Prune {
    /// Greatest number of bones for each point; the strongest are kept, of equals the first in the skeleton.
    /// No limit if none.
    pub most: Option<usize>,
    /// Weights below this are removed, except the greatest one.
    pub threshold: f64,
}

/// Keeps the strongest bones of each point, and normalises their weights.
///
/// Locked bones are kept and counted; unless they have all weight, one other bone is kept, too.
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

/// Sets the weight of a bone, clamped between 0 and the rest left by locked bones; the other bones share the
/// remainder in proportion, or keep it if no other bone may take it. A locked bone is not changed.
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
        // No other bone may have weight: the bone keeps its weight, or takes all that is free once it is
        // given any.
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
