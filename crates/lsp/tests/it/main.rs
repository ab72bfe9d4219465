//! The language server over pipes, by a client that is written from the specification.

mod answers;
mod beside;
mod client;
mod load;
mod renames;
mod texts;

// Dependencies of the library.
use {bone_drawing as _, bone_looks as _, lsp_server as _, serde as _};
