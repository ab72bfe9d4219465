//! How the paint of a deformed path moves with a pose.

use bone_archive::archive;
use bone_core::BoneId;
use bone_drawing::PaintMotion;
use bone_skin::{PaintFit, PathId, PosedDrawing, Skin, SkinMatrices};

archive! {
    /// What moves the gradients and patterns of a deformed path.
    #[derive(Clone, Debug)]
    pub enum PaintMotionSource {
        /// Nothing, or the path has none.
        Still = 0,
        /// The affine map that is nearest to the motion of the outline.
        Follow(PaintFit) = 1,
        /// A bone.
        Bone(BoneId) = 2,
    }
}

/// How a deformed path is painted.
#[derive(Clone, Debug)]
pub struct PaintRule {
    /// What moves its gradients and patterns.
    pub paint: PaintMotionSource,
    /// Where the scale of a uniform stroke is measured; none for a stroke of constant width.
    pub stroke: Option<PaintFit>,
}

impl PaintRule {
    /// The bone that moves the paint.
    pub(crate) fn bone(&self) -> Option<BoneId> {
        match &self.paint {
            PaintMotionSource::Bone(bone) => Some(*bone),
            PaintMotionSource::Still | PaintMotionSource::Follow(_) => None,
        }
    }

    /// Finds the points of a rule that was read, for its path.
    pub(crate) fn find(&mut self, skin: &Skin, path: PathId) {
        if let PaintMotionSource::Follow(fit) = &mut self.paint {
            *fit = skin.paint_fit(path);
        }
        self.stroke.iter_mut().for_each(|fit| *fit = skin.paint_fit(path));
    }

    /// Whether the skin has all points.
    pub(crate) fn fits(&self, skin: &Skin) -> bool {
        let paint = match &self.paint {
            PaintMotionSource::Follow(fit) => fit.fits(skin),
            PaintMotionSource::Still | PaintMotionSource::Bone(_) => true,
        };
        paint && self.stroke.as_ref().is_none_or(|fit| fit.fits(skin))
    }

    /// The paint transform and the stroke factor in a pose.
    pub(crate) fn motion(&self, skin: &Skin, matrices: &SkinMatrices, posed: &PosedDrawing) -> PaintMotion {
        let paint = match &self.paint {
            PaintMotionSource::Still => None,
            PaintMotionSource::Follow(fit) => Some(fit.affine(posed)),
            PaintMotionSource::Bone(bone) => Some(matrices.of(*bone)),
        };
        PaintMotion { paint, stroke: self.stroke.as_ref().map(|fit| fit.scale(skin, posed)) }
    }
}
