//! The best cycle of a recording: two frames in which the figure has nearly the same pose and moves alike.
//! Poses are compared over a window of frames, up to a shift along the ground. The remaining difference is
//! spread over the cycle, so that its end equals its start.

use kurbo::{Point, Vec2};

use crate::distance::{PoseTable, distance_squared, each_diagonal};
use crate::{PlanarMotion, PlanarMotionError};

/// A stretch of a recording that loops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cycle {
    /// Its first frame.
    pub start: usize,
    /// The number of frames until it repeats.
    pub period: usize,
    /// The remaining difference of the poses: the root mean square over joints and window, in heights of the
    /// figure.
    pub distance: f64,
}

/// Half the window in which poses are compared, seconds.
const WINDOW: f64 = 0.1;
/// The shortest and the longest cycle, seconds.
const SHORTEST: f64 = 0.35;
const LONGEST: f64 = 12.0;
/// The frame rate of the first search; a higher rate does not find better cycles.
const COARSE: f64 = 30.0;

/// Finds the best cycle; `None` if no pose repeats.
pub fn find(motion: &PlanarMotion) -> Option<Cycle> {
    let all = PoseTable::of(motion).ok()?;
    let step = (motion.rate() / COARSE).round().max(1.0) as usize;
    let poses = all.every(step);
    let rate = motion.rate() / step as f64;
    let frames = poses.frames();
    let half = (WINDOW * rate).round().max(1.0) as usize;
    let shortest = (SHORTEST * rate).ceil().max(2.0) as usize;
    let longest = ((LONGEST * rate) as usize).min(frames.saturating_sub(2 * half + 1));
    // For each period the best start, as the middle of its window.
    let mut best: Vec<(f64, usize)> = Vec::new();
    let periods = shortest as isize..longest as isize + 1;
    each_diagonal(&poses, &poses, 2 * half + 1, periods, |_, distances| {
        let mut least = (f64::INFINITY, 0);
        for (first, distance) in distances.iter().enumerate() {
            if *distance < least.0 {
                least = (*distance, first + half);
            }
        }
        best.push(least);
    });
    let moving = |at: usize| {
        let (distance, start) = best[at];
        // Where the figure does not move, every period would match.
        let furthest = (start..start + shortest + at)
            .map(|frame| distance_squared(&poses, &poses, start, frame, 1))
            .fold(0.0, f64::max);
        furthest > 1e-4 && distance < furthest / 4.0
    };
    let valley = |at: usize| {
        let here = best[at].0;
        (at == 0 || best[at - 1].0 >= here) && best.get(at + 1).is_none_or(|next| next.0 >= here)
    };
    let valleys: Vec<usize> = (0..best.len()).filter(|&at| valley(at) && moving(at)).collect();
    let least = valleys.iter().map(|&at| best[at].0).fold(f64::INFINITY, f64::min);
    // Two rounds match as well as one: the first period that is about as good as the best is taken.
    let good = (least.sqrt() * 1.6 + 0.004).powi(2);
    let first = *valleys.iter().find(|&&at| best[at].0 <= good)?;
    let (period, start) = (shortest + first, best[first].1);
    Some(refined(&all, motion.rate(), step, start * step, period * step))
}

/// The same cycle, refined to single frames.
fn refined(poses: &PoseTable, rate: f64, step: usize, start: usize, period: usize) -> Cycle {
    let half = (WINDOW * rate).round().max(1.0) as usize;
    let mut best = Cycle { start, period, distance: f64::INFINITY };
    for period in period.saturating_sub(step).max(1)..=period + step {
        for at in start.saturating_sub(step).max(half)..=start + step {
            if at + period + half < poses.frames() {
                let distance = distance_squared(poses, poses, at - half, at - half + period, 2 * half + 1);
                if distance < best.distance {
                    best = Cycle { start: at, period, distance };
                }
            }
        }
    }
    if !best.distance.is_finite() {
        best.period = best.period.min(poses.frames().saturating_sub(best.start + 1)).max(1);
        best.distance = 0.0;
    }
    Cycle { distance: best.distance.sqrt(), ..best }
}

/// The frames of the cycle, closed: the last frame equals the first one up to the distance along the ground.
///
/// # Errors
/// If the cycle lies outside the recording.
pub fn closed(motion: &PlanarMotion, cycle: &Cycle) -> Result<PlanarMotion, PlanarMotionError> {
    let cut = motion.cut(cycle.start, cycle.start + cycle.period + 1)?;
    let last = cut.frames() - 1;
    if last == 0 {
        return Err(PlanarMotionError::Empty);
    }
    let count = cut.joints().len();
    let gained = |joint: usize| cut.position(last, joint) - cut.position(0, joint);
    let gain = (0..count).map(|joint| gained(joint).x).sum::<f64>() / count as f64;
    let rest: Vec<Vec2> = (0..count).map(|joint| gained(joint) - Vec2::new(gain, 0.0)).collect();
    let deep = |joint: usize| Some(cut.depth(last, joint)? - cut.depth(0, joint)?);
    let mut positions = Vec::with_capacity(cut.frames() * count);
    let mut depths = Vec::new();
    for frame in 0..=last {
        let share = frame as f64 / last as f64 - 0.5;
        for (joint, rest) in rest.iter().enumerate() {
            positions.push(cut.position(frame, joint) - *rest * share);
            if let (Some(depth), Some(deep)) = (cut.depth(frame, joint), deep(joint)) {
                depths.push(depth - deep * share);
            }
        }
    }
    // Equal to the bit, so that the keyed values close, too.
    for joint in 0..count {
        let first: Point = positions[joint];
        positions[last * count + joint] = Point::new(first.x + gain, first.y);
    }
    cut.with_positions(positions, depths)
}
