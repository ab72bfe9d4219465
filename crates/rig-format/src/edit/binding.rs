//! One binding in the text of its rig: `Smooth` is replaced by an `Explicit` a path, of an `Explicit` only
//! the rows that changed are.

use std::ops::Range;

use bone_core::Skeleton;
use bone_skin::{BoneWeights, VertexWeights};

use super::rows::{RowEntry, entries, lines, row_text, typed_tangents, written_alike};
use super::text::{Style, TextEdit, begins_line, comments};
use crate::doc::{ClipFollow, ExplicitDoc, SmoothDoc, VertexAddress, VertexPart};
use crate::span::Span;
use crate::text::{FieldNode, Node, NodeKind};
use crate::write::quoted;

/// The text of a rig, its tree and its habits.
pub(super) struct Page<'a> {
    pub(super) text: &'a str,
    pub(super) root: &'a Node,
    pub(super) style: Style,
    pub(super) skeleton: &'a Skeleton,
}

impl Page<'_> {
    /// The fields of the binding at a span.
    fn fields(&self, span: Span) -> &[FieldNode] {
        let skin = fields_of(self.root).iter().find(|field| field.name.value == "skin");
        let Some(NodeKind::List(items)) = skin.map(|field| &inner(&field.value).kind) else { return &[] };
        items.iter().find(|item| item.span == span).map_or(&[], fields_of)
    }

    /// `Explicit` bindings in place of a `Smooth` one. Fields that are not about finding weights are kept as
    /// they are typed, comments within the binding go before it.
    pub(super) fn replaced(&self, smooth: &SmoothDoc, paths: &[(String, &[VertexWeights])]) -> TextEdit {
        let text = self.text;
        let range = smooth.span.range();
        // Clip paths and masks that followed get bindings of their own: an `Explicit` binding has no weights
        // for them.
        let follows = smooth.paint_options.clip.is_some_and(|clip| clip.value == ClipFollow::Follow);
        let dropped = |name: &str| {
            ["art", "bones", "method", "weights", "heat", "softness", "weld"].contains(&name)
                || follows && name == "clip"
        };
        let indent = Style::indent_at(text, range.start);
        let deeper = if begins_line(text, range.start) { String::new() } else { self.style.unit.clone() };
        let indent = format!("{indent}{deeper}");
        let newline = self.style.newline;
        let kept: Vec<(&str, Range<usize>)> = self
            .fields(smooth.span)
            .iter()
            .filter(|field| !dropped(&field.name.value))
            .map(|field| (field.name.value.as_str(), field.value.span.range()))
            .collect();
        let mut out = String::new();
        for comment in comments(text, range.clone()) {
            if !kept.iter().any(|(_, value)| value.contains(&comment.start)) {
                out.push_str(&format!("{}{newline}{indent}", &text[comment]));
            }
        }
        let kept: String =
            kept.iter().map(|(name, value)| format!("{name}: {}, ", &text[value.clone()])).collect();
        for (i, (art, rows)) in paths.iter().enumerate() {
            if i > 0 {
                out.push_str(&format!(",{newline}{indent}"));
            }
            let (entries, others) = entries(rows, self.skeleton);
            let inner = format!("{indent}{}", self.style.unit);
            let listed = lines(&entries, &inner, &self.style);
            let listed = if listed.is_empty() { String::new() } else { format!("{newline}{listed}{indent}") };
            let others = others.map_or(String::new(), |row| format!(", others: {row}"));
            out.push_str(&format!("Explicit(art: {}, {kept}weights: {{{listed}}}{others})", quoted(art)));
        }
        TextEdit { range, text: out }
    }

    /// The rows of an `Explicit` binding that changed: those listed in their place, others behind them.
    pub(super) fn changed(
        &self,
        explicit: &ExplicitDoc,
        before: &[VertexWeights],
        after: &[VertexWeights],
    ) -> Vec<TextEdit> {
        let mut edits = Vec::new();
        let mut added: Vec<RowEntry> = Vec::new();
        let mut unlisted: Vec<(usize, bool)> = Vec::new();
        let listed = |vertex: usize, part: VertexPart| {
            let wanted = VertexAddress { vertex: u32::try_from(vertex).unwrap_or(u32::MAX), part };
            explicit.weights.iter().find(|entry| entry.vertex.value == wanted)
        };
        for (vertex, (old, new)) in before.iter().zip(after).enumerate() {
            for part in [VertexPart::Anchor, VertexPart::In, VertexPart::Out] {
                let (was, is) = (row_of(old, part), row_of(new, part));
                match listed(vertex, part) {
                    Some(entry) if !written_alike(was, is) => {
                        edits.push(self.row_replaced(entry.weights.span, is));
                    }
                    None if part == VertexPart::Anchor => unlisted.push((vertex, !written_alike(was, is))),
                    // A tangent that is not listed follows its anchor, wherever that goes.
                    None => {
                        let typed = typed_tangents(new)[usize::from(part == VertexPart::Out)];
                        added.extend(typed.map(|row| RowEntry::new(vertex, part, row, self.skeleton)));
                    }
                    Some(_) => {}
                }
            }
        }
        let mut rows = unlisted.iter().map(|(vertex, _)| &after[*vertex].anchor);
        let first = rows.next();
        let all_alike = first.is_some_and(|first| rows.all(|row| written_alike(row, first)));
        match (&explicit.others, first) {
            // The weights of all other vertices can be written once, as `others`.
            (Some(others), Some(row)) if all_alike && unlisted.iter().all(|(_, changed)| *changed) => {
                edits.push(self.row_replaced(others.span, row));
            }
            _ => added.extend(unlisted.iter().filter(|(_, changed)| *changed).map(|(vertex, _)| {
                RowEntry::new(*vertex, VertexPart::Anchor, &after[*vertex].anchor, self.skeleton)
            })),
        }
        if !added.is_empty() {
            added.sort_by_key(|entry| entry.address);
            edits.extend(self.rows_added(explicit.span, &added));
        }
        edits
    }

    /// A row in the place of another. Comments within it are moved before the new one.
    fn row_replaced(&self, span: Span, row: &BoneWeights) -> TextEdit {
        let mut out = String::new();
        for comment in comments(self.text, span.range()) {
            let comment = &self.text[comment];
            match comment.strip_prefix("//") {
                Some(words) => {
                    out.push_str(&format!("/*{} */ ", words.replace("*/", "* /").replace("/*", "/ *")))
                }
                None => out.push_str(&format!("{comment} ")),
            }
        }
        out.push_str(&row_text(row, self.skeleton));
        TextEdit { range: span.range(), text: out }
    }

    /// Entries behind those that the map of weights has.
    fn rows_added(&self, binding: Span, added: &[RowEntry]) -> Vec<TextEdit> {
        let weights = self.fields(binding).iter().find(|field| field.name.value == "weights");
        let Some(Node { kind: NodeKind::Map(list), span }) = weights.map(|field| inner(&field.value)) else {
            return Vec::new();
        };
        let text = self.text;
        let close = span.end as usize - 1;
        let mut edits = Vec::new();
        if let Some(last) = list.last() {
            let behind = last.value.span.end as usize;
            let comments = comments(text, behind..close);
            let comma = text[behind..close]
                .char_indices()
                .any(|(at, c)| c == ',' && !comments.iter().any(|range| range.contains(&(behind + at))));
            if !comma {
                edits.push(TextEdit { range: behind..behind, text: ",".to_owned() });
            }
        }
        let newline = self.style.newline;
        let indent = Style::indent_at(text, close);
        let lines = lines(added, &format!("{indent}{}", self.style.unit), &self.style);
        let (at, new) = if begins_line(text, close) {
            (close - indent.len(), lines)
        } else {
            (close, format!("{newline}{lines}{indent}"))
        };
        edits.push(TextEdit { range: at..at, text: new });
        edits
    }
}

fn row_of(vertex: &VertexWeights, part: VertexPart) -> &BoneWeights {
    let own = match part {
        VertexPart::Anchor => None,
        VertexPart::In => vertex.tangent_in.as_ref(),
        VertexPart::Out => vertex.tangent_out.as_ref(),
    };
    own.unwrap_or(&vertex.anchor)
}

fn fields_of(node: &Node) -> &[FieldNode] {
    match &inner(node).kind {
        NodeKind::Struct(_, fields) => fields,
        _ => &[],
    }
}

/// The value in `Some(…)`.
fn inner(mut node: &Node) -> &Node {
    while let NodeKind::Some(value) = &node.kind {
        node = value;
    }
    node
}
