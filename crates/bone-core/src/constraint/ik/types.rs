//! The parameters of inverse kinematics: ends and targets, bend side, softness, stretch.

use crate::BoneId;
use crate::constraint::types::{AttachmentPoint, Bend, Target};
use bone_archive::{archive, words};

words! {
    /// The angle on the canvas of an end's bone.
    #[non_exhaustive]
    pub enum EndAngle {
        /// It follows the chain.
        #[default]
        Free = 0,
        /// It stays as in the animated pose: a foot that stays flat. The bone is not part of the chain.
        Keep = 1,
        /// It is that of the target's bone, with the difference that both have in the setup pose. The bone is not
        /// part of the chain.
        Target = 2,
    }
}

/// An end effector: a point of a bone, its target, and how many bones may move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effector {
    /// The bone that the point is on.
    pub bone: BoneId,
    /// The point.
    pub point: AttachmentPoint,
    /// Its target.
    pub target: Target,
    /// How many bones may move, counted upwards: from this bone, or from its parent if the bone is not part
    /// of the chain (its origin is the end, or its angle is given).
    pub chain: usize,
    /// The bone's own angle on the canvas.
    pub angle: EndAngle,
}

impl Effector {
    /// The tip of a bone on a target, moved by this many bones.
    pub const fn new(bone: BoneId, target: Target, chain: usize) -> Self {
        Self { bone, point: AttachmentPoint::Tip, target, chain, angle: EndAngle::Free }
    }

    /// Whether the bone itself is not part of the chain.
    pub(in crate::constraint) fn bone_is_excluded(&self) -> bool {
        self.point == AttachmentPoint::Origin || self.angle != EndAngle::Free
    }
}

/// Chains of bones that reach for targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Ik {
    /// One or several ends on one tree. [`Target::Here`] makes an end a pin: it stays where the animated pose
    /// has it.
    pub ends: Vec<Effector>,
    /// The bend side, if there is one end.
    pub bend: Bend,
    /// Within this share of the reach before its end the chain slows down, so that it does not snap straight;
    /// 0 for none.
    pub softness: f64,
    /// How many times its length the chain may stretch to reach a target beyond it; 1 for no stretch.
    pub stretch: f64,
    /// How many times its length it may shrink to for a target that is too near; 1 for no compression.
    pub compress: f64,
    /// Bones that resist: 2 counts their change twice as much as others' (squared), 0.5 half. A bone that is
    /// not listed has 1.
    pub stiffness: Vec<(BoneId, f64)>,
}

impl Ik {
    /// One end with default parameters.
    pub fn new(end: Effector) -> Self {
        Self {
            ends: vec![end],
            bend: Bend::Auto,
            softness: 0.0,
            stretch: 1.0,
            compress: 1.0,
            stiffness: Vec::new(),
        }
    }

    /// The compliance of a bone: the inverse of its stiffness.
    pub(super) fn compliance(&self, bone: BoneId) -> f64 {
        let stiffness = self.stiffness.iter().find(|(b, _)| *b == bone).map_or(1.0, |(_, s)| *s);
        1.0 / if stiffness > 0.0 { stiffness.max(1e-9) } else { 1.0 }
    }
}
archive!(struct Effector { bone, point, target, chain, angle });

archive!(struct Ik { ends, bend, softness, stretch, compress, stiffness } if |ik| !ik.ends.is_empty(), "end of a chain");
