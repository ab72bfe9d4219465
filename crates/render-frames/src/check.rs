//! `check`: every mistake, with its place.

use std::sync::Arc;

use rig::Disk;

use crate::args::{Check, Deny};
use crate::exit::Exit;
use crate::report;
use crate::steps::{self, Steps};

pub(crate) fn run(args: &Check) -> Exit {
    let mut steps = Steps::new(args.spoken.verbose);
    let loaded = steps::load(&args.rig, Arc::new(Disk), &mut steps);
    let denied = args.deny == Some(Deny::Warnings) && loaded.diagnostics.warning_count() > 0;
    let exit = if loaded.scene.is_some() && !denied { Exit::Fine } else { Exit::Mistakes };
    if args.json {
        let json = report::json(&loaded.diagnostics, &loaded.sources);
        return told(&format!("{json:#}"), exit);
    }
    let all = !args.spoken.quiet || args.deny.is_some();
    report::show(&loaded.diagnostics, &loaded.sources, all);
    if args.spoken.quiet {
        return exit;
    }
    let rig = args.rig.display();
    let found = report::count(&loaded.diagnostics);
    let words = match &loaded.scene {
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
    told(&words, exit)
}

/// What was found, on standard output. Mistakes are worse news than a full disk.
fn told(words: &str, exit: Exit) -> Exit {
    match report::printed(format!("{words}\n")) {
        Exit::Fine => exit,
        failed if exit == Exit::Fine => failed,
        _ => exit,
    }
}
