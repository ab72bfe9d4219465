//! The rig file: reading, checking and compiling it to a scene.
//!
//! A rig is text that people write; `FORMAT.md` beside this crate describes it. Reading gives a document of what was
//! written and a list of everything that is wrong with it, each mistake with its place and what to do about it.
//!
//! ```
//! use rig::diagnostic::Diagnostics;
//! use rig::span::Sources;
//!
//! let text = r#"
//! Rig(
//!     version: 1,
//!     drawing: "hero.svg",
//!     bones: {
//!         "upper.L": (from: (230, 210), to: (280, 240)),
//!         "fore.L": (parent: "uper.L", length: 60),
//!     },
//! )
//! "#;
//! let mut sources = Sources::new();
//! let source = sources.add("hero.ron", text);
//! let mut diagnostics = Diagnostics::new();
//! let doc = rig::read(source, text, &mut diagnostics).expect("there is a rig in it");
//! rig::check(&doc, &mut diagnostics);
//!
//! assert_eq!(doc.bones.len(), 2);
//! let mistake = diagnostics.iter().next().unwrap();
//! assert_eq!(mistake.message, "bone \"fore.L\" hangs on \"uper.L\", and there is no such bone");
//! assert_eq!(mistake.help, ["did you mean \"upper.L\"?"]);
//! let place = sources.locate(source, mistake.place.unwrap().span.start);
//! assert_eq!((place.line, place.column), (7, 28));
//! ```

mod check;
pub mod diagnostic;
pub mod doc;
mod read;
pub mod span;
pub mod text;

pub use check::check;
pub use doc::RigDoc;
pub use read::{read, read_bytes};
