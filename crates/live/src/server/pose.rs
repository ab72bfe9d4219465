//! Values that are set on top of a clip and not keyed, by name: they fit any revision of the rig that has
//! these bones. Rotations are degrees from rest and never wrapped.

use std::collections::BTreeMap;

use bone_core::{Angle, BonePose, Pose, mirrored_name};
use bone_format::doc::{Channel, ClipDoc, RigDoc};
use bone_rig::{BoneOverride, ConstraintOverride, Overrides, Rig, RigClip};
use kurbo::{Point, Vec2};
use serde_json::{Value, json};

use crate::message::{JsonObject, Reason, Wire};

/// Two values are the same if they differ by less; what solvers leave is smaller.
pub(crate) const SAME: f64 = 1e-7;
/// Two times of keys are one.
pub(crate) const SAME_TIME: f64 = 0.51e-4;

messages! {
    /// A value of a bone, for fields and buttons.
    record ChannelState { value as "v": Value, keyed: bool, here: bool, changed: bool }
}

/// The channels of one bone, relative to its setup pose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Channels {
    pub(crate) rotate: Option<f64>,
    pub(crate) shift: Option<Vec2>,
    pub(crate) scale: Option<Vec2>,
    pub(crate) stretch: Option<f64>,
}

impl Channels {
    /// All channels of a bone that is posed.
    pub(crate) fn of(pose: &BonePose, setup: &BonePose) -> Self {
        Self {
            rotate: Some((pose.angle - setup.angle).degrees()),
            shift: Some(pose.origin - setup.origin),
            scale: Some(pose.scale),
            stretch: Some(pose.stretch),
        }
    }

    /// A pose of a bone with these channels.
    fn on(&self, mut pose: BonePose, setup: &BonePose) -> BonePose {
        if let Some(rotate) = self.rotate {
            pose.angle = setup.angle + Angle::from_degrees(rotate);
        }
        if let Some(shift) = self.shift {
            pose.origin = setup.origin + shift;
        }
        pose.scale = self.scale.unwrap_or(pose.scale);
        pose.stretch = self.stretch.unwrap_or(pose.stretch);
        pose
    }

    /// Those that differ from others.
    fn other_than(&self, other: &Self) -> Self {
        let number = |a: Option<f64>, b: Option<f64>| a.filter(|a| b.is_none_or(|b| (a - b).abs() > SAME));
        let pair = |a: Option<Vec2>, b: Option<Vec2>| a.filter(|a| b.is_none_or(|b| (*a - b).hypot() > SAME));
        Self {
            rotate: number(self.rotate, other.rotate),
            shift: pair(self.shift, other.shift),
            scale: pair(self.scale, other.scale),
            stretch: number(self.stretch, other.stretch),
        }
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The same for the bone on the other side. A parent's frame is mirrored with it; that of a root is the
    /// canvas.
    fn mirrored(self, is_root: bool) -> Self {
        let shift = |by: Vec2| if is_root { Vec2::new(-by.x, by.y) } else { Vec2::new(by.x, -by.y) };
        Self { rotate: self.rotate.map(|rotate| -rotate), shift: self.shift.map(shift), ..self }
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
        let vec = |name: &str| Ok::<_, Reason>(Option::<Point>::field(fields, name)?.map(Point::to_vec2));
        Ok(Self {
            rotate: Wire::field(fields, "rotate")?,
            shift: vec("move")?,
            scale: vec("scale")?,
            stretch: Wire::field(fields, "stretch")?,
        })
    }

    fn json(&self) -> Value {
        let mut fields = JsonObject::new();
        let mut put = |name: &str, value: Option<Value>| {
            fields.extend(value.map(|value| (name.to_owned(), value)));
        };
        put("rotate", self.rotate.map(|value| json!(value)));
        put("move", self.shift.map(|it| json!([it.x, it.y])));
        put("scale", self.scale.map(|it| json!([it.x, it.y])));
        put("stretch", self.stretch.map(|value| json!(value)));
        fields.into()
    }
}

/// Values of bones, and places of targets of constraints.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PoseValues {
    pub(crate) bones: BTreeMap<String, Channels>,
    pub(crate) goals: BTreeMap<String, Point>,
}

impl PoseValues {
    /// What a rig is posed with. Names that it does not have any more are left out.
    pub(crate) fn overrides(&self, rig: &Rig, sampled: &Pose) -> Overrides {
        let skeleton = rig.skeleton();
        let mut overrides = Overrides::new();
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
            let before = other.bones.get(name).copied().unwrap_or_default();
            let own = channels.other_than(&before);
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
        Self { bones: self.bones.iter().map(mirror).collect(), goals: BTreeMap::new() }
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
    let length = clip.time().length;
    if clip.time().looped && time > length && length > 0.0 { time.rem_euclid(length) } else { time }
}

/// Which channels of a bone have keys, and whether one is at this time.
fn keyed((typed, time): (&ClipDoc, f64), bone: &str, channel: &str) -> (bool, bool) {
    let own = typed.bones.iter().find(|channels| channels.bone.value == bone);
    let times = || -> Option<Vec<f64>> {
        fn of<T>(channel: &Option<Channel<T>>) -> Option<Vec<f64>> {
            channel.as_ref().map(|channel| channel.keys.iter().map(|key| key.time.value).collect())
        }
        let own = own?;
        match channel {
            "rotate" => of(&own.rotate).or_else(|| of(&own.angle)),
            "move" => of(&own.shift).or_else(|| of(&own.origin)),
            "scale" => of(&own.scale),
            _ => of(&own.stretch),
        }
    };
    let times = times();
    let here = times.iter().flatten().any(|at| (at - time).abs() <= SAME_TIME);
    (times.is_some(), here)
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
    let typed = clip.and_then(|clip| doc.clip(clip.name())).unwrap_or(&empty);
    let time = clip.map_or(time, |clip| clip_time(clip, time));
    let mut all = BTreeMap::new();
    for bone in bones {
        let Some(id) = skeleton.find(bone) else { continue };
        let Some(own) = pose.bones.get(id.index()) else { continue };
        let Value::Object(channels) = Channels::of(own, &pose.setup(skeleton, id)).json() else { continue };
        let set = values.bones.get(bone).copied().unwrap_or_default().json();
        let channel = |(name, value): (String, Value)| {
            let (keyed, here) = keyed((typed, time), bone, &name);
            let changed = set.get(&name).is_some();
            (name, ChannelState { value, keyed, here, changed })
        };
        all.insert(bone.clone(), channels.into_iter().map(channel).collect());
    }
    all
}
