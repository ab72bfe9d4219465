//! A document as the text of a rig file: for what is made by a program and edited by a person, so with
//! comments, few digits and short lines. It does not check the document: read and check the text afterwards.
//!
//! ```
//! use kurbo::Point;
//! use bone_format::doc::{BindingDoc, BoneDoc, RigDoc, RigidDoc};
//! use bone_format::write::{Comments, Digits, write};
//!
//! let doc = RigDoc {
//!     version: Some(1.into()),
//!     drawing: Some("flag.svg".to_owned().into()),
//!     bones: vec![BoneDoc {
//!         name: "pole".to_owned().into(),
//!         from: Some(Point::new(5.0, 5.0).into()),
//!         to: Some(Point::new(35.000_04, 5.0).into()),
//!         ..BoneDoc::default()
//!     }],
//!     skin: vec![BindingDoc::Rigid(RigidDoc {
//!         art: "flag".to_owned().into(),
//!         bone: "pole".to_owned().into(),
//!         ..RigidDoc::default()
//!     })],
//!     ..RigDoc::default()
//! };
//! let comments = Comments::new().top("A flag.").on("bones", "pole", "It stands.");
//! assert_eq!(write(&doc, &comments, Digits::default()), r#"// A flag.
//! Rig(
//!     version: 1,
//!     drawing: "flag.svg",
//!     bones: {
//!         // It stands.
//!         "pole": (from: (5, 5), to: (35, 5)),
//!     },
//!     skin: [
//!         Rigid(art: "flag", bone: "pole"),
//!     ],
//! )
//! "#);
//! ```

mod digits;
mod fields;
mod hand;
pub(crate) mod json;
mod tree;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::doc::{BindingDoc, DriverDoc, RigDoc};
use crate::span::Spanned;
use crate::text::{FieldNode, Node, NodeKind};
use tree::{Group, Tree};

pub(crate) use crate::schema::record::FieldWriter;
pub use digits::Digits;
pub(crate) use digits::number;
pub(crate) use hand::NumberHand;
pub(crate) use tree::commented;
pub use tree::quoted;

/// Comments beside the values. A text may have several lines.
#[derive(Clone, Debug, Default)]
pub struct Comments {
    top: Vec<String>,
    before: BTreeMap<String, Vec<String>>,
    on: BTreeMap<(String, String), Vec<String>>,
    after: BTreeMap<String, Vec<String>>,
    end: Vec<String>,
}

impl Comments {
    /// No comments.
    pub fn new() -> Self {
        Self::default()
    }

    /// Before the rig.
    pub fn top(mut self, text: &str) -> Self {
        self.top.extend(lines(text));
        self
    }

    /// Before a field of the rig, like `bones`, or `skin`.
    pub fn before(mut self, field: &str, text: &str) -> Self {
        self.before.entry(field.to_owned()).or_default().extend(lines(text));
        self
    }

    /// Before the bone, clip or shot of a name, before the binding whose first art it is, or before the
    /// constraint of a name.
    pub fn on(mut self, field: &str, name: &str, text: &str) -> Self {
        self.on.entry((field.to_owned(), name.to_owned())).or_default().extend(lines(text));
        self
    }

    /// Behind the last entry of a field, within its brackets. The field is written even if it has no entries.
    pub fn after(mut self, field: &str, text: &str) -> Self {
        self.after.entry(field.to_owned()).or_default().extend(lines(text));
        self
    }

    /// Behind the rig.
    pub fn end(mut self, text: &str) -> Self {
        self.end.extend(lines(text));
        self
    }

    fn of(&self, field: &str, name: &str) -> Vec<String> {
        self.on.get(&(field.to_owned(), name.to_owned())).cloned().unwrap_or_default()
    }
}

fn lines(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().map(str::to_owned)
}

/// A document as a value, with all that it does not leave to defaults.
pub(crate) fn node(doc: &RigDoc, hand: impl Into<NumberHand>) -> Node {
    FieldWriter::record(doc, hand.into())
}

/// Writes a rig as JSON. What the document leaves to defaults is left out.
pub fn write_json(doc: &RigDoc, digits: Digits) -> String {
    json::json_text(&node(doc, digits), 2)
}

/// Writes a rig. What the document leaves to defaults is left out.
pub fn write(doc: &RigDoc, comments: &Comments, digits: Digits) -> String {
    write_as("Rig", doc, comments, digits)
}

/// Writes a file that begins with a name.
pub(crate) fn write_as(name: &str, doc: &RigDoc, comments: &Comments, digits: Digits) -> String {
    let NodeKind::Struct(_, mut fields) = node(doc, digits).kind else { return String::new() };
    for (name, empty) in SECTIONS {
        if comments.after.contains_key(name) && fields.iter().all(|field| field.name.value != name) {
            fields.push(FieldNode { name: name.to_owned().into(), value: Node::new(empty) });
        }
    }
    fields.sort_by_key(|field| SECTIONS.iter().position(|(name, _)| *name == field.name.value));

    let mut rig = Group::fields(name).spread();
    for field in fields {
        let name = field.name.value.as_str();
        let before = comments.before.get(name).cloned().unwrap_or_default();
        let value = match field.value.kind {
            NodeKind::List(items) if name != "include" => {
                let mut group = Group::list();
                for (at, item) in items.into_iter().enumerate() {
                    group.noted(comments.of(name, title(doc, name, at)), String::new(), Tree::from(&item));
                }
                section(group, name, comments)
            }
            NodeKind::Map(entries) => {
                let mut group = Group::map();
                for entry in entries {
                    let NodeKind::Text(key) = &entry.key.kind else { continue };
                    group.noted(
                        comments.of(name, key),
                        format!("{}: ", quoted(key)),
                        Tree::from(&entry.value),
                    );
                }
                section(group, name, comments)
            }
            _ => Tree::from(&field.value),
        };
        rig.noted(before, format!("{name}: "), value);
    }

    let mut out = String::new();
    let print = |out: &mut String, lines: &[String]| {
        lines.iter().for_each(|line| out.extend([commented(line).as_str(), "\n"]));
    };
    print(&mut out, &comments.top);
    Tree::from(rig).write(0, 0, &mut out);
    out.push('\n');
    print(&mut out, &comments.end);
    out
}

/// The fields of a rig with entries on lines of their own, and what they are without any.
const SECTIONS: [(&str, NodeKind); 10] = [
    ("bones", NodeKind::Map(Vec::new())),
    ("skin", NodeKind::List(Vec::new())),
    ("drivers", NodeKind::List(Vec::new())),
    ("constraints", NodeKind::List(Vec::new())),
    ("springs", NodeKind::List(Vec::new())),
    ("poses", NodeKind::Map(Vec::new())),
    ("clips", NodeKind::Map(Vec::new())),
    ("shots", NodeKind::Map(Vec::new())),
    ("machines", NodeKind::Map(Vec::new())),
    ("outfits", NodeKind::Map(Vec::new())),
];

fn section(mut group: Group, name: &str, comments: &Comments) -> Tree {
    group.end(comments.after.get(name).cloned().unwrap_or_default());
    group.spread().into()
}

/// The name of an entry of a list, for comments.
fn title<'d>(doc: &'d RigDoc, field: &str, at: usize) -> &'d str {
    let name: Option<&Spanned<String>> = match field {
        "skin" => doc.skin.get(at).map(BindingDoc::names).and_then(<[_]>::first),
        "drivers" => doc.drivers.get(at).and_then(DriverDoc::source),
        "constraints" => doc.constraints.get(at).and_then(|constraint| constraint.name.as_ref()),
        _ => doc.springs.get(at).and_then(|spring| spring.names().next()),
    };
    name.map_or("", |name| &name.value)
}
