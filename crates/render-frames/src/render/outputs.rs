//! Outputs for the frames of a plan: files with a manifest beside them, or standard output.

use std::fs::File;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bone_render::{Encoding, FrameName, FrameRate, FrameSink, NumberedFiles, SinkError, Stream};

use bone_rig::FrameState;

use super::cache_key::CacheKey;
use super::manifest::{Manifest, new_tag};
use super::plan::{PlannedFrame, RenderPlan};
use crate::args::Existing;
use crate::output::FrameTarget;

/// Where frames are written.
pub(super) enum FrameOutputs {
    /// The files of each planned clip.
    ClipFiles(Vec<ClipFiles>),
    Stream(Stream<File>),
}

/// The files of one clip.
pub(super) struct ClipFiles {
    sink: NumberedFiles,
    tracked: Option<TrackedFiles>,
}

/// Files with a manifest.
struct TrackedFiles {
    run: CacheKey,
    /// Shared by clips whose frames are in one folder.
    manifest: Arc<Manifest>,
    /// Writes temporary files with the run's tag, which is valid while the manifest is locked.
    sink: NumberedFiles,
}

impl FrameOutputs {
    /// Opens the outputs of a plan. Frames get a manifest if there is a cache key.
    pub(super) fn open(
        plan: &RenderPlan<'_>,
        existing: Existing,
        cache_key: impl FnOnce() -> Option<CacheKey>,
    ) -> Result<Self, String> {
        if plan.is_stream() {
            return Self::stream(plan).map(Self::Stream);
        }
        let skip = existing == Existing::Skip;
        // Drawing a single picture is cheaper than a manifest, so it gets one only with `--existing skip`.
        let is_tracked = |target: &FrameTarget| skip || matches!(target, FrameTarget::Numbered(_));
        let cache_key = if plan.planned_clips.iter().any(|planned| is_tracked(&planned.target)) {
            cache_key()
        } else {
            None
        };
        let (tag, rate) = (new_tag(), FrameRate::nearest(plan.fps.get()));
        let mut folders: Vec<(PathBuf, Arc<Manifest>)> = Vec::new();
        let files = plan.planned_clips.iter().map(|planned| {
            let target = &planned.target;
            let sink = || {
                let target = target.clone();
                NumberedFiles::with(move |number| target.path(number)).encoded(plan.encoding)
            };
            // Two patterns may lead to one folder, which has one manifest for each run.
            let folder = target.folder().filter(|_| is_tracked(target));
            let folder = folder.map(|folder| folder.canonicalize().unwrap_or(folder));
            let tracked = folder.zip(cache_key).map(|(folder, run)| {
                let known = folders.iter().find(|(other, _)| *other == folder).map(|(_, r)| Arc::clone(r));
                let manifest = known.unwrap_or_else(|| {
                    let manifest = Arc::new(Manifest::open(&folder, &tag, rate, skip));
                    folders.push((folder, Arc::clone(&manifest)));
                    manifest
                });
                TrackedFiles { run, manifest, sink: sink().tagged(&tag) }
            });
            ClipFiles { sink: sink(), tracked }
        });
        Ok(Self::ClipFiles(files.collect()))
    }

    fn stream(plan: &RenderPlan<'_>) -> Result<Stream<File>, String> {
        let out = io::stdout();
        if out.is_terminal() && plan.encoding != Encoding::Svg {
            return Err("standard output is a terminal, and frames are not text: \
                        add `> file` or `| ffmpeg -i - out.mp4`, or write files with -o out/"
                .to_owned());
        }
        let out = unbuffered(&out).map_err(|error| format!("standard output cannot be written: {error}"))?;
        Ok(match plan.encoding {
            Encoding::Png(compress) => Stream::png(out, compress),
            Encoding::Rgba => Stream::rgba(out),
            Encoding::Y4m => Stream::y4m(out, plan.view.size, FrameRate::nearest(plan.fps.get())),
            Encoding::Svg => Stream::svg(out),
        })
    }

    /// Whether frames must be written in order.
    pub(super) fn is_ordered(&self) -> bool {
        match self {
            Self::ClipFiles(files) => files.iter().any(|files| files.sink.is_ordered()),
            Self::Stream(stream) => stream.is_ordered(),
        }
    }

    /// The cache key of a posed frame, if its file gets into a manifest.
    pub(super) fn cache_key(
        &self,
        plan: &RenderPlan<'_>,
        planned_frame: PlannedFrame<'_>,
        state: &FrameState,
    ) -> Option<u128> {
        let Self::ClipFiles(files) = self else { return None };
        Some(files[planned_frame.clip_index].tracked.as_ref()?.run.of_frame(plan, state))
    }

    /// Whether a frame with this key exists already.
    pub(super) fn has(&self, planned_frame: PlannedFrame<'_>, key: u128) -> bool {
        let Self::ClipFiles(files) = self else { return false };
        let path = || planned_frame.planned.target.path(planned_frame.number);
        let tracked = files[planned_frame.clip_index].tracked.as_ref();
        tracked.is_some_and(|tracked| tracked.manifest.has(key, &path()))
    }

    /// Writes a frame.
    pub(super) fn keep(
        &self,
        planned_frame: PlannedFrame<'_>,
        key: Option<u128>,
        bytes: &[u8],
    ) -> Result<(), SinkError> {
        let name = FrameName { number: planned_frame.number };
        let files = match self {
            Self::Stream(stream) => return stream.keep(name, bytes),
            Self::ClipFiles(files) => &files[planned_frame.clip_index],
        };
        match files.tracked.as_ref().zip(key) {
            Some((TrackedFiles { manifest, sink, .. }, key)) if manifest.begin() => {
                sink.keep(name, bytes)?;
                manifest.add(key, bytes, &planned_frame.planned.target.path(planned_frame.number));
                Ok(())
            }
            _ => files.sink.keep(name, bytes),
        }
    }

    /// Closes the manifests and returns why a manifest is incomplete, if one is.
    pub(super) fn close(&self, done: bool) -> Option<String> {
        let Self::ClipFiles(files) = self else { return None };
        let mut trouble = None;
        for tracked in files.iter().filter_map(|files| files.tracked.as_ref()) {
            // For a folder with several clips the first call closes the manifest.
            trouble = trouble.or(tracked.manifest.close(done));
        }
        trouble
    }

    /// The place as it is printed.
    pub(super) fn shown(&self, plan: &RenderPlan<'_>) -> String {
        let folder = plan.planned_clips.first().and_then(|planned| planned.target.folder());
        folder.as_deref().map_or_else(|| "standard output".to_owned(), shown)
    }
}

fn shown(folder: &Path) -> String {
    format!("{}/", folder.display()).replace("//", "/")
}

/// Standard output without its buffer, which looks for line ends in pictures. A pipe takes as much at a time as a user
/// may ask for: its reader is awakened less often.
fn unbuffered(out: &io::Stdout) -> io::Result<File> {
    #[cfg(unix)]
    let out = std::os::fd::AsFd::as_fd(out).try_clone_to_owned()?;
    #[cfg(windows)]
    let out = std::os::windows::io::AsHandle::as_handle(out).try_clone_to_owned()?;
    // What is no pipe has no size, and a system may allow less: frames are written all the same.
    #[cfg(target_os = "linux")]
    let _ = rustix::pipe::fcntl_setpipe_size(&out, 1 << 20);
    Ok(File::from(out))
}
