//! Poses of a rig from rotations on the canvas.

use bone_core::{Angle, BoneId, Pose, Skeleton, WorldPose};
use kurbo::{Point, Vec2};

use super::toes::{FEET, folded};
use crate::parts::BodyPart;

/// The rotations of bones on the canvas, relative to the setup pose, in every frame of the recording.
pub(crate) struct BoneTurns {
    /// Parents first.
    pub(crate) bones: Vec<(BodyPart, BoneId)>,
    /// For each bone, the rotations of all frames.
    pub(crate) degrees: Vec<Vec<f64>>,
    /// For each bone the visible share of its length in all frames; empty if it keeps its length.
    pub(crate) shares: Vec<Vec<f64>>,
    /// For each bone the limits of its rotation from the setup pose: those of its joint, and those of feet
    /// and toes.
    pub(crate) limits: Vec<Option<(f64, f64)>>,
    /// For each foot on its shin its rotation from the setup pose when the figure stands.
    pub(crate) standing: Vec<Option<f64>>,
}

/// Poses a rig from rotations on the canvas.
pub(crate) struct RigPoser<'a> {
    pub(crate) skeleton: &'a Skeleton,
    pub(crate) hip: BoneId,
    pub(crate) turns: &'a BoneTurns,
}

impl RigPoser<'_> {
    /// Writes the pose of a frame with the hips at a position: rotations on the canvas become rotations
    /// relative to parents, within limits.
    pub(crate) fn pose(&self, frame: usize, hips: Point, pose: &mut Pose, world: &mut WorldPose) {
        pose.reset(self.skeleton);
        let shift =
            in_parents_frame(self.skeleton, self.hip, vec![hips - self.skeleton.setup_origin(self.hip)]);
        pose.bones[self.hip.index()].origin += shift[0];
        // The rotation of each bone on the canvas relative to its setup pose; unmapped bones follow their
        // parents.
        let mut carried = vec![0.0; self.skeleton.len()];
        for bone in self.skeleton.bones() {
            let above = self.skeleton.parent(bone).map_or(0.0, |parent| carried[parent.index()]);
            carried[bone.index()] = above;
            let Some(at) = self.turns.bones.iter().position(|(_, of)| *of == bone) else { continue };
            let turn = self.turns.degrees[at][frame] - above;
            let turn = self.turns.standing[at].map_or(turn, |stands| stands + folded(turn - stands, FEET));
            let turn = self.turns.limits[at].map_or(turn, |limits| within(turn, limits));
            let bone_pose = &mut pose.bones[bone.index()];
            bone_pose.angle += Angle::from_degrees(turn);
            bone_pose.stretch = self.turns.shares[at].get(frame).copied().unwrap_or(bone_pose.stretch);
            carried[bone.index()] = above + turn;
        }
        let _ = world.forward(self.skeleton, pose);
    }
}

/// A rotation clamped to limits with a small margin, so that a curve through it can stay within them.
pub(crate) fn within(turn: f64, (least, most): (f64, f64)) -> f64 {
    let room = ((most - least) / 10.0).min(0.5);
    turn.max(least + room).min(most - room)
}

/// Converts offsets on the canvas to offsets in the frame of a bone's parent, which stays at rest.
pub(super) fn in_parents_frame(skeleton: &Skeleton, bone: BoneId, shifts: Vec<Vec2>) -> Vec<Vec2> {
    let turn = skeleton.parent(bone).map_or(Angle::ZERO, |parent| skeleton.setup_angle(parent));
    let back = (-turn).direction();
    shifts.into_iter().map(|shift| shift.rotate_scale(back)).collect()
}

/// The horizontal direction of the facing.
pub(super) fn level(forward: f64) -> Angle {
    Angle::from_degrees(if forward > 0.0 { 0.0 } else { 180.0 })
}
