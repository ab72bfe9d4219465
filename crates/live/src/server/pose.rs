//! Values that are set on top of a clip and not keyed, by name: they fit any revision of the rig that has
//! these bones. Rotations are degrees from rest and never wrapped.

use std::collections::BTreeMap;

use bone_core::clip::{BoneProperty, Properties as _, SAME_TIME, ValueKind};
use bone_core::{BonePose, Pose, mirrored_name};
use bone_format::doc::{AnyChannel, BoneChannelsDoc, ClipDoc, RigDoc};
use bone_rig::{BoneOverride, ConstraintOverride, Overrides, Rig, RigClip};
use kurbo::{Point, Vec2};
use serde_json::{Value, json};

use crate::message::{JsonObject, Reason, Wire};

/// Two values are the same if they differ by less; what solvers leave is smaller.
pub(crate) const SAME: f64 = 1e-7;

messages! {
    /// A value, for fields and buttons: whether the clip keys it, here, and whether it is changed; the names to choose from.
    record ChannelState { value as "v": Value, keyed: bool, here: bool, changed: bool, options: Option<Vec<String>> }
}

/// The values of one bone by property. A value of one component has it in x.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Channels(pub(crate) BTreeMap<BoneProperty, Vec2>);

impl Channels {
    /// All values of a bone that is posed, relative to its setup pose.
    pub(crate) fn of(pose: &BonePose, setup: &BonePose) -> Self {
        Self(BoneProperty::relative().map(|property| (property, property.of(pose, setup))).collect())
    }

    /// A pose of a bone with these values.
    fn on(&self, mut pose: BonePose, setup: &BonePose) -> BonePose {
        self.0.iter().for_each(|(property, value)| property.set(*value, &mut pose, setup));
        pose
    }

    /// Those that differ from others.
    fn other_than(&self, other: &Self) -> Self {
        let differs = |property: &BoneProperty, value: Vec2| {
            other.0.get(property).is_none_or(|before| (value - *before).hypot() > SAME)
        };
        Self(
            self.0
                .iter()
                .filter(|(property, value)| differs(property, **value))
                .map(|(p, v)| (*p, *v))
                .collect(),
        )
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same for the bone on the other side. A parent's frame is mirrored with it; that of a root is the
    /// canvas.
    fn mirrored(&self, is_root: bool) -> Self {
        let mirror = |property: &BoneProperty, value: &Vec2| match property.row().kind {
            ValueKind::Degrees => -*value,
            ValueKind::Place if is_root => Vec2::new(-value.x, value.y),
            ValueKind::Place => Vec2::new(value.x, -value.y),
            _ => *value,
        };
        Self(self.0.iter().map(|(property, value)| (*property, mirror(property, value))).collect())
    }
}

impl Wire for Channels {
    const WHAT: &'static str = "an object";

    #[cfg(test)]
    fn typescript() -> String {
        "BoneValues".to_owned()
    }

    fn read(value: &Value) -> Result<Self, Reason> {
        let fields = value.as_object().ok_or_else(Reason::new)?;
        let mut values = BTreeMap::new();
        for property in BoneProperty::relative() {
            let value = match property.row().kind.is_pair() {
                true => Option::<Point>::field(fields, property.name())?.map(Point::to_vec2),
                false => Option::<f64>::field(fields, property.name())?.map(|value| Vec2::new(value, 0.0)),
            };
            values.extend(value.map(|value| (property, value)));
        }
        Ok(Self(values))
    }

    fn json(&self) -> Value {
        let json = |property: BoneProperty, value: Vec2| match property.row().kind.is_pair() {
            true => json!([value.x, value.y]),
            false => json!(value.x),
        };
        let fields =
            self.0.iter().map(|(property, value)| (property.name().to_owned(), json(*property, *value)));
        fields.collect::<JsonObject>().into()
    }
}

/// Values of bones, places of targets of constraints, and values of sliders.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PoseValues {
    pub(crate) bones: BTreeMap<String, Channels>,
    pub(crate) goals: BTreeMap<String, Point>,
    pub(crate) sliders: BTreeMap<String, f64>,
}

impl PoseValues {
    /// What a rig is posed with. Names that it does not have any more are left out.
    pub(crate) fn overrides(&self, rig: &Rig, sampled: &Pose) -> Overrides {
        let skeleton = rig.skeleton();
        // Drags are in canvas space, without the camera.
        let mut overrides = Overrides { camera: rig.page_camera(), ..Overrides::new() };
        for (name, channels) in &self.bones {
            let Some(bone) = skeleton.find(name) else { continue };
            let Some(pose) = sampled.bones.get(bone.index()) else { continue };
            let set = channels.on(*pose, &sampled.setup(skeleton, bone));
            overrides.bones.set(bone, BoneOverride::Set(set));
        }
        for (name, at) in &self.goals {
            if let Some(constraint) = rig.find_constraint(name) {
                let value = ConstraintOverride { place: Some(*at), ..ConstraintOverride::default() };
                overrides.constraints.set(constraint, value);
            }
        }
        for (name, value) in &self.sliders {
            if let Some(slider) = rig.sliders().iter().position(|slider| slider.name == *name) {
                overrides.sliders.set(slider, *value);
            }
        }
        overrides
    }

    /// The values of overrides that differ from the clip's.
    pub(crate) fn of_overrides(rig: &Rig, sampled: &Pose, overrides: &Overrides) -> Self {
        let skeleton = rig.skeleton();
        let mut values = Self::default();
        for (bone, value) in overrides.bones.iter() {
            let Some(pose) = sampled.bones.get(bone.index()) else { continue };
            let setup = sampled.setup(skeleton, bone);
            let own = Channels::of(&value.of(pose), &setup).other_than(&Channels::of(pose, &setup));
            if !own.is_empty() {
                values.bones.insert(skeleton.name(bone).to_owned(), own);
            }
        }
        for (constraint, value) in overrides.constraints.iter() {
            let name = rig.constraints().nth(constraint).and_then(|(rule, _)| rule.name.clone());
            if let Some((at, name)) = value.place.zip(name) {
                values.goals.insert(name, at);
            }
        }
        values
    }

    /// The values that are not those of others.
    pub(crate) fn other_than(&self, other: &Self) -> Self {
        let mut values = Self::default();
        for (name, channels) in &self.bones {
            let own =
                other.bones.get(name).map_or_else(|| channels.clone(), |before| channels.other_than(before));
            if !own.is_empty() {
                values.bones.insert(name.clone(), own);
            }
        }
        for (name, at) in &self.goals {
            if other.goals.get(name).is_none_or(|before| before.distance(*at) > SAME) {
                values.goals.insert(name.clone(), *at);
            }
        }
        values
    }

    /// The values with left bones for right ones and the other way round.
    pub(crate) fn mirrored(&self, rig: &Rig) -> Self {
        let skeleton = rig.skeleton();
        let mirror = |(name, channels): (&String, &Channels)| {
            let partner =
                mirrored_name(name).map(|(_, name)| name).filter(|name| skeleton.find(name).is_some());
            let name = partner.unwrap_or_else(|| name.clone());
            let is_root = skeleton.find(&name).is_some_and(|bone| skeleton.parent(bone).is_none());
            (name, channels.mirrored(is_root))
        };
        Self { bones: self.bones.iter().map(mirror).collect(), ..Self::default() }
    }
}

/// The pose of a clip, or the setup pose, before anything is put on top of it.
pub(crate) fn sample(rig: &Rig, clip: Option<&RigClip>, time: f64) -> Pose {
    let skeleton = rig.skeleton();
    let (mut scratch, mut pose) = (Pose::new(skeleton), Pose::new(skeleton));
    if let Some(clip) = clip {
        // The clip is of this rig.
        let _ = rig.sample(clip, time, &mut scratch, &mut pose);
    }
    pose
}

/// The time of a key, within the clip.
pub(crate) fn clip_time(clip: &RigClip, time: f64) -> f64 {
    if let Some(keyed) = clip.clip().filter(|keyed| !keyed.plays_straight()) {
        return keyed.moving_key_time(time);
    }
    let length = clip.time().length;
    if clip.time().looped && time > length && length > 0.0 { time.rem_euclid(length) } else { time }
}

/// The channels of a bone that have the keys of a property: its own, that of an absolute one in its place, or
/// those of halves.
pub(crate) fn keyed_channels(
    of: &BoneChannelsDoc,
    property: BoneProperty,
) -> impl Iterator<Item = (BoneProperty, &AnyChannel)> {
    of.values.iter().filter(move |(own, _)| *own == property || own.excludes(property))
}

/// Whether a property of a bone has keys, and whether one is at this time.
fn keyed((typed, time): (&ClipDoc, f64), bone: &str, property: BoneProperty) -> (bool, bool) {
    let own = typed.bones.iter().find(|channels| channels.bone.value == bone);
    let channels = || own.into_iter().flat_map(|own| keyed_channels(own, property));
    let mut times = channels().flat_map(|(_, channel)| channel.times());
    (channels().next().is_some(), times.any(|at| (at.value - time).abs() <= SAME_TIME))
}

/// The values of bones for fields and buttons: what is posed, and whether it is keyed.
pub(crate) fn shown(
    (rig, doc): (&Rig, &RigDoc),
    clip: Option<&RigClip>,
    time: f64,
    bones: &[String],
    values: &PoseValues,
    pose: &Pose,
) -> BTreeMap<String, BTreeMap<String, ChannelState>> {
    let skeleton = rig.skeleton();
    let empty = ClipDoc::default();
    let typed = clip.and_then(|clip| doc.keyed(clip.name())).unwrap_or(&empty);
    let time = clip.map_or(time, |clip| clip_time(clip, time));
    let mut all = BTreeMap::new();
    for bone in bones {
        let Some(id) = skeleton.find(bone) else { continue };
        let Some(own) = pose.bones.get(id.index()) else { continue };
        let set = values.bones.get(bone);
        let channels = Channels::of(own, &pose.setup(skeleton, id));
        let Value::Object(shown) = channels.json() else { continue };
        let channel = |(name, value): (String, Value)| {
            let property = BoneProperty::named(&name)?;
            let (keyed, here) = keyed((typed, time), bone, property);
            let changed = set.is_some_and(|set| set.0.contains_key(&property));
            Some((name, ChannelState { value, keyed, here, changed, options: None }))
        };
        all.insert(bone.clone(), shown.into_iter().filter_map(channel).collect());
    }
    all
}
