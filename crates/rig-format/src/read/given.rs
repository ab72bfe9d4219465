//! The fields of a pair of round brackets: known ones, each once, taken by name.

use crate::diagnostic::{Diagnostic, nearest};
use crate::schema::record::{Given, Reader, Record, Slot, Value};
use crate::schema::{FieldName, Fields, Title, Type};
use crate::span::Span;
use crate::text::{Node, NodeKind, shortened};

impl<'t> Given<'t> {
    /// The value of a field. `None` means that it is not given and `Some(…)` what is in it, as RON readers
    /// know them.
    pub(super) fn take(&mut self, name: &str) -> Option<&'t Node> {
        let index = self.list.iter().position(|&(field, _)| field == name)?;
        let node = self.list.swap_remove(index).1.inner();
        (!matches!(node.kind, NodeKind::None)).then_some(node)
    }

    /// Reads a field by the name in its table. One that must be there is reported if it is missing.
    pub(crate) fn value<T: Value>(&mut self, reader: &mut Reader<'_>, own: &str) -> Option<T> {
        let field = self.known.get(own)?;
        let Some(node) = self.take(field.name) else {
            if field.default.is_none() {
                self.missing(reader, field.name, field.example);
            }
            return None;
        };
        let what = FieldName { name: field.name, owner: self.of.as_deref() };
        let is_empty = matches!(&node.kind, NodeKind::List(items) if items.is_empty());
        let is_list = |of: &Type| matches!(of, Type::List { .. });
        let takes_list = is_list(field.of) || matches!(field.of, Type::Either(of) if of.iter().any(is_list));
        if is_empty && field.default.is_none() && takes_list {
            let help = format!("write for example {}: {}", field.name, field.example);
            reader.report(node.span, Diagnostic::error("empty", format!("{what} is empty")).help(help));
        }
        T::read(reader, node, &Slot { what: &what, of: field.of, example: field.example })
    }

    /// Reports a field that must be there.
    pub(super) fn missing(&self, reader: &mut Reader<'_>, name: &str, example: &str) {
        if self.complete {
            let diagnostic = Diagnostic::error("missing-field", format!("{} has no `{name}`", self.owner));
            reader.report(self.head, diagnostic.help(format!("add {name}: {example}")));
        }
    }

    /// Says in messages whose the values are.
    fn of(mut self, title: Title, name: &str) -> Self {
        self.of = match title {
            Title::This(_) => None,
            Title::Named(_) => Some(self.owner.clone()),
            Title::EntryFor(_) => Some(format!("\"{}\"", shortened(name))),
        };
        self
    }

    /// Reads a record whose fields these are.
    pub(crate) fn record<T: Record>(&mut self, reader: &mut Reader<'_>, span: Span) -> Option<T> {
        let errors = reader.diagnostics.error_count();
        let mut record = T::default();
        let whole = record.read_fields(reader, self);
        record.seen(span, self.complete && errors == reader.diagnostics.error_count());
        whole.then_some(record)
    }
}

/// What other programs have elsewhere, and where it is written here.
const FOREIGN: [(&str, &str); 5] = [
    (
        "visible hidden visibility opacity alpha order z zindex z_index z-index",
        "art is shown, hidden and sorted by clips: art: {\"hat\": (visible: [(0, false)])}",
    ),
    ("ik constraints", "it stands beside `bones`: constraints: [Ik(tip: \"fore.L\", target: \"goal\")]"),
    ("children bones", "a child names its parent: \"fore.L\": (parent: \"upper.L\", length: 60)"),
    (
        "rotate rotation angle move translate position scale keys keyframes frames",
        "bones have keys in clips: bones: {\"hip\": (rotate: [(0, 0), (1, 30)])}",
    ),
    ("skin slots art", "art is bound beside `bones`: skin: [Rigid(art: \"head\", bone: \"chest\")]"),
];

impl Reader<'_> {
    /// A record in round brackets; whether all is there without which it is nothing.
    pub(super) fn record<T: Record>(&mut self, node: &Node, mut record: T) -> (T, bool) {
        let table = T::TABLE;
        let errors = self.diagnostics.error_count();
        let owner = table.title.of(record.name());
        let Some(given) = self.given(node, owner, table.example, table.fields()) else {
            record.seen(node.span, false);
            return (record, false);
        };
        let mut given = given.of(table.title, record.name());
        let whole = record.read_fields(self, &mut given);
        record.seen(node.span, given.complete && errors == self.diagnostics.error_count());
        (record, whole)
    }

    /// The fields of `node`, those outside `known` reported and dropped.
    pub(super) fn given<'t>(
        &mut self,
        node: &'t Node,
        owner: String,
        example: &str,
        known: Fields,
    ) -> Option<Given<'t>> {
        let mut complete = true;
        let mut head = node.opening();
        let mut list: Vec<(&'t str, Span, &'t Node)> = Vec::new();
        match &node.kind {
            NodeKind::Struct(name, fields) => {
                head = name.as_ref().map_or(head, |name| name.span);
                list.extend(
                    fields.iter().map(|field| (field.name.value.as_str(), field.name.span, &field.value)),
                );
            }
            NodeKind::Tuple(name, items)
                if items.iter().all(|item| matches!(item.kind, NodeKind::Broken)) =>
            {
                head = name.as_ref().map_or(head, |name| name.span);
                complete = items.is_empty();
            }
            NodeKind::Map(entries) => {
                let message = format!("{owner} is in curly brackets, and round brackets are needed here");
                self.report(head, Diagnostic::error("wrong-type", message).help(format!("write {example}")));
                for entry in entries {
                    match &entry.key.kind {
                        NodeKind::Word(name) | NodeKind::Text(name) => {
                            list.push((name, entry.key.span, &entry.value))
                        }
                        _ => complete = false,
                    }
                }
            }
            // What serde reads has no place, and no other word for a group without fields.
            NodeKind::None if node.span.start == node.span.end => {}
            NodeKind::Broken => return None,
            _ => {
                self.wrong(node, &owner, "a group of fields in round brackets", example);
                return None;
            }
        }
        let mut taken: Vec<(&'t str, Span, &'t Node)> = Vec::new();
        for (name, span, value) in list {
            if known.written(name).is_none() {
                complete = false;
                self.unknown_field(name, span, &owner, &known);
            } else if let Some(&(_, first, _)) = taken.iter().find(|field| field.0 == name) {
                let place = self.place(first);
                let diagnostic = Diagnostic::error("duplicate", format!("{owner} has `{name}` twice"));
                self.report(span, diagnostic.related(place, "first here"));
            } else {
                complete &= !matches!(value.kind, NodeKind::Broken);
                taken.push((name, span, value));
            }
        }
        let list = taken.into_iter().map(|(name, _, value)| (name, value)).collect();
        Some(Given { owner, of: None, head, known, list, complete })
    }

    fn unknown_field(&mut self, name: &str, span: Span, owner: &str, known: &Fields) {
        let mut diagnostic =
            Diagnostic::error("unknown-field", format!("{owner} has no field `{}`", shortened(name)));
        let is = |word: &&str| word.eq_ignore_ascii_case(name);
        if let Some(meant) = known.iter().find(|field| field.synonyms.iter().any(is)) {
            let help = format!("this is `{}` here: {}: {}", meant.name, meant.name, meant.example);
            return self.report(span, diagnostic.help(help).replaced(meant.name));
        }
        let near = nearest(name, known.iter().map(|field| field.name));
        let foreign = FOREIGN.iter().find(|(words, _)| words.split(' ').any(|word| is(&word)));
        // Two letters are near to many names.
        if let Some((_, help)) = foreign.filter(|_| near.is_none() || name.len() <= 2) {
            return self.report(span, diagnostic.help(*help));
        }
        if let Some(near) = near {
            diagnostic = diagnostic.replaced(near).help(format!("did you mean `{near}`?"));
        }
        let list: Vec<String> = known.iter().map(|field| format!("`{}`", field.name)).collect();
        self.report(span, diagnostic.help(format!("its fields are {}", list.join(", "))));
    }
}
