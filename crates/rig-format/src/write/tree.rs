//! Values of a rig as text: on one line where they fit, else an entry a line, with comments before the value
//! they describe. It deals only with brackets and widths.

use super::number;
use crate::span::Spanned;
use crate::text::{Node, NodeKind};

/// Lines are no longer than this, unless one value is.
const WIDTH: usize = 110;
const INDENT: &str = "    ";

/// A value.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    /// A number, word or text.
    Plain(String),
    /// Brackets and what is in them.
    Group(Group),
}

/// Brackets and what is in them.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// With the name before it: `Rigid(`.
    open: String,
    close: char,
    items: Vec<Item>,
    /// Comments behind the last entry.
    end: Vec<String>,
    /// An entry a line, however short they are.
    spread: bool,
    /// No comma follows the last entry.
    json: bool,
}

/// An entry of a group.
#[derive(Clone, Debug)]
struct Item {
    comments: Vec<String>,
    /// With its colon, or empty.
    key: String,
    value: Tree,
}

impl Group {
    fn new(open: impl Into<String>, close: char) -> Self {
        Self { open: open.into(), close, items: Vec::new(), end: Vec::new(), spread: false, json: false }
    }

    /// `Name(…)`, or `(…)` without a name.
    pub(crate) fn fields(name: &str) -> Self {
        Self::new(format!("{name}("), ')')
    }

    pub(crate) fn map() -> Self {
        Self::new("{", '}')
    }

    pub(crate) fn list() -> Self {
        Self::new("[", ']')
    }

    /// Gives each entry a line of its own.
    pub(crate) fn spread(mut self) -> Self {
        self.spread = true;
        self
    }

    /// Leaves out the comma behind the last entry.
    pub(crate) const fn json(&mut self) {
        self.json = true;
    }

    /// Whether it has neither entries nor comments.
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty() && self.end.is_empty()
    }

    pub(crate) fn field(&mut self, name: &str, value: impl Into<Tree>) {
        self.noted(Vec::new(), format!("{name}: "), value.into());
    }

    pub(crate) fn item(&mut self, value: impl Into<Tree>) {
        self.noted(Vec::new(), String::new(), value.into());
    }

    /// An entry with comments before it; the key has its colon, or is empty.
    pub(crate) fn noted(&mut self, comments: Vec<String>, key: String, value: Tree) {
        self.items.push(Item { comments, key, value });
    }

    /// Comments behind the last entry.
    pub(crate) fn end(&mut self, comments: Vec<String>) {
        self.end.extend(comments);
    }
}

impl From<&Node> for Tree {
    fn from(node: &Node) -> Self {
        let name = |name: &Option<Box<Spanned<String>>>| {
            name.as_ref().map_or(String::new(), |name| name.value.clone())
        };
        match &node.kind {
            NodeKind::Number(value) => Self::Plain(number(*value, 17)),
            NodeKind::Bool(value) => Self::Plain(value.to_string()),
            NodeKind::Text(text) => Self::Plain(quoted(text)),
            NodeKind::Word(word) => Self::Plain(word.clone()),
            NodeKind::None | NodeKind::Broken => Self::Plain("None".to_owned()),
            NodeKind::Some(inner) => Self::from(inner.as_ref()),
            NodeKind::Struct(title, fields) => {
                let mut group = Group::fields(&name(title));
                fields.iter().for_each(|field| group.field(&field.name.value, &field.value));
                group.into()
            }
            NodeKind::Tuple(title, items) => {
                let mut group = Group::fields(&name(title));
                items.iter().for_each(|item| group.item(item));
                // Points, ranges and eases are never broken.
                let plain =
                    items.iter().all(|item| matches!(item.kind, NodeKind::Number(_) | NodeKind::Text(_)));
                let tree = Self::from(group);
                tree.flat().filter(|_| plain).map_or(tree, Self::Plain)
            }
            NodeKind::List(items) => {
                let mut group = Group::list();
                items.iter().for_each(|item| group.item(item));
                group.into()
            }
            NodeKind::Map(entries) => {
                let mut group = Group::map();
                for entry in entries {
                    let key = Self::from(&entry.key).flat().unwrap_or_default();
                    group.field(&key, &entry.value);
                }
                group.into()
            }
        }
    }
}

impl From<Group> for Tree {
    fn from(group: Group) -> Self {
        Self::Group(group)
    }
}

impl Tree {
    /// On one line; none if something in it needs a line of its own, or it is longer than a line.
    pub(crate) fn flat(&self) -> Option<String> {
        let group = match self {
            Self::Plain(text) => return Some(text.clone()),
            Self::Group(group) => group,
        };
        if group.spread && !group.is_empty() || !group.end.is_empty() {
            return None;
        }
        let mut out = group.open.clone();
        for (at, item) in group.items.iter().enumerate() {
            if !item.comments.is_empty() {
                return None;
            }
            out.push_str(if at > 0 { ", " } else { "" });
            out.push_str(&item.key);
            out.push_str(&item.value.flat()?);
            if out.len() > WIDTH * 4 {
                return None;
            }
        }
        out.push(group.close);
        Some(out)
    }

    /// Appends the value; `indent` is that of its line, `used` the columns before it on the line.
    pub(crate) fn write(&self, indent: usize, used: usize, out: &mut String) {
        let group = match (self.flat(), self) {
            // A comma follows.
            (Some(flat), Self::Group(_)) if used + width(&flat) < WIDTH => return out.push_str(&flat),
            (_, Self::Plain(text)) => return out.push_str(text),
            (_, Self::Group(group)) => group,
        };
        out.push_str(&group.open);
        let mut line = Line { indent: indent + 1, used: None };
        for (at, item) in group.items.iter().enumerate() {
            let comma = if group.json && at + 1 == group.items.len() { "" } else { "," };
            let flat = item.value.flat().filter(|_| item.comments.is_empty());
            // Plain fields share lines, and so do short entries of a list.
            let shares = match (&item.value, group.close) {
                _ if group.spread => false,
                (Tree::Plain(_), ')') => true,
                (_, ']') => item.key.is_empty() && flat.as_ref().is_some_and(|flat| width(flat) < WIDTH / 3),
                _ => false,
            };
            if let Some(flat) = flat.filter(|_| shares) {
                line.share(&format!("{}{flat}{comma}", item.key), out);
                continue;
            }
            line.end();
            comment(&item.comments, line.indent, out);
            line.start(out);
            out.push_str(&item.key);
            item.value.write(line.indent, line.indent * INDENT.len() + width(&item.key), out);
            out.push_str(comma);
        }
        comment(&group.end, line.indent, out);
        out.push('\n');
        out.push_str(&INDENT.repeat(indent));
        out.push(group.close);
    }
}

/// The line that is being filled.
struct Line {
    indent: usize,
    /// How much of it is full, if something else may come on it.
    used: Option<usize>,
}

impl Line {
    fn start(&self, out: &mut String) {
        out.push('\n');
        out.push_str(&INDENT.repeat(self.indent));
    }

    fn end(&mut self) {
        self.used = None;
    }

    fn share(&mut self, text: &str, out: &mut String) {
        let length = width(text);
        self.used = Some(match self.used {
            Some(used) if used + 1 + length <= WIDTH => {
                out.push(' ');
                used + 1 + length
            }
            _ => {
                self.start(out);
                self.indent * INDENT.len() + length
            }
        });
        out.push_str(text);
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// Comments on lines of their own.
fn comment(lines: &[String], indent: usize, out: &mut String) {
    for line in lines {
        out.push('\n');
        out.push_str(&INDENT.repeat(indent));
        out.push_str(&commented(line));
    }
}

/// `// text`; line ends become spaces.
pub(crate) fn commented(line: &str) -> String {
    let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("// {line}").trim_end().to_owned()
}

/// A text in quotes, as the format writes it.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
