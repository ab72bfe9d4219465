//! The constraints as data: what each does, how much of it counts, and which bones it reads and writes.

use super::aim::Aim;
use super::copy::CopyBone;
use super::distance::Distance;
use super::ik::{Effector, Ik};
use super::limit::Limit;
use super::path::Path;
use super::types::{ConstraintParameters, Target};
use crate::{BoneId, Pose, Skeleton, WorldPose};
use bone_archive::archive;
use kurbo::Affine;

/// A constraint and its strength.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// The rule.
    pub rule: ConstraintRule,
    /// From 0 (no effect) to 1 (full effect), unless [`ConstraintParameters`] give another value.
    pub mix: f64,
    /// The bone that carries its places of the canvas: targets that are no bones, those of its parameters, and its path.
    pub on: Option<BoneId>,
}

archive! {
    /// The kinds of constraints.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub enum ConstraintRule {
        /// Chains that reach for targets.
        Ik(Ik) = 0,
        /// A bone that points at a target.
        Aim(Aim) = 1,
        /// A bone that copies another one.
        Copy(CopyBone) = 2,
        /// A bone kept within ranges.
        Limit(Limit) = 3,
        /// Bones along a path.
        Path(Path) = 4,
        /// A bone kept at a distance.
        Distance(Distance) = 5,
    }
}

impl Constraint {
    /// The constraint at full strength.
    pub fn new(rule: ConstraintRule) -> Self {
        Self { rule, mix: 1.0, on: None }
    }

    /// From the canvas at rest to where the bone that carries its places has brought it. The skeleton has that bone.
    pub fn carried(&self, skeleton: &Skeleton, pose: &Pose, world: &WorldPose) -> Affine {
        self.on.map_or(Affine::IDENTITY, |bone| world.skin_matrix(skeleton, pose, bone))
    }

    /// The parameters of the constraint itself.
    pub fn parameters(&self) -> ConstraintParameters {
        ConstraintParameters { mix: self.mix, place: None, bend: None, softness: None, amount: None }
    }
}

impl ConstraintRule {
    /// The bones that it may change, in no order; a bone may occur more than once. Parents changed by clips
    /// are not considered.
    pub fn bones_written(&self, skeleton: &Skeleton) -> Vec<BoneId> {
        match self {
            Self::Ik(ik) => ik.ends.iter().flat_map(|end| chain(end, skeleton)).collect(),
            Self::Aim(aim) => vec![aim.bone],
            Self::Copy(copy) => vec![copy.bone],
            Self::Limit(limit) => vec![limit.bone],
            Self::Path(path) => path.bones.clone(),
            Self::Distance(distance) => vec![distance.bone],
        }
    }

    /// Whether the skeleton has all bones that the rule names.
    pub(super) fn bones_are_known(&self, skeleton: &Skeleton) -> bool {
        let known = |bone: BoneId| skeleton.contains(bone);
        let target_known = |target: &Target| match target {
            Target::Bone(bone, _) => known(*bone),
            Target::Canvas(_) | Target::Here => true,
        };
        match self {
            Self::Ik(ik) => ik.ends.iter().all(|end| known(end.bone) && target_known(&end.target)),
            Self::Aim(aim) => known(aim.bone) && target_known(&aim.target),
            Self::Copy(copy) => known(copy.bone) && known(copy.from),
            Self::Limit(limit) => known(limit.bone),
            Self::Path(path) => path.bones.iter().copied().all(known),
            Self::Distance(distance) => known(distance.bone) && target_known(&distance.target),
        }
    }

    /// The bones that it reads without changing them.
    pub fn bones_read(&self) -> Vec<BoneId> {
        let of = |target: &Target| match target {
            Target::Bone(bone, _) => Some(*bone),
            Target::Canvas(_) | Target::Here => None,
        };
        match self {
            Self::Ik(ik) => ik.ends.iter().filter_map(|end| of(&end.target)).collect(),
            Self::Aim(aim) => of(&aim.target).into_iter().collect(),
            Self::Copy(copy) => vec![copy.from],
            Self::Distance(distance) => of(&distance.target).into_iter().collect(),
            Self::Limit(_) | Self::Path(_) => Vec::new(),
        }
    }
}

/// The bones that may move for an end, and the end's own bone, whose angle may be set.
fn chain(end: &Effector, skeleton: &Skeleton) -> Vec<BoneId> {
    let mut bones = vec![end.bone];
    let count = end.chain.max(1).saturating_add(usize::from(end.bone_is_excluded()));
    while let Some(above) = bones.last().filter(|_| bones.len() < count).and_then(|at| skeleton.parent(*at)) {
        bones.push(above);
    }
    bones
}

archive!(struct Constraint { rule, mix, on });
