//! `completions`: what a shell needs to complete the words of the command line.

use crate::args::{self, Completions};
use crate::exit::Exit;
use crate::report;

pub(crate) fn run(args: &Completions) -> Exit {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "render-frames", &mut text);
    report::printed(text)
}
