//! `completions`: prints the completions of the command line for a shell.

use crate::args::{self, CompletionsArgs};
use crate::exit::Exit;
use crate::report;

pub(crate) fn run(args: &CompletionsArgs) -> Exit {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "render-frames", &mut text);
    report::print_result(text)
}
