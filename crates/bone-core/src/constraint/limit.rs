//! A bone kept within ranges of its own numbers, whatever set them.

use kurbo::Vec2;

use super::context::{Context, Kept};
use super::range::within;
use super::types::{Outcome, Setting, Why};
use crate::{Angle, BoneId};

/// Ranges since the setup pose; what is `None` is free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The bone.
    pub bone: BoneId,
    /// Least and most turn.
    pub rotate: Option<(Angle, Angle)>,
    /// Least and most shift, x and y apart, in the parent's frame.
    pub shift: Option<(Vec2, Vec2)>,
    /// Least and most scale, along and across.
    pub scale: Option<(Vec2, Vec2)>,
}

impl Limit {
    pub(super) fn apply(
        &self,
        context: &mut Context<'_>,
        setting: &Setting,
        kept: &mut Kept,
    ) -> Result<Outcome, Why> {
        let setup = context.pose.setup(context.skeleton, self.bone);
        let now = context.pose.bones[self.bone.index()];
        if !now.is_finite() {
            return Err(Why::NotFinite);
        }
        let mut bone = now;
        if let Some((least, most)) = self.rotate {
            let turn = within((now.angle - setup.angle).degrees(), least.degrees(), most.degrees());
            bone.angle = setup.angle + Angle::from_degrees(turn);
        }
        if let Some((least, most)) = self.shift {
            bone.origin = setup.origin + part_by_part(now.origin - setup.origin, least, most);
        }
        if let Some((least, most)) = self.scale {
            bone.scale = part_by_part(now.scale, least, most);
        }
        if bone != now {
            kept.keep(context, self.bone);
            context.pose.bones[self.bone.index()] = bone;
            kept.finish(context, setting.mix);
        }
        Ok(Outcome::Met)
    }
}

fn part_by_part(v: Vec2, least: Vec2, most: Vec2) -> Vec2 {
    Vec2::new(within(v.x, least.x, most.x), within(v.y, least.y, most.y))
}
