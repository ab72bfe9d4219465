//! Whether a pose mirrors one part of a filled path and not the rest of it.

use bone_core::BoneId;

use crate::{PathId, Skin, SkinMatrices};

impl Skin {
    /// Whether a path is filled, and some of its points have more than half of their weights on bones that a
    /// pose mirrors, others on bones that it does not. The windings of these parts cancel where they overlap.
    /// Weights that clips key are those of the setup pose.
    pub fn is_partly_mirrored(&self, path: PathId, matrices: &SkinMatrices) -> bool {
        let Some(bound) = self.paths.get(path.index()).filter(|bound| bound.fill.is_some()) else {
            return false;
        };
        // A bone of no size has no side.
        let sign = |bone: BoneId| match matrices.of(bone).determinant() {
            det if det > 0.0 => 1.0,
            det if det < 0.0 => -1.0,
            _ => 0.0,
        };
        let (mut is_mirrored, mut is_plain) = (false, false);
        for &row in &self.rows[bound.points.clone()] {
            let sum: f64 = self.table.row(row).iter().map(|&(bone, weight)| weight * sign(bone)).sum();
            is_mirrored |= sum < 0.0;
            is_plain |= sum > 0.0;
        }
        is_mirrored && is_plain
    }
}
