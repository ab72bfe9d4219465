//! From the text of a file and the values that it should hold to the least edits of the text: both are compared
//! by name, and what is equal keeps its bytes. Entries are moved, added and taken out with their commas;
//! comments stay, but for those inside what goes and behind it on its line.

mod pieces;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use self::pieces::{Chunk, Piece, Pieces};
use super::layout::{Form, WIDTH, columns, has_table};
use super::path::item_identity;
use super::text::{Style, TextEdit, apply, begins_line, comment_length, comments, quoted_end};
use super::tree::TextTree;
use super::value::DocValue;
use crate::text::{Node, NodeKind, Syntax};
use crate::write::commented;

/// The edits that make a text hold `new` in place of the value of its tree.
pub(super) fn rewrite(text: &str, tree: &TextTree, new: &DocValue) -> Vec<TextEdit> {
    let root = tree.root();
    let page = Page {
        text,
        tree,
        form: Form { style: Style::of(text), syntax: tree.syntax },
        one_line: !text.trim_start_matches('\u{feff}').trim().contains('\n'),
        trailing_comma: tree.syntax == Syntax::Ron && has_trailing_comma(text, root),
    };
    let mut edits = Vec::new();
    page.value(root, &tree.value, new, &mut edits);
    edits
}

/// The edit that puts lines of comment before an entry: on lines of their own if it begins its line, else in
/// block comments before it. None if they are there.
pub(super) fn comment_before(text: &str, at: usize, lines: &str) -> Option<TextEdit> {
    let mut new = String::new();
    if begins_line(text, at) {
        let line_end = format!("{}{}", Style::of(text).newline, Style::indent_at(text, at));
        lines.lines().for_each(|line| new.extend([commented(line).as_str(), &line_end]));
    } else {
        let words = lines.lines().map(|line| block_comment(commented(line).trim_start_matches('/')));
        words.for_each(|words| new.extend([words.as_str(), " "]));
    }
    (!text[..at].ends_with(&new)).then_some(TextEdit { range: at..at, text: new })
}

/// The words of a comment to the end of the line, in a block.
fn block_comment(words: &str) -> String {
    format!("/*{} */", words.replace("*/", "* /").replace("/*", "/ *"))
}

/// More pairs of values are never compared to find out what was renamed.
const MOST_COMPARED: usize = 10_000;

struct Page<'a> {
    text: &'a str,
    tree: &'a TextTree,
    form: Form,
    one_line: bool,
    /// Whether a last entry on a line of its own has a comma.
    trailing_comma: bool,
}

/// Whether there is a comma behind the last field of a file.
fn has_trailing_comma(text: &str, root: &Node) -> bool {
    let NodeKind::Struct(_, fields) = &root.kind else { return true };
    let Some(last) = fields.last() else { return true };
    comma(text, last.value.span.range().end, root.span.range().end).is_some()
}

/// An entry of a container in the text.
struct OldItem<'a> {
    range: Range<usize>,
    /// Its name or key.
    label: Option<Range<usize>>,
    node: &'a Node,
    value: &'a DocValue,
    identity: String,
}

/// The old entry that a new one is.
#[derive(Clone, Copy, PartialEq)]
enum Match {
    /// It is in the same order with its neighbours.
    Kept(usize),
    Moved(usize),
    New,
}

impl Page<'_> {
    /// Edits of one value. Depth is limited as that of the text is.
    fn value(&self, node: &Node, old: &DocValue, new: &DocValue, out: &mut Vec<TextEdit>) {
        if old == new {
            return;
        }
        let mut node = node;
        let entry;
        if matches!(node.kind, NodeKind::Broken) {
            // What is in an entry is parsed now.
            let Some(parsed) = self.tree.entry(self.text, node.span) else {
                return out.push(self.replaced(node, new));
            };
            entry = parsed;
            node = &entry;
        }
        let node = node.inner();
        if let (DocValue::List(_), DocValue::Fields(None, fields)) = (old, new)
            && let [(name, keys), rest @ ..] = fields.as_slice()
            && (&**name, keys.len() > 0) == ("keys", true)
        {
            // Keys get more fields: the list itself stays.
            let range = node.span.range();
            let [open, close] = if self.form.syntax == Syntax::Json { ["{", "}"] } else { ["(", ")"] };
            let before = format!("{open}{}: ", self.form.name(name));
            out.push(TextEdit { range: range.start..range.start, text: before });
            self.value(node, old, keys, out);
            let field = |(name, value): &(Arc<str>, DocValue)| {
                format!(", {}: {}", self.form.name(name), self.form.line(value))
            };
            let rest: String = rest.iter().map(field).collect();
            out.push(TextEdit { range: range.end..range.end, text: format!("{rest}{close}") });
            return;
        }
        let alike = match (old, new) {
            (DocValue::Fields(a, _), DocValue::Fields(b, _))
            | (DocValue::Tuple(a, _), DocValue::Tuple(b, _)) => a.is_some() == b.is_some(),
            (DocValue::List(_), DocValue::List(_)) | (DocValue::Map(_), DocValue::Map(_)) => true,
            _ => false,
        };
        let alike = alike && self.inside(node).is_some();
        let Some(items) = self.items(node, old).filter(|_| alike) else {
            return out.push(self.replaced(node, new));
        };
        let kind = new.kind().filter(|kind| old.kind() != Some(kind));
        if let (Some(name), Some(kind)) = (name_range(node), kind) {
            out.push(TextEdit { range: name, text: self.form.name(kind) });
        }
        self.container(node, (&items, kind.is_some()), new, out);
    }

    /// Another value in the place of one. Comments in it are kept before the new one.
    fn replaced(&self, node: &Node, new: &DocValue) -> TextEdit {
        let range = node.span.range();
        let mut text = String::new();
        for comment in comments(self.text, range.clone()) {
            let comment = &self.text[comment];
            text.push_str(&comment.strip_prefix("//").map_or(comment.to_owned(), block_comment));
            text.push(' ');
        }
        let used = self.column(range.start) + columns(&text);
        let indent = Style::indent_at(self.text, range.start);
        text.push_str(&self.form.layout(new, indent, used, self.one_line));
        TextEdit { range, text }
    }

    /// The entries of a node whose value is `old`.
    fn items<'n>(&self, node: &'n Node, old: &'n DocValue) -> Option<Vec<OldItem<'n>>> {
        let mut items: Vec<OldItem<'n>> = Vec::with_capacity(old.len());
        let mut push = |range: Range<usize>, label, node, at: usize| {
            let value = old.child(at)?;
            items.push(OldItem { range, label, node, value, identity: identity(old, at) });
            Some(())
        };
        match &node.kind {
            NodeKind::Struct(_, fields) => {
                for (at, field) in fields.iter().enumerate() {
                    let label = field.name.span.range();
                    push(label.start..field.value.span.range().end, Some(label), &field.value, at)?;
                }
            }
            NodeKind::Map(entries) => {
                for (at, entry) in entries.iter().enumerate() {
                    let label = entry.key.span.range();
                    push(label.start..entry.value.span.range().end, Some(label), &entry.value, at)?;
                }
            }
            NodeKind::Tuple(_, nodes) | NodeKind::List(nodes) => {
                for (at, node) in nodes.iter().enumerate() {
                    push(node.span.range(), None, node, at)?;
                }
            }
            _ => return None,
        }
        Some(items)
    }

    /// Edits of the entries of a container, which becomes one of another kind or stays what it is.
    fn container(
        &self,
        node: &Node,
        (items, is_other): (&[OldItem<'_>], bool),
        new: &DocValue,
        out: &mut Vec<TextEdit>,
    ) {
        let identities: Vec<String> = (0..new.len()).map(|at| identity(new, at)).collect();
        let matches = matched(items, new, &identities);
        let stays = matches.len() == items.len()
            && matches.iter().enumerate().all(|(at, matched)| *matched == Match::Kept(at));
        if stays {
            for (at, item) in items.iter().enumerate() {
                self.entry(item, new, at, out);
            }
            return;
        }
        let Some((open, close)) = self.inside(node) else { return };
        let pieces = self.pieces((items, is_other), new, &matches, open..close);
        let (mut at, mut pending) = (open, String::new());
        let mut flush = |range: Range<usize>, pending: &mut String| {
            if !range.is_empty() || !pending.is_empty() {
                out.push(TextEdit { range, text: std::mem::take(pending) });
            }
        };
        let mut nested = Vec::new();
        for piece in pieces {
            match piece {
                Piece::New(text) => pending.push_str(&text),
                Piece::Old(range, edits) => {
                    if range.is_empty() {
                        continue;
                    }
                    flush(at..range.start, &mut pending);
                    nested.extend(edits);
                    at = range.end;
                }
            }
        }
        flush(at..close, &mut pending);
        out.extend(nested);
        out.sort_by_key(|edit| edit.range.start);
    }

    /// Edits of an entry that stays: its name or key, and its value.
    fn entry(&self, item: &OldItem<'_>, new: &DocValue, at: usize, out: &mut Vec<TextEdit>) {
        let label = match new {
            DocValue::Fields(_, fields) => fields.get(at).map(|(name, _)| self.form.name(name)),
            DocValue::Map(entries) => entries.get(at).map(|(key, _)| self.form.key(key)),
            _ => None,
        };
        if let (Some(range), Some(label)) = (item.label.clone(), label)
            && !self.is_label(new, at, item)
        {
            out.push(TextEdit { range, text: label });
        }
        if let Some(value) = new.child(at) {
            self.value(item.node, item.value, value, out);
        }
    }

    /// Whether an old entry has the name or key of a new one already.
    fn is_label(&self, new: &DocValue, at: usize, item: &OldItem<'_>) -> bool {
        identity(new, at) == item.identity
    }

    /// The new content of a container.
    fn pieces(
        &self,
        (items, is_other): (&[OldItem<'_>], bool),
        new: &DocValue,
        matches: &[Match],
        inside: Range<usize>,
    ) -> Vec<Piece> {
        let (chunks, tail) = self.chunks(items, inside.clone());
        let mut moved = vec![false; chunks.len()];
        // The next entry that stays, of each place.
        let mut nexts = vec![None; matches.len()];
        let mut next = None;
        for (place, matched) in matches.iter().enumerate().rev() {
            nexts[place] = next;
            match matched {
                Match::Kept(at) => next = Some(*at),
                Match::Moved(at) => moved[*at] = true,
                Match::New => {}
            }
        }
        let indent = Style::indent_at(self.text, inside.start).to_owned();
        let deeper = format!("{indent}{}", self.form.style.unit);
        let line = format!("{}{deeper}", self.form.style.newline);
        let mut content = Content {
            page: self,
            items,
            new,
            comma_of_last: chunks.last().is_some_and(|chunk| chunk.comma.is_some()),
            chunks,
            start: inside.start,
            multi_line: self.text[inside].contains('\n'),
            deeper,
            indent,
            pieces: Pieces { text: self.text, list: Vec::new(), in_line_comment: false, line, is_other },
            before_on_own_line: None,
            added_lines: false,
        };
        let tail = content.comments_alone(tail);
        let mut gone = 0;
        for (place, matched) in matches.iter().enumerate() {
            let last = place + 1 == matches.len();
            if let Match::Kept(at) = *matched {
                content.pieces.comments_of(&content.chunks[gone..at], &moved[gone..at]);
                gone = at + 1;
                content.kept(place, at, last);
            } else {
                content.added(place, matched, nexts[place], last);
            }
        }
        content.pieces.comments_of(&content.chunks[gone..], &moved[gone..]);
        content.close(tail, matches.is_empty())
    }

    fn is_blank(&self, range: &Range<usize>) -> bool {
        self.text[range.clone()].trim().is_empty()
    }

    /// The indentation of entries on lines of their own: that of the next one, or of the last that has one.
    fn indent_of(&self, chunks: &[Chunk], next: Option<usize>) -> Option<String> {
        let indent = |chunk: &Chunk| {
            let lead = &self.text[chunk.lead.clone()];
            let line = lead.rfind('\n').map(|newline| &lead[newline + 1..])?;
            Some(line[..line.len() - line.trim_start_matches([' ', '\t']).len()].to_owned())
        };
        next.and_then(|next| indent(&chunks[next])).or_else(|| chunks.iter().rev().find_map(indent))
    }

    /// The parts of the text between brackets, and what is behind the last of them.
    fn chunks(&self, items: &[OldItem<'_>], inside: Range<usize>) -> (Vec<Chunk>, Range<usize>) {
        let mut chunks = Vec::with_capacity(items.len());
        let mut at = inside.start;
        for (index, item) in items.iter().enumerate() {
            let until = items.get(index + 1).map_or(inside.end, |next| next.range.start);
            let comma = comma(self.text, item.range.end, until);
            let (between, after) = match comma {
                Some(comma) => (item.range.end..comma, comma + 1),
                None => (item.range.end..item.range.end, item.range.end),
            };
            let trail = after..self.trail(after, until, index + 1 == items.len());
            let lead = at..item.range.start;
            at = trail.end;
            chunks.push(Chunk { lead, body: item.range.clone(), between, comma, trail });
        }
        (chunks, at..inside.end)
    }

    /// Where the comments end that are behind an entry on its line, if nothing else is there.
    fn trail(&self, from: usize, until: usize, last: bool) -> usize {
        let (mut at, mut end) = (from, from);
        loop {
            let rest = &self.text[at..until];
            at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
            let rest = &self.text[at..until];
            if rest.is_empty() {
                return if last { end } else { from };
            }
            if rest.starts_with(['\r', '\n']) {
                return end;
            }
            let Some(comment) = comments(self.text, at..until).first().cloned().filter(|c| c.start == at)
            else {
                return from;
            };
            let lines = self.text[comment.clone()].contains('\n');
            (at, end) = (comment.end, comment.end);
            if lines {
                return end;
            }
        }
    }

    /// The place between the brackets; none if the value has none of its own, as `{"Bone": "hip"}` in JSON.
    fn inside(&self, node: &Node) -> Option<(usize, usize)> {
        if let (Syntax::Json, Some(name)) = (self.form.syntax, name_range(node)) {
            let colon = name.end + self.text.get(name.end..)?.find(':')? + 1;
            let rest = self.text.get(colon..node.span.end as usize)?;
            let open = colon + rest.len() - rest.trim_start().len() + 1;
            if !rest.trim_start().starts_with(['[', '{']) {
                return None;
            }
            return Some((open, closing(self.text, open)?));
        }
        Some((self.opening(node), node.span.range().end - 1))
    }

    /// The byte behind the opening bracket.
    fn opening(&self, node: &Node) -> usize {
        let range = node.span.range();
        let Some(name) = name_range(node) else { return range.start + 1 };
        // Between a name and its bracket there are blanks and comments alone.
        let mut at = name.end;
        while let Some(open) = self.text[at..range.end].find(['(', '/']).map(|open| at + open) {
            if self.text.as_bytes()[open] == b'(' {
                return open + 1;
            }
            at = open + comment_length(&self.text[open..range.end]).max(1);
        }
        range.start + 1
    }

    /// The column of a byte.
    fn column(&self, at: usize) -> usize {
        let start = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        columns(&self.text[start..at])
    }
}

/// Whether it is a list of several entries that begins with a record with a name before its brackets: bindings,
/// constraints.
fn has_kinds(value: &DocValue) -> bool {
    matches!(value, DocValue::List(items) if items.len() > 1 && matches!(items.first(), Some(DocValue::Fields(Some(_), _))))
}

/// The new content of a container, entry by entry.
struct Content<'p> {
    page: &'p Page<'p>,
    items: &'p [OldItem<'p>],
    new: &'p DocValue,
    chunks: Vec<Chunk>,
    /// The byte behind the opening bracket.
    start: usize,
    multi_line: bool,
    /// The indentation of the container, and that of its entries without others to follow.
    indent: String,
    deeper: String,
    pieces: Pieces<'p>,
    /// Whether the entry before stands on a line of its own.
    before_on_own_line: Option<bool>,
    added_lines: bool,
    comma_of_last: bool,
}

impl Content<'_> {
    /// Whether an old entry begins a line.
    fn own_line(&self, at: usize) -> bool {
        self.chunks.get(at).is_some_and(|chunk| self.page.text[chunk.lead.clone()].contains('\n'))
    }

    /// Keeps comments that are alone between the brackets; what is behind them.
    fn comments_alone(&mut self, mut tail: Range<usize>) -> Range<usize> {
        let text = self.page.text;
        if self.items.is_empty() && !self.page.is_blank(&tail) {
            let end = tail.start + text[tail.clone()].trim_end().len();
            if text[tail.start..end].contains('\n') {
                Style::indent_at(text, end).clone_into(&mut self.deeper);
            }
            self.pieces.old(tail.start..end, Vec::new());
            tail.start = end;
        }
        tail
    }

    /// An entry that stays.
    fn kept(&mut self, place: usize, at: usize, last: bool) {
        let own_line = self.own_line(at);
        let chunk = &self.chunks[at];
        let is_blank = self.page.is_blank(&chunk.lead);
        match (place, at) {
            // It was the first one, and another one is before it.
            (1.., 0) if is_blank && !own_line => self.pieces.add(" "),
            (1.., 0) if is_blank && self.before_on_own_line == Some(false) => self.pieces.add(" "),
            // It becomes the first one on the line.
            (0, 1..) if self.pieces.list.is_empty() && is_blank && !own_line => {
                let lead = self.chunks[0].lead.clone();
                if self.page.is_blank(&lead) {
                    self.pieces.old(lead, Vec::new());
                }
            }
            _ => self.pieces.old(chunk.lead.clone(), Vec::new()),
        }
        self.before_on_own_line = Some(own_line);
        let mut edits = Vec::new();
        self.page.entry(&self.items[at], self.new, place, &mut edits);
        self.pieces.old(chunk.body.clone(), edits);
        self.pieces.old(chunk.between.clone(), Vec::new());
        match (chunk.comma, last && !self.comma_of_last) {
            (Some(comma), false) => self.pieces.old(comma..comma + 1, Vec::new()),
            (None, false) => self.pieces.add(","),
            (_, true) => {}
        }
        self.pieces.old(chunk.trail.clone(), Vec::new());
    }

    /// Whether an entry that is new in its place begins a line, as those around it do.
    fn begins_line(&self, place: usize, next: Option<usize>) -> bool {
        let count = self.chunks.len();
        match (place, self.before_on_own_line, next) {
            (0, _, Some(next)) => self.own_line(next) && (count < 2 || self.own_line(1)),
            (0, _, None) if count > 0 => self.own_line(0),
            (_, Some(before), Some(next)) => before && self.own_line(next),
            (_, Some(before), None) => before && (count < 2 || self.own_line(count - 2) || self.added_lines),
            (_, None, _) => self.multi_line,
        }
    }

    /// The text of an entry that is new in its place.
    fn body(&self, place: usize, matched: &Match, indent: &str, used: usize, flat: bool) -> String {
        let (label, value) = self.page.form.entry(self.new, place);
        match matched {
            Match::Moved(at) => {
                let mut edits = Vec::new();
                self.page.entry(&self.items[*at], self.new, place, &mut edits);
                part(self.page.text, self.chunks[*at].body.clone(), &edits)
            }
            _ => format!("{label}{}", self.page.form.layout(value, indent, used, flat)),
        }
    }

    /// An entry that is new in its place.
    fn added(&mut self, place: usize, matched: &Match, next: Option<usize>, last: bool) {
        let page = self.page;
        let indent = page.indent_of(&self.chunks, next).unwrap_or_else(|| self.deeper.clone());
        let label = columns(&page.form.entry(self.new, place).0);
        let mut text = self.body(place, matched, &indent, columns(&indent) + label, page.one_line);
        let is_alone = self.items.is_empty();
        let spread =
            is_alone && !page.one_line && (text.contains('\n') || has_kinds(self.new) || has_table(self.new));
        // Nothing can follow a comment on its line.
        let own = self.begins_line(place, next) || spread || self.pieces.in_line_comment;
        if own {
            self.comma_of_last |= is_alone && page.trailing_comma;
            self.added_lines = true;
        }
        match matched {
            // Its comments go with it.
            Match::Moved(at) if own && self.own_line(*at) => {
                self.pieces.add(&page.text[self.chunks[*at].lead.clone()]);
            }
            _ if own => self.new_line(&indent),
            _ => text = self.within_line(place, matched, &indent),
        }
        self.before_on_own_line = Some(own);
        self.pieces.add(&text);
        if !last || self.comma_of_last {
            self.pieces.add(",");
        }
        if let Match::Moved(at) = matched {
            self.pieces.add(&page.text[self.chunks[*at].trail.clone()]);
        }
    }

    fn new_line(&mut self, indent: &str) {
        self.pieces.add(&format!("{}{indent}", self.page.form.style.newline));
    }

    /// The text of an entry that begins no line, unless the line would be too long. What is before it is added.
    fn within_line(&mut self, place: usize, matched: &Match, indent: &str) -> String {
        let form = &self.page.form;
        let (label, value) = form.entry(self.new, place);
        let is_table = !self.page.one_line
            && form.syntax == Syntax::Ron
            && matches!(matched, Match::New)
            && has_table(value);
        let flat = match is_table {
            true => self.body(place, matched, &self.indent, 0, false),
            false => self.body(place, matched, indent, 0, true),
        };
        let column = self.pieces.column(self.page.column(self.start));
        if !is_table && !self.page.one_line && place > 0 && column + columns(&flat) + 3 > WIDTH {
            let follows = self.before_on_own_line == Some(true);
            let indent = if follows { indent.to_owned() } else { self.deeper.clone() };
            self.new_line(&indent);
            return self.body(place, matched, &indent, columns(&indent) + columns(&label), false);
        }
        let first = self.chunks.first().map(|chunk| chunk.lead.clone());
        match (place, first.filter(|lead| self.page.is_blank(lead))) {
            (0, Some(lead)) => self.pieces.add(&self.page.text[lead]),
            (0, None) => {}
            _ => self.pieces.add(" "),
        }
        flat
    }

    /// What is before the closing bracket.
    fn close(mut self, tail: Range<usize>, is_empty: bool) -> Vec<Piece> {
        let indent = self.indent.clone();
        if !(is_empty && self.pieces.list.is_empty() && self.page.is_blank(&tail)) {
            match self.items.is_empty() && self.added_lines {
                true => self.new_line(&indent),
                false => self.pieces.old(tail, Vec::new()),
            }
        }
        // A line comment does not reach the closing bracket.
        if self.pieces.in_line_comment {
            self.new_line(&indent);
        }
        self.pieces.list
    }
}

/// The place of the comma between two places, outside of comments.
fn comma(text: &str, from: usize, until: usize) -> Option<usize> {
    let mut at = from;
    for comment in comments(text, from..until) {
        if let Some(comma) = text[at..comment.start].find(',') {
            return Some(at + comma);
        }
        at = comment.end;
    }
    text[at..until].find(',').map(|comma| at + comma)
}

/// The place of the bracket that closes those before a place.
fn closing(text: &str, open: usize) -> Option<usize> {
    let (mut depth, mut at) = (1, open);
    loop {
        at += text.get(at..)?.find(['"', '[', '{', ']', '}'])?;
        match text.as_bytes()[at] {
            b'"' => at += quoted_end(&text[at..])? - 1,
            b'[' | b'{' => depth += 1,
            _ => depth -= 1,
        }
        if depth == 0 {
            return Some(at);
        }
        at += 1;
    }
}

/// The name before the brackets of a node.
fn name_range(node: &Node) -> Option<Range<usize>> {
    match &node.kind {
        NodeKind::Struct(name, _) | NodeKind::Tuple(name, _) => name.as_ref().map(|name| name.span.range()),
        _ => None,
    }
}

/// A range of a text after edits within it.
fn part(text: &str, range: Range<usize>, edits: &[TextEdit]) -> String {
    let moved = |edit: &TextEdit| TextEdit {
        range: edit.range.start - range.start..edit.range.end - range.start,
        text: edit.text.clone(),
    };
    apply(&text[range.clone()], &edits.iter().map(moved).collect::<Vec<_>>())
}

/// What an entry is recognised by.
pub(super) fn identity(container: &DocValue, at: usize) -> String {
    match container {
        DocValue::Fields(_, fields) => fields.get(at).map_or(String::new(), |(name, _)| name.to_string()),
        DocValue::Map(entries) => entries.get(at).map_or(String::new(), |(key, _)| key.to_string()),
        DocValue::List(items) => items.get(at).map_or(String::new(), item_identity),
        _ => at.to_string(),
    }
}

/// Which old entry each new one is: by identity, of equal ones the first the first; then what is left between
/// the same neighbours, equal values first.
fn matched(items: &[OldItem<'_>], new: &DocValue, identities: &[String]) -> Vec<Match> {
    let mut old: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, item) in items.iter().enumerate().rev() {
        old.entry(&item.identity).or_default().push(at);
    }
    let mut found: Vec<Option<usize>> =
        identities.iter().map(|identity| old.get_mut(identity.as_str()).and_then(Vec::pop)).collect();
    let kept = increasing(&found);
    let mut used = vec![false; items.len()];
    found.iter().flatten().for_each(|at| used[*at] = true);
    // Entries with another name or key in the place of one that is no longer there.
    let (mut from, mut before) = (0, 0);
    while from < found.len() {
        if let Some(at) = found[from] {
            before = if kept[from] { at + 1 } else { before };
            from += 1;
            continue;
        }
        let until = (from..found.len()).find(|at| found[*at].is_some()).unwrap_or(found.len());
        let after =
            (until..found.len()).filter(|at| kept[*at]).find_map(|at| found[at]).unwrap_or(items.len());
        let mut free: Vec<usize> = (before..after).filter(|at| !used[*at]).collect();
        let is_map = !matches!(new, DocValue::List(_)) && free.len() * (until - from) <= MOST_COMPARED;
        for (place, at) in found.iter_mut().enumerate().take(until).skip(from).filter(|_| is_map) {
            if let Some(equal) = free.iter().position(|old| new.child(place) == Some(items[*old].value)) {
                *at = Some(free[equal]);
                // Those before it would be out of order.
                free.drain(..=equal);
            }
        }
        let open = found[from..until].iter_mut().filter(|at| at.is_none());
        if free.len() == until - from {
            open.zip(free).for_each(|(at, old)| *at = Some(old));
        }
        from = until;
    }
    let kept = increasing(&found);
    let matched = found.into_iter().zip(kept);
    matched
        .map(|(at, kept)| match at {
            Some(at) if kept => Match::Kept(at),
            Some(at) => Match::Moved(at),
            None => Match::New,
        })
        .collect()
}

/// Which of some numbers are in a longest increasing run of them.
fn increasing(numbers: &[Option<usize>]) -> Vec<bool> {
    // The last entry of the best run of each length, and the entry before each.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; numbers.len()];
    for (at, number) in numbers.iter().enumerate() {
        let Some(number) = number else { continue };
        let length = ends.partition_point(|end| numbers[*end].is_some_and(|end| end < *number));
        before[at] = length.checked_sub(1).map(|length| ends[length]);
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut kept = vec![false; numbers.len()];
    let mut at = ends.last().copied();
    while let Some(entry) = at {
        kept[entry] = true;
        at = before[entry];
    }
    kept
}

#[cfg(test)]
mod tests;
