//! Places in texts: byte spans, the named texts they lie in, and their lines and columns.
//! Opens no files: the caller names each text here.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A range of bytes in one text, its end excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl Span {
    /// The bytes from `start` to before `end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The empty span at `offset`: the place where something is missing.
    pub const fn at(offset: u32) -> Self {
        Self { start: offset, end: offset }
    }

    /// The span of an index range; beyond 4 GiB it ends there.
    pub fn from_range(range: &Range<usize>) -> Self {
        let at = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: at(range.start), end: at(range.end) }
    }

    /// The span from the start of this one to the end of `other`.
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start, end: other.end.max(self.start) }
    }

    /// The empty span right behind this one.
    pub const fn after(self) -> Self {
        Self { start: self.end, end: self.end }
    }

    /// Whether it covers no byte at all.
    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// The same bytes where the text before them is so much longer.
    pub(crate) const fn forth(self, by: u32) -> Self {
        Self { start: self.start.saturating_add(by), end: self.end.saturating_add(by) }
    }

    /// The same bytes where the text before them is so much shorter.
    pub(crate) const fn back(self, by: u32) -> Self {
        Self { start: self.start.saturating_sub(by), end: self.end.saturating_sub(by) }
    }

    /// The same bytes after a change of what is between its start and `end`, which made the text so much
    /// longer.
    pub(crate) const fn after_change(self, end: u32, by: i64) -> Self {
        const fn moved(at: u32, end: u32, by: i64) -> u32 {
            if at >= end { (at as i64 + by) as u32 } else { at }
        }
        Self { start: moved(self.start, end, by), end: moved(self.end, end, by) }
    }

    /// The span as an index range.
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A value and the place where it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spanned<T> {
    /// What was written.
    pub value: T,
    /// Where.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// `value`, written at `span`.
    pub const fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }

    /// Another value for the same place.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Spanned<U> {
        Spanned { value: change(self.value), span: self.span }
    }
}

impl<T> From<T> for Spanned<T> {
    /// A value that was not written anywhere yet.
    fn from(value: T) -> Self {
        Self { value, span: Span::default() }
    }
}

/// Names one text of a [`Sources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct SourceId(u32);

/// A line and a column, both counted from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

/// The texts that diagnostics point into.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    texts: Vec<Arc<Source>>,
}

#[derive(Debug, Clone)]
struct Source {
    name: String,
    text: String,
    /// Where each line begins; the first entry is 0.
    lines: OnceLock<Vec<u32>>,
}

impl Source {
    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let breaks = self.text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
            std::iter::once(0).chain(breaks.map(|(at, _)| at as u32 + 1)).collect()
        })
    }
}

impl Sources {
    /// No texts yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps a text under the name that people know it by, its path for example.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        self.texts.push(Arc::new(Source { name: name.into(), text: text.into(), lines: OnceLock::new() }));
        SourceId(self.texts.len() as u32 - 1)
    }

    /// The same texts, but for one.
    pub(crate) fn with_text(&self, id: SourceId, text: &str) -> Self {
        let mut texts = self.texts.clone();
        if let Some(source) = texts.get_mut(id.0 as usize) {
            let (name, text) = (source.name.clone(), text.to_owned());
            *source = Arc::new(Source { name, text, lines: OnceLock::new() });
        }
        Self { texts }
    }

    /// Adds a text of another collection, without a copy of it.
    pub(crate) fn share(&mut self, other: &Self, id: SourceId) {
        self.texts.extend(other.texts.get(id.0 as usize).cloned());
    }

    /// The ids of all texts, in the order in which they were added.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = SourceId> + use<> {
        (0..self.texts.len() as u32).map(SourceId)
    }

    /// The id of the text that is added next.
    pub fn upcoming(&self) -> SourceId {
        SourceId(self.texts.len() as u32)
    }

    fn get(&self, id: SourceId) -> Option<&Source> {
        self.texts.get(id.0 as usize).map(|source| &**source)
    }

    /// The names of all texts, in the order in which they were added.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.texts.iter().map(|source| source.name.as_str())
    }

    /// The name of a text; empty for an id of another collection.
    pub fn name(&self, id: SourceId) -> &str {
        self.get(id).map_or("", |source| &source.name)
    }

    /// The whole text; empty for an id of another collection.
    pub fn text(&self, id: SourceId) -> &str {
        self.get(id).map_or("", |source| &source.text)
    }

    /// The line and column of a byte. An offset past the end is the end, one inside a character is that
    /// character, and a byte order mark takes no column: no editor shows it.
    pub fn locate(&self, id: SourceId, offset: u32) -> Location {
        let Some(source) = self.get(id) else { return Location { line: 1, column: 1 } };
        let mut offset = (offset as usize).min(source.text.len());
        while !source.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let lines = source.lines();
        let line = lines.partition_point(|&start| start as usize <= offset).max(1);
        let start = lines.get(line - 1).map_or(0, |&start| start as usize);
        let before = source.text.get(start..offset).unwrap_or("");
        let column = before.chars().count() - usize::from(start == 0 && before.starts_with('\u{feff}'));
        Location { line: line as u32, column: column as u32 + 1 }
    }

    /// The text of a line, counted from 1, without its line break and byte order mark.
    pub fn line(&self, id: SourceId, line: u32) -> &str {
        let Some(source) = self.get(id) else { return "" };
        let line = line as usize;
        let Some(&start) = line.checked_sub(1).and_then(|line| source.lines().get(line)) else { return "" };
        let end = source.lines().get(line).map_or(source.text.len(), |&end| end as usize);
        let text = source.text.get(start as usize..end).unwrap_or("");
        text.trim_end_matches(['\n', '\r']).trim_start_matches('\u{feff}')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_count_from_one() {
        let mut sources = Sources::new();
        let id = sources.add("a.ron", "Käse\r\n\n  x");
        assert_eq!(sources.locate(id, 0), Location { line: 1, column: 1 });
        assert_eq!(sources.locate(id, 3), Location { line: 1, column: 3 });
        assert_eq!(sources.locate(id, 2), Location { line: 1, column: 2 });
        assert_eq!(sources.locate(id, 10), Location { line: 3, column: 3 });
        assert_eq!(sources.locate(id, 999), Location { line: 3, column: 4 });
        assert_eq!(sources.line(id, 1), "Käse");
        assert_eq!(sources.line(id, 2), "");
        assert_eq!(sources.line(id, 3), "  x");
        assert_eq!(sources.line(id, 4), "");
        assert_eq!(sources.line(id, 0), "");
    }

    #[test]
    fn a_byte_order_mark_takes_no_column() {
        let mut sources = Sources::new();
        let id = sources.add("a.ron", "\u{feff}Rig");
        assert_eq!(sources.locate(id, 3), Location { line: 1, column: 1 });
        assert_eq!(sources.locate(id, 4), Location { line: 1, column: 2 });
        assert_eq!(sources.line(id, 1), "Rig");
    }

    #[test]
    fn a_foreign_id_is_harmless() {
        let mut other = Sources::new();
        let id = other.add("a", "b");
        let sources = Sources::new();
        assert_eq!(sources.name(id), "");
        assert_eq!(sources.locate(id, 5), Location { line: 1, column: 1 });
    }
}
