//! `lsp`: serves an editor until it leaves.

use bone_lsp::ServerEnd;

use crate::exit::Exit;
use crate::fonts::fonts;

pub(crate) fn run() -> Exit {
    match bone_lsp::serve(fonts) {
        Ok(ServerEnd::Asked) => Exit::Fine,
        // The protocol asks for 1.
        Ok(ServerEnd::Left) => Exit::Failed,
        Err(error) => Exit::Failed.because(format!("the editor is not served: {error}")),
    }
}
