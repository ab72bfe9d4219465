//! What each bone does to the skin that follows it, for one pose, kept between frames.

use bone_core::{BoneId, Pose, Skeleton, WorldPose};
use kurbo::Affine;

/// `M_j = W_j K_j B_j^-1` for every bone: canvas to canvas.
#[derive(Clone, Debug, Default)]
pub struct SkinMatrices {
    matrices: Vec<Affine>,
}

impl SkinMatrices {
    /// Room for a skeleton, in its setup pose.
    pub fn new(skeleton: &Skeleton) -> Self {
        Self { matrices: vec![Affine::IDENTITY; skeleton.len()] }
    }

    /// The matrices of a placed pose. Allocates nothing for the skeleton it was made for.
    pub fn update(&mut self, skeleton: &Skeleton, pose: &Pose, world: &WorldPose) {
        self.matrices.clear();
        self.matrices.extend(skeleton.bones().map(|bone| world.skin_matrix(skeleton, pose, bone)));
    }

    /// One a bone.
    #[inline]
    pub fn as_slice(&self) -> &[Affine] {
        &self.matrices
    }

    /// The matrix of one bone.
    #[inline]
    pub fn of(&self, bone: BoneId) -> Affine {
        self.matrices[bone.index()]
    }
}
