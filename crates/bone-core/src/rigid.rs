//! The rigid form of forward kinematics (Jacobson, "Implementing forward kinematics for linear blend skinning", 2013):
//! turns about the joints of the rest pose, no frames, no scale.

use kurbo::{Affine, Point, Vec2};

use crate::{Angle, Skeleton};

/// A turn and a shift of the canvas: `x -> R(turn) x + shift`.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct RigidMotion {
    /// Q: the sum of the turns from the root to this bone, not wrapped.
    pub turn: Angle,
    /// t.
    pub shift: Vec2,
}

impl RigidMotion {
    /// The motion as a matrix.
    pub fn matrix(&self) -> Affine {
        self.turn.rotation().then_translate(self.shift)
    }
}

/// The motion of every bone's skin when joint `i` turns by `turns[i]` away from rest:
/// `Q_i = q_i Q_p`, `t_i = -Q_i x_i + Q_p x_i + t_p`, with `x_i` the joint at rest.
///
/// The page prints `- Q_p x_p + x_p` for the last term, which is `t_p` only where the parent is a root.
///
/// # Panics
/// If there is not one turn and one place for the result a bone.
pub fn rigid_into(skeleton: &Skeleton, turns: &[Angle], out: &mut [RigidMotion]) {
    assert!(turns.len() == skeleton.len() && out.len() == skeleton.len(), "one turn a bone");
    for bone in skeleton.bones() {
        let parent = skeleton.parent(bone).map_or_else(RigidMotion::default, |p| out[p.index()]);
        let joint: Point = skeleton.setup_origin(bone);
        let turn = turns[bone.index()] + parent.turn;
        let stays = parent.matrix() * joint;
        let shift = stays - (turn.rotation() * joint);
        out[bone.index()] = RigidMotion { turn, shift };
    }
}
