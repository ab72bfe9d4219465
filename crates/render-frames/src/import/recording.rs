//! A recording that was read, or the reason why nothing is made of it.

use std::path::{Path, PathBuf};

use bone_authoring::ShortNumber;
use bone_format::diagnostic::Place;
use bone_format::span::{Sources, Span};
use bone_format::{Diagnostic, Diagnostics};
use bone_import::{ImportError, PlanarMotion, ViewDirection};
use kurbo::Point;

/// Why no rig was written.
pub(super) enum Failure {
    /// Mistakes with their places, and the file that they are in.
    Mistakes(Box<(Diagnostics, Sources, PathBuf)>),
    Usage(String),
    Failed(String),
}

/// A planar motion with a description of its origin.
pub(super) struct Recording {
    pub(super) motion: PlanarMotion,
    /// What was assumed and repaired.
    pub(super) notes: Vec<String>,
    /// A description of the recording before any cut.
    pub(super) message: String,
    /// The options with which it was read.
    pub(super) options: Vec<String>,
    /// The ground as polylines, in the units of the motion; empty where it is level.
    pub(super) ground: Vec<Vec<Point>>,
}

pub(super) fn view_word(view: ViewDirection) -> String {
    match view {
        ViewDirection::SIDE => "side".to_owned(),
        ViewDirection::FRONT => "front".to_owned(),
        ViewDirection::BACK => "back".to_owned(),
        ViewDirection { azimuth } => ShortNumber(azimuth.degrees()).to_string(),
    }
}

/// An error in one of the files of a recording.
pub(super) fn mistake_in(path: &Path, text: Option<&str>, error: &ImportError) -> Failure {
    let mut sources = Sources::new();
    let mut diagnostic = match (text, &error.span) {
        (Some(text), Some(span)) => {
            let source = sources.add(path.display().to_string(), text);
            let place = Place::new(source, Span::from_range(span));
            Diagnostic::error("unreadable-recording", error.message.clone())
                .at(place)
                .label(error.label.clone())
        }
        _ => Diagnostic::error("unreadable-recording", format!("{}: {}", path.display(), error.message)),
    };
    if let Some(help) = &error.help {
        diagnostic = diagnostic.help(help.clone());
    }
    failure(path, diagnostic, sources)
}

pub(super) fn failure(path: &Path, diagnostic: Diagnostic, sources: Sources) -> Failure {
    let mut all = Diagnostics::new();
    all.push(diagnostic);
    Failure::Mistakes(Box::new((all, sources, path.to_owned())))
}

pub(super) fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "motion".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

pub(super) fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
