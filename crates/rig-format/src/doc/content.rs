//! The content of what is no record: see [`schema::content`](crate::schema::content).

use bone_core::clip::{Ease, Repeat};
use bone_core::constraint::AttachmentPoint;
use bone_rig::{EventPayload, EventValue, MachineInputKind, RigSound};

use super::art::ArtNames;
use super::binding::{Method, PaintDoc};
use super::color::Rgb;
use super::constraint::{BendChannel, TargetDoc};
use super::events::{EventDoc, EventsDoc};
use super::ink::InkKeysDoc;
use super::keys::{Channel, Key, Shift};
use super::motion::{ArtOffsetsDoc, ArtSetupDoc, ArtWeightsDoc, OffsetDoc, ParentChannel, ParentKey};
use super::poses::{PoseWeightDoc, WeightDoc};
use super::rig::PartDoc;
use super::scene::{StagedActor, StagedPlay};
use super::sequences::Fade;
use super::shapes::ShapeDoc;
use super::skeleton::{Limits, Region};
use super::vertex::{VertexAddress, VertexPart, VertexWeightsDoc, WeightsDoc};
use super::warps::GridPlace;
use crate::schema::content::{Content, fields, variants};
use crate::span::Span;

impl Content for PartDoc {
    fn write(&self, words: &mut Vec<u64>) {
        self.base.write(words);
    }

    fn places(&mut self, see: &mut dyn FnMut(&mut Span)) {
        let mut base = Span::at(self.base);
        see(&mut base);
        self.base = base.start;
    }
}

impl Content for Rgb {
    fn write(&self, words: &mut Vec<u64>) {
        words.extend(self.0.map(u64::from));
    }

    fn places(&mut self, _: &mut dyn FnMut(&mut Span)) {}
}

impl Content for ShapeDoc {
    fn write(&self, words: &mut Vec<u64>) {
        match self {
            Self::Of(name) => name.write(words),
            Self::Mix(weights) => weights.write(words),
        }
        words.push(u64::from(matches!(self, Self::Of(_))));
    }

    fn places(&mut self, see: &mut dyn FnMut(&mut Span)) {
        match self {
            Self::Of(_) => {}
            Self::Mix(weights) => weights.places(see),
        }
    }
}

impl Content for Repeat {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(match self {
            Self::Once => 0,
            Self::Loop => 1,
            Self::PingPong => 2,
            Self::Times(count) => 3 + u64::from(*count),
        });
    }
}

impl Content for Ease {
    fn write(&self, words: &mut Vec<u64>) {
        let (name, parameters) = self.named();
        name.write(words);
        parameters.as_slice().write(words);
    }
}

fields! {
    Limits { least, most }
    StagedActor { name, plays }
    StagedPlay { shot, part, play, start, length }
    Region { start, tip }
    VertexWeightsDoc { vertex, weights }
    WeightsDoc { list, complete, span }
    VertexAddress { vertex, part }
    ArtNames { names, span }
    ArtOffsetsDoc { art, vertices }
    ArtSetupDoc { art, vertices }
    ArtWeightsDoc { art, vertices }
    InkKeysDoc { art, places }
    OffsetDoc { bone, channel }
    Channel<T> { keys, ease, extend, shift, span }
    Shift { delay, amount, plus, follow, channel }
    Key<T> { time, value, ease, span }
    ParentChannel { keys, span }
    ParentKey { time, parent, keep, span }
    BendChannel { keys, span }
    EventsDoc { keys, span }
    EventDoc { time, name, payload, span }
    RigSound { from, gain, fade }
    Fade { start, end }
    PoseWeightDoc { pose, weight }
    WeightDoc { channel, mode }
}

impl Content for GridPlace {
    fn write(&self, words: &mut Vec<u64>) {
        self.0.write(words);
    }
}

variants! {
    VertexPart { Anchor, In, Out } with {}
    PaintDoc { Follow, Still } with { Bone }
    Method { Heat, Biharmonic, Envelope, Nearest } with { InverseDistance }
    AttachmentPoint { Origin, Tip } with { At }
    TargetDoc {} with { Bone, Place }
    EventPayload { None } with { Text, Number, Values, Sound }
    MachineInputKind { Trigger } with { Number, Flag }
    EventValue {} with { Number, Text, Flag }
}
