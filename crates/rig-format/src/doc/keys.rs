//! Keyed values as they were written.

use bone_core::clip::Ease;

use crate::schema::types::{BONE, DEGREES, NAME, NUMBER, OF_ART, SECONDS, SHARE, WEIGHTS, XY};
use crate::schema::{Change, Entry, Field, Key as MapKey, Table, Title, Type, WordType};
use crate::span::{Span, Spanned};
use bone_core::clip::{Extend, LayerBlend};

/// A value over time, or over the value that drives it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Channel<T> {
    /// The whole list.
    pub span: Span,
    /// As written; not necessarily in order.
    pub keys: Vec<Key<T>>,
    /// The ease of keys that have none.
    pub ease: Option<Spanned<Ease>>,
    /// What happens outside the keys.
    pub extend: Option<Spanned<Extend>>,
    /// How it differs from its keys, and whether these are those of another channel.
    pub shift: Shift,
}

/// When a channel plays its keys, by how much, and whose they are.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shift {
    /// Seconds by which the keys are later.
    pub delay: Option<Spanned<f64>>,
    /// The factor of the difference from the setup pose.
    pub amount: Option<Spanned<f64>>,
    /// What is added.
    pub plus: Option<Spanned<f64>>,
    /// The bone whose keys are played.
    pub follow: Option<Spanned<String>>,
    /// The channel of that bone; none for the same one.
    pub channel: Option<Spanned<String>>,
}

impl Shift {
    /// Whether the keys are played as they are.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

impl<T> Channel<T> {
    /// Whether its keys are played again after the last of them.
    pub fn repeats(&self) -> bool {
        let extend = self.extend.map(|extend| extend.value);
        matches!(extend, Some(Extend::Loop | Extend::LoopOffset | Extend::PingPong))
    }

    /// Keys in order of time, with the default ease.
    pub fn from_keys(keys: impl IntoIterator<Item = Key<T>>) -> Self {
        let keys = keys.into_iter().collect();
        Self { span: Span::default(), keys, ease: None, extend: None, shift: Shift::default() }
    }

    /// A value that stays.
    pub fn constant(value: Spanned<T>) -> Self {
        let span = value.span;
        let key = Key { span, time: Spanned::new(0.0, span), value, ease: None };
        Self { span, ..Self::from_keys([key]) }
    }
}

impl<T: Clone> Channel<T> {
    /// The same with other values.
    pub fn map<V>(&self, value: impl Fn(T) -> V) -> Channel<V> {
        let key = |key: &Key<T>| Key {
            span: key.span,
            time: key.time,
            value: Spanned::new(value(key.value.value.clone()), key.value.span),
            ease: key.ease,
        };
        let keys = self.keys.iter().map(key).collect();
        Channel { span: self.span, keys, ease: self.ease, extend: self.extend, shift: self.shift.clone() }
    }
}

impl<T: Copy> Channel<T> {
    /// The same with values that hold until the next key.
    pub(crate) fn held(&self) -> Self {
        let hold = |key: &Key<T>| Key { ease: Some(Spanned::new(Ease::Hold, key.span)), ..*key };
        let (keys, shift) = (self.keys.iter().map(hold).collect(), self.shift.clone());
        Self { keys, shift, ..*self }
    }
}

/// A value at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key<T> {
    /// The whole key.
    pub span: Span,
    /// Seconds; in a driver, the driving value.
    pub time: Spanned<f64>,
    /// The value.
    pub value: Spanned<T>,
    /// How it travels to the next key.
    pub ease: Option<Spanned<Ease>>,
}

impl<T> Key<T> {
    /// A value at a time, with the default ease.
    pub fn new(time: f64, value: T) -> Self {
        Self { span: Span::default(), time: time.into(), value: value.into(), ease: None }
    }
}

const fn shift(
    name: &'static str,
    of: &'static Type,
    default: &'static str,
    example: &'static str,
    doc: &'static str,
) -> Entry {
    Entry::Field(Field { name, of, default: Some(default), example, doc, synonyms: &[] })
}

/// What may stand in place of a list of keys.
pub(crate) const KEYS: &Table = &Table {
    name: "Keys",
    title: Title::This("these keys"),
    example: "(keys: [(0, 0), (0.5, 20)], extend: Loop)",
    entries: &[
        Entry::Field(Field {
            name: "keys",
            of: &Type::KeyList,
            default: Some("those of `follow`"),
            example: "[(0, 0), (0.5, 20)]",
            doc: "The list.",
            synonyms: &[],
        }),
        Entry::Field(Field {
            name: "ease",
            of: &Type::Ease,
            default: Some("`Smooth`"),
            example: "Bezier(0.4, 0, 0.6, 1)",
            doc: "Of all keys that have none.",
            synonyms: &[],
        }),
        Entry::Field(Field {
            name: "extend",
            of: &Extend::TYPE,
            default: Some("`Hold`"),
            example: "PingPong",
            doc: "The value outside the keys: `Linear` continues at its speed, `LoopOffset` starts again from the \
                  value at the end.",
            synonyms: &[],
        }),
        shift("follow", &BONE, "none", "\"fore.L\"", "The bone whose keys are played in place of a list."),
        shift("channel", &NAME, "the same", "\"move_y\"", "The channel of that bone."),
        shift(
            "delay",
            &SECONDS,
            "0",
            "0.08",
            "Plays the keys so many seconds later; in a loop they come round.",
        ),
        shift("amount", &NUMBER, "1", "0.9", "The factor of the difference from the setup pose."),
        shift("plus", &NUMBER, "0", "5", "Is added to the value."),
    ],
};

/// The same for an offset.
pub(crate) const OFFSET: &Table = &Table {
    name: "Offset",
    title: Title::This("this offset"),
    example: "(bone: \"fore.L\", keys: [(0, (0, 0)), (1, (4, 9))])",
    entries: &[
        Entry::Flat(
            KEYS,
            &[("follow", Change::Without), ("channel", Change::Without), ("plus", Change::Without)],
        ),
        Entry::Field(Field {
            name: "bone",
            of: &BONE,
            default: Some("none"),
            example: "\"fore.L\"",
            doc: "Its axes are those of the canvas at rest, and move with this bone.",
            synonyms: &[],
        }),
    ],
};

/// The same for the weight of a pose.
pub(crate) const POSE_KEYS: &Table = &Table {
    name: "PoseKeys",
    title: Title::This("these keys"),
    example: "(keys: [(0, 0), (0.3, 1)], mode: Add)",
    entries: &[
        Entry::Flat(
            KEYS,
            &[
                (
                    "keys",
                    Change::As(Field {
                        name: "keys",
                        of: &Type::KeyList,
                        default: None,
                        example: "[(0, 0), (0.3, 1)]",
                        doc: "The list.",
                        synonyms: &[],
                    }),
                ),
                ("follow", Change::Without),
                ("channel", Change::Without),
                ("amount", Change::Without),
                ("plus", Change::Without),
            ],
        ),
        Entry::Field(Field {
            name: "mode",
            of: &LayerBlend::TYPE,
            default: Some("`Replace`"),
            example: "Add",
            doc: "`Add` adds the difference of the pose from rest.",
            synonyms: &["blend"],
        }),
    ],
};

/// Keys with eases: a list, or `Keys`.
pub(super) const fn keys(of: &'static Type, example: &'static str) -> Type {
    Type::Keys { of, example, third: Some(&Type::Ease), long: Some(KEYS) }
}

pub(crate) const XY_KEYS: Type = keys(&XY, "(10, 20)");
pub(crate) const DEGREES_KEYS: Type = keys(&DEGREES, "15");
pub(crate) const WEIGHT_KEYS: Type = keys(&WEIGHTS, "{\"chest\": 1}");
pub(crate) const TIME_KEYS: Type = keys(&SECONDS, "0.5");
pub(crate) const NUMBER_KEYS: Type = keys(&NUMBER, "0.5");
pub(crate) const SHARE_KEYS: Type = keys(&SHARE, "1");
/// The keys of an offset may have a bone.
pub(crate) const OFFSET_KEYS: Type =
    Type::Keys { of: &XY, example: "(4, 9)", third: Some(&Type::Ease), long: Some(OFFSET) };

/// A map of art, each with a map of vertices.
macro_rules! by_vertex {
    ($of:expr, $each_art:literal, $each_vertex:literal) => {
        Type::Map {
            key: OF_ART,
            of: &Type::Map { key: MapKey::Vertex, of: &$of, each: $each_vertex },
            each: $each_art,
        }
    };
}

pub(crate) const ART_OFFSETS: Type = by_vertex!(OFFSET_KEYS, "the offset of this art", "this offset");
pub(crate) const ART_SETUP: Type = by_vertex!(XY_KEYS, "the setup of this art", "this setup position");
pub(crate) const ART_WEIGHTS: Type =
    by_vertex!(WEIGHT_KEYS, "the weights of this art", "this row of weights");
