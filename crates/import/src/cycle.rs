//! The best cycle of a recording: two frames in which the figure has nearly the same pose and moves alike.
//! Poses are compared over a window of frames, up to a shift along the ground. The remaining difference is
//! spread over the cycle, so that its end equals its start.

use kurbo::{Point, Vec2};

use crate::controls::ControlTrack;
use crate::distance::{PoseTable, distance_squared, each_diagonal};
use crate::{ImportError, PlanarMotion};

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
/// The longest cycle, seconds.
const LONGEST: f64 = 12.0;

/// Finds the best cycle; `None` if no pose repeats.
pub fn find(motion: &PlanarMotion) -> Option<Cycle> {
    let all = PoseTable::of(motion).ok()?;
    // The frame rate of the first search; a higher rate does not find better cycles.
    let step = (motion.rate() / 30.0).round().max(1.0) as usize;
    let poses = all.every(step);
    let rate = motion.rate() / step as f64;
    let frames = poses.frames();
    // A recording of a few moments has fewer frames than its rate makes of a window.
    let half = ((WINDOW * rate).round().max(1.0) as usize).min(frames);
    // The shortest cycle, in seconds.
    let shortest = ((0.35 * rate).ceil().max(2.0) as usize).min(frames.max(2));
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

/// The whole recording as a cycle, if its last frame equals its first one up to a shift along the ground and
/// it moves on as it begins: the files of games are such loops. `None` if it does not move.
pub fn whole(motion: &PlanarMotion) -> Option<Cycle> {
    let poses = PoseTable::of(motion).ok()?;
    let last = poses.frames().checked_sub(1).filter(|&last| last >= 2)?;
    let period = last as f64 / motion.rate();
    let distance = distance_squared(&poses, &poses, 0, last, 1).sqrt();
    let step = |frame: usize| distance_squared(&poses, &poses, frame, frame + 1, 1).sqrt();
    let usual = (0..last).map(step).sum::<f64>() / last as f64;
    // From the last but one over the end to the second frame, and two usual steps.
    let across = distance_squared(&poses, &poses, last - 1, 1, 1).sqrt();
    // The largest change of speed is 0.6 of the usual speed.
    let even = (across - step(0) - step(last - 1)).abs() <= 0.6 * 2.0 * usual + 1e-3;
    let moves = (0..last).any(|frame| distance_squared(&poses, &poses, 0, frame, 1) > 1e-4);
    let travels = (poses.middle(last) - poses.middle(0)).abs() > 0.05;
    // The largest distance of the first and the last pose, in heights.
    let same = distance <= 0.006;
    ((moves || travels) && period <= LONGEST && same && even).then_some(Cycle {
        start: 0,
        period: last,
        distance,
    })
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
pub fn closed(motion: &PlanarMotion, cycle: &Cycle) -> Result<PlanarMotion, ImportError> {
    let cut = motion.cut(cycle.start, cycle.start.saturating_add(cycle.period).saturating_add(1))?;
    let last = cut.frames() - 1;
    fail_if!(last == 0, "a figure without joints or frames");
    let count = cut.joints().len();
    let gained = |joint: usize| cut.position(last, joint) - cut.position(0, joint);
    // Joints above the hips may stay where they are: they keep what they gain.
    let (base, mut carried) = (cut.base(), vec![false; count]);
    for (joint, this) in cut.joints().iter().enumerate().skip(base) {
        carried[joint] = joint == base || this.parent.is_some_and(|parent| carried[parent]);
    }
    let moving = || (0..count).filter(|&joint| carried[joint]);
    let gain = moving().map(|joint| gained(joint).x).sum::<f64>() / moving().count() as f64;
    let gains: Vec<f64> =
        (0..count).map(|joint| if carried[joint] { gain } else { gained(joint).x }).collect();
    let rest: Vec<Vec2> = (0..count).map(|joint| gained(joint) - Vec2::new(gains[joint], 0.0)).collect();
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
        positions[last * count + joint] = Point::new(first.x + gains[joint], first.y);
    }
    let controls = cut.controls().iter().map(ControlTrack::closed).collect();
    cut.with_positions(positions, depths)?.with_controls(controls)
}

#[cfg(test)]
mod tests {
    use bone_core::Angle;

    use super::*;
    use crate::PlanarJoint;

    /// A figure whose legs swing once in `period` frames.
    fn walking(frames: usize, period: f64, stride: f64) -> PlanarMotion {
        let names = [
            "Hips",
            "Neck",
            "Head",
            "LeftUpLeg",
            "LeftLeg",
            "LeftFoot",
            "RightUpLeg",
            "RightLeg",
            "RightFoot",
        ];
        let parents = [None, Some(0), Some(1), Some(0), Some(3), Some(4), Some(0), Some(6), Some(7)];
        let mut positions = Vec::new();
        for frame in 0..frames {
            let share = frame as f64 / period;
            let hips = Point::new(stride * share, 0.0);
            positions.extend([hips, hips + Vec2::new(0.0, -0.5), hips + Vec2::new(0.0, -0.7)]);
            for phase in [0.0, 180.0] {
                let swing = Angle::from_degrees(360.0 * share + phase).sin_cos().0;
                let way = Angle::from_degrees(90.0 + 25.0 * swing).direction();
                positions.extend([hips, hips + way * 0.45, hips + way * 0.9]);
            }
        }
        let joints = names
            .iter()
            .zip(parents)
            .map(|(name, parent)| PlanarJoint { name: (*name).to_owned(), parent })
            .collect();
        PlanarMotion::new(joints, 30.0, positions).expect("a figure")
    }

    #[test]
    fn a_recording_whose_last_frame_is_its_first_one_is_a_loop() {
        for (frames, period, stride) in [(31, 30.0, 0.0), (31, 30.0, 1.2), (25, 24.0, -0.8), (61, 30.0, 1.0)]
        {
            let found = whole(&walking(frames, period, stride));
            assert_eq!(found.map(|found| (found.start, found.period)), Some((0, frames - 1)), "{frames}");
            let motion = walking(frames, period, stride);
            let closed = closed(&motion, &found.expect("a loop")).expect("closed");
            for joint in 0..9 {
                let off = closed.position(frames - 1, joint) - motion.position(frames - 1, joint);
                assert!(off.hypot() < 1e-9, "{off}");
            }
        }
        // Half a step, a step and a half, a figure that stands still, and one that stops at its end.
        assert_eq!(whole(&walking(16, 30.0, 1.0)), None);
        assert_eq!(whole(&walking(46, 30.0, 1.0)), None);
        assert_eq!(whole(&walking(31, 1e9, 0.0)), None);
    }
}
