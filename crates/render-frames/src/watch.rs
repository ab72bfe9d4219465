//! `watch`: renders again after each save. Each time a process of its own does it, as if it had been typed.

use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};

use bone_live::RigWatch;

use crate::args::WatchArgs;
use crate::exit::Exit;
use crate::report::print_line;

pub(crate) fn run(args: &WatchArgs) -> Exit {
    if !args.rig.is_file() {
        print_line(&crate::steps::not_a_file(&args.rig));
        return Exit::Mistakes;
    }
    let (sender, ends) = channel();
    let interrupted = sender.clone();
    let handled = ctrlc::set_handler(move || interrupted.send(Exit::Interrupted).unwrap_or_default());
    if let Err(error) = handled {
        return Exit::Failed.because(format!("Ctrl-C cannot be handled: {error}"));
    }
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => {
            return Exit::Failed.because(format!("the program is not found: {error}"));
        }
    };
    let rendering = Rendering::default();
    let (args, child) = (args.clone(), rendering.clone());
    std::thread::spawn(move || {
        let exit = render_all(&program, &args, &child);
        sender.send(exit).unwrap_or_default();
    });
    let exit = ends.recv().unwrap_or(Exit::Failed);
    if let Some(mut child) = rendering.lock().unwrap_or_else(PoisonError::into_inner).take() {
        // It may have ended.
        let _ = child.kill();
        let _ = child.wait();
    }
    exit
}

/// The process that renders, while it does.
type Rendering = Arc<Mutex<Option<Child>>>;

/// Renders after each change, until something fails.
fn render_all(program: &Path, args: &WatchArgs, rendering: &Rendering) -> Exit {
    // Before the first frames are drawn, so that no save is missed.
    let mut watch = RigWatch::new(&args.rig, Arc::new(crate::fonts::fonts), args.reading.rules());
    loop {
        match render(program, args).spawn().and_then(|child| end_of(child, rendering)) {
            Ok(status) if status.code() == Some(2) => return Exit::Usage,
            Ok(_) => {}
            Err(error) => {
                return Exit::Failed.because(format!("the frames are not rendered: {error}"));
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

/// Waits for a process that others may end meanwhile.
fn end_of(mut child: Child, rendering: &Rendering) -> io::Result<ExitStatus> {
    // Closed with the process.
    let output = child.stdout.take();
    *rendering.lock().unwrap_or_else(PoisonError::into_inner) = Some(child);
    if let Some(mut output) = output {
        io::copy(&mut output, &mut io::stdout())?;
    }
    match rendering.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(mut child) => child.wait(),
        None => Err(io::Error::other("it was ended")),
    }
}

/// The command that renders. Frames in which nothing changed are kept.
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
    command.args(args.reading.options()).stdin(Stdio::null()).stdout(Stdio::piped());
    if args.verbosity.quiet {
        command.arg("--quiet");
    }
    if args.verbosity.verbose {
        command.arg("--verbose");
    }
    command
}
