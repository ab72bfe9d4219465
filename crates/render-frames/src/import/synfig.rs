//! Films of Synfig Studio: a drawing and a rig of a canvas.

use std::path::Path;

use bone_format::diagnostic::Place;
use bone_format::span::{Sources, Span};
use bone_format::{Diagnostic, Disk, Files, unreadable};
use bone_synfig::{SynfigError, SynfigOptions, import};

use super::capture::{beside, extension};
use super::recording::{Failure, failure, file_name, stem};
use super::{free, inputs, noted, write_both};
use crate::args::ImportArgs;
use crate::files::Inputs;

/// The extensions of films.
const FILMS: [&str; 3] = ["sif", "sifz", "sfg"];

/// Whether a file is such a film, by its name.
pub(super) fn is_meant(path: &Path) -> bool {
    FILMS.contains(&extension(path).as_str())
}

/// Writes a drawing and a rig.
pub(super) fn film(args: &ImportArgs) -> Result<String, Failure> {
    let film = &args.motion;
    if args.rig.is_some() || args.look.is_some() {
        let message = "a film of Synfig Studio becomes a rig of its own: --rig and --look are for recordings";
        return Err(Failure::Usage(message.to_owned()));
    }
    let output = args.output.clone().unwrap_or_else(|| film.with_extension("ron"));
    let drawing = output.with_extension("svg");
    free(&output, &drawing, args.existing)?;
    inputs(args, Inputs::default()).check(&drawing, "film").map_err(Failure::Usage)?;
    let bytes = Disk
        .read(film)
        .map_err(|error| failure(film, unreadable(&Disk, "film", film, &error, &FILMS), Sources::new()))?;
    let clip = args.clip.clone().unwrap_or_else(|| stem(film));
    let options = SynfigOptions::new(&file_name(&drawing), &clip);
    let folder = film.parent().unwrap_or(Path::new(""));
    let mut open = |name: &str| beside(folder, name).map_err(|error| error.message);
    let made = import(&file_name(film), &bytes, &options, &mut open)
        .map_err(|error| unread(film, folder, &bytes, &error))?;
    let left_out: Vec<String> = made.losses.iter().map(|loss| format!("left out, {loss}")).collect();
    if args.strict && !left_out.is_empty() {
        let message = format!("{}{}: nothing is written, as --strict asks", lines(&left_out), film.display());
        return Err(Failure::Failed(message));
    }
    write_both((&drawing, &made.svg), (&output, &made.rig), args.existing)?;
    Ok(noted(&left_out, &format!("{}: {}", output.display(), made.summary)))
}

fn lines(all: &[String]) -> String {
    all.iter().map(|line| format!("{line}\n")).collect()
}

/// An error with the line that it is about.
fn unread(film: &Path, folder: &Path, bytes: &[u8], error: &SynfigError) -> Failure {
    let own = error.file == file_name(film);
    let path = if own { film.to_owned() } else { folder.join(&error.file) };
    let read = || if own { Some(bytes.to_vec()) } else { Disk.read(&path).ok() };
    let text = error.place.and_then(|_| String::from_utf8(read()?).ok());
    let mut sources = Sources::new();
    let mut diagnostic = match (text, error.place) {
        (Some(text), Some((line, column))) => {
            let start: usize = text.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
            let row = text.get(start..).unwrap_or_default().lines().next().unwrap_or_default();
            let skipped: usize = row.chars().take(column as usize - 1).map(char::len_utf8).sum();
            let source = sources.add(path.display().to_string(), &*text);
            let span = Span::from_range(&(start + skipped..start + row.len().max(skipped)));
            Diagnostic::error("unreadable-recording", error.message.clone()).at(Place::new(source, span))
        }
        // Of compressed files there is no text to be shown.
        (None, Some((line, column))) => {
            let message = format!("{}:{line}:{column}: {}", path.display(), error.message);
            Diagnostic::error("unreadable-recording", message)
        }
        (_, None) => {
            Diagnostic::error("unreadable-recording", format!("{}: {}", path.display(), error.message))
        }
    };
    if let Some(help) = &error.help {
        diagnostic = diagnostic.help(help.clone());
    }
    failure(&path, diagnostic, sources)
}
