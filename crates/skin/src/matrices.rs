//! What each bone does to the skin that follows it, for one pose, kept between frames.

use bone_core::{BoneId, Pose, Skeleton, WorldPose};
use kurbo::{Affine, Point};

use crate::blend::{Motion, SkinBlend, blend};

/// `M_j = W_j K_j B_j^-1` for every bone: canvas to canvas, and the unwrapped turns that go with them.
#[derive(Clone, Debug, Default)]
pub struct SkinMatrices {
    matrices: Vec<Affine>,
    motions: Vec<Motion>,
}

impl SkinMatrices {
    /// Room for a skeleton, in its setup pose.
    pub fn new(skeleton: &Skeleton) -> Self {
        Self { matrices: vec![Affine::IDENTITY; skeleton.len()], motions: vec![Motion::REST; skeleton.len()] }
    }

    /// The matrices of a placed pose. Allocates nothing for the skeleton it was made for.
    pub fn update(&mut self, skeleton: &Skeleton, pose: &Pose, world: &WorldPose) {
        self.matrices.clear();
        self.matrices.extend(skeleton.bones().map(|bone| world.skin_matrix(skeleton, pose, bone)));
        let turn = |bone| world.angle(bone) - world.setup_angle(skeleton, bone);
        self.motions.clear();
        self.motions
            .extend(skeleton.bones().zip(&self.matrices).map(|(bone, m)| Motion::new(*m, turn(bone))));
    }

    pub(crate) fn motions(&self) -> &[Motion] {
        &self.motions
    }

    /// One a bone.
    #[inline]
    pub fn as_slice(&self) -> &[Affine] {
        &self.matrices
    }

    /// Where bones together put a point, by the way in which they agree. For looking at weights: modes that turn about centres
    /// have none here, and keep the area instead.
    pub fn blended(&self, mode: SkinBlend, row: &[(BoneId, f64)], point: Point) -> Point {
        let mode = if mode == SkinBlend::RotationCenters { SkinBlend::AreaPreserving } else { mode };
        Affine::new(blend(mode, row, Point::ZERO, &self.motions)) * point
    }

    /// The matrix of one bone.
    #[inline]
    pub fn of(&self, bone: BoneId) -> Affine {
        self.matrices[bone.index()]
    }
}
