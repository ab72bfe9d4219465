//! JSON as the tree of a RON text: objects become records or maps, arrays pairs, keys or lists, texts words,
//! as their types demand. What does not fit stays as it is, and is reported by reading.

use super::{Fields, Key, Type, Variants};
use crate::span::Spanned;
use crate::text::{EntryNode, FieldNode, Node, NodeKind};

/// Gives a tree that was written as JSON the shape of a type. It is as deep as the type.
pub(crate) fn shape(node: &mut Node, of: &'static Type) {
    match of {
        Type::Record(table) => record(node, None, &table.fields()),
        Type::Variants(variants) => variant(node, variants),
        Type::Words(_) => word(node),
        Type::Ease => {
            word(node);
            if let NodeKind::Tuple(_, parts) = &mut node.kind {
                parts.iter_mut().filter(|part| matches!(part.kind, NodeKind::Text(_))).for_each(word);
            }
        }
        Type::Pair(_) => tuple(node),
        Type::List { of, .. } => items(node).iter_mut().for_each(|item| shape(item, of)),
        Type::Map { key, of, .. } => {
            if let NodeKind::Map(entries) = &mut node.kind {
                for entry in entries {
                    if matches!(key, Key::Vertex | Key::Stop) {
                        vertex(&mut entry.key);
                    }
                    shape(&mut entry.value, of);
                }
            }
        }
        Type::Keys { of: value, third, long, .. } => {
            if let (NodeKind::Map(_), Some(table)) = (&node.kind, long) {
                record(node, None, &table.fields());
                if let NodeKind::Struct(_, fields) = &mut node.kind {
                    let keys = fields.iter_mut().filter(|field| field.name.value == "keys");
                    keys.for_each(|field| shape(&mut field.value, of));
                }
            }
            for key in items(node) {
                tuple(key);
                let NodeKind::Tuple(None, parts) = &mut key.kind else { continue };
                for (part, of) in parts.iter_mut().skip(1).zip([Some(*value), *third]) {
                    of.into_iter().for_each(|of| shape(part, of));
                }
            }
        }
        Type::Either(types) => {
            let fits = |of: &&Type| {
                matches!(
                    (&node.kind, of),
                    (NodeKind::Text(_), Type::Text(_) | Type::Words(_))
                        | (NodeKind::Map(_), Type::Record(_) | Type::Keys { .. })
                        | (NodeKind::List(_), Type::Pair(_) | Type::List { .. } | Type::Keys { .. })
                )
            };
            types.iter().find(fits).into_iter().for_each(|of| shape(node, of));
        }
        Type::Version | Type::Bool | Type::Number(_) | Type::Text(_) | Type::None | Type::KeyList => {}
    }
}

/// The number of a vertex: keys of objects are texts.
fn vertex(key: &mut Node) {
    if let NodeKind::Text(text) = &key.kind
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(vertex) = text.parse::<u32>()
    {
        key.kind = NodeKind::Number(f64::from(vertex));
    }
}

fn items(node: &mut Node) -> &mut [Node] {
    if let NodeKind::List(items) = &mut node.kind { items } else { &mut [] }
}

/// The entries of an object, if all keys are texts.
fn object(node: &mut Node) -> Option<Vec<FieldNode>> {
    let NodeKind::Map(entries) = &mut node.kind else { return None };
    if entries.iter().any(|entry| !matches!(entry.key.kind, NodeKind::Text(_) | NodeKind::Broken)) {
        return None;
    }
    let field = |EntryNode { key, value }| match key.kind {
        NodeKind::Text(name) => Some(FieldNode { name: Spanned::new(name, key.span), value }),
        _ => None,
    };
    Some(std::mem::take(entries).into_iter().filter_map(field).collect())
}

fn record(node: &mut Node, name: Option<Spanned<String>>, known: &Fields) {
    let Some(mut fields) = object(node) else { return };
    for field in &mut fields {
        let of = known.written(&field.name.value).map(|field| field.of);
        of.into_iter().for_each(|of| shape(&mut field.value, of));
    }
    node.kind = NodeKind::Struct(name.map(Box::new), fields);
}

/// `{"Rigid": {…}}`.
fn variant(node: &mut Node, variants: &Variants) {
    let NodeKind::Map(entries) = &mut node.kind else { return };
    let [EntryNode { key: Node { kind: NodeKind::Text(name), span }, value }] = entries.as_mut_slice() else {
        return;
    };
    let name = Spanned::new(std::mem::take(name), *span);
    let known = variants.fields_of(&name.value);
    record(value, Some(name.clone()), &known);
    let inner = std::mem::replace(&mut value.kind, NodeKind::Broken);
    node.kind = match inner {
        kind @ NodeKind::Struct(..) => kind,
        // Its brackets hold something else than fields.
        kind => NodeKind::Tuple(Some(Box::new(name)), vec![Node { kind, span: value.span }]),
    };
}

/// `"Hold"`, or `{"Bezier": [0.4, 0, 0.6, 1]}`.
fn word(node: &mut Node) {
    match &mut node.kind {
        NodeKind::Text(word) => node.kind = NodeKind::Word(std::mem::take(word)),
        NodeKind::Map(entries) => {
            let [EntryNode { key: Node { kind: NodeKind::Text(name), span }, value }] =
                entries.as_mut_slice()
            else {
                return;
            };
            let name = Some(Box::new(Spanned::new(std::mem::take(name), *span)));
            let parts = match std::mem::replace(&mut value.kind, NodeKind::Broken) {
                NodeKind::List(items) => items,
                kind => vec![Node { kind, span: value.span }],
            };
            node.kind = NodeKind::Tuple(name, parts);
        }
        _ => {}
    }
}

fn tuple(node: &mut Node) {
    if let NodeKind::List(items) = &mut node.kind {
        node.kind = NodeKind::Tuple(None, std::mem::take(items));
    }
}
