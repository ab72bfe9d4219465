//! Single values: numbers, texts, pairs, words, lists and maps, each with the message for a value of another
//! type. Ranges and meanings are checked elsewhere.

use kurbo::Vec2;

use crate::diagnostic::{Diagnostic, nearest};
use crate::doc::{VertexAddress, VertexPart};
use crate::read::Reader;
use crate::span::Spanned;
use crate::text::{EntryNode, Node, NodeKind, shortened};

impl Reader<'_> {
    /// `what` is something else than `wanted`. Does nothing if that was reported already.
    pub(super) fn wrong(&mut self, node: &Node, what: &str, wanted: &str, example: &str) {
        if !matches!(node.kind, NodeKind::Broken) {
            let diagnostic =
                Diagnostic::error(format!("{what} must be {wanted}, and it is {}", node.describe()));
            self.report(node.span, diagnostic.help(format!("write for example {example}")));
        }
    }

    pub(super) fn number(&mut self, node: &Node, what: &str, example: &str) -> Option<Spanned<f64>> {
        match &node.kind {
            NodeKind::Number(value) => return Some(Spanned::new(*value, node.span)),
            NodeKind::Text(text) if text.trim().parse::<f64>().is_ok_and(f64::is_finite) => {
                let diagnostic =
                    Diagnostic::error(format!("{what} is in quotes, and numbers are written without quotes"));
                self.report(node.span, diagnostic.help(format!("write {}", shortened(text.trim()))));
            }
            _ => self.wrong(node, what, "a number", example),
        }
        None
    }

    pub(super) fn text(&mut self, node: &Node, what: &str, example: &str) -> Option<Spanned<String>> {
        match &node.kind {
            NodeKind::Text(text) => return Some(Spanned::new(text.clone(), node.span)),
            NodeKind::Word(word) => {
                let diagnostic = Diagnostic::error(format!("{what} has no quotes"));
                self.report(node.span, diagnostic.help(format!("write \"{}\"", shortened(word))));
            }
            _ => self.wrong(node, what, "a text in double quotes", example),
        }
        None
    }

    /// The key of a map whose keys are names.
    pub(super) fn key_text(&mut self, node: &Node, of: &str) -> Option<Spanned<String>> {
        if let NodeKind::Word(word) = &node.kind {
            // It is as good as a name once it is reported, and others may refer to it.
            let diagnostic = Diagnostic::error(format!("the name of this {of} has no quotes"));
            self.report(node.span, diagnostic.help(format!("write \"{}\"", shortened(word))));
            return Some(Spanned::new(word.clone(), node.span));
        }
        let name = self.text(node, &format!("the name of this {of}"), "\"hip\"")?;
        if name.value.is_empty() {
            self.report(node.span, Diagnostic::error(format!("the name of this {of} is empty")));
            return None;
        }
        Some(name)
    }

    pub(super) fn boolean(&mut self, node: &Node, what: &str) -> Option<Spanned<bool>> {
        let meant = match &node.kind {
            NodeKind::Bool(value) => return Some(Spanned::new(*value, node.span)),
            NodeKind::Word(word) | NodeKind::Text(word) => match word.to_lowercase().as_str() {
                "true" | "yes" | "on" => Some("true"),
                "false" | "no" | "off" => Some("false"),
                _ => None,
            },
            NodeKind::Number(1.0) => Some("true"),
            NodeKind::Number(0.0) => Some("false"),
            _ => None,
        };
        match meant {
            Some(meant) => {
                let message = format!("{what} must be `true` or `false`, and it is {}", node.describe());
                self.report(node.span, Diagnostic::error(message).help(format!("write {meant}")));
            }
            None => self.wrong(node, what, "`true` or `false`", "true"),
        }
        None
    }

    /// `(1, 2)`.
    pub(super) fn pair(&mut self, node: &Node, what: &str, example: &str) -> Option<Spanned<(f64, f64)>> {
        match &node.kind {
            NodeKind::Tuple(None, items) => match items.as_slice() {
                [first, second] => {
                    let first = self.number(first, what, "12.5");
                    let second = self.number(second, what, "12.5");
                    return Some(Spanned::new((first?.value, second?.value), node.span));
                }
                items if items.iter().any(|item| matches!(item.kind, NodeKind::Broken)) => {}
                items => {
                    let count = items.len();
                    let message =
                        format!("{what} must be a pair of numbers, and here {} {count}", are(count));
                    let mut diagnostic = Diagnostic::error(message);
                    diagnostic = match count {
                        4 => diagnostic
                            .help("if these are decimal commas, write decimal numbers with a point: 0.5"),
                        _ => diagnostic.help(format!("write for example {example}")),
                    };
                    self.report(node.span, diagnostic);
                }
            },
            NodeKind::List(items) if items.len() == 2 => {
                let diagnostic =
                    Diagnostic::error(format!("{what} is a pair, and pairs are written in round brackets"));
                let shown = match items.as_slice() {
                    [Node { kind: NodeKind::Number(x), .. }, Node { kind: NodeKind::Number(y), .. }] => {
                        format!("({x}, {y})")
                    }
                    _ => example.to_owned(),
                };
                self.report(node.span, diagnostic.help(format!("write {shown}")));
            }
            NodeKind::Struct(None, fields) if fields.len() == 2 => {
                let diagnostic =
                    Diagnostic::error(format!("{what} is a pair, and pairs have no field names"));
                self.report(node.span, diagnostic.help(format!("write for example {example}")));
            }
            _ => self.wrong(node, what, "a pair of numbers", example),
        }
        None
    }

    /// One of several words.
    pub(super) fn word<T: Copy>(
        &mut self,
        node: &Node,
        what: &str,
        choices: &[(&str, T)],
    ) -> Option<Spanned<T>> {
        let list: Vec<String> = choices.iter().map(|(name, _)| format!("`{name}`")).collect();
        let help = format!("write one of {}", list.join(", "));
        let (NodeKind::Word(name) | NodeKind::Text(name)) = &node.kind else {
            if !matches!(node.kind, NodeKind::Broken) {
                let message = format!("{what} must be a word, and it is {}", node.describe());
                self.report(node.span, Diagnostic::error(message).help(help));
            }
            return None;
        };
        let choice = choices.iter().find(|(choice, _)| choice == name);
        if matches!(node.kind, NodeKind::Text(_)) && choice.is_some() {
            let diagnostic = Diagnostic::error(format!("{what} is written without quotes"));
            self.report(node.span, diagnostic.help(format!("write {name}")));
            return None;
        }
        if let Some(&(_, value)) = choice {
            return Some(Spanned::new(value, node.span));
        }
        let mut diagnostic = Diagnostic::error(format!("{what} cannot be `{}`", shortened(name)));
        if let Some(near) = nearest(name, choices.iter().map(|&(name, _)| name)) {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        }
        self.report(node.span, diagnostic.help(help));
        None
    }

    pub(super) fn list<'t>(&mut self, node: &'t Node, what: &str, example: &str) -> Option<&'t [Node]> {
        match &node.kind {
            NodeKind::List(items) => return Some(items),
            _ => self.wrong(node, what, "a list in square brackets", example),
        }
        None
    }

    pub(super) fn map<'t>(&mut self, node: &'t Node, what: &str, example: &str) -> Option<&'t [EntryNode]> {
        match &node.kind {
            NodeKind::Map(entries) => return Some(entries),
            NodeKind::Struct(None, _) => {
                let diagnostic = Diagnostic::error(format!(
                    "{what} is in round brackets, and curly brackets are needed here"
                ));
                self.report(node.span, diagnostic.help(format!("write for example {example}")));
            }
            _ => self.wrong(node, what, "a map in curly brackets", example),
        }
        None
    }

    /// `3`, `"3.in"` or `"3.out"`.
    pub(super) fn address(&mut self, node: &Node) -> Option<Spanned<VertexAddress>> {
        let address = match &node.kind {
            NodeKind::Broken => return None,
            NodeKind::Number(value) if value.fract() == 0.0 && (0.0..f64::from(u32::MAX)).contains(value) => {
                Some(VertexAddress { vertex: *value as u32, part: VertexPart::Anchor })
            }
            NodeKind::Text(text) => {
                let (number, part) = match text.split_once('.') {
                    Some((number, "in")) => (number, Some(VertexPart::In)),
                    Some((number, "out")) => (number, Some(VertexPart::Out)),
                    Some((number, _)) => (number, None),
                    None => (text.as_str(), Some(VertexPart::Anchor)),
                };
                let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
                let vertex = number.parse().ok().filter(|_| digits);
                vertex.zip(part).map(|(vertex, part)| VertexAddress { vertex, part })
            }
            _ => None,
        };
        if address.is_none() {
            let message = format!("{} is not a vertex", node.describe());
            let help = "write the number of a vertex, from 0; its tangents are \"3.in\" and \"3.out\"";
            self.report(node.span, Diagnostic::error(message).help(help));
        }
        address.map(|address| Spanned::new(address, node.span))
    }

    /// `(x, y)` as a vector.
    pub(super) fn vector(&mut self, node: &Node, what: &str) -> Option<Spanned<Vec2>> {
        self.pair(node, what, "(10, 20)").map(|pair| pair.map(|(x, y)| Vec2::new(x, y)))
    }
}

fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}
