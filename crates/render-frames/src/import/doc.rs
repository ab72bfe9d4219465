//! Converts figures and clips to a document that can be written.

use std::path::Path;

use bone_core::clip as motion;
use bone_core::{BoneId, Skeleton};
use import::figure::Figure;
use import::fit::{ChannelKeys, KeyedClip};
use import::stick_figure::StickFigure;
use kurbo::Point;
use rig_format::doc::{
    ArtDoc, BindingDoc, BoneChannelsDoc, BoneDoc, Channel, ClipDoc, Ease, Extend, HoldDoc, Key, RigDoc,
    RigidDoc,
};
use rig_format::span::Span;

use super::file_name;
use crate::frames::Fps;

/// A rig of a figure and its drawing, without clips.
pub(super) fn rig(figure: &Figure, stick: &StickFigure, drawing: &Path, fps: Fps) -> RigDoc {
    RigDoc {
        version: Some(1.into()),
        drawing: Some(file_name(drawing).into()),
        fps: Some(fps.get().into()),
        bones: bones(&figure.skeleton),
        skin: skin(&stick.bindings),
        complete: true,
        ..RigDoc::default()
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
pub(super) fn clip(name: &str, keyed: &KeyedClip, skeleton: &Skeleton) -> ClipDoc {
    let mut bones: Vec<BoneChannelsDoc> = Vec::new();
    for track in &keyed.tracks {
        let name = skeleton.name(track.bone);
        if bones.last().is_none_or(|last| last.bone.value != name) {
            bones.push(BoneChannelsDoc { bone: name.to_owned().into(), ..BoneChannelsDoc::default() });
        }
        let Some(bone) = bones.last_mut() else { continue };
        match &track.keys {
            ChannelKeys::Rotate(keys) => bone.rotate = Some(channel(keys, track.extend)),
            ChannelKeys::Stretch(keys) => bone.stretch = Some(channel(keys, track.extend)),
            ChannelKeys::Move(keys) => bone.shift = Some(channel(keys, track.extend)),
        }
    }
    ClipDoc {
        name: name.to_owned().into(),
        length: Some(keyed.length.into()),
        looped: keyed.looped.then(|| true.into()),
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
pub(super) fn orders(art: &str, orders: &[(usize, i8)], rate: f64) -> ArtDoc {
    let key = |&(frame, order): &(usize, i8)| Key {
        span: Span::default(),
        time: ((frame as f64 / rate * 1000.0).round() / 1000.0).into(),
        value: f64::from(order).into(),
        ease: None,
    };
    ArtDoc {
        art: art.to_owned().into(),
        order: Some(Channel { keys: orders.iter().map(key).collect(), ..Channel::default() }),
        ..ArtDoc::default()
    }
}

/// A hold of a point during an interval.
pub(super) fn hold(from: f64, until: f64, at: Point, ease: (f64, f64), drift: kurbo::Vec2) -> HoldDoc {
    HoldDoc {
        span: Span::default(),
        from: from.into(),
        until: until.into(),
        at: Some(at.into()),
        ease: Some(ease.into()),
        drift: (drift != kurbo::Vec2::ZERO).then(|| drift.into()),
    }
}
