//! `render`: renders the frames of clips into files or a pipe, several frames at a time.
//!
//! `plan` resolves the arguments, `draw` makes one frame, `outputs` writes the frames, `animation` files of all
//! frames of a clip, `layers` frames in layers, `vector` clips as outlines, and `deliver` files within the rules of a service. `cache_key` and `manifest` find frames that exist already.

mod animation;
mod cache_key;
mod deliver;
mod draw;
mod layers;
mod manifest;
mod outputs;
mod plan;
mod played;
mod samples;
mod vector;

pub(crate) use self::cache_key::{build, of_bytes};
pub(crate) use self::manifest::RenderedRates;

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bone_export::{FileFormat, FormatKind};
use bone_format::{Files, Loaded, SkinDetail};
use bone_render::{Encoding, SinkError};
use bone_rig::{Rig, RigClip};

use self::cache_key::CacheKey;
use self::draw::{FrameReport, ThreadScratch};
use self::outputs::FrameOutputs;
use self::plan::{PlannedFrame, RenderPlan};
use crate::args::{Existing, ProgressKind, RenderArgs};
use crate::exit::Exit;
use crate::files::CommandFiles;
use crate::interrupt;
use crate::kept::KeptRig;
use crate::memory;
use crate::picture;
use crate::pool::Pool;
use crate::progress::{LongStep, Progress, megabytes};
use crate::report::{self, print_line};
use crate::sound;
use crate::steps::{self, StepLog};

pub(crate) fn run(args: &RenderArgs) -> Exit {
    let started = Instant::now();
    let files = Arc::new(args.files.files());
    let loading = LongStep::begin(format!("{} is loaded", args.rig.display()), args.quiet);
    let Loaded { rig: scene, doc, diagnostics, sources, .. } = load(args, &files);
    drop(loading);
    report::show(&diagnostics, &sources, !args.quiet || scene.is_none());
    let Some(mut scene) = scene else {
        print_line(&format!("{}: {}", args.rig.display(), report::count(&diagnostics)));
        return Exit::Mistakes;
    };
    if let Some(frames) = args.step {
        scene.set_step(frames);
    }
    if let Err(message) = args.files.wear(&mut scene) {
        return usage(&message);
    }
    let fitted = match args.target.map(|target| deliver::arguments(args, target, &scene)).transpose() {
        Ok(fitted) => fitted,
        Err(message) => return usage(&message),
    };
    let args = fitted.as_ref().unwrap_or(args);
    let mut read = sound::paths(&scene, &args.rig, &*files);
    read.extend(args.inputs.clone());
    let planned = RenderPlan::new(args, &scene, doc.as_ref())
        .and_then(|plan| {
            plan.keep_inputs(&files.inputs().with(read.iter().map(PathBuf::as_path))).map(|()| plan)
        })
        .and_then(|plan| plan.allowed(args.existing).map(|()| plan));
    let mut plan = match planned {
        Ok(plan) => plan,
        Err(message) => return usage(&message),
    };
    if !args.quiet {
        note_silence(&plan);
    }
    let inputs = files.inputs();
    let is_layered = plan::is_layered(args);
    // Frames need neither the texts nor what was read of them.
    drop((doc, sources, diagnostics));
    if !is_layered && let Err(message) = plan.prepare() {
        print_line(&message);
        return Exit::Failed;
    }
    let fits = match plan.encoding {
        Encoding::Svg => Ok(plan.jobs),
        _ => samples::large(plan.view.size, plan.samples)
            .and_then(|size| memory::jobs_that_fit(size, plan.jobs)),
    };
    match fits {
        Ok(jobs) => plan.jobs = jobs,
        Err(message) => {
            return Exit::Failed.because(message);
        }
    }
    prepare_clips(&plan, args.quiet);
    if is_layered || plan.format.is_some_and(FileFormat::is_layered) {
        hint_other_clips(args, &scene);
        let progress = Progress::new(args.progress, args.quiet, plan.count() as u64);
        return match layers::write_all(&plan, args, &inputs, &progress) {
            Ok(outcome) => finish(&plan, None, &outcome, &progress, started.elapsed(), args.quiet),
            Err(message) => {
                progress.stop();
                usage(&message)
            }
        };
    }
    if let Some(format) = plan.format {
        hint_other_clips(args, &scene);
        if let Some(target) = args.target {
            return deliver::write_all(&plan, args, target);
        }
        if let FormatKind::Vector { write, .. } = format.kind {
            return vector::write_all(&plan, write, args);
        }
        let outcome = animation::write_all(&plan, format, (args, &*files), &interrupt::flag());
        let progress = Progress::new(args.progress, args.quiet, plan.count() as u64);
        return finish(&plan, None, &outcome, &progress, started.elapsed(), args.quiet);
    }
    let outputs = match FrameOutputs::open(&plan, args.existing, || CacheKey::of_run(args, &plan)) {
        Ok(outputs) => outputs,
        Err(message) => return usage(&message),
    };
    hint_other_clips(args, &scene);
    let progress = Progress::new(args.progress, args.quiet, plan.count() as u64);
    let outcome = draw_all(&plan, &outputs, args.existing == Existing::Skip, &progress);
    if args.verbose {
        let Tally { frames, groups_by_resvg, fell_back, .. } = outcome.tally;
        print_line(&format!(
            "of {frames} frames {fell_back} were rendered from SVG text as a whole, and {groups_by_resvg} groups with filters"
        ));
    }
    finish(&plan, Some(&outputs), &outcome, &progress, started.elapsed(), args.quiet)
}

/// Says that what plays has sounds, and the output none.
fn note_silence(plan: &RenderPlan<'_>) {
    let has_sound = |clip| sound::has_sound(plan.scene, clip, plan.fps);
    if plan.played.is_some() {
        if plan.scene.clips().iter().any(has_sound) {
            sound::note_left_out(", as a state machine plays");
        }
    } else if !sound::fits(plan.format)
        && plan.planned_clips.iter().filter_map(|planned| planned.clip).any(has_sound)
    {
        sound::note_left_out("");
    }
}

/// The rig, compiled or as it was kept. One with findings is compiled each time, so that they are shown.
fn load(args: &RenderArgs, files: &Arc<CommandFiles>) -> Loaded {
    let started = Instant::now();
    let mut steps = StepLog::new(args.verbose);
    // Overlays show what the document says.
    let kept = if args.overlay.is_none() { KeptRig::of(&args.rig, files) } else { None };
    if let Some(rig) = kept.as_ref().and_then(|kept| kept.load(files)) {
        steps.finished("took the rig as it was kept");
        return Loaded::from(rig);
    }
    let files_of_rig = Arc::clone(files) as Arc<dyn Files>;
    let loaded = steps::load(&args.rig, files_of_rig, SkinDetail::Outlines, &mut steps);
    if let (Some(kept), Some(rig), true) = (kept, &loaded.rig, loaded.diagnostics.is_empty()) {
        kept.keep(rig, files, started.elapsed());
    }
    loaded
}

/// Bakes the springs of all clips, before Ctrl-C waits for frames in progress: nothing is written yet, so it ends
/// the program at once.
fn prepare_clips(plan: &RenderPlan<'_>, quiet: bool) {
    for clip in plan.planned_clips.iter().filter_map(|planned| planned.clip) {
        let _step = LongStep::begin(format!("the springs of \"{}\" are simulated", clip.name()), quiet);
        plan.scene.prepare(clip);
    }
}

/// Counts of a run.
#[derive(Debug, Default)]
struct Tally {
    frames: u64,
    bytes: u64,
    /// Frames that existed already.
    kept: u64,
    /// Frames in which an element stayed at rest because its values cannot be written as SVG.
    skipped: u64,
    /// Frames that lost their alpha.
    flattened: u64,
    /// Groups with filters that were rendered from SVG text, over all frames, and frames that were rendered
    /// as a whole from SVG text.
    groups_by_resvg: u64,
    fell_back: u64,
}

/// The result of a run.
struct RenderResult {
    tally: Tally,
    trouble: Option<RenderFailure>,
    interrupted: bool,
}

/// Why a run ended early.
enum RenderFailure {
    /// The reader of standard output closed it.
    Closed,
    Words(String),
}

/// A frame that was drawn, or one that exists already.
enum FrameResult {
    /// With the key of its file.
    Drawn(FrameReport, Option<u128>),
    Kept,
}

fn draw_all(plan: &RenderPlan<'_>, outputs: &FrameOutputs, skip: bool, progress: &Progress) -> RenderResult {
    let stop = interrupt::flag();
    let tally = Mutex::new(Tally::default());
    let in_tally = || -> MutexGuard<'_, Tally> { tally.lock().unwrap_or_else(PoisonError::into_inner) };
    let make = |scratch: &mut Option<ThreadScratch>, at: usize, bytes: &mut Vec<u8>| {
        let planned_frame = plan.planned_frame(at);
        let scratch = scratch.get_or_insert_with(|| ThreadScratch::new(plan));
        let in_frame = |message: String| trouble(planned_frame, &message);
        let state = scratch.pose(plan, planned_frame).map_err(in_frame)?;
        let key = outputs.cache_key(plan, planned_frame, state);
        if skip && key.is_some_and(|key| outputs.has(planned_frame, key)) {
            return Ok(FrameResult::Kept);
        }
        scratch.draw(plan, bytes).map(|report| FrameResult::Drawn(report, key)).map_err(in_frame)
    };
    let hand_over = |at: usize, made: FrameResult, bytes: &[u8]| {
        let planned_frame = plan.planned_frame(at);
        let path = planned_frame.planned.target.path(planned_frame.number);
        match made {
            FrameResult::Kept => {
                in_tally().kept += 1;
                progress.kept(planned_frame.planned.name(), planned_frame.frame, &path);
            }
            FrameResult::Drawn(drawn, key) => {
                outputs.keep(planned_frame, key, bytes).map_err(|error| match error {
                    error if error.is_closed() => RenderFailure::Closed,
                    error @ SinkError::Stream { .. } => {
                        trouble(planned_frame, &format!("standard output: {error}"))
                    }
                    error => trouble(planned_frame, &error.to_string()),
                })?;
                let mut tally = in_tally();
                tally.frames += 1;
                tally.bytes += bytes.len() as u64;
                tally.skipped += u64::from(drawn.skipped);
                tally.flattened += u64::from(drawn.flattened);
                tally.groups_by_resvg += drawn.groups_by_resvg as u64;
                tally.fell_back += u64::from(drawn.fell_back);
                drop(tally);
                progress.frame(planned_frame.planned.name(), planned_frame.frame, &path, bytes.len() as u64);
            }
        }
        Ok(())
    };
    let pool = Pool { tasks: plan.count(), jobs: plan.jobs, ordered: outputs.is_ordered(), stop: &stop };
    let trouble = pool.run(|| None, make, hand_over).err().map(|(_, trouble)| trouble);
    let tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    RenderResult { tally, trouble, interrupted: stop.load(Ordering::Relaxed) }
}

fn trouble(planned_frame: PlannedFrame<'_>, message: &str) -> RenderFailure {
    RenderFailure::Words(in_frame(planned_frame, message))
}

fn in_frame(planned_frame: PlannedFrame<'_>, message: &str) -> String {
    format!("frame {} of \"{}\": {message}", planned_frame.frame, planned_frame.planned.name())
}

fn finish(
    plan: &RenderPlan<'_>,
    outputs: Option<&FrameOutputs>,
    outcome: &RenderResult,
    progress: &Progress,
    took: Duration,
    quiet: bool,
) -> Exit {
    let RenderResult { tally, trouble, interrupted } = outcome;
    progress.stop();
    let forgotten = outputs.and_then(|outputs| outputs.close(trouble.is_none() && !interrupted));
    warn_of_skipped(tally.skipped);
    match trouble {
        // The reader is gone, so nothing is printed, unless the run was interrupted.
        Some(RenderFailure::Closed) if !interrupted => return Exit::Closed,
        Some(RenderFailure::Words(message)) => {
            print_line(message);
            return Exit::Failed;
        }
        Some(RenderFailure::Closed) | None => {}
    }
    if let Some(message) = forgotten.filter(|_| !quiet) {
        print_line(&format!("warning: --existing skip will draw these frames again, because of {message}"));
    }
    if tally.flattened > 0 && !quiet {
        print_line(
            "note: the video has no transparency: transparent pixels became black; --background or --matte sets another colour",
        );
    }
    let size = plan.view.size;
    let (width, height, seconds) = (size.width(), size.height(), took.as_secs_f64());
    let what = match plan.encoding {
        _ if plan.format.is_some() => format!("{width}x{height}"),
        Encoding::Png(_) => format!("{width}x{height} png"),
        Encoding::Rgba => format!("{width}x{height} rgba"),
        Encoding::Y4m => format!("{width}x{height} y4m"),
        Encoding::Svg => "svg".to_owned(),
    };
    let frames = tally.frames + tally.kept;
    let message = format!(
        "{frames} {} ({what}, {}{}) in {seconds:.1} s -> {}",
        if frames == 1 { "frame" } else { "frames" },
        megabytes(tally.bytes),
        if tally.kept > 0 { format!("; {} existed already", tally.kept) } else { String::new() },
        outputs.map_or_else(|| plan.shown(), |outputs| outputs.shown(plan)),
    );
    let json = serde_json::json!({
        "event": if *interrupted { "interrupted" } else { "done" }, "frames": tally.frames, "kept": tally.kept,
        "bytes": tally.bytes, "width": width, "height": height, "seconds": seconds,
    });
    if *interrupted {
        let message = match plan.format {
            Some(format) if !format.is_layered() => {
                "interrupted: the file was not finished, and nothing of it is left".to_owned()
            }
            _ => format!("interrupted after {message}"),
        };
        progress.summary(&message, &json);
        return Exit::Interrupted;
    }
    if !quiet {
        progress.summary(&message, &json);
    }
    Exit::Fine
}

fn warn_of_skipped(frames: u64) {
    if frames > 0 {
        print_line(&format!(
            "warning: in {frames} frames parts stayed at rest or were left out, because their numbers are too large or not numbers"
        ));
    }
}

/// Prints a hint if the rig has more clips than the one that is rendered.
fn hint_other_clips(args: &RenderArgs, scene: &Rig) {
    // A program that reads the progress needs no hint.
    let for_people = !args.quiet && args.progress != ProgressKind::Json;
    if args.clip.is_none() && args.machine.is_none() && scene.clips().len() > 1 && for_people {
        let names: Vec<&str> = scene.clips().iter().map(RigClip::name).collect();
        print_line(&format!(
            "clip \"{}\" of {}; select another with --clip, or all",
            picture::usual_clip(scene).map_or("", RigClip::name),
            names.join(", ")
        ));
    }
}

fn usage(message: &str) -> Exit {
    print_line(&format!("{message}\n\n`render-frames render --help` prints more."));
    Exit::Usage
}
