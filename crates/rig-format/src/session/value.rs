//! Values of a rig's text without their places: what an edit wants to be written, compared and merged by name.
//! Containers are shared, so a copy of a whole file costs nothing and a changed one shares what did not change.

use std::fmt;
use std::sync::Arc;

use kurbo::{Point, Vec2};

use crate::doc::{ClipDoc, Ease, Extend, GridPlace, RigDoc, SequenceDoc, VertexAddress, VertexPart};
use crate::text::{Node, NodeKind, Syntax};
use crate::write::{Digits, json, node, number, quoted};

/// Brackets may be nested this deep, as in a text.
const DEEPEST: usize = 64;

/// A value of a rig file: a number, a word, a name, or brackets with values in them.
///
/// ```
/// use bone_format::session::DocValue;
///
/// let bone = DocValue::fields(None, [
///     ("parent", "hip".into()),
///     ("to", kurbo::Point::new(12.0, -40.5).into()),
///     ("joint", DocValue::word("Fixed")),
/// ]);
/// assert_eq!(bone.to_string(), r#"(parent: "hip", to: (12, -40.5), joint: Fixed)"#);
/// ```
#[derive(Clone, Debug)]
pub enum DocValue {
    /// `None`: not given.
    None,
    /// `true` or `false`.
    Bool(bool),
    /// A finite number.
    Number(f64),
    /// A text in quotes.
    Text(Arc<str>),
    /// A word without quotes: `Hold`.
    Word(Arc<str>),
    /// `(a: 1)` or `Name(a: 1)`.
    Fields(Option<Arc<str>>, Arc<Vec<(Arc<str>, DocValue)>>),
    /// `(1, 2)` or `Name(1, 2)`.
    Tuple(Option<Arc<str>>, Arc<Vec<DocValue>>),
    /// `[1, 2]`.
    List(Arc<Vec<DocValue>>),
    /// `{"a": 1}`.
    Map(Arc<Vec<(DocValue, DocValue)>>),
}

impl DocValue {
    /// A text in quotes.
    pub fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    /// A word without quotes.
    pub fn word(word: &str) -> Self {
        Self::Word(word.into())
    }

    /// Fields in round brackets, behind a name if there is one.
    pub fn fields<'a>(name: Option<&str>, fields: impl IntoIterator<Item = (&'a str, Self)>) -> Self {
        let fields = fields.into_iter().map(|(name, value)| (name.into(), value)).collect();
        Self::Fields(name.map(Into::into), Arc::new(fields))
    }

    /// Values in round brackets, behind a name if there is one.
    pub fn tuple(name: Option<&str>, items: impl IntoIterator<Item = Self>) -> Self {
        Self::Tuple(name.map(Into::into), Arc::new(items.into_iter().collect())).regular()
    }

    /// A list.
    pub fn list(items: impl IntoIterator<Item = Self>) -> Self {
        Self::List(Arc::new(items.into_iter().collect()))
    }

    /// A map from names to values.
    pub fn map<'a>(entries: impl IntoIterator<Item = (&'a str, Self)>) -> Self {
        Self::Map(Arc::new(entries.into_iter().map(|(key, value)| (Self::text(key), value)).collect()))
    }

    /// A clip as it is written, without what it leaves to defaults.
    pub fn of_clip(clip: &ClipDoc, digits: Digits) -> Self {
        let clips = vec![clip.clone()];
        Self::only_entry(&RigDoc { clips, ..RigDoc::default() }, "clips", digits)
    }

    /// A shot as it is written, without what it leaves to defaults.
    pub fn of_shot(shot: &SequenceDoc, digits: Digits) -> Self {
        let shots = vec![shot.clone()];
        Self::only_entry(&RigDoc { shots, ..RigDoc::default() }, "shots", digits)
    }

    fn only_entry(doc: &RigDoc, section: &str, digits: Digits) -> Self {
        let rig = Self::of_node(&node(doc, digits));
        rig.as_ref().and_then(|rig| rig.field(section)?.child(0)).cloned().unwrap_or(Self::None)
    }

    /// The value of a node; none if a part of it could not be read.
    pub fn of_node(node: &Node) -> Option<Self> {
        Some(match &node.kind {
            NodeKind::Broken => return None,
            NodeKind::Bool(value) => Self::Bool(*value),
            NodeKind::Number(value) => Self::Number(*value),
            NodeKind::Text(text) => Self::text(text),
            NodeKind::Word(word) => Self::word(word),
            NodeKind::None => Self::None,
            NodeKind::Some(inner) => Self::of_node(inner)?,
            NodeKind::Struct(name, fields) => {
                let field = |field: &crate::text::FieldNode| {
                    Some((Arc::from(field.name.value.as_str()), Self::of_node(&field.value)?))
                };
                let fields = fields.iter().map(field).collect::<Option<_>>()?;
                Self::Fields(name.as_ref().map(|name| name.value.as_str().into()), Arc::new(fields))
            }
            NodeKind::Tuple(name, items) => {
                let items = items.iter().map(Self::of_node).collect::<Option<_>>()?;
                Self::Tuple(name.as_ref().map(|name| name.value.as_str().into()), Arc::new(items)).regular()
            }
            NodeKind::List(items) => {
                Self::List(Arc::new(items.iter().map(Self::of_node).collect::<Option<_>>()?))
            }
            NodeKind::Map(entries) => {
                let entry = |entry: &crate::text::EntryNode| {
                    Some((Self::of_node(&entry.key)?, Self::of_node(&entry.value)?))
                };
                Self::Map(Arc::new(entries.iter().map(entry).collect::<Option<_>>()?))
            }
        })
    }

    /// Empty round brackets are fields.
    fn regular(self) -> Self {
        match self {
            Self::Tuple(name, items) if items.is_empty() => Self::Fields(name, Arc::default()),
            other => other,
        }
    }

    /// Whether two values are one: cheap, and never wrong where it says so.
    pub(super) fn is_shared_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Fields(a, x), Self::Fields(b, y)) => a == b && Arc::ptr_eq(x, y),
            (Self::Tuple(a, x), Self::Tuple(b, y)) => a == b && Arc::ptr_eq(x, y),
            (Self::List(x), Self::List(y)) => Arc::ptr_eq(x, y),
            (Self::Map(x), Self::Map(y)) => Arc::ptr_eq(x, y),
            (Self::None, Self::None) => true,
            (Self::Bool(x), Self::Bool(y)) => x == y,
            (Self::Number(x), Self::Number(y)) => x == y,
            (Self::Text(x), Self::Text(y)) | (Self::Word(x), Self::Word(y)) => x == y,
            _ => false,
        }
    }

    /// Whether two containers have the same names and keys in the same order.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Fields(a, x), Self::Fields(b, y)) => {
                a == b && x.iter().map(|(name, _)| name).eq(y.iter().map(|(name, _)| name))
            }
            (Self::Map(x), Self::Map(y)) => x.iter().map(|(key, _)| key).eq(y.iter().map(|(key, _)| key)),
            (Self::List(x), Self::List(y)) => x.len() == y.len(),
            _ => false,
        }
    }

    /// How many values are directly in it.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Fields(_, fields) => fields.len(),
            Self::Tuple(_, items) | Self::List(items) => items.len(),
            Self::Map(entries) => entries.len(),
            _ => 0,
        }
    }

    /// A value directly in it.
    pub(crate) fn child(&self, at: usize) -> Option<&Self> {
        match self {
            Self::Fields(_, fields) => fields.get(at).map(|(_, value)| value),
            Self::Tuple(_, items) | Self::List(items) => items.get(at),
            Self::Map(entries) => entries.get(at).map(|(_, value)| value),
            _ => None,
        }
    }

    pub(crate) fn child_mut(&mut self, at: usize) -> Option<&mut Self> {
        match self {
            Self::Fields(_, fields) => Arc::make_mut(fields).get_mut(at).map(|(_, value)| value),
            Self::Tuple(_, items) | Self::List(items) => Arc::make_mut(items).get_mut(at),
            Self::Map(entries) => Arc::make_mut(entries).get_mut(at).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The value of a field.
    pub fn field(&self, name: &str) -> Option<&Self> {
        let Self::Fields(_, fields) = self else { return None };
        fields.iter().find(|(field, _)| &**field == name).map(|(_, value)| value)
    }

    /// What fields or a map have, each with its name.
    pub fn entries(&self) -> Vec<(String, &Self)> {
        match self {
            Self::Fields(_, fields) => fields.iter().map(|(name, value)| (name.to_string(), value)).collect(),
            Self::Map(entries) => {
                let name =
                    |key: &Self| key.as_text().map_or_else(|| key.to_string(), |text| text.to_string());
                entries.iter().map(|(key, value)| (name(key), value)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Where a field is among the fields, or the entry of a name in a map.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        match self {
            Self::Fields(_, fields) => fields.iter().position(|(field, _)| &**field == name),
            Self::Map(entries) => entries.iter().position(|(key, _)| key.key_name().as_deref() == Some(name)),
            _ => None,
        }
    }

    /// A key of a map as paths name it: `hip`, `3`, `3.in`, `1, 1`.
    pub(crate) fn key_name(&self) -> Option<Arc<str>> {
        match self {
            Self::Text(text) => Some(Arc::clone(text)),
            Self::Number(value) => Some(number(*value, 17).into()),
            Self::Tuple(None, items) => {
                let names: Option<Vec<Arc<str>>> = items.iter().map(Self::key_name).collect();
                Some(names?.join(", ").into())
            }
            _ => None,
        }
    }

    /// The vertex that a key of a map is.
    pub(super) fn vertex(&self) -> Option<VertexAddress> {
        self.key_name().and_then(|name| VertexAddress::parse(&name))
    }

    /// The text that it is, if it is one.
    pub fn as_text(&self) -> Option<&Arc<str>> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number that it is, if it is one.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(*value),
            _ => None,
        }
    }

    /// The name before the brackets.
    pub fn kind(&self) -> Option<&str> {
        match self {
            Self::Fields(name, _) | Self::Tuple(name, _) => name.as_deref(),
            _ => None,
        }
    }

    /// Whether a value of a program can be written: its numbers are finite and its brackets not too deep.
    pub(super) fn is_writable(&self) -> bool {
        let mut waiting = vec![(self, 0)];
        while let Some((value, depth)) = waiting.pop() {
            if depth > DEEPEST || matches!(value, Self::Number(number) if !number.is_finite()) {
                return false;
            }
            if let Self::Map(entries) = value {
                waiting.extend(entries.iter().map(|(key, _)| (key, depth + 1)));
            }
            waiting.extend((0..value.len()).filter_map(|at| Some((value.child(at)?, depth + 1))));
        }
        true
    }

    /// The same with all numbers rounded to so many decimals. Must be [`is_writable`](Self::is_writable).
    pub(super) fn rounded(&self, digits: usize) -> Self {
        match self {
            Self::Number(value) => Self::Number(rounded(*value, digits)),
            Self::Fields(name, fields) => {
                let fields = fields.iter().map(|(name, value)| (Arc::clone(name), value.rounded(digits)));
                Self::Fields(name.clone(), Arc::new(fields.collect()))
            }
            Self::Tuple(name, items) => {
                let items = items.iter().map(|item| item.rounded(digits)).collect();
                Self::Tuple(name.clone(), Arc::new(items)).regular()
            }
            Self::List(items) => {
                Self::List(Arc::new(items.iter().map(|item| item.rounded(digits)).collect()))
            }
            Self::Map(entries) => {
                let entries = entries.iter().map(|(key, value)| (key.clone(), value.rounded(digits)));
                Self::Map(Arc::new(entries.collect()))
            }
            other => other.clone(),
        }
    }

    /// The value as JSON has it: with lists and maps alone, whose keys are texts.
    pub(super) fn as_json(&self) -> Self {
        let list = |items: &[Self]| Self::list(items.iter().map(Self::as_json));
        let named = |name: &Option<Arc<str>>, value| match name {
            Some(name) => Self::map([(&**name, value)]),
            None => value,
        };
        match self {
            Self::Word(word) => Self::Text(Arc::clone(word)),
            Self::Fields(name, fields) => {
                named(name, Self::map(fields.iter().map(|(name, value)| (&**name, value.as_json()))))
            }
            Self::Tuple(name @ Some(_), items) if items.len() == 1 => named(name, items[0].as_json()),
            Self::Tuple(name, items) => named(name, list(items)),
            Self::List(items) => list(items),
            Self::Map(entries) => {
                let entry = |(key, value): &(Self, Self)| {
                    (Self::text(&key.key_name().unwrap_or_default()), value.as_json())
                };
                Self::Map(Arc::new(entries.iter().map(entry).collect()))
            }
            other => other.clone(),
        }
    }

    /// On one line. In JSON it must have been made [`as_json`](Self::as_json).
    pub(super) fn flat(&self, syntax: Syntax, out: &mut String) {
        fn all<T>(out: &mut String, items: &[T], mut write: impl FnMut(&T, &mut String)) {
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                write(item, out);
            }
        }
        match self {
            Self::None => out.push_str(if syntax == Syntax::Json { "null" } else { "None" }),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(value) => out.push_str(&number(*value, 17)),
            Self::Text(text) if syntax == Syntax::Json => out.push_str(&json::quoted(text)),
            Self::Text(text) => out.push_str(&quoted(text)),
            Self::Word(word) => out.push_str(word),
            Self::Fields(name, fields) => {
                out.push_str(name.as_deref().unwrap_or_default());
                out.push('(');
                all(out, fields, |(name, value), out| {
                    out.push_str(name);
                    out.push_str(": ");
                    value.flat(syntax, out);
                });
                out.push(')');
            }
            Self::Tuple(name, items) => {
                out.push_str(name.as_deref().unwrap_or_default());
                out.push('(');
                all(out, items, |item, out| item.flat(syntax, out));
                out.push(')');
            }
            Self::List(items) => {
                out.push('[');
                all(out, items, |item, out| item.flat(syntax, out));
                out.push(']');
            }
            Self::Map(entries) => {
                out.push('{');
                all(out, entries, |(key, value), out| {
                    key.flat(syntax, out);
                    out.push_str(": ");
                    value.flat(syntax, out);
                });
                out.push('}');
            }
        }
    }
}

/// A number as its rounded text is read.
pub(super) fn rounded(value: f64, digits: usize) -> f64 {
    number(value, digits).parse().unwrap_or(value)
}

impl PartialEq for DocValue {
    fn eq(&self, other: &Self) -> bool {
        if self.is_shared_with(other) {
            return true;
        }
        match (self, other) {
            (Self::Fields(a, x), Self::Fields(b, y)) => a == b && x == y,
            (Self::Tuple(a, x), Self::Tuple(b, y)) => a == b && x == y,
            (Self::List(x), Self::List(y)) => x == y,
            (Self::Map(x), Self::Map(y)) => x == y,
            _ => false,
        }
    }
}

impl fmt::Display for DocValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        self.flat(Syntax::Ron, &mut out);
        f.write_str(&out)
    }
}

impl From<f64> for DocValue {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<bool> for DocValue {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for DocValue {
    /// A text in quotes.
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<(f64, f64)> for DocValue {
    fn from((x, y): (f64, f64)) -> Self {
        Self::tuple(None, [x.into(), y.into()])
    }
}

impl From<Point> for DocValue {
    fn from(at: Point) -> Self {
        (at.x, at.y).into()
    }
}

impl From<Vec2> for DocValue {
    fn from(by: Vec2) -> Self {
        (by.x, by.y).into()
    }
}

impl From<Ease> for DocValue {
    fn from(ease: Ease) -> Self {
        let name = ease.named().0;
        let mut parts = ease.written().map(|part| part.map_or_else(Self::word, Self::from)).peekable();
        if parts.peek().is_none() { Self::word(name) } else { Self::tuple(Some(name), parts) }
    }
}

impl From<Extend> for DocValue {
    fn from(extend: Extend) -> Self {
        Self::word(extend.word())
    }
}

impl From<GridPlace> for DocValue {
    /// The key of a place in a map.
    fn from(place: GridPlace) -> Self {
        match place.0.as_slice() {
            [one] => Self::Number(*one),
            several => Self::tuple(None, several.iter().map(|number| Self::Number(*number))),
        }
    }
}

impl From<VertexAddress> for DocValue {
    /// The key of a vertex in a map.
    fn from(address: VertexAddress) -> Self {
        match address.part {
            VertexPart::Anchor => Self::Number(f64::from(address.vertex)),
            _ => Self::text(&address.show()),
        }
    }
}
