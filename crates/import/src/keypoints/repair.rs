//! From people in frames to one figure: tracks people, corrects swapped sides, removes outliers, fills gaps
//! and smooths. Each change is reported as a note.

use kurbo::Point;

use super::expression::{self, Expression};
use super::gaps::{Gap, JointTrack, MIN_SEEN_SHARE, fill};
use super::person::{ARMS, KEYPOINTS, Keypoint, LEGS, PersonPose};
use super::person_track::PersonTrack;
use super::smooth::{smooth_with_corners, stiffness};
use super::track::{MAX_PEOPLE, follow};
use super::{KeypointCapture, KeypointLayout, KeypointOptions, TrackedPerson, facing, outliers, side_swaps};
use crate::statistics::quantile;
use crate::{ImportError, PlanarJoint, PlanarMotion};

/// Gaps longer than this are reported one by one, because their content is invented, seconds.
const LONG: f64 = 0.25;

/// `expressions` has what was measured of hands and face of each person; it may be empty.
pub(super) fn repair(
    frames: &[Vec<PersonPose>],
    expressions: &[Vec<Expression>],
    layout: KeypointLayout,
    first: u64,
    options: &KeypointOptions,
) -> Result<KeypointCapture, ImportError> {
    let rate = options.rate;
    let tracks = follow(frames, rate);
    let number = |frame: usize| first + frame as u64;
    let people: Vec<TrackedPerson> = tracks
        .iter()
        .map(|track| TrackedPerson {
            frames: (number(track.first), number(track.last())),
            found: track.found(),
            size: track.size(),
        })
        .collect();
    let Some(track) = options.person.checked_sub(1).and_then(|at| tracks.get(at)) else {
        let message = match tracks.len() {
            0 => "no person has four or more joints in any frame".to_owned(),
            1 => format!("there is no person {}: only one is in the frames", options.person),
            count => format!("there is no person {}: {count} are in the frames", options.person),
        };
        return Err(ImportError::new(message));
    };
    fail_if!(track.bodies.len() < 2, "this person is in only one frame: a motion needs at least two");
    let size = track.size().max(1e-9);
    let start = number(track.first);
    let mut notes = vec![format!(
        "{}, {} frames at {rate} a second; the camera is assumed to stand still",
        layout.name(),
        frames.len()
    )];
    notes.extend(people_notes(&people, options.person, frames));
    notes.extend(track_notes(track, start, rate));
    let mut columns = columns(track);
    let by_ears = head_by_ears(&mut columns);
    for (name, pairs) in [("legs", &LEGS[..]), ("arms", &ARMS[..])] {
        let changed = side_swaps::find(&columns, pairs, size);
        side_swaps::repair(&mut columns, pairs, &changed);
        let at: Vec<usize> = (0..changed.len()).filter(|&frame| changed[frame]).collect();
        if !at.is_empty() {
            notes
                .push(format!("left and right {name} were swapped in {}: corrected", frame_list(&at, start)));
        }
    }
    for (part, at) in by_part(&outliers::remove_outliers(&mut columns, size)) {
        notes.push(format!("{} was an outlier in {}: replaced", with_article(part), frame_list(&at, start)));
    }
    let Some((mut joints, gaps)) = fill(&columns, rate) else {
        fail!("neither the hips nor the neck are detected often enough to be the root of a figure");
    };
    // Where the whole person is away the note above is enough.
    let away = |gap: &Gap| {
        (gap.until - gap.from) as f64 > LONG * rate
            && track.bodies[gap.from..gap.until].iter().all(Option::is_none)
    };
    let gaps: Vec<Gap> = gaps.into_iter().filter(|gap| !away(gap)).collect();
    notes.extend(gap_notes(&gaps, rate, start));
    notes.extend(left_out_note(&columns, &joints));
    if let Some(swings) = options.cutoff {
        let stiff = stiffness(swings, rate);
        for joint in &mut joints {
            let column = |axis: fn(&Point) -> f64| joint.positions.iter().map(axis).collect::<Vec<_>>();
            let [x, y] = smooth_with_corners(&column(|at| at.x), &column(|at| at.y), &joint.weights, stiff);
            joint.positions = x.into_iter().zip(y).map(|(x, y)| Point::new(x, y)).collect();
        }
    }
    let facing = facing::facing(&joints, rate);
    if let Some(facing) = &facing {
        notes.push(facing_note(facing));
        if !by_ears {
            facing::behind_nose(&mut joints, facing);
        }
    }
    let stiffness = options.cutoff.map(|cutoff| stiffness(cutoff, rate));
    let (controls, seen) = expression::tracks(&of_track(track, frames, expressions), stiffness);
    notes.extend(seen);
    let motion =
        planar_motion(&joints, rate, facing.as_deref()).and_then(|motion| motion.with_controls(controls))?;
    Ok(KeypointCapture { motion, layout, people, first_frame: start, notes })
}

/// One column for each joint, with an entry for each frame of the track.
fn columns(track: &PersonTrack) -> side_swaps::JointColumns {
    let bodies = track.without_jumps();
    let column = |part: usize| bodies.iter().map(|body| body.as_ref().and_then(|body| body[part])).collect();
    (0..KEYPOINTS).map(column).collect()
}

/// What was measured of hands and face of a tracked person, for each frame of the track.
fn of_track(
    track: &PersonTrack,
    frames: &[Vec<PersonPose>],
    expressions: &[Vec<Expression>],
) -> Vec<Expression> {
    let nothing = Expression::default();
    let at = |(at, body): (usize, &Option<PersonPose>)| {
        let frame = track.first + at;
        let person = body.as_ref().and_then(|body| expression::person_in(&frames[frame], body));
        person.and_then(|person| expressions.get(frame)?.get(person).copied()).unwrap_or(nothing)
    };
    track.bodies.iter().enumerate().map(at).collect()
}

/// Ears are nearer to the centre of a head than the nose: if they are detected in at least half of the frames
/// they define the head.
fn head_by_ears(columns: &mut side_swaps::JointColumns) -> bool {
    let ears = std::mem::take(&mut columns[Keypoint::Ears.at()]);
    columns[Keypoint::Ears.at()] = vec![None; ears.len()];
    let often = 2 * ears.iter().flatten().count() >= ears.len();
    if often {
        columns[Keypoint::Head.at()] = ears;
    }
    often
}

fn planar_motion(
    joints: &[JointTrack],
    rate: f64,
    facing: Option<&[f64]>,
) -> Result<PlanarMotion, crate::ImportError> {
    let mut names: Vec<PlanarJoint> = joints
        .iter()
        .map(|joint| PlanarJoint { name: joint.part.name().to_owned(), parent: joint.parent })
        .collect();
    let position = |part: Keypoint| joints.iter().position(|joint| joint.part == part);
    let skull = position(Keypoint::Head)
        .zip(position(Keypoint::Neck))
        .filter(|&(head, neck)| joints[head].parent == Some(neck));
    let mut lengths = lengths(joints);
    if let Some((head, _)) = skull {
        names.push(PlanarJoint { name: "HeadTop".to_owned(), parent: Some(head) });
        let top = facing::top(Point::ZERO, Point::new(lengths[head], 0.0));
        lengths.push(top.x - lengths[head]);
    }
    let frames = joints.first().map_or(0, |joint| joint.positions.len());
    let mut positions = Vec::with_capacity(frames * names.len());
    for frame in 0..frames {
        positions.extend(joints.iter().map(|joint| joint.positions[frame]));
        positions.extend(
            skull.map(|(head, neck)| {
                facing::top(joints[neck].positions[frame], joints[head].positions[frame])
            }),
        );
    }
    let motion = PlanarMotion::new(names, rate, positions)?.with_lengths(lengths)?;
    let Some(depths) = facing.and_then(|facing| facing::depths(joints, facing)) else { return Ok(motion) };
    let with_top =
        depths.chunks(joints.len()).flat_map(|frame| frame.iter().copied().chain(skull.map(|_| 0.0)));
    motion.with_depths(with_top.collect())
}

/// The lengths of bones in the plane of the picture: a high quantile of the visible lengths, the same on both
/// sides.
fn lengths(joints: &[JointTrack]) -> Vec<f64> {
    let seen: Vec<f64> = joints
        .iter()
        .map(|joint| {
            let Some(parent) = joint.parent else { return 0.0 };
            let lengths =
                joint.positions.iter().zip(&joints[parent].positions).map(|(at, from)| (*at - *from).hypot());
            quantile(lengths, 0.95)
        })
        .collect();
    let other_side = |part: Keypoint| {
        let pair = LEGS.iter().chain(&ARMS).find(|(left, right)| *left == part || *right == part)?;
        let other = if pair.0 == part { pair.1 } else { pair.0 };
        joints.iter().position(|joint| joint.part == other)
    };
    let both = |at: usize| other_side(joints[at].part).map_or(seen[at], |other| seen[at].max(seen[other]));
    (0..joints.len()).map(both).collect()
}

fn people_notes(people: &[TrackedPerson], chosen: usize, frames: &[Vec<PersonPose>]) -> Vec<String> {
    let mut notes = Vec::new();
    // Short tracks are mostly mistakes of the estimator; only their number is reported.
    for (at, one) in people.iter().enumerate().take(10) {
        let taken = if at + 1 == chosen { ", selected" } else { "" };
        let (from, to) = one.frames;
        let text = format!(
            "person {}: frames {from}-{to}, found in {}, about {:.0} pixels large{taken}",
            at + 1,
            one.found,
            one.size
        );
        notes.push(text);
    }
    if people.len() > 10 {
        notes.push(format!("and {} more with shorter tracks", people.len() - 10));
    }
    let crowded = frames.iter().filter(|bodies| bodies.len() > MAX_PEOPLE).count();
    if crowded > 0 {
        notes.push(format!("in {crowded} frames only the {MAX_PEOPLE} largest people were used"));
    }
    notes
}

/// Where the picture jumps, and where the person is away.
fn track_notes(track: &PersonTrack, start: u64, rate: f64) -> Vec<String> {
    let number = |frame: usize| start + (frame - track.first) as u64;
    let mut notes: Vec<String> = track
        .jumps
        .iter()
        .take(12)
        .map(|jump| {
            let scaled = match jump.by.scale {
                1.0 => "moved".to_owned(),
                scale => format!("moved and scaled by {:.2}", 1.0 / scale),
            };
            format!(
                "the picture jumps at frame {}: what follows is {scaled}, so that the motion continues",
                number(jump.frame)
            )
        })
        .collect();
    let more = track.jumps.len().saturating_sub(12);
    if more > 0 {
        notes.push(format!("and {more} more jumps of the picture"));
    }
    let mut away: Option<usize> = None;
    for (at, body) in track.bodies.iter().enumerate() {
        match (body, away) {
            (None, None) => away = Some(at),
            (Some(_), Some(from)) => {
                if (at - from) as f64 > LONG * rate {
                    notes.push(format!(
                        "the person was not detected in frames {}-{}: the motion there is invented",
                        start + from as u64,
                        start + at as u64 - 1
                    ));
                }
                away = None;
            }
            _ => {}
        }
    }
    notes
}

fn facing_note(facing: &[f64]) -> String {
    let right = facing.iter().filter(|facing| **facing > 0.0).count();
    match (right, facing.len() - right) {
        (_, 0) => "seen from the side, facing right: the right side is near".to_owned(),
        (0, _) => "seen from the side, facing left: the left side is near".to_owned(),
        _ => "seen from the side, turning round: the near side changes".to_owned(),
    }
}

fn gap_notes(gaps: &[Gap], rate: f64, start: u64) -> Vec<String> {
    let long = |gap: &&Gap| (gap.until - gap.from) as f64 > LONG * rate;
    let (mut joints, mut frames) = (0, 0);
    for gap in gaps.iter().filter(|gap| !long(gap)) {
        joints += 1;
        frames += gap.until - gap.from;
    }
    let mut notes = Vec::new();
    if joints > 0 {
        notes.push(format!("{joints} short gaps of single joints were filled, {frames} positions in all"));
    }
    for gap in gaps.iter().filter(long).take(12) {
        let (from, to) = (start + gap.from as u64, start + gap.until as u64 - 1);
        notes.push(format!(
            "{} is not detected in frames {from}-{to}: its motion there is invented",
            with_article(gap.part)
        ));
    }
    let more = gaps.iter().filter(long).count().saturating_sub(12);
    if more > 0 {
        notes.push(format!("and {more} more long gaps"));
    }
    notes
}

fn left_out_note(columns: &side_swaps::JointColumns, joints: &[JointTrack]) -> Option<String> {
    let seldom = |part: &Keypoint| {
        columns[part.at()].iter().any(Option::is_some) && !joints.iter().any(|joint| joint.part == *part)
    };
    let names: Vec<&str> = Keypoint::ALL.into_iter().filter(seldom).map(Keypoint::display_name).collect();
    let share = (MIN_SEEN_SHARE * 100.0) as u32;
    (!names.is_empty())
        .then(|| format!("detected in less than {share} % of the frames and left out: {}", names.join(", ")))
}

/// The frames of each joint, in the order of the joints.
fn by_part(wrong: &[(Keypoint, usize)]) -> Vec<(Keypoint, Vec<usize>)> {
    let mut parts: Vec<(Keypoint, Vec<usize>)> = Vec::new();
    for &(part, frame) in wrong {
        match parts.last_mut() {
            Some((last, frames)) if *last == part => frames.push(frame),
            _ => parts.push((part, vec![frame])),
        }
    }
    parts
}

/// `frame 40` or `frames 20-25, 40`, and the number of further ranges if there are many.
fn frame_list(frames: &[usize], start: u64) -> String {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &frame in frames {
        let number = start + frame as u64;
        match runs.last_mut() {
            Some((_, to)) if *to + 1 == number => *to = number,
            _ => runs.push((number, number)),
        }
    }
    let word = if frames.len() == 1 { "frame" } else { "frames" };
    let one = |&(from, to): &(u64, u64)| if from == to { from.to_string() } else { format!("{from}-{to}") };
    let shown: Vec<String> = runs.iter().take(6).map(one).collect();
    let more = if runs.len() > 6 { format!(" and {} more times", runs.len() - 6) } else { String::new() };
    format!("{word} {}{more}", shown.join(", "))
}

fn with_article(part: Keypoint) -> String {
    format!("the {}", part.display_name())
}
