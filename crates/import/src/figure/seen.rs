//! The visible direction of a bone in each frame, unwrapped, and the visible share of its length. A bone that
//! points at the viewer keeps its last direction.

use bone_core::Angle;
use kurbo::Vec2;

use super::measure::{longest, mean_direction};
use super::rest::RestBone;
use super::spec::{FigureOptions, Foreshortening};
use crate::PlanarMotion;

/// Below this visible share of its length a bone keeps its direction.
const HELD: f64 = 0.15;

/// Unwrapped directions in degrees and visible shares of the length, frame by frame.
pub(super) struct SeenBone {
    pub(super) angles: Vec<f64>,
    pub(super) stretches: Vec<f64>,
}

impl SeenBone {
    pub(super) fn new(
        frames: usize,
        way: impl Fn(usize) -> Vec2,
        rest: &RestBone,
        options: &FigureOptions,
    ) -> Self {
        let whole = rest.length;
        let angles = held(frames, &way, HELD * whole, rest.angle);
        let least = match options.foreshortening {
            Foreshortening::Clamp => 0.5,
            _ => 0.05,
        };
        let stretches = (0..frames)
            .map(|frame| match options.foreshortening {
                Foreshortening::Ignore => 1.0,
                _ => (way(frame).dot(Angle::from_degrees(angles[frame]).direction()) / whole).max(least),
            })
            .collect();
        Self { angles, stretches }
    }
}

/// The direction from one joint to another in each frame, in degrees, unwrapped; held where the joints almost
/// coincide.
pub(crate) fn held_directions(motion: &PlanarMotion, from: usize, to: usize) -> Vec<f64> {
    let whole = longest(motion, from, to);
    let first = mean_direction(motion, from, to);
    held(motion.frames(), |frame| motion.offset(frame, from, to), HELD * whole, first)
}

/// Directions of offsets, unwrapped from `near` on. Where an offset is shorter than `short` the direction is
/// interpolated between the frames before and after.
fn held(frames: usize, way: impl Fn(usize) -> Vec2, short: f64, near: Angle) -> Vec<f64> {
    let mut angles: Vec<f64> = Vec::with_capacity(frames);
    let mut last = near;
    let mut held_since = None;
    for frame in 0..frames {
        if way(frame).hypot() < short {
            held_since = held_since.or(Some(frame));
            angles.push(last.degrees());
            continue;
        }
        let angle = Angle::of(way(frame)).nearest_to(last);
        if let Some(since) = held_since.take() {
            let steps = (frame - since + 1) as f64;
            let from = if since == 0 { angle.degrees() } else { last.degrees() };
            for (at, held) in angles.iter_mut().enumerate().skip(since) {
                *held = from + (angle.degrees() - from) * (at - since + 1) as f64 / steps;
            }
        }
        last = angle;
        angles.push(angle.degrees());
    }
    angles
}
