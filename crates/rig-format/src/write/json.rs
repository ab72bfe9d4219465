//! Values as JSON: records and maps are objects, pairs and keys arrays, words texts, and a name before
//! brackets is the only key of an object, as serde has enums.

use super::tree::{Group, Tree};
use crate::text::{EntryNode, Node, NodeKind};

/// A value as JSON has it. It is as deep as the value.
pub(crate) fn as_json(node: &Node) -> Node {
    let text = |text: &str| Node::new(NodeKind::Text(text.to_owned()));
    let all = |items: &[Node]| Node::list(items.iter().map(as_json).collect());
    match &node.kind {
        NodeKind::Word(word) => text(word),
        NodeKind::Some(inner) => as_json(inner),
        NodeKind::Struct(name, fields) => {
            let entry = |field: &crate::text::FieldNode| (text(&field.name.value), as_json(&field.value));
            let object = Node::map(fields.iter().map(entry).collect());
            match name {
                Some(name) => Node::map(vec![(text(&name.value), object)]),
                None => object,
            }
        }
        NodeKind::Tuple(None, items) | NodeKind::List(items) => all(items),
        NodeKind::Tuple(Some(name), items) => {
            let inner = if let [one] = items.as_slice() { as_json(one) } else { all(items) };
            Node::map(vec![(text(&name.value), inner)])
        }
        NodeKind::Map(entries) => {
            let entry = |EntryNode { key: name, value }: &EntryNode| (text(&key_text(name)), as_json(value));
            Node::map(entries.iter().map(entry).collect())
        }
        _ => node.clone(),
    }
}

/// The key of a map as a text: places of grids are `1, 1`.
pub(crate) fn key_text(key: &Node) -> String {
    match &key.kind {
        NodeKind::Text(name) | NodeKind::Word(name) => name.clone(),
        NodeKind::Number(number) => number.to_string(),
        NodeKind::Tuple(None, items) => {
            let number =
                |item: &Node| if let NodeKind::Number(number) = item.kind { number } else { f64::NAN };
            items.iter().map(|item| number(item).to_string()).collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    }
}

/// A value on one line.
pub(crate) fn json_line(node: &Node) -> Option<String> {
    tree(&as_json(node), 0).flat()
}

/// A value on lines of their own where it is long; entries of the outermost `spread` levels have lines of
/// their own.
pub(crate) fn json_text(node: &Node, spread: usize) -> String {
    let mut out = String::new();
    tree(&as_json(node), spread).write(0, 0, &mut out);
    out.push('\n');
    out
}

fn tree(node: &Node, spread: usize) -> Tree {
    let mut group = match &node.kind {
        NodeKind::Number(number) => return Tree::Plain(super::number(*number, 17)),
        NodeKind::Bool(value) => return Tree::Plain(value.to_string()),
        NodeKind::Text(text) => return Tree::Plain(quoted(text)),
        NodeKind::List(items) => {
            let mut group = Group::list();
            items.iter().for_each(|item| {
                group.noted(Vec::new(), String::new(), tree(item, spread.saturating_sub(1)))
            });
            group
        }
        NodeKind::Map(entries) => {
            let mut group = Group::map();
            for EntryNode { key, value } in entries {
                let key = if let NodeKind::Text(key) = &key.kind { quoted(key) } else { String::new() };
                group.noted(Vec::new(), format!("{key}: "), tree(value, spread.saturating_sub(1)));
            }
            group
        }
        _ => return Tree::Plain("null".to_owned()),
    };
    group.json();
    if spread > 0 { group.spread() } else { group }.into()
}

/// A text in quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
