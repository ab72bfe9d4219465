//! What a constraint has its hands on: the bones whose numbers it changes, and those that it follows. What clips do to parents
//! is not counted.

use super::ik::Effector;
use super::run::Kind;
use super::types::Target;
use crate::{BoneId, Skeleton};

impl Kind {
    /// The bones that it may change, in no order and perhaps more than once.
    pub fn moves(&self, skeleton: &Skeleton) -> Vec<BoneId> {
        match self {
            Self::Ik(ik) => ik.ends.iter().flat_map(|end| chain(end, skeleton)).collect(),
            Self::Aim(aim) => vec![aim.bone],
            Self::Copy(copy) => vec![copy.bone],
            Self::Limit(limit) => vec![limit.bone],
            Self::Path(path) => path.bones.clone(),
            Self::Distance(distance) => vec![distance.bone],
        }
    }

    /// The bones that it follows without moving them.
    pub fn follows(&self) -> Vec<BoneId> {
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

/// The bones that may move for an end, and the end's own bone, whose angle may be kept.
fn chain(end: &Effector, skeleton: &Skeleton) -> Vec<BoneId> {
    let mut bones = vec![end.bone];
    let count = end.chain.max(1) + usize::from(end.rides());
    while let Some(above) = bones.last().filter(|_| bones.len() < count).and_then(|at| skeleton.parent(*at)) {
        bones.push(above);
    }
    bones
}
