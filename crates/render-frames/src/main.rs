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
mod edited_rig;
mod events;
mod exit;
mod fault;
mod files;
mod fonts;
mod format;
mod frames;
mod import;
mod init;
mod inspect;
mod interrupt;
mod kept;
#[cfg(feature = "live")]
mod live;
#[cfg(feature = "lsp")]
mod lsp;
mod man;
mod memory;
mod onion;
mod output;
mod output_name;
mod pack;
mod picture;
mod plot;
mod pool;
mod presets;
mod progress;
mod render;
mod report;
mod sheet;
mod sound;
mod steps;
mod transitions;
mod user_folder;
mod video;
#[cfg(feature = "live")]
mod watch;
mod weights;

use std::process::ExitCode;

use clap::FromArgMatches as _;

use crate::args::{Args, Command};
use crate::exit::Exit;

fn main() -> ExitCode {
    fault::run(run).into()
}

fn run() -> Exit {
    let arguments = args::with_short_form(std::env::args_os());
    let arguments = match arguments {
        Ok(arguments) => arguments,
        Err(message) => {
            report::print_line(&message);
            return Exit::Usage;
        }
    };
    let args =
        args::command().try_get_matches_from(arguments).and_then(|found| Args::from_arg_matches(&found));
    match args {
        Ok(args) => match fonts::set(args.fonts) {
            Ok(()) => run_command(&args.command),
            Err(message) => {
                report::print_line(&message);
                Exit::Usage
            }
        },
        Err(error) if error.use_stderr() => error.exit(),
        // Help or the version.
        Err(error) => {
            let text = error.render();
            match report::has_colours(&std::io::stdout()) {
                true => report::print_styled(text.ansi().to_string().as_bytes()),
                false => report::print_styled(text.to_string().as_bytes()),
            }
        }
    }
}

fn run_command(command: &Command) -> Exit {
    match command {
        // They end in their own way.
        #[cfg(feature = "live")]
        Command::Live(_) | Command::Watch(_) => {}
        // The editor ends it; Ctrl-C does at once.
        #[cfg(feature = "lsp")]
        Command::Lsp(_) => {}
        _ => interrupt::handle(),
    }
    match command {
        Command::Render(render) => render::run(render),
        Command::Init(init) => init::run(init),
        Command::Assemble(assemble) => assemble::run(assemble),
        Command::Check(check) => check::run(check),
        Command::Inspect(inspect) => inspect::run(inspect),
        Command::Events(events) => events::run(events),
        Command::Sheet(sheet) => sheet::run(sheet),
        Command::Onion(onion) => onion::run(onion),
        Command::Plot(plot) => plot::run(plot),
        Command::Weights(weights) => weights::run(weights),
        #[cfg(feature = "live")]
        Command::Live(live) => live::run(live),
        #[cfg(feature = "live")]
        Command::Watch(watch) => watch::run(watch),
        #[cfg(feature = "lsp")]
        Command::Lsp(_) => lsp::run(),
        Command::Pack(pack) => pack::run(pack),
        Command::Format(format) => format::run(format),
        Command::Convert(convert) => convert::run(convert),
        Command::Completions(completions) => completions::run(completions),
        Command::Man(man) => man::run(man),
        Command::Import(import) => import::run(import),
        Command::Transitions(transitions) => transitions::run(transitions),
        Command::Presets(presets) => presets::run(presets),
    }
}
