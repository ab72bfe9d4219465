//! The rigid form of forward kinematics (Jacobson, "Implementing forward kinematics for linear blend
//! skinning", 2013): rotations about the joints of the rest pose, without frames and scale.

use kurbo::{Affine, Point, Vec2};

use crate::{Angle, Skeleton};

/// A rotation and a shift of the canvas: `x -> R(turn) x + shift`.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct RigidMotion {
    /// Q: the sum of the rotations from the root to this bone, not wrapped.
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

/// The motion of every bone's skin when joint `i` rotates by `turns[i]` from rest: `Q_i = q_i Q_p`, `t_i =
/// -Q_i x_i + Q_p x_i + t_p`, with `x_i` the joint at rest.
///
/// The paper prints `- Q_p x_p + x_p` for the last term, which is `t_p` only where the parent is a root.
///
/// # Panics
/// If `turns` or `out` do not have one entry for each bone.
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
