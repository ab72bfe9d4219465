//! `check`: every mistake, with its place.

use std::io::Write as _;
use std::sync::Arc;

use rig::{Disk, load, system_fonts};

use crate::args::Check;
use crate::exit::Exit;
use crate::report;

pub(crate) fn run(args: &Check) -> Exit {
    let loaded = load(&args.rig, Arc::new(Disk), &system_fonts);
    let exit = if loaded.scene.is_some() { Exit::Fine } else { Exit::Mistakes };
    if args.json {
        let json = report::json(&loaded.diagnostics, &loaded.sources);
        // A closed pipe is the reader's business.
        let _ = writeln!(std::io::stdout(), "{json:#}");
        return exit;
    }
    report::show(&loaded.diagnostics, &loaded.sources, true);
    let rig = args.rig.display();
    let found = report::count(&loaded.diagnostics);
    let words = match &loaded.scene {
        Some(scene) => {
            let (bones, clips) = (scene.skeleton().len(), scene.clips().len());
            let bound = scene.rigid_elements().len() + scene.posed_elements().len();
            format!("{rig}: {found}. {bones} bones, {bound} bound pieces of art, {clips} clips")
        }
        None => format!("{rig}: {found}"),
    };
    let _ = writeln!(std::io::stdout(), "{words}");
    exit
}
