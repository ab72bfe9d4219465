//! The offset between two joints, measured over all frames.

use bone_core::Angle;
use kurbo::Vec2;

use crate::PlanarMotion;

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
