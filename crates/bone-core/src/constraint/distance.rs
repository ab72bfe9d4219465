//! Distance: keeps a bone at, under or over a distance from a target. The bone is shifted, not rotated.

use super::context::{Context, SavedBones};
use super::types::{AttachmentPoint, ConstraintParameters, ConstraintStatus, IgnoredReason, Target};
use crate::BoneId;
use crate::user::inverse;
use bone_archive::{archive, words};

words! {
    /// Which distances are allowed.
    #[non_exhaustive]
    pub enum DistanceMode {
        /// Exactly this distance.
        #[default]
        At = 0,
        /// At most this distance.
        Under = 1,
        /// At least this distance.
        Over = 2,
    }
}

/// Keeps a point of a bone at a distance from a target by shifting the bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The bone that is shifted.
    pub bone: BoneId,
    /// The point of the bone.
    pub point: AttachmentPoint,
    /// The target.
    pub target: Target,
    /// In units of the canvas; 0 or more.
    pub distance: f64,
    /// Which distances are allowed.
    pub mode: DistanceMode,
}

impl Distance {
    pub(super) fn apply(
        &self,
        context: &mut Context<'_>,
        parameters: &ConstraintParameters,
        saved: &mut SavedBones,
    ) -> Result<ConstraintStatus, IgnoredReason> {
        let target = context.place(self.target, parameters, self.bone, AttachmentPoint::Origin)?;
        let spot = context.attachment(self.bone, self.point);
        let asked = parameters.amount.unwrap_or(self.distance).max(0.0);
        let way = spot - target;
        let distance = way.hypot();
        if !(distance.is_finite() && asked.is_finite()) {
            return Err(IgnoredReason::NotFinite);
        }
        let allowed = match self.mode {
            DistanceMode::At => asked,
            DistanceMode::Under => distance.min(asked),
            DistanceMode::Over => distance.max(asked),
        };
        if allowed == distance {
            return Ok(ConstraintStatus::Met);
        }
        // At the target itself no direction is given: that of the bone is taken.
        let direction =
            if distance > 0.0 { way / distance } else { context.world.angle(self.bone).direction() };
        let shift = direction * (allowed - distance);
        let frame = context.world.parent_frame(context.skeleton, context.pose, self.bone);
        let back = inverse(frame.place).ok_or(IgnoredReason::Flat)?;
        saved.keep(context, self.bone);
        let bone = &mut context.pose.bones[self.bone.index()];
        bone.origin += (back.with_translation(kurbo::Vec2::ZERO) * shift.to_point()).to_vec2();
        saved.finish(context, parameters.mix);
        Ok(ConstraintStatus::Met)
    }
}
archive!(struct Distance { bone, point, target, distance, mode });
