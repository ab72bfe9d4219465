//! What values, records and their keys can do: the macros of this module and the readers and writers of values
//! implement it.

use std::fmt::Display;

use super::table::{Fields, Table, Type};
use crate::diagnostic::{Diagnostic, Diagnostics, Place};
use crate::span::{SourceId, Span, Spanned};
use crate::text::{FieldNode, Node};
use crate::write::NumberHand;

/// The value of a field: how it is read, written and checked by itself.
pub(crate) trait Value: Sized {
    /// Reads a value; what is wrong is reported.
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self>;

    fn write(&self, hand: NumberHand, of: &Type) -> Node;
}

/// Where a value stands.
pub(crate) struct Slot<'a> {
    /// What a message calls it.
    pub(crate) what: &'a dyn Display,
    pub(crate) of: &'static Type,
    /// An example of it, in RON.
    pub(crate) example: &'a str,
}

/// A struct with fields. Implemented by the macro [`record`](crate::schema::record).
pub(crate) trait Record: Default {
    const TABLE: &'static Table;

    /// Its name if it is the value of a map.
    fn name(&self) -> &str {
        ""
    }

    /// Takes its fields, and returns whether all are there without which it is nothing.
    fn read_fields(&mut self, reader: &mut Reader<'_>, given: &mut Given<'_>) -> bool;

    /// Receives its place, and whether every field was readable.
    fn seen(&mut self, _span: Span, _complete: bool) {}

    fn write_fields(&self, out: &mut FieldWriter);
}

/// What stands in a list, or with a key in a map.
pub(crate) trait Item: Sized {
    /// `()` in a list.
    type Key: Key;

    /// Reads an item; none if nothing is left of it.
    fn read_item(
        reader: &mut Reader<'_>,
        key: Spanned<Self::Key>,
        node: &Node,
        slot: &Slot<'_>,
    ) -> Option<Self>;

    fn key(&self) -> &Spanned<Self::Key>;

    fn write_item(&self, hand: NumberHand, of: &Type) -> Node;
}

/// The key of a map.
pub(crate) trait Key: Ord + Clone {
    fn read(reader: &mut Reader<'_>, node: &Node, of: &str) -> Option<Spanned<Self>>;

    /// As a message names the entry of a map of `of`.
    fn show(&self, of: &str) -> String;

    fn write(&self) -> Node;
}

/// An enum of records. Implemented by the macro [`variants`](crate::schema::variants).
pub(crate) trait OneOf: Sized {
    fn read_variant(name: &str, reader: &mut Reader<'_>, given: &mut Given<'_>, span: Span) -> Option<Self>;

    fn variant(&self) -> &'static str;

    fn write_variant(&self, out: &mut FieldWriter);
}

/// The decoding of one file.
pub(crate) struct Reader<'d> {
    pub(crate) source: SourceId,
    /// Where its spans begin: what is included has those behind the rig's.
    pub(crate) base: u32,
    pub(crate) diagnostics: &'d mut Diagnostics,
}

impl Reader<'_> {
    pub(crate) fn report(&mut self, span: Span, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic.at(self.place(span)));
    }

    pub(crate) fn place(&self, span: Span) -> Place {
        Place::new(self.source, span.back(self.base))
    }

    /// Drops and reports what has a key that came before.
    pub(crate) fn once<T, K: Ord>(
        &mut self,
        entries: Vec<T>,
        key: fn(&T) -> &Spanned<K>,
        show: impl Fn(&K) -> String,
    ) -> Vec<T> {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by(|&a, &b| key(&entries[a]).value.cmp(&key(&entries[b]).value));
        let mut again = vec![false; entries.len()];
        let mut first: Option<&Spanned<K>> = None;
        for index in order {
            let key = key(&entries[index]);
            match first {
                Some(before) if before.value == key.value => {
                    again[index] = true;
                    let place = self.place(before.span);
                    let diagnostic =
                        Diagnostic::error("duplicate", format!("{} occurs twice", show(&key.value)));
                    self.report(key.span, diagnostic.related(place, "first here"));
                }
                _ => first = Some(key),
            }
        }
        let (mut entries, mut again) = (entries, again.into_iter());
        entries.retain(|_| !again.next().unwrap_or_default());
        entries
    }
}

/// Fields that wait to be taken.
pub(crate) struct Given<'t> {
    /// Whose fields: `bone "hip"`.
    pub(crate) owner: String,
    /// What messages about values say of whose they are: `bone "hip"`.
    pub(crate) of: Option<String>,
    /// The place of the message about a missing field.
    pub(crate) head: Span,
    pub(crate) known: Fields,
    pub(crate) list: Vec<(&'t str, &'t Node)>,
    /// Whether every name and value was readable.
    pub(crate) complete: bool,
}

/// Fields that are being written.
pub(crate) struct FieldWriter {
    pub(crate) hand: NumberHand,
    pub(crate) known: Fields,
    pub(crate) fields: Vec<FieldNode>,
}
