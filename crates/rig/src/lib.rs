//! The rig file: reading, checking and compiling it to a scene.

mod check;
pub mod diagnostic;
pub mod doc;
mod read;
pub mod span;
pub mod text;

pub use check::check;
pub use read::{read, read_bytes};
