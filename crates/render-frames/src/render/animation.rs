//! One file of all frames: an animation, a video, a sprite sheet. Frames are drawn by all threads and added
//! in order. A GIF and an animated PNG need two passes over the frames, for their colours: frames are kept as
//! long as they take little memory, and the others are drawn twice.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ::render::{FrameRate, SinkError, WholeFile};
use export::{
    ApngColours, ApngWriter, AtlasBuilder, AtlasOptions, AtlasTrim, ExportError, GifColours, GifOptions,
    GifTiming, GifWriter, PixelSize, PlayRate, VideoFormat, VideoOptions, WebpWriter,
};
use rig::Rig;

use super::draw::{FrameReport, ThreadScratch};
use super::plan::RenderPlan;
use super::pool::Pool;
use super::video::VideoPipe;
use super::{RenderFailure, RenderResult, Tally, trouble};
use crate::args::{AnimationArgs, Dither, RenderArgs, Trim};
use crate::container::{Container, page_file};
use crate::progress::Progress;

/// Frames that are kept between two passes take at most this many bytes.
const KEPT_BYTES: usize = 256 << 20;

/// Writes the files of all clips.
pub(super) fn write_all(
    plan: &RenderPlan<'_>,
    container: Container,
    args: &RenderArgs,
    stop: &AtomicBool,
) -> RenderResult {
    let run = AnimationRun {
        plan,
        container,
        options: &args.animation,
        args,
        stop,
        tally: Mutex::default(),
        progress: Progress::new(args.progress, args.quiet, plan.count() as u64),
    };
    let done = if container.is_sheet() {
        run.sheet()
    } else {
        (0..plan.planned_clips.len()).try_for_each(|clip| run.clip(clip))
    };
    run.progress.stop();
    let (interrupted, trouble) = match done {
        Ok(()) => (false, None),
        Err(Ended::Interrupted) => (true, None),
        // Ctrl-C ends ffmpeg, too.
        Err(Ended::Failed(_)) if stop.load(Ordering::Relaxed) => (true, None),
        Err(Ended::Failed(failure)) => (false, Some(failure)),
    };
    RenderResult {
        tally: run.tally.into_inner().unwrap_or_else(PoisonError::into_inner),
        trouble,
        interrupted,
    }
}

/// Why a file was not finished.
enum Ended {
    Interrupted,
    Failed(RenderFailure),
}

impl From<SinkError> for Ended {
    fn from(error: SinkError) -> Self {
        Self::Failed(RenderFailure::Words(error.to_string()))
    }
}

impl From<String> for Ended {
    fn from(message: String) -> Self {
        Self::Failed(RenderFailure::Words(message))
    }
}

struct AnimationRun<'a> {
    plan: &'a RenderPlan<'a>,
    container: Container,
    options: &'a AnimationArgs,
    args: &'a RenderArgs,
    stop: &'a AtomicBool,
    tally: Mutex<Tally>,
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

impl AnimationRun<'_> {
    fn size(&self) -> PixelSize {
        PixelSize { width: self.plan.options.size.width(), height: self.plan.options.size.height() }
    }

    fn rate(&self) -> PlayRate {
        let FrameRate { numerator, denominator } = FrameRate::nearest(self.plan.fps.get());
        PlayRate { frames: numerator, seconds: denominator }
    }

    /// Whether no pixel can be transparent.
    fn is_opaque(&self) -> bool {
        self.plan.options.background.is_some_and(|background| background.rgba[3] == 255)
    }

    fn clip(&self, clip: usize) -> Result<(), Ended> {
        let planned = &self.plan.planned_clips[clip];
        let path = planned.target.path(0);
        let (count, rate, size) = (planned.frames.len() as u64, self.rate(), self.size());
        let all: Vec<usize> = (0..planned.frames.len()).collect();
        let plays = self.options.plays();
        let (threads, clip_frames) = (self.plan.jobs, (count, rate));
        match self.container {
            Container::Gif => {
                let timing = GifTiming::new(count, rate);
                if timing.shown() < count && !self.args.quiet {
                    crate::report::print_line(&format!(
                        "note: a GIF has at most 50 frames a second: {} of the {count} frames are in {}",
                        timing.shown(),
                        path.display()
                    ));
                }
                let shown: Vec<usize> = (0..timing.shown())
                    .map(|shown| usize::try_from(timing.frame(shown)).unwrap_or(usize::MAX))
                    .collect();
                let options = GifOptions {
                    colours: self.options.colours.unwrap_or(256),
                    dither: self.options.dither == Some(Dither::Ordered),
                    matte: self.options.matte.map(|matte| matte.0),
                };
                let mut colours = GifColours::new(options);
                let kept = self.count(clip, &shown, |frame| colours.add(frame))?;
                let file = WholeFile::create(&path)?;
                let error = |error| file_error(&path, error);
                let mut writer =
                    GifWriter::new(file, size, timing, colours.palette(), plays, threads).map_err(error)?;
                self.add(clip, &shown, kept, |frame| writer.push(frame).map_err(error))?;
                self.finish(writer.finish().map_err(error)?)
            }
            Container::Apng => {
                let mut colours = ApngColours::new();
                let kept = self.count(clip, &all, |frame| colours.add(frame))?;
                let file = WholeFile::create(&path)?;
                let error = |error| file_error(&path, error);
                let mut writer = ApngWriter::new(file, size, clip_frames, colours.form(), plays, threads)
                    .map_err(error)?;
                self.add(clip, &all, kept, |frame| writer.push(frame).map_err(error))?;
                self.finish(writer.finish().map_err(error)?)
            }
            Container::Webp => {
                let file = WholeFile::create(&path)?;
                let error = |error| file_error(&path, error);
                let mut writer = WebpWriter::new(file, size, clip_frames, plays, threads).map_err(error)?;
                self.add(clip, &all, KeptFrames::default(), |frame| writer.push(frame).map_err(error))?;
                self.finish(writer.finish().map_err(error)?)
            }
            Container::Mp4 => self.video(clip, &all, VideoFormat::Mp4),
            Container::Webm => self.video(clip, &all, VideoFormat::Webm),
            Container::Mov => self.video(clip, &all, VideoFormat::Mov),
            Container::SheetJson | Container::SheetTres => Ok(()),
        }
    }

    fn video(&self, clip: usize, frames: &[usize], format: VideoFormat) -> Result<(), Ended> {
        let path = self.plan.planned_clips[clip].target.path(0);
        let alpha = format != VideoFormat::Mp4 && !self.is_opaque();
        let matte = self.options.matte.map_or([0; 3], |matte| matte.0);
        let background = self.plan.options.background.filter(|background| background.rgba[3] == 255);
        let padding = background.map_or(matte, |background| {
            let [red, green, blue, _] = background.rgba;
            [red, green, blue]
        });
        let quality = self.options.quality.unwrap_or(export::VIDEO_QUALITY);
        let options = VideoOptions { format, size: self.size(), rate: self.rate(), alpha, quality, padding };
        let mut pipe = VideoPipe::start(&path, &options)?;
        let mut packed = Vec::new();
        let mut flattened = 0;
        self.add(clip, frames, KeptFrames::default(), |frame| {
            if alpha {
                return pipe.write(frame).map_err(Ended::from);
            }
            packed.clear();
            let mut any = false;
            for pixel in frame.as_chunks::<4>().0 {
                any |= pixel[3] < 255;
                packed.extend_from_slice(&export::flatten(*pixel, matte));
            }
            flattened += u64::from(any);
            pipe.write(&packed).map_err(Ended::from)
        })?;
        self.tally().flattened += flattened;
        self.finish(pipe.finish()?)
    }

    fn sheet(&self) -> Result<(), Ended> {
        let options = self.options;
        let pivot = options.pivot.as_deref().map(|bone| pivot(self.plan, bone)).transpose()?;
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
        let clips = &self.plan.planned_clips;
        let mut from = 0;
        while from < clips.len() {
            let path = clips[from].target.path(0);
            let to = from + clips[from..].iter().take_while(|clip| clip.target.path(0) == path).count();
            let mut builder = AtlasBuilder::new(self.size(), atlas_options);
            for clip in from..to {
                let planned = &clips[clip];
                builder.clip(planned.name(), self.rate(), planned.clip.is_none_or(|clip| clip.time().looped));
                let all: Vec<usize> = (0..planned.frames.len()).collect();
                self.add(clip, &all, KeptFrames::default(), |frame| {
                    builder.push(frame).map_err(|error| file_error(&path, error))
                })?;
            }
            let atlas = builder.build().map_err(|error| file_error(&path, error))?;
            let pages = 0..atlas.page_count();
            let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let images: Vec<String> =
                pages.clone().map(|page| name(&page_file(&path, page, "png"))).collect();
            for page in pages.clone() {
                let png = atlas.page(page).png().map_err(|error| file_error(&path, error))?;
                self.bytes(&page_file(&path, page, "png"), &png)?;
            }
            if self.container == Container::SheetTres {
                self.bytes(&path, atlas.tres(&images).as_bytes())?;
            } else {
                let data: Vec<String> =
                    pages.clone().map(|page| name(&page_file(&path, page, "json"))).collect();
                for page in pages {
                    self.bytes(&page_file(&path, page, "json"), atlas.json(page, &images, &data).as_bytes())?;
                }
            }
            from = to;
        }
        Ok(())
    }

    fn bytes(&self, path: &Path, bytes: &[u8]) -> Result<(), Ended> {
        use std::io::Write as _;
        let mut file = WholeFile::create(path)?;
        file.write_all(bytes).map_err(|source| file.error(source))?;
        self.finish(file)
    }

    fn finish(&self, file: WholeFile) -> Result<(), Ended> {
        let bytes = file.finish()?;
        self.tally().bytes += bytes;
        Ok(())
    }

    fn tally(&self) -> std::sync::MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first of two passes.
    fn count(
        &self,
        clip: usize,
        frames: &[usize],
        mut each: impl FnMut(&[u8]) + Send,
    ) -> Result<KeptFrames, Ended> {
        let progress = Progress::new(self.args.progress, self.args.quiet, frames.len() as u64);
        let mut kept = KeptFrames::default();
        let done = self.draw(clip, frames, |at, _, frame| {
            each(frame);
            kept.add(frame);
            progress.counted(self.plan.planned_clips[clip].name(), self.plan.frame_of(clip, at).frame);
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
        let planned = &self.plan.planned_clips[clip];
        let path = planned.target.path(0);
        let added = |at: usize| {
            self.tally().frames += 1;
            self.progress.added(planned.name(), self.plan.frame_of(clip, at).frame, &path);
        };
        let KeptFrames { frames: kept, .. } = kept;
        let (first, rest) = frames.split_at(kept.len().min(frames.len()));
        for (at, frame) in first.iter().zip(kept) {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Ended::Interrupted);
            }
            each(&frame)?;
            added(*at);
        }
        self.draw(clip, rest, |at, _, frame| {
            each(frame)?;
            added(at);
            Ok(())
        })
    }

    /// Draws frames of a clip and hands them over in order.
    fn draw(
        &self,
        clip: usize,
        frames: &[usize],
        each: impl FnMut(usize, FrameReport, &[u8]) -> Result<(), Ended> + Send,
    ) -> Result<(), Ended> {
        let each = Mutex::new(each);
        let make = |scratch: &mut Option<ThreadScratch>, at: usize, bytes: &mut Vec<u8>| {
            let planned_frame = self.plan.frame_of(clip, frames[at]);
            let scratch = scratch.get_or_insert_with(|| ThreadScratch::new(self.plan));
            let report = scratch.frame(self.plan, planned_frame, bytes);
            report.map_err(|message| Ended::Failed(trouble(planned_frame, &message)))
        };
        let hand_over = |at: usize, report: FrameReport, bytes: &[u8]| {
            let mut tally = self.tally();
            tally.skipped += u64::from(report.skipped);
            tally.groups_by_resvg += report.groups_by_resvg as u64;
            tally.fell_back += u64::from(report.fell_back);
            drop(tally);
            let mut each = each.lock().unwrap_or_else(PoisonError::into_inner);
            each(frames[at], report, bytes)
        };
        let pool = Pool { tasks: frames.len(), jobs: self.plan.jobs, ordered: true, stop: self.stop };
        pool.run(|| None, make, hand_over).map_err(|(_, ended)| ended)?;
        if self.stop.load(Ordering::Relaxed) { Err(Ended::Interrupted) } else { Ok(()) }
    }
}

/// An error that belongs to a file.
fn file_error(path: &Path, error: ExportError) -> Ended {
    Ended::from(match error {
        ExportError::Write(source) => SinkError::in_file(path, source).to_string(),
        error => format!("cannot write {}: {error}", path.display()),
    })
}

/// The start of a bone at rest, in pixels of the frame.
fn pivot(plan: &RenderPlan<'_>, bone: &str) -> Result<(f64, f64), String> {
    let scene: &Rig = plan.scene;
    let skeleton = scene.skeleton();
    let Some(found) = skeleton.find(bone) else {
        let near = rig_format::diagnostic::nearest(bone, skeleton.bones().map(|id| skeleton.name(id)));
        let near = near.map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
        return Err(format!("the rig has no bone called \"{bone}\" for --pivot{near}"));
    };
    let to_pixels = plan.options.size.fit(scene.art().size()) * scene.art().canvas_to_output();
    let at = to_pixels * skeleton.setup_origin(found);
    Ok((at.x, at.y))
}
