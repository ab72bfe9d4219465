//! Clips that hold half a cycle: the second half is the first with its sides changed.

use std::collections::BTreeMap;

use bone_core::clip::{BoneProperty, Ease, Properties, ValueKind};
use bone_core::mirrored_name;
use kurbo::Vec2;

use crate::doc::{
    AnyChannel, ArtDoc, Bend, BendChannel, BoneDoc, BoneKind, Channel, Channels, ClipDoc,
    ConstraintChannelsDoc, EventDoc, Extend, Half, HoldDoc, InkKeysDoc, Key, PoseWeightDoc, RigDoc, SoundDoc,
    WeightsDoc,
};
use crate::span::Spanned;

/// Two times of keys are one.
const SAME_TIME: f64 = 1e-9;

/// What a value is multiplied with on the other side: a number with x.
pub(crate) fn mirror(half: Half, property: BoneProperty, is_root: bool) -> Vec2 {
    let row = property.row();
    let across = if is_root { Vec2::new(-1.0, 1.0) } else { Vec2::new(1.0, -1.0) };
    match (half, row.kind, row.half_of) {
        (Half::Swap, ..) => Vec2::new(1.0, 1.0),
        (Half::Mirror, ValueKind::Degrees, _) => Vec2::new(-1.0, -1.0),
        // The frame of a parent is mirrored with it; that of a root is the canvas.
        (Half::Mirror, ValueKind::Place, _) => across,
        (Half::Mirror, ValueKind::Length, Some((_, 0))) => Vec2::new(across.x, across.x),
        (Half::Mirror, ValueKind::Length, Some(_)) => Vec2::new(across.y, across.y),
        (Half::Mirror, ..) => Vec2::new(1.0, 1.0),
    }
}

/// The name on the other side; the same for what has no side.
pub(crate) fn partner(name: &str) -> String {
    mirrored_name(name).map_or_else(|| name.to_owned(), |(_, other)| other)
}

/// Which bones are roots.
pub(crate) fn roots(doc: &RigDoc) -> BTreeMap<&str, bool> {
    let by_name: BTreeMap<&str, &BoneDoc> =
        doc.bones.iter().map(|bone| (bone.name.value.as_str(), bone)).collect();
    let parent = |bone: &BoneDoc| by_name.get(bone.parent.as_ref()?.value.as_str()).copied();
    by_name.iter().map(|(name, bone)| (*name, is_upright(bone, parent(bone)))).collect()
}

/// Whether x is to the right in the frame that carries a bone: that of the canvas, or of a point on it. A point
/// that is turned has none.
pub(crate) fn is_upright(bone: &BoneDoc, parent: Option<&BoneDoc>) -> bool {
    let is_level =
        |point: &BoneDoc| point.kind() == BoneKind::Point && point.parent.is_none() && point.angle.is_none();
    bone.parent.is_none() || parent.is_some_and(is_level)
}

/// The clip with both halves, as if they were typed; none for a clip that is whole, or has no length.
pub(crate) fn whole(doc: &RigDoc, clip: &ClipDoc) -> Option<ClipDoc> {
    let (half, length) = (clip.half?, clip.duration()?);
    let comes_round = clip.time().and_then(|time| time.key_loop()).is_some() && clip.retime.is_none();
    let halves = Halves { length, half: half.value, comes_round };
    let mut whole =
        ClipDoc { half: None, length: Some(Spanned::new(2.0 * length, half.span)), ..clip.clone() };
    let by_name: BTreeMap<&str, usize> =
        clip.bones.iter().enumerate().map(|(at, bone)| (bone.bone.value.as_str(), at)).collect();
    let roots = roots(doc);
    for bone in &mut whole.bones {
        let name = bone.bone.value.as_str();
        let is_root = roots.get(name).is_none_or(|is_root| *is_root);
        let other = by_name.get(partner(name).as_str()).and_then(|at| clip.bones.get(*at));
        let other = other.map(|other| &other.values);
        halves.all(&mut bone.values, other, |property| mirror(half.value, property, is_root));
    }
    let same = Vec2::new(1.0, 1.0);
    let arts: BTreeMap<&str, &ArtDoc> = clip.art.iter().map(|art| (art.art.value.as_str(), art)).collect();
    for art in &mut whole.art {
        let other = arts.get(partner(&art.art.value).as_str());
        let own = art.values.clone();
        halves.all(&mut art.values, other.map(|other| &other.values), |_| same);
        // The order of pieces is not one of sides.
        if let Some(order) = own.get(bone_drawing::ArtProperty::Order) {
            let order = halves.channel(ValueKind::Step, (order, Some(order)), same);
            art.values.set(bone_drawing::ArtProperty::Order, order);
        }
    }
    let constraints: BTreeMap<&str, &ConstraintChannelsDoc> =
        clip.constraints.iter().map(|one| (one.name.value.as_str(), one)).collect();
    for constraint in &mut whole.constraints {
        let other = constraints.get(partner(&constraint.name.value).as_str());
        halves.all(&mut constraint.values, other.map(|other| &other.values), |_| same);
        let other_bend = other.and_then(|other| other.bend.as_ref());
        constraint.bend = halves.bend(constraint.bend.as_ref(), other_bend);
        let later = |hold: &HoldDoc| HoldDoc {
            from: Spanned::new(hold.from.value + length, hold.from.span),
            until: Spanned::new(hold.until.value + length, hold.until.span),
            ..*hold
        };
        constraint.holds.extend(other.into_iter().flat_map(|other| &other.holds).map(later));
    }
    let later = |event: &EventDoc| EventDoc {
        time: Spanned::new(event.time.value + length, event.time.span),
        name: Spanned::new(partner(&event.name.value), event.name.span),
        ..event.clone()
    };
    whole.events.keys.extend(clip.events.keys.iter().map(later));
    let again = |sound: &SoundDoc| SoundDoc {
        at: Some(Spanned::new(sound.begins() + length, sound.span)),
        ..sound.clone()
    };
    whole.sounds.extend(clip.sounds.iter().map(again));
    for gradient in &mut whole.paints {
        let own = gradient.values.clone();
        halves.all(&mut gradient.values, Some(&own), |_| same);
        for (_, color) in &mut gradient.colors {
            *color = halves.keys(color, Some(color), |color| *color, 1.0);
        }
        for (_, number) in gradient.opacities.iter_mut().chain(&mut gradient.offsets) {
            *number = halves.keys(number, Some(number), |number| *number, 1.0);
        }
    }
    for filter in &mut whole.filters {
        let own = filter.values.clone();
        halves.all(&mut filter.values, Some(&own), |_| same);
    }
    for InkKeysDoc { art, places } in &mut whole.ink {
        let other = clip.ink.iter().find(|other| other.art.value == partner(&art.value));
        for (place, width) in places {
            let others = other.into_iter().flat_map(|other| &other.places);
            let mut others = others.filter(|(other, _)| other.value == place.value);
            *width = halves.keys(width, others.next().map(|(_, width)| width), |width| *width, 1.0);
        }
    }
    let weights: BTreeMap<&str, &Channel<f64>> =
        clip.poses.iter().map(|weight| (weight.pose.value.as_str(), &weight.weight.channel)).collect();
    for PoseWeightDoc { pose, weight } in &mut whole.poses {
        let other = weights.get(partner(&pose.value).as_str()).copied();
        weight.channel = halves.keys(&weight.channel, other, |weight| *weight, 1.0);
    }
    for (_, offset) in whole.offsets.iter_mut().flat_map(|art| &mut art.vertices) {
        offset.channel = halves.keys(&offset.channel, Some(&offset.channel), |offset| *offset, 1.0);
    }
    for (_, position) in whole.setup.iter_mut().flat_map(|art| &mut art.vertices) {
        *position = halves.keys(position, Some(position), |position| *position, 1.0);
    }
    for (_, row) in whole.weights.iter_mut().flat_map(|art| &mut art.vertices) {
        *row = halves.keys(row, Some(row), WeightsDoc::clone, 1.0);
    }
    Some(whole)
}

struct Halves {
    length: f64,
    half: Half,
    /// Whether the first half follows the second.
    comes_round: bool,
}

impl Halves {
    /// The second halves of all channels.
    fn all<P: Properties>(
        &self,
        own: &mut Channels<P>,
        other: Option<&Channels<P>>,
        mirror: impl Fn(P) -> Vec2,
    ) {
        let whole: Vec<(P, AnyChannel)> = own
            .iter()
            .map(|(property, channel)| {
                let other = other.and_then(|other| other.get(property));
                (property, self.channel(property.row().kind, (channel, other), mirror(property)))
            })
            .collect();
        whole.into_iter().for_each(|(property, channel)| own.set(property, channel));
    }

    fn channel(
        &self,
        kind: ValueKind,
        (own, other): (&AnyChannel, Option<&AnyChannel>),
        factor: Vec2,
    ) -> AnyChannel {
        match (own, other) {
            (AnyChannel::Number(own), Some(AnyChannel::Number(other))) => {
                self.keys(own, Some(other), |value| value * factor.x, factor.x).into()
            }
            (AnyChannel::Pair(own), Some(AnyChannel::Pair(other))) => {
                let mirrored = |value: &Vec2| Vec2::new(value.x * factor.x, value.y * factor.y);
                self.keys(own, Some(other), mirrored, 1.0).into()
            }
            (AnyChannel::Flag(own), Some(AnyChannel::Flag(other))) => {
                self.keys(own, Some(other), |value| *value, 1.0).into()
            }
            (AnyChannel::Name(own), Some(AnyChannel::Name(other))) => {
                let of_side = |value: &Option<String>| match kind {
                    // Words are no names of art.
                    ValueKind::Text => value.clone(),
                    _ => value.as_deref().map(partner),
                };
                self.keys(own, Some(other), of_side, 1.0).into()
            }
            (AnyChannel::Color(own), Some(AnyChannel::Color(other))) => {
                self.keys(own, Some(other), |value| *value, 1.0).into()
            }
            (AnyChannel::Shape(own), Some(AnyChannel::Shape(other))) => {
                self.keys(own, Some(other), |value| value.renamed(partner), 1.0).into()
            }
            // What is keyed on one side alone was reported.
            _ => own.clone(),
        }
    }

    /// The keys of one side, then those of the other. A speed is multiplied with `factor`.
    fn keys<T: Clone>(
        &self,
        own: &Channel<T>,
        other: Option<&Channel<T>>,
        mirrored: impl Fn(&T) -> T,
        factor: f64,
    ) -> Channel<T> {
        let Some(other) = other.filter(|other| !other.keys.is_empty()) else { return own.clone() };
        let begins = other.keys.iter().any(|key| key.time.value.abs() <= SAME_TIME);
        // What is keyed after the half is not played.
        let is_played = |key: &&Key<T>| key.time.value <= self.length + SAME_TIME;
        let stays = |key: &&Key<T>| is_played(key) && !(begins && key.time.value >= self.length - SAME_TIME);
        let later = |key: &Key<T>| {
            let ease = key.ease.map(|ease| Spanned::new(with_speed(ease.value, factor), ease.span));
            Key {
                span: key.span,
                time: Spanned::new(key.time.value + self.length, key.time.span),
                value: Spanned::new(mirrored(&key.value.value), key.value.span),
                // The eases of the one may be given once for all.
                ease: ease.or(other.ease).filter(|_| ease.is_some() || other.ease != own.ease),
            }
        };
        let mut keys: Vec<Key<T>> = own
            .keys
            .iter()
            .filter(stays)
            .cloned()
            .chain(other.keys.iter().filter(is_played).map(later))
            .collect();
        if keys.is_empty() {
            return own.clone();
        }
        let mut extend = own.extend;
        // Without a key at the start a loop goes on from its last key to its first.
        if let Some(first) = keys.first().filter(|first| self.comes_round && first.time.value > SAME_TIME) {
            let time = Spanned::new(first.time.value + 2.0 * self.length, first.time.span);
            keys.push(Key { time, ..first.clone() });
            extend = Some(Spanned::new(Extend::Loop, own.span));
        }
        Channel { keys, span: own.span, ease: own.ease, extend, shift: own.shift.clone() }
    }

    fn bend(&self, own: Option<&BendChannel>, other: Option<&BendChannel>) -> Option<BendChannel> {
        let (mut bend, other) = (own?.clone(), other?);
        let turned = |side: Bend| match self.half {
            Half::Swap => side,
            Half::Mirror => match side {
                Bend::Left => Bend::Right,
                Bend::Right => Bend::Left,
                other => other,
            },
        };
        let later = other.keys.iter().map(|(time, side)| {
            let time = Spanned::new(time.value + self.length, time.span);
            (time, Spanned::new(turned(side.value), side.span))
        });
        let begins = other.keys.iter().any(|(time, _)| time.value.abs() <= SAME_TIME);
        bend.keys.retain(|(time, _)| !begins || (time.value - self.length).abs() > SAME_TIME);
        bend.keys.extend(later);
        Some(bend)
    }
}

fn with_speed(ease: Ease, factor: f64) -> Ease {
    match ease {
        Ease::Slope { arrive, leave } => Ease::Slope { arrive: arrive * factor, leave: leave * factor },
        other => other,
    }
}
