//! The text of a rig as a tree with places: a reader for the part of RON that rigs are written in, which goes
//! on after a mistake. It parses brackets, names, texts and numbers; their meaning belongs to `read`.

mod decode;
mod lexer;
mod parser;
mod quoted;
mod recovery;
mod syntax;
mod tree;

#[cfg(test)]
mod tests;

pub use decode::decode;
pub use parser::{LARGEST_FILE, Parsed, parse};
pub use syntax::Syntax;
pub use tree::shortened;
pub use tree::{EntryNode, FieldNode, Node, NodeKind};
