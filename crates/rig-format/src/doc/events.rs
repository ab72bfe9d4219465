//! Events of clips, as they were written.

use bone_rig::EventPayload;

use crate::schema::types::NAME;
use crate::schema::{Key, Type, types};
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

/// Keys whose values are names, and whose third part is what they carry.
pub(crate) const EVENTS: Type =
    Type::Keys { of: &NAME, example: "\"step.L\"", third: Some(&PAYLOAD), long: None };
const PAYLOAD: Type = Type::Either(&[NAME, types::NUMBER, PAYLOAD_VALUES]);
const PAYLOAD_VALUES: Type = Type::Map {
    key: Key::Name { shown: "name", of: "value" },
    of: &Type::Either(&[NAME, types::NUMBER, Type::Bool]),
    each: "this value",
};
