//! The fields of records as values of the text tree.

use super::hand::NumberHand;
use crate::schema::record::{FieldWriter, OneOf, Record, Value};
use crate::schema::{Fields, Variants};
use crate::text::{FieldNode, Node, NodeKind};

impl FieldWriter {
    pub(crate) const fn new(hand: NumberHand, known: Fields) -> Self {
        Self { hand, known, fields: Vec::new() }
    }

    /// A record as a value.
    pub(crate) fn record<T: Record>(record: &T, hand: NumberHand) -> Node {
        let mut out = Self::new(hand, T::TABLE.fields());
        record.write_fields(&mut out);
        out.finish(None)
    }

    /// The fields of a variant.
    pub(crate) fn variant<T: OneOf>(value: &T, variants: &Variants, hand: NumberHand) -> Self {
        let mut out = Self::new(hand, variants.fields_of(value.variant()));
        value.write_variant(&mut out);
        out
    }

    /// A field by the name in its table.
    pub(crate) fn field<T: Value>(&mut self, own: &str, value: &T) {
        if let Some(field) = self.known.get(own) {
            let value = value.write(self.hand, field.of);
            self.node(field.name, Some(value));
        }
    }

    /// A field that may be missing.
    pub(crate) fn field_of<T: Value>(&mut self, own: &str, value: Option<&T>) {
        if let Some(value) = value {
            self.field(own, value);
        }
    }

    /// A field that is left out where the default is the same.
    pub(crate) fn field_unless_default<T: Value + Default + PartialEq>(&mut self, own: &str, value: &T) {
        self.field_of(own, Some(value).filter(|value| **value != T::default()));
    }

    /// A field that is in no table, by its name.
    pub(crate) fn node(&mut self, name: &str, value: Option<Node>) {
        self.fields.extend(value.map(|value| FieldNode { name: name.to_owned().into(), value }));
    }

    /// The fields in brackets, behind a name.
    pub(crate) fn finish(self, name: Option<&str>) -> Node {
        Node::new(NodeKind::Struct(name.map(|name| Box::new(name.to_owned().into())), self.fields))
    }
}
