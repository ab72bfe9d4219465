//! The rest pose of a figure: standing upright.

use bone_core::Angle;
use kurbo::{Point, Vec2};

use super::measure::{longest, mean_direction, mean_way};
use super::spec::FigureBone;
use crate::PlanarMotion;
use crate::parts::BodyPart;
use crate::statistics::median_or;

/// A bone at rest on the canvas.
pub(super) struct RestBone {
    pub(super) origin: Point,
    pub(super) angle: Angle,
    pub(super) length: f64,
}

/// A body at rest stands upright with its arms down; any other figure has the pose of the first frame.
pub(super) fn rest(
    motion: &PlanarMotion,
    plan: &[FigureBone],
    scale: f64,
    root: Point,
    ground: f64,
) -> Vec<RestBone> {
    let mut rest: Vec<RestBone> = Vec::with_capacity(plan.len());
    for bone in plan {
        let length = (longest(motion, bone.from, bone.to) * scale).max(0.01);
        let first = motion.offset(0, bone.from, bone.to);
        let angle = bone.part.map_or_else(
            || if first.hypot2() > 0.0 { Angle::of(first) } else { Angle::ZERO },
            |part| {
                let upright = upright(part, motion, plan, bone);
                // Some recordings end the head at the face: the bone then points forward while the head is
                // upright.
                match bone.parent.filter(|_| part == BodyPart::Head) {
                    Some(parent) => {
                        let off = mean_direction(motion, bone.from, bone.to)
                            - mean_direction(motion, plan[parent].from, plan[parent].to);
                        let off = off.nearest_to(Angle::ZERO);
                        if off.degrees().abs() > 30.0 { upright + off } else { upright }
                    }
                    None => upright,
                }
            },
        );
        let origin = match bone.parent {
            None => root,
            Some(parent) if plan[parent].to == bone.from => {
                rest[parent].origin + rest[parent].angle.direction() * rest[parent].length
            }
            Some(parent) => {
                let on = &rest[parent];
                // Its mean position in the frame of its parent.
                let turn = -mean_direction(motion, plan[parent].from, plan[parent].to);
                let way = mean_way(motion, plan[parent].from, bone.from) * scale;
                on.origin + way.rotate_scale(turn.direction()).rotate_scale(on.angle.direction())
            }
        };
        rest.push(RestBone { origin, angle, length });
    }
    if plan.iter().any(|bone| bone.part.is_some()) {
        let tip = |bone: &RestBone| (bone.origin + bone.angle.direction() * bone.length).y;
        let low = rest.iter().map(tip).fold(f64::MIN, f64::max);
        rest.iter_mut().for_each(|bone| bone.origin.y += ground - low);
    }
    rest
}

/// The direction of a part of a standing body: y points down, so -90 degrees are up.
fn upright(part: BodyPart, motion: &PlanarMotion, plan: &[FigureBone], bone: &FigureBone) -> Angle {
    // The figure faces the side that its feet point to; in a front view this is barely defined.
    let way = mean_way(motion, bone.from, bone.to);
    let right = way.x >= 0.0;
    // Seen from the front feet point at the viewer, which is down in the picture.
    let ahead = || {
        let (from, to) = whole_foot(part, plan).unwrap_or((bone.from, bone.to));
        mean_way(motion, from, to).x.abs() < 0.4 * along_ground(motion, from, to)
    };
    Angle::from_degrees(match part {
        BodyPart::Hips | BodyPart::Spine | BodyPart::Chest | BodyPart::Neck | BodyPart::Head => -90.0,
        BodyPart::UpperArm(_)
        | BodyPart::ForeArm(_)
        | BodyPart::Hand(_)
        | BodyPart::Thigh(_)
        | BodyPart::Shin(_) => 90.0,
        BodyPart::Foot(_) | BodyPart::Toe(_) if ahead() => 90.0,
        BodyPart::Foot(_) => usual_slope(motion, bone, right, 25.0),
        BodyPart::Toe(_) => usual_slope(motion, bone, right, 0.0),
    })
}

/// From the ankle to the tip of the toes, so that a foot and its toes point to the same side.
fn whole_foot(part: BodyPart, plan: &[FigureBone]) -> Option<(usize, usize)> {
    let side = part.side()?;
    let of = |part: BodyPart| plan.iter().find(|bone| bone.part == Some(part));
    Some((of(BodyPart::Foot(side))?.from, of(BodyPart::Toe(side))?.to))
}

/// The mean distance of two joints along the ground, or their whole distance if depths are not known.
fn along_ground(motion: &PlanarMotion, from: usize, to: usize) -> f64 {
    let depth = |frame: usize| Some(motion.depth(frame, to)? - motion.depth(frame, from)?);
    let along = |frame| Some(Vec2::new(motion.offset(frame, from, to).x, depth(frame)?).hypot());
    let sum: Option<f64> = (0..motion.frames()).map(along).sum();
    sum.map_or_else(|| longest(motion, from, to), |sum| sum / motion.frames() as f64)
}

/// The farthest from the slope of a usual foot that one at rest is, in degrees.
const OTHER_SLOPE: f64 = 25.0;

/// The direction of a foot or of toes in most frames, in which it stands: recordings have the ankle at any
/// height. `slope` is that of a usual one, below the horizontal.
fn usual_slope(motion: &PlanarMotion, bone: &FigureBone, right: bool, slope: f64) -> f64 {
    let usual = if right { slope } else { 180.0 - slope };
    let offsets = (0..motion.frames()).map(|frame| motion.offset(frame, bone.from, bone.to));
    let seen = offsets
        .filter(|way| way.hypot2() > 0.0)
        .map(|way| Angle::of(way).nearest_to(Angle::from_degrees(usual)).degrees());
    median_or(seen, usual).clamp(usual - OTHER_SLOPE, usual + OTHER_SLOPE).round()
}
