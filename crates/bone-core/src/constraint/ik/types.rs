//! Inverse kinematics as an animator asks for it: which ends go where, how the chain may bend, give and stretch.

use crate::BoneId;
use crate::constraint::types::{Bend, Spot, Target};

/// What becomes of the angle on the canvas of the bone that an end sits on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum EndAngle {
    /// It follows the chain.
    #[default]
    Free,
    /// It stays as the animated pose has it: a foot that stays flat. The bone itself is not counted in the chain.
    Keep,
    /// It is that of the target's bone, as far as the setup pose has them apart. The bone is not counted in the chain.
    Target,
}

/// A point of a bone, where it is to be, and how many bones may move for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effector {
    /// The bone that the point is on.
    pub bone: BoneId,
    /// The point.
    pub spot: Spot,
    /// Where it is to be.
    pub target: Target,
    /// How many bones may move, counted upwards: from this bone, or from its parent if it only rides along (its origin
    /// is the end, or its angle is given).
    pub chain: usize,
    /// The bone's own angle on the canvas.
    pub angle: EndAngle,
}

impl Effector {
    /// The tip of a bone on a target, moved by so many bones.
    pub const fn new(bone: BoneId, target: Target, chain: usize) -> Self {
        Self { bone, spot: Spot::Tip, target, chain, angle: EndAngle::Free }
    }

    /// Whether the bone itself only rides along.
    pub(in crate::constraint) fn rides(&self) -> bool {
        self.spot == Spot::Origin || self.angle != EndAngle::Free
    }
}

/// Chains of bones that reach for targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Ik {
    /// One or several on one tree. [`Target::Here`] makes an end a pin: it stays where the animated pose has it.
    pub ends: Vec<Effector>,
    /// The side to bend to, where there is one end.
    pub bend: Bend,
    /// From this share of the reach before its end the chain slows down, so that it never snaps straight; 0 for none.
    pub softness: f64,
    /// How many times its length the chain may stretch to reach a target beyond it; 1 for not at all.
    pub stretch: f64,
    /// How many times its length it may shrink to for a target too near to fold to; 1 for not at all.
    pub compress: f64,
    /// Bones that resist: 2 counts their change twice as much as others' (squared), 0.5 half. One that is not listed has 1.
    pub stiffness: Vec<(BoneId, f64)>,
}

impl Ik {
    /// One end, nothing special.
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

    /// How willingly a bone moves: the inverse of its stiffness.
    pub(super) fn ease(&self, bone: BoneId) -> f64 {
        let stiffness = self.stiffness.iter().find(|(b, _)| *b == bone).map_or(1.0, |(_, s)| *s);
        1.0 / if stiffness > 0.0 { stiffness.max(1e-9) } else { 1.0 }
    }
}
