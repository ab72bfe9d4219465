//! Where the frames of a plan go: files with records beside them, or standard output.
//! Refuses to draw: it is given bytes, or asked whether they are there already.

use std::io::{self, IsTerminal as _, Stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::render::{Encoding, FrameName, FrameRate, FrameSink, NumberedFiles, SinkError, Stream};

use super::fingerprint::Fingerprint;
use super::plan::{Piece, Plan};
use super::records::{Records, new_tag};
use crate::args::Existing;
use crate::output::Target;

/// Where frames go.
pub(super) enum Ways {
    /// A way for each shot of the plan.
    Files(Vec<Files>),
    Stream(Stream<Stdout>),
}

/// The files of a shot.
pub(super) struct Files {
    sink: NumberedFiles,
    noted: Option<Noted>,
}

/// Files that are noted.
struct Noted {
    run: Fingerprint,
    /// Shared by the shots whose frames are in one folder.
    records: Arc<Records>,
    /// Its temporary files are known by the run's word, as long as its records are there to say that it is at work.
    sink: NumberedFiles,
}

impl Ways {
    /// Opens what the frames of a plan go to. Frames are remembered if there is a fingerprint to know them by.
    pub(super) fn open(
        plan: &Plan<'_>,
        existing: Existing,
        fingerprint: impl FnOnce() -> Option<Fingerprint>,
    ) -> Result<Self, String> {
        if plan.is_stream() {
            return Self::stream(plan).map(Self::Stream);
        }
        let skip = existing == Existing::Skip;
        // A single picture is drawn sooner than a folder of records pays, unless somebody asks for it.
        let remembers = |target: &Target| skip || matches!(target, Target::Numbered(_));
        let fingerprint =
            if plan.shots.iter().any(|shot| remembers(&shot.target)) { fingerprint() } else { None };
        let tag = new_tag();
        let mut folders: Vec<(PathBuf, Arc<Records>)> = Vec::new();
        let files = plan.shots.iter().map(|shot| {
            let target = &shot.target;
            let sink = || {
                let target = target.clone();
                NumberedFiles::with(move |number| target.path(number)).encoded(plan.encoding)
            };
            // Two names may lead to one folder, which has one file of records a run.
            let folder = target.folder().filter(|_| remembers(target));
            let folder = folder.map(|folder| folder.canonicalize().unwrap_or(folder));
            let noted = folder.zip(fingerprint).map(|(folder, run)| {
                let known = folders.iter().find(|(other, _)| *other == folder).map(|(_, r)| Arc::clone(r));
                let records = known.unwrap_or_else(|| {
                    let records = Arc::new(Records::open(&folder, &tag, skip));
                    folders.push((folder, Arc::clone(&records)));
                    records
                });
                Noted { run, records, sink: sink().tagged(&tag) }
            });
            Files { sink: sink(), noted }
        });
        Ok(Self::Files(files.collect()))
    }

    fn stream(plan: &Plan<'_>) -> Result<Stream<Stdout>, String> {
        let out = io::stdout();
        if out.is_terminal() && plan.encoding != Encoding::Svg {
            return Err("standard output is a terminal, and frames are no text: \
                        add `> file` or `| ffmpeg -i - out.mp4`, or write files with -o out/"
                .to_owned());
        }
        Ok(match plan.encoding {
            Encoding::Png(compress) => Stream::png(out, compress),
            Encoding::Rgba => Stream::rgba(out),
            Encoding::Y4m => Stream::y4m(out, plan.options.size, FrameRate::nearest(plan.fps.get())),
            Encoding::Svg => Stream::svg(out),
        })
    }

    /// Whether frames must come one after the other.
    pub(super) fn is_ordered(&self) -> bool {
        match self {
            Self::Files(files) => files.iter().any(|files| files.sink.is_ordered()),
            Self::Stream(stream) => stream.is_ordered(),
        }
    }

    /// Whether a frame is there already, as it would be drawn.
    pub(super) fn has(&self, piece: Piece<'_>) -> bool {
        let Self::Files(files) = self else { return false };
        let path = || piece.shot.target.path(piece.number);
        let noted = files[piece.shot_at].noted.as_ref();
        noted.is_some_and(|noted| noted.records.has(noted.run.of_frame(piece), &path()))
    }

    /// Keeps a frame.
    pub(super) fn keep(&self, piece: Piece<'_>, bytes: &[u8]) -> Result<(), SinkError> {
        let name = FrameName { number: piece.number };
        let files = match self {
            Self::Stream(stream) => return stream.keep(name, bytes),
            Self::Files(files) => &files[piece.shot_at],
        };
        match &files.noted {
            Some(Noted { run, records, sink }) if records.begin() => {
                sink.keep(name, bytes)?;
                records.add(run.of_frame(piece), bytes, &piece.shot.target.path(piece.number));
                Ok(())
            }
            _ => files.sink.keep(name, bytes),
        }
    }

    /// Ends the records; says why frames may not be known again.
    pub(super) fn close(&self, done: bool) -> Option<String> {
        let Self::Files(files) = self else { return None };
        let mut trouble = None;
        for noted in files.iter().filter_map(|files| files.noted.as_ref()) {
            // Of a folder with several shots the first time counts.
            trouble = trouble.or(noted.records.close(done));
        }
        trouble
    }

    /// What people call the place.
    pub(super) fn shown(&self, plan: &Plan<'_>) -> String {
        let folder = plan.shots.first().and_then(|shot| shot.target.folder());
        folder.as_deref().map_or_else(|| "standard output".to_owned(), shown)
    }
}

fn shown(folder: &Path) -> String {
    format!("{}/", folder.display()).replace("//", "/")
}
