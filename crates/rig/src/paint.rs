//! How the paint of a posed path is found from a pose. Whether there is paint to move was decided before.

use bone_core::BoneId;
use drawing::PaintMotion;
use skin::{PaintFit, PosedDrawing, Skin, SkinMatrices};

/// What moves the gradients and patterns of a posed path.
#[derive(Clone, Debug)]
pub enum PaintSource {
    /// Nothing, or there are none.
    Still,
    /// What the outline does, as nearly as an affine map can.
    Follow(PaintFit),
    /// A bone.
    Bone(BoneId),
}

/// How a posed path is painted.
#[derive(Clone, Debug)]
pub struct PaintRule {
    /// What moves its gradients and patterns.
    pub paint: PaintSource,
    /// Where the scale of a uniform stroke is measured; none for a constant one.
    pub stroke: Option<PaintFit>,
}

impl PaintRule {
    /// The look of a moment.
    pub(crate) fn look(&self, skin: &Skin, matrices: &SkinMatrices, posed: &PosedDrawing) -> PaintMotion {
        let paint = match &self.paint {
            PaintSource::Still => None,
            PaintSource::Follow(fit) => Some(fit.affine(posed)),
            PaintSource::Bone(bone) => Some(matrices.of(*bone)),
        };
        PaintMotion { paint, stroke: self.stroke.as_ref().map(|fit| fit.scale(skin, posed)) }
    }
}
