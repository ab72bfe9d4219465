//! Bones moved by a pointer.

use bone_core::{Angle, BoneId, pose_from_user, user_from_increment};
use kurbo::{Affine, Point};

use crate::rig::Rig;
use crate::state::FrameState;

impl Rig {
    /// Rotates a bone about its origin so that its tip points at a place on the canvas, in `state.pose`;
    /// [`Rig::place`] shows it.
    ///
    /// Returns false and changes nothing if the bone, the state or its pose are not of this rig, if `at` is
    /// the origin of the bone, or if the bone's own values cannot express the rotation, as under a scale of
    /// 0.
    ///
    /// The rotation is measured from where drivers and constraints have placed the bone.
    pub fn aim(&self, state: &mut FrameState, bone: BoneId, at: Point) -> bool {
        if !self.can_move(state, bone) || !at.is_finite() {
            return false;
        }
        let (origin, tip) =
            (state.world().origin(bone), state.world().tip(self.skeleton(), state.driven(), bone));
        if at == origin || tip == origin {
            return false;
        }
        let rotation = (Angle::of(at - origin) - Angle::of(tip - origin)).rotation();
        let increment = Affine::translate(origin.to_vec2()) * rotation * Affine::translate(-origin.to_vec2());
        self.apply_increment(state, bone, increment)
    }

    /// Transforms a bone by a map of the canvas in `state.pose`, as the translation, rotation or scale of a
    /// gizmo does; [`Rig::place`] shows it.
    ///
    /// Returns false and changes nothing if the bone, the state or its pose are not of this rig, or if the
    /// bone's own values cannot express the map, as under a scale of 0.
    pub fn apply_increment(&self, state: &mut FrameState, bone: BoneId, map: Affine) -> bool {
        if !self.can_move(state, bone) {
            return false;
        }
        let skeleton = self.skeleton();
        let Some(user) = user_from_increment(skeleton, &state.pose, state.world(), bone, map) else {
            return false;
        };
        let own = state.pose.bones[bone.index()];
        let (moved, _shear) = pose_from_user(skeleton, &state.pose, bone, user, &own);
        state.pose.bones[bone.index()] = moved;
        true
    }

    /// Whether the state, its pose, the bone and the bone's parent in that pose are of this rig.
    fn can_move(&self, state: &FrameState, bone: BoneId) -> bool {
        let skeleton = self.skeleton();
        self.owns_state(state)
            && state.pose.bones.len() == skeleton.len()
            && skeleton.contains(bone)
            && state.pose.parent(skeleton, bone).is_none_or(|parent| skeleton.contains(parent))
    }
}
