//! `--for`: a clip as a file that a service takes. Rates, colours and qualities are tried, the best first, until a
//! file is within its bytes; what was written is read again before it gets its name.

use std::io::{Cursor, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bone_export::vector::{Loss, VectorOptions, sticker_bytes};
use bone_export::{
    Animation, DeliveredFacts, DeliveryLevel, DeliveryTarget, ExportError, FileFormat, FormatKind, PixelSize,
    PlayRate, Plays, VideoFormat, VideoOptions, reduce_colours,
};
use bone_render::{FrameRate, FrameSize, Viewport, WholeFile};
use bone_rig::Rig;
use kurbo::Affine;

use super::draw::{FrameReport, ThreadScratch};
use super::plan::RenderPlan;
use super::{in_frame, usage, vector, warn_of_skipped};
use crate::animation::Ended;
use crate::args::RenderArgs;
use crate::exit::Exit;
use crate::frames::{Fps, Selection};
use crate::interrupt;
use crate::output::Output;
use crate::pool::Pool;
use crate::progress::Progress;
use crate::report::print_line;
use crate::video::{self, VideoPipe};

/// All frames of a clip are in memory while files are tried: at most this many bytes of them.
const MOST_BYTES: usize = 1 << 30;

/// The arguments of a render for a target: its size and its rate.
pub(super) fn arguments(
    args: &RenderArgs,
    target: &'static DeliveryTarget,
    scene: &Rig,
) -> Result<RenderArgs, String> {
    let mut args = args.clone();
    let ending = target.ending;
    let output = Path::new(&*args.output).extension().map(|ending| ending.to_string_lossy().to_lowercase());
    // An animated PNG has both.
    let animate = FileFormat::find(ending).is_some_and(|format| format.has("animate"));
    args.animation.animate = animate && output.as_deref() == Some("png");
    if output.as_deref() != Some(ending) && !args.animation.animate {
        return Err(format!("a {} is a .{ending}: write -o walk.{ending}", target.label));
    }
    let animation = &args.animation;
    let set = [
        (animation.plays.is_some(), "loop"),
        (animation.colours.is_some(), "colours"),
        (animation.quality.is_some(), "quality"),
        (animation.tolerance.is_some(), "tolerance"),
        (animation.sheet, "sheet"),
        (args.scale.to_bits() != 1.0_f64.to_bits(), "scale"),
    ];
    if let Some((_, option)) = set.into_iter().find(|(given, _)| *given) {
        return Err(format!("--{option} does not go with --for {}, which chooses it", target.name));
    }
    if args.size.is_none() && args.view.width.is_none() && args.view.height.is_none() {
        let (width, height) = target.size;
        let page = scene.art().size();
        let shaped = target.shaped && !args.view.is_part();
        let size = match shaped {
            true => FrameSize::from_scale(page, f64::from(width) / page.width.max(page.height)),
            false => FrameSize::new(width, height),
        };
        args.size = Some(size.map_err(|error| error.to_string())?);
    }
    let fps = args.fps.map_or_else(|| scene.fps(), |fps| fps.get());
    args.fps = Some(Fps::new(fps));
    Ok(args)
}

/// Writes the file of each planned clip.
pub(super) fn write_all(plan: &RenderPlan<'_>, args: &RenderArgs, target: &'static DeliveryTarget) -> Exit {
    let size = pixels(plan);
    if !(target.fits)(size.width, size.height) {
        let (label, sizes) = (target.label, target.sizes);
        return usage(&format!("a {label} is {sizes} pixels, and --size is {size}"));
    }
    let stop = interrupt::flag();
    for clip in 0..plan.planned_clips.len() {
        let mut search = DeliverySearch { plan, args, target, clip, stop: &stop, tries: Vec::new() };
        match search.run() {
            Ok(()) => {}
            Err(Ended::Interrupted) => {
                print_line("interrupted: the file was not finished, and nothing of it is left");
                return Exit::Interrupted;
            }
            Err(Ended::Failed(message)) => {
                print_line(&message);
                return Exit::Failed;
            }
        }
    }
    Exit::Fine
}

/// The search for a file of one clip.
struct DeliverySearch<'a> {
    plan: &'a RenderPlan<'a>,
    args: &'a RenderArgs,
    target: &'static DeliveryTarget,
    /// The index of the clip in the plan.
    clip: usize,
    stop: &'a AtomicBool,
    /// What was tried, a line each.
    tries: Vec<String>,
}

/// What is tried at one rate.
struct DeliveryFrames<'a> {
    rate: f64,
    plan: RenderPlan<'a>,
    /// None for outlines.
    frames: Vec<Arc<[u8]>>,
    plays: u16,
    losses: Vec<Loss>,
}

impl<'a> DeliverySearch<'a> {
    fn run(&mut self) -> Result<(), Ended> {
        let Self { plan, target, clip, .. } = *self;
        let path = plan.planned_clips[clip].target.path(0);
        let format = plan.format.ok_or_else(|| Ended::Failed("no format".to_owned()))?;
        let named = |message: String| format!("{}: {message}", path.display());
        let count = |rate: f64| self.count(rate);
        let fps = plan.fps.get();
        target.plays(self.seconds(fps)).map_err(|message| {
            named(format!(
                "{message}. Choose a part of it with --frames, as in --frames 0-{}",
                self.most_frame()
            ))
        })?;
        let stages = target.stages(fps, count, target.ending != "webp" || video::is_there());
        if stages.is_empty() {
            let ((least, most), label) = (target.frames, target.label);
            let count = self.count(fps);
            let text = format!(
                "a {label} has {least} to {most} frames, and the clip has {count} at {fps} a second and no number \
                 between at a lower rate. Choose others with --frames"
            );
            return Err(named(text).into());
        }
        let mut drawn: Option<DeliveryFrames<'_>> = None;
        for (rate, levels) in stages {
            let mut frames = match drawn.take().filter(|drawn| drawn.rate.to_bits() == rate.to_bits()) {
                Some(drawn) => drawn,
                None => match target.plays(self.seconds(rate)) {
                    Ok(plays) => {
                        let plan = self.plan_at(rate)?;
                        let frames = if format.is_vector() { Vec::new() } else { self.draw(&plan)? };
                        DeliveryFrames { rate, plan, frames, plays, losses: Vec::new() }
                    }
                    Err(message) => {
                        self.tries.push(format!("{rate} frames a second: {message}"));
                        continue;
                    }
                },
            };
            if let Some((level, bytes)) = self.stage(format, &mut frames, &levels, &path)? {
                return self.keep(&path, &bytes, level, &frames);
            }
            drawn = Some(frames);
        }
        Err(named(format!(
            "no file for {} is within its {} bytes. Tried were\n  {}\nFewer frames (--frames), a simpler drawing, \
             fewer gradients, or a smaller part of the page that moves make it smaller; sizes: {}",
            target.label,
            target.most_bytes,
            self.tries.join("\n  "),
            target.sizes
        ))
        .into())
    }

    /// The frames of the plan as the same part of the clip at another rate: the first, and how many.
    fn part(&self, rate: f64) -> (u64, u64) {
        let Self { plan, args, clip, .. } = *self;
        let planned = &plan.planned_clips[clip];
        let whole = planned.clip.map_or(1, |clip| clip.frame_count(rate));
        let ends = planned.frames.first().zip(planned.frames.last());
        match ends.filter(|_| args.frames.is_some()) {
            None => (0, whole),
            Some((first, last)) => {
                let at_rate = |frames: u64| {
                    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
                    let frames = (frames as f64 * rate / plan.fps.get()).round() as u64;
                    frames
                };
                (at_rate(*first), at_rate(last.saturating_sub(*first).saturating_add(1)).max(1))
            }
        }
    }

    fn count(&self, rate: f64) -> u64 {
        self.part(rate).1
    }

    fn seconds(&self, rate: f64) -> f64 {
        self.count(rate) as f64 / rate
    }

    /// The last frame of the longest part that is allowed.
    fn most_frame(&self) -> u64 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let most = (f64::from(self.target.most_seconds) * self.plan.fps.get()).floor() as u64;
        most.saturating_sub(1)
    }

    /// The plan of the clip at a rate.
    fn plan_at(&self, rate: f64) -> Result<RenderPlan<'a>, Ended> {
        let Self { plan, args, target, clip, .. } = *self;
        let planned = &plan.planned_clips[clip];
        let (first, count) = self.part(rate);
        let mut args = RenderArgs { fps: Some(Fps::new(rate)), quiet: true, ..args.clone() };
        args.output = Output::new(planned.target.path(0));
        args.clip = planned.clip.map(|clip| clip.name().to_owned());
        let last = first.saturating_add(count - 1);
        let frames: Selection = format!("{first}-{last}").parse().map_err(Ended::Failed)?;
        args.frames = Some(frames);
        // A file of one frame is planned as the others.
        let mut at_rate = RenderPlan::new(&args, plan.scene, None).map_err(Ended::Failed)?;
        at_rate.jobs = plan.jobs;
        inset(&mut at_rate.view, f64::from(target.margin));
        let size = pixels(&at_rate);
        let bytes = size.width as usize * size.height as usize * 4;
        if bytes.saturating_mul(at_rate.count()) > MOST_BYTES {
            return Err(Ended::Failed(format!(
                "{} frames of {size} are too many to try files of: choose a smaller --size or fewer --frames",
                at_rate.count()
            )));
        }
        Ok(at_rate)
    }

    /// Draws all frames of a plan.
    fn draw(&self, at_rate: &RenderPlan<'_>) -> Result<Vec<Arc<[u8]>>, Ended> {
        let Self { plan, clip, stop, .. } = *self;
        let planned = &plan.planned_clips[clip];
        let progress = Progress::new(self.args.progress, self.args.quiet, at_rate.count() as u64);
        let frames: Mutex<Vec<Arc<[u8]>>> = Mutex::default();
        let make = |scratch: &mut Option<ThreadScratch>, at: usize, pixels: &mut Vec<u8>| {
            let planned_frame = at_rate.planned_frame(at);
            let message = |message: String| Ended::Failed(in_frame(planned_frame, &message));
            let scratch = scratch.get_or_insert_with(|| ThreadScratch::new(at_rate));
            scratch.pose(at_rate, planned_frame).map_err(message)?;
            scratch.draw(at_rate, pixels).map_err(message)
        };
        let skipped = AtomicU64::new(0);
        let hand_over = |at: usize, report: FrameReport, pixels: &[u8]| {
            skipped.fetch_add(u64::from(report.skipped), Ordering::Relaxed);
            let mut frames = frames.lock().unwrap_or_else(PoisonError::into_inner);
            let same = frames.last().filter(|last| ***last == *pixels).map(Arc::clone);
            frames.push(same.unwrap_or_else(|| pixels.into()));
            progress.counted(planned.name(), at_rate.planned_frame(at).frame);
            Ok(())
        };
        let pool = Pool { tasks: at_rate.count(), jobs: at_rate.jobs, ordered: true, stop };
        let done = pool.run(|| None, make, hand_over);
        progress.stop();
        warn_of_skipped(skipped.into_inner());
        done.map_err(|(_, ended)| ended)?;
        match stop.load(Ordering::Relaxed) {
            true => Err(Ended::Interrupted),
            false => Ok(frames.into_inner().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// The best of some levels whose file is within the bytes. Files are taken to become smaller from level to
    /// level; where one does not, another than the best may be found.
    fn stage(
        &mut self,
        format: &FileFormat,
        frames: &mut DeliveryFrames<'_>,
        levels: &[DeliveryLevel],
        path: &Path,
    ) -> Result<Option<(DeliveryLevel, Vec<u8>)>, Ended> {
        // Where another rate had no file, the best level has none either, most likely.
        let is_first = self.tries.is_empty();
        let mut attempt = |level: DeliveryLevel| {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Ended::Interrupted);
            }
            let bytes = self.encode(format, frames, level, path)?;
            let (rate, count) = (frames.rate, frames.plan.count());
            self.tries.push(format!("{count} frames, {rate} a second, {level}: {} bytes", bytes.len()));
            Ok::<_, Ended>(
                Some((level, bytes)).filter(|(_, bytes)| bytes.len() as u64 <= self.target.most_bytes),
            )
        };
        let (Some(first), Some(last)) = (levels.first(), levels.last()) else { return Ok(None) };
        if is_first && let Some(best) = attempt(*first)? {
            return Ok(Some(best));
        }
        let Some(mut found) = attempt(*last)? else { return Ok(None) };
        let (mut from, mut within) = (usize::from(is_first), levels.len() - 1);
        while from < within {
            let middle = usize::midpoint(from, within);
            match attempt(levels[middle])? {
                Some(better) => (within, found) = (middle, better),
                None => from = middle + 1,
            }
        }
        Ok(Some(found))
    }

    /// The bytes of a file.
    fn encode(
        &self,
        format: &FileFormat,
        DeliveryFrames { rate, plan, frames, plays, losses }: &mut DeliveryFrames<'_>,
        level: DeliveryLevel,
        path: &Path,
    ) -> Result<Vec<u8>, Ended> {
        if let DeliveryLevel::Tolerance(hundredths) = level {
            let options =
                VectorOptions { tolerance: f64::from(hundredths) / 100.0, ..VectorOptions::new(plan.view) };
            let made = vector::made(plan, sticker_bytes, &plan.planned_clips, &options);
            let (bytes, report, _) = made.map_err(|message| format!("{}: {message}", path.display()))?;
            *losses = report.losses;
            return Ok(bytes);
        }
        let size = pixels(self.plan);
        let FrameRate { numerator, denominator } = FrameRate::nearest(*rate);
        let (rate, frames) = (PlayRate { frames: numerator, seconds: denominator }, &*frames);
        if let DeliveryLevel::Quality(quality) = level {
            let format = if self.target.ending == "webp" { VideoFormat::Webp } else { VideoFormat::Webm };
            let options = VideoOptions { format, size, rate, alpha: true, quality, padding: [0; 3] };
            let mut pipe = VideoPipe::start(path, &options, &[], 0)?;
            frames.iter().try_for_each(|frame| pipe.write(frame))?;
            // Dropped, the file is gone again.
            let file = pipe.finish()?;
            return std::fs::read(file.temporary()).map_err(|error| file.error(error).into());
        }
        let failed = |error: ExportError| Ended::Failed(format!("{}: {error}", path.display()));
        let mut animation = Animation::new(size, frames.len() as u64, rate);
        animation.plays = std::num::NonZeroU16::new(*plays).map_or(Plays::Endless, Plays::Times);
        animation.threads = self.plan.jobs;
        animation.matte = self.args.animation.matte.map(|matte| matte.0);
        let mut reduced = None;
        if let DeliveryLevel::Colours(colours) = level {
            // A GIF finds the palette itself, after its matte.
            match format.has("colours") {
                true => animation.colours = colours,
                false => reduced = Some(reduce_colours(frames, colours)),
            }
        }
        let FormatKind::Frames { writer, looks, .. } = format.kind else {
            return Err(failed(ExportError::NoWriter));
        };
        let (frames, mut writer) = (reduced.as_ref().unwrap_or(frames), writer(&animation).map_err(failed)?);
        let shown: Vec<&[u8]> =
            (0..).map_while(|at| writer.shown(at)).filter_map(|at| Some(&**frames.get(at)?)).collect();
        shown.iter().filter(|_| looks).for_each(|frame| writer.look(frame));
        let mut file = Cursor::new(Vec::new());
        shown.iter().try_for_each(|frame| writer.push(frame, &mut file)).map_err(failed)?;
        writer.finish(&mut file).map_err(failed)?;
        Ok(file.into_inner())
    }

    /// Writes the file, and reads it again before it gets its name.
    fn keep(
        &self,
        path: &Path,
        bytes: &[u8],
        level: DeliveryLevel,
        frames: &DeliveryFrames<'_>,
    ) -> Result<(), Ended> {
        let Self { args, target, .. } = *self;
        let mut file = WholeFile::create(path)?;
        file.write_all(bytes).and_then(|()| file.flush()).map_err(|error| file.error(error))?;
        let again = std::fs::read(file.temporary()).map_err(|error| file.error(error))?;
        let facts = DeliveredFacts::read(&again)
            .ok_or_else(|| format!("{}: the file cannot be read again", path.display()))?;
        let clear =
            frames.frames.iter().any(|frame| frame.as_chunks::<4>().0.iter().any(|pixel| pixel[3] < 255));
        let broken = target.broken(&facts, frames.plays, clear);
        if !broken.is_empty() {
            let (name, label, broken) = (path.display(), target.label, broken.join(", "));
            return Err(Ended::Failed(format!("{name} would not be taken as a {label}: {broken}")));
        }
        file.finish()?;
        frames.losses.iter().for_each(|loss| print_line(&format!("warning: {loss}")));
        if args.quiet {
            return Ok(());
        }
        if !clear && !frames.frames.is_empty() {
            print_line("note: no pixel is transparent: the page of the drawing is part of the picture");
        }
        let DeliveredFacts { width, height, milliseconds, .. } = facts;
        let (count, rate, most) = (frames.plan.count(), frames.rate, target.most_bytes);
        let message = format!(
            "{}: {width}x{height}, {count} frames, {rate} a second, {:.2} s, {level}: {} of {most} bytes ({} tried) -> {}",
            target.label,
            milliseconds as f64 / 1000.0,
            bytes.len(),
            self.tries.len(),
            path.display()
        );
        let json = serde_json::json!({
            "event": "done", "frames": count, "kept": 0, "bytes": bytes.len(), "width": width, "height": height,
        });
        Progress::new(args.progress, args.quiet, count as u64).summary(&message, &json);
        Ok(())
    }
}

fn pixels(plan: &RenderPlan<'_>) -> PixelSize {
    PixelSize { width: plan.view.size.width(), height: plan.view.size.height() }
}

/// Makes room of so many pixels around the page.
fn inset(view: &mut Viewport, pixels: f64) {
    let picture = view.picture();
    let least = picture.width().min(picture.height());
    if pixels <= 0.0 || least <= 2.0 * pixels {
        return;
    }
    let middle = picture.center().to_vec2();
    let factor = 1.0 - 2.0 * pixels / least;
    let shrink = Affine::translate(middle) * Affine::scale(factor) * Affine::translate(-middle);
    view.cut = Some(shrink.transform_rect_bbox(view.cut.unwrap_or(picture)));
    view.transform = shrink * view.transform;
}
