//! `completions`: prints the completions of the command line for a shell.

use std::io::Write as _;

use crate::args::{self, CompletionsArgs};
use crate::exit::Exit;

pub(crate) fn run(args: &CompletionsArgs) -> Exit {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "render-frames", &mut text);
    // A closed pipe is not an error of this command.
    let _ = std::io::stdout().write_all(&text);
    Exit::Fine
}
