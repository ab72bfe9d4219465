//! The text of a document, its changes, and the positions of the protocol in it: lines from 0 and columns in units of
//! UTF-16 or UTF-8. A byte order mark is a character as any other here.

use serde_json::{Value, json};

use crate::protocol::{LineColumn, LineRange};

/// In which units columns are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnUnit {
    Utf8,
    Utf16,
}

/// A text and the starts of its lines, which end with `\n`, `\r\n` or `\r`.
#[derive(Clone, Debug)]
pub(crate) struct LineText {
    text: String,
    starts: Vec<usize>,
    unit: ColumnUnit,
}

impl LineText {
    pub(crate) fn new(text: impl Into<String>, unit: ColumnUnit) -> Self {
        let mut lines = Self { text: text.into(), starts: Vec::new(), unit };
        lines.find_starts();
        lines
    }

    /// A text of the disk: editors show it without its byte order mark. The offsets are those of the whole text.
    pub(crate) fn of_disk(text: &str, unit: ColumnUnit) -> Self {
        let mut lines = Self::new(text, unit);
        if text.starts_with('\u{feff}')
            && let Some(first) = lines.starts.first_mut()
        {
            *first = '\u{feff}'.len_utf8();
        }
        lines
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    fn find_starts(&mut self) {
        let bytes = self.text.as_bytes();
        let ends = |at: &usize| match bytes.get(*at) {
            Some(b'\n') => true,
            Some(b'\r') => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        self.starts = std::iter::once(0).chain((0..bytes.len()).filter(ends).map(|at| at + 1)).collect();
    }

    /// The bytes of a line without its end.
    fn line(&self, line: usize) -> Option<(usize, &str)> {
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        Some((start, self.text.get(start..end)?.trim_end_matches(['\n', '\r'])))
    }

    /// The byte at a position. Behind the end of a line is its end; within a character is its start.
    pub(crate) fn offset(&self, at: LineColumn) -> usize {
        let Some((start, line)) = self.line(at.line as usize) else { return self.text.len() };
        let mut units = 0;
        for (byte, c) in line.char_indices() {
            units += match self.unit {
                ColumnUnit::Utf8 => c.len_utf8(),
                ColumnUnit::Utf16 => c.len_utf16(),
            };
            if units > at.character as usize {
                return start + byte;
            }
        }
        start + line.len()
    }

    /// The position of a byte.
    pub(crate) fn position(&self, offset: usize) -> LineColumn {
        let offset =
            (0..=offset.min(self.text.len())).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0);
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or(0);
        let before = self.text.get(start..offset).unwrap_or_default();
        let units = match self.unit {
            ColumnUnit::Utf8 => before.len(),
            ColumnUnit::Utf16 => before.encode_utf16().count(),
        };
        LineColumn { line: line as u32, character: units as u32 }
    }

    /// The positions of a range of bytes, as the protocol writes them.
    pub(crate) fn range(&self, bytes: std::ops::Range<usize>) -> Value {
        let place = |at: LineColumn| json!({ "line": at.line, "character": at.character });
        json!({ "start": place(self.position(bytes.start)), "end": place(self.position(bytes.end)) })
    }

    /// Makes one change: new text for a range, or a whole new text.
    pub(crate) fn change(&mut self, range: Option<LineRange>, text: &str) {
        match range {
            Some(range) => {
                let start = self.offset(range.start);
                let end = self.offset(range.end).max(start);
                self.text.replace_range(start..end, text);
            }
            None => text.clone_into(&mut self.text),
        }
        self.find_starts();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> LineColumn {
        LineColumn { line, character }
    }

    #[test]
    fn columns_count_units_of_both_kinds() {
        // `ä` is 2 bytes and 1 unit, the face 4 bytes and 2 units.
        let text = "Käse😀x\r\ny\rz";
        for (unit, face, behind) in [(ColumnUnit::Utf8, 5, 9), (ColumnUnit::Utf16, 4, 6)] {
            let lines = LineText::new(text, unit);
            assert_eq!((lines.position(5), lines.offset(at(0, face))), (at(0, face), 5));
            assert_eq!((lines.position(9), lines.offset(at(0, behind))), (at(0, behind), 9));
            // Within the face is its start; behind the line is its end.
            assert_eq!((lines.offset(at(0, face + 1)), lines.offset(at(0, 99))), (5, 10));
            assert_eq!((lines.position(12), lines.offset(at(1, 0))), (at(1, 0), 12));
            assert_eq!(
                (lines.position(14), lines.offset(at(2, 0)), lines.offset(at(9, 0))),
                (at(2, 0), 14, 15)
            );
        }
        let disk = LineText::of_disk("\u{feff}Rig", ColumnUnit::Utf16);
        assert_eq!((disk.position(4), disk.offset(at(0, 1))), (at(0, 1), 4));
    }

    /// The character at a position, counted from the start of the text, line by line.
    fn counted(text: &[char], place: LineColumn, unit: ColumnUnit) -> usize {
        let mut line = 0;
        let mut index = 0;
        while line < place.line {
            match text[index] {
                '\n' => line += 1,
                '\r' if text.get(index + 1) != Some(&'\n') => line += 1,
                _ => {}
            }
            index += 1;
        }
        let mut column = 0;
        while column < place.character {
            column += if unit == ColumnUnit::Utf8 { text[index].len_utf8() } else { text[index].len_utf16() }
                as u32;
            index += 1;
        }
        index
    }

    #[test]
    fn many_edits_make_the_text_that_they_make_of_its_characters() {
        let pieces = ["", "", "", "\n", "\r\n", "\r", "Käse😀", "a", "\u{feff}", "(x: 1)\n", "\"é\""];
        for unit in [ColumnUnit::Utf8, ColumnUnit::Utf16] {
            let mut seed = 11_u64;
            let mut random = |below: usize| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (seed >> 33) as usize % below.max(1)
            };
            let mut lines = LineText::new("Käse😀\r\nx\n", unit);
            let mut text: Vec<char> = lines.text().chars().collect();
            for _ in 0..10_000 {
                let first = random(text.len() + 1);
                let last = (first + random(9)).min(text.len());
                let byte = |at: usize| text[..at].iter().map(|c| c.len_utf8()).sum::<usize>();
                let range = LineRange { start: lines.position(byte(first)), end: lines.position(byte(last)) };
                let new = pieces[random(pieces.len())];
                // Between `\r` and `\n` there is no position of its own: it is the end of its line.
                let (start, end) = (counted(&text, range.start, unit), counted(&text, range.end, unit));
                let end = if lines.offset(range.end) < byte(last) { end - 1 } else { end };
                let start = if lines.offset(range.start) < byte(first) { start - 1 } else { start };
                text.splice(start..end.max(start), new.chars());
                lines.change(Some(range), new);
                assert_eq!(lines.text().chars().collect::<Vec<_>>(), text);
                if text.len() > 400 {
                    text.truncate(300);
                    lines.change(None, &text.iter().collect::<String>());
                }
            }
        }
    }
}
