//! The arguments of `lsp`.

/// Serve an editor: the language server for rigs, on standard input and output.
///
/// Editors start it. It speaks the Language Server Protocol: mistakes while you type with what to write in their
/// place, the fields and names that are possible at the cursor, the documentation of fields, jumps to bones, clips
/// and art, and names changed in all files of a rig. How editors are set up is in docs/editors.md.
#[derive(Debug, clap::Args)]
pub(crate) struct LspArgs {}
