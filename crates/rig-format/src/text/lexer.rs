//! Characters to tokens, one at a time: brackets, words, numbers, texts. White space and comments are
//! dropped. Common typing errors are reported and read as what was meant; reading goes on after every error.

use std::borrow::Cow;

use crate::diagnostic::{Diagnostic, Diagnostics, Place};
use crate::span::{SourceId, Span};
use crate::text::syntax::Syntax;

/// The three kinds of bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bracket {
    Round,
    Square,
    Curly,
}

impl Bracket {
    pub(super) const fn close(self) -> char {
        match self {
            Self::Round => ')',
            Self::Square => ']',
            Self::Curly => '}',
        }
    }
}

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind<'a> {
    Open(Bracket),
    Close(Bracket),
    Comma,
    Colon,
    Word(&'a str),
    Number(f64),
    Text(Cow<'a, str>),
    /// A value that was reported as unreadable.
    Broken,
    End,
}

/// A token, its place and whether a line break comes before it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token<'a> {
    pub(super) what: TokenKind<'a>,
    pub(super) span: Span,
    pub(super) on_new_line: bool,
}

/// Reads tokens from a text. The text must be shorter than 4 GiB.
pub(super) struct Lexer<'a, 'd> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) syntax: Syntax,
    source: SourceId,
    diagnostics: &'d mut Diagnostics,
    /// How many mistakes were reported; the parser stops at a limit.
    pub(super) mistakes: usize,
    /// Before this offset an unclosed quote was found already; see `quoted`.
    pub(super) unclosed_before: usize,
    /// A comment that never ends took the rest of the text.
    pub(super) swallowed: bool,
}

impl<'a, 'd> Lexer<'a, 'd> {
    pub(super) fn new(
        source: SourceId,
        text: &'a str,
        syntax: Syntax,
        diagnostics: &'d mut Diagnostics,
    ) -> Self {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, at, syntax, source, diagnostics, mistakes: 0, unclosed_before: 0, swallowed: false }
    }

    /// Places a finding and passes it on.
    pub(super) fn report(&mut self, span: Span, diagnostic: Diagnostic) {
        self.mistakes += 1;
        self.diagnostics.push(diagnostic.at(self.place(span)));
    }

    pub(super) fn place(&self, span: Span) -> Place {
        Place::new(self.source, span)
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(super) fn span_from(&self, start: usize) -> Span {
        Span::new(start as u32, self.at as u32)
    }

    /// The next token; `End` again and again at the end.
    pub(super) fn next(&mut self) -> Token<'a> {
        let mut on_new_line = self.at == 0;
        loop {
            on_new_line |= self.skip_blanks();
            let start = self.at;
            let rest = self.rest();
            let Some(c) = rest.chars().next() else {
                return Token { what: TokenKind::End, span: self.span_from(start), on_new_line };
            };
            let what = match c {
                '(' | '[' | '{' | ')' | ']' | '}' | ',' | ':' => {
                    self.at += 1;
                    Some(match c {
                        '(' => TokenKind::Open(Bracket::Round),
                        '[' => TokenKind::Open(Bracket::Square),
                        '{' => TokenKind::Open(Bracket::Curly),
                        ')' => TokenKind::Close(Bracket::Round),
                        ']' => TokenKind::Close(Bracket::Square),
                        '}' => TokenKind::Close(Bracket::Curly),
                        ',' => TokenKind::Comma,
                        _ => TokenKind::Colon,
                    })
                }
                '"' => Some(self.quoted()),
                'r' if rest.starts_with("r\"") || rest.starts_with("r#") => Some(self.raw()),
                '\'' | '“' | '”' | '„' | '‟' | '«' | '»' | '‘' | '’' | '‚' | '`' => {
                    self.wrongly_quoted(c)
                }
                c if c.is_ascii_digit() || starts_number(rest) => Some(self.number()),
                c if is_word_start(c) => Some(self.word()),
                _ => self.stray(c),
            };
            if let Some(what) = what {
                return Token { what, span: self.span_from(start), on_new_line };
            }
        }
    }

    /// Skips white space and comments; whether there was a line break.
    pub(super) fn skip_blanks(&mut self) -> bool {
        let start = self.at;
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start_matches(is_blank).len();
            if blanks > 0 {
                self.at += blanks;
            } else if rest.starts_with("//") {
                self.skip_line();
            } else if rest.starts_with("/*") {
                self.skip_block();
            } else if rest.starts_with("<!--") {
                let comment = self.at;
                let line = rest.find('\n').unwrap_or(rest.len());
                self.at += rest.find("-->").map_or(line, |end| end + 3);
                self.report(
                    Span::new(comment as u32, comment as u32 + 4),
                    Diagnostic::error("comment", "`<!--` does not begin a comment")
                        .help("comments begin with `//`"),
                );
            } else if rest.starts_with('#') && !self.is_attribute() {
                let comment = self.at;
                self.skip_line();
                self.report(
                    Span::new(comment as u32, comment as u32 + 1),
                    Diagnostic::error("comment", "`#` does not begin a comment")
                        .help("comments begin with `//`")
                        .replaced("//"),
                );
            } else {
                let skipped = self.text.get(start..self.at).unwrap_or("");
                return skipped.contains('\n');
            }
        }
    }

    /// Whether `#![enable(…)]` is here, with nothing but blanks before it.
    fn is_attribute(&self) -> bool {
        self.rest().strip_prefix("#!").is_some_and(|rest| rest.trim_start_matches(is_blank).starts_with('['))
    }

    fn skip_line(&mut self) {
        let rest = self.rest();
        self.at += rest.find('\n').unwrap_or(rest.len());
    }

    /// Skips `/* … */`, which may hold others of its kind.
    pub(super) fn skip_block(&mut self) {
        let start = self.at;
        let bytes = self.rest().as_bytes();
        let mut depth = 0_usize;
        let mut at = 0;
        loop {
            match (bytes.get(at), bytes.get(at + 1)) {
                (Some(b'/'), Some(b'*')) => (depth, at) = (depth + 1, at + 2),
                (Some(b'*'), Some(b'/')) => (depth, at) = (depth - 1, at + 2),
                (Some(_), _) => at += 1,
                (None, _) => break,
            }
            if depth == 0 {
                break;
            }
        }
        self.at += at;
        if depth > 0 {
            self.at = self.text.len();
            self.swallowed = true;
            self.report(
                Span::new(start as u32, start as u32 + 2),
                Diagnostic::error("comment", "this comment is not closed")
                    .help("close it with `*/`, or begin each line with `//`"),
            );
        }
    }

    /// A word: letters, digits, `_`, and `.` or `-` within, as bone names have them that lack their quotes.
    fn word(&mut self) -> TokenKind<'a> {
        let start = self.at;
        let rest = self.rest();
        let mut end = rest.len();
        let mut chars = rest.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let within =
                matches!(c, '.' | '-') && chars.peek().is_some_and(|&(_, next)| next.is_alphanumeric());
            if !is_word_start(c) && !c.is_alphanumeric() && !within {
                end = at;
                break;
            }
        }
        let word = rest.get(..end).unwrap_or("");
        self.at += end;
        if let Some(after) = self.rest().strip_prefix('"')
            && after.starts_with([',', ':', ')', ']', '}', '\n', '\r'])
        {
            self.at += 1;
            let diagnostic = Diagnostic::error("quotes", "the quote that opens this text is missing");
            let help = format!("write \"{}\"", super::tree::shortened(word));
            self.report(self.span_from(start), diagnostic.help(help).replaced(format!("\"{word}\"")));
            return TokenKind::Text(Cow::Borrowed(word));
        }
        match word {
            "inf" | "NaN" | "nan" | "Infinity" => self.not_finite(start),
            _ => TokenKind::Word(word),
        }
    }

    fn not_finite(&mut self, start: usize) -> TokenKind<'a> {
        let message = "numbers in a rig must be finite";
        self.report(self.span_from(start), Diagnostic::error("number", message));
        TokenKind::Broken
    }

    /// A number, with whatever is glued to it.
    fn number(&mut self) -> TokenKind<'a> {
        let start = self.at;
        let rest = self.rest();
        if rest.starts_with('−') {
            let help = "write a hyphen: -";
            self.at += '−'.len_utf8();
            self.report(
                self.span_from(start),
                Diagnostic::error("number", "this minus sign is a typographic one").help(help),
            );
            return match self.number() {
                TokenKind::Number(value) => TokenKind::Number(-value),
                other => other,
            };
        }
        let mut end = 0;
        let mut before = ' ';
        for c in rest.chars() {
            let sign = matches!(c, '+' | '-') && (end == 0 || matches!(before, 'e' | 'E'));
            if !(sign || c == '.' || c == '°' || c == '%' || c == '_' || c.is_alphanumeric()) {
                break;
            }
            end += c.len_utf8();
            before = c;
        }
        self.at += end;
        let written = rest.get(..end).unwrap_or("");
        if matches!(written.trim_start_matches(['+', '-']), "inf" | "NaN" | "nan") {
            return self.not_finite(start);
        }
        match value_of(written) {
            Some(value) if value.is_finite() => return self.fraction(start, value),
            Some(_) => {
                self.report(self.span_from(start), Diagnostic::error("number", "this number is too large"));
                return TokenKind::Broken;
            }
            None => {}
        }
        // A number with a unit, or nonsense: the longest part that is a number decides.
        let digits = written.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '+' | '-'));
        let (head, unit) = written.split_at(digits.unwrap_or(written.len()));
        let has_radix = head == "0" && unit.starts_with(['x', 'b', 'o']);
        let span = self.span_from(start);
        let Some(value) = value_of(head).filter(|value| value.is_finite() && !unit.is_empty() && !has_radix)
        else {
            let diagnostic =
                Diagnostic::error("number", format!("`{}` is not a number", super::tree::shortened(written)));
            self.report(span, diagnostic.help("numbers look like 12, -0.5 or 1e3"));
            return TokenKind::Broken;
        };
        let help = match unit {
            "deg" | "degrees" | "°" => format!("angles are in degrees: write {head}"),
            "rad" => "angles are in degrees: 3.14159rad is 180".into(),
            "s" | "sec" => format!("times are in seconds: write {head}"),
            "ms" => format!("times are in seconds: write {}", value / 1000.0),
            "f" | "fr" | "frames" => "times are in seconds: divide the number of frames by `fps`".into(),
            "px" => format!("lengths are in the units of the drawing: write {head}"),
            "mm" | "cm" | "in" | "pt" => "lengths are in the user units of the drawing, not on paper".into(),
            "%" => format!("write {}", value / 100.0),
            _ => format!("write {head}"),
        };
        let diagnostic = Diagnostic::error(
            "number",
            format!("numbers are written without a unit, and this one ends in `{unit}`"),
        );
        self.report(span, diagnostic.help(help));
        TokenKind::Number(value)
    }

    /// The number itself, or the fraction that it begins: `3/4`.
    fn fraction(&mut self, start: usize, above: f64) -> TokenKind<'a> {
        let digits = self.rest().strip_prefix('/').unwrap_or("");
        let length = digits.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let below = digits.get(..length).and_then(value_of).filter(|below| *below != 0.0);
        let Some(value) = below.map(|below| above / below).filter(|value| value.is_finite()) else {
            return TokenKind::Number(above);
        };
        self.at += 1 + length;
        let error =
            Diagnostic::error("number", "this is a fraction, and numbers are written with a decimal point");
        // Three digits, without zeros behind them.
        let shown = (value * 1000.0).round() / 1000.0;
        self.report(self.span_from(start), error.help(format!("write {shown}")));
        TokenKind::Number(value)
    }

    /// A character that is not allowed, or one that was typed instead of another.
    fn stray(&mut self, c: char) -> Option<TokenKind<'a>> {
        let start = self.at;
        self.at += c.len_utf8();
        let here = self.span_from(start);
        match c {
            '=' => {
                // `=>` and `==` are one mistake.
                self.at += self
                    .rest()
                    .chars()
                    .next()
                    .filter(|next| matches!(next, '>' | '='))
                    .map_or(0, char::len_utf8);
                let diagnostic = Diagnostic::error("character", "`=` is written where `:` is needed")
                    .help("write `name: value`")
                    .replaced(":");
                self.report(self.span_from(start), diagnostic);
                Some(TokenKind::Colon)
            }
            '，' | '、' | '：' | '（' | '）' => {
                let (plain, what) = match c {
                    '，' | '、' => (',', TokenKind::Comma),
                    '：' => (':', TokenKind::Colon),
                    '（' => ('(', TokenKind::Open(Bracket::Round)),
                    _ => (')', TokenKind::Close(Bracket::Round)),
                };
                let message = format!("`{c}` is a full-width character, and `{plain}` is needed here");
                let diagnostic = Diagnostic::error("character", message).help(format!("type {plain}"));
                self.report(here, diagnostic.replaced(plain));
                Some(what)
            }
            ';' => {
                let message = "`;` is written where `,` is needed";
                self.report(here, Diagnostic::error("character", message).replaced(","));
                Some(TokenKind::Comma)
            }
            '\u{a0}' | '\u{202f}' | '\u{3000}' | '\u{2007}' | '\u{200b}' | '\u{feff}' => {
                let code = u32::from(c);
                let message = format!("this character looks like a space and is not one (U+{code:04X})");
                let help = "delete it and type a space";
                self.report(here, Diagnostic::error("character", message).help(help).replaced(" "));
                None
            }
            _ => {
                let skipped = |c: char| !is_blank(c) && !is_word_start(c) && !"()[]{},:\"'#/=;".contains(c);
                let rest = self.rest();
                self.at +=
                    rest.len() - rest.trim_start_matches(|c: char| skipped(c) && !c.is_ascii_digit()).len();
                let seen = self.text.get(start..self.at).unwrap_or("").escape_debug().to_string();
                let message = format!("`{}` is not allowed here", super::tree::shortened(&seen));
                let diagnostic = Diagnostic::error("character", message);
                let diagnostic = match c {
                    '/' => diagnostic.help("comments begin with `//`"),
                    _ => diagnostic.help("delete it, or put the text in double quotes"),
                };
                self.report(self.span_from(start), diagnostic);
                None
            }
        }
    }
}

/// What RON takes for white space.
pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r' | '\u{85}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}')
}

fn is_word_start(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

fn starts_number(rest: &str) -> bool {
    let unsigned = rest.trim_start_matches(['+', '-', '−']);
    let signs = rest.get(..rest.len() - unsigned.len()).unwrap_or("").chars().count();
    let digits = unsigned.strip_prefix('.').unwrap_or(unsigned);
    signs <= 1
        && (digits.starts_with(|c: char| c.is_ascii_digit()) || signs == 1 && unsigned.starts_with("inf"))
        || signs == 1 && unsigned.starts_with("NaN")
}

/// The value of a number as RON writes it. Infinite if it is too large.
fn value_of(written: &str) -> Option<f64> {
    let (negative, digits) = match written.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, written.strip_prefix('+').unwrap_or(written)),
    };
    let radix = match digits.get(..2) {
        Some("0x") => 16,
        Some("0b") => 2,
        Some("0o") => 8,
        _ => 10,
    };
    let value = if radix != 10 || digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_') {
        let digits = if radix == 10 { digits } else { digits.get(2..)? };
        if digits.is_empty()
            || digits.starts_with('_')
            || digits.chars().any(|c| c != '_' && !c.is_digit(radix))
        {
            return None;
        }
        let plain = digits.replace('_', "");
        if radix == 10 {
            plain.parse().ok()?
        } else {
            u64::from_str_radix(&plain, radix).map_or(f64::INFINITY, |n| n as f64)
        }
    } else {
        // Rust's own parser reads `inf` too, and RON allows no `_` in these.
        if !digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')) {
            return None;
        }
        if digits.starts_with(['+', '-']) {
            return None;
        }
        digits.parse::<f64>().ok()?
    };
    Some(if negative { -value } else { value })
}
