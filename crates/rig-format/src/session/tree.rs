//! The text of a file as a tree and as a value. Of the entries of sections (bones, bindings, clips) only the
//! places are kept: they are parsed where something in them changes, so that an edit of one entry costs nothing
//! of the others.

use std::ops::Range;
use std::sync::Arc;

use super::text::TextEdit;
use super::value::DocValue;
use crate::diagnostic::Diagnostics;
use crate::doc::RigDoc;
use crate::read::{EntryEdit, root};
use crate::schema::Type;
use crate::schema::shape::shape;
use crate::span::{SourceId, Span};
use crate::text::{Node, NodeKind, Syntax, parse_as};

/// A text without mistakes.
#[derive(Clone, Debug)]
pub(super) struct TextTree {
    /// Entries of sections are `Broken` in it.
    root: Arc<Node>,
    pub(super) value: DocValue,
    pub(super) syntax: Syntax,
    /// The entry that changed last: it is probably the next one, too.
    last: Option<Arc<Node>>,
}

impl TextTree {
    /// Reads a text; none if it has mistakes.
    pub(super) fn read(text: &str) -> Option<Self> {
        Self::read_as(Syntax::of(text), text)
    }

    pub(super) fn read_as(syntax: Syntax, text: &str) -> Option<Self> {
        let mut found = Diagnostics::new();
        let parsed = parse_as(syntax, SourceId::default(), text, &mut found);
        let mut root = root(parsed.root.filter(|_| parsed.whole && !found.has_errors())?, syntax);
        let value = DocValue::of_node(&root)?;
        if let NodeKind::Struct(_, fields) = &mut root.kind {
            for field in fields.iter_mut().filter(|field| item_type(&field.name.value).is_some()) {
                entries_mut(&mut field.value).for_each(|entry| entry.kind = NodeKind::Broken);
            }
        }
        Some(Self { root: Arc::new(root), value, syntax, last: None })
    }

    pub(super) fn root(&self) -> &Node {
        &self.root
    }

    /// The tree of an entry of a section, by its place.
    pub(super) fn entry(&self, text: &str, place: Span) -> Option<Arc<Node>> {
        if let Some(last) = self.last.as_ref().filter(|last| last.span == place) {
            return Some(Arc::clone(last));
        }
        let NodeKind::Struct(_, fields) = &self.root.kind else { return None };
        let holds = |node: &Node| node.span.start < place.start && place.end < node.span.end;
        let section = fields.iter().find(|field| holds(&field.value))?;
        self.parse_entry(text, place, &section.name.value).map(Arc::new)
    }

    /// The bytes of what is at some positions, with its name or key.
    pub(super) fn place(&self, text: &str, positions: &[usize]) -> Option<Range<usize>> {
        let (range, node) = walk(&self.root, positions.get(..2).unwrap_or(positions))?;
        match positions.get(2..).unwrap_or_default() {
            [] => Some(range),
            // What is in an entry is parsed now.
            deeper => walk(self.entry(text, node.span)?.as_ref(), deeper).map(|(range, _)| range),
        }
    }

    fn parse_entry(&self, text: &str, place: Span, section: &str) -> Option<Node> {
        let of = item_type(section)?;
        let mut found = Diagnostics::new();
        let parsed = parse_as(self.syntax, SourceId::default(), text.get(place.range())?, &mut found);
        let mut node = parsed.root.filter(|_| parsed.whole && found.is_empty())?;
        node.shift(place.start);
        if self.syntax == Syntax::Json {
            shape(&mut node, of);
        }
        (node.span == place).then_some(node)
    }

    /// The tree of a text after edits that make this value, if there is one that is wanted; and the entry
    /// that changed, if everything is within one, which alone is parsed then. None if the text has mistakes or
    /// another value.
    pub(super) fn edited(
        &self,
        text: &str,
        edits: &[TextEdit],
        wanted: Option<&DocValue>,
    ) -> Option<(Self, Option<EntryEdit>)> {
        if let Some((tree, entry)) = wanted.and_then(|wanted| self.with_entry(text, edits, wanted)) {
            return Some((tree, Some(entry)));
        }
        let read = Self::read(text)?;
        match wanted {
            None => Some((read, None)),
            // The wanted value shares with the old one what did not change.
            Some(wanted) => (read.value == *wanted).then(|| (Self { value: wanted.clone(), ..read }, None)),
        }
    }

    /// The same if the edits are within one entry, between its brackets.
    fn with_entry(&self, text: &str, edits: &[TextEdit], wanted: &DocValue) -> Option<(Self, EntryEdit)> {
        let start = edits.iter().map(|edit| edit.range.start).min()?;
        let end = edits.iter().map(|edit| edit.range.end).max()?;
        let grown: i64 = edits.iter().map(|edit| edit.text.len() as i64 - edit.range.len() as i64).sum();
        let holds = |node: &Node| (node.span.start as usize) < start && end < node.span.end as usize;
        let mut root = (*self.root).clone();
        let NodeKind::Struct(_, fields) = &root.kind else { return None };
        let at = fields.iter().position(|field| holds(&field.value))?;
        let section = fields.get(at)?;
        let (number, entry, key) = entries(&section.value).find(|(_, entry, _)| holds(entry))?;
        let (old, key) = (entry.span, key.cloned());
        let new = self.parse_entry(text, old.after_change(old.end, grown), &section.name.value)?;
        let section = section.name.value.clone();
        // Everything else is what it was, and the entry is as it is wanted.
        let (before, after) = (self.value.child(at)?, wanted.child(at)?);
        let same = |a: &DocValue, b: &DocValue, except: usize| {
            a.is_alike(b)
                && (0..a.len()).all(|i| {
                    i == except || a.child(i).zip(b.child(i)).is_some_and(|(a, b)| a.is_shared_with(b))
                })
        };
        let is_wanted = same(&self.value, wanted, at)
            && same(before, after, number)
            && DocValue::of_node(&new).as_ref() == after.child(number);
        if !is_wanted {
            return None;
        }
        root.places(&mut |span| *span = span.after_change(old.end, grown));
        let new = Arc::new(new);
        let last = Some(Arc::clone(&new));
        let tree = Self { root: Arc::new(root), value: wanted.clone(), syntax: self.syntax, last };
        Some((tree, EntryEdit { section, key, old, new }))
    }
}

/// The node at some positions, and its bytes with its name or key.
pub(super) fn walk<'n>(root: &'n Node, positions: &[usize]) -> Option<(Range<usize>, &'n Node)> {
    positions.iter().try_fold((root.span.range(), root), |(_, node), at| {
        let (start, value) = match &node.inner().kind {
            NodeKind::Struct(_, fields) => fields.get(*at).map(|field| (field.name.span, &field.value))?,
            NodeKind::Map(entries) => entries.get(*at).map(|entry| (entry.key.span, &entry.value))?,
            NodeKind::Tuple(_, items) | NodeKind::List(items) => {
                items.get(*at).map(|item| (item.span, item))?
            }
            _ => return None,
        };
        Some((start.range().start..value.span.range().end, value))
    })
}

/// The type of the entries of a section.
fn item_type(section: &str) -> Option<&'static Type> {
    match RigDoc::TABLE.fields().written(section)?.of {
        Type::List { of, .. } | Type::Map { of, .. } => Some(of),
        _ => None,
    }
}

/// The entries of a section: their numbers, values and keys.
fn entries(section: &Node) -> impl Iterator<Item = (usize, &Node, Option<&Node>)> {
    let (map, list) = match &section.inner().kind {
        NodeKind::Map(entries) => (entries.as_slice(), [].as_slice()),
        NodeKind::List(items) => ([].as_slice(), items.as_slice()),
        _ => ([].as_slice(), [].as_slice()),
    };
    let of_map = map.iter().enumerate().map(|(at, entry)| (at, &entry.value, Some(&entry.key)));
    of_map.chain(list.iter().enumerate().map(|(at, item)| (at, item, None)))
}

/// Those that have brackets.
fn entries_mut(section: &mut Node) -> impl Iterator<Item = &mut Node> {
    let (map, list) = match &mut section.inner_mut().kind {
        NodeKind::Map(entries) => (entries.as_mut_slice(), [].as_mut_slice()),
        NodeKind::List(items) => ([].as_mut_slice(), items.as_mut_slice()),
        _ => ([].as_mut_slice(), [].as_mut_slice()),
    };
    let has_brackets = |node: &&mut Node| {
        use NodeKind as K;
        matches!(node.kind, K::Struct(..) | K::Tuple(..) | K::List(_) | K::Map(_))
    };
    map.iter_mut().map(|entry| &mut entry.value).chain(list).filter(has_brackets)
}
