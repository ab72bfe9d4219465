//! Texts in quotes: escapes, raw texts, wrong quotes, and the quote that was forgotten.
//! A text ends on the line where it begins: no name or path needs more, and so a forgotten quote costs one
//! line.

use std::borrow::Cow;

use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::text::lexer::{Lexer, TokenKind};
use crate::text::syntax::Syntax;
use crate::text::tree::shortened;

/// What ends a text whose quote is missing.
const ENDS: [char; 8] = [',', ':', '(', ')', '[', ']', '{', '}'];

impl<'a> Lexer<'a, '_> {
    /// A text in double quotes.
    pub(super) fn quoted(&mut self) -> TokenKind<'a> {
        let start = self.at;
        let rest = self.text.get(start + 1..).unwrap_or("");
        let mut escaped = false;
        let mut end = rest.len();
        let mut closed = false;
        // Never looks past the closing quote: a rig may be one line of many megabytes.
        for (at, byte) in rest.bytes().enumerate() {
            if byte == b'\n' || byte == b'"' && !escaped {
                (end, closed) = (at, byte == b'"');
                break;
            }
            escaped = byte == b'\\' && !escaped;
        }
        let inner = rest.get(..end).unwrap_or("");
        if !closed {
            return self.unclosed(start, inner.strip_suffix('\r').unwrap_or(inner));
        }
        let after = rest.get(end + 1..).unwrap_or("");
        // `"head, bone: "chest"`: the quote that seems to close this text opens the next one.
        if after.starts_with(|c: char| c.is_alphanumeric() || c == '_') && inner.contains(ENDS) {
            return self.unclosed(start, inner);
        }
        self.at = start + 1 + end + 1;
        if inner.contains('\\') {
            TokenKind::Text(Cow::Owned(self.unescape(inner, start + 1)))
        } else {
            TokenKind::Text(inner.into())
        }
    }

    /// The quote at `start` is never closed; `line` is what it might contain.
    fn unclosed(&mut self, start: usize, line: &'a str) -> TokenKind<'a> {
        // The second one on a line takes all of it: the line has been searched twice and that is enough.
        let again = start < self.unclosed_before;
        self.unclosed_before = self.unclosed_before.max(start + 1 + line.len());
        let end = if again { None } else { line.find(ENDS) }.unwrap_or(line.len());
        let inner = line.get(..end).unwrap_or("").trim_end();
        self.at = start + 1 + inner.len();
        let end = self.place(Span::at(self.at as u32));
        let mut diagnostic =
            Diagnostic::error("quotes", "the quote that closes this text is missing").fixed(end, "\"");
        if inner.ends_with("\\\"") || line.trim_end().ends_with("\\\"") {
            diagnostic =
                diagnostic.help("a backslash before a quote makes it part of the text: write paths with `/`");
        }
        self.report(self.span_from(start), diagnostic);
        if again {
            self.at = start + 1 + line.len();
            return TokenKind::Broken;
        }
        TokenKind::Text(Cow::Borrowed(inner))
    }

    /// A raw text: `r"…"` or `r#"…"#`.
    pub(super) fn raw(&mut self) -> TokenKind<'a> {
        let start = self.at;
        let rest = self.text.get(start + 1..).unwrap_or("");
        let marks = rest.len() - rest.trim_start_matches('#').len();
        let hashes = rest.get(..marks).unwrap_or("");
        let Some(inner) = rest.get(marks..).and_then(|rest| rest.strip_prefix('"')) else {
            self.at = start + 1 + marks;
            self.report(
                self.span_from(start),
                Diagnostic::error("quotes", "`r#` begins a raw text, but no quote follows"),
            );
            return TokenKind::Broken;
        };
        let mut close = Err(inner.len());
        for (at, byte) in inner.bytes().enumerate() {
            if byte == b'\n' {
                close = Err(at);
                break;
            }
            if byte == b'"' && inner.get(at + 1..).is_some_and(|after| after.starts_with(hashes)) {
                close = Ok(at);
                break;
            }
        }
        let close = match close {
            Ok(close) => close,
            Err(end) => {
                self.at = start + 1 + marks + 1 + end;
                let diagnostic = Diagnostic::error("quotes", "the quote that closes this text is missing");
                self.report(
                    Span::new(start as u32, (start + 2 + marks) as u32),
                    diagnostic.help(format!("this text ends with \"{}", shortened(hashes))),
                );
                return TokenKind::Broken;
            }
        };
        self.at = start + 1 + marks + 1 + close + 1 + marks;
        TokenKind::Text(Cow::Borrowed(inner.get(..close).unwrap_or("")))
    }

    /// A text in quotes that RON does not know, if a quote closes it on its line.
    pub(super) fn wrongly_quoted(&mut self, quote: char) -> Option<TokenKind<'a>> {
        let start = self.at;
        let rest = self.text.get(start + quote.len_utf8()..).unwrap_or("");
        let closes: &[char] = match quote {
            '\'' => &['\''],
            '`' => &['`'],
            _ => &['”', '“', '"', '’', '‘', '»', '«', '\''],
        };
        // Where no quote was found once, none is looked for again.
        let searched = start < self.unclosed_before;
        let end = if searched { None } else { rest.find(|c| c == '\n' || closes.contains(&c)) };
        let close = end.filter(|&end| !rest.get(end..).is_some_and(|rest| rest.starts_with('\n')));
        let Some(close) = close else {
            if !searched {
                self.unclosed_before = start + quote.len_utf8() + end.unwrap_or(rest.len());
            }
            self.at += quote.len_utf8();
            let diagnostic = Diagnostic::error("quotes", format!("`{quote}` is not allowed here"));
            self.report(
                self.span_from(start),
                diagnostic.help("write texts in straight double quotes: \"hip\""),
            );
            return None;
        };
        let inner = rest.get(..close).unwrap_or("");
        let closing = rest.get(close..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        self.at = start + quote.len_utf8() + close + closing;
        let what = match quote {
            '\'' | '`' => "single quotes",
            _ => "typographic quotes",
        };
        let diagnostic = Diagnostic::error("quotes", format!("this text is in {what}"));
        let help = format!("write it in straight double quotes: \"{}\"", shortened(inner));
        let straight = format!("\"{}\"", inner.replace('"', "\\\""));
        self.report(self.span_from(start), diagnostic.help(help).replaced(straight));
        Some(TokenKind::Text(Cow::Borrowed(inner)))
    }

    /// Resolves the escapes of a text that begins at `offset`. Only its first mistake is reported.
    fn unescape(&mut self, inner: &str, offset: usize) -> String {
        let mut out = String::with_capacity(inner.len());
        let mut rest = inner;
        let mut fault = None;
        while let Some(at) = rest.find('\\') {
            out.push_str(rest.get(..at).unwrap_or(""));
            let escape = rest.get(at..).unwrap_or("");
            let resolved = if self.syntax == Syntax::Json { resolve_json(escape) } else { resolve(escape) };
            let (c, length) = resolved.unwrap_or_else(|| {
                let start = offset + inner.len() - escape.len();
                let end = start + 1 + escape.chars().nth(1).map_or(0, char::len_utf8);
                fault = fault.or(Some(Span::new(start as u32, end as u32)));
                ('/', 1)
            });
            out.push(c);
            rest = escape.get(length..).unwrap_or("");
        }
        out.push_str(rest);
        if let Some(span) = fault {
            let diagnostic =
                Diagnostic::error("quotes", "a backslash begins an escape sequence, and this one is unknown")
                    .help(format!("write paths with `/`: \"{}\"", shortened(&out)))
                    .help("write a backslash itself as `\\\\`");
            self.report(span, diagnostic);
        }
        out
    }
}

/// The character of an escape sequence of JSON, and how many bytes it takes.
fn resolve_json(escape: &str) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = escape.get(at..at + 6)?.strip_prefix("\\u")?;
        let digits = Some(digits).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        u32::from_str_radix(digits, 16).ok()
    };
    let plain = match escape.chars().nth(1)? {
        c @ ('"' | '\\' | '/') => c,
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'u' => {
            let first = unit(0)?;
            // Characters beyond the first plane are two halves.
            return match (first, unit(6)) {
                (0xd800..0xdc00, Some(second @ 0xdc00..0xe000)) => {
                    Some((char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))?, 12))
                }
                _ => Some((char::from_u32(first)?, 6)),
            };
        }
        _ => return None,
    };
    Some((plain, 2))
}

/// The character of an escape sequence, and how many bytes it takes.
fn resolve(escape: &str) -> Option<(char, usize)> {
    let c = escape.chars().nth(1)?;
    let plain = match c {
        '"' | '\\' | '\'' => c,
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        '0' => '\0',
        'x' => {
            let digits =
                escape.get(2..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
            let code = u8::from_str_radix(digits, 16).ok().filter(u8::is_ascii)?;
            return Some((char::from(code), 4));
        }
        'u' => {
            let digits = escape.get(2..)?.strip_prefix('{')?;
            let digits = digits.get(..digits.bytes().take(7).position(|byte| byte == b'}')?)?;
            let code = u32::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))?;
            return Some((char::from_u32(code)?, 4 + digits.len()));
        }
        _ => return None,
    };
    Some((plain, 2))
}
