//! `transitions`: finds the best transition between two clips and writes it as a shot, to standard output or
//! into the text of the rig.

use std::sync::Arc;

use bone_authoring::{TransitionOptions, entry_edits, transition};
use bone_format::Files;
use bone_format::doc::RigDoc;
use bone_format::session::{DocPath, DocValue};
use bone_format::write::Digits;

use crate::args::TransitionsArgs;
use crate::edited_rig;
use crate::exit::Exit;
use crate::report::{self, print_line};

pub(crate) fn run(args: &TransitionsArgs) -> Exit {
    let output = args.output.as_deref().unwrap_or(&args.rig);
    if let Err(message) = edited_rig::check_output(&args.rig, output, args.existing.existing) {
        return Exit::Usage.because(message);
    }
    let files = Arc::new(args.files.files());
    let mut session = match edited_rig::open(&args.rig, output, Arc::clone(&files) as Arc<dyn Files>) {
        Ok(session) => session,
        Err(error) => {
            return Exit::Failed.because(error);
        }
    };
    if let Err(message) = edited_rig::check_inputs(&args.rig, output, &files.inputs()) {
        return Exit::Usage.because(message);
    }
    report::show(session.diagnostics(), session.sources(), !session.is_current());
    let (Some(scene), Some(doc), true) = (session.rig(), session.doc(), session.is_current()) else {
        print_line(&format!("{}: {}", args.rig.display(), report::count(session.diagnostics())));
        return Exit::Mistakes;
    };
    let name = args.shot.clone().unwrap_or_else(|| format!("{}_to_{}", args.from, args.to));
    let wanted = TransitionOptions { from: &args.from, to: &args.to, fade: args.fade, shot: &name };
    let (shot, message) = match free(args, doc, &name).and_then(|()| transition(scene, doc, wanted)) {
        Ok(shot) => shot,
        Err(message) => {
            return Exit::Usage.because(message);
        }
    };
    print_line(&message);
    let shot = DocValue::of_shot(&shot, Digits { places: 2, times: 3, shares: 3 });
    let edits = entry_edits(&session, "shots", &name, shot, &message);
    if let Err(error) = session.apply_all("Add a transition", &edits) {
        return Exit::Failed.because(error);
    }
    if args.output.is_none() {
        let written = session.written(&DocPath::from(["shots", &name])).unwrap_or_default();
        return report::print_result(format!("{written},\n"));
    }
    match edited_rig::save(&mut session, &args.rig, output, args.existing.existing) {
        Ok(files) => {
            print_line(&format!("{files}: shot \"{name}\" written"));
            Exit::Fine
        }
        Err(error) => Exit::Failed.because(error),
    }
}

/// Whether there is room for a shot of that name.
fn free(args: &TransitionsArgs, doc: &RigDoc, name: &str) -> Result<(), String> {
    if doc.clip(name).is_some() {
        return Err(format!("the rig has a clip \"{name}\" already: choose another name with --shot"));
    }
    if !args.existing.replace() && doc.shots.iter().any(|shot| shot.name.value == name) {
        return Err(format!(
            "the rig has a shot \"{name}\" already: choose another name with --shot, or add --force"
        ));
    }
    Ok(())
}
