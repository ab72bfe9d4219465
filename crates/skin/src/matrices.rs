//! The skin matrices of one pose, in memory that is kept between frames.

use bone_core::{Angle, BoneId, Pose, Skeleton, WorldPose};
use kurbo::{Affine, Point};

use crate::blend::{Motion, SkinBlend, blend};

/// `M_j = W_j K_j B_j^-1` for every bone: canvas to canvas, and their unwrapped rotations.
#[derive(Clone, Debug, Default)]
pub struct SkinMatrices {
    matrices: Vec<Affine>,
    motions: Vec<Motion>,
}

impl SkinMatrices {
    /// Memory for a skeleton, in its setup pose.
    pub fn new(skeleton: &Skeleton) -> Self {
        Self { matrices: vec![Affine::IDENTITY; skeleton.len()], motions: vec![Motion::REST; skeleton.len()] }
    }

    /// Computes the matrices of a placed pose; those at rest if the pose or `world` belong to another skeleton.
    /// Does not allocate for the skeleton it was made for.
    pub fn update(&mut self, skeleton: &Skeleton, pose: &Pose, world: &WorldPose) {
        let count = skeleton.len();
        if [pose.bones.len(), world.matrices().len()] != [count; 2] {
            self.matrices.clear();
            self.matrices.resize(count, Affine::IDENTITY);
            self.motions.clear();
            self.motions.resize(count, Motion::REST);
            return;
        }
        self.matrices.clear();
        self.matrices.extend(skeleton.bones().map(|bone| world.skin_matrix(skeleton, pose, bone)));
        let turn = |bone| world.angle(bone) - world.setup_angle(skeleton, bone);
        self.motions.clear();
        self.motions
            .extend(skeleton.bones().zip(&self.matrices).map(|(bone, m)| Motion::new(*m, turn(bone))));
    }

    /// Adds motions of what is not a bone, with the ids that follow.
    pub(crate) fn extend(&mut self, motions: impl Iterator<Item = Motion>) {
        let first = self.motions.len();
        self.motions.extend(motions);
        self.matrices.extend(self.motions[first..].iter().map(Motion::affine));
    }

    /// Room for so many of them.
    pub fn reserve(&mut self, count: usize) {
        self.motions.reserve(count);
        self.matrices.reserve(count);
    }

    /// The unwrapped turn of a bone from its setup pose; none of a bone of a larger skeleton.
    pub(crate) fn turn(&self, bone: BoneId) -> Angle {
        self.motions.get(bone.index()).map_or(Angle::ZERO, Motion::turn)
    }

    pub(crate) fn motions(&self) -> &[Motion] {
        &self.motions
    }

    /// One matrix for each bone.
    #[inline]
    pub fn as_slice(&self) -> &[Affine] {
        &self.matrices
    }

    /// The position of a point under weights, for displays of weights. Modes with centres of rotation have
    /// none here, and are computed as the area-preserving one.
    pub fn blended(&self, mode: SkinBlend, row: &[(BoneId, f64)], point: Point) -> Point {
        let mode = mode.without_centres();
        Affine::new(blend(mode, row, Point::ZERO, &self.motions)) * point
    }

    /// The matrix of one bone; that of a bone of a larger skeleton is the identity.
    #[inline]
    pub(crate) fn of_known(&self, bone: BoneId) -> Affine {
        self.matrices.get(bone.index()).copied().unwrap_or(Affine::IDENTITY)
    }

    /// The matrix of one bone.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton.
    #[inline]
    pub fn of(&self, bone: BoneId) -> Affine {
        self.matrices[bone.index()]
    }
}
