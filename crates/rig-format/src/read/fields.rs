//! The fields of a pair of round brackets: known ones, each once, taken by name.
//! What they may hold is for the caller.

use crate::diagnostic::{Diagnostic, nearest};
use crate::read::Reader;
use crate::span::Span;
use crate::text::{Node, NodeKind, shortened};

/// Fields that wait to be taken.
pub(super) struct Fields<'t> {
    /// Whose fields: `bone "hip"`.
    owner: String,
    /// The place of the message about a missing field.
    head: Span,
    list: Vec<(&'t str, &'t Node)>,
    /// Whether every name and value was readable.
    pub(super) complete: bool,
}

impl<'t> Fields<'t> {
    /// The value of a field. `None` means that it is not given and `Some(…)` what is in it, as RON readers
    /// know them.
    pub(super) fn take(&mut self, name: &str) -> Option<&'t Node> {
        let index = self.list.iter().position(|&(field, _)| field == name)?;
        let mut node = self.list.swap_remove(index).1;
        while let NodeKind::Some(inner) = &node.kind {
            node = inner;
        }
        (!matches!(node.kind, NodeKind::None)).then_some(node)
    }
}

impl Reader<'_> {
    /// The fields of `node`, those outside `known` reported and dropped. `owner` is whose they are.
    pub(super) fn fields<'t>(
        &mut self,
        node: &'t Node,
        owner: &str,
        example: &str,
        known: &[&str],
    ) -> Option<Fields<'t>> {
        let mut complete = true;
        let mut head = Span::new(node.span.start, (node.span.start + 1).min(node.span.end));
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
                let diagnostic = Diagnostic::error(format!(
                    "{owner} is in curly brackets, and round brackets are needed here"
                ));
                self.report(head, diagnostic.help(format!("write {example}")));
                for entry in entries {
                    match &entry.key.kind {
                        NodeKind::Word(name) | NodeKind::Text(name) => {
                            list.push((name, entry.key.span, &entry.value))
                        }
                        _ => complete = false,
                    }
                }
            }
            NodeKind::Broken => return None,
            _ => {
                self.wrong(node, owner, "a group of fields in round brackets", example);
                return None;
            }
        }
        let mut taken: Vec<(&'t str, Span, &'t Node)> = Vec::new();
        for (name, span, value) in list {
            if !known.contains(&name) {
                complete = false;
                self.unknown_field(name, span, owner, known);
            } else if let Some(&(_, first, _)) = taken.iter().find(|field| field.0 == name) {
                let place = self.place(first);
                let diagnostic = Diagnostic::error(format!("{owner} has `{name}` twice"));
                self.report(span, diagnostic.related(place, "first here"));
            } else {
                complete &= !matches!(value.kind, NodeKind::Broken);
                taken.push((name, span, value));
            }
        }
        let list = taken.into_iter().map(|(name, _, value)| (name, value)).collect();
        Some(Fields { owner: owner.to_owned(), head, list, complete })
    }

    fn unknown_field(&mut self, name: &str, span: Span, owner: &str, known: &[&str]) {
        let mut diagnostic = Diagnostic::error(format!("{owner} has no field `{}`", shortened(name)));
        if let Some(near) = nearest(name, known.iter().copied()) {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        }
        let list: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
        self.report(span, diagnostic.help(format!("its fields are {}", list.join(", "))));
    }

    /// A field that must be there. `example` shows it with a value.
    pub(super) fn required<'t>(
        &mut self,
        fields: &mut Fields<'t>,
        name: &str,
        example: &str,
    ) -> Option<&'t Node> {
        let node = fields.take(name);
        if node.is_none() && fields.complete {
            let diagnostic = Diagnostic::error(format!("{} has no `{name}`", fields.owner));
            self.report(fields.head, diagnostic.help(format!("add {example}")));
        }
        node
    }
}
