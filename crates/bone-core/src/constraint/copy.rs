//! A bone that does what another does: turn, shift or scale, times a factor, plus something of its own.

use kurbo::Vec2;

use super::context::{Context, Kept};
use super::types::{Outcome, Setting, Why};
use crate::user::inverse;
use crate::{Angle, BoneId};

/// In which numbers a bone is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Space {
    /// What it does in its parent's frame: a bone on a turning arm that does not itself turn is at rest.
    #[default]
    Local,
    /// What it does on the canvas, whoever does it. Scale is always a bone's own.
    Canvas,
}

/// Copies what a bone does since its setup pose; what is `None` is left alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CopyBone {
    /// Who copies.
    pub bone: BoneId,
    /// Whom.
    pub from: BoneId,
    /// How many times the other's turn, and what comes on top.
    pub rotate: Option<(f64, Angle)>,
    /// How many times the other's shift, and what comes on top.
    pub shift: Option<(f64, Vec2)>,
    /// How many times the other's scale beyond 1, and what comes on top.
    pub scale: Option<(f64, Vec2)>,
    /// In which numbers.
    pub space: Space,
}

impl CopyBone {
    pub(super) fn apply(
        &self,
        context: &mut Context<'_>,
        setting: &Setting,
        kept: &mut Kept,
    ) -> Result<Outcome, Why> {
        let (skeleton, world) = (context.skeleton, &*context.world);
        let other = context.pose.bones[self.from.index()];
        let other_setup = context.pose.setup(skeleton, self.from);
        let setup = context.pose.setup(skeleton, self.bone);
        let frame = world.parent_frame(skeleton, context.pose, self.bone);
        let mut bone = context.pose.bones[self.bone.index()];
        if let Some((factor, offset)) = self.rotate {
            bone.angle = match self.space {
                Space::Local => setup.angle + (other.angle - other_setup.angle) * factor + offset,
                Space::Canvas => {
                    let turn = world.angle(self.from) - world.setup_angle(skeleton, self.from);
                    let (_, beta) = frame.inherited(skeleton.inherit(self.bone));
                    world.setup_angle(skeleton, self.bone) + turn * factor + offset - beta
                }
            };
        }
        if let Some((factor, offset)) = self.shift {
            bone.origin = match self.space {
                Space::Local => setup.origin + (other.origin - other_setup.origin) * factor + offset,
                Space::Canvas => {
                    let rest = |bone| world.setup_inverse(skeleton, bone).inverse().translation();
                    let shift = world.origin(self.from).to_vec2() - rest(self.from);
                    let place = rest(self.bone) + shift * factor + offset;
                    (inverse(frame.place).ok_or(Why::Flat)? * place.to_point()).to_vec2()
                }
            };
        }
        if let Some((factor, offset)) = self.scale {
            let one = Vec2::new(1.0, 1.0);
            bone.scale = one + (other.scale - one) * factor + offset;
        }
        if !bone.is_finite() {
            return Err(Why::NotFinite);
        }
        kept.keep(context, self.bone);
        context.pose.bones[self.bone.index()] = bone;
        kept.finish(context, setting.mix);
        Ok(Outcome::Met)
    }
}
