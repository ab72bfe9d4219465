//! `import`: converts recorded motion to a clip with few keys, and films of other programs to rigs. Notes about the conversion are printed on
//! standard error and written into the rig as comments.

#[cfg(feature = "motion-graphs")]
mod along;
mod capture;
mod keypoints;
mod lips;
mod look;
mod recording;
mod speech;
#[cfg(feature = "synfig")]
mod synfig;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bone_authoring::{AuthoringError, ClipOptions, MapFile, Recorded, new_figure, onto};
use bone_format::session::Session;
use bone_format::span::Sources;
use bone_format::text::Syntax;
use bone_format::{Disk, Files, unreadable};
use clap::ValueEnum;

use self::capture::{CaptureOptions, recorded};
use self::recording::{Failure, Recording, failure, file_name, mistake_in, stem};
use crate::args::{Existing, FacingArg, ImportArgs};
use crate::edited_rig::{self, write_new};
use crate::exit::Exit;
use crate::files::{CommandFiles, Inputs};
use crate::report::{self, print_line};

pub(crate) fn run(args: &ImportArgs) -> Exit {
    end(make(args), args.quiet)
}

/// Prints the result and returns the exit code.
fn end(made: Result<String, Failure>, quiet: bool) -> Exit {
    match made {
        Ok(message) => {
            if !quiet {
                print_line(&message);
            }
            Exit::Fine
        }
        Err(Failure::Mistakes(found)) => {
            report::show(&found.0, &found.1, true);
            print_line(&format!("{}: {}", found.2.display(), report::count(&found.0)));
            Exit::Mistakes
        }
        Err(Failure::Usage(message)) => Exit::Usage.because(message),
        Err(Failure::Failed(message)) => Exit::Failed.because(message),
    }
}

fn make(args: &ImportArgs) -> Result<String, Failure> {
    #[cfg(feature = "synfig")]
    if synfig::is_meant(&args.motion) {
        return synfig::film(args);
    }
    if speech::is_meant(&args.motion) && args.mouth.is_none() {
        let message = "is a sound: --rig RIG --mouth GROUP --text \"What is said\" make lip sync of it";
        return Err(Failure::Usage(format!("{} {message}", args.motion.display())));
    }
    match (&args.rig, &args.mouth) {
        (Some(rig), Some(group)) => lips::keys(args, rig, group),
        (Some(rig), None) => clip_of_rig(args, rig),
        (None, _) => figure(args),
    }
}

/// A new figure and its drawing.
fn figure(args: &ImportArgs) -> Result<String, Failure> {
    let output = args.output.clone().unwrap_or_else(|| args.motion.with_extension("ron"));
    let drawing = output.with_extension("svg");
    match &args.look {
        Some(look) => look::check(look, args.existing)?,
        None => {
            free(&output, &drawing, args.existing)?;
            inputs(args, Inputs::default()).check(&drawing, "figure").map_err(Failure::Usage)?;
        }
    }
    let recorded = read(args)?;
    let map = map_of(args)?;
    let options = clip_options(args);
    let made = new_figure(recorded, map.as_ref(), &output, args.fps.get(), &options)
        .map_err(|error| refused(args, error))?;
    if let Some(path) = &args.look {
        return look::write(path, &made.rig, &options.name, &made.motion)
            .map(|message| noted(&made.notes, &message));
    }
    write_both((&drawing, &made.svg), (&output, &made.text), args.existing)?;
    Ok(noted(&made.notes, &format!("{}: {}", output.display(), made.summary)))
}

/// Writes a drawing and its rig.
fn write_both(drawing: (&Path, &str), rig: (&Path, &str), existing: Existing) -> Result<(), Failure> {
    let is_new = drawing.0.symlink_metadata().is_err();
    write_new(drawing.0, drawing.1, existing).map_err(Failure::Failed)?;
    write_new(rig.0, rig.1, existing).map_err(|message| {
        if is_new {
            // A drawing without its rig is of no use.
            let _ = std::fs::remove_file(drawing.0);
        }
        Failure::Failed(message)
    })
}

/// A clip for an existing rig. Everything else in its text stays as it is.
fn clip_of_rig(args: &ImportArgs, rig: &Path) -> Result<String, Failure> {
    let mut session = opened(args, rig)?;
    let options = clip_options(args);
    let name = &options.name;
    let has_clip = session.doc().is_some_and(|doc| session.is_current() && doc.clip(name).is_some());
    if !args.existing.replace() && has_clip {
        return Err(Failure::Usage(format!(
            "the rig has a clip \"{name}\" already: choose another name with --clip, or add --existing overwrite"
        )));
    }
    // The mistakes of a rig come before those of a recording.
    if session.rig().is_none() || !session.is_current() {
        return Err(mistakes(&session, rig));
    }
    let recorded = read(args)?;
    let map = map_of(args)?;
    let made = onto(&session, recorded, map.as_ref(), &options).map_err(|error| refused(args, error))?;
    if let Some(path) = &args.look {
        return look::write(path, &made.rig, name, &made.motion).map(|message| noted(&made.notes, &message));
    }
    let mut notes = made.notes;
    if session.files().first().is_none_or(|file| file.syntax() != Some(Syntax::Ron)) {
        notes.push("JSON has no comments: how the clip was made is not written beside it".to_owned());
    }
    session.apply_all("Import a clip", &made.edits).map_err(|error| Failure::Failed(error.to_string()))?;
    // A picture was written above, so there is an output.
    let output = args.output.as_deref().unwrap_or(rig);
    let written = edited_rig::save(&mut session, rig, output, args.existing).map_err(Failure::Failed)?;
    Ok(noted(&notes, &format!("{written}: clip \"{name}\", {}", made.summary)))
}

/// The rig as a session, after a check of all files that are read and written.
fn opened(args: &ImportArgs, rig: &Path) -> Result<Session, Failure> {
    let output = match (&args.output, &args.look) {
        (Some(output), _) => output,
        (None, Some(_)) => rig,
        (None, None) => {
            return Err(Failure::Usage("--rig needs -o, the file for the rig with the new clip".to_owned()));
        }
    };
    match &args.look {
        Some(look) => look::check(look, args.existing)?,
        None => edited_rig::check_output(rig, output, args.existing).map_err(Failure::Usage)?,
    }
    let target = if args.look.is_some() { rig } else { output };
    let files = Arc::new(CommandFiles::default());
    let session = edited_rig::open(rig, target, Arc::clone(&files) as Arc<dyn Files>)
        .map_err(|error| Failure::Failed(error.to_string()))?;
    let inputs = inputs(args, files.inputs());
    match &args.look {
        Some(look) => inputs.check(look, "sheet"),
        None => edited_rig::check_inputs(rig, output, &inputs),
    }
    .map_err(Failure::Usage)?;
    Ok(session)
}

/// The mistakes of a rig that cannot be edited.
fn mistakes(session: &Session, path: &Path) -> Failure {
    let found = (session.diagnostics().clone(), session.sources().clone(), path.to_owned());
    Failure::Mistakes(Box::new(found))
}

fn refused(args: &ImportArgs, error: AuthoringError) -> Failure {
    match error {
        AuthoringError::Mistakes(found) => {
            // Its own text is the first one, of a map as of a rig.
            let path = found.1.names().next().map_or_else(|| args.motion.clone(), PathBuf::from);
            Failure::Mistakes(Box::new((found.0, found.1, path)))
        }
        AuthoringError::Recording(error) => mistake_in(&args.motion, None, &error),
        AuthoringError::Request(message) => Failure::Usage(message),
        other => Failure::Failed(other.to_string()),
    }
}

fn clip_options(args: &ImportArgs) -> ClipOptions {
    let mut options = ClipOptions::new(&args.clip.clone().unwrap_or_else(|| stem(&args.motion)));
    options.looped = args.looped;
    options.on_the_spot = args.on_the_spot;
    options.keep_in_view = args.keep_in_view;
    options.foreshortening = args.foreshortening.map(Into::into);
    options.tolerance = args.tolerance;
    options
}

/// The map of parts to bones and joints.
fn map_of(args: &ImportArgs) -> Result<Option<MapFile>, Failure> {
    let read = |path: &PathBuf| {
        let bytes = Disk.read(path).map_err(|error| {
            failure(path, unreadable(&Disk, "map", path, &error, &["ron"]), Sources::new())
        })?;
        Ok(MapFile { name: path.display().to_string(), bytes })
    };
    args.map.as_ref().map(read).transpose()
}

/// A message after the notes about a recording.
fn noted(notes: &[String], message: &str) -> String {
    notes.iter().fold(String::new(), |all, note| all + "note: " + note + "\n") + message
}

/// Whether a rig and its drawing may be written. Existing files are an error, unless they may be replaced.
fn free(output: &Path, drawing: &Path, existing: Existing) -> Result<(), Failure> {
    for path in [output, drawing] {
        existing.allow(path).map_err(Failure::Usage)?;
    }
    if output.extension().is_none_or(|end| !end.eq_ignore_ascii_case("ron")) {
        return Err(Failure::Usage(format!(
            "the name of the output, {}, must end in .ron",
            output.display()
        )));
    }
    Ok(())
}

/// Reads and projects.
fn recording(args: &ImportArgs) -> Result<Recording, Failure> {
    #[cfg(feature = "motion-graphs")]
    if let Some(path) = &args.along {
        return along::read(args, path);
    }
    if keypoints::are_meant(&args.motion) {
        return keypoints::read(args);
    }
    recorded(&args.motion, &CaptureOptions::of(args))
}

/// Reads, projects, cuts and closes.
fn read(args: &ImportArgs) -> Result<Recorded, Failure> {
    let Recording { motion, notes, message, options, ground } = recording(args)?;
    let mut recorded = Recorded::new(motion, &origin(args, &message, options));
    (recorded.notes, recorded.ground) = (notes, ground);
    let mut ready = || {
        if let Some((first, last)) = args.frames {
            recorded.cut(first, last)?;
        }
        let flips = args.facing.map_or(args.rig.is_some(), |facing| facing == FacingArg::Flip);
        recorded.face_viewer(flips)?;
        recorded.close(args.looped)
    };
    ready().map_err(|error| refused(args, error))?;
    Ok(recorded)
}

/// The origin of the motion and the options, for the comment on the clip.
fn origin(args: &ImportArgs, message: &str, mut options: Vec<String>) -> String {
    options.push(format!("--tolerance {}", args.tolerance));
    options.extend(args.frames.map(|(first, last)| format!("--frames {first}-{last}")));
    options.extend(args.looped.then(|| "--loop".to_owned()));
    options.extend(args.on_the_spot.then(|| "--on-the-spot".to_owned()));
    options.extend(args.keep_in_view.then(|| "--keep-in-view".to_owned()));
    options.extend(args.foreshortening.map(|how| format!("--foreshortening {}", word(how))));
    options.extend(args.facing.map(|how| format!("--facing {}", word(how))));
    format!("Made from {}: {message}.\nOptions: {}.", file_name(&args.motion), options.join(" "))
}

/// The word of an argument.
fn word(argument: impl ValueEnum) -> String {
    argument.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// The files that are read for an import, and those of its rig.
fn inputs(args: &ImportArgs, of_rig: Inputs) -> Inputs {
    let named = [Some(&args.motion), args.map.as_ref(), args.static_trial.as_ref(), args.path()];
    // A folder of captures or of frames; what else is in it is no recording.
    let entries = std::fs::read_dir(&args.motion).into_iter().flatten().flatten().map(|entry| entry.path());
    let entries: Vec<PathBuf> =
        entries.filter(|path| !matches!(&*capture::extension(path), "ron" | "svg")).collect();
    let files = named.into_iter().flatten().chain(&entries);
    of_rig.with(files.map(PathBuf::as_path))
}
