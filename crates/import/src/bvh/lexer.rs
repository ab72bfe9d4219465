//! Tokens of a BVH text with their spans. Brackets and colons are tokens, everything else ends at white
//! space.

use std::ops::Range;

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
        let rest = &self.text[self.at..];
        let start = self.at + rest.len() - rest.trim_start().len();
        let rest = &self.text[start..];
        let first = rest.chars().next()?;
        let length = if single(first) {
            1
        } else {
            rest.find(|c: char| c.is_whitespace() || single(c)).unwrap_or(rest.len())
        };
        self.at = start + length;
        Some(BvhToken { text: &rest[..length], span: start..self.at })
    }

    /// The next token without consuming it.
    pub(super) fn peek(&self) -> Option<BvhToken<'a>> {
        self.clone().next()
    }

    /// A name: the rest of the line up to a bracket. Names may contain spaces and colons.
    pub(super) fn name(&mut self) -> BvhToken<'a> {
        let rest = &self.text[self.at..];
        let end = rest.find(['\n', '\r', '{', '}']).unwrap_or(rest.len());
        let name = rest[..end].trim();
        let start = self.at + rest[..end].len() - rest[..end].trim_start().len();
        self.at += end;
        BvhToken { text: name, span: start..start + name.len() }
    }

    /// The rest of the text, line by line, each with its offset. Blank lines are skipped.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &'a str)> {
        let (text, mut at, mut feed) = (self.text, self.at, self.at);
        std::iter::from_fn(move || {
            while at < text.len() {
                // The next line feed is searched once, however many carriage returns come before it.
                if feed <= at {
                    feed = text[at..].find('\n').map_or(text.len(), |end| at + end);
                }
                let end = text[at..feed].find('\r').map_or(feed, |end| at + end);
                let line = (at, &text[at..end]);
                at = end + 1;
                if !line.1.trim().is_empty() {
                    return Some(line);
                }
            }
            None
        })
    }
}
