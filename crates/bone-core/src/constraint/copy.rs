//! Copy: gives a bone the rotation, shift or scale of another one, times a factor, plus an offset.

use bone_archive::{archive, words};
use kurbo::Vec2;

use super::context::{Context, SavedBones};
use super::types::{ConstraintParameters, ConstraintStatus, IgnoredReason};
use crate::user::inverse;
use crate::{Angle, BoneId};

words! {
    /// The space in which the values are copied.
    #[non_exhaustive]
    pub enum CopySpace {
        /// The parent's frame: a bone on a rotating arm that does not rotate itself is at rest.
        #[default]
        Local = 0,
        /// The canvas. Scale is always a bone's own.
        Canvas = 1,
    }
}

/// Copies the change of a bone since its setup pose; what is `None` is not changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CopyBone {
    /// The bone that is changed.
    pub bone: BoneId,
    /// The bone that is copied.
    pub from: BoneId,
    /// Factor for the rotation, and offset.
    pub rotate: Option<(f64, Angle)>,
    /// Factor for the shift, and offset.
    pub shift: Option<(f64, Vec2)>,
    /// Factor for the scale minus 1, and offset.
    pub scale: Option<(f64, Vec2)>,
    /// The space of rotation and shift.
    pub space: CopySpace,
}

impl CopyBone {
    pub(super) fn apply(
        &self,
        context: &mut Context<'_>,
        parameters: &ConstraintParameters,
        saved: &mut SavedBones,
    ) -> Result<ConstraintStatus, IgnoredReason> {
        let (skeleton, world) = (context.skeleton, &*context.world);
        let other = context.pose.bones[self.from.index()];
        let other_setup = context.pose.setup(skeleton, self.from);
        let setup = context.pose.setup(skeleton, self.bone);
        let frame = world.parent_frame(skeleton, context.pose, self.bone);
        let mut bone = context.pose.bones[self.bone.index()];
        if let Some((factor, offset)) = self.rotate {
            bone.angle = match self.space {
                CopySpace::Local => setup.angle + (other.angle - other_setup.angle) * factor + offset,
                CopySpace::Canvas => {
                    let turn = world.angle(self.from) - world.setup_angle(skeleton, self.from);
                    let (_, beta) = frame.inherited(skeleton.inherit(self.bone));
                    world.setup_angle(skeleton, self.bone) + turn * factor + offset - beta
                }
            };
        }
        if let Some((factor, offset)) = self.shift {
            bone.origin = match self.space {
                CopySpace::Local => setup.origin + (other.origin - other_setup.origin) * factor + offset,
                CopySpace::Canvas => {
                    let rest = |bone| world.setup_inverse(skeleton, bone).inverse().translation();
                    let shift = world.origin(self.from).to_vec2() - rest(self.from);
                    let place = rest(self.bone) + shift * factor + offset;
                    (inverse(frame.place).ok_or(IgnoredReason::Flat)? * place.to_point()).to_vec2()
                }
            };
        }
        if let Some((factor, offset)) = self.scale {
            let one = Vec2::new(1.0, 1.0);
            bone.scale = one + (other.scale - one) * factor + offset;
        }
        if !bone.is_finite() {
            return Err(IgnoredReason::NotFinite);
        }
        saved.keep(context, self.bone);
        context.pose.bones[self.bone.index()] = bone;
        saved.finish(context, parameters.mix);
        Ok(ConstraintStatus::Met)
    }
}
archive!(struct CopyBone { bone, from, rotate, shift, scale, space });
