//! How reading goes on after a missing comma, a missing or wrong bracket, or a comma in a number.
//! It guesses what was meant from what follows, and reports one mistake for one slip.

use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::text::lexer::{Bracket, TokenKind};
use crate::text::parser::Parser;

/// How far the text is searched for the bracket that decides between two guesses.
const LOOK_AHEAD: usize = 600;

/// What closes these brackets, the innermost first.
pub(super) fn closing(open: &[(Bracket, Span)]) -> String {
    open.iter().rev().map(|(bracket, _)| bracket.close()).collect()
}

impl Parser<'_, '_> {
    /// Whether another item follows; takes the closing bracket if it does not.
    pub(super) fn more(&mut self, bracket: Option<Bracket>) -> bool {
        if let Some(outer) = self.closing_to {
            if self.open.len() > outer + 1 {
                return false;
            }
            self.closing_to = None;
        }
        loop {
            match self.peek(0).what.clone() {
                TokenKind::End => {
                    self.ended();
                    return false;
                }
                TokenKind::Close(found) if Some(found) == bracket => {
                    self.take();
                    return false;
                }
                TokenKind::Close(found) if !self.wrong_close(found) => return false,
                TokenKind::Close(_) => {}
                _ => return true,
            }
        }
    }

    /// Takes the comma behind an item. False if the bracket ended instead.
    pub(super) fn separated(&mut self, bracket: Option<Bracket>) -> bool {
        if self.closing_to.is_some() {
            return true;
        }
        let behind = Span::at(self.end);
        if matches!(self.peek(0).what, TokenKind::Close(_) | TokenKind::End) && !self.more(bracket) {
            return false;
        }
        match self.peek(0).what {
            TokenKind::Comma => {
                self.take();
                while self.peek(0).what == TokenKind::Comma {
                    let extra = self.take().span;
                    let diagnostic = Diagnostic::error("character", "there is one comma too many");
                    self.error(extra, diagnostic.replaced(""));
                }
                true
            }
            TokenKind::Colon => {
                let colon = self.take().span;
                self.error(colon, Diagnostic::error("character", "`:` is not allowed here"));
                self.whole = false;
                true
            }
            _ => {
                self.error(behind, Diagnostic::error("character", "a comma is missing here").replaced(","));
                true
            }
        }
    }

    /// The file ended within brackets. One mistake, however many are open.
    fn ended(&mut self) {
        self.whole = false;
        if self.unclosed.is_empty() {
            self.unclosed.clone_from(&self.open);
        }
        if self.lexer.swallowed {
            // The comment that never ends was reported, and it may hold the brackets.
            return;
        }
        let Some(&(_, opening)) = self.open.last() else { return };
        let missing = closing(&self.open);
        let message = match self.open.len() {
            1 => format!("the file ends, and `{missing}` is missing"),
            count => format!("the file ends, and {count} brackets are missing: `{missing}`"),
        };
        let mut diagnostic = Diagnostic::error("brackets", message).replaced(missing);
        let mut shown = vec![opening];
        shown.extend(self.open.iter().rev().skip(1).take(2).map(|&(_, opening)| opening));
        for opening in shown {
            diagnostic = diagnostic.related(self.lexer.place(opening), "opened here");
        }
        self.error(Span::at(self.end), diagnostic);
        // The brackets around this one are part of the same mistake.
        self.open.clear();
    }

    /// A closing bracket of the wrong kind is next. Whether reading goes on within the present bracket.
    fn wrong_close(&mut self, found: Bracket) -> bool {
        self.whole = false;
        let token = self.peek(0).clone();
        let Some(&(wanted, opening)) = self.open.last() else {
            let message = format!("this `{}` has no opening bracket", found.close());
            self.take();
            self.error(token.span, Diagnostic::error("brackets", message).replaced(""));
            return true;
        };
        let opened = self.lexer.place(opening);
        let outer = self.open.iter().rposition(|&(bracket, _)| bracket == found);
        let kinds: Vec<Bracket> = self.open.iter().map(|&(bracket, _)| bracket).collect();
        let below = kinds.get(..kinds.len() - 1).unwrap_or_default();
        let after = token.span.end as usize;
        let as_swapped = self.sense(after, below.to_vec());
        let as_missing =
            outer.map(|outer| self.sense(after, kinds.get(..outer).unwrap_or_default().to_vec()));
        let as_stray = self.sense(after, kinds.clone());
        if as_missing.is_some_and(|missing| missing >= as_swapped && missing >= as_stray) {
            // Left for the bracket that it closes.
            let message = format!("`{}` is missing before this `{}`", wanted.close(), found.close());
            let between = self.open.get(outer.map_or(0, |outer| outer + 1)..).unwrap_or_default();
            let before = self.lexer.place(Span::at(token.span.start));
            let diagnostic = Diagnostic::error("brackets", message).fixed(before, closing(between));
            self.error(token.span, diagnostic.related(opened, "opened here"));
            // All brackets between are part of the same mistake.
            self.closing_to = outer;
            return false;
        }
        self.take();
        if as_swapped >= as_stray {
            let message = format!("this `{}` should be `{}`", found.close(), wanted.close());
            let diagnostic = Diagnostic::error("brackets", message).replaced(wanted.close());
            self.error(token.span, diagnostic.related(opened, "opened here"));
            return false;
        }
        self.error(
            token.span,
            Diagnostic::error("brackets", format!("this `{}` has no opening bracket", found.close()))
                .replaced(""),
        );
        true
    }

    /// A field follows where values belong, because the brackets before it were never closed.
    pub(super) fn closed_before_name(&mut self) -> bool {
        let in_map = self.open.last().is_some_and(|&(bracket, _)| bracket == Bracket::Curly);
        let named = self.peek(1).what == TokenKind::Colon;
        let token = self.peek(0);
        let around = match token.what {
            TokenKind::Word(_) if named => Bracket::Round,
            TokenKind::Text(_) if named && token.on_new_line && !in_map => Bracket::Curly,
            _ => return false,
        };
        self.closed_before(around)
    }

    /// Whether the next token begins its line exactly below `other`, as the next entry of a map does.
    pub(super) fn is_below(&mut self, other: Span) -> bool {
        let token = self.peek(0);
        let (start, on_new_line) = (token.span.start as usize, token.on_new_line);
        let indent = |offset: usize| {
            let before = self.lexer.text.as_bytes().get(..offset).unwrap_or_default();
            before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
        };
        on_new_line && indent(start) == indent(other.start as usize)
    }

    /// A key or another binding follows where fields belong, because the brackets before it were never
    /// closed.
    pub(super) fn closed_before_key(&mut self) -> bool {
        if !self.peek(0).on_new_line {
            return false;
        }
        let second = self.peek(1).what.clone();
        let around = match (&self.peek(0).what, second) {
            (TokenKind::Text(_), TokenKind::Colon) => Bracket::Curly,
            (TokenKind::Word(_), TokenKind::Open(Bracket::Round)) => Bracket::Square,
            _ => return false,
        };
        self.closed_before(around)
    }

    /// Reports the brackets that must close before the innermost one of kind `around` goes on, if there is
    /// one.
    fn closed_before(&mut self, around: Bracket) -> bool {
        let Some((_, outside)) = self.open.split_last() else { return false };
        let Some(outer) = outside.iter().rposition(|&(bracket, _)| bracket == around) else { return false };
        let missing = closing(self.open.get(outer + 1..).unwrap_or_default());
        let message = format!("`{missing}` is missing here");
        let mut diagnostic = Diagnostic::error("brackets", message).replaced(missing);
        for &(_, opening) in self.open.iter().skip(outer + 1).rev().take(3) {
            diagnostic = diagnostic.related(self.lexer.place(opening), "opened here");
        }
        // Before the comma, if there is one: that is where it belongs.
        let comma = self.byte_before(self.end) == Some(b',');
        self.error(Span::at(self.end - u32::from(comma)), diagnostic);
        self.whole = false;
        self.closing_to = Some(outer);
        true
    }

    pub(super) fn byte_before(&self, offset: u32) -> Option<u8> {
        self.lexer.text.as_bytes().get((offset as usize).checked_sub(1)?).copied()
    }

    /// Takes the second half of a number that was written with a comma: `0,5`. The comma was taken before.
    pub(super) fn decimal_comma(&mut self) -> bool {
        let end = self.end;
        let glued = self.peek(0).span.start == end
            && matches!(self.peek(0).what, TokenKind::Number(_))
            && self.peek(1).what != TokenKind::Colon
            && self.byte_before(end) == Some(b',')
            && end
                .checked_sub(1)
                .and_then(|comma| self.byte_before(comma))
                .is_some_and(|byte| byte.is_ascii_digit());
        if glued {
            self.take();
            let diagnostic = Diagnostic::error("number", "this comma splits a number");
            let diagnostic = diagnostic.help("write decimal numbers with a point: 0.5").replaced(".");
            self.error(Span::new(end - 1, end), diagnostic);
        }
        glued
    }

    /// How many brackets from `offset` on make sense, if `open` are the ones that are open there.
    fn sense(&self, offset: usize, mut open: Vec<Bracket>) -> usize {
        let mut good = 0;
        let (mut in_text, mut in_comment) = (false, false);
        let mut before = b' ';
        let bytes = self.lexer.text.as_bytes().get(offset..).unwrap_or_default();
        for &byte in bytes.iter().take(LOOK_AHEAD) {
            let last = std::mem::replace(&mut before, byte);
            let bracket = match byte {
                b'\n' => {
                    (in_text, in_comment) = (false, false);
                    continue;
                }
                _ if in_comment => continue,
                b'"' => {
                    in_text = !in_text;
                    continue;
                }
                _ if in_text => continue,
                b'/' if last == b'/' => {
                    in_comment = true;
                    continue;
                }
                b'(' | b')' => Bracket::Round,
                b'[' | b']' => Bracket::Square,
                b'{' | b'}' => Bracket::Curly,
                _ => continue,
            };
            if matches!(byte, b'(' | b'[' | b'{') {
                open.push(bracket);
            } else if open.pop() != Some(bracket) {
                return good;
            }
            good += 1;
        }
        // Everything made sense; if the file ended, the fewer are left open the better.
        if bytes.len() <= LOOK_AHEAD { good + usize::from(open.is_empty()) } else { good }
    }
}
