//! The rig file: reading, checking, compiling, editing and writing it.
//!
//! The document ([`doc::RigDoc`]: names, degrees, places in the text) and what plays ([`bone_rig::Rig`]: ids,
//! columns, inverses) are two shapes of one thing, joined by one step, [`compile`]. The format is described
//! in `FORMAT.md`, and as data for editors by [`format`](format()). Every mistake in a file is a
//! [`Diagnostic`] with its place; all are reported at once.
//!
//! # Mistakes
//!
//! ```
//! use std::sync::Arc;
//! use bone_format::{InMemory, load, no_fonts};
//!
//! let rig = r#"Rig(version: 1, drawing: "cat.svg", bones: {
//!     "body": (from: (0, 0), to: (30, 0)),
//!     "tail": (parent: "boddy", length: 20),
//! })"#;
//! let loaded = load("cat.ron".as_ref(), Arc::new(InMemory::new().with("cat.ron", rig)), &no_fonts);
//! let messages: Vec<&str> = loaded.diagnostics.iter().map(|d| d.message.as_str()).collect();
//! assert_eq!(messages, [
//!     "the drawing \"cat.svg\" cannot be read: there is no such file",
//!     "the parent of bone \"tail\" is \"boddy\", and there is no such bone",
//! ]);
//! ```

// What tests, benches and examples use is checked by the test of the manifests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod check;
mod compile;
mod convert;
mod curves;
pub mod diagnostic;
#[cfg(feature = "disk")]
mod disk;
pub mod doc;
pub mod edit;
mod expected;
mod files;
mod follow;
mod format;
mod half;
mod include;
mod json_messages;
mod load;
mod marks;
mod poses;
mod read;
mod scene;
mod schema;
#[cfg(feature = "serde")]
mod serde;
pub mod session;
pub mod span;
pub mod text;
pub mod write;

pub use bone_render::fontdb;
#[cfg(feature = "disk")]
pub use bone_render::{new_file, replace_file};
pub use check::check;
pub use compile::{
    Compiler, PathWeightSource, PathWeights, Recompiled, SkinDetail, compile, no_weight_message, weights_of,
};
pub use convert::convert;
pub use diagnostic::{Diagnostic, Diagnostics};
#[cfg(feature = "disk")]
pub use disk::Disk;
pub use doc::RigDoc;
pub use expected::{Expected, FormatWord, expected};
pub use files::{Files, InMemory, LARGEST_FILE, ReadRules};
pub use format::{FormatField, FormatTable, format, scene_format};
#[cfg(feature = "system-fonts")]
pub use load::system_fonts;
pub use load::{
    Fonts, LoadProgress, LoadStep, Loaded, load, load_drawing, load_packed, load_with, no_fonts, sound_path,
    unreadable,
};
pub use marks::{MarkKind, ValueMark, marks_in};
pub use read::{read, read_bytes, read_scene};
pub use scene::FILM;
pub use schema::json_schema::json_schema;
