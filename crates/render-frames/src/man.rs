//! `man`: writes manual pages, generated from the definition of the arguments.

use std::io;
use std::path::Path;

use clap::Command;
use clap_mangen::Man;

use crate::args;
use crate::exit::Exit;
use crate::report;

pub(crate) fn run(args: &args::ManArgs) -> Exit {
    let Some(folder) = &args.output else {
        return match page(whole()) {
            Ok(text) => report::print_result(text),
            Err(error) => failed(&format!("the page cannot be made: {error}")),
        };
    };
    match pages(folder) {
        Ok(count) => {
            report::print_line(&format!("{count} pages -> {}", folder.display()));
            Exit::Fine
        }
        Err(error) => failed(&format!("the pages cannot be written to {}: {error}", folder.display())),
    }
}

fn whole() -> Command {
    let mut command = args::command();
    command.build();
    command
}

fn page(command: Command) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    Man::new(command).render(&mut text)?;
    Ok(text)
}

/// A page for the program and one for each command.
fn pages(folder: &Path) -> io::Result<usize> {
    std::fs::create_dir_all(folder)?;
    let whole = whole();
    let commands = whole.get_subcommands().filter(|command| command.get_name() != "help");
    let named = |command: &Command| {
        (format!("render-frames-{}", command.get_name()), command.clone().disable_help_subcommand(true))
    };
    let mut all: Vec<(String, Command)> = commands.map(named).collect();
    all.push(("render-frames".to_owned(), whole.clone()));
    let count = all.len();
    for (name, command) in all {
        bone_format::new_file(&folder.join(format!("{name}.1")), &page(command)?, true)?;
    }
    Ok(count)
}

fn failed(message: &str) -> Exit {
    Exit::Failed.because(message)
}
