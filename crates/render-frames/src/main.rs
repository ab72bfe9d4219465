//! The command line: words in, exit code out. One file per command; the work is done by the libraries.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line prints")]

mod args;
mod check;
mod exit;
mod frames;
mod inspect;
mod onion;
mod output;
mod picture;
mod plot;
mod progress;
mod render;
mod report;
mod sheet;
mod weights;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};

fn main() -> ExitCode {
    let args = Args::parse_from(args::with_short_form(std::env::args_os()));
    let exit = match args.command {
        Command::Render(render) => render::run(&render),
        Command::Check(check) => check::run(&check),
        Command::Inspect(inspect) => inspect::run(&inspect),
        Command::Sheet(sheet) => sheet::run(&sheet),
        Command::Onion(onion) => onion::run(&onion),
        Command::Plot(plot) => plot::run(&plot),
        Command::Weights(weights) => weights::run(&weights),
    };
    exit.into()
}
