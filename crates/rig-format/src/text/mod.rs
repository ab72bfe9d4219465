//! The text of a rig as a tree with places: a reader for the part of RON that rigs are written in, which goes
//! on after a mistake. It parses brackets, names, texts and numbers; their meaning belongs to `read`.

mod cursor;
mod decode;
mod layout;
mod lexer;
mod parser;
mod quoted;
mod recovery;
mod syntax;
mod tree;

#[cfg(test)]
mod tests;

pub use cursor::{TextCursor, TextSlot, TextStep, cursor};
pub use decode::decode;
pub(crate) use layout::layout;
pub(crate) use parser::parse_as;
pub use parser::{LARGEST_FILE, Parsed, parse};
pub use syntax::Syntax;
pub use tree::shortened;
pub use tree::{EntryNode, FieldNode, Node, NodeKind};
