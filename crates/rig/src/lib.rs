//! The rig file: reading, checking and compiling it to a scene that plays.
//!
//! The document ([`doc::RigDoc`]: names, degrees, places in the text) and the runtime ([`Scene`]: ids, columns, inverses) are
//! two shapes of one thing, joined by one step, [`compile`]. The format is described in `FORMAT.md`, and every mistake in a
//! file comes back as a [`Diagnostic`] with its place; all of them at once.
//!
//! [`load`] does all of it for a path, from the disk or from memory:
//!
//! ```
//! use std::sync::Arc;
//! use rig::{InMemory, load, no_fonts};
//!
//! let rig = r#"Rig(version: 1, drawing: "cat.svg", bones: {
//!     "body": (from: (0, 0), to: (30, 0)),
//!     "tail": (parent: "boddy", length: 20),
//! })"#;
//! let loaded = load("cat.ron".as_ref(), Arc::new(InMemory::new().with("cat.ron", rig)), &no_fonts);
//! let messages: Vec<&str> = loaded.diagnostics.iter().map(|d| d.message.as_str()).collect();
//! assert_eq!(messages, [
//!     "the drawing \"cat.svg\" cannot be read: there is no such file",
//!     "bone \"tail\" hangs on \"boddy\", and there is no such bone",
//! ]);
//! ```

mod check;
mod compile;
mod curves;
pub mod diagnostic;
pub mod doc;
pub mod edit;
mod files;
mod load;
mod look;
mod movement;
pub mod plot;
mod read;
mod rules;
mod scene;
pub mod span;
mod stage;
pub mod text;
pub mod write;

pub use check::check;
pub use compile::compile;
pub use diagnostic::{Diagnostic, Diagnostics};
pub use doc::RigDoc;
pub use files::{Disk, Files, InMemory, LARGEST_FILE, replace_file};
pub use load::{Fonts, Loaded, load, no_fonts, system_fonts};
pub use movement::SceneClip;
pub use read::{read, read_bytes};
pub use rules::SceneConstraint;
pub use scene::{FrameState, Scene, SceneDriver};
pub use stage::{ArtPose, Choice, Stage, Switch};
