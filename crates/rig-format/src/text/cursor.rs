//! What is at a byte of a text, also of one that is being written: the way to it through the brackets around it.
//! What is behind the byte does not matter; what is before it is read with all its mistakes.

use super::lexer::{Bracket, Lexer, Token, TokenKind};
use super::parser::parse_start;
use super::recovery::closing;
use super::syntax::Syntax;
use super::tree::{Node, NodeKind};
use crate::diagnostic::Diagnostics;
use crate::span::{SourceId, Span};

/// A step from a value to a value in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextStep {
    /// The value of a field in round brackets, with the name before them.
    Field(Option<String>, String),
    /// The value of a key of a map; in JSON of a field, too.
    Entry(String),
    /// A value in square brackets, from 0.
    Item(usize),
    /// A value in round brackets without names, with the name before them, from 0.
    Part(Option<String>, usize),
}

/// What a byte belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextSlot {
    /// The name of a field.
    Name,
    /// The key of a map; in JSON the name of a field, too.
    Key,
    /// A value, or the name before its brackets. As the first one in round brackets it may become the name of a
    /// field.
    Value,
}

/// What is at a byte of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextCursor {
    /// The way from the whole file to the value that the byte is in, or to the brackets that its name or key is in.
    pub steps: Vec<TextStep>,
    /// What the byte belongs to.
    pub slot: TextSlot,
    /// The name before the brackets that a field is in.
    pub head: Option<String>,
    /// The word, number or text there, quotes included; empty where nothing is written yet.
    pub span: Span,
    /// The word or the text there, without quotes.
    pub written: String,
    /// Whether it is in quotes.
    pub quoted: bool,
    /// The names and keys in the same brackets, before and behind.
    pub siblings: Vec<String>,
    /// The notation of the text.
    pub syntax: Syntax,
}

/// A name that no rig has.
const MARK: &str = "cursor__";

/// What is at a byte of a text. None in a comment, and where nothing is that belongs to the rig.
///
/// ```
/// use bone_format::text::{TextSlot, TextStep, cursor};
///
/// let text = r#"Rig(bones: { "arm": (parent: "hi"#;
/// let found = cursor(text, text.len()).ok_or("a comment")?;
/// assert_eq!((found.written.as_str(), found.slot), ("hi", TextSlot::Value));
/// let rig = || Some("Rig".to_owned());
/// let (entry, field) = (TextStep::Entry("arm".into()), TextStep::Field(None, "parent".into()));
/// assert_eq!(found.steps, [TextStep::Field(rig(), "bones".into()), entry, field]);
/// # Ok::<(), &str>(())
/// ```
pub fn cursor(text: &str, at: usize) -> Option<TextCursor> {
    let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at))?;
    let syntax = Syntax::of(text);
    let mut found = Diagnostics::new();
    let mut lexer = Lexer::new(SourceId::default(), text, syntax, &mut found);
    let (before, here, next) = around(&mut lexer, at)?;
    let after = here.as_ref().map_or(at, |token| token.span.end as usize);
    let span = here.as_ref().map_or(Span::at(at as u32), |token| token.span);
    let start = text.get(..span.start as usize)?;

    let mut unheard = Diagnostics::new();
    let (parsed, open) = parse_start(syntax, SourceId::default(), start, &mut unheard);
    let is_named = next == TokenKind::Colon;
    let names = open.last().is_none_or(|&(bracket, opening)| match bracket {
        Bracket::Curly => true,
        Bracket::Square => false,
        Bracket::Round if before == TokenKind::Open(Bracket::Round) => is_named,
        Bracket::Round => parsed.root.as_ref().is_some_and(|root| opens_fields(root, opening)),
    });
    let none = if syntax == Syntax::Json { "null" } else { "None" };
    let is_map = open.last().is_some_and(|(bracket, _)| *bracket == Bracket::Curly);
    let mark = match (before == TokenKind::Colon || !names, is_map) {
        (true, _) => format!("\"{MARK}\""),
        (_, true) => format!("\"{MARK}\": {none}"),
        _ => format!("{MARK}: {none}"),
    };
    let whole = format!("{start}{mark}{}", closing(&open));
    let (parsed, _) = parse_start(syntax, SourceId::default(), &whole, &mut Diagnostics::new());
    let mut cursor = walk(&parsed.root?, start.len())?;
    if cursor.slot != TextSlot::Value || before == TokenKind::Open(Bracket::Round) {
        lexer.at = after;
        names_behind(&mut lexer, &mut cursor.siblings);
    }
    cursor.siblings.retain(|name| name != MARK);
    cursor.span = span;
    cursor.syntax = syntax;
    let written = text.get(span.range()).unwrap_or_default();
    cursor.quoted = written.starts_with('"');
    cursor.written = match here.map(|token| token.what) {
        Some(TokenKind::Text(text)) => text.into_owned(),
        _ => written.trim_matches('"').to_owned(),
    };
    Some(cursor)
}

/// The token before a byte, the one that the byte is in or behind, and the kind of the next. None in a comment.
fn around<'a>(
    lexer: &mut Lexer<'a, '_>,
    at: usize,
) -> Option<(TokenKind<'a>, Option<Token<'a>>, TokenKind<'a>)> {
    use TokenKind::{Broken, Number, Text, Word};
    let (mut before, mut last) = (TokenKind::End, None::<Token<'a>>);
    loop {
        let token = lexer.next();
        let (start, end) = (token.span.start as usize, token.span.end as usize);
        if start > at || token.what == TokenKind::End || start == at && !is_value(&token.what) {
            let behind = last.as_ref().map_or(0, |last| last.span.end as usize);
            if is_in_comment(lexer.text, behind, at) {
                return None;
            }
            let touched = last.clone().filter(|last| is_value(&last.what) && behind == at);
            if touched.is_none() {
                before = last.map_or(TokenKind::End, |last| last.what);
            }
            return Some((before, touched, token.what));
        }
        if start <= at && at < end && is_value(&token.what) {
            before = last.map_or(TokenKind::End, |last| last.what);
            let next = lexer.next().what;
            return Some((before, Some(token), next));
        }
        before = last.replace(token).map_or(TokenKind::End, |last| last.what);
    }

    fn is_value(what: &TokenKind<'_>) -> bool {
        matches!(what, Word(_) | Number(_) | Text(_) | Broken)
    }
}

/// Whether a byte is within a comment that begins behind a token.
fn is_in_comment(text: &str, behind: usize, at: usize) -> bool {
    let mut from = behind;
    while let Some(rest) = text.get(from..at).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("//") || rest.starts_with('#') {
            match rest.find('\n') {
                Some(line) => from += line,
                None => return true,
            }
        } else if rest.starts_with("/*") {
            let mut found = Diagnostics::new();
            let mut lexer = Lexer::new(SourceId::default(), text, Syntax::Ron, &mut found);
            lexer.at = from;
            lexer.skip_block();
            if lexer.at > at || lexer.swallowed {
                return true;
            }
            from = lexer.at;
        } else {
            from += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    false
}

/// Whether the brackets that open at a byte have fields.
fn opens_fields(root: &Node, opening: Span) -> bool {
    let holds = |node: &&Node| node.span.range().contains(&(opening.start as usize));
    let mut node = root.inner();
    loop {
        let inner = match &node.kind {
            NodeKind::Struct(_, fields) => fields.iter().map(|field| &field.value).find(holds),
            NodeKind::Map(entries) => entries.iter().map(|entry| &entry.value).find(holds),
            NodeKind::List(items) | NodeKind::Tuple(_, items) => items.iter().find(holds),
            _ => None,
        };
        match inner {
            Some(inner) => node = inner.inner(),
            None => return matches!(node.kind, NodeKind::Struct(..)),
        }
    }
}

/// The way to a byte of a tree.
fn walk(root: &Node, at: usize) -> Option<TextCursor> {
    let holds = |span: Span| span.range().contains(&at);
    let named =
        |head: &Option<Box<crate::span::Spanned<String>>>| head.as_ref().map(|head| head.value.clone());
    let mut cursor = TextCursor {
        steps: Vec::new(),
        slot: TextSlot::Value,
        head: None,
        span: Span::default(),
        written: String::new(),
        quoted: false,
        siblings: Vec::new(),
        syntax: Syntax::Ron,
    };
    let mut node = root.inner();
    loop {
        if !holds(node.span) {
            return None;
        }
        let (step, inner) = match &node.kind {
            NodeKind::Struct(head, fields) => {
                if fields.iter().any(|field| holds(field.name.span)) {
                    cursor.siblings = fields.iter().map(|field| field.name.value.clone()).collect();
                    (cursor.slot, cursor.head) = (TextSlot::Name, named(head));
                    return Some(cursor);
                }
                let field = fields.iter().find(|field| holds(field.value.span))?;
                (TextStep::Field(named(head), field.name.value.clone()), &field.value)
            }
            NodeKind::Map(entries) => {
                let name = |key: &Node| match &key.kind {
                    NodeKind::Text(text) | NodeKind::Word(text) => text.clone(),
                    NodeKind::Number(number) => number.to_string(),
                    _ => String::new(),
                };
                if entries.iter().any(|entry| holds(entry.key.span)) {
                    cursor.siblings = entries.iter().map(|entry| name(&entry.key)).collect();
                    cursor.slot = TextSlot::Key;
                    return Some(cursor);
                }
                let entry = entries.iter().find(|entry| holds(entry.value.span))?;
                (TextStep::Entry(name(&entry.key)), &entry.value)
            }
            NodeKind::List(items) => {
                let item = items.iter().position(|item| holds(item.span))?;
                (TextStep::Item(item), items.get(item)?)
            }
            NodeKind::Tuple(head, items) => {
                let item = items.iter().position(|item| holds(item.span))?;
                (TextStep::Part(named(head), item), items.get(item)?)
            }
            _ => return Some(cursor),
        };
        cursor.steps.push(step);
        node = inner.inner();
    }
}

/// Adds the names and keys up to the bracket that closes.
fn names_behind(lexer: &mut Lexer<'_, '_>, names: &mut Vec<String>) {
    let mut depth = 0_usize;
    let mut last = None;
    loop {
        let token = lexer.next().what;
        match token {
            TokenKind::Open(_) => depth += 1,
            TokenKind::Close(_) if depth == 0 => return,
            TokenKind::Close(_) => depth -= 1,
            TokenKind::End => return,
            TokenKind::Colon if depth == 0 => names.extend(last.take()),
            _ => {}
        }
        last = match token {
            TokenKind::Word(word) => Some(word.to_owned()),
            TokenKind::Text(text) => Some(text.into_owned()),
            _ => None,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The way to the byte at `|`, what it belongs to and what is written there.
    fn found(text: &str) -> String {
        let at = text.find('|').expect("a cursor");
        let text = text.replacen('|', "", 1);
        let Some(cursor) = cursor(&text, at) else { return "none".into() };
        let mut out = String::new();
        let head = |head: &Option<String>| head.clone().unwrap_or_default();
        for step in &cursor.steps {
            out += &match step {
                TextStep::Field(of, name) => format!("{}.{name} ", head(of)),
                TextStep::Entry(name) => format!("{{{name}}} "),
                TextStep::Item(at) => format!("[{at}] "),
                TextStep::Part(of, at) => format!("{}({at}) ", head(of)),
            };
        }
        let slot = match cursor.slot {
            TextSlot::Name => "name",
            TextSlot::Key => "key",
            TextSlot::Value => "value",
        };
        format!("{out}{slot} <{}> {}", cursor.written, cursor.siblings.join(" ")).trim_end().into()
    }

    #[test]
    fn the_way_to_a_byte_is_found_in_broken_texts() {
        let arm = |text: &str| format!("Rig(bones: {{\n  \"arm\": ({text}");
        let cases = [
            // Whole texts.
            (arm("parent: \"h|ip\"), }, fps: 24)"), "Rig.bones {arm} .parent value <hip>"),
            (arm("par|ent: \"hip\", joint: Pin) })"), "Rig.bones {arm} name <parent> joint"),
            (arm("from: (1, |20)) })"), "Rig.bones {arm} .from (1) value <20>"),
            // Strings: empty, and without their end.
            (arm("parent: \"|\") })"), "Rig.bones {arm} .parent value <>"),
            (arm("parent: \"hi|\n }, clips: {})"), "Rig.bones {arm} .parent value <hi>"),
            (arm("parent: \"|"), "Rig.bones {arm} .parent value <>"),
            // Half a word, a field, a key, a binding.
            (arm("joint: Pi|) })"), "Rig.bones {arm} .joint value <Pi>"),
            (arm("length: 3, jo|) })"), "Rig.bones {arm} name <jo> length"),
            (arm("jo|) })"), "Rig.bones {arm} (0) value <jo>"),
            ("Rig(bones: { \"arm\": (), \"le|".into(), "Rig.bones key <le> arm"),
            ("Rig(skin: [Smo|])".into(), "Rig.skin [0] value <Smo>"),
            // Behind a comma, and where one is missing.
            (arm("length: 3, |) })"), "Rig.bones {arm} name <> length"),
            (arm("from: (1, 2) |length: 3) })"), "Rig.bones {arm} name <length> from"),
            ("Rig(|)".into(), "Rig(0) value <>"),
            // A bracket is missing before.
            (
                "Rig(bones: {\n  \"a\": (length: 3,\n  \"b\": (parent: \"|\") })".into(),
                "Rig.bones {b} .parent value <>",
            ),
            // The value is missing.
            (arm("joint: |, length: 3) })"), "Rig.bones {arm} .joint value <>"),
            (arm("joint: |) })"), "Rig.bones {arm} .joint value <>"),
            (arm("parent: |"), "Rig.bones {arm} .parent value <>"),
            // A wrong bracket behind.
            ("Rig(skin: [Smooth(|], fps: 24)".into(), "Rig.skin [0] Smooth(0) value <>"),
            (
                "Rig(clips: {\"w\": (bones: {\"a\": (rotate: [(0, |".into(),
                "Rig.clips {w} .bones {a} .rotate [0] (1) value <>",
            ),
            // JSON.
            ("{\"bones\": {\"arm\": {\"joint\": |}}}".into(), "{bones} {arm} {joint} value <>"),
            ("{\"bones\": {\"arm\": {\"jo|".into(), "{bones} {arm} key <jo>"),
            ("{\"bones\": {\"arm\": {|\"joint\": 1}}}".into(), "{bones} {arm} key <joint>"),
            // Comments.
            ("Rig( // |\n)".into(), "none"),
            ("Rig( /* | */ fps: 2)".into(), "none"),
            ("Rig( /* a */ | fps: 2)".into(), "Rig(0) value <> fps"),
        ];
        let wrong: Vec<String> = cases
            .iter()
            .filter(|(text, expected)| found(text) != *expected)
            .map(|(text, expected)| format!("{text}\n  found {}\n  not   {expected}", found(text)))
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
