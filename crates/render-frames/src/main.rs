//! The command line: words in, exit code out. One file per command; the work is done by the libraries.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line prints")]

mod args;
mod check;
mod exit;
mod frames;
mod import;
mod output;
mod plot;
mod progress;
mod render;
mod report;
mod transitions;
mod weights;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};

fn main() -> ExitCode {
    let args = Args::parse_from(args::with_short_form(std::env::args_os()));
    let exit = match args.command {
        Command::Render(render) => render::run(&render),
        Command::Check(check) => check::run(&check),
        Command::Plot(plot) => plot::run(&plot),
        Command::Weights(weights) => weights::run(&weights),
        Command::Import(import) => import::run(&import),
        Command::Meet(meet) => import::meet(&meet),
        Command::Transitions(transitions) => transitions::run(&transitions),
    };
    exit.into()
}
