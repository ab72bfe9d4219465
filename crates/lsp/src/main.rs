//! The server as a program of its own: `render-frames lsp` without the rest.
#![allow(unused_crate_dependencies, reason = "those of the library")]

use std::process::ExitCode;

use bone_lsp::ServerEnd;

fn main() -> ExitCode {
    match bone_lsp::serve(bone_format::system_fonts, None) {
        Ok(ServerEnd::Asked) => ExitCode::SUCCESS,
        Ok(ServerEnd::Left) | Err(_) => ExitCode::FAILURE,
    }
}
