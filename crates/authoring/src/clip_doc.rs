//! Converts figures and clips to a document that can be written.

use bone_core::clip::{Scalar, Vector};
use bone_drawing::ArtProperty;
use std::collections::BTreeSet;

use bone_core::clip as motion;
use bone_core::{BoneId, Side, Skeleton};
use bone_format::doc::{
    ArtDoc, Bend, BindingDoc, BoneChannelsDoc, BoneDoc, Channel, ClipDoc, ConstraintChannelsDoc,
    ConstraintDoc, ConstraintKind, Ease, EndAngle, EndDoc, Extend, HoldDoc, IkDoc, Key, RigDoc, RigidDoc,
};
use bone_format::span::{Span, Spanned};
use bone_import::animal::AnimalPart;
use bone_import::figure::Figure;
use bone_import::fit::{ChannelKeys, KeyedClip};
use bone_import::retarget::FootLock;
use bone_import::stick_figure::StickFigure;
use kurbo::Point;

/// A rig of a figure and its drawing, without clips.
pub(crate) fn rig(figure: &Figure, stick: &StickFigure, drawing: &str, fps: f64) -> RigDoc {
    RigDoc {
        version: Some(1.into()),
        drawing: Some(drawing.to_owned().into()),
        fps: Some(fps.into()),
        bones: bones(&figure.skeleton),
        skin: skin(&stick.bindings),
        complete: true,
        ..RigDoc::default()
    }
}

/// Removes bones without art and without use: of feet that point at the viewer the shin has the shoe. `held` are
/// bones that constraints read.
pub(crate) fn keep_used_bones<'n>(rig: &mut RigDoc, held: impl Iterator<Item = &'n str>) {
    let mut used: BTreeSet<String> = held.map(str::to_owned).collect();
    used.extend(rig.skin.iter().flat_map(|binding| match binding {
        BindingDoc::Rigid(rigid) => Some(rigid.bone.value.clone()),
        _ => None,
    }));
    // Parents come first.
    for bone in rig.bones.iter().rev().filter(|bone| bone.parent.is_some()) {
        if let (true, Some(parent)) = (used.contains(&bone.name.value), &bone.parent) {
            used.insert(parent.value.clone());
        }
    }
    rig.bones.retain(|bone| used.contains(&bone.name.value));
    for clip in &mut rig.clips {
        clip.bones.retain(|bone| used.contains(&bone.bone.value));
    }
}

/// The bones of a skeleton, by their positions on the drawing.
fn bones(skeleton: &Skeleton) -> Vec<BoneDoc> {
    let bone = |bone: BoneId| {
        let (from, to) = (skeleton.setup_origin(bone), skeleton.setup_tip(bone));
        let parent = skeleton.parent(bone);
        let at_tip = parent.is_some_and(|parent| from.distance(skeleton.setup_tip(parent)) < 0.005);
        BoneDoc {
            name: skeleton.name(bone).to_owned().into(),
            parent: parent.map(|parent| skeleton.name(parent).to_owned().into()),
            from: (!at_tip).then(|| from.into()),
            to: Some(to.into()),
            complete: true,
            ..BoneDoc::default()
        }
    };
    skeleton.bones().map(bone).collect()
}

/// Rigid bindings of art to bones.
fn skin(bindings: &[(String, String)]) -> Vec<BindingDoc> {
    let rigid = |(art, bone): &(String, String)| {
        BindingDoc::Rigid(RigidDoc {
            art: art.clone().into(),
            bone: bone.clone().into(),
            ..RigidDoc::default()
        })
    };
    bindings.iter().map(rigid).collect()
}

/// A clip from its keys.
pub(crate) fn clip(name: &str, keyed: &KeyedClip, skeleton: &Skeleton) -> ClipDoc {
    let mut bones: Vec<BoneChannelsDoc> = Vec::new();
    for track in &keyed.tracks {
        let name = skeleton.name(track.bone);
        if bones.last().is_none_or(|last| last.bone.value != name) {
            bones.push(BoneChannelsDoc::new(name.to_owned()));
        }
        let Some(bone) = bones.last_mut() else { continue };
        match &track.keys {
            ChannelKeys::Rotate(keys) => bone.values.set(Scalar::Rotate, channel(keys, track.extend)),
            ChannelKeys::Stretch(keys) => bone.values.set(Scalar::Stretch, channel(keys, track.extend)),
            ChannelKeys::Move(keys) => bone.values.set(Vector::Move, channel(keys, track.extend)),
        }
    }
    ClipDoc {
        name: name.to_owned().into(),
        length: Some(keyed.length.into()),
        looped: keyed.looped.then(|| bone_core::clip::Repeat::Loop.into()),
        bones,
        complete: true,
        ..ClipDoc::default()
    }
}

fn channel<T: Copy + Default>(keys: &[motion::Key<T>], extend: motion::Extend) -> Channel<T> {
    let last = keys.len().saturating_sub(1);
    let key = |(at, key): (usize, &motion::Key<T>)| Key {
        span: Span::default(),
        time: key.time.into(),
        value: key.value.into(),
        // The last key has no ease.
        ease: (at != last && key.ease != Ease::default()).then_some(key.ease.into()),
    };
    Channel {
        keys: keys.iter().enumerate().map(key).collect(),
        extend: match extend {
            motion::Extend::LoopOffset => Some(Extend::LoopOffset.into()),
            motion::Extend::Loop => Some(Extend::Loop.into()),
            _ => None,
        },
        ..Channel::default()
    }
}

/// Art with a keyed draw order.
pub(crate) fn orders(art: &str, orders: &[(usize, i8)], rate: f64) -> ArtDoc {
    let keys = orders.iter().map(|&(frame, order)| key_in(frame, rate, f64::from(order)));
    ArtDoc::new(art.to_owned()).with(ArtProperty::Order, Channel::from_keys(keys))
}

/// Art of which one child is shown.
pub(crate) fn switches(art: &str, keys: &[(usize, String)], rate: f64) -> ArtDoc {
    let keys = keys.iter().map(|(frame, child)| key_in(*frame, rate, Some(child.clone())));
    ArtDoc::new(art.to_owned()).with(ArtProperty::Switch, Channel::from_keys(keys))
}

/// A key in a frame of the recording.
fn key_in<T>(frame: usize, rate: f64, value: T) -> Key<T>
where
    Spanned<T>: From<T>,
{
    let time = ((frame as f64 / rate * 1000.0).round() / 1000.0).into();
    Key { span: Span::default(), time, value: value.into(), ease: None }
}

/// A hold of a point during an interval.
fn hold(from: f64, until: f64, at: Point, ease: (f64, f64), drift: kurbo::Vec2) -> HoldDoc {
    HoldDoc {
        span: Span::default(),
        from: from.into(),
        until: until.into(),
        at: Some(at.into()),
        ease: Some(ease.into()),
        drift: (drift != kurbo::Vec2::ZERO).then(|| drift.into()),
    }
}

/// How the ground moves under a figure on the spot, and how far a loop advances.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MovingGround {
    /// Units a second.
    pub(crate) drift: kurbo::Vec2,
    /// Units in one round of a loop that does not stay on the spot.
    pub(crate) travel: f64,
    /// The time in which a pin takes hold and lets go, seconds.
    pub(crate) ease: f64,
}

/// The longest time in which a pin takes hold and lets go, seconds. It is short, because the keyed feet are
/// nearly in place.
const EASE: f64 = 0.04;

/// The time in which a pin takes hold and lets go, seconds: within a frame of the recording, because a foot is
/// still on its way in the frame before it stands. A tolerance below 0.2 % leaves no room for it.
pub(crate) fn ease(tolerance: f64, rate: f64) -> f64 {
    if tolerance < 0.2 { 0.0 } else { EASE.min((1000.0 / rate).floor() / 1000.0) }
}

/// The difference of a hold's end to the end of a clip that rounding makes, seconds.
const END: f64 = 0.002;

/// The minimal duration of a hold, seconds.
const LEAST: f64 = 0.01;

/// The contacts of one foot as holds of its pin.
pub(crate) fn holds<'a>(
    locks: impl IntoIterator<Item = &'a FootLock>,
    clip: &KeyedClip,
    ground: MovingGround,
) -> Vec<HoldDoc> {
    let mut holds = Vec::new();
    // Without eases the tolerance is so small that every digit counts.
    let time = |seconds: f64| match ground.ease == 0.0 {
        true => seconds,
        false => (seconds * 1000.0).round() / 1000.0,
    };
    for FootLock { from, until, at, drift, .. } in locks.into_iter().copied() {
        let from = time(from).min(clip.length);
        let drift = kurbo::Vec2::new(((ground.drift.x + drift) * 10.0).round() / 10.0, 0.0);
        if !clip.looped && until >= clip.length - END {
            // The time of the last frame may be a little after the length, which is rounded: the pin does not
            // let go there.
            let ease = (ground.ease, EASE);
            holds.push(hold(from, clip.length, at, ease, drift));
            continue;
        }
        let beyond = until - clip.length;
        if beyond <= 0.0 || (clip.looped && ground.travel == 0.0) {
            let until = if beyond <= 0.0 { time(until).min(clip.length) } else { time(until) };
            holds.push(hold(from, until, at, (ground.ease, ground.ease), drift));
            continue;
        }
        // The part beyond the end is a second hold at the start of the loop, shifted back by the travel of a
        // round.
        holds.push(hold(from, clip.length, at, (ground.ease, 0.0), drift));
        if clip.looped && beyond > LEAST {
            let at = at - kurbo::Vec2::new(ground.travel, 0.0);
            holds.push(hold(0.0, time(beyond), at, (0.0, ground.ease), drift));
        }
    }
    holds
}

/// Pins of the feet or paws of a figure, and their holds in a clip. Its legs are foreshortened anyway, so a pin
/// stretches them by a little in place of bending their knees.
pub(crate) fn plants(
    figure: &Figure,
    locks: &[FootLock],
    clip: &KeyedClip,
    ground: MovingGround,
) -> (Vec<ConstraintDoc>, Vec<ConstraintChannelsDoc>) {
    let (mut pins, mut channels) = (Vec::new(), Vec::new());
    let mut feet: Vec<BoneId> = locks.iter().map(|lock| lock.bone).collect();
    feet.sort_unstable();
    feet.dedup();
    for foot in feet {
        let here: Vec<&FootLock> = locks.iter().filter(|lock| lock.bone == foot).collect();
        let Some(first) = here.first() else { continue };
        let bone = figure.skeleton.name(foot).to_owned();
        let animals = figure.bones.iter().filter_map(|bone| Some((bone, bone.animal?)));
        let paw = animals.clone().find_map(|(other, part)| match part {
            AnimalPart::Leg(leg, _) if other.name == bone => Some(leg),
            _ => None,
        });
        let of_leg =
            |(_, part): &(_, AnimalPart)| matches!(part, AnimalPart::Leg(leg, _) if Some(*leg) == paw);
        let (name, chain) = match paw {
            // A leg of one bone has no other one that may move.
            Some(leg) => (format!("plant_{}", leg.name()), animals.filter(of_leg).count().min(2)),
            None if first.side == Side::Left => ("plant_l".to_owned(), 2),
            None => ("plant_r".to_owned(), 2),
        };
        let keeps = bone.starts_with("foot").then_some(EndAngle::Keep.into());
        let chain = Some((chain as f64).into());
        let end = EndDoc { tip: bone.into(), chain, angle: keeps, ..EndDoc::default() };
        let pin = IkDoc {
            ends: vec![end],
            bend: Some(Bend::Keep.into()),
            stretch: Some(1.25_f64.into()),
            compress: Some(0.8_f64.into()),
            ..IkDoc::default()
        };
        pins.push(ConstraintDoc {
            name: Some(name.clone().into()),
            kind: ConstraintKind::Pin(pin),
            ..ConstraintDoc::default()
        });
        channels.push(ConstraintChannelsDoc {
            name: name.into(),
            holds: holds(here, clip, ground),
            ..ConstraintChannelsDoc::default()
        });
    }
    (pins, channels)
}
