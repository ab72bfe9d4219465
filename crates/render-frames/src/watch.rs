//! `watch`: renders again after each save. Each time a process of its own does it, as if it had been typed.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use ::live::RigWatch;

use crate::args::WatchArgs;
use crate::exit::Exit;
use crate::report::print_line;

pub(crate) fn run(args: &WatchArgs) -> Exit {
    if !args.rig.is_file() {
        print_line(&format!("error: there is no file \"{}\"", args.rig.display()));
        return Exit::Mistakes;
    }
    // The process that renders ends with this one: both are interrupted.
    let handled = ctrlc::set_handler(|| std::process::exit(130));
    if let Err(error) = handled {
        print_line(&format!("error: Ctrl-C cannot be handled: {error}"));
        return Exit::Failed;
    }
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => {
            print_line(&format!("error: this program does not find itself: {error}"));
            return Exit::Failed;
        }
    };
    // Before the first frames are drawn, so that no save is missed.
    let mut watch = RigWatch::new(&args.rig, Arc::new(rig_format::system_fonts));
    loop {
        match render(&program, args).status() {
            Ok(status) if status.code() == Some(2) => return Exit::Usage,
            Ok(_) => {}
            Err(error) => {
                print_line(&format!("error: the frames are not rendered: {error}"));
                return Exit::Failed;
            }
        }
        if !args.verbosity.quiet {
            print_line(&format!("waiting for changes of {}; Ctrl-C ends it", args.rig.display()));
        }
        let Some(changed) = watch.wait() else { return Exit::Failed };
        if !args.verbosity.quiet {
            let names: Vec<String> = changed.iter().map(|path| path.display().to_string()).collect();
            print_line(&format!("changed: {}", names.join(", ")));
        }
    }
}

/// The command that renders. Frames that would come out the same are kept.
fn render(program: &Path, args: &WatchArgs) -> Command {
    let mut command = Command::new(program);
    command.arg("render").arg(&args.rig).args(["--existing", "skip", "-o"]).arg(&args.output);
    let size = args.size.map(|size| format!("{}x{}", size.width(), size.height()));
    let options = [
        ("--clip", args.clip.as_ref()),
        ("--size", size.as_ref()),
        ("--scale", args.scale.as_ref()),
        ("--background", args.background.as_ref()),
    ];
    for (name, value) in options {
        command.args(value.map(|value| format!("{name}={value}")));
    }
    if args.verbosity.quiet {
        command.arg("--quiet");
    }
    if args.verbosity.verbose {
        command.arg("--verbose");
    }
    command
}
