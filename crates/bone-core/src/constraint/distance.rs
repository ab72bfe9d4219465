//! A bone kept at, under or over a distance of something: a dog on a lead, a ball that keeps off. The bone moves as a whole.

use super::context::{Context, Kept};
use super::types::{Outcome, Setting, Spot, Target, Why};
use crate::BoneId;
use crate::user::inverse;

/// Which distances are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Keep {
    /// This one.
    #[default]
    At,
    /// This and less.
    Under,
    /// This and more.
    Over,
}

/// Keeps a point of a bone at a distance of a target by shifting the bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The bone.
    pub bone: BoneId,
    /// Its point.
    pub spot: Spot,
    /// Of what.
    pub target: Target,
    /// In the canvas's units; 0 and more.
    pub distance: f64,
    /// Which distances are allowed.
    pub keep: Keep,
}

impl Distance {
    pub(super) fn apply(
        &self,
        context: &mut Context<'_>,
        setting: &Setting,
        kept: &mut Kept,
    ) -> Result<Outcome, Why> {
        let target = context.place(self.target, setting, self.bone, Spot::Origin)?;
        let spot = context.spot(self.bone, self.spot);
        let asked = setting.amount.unwrap_or(self.distance).max(0.0);
        let way = spot - target;
        let distance = way.hypot();
        if !(distance.is_finite() && asked.is_finite()) {
            return Err(Why::NotFinite);
        }
        let allowed = match self.keep {
            Keep::At => asked,
            Keep::Under => distance.min(asked),
            Keep::Over => distance.max(asked),
        };
        if allowed == distance {
            return Ok(Outcome::Met);
        }
        // On the target itself every direction is as good: along the bone.
        let direction =
            if distance > 0.0 { way / distance } else { context.world.angle(self.bone).direction() };
        let shift = direction * (allowed - distance);
        let frame = context.world.parent_frame(context.skeleton, context.pose, self.bone);
        let back = inverse(frame.place).ok_or(Why::Flat)?;
        kept.keep(context, self.bone);
        let bone = &mut context.pose.bones[self.bone.index()];
        bone.origin += (back.with_translation(kurbo::Vec2::ZERO) * shift.to_point()).to_vec2();
        kept.finish(context, setting.mix);
        Ok(Outcome::Met)
    }
}
