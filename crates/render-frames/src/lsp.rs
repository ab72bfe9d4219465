//! `lsp`: serves an editor until it leaves, and pages of its rigs.

use bone_lsp::ServerEnd;

use crate::exit::Exit;
use crate::fonts::fonts;

pub(crate) fn run() -> Exit {
    #[cfg(feature = "live")]
    let pages: Option<Box<dyn bone_lsp::Pages>> = Some(Box::new(crate::live::EditorPages::default()));
    #[cfg(not(feature = "live"))]
    let pages = None;
    match bone_lsp::serve(fonts, pages) {
        Ok(ServerEnd::Asked) => Exit::Fine,
        // The protocol asks for 1.
        Ok(ServerEnd::Left) => Exit::Failed,
        Err(error) => Exit::Failed.because(format!("the editor is not served: {error}")),
    }
}
