//! Tokens of a BVH text with their spans. Brackets and colons are tokens, everything else ends at white
//! space.

use std::ops::Range;

use crate::text::place;

/// A token and its span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BvhToken<'a> {
    pub(super) text: &'a str,
    pub(super) span: Range<usize>,
}

impl BvhToken<'_> {
    /// Compares with a keyword; case does not matter.
    pub(super) fn is(&self, keyword: &str) -> bool {
        self.text.eq_ignore_ascii_case(keyword)
    }
}

/// Reads one token after the other.
#[derive(Clone, Debug)]
pub(super) struct BvhLexer<'a> {
    text: &'a str,
    at: usize,
}

fn single(c: char) -> bool {
    matches!(c, '{' | '}' | ':')
}

impl<'a> BvhLexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The current offset in the text.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The next token; `None` at the end.
    pub(super) fn next(&mut self) -> Option<BvhToken<'a>> {
        let rest = self.text[self.at..].trim_start();
        let first = rest.chars().next()?;
        let length = if single(first) {
            1
        } else {
            rest.find(|c: char| c.is_whitespace() || single(c)).unwrap_or(rest.len())
        };
        let token = self.token(&rest[..length]);
        self.at = token.span.end;
        Some(token)
    }

    /// The next token without consuming it.
    pub(super) fn peek(&self) -> Option<BvhToken<'a>> {
        self.clone().next()
    }

    /// A name: the rest of the line up to a bracket. Names may contain spaces and colons.
    pub(super) fn name(&mut self) -> BvhToken<'a> {
        let rest = &self.text[self.at..];
        let end = rest.find(['\n', '\r', '{', '}']).unwrap_or(rest.len());
        self.at += end;
        self.token(rest[..end].trim())
    }

    /// A word of the text as a token.
    pub(super) fn token(&self, text: &'a str) -> BvhToken<'a> {
        BvhToken { text, span: place(self.text, text) }
    }

    /// The rest of the text, line by line. Blank lines are skipped.
    pub(super) fn lines(&self) -> impl Iterator<Item = &'a str> {
        self.text[self.at..].split(['\n', '\r']).filter(|line| !line.trim().is_empty())
    }
}
