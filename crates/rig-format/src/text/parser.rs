//! Tokens to a tree. Parsing goes on after an error, so that one run finds all of them, each once.
//! `recovery` decides how to go on; this module has only the grammar.

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::span::{SourceId, Span, Spanned};
use crate::text::lexer::{Bracket, Lexer, Token, TokenKind};
use crate::text::syntax::Syntax;
use crate::text::tree::{EntryNode, FieldNode, Node, NodeKind, shortened};

/// Brackets may be nested this deep. A rig needs about ten, and every level takes some stack.
pub(super) const NESTING_LIMIT: usize = 64;

/// The largest text that is read, in bytes. The tree takes up to about twenty times the memory of its text.
pub const LARGEST_FILE: usize = 32 << 20;

/// After so many mistakes in the writing the rest is left unread: it is probably not a rig.
const MOST_MISTAKES: usize = 100;

/// What became of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The value that the text holds; none if it holds nothing or is no text.
    pub root: Option<Node>,
    /// Whether brackets and quotes made sense, so that everything that is in the text is in the tree at its
    /// place.
    pub whole: bool,
    /// The notation that the text is written in.
    pub syntax: Syntax,
}

/// Reads a text. Mistakes go to `diagnostics`.
pub fn parse(source: SourceId, text: &str, diagnostics: &mut Diagnostics) -> Parsed {
    parse_as(Syntax::of(text), source, text, diagnostics)
}

/// Reads a text in a notation, or a value within one.
pub(crate) fn parse_as(
    syntax: Syntax,
    source: SourceId,
    text: &str,
    diagnostics: &mut Diagnostics,
) -> Parsed {
    parse_start(syntax, source, text, diagnostics).0
}

/// Reads the start of a text, and what was open at its end.
pub(super) fn parse_start(
    syntax: Syntax,
    source: SourceId,
    text: &str,
    diagnostics: &mut Diagnostics,
) -> (Parsed, Vec<(Bracket, Span)>) {
    let none = Parsed { root: None, whole: false, syntax };
    let mut lexer = Lexer::new(source, text, syntax, diagnostics);
    if text.len() > LARGEST_FILE {
        let message = format!("this file is larger than {} MiB, the limit for a rig", LARGEST_FILE >> 20);
        lexer.report(Span::at(0), Diagnostic::error("too-many", message));
        return (none, Vec::new());
    }
    if let Some(at) = text.find('\0') {
        let diagnostic = Diagnostic::error("not-text", "this is not a text file: it contains zero bytes");
        lexer.report(
            Span::new(at as u32, at as u32 + 1),
            diagnostic.help("check that this is the rig and not another file"),
        );
        return (none, Vec::new());
    }
    let mut parser = Parser {
        lexer,
        ahead: Vec::new(),
        open: Vec::new(),
        end: 0,
        closing_to: None,
        stopped: false,
        whole: true,
        unclosed: Vec::new(),
    };
    let root = parser.file();
    (Parsed { root, whole: parser.whole, syntax }, parser.unclosed)
}

pub(super) struct Parser<'a, 'd> {
    pub(super) lexer: Lexer<'a, 'd>,
    /// Tokens that were looked at and not taken; at most two.
    ahead: Vec<Token<'a>>,
    /// The brackets around this place, the outermost first.
    pub(super) open: Vec<(Bracket, Span)>,
    /// Where the last token that was taken ended.
    pub(super) end: u32,
    /// Closing brackets are missing: this bracket of `open` goes on, those within it are over.
    pub(super) closing_to: Option<usize>,
    /// Nothing more is read: too deep or too many mistakes.
    stopped: bool,
    pub(super) whole: bool,
    /// The brackets that were open where the text ended.
    pub(super) unclosed: Vec<(Bracket, Span)>,
}

impl<'a> Parser<'a, '_> {
    /// The token `index` places ahead, 0 or 1.
    pub(super) fn peek(&mut self, index: usize) -> &Token<'a> {
        while self.ahead.len() <= index {
            let token = if self.stopped {
                Token { what: TokenKind::End, span: Span::at(self.end), on_new_line: false }
            } else {
                self.lexer.next()
            };
            self.ahead.push(token);
            if self.lexer.mistakes > MOST_MISTAKES && !self.stopped {
                self.stop();
                let message =
                    format!("more than {MOST_MISTAKES} mistakes: the rest of the file was not read");
                self.lexer.report(Span::at(self.end), Diagnostic::error("too-many", message));
            }
        }
        &self.ahead[index]
    }

    pub(super) fn take(&mut self) -> Token<'a> {
        self.peek(0);
        let token = self.ahead.remove(0);
        self.end = token.span.end.max(self.end);
        token
    }

    /// Takes the next token if it is `what`.
    fn taken(&mut self, what: &TokenKind<'_>) -> bool {
        let found = self.peek(0).what == *what;
        if found {
            self.take();
        }
        found
    }

    /// Reads nothing more; what follows looks like the end of the file, and no one complains about it.
    fn stop(&mut self) {
        self.stopped = true;
        self.whole = false;
        self.ahead.clear();
        let at = Span::at(self.lexer.at as u32);
        self.ahead.extend([(); 2].map(|()| Token { what: TokenKind::End, span: at, on_new_line: false }));
    }

    pub(super) fn error(&mut self, span: Span, diagnostic: Diagnostic) {
        if !self.stopped {
            self.lexer.report(span, diagnostic);
        }
    }

    fn file(&mut self) -> Option<Node> {
        self.attributes();
        let first = self.peek(0).clone();
        let fields = matches!(first.what, TokenKind::Word(_)) && self.peek(1).what == TokenKind::Colon;
        let root = match first.what {
            TokenKind::End => {
                let blank =
                    self.lexer.text.trim_matches(|c| c == '\u{feff}' || super::lexer::is_blank(c)).is_empty();
                let message = if blank { "this file is empty" } else { "this file has only comments" };
                let diagnostic = Diagnostic::error("empty", message);
                self.error(
                    first.span,
                    diagnostic.help("a rig begins with Rig(version: 1, drawing: \"hero.svg\", …)"),
                );
                return None;
            }
            _ if fields => {
                let diagnostic = Diagnostic::error("brackets", "the fields of a rig must be inside Rig( … )");
                self.error(first.span, diagnostic.help("write `Rig(` before them and `)` after them"));
                let fields = self.fields(None);
                Node { kind: NodeKind::Struct(None, fields), span: first.span.to(Span::at(self.end)) }
            }
            _ => self.value("the rig"),
        };
        if self.peek(0).what != TokenKind::End {
            let span = self.peek(0).span;
            let diagnostic = match self.peek(0).what {
                TokenKind::Close(bracket) => Diagnostic::error(
                    "brackets",
                    format!("this `{}` has no opening bracket", bracket.close()),
                ),
                _ => Diagnostic::error("brackets", "this is after the end of the rig"),
            };
            self.error(span, diagnostic.help("remove it, or check the brackets before it"));
            self.whole = false;
            // Unread brackets, quotes and comments are no mistakes any more.
            self.stop();
        }
        Some(root)
    }

    /// `#![enable(implicit_some)]` at the start; it changes nothing here.
    fn attributes(&mut self) {
        loop {
            self.lexer.skip_blanks();
            let Some(inner) = self.lexer.rest().strip_prefix("#!") else { return };
            let start = self.lexer.at as u32;
            let line = inner.get(..inner.find('\n').unwrap_or(inner.len())).unwrap_or("");
            let known = |name: &str| matches!(name.trim(), "implicit_some" | "unwrap_newtypes" | "");
            let close = line.find(']').unwrap_or(line.len());
            let list = line.get(..close).map(|list| list.trim_start().trim_start_matches('[').trim());
            let list = list
                .and_then(|list| list.strip_prefix("enable")?.trim().strip_prefix('(')?.strip_suffix(')'));
            self.lexer.at = start as usize + 2 + close + usize::from(close < line.len());
            let span = Span::new(start, self.lexer.at as u32);
            if !list.is_some_and(|list| list.split(',').all(known)) {
                let diagnostic =
                    Diagnostic::error("not-possible-here", "this extension is not supported in rigs");
                self.error(
                    span,
                    diagnostic.help(
                        "remove it: only #![enable(implicit_some)] is allowed here, and it is not needed",
                    ),
                );
            }
        }
    }

    /// A value, or `Broken` without taking anything where none begins. `whose` is what it belongs to.
    fn value(&mut self, whose: &str) -> Node {
        let token = self.peek(0).clone();
        let kind = match token.what {
            TokenKind::Open(bracket) => return self.bracketed(bracket, None),
            TokenKind::Word(word) => {
                self.take();
                if self.peek(0).what == TokenKind::Open(Bracket::Round) && !self.peek(0).on_new_line {
                    let name = Spanned::new(word.to_owned(), token.span);
                    return self.bracketed(Bracket::Round, Some(name));
                }
                match word {
                    "true" => NodeKind::Bool(true),
                    "false" => NodeKind::Bool(false),
                    "None" => NodeKind::None,
                    "null" if self.lexer.syntax == Syntax::Json => NodeKind::None,
                    _ => NodeKind::Word(word.to_owned()),
                }
            }
            TokenKind::Number(value) => {
                self.take();
                NodeKind::Number(value)
            }
            TokenKind::Text(text) => {
                self.take();
                NodeKind::Text(text.into_owned())
            }
            TokenKind::Broken => {
                self.take();
                NodeKind::Broken
            }
            TokenKind::Close(_) | TokenKind::Comma | TokenKind::Colon | TokenKind::End => {
                let span = if token.what == TokenKind::End { Span::at(self.end) } else { token.span };
                let message = match token.what {
                    TokenKind::Comma => format!("a value is missing before this comma, for {whose}"),
                    _ => format!("a value is missing for {whose}"),
                };
                self.error(span, Diagnostic::error("missing-value", message));
                return Node { kind: NodeKind::Broken, span: Span::at(self.end) };
            }
        };
        Node { kind, span: token.span }
    }

    /// The value behind a colon. Where a name or key follows instead, the bracket that opens around it was
    /// forgotten.
    fn value_of(&mut self, whose: &str) -> Node {
        let named = self.peek(1).what == TokenKind::Colon;
        let first = self.peek(0);
        let bracket = match first.what {
            TokenKind::Word(_) if named && !first.on_new_line => Bracket::Round,
            TokenKind::Text(_) | TokenKind::Number(_) if named => Bracket::Curly,
            _ => return self.value(whose),
        };
        let span = Span::at(first.span.start);
        if self.open.len() >= NESTING_LIMIT {
            return self.value(whose);
        }
        let missing = if bracket == Bracket::Round { "(" } else { "{" };
        self.error(
            span,
            Diagnostic::error("brackets", format!("`{missing}` is missing here")).replaced(missing),
        );
        self.whole = false;
        self.open.push((bracket, span));
        let kind = match bracket {
            Bracket::Round => NodeKind::Struct(None, self.fields(Some(bracket))),
            _ => NodeKind::Map(self.entries()),
        };
        self.open.pop();
        Node { kind, span: span.to(Span::at(self.end)) }
    }

    /// The content of brackets; the opening one is the next token. All recursion is here and in `value_of`,
    /// and is guarded.
    fn bracketed(&mut self, bracket: Bracket, name: Option<Spanned<String>>) -> Node {
        let opening = self.take().span;
        let start = name.as_ref().map_or(opening, |name| name.span);
        if self.open.len() >= NESTING_LIMIT {
            let message = format!("brackets are nested more than {NESTING_LIMIT} deep here");
            self.error(
                opening,
                Diagnostic::error("brackets", message).help("the rest of the file was not read"),
            );
            self.stop();
            return Node { kind: NodeKind::Broken, span: start.to(opening) };
        }
        self.open.push((bracket, opening));
        let kind = match bracket {
            Bracket::Square => NodeKind::List(self.items(bracket)),
            Bracket::Curly => NodeKind::Map(self.entries()),
            Bracket::Round if self.begins_fields() => {
                NodeKind::Struct(name.map(Box::new), self.fields(Some(bracket)))
            }
            Bracket::Round => {
                let mut items = self.items(bracket);
                let closed = self.closing_to.is_none()
                    && self.byte_before(self.end).is_some_and(|b| b")]}".contains(&b));
                match name {
                    // Its content may belong elsewhere.
                    _ if !closed || self.stopped => NodeKind::Broken,
                    Some(name) if name.value == "Some" && items.len() == 1 => {
                        items.pop().map_or(NodeKind::Broken, |item| NodeKind::Some(Box::new(item)))
                    }
                    name => NodeKind::Tuple(name.map(Box::new), items),
                }
            }
        };
        self.open.pop();
        Node { kind, span: start.to(Span::at(self.end)) }
    }

    fn begins_fields(&mut self) -> bool {
        let second = self.peek(1).what.clone();
        match self.peek(0).what {
            TokenKind::Text(_) => second == TokenKind::Colon,
            // Without its colon a field is still no plain value.
            TokenKind::Word(_) => match second {
                TokenKind::Colon | TokenKind::Number(_) | TokenKind::Text(_) => true,
                TokenKind::Open(bracket) => bracket != Bracket::Round,
                _ => false,
            },
            _ => false,
        }
    }

    /// `value, value` up to and with the closing bracket.
    fn items(&mut self, bracket: Bracket) -> Vec<Node> {
        let mut items: Vec<Node> = Vec::new();
        while self.more(Some(bracket)) {
            if self.closed_before_name() {
                break;
            }
            let value = self.value(if bracket == Bracket::Square { "this list" } else { "these brackets" });
            if self.peek(0).what == TokenKind::Colon {
                // A name or key where only values belong; its value is read and forgotten.
                let colon = self.take().span;
                let right = if bracket == Bracket::Square {
                    "curly brackets: {\"hip\": 1}"
                } else {
                    "brackets of their own"
                };
                let diagnostic = Diagnostic::error("character", "`:` is not allowed in a list of values");
                self.error(colon, diagnostic.help(format!("write names and their values in {right}")));
                self.value("this name");
                items.push(Node { kind: NodeKind::Broken, span: value.span });
            } else {
                items.push(value);
            }
            if !self.separated(Some(bracket)) {
                break;
            }
        }
        items.shrink_to_fit();
        items
    }

    /// `key: value, key: value` up to and with the closing bracket.
    fn entries(&mut self) -> Vec<EntryNode> {
        let bracket = Bracket::Curly;
        let mut entries: Vec<EntryNode> = Vec::new();
        while self.more(Some(bracket)) {
            // A word below a key in quotes is a key that lacks them; elsewhere it is a field of what is
            // around this map.
            let last = entries.last().filter(|entry| !matches!(entry.key.kind, NodeKind::Word(_)));
            let last = last.map(|entry| entry.key.span);
            if last.is_some_and(|key| !self.is_below(key)) && self.closed_before_name() {
                break;
            }
            let last_is_number =
                entries.last().is_some_and(|entry| matches!(entry.value.kind, NodeKind::Number(_)));
            if last_is_number && self.decimal_comma() {
                if let Some(last) = entries.last_mut() {
                    last.value.kind = NodeKind::Broken;
                }
            } else {
                let key = self.value("a key of this map");
                let value = if self.taken(&TokenKind::Colon) {
                    self.value_of(&format!("the key {}", key.describe()))
                } else if !self.peek(0).on_new_line
                    && matches!(
                        self.peek(0).what,
                        TokenKind::Open(_) | TokenKind::Number(_) | TokenKind::Text(_)
                    )
                {
                    let message = format!("`:` is missing after {}", key.describe());
                    self.error(key.span.after(), Diagnostic::error("missing-value", message).replaced(":"));
                    self.value("this key")
                } else {
                    if !matches!(key.kind, NodeKind::Broken) {
                        let diagnostic = Diagnostic::error(
                            "missing-value",
                            format!("{} has no value here", key.describe()),
                        );
                        self.error(key.span, diagnostic.help("in curly brackets, write `key: value`"));
                    }
                    Node { kind: NodeKind::Broken, span: key.span.after() }
                };
                entries.push(EntryNode { key, value });
            }
            if !self.separated(Some(bracket)) {
                break;
            }
        }
        entries.shrink_to_fit();
        entries
    }

    /// `name: value, name: value` up to and with the closing bracket, or to the end of the file without one.
    fn fields(&mut self, bracket: Option<Bracket>) -> Vec<FieldNode> {
        let mut fields: Vec<FieldNode> = Vec::new();
        while self.more(bracket) {
            let unquoted = fields.last().is_some_and(|field| !self.is_quoted(field.name.span));
            if unquoted && self.closed_before_key() {
                break;
            }
            let last_is_number =
                fields.last().is_some_and(|field| matches!(field.value.kind, NodeKind::Number(_)));
            if last_is_number && self.decimal_comma() {
                if let Some(last) = fields.last_mut() {
                    last.value.kind = NodeKind::Broken;
                }
            } else if let Some(field) = self.field() {
                fields.push(field);
            }
            if !self.separated(bracket) {
                break;
            }
        }
        fields.shrink_to_fit();
        fields
    }

    fn is_quoted(&self, span: Span) -> bool {
        self.lexer.text.as_bytes().get(span.start as usize) == Some(&b'"')
    }

    fn field(&mut self) -> Option<FieldNode> {
        let token = self.peek(0).clone();
        let named = self.peek(1).what == TokenKind::Colon;
        let name = match token.what {
            TokenKind::Word(word) if named => word.to_owned(),
            TokenKind::Text(text) if named => {
                let diagnostic = Diagnostic::error("quotes", "names of fields are written without quotes");
                let help = format!("write {}:", shortened(&text));
                self.error(token.span, diagnostic.help(help).replaced(&*text));
                text.into_owned()
            }
            TokenKind::Word(word) => {
                self.take();
                let begins_value = matches!(
                    self.peek(0).what,
                    TokenKind::Number(_) | TokenKind::Text(_) | TokenKind::Open(_)
                );
                let value = if begins_value && !self.peek(0).on_new_line {
                    let message = format!("`:` is missing after {}", shortened(word));
                    self.error(token.span.after(), Diagnostic::error("missing-value", message).replaced(":"));
                    self.value("this name")
                } else {
                    let message = format!("{} has no value", shortened(word));
                    self.error(
                        token.span,
                        Diagnostic::error("missing-value", message)
                            .help(format!("write {}: value", shortened(word))),
                    );
                    Node { kind: NodeKind::Broken, span: token.span.after() }
                };
                return Some(FieldNode { name: Spanned::new(word.to_owned(), token.span), value });
            }
            _ => {
                let broken = token.what == TokenKind::Broken;
                let value = self.value("this field");
                if !broken && !matches!(value.kind, NodeKind::Broken) {
                    let diagnostic =
                        Diagnostic::error("missing-value", format!("{} has no name here", value.describe()));
                    self.error(value.span, diagnostic.help("in these brackets, write `name: value`"));
                }
                return None;
            }
        };
        self.take();
        self.take();
        let value = self.value_of(&format!("`{}`", shortened(&name)));
        Some(FieldNode { name: Spanned::new(name, token.span), value })
    }
}
