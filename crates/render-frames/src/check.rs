//! `check`: reports every mistake with its place.

use std::sync::Arc;

use bone_format::SkinDetail;

use crate::args::{CheckArgs, Deny};
use crate::exit::Exit;
use crate::progress::LongStep;
use crate::report;
use crate::steps::{self, StepLog};

pub(crate) fn run(args: &CheckArgs) -> Exit {
    let mut steps = StepLog::new(args.verbosity.verbose);
    let step = LongStep::begin(format!("{} is loaded", args.rig.display()), args.verbosity.quiet);
    let mut loaded = steps::load(&args.rig, Arc::new(args.files.files()), SkinDetail::Weights, &mut steps);
    drop(step);
    if let Some(Err(message)) = loaded.rig.as_mut().map(|rig| args.files.wear(rig)) {
        return Exit::Usage.because(message);
    }
    let step = LongStep::begin("the springs are simulated".to_owned(), args.verbosity.quiet);
    loaded.check_springs();
    drop(step);
    let denied = args.deny == Some(Deny::Warnings) && loaded.diagnostics.warning_count() > 0;
    let exit = if loaded.rig.is_some() && !denied { Exit::Fine } else { Exit::Mistakes };
    if args.json {
        let json = bone_live::describe::findings(&loaded.diagnostics, &loaded.sources);
        return print_findings(&format!("{json:#}"), exit);
    }
    let all = !args.verbosity.quiet || args.deny.is_some();
    report::show(&loaded.diagnostics, &loaded.sources, all);
    if args.verbosity.quiet {
        return exit;
    }
    let rig = report::visible(&args.rig.display().to_string()).into_owned();
    let found = report::count(&loaded.diagnostics);
    let message = match &loaded.rig {
        Some(scene) => {
            let (bones, clips) = (scene.skeleton().len(), scene.clips().len());
            let bound = scene.rigid_elements().len() + scene.posed_elements().len();
            let s = |n: usize| if n == 1 { "" } else { "s" };
            let (of_bones, of_pieces, of_clips) = (s(bones), s(bound), s(clips));
            format!(
                "{rig}: {found}. {bones} bone{of_bones}, {bound} bound piece{of_pieces} of art, {clips} clip{of_clips}"
            )
        }
        None => format!("{rig}: {found}"),
    };
    print_findings(&message, exit)
}

/// Prints to standard output. The exit code of mistakes takes precedence over that of a full disk.
fn print_findings(message: &str, exit: Exit) -> Exit {
    match report::print_result(format!("{message}\n")) {
        Exit::Fine => exit,
        failed if exit == Exit::Fine => failed,
        _ => exit,
    }
}
