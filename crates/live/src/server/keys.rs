//! Keys of values: a key changes the stretch to its neighbours alone, and a loop that is closed stays closed.

use bone_core::BonePose;
use bone_core::clip::{BoneProperty, Properties as _, SAME_TIME, ValueKind};
use bone_core::constraint::ConstraintProperty;
use bone_format::doc::{AnyChannel, BoneChannelsDoc, Channel, ClipDoc, Extend, Key, RigDoc, ShapeDoc};
use bone_format::session::{DocPath, DocValue, Edit};
use bone_rig::{FrameState, Rig, RigClip};
use kurbo::Vec2;

use crate::message::Reason;
use crate::server::engine::rest_goals;
use crate::server::pose::{Channels, PoseValues, SAME, clip_time, keyed_channels, sample};
use crate::server::rows::{RowKey, rows};
use crate::server::staged::written;

/// Ends of a loop that differ by less are equal.
const SAME_END: f64 = 1e-3;

/// The edits that key values at a time of a clip.
pub(crate) fn keys(
    (rig, doc): (&Rig, &RigDoc),
    clip: &RigClip,
    time: f64,
    values: &PoseValues,
) -> Result<Vec<Edit>, Reason> {
    let (typed, at) = keyable(doc, clip, time)?;
    let name = &typed.name.value;
    let skeleton = rig.skeleton();
    let sampled = sample(rig, Some(clip), time);
    let mut edits = Vec::new();
    for (bone, channels) in &values.bones {
        let Some(id) = skeleton.find(bone) else { return Err(format!("there is no bone \"{bone}\"")) };
        let own = typed.bones.iter().find(|channels| channels.bone.value == *bone);
        for (channel, track, value) in
            tracks(channels, own, (&sampled.bones[id.index()], &sampled.setup(skeleton, id)))
        {
            let path = written(doc, DocPath::channel(name, bone, channel))?;
            at.key(&mut edits, &path, &track, value);
        }
    }
    for (constraint, goal) in &values.goals {
        let found = typed.constraints.iter().find(|known| known.name.value == *constraint);
        let channel = found.and_then(|known| known.values.pair(ConstraintProperty::Target));
        let rest = rest_goals(rig).find(|(_, name, _)| name == constraint).map(|(_, _, at)| at);
        let channel = channel.map(|channel| AnyChannel::from(channel.clone()));
        let rest = KeyKind::Pair.typed(rest.unwrap_or(*goal).to_vec2());
        let track = Track::of(channel.as_ref(), rest, KeyKind::Pair);
        let path = written(doc, DocPath::from(["clips", name, "constraints", constraint, "target"]))?;
        at.key(&mut edits, &path, &track, goal.to_vec2().into());
    }
    Ok(edits)
}

/// The edits that key values of art, sliders and the camera.
pub(crate) fn row_keys(
    (rig, doc): (&Rig, &RigDoc),
    state: &FrameState,
    (clip, time): (&RigClip, f64),
    wanted: &[RowKey],
) -> Result<Vec<Edit>, Reason> {
    let (typed, at) = keyable(doc, clip, time)?;
    let mut edits = Vec::new();
    for RowKey { owner, property, value } in wanted {
        let all = rows((rig, typed), state, owner)?;
        let row = all.into_iter().find(|row| row.name == *property);
        let row = row.ok_or_else(|| format!("\"{}\" has no `{property}` that can be keyed", owner.name))?;
        let kind = if row.property.kind == ValueKind::Degrees { KeyKind::Angle } else { KeyKind::Number };
        let track = Track::of(row.channel.as_ref(), row.rest.clone(), kind);
        at.key(&mut edits, &written(doc, row.path.clone())?, &track, row.key(value));
    }
    Ok(edits)
}

/// What can be keyed at a time of a clip, and where.
fn keyable<'d>(doc: &'d RigDoc, clip: &RigClip, time: f64) -> Result<(&'d ClipDoc, KeyMoment), Reason> {
    let name = clip.name();
    let Some(typed) = doc.keyed(name) else {
        return Err(match doc.is_scene {
            true => format!("\"{name}\" plays all shots: choose the one to change"),
            false => format!("\"{name}\" is a shot: key the clips that it plays"),
        });
    };
    if typed.half.is_some() && typed.duration().is_some_and(|half| clip_time(clip, time) > half) {
        return Err(format!("\"{name}\" is half a cycle: key its first half, the second is made of it"));
    }
    let is_loop = clip.clip().is_some_and(|keyed| keyed.key_loop().is_some());
    Ok((typed, KeyMoment { time: clip_time(clip, time), is_loop, length: clip.time().key_length() }))
}

/// The channels that are set, with their keys and new values: those of absolute channels and of halves where
/// these are keyed. `now` is the pose of the clip.
fn tracks(
    channels: &Channels,
    own: Option<&BoneChannelsDoc>,
    (now, setup): (&BonePose, &BonePose),
) -> Vec<(&'static str, Track, DocValue)> {
    let mut list = Vec::new();
    for (property, value) in &channels.0 {
        let mut pose = *setup;
        property.set(*value, &mut pose, setup);
        let mut keyed: Vec<(BoneProperty, Option<&AnyChannel>)> = own
            .into_iter()
            .flat_map(|own| keyed_channels(own, *property))
            .map(|(keyed, channel)| (keyed, Some(channel)))
            .collect();
        let halves: Vec<usize> = keyed.iter().filter_map(|(half, _)| Some(half.row().half_of?.1)).collect();
        match halves[..] {
            [] if keyed.is_empty() => keyed.push((*property, None)),
            // The other half begins to have keys only if it changes.
            [part] => {
                let other = property.half(1 - part);
                let changes =
                    |half: &BoneProperty| (half.of(&pose, setup) - half.of(now, setup)).x.abs() > SAME;
                keyed.extend(other.filter(changes).map(|half| (half, None)));
            }
            _ => {}
        }
        for (property, channel) in keyed {
            let rest =
                property.of(&BonePose { origin: setup.origin, angle: setup.angle, ..BonePose::REST }, setup);
            let kind = match property.row().kind {
                ValueKind::Degrees => KeyKind::Angle,
                ValueKind::Size => KeyKind::Size,
                kind if kind.is_pair() => KeyKind::Pair,
                _ => KeyKind::Number,
            };
            let track = Track::of(channel, kind.typed(rest), kind);
            list.push((property.name(), track, kind.typed(property.of(&pose, setup))));
        }
    }
    list
}

/// How the values of a channel are compared and written.
#[derive(Clone, Copy, PartialEq)]
enum KeyKind {
    /// Degrees: whole turns between the ends of a loop close it.
    Angle,
    Number,
    Pair,
    /// A pair whose numbers are written as one if they are equal.
    Size,
}

impl KeyKind {
    fn typed(self, value: Vec2) -> DocValue {
        match self {
            Self::Angle | Self::Number => value.x.into(),
            Self::Size if (value.x - value.y).abs() <= SAME => value.x.into(),
            Self::Pair | Self::Size => value.into(),
        }
    }

    /// The degrees of the whole turns by which two ends of a closed loop differ; none if the loop is open.
    fn turns(self, from: &DocValue, to: &DocValue) -> Option<f64> {
        let (Some(from), Some(to)) = (numbers(from), numbers(to)) else { return (from == to).then_some(0.0) };
        let between = to - from;
        let turns = if self == Self::Angle { (between.x / 360.0).round() * 360.0 } else { 0.0 };
        ((between - Vec2::new(turns, turns)).hypot() <= SAME_END).then_some(turns)
    }
}

/// The numbers of a value: a size may be written as one.
fn numbers(value: &DocValue) -> Option<Vec2> {
    match value {
        DocValue::Number(number) => Some(Vec2::new(*number, *number)),
        DocValue::Tuple(None, parts) => match parts.as_slice() {
            [DocValue::Number(x), DocValue::Number(y)] => Some(Vec2::new(*x, *y)),
            _ => None,
        },
        _ => None,
    }
}

/// A value that is turned further.
fn turned(value: &DocValue, turns: f64) -> DocValue {
    match value {
        DocValue::Number(number) => (number + turns).into(),
        other => other.clone(),
    }
}

/// The keys of a channel: time, value, and whether the key has an ease of its own.
type TypedKeys = Vec<(f64, DocValue, bool)>;

/// A channel as it is typed.
struct Track {
    keys: TypedKeys,
    /// Whether it holds its values outside its keys.
    holds: bool,
    /// The value without keys.
    rest: DocValue,
    kind: KeyKind,
}

impl Track {
    fn of(channel: Option<&AnyChannel>, rest: DocValue, kind: KeyKind) -> Self {
        fn typed<T>(channel: &Channel<T>, typed: impl Fn(&T) -> DocValue) -> (TypedKeys, bool) {
            let key = |key: &Key<T>| (key.time.value, typed(&key.value.value), key.ease.is_some());
            let holds = channel.extend.is_none_or(|extend| extend.value == Extend::Hold);
            (channel.keys.iter().map(key).collect(), holds)
        }
        let name = |name: &Option<String>| name.as_deref().map_or(DocValue::None, DocValue::text);
        let (keys, holds) = match channel {
            Some(AnyChannel::Number(channel)) => typed(channel, |number| (*number).into()),
            Some(AnyChannel::Pair(channel)) => typed(channel, |pair| kind.typed(*pair)),
            Some(AnyChannel::Flag(channel)) => typed(channel, |flag| (*flag).into()),
            Some(AnyChannel::Name(channel)) => typed(channel, name),
            Some(AnyChannel::Color(channel)) => typed(channel, |color| DocValue::text(&color.to_string())),
            Some(AnyChannel::Shape(channel)) => typed(channel, |shape| match shape {
                ShapeDoc::Of(name) => DocValue::text(name),
                ShapeDoc::Mix(weights) => DocValue::map(
                    weights.iter().map(|(name, weight)| (name.value.as_str(), weight.value.into())),
                ),
            }),
            None => (Vec::new(), true),
        };
        Self { keys, holds, rest, kind }
    }

    /// The value of the key at a time.
    fn at(&self, time: f64) -> Option<&DocValue> {
        self.keys.iter().find(|key| (key.0 - time).abs() <= SAME_TIME).map(|key| &key.1)
    }
}

/// Where keys are set.
struct KeyMoment {
    time: f64,
    is_loop: bool,
    length: f64,
}

impl KeyMoment {
    /// Sets a key, and those at the ends of the clip that keep all other stretches as they are.
    fn key(&self, edits: &mut Vec<Edit>, path: &DocPath, track: &Track, value: DocValue) {
        let set = |time: f64, value: DocValue| Edit::key(path.clone(), time, value);
        edits.push(set(self.time, value.clone()));
        let is_near = |time: f64| (self.time - time).abs() <= SAME_TIME;
        let old = track.at(self.time);
        if self.is_loop && self.length > SAME_TIME && (is_near(0.0) || is_near(self.length)) {
            let other = if is_near(0.0) { self.length } else { 0.0 };
            match (track.at(other), old) {
                // Ends that differ by more than turns jump on purpose.
                (Some(end), Some(old)) => {
                    let turns = track.kind.turns(old, end);
                    edits.extend(turns.map(|turns| set(other, turned(&value, turns))));
                }
                (Some(_), None) => edits.push(set(other, value)),
                (None, None) if track.holds && (other == 0.0 || !track.keys.is_empty()) => {
                    edits.push(set(other, value));
                }
                (None, _) => {}
            }
            return;
        }
        if old.is_some() || !track.holds {
            return;
        }
        self.ends(edits, path, track, set);
    }

    /// The keys at the ends of the clip that a new key in between needs, if it is the first or the last one.
    fn ends(
        &self,
        edits: &mut Vec<Edit>,
        path: &DocPath,
        track: &Track,
        set: impl Fn(f64, DocValue) -> Edit,
    ) {
        // The value that stood there is copied, with all its digits.
        let stood = |time: f64, key: Option<&(f64, DocValue, bool)>| {
            let Some((from, _, has_ease)) = key else { return vec![set(time, track.rest.clone())] };
            let copy = Edit::CopyKey { channel: path.clone(), from: *from, to: time };
            let plain = Edit::SetEase { channel: path.clone(), time, ease: None };
            [Some(copy), has_ease.then_some(plain)].into_iter().flatten().collect()
        };
        let (first, last) = (track.keys.first(), track.keys.last());
        let is_first = first.is_none_or(|key| key.0 > self.time) && self.time > SAME_TIME;
        let is_last = last.is_none_or(|key| key.0 < self.time);
        if is_first {
            edits.extend(stood(0.0, first));
        }
        let has_end = last.is_some_and(|key| key.0 >= self.length - SAME_TIME);
        if !self.is_loop || self.time > self.length || has_end {
            return;
        }
        let value =
            |key: Option<&(f64, DocValue, bool)>| key.map_or_else(|| track.rest.clone(), |key| key.1.clone());
        let is_closed = track.kind.turns(&value(first), &value(last)).is_some();
        if is_last || is_first && is_closed {
            edits.extend(stood(self.length, if is_closed { last } else { first }));
        }
    }
}
