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

use bone_core::{Angle, BoneId, Pose, Side, Skeleton, WorldPose};
use kurbo::{Point, Vec2};

use crate::body::Body;
use crate::controls::Control;
use crate::figure::{drift, height, held_directions, visible_shares};
use crate::fit::{ChannelSamples, RecordedTrack, Take};
use crate::parts::{BodyPart, find_parts};
use crate::{ImportError, PlanarMotion};

pub use contacts::{Contact, find_contacts, find_contacts_in_space};
use drawn::DrawnPose;
use feet::FootWays;
use foot_lock::{Footing, LoopTimeline, lock_feet};
pub use goals::{FootGoal, key_goals};
use legs::{RigLeg, limits};

/// The bones of a rig by the parts of a body, and those that carry values of hands and face.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RigMap {
    parts: Vec<(BodyPart, BoneId)>,
    controls: Vec<(Control, BoneId)>,
}

impl RigMap {
    /// Finds bones by their names.
    pub fn by_names(skeleton: &Skeleton) -> Self {
        let bones: Vec<BoneId> = skeleton.bones().collect();
        let parents: Vec<Option<usize>> = bones
            .iter()
            .map(|bone| skeleton.parent(*bone).and_then(|parent| bones.binary_search(&parent).ok()))
            .collect();
        let found = find_parts(bones.iter().map(|bone| skeleton.name(*bone)), &parents);
        let named = BodyPart::ALL.into_iter().zip(found);
        let parts: Vec<_> = named.filter_map(|(part, at)| Some((part, bones[at?]))).collect();
        let mut map = Self { parts, controls: Vec::new() };
        for bone in bones {
            let control =
                Control::by_name(skeleton.name(bone)).filter(|control| map.control(*control).is_none());
            let is_part = map.parts.iter().any(|(_, other)| *other == bone);
            map.controls.extend(control.filter(|_| !is_part).map(|control| (control, bone)));
        }
        map
    }

    /// Sets the bone of a control.
    pub fn set_control(&mut self, control: Control, bone: BoneId) {
        self.controls.retain(|(other, of)| *other != control && *of != bone);
        self.controls.push((control, bone));
    }

    /// The bone of a control.
    pub fn control(&self, control: Control) -> Option<BoneId> {
        self.controls.iter().find(|(other, _)| *other == control).map(|(_, bone)| *bone)
    }

    /// Sets the bone of a part.
    pub fn set(&mut self, part: BodyPart, bone: BoneId) {
        self.parts.retain(|(other, of)| *other != part && *of != bone);
        self.parts.push((part, bone));
    }

    /// The bone of a part.
    pub fn bone(&self, part: BodyPart) -> Option<BoneId> {
        self.parts.iter().find(|(other, _)| *other == part).map(|(_, bone)| *bone)
    }

    /// The parts that are needed (hips and legs) and have no bone.
    pub fn missing(&self) -> Vec<BodyPart> {
        needed().into_iter().filter(|part| self.bone(*part).is_none()).collect()
    }

    /// All parts with their bones.
    pub fn iter(&self) -> impl Iterator<Item = (BodyPart, BoneId)> {
        self.parts.iter().copied()
    }
}

/// How a motion is put onto a rig.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
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

impl RetargetOptions {
    /// The same options with `on_the_spot` set to this value.
    #[must_use]
    pub const fn on_the_spot(self, on_the_spot: bool) -> Self {
        Self { on_the_spot, ..self }
    }

    /// The same options with `looped` set to this value.
    #[must_use]
    pub const fn looped(self, looped: bool) -> Self {
        Self { looped, ..self }
    }

    /// The same options with a smallest `stretch` of arms and legs.
    #[must_use]
    pub const fn least_stretch(self, least: Option<f64>) -> Self {
        Self { least_stretch: least, ..self }
    }

    /// The same options with borders between which the figure stays.
    #[must_use]
    pub const fn keep_between(self, borders: Option<(f64, f64)>) -> Self {
        Self { keep_between: borders, ..self }
    }
}

/// A contact of a foot of the rig: during it the foot is locked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootLock {
    /// The foot.
    pub bone: BoneId,
    /// The side of the foot.
    pub side: Side,
    /// Seconds of the clip.
    pub from: f64,
    /// Seconds of the clip; in a loop it may lie beyond the end of the clip.
    pub until: f64,
    /// The position of the tip of the foot on the canvas at `from`.
    pub at: Point,
    /// The speed of the ground under it along x, besides that of the whole clip.
    pub drift: f64,
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
    if !body.is_within(motion.joints().len()) {
        return Err(ImportError::new("the body has joints that the recording does not have"));
    }
    let is_share = |least: f64| (0.0..=1.0).contains(&least);
    let is_room = |(left, right): (f64, f64)| left.is_finite() && right.is_finite();
    if !(options.least_stretch.is_none_or(is_share) && options.keep_between.is_none_or(is_room)) {
        return Err(ImportError::new("a least stretch that is no share, or borders that are not numbers"));
    }
    let controls = map.controls.iter().map(|(_, bone)| *bone);
    if map.iter().map(|(_, bone)| bone).chain(controls).any(|bone| !skeleton.contains(bone)) {
        return Err(ImportError::new("a bone that the rig does not have"));
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
    lacks(
        "the rig",
        map.missing(),
        "name its bones like thigh_l, shin_l and foot_l, or map them with --map",
    )?;
    let bone = |part: BodyPart| map.bone(part).ok_or_else(|| ImportError::new("a bone is missing"));
    let forward = forward(skeleton, map);
    let mirrored = forward * source_forward(motion, body) < 0.0;
    let flipped = if mirrored { Some(motion.mirrored()) } else { None };
    let motion = flipped.as_ref().unwrap_or(motion);

    let legs = [Side::Left, Side::Right].map(|side| -> Result<RigLeg, ImportError> {
        let (thigh, shin, foot) =
            (bone(BodyPart::Thigh(side))?, bone(BodyPart::Shin(side))?, bone(BodyPart::Foot(side))?);
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
    });
    let [left, right] = legs;
    let legs = [left?, right?];
    let hip = bone(BodyPart::Hips)?;

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
    let foot_locks = foot_locks
        .into_iter()
        .map(|lock| {
            let frame = |seconds: f64| ((seconds * rate).round() as usize).min(held.len() - 1);
            let (from, until) = (held[frame(lock.from)], held[frame(lock.until)]);
            let drift = (from - until) / (lock.until - lock.from).max(1e-9);
            FootLock { at: lock.at - Vec2::new(from, 0.0), drift, ..lock }
        })
        .collect();
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

fn needed() -> Vec<BodyPart> {
    let leg = |side| [BodyPart::Thigh(side), BodyPart::Shin(side), BodyPart::Foot(side)];
    std::iter::once(BodyPart::Hips).chain([Side::Left, Side::Right].into_iter().flat_map(leg)).collect()
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
/// The time over which a figure is held back, seconds.
const HELD_SECONDS: f64 = 0.6;

/// How far a figure has to be moved back in each frame so that it stays between borders.
fn held_back(xs: &[f64], (left, right): (f64, f64), height: f64, rate: f64) -> Vec<f64> {
    let middle = (left + right) / 2.0;
    let (least, most) = ((left + ROOM * height).min(middle), (right - ROOM * height).max(middle));
    let mut back: Vec<f64> = xs.iter().map(|x| x - x.clamp(least, most)).collect();
    let reach = (HELD_SECONDS / 2.0 * rate).ceil() as usize;
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

/// Converts offsets on the canvas to offsets in the frame of a bone's parent, which stays at rest.
fn in_parents_frame(skeleton: &Skeleton, bone: BoneId, shifts: Vec<Vec2>) -> Vec<Vec2> {
    let turn = skeleton.parent(bone).map_or(Angle::ZERO, |parent| skeleton.setup_angle(parent));
    let turn = -turn;
    let (sin, cos) = turn.sin_cos();
    shifts.into_iter().map(|v| Vec2::new(v.x * cos - v.y * sin, v.x * sin + v.y * cos)).collect()
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

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
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
            let heel = median(frames().map(low).collect()).unwrap_or(0.05 * size);
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
        let ankle = median(ankles).unwrap_or(0.05 * size).max(0.0);
        let tilt = level(forward).degrees() + 25.0 * forward;
        let [flat_left, flat_right] = flats;
        let [toe_left, toe_right] = toes;
        Self {
            first: LoopTimeline::middle(motion, body, 0),
            ground: median(balls).unwrap_or(floor),
            find_contacts: legs + ankle,
            size,
            floor,
            clearances,
            flat_foot: [flat_left, flat_right].map(|angles| median(angles).unwrap_or(tilt)),
            flat_toe: [toe_left, toe_right].map(|angles| median(angles).unwrap_or(level(forward).degrees())),
        }
    }
}

/// The horizontal direction of the facing.
fn level(forward: f64) -> Angle {
    Angle::from_degrees(if forward > 0.0 { 0.0 } else { 180.0 })
}

/// The rotations of bones on the canvas, relative to the setup pose, in every frame of the recording.
pub(crate) struct BoneTurns {
    /// Parents first.
    pub(crate) bones: Vec<(BodyPart, BoneId)>,
    /// For each bone, the rotations of all frames.
    pub(crate) degrees: Vec<Vec<f64>>,
    /// For each bone the visible share of its length in all frames; empty if it keeps its length.
    pub(crate) shares: Vec<Vec<f64>>,
    /// For each bone the limits of its rotation from the setup pose: those of its joint, and those of feet
    /// and toes.
    pub(crate) limits: Vec<Option<(f64, f64)>>,
    /// For each foot on its shin its rotation from the setup pose when the figure stands.
    pub(crate) standing: Vec<Option<f64>>,
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

/// The largest rotation of toes against their foot, and of a foot against its shin, from those of a figure that
/// stands, in degrees.
pub(crate) const TOES: f64 = 60.0;
const FEET: f64 = 75.0;
/// Recorded rotations stay this far from it, so that a curve with few keys has room.
const ROOM_OF_TOES: f64 = 5.0;

/// Keeps the rotations of toes near those of their foot. `bend` is the rotation of the toes against the foot in
/// the setup pose. A foot that points at the viewer has toes of any direction.
pub(crate) fn keep_toes(toes: &mut [f64], feet: &[f64], bend: f64) {
    for (toe, foot) in toes.iter_mut().zip(feet) {
        *toe = foot - bend + folded(*toe - foot + bend, TOES - ROOM_OF_TOES);
    }
}

/// A rotation without its whole turns, at most `most` degrees to either side. What points straight back is not
/// turned to either side, so that nothing jumps where one side becomes the other.
fn folded(turn: f64, most: f64) -> f64 {
    let turn = turn - (turn / 360.0).round() * 360.0;
    turn.abs().min(most).min(180.0 - turn.abs()) * turn.signum()
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

/// Poses a rig from rotations on the canvas.
pub(crate) struct RigPoser<'a> {
    pub(crate) skeleton: &'a Skeleton,
    pub(crate) hip: BoneId,
    pub(crate) turns: &'a BoneTurns,
}

impl RigPoser<'_> {
    /// Writes the pose of a frame with the hips at a position: rotations on the canvas become rotations
    /// relative to parents, within limits.
    pub(crate) fn pose(&self, frame: usize, hips: Point, pose: &mut Pose, world: &mut WorldPose) {
        pose.reset(self.skeleton);
        let shift =
            in_parents_frame(self.skeleton, self.hip, vec![hips - self.skeleton.setup_origin(self.hip)]);
        pose.bones[self.hip.index()].origin += shift[0];
        // The rotation of each bone on the canvas relative to its setup pose; unmapped bones follow their
        // parents.
        let mut carried = vec![0.0; self.skeleton.len()];
        for bone in self.skeleton.bones() {
            let above = self.skeleton.parent(bone).map_or(0.0, |parent| carried[parent.index()]);
            carried[bone.index()] = above;
            let Some(at) = self.turns.bones.iter().position(|(_, of)| *of == bone) else { continue };
            let turn = self.turns.degrees[at][frame] - above;
            let turn = self.turns.standing[at].map_or(turn, |stands| stands + folded(turn - stands, FEET));
            let turn = self.turns.limits[at].map_or(turn, |limits| within(turn, limits));
            let bone_pose = &mut pose.bones[bone.index()];
            bone_pose.angle += Angle::from_degrees(turn);
            bone_pose.stretch = self.turns.shares[at].get(frame).copied().unwrap_or(bone_pose.stretch);
            carried[bone.index()] = above + turn;
        }
        let _ = world.forward(self.skeleton, pose);
    }
}

/// A rotation clamped to limits with a small margin, so that a curve through it can stay within them.
pub(crate) fn within(turn: f64, (least, most): (f64, f64)) -> f64 {
    let room = ((most - least) / 10.0).min(0.5);
    turn.max(least + room).min(most - room)
}
