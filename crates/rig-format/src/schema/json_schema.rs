//! The format as JSON Schema (draft 2020-12), for editors of `rig.json`.

use super::{Field, Fields, One, Range, Type, Variant, Variants, Word};
use crate::doc::RigDoc;
use crate::text::{Node, NodeKind};
use crate::write::json::json_text;
use bone_core::clip::{Ease, EaseParameter, EaseRow};

/// The JSON Schema of a rig that is written as JSON, as a text.
///
/// ```
/// let schema = bone_format::json_schema();
/// assert!(schema.contains("https://json-schema.org/draft/2020-12/schema"));
/// ```
pub fn json_schema() -> String {
    let mut records: Vec<(&str, Node)> = Vec::new();
    let rig = Type::Record(RigDoc::TABLE);
    for (name, fields) in RIG.tables() {
        records.push((name, object(&fields, if name == "Rig" { &["$schema"] } else { &[] })));
    }
    for variants in RIG.variants() {
        for variant in variants.all {
            // With the fields that all have.
            let place = records.iter_mut().find(|(name, _)| *name == variant.name);
            place.into_iter().for_each(|(_, node)| *node = object(&variants.fields(variant), &[]));
        }
    }
    let root = map([
        ("$schema", text("https://json-schema.org/draft/2020-12/schema")),
        ("title", text("A rig of bone-layer")),
        ("$ref", text(&reference(&rig.to_string()))),
        ("$defs", map(records)),
    ]);
    json_text(&root, 4)
}

static RIG: Type = Type::Record(RigDoc::TABLE);

fn map<'n>(entries: impl IntoIterator<Item = (&'n str, Node)>) -> Node {
    Node::map(entries.into_iter().map(|(name, value)| (text(name), value)).collect())
}

fn text(text: &str) -> Node {
    Node::new(NodeKind::Text(text.to_owned()))
}

fn any_of(schemas: Vec<Node>) -> Node {
    map([("anyOf", Node::list(schemas))])
}

fn reference(name: &str) -> String {
    format!("#/$defs/{name}")
}

/// An object with these fields and no others, but for some texts.
fn object(fields: &Fields, texts: &[&str]) -> Node {
    let field = |field: Field| {
        let NodeKind::Map(mut entries) = schema(field.of).kind else { return (field.name, schema(field.of)) };
        let more = map([("description", text(&field.meaning()))]);
        if let NodeKind::Map(more) = more.kind {
            entries.extend(more);
        }
        (field.name, Node::new(NodeKind::Map(entries)))
    };
    let own = texts.iter().map(|name| (*name, map([("type", text("string"))])));
    let required = fields.iter().filter(|field| field.default.is_none());
    let required = required.map(|field| text(field.name)).collect();
    map([
        ("type", text("object")),
        ("properties", map(own.chain(fields.iter().map(field)).collect::<Vec<_>>())),
        ("required", Node::list(required)),
        ("additionalProperties", Node::new(NodeKind::Bool(false))),
    ])
}

/// An array of these values, the first `least` of them required.
fn tuple(items: Vec<Node>, least: usize) -> Node {
    let most = items.len();
    map([
        ("type", text("array")),
        ("prefixItems", Node::list(items)),
        ("minItems", Node::number(least as f64)),
        ("maxItems", Node::number(most as f64)),
    ])
}

fn number(range: Range) -> Node {
    let of = |name: &'static str, limit: f64| (name, Node::number(limit));
    let kind = if matches!(range, Range::Whole(_)) { "integer" } else { "number" };
    let mut entries = vec![("type", text(kind))];
    match range {
        Range::Any => {}
        Range::NotZero => entries.push(("not", map([of("const", 0.0)]))),
        Range::Above(least) => entries.push(of("exclusiveMinimum", least)),
        Range::AtLeast(least) | Range::Whole(least) => entries.push(of("minimum", least)),
        Range::Between(least, most) => entries.extend([of("minimum", least), of("maximum", most)]),
        Range::AboveTo(least, most) => entries.extend([of("exclusiveMinimum", least), of("maximum", most)]),
    }
    map(entries)
}

/// An object with one key.
fn tagged(name: &str, value: Node) -> Node {
    map([
        ("type", text("object")),
        ("properties", map([(name, value)])),
        ("required", Node::list(vec![text(name)])),
        ("additionalProperties", Node::new(NodeKind::Bool(false))),
    ])
}

fn words(words: &[Word]) -> Node {
    let plain: Vec<Node> =
        words.iter().filter(|word| word.of.is_none()).map(|word| text(word.name)).collect();
    let mut all = vec![map([("enum", Node::list(plain))])];
    all.extend(words.iter().filter_map(|word| Some(tagged(word.name, schema(word.of?)))));
    if all.len() == 1 { all.remove(0) } else { any_of(all) }
}

fn ease() -> Node {
    let range = |of: &EaseParameter| match of.words {
        [] => number(if of.low.is_finite() { Range::Between(of.low, of.high) } else { Range::Any }),
        words => map([("enum", Node::list(words.iter().map(|word| text(word)).collect()))]),
    };
    let (plain, numbered): (Vec<&EaseRow>, Vec<&EaseRow>) =
        Ease::TABLE.iter().partition(|row| row.parameters.is_empty());
    let plain = plain.iter().map(|row| text(row.name)).collect();
    let numbered = numbered.iter().map(|row| {
        let parts: Vec<Node> = row.parameters.iter().map(range).collect();
        // One part stands alone, too.
        let alone = parts.first().filter(|_| row.least() == 1).cloned();
        let list = tuple(parts, row.least());
        tagged(row.name, alone.map_or(list.clone(), |alone| any_of(vec![alone, list])))
    });
    any_of([map([("enum", Node::list(plain))])].into_iter().chain(numbered).collect())
}

/// The schema of a type. It is as deep as the type; records are references.
fn schema(of: &'static Type) -> Node {
    let kind = |name| map([("type", text(name))]);
    match of {
        Type::Version => map([("const", Node::number(1.0))]),
        Type::Bool => kind("boolean"),
        Type::Number(of) => number(of.range),
        Type::Text(_) => kind("string"),
        Type::Pair(pair) => {
            let both = tuple(vec![number(pair.range), number(pair.range)], 2);
            match pair.one {
                None => both,
                Some(One::Both | One::First | One::Second | One::Halves) => {
                    any_of(vec![number(pair.range), both])
                }
            }
        }
        Type::Words(all) => words(all),
        Type::Ease => ease(),
        Type::None => kind("null"),
        Type::Either(types) => any_of(types.iter().map(schema).collect()),
        Type::List { of, .. } => map([("type", text("array")), ("items", schema(of))]),
        Type::Map { key, of, .. } => match key {
            super::Key::Name { .. } => map([("type", text("object")), ("additionalProperties", schema(of))]),
            super::Key::Stop => map([
                ("type", text("object")),
                ("patternProperties", map([("^[0-9]+$", schema(of))])),
                ("additionalProperties", Node::new(NodeKind::Bool(false))),
            ]),
            super::Key::Grid => map([
                ("type", text("object")),
                ("patternProperties", map([("^[-+.0-9eE]+( *, *[-+.0-9eE]+)*$", schema(of))])),
                ("additionalProperties", Node::new(NodeKind::Bool(false))),
            ]),
            super::Key::Vertex => map([
                ("type", text("object")),
                ("patternProperties", map([("^[0-9]+([.](in|out))?$", schema(of))])),
                ("additionalProperties", Node::new(NodeKind::Bool(false))),
            ]),
        },
        Type::Keys { of, third, long, .. } => {
            let mut parts = vec![number(Range::Any), schema(of)];
            parts.extend(third.map(schema));
            let list =
                map([("type", text("array")), ("items", tuple(parts, 2)), ("minItems", Node::number(1.0))]);
            let Some(table) = long else { return list };
            let mut whole = object(&table.fields(), &[]);
            // Its keys have this type.
            let keys = whole.at("properties").and_then(|properties| properties.at("keys"));
            keys.into_iter().for_each(|keys| *keys = list.clone());
            any_of(vec![list, whole])
        }
        Type::KeyList => kind("array"),
        Type::Record(table) => map([("$ref", text(&reference(table.name)))]),
        Type::Variants(variants) => any_of(variants.all.iter().map(of_variant).collect()),
    }
}

fn of_variant(variant: &Variant) -> Node {
    tagged(variant.name, map([("$ref", text(&reference(variant.name)))]))
}

impl Type {
    /// The enums of records in it.
    fn variants(&'static self) -> Vec<&'static Variants> {
        let fields = self.tables().into_iter().flat_map(|(_, fields)| fields.iter().collect::<Vec<_>>());
        let of = |field: Field| match field.of {
            Type::List { of: Type::Variants(variants), .. } => Some(*variants),
            _ => None,
        };
        fields.filter_map(of).collect()
    }
}
