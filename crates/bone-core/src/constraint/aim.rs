//! Aim: rotates a bone so that it points at a target.

use super::context::{Context, SavedBones};
use super::types::{AttachmentPoint, ConstraintParameters, ConstraintStatus, IgnoredReason, Target};
use crate::user::inverse;
use crate::{Angle, BoneId, Joint};
use archive::archive;

/// Points a bone at a target, within the limits of its joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    /// The bone that is rotated.
    pub bone: BoneId,
    /// The target.
    pub target: Target,
    /// The direction in the bone's frame that points at the target: 0 along the bone, 90 degrees across.
    pub offset: Angle,
}

impl Aim {
    pub(super) fn apply(
        &self,
        context: &mut Context<'_>,
        parameters: &ConstraintParameters,
        saved: &mut SavedBones,
    ) -> Result<ConstraintStatus, IgnoredReason> {
        let target = context.place(self.target, parameters, self.bone, AttachmentPoint::Origin)?;
        let way = target - context.world.origin(self.bone);
        let frame = context.world.parent_frame(context.skeleton, context.pose, self.bone);
        let (axes, _) = frame.inherited(context.skeleton.inherit(self.bone));
        let back = inverse(axes).ok_or(IgnoredReason::Flat)?;
        let local = (back * way.to_point()).to_vec2();
        if !local.is_finite() {
            return Err(IgnoredReason::NotFinite);
        }
        // A target at the bone's origin has no direction: the animated angle stays.
        if local.hypot() == 0.0 {
            return Ok(ConstraintStatus::Nearest);
        }
        saved.keep(context, self.bone);
        let setup = context.pose.setup(context.skeleton, self.bone).angle;
        let bone = &mut context.pose.bones[self.bone.index()];
        let look = self.offset.direction();
        let look = kurbo::Vec2::new(look.x * bone.scale.x, look.y * bone.scale.y);
        let wanted = (Angle::of(local) - Angle::of(look)).nearest_to(bone.angle);
        let mut allowed = wanted;
        if let Joint::Pin { limits: Some((least, most)) } = context.skeleton.joint(self.bone) {
            let turn = (wanted - setup).degrees().min(most.degrees()).max(least.degrees());
            allowed = setup + Angle::from_degrees(turn);
        }
        bone.angle = allowed;
        saved.finish(context, parameters.mix);
        Ok(if allowed == wanted { ConstraintStatus::Met } else { ConstraintStatus::Nearest })
    }
}

archive!(struct Aim { bone, target, offset });
