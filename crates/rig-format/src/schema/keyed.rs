//! The tables of properties as tables of fields: each row is a field whose values are keys.

use bone_core::clip::{Properties, Property, ValueKind};

use super::types::{
    ART, COLOR, DEGREES, DISTANCE, LENGTH, NUMBER, OPACITY, SHAPE, SHARE, SIZE, SPREAD, WORDS, XY, ZOOM,
};
use super::{Entry, Field, Table, Type};
use crate::doc::KEYS;

/// An enum of properties whose channels are fields.
pub(crate) trait Keyed: Properties {
    const TABLE: &'static Table;
    /// The same with one value in place of keys.
    const SINGLE: &'static Table;
}

/// Makes the rows of enums of properties fields.
macro_rules! keyed {
    ($( $of:ty; )*) => { $(
        impl crate::schema::keyed::Keyed for $of {
            const TABLE: &'static crate::schema::Table = {
                const COUNT: usize = <$of as bone_core::clip::Properties>::ROWS.len();
                static KEYS: [crate::schema::Type; COUNT] =
                    crate::schema::keyed::types(<$of as bone_core::clip::Properties>::ROWS);
                static ENTRIES: [crate::schema::Entry; COUNT] =
                    crate::schema::keyed::entries(<$of as bone_core::clip::Properties>::ROWS, &KEYS);
                &crate::schema::Table {
                    name: "",
                    title: crate::schema::Title::This(""),
                    example: "",
                    entries: &ENTRIES,
                }
            };

            const SINGLE: &'static crate::schema::Table = {
                const COUNT: usize = <$of as bone_core::clip::Properties>::ROWS.len();
                static VALUES: [crate::schema::Type; COUNT] =
                    crate::schema::keyed::values(<$of as bone_core::clip::Properties>::ROWS);
                static ENTRIES: [crate::schema::Entry; COUNT] =
                    crate::schema::keyed::single_entries(<$of as bone_core::clip::Properties>::ROWS, &VALUES);
                &crate::schema::Table {
                    name: "",
                    title: crate::schema::Title::This(""),
                    example: "",
                    entries: &ENTRIES,
                }
            };
        }
    )* };
}

pub(crate) use keyed;

/// The keys of each row.
pub(crate) const fn types<const COUNT: usize>(rows: &[Property]) -> [Type; COUNT] {
    let mut types = [Type::None; COUNT];
    let mut at = 0;
    while at < COUNT {
        let (of, example) = (value(rows[at].kind), rows[at].value);
        types[at] = Type::Keys { of, example, third: Some(&Type::Ease), long: Some(KEYS) };
        at += 1;
    }
    types
}

/// The type of a value of each row.
pub(crate) const fn values<const COUNT: usize>(rows: &[Property]) -> [Type; COUNT] {
    let mut types = [Type::None; COUNT];
    let mut at = 0;
    while at < COUNT {
        types[at] = *value(rows[at].kind);
        at += 1;
    }
    types
}

/// The field of one value of each row.
pub(crate) const fn single_entries<const COUNT: usize>(
    rows: &[Property],
    values: &'static [Type; COUNT],
) -> [Entry; COUNT] {
    let mut entries = entries(rows, values);
    let mut at = 0;
    while at < COUNT {
        if let Entry::Field(field) = &mut entries[at] {
            field.example = rows[at].value;
        }
        at += 1;
    }
    entries
}

/// The field of each row.
pub(crate) const fn entries<const COUNT: usize>(
    rows: &[Property],
    keys: &'static [Type; COUNT],
) -> [Entry; COUNT] {
    const EMPTY: Field =
        Field { name: "", of: &Type::None, default: None, example: "", doc: "", synonyms: &[] };
    let mut entries = [Entry::Field(EMPTY); COUNT];
    let mut at = 0;
    while at < COUNT {
        let Property { name, keys: example, unkeyed, also: synonyms, doc, .. } = rows[at];
        entries[at] =
            Entry::Field(Field { name, of: &keys[at], default: Some(unkeyed), example, doc, synonyms });
        at += 1;
    }
    entries
}

/// The type of a value.
const fn value(kind: ValueKind) -> &'static Type {
    match kind {
        ValueKind::Degrees => &DEGREES,
        ValueKind::Number | ValueKind::Rounds | ValueKind::Step => &NUMBER,
        ValueKind::Length | ValueKind::Phase => &LENGTH,
        ValueKind::Width => &DISTANCE,
        ValueKind::Zoom => &ZOOM,
        ValueKind::Share => &SHARE,
        ValueKind::Opacity => &OPACITY,
        ValueKind::Place => &XY,
        ValueKind::Size => &SIZE,
        ValueKind::Color => &COLOR,
        ValueKind::Flag => &Type::Bool,
        ValueKind::Spread => &SPREAD,
        ValueKind::Text => &WORDS,
        ValueKind::Shape => &SHAPE,
        ValueKind::Child => &Type::Either(&[ART, Type::None]),
    }
}
