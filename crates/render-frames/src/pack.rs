//! `pack`: writes a rig as one file for players; another file is replaced only on request.

use std::io;
use std::path::Path;
use std::sync::Arc;

use bone_format::{Files, SkinDetail, new_file};

use crate::args::PackArgs;
use crate::exit::Exit;
use crate::report::{self, print_line};
use crate::steps::{self, PACKED, StepLog};

pub(crate) fn run(args: &PackArgs) -> Exit {
    let beside = args.rig.with_extension(PACKED);
    let output = match &args.output {
        // In a folder the file gets the name of the rig.
        Some(folder) if folder.is_dir() => folder.join(beside.file_name().unwrap_or_default()),
        Some(output) => output.clone(),
        None => beside,
    };
    let shown = output.display();
    if !steps::is_packed(&output) {
        return Exit::Usage.because(format!("a packed rig is a .{PACKED} file, and \"{shown}\" is not"));
    }
    if output == args.rig {
        print_line(&format!(
            "error: \"{shown}\" is packed already\n  help: give the rig file that it was made of"
        ));
        return Exit::Usage;
    }
    let mut steps = StepLog::new(args.verbosity.verbose);
    let files = Arc::new(args.files.files());
    let loaded =
        steps::load(&args.rig, Arc::clone(&files) as Arc<dyn Files>, SkinDetail::Outlines, &mut steps);
    report::show(&loaded.diagnostics, &loaded.sources, !args.verbosity.quiet || loaded.rig.is_none());
    let Some(mut rig) = loaded.rig else {
        print_line(&format!("{}: {}", args.rig.display(), report::count(&loaded.diagnostics)));
        return Exit::Mistakes;
    };
    if let Err(message) = args.files.wear(&mut rig) {
        return Exit::Usage.because(message);
    }
    if let Err(message) = files.inputs().check(&output, "packed rig") {
        return Exit::Usage.because(message);
    }
    let bytes = rig.save();
    steps.finished("packed the rig");
    match new_file(&output, &bytes, args.existing.replace()) {
        Ok(()) => {
            if !args.verbosity.quiet {
                print_line(&format!("{shown}: {} kB", bytes.len().div_ceil(1000)));
            }
            Exit::Fine
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            print_line(&format!(
                "error: \"{shown}\" exists already\n  help: write another file with -o, or replace it with --force"
            ));
            Exit::Usage
        }
        Err(error) => {
            let folder = output.parent().unwrap_or(Path::new(""));
            Exit::Failed.because(format!("\"{shown}\" cannot be written: {}", report::reason(&error, folder)))
        }
    }
}
