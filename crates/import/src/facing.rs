//! Frames in which a figure faces away: it has turned by more than a quarter from its mean facing. A drawing has
//! one side, so these frames can be mirrored: the figure then always shows the same side, and its feet stand
//! as they did.

use kurbo::{Point, Vec2};

use crate::parts::BodyPart;
use crate::{ImportError, PlanarMotion};

/// For each frame whether the figure faces away; `None` if its facing is not known.
pub fn facing_away(motion: &PlanarMotion) -> Option<Vec<bool>> {
    let body = motion.body();
    let pairs = [body.pair(BodyPart::Thigh), body.pair(BodyPart::UpperArm)];
    let frames = motion.frames();
    // The direction of the left side in the plane of the ground: x to the right, y towards the viewer.
    let left = |frame: usize| {
        let mut sum = Vec2::ZERO;
        for (left, right) in pairs.into_iter().flatten() {
            let deep = motion.depth(frame, left).zip(motion.depth(frame, right));
            let way = motion.offset(frame, right, left);
            sum += Vec2::new(way.x, deep.map_or(0.0, |(left, right)| left - right));
        }
        sum
    };
    let lefts: Vec<Vec2> = (0..frames).map(left).collect();
    let unit = |v: Vec2| if v.hypot() > 0.0 { v * (1.0 / v.hypot()) } else { v };
    let mean = unit(lefts.iter().fold(Vec2::ZERO, |sum, left| sum + unit(*left)));
    if mean == Vec2::ZERO {
        return None;
    }
    // The facing is averaged over this time in both directions, seconds.
    let reach = (0.1 * motion.rate()).ceil() as usize;
    let mut sums = vec![Vec2::ZERO];
    for left in &lefts {
        sums.push(sums[sums.len() - 1] + *left);
    }
    let toward: Vec<f64> = (0..frames)
        .map(|frame| {
            unit(sums[(frame + reach + 1).min(frames)] - sums[frame.saturating_sub(reach)]).dot(mean)
        })
        .collect();
    let mut away = vec![false; frames];
    let mut frame = 0;
    while frame < frames {
        if toward[frame] >= 0.0 {
            frame += 1;
            continue;
        }
        let until = (frame..frames).find(|&at| toward[at] >= 0.0).unwrap_or(frames);
        // A figure faces away only if it turns beyond this cosine of the angle to its mean facing; the way
        // there begins at a right angle.
        if toward[frame..until].iter().any(|toward| *toward < -0.25) {
            away[frame..until].fill(true);
        }
        frame = until;
    }
    Some(away)
}

/// The motion with the frames mirrored in which the figure faces away, about its hips. The way of the hips is
/// mirrored in these frames, too: a figure that turns and walks back walks on.
///
/// # Errors
/// If `away` does not have an entry for each frame.
pub fn mirrored_where(motion: &PlanarMotion, away: &[bool]) -> Result<PlanarMotion, ImportError> {
    fail_if!(away.len() != motion.frames(), "a column without one entry for each joint and frame");
    let base = motion.base();
    // Half the duration of a change between mirrored and not mirrored, seconds.
    let reach = ((0.12 * motion.rate()).round() as usize).max(1);
    // 1 where nothing is mirrored, -1 where all is.
    let sides: Vec<f64> = (0..away.len())
        .map(|frame| {
            let around =
                frame.saturating_sub(reach)..frame.saturating_add(reach).saturating_add(1).min(away.len());
            let count = around.len() as f64;
            1.0 - 2.0 * around.filter(|&at| away[at]).count() as f64 / count
        })
        .map(|side| side * (3.0 - side * side) / 2.0)
        .collect();
    let mut x = motion.position(0, base).x;
    let mut positions = Vec::with_capacity(motion.frames() * motion.joints().len());
    let mut depths = Vec::new();
    for (frame, side) in sides.iter().enumerate() {
        let here = motion.position(frame, base).x;
        if frame > 0 {
            let middle = (side + sides[frame - 1]) / 2.0;
            x += middle * (here - motion.position(frame - 1, base).x);
        }
        positions.extend(motion.frame(frame).iter().map(|at| Point::new(x + side * (at.x - here), at.y)));
        depths.extend_from_slice(motion.depths(frame));
    }
    motion.clone().with_positions(positions, depths)
}

#[cfg(test)]
mod tests {
    use bone_core::Angle;

    use super::*;
    use crate::PlanarJoint;

    /// A figure that stands, or walks along its facing, and turns by `degrees` about its own axis in each
    /// frame; `view` is the angle of the viewer. Hands are stretched forward.
    fn turning(degrees: impl Fn(usize) -> f64, step: f64, frames: usize, view: f64) -> PlanarMotion {
        let joints = ["Hips", "LeftUpLeg", "RightUpLeg", "LeftHand", "RightHand"];
        // Right, up, forward.
        let places = [[0.0, 0.0, 0.0], [-0.1, 0.0, 0.0], [0.1, 0.0, 0.0], [-0.2, 0.4, 0.5], [0.2, 0.4, 0.5]];
        let joint = |(at, name): (usize, &&str)| PlanarJoint {
            name: (*name).to_owned(),
            parent: (at > 0).then_some(0),
        };
        let (mut positions, mut depths, mut at) = (Vec::new(), Vec::new(), (0.0, 0.0));
        for frame in 0..frames {
            let (sin, cos) = Angle::from_degrees(degrees(frame) - view).sin_cos();
            at = (at.0 - step * sin, at.1 + step * cos);
            for [right, up, forward] in places {
                // At 0 degrees the figure faces the viewer: its right is on the left of the picture.
                positions.push(Point::new(at.0 - right * cos - forward * sin, -up));
                depths.push(at.1 - right * sin + forward * cos);
            }
        }
        let joints = joints.iter().enumerate().map(joint).collect();
        PlanarMotion::new(joints, 30.0, positions)
            .and_then(|motion| motion.with_depths(depths))
            .expect("a figure")
    }

    fn share(away: &[bool]) -> f64 {
        away.iter().filter(|away| **away).count() as f64 / away.len() as f64
    }

    #[test]
    fn a_figure_that_turns_faces_away_for_a_while() {
        for view in [0.0, 90.0, 40.0] {
            // It turns within a second from 0 to 180 degrees and, after a second, back.
            let turn = |frame: usize| match frame {
                0..60 => 0.0,
                60..90 => 6.0 * (frame - 60) as f64,
                90..120 => 180.0,
                120..150 => 180.0 - 6.0 * (frame - 120) as f64,
                _ => 0.0,
            };
            let motion = turning(turn, 0.0, 240, view);
            let away = facing_away(&motion).expect("known");
            assert!((share(&away) - 60.0 / 240.0).abs() < 0.03, "{view}: {}", share(&away));
            let flipped = mirrored_where(&motion, &away).expect("flipped");
            assert!(!facing_away(&flipped).expect("known").iter().any(|away| *away) || view != 0.0);
            // Nothing jumps, and where the figure does not turn its hands keep their distance.
            for frame in 1..flipped.frames() {
                for joint in 0..5 {
                    let step = flipped.position(frame, joint).distance(flipped.position(frame - 1, joint));
                    assert!(step < 0.25, "{view}: {frame} {joint} {step}");
                }
            }
            let forward = |frame: usize| flipped.offset(frame, 0, 3).x;
            assert!((forward(105) - forward(10)).abs() < 0.42, "{} {}", forward(105), forward(10));
        }
        let still = turning(|_| 20.0, 0.0, 40, 0.0);
        assert!(facing_away(&still).expect("known").iter().all(|away| !away));
    }

    /// A figure that walks, turns and walks back: mirrored it walks on, at the same speed.
    #[test]
    fn a_figure_that_walks_back_walks_on() {
        let turn = |frame: usize| if frame < 60 { 90.0 } else { 90.0 + 9.0 * (frame - 60).min(20) as f64 };
        let motion = turning(turn, 0.05, 130, 0.0);
        let away = facing_away(&motion).expect("known");
        let flipped = mirrored_where(&motion, &away).expect("flipped");
        let speed = |motion: &PlanarMotion, frame: usize| {
            motion.offset(frame, 0, 0).x + motion.position(frame, 0).x - motion.position(frame - 1, 0).x
        };
        let (first, last) = (speed(&motion, 20), speed(&motion, 120));
        assert!(first * last < 0.0);
        let (first, last) = (speed(&flipped, 20), speed(&flipped, 120));
        assert!(first * last > 0.0 && (first.abs() - last.abs()).abs() < 1e-9, "{first} {last}");
    }
}
