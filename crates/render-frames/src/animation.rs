//! One file of all frames: an animation, a video, a sprite sheet. The frames come from a [`FrameSource`]:
//! they are drawn, or read from files, by all threads, and added in order. Some formats need two passes over
//! the frames, for their colours: frames are kept as long as they take little memory, and the others are made
//! twice.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bone_export::{
    Animation, Atlas, AtlasBuilder, AtlasOptions, AtlasTrim, ExportError, ExportEvent, FileFormat, FilmSound,
    FormatKind, FrameWriter, PixelSize, PlayRate, VideoFormat, VideoOptions,
};
use bone_render::{SinkError, WholeFile};

use crate::args::{AnimationArgs, Dither, ProgressKind, Trim};
use crate::container::page_file;
use crate::pool::Pool;
use crate::progress::Progress;
use crate::report::print_line;
use crate::video::VideoPipe;

/// Frames that are kept between two passes take at most this many bytes.
const KEPT_BYTES: usize = 256 << 20;

/// Frames of one size, which may be made in any order, several at a time and more than once.
pub(crate) trait FrameSource: Sync {
    /// The memory of one thread.
    type Scratch;

    /// The clips, each with its file. Those of one sheet are next to each other.
    fn clips(&self) -> Vec<SourceClip>;

    /// The number of a frame as it is reported.
    fn number(&self, clip: usize, at: usize) -> u64;

    fn scratch(&self) -> Self::Scratch;

    /// Makes a frame: straight RGBA, row by row.
    ///
    /// # Errors
    /// The reason, with the name of the frame.
    fn frame(
        &self,
        scratch: &mut Self::Scratch,
        clip: usize,
        at: usize,
        pixels: &mut Vec<u8>,
    ) -> Result<(), String>;
}

/// The frames of a clip.
pub(crate) struct SourceClip {
    pub(crate) name: String,
    pub(crate) frames: usize,
    pub(crate) looped: bool,
    /// For the files that have them.
    pub(crate) events: Vec<ExportEvent>,
    /// For videos.
    pub(crate) sounds: Vec<FilmSound>,
    /// Where they are written.
    pub(crate) path: PathBuf,
}

/// How frames become a file.
pub(crate) struct AnimationJob<'a> {
    pub(crate) format: &'static FileFormat,
    pub(crate) options: &'a AnimationArgs,
    pub(crate) size: PixelSize,
    pub(crate) rate: PlayRate,
    /// The colour behind all frames, if no pixel can be transparent.
    pub(crate) background: Option<[u8; 3]>,
    /// Whether no pixel is transparent, whatever is behind.
    pub(crate) opaque: bool,
    /// The pivot of sprites in pixels.
    pub(crate) pivot: Option<(f64, f64)>,
    /// Threads.
    pub(crate) jobs: usize,
    pub(crate) progress: ProgressKind,
    pub(crate) quiet: bool,
    /// Set by Ctrl-C.
    pub(crate) stop: &'a AtomicBool,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AnimationTally {
    pub(crate) frames: u64,
    pub(crate) bytes: u64,
    /// Frames that lost their alpha.
    pub(crate) flattened: u64,
}

/// Why a file was not finished.
pub(crate) enum Ended {
    Interrupted,
    Failed(String),
}

/// Writes the files of all clips.
pub(crate) fn write_all<S: FrameSource>(
    source: &S,
    job: &AnimationJob<'_>,
) -> (AnimationTally, Result<(), Ended>) {
    let clips = source.clips();
    let count = clips.iter().map(|clip| clip.frames as u64).sum();
    let progress = Progress::new(job.progress, job.quiet, count);
    let run = AnimationRun { source, clips, job, tally: Mutex::default(), progress };
    let done = match job.format.kind {
        FormatKind::Sheet(texts) => run.sheet(texts),
        _ => (0..run.clips.len()).try_for_each(|clip| run.clip(clip)),
    };
    run.progress.stop();
    let done = match done {
        // Ctrl-C ends ffmpeg, too.
        Err(Ended::Failed(_)) if job.stop.load(Ordering::Relaxed) => Err(Ended::Interrupted),
        done => done,
    };
    (run.tally.into_inner().unwrap_or_else(PoisonError::into_inner), done)
}

impl From<SinkError> for Ended {
    fn from(error: SinkError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<String> for Ended {
    fn from(message: String) -> Self {
        Self::Failed(message)
    }
}

struct AnimationRun<'a, S> {
    source: &'a S,
    clips: Vec<SourceClip>,
    job: &'a AnimationJob<'a>,
    tally: Mutex<AnimationTally>,
    progress: Progress,
}

/// The first frames of a clip, kept between two passes. Frames that are the same share their memory.
#[derive(Default)]
struct KeptFrames {
    frames: Vec<Arc<[u8]>>,
    bytes: usize,
    full: bool,
}

impl KeptFrames {
    fn add(&mut self, frame: &[u8]) {
        if self.full {
            return;
        }
        match self.frames.last() {
            Some(last) if **last == *frame => self.frames.push(Arc::clone(last)),
            _ if self.bytes + frame.len() > KEPT_BYTES => self.full = true,
            _ => {
                self.bytes += frame.len();
                self.frames.push(frame.into());
            }
        }
    }
}

impl<S: FrameSource> AnimationRun<'_, S> {
    fn clip(&self, clip: usize) -> Result<(), Ended> {
        match self.job.format.kind {
            FormatKind::Frames { writer, looks, most_fps } => self.animation(clip, writer, looks, most_fps),
            FormatKind::Video(format) => self.video(clip, format),
            FormatKind::Sheet(_) | FormatKind::Vector { .. } | FormatKind::Layers { .. } => Ok(()),
        }
    }

    fn animation(
        &self,
        clip: usize,
        writer: fn(&Animation) -> Result<Box<dyn FrameWriter>, ExportError>,
        looks: bool,
        most_fps: Option<u32>,
    ) -> Result<(), Ended> {
        let SourceClip { frames, path, .. } = &self.clips[clip];
        let AnimationJob { format, options, size, rate, jobs: threads, .. } = *self.job;
        let whole = Animation::new(size, *frames as u64, rate);
        let animation = Animation {
            plays: options.plays(),
            colours: options.colours.unwrap_or(whole.colours),
            dither: options.dither == Some(Dither::Ordered),
            matte: options.matte.map(|matte| matte.0),
            threads,
            ..whole
        };
        let error = |error| file_error(path, error);
        let mut writer = writer(&animation).map_err(error)?;
        let shown: Vec<usize> = (0..).map_while(|at| writer.shown(at)).collect();
        if let Some(most) = most_fps.filter(|_| shown.len() < *frames && !self.job.quiet) {
            let (name, count, file) = (format.name, shown.len(), path.display());
            print_line(&format!(
                "note: {name} has at most {most} frames a second: {count} of the {frames} frames are in {file}"
            ));
        }
        let kept = match looks {
            true => self.look(clip, &shown, |frame| writer.look(frame))?,
            false => KeptFrames::default(),
        };
        let mut file = WholeFile::create(path)?;
        self.add(clip, &shown, kept, |frame| writer.push(frame, &mut file).map_err(error))?;
        writer.finish(&mut file).map_err(error)?;
        self.finish(file)
    }

    fn video(&self, clip: usize, format: VideoFormat) -> Result<(), Ended> {
        let SourceClip { frames, path, sounds, .. } = &self.clips[clip];
        let AnimationJob { options, size, rate, background, opaque, .. } = *self.job;
        let alpha = format.has_alpha() && !opaque;
        let matte = options.matte.map_or([0; 3], |matte| matte.0);
        let quality = options.quality.unwrap_or(bone_export::VIDEO_QUALITY);
        let padding = background.unwrap_or(matte);
        let options = VideoOptions { format, size, rate, alpha, quality, padding };
        let mut pipe = VideoPipe::start(path, &options, sounds, *frames as u64)?;
        let mut packed = Vec::new();
        let mut flattened = 0;
        self.add(clip, &(0..*frames).collect::<Vec<_>>(), KeptFrames::default(), |frame| {
            if alpha {
                return pipe.write(frame).map_err(Ended::from);
            }
            packed.clear();
            let mut any = false;
            for pixel in frame.as_chunks::<4>().0 {
                any |= pixel[3] < 255;
                packed.extend_from_slice(&bone_export::flatten(*pixel, matte));
            }
            flattened += u64::from(any);
            pipe.write(&packed).map_err(Ended::from)
        })?;
        self.tally().flattened += flattened;
        self.finish(pipe.finish()?)
    }

    /// Writes the sheets. `texts` has the places of the sprites.
    fn sheet(&self, texts: fn(&Atlas, &[String], &[String]) -> Vec<String>) -> Result<(), Ended> {
        let AnimationJob { options, size, rate, pivot, .. } = *self.job;
        let whole = AtlasOptions::default();
        let atlas_options = AtlasOptions {
            trim: if options.trim == Some(Trim::Frame) { AtlasTrim::Frame } else { AtlasTrim::Clip },
            extrude: options.extrude.map_or(whole.extrude, u32::from),
            padding: options.padding.map_or(whole.padding, u32::from),
            power_of_two: options.power_of_two,
            max_side: options.max_side.unwrap_or(whole.max_side),
            pivot,
        };
        // Clips that go into one file; `{clip}` in the name makes a sheet of each.
        let clips = &self.clips;
        let mut from = 0;
        while from < clips.len() {
            let path = &clips[from].path;
            let to = from + clips[from..].iter().take_while(|clip| clip.path == *path).count();
            let mut builder = AtlasBuilder::new(size, atlas_options);
            for (clip, SourceClip { name, frames, looped, events, .. }) in
                clips.iter().enumerate().take(to).skip(from)
            {
                builder.clip(name, rate, *looped);
                builder.events(events.clone());
                let all: Vec<usize> = (0..*frames).collect();
                self.add(clip, &all, KeptFrames::default(), |frame| {
                    builder.push(frame).map_err(|error| file_error(path, error))
                })?;
            }
            let atlas = builder.build().map_err(|error| file_error(path, error))?;
            let ending = path.extension().unwrap_or_default().to_string_lossy();
            let files = |ending: &str| -> Vec<PathBuf> {
                (0..atlas.page_count()).map(|page| page_file(path, page, ending)).collect()
            };
            let (images, data) = (files("png"), files(&ending));
            let names = |files: &[PathBuf]| -> Vec<String> {
                let name =
                    |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                files.iter().map(name).collect()
            };
            // All get their names at the end: data without its pages, or the other way round, is no sheet.
            let mut written = Vec::new();
            for (page, image) in images.iter().enumerate() {
                let png = atlas.page(page).png().map_err(|error| file_error(path, error))?;
                written.push(unnamed(image, &png)?);
            }
            for (file, text) in data.iter().zip(texts(&atlas, &names(&images), &names(&data))) {
                written.push(unnamed(file, text.as_bytes())?);
            }
            written.into_iter().try_for_each(|file| self.finish(file))?;
            from = to;
        }
        Ok(())
    }

    fn finish(&self, file: WholeFile) -> Result<(), Ended> {
        let bytes = file.finish()?;
        self.tally().bytes += bytes;
        Ok(())
    }

    fn tally(&self) -> std::sync::MutexGuard<'_, AnimationTally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first of two passes.
    fn look(
        &self,
        clip: usize,
        frames: &[usize],
        mut each: impl FnMut(&[u8]) + Send,
    ) -> Result<KeptFrames, Ended> {
        let progress = Progress::new(self.job.progress, self.job.quiet, frames.len() as u64);
        let mut kept = KeptFrames::default();
        let done = self.make(clip, frames, |at, frame| {
            each(frame);
            kept.add(frame);
            progress.counted(&self.clips[clip].name, self.source.number(clip, at));
            Ok(())
        });
        progress.stop();
        done.map(|()| kept)
    }

    /// Adds frames to a file: those that are kept, then those that are drawn.
    fn add(
        &self,
        clip: usize,
        frames: &[usize],
        kept: KeptFrames,
        mut each: impl FnMut(&[u8]) -> Result<(), Ended> + Send,
    ) -> Result<(), Ended> {
        let SourceClip { name, path, .. } = &self.clips[clip];
        let added = |at: usize| {
            self.tally().frames += 1;
            self.progress.added(name, self.source.number(clip, at), path);
        };
        let KeptFrames { frames: kept, .. } = kept;
        let (first, rest) = frames.split_at(kept.len().min(frames.len()));
        for (at, frame) in first.iter().zip(kept) {
            if self.job.stop.load(Ordering::Relaxed) {
                return Err(Ended::Interrupted);
            }
            each(&frame)?;
            added(*at);
        }
        self.make(clip, rest, |at, frame| {
            each(frame)?;
            added(at);
            Ok(())
        })
    }

    /// Makes frames of a clip and hands them over in order.
    fn make(
        &self,
        clip: usize,
        frames: &[usize],
        each: impl FnMut(usize, &[u8]) -> Result<(), Ended> + Send,
    ) -> Result<(), Ended> {
        let each = Mutex::new(each);
        let make = |scratch: &mut S::Scratch, at: usize, pixels: &mut Vec<u8>| {
            self.source.frame(scratch, clip, frames[at], pixels).map_err(Ended::Failed)
        };
        let hand_over = |at: usize, (), pixels: &[u8]| {
            let mut each = each.lock().unwrap_or_else(PoisonError::into_inner);
            each(frames[at], pixels)
        };
        let AnimationJob { jobs, stop, .. } = *self.job;
        let pool = Pool { tasks: frames.len(), jobs, ordered: true, stop };
        pool.run(|| self.source.scratch(), make, hand_over).map_err(|(_, ended)| ended)?;
        if stop.load(Ordering::Relaxed) { Err(Ended::Interrupted) } else { Ok(()) }
    }
}

/// A file that has these bytes, and its name only when it is finished.
fn unnamed(path: &Path, bytes: &[u8]) -> Result<WholeFile, SinkError> {
    use std::io::Write as _;
    let mut file = WholeFile::create(path)?;
    file.write_all(bytes).map_err(|source| file.error(source))?;
    Ok(file)
}

/// An error that belongs to a file.
fn file_error(path: &Path, error: ExportError) -> Ended {
    Ended::from(match error {
        ExportError::Write(source) => SinkError::in_file(path, source).to_string(),
        error => format!("cannot write {}: {error}", path.display()),
    })
}
