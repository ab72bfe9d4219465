//! Retargeting: a recorded motion on the bones of a rig. The *directions* of limbs and back on the canvas are
//! those of the recording, whatever the pose is in which the rig is drawn; feet, neck and head turn as much as
//! they do in the recording. The path of the hips is scaled by the length of the legs. Foot contacts are found in the
//! recording and locked: the legs are solved for them, and the hips move down a little where a leg would be
//! too short.
//!
//! If the recording and the rig face opposite sides the recording is mirrored; the left side stays the left
//! side.

mod contacts;
mod drawn;
mod feet;
mod foot_lock;
mod goals;
mod legs;
mod planting;
mod poser;
mod rig_map;
mod toes;

use bone_core::{Angle, BoneId, Side, Skeleton};
use kurbo::{Point, Vec2};

use crate::body::Body;
use crate::figure::{drift, height, held_directions, visible_shares};
use crate::fit::{ChannelSamples, RecordedTrack, Take};
use crate::parts::BodyPart;
use crate::statistics::median_or;
use crate::{ImportError, PlanarMotion};

pub(crate) use contacts::find_contacts_in_space;
pub use contacts::{Contact, find_contacts};
use drawn::DrawnPose;
use feet::FootWays;
pub use foot_lock::FootLock;
pub(crate) use foot_lock::LoopTimeline;
use foot_lock::{Footing, lock_feet};
pub use goals::{FootGoal, key_goals};
use legs::{RigLeg, limits};
pub(crate) use planting::{LegPath, plant};
pub(crate) use poser::{BoneTurns, RigPoser};
use poser::{in_parents_frame, level};
pub use rig_map::RigMap;
use rig_map::needed;
use toes::FEET;
pub(crate) use toes::{TOES, keep_toes};

/// How a motion is put onto a rig.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RetargetOptions {
    /// Whether the figure walks on the spot.
    pub on_the_spot: bool,
    /// Whether the last frame equals the first one.
    pub looped: bool,
    /// The left and the right border of the page, if the figure is to stay between them: the ground moves
    /// where it would leave.
    pub keep_between: Option<(f64, f64)>,
    /// The smallest share of its length to which an arm or leg that points at the viewer is foreshortened;
    /// `None` if bones keep their length. A leg is as long as its standing foot needs.
    pub least_stretch: Option<f64>,
}

/// A motion on the bones of a rig, in every frame.
#[derive(Clone, Debug)]
pub struct RetargetedMotion {
    /// The recorded values of the bones.
    pub take: Take,
    /// The contacts of the feet.
    pub foot_locks: Vec<FootLock>,
    /// The speed of the ground, in units a second, if the figure moves on the spot.
    pub drift: f64,
    /// The advance of one round of a loop along the ground, if the figure does not move on the spot.
    pub travel: f64,
    /// The height of the rig over the mapped bones.
    pub height: f64,
    /// The length of a leg from hip to ankle.
    pub leg_length: f64,
    /// Units of the canvas for a unit of the recording.
    pub scale: f64,
    /// The largest distance by which the hips move down for locked feet.
    pub hip_drop: f64,
    /// The largest distance by which the hips move up for thighs that do not turn as far as those of the recording.
    pub hip_rise: f64,
    /// Parts that only the recording or only the rig has.
    pub unmapped: Vec<BodyPart>,
    /// Whether the recording was mirrored.
    pub mirrored: bool,
    /// The parts that are drawn in another direction than those of a standing figure, and the difference in
    /// degrees.
    pub drawn_apart: Vec<(BodyPart, f64)>,
}

/// Puts a motion onto a rig.
///
/// # Errors
/// If the recording or the rig lacks hips or a leg.
pub fn retarget(
    motion: &PlanarMotion,
    body: &Body,
    skeleton: &Skeleton,
    map: &RigMap,
    options: RetargetOptions,
) -> Result<RetargetedMotion, ImportError> {
    check(motion, body, skeleton, map, &options)?;
    let forward = forward(skeleton, map);
    let mirrored = forward * source_forward(motion, body) < 0.0;
    let flipped = if mirrored { Some(motion.mirrored()) } else { None };
    let motion = flipped.as_ref().unwrap_or(motion);

    let legs = rig_legs(skeleton, map, forward)?;
    let hip = mapped(map, BodyPart::Hips)?;

    let time = LoopTimeline::new(motion, options.looped);
    let drawn = DrawnPose::new(skeleton, map, forward);
    let feet = FootWays::new(motion, body, forward, drawn.turned);
    let source = SourceFigure::new(motion, body, &feet, forward);
    let turns = turns(motion, body, skeleton, map, &source, &drawn, &feet, options.least_stretch);
    let length = (legs[0].length() + legs[1].length()) / 2.0;
    let ankles = [0, 1].map(|at| drawn.ankle_height(skeleton, at)).iter().sum::<f64>() / 2.0;
    let rig_standing_height = length + ankles;
    // Where the hips are when the figure stands: for a figure that is drawn in mid-stride higher than drawn.
    let roots = legs.iter().map(|leg| skeleton.setup_origin(leg.thigh).y).sum::<f64>() / 2.0;
    let grounds = (drawn.grounds[0] + drawn.grounds[1]) / 2.0;
    let rise = grounds - rig_standing_height - roots;
    let scale = rig_standing_height / source.find_contacts;
    let hips = |frame: usize| {
        let (thighs, round) = time.thighs(motion, body, frame);
        let x = (thighs.x + round - source.first.x) * scale;
        let y = (thighs.y - (source.ground - source.find_contacts)) * scale;
        skeleton.setup_origin(hip) + Vec2::new(x, y + rise)
    };
    let poser = RigPoser { skeleton, hip, turns: &turns };
    let footing = Footing {
        size: source.size,
        floor: source.floor,
        clearances: &source.clearances,
        grounds: drawn.grounds,
        scale,
    };
    let locked = lock_feet(&poser, &legs, motion, body, &time, &footing, hips);

    let drift_a_frame = if options.on_the_spot {
        drift(motion, body.start(BodyPart::Hips).unwrap_or_default(), options.looped) * scale
    } else {
        0.0
    };
    let middle = if options.on_the_spot { -locked.mean_shift(drift_a_frame) } else { 0.0 };
    let rate = motion.rate();
    let mut tracks = Vec::new();
    let mut shifts: Vec<Vec2> = (0..time.kept)
        .map(|frame| locked.hip_shift(frame) + Vec2::new(middle - drift_a_frame * frame as f64, 0.0))
        .collect();
    let height = rig_height(skeleton, map);
    let held = match options.keep_between.filter(|_| !options.looped) {
        Some(borders) => {
            let xs: Vec<f64> = shifts.iter().map(|shift| skeleton.setup_origin(hip).x + shift.x).collect();
            held_back(&xs, borders, height, rate)
        }
        None => vec![0.0; shifts.len()],
    };
    for (shift, held) in shifts.iter_mut().zip(&held) {
        shift.x -= held;
    }
    let mut shifts = in_parents_frame(skeleton, hip, shifts);
    if options.looped && options.on_the_spot {
        // Equal to the bit.
        let first = shifts[0];
        shifts.iter_mut().last().into_iter().for_each(|last| *last = first);
    }
    tracks.push(RecordedTrack { bone: hip, samples: ChannelSamples::Move(shifts), limits: None });
    for (at, (_, bone)) in turns.bones.iter().enumerate() {
        let samples = locked.rotates(at);
        let samples = ChannelSamples::Rotate(samples);
        tracks.push(RecordedTrack { bone: *bone, samples, limits: turns.limits[at] });
    }
    for (at, (_, bone)) in turns.bones.iter().enumerate() {
        if let Some(shares) = locked.shares(at) {
            let samples = ChannelSamples::Stretch(shares);
            tracks.push(RecordedTrack { bone: *bone, samples, limits: None });
        }
    }
    let foot_locks = locked.foot_locks(rate, |side, frame, at| FootLock {
        bone: legs[side].foot,
        side: [Side::Left, Side::Right][side],
        from: 0.0,
        until: 0.0,
        at: at + Vec2::new(middle - drift_a_frame * frame as f64, 0.0),
        drift: 0.0,
    });
    let foot_locks = foot_locks.into_iter().map(|lock| lock.held_back(&held, rate)).collect();
    let unmapped = BodyPart::ALL
        .into_iter()
        .filter(|part| !matches!(part, BodyPart::Spine | BodyPart::Chest | BodyPart::Hips))
        .filter(|part| body.end(*part).is_some() != map.bone(*part).is_some())
        .collect();
    Ok(RetargetedMotion {
        take: Take { rate, tracks, looped: options.looped },
        foot_locks,
        drift: -drift_a_frame * rate,
        travel: if options.on_the_spot { 0.0 } else { time.gain * scale },
        height,
        leg_length: length,
        scale,
        hip_drop: locked.drop,
        hip_rise: locked.rise,
        unmapped,
        mirrored,
        drawn_apart: drawn.apart,
    })
}

/// Whether recording, rig and options can be used together.
fn check(
    motion: &PlanarMotion,
    body: &Body,
    skeleton: &Skeleton,
    map: &RigMap,
    options: &RetargetOptions,
) -> Result<(), ImportError> {
    fail_if!(!body.is_within(motion.joints().len()), "the body has joints that the recording does not have");
    let is_share = |least: f64| (0.0..=1.0).contains(&least);
    let is_room = |(left, right): (f64, f64)| left.is_finite() && right.is_finite();
    if !(options.least_stretch.is_none_or(is_share) && options.keep_between.is_none_or(is_room)) {
        fail!("a least stretch that is no share, or borders that are not numbers");
    }
    let controls = map.controls.iter().map(|(_, bone)| *bone);
    if map.iter().map(|(_, bone)| bone).chain(controls).any(|bone| !skeleton.contains(bone)) {
        fail!("a bone that the rig does not have");
    }
    let lacks = |what: &str, parts: Vec<BodyPart>, how: &str| {
        let names: Vec<&str> = parts.iter().map(|part| part.name()).collect();
        let error = ImportError::new(format!("{what} has no {}", names.join(", no ")));
        if names.is_empty() { Ok(()) } else { Err(error.help(how)) }
    };
    let absent = needed().into_iter().filter(|part| body.start(*part).is_none()).collect();
    let how = match body.guessed().is_empty() && needed().into_iter().all(|part| body.start(part).is_none()) {
        true => {
            "the rig is that of a person: --figure person finds a person in any skeleton, --map maps joints"
        }
        false => "map its joints with --map: (joints: {\"thigh_l\": \"LHip\"})",
    };
    lacks("the recording", absent, how)?;
    lacks("the rig", map.missing(), "name its bones like thigh_l, shin_l and foot_l, or map them with --map")
}

/// The bone of a part that is needed.
fn mapped(map: &RigMap, part: BodyPart) -> Result<BoneId, ImportError> {
    map.bone(part).ok_or_else(|| ImportError::new("a bone is missing"))
}

/// The left and the right leg of a rig.
fn rig_legs(skeleton: &Skeleton, map: &RigMap, forward: f64) -> Result<[RigLeg; 2], ImportError> {
    let leg = |side| {
        let (thigh, shin) = (mapped(map, BodyPart::Thigh(side))?, mapped(map, BodyPart::Shin(side))?);
        let foot = mapped(map, BodyPart::Foot(side))?;
        for (parent, child) in [(thigh, shin), (shin, foot)] {
            if skeleton.parent(child) != Some(parent) {
                let message = format!(
                    "bone \"{}\" is not a child of \"{}\": a leg is thigh, shin and foot",
                    skeleton.name(child),
                    skeleton.name(parent)
                );
                return Err(ImportError::new(message).help("map the bones with --map"));
            }
        }
        Ok(RigLeg::new(skeleton, thigh, shin, foot, forward))
    };
    Ok([leg(Side::Left)?, leg(Side::Right)?])
}

/// 1 if a rig faces right, which is where its feet point; else -1.
fn forward(skeleton: &Skeleton, map: &RigMap) -> f64 {
    let feet = [Side::Left, Side::Right].into_iter().filter_map(|side| map.bone(BodyPart::Foot(side)));
    let along: f64 = feet.map(|foot| skeleton.setup_tip(foot).x - skeleton.setup_origin(foot).x).sum();
    if along < 0.0 { -1.0 } else { 1.0 }
}

fn source_forward(motion: &PlanarMotion, body: &Body) -> f64 {
    let mut along = 0.0;
    for side in [Side::Left, Side::Right] {
        if let (Some(from), Some(to)) = (body.start(BodyPart::Foot(side)), body.end(BodyPart::Foot(side))) {
            along += (0..motion.frames()).map(|frame| motion.offset(frame, from, to).x).sum::<f64>();
        }
    }
    if along < 0.0 { -1.0 } else { 1.0 }
}

/// The share of its height that a figure needs on either side of its hips.
const ROOM: f64 = 0.42;

/// How far a figure has to be moved back in each frame so that it stays between borders.
fn held_back(xs: &[f64], (left, right): (f64, f64), height: f64, rate: f64) -> Vec<f64> {
    let middle = (left + right) / 2.0;
    let (least, most) = ((left + ROOM * height).min(middle), (right - ROOM * height).max(middle));
    let mut back: Vec<f64> = xs.iter().map(|x| x - x.clamp(least, most)).collect();
    // The time over which a figure is held back, seconds.
    let reach = (0.6 / 2.0 * rate).ceil() as usize;
    for _ in 0..2 {
        let mut sums = vec![0.0];
        for value in &back {
            sums.push(sums[sums.len() - 1] + value);
        }
        let count = back.len();
        for (at, value) in back.iter_mut().enumerate() {
            let (from, until) = (at.saturating_sub(reach), (at + reach + 1).min(count));
            *value = (sums[until] - sums[from]) / (until - from) as f64;
        }
    }
    back
}

fn rig_height(skeleton: &Skeleton, map: &RigMap) -> f64 {
    let ys = || map.iter().flat_map(|(_, bone)| [skeleton.setup_origin(bone).y, skeleton.setup_tip(bone).y]);
    (ys().fold(f64::MIN, f64::max) - ys().fold(f64::MAX, f64::min)).max(1e-9)
}

/// Measures of the recorded figure when it stands.
struct SourceFigure {
    /// The midpoint of the thighs' roots in the first frame.
    first: Point,
    /// The y of the balls of the feet during contacts.
    ground: f64,
    /// The height of the thighs' roots above `ground` when the figure stands upright.
    find_contacts: f64,
    size: f64,
    /// The y of the lowest joint in most frames.
    floor: f64,
    /// For each frame the height above the floor of the lowest joint that is not part of a foot.
    clearances: Vec<f64>,
    /// The direction of a foot that is flat on the ground, and of its toes, in degrees.
    flat_foot: [f64; 2],
    flat_toe: [f64; 2],
}

impl SourceFigure {
    fn new(motion: &PlanarMotion, body: &Body, feet: &FootWays, forward: f64) -> Self {
        let size = height(motion, body);
        let start = |part: BodyPart| body.start(part).unwrap_or_default();
        let sides = [Side::Left, Side::Right];
        let parts = |feet: bool| {
            let joints = BodyPart::ALL
                .into_iter()
                .filter(move |part| feet || !matches!(part, BodyPart::Foot(_) | BodyPart::Toe(_)));
            // A shin ends at the ankle, which is part of the foot.
            let ends = move |part: &BodyPart| feet || !matches!(part, BodyPart::Shin(_));
            joints.flat_map(move |part| [body.start(part), body.end(part).filter(|_| ends(&part))]).flatten()
        };
        let lows = |feet: bool| -> Vec<f64> {
            let joints: Vec<usize> = parts(feet).collect();
            let low = |frame: usize| {
                joints.iter().fold(f64::MIN, |low, &joint| low.max(motion.position(frame, joint).y))
            };
            (0..motion.frames()).map(low).collect()
        };
        let mut floors = lows(true);
        floors.sort_by(f64::total_cmp);
        let floor = floors[(floors.len() - 1) * 19 / 20];
        let clearances = lows(false).into_iter().map(|low| (floor - low).max(0.0)).collect();
        let mut balls = Vec::new();
        let (mut ankles, mut flats, mut toes) =
            (Vec::new(), [Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        for (at, side) in sides.into_iter().enumerate() {
            let ball = body.end(BodyPart::Foot(side)).unwrap_or_else(|| start(BodyPart::Foot(side)));
            let ankle = start(BodyPart::Foot(side));
            let contacts =
                find_contacts(motion.frames(), motion.rate(), size, |frame| motion.position(frame, ball));
            let low = |frame: usize| motion.position(frame, ball).y - motion.position(frame, ankle).y;
            let frames = || contacts.iter().flat_map(|contact| contact.from..=contact.until);
            // In the half of the contact frames with the lowest heel the whole foot is on the ground.
            let heel = median_or(frames().map(low), 0.05 * size);
            for frame in frames() {
                if floor - motion.position(frame, ball).y > 0.06 * size {
                    continue;
                }
                balls.push(motion.position(frame, ball).y);
                let direction = |part: BodyPart| {
                    let way = feet.offsets(part)?[frame];
                    Some(Angle::of(way).nearest_to(level(forward)).degrees())
                };
                if low(frame) <= heel {
                    ankles.push(low(frame));
                    flats[at].extend(direction(BodyPart::Foot(side)));
                }
                toes[at].extend(direction(BodyPart::Toe(side)));
            }
        }
        let length = |part: BodyPart| {
            let (from, to) = (start(part), body.end(part).unwrap_or_default());
            crate::figure::longest(motion, from, to)
        };
        let legs: f64 = sides
            .map(|side| length(BodyPart::Thigh(side)) + length(BodyPart::Shin(side)))
            .iter()
            .sum::<f64>()
            / 2.0;
        let ankle = median_or(ankles, 0.05 * size).max(0.0);
        let tilt = level(forward).degrees() + 25.0 * forward;
        let [flat_left, flat_right] = flats;
        let [toe_left, toe_right] = toes;
        Self {
            first: LoopTimeline::middle(motion, body, 0),
            ground: median_or(balls, floor),
            find_contacts: legs + ankle,
            size,
            floor,
            clearances,
            flat_foot: [flat_left, flat_right].map(|angles| median_or(angles, tilt)),
            flat_toe: [toe_left, toe_right].map(|angles| median_or(angles, level(forward).degrees())),
        }
    }
}

/// The rotation of each bone that gives its part the direction of the recording.
#[allow(clippy::too_many_arguments, reason = "one call")]
fn turns(
    motion: &PlanarMotion,
    body: &Body,
    skeleton: &Skeleton,
    map: &RigMap,
    source: &SourceFigure,
    drawn: &DrawnPose,
    feet: &FootWays,
    least_stretch: Option<f64>,
) -> BoneTurns {
    let mut bones: Vec<(BodyPart, BoneId)> = Vec::new();
    let mut degrees = Vec::new();
    let mut shares = Vec::new();
    let mut mapped: Vec<(BodyPart, BoneId)> = map.iter().collect();
    mapped.sort_by_key(|(_, bone)| *bone);
    let splits_back = map.bone(BodyPart::Spine).is_some() && map.bone(BodyPart::Chest).is_some();
    for (part, bone) in mapped {
        let ends = |part: BodyPart| Some((body.start(part)?, body.end(part)?));
        let has_back = map.bone(BodyPart::Spine).is_some() || map.bone(BodyPart::Chest).is_some();
        let whole_back = || {
            Some((
                body.start(BodyPart::Hips)?,
                body.start(BodyPart::Neck).or_else(|| body.start(BodyPart::Head))?,
            ))
        };
        // A rig with a back keeps its hips upright, because they carry the legs.
        if part == BodyPart::Hips && has_back {
            let lean = drawn.offset(part, bone);
            if lean != 0.0 {
                degrees.push(vec![-lean; motion.frames()]);
                shares.push(Vec::new());
                bones.push((part, bone));
            }
            continue;
        }
        let way = match part {
            BodyPart::Hips => whole_back(),
            BodyPart::Spine if splits_back => ends(BodyPart::Hips),
            BodyPart::Chest if splits_back => ends(BodyPart::Chest).or_else(whole_back),
            BodyPart::Spine | BodyPart::Chest => whole_back(),
            _ => ends(part),
        };
        let Some((from, to)) = way else { continue };
        let seen = feet.directions(part).unwrap_or_else(|| held_directions(motion, from, to));
        let upright = match part {
            BodyPart::Foot(side) => source.flat_foot[usize::from(side == Side::Right)],
            BodyPart::Toe(side) => source.flat_toe[usize::from(side == Side::Right)],
            BodyPart::UpperArm(_)
            | BodyPart::ForeArm(_)
            | BodyPart::Hand(_)
            | BodyPart::Thigh(_)
            | BodyPart::Shin(_) => 90.0,
            _ => upright_direction(motion, from, to),
        };
        let upright = upright + drawn.offset(part, bone);
        // Whole turns from unwrapping are removed.
        let mean = seen.iter().sum::<f64>() / seen.len() as f64 - upright;
        let extra = (mean / 360.0).round() * 360.0;
        let is_limb = matches!(
            part,
            BodyPart::UpperArm(_) | BodyPart::ForeArm(_) | BodyPart::Thigh(_) | BodyPart::Shin(_)
        );
        let least = least_stretch.filter(|_| is_limb);
        shares.push(least.map_or(Vec::new(), |least| visible_shares(motion, from, to, &seen, least)));
        degrees.push(seen.into_iter().map(|angle| angle - upright - extra).collect());
        bones.push((part, bone));
    }
    for side in [Side::Left, Side::Right] {
        let at = |part: BodyPart| bones.iter().position(|(other, _)| *other == part);
        if let (Some(foot), Some(toe)) = (at(BodyPart::Foot(side)), at(BodyPart::Toe(side))) {
            let feet = degrees[foot].clone();
            keep_toes(&mut degrees[toe], &feet, drawn.bend(bones[toe], bones[foot]));
        }
    }
    let bend = |&(part, bone): &(BodyPart, BoneId), on: BodyPart| {
        let parent =
            bones.iter().find(|(part, above)| *part == on && skeleton.parent(bone) == Some(*above))?;
        Some(drawn.bend((part, bone), *parent))
    };
    let body_limits = |bone: &(BodyPart, BoneId)| match bone.0 {
        BodyPart::Toe(side) => bend(bone, BodyPart::Foot(side)).map(|bend| (-TOES - bend, TOES - bend)),
        // A shin that is foreshortened has any direction while its foot stands.
        BodyPart::Foot(side) if least_stretch.is_none() => {
            bend(bone, BodyPart::Shin(side)).map(|bend| (-FEET - bend, FEET - bend))
        }
        _ => None,
    };
    let standing = |bone: &(BodyPart, BoneId)| match bone.0 {
        BodyPart::Foot(side) => bend(bone, BodyPart::Shin(side)).map(|bend| -bend),
        _ => None,
    };
    let both = |bone: &(BodyPart, BoneId)| match (limits(skeleton, bone.1), body_limits(bone)) {
        (Some(joint), Some(body)) => {
            let both = (joint.0.max(body.0), joint.1.min(body.1));
            Some(if both.0 < both.1 { both } else { joint })
        }
        (joint, body) => joint.or(body),
    };
    let limits = bones.iter().map(both).collect();
    let standing = bones.iter().map(standing).collect();
    BoneTurns { bones, degrees, shares, limits, standing }
}

/// The direction of a part of the back when the figure stands: that of the rest pose if it is nearly upright,
/// else up.
fn upright_direction(motion: &PlanarMotion, from: usize, to: usize) -> f64 {
    let up = Angle::from_degrees(-90.0);
    let rest = motion.rest().map(|rest| rest[to] - rest[from]).filter(|way| way.hypot2() > 0.0);
    let rest =
        rest.map(|way| Angle::of(way).nearest_to(up)).filter(|angle| (*angle - up).degrees().abs() < 40.0);
    rest.unwrap_or(up).degrees()
}
