//! The way between two joints, measured over all frames.

use bone_core::Angle;
use kurbo::Vec2;

use crate::PlanarMotion;

/// The longest that the way between two joints looks, but for a few frames.
pub(crate) fn longest(flat: &PlanarMotion, from: usize, to: usize) -> f64 {
    let step = 1 + flat.frames() / 4000;
    let mut seen: Vec<f64> =
        (0..flat.frames()).step_by(step).map(|frame| flat.way(frame, from, to).hypot()).collect();
    seen.sort_by(f64::total_cmp);
    seen[(seen.len() - 1) * 9 / 10]
}

/// The direction of the mean way; 0 where there is none.
pub(super) fn mean_direction(flat: &PlanarMotion, from: usize, to: usize) -> Angle {
    let way = mean_way(flat, from, to);
    if way.hypot2() > 0.0 { Angle::of(way) } else { Angle::ZERO }
}

/// The mean way from one joint to another.
pub(super) fn mean_way(flat: &PlanarMotion, from: usize, to: usize) -> Vec2 {
    let sum = (0..flat.frames()).fold(Vec2::ZERO, |sum, frame| sum + flat.way(frame, from, to));
    sum * (1.0 / flat.frames() as f64)
}
