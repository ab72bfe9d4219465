//! Events and sounds of clips, as they were written.

use bone_rig::{EventPayload, RigSound};

use crate::schema::types::{DECIBELS, FADES, FROM_START, NAME, SOUND_PATH};
use crate::schema::{Key, Title, Type, record, types};
use crate::span::{Span, Spanned};

/// The events of a clip.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EventsDoc {
    /// The whole list.
    pub span: Span,
    /// As written; not necessarily in order.
    pub keys: Vec<EventDoc>,
}

/// What happens at a time of a clip.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EventDoc {
    /// The whole of it.
    pub span: Span,
    /// Seconds.
    pub time: Spanned<f64>,
    /// Its name.
    pub name: Spanned<String>,
    /// What it carries.
    pub payload: EventPayload,
}

impl EventDoc {
    /// An event that carries nothing.
    pub fn new(time: f64, name: impl Into<String>) -> Self {
        Self { time: time.into(), name: name.into().into(), ..Self::default() }
    }
}

impl FromIterator<EventDoc> for EventsDoc {
    fn from_iter<T: IntoIterator<Item = EventDoc>>(events: T) -> Self {
        Self { span: Span::default(), keys: events.into_iter().collect() }
    }
}

record! {
    /// A sound and when it begins.
    pub struct SoundDoc = "Sound", Title::This("this sound"), "(file: \"hello.ogg\", at: 0.2)" {
        /// The whole of it.
        span: Span,
    }
    seen |doc, span, _complete| doc.span = span;
    fields {
        /// The sound file, relative to the rig, in its folder or below.
        req file: Spanned<String> = (SOUND_PATH, "\"hello.ogg\"") also ["path", "name", "src"];
        /// When it begins.
        opt at: Spanned<f64> = (FROM_START, "0", "0.2") also ["time", "start"];
        /// Leaves out the beginning of the file.
        opt from: Spanned<f64> = (FROM_START, "0", "1.5") also ["offset"];
        /// How much louder it is; -6 is half as loud.
        opt gain: Spanned<f64> = (DECIBELS, "0", "-6") also ["volume"];
        /// In which it comes and goes.
        opt fade: Spanned<(f64, f64)> = (FADES, "0", "(0, 0.1)");
    }
}

pub(crate) const SOUNDS: Type = Type::List { of: &Type::Record(SoundDoc::TABLE), each: "this sound" };

impl SoundDoc {
    /// Seconds of the clip after which it begins.
    pub(crate) fn begins(&self) -> f64 {
        self.at.map_or(0.0, |at| at.value)
    }

    /// The event with which it begins.
    pub(crate) fn event(&self) -> EventDoc {
        let number = |field: Option<Spanned<f64>>| field.map_or(0.0, |field| field.value);
        let fade = self.fade.map_or((0.0, 0.0), |fade| fade.value);
        let sound = RigSound { from: number(self.from), gain: number(self.gain), fade };
        EventDoc {
            span: self.span,
            time: Spanned::new(self.begins(), self.at.map_or(self.span, |at| at.span)),
            name: self.file.clone(),
            payload: EventPayload::Sound(sound),
        }
    }
}

/// Keys whose values are names, and whose third part is what they carry.
pub(crate) const EVENTS: Type =
    Type::Keys { of: &NAME, example: "\"step.L\"", third: Some(&PAYLOAD), long: None };
const PAYLOAD: Type = Type::Either(&[NAME, types::NUMBER, PAYLOAD_VALUES]);
const PAYLOAD_VALUES: Type = Type::Map {
    key: Key::Name { shown: "name", of: "value" },
    of: &Type::Either(&[NAME, types::NUMBER, Type::Bool]),
    each: "this value",
};
