//! A bone that looks at something: it turns, and only turns, so that it points at its target.

use super::context::{Context, Kept};
use super::types::{Outcome, Setting, Spot, Target, Why};
use crate::user::inverse;
use crate::{Angle, BoneId, Joint};

/// Points a bone at a target, as far as the limits of its joint let.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    /// Who looks.
    pub bone: BoneId,
    /// At what.
    pub target: Target,
    /// Where in the bone's frame it looks: 0 along itself, 90 degrees across.
    pub offset: Angle,
}

impl Aim {
    pub(super) fn apply(
        &self,
        context: &mut Context<'_>,
        setting: &Setting,
        kept: &mut Kept,
    ) -> Result<Outcome, Why> {
        let target = context.place(self.target, setting, self.bone, Spot::Origin)?;
        let way = target - context.world.origin(self.bone);
        let frame = context.world.parent_frame(context.skeleton, context.pose, self.bone);
        let (axes, _) = frame.inherited(context.skeleton.inherit(self.bone));
        let back = inverse(axes).ok_or(Why::Flat)?;
        let local = (back * way.to_point()).to_vec2();
        if !local.is_finite() {
            return Err(Why::NotFinite);
        }
        // A target on the bone's origin is in no direction: the animated one stays.
        if local.hypot() == 0.0 {
            return Ok(Outcome::Nearest);
        }
        kept.keep(context, self.bone);
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
        kept.finish(context, setting.mix);
        Ok(if allowed == wanted { Outcome::Met } else { Outcome::Nearest })
    }
}
