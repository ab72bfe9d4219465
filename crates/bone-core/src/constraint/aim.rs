//! Aim: rotates a bone so that it points at a target.

use super::context::{Context, SavedBones};
use super::range::{softened, within};
use super::types::{AttachmentPoint, ConstraintParameters, ConstraintStatus, IgnoredReason, Target};
use crate::user::inverse;
use crate::{Angle, BoneId, Joint};
use bone_archive::archive;

/// Points a bone at a target, within the limits of its joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    /// The bone that is rotated.
    pub bone: BoneId,
    /// The target.
    pub target: Target,
    /// The direction in the bone's frame that points at the target: 0 along the bone, 90 degrees across.
    pub offset: Angle,
    /// Within this share of the range to either side, before a limit, the bone slows down, so that it does
    /// not stop at once; 0 for none.
    pub softness: f64,
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
        let wanted = Angle::of(local) - Angle::of(look);
        let softness = parameters.softness.unwrap_or(self.softness);
        let (allowed, met) = match context.skeleton.joint(self.bone) {
            Joint::Pin { limits: Some(limits) }
                if (0.0..360.0).contains(&(limits.1 - limits.0).degrees()) =>
            {
                within_limits(wanted, setup, limits, softness)
            }
            joint => {
                let wanted = wanted.nearest_to(bone.angle);
                let off = (wanted - bone.angle).degrees();
                let kept = before_the_back(off, BACK * (1.0 - parameters.mix));
                let to = if kept == off { wanted } else { bone.angle + Angle::from_degrees(kept) };
                let mut allowed = to;
                if let Joint::Pin { limits: Some((least, most)) } = joint {
                    let turn = within((to - setup).degrees(), least.degrees(), most.degrees());
                    allowed = setup + Angle::from_degrees(turn);
                }
                (allowed, allowed == wanted)
            }
        };
        bone.angle = allowed;
        saved.finish(context, parameters.mix);
        Ok(if met { ConstraintStatus::Met } else { ConstraintStatus::Nearest })
    }
}

/// A target that passes behind a bone changes the side to which the bone turns. Within this angle (degrees)
/// of the direction behind it the bone turns back, so that it is continuous.
const BACK: f64 = 60.0;

/// The angle within limits relative to the setup angle, and whether it is the one that is asked for.
///
/// The side is that of the middle of the limits, whatever the animated angle is. Before a limit the bone
/// slows down by `softness`, a share of the range to either side; behind both limits it turns from one to the
/// other.
fn within_limits(wanted: Angle, setup: Angle, (least, most): (Angle, Angle), softness: f64) -> (Angle, bool) {
    let half = 0.5 * (most - least).degrees();
    let middle = setup + Angle::from_degrees(0.5 * (least + most).degrees());
    let wanted = wanted.nearest_to(middle);
    let off = (wanted - middle).degrees();
    let back = BACK.min(180.0 - half);
    let kept = before_the_back(off, back);
    let softness = softness.clamp(0.0, 1.0);
    let far = softened(off.abs(), half, softness).min(half);
    if kept != off {
        let edge = softened(180.0 - back, half, softness).min(half);
        let share = (180.0 - off.abs()) / back;
        (middle + Angle::from_degrees(edge * share * off.signum()), false)
    } else if far == off.abs() {
        (wanted, true)
    } else if far == half {
        (setup + if off < 0.0 { least } else { most }, false)
    } else {
        (middle + Angle::from_degrees(far * off.signum()), false)
    }
}

/// An angle of at most half a turn that goes back to 0 within `zone` of half a turn.
fn before_the_back(off: f64, zone: f64) -> f64 {
    if zone <= 0.0 || off.abs() <= 180.0 - zone {
        off
    } else {
        (180.0 - zone) * (180.0 - off.abs()) / zone * off.signum()
    }
}

archive!(struct Aim { bone, target, offset, softness });
