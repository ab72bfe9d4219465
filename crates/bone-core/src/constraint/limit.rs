//! Limit: keeps a bone within ranges of its own values.

use bone_archive::{Archive, ArchiveError, Reader, Writer};
use kurbo::Vec2;

use super::context::{Context, SavedBones};
use super::range::within;
use super::types::{ConstraintParameters, ConstraintStatus, IgnoredReason};
use crate::{Angle, BoneId};

/// Ranges relative to the setup pose; what is `None` is not limited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The bone.
    pub bone: BoneId,
    /// Least and greatest rotation.
    pub rotate: Option<(Angle, Angle)>,
    /// Least and greatest shift, x and y apart, in the parent's frame.
    pub shift: Option<(Vec2, Vec2)>,
    /// Least and greatest scale, along and across.
    pub scale: Option<(Vec2, Vec2)>,
}

impl Limit {
    pub(super) fn apply(
        &self,
        context: &mut Context<'_>,
        parameters: &ConstraintParameters,
        saved: &mut SavedBones,
    ) -> Result<ConstraintStatus, IgnoredReason> {
        let setup = context.pose.setup(context.skeleton, self.bone);
        let now = context.pose.bones[self.bone.index()];
        if !now.is_finite() {
            return Err(IgnoredReason::NotFinite);
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
            saved.keep(context, self.bone);
            context.pose.bones[self.bone.index()] = bone;
            saved.finish(context, parameters.mix);
        }
        Ok(ConstraintStatus::Met)
    }
}

fn part_by_part(v: Vec2, least: Vec2, most: Vec2) -> Vec2 {
    Vec2::new(within(v.x, least.x, most.x), within(v.y, least.y, most.y))
}

/// A side without a limit is infinite, which no other number of an archive is.
impl Archive for Limit {
    fn write(&self, to: &mut Writer) {
        self.bone.write(to);
        let rotate = self.rotate.map(|(least, most)| (vec2(least), vec2(most)));
        for range in [rotate, self.shift, self.scale] {
            range.is_some().write(to);
            let sides = range.into_iter().flat_map(|(least, most)| [least.x, least.y, most.x, most.y]);
            sides.for_each(|side| to.limit(side));
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let bone = Archive::read(from)?;
        let mut range = || -> Result<Option<(Vec2, Vec2)>, ArchiveError> {
            if !bool::read(from)? {
                return Ok(None);
            }
            let mut side = || Ok(Vec2::new(from.limit()?, from.limit()?));
            Ok(Some((side()?, side()?)))
        };
        let (rotate, shift, scale) = (range()?, range()?, range()?);
        let angle = |v: Vec2| Angle::from_degrees(v.x);
        Ok(Self { bone, rotate: rotate.map(|(least, most)| (angle(least), angle(most))), shift, scale })
    }
}

fn vec2(angle: Angle) -> Vec2 {
    Vec2::new(angle.degrees(), 0.0)
}
