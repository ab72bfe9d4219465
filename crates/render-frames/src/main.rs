//! The command line: reads the arguments and returns an exit code. Each command has a file; the work is done
//! by the libraries.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line prints")]
// A test of the manifests checks the dependencies of tests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod animation;
mod args;
mod assemble;
mod check;
mod completions;
mod container;
mod convert;
mod exit;
mod fonts;
mod format;
mod frames;
mod import;
mod init;
mod inspect;
#[cfg(feature = "live")]
mod live;
mod man;
mod onion;
mod output;
mod pack;
mod picture;
mod plot;
mod pool;
mod progress;
mod render;
mod report;
mod sheet;
mod steps;
mod transitions;
mod video;
#[cfg(feature = "live")]
mod watch;
mod weights;

use std::process::ExitCode;

use clap::FromArgMatches as _;

use crate::args::{Args, Command};

fn main() -> ExitCode {
    let arguments = args::command().get_matches_from(args::with_short_form(std::env::args_os()));
    let args = Args::from_arg_matches(&arguments).unwrap_or_else(|error| error.exit());
    if let Err(message) = fonts::set(args.fonts) {
        report::print_line(&message);
        return exit::Exit::Usage.into();
    }
    let exit = match args.command {
        Command::Render(render) => render::run(&render),
        Command::Init(init) => init::run(&init),
        Command::Assemble(assemble) => assemble::run(&assemble),
        Command::Check(check) => check::run(&check),
        Command::Inspect(inspect) => inspect::run(&inspect),
        Command::Sheet(sheet) => sheet::run(&sheet),
        Command::Onion(onion) => onion::run(&onion),
        Command::Plot(plot) => plot::run(&plot),
        Command::Weights(weights) => weights::run(&weights),
        #[cfg(feature = "live")]
        Command::Live(live) => live::run(&live),
        #[cfg(feature = "live")]
        Command::Watch(watch) => watch::run(&watch),
        Command::Pack(pack) => pack::run(&pack),
        Command::Format(format) => format::run(&format),
        Command::Convert(convert) => convert::run(&convert),
        Command::Completions(completions) => completions::run(&completions),
        Command::Man(man) => man::run(&man),
        Command::Import(import) => import::run(&import),
        Command::Meet(meet) => import::meet(&meet),
        Command::Transitions(transitions) => transitions::run(&transitions),
    };
    exit.into()
}
