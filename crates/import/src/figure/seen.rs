//! The visible direction of a bone in each frame, unwrapped, and the visible share of its length. A bone that
//! points at the viewer keeps its last direction.

use bone_core::Angle;
use kurbo::Vec2;

use super::measure::longest;
use super::rest::RestBone;
use super::spec::{FigureOptions, Foreshortening};
use crate::PlanarMotion;

/// Below this visible share of its length a bone keeps its direction.
const HELD: f64 = 0.15;

/// Unwrapped directions in degrees and visible shares of the length, frame by frame.
pub(super) struct SeenBone {
    pub(super) angles: Vec<f64>,
    pub(super) stretches: Vec<f64>,
    /// The least share.
    least: f64,
}

impl SeenBone {
    pub(super) fn new(
        frames: usize,
        way: impl Fn(usize) -> Vec2,
        rest: &RestBone,
        options: &FigureOptions,
    ) -> Self {
        let whole = rest.length;
        let short = match options.foreshortening {
            // The visible length below which a bone of a figure keeps its direction, in tolerances: a
            // direction that turns fast costs many keys, and moves the end of so short a bone by a part of
            // the tolerance. Keys need the rest.
            Foreshortening::Keep => (0.2 * options.tolerance * options.height).min(HELD * whole),
            _ => HELD * whole,
        };
        let least = match options.foreshortening {
            Foreshortening::Clamp => 0.5,
            _ => (short / whole).clamp(1e-4, 0.05),
        };
        let mut seen = Self { angles: held(frames, &way, short, rest.angle), stretches: Vec::new(), least };
        seen.see(way, rest, options);
        seen
    }

    /// Sets the visible shares of the length in the directions that the bone has.
    pub(super) fn see(&mut self, way: impl Fn(usize) -> Vec2, rest: &RestBone, options: &FigureOptions) {
        let share = |(frame, degrees): (usize, &f64)| match options.foreshortening {
            Foreshortening::Ignore => 1.0,
            _ => (way(frame).dot(Angle::from_degrees(*degrees).direction()) / rest.length).max(self.least),
        };
        self.stretches = self.angles.iter().enumerate().map(share).collect();
    }
}

/// To which side of the picture a foot points in each frame: 1 to `side`, -1 to the other one, and between them
/// where it points at the viewer or away. `foot` are its ankle and the tip of its toes.
pub(super) fn pointing(motion: &PlanarMotion, foot: (usize, usize), side: f64) -> Vec<f64> {
    let (from, to) = foot;
    let whole = longest(motion, from, to);
    (0..motion.frames())
        .map(|frame| {
            let x = motion.offset(frame, from, to).x;
            let deep = motion.depth(frame, to).zip(motion.depth(frame, from));
            let along = deep.map_or(whole, |(to, from)| Vec2::new(x, to - from).hypot());
            // The share of its length along the ground from which on a foot points to a side of the picture.
            (side * x / (0.35 * along).max(1e-9)).clamp(-1.0, 1.0)
        })
        .collect()
}

/// The visible share of its length from which on a bone has the direction that is seen.
const CLEAR: f64 = 0.5;

/// The offsets of a bone in all frames, averaged over time by the share of its length that is not seen: a bone
/// that points at the viewer turns little, however its end trembles.
fn steady_offsets(seen: &[Vec2], rate: f64, whole: f64) -> Vec<Vec2> {
    let frames = seen.len();
    // The direction of a bone that points at the viewer is averaged over this time in both directions,
    // seconds.
    let reach = (0.15 * rate).ceil() as usize;
    (0..frames)
        .map(|frame| {
            let share = (seen[frame].hypot() / whole.max(1e-9) - HELD) / (CLEAR - HELD);
            let share = share.clamp(0.0, 1.0);
            if share == 1.0 {
                return seen[frame];
            }
            let (mut sum, mut weight) = (Vec2::ZERO, 0.0);
            let around = frame.saturating_sub(reach)..(frame + reach + 1).min(frames);
            for (at, seen) in around.clone().zip(&seen[around]) {
                let near = 1.0 - at.abs_diff(frame) as f64 / (reach + 1) as f64;
                sum += *seen * near;
                weight += near;
            }
            let share = share * share * (3.0 - 2.0 * share);
            seen[frame] * share + sum * ((1.0 - share) / weight)
        })
        .collect()
}

/// The direction from one joint to another in each frame, in degrees, unwrapped; held where the joints almost
/// coincide, and steady where the bone is foreshortened.
pub(crate) fn held_directions(motion: &PlanarMotion, from: usize, to: usize) -> Vec<f64> {
    let seen: Vec<Vec2> = (0..motion.frames()).map(|frame| motion.offset(frame, from, to)).collect();
    directions_of(&seen, motion.rate(), longest(motion, from, to))
}

/// The same for a bone with these offsets; `whole` is its length.
pub(crate) fn directions_of(seen: &[Vec2], rate: f64, whole: f64) -> Vec<f64> {
    let sum = seen.iter().fold(Vec2::ZERO, |sum, way| sum + *way);
    let first = if sum.hypot2() > 0.0 { Angle::of(sum) } else { Angle::ZERO };
    let steady = steady_offsets(seen, rate, whole);
    held(seen.len(), |frame| steady[frame], HELD * whole, first)
}

/// The visible share of the length of a bone in these directions, in each frame.
pub(crate) fn visible_shares(
    motion: &PlanarMotion,
    from: usize,
    to: usize,
    degrees: &[f64],
    least: f64,
) -> Vec<f64> {
    let whole = longest(motion, from, to).max(motion.length(to).unwrap_or_default()).max(1e-9);
    let share = |(frame, degrees): (usize, &f64)| {
        let along = motion.offset(frame, from, to).dot(Angle::from_degrees(*degrees).direction());
        (along / whole).max(least).min(1.0)
    };
    degrees.iter().enumerate().map(share).collect()
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
