//! The parts of a new text: bytes that stay, and what comes between them.

use std::ops::Range;

use crate::session::layout::columns;
use crate::session::text::{TextEdit, comments};

/// The bytes of an entry: what leads to it, itself, what is between it and its comma, and a comment behind it.
pub(super) struct Chunk {
    pub(super) lead: Range<usize>,
    pub(super) body: Range<usize>,
    pub(super) between: Range<usize>,
    pub(super) comma: Option<usize>,
    pub(super) trail: Range<usize>,
}

/// A part of a new text.
pub(super) enum Piece {
    /// Bytes that stay, with edits in them.
    Old(Range<usize>, Vec<TextEdit>),
    New(String),
}

/// The pieces of a container's new content.
pub(super) struct Pieces<'p> {
    /// The text of the file.
    pub(super) text: &'p str,
    pub(super) list: Vec<Piece>,
    /// Whether what is there ends in a comment that goes to the end of its line.
    pub(super) in_line_comment: bool,
    /// A line end, and the indentation of an entry.
    pub(super) line: String,
    /// Whether the container is of another kind than it was: what is said about its entries is kept.
    pub(super) is_other: bool,
}

impl Pieces<'_> {
    pub(super) fn old(&mut self, range: Range<usize>, edits: Vec<TextEdit>) {
        if range.is_empty() {
            return;
        }
        let text = &self.text[range.clone()];
        let blanks = if self.end_comment(text) { text.len() - text.trim_start().len() } else { 0 };
        self.in_line_comment = ends_in_line_comment(text);
        self.list.push(Piece::Old(range.start + blanks..range.end, edits));
    }

    pub(super) fn add(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.end_comment(text);
        self.in_line_comment = ends_in_line_comment(text);
        self.list.push(Piece::New(text.to_owned()));
    }

    /// The comments before entries that are no longer there; those of moved ones are elsewhere.
    pub(super) fn comments_of(&mut self, gone: &[Chunk], moved: &[bool]) {
        for (chunk, _) in gone.iter().zip(moved).filter(|(_, moved)| !**moved) {
            let text = self.text[chunk.lead.clone()].trim_end();
            if !text.trim_start().is_empty() {
                self.old(chunk.lead.start..chunk.lead.start + text.len(), Vec::new());
            }
            if self.is_other {
                for comment in comments(self.text, chunk.body.start..chunk.trail.end) {
                    self.add(" ");
                    self.old(comment, Vec::new());
                }
            }
        }
    }

    /// A line comment ends before what follows; whether one does.
    fn end_comment(&mut self, next: &str) -> bool {
        let ends = self.in_line_comment && !next.starts_with(['\n', '\r']);
        if ends {
            self.list.push(Piece::New(self.line.clone()));
            self.in_line_comment = false;
        }
        ends
    }

    /// The column behind what is there, which began at a column.
    pub(super) fn column(&self, start: usize) -> usize {
        let mut column = 0;
        for piece in self.list.iter().rev() {
            let text = match piece {
                Piece::Old(range, _) => &self.text[range.clone()],
                Piece::New(text) => text,
            };
            match text.rfind('\n') {
                Some(newline) => return column + columns(&text[newline + 1..]),
                None => column += columns(text),
            }
        }
        column + start
    }
}

/// Whether a text of blanks, comments, commas and values ends in `// …`.
fn ends_in_line_comment(text: &str) -> bool {
    let line = &text[text.rfind('\n').map_or(0, |newline| newline + 1)..];
    // Texts and block comments have been closed where a piece ends.
    line.contains("//")
        && comments(text, 0..text.len()).last().is_some_and(|last| {
            text[last.clone()].starts_with("//") && text[last.end..].trim_matches([' ', '\t']).is_empty()
        })
}
