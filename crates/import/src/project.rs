//! From space to the plane: finds the up axis and the facing of the figure, and projects its joints for a
//! viewer at the side, in front, or at an angle between them.
//!
//! Up is the axis of the file that is nearest to the mean vector from hips to head. Left is the mean over all
//! frames of the horizontal direction from the root of the right thigh to that of the left one; a figure that
//! turns is seen from its mean facing.

use bone_core::Angle;
use kurbo::Point;

use crate::body::Body;
use crate::body::animal::{animal, up_of_legs};
use crate::parts::BodyPart;
use crate::space::{Vec3, add, apply, cross, direction, dot, length, scaled, sub};
use crate::space_motion::{FigureKind, SignedAxis, SpaceMotion};
use crate::{ImportError, PlanarJoint, PlanarMotion};

/// The direction from which a figure is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewDirection {
    /// The angle of the viewer around the figure, from its front towards its right side: at 90 degrees the
    /// figure walks to the right of the picture.
    pub azimuth: Angle,
}

impl ViewDirection {
    /// The viewer is at the figure's right side.
    pub const SIDE: Self = Self { azimuth: Angle::from_degrees(90.0) };
    /// The viewer is in front of the figure.
    pub const FRONT: Self = Self { azimuth: Angle::ZERO };
    /// The viewer is behind the figure.
    pub const BACK: Self = Self { azimuth: Angle::from_degrees(180.0) };

    /// The direction of a viewer at this azimuth, in degrees.
    pub const fn degrees(degrees: f64) -> Self {
        Self { azimuth: Angle::from_degrees(degrees) }
    }
}

/// A planar motion, and what was assumed when it was projected.
#[derive(Clone, Debug)]
pub struct ProjectedMotion {
    /// The motion.
    pub motion: PlanarMotion,
    /// The up axis that was used.
    pub up: SignedAxis,
    /// What was assumed.
    pub notes: Vec<String>,
}

/// Projects a recording to the plane.
///
/// # Errors
/// If its numbers are too large for positions.
pub fn project(
    recording: &SpaceMotion,
    view: ViewDirection,
    up: Option<SignedAxis>,
) -> Result<ProjectedMotion, ImportError> {
    let count = recording.joint_count();
    let zero = recording.rest.clone();
    let mut all_positions = recording.positions.clone();
    if !all_positions.iter().flatten().all(|number| number.abs() < 1e15) {
        fail!("some positions are too large: numbers of the motion are out of range");
    }
    let (parents, lengths) = (&recording.parents, recording.lengths());
    let body = recording.body();
    let mut notes = recording.notes.clone();
    let animal = match recording.kind {
        Some(FigureKind::Person) => None,
        Some(FigureKind::Joints) => Some(None),
        None => animal(recording, &body).map(Some),
    };
    match &animal {
        None => notes.extend(guess_note(recording, &body)),
        Some(why) => notes.extend(why.as_ref().map(|why| {
            format!(
                "this is an animal: {why}. Its figure has the joints of the recording and their names; --figure person makes a person of it"
            )
        })),
    }

    let rest = if begins_at_rest(&all_positions, count, &lengths) {
        notes.push("the first frame is a calibration pose: it is left out of the motion".to_owned());
        all_positions.drain(..count).collect()
    } else {
        zero
    };

    let on_legs = || up_of_legs(recording, &body).filter(|_| matches!(animal, Some(Some(_))));
    let up = up.or_else(on_legs).or_else(|| upwards(&all_positions, count, &body)).unwrap_or_else(|| {
        notes.push("hips and head are not found: +y is used as the up axis; --up changes it".to_owned());
        SignedAxis { axis: 1, negative: false }
    });
    let vertical = up.vector();
    let left = leftwards(&all_positions, count, &body, vertical).unwrap_or_else(|| {
        notes.push("hips are not found: the figure is assumed to face along an axis of the file".to_owned());
        if up.axis == 1 { [1.0, 0.0, 0.0] } else { [0.0, if up.axis == 0 { 1.0 } else { 0.0 }, 0.0] }
    });
    let left = direction(left).unwrap_or(if up.axis == 2 { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] });
    let forward = cross(left, vertical);
    let turn = view.azimuth;
    let (sin, cos) = turn.sin_cos();
    let basis = [
        add(scaled(left, cos), scaled(forward, sin)),
        vertical,
        sub(scaled(forward, cos), scaled(left, sin)),
    ];
    let seen = |position: &Vec3| apply(&basis, *position);
    let on_canvas = |v: Vec3| Point::new(v[0], -v[1]);

    let mut positions = Vec::with_capacity(all_positions.len());
    let mut depths = Vec::with_capacity(all_positions.len());
    for position in &all_positions {
        let v = seen(position);
        positions.push(on_canvas(v));
        depths.push(v[2]);
    }
    let joints = (0..count)
        .map(|joint| PlanarJoint { name: recording.names[joint].clone(), parent: parents[joint] })
        .collect();
    let motion = PlanarMotion::new(joints, recording.rate, positions)
        .and_then(|motion| motion.with_depths(depths))
        .and_then(|motion| motion.with_rest(rest.iter().map(|position| on_canvas(seen(position))).collect()))
        .and_then(|motion| motion.with_lengths(lengths))?;
    let body = if animal.is_some() { Body::none() } else { body };
    Ok(ProjectedMotion { motion: motion.with_body(body), up, notes })
}

/// The parts of the body that were found by the shape of the tree.
fn guess_note(recording: &SpaceMotion, body: &Body) -> Option<String> {
    let named =
        |part: &BodyPart| Some(format!("{} is \"{}\"", part.name(), recording.names[body.start(*part)?]));
    let guesses: Vec<String> = body.guessed().iter().filter_map(named).collect();
    (!guesses.is_empty()).then(|| format!("guessed by the shape of the skeleton: {}", guesses.join(", ")))
}

/// Whether the figure jumps from its first frame into the motion. Some converters put a T-pose into the first
/// frame.
fn begins_at_rest(all_positions: &[Vec3], count: usize, lengths: &[f64]) -> bool {
    let frames = all_positions.len() / count;
    if frames < 4 {
        return false;
    }
    let size = lengths.iter().copied().sum::<f64>() / 4.0;
    // The mean change of shape from one frame to the next: positions relative to the root.
    let change = |frame: usize| {
        let (a, b) =
            (&all_positions[frame * count..][..count], &all_positions[(frame + 1) * count..][..count]);
        let ways = (0..count).map(|j| length(sub(sub(b[j], b[0]), sub(a[j], a[0]))));
        ways.sum::<f64>() / count as f64
    };
    let mut later: Vec<f64> = (1..frames - 1).step_by(1 + frames / 2000).map(change).collect();
    later.sort_by(f64::total_cmp);
    let usual = later.get(later.len() * 19 / 20).copied().unwrap_or_default();
    let first = change(0);
    first > 0.02 * size && first > 5.0 * usual
}

/// The axis of the file that is nearest to the mean vector from hips (or feet) to head.
fn upwards(all_positions: &[Vec3], count: usize, body: &Body) -> Option<SignedAxis> {
    let (hips, head) =
        (body.start(BodyPart::Hips)?, body.start(BodyPart::Head).or_else(|| body.start(BodyPart::Neck))?);
    let mut sum = [0.0; 3];
    for frame in all_positions.chunks_exact(count) {
        if let Some(way) = direction(sub(frame[head], frame[hips])) {
            sum = add(sum, way);
        }
    }
    let largest = (0..3_u8).fold(0, |best, axis| {
        if sum[usize::from(axis)].abs() > sum[usize::from(best)].abs() { axis } else { best }
    });
    (length(sum) > 0.0).then(|| SignedAxis { axis: largest, negative: sum[usize::from(largest)] < 0.0 })
}

/// The mean horizontal direction from the root of the right thigh to that of the left one.
fn leftwards(all_positions: &[Vec3], count: usize, body: &Body, up: Vec3) -> Option<Vec3> {
    let (left, right) = body.pair(BodyPart::Thigh).or_else(|| body.pair(BodyPart::UpperArm))?;
    let mut sum = [0.0; 3];
    for frame in all_positions.chunks_exact(count) {
        let across = sub(frame[left], frame[right]);
        if let Some(level) = direction(sub(across, scaled(up, dot(across, up)))) {
            sum = add(sum, level);
        }
    }
    direction(sum)
}
