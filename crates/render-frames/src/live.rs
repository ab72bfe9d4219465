//! `live`: serves a rig to a page in the browser until Ctrl-C.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;

use bone_export::{DELIVERIES, DeliveryTarget, FORMATS, FileFormat};
#[cfg(feature = "lsp")]
use bone_format::session::Selected;
use bone_live::{LiveOptions, LiveServer, StartError};

use crate::args::{Existing, InitArgs, LiveArgs, NewFileArgs, ReadArgs};
use crate::exit::Exit;
use crate::init;
use crate::interrupt::end_now;
use crate::report::{print_line, print_result};

pub(crate) fn run(args: &LiveArgs) -> Exit {
    let rig = match rig(args) {
        Ok(rig) => rig,
        Err(exit) => return exit,
    };
    // Before the server starts: nothing may stay behind.
    let (interrupted, interrupts) = channel();
    if let Err(error) = ctrlc::set_handler(move || interrupted.send(()).unwrap_or_default()) {
        return Exit::Failed.because(format!("Ctrl-C cannot be handled: {error}"));
    }
    let mut options = options(rig, &args.reading);
    options.port = args.port;
    options.hold = args.hold;
    #[cfg(debug_assertions)]
    options.assets.clone_from(&args.assets);
    let server = match LiveServer::start(options) {
        Ok(server) => server,
        Err(StartError::Running { address }) if !address.is_empty() => {
            print_line("the rig is open already: this is its page");
            let printed = print_result(format!("{address}\n"));
            open(args, &address);
            return printed;
        }
        Err(error) => {
            return Exit::Failed.because(error);
        }
    };
    let printed = print_result(format!("{}\n", server.address()));
    if printed != Exit::Fine {
        return printed;
    }
    if !args.verbosity.quiet {
        print_line("Ctrl-C ends it");
    }
    open(args, server.address());
    // The handler lives as long as the program, so this ends with an interrupt only.
    interrupts.recv().unwrap_or_default();
    // A second Ctrl-C does not wait: what was answered is in the journal.
    std::thread::spawn(move || {
        interrupts.recv().unwrap_or_default();
        end_now();
    });
    server.stop();
    Exit::Interrupted
}

fn options(rig: PathBuf, reading: &ReadArgs) -> LiveOptions {
    let mut options = LiveOptions::new(rig);
    options.fonts = std::sync::Arc::new(crate::fonts::fonts);
    options.rules = reading.rules();
    options.records = crate::user_folder::state().map(|state| state.join("live"));
    options.program = std::env::current_exe().ok();
    options.program_options = reading.options();
    options.formats = formats();
    options
}

/// The pages of rigs that an editor has open. They end with it.
#[cfg(feature = "lsp")]
#[derive(Default)]
pub(crate) struct EditorPages(std::collections::BTreeMap<PathBuf, LiveServer>);

#[cfg(feature = "lsp")]
impl bone_lsp::Pages for EditorPages {
    fn open(&mut self, rig: &std::path::Path, selected: bone_lsp::SelectedOn) -> Result<String, String> {
        if let Some(server) = self.0.get(rig) {
            return Ok(server.address().to_owned());
        }
        let mut options = options(rig.to_owned(), &ReadArgs::default());
        let own = rig.to_owned();
        options.selected = Some(std::sync::Arc::new(move |selection| selected(&own, selection)));
        let server = match LiveServer::start(options) {
            Ok(server) => server,
            // Another program serves it: the page opens, and follows the file alone.
            Err(StartError::Running { address }) if !address.is_empty() => return Ok(address),
            Err(error) => return Err(error.to_string()),
        };
        let address = server.address().to_owned();
        self.0.insert(rig.to_owned(), server);
        Ok(address)
    }

    fn select(&self, rig: &std::path::Path, selection: Selected) {
        if let Some(server) = self.0.get(rig) {
            server.select(selection);
        }
    }
}

/// The formats as the page lists them. A sheet has a name of its own, because its ending may be that of another
/// format.
fn formats() -> serde_json::Value {
    let row = |format: &FileFormat| match format.is_sheet() {
        true => serde_json::json!([format!("-sheet.{}", format.ending), format.label, ["--sheet"]]),
        false => serde_json::json!([format!(".{}", format.ending), format.label, []]),
    };
    // A target has the ending of a format, and a name of its own, too.
    let target = |target: &DeliveryTarget| {
        let DeliveryTarget { name, label, ending, .. } = *target;
        serde_json::json!([format!("-{name}.{ending}"), format!("{label} (.{ending})"), ["--for", name]])
    };
    FORMATS
        .iter()
        .filter(|format| !format.is_layered())
        .map(row)
        .chain(DELIVERIES.iter().map(target))
        .collect()
}

/// The rig to serve; for a drawing the rig beside it, which is written if it is not there.
fn rig(args: &LiveArgs) -> Result<PathBuf, Exit> {
    if !args.rig.extension().is_some_and(|end| end.eq_ignore_ascii_case("svg")) {
        if !args.rig.is_file() {
            print_line(&crate::steps::not_a_file(&args.rig));
            return Err(Exit::Mistakes);
        }
        return Ok(args.rig.clone());
    }
    let rig = args.rig.with_extension("ron");
    if rig.symlink_metadata().is_ok() {
        print_line(&format!("{} is there already: it is opened", rig.display()));
        return Ok(rig);
    }
    let first = InitArgs {
        drawing: Some(args.rig.clone()),
        output: None,
        existing: NewFileArgs { existing: Existing::Error, force: false },
        lines: false,
        turn: None,
        update: None,
        reading: args.reading.clone(),
        verbosity: args.verbosity,
    };
    match init::run(&first) {
        Exit::Fine => Ok(rig),
        other => Err(other),
    }
}

fn open(args: &LiveArgs, address: &str) {
    if args.no_open {
        return;
    }
    let opened = BROWSERS.iter().find_map(|(program, words)| {
        let mut command = Command::new(program);
        command.args(*words).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().ok()
    });
    match opened {
        // It hands the address on and ends; nobody waits for it but a thread.
        Some(mut child) => drop(std::thread::spawn(move || child.wait())),
        None => print_line("no browser was found: open the address yourself"),
    }
}

/// What shows an address in the browser that people have chosen, the first that is there.
const BROWSERS: &[(&str, &[&str])] = if cfg!(windows) {
    &[("rundll32", &["url.dll,FileProtocolHandler"])]
} else if cfg!(target_os = "macos") {
    &[("open", &[])]
} else {
    // In the Linux of Windows there is `wslview` or the system's own.
    &[
        ("xdg-open", &[]),
        ("gio", &["open"]),
        ("wslview", &[]),
        ("rundll32.exe", &["url.dll,FileProtocolHandler"]),
    ]
};
