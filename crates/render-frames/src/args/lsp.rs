//! The arguments of `lsp`.

/// Serve an editor: the language server for rigs, on standard input and output.
///
/// Editors start it. It speaks the Language Server Protocol: mistakes while you type with what to write in their
/// place, the fields and names that are possible at the cursor, the documentation of fields, jumps to bones, clips
/// and art, and names changed in all files of a rig. How editors are set up is in docs/editors.md.
#[derive(Debug, clap::Args)]
#[command(after_help = LSP_EXAMPLES)]
pub(crate) struct LspArgs {}

const LSP_EXAMPLES: &str = "\
Examples:
  render-frames lsp       as an editor starts it; it ends when the editor closes its input";
