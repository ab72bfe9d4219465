//! Text to document: gives the tree of a rig its meaning and reports whatever has none.
//! What fields there are is in the tables of the documents; this module has how each type of value is
//! read. Whether values agree with each other is for `check`.

mod given;
mod keys;
mod rig;
mod shapes;
mod values;

use std::fmt::Display;

use crate::diagnostic::{Diagnostic, Diagnostics, Place};
use crate::doc::RigDoc;
use crate::schema::{Table, Type};
use crate::span::{SourceId, Span, Spanned};
use crate::text::{self, Node};
use crate::write::{Digits, FieldWriter};

pub(crate) use given::Given;
#[cfg(feature = "serde")]
pub(crate) use rig::read_node;
pub(crate) use rig::{read_part, read_whole};

/// Reads a rig. The document holds whatever was readable; none if the text holds no rig at all.
/// `source` is the text's place in diagnostics.
pub fn read(source: SourceId, text: &str, diagnostics: &mut Diagnostics) -> Option<RigDoc> {
    let parsed = text::parse(source, text, diagnostics);
    read_whole(source, parsed, diagnostics)
}

/// Reads a rig from the bytes of a file. The text that places refer to is the one from [`text::decode`].
pub fn read_bytes(source: SourceId, bytes: &[u8], diagnostics: &mut Diagnostics) -> Option<RigDoc> {
    let text = text::decode(source, bytes, diagnostics);
    read(source, &text, diagnostics)
}

/// The value of a field: how it is read, written and checked by itself.
pub(crate) trait Value: Sized {
    /// Reads a value; what is wrong is reported.
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self>;

    fn write(&self, digits: Digits, of: &Type) -> Node;
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

    fn write_item(&self, digits: Digits, of: &Type) -> Node;
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
    source: SourceId,
    /// Where its spans begin: what is included has those behind the rig's.
    base: u32,
    diagnostics: &'d mut Diagnostics,
}

impl Reader<'_> {
    fn report(&mut self, span: Span, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic.at(self.place(span)));
    }

    fn place(&self, span: Span) -> Place {
        Place::new(self.source, span.back(self.base))
    }

    /// Drops and reports what has a key that came before.
    fn once<T, K: Ord>(
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
        entries.into_iter().zip(again).filter(|(_, again)| !again).map(|(entry, _)| entry).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::{BindingDoc, Ease, Extend, Keep, VertexPart};

    fn whole(text: &str) -> RigDoc {
        let mut diagnostics = Diagnostics::new();
        let doc = read(SourceId::default(), text, &mut diagnostics).unwrap();
        assert!(diagnostics.is_empty() && doc.complete, "{:?}", diagnostics.iter().next());
        doc
    }

    #[test]
    fn the_document_has_what_was_written_in_its_order() {
        let doc = whole(
            r#"(version: 1, drawing: "a.svg", fps: None,
            bones: {"z": (from: (1, 2), length: Some(3)), "a": (parent: "z", to: (4, 5), limits: (-1, 2))},
            skin: [Explicit(art: "cape", weights: {"3.in": {"a": 1}}, others: {"z": .5})],
            clips: {"c": (bones: {"a": (
                rotate: (keys: [(0, 1, Bezier(0, 1, 1, 0))], extend: Loop),
                scale: [(0.5, 2), (1, (1, 3))],
                parent: [(0, Some("z")), (1, None, Local)],
            )}, offsets: {"cape": {0: [(2, (4, 9))]}})})"#,
        );
        assert_eq!(doc.fps, None);
        let names: Vec<&str> = doc.bones.iter().map(|bone| bone.name.value.as_str()).collect();
        assert_eq!(names, ["z", "a"]);
        assert_eq!(doc.bone("z").unwrap().length.unwrap().value, 3.0);
        assert_eq!(doc.bone("a").unwrap().limits.unwrap().value.least, -1.0);
        let BindingDoc::Explicit(binding) = &doc.skin[0] else { panic!() };
        assert_eq!(binding.weights[0].vertex.value.part, VertexPart::In);
        assert_eq!(binding.others.as_ref().unwrap().list[0].1.value, 0.5);
        let channels = &doc.clip("c").unwrap().bones[0];
        let rotate = channels.rotate.as_ref().unwrap();
        assert_eq!(rotate.extend.unwrap().value, Extend::Loop);
        assert!(matches!(rotate.keys[0].ease.unwrap().value, Ease::Bezier { .. }));
        assert_eq!(channels.scale.as_ref().unwrap().keys[0].value.value, kurbo::Vec2::new(2.0, 2.0));
        let parent = channels.parent.as_ref().unwrap();
        assert_eq!(parent.keys[0].parent.value.as_deref(), Some("z"));
        assert_eq!(
            (parent.keys[1].parent.value.as_deref(), parent.keys[1].keep.unwrap().value),
            (None, Keep::Local)
        );
        assert_eq!(doc.clips[0].duration(), Some(2.0));
    }

    #[test]
    fn readable_parts_are_kept_after_an_error() {
        let mut diagnostics = Diagnostics::new();
        let text = r#"(version: 1, drawing: "a.svg", bones: {"a": (from: [1, 2], length: 3), "b": 7})"#;
        let doc = read(SourceId::default(), text, &mut diagnostics).unwrap();
        crate::check(&doc, &mut diagnostics);
        assert_eq!(diagnostics.error_count(), 2);
        assert!(doc.complete && !doc.bones[0].complete && !doc.bones[1].complete);
        assert_eq!(doc.bones[0].length.unwrap().value, 3.0);
    }
}
