//! Poses by name: which there are, with those that are made from the other side, and the keys that clips have of
//! them.

use std::collections::BTreeMap;

use bone_core::clip::{BoneProperty, Properties, ValueKind};
use kurbo::Vec2;

use crate::doc::{
    AnyChannel, ArtDoc, BoneChannelsDoc, Channel, Channels, ClipDoc, Half, Key, PoseDoc, PoseWeightDoc,
    PosedArtDoc, RigDoc,
};
use crate::half::{mirror, partner, roots};
use crate::span::{Span, Spanned};

/// The most values that the clips of a rig have of its poses: each use of a pose has all of its values once more.
pub(crate) const MOST_POSED: usize = 1_000_000;

/// The poses of a rig in its order. One that is made from the other side follows that.
#[derive(Debug, Default)]
pub(crate) struct Poses {
    list: Vec<PoseDoc>,
    by_name: BTreeMap<String, usize>,
    /// The poses that are made from the other side, with the pose that they are made from.
    mirrored: BTreeMap<usize, usize>,
    /// How many values all clips have of them.
    pub(crate) used: usize,
}

/// A key that a clip has twice: typed, and of a pose.
pub(crate) struct PoseClash {
    /// The later one.
    pub(crate) pose: Span,
    pub(crate) typed: Span,
    /// What has it, and which of its values.
    pub(crate) of: String,
    pub(crate) value: &'static str,
}

impl Poses {
    pub(crate) fn new(doc: &RigDoc) -> Self {
        let mut poses = Self::default();
        if doc.poses.is_empty() {
            return poses;
        }
        let mut uses: BTreeMap<&str, (Span, usize)> = BTreeMap::new();
        for name in doc.clips.iter().flat_map(named) {
            uses.entry(&name.value).or_insert((name.span, 0)).1 += 1;
        }
        let written: BTreeMap<&str, ()> =
            doc.poses.iter().map(|pose| (pose.name.value.as_str(), ())).collect();
        let roots = roots(doc);
        for pose in &doc.poses {
            let name = &pose.name.value;
            let at = poses.add(pose.clone(), uses.get(name.as_str()));
            let other = partner(name);
            let used = uses.get(other.as_str()).filter(|_| !written.contains_key(other.as_str()));
            if let Some(used) = used {
                let made = poses.add(sided(pose, Half::Mirror, &roots, Some((other, used.0))), Some(used));
                poses.mirrored.insert(made, at);
            }
        }
        poses
    }

    fn add(&mut self, pose: PoseDoc, used: Option<&(Span, usize)>) -> usize {
        let at = self.list.len();
        let count = used.map_or(0, |(_, count)| *count);
        self.used = self.used.saturating_add(count.saturating_mul(pose.len()));
        self.by_name.insert(pose.name.value.clone(), at);
        self.list.push(pose);
        at
    }

    /// All of them.
    pub(crate) fn all_mut(&mut self) -> impl Iterator<Item = &mut PoseDoc> {
        self.list.iter_mut()
    }

    /// Those that are made from the other side, each with the pose that it is made from.
    pub(crate) fn mirrored(&self) -> impl Iterator<Item = (&PoseDoc, &PoseDoc)> {
        self.mirrored.iter().filter_map(|(made, of)| Some((self.list.get(*made)?, self.list.get(*of)?)))
    }

    pub(crate) fn find(&self, name: &str) -> Option<&PoseDoc> {
        self.list.get(*self.by_name.get(name)?)
    }

    /// The poses towards which a clip moves, in the order of the rig, each with its place among them.
    pub(crate) fn weighted<'p>(&'p self, clip: &'p ClipDoc) -> Vec<(usize, &'p PoseDoc, &'p PoseWeightDoc)> {
        if self.used > MOST_POSED {
            return Vec::new();
        }
        let found = clip.poses.iter().filter_map(|weight| {
            let at = *self.by_name.get(&weight.pose.value)?;
            Some((at, self.list.get(at)?, weight))
        });
        let mut found: Vec<_> = found.collect();
        found.sort_by_key(|(at, ..)| *at);
        found
    }

    /// The clip with the keys of its poses, as if they were typed; none if it has none. Keys of poses where the
    /// clip has typed ones are given to a function, and left out.
    pub(crate) fn keyed(&self, clip: &ClipDoc, clash: &mut dyn FnMut(PoseClash)) -> Option<ClipDoc> {
        let poses = clip.pose.as_ref().filter(|_| self.used <= MOST_POSED)?;
        let mut keyed = ClipDoc { pose: None, ..clip.clone() };
        let place = |bone: (usize, &BoneChannelsDoc)| (bone.1.bone.value.clone(), bone.0);
        let mut bones: BTreeMap<String, usize> = keyed.bones.iter().enumerate().map(place).collect();
        let place = |art: (usize, &ArtDoc)| (art.1.art.value.clone(), art.0);
        let mut arts: BTreeMap<String, usize> = keyed.art.iter().enumerate().map(place).collect();
        let mut before = None;
        for key in &poses.keys {
            // Two poses at one time are reported as such.
            if before.replace(key.time.value) == Some(key.time.value) {
                continue;
            }
            let Some(pose) = self.find(&key.value.value) else { continue };
            for posed in &pose.bones {
                let at = *bones.entry(posed.bone.value.clone()).or_insert_with(|| {
                    keyed
                        .bones
                        .push(BoneChannelsDoc::new(Spanned::new(posed.bone.value.clone(), key.value.span)));
                    keyed.bones.len() - 1
                });
                let Some(own) = keyed.bones.get_mut(at) else { continue };
                add_keys(&mut own.values, &posed.values.0, (&posed.bone.value, key), clash);
            }
            for posed in &pose.art {
                let at = *arts.entry(posed.art.value.clone()).or_insert_with(|| {
                    keyed.art.push(ArtDoc::new(Spanned::new(posed.art.value.clone(), key.value.span)));
                    keyed.art.len() - 1
                });
                let Some(own) = keyed.art.get_mut(at) else { continue };
                add_keys(&mut own.values, &posed.values.0, (&posed.art.value, key), clash);
            }
        }
        Some(keyed)
    }
}

/// The names of poses in a clip.
pub(crate) fn named(clip: &ClipDoc) -> impl Iterator<Item = &Spanned<String>> {
    let keys = clip.pose.iter().flat_map(|pose| &pose.keys).map(|key| &key.value);
    keys.chain(clip.poses.iter().map(|weight| &weight.pose))
}

/// A pose with its sides changed. One that gets a name has that place everywhere: of where it is used.
pub(crate) fn sided(
    pose: &PoseDoc,
    half: Half,
    roots: &BTreeMap<&str, bool>,
    named: Option<(String, Span)>,
) -> PoseDoc {
    let (mut sided, same) = (pose.clone(), Vec2::new(1.0, 1.0));
    for bone in &mut sided.bones {
        let is_root = roots.get(bone.bone.value.as_str()).is_none_or(|is_root| *is_root);
        bone.bone.value = partner(&bone.bone.value);
        bone.values.0.each(|property, channel| turn(channel, mirror(half, property, is_root)));
    }
    for art in &mut sided.art {
        art.art.value = partner(&art.art.value);
        art.values.0.each(|property, channel| match property.row().kind {
            // Words are no names of art.
            ValueKind::Text => {}
            _ => turn(channel, same),
        });
    }
    if let Some((name, span)) = named {
        sided.places_at(span);
        sided.name.value = name;
    }
    sided
}

/// Changes the sides of a value.
fn turn(channel: &mut AnyChannel, factor: Vec2) {
    match channel {
        AnyChannel::Number(channel) => *channel = channel.map(|value| value * factor.x),
        AnyChannel::Pair(channel) => {
            *channel = channel.map(|value| Vec2::new(value.x * factor.x, value.y * factor.y));
        }
        AnyChannel::Name(channel) => {
            for name in channel.keys.iter_mut().filter_map(|key| key.value.value.as_mut()) {
                *name = partner(name);
            }
        }
        AnyChannel::Shape(channel) => {
            for key in &mut channel.keys {
                key.value.value = key.value.value.renamed(partner);
            }
        }
        AnyChannel::Flag(_) | AnyChannel::Color(_) => {}
    }
}

/// Adds the values of a pose as keys at the time of a key of it.
fn add_keys<P: Properties>(
    channels: &mut Channels<P>,
    values: &Channels<P>,
    (of, at): (&str, &Key<String>),
    clash: &mut dyn FnMut(PoseClash),
) {
    for (property, value) in values.iter() {
        let row = property.row();
        let steps = row.kind.steps();
        let at = Key { ease: at.ease.filter(|_| !steps), ..at.clone() };
        let Some(own) = channels.get_mut(property) else {
            let key = value.at(&at);
            channels.set(property, key);
            continue;
        };
        let double = match (own, value) {
            (AnyChannel::Number(own), AnyChannel::Number(value)) => own.add(value, &at),
            (AnyChannel::Pair(own), AnyChannel::Pair(value)) => own.add(value, &at),
            (AnyChannel::Flag(own), AnyChannel::Flag(value)) => own.add(value, &at),
            (AnyChannel::Name(own), AnyChannel::Name(value)) => own.add(value, &at),
            (AnyChannel::Color(own), AnyChannel::Color(value)) => own.add(value, &at),
            (AnyChannel::Shape(own), AnyChannel::Shape(value)) => own.add(value, &at),
            // A property has one kind of values.
            _ => None,
        };
        if let Some(typed) = double {
            clash(PoseClash { pose: at.value.span, typed, of: of.to_owned(), value: row.name });
        }
    }
}

impl AnyChannel {
    /// Its first value as the only key of a channel, at the time and with the ease of another key.
    fn at(&self, key: &Key<String>) -> Self {
        match self {
            Self::Number(value) => value.at(key).into(),
            Self::Pair(value) => value.at(key).into(),
            Self::Flag(value) => value.at(key).into(),
            Self::Name(value) => value.at(key).into(),
            Self::Color(value) => value.at(key).into(),
            Self::Shape(value) => value.at(key).into(),
        }
    }
}

impl<T: Clone> Channel<T> {
    fn at(&self, key: &Key<String>) -> Self {
        let mut channel = Self { span: key.value.span, ..Self::from_keys([]) };
        channel.add(self, key);
        channel
    }

    /// Adds the first value of another channel, at the time and with the ease of a key. Returns the place of the
    /// key that is there already.
    fn add(&mut self, value: &Self, at: &Key<String>) -> Option<Span> {
        let first = value.keys.first()?;
        let next = self.keys.partition_point(|key| key.time.value < at.time.value);
        if let Some(there) = self.keys.get(next).filter(|key| key.time.value == at.time.value) {
            return Some(there.span);
        }
        let value = Spanned::new(first.value.value.clone(), at.value.span);
        self.keys.insert(next, Key { span: at.span, time: at.time, value, ease: at.ease });
        None
    }
}

impl<P: Properties> Channels<P> {
    /// Calls a function with each property and its channel.
    fn each(&mut self, mut visit: impl FnMut(P, &mut AnyChannel)) {
        for &property in P::ALL {
            if let Some(channel) = self.get_mut(property) {
                visit(property, channel);
            }
        }
    }
}

impl PosedArtDoc {
    /// Values of art as channels with one key.
    pub(crate) fn channels(all: &[Self]) -> Vec<ArtDoc> {
        all.iter().map(|own| ArtDoc { art: own.art.clone(), values: own.values.0.clone() }).collect()
    }
}

impl PoseDoc {
    /// What bones do, as channels with one key.
    pub(crate) fn bone_channels(&self) -> impl Iterator<Item = BoneChannelsDoc> {
        self.bones.iter().map(|posed| BoneChannelsDoc {
            bone: posed.bone.clone(),
            values: posed.values.0.clone(),
            parent: None,
        })
    }

    /// The same of art.
    pub(crate) fn art_channels(&self) -> Vec<ArtDoc> {
        PosedArtDoc::channels(&self.art)
    }

    /// Sets the places of everything in it.
    fn places_at(&mut self, place: Span) {
        crate::schema::content::Content::places(self, &mut |span| *span = place);
    }

    /// The values of bones: bone, property, channel.
    pub(crate) fn bone_values(&self) -> impl Iterator<Item = (&Spanned<String>, BoneProperty, &AnyChannel)> {
        self.bones
            .iter()
            .flat_map(|bone| bone.values.0.iter().map(move |(of, value)| (&bone.bone, of, value)))
    }
}
