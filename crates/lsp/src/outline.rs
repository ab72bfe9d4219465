//! The structure of a text: symbols, folding and selection ranges. All follow its brackets.

use std::ops::Range;

use bone_format::Diagnostics;
use bone_format::span::{SourceId, Span};
use bone_format::text::{Node, NodeKind, parse};
use serde_json::{Value, json};

use crate::buffer::LineText;

/// Symbols are nested this deep: section, entry, and what a clip has of a bone.
const DEEPEST: usize = 6;

fn tree(text: &str) -> Option<Node> {
    parse(SourceId::default(), text, &mut Diagnostics::new()).root
}

/// The bytes of a member with its name.
fn whole(name: Option<Span>, value: &Node) -> Range<usize> {
    name.map_or(value.span, |name| name.to(value.span)).range()
}

/// Kinds of symbols, by their numbers in the protocol.
const MODULE: u32 = 2;
const OBJECT: u32 = 19;
const KEY: u32 = 20;

/// The sections of a rig with their entries.
pub(crate) fn symbols(lines: &LineText) -> Vec<Value> {
    tree(lines.text()).map(|root| symbols_in(&root, lines, 0)).unwrap_or_default()
}

/// Nested as deep as the limit.
fn symbols_in(node: &Node, lines: &LineText, depth: usize) -> Vec<Value> {
    let text = lines.text();
    let mut out = Vec::new();
    for (name, value) in node.members() {
        let has_brackets = matches!(value.kind, NodeKind::Struct(..) | NodeKind::Map(_) | NodeKind::List(_));
        let is_key = matches!(node.kind, NodeKind::List(_)) && matches!(value.kind, NodeKind::Tuple(..));
        if !has_brackets || is_key || depth >= DEEPEST {
            continue;
        }
        let shown = match (name, &value.kind) {
            (Some(name), _) => text.get(name.range()).unwrap_or_default().trim_matches('"').to_owned(),
            (None, NodeKind::Struct(head, fields)) => {
                let of = fields
                    .iter()
                    .find(|field| ["name", "art", "bone", "chain"].contains(&field.name.value.as_str()));
                let of = of.and_then(|field| text.get(field.value.span.range())).unwrap_or_default();
                format!("{} {of}", head.as_ref().map_or("", |head| head.value.as_str())).trim().to_owned()
            }
            _ => continue,
        };
        if shown.is_empty() {
            continue;
        }
        let children = match value.kind {
            NodeKind::List(_) | NodeKind::Map(_) | NodeKind::Struct(..) => {
                symbols_in(value, lines, depth + 1)
            }
            _ => Vec::new(),
        };
        out.push(json!({
            "name": shown,
            "kind": match depth { 0 => MODULE, 1 => OBJECT, _ => KEY },
            "range": lines.range(whole(name, value)),
            "selectionRange": lines.range(name.unwrap_or(value.span).range()),
            "children": children,
        }));
    }
    out
}

/// What can be folded: brackets and comments of several lines.
pub(crate) fn folding(lines: &LineText) -> Vec<Value> {
    let mut out = Vec::new();
    let line = |at: usize| lines.position(at).line;
    let root = tree(lines.text());
    let mut waiting: Vec<&Node> = root.iter().collect();
    while let Some(node) = waiting.pop() {
        let (start, end) = (line(node.span.range().start), line(node.span.range().end));
        let last = lines.text().get(..node.span.range().end).unwrap_or_default();
        // The line of the closing bracket stays.
        let end = end.saturating_sub(u32::from(last.ends_with([')', ']', '}'])));
        if end > start {
            out.push(json!({ "startLine": start, "endLine": end }));
        }
        waiting.extend(node.members().into_iter().map(|(_, value)| value));
    }
    let mut first = None;
    let comments = lines.text().lines().map(|line| line.trim_start().starts_with("//"));
    for (at, is_comment) in comments.chain([false]).enumerate() {
        match (is_comment, first) {
            (true, None) => first = Some(at),
            (false, Some(start)) => {
                if at > start + 1 {
                    out.push(json!({ "startLine": start, "endLine": at - 1, "kind": "comment" }));
                }
                first = None;
            }
            _ => {}
        }
    }
    out
}

/// The brackets around a byte, the innermost first, each with the next one as its parent.
pub(crate) fn selection(lines: &LineText, at: usize) -> Value {
    let mut ranges: Vec<Range<usize>> = std::iter::once(0..lines.text().len()).collect();
    let root = tree(lines.text());
    let mut inside = root.as_ref();
    while let Some(node) = inside {
        ranges.push(node.span.range());
        let next = node.members().into_iter().find(|(name, value)| {
            let range = whole(*name, value);
            range.start <= at && at <= range.end
        });
        inside = None;
        if let Some((name, value)) = next {
            ranges.push(whole(name, value));
            match name.filter(|name| name.range().start <= at && at <= name.range().end) {
                Some(name) => ranges.push(name.range()),
                None => inside = Some(value),
            }
        }
    }
    ranges.dedup();
    let mut selection = Value::Null;
    for range in ranges {
        let mut outer = json!({ "range": lines.range(range) });
        if !selection.is_null() {
            outer["parent"] = selection;
        }
        selection = outer;
    }
    selection
}
