//! The format as data. A record of the file is defined once, in [`doc`](crate::doc), by the macro
//! [`record`]: the struct of the document and, beside each field, its type, default, example and meaning.
//! Reading, writing, checks of single values, the tables of `FORMAT.md` and the JSON Schema follow these
//! tables. Checks that compare parts of a document are in `check`.

pub(crate) mod content;
pub(crate) mod json_schema;
pub(crate) mod keyed;
mod macros;
pub(crate) mod record;
pub(crate) mod shape;
mod show;
mod table;
pub(crate) mod types;

pub(crate) use macros::{entry, record, variants, word_values, words};
pub(crate) use table::{
    Change, Entry, Field, FieldName, Fields, Key, Number, One, Pair, Precision, Range, Table, Text, Title,
    Type, Variant, Variants, Word, WordType, list_of_words,
};
