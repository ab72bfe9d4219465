//! The tree that a text becomes: every value with the place where it was written.
//! It keeps the text as written, even if it makes no sense, and does not interpret it.

use bone_core::in_few_digits;

use crate::span::{Span, Spanned};

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// What was written.
    pub kind: NodeKind,
    /// Where, brackets and quotes included.
    pub span: Span,
}

/// What was written.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    /// Unreadable. The error has been reported already.
    Broken,
    /// `true` or `false`.
    Bool(bool),
    /// `12`, `-0.5`, `1e3`, `0xff`.
    Number(f64),
    /// `"hip"`.
    Text(String),
    /// A word without quotes and brackets: `Hold`.
    Word(String),
    /// `None`.
    None,
    /// `Some(…)`.
    Some(Box<Node>),
    /// `(a: 1, b: 2)` or `Name(a: 1)`.
    Struct(Option<Box<Spanned<String>>>, Vec<FieldNode>),
    /// `(1, 2)`, `()` or `Name(1, 2)`.
    Tuple(Option<Box<Spanned<String>>>, Vec<Node>),
    /// `[1, 2]`.
    List(Vec<Node>),
    /// `{"a": 1}`.
    Map(Vec<EntryNode>),
}

/// `name: value` in round brackets.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldNode {
    /// The name.
    pub name: Spanned<String>,
    /// The value.
    pub value: Node,
}

/// `key: value` in curly brackets.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryNode {
    /// The key, any value.
    pub key: Node,
    /// The value.
    pub value: Node,
}

impl Node {
    /// Its opening bracket; where that is missing, what stands in its place.
    pub(crate) fn opening(&self) -> Span {
        let first = match &self.kind {
            NodeKind::Map(entries) => entries.first().map(|entry| entry.key.span),
            NodeKind::Struct(_, fields) => fields.first().map(|field| field.name.span),
            NodeKind::Tuple(_, items) | NodeKind::List(items) => items.first().map(|item| item.span),
            _ => None,
        };
        let bracket = Span::new(self.span.start, (self.span.start + 1).min(self.span.end));
        first.filter(|span| span.start == self.span.start).unwrap_or(bracket)
    }

    /// What a value has in it, each with the bytes of its name or key.
    pub fn members(&self) -> Vec<(Option<Span>, &Self)> {
        match &self.kind {
            NodeKind::Some(inner) => vec![(None, inner)],
            NodeKind::Struct(_, fields) => {
                fields.iter().map(|field| (Some(field.name.span), &field.value)).collect()
            }
            NodeKind::Map(entries) => {
                entries.iter().map(|entry| (Some(entry.key.span), &entry.value)).collect()
            }
            NodeKind::Tuple(_, items) | NodeKind::List(items) => {
                items.iter().map(|item| (None, item)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// A value that is not in a text.
    pub(crate) fn new(kind: NodeKind) -> Self {
        Self { kind, span: Span::default() }
    }

    pub(crate) fn number(value: f64) -> Self {
        Self::new(NodeKind::Number(value))
    }

    pub(crate) fn word(word: &str) -> Self {
        Self::new(NodeKind::Word(word.to_owned()))
    }

    pub(crate) fn tuple(items: Vec<Self>) -> Self {
        Self::new(NodeKind::Tuple(None, items))
    }

    /// `Name(1, 2)`.
    pub(crate) fn call(name: &str, items: Vec<Self>) -> Self {
        Self::new(NodeKind::Tuple(Some(Box::new(name.to_owned().into())), items))
    }

    pub(crate) fn list(items: Vec<Self>) -> Self {
        Self::new(NodeKind::List(items))
    }

    pub(crate) fn map(entries: Vec<(Self, Self)>) -> Self {
        Self::new(NodeKind::Map(entries.into_iter().map(|(key, value)| EntryNode { key, value }).collect()))
    }

    /// The value of a key of a map.
    pub(crate) fn at(&mut self, wanted: &str) -> Option<&mut Self> {
        let NodeKind::Map(entries) = &mut self.kind else { return None };
        let is = |key: &Self| matches!(&key.kind, NodeKind::Text(name) if name == wanted);
        entries.iter_mut().find(|entry| is(&entry.key)).map(|entry| &mut entry.value)
    }

    /// What is in `Some(…)`, or the value itself.
    pub(crate) fn inner(&self) -> &Self {
        let mut node = self;
        while let NodeKind::Some(inner) = &node.kind {
            node = inner;
        }
        node
    }

    pub(crate) fn inner_mut(&mut self) -> &mut Self {
        match self.kind {
            NodeKind::Some(ref mut inner) => inner.inner_mut(),
            _ => self,
        }
    }

    /// The same tree where the text before it is so much longer.
    pub(crate) fn shift(&mut self, by: u32) {
        self.places(&mut |span| *span = span.forth(by));
    }

    /// Calls a function for each place in it.
    pub(crate) fn places(&mut self, see: &mut dyn FnMut(&mut Span)) {
        let mut waiting = vec![self];
        while let Some(node) = waiting.pop() {
            see(&mut node.span);
            match &mut node.kind {
                NodeKind::Some(inner) => waiting.push(inner),
                NodeKind::Struct(name, fields) => {
                    name.iter_mut().for_each(|name| see(&mut name.span));
                    for field in fields {
                        see(&mut field.name.span);
                        waiting.push(&mut field.value);
                    }
                }
                NodeKind::Tuple(name, items) => {
                    name.iter_mut().for_each(|name| see(&mut name.span));
                    waiting.extend(items);
                }
                NodeKind::List(items) => waiting.extend(items),
                NodeKind::Map(entries) => {
                    for entry in entries {
                        waiting.push(&mut entry.key);
                        waiting.push(&mut entry.value);
                    }
                }
                _ => {}
            }
        }
    }

    /// What this is, for a message: "the number 3", "a list".
    pub fn describe(&self) -> String {
        match &self.kind {
            NodeKind::Broken => "something unreadable".into(),
            NodeKind::Bool(value) => format!("`{value}`"),
            NodeKind::Number(value) => format!("the number {}", in_few_digits(*value)),
            NodeKind::Text(text) => format!("the text \"{}\"", shortened(text)),
            NodeKind::Word(word) => format!("the word `{}`", shortened(word)),
            NodeKind::None => "`None`".into(),
            NodeKind::Some(_) => "`Some(…)`".into(),
            NodeKind::Struct(Some(name), _) | NodeKind::Tuple(Some(name), _) => {
                format!("`{}(…)`", shortened(&name.value))
            }
            NodeKind::Struct(None, _) => "a group of fields in round brackets".into(),
            NodeKind::Tuple(None, items) => match items.len() {
                0 => "an empty pair of round brackets".into(),
                1 => "1 value in round brackets".into(),
                count => format!("{count} values in round brackets"),
            },
            NodeKind::List(_) => "a list in square brackets".into(),
            NodeKind::Map(_) => "a map in curly brackets".into(),
        }
    }
}

/// At most the first forty characters: a message is one line.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or("")),
        None => text.into(),
    }
}
