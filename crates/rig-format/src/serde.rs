//! The document for serde: the crates `ron` and `serde_json` read and write it as this crate does.
//!
//! A document is written as its tree of values, with the names of the tables. It is read as any value, given
//! the shape of a rig, and read as a text is; so what is wrong has the same messages, without places.

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{
    Serialize, SerializeMap as _, SerializeSeq as _, SerializeStruct as _, SerializeStructVariant as _,
    SerializeTuple as _, SerializeTupleVariant as _, Serializer,
};

use crate::diagnostic::{Diagnostics, Severity};
use crate::doc::{Ease, RigDoc};
use crate::read::read_node;
use crate::schema::{Fields, Type};
use crate::text::{FieldNode, Node, NodeKind};
use crate::write::json::key_text;
use crate::write::{Digits, node};

/// What serde calls the enums: no format writes it.
const ENUM: &str = "Word";

static RIG: Type = Type::Record(RigDoc::TABLE);

impl Serialize for RigDoc {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Typed { node: &node(self, Digits::ALL), of: &RIG }.serialize(serializer)
    }
}

/// A value with its type, whose names are static: serde takes no others.
#[derive(Clone, Copy)]
struct Typed<'n> {
    node: &'n Node,
    of: &'static Type,
}

impl<'n> Typed<'n> {
    const fn of(self, of: &'static Type, node: &'n Node) -> Self {
        Self { node, of }
    }

    /// The types that its own may be.
    fn types(self) -> &'static [Type] {
        if let Type::Either(types) = self.of { types } else { std::slice::from_ref(self.of) }
    }

    fn find<T>(self, find: impl Fn(&'static Type) -> Option<T>) -> Option<T> {
        self.types().iter().find_map(find)
    }

    /// The type of what is in a list or a map.
    fn inner(self) -> &'static Type {
        let inner = |of: &'static Type| match of {
            Type::List { of, .. } | Type::Map { of, .. } => Some(*of),
            Type::Keys { .. } => Some(of),
            _ => None,
        };
        self.find(inner).unwrap_or(&Type::KeyList)
    }

    /// The types of the parts of a key.
    fn parts(self) -> [&'static Type; 3] {
        let keys = |of: &'static Type| match of {
            Type::Keys { of, third, .. } => Some([&Type::KeyList, *of, third.unwrap_or(&Type::KeyList)]),
            _ => None,
        };
        self.find(keys).unwrap_or([&Type::KeyList; 3])
    }

    /// The fields of a record, of keys, or of a variant; its name; and where a variant is among all.
    fn record(self, name: Option<&str>) -> Option<(&'static str, Fields, u32)> {
        let record = |of: &'static Type| match of {
            Type::Record(table) | Type::Keys { long: Some(table), .. } => {
                Some((table.name, table.fields(), 0))
            }
            Type::Variants(variants) => {
                let at = variants.all.iter().position(|variant| Some(variant.name) == name)?;
                let variant = variants.all.get(at)?;
                Some((variant.name, variants.fields(variant), at as u32))
            }
            _ => None,
        };
        self.find(record)
    }

    /// A word by its name, and where it is among all.
    fn word(self, name: &str) -> Option<(&'static str, u32)> {
        let word = |of: &'static Type| {
            let names: Vec<&'static str> = match of {
                Type::Words(words) => words.iter().map(|word| word.name).collect(),
                Type::Ease => {
                    let parts = Ease::TABLE.iter().flat_map(|row| row.parameters).flat_map(|part| part.words);
                    Ease::TABLE.iter().map(|row| row.name).chain(parts.copied()).collect()
                }
                _ => return None,
            };
            let at = names.iter().position(|known| *known == name)?;
            Some((*names.get(at)?, at as u32))
        };
        self.find(word)
    }
}

impl Serialize for Typed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::Error as _;
        let unknown = || S::Error::custom("this value is not in the format");
        match &self.node.kind {
            NodeKind::Bool(value) => serializer.serialize_bool(*value),
            NodeKind::Number(number) => match whole(*number) {
                Some(whole) => serializer.serialize_i64(whole),
                None => serializer.serialize_f64(*number),
            },
            NodeKind::Text(text) => serializer.serialize_str(text),
            NodeKind::None | NodeKind::Broken => serializer.serialize_none(),
            NodeKind::Some(inner) => self.of(self.of, inner).serialize(serializer),
            NodeKind::Word(word) => {
                let (word, at) = self.word(word).ok_or_else(unknown)?;
                serializer.serialize_unit_variant(ENUM, at, word)
            }
            NodeKind::Struct(name, fields) => {
                let (title, known, at) =
                    self.record(name.as_ref().map(|name| name.value.as_str())).ok_or_else(unknown)?;
                let named = fields.iter().map(|FieldNode { name, value }| {
                    let field = known.written(&name.value).ok_or_else(unknown)?;
                    // The keys in a record have the type of the record.
                    let of = if matches!(field.of, Type::KeyList) { self.of } else { field.of };
                    Ok((field.name, self.of(of, value)))
                });
                if name.is_some() {
                    let mut out = serializer.serialize_struct_variant(ENUM, at, title, fields.len())?;
                    for field in named {
                        let (name, value) = field?;
                        out.serialize_field(name, &value)?;
                    }
                    return out.end();
                }
                let mut out = serializer.serialize_struct(title, fields.len())?;
                for field in named {
                    let (name, value) = field?;
                    out.serialize_field(name, &value)?;
                }
                out.end()
            }
            NodeKind::Tuple(None, items) => {
                let mut out = serializer.serialize_tuple(items.len())?;
                for (item, of) in items.iter().zip(self.parts()) {
                    out.serialize_element(&self.of(of, item))?;
                }
                out.end()
            }
            NodeKind::Tuple(Some(name), items) => {
                let (word, at) = self.word(&name.value).ok_or_else(unknown)?;
                let type_of = |part: &Node| {
                    if matches!(part.kind, NodeKind::Word(_)) { self.of } else { &Type::KeyList }
                };
                let part = |part| self.of(type_of(part), part);
                if let [one] = items.as_slice() {
                    return serializer.serialize_newtype_variant(ENUM, at, word, &part(one));
                }
                let mut out = serializer.serialize_tuple_variant(ENUM, at, word, items.len())?;
                for item in items {
                    out.serialize_field(&part(item))?;
                }
                out.end()
            }
            NodeKind::List(items) => {
                let mut out = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    out.serialize_element(&self.of(self.inner(), item))?;
                }
                out.end()
            }
            NodeKind::Map(entries) => {
                let mut out = serializer.serialize_map(Some(entries.len()))?;
                for entry in entries {
                    // A key of several numbers is a text in formats that have no others.
                    let text = Node::new(NodeKind::Text(key_text(&entry.key)));
                    let is_place = matches!(entry.key.kind, NodeKind::Tuple(..));
                    let key = self.of(&Type::KeyList, if is_place { &text } else { &entry.key });
                    out.serialize_entry(&key, &self.of(self.inner(), &entry.value))?;
                }
                out.end()
            }
        }
    }
}

/// The number as an integer, if it is one and no sign is lost.
fn whole(number: f64) -> Option<i64> {
    let small = number.fract() == 0.0 && number.abs() < 9e15 && (number != 0.0 || number.is_sign_positive());
    small.then_some(number as i64)
}

impl<'de> Deserialize<'de> for RigDoc {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Buffered::Any(Any(root)) = Buffered::deserialize(deserializer)?;
        let mut diagnostics = Diagnostics::new();
        let doc = read_node(root, &mut diagnostics);
        match (doc, diagnostics.iter().find(|found| found.severity == Severity::Error)) {
            (_, Some(error)) => Err(D::Error::custom(&error.message)),
            (Some(doc), None) => Ok(doc),
            (None, None) => Err(D::Error::custom("this is no rig")),
        }
    }
}

/// Makes serde keep a value as it is written before it is looked at: only so does `ron` tell the names before
/// brackets and the words.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Buffered {
    Any(Any),
}

/// Any value, in the tree that JSON has.
struct Any(Node);

impl<'de> Deserialize<'de> for Any {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor).map(Self)
    }
}

struct AnyVisitor;

impl<'de> Visitor<'de> for AnyVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a rig")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::new(NodeKind::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::new(NodeKind::Text(value.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::new(NodeKind::None))
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::new(NodeKind::None))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        Any::deserialize(deserializer).map(|any| any.0)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        Any::deserialize(deserializer).map(|any| any.0)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(Any(item)) = all.next_element()? {
            items.push(item);
        }
        Ok(Node::list(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut all: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some((Any(key), Any(value))) = all.next_entry()? {
            entries.push((key, value));
        }
        Ok(Node::map(entries))
    }
}
