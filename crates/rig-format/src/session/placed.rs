//! The names of a text with their bytes, also of a text that has mistakes: what is unreadable in it has none.

use std::ops::Range;
use std::sync::Arc;

use super::names::{Named, uses};
use super::tree::walk;
use super::value::DocValue;
use crate::diagnostic::Diagnostics;
use crate::read::root;
use crate::span::SourceId;
use crate::text::{Node, NodeKind, parse};

/// A name in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlacedName {
    /// What it names.
    pub of: Named,
    /// The name; of art perhaps an address.
    pub name: Arc<str>,
    /// Its bytes in the text, without quotes.
    pub range: Range<usize>,
    /// Whether the name is given here, and not used.
    pub defines: bool,
    /// The bytes of what alone has it, if another thing of this kind may have the same name elsewhere: of a state or an
    /// input its machine, or the layer of a machine.
    pub scope: Option<Range<usize>>,
}

impl PlacedName {
    /// Whether both mean the same thing, in one text or, without a scope, in one rig.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.of, &self.name, &self.scope) == (other.of, &other.name, &other.scope)
    }
}

/// The names that a text has of bones, art, clips and so on, in the order of the text.
///
/// ```
/// let text = r#"Rig(bones: {"hip": (), "leg": (parent: "hip"), clips: ???"#;
/// let names = bone_format::session::names_in(text);
/// let found: Vec<_> = names.iter().map(|name| (&text[name.range.clone()], name.defines)).collect();
/// assert_eq!(found, [("hip", true), ("leg", true), ("hip", false)]);
/// ```
pub fn names_in(text: &str) -> Vec<PlacedName> {
    let parsed = parse(SourceId::default(), text, &mut Diagnostics::new());
    let Some(mut root) = parsed.root.map(|node| root(node, parsed.syntax)) else { return Vec::new() };
    readable(&mut root);
    let Some(value) = DocValue::of_node(&root) else { return Vec::new() };
    let mut names: Vec<PlacedName> = Vec::new();
    for used in uses(&value) {
        let Some((range, node)) = walk(&root, &used.place) else { continue };
        let range = if used.is_key { key(text, range.start) } else { node.inner().span.range() };
        let written = text.get(range.clone()).unwrap_or_default();
        let quotes = written.len() >= 2 && written.starts_with('"') && written.ends_with('"');
        let range = if quotes { range.start + 1..range.end - 1 } else { range };
        let scope = walk(&root, used.scope(&value)).filter(|_| used.of.has_scope());
        let scope = scope.map(|(range, _)| range);
        names.push(PlacedName { of: used.of, name: used.name, range, defines: used.defines, scope });
    }
    names.sort_by_key(|name| name.range.start);
    names.dedup();
    names
}

/// The bytes of a key that begins at a byte.
fn key(text: &str, start: usize) -> Range<usize> {
    let rest = text.get(start..).unwrap_or_default();
    let escaped =
        |(at, _): &(usize, char)| rest[..*at].chars().rev().take_while(|c| *c == '\\').count() % 2 == 1;
    let closing = rest.char_indices().skip(1).find(|place| place.1 == '"' && !escaped(place));
    match closing.filter(|_| rest.starts_with('"')) {
        Some((at, _)) => start..start + at + 1,
        None => start..start + rest.find([':', ' ', '\n']).unwrap_or(rest.len()),
    }
}

/// Takes what could not be read for a value that is not given.
fn readable(root: &mut Node) {
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        match &mut node.kind {
            kind @ NodeKind::Broken => *kind = NodeKind::None,
            NodeKind::Some(inner) => waiting.push(inner),
            NodeKind::Struct(_, fields) => waiting.extend(fields.iter_mut().map(|field| &mut field.value)),
            NodeKind::Tuple(_, items) | NodeKind::List(items) => waiting.extend(items),
            NodeKind::Map(entries) => {
                waiting.extend(entries.iter_mut().flat_map(|entry| [&mut entry.key, &mut entry.value]));
            }
            _ => {}
        }
    }
}
