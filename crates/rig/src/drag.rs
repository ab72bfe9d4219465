//! Bones moved by a pointer.

use bone_core::{Angle, BoneId, pose_from_user, user_from_increment};
use kurbo::{Affine, Point};

use crate::rig::{FrameState, Rig};

impl Rig {
    /// Turns a bone about its joint so that its tip points at a place on the canvas, in `state.pose`; [`Rig::place`] shows it.
    /// The pose stays as it is, and the answer is false, if the id is not one of this rig, `at` is the joint itself, or
    /// the bones around are flat.
    ///
    /// The turn is measured from where drivers and constraints have placed the bone.
    pub fn aim(&self, state: &mut FrameState, bone: BoneId, at: Point) -> bool {
        let skeleton = self.skeleton();
        if bone.index() >= skeleton.len() || !at.is_finite() {
            return false;
        }
        let (joint, tip) = (state.world().origin(bone), state.world().tip(skeleton, state.driven(), bone));
        if at == joint || tip == joint {
            return false;
        }
        let turn = (Angle::of(at - joint) - Angle::of(tip - joint)).rotation();
        let turn = Affine::translate(joint.to_vec2()) * turn * Affine::translate(-joint.to_vec2());
        self.apply_increment(state, bone, turn)
    }

    /// Moves a bone by a map of the canvas in `state.pose`: a shift, turn or scale of a gizmo; [`Rig::place`] shows it. False if
    /// the bone's own numbers cannot express it, as where the bones around are flat.
    pub fn apply_increment(&self, state: &mut FrameState, bone: BoneId, map: Affine) -> bool {
        let skeleton = self.skeleton();
        let Some(user) = user_from_increment(skeleton, &state.pose, state.world(), bone, map) else {
            return false;
        };
        let Some(own) = state.pose.bones.get(bone.index()).copied() else { return false };
        let (moved, _shear) = pose_from_user(skeleton, &state.pose, bone, user, &own);
        state.pose.bones[bone.index()] = moved;
        true
    }
}
