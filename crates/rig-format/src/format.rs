//! The format as data, for editors: what may be written. Whether fields fit together is checked by
//! [`load`](crate::load).

use crate::doc::{RigDoc, SceneDoc};
use crate::json_messages::in_json;
use crate::schema::{Field, Fields, Type};
use crate::text::Syntax;

/// The fields of one pair of round brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FormatTable {
    /// What types call it: `Bone`.
    pub name: &'static str,
    /// In the order in which they are written.
    pub fields: Vec<FormatField>,
}

/// A field: `length: 60`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FormatField {
    /// The name before the colon.
    pub name: &'static str,
    /// The type of its value, with the unit: `seconds > 0`, `map name -> Bone`, or the allowed words.
    pub of: String,
    /// What holds if it is not given; none if it must be.
    pub default: Option<&'static str>,
    /// An example of a value, in RON.
    pub example: &'static str,
    /// What it is for, in Markdown.
    pub meaning: String,
    /// What other programs call it.
    pub synonyms: &'static [&'static str],
}

impl FormatField {
    pub(crate) fn new(field: Field) -> Self {
        let Field { name, of, default, example, synonyms, .. } = field;
        Self { name, of: of.to_string(), default, example, meaning: field.meaning(), synonyms }
    }

    /// The example in a notation.
    pub fn example_in(&self, syntax: Syntax) -> String {
        match syntax {
            Syntax::Ron => self.example.to_owned(),
            Syntax::Json => in_json(self.example).unwrap_or_else(|| format!("\"{}\"", self.example)),
        }
    }

    /// The words that its type lists.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let is_word = |word: &&str| word.starts_with(|c: char| c.is_ascii_uppercase());
        self.of.split('`').skip(1).step_by(2).filter(is_word)
    }
}

/// What a rig file may hold, the whole file first.
///
/// ```
/// let tables = bone_format::format();
/// let bone = tables.iter().find(|table| table.name == "Bone").ok_or("no bones")?;
/// let joint = bone.fields.iter().find(|field| field.name == "joint").ok_or("no joints")?;
/// assert_eq!(joint.words().collect::<Vec<_>>(), ["Free", "Pin", "Slide", "Fixed"]);
/// assert_eq!(joint.default, Some("`Pin`; of a point `Free`"));
/// # Ok::<(), &str>(())
/// ```
pub fn format() -> Vec<FormatTable> {
    tables(&Type::Record(RigDoc::TABLE))
}

fn tables(of: &'static Type) -> Vec<FormatTable> {
    let table = |(name, fields): &(&'static str, Fields)| FormatTable {
        name,
        fields: fields.iter().map(FormatField::new).collect(),
    };
    of.tables().iter().map(table).collect()
}

/// What a scene may hold besides what a rig has, the whole file first.
pub fn scene_format() -> Vec<FormatTable> {
    let of_rigs = format();
    let mut tables = tables(&Type::Record(SceneDoc::TABLE));
    tables.retain(|table| of_rigs.iter().all(|of_rig| of_rig.name != table.name));
    tables
}
