//! The offset between two joints, measured over all frames.

use bone_core::{Angle, Side};
use kurbo::Vec2;

use crate::PlanarMotion;
use crate::body::Body;
use crate::parts::BodyPart;

/// The largest distance of two joints, except for the highest tenth of the frames.
pub(crate) fn longest(motion: &PlanarMotion, from: usize, to: usize) -> f64 {
    let step = 1 + motion.frames() / 4000;
    longest_of((0..motion.frames()).step_by(step).map(|frame| motion.offset(frame, from, to)))
}

/// The longest of some offsets, except for the highest tenth of them.
pub(crate) fn longest_of(offsets: impl Iterator<Item = Vec2>) -> f64 {
    let mut seen: Vec<f64> = offsets.map(Vec2::hypot).collect();
    seen.sort_by(f64::total_cmp);
    seen.get(seen.len().saturating_sub(1) * 9 / 10).copied().unwrap_or_default()
}

/// The direction of the mean offset; 0 where it is zero.
pub(super) fn mean_direction(motion: &PlanarMotion, from: usize, to: usize) -> Angle {
    let way = mean_way(motion, from, to);
    if way.hypot2() > 0.0 { Angle::of(way) } else { Angle::ZERO }
}

/// The mean offset from one joint to another.
pub(super) fn mean_way(motion: &PlanarMotion, from: usize, to: usize) -> Vec2 {
    let sum = (0..motion.frames()).fold(Vec2::ZERO, |sum, frame| sum + motion.offset(frame, from, to));
    sum * (1.0 / motion.frames() as f64)
}

/// The height of a standing figure, in units of the recording; that of its frames for a body of another motion.
pub fn height(motion: &PlanarMotion, body: &Body) -> f64 {
    let fits = body.is_within(motion.joints().len());
    let part = |part: BodyPart| {
        let (from, to) = (body.start(part).filter(|_| fits)?, body.end(part)?);
        Some(longest(motion, from, to))
    };
    let leg = |side| Some(part(BodyPart::Thigh(side))? + part(BodyPart::Shin(side))?);
    let legs = leg(Side::Left).or_else(|| leg(Side::Right));
    let back = part(BodyPart::Hips).map(|hips| hips + part(BodyPart::Chest).unwrap_or_default());
    if let (Some(legs), Some(back)) = (legs, back) {
        // The head is about an eighth of a body, the foot below the ankle a twentieth.
        return (legs + back + part(BodyPart::Neck).unwrap_or_default()) * 1.2;
    }
    let tall = |frame: usize| {
        let ys = || motion.frame(frame).iter().map(|position| position.y);
        ys().fold(f64::MIN, f64::max) - ys().fold(f64::MAX, f64::min)
    };
    let tallest = (0..motion.frames()).map(tall).fold(0.0, f64::max);
    let wide = motion.frame(0).iter().map(|position| position.x);
    let wide = wide.clone().fold(f64::MIN, f64::max) - wide.fold(f64::MAX, f64::min);
    tallest.max(wide).max(1e-9)
}

/// The mean speed along the ground, per frame: the slope of a line fitted by least squares, or the advance of
/// a loop.
pub(crate) fn drift(motion: &PlanarMotion, root: usize, looped: bool) -> f64 {
    let frames = motion.frames();
    if looped && frames > 1 {
        return (motion.position(frames - 1, root).x - motion.position(0, root).x) / (frames - 1) as f64;
    }
    let middle = (frames as f64 - 1.0) / 2.0;
    let (mut up, mut down) = (0.0, 0.0);
    for frame in 0..frames {
        let t = frame as f64 - middle;
        up += t * motion.position(frame, root).x;
        down += t * t;
    }
    if down > 0.0 { up / down } else { 0.0 }
}
