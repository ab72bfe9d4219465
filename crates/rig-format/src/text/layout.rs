//! Where the white space of a text belongs: indentation by brackets, one space behind commas and colons, no white
//! space that is not seen. Line breaks are the author's, and so are columns of values. Nothing but white space moves.

use std::ops::Range;

use super::lexer::{Bracket, Lexer, TokenKind, is_blank};
use super::parser::parse;
use super::syntax::Syntax;
use crate::diagnostic::Diagnostics;
use crate::span::SourceId;

/// What a piece of a text is, as far as the white space around it depends on that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PieceKind {
    Open(Bracket),
    Close,
    Comma,
    Colon,
    Value,
    /// To the end of its line.
    LineComment,
    BlockComment,
    End,
}

/// A token or a comment, and the white space before it.
#[derive(Debug)]
struct Piece {
    kind: PieceKind,
    bytes: Range<usize>,
    blank: Range<usize>,
    /// How many line breaks the white space has.
    breaks: usize,
}

/// The white space that belongs elsewhere: the bytes that are replaced, and what replaces them. None if the text has
/// mistakes in its writing: their brackets may mean something else.
pub(crate) fn layout(text: &str, newline: &str, unit: &str) -> Option<Vec<(Range<usize>, String)>> {
    let mut found = Diagnostics::new();
    let parsed = parse(SourceId::default(), text, &mut found);
    let alone = text.match_indices('\r').any(|(at, _)| text.as_bytes().get(at + 1) != Some(&b'\n'));
    if !parsed.whole || found.iter().next().is_some() || alone {
        return None;
    }
    let pieces = pieces(text, parsed.syntax)?;
    let columns = columns(text, &pieces);
    let mut lines = Lines { open: Vec::new(), depth: 0 };
    let mut edits = Vec::new();
    let mut before: Option<&Piece> = None;
    for (at, piece) in pieces.iter().enumerate() {
        let blank = match before {
            None => String::new(),
            Some(_) if piece.kind == PieceKind::End => newline.to_owned(),
            Some(before) if piece.breaks > 0 => {
                let apart = piece.breaks > 1
                    && !matches!(before.kind, PieceKind::Open(_))
                    && piece.kind != PieceKind::Close;
                let breaks = newline.repeat(1 + usize::from(apart));
                format!("{breaks}{}", unit.repeat(lines.indent(&pieces[at..])))
            }
            Some(before) => " ".repeat(columns.get(&at).copied().unwrap_or_else(|| gap(before, piece))),
        };
        lines.take(piece.kind);
        if text.get(piece.blank.clone()) != Some(blank.as_str()) {
            edits.push((piece.blank.clone(), blank));
        }
        before = Some(piece);
    }
    Some(edits)
}

/// The brackets that are open, each with the indentation of its line.
struct Lines {
    open: Vec<usize>,
    depth: usize,
}

impl Lines {
    /// The indentation of the line that begins with the first of some pieces. A line that begins by closing brackets
    /// has that of the line where the last of these was opened.
    fn indent(&mut self, line: &[Piece]) -> usize {
        let closes =
            |(at, piece): &(usize, &Piece)| piece.kind == PieceKind::Close && (*at == 0 || piece.breaks == 0);
        let closing = line.iter().enumerate().take_while(closes).count();
        self.depth = match self.open.len().checked_sub(closing) {
            Some(left) if closing > 0 => self.open.get(left).copied().unwrap_or_default(),
            _ => self.open.last().map_or(0, |depth| depth + 1),
        };
        self.depth
    }

    fn take(&mut self, kind: PieceKind) {
        match kind {
            PieceKind::Open(_) => self.open.push(self.depth),
            PieceKind::Close => drop(self.open.pop()),
            _ => {}
        }
    }
}

/// The spaces between two pieces of a line.
fn gap(before: &Piece, piece: &Piece) -> usize {
    use PieceKind::{BlockComment, Close, Colon, Comma, LineComment, Open, Value};
    match (before.kind, piece.kind) {
        // Comments behind lines may stand in a column.
        (_, LineComment) => piece.blank.len().max(1),
        (Open(_), _) | (_, Close | Comma | Colon) | (Value, Open(Bracket::Round)) => 0,
        (Comma | Colon | BlockComment, _) | (_, BlockComment) => 1,
        _ => usize::from(!piece.blank.is_empty()),
    }
}

fn pieces(text: &str, syntax: Syntax) -> Option<Vec<Piece>> {
    let mut found = Diagnostics::new();
    let mut lexer = Lexer::new(SourceId::default(), text, syntax, &mut found);
    let mut pieces = Vec::new();
    let mut from = lexer.at;
    // Attributes before the rig change nothing, as comments.
    lexer.skip_blanks();
    while lexer.rest().starts_with("#!") {
        lexer.at += lexer.rest().find(']')? + 1;
        lexer.skip_blanks();
    }
    loop {
        let token = lexer.next();
        let bytes = token.span.range();
        while let Some(rest) = text.get(from..bytes.start) {
            let start = from + rest.len() - rest.trim_start_matches(is_blank).len();
            let comment = text.get(start..bytes.start).filter(|comment| !comment.is_empty());
            let Some(comment) = comment else { break };
            let kind = match comment.starts_with("//") {
                true => PieceKind::LineComment,
                false => PieceKind::BlockComment,
            };
            let end = match kind {
                PieceKind::LineComment => {
                    comment.lines().next().map_or(0, |line| line.trim_end_matches(is_blank).len())
                }
                _ if comment.starts_with("#!") => comment.find(']')? + 1,
                _ => {
                    let mut found = Diagnostics::new();
                    let mut within = Lexer::new(SourceId::default(), text, syntax, &mut found);
                    within.at = start;
                    within.skip_block();
                    within.at - start
                }
            };
            if end == 0 {
                return None;
            }
            pieces.push(piece(text, kind, from..start, start + end));
            from = start + end;
        }
        let kind = match token.what {
            TokenKind::Open(bracket) => PieceKind::Open(bracket),
            TokenKind::Close(_) => PieceKind::Close,
            TokenKind::Comma => PieceKind::Comma,
            TokenKind::Colon => PieceKind::Colon,
            TokenKind::Word(_) | TokenKind::Number(_) | TokenKind::Text(_) => PieceKind::Value,
            TokenKind::Broken => return None,
            TokenKind::End => PieceKind::End,
        };
        pieces.push(piece(text, kind, from..bytes.start, bytes.end));
        from = bytes.end;
        if kind == PieceKind::End {
            return Some(pieces);
        }
    }
}

fn piece(text: &str, kind: PieceKind, blank: Range<usize>, end: usize) -> Piece {
    let breaks = text.get(blank.clone()).map_or(0, |blank| blank.matches('\n').count());
    Piece { kind, bytes: blank.end..end, blank, breaks }
}

/// The spaces before values that stand in a column: those of lines that follow each other, each with one entry, if
/// their author has put the values below each other with more than one space before some.
fn columns(text: &str, pieces: &[Piece]) -> std::collections::BTreeMap<usize, usize> {
    let width = |bytes: &Range<usize>| text.get(bytes.clone()).map_or(0, |text| text.chars().count());
    // Of each line with one entry: its value, and the widths of the name and of the space.
    let mut lines: Vec<Option<(usize, usize, usize)>> = Vec::new();
    for (at, piece) in pieces.iter().enumerate().filter(|(at, piece)| *at > 0 && piece.breaks > 0) {
        let line = pieces.get(at + 1..).unwrap_or_default();
        let line = &line[..line.iter().take_while(|piece| piece.breaks == 0).count()];
        let is_entry = piece.kind == PieceKind::Value
            && matches!(line, [colon, value, ..] if colon.kind == PieceKind::Colon && value.kind != PieceKind::End)
            && is_closed(line);
        let entry = line.get(1).filter(|_| is_entry);
        if piece.breaks > 1 {
            lines.push(None);
        }
        lines.push(entry.map(|value| (at + 2, width(&piece.bytes), width(&value.blank))));
    }
    let column = |line: &Option<(usize, usize, usize)>| line.map(|(_, name, space)| name + space);
    let mut spaces = std::collections::BTreeMap::new();
    for block in lines.chunk_by(|a, b| column(a).is_some() && column(a) == column(b)) {
        let block = || block.iter().flatten();
        let longest = block().map(|(_, name, _)| *name).max().unwrap_or_default();
        if block().count() > 1 && block().any(|(.., space)| *space > 1) {
            spaces.extend(block().map(|(value, name, _)| (*value, longest - name + 1)));
        }
    }
    spaces
}

/// Whether the brackets of a line are closed in it.
fn is_closed(line: &[Piece]) -> bool {
    let mut depth = 0_usize;
    for piece in line {
        match piece.kind {
            PieceKind::Open(_) => depth += 1,
            PieceKind::Close => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            _ => {}
        }
    }
    depth == 0
}
