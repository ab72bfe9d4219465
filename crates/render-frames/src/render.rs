//! `render`: the frames of clips into files, several at a time, each by itself.

use std::io::{Write as _, stderr};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ::render::{
    Compress, FrameContent, FrameName, FrameOptions, FrameSink, FrameSize, NumberedFiles, Pixmap, Raster,
};
use rig::diagnostic::nearest;
use rig::doc::RigDoc;
use rig::overlay::Overlay;
use rig::span::Sources;
use rig::{Disk, FrameState, Loaded, Scene, SceneClip, load, system_fonts};

use crate::args::{Existing, Format, ProgressKind, Render};
use crate::exit::Exit;
use crate::frames::{Fps, Selection};
use crate::output::Target;
use crate::picture;
use crate::progress::Progress;
use crate::report;

/// Everything that was asked for, worked out before the first frame.
struct Plan<'a> {
    scene: &'a Scene,
    shots: Vec<Shot<'a>>,
    options: FrameOptions,
    fps: Fps,
    format: Format,
    compress: Compress,
    start_number: u64,
    jobs: usize,
    /// What is drawn over each frame.
    overlay: Option<Overlay>,
}

/// The frames of one clip.
struct Shot<'a> {
    clip: Option<&'a SceneClip>,
    target: Target,
    frames: Vec<u64>,
}

impl Shot<'_> {
    fn name(&self) -> &str {
        self.clip.map_or("setup", SceneClip::name)
    }
}

pub(crate) fn run(args: &Render) -> Exit {
    let started = Instant::now();
    let Loaded { scene, doc, diagnostics, sources, .. } = load(&args.rig, Arc::new(Disk), &system_fonts);
    report::show(&diagnostics, &sources, !args.quiet || scene.is_none());
    let Some(mut scene) = scene else {
        complain(&format!("{}: {}", args.rig.display(), report::count(&diagnostics)));
        return Exit::Mistakes;
    };
    if let Some(frames) = args.step {
        scene.set_step(frames);
    }
    let plan = match plan(args, &scene, doc.as_ref()) {
        Ok(plan) => plan,
        Err(words) => return usage(&words),
    };
    if let Err(words) = keep_sources(&plan, &sources) {
        return usage(&words);
    }
    if let Err(words) = prepare(&plan, args.existing) {
        complain(&words);
        return Exit::Failed;
    }
    say_others(args, &scene);
    let total: u64 = plan.shots.iter().map(|shot| shot.frames.len() as u64).sum();
    let progress = Progress::new(args.progress, args.quiet, total);
    let outcome = draw_all(&plan, &progress);
    finish(&plan, &outcome, &progress, started.elapsed(), args.quiet)
}

fn plan<'a>(args: &Render, scene: &'a Scene, doc: Option<&RigDoc>) -> Result<Plan<'a>, String> {
    let fps = args.fps.unwrap_or(Fps::new(scene.fps()));
    let size = match args.size {
        Some(size) => Ok(size),
        None => FrameSize::from_scale(scene.art().size(), args.scale),
    };
    let options =
        FrameOptions { size: size.map_err(|error| error.to_string())?, background: args.background.0 };
    let clips = chosen(args.clip.as_deref(), scene)?;
    let several = clips.len() > 1;
    let mut shots = Vec::with_capacity(clips.len());
    for clip in clips {
        let frames = match &args.frames {
            Some(frames) => frames.clone(),
            None => Selection::first(clip.map_or(1, |clip| clip.frame_count(fps.get())))?,
        };
        let name = clip.map_or("setup", SceneClip::name);
        let target = Target::parse(&args.output, name, several, args.format)?;
        if matches!(target, Target::Single(_)) && frames.iter().len() > 1 {
            let count = frames.iter().len();
            return Err(format!("{count} frames need a number in the name, as in -o 'frame_####.png'"));
        }
        shots.push(Shot { clip, target, frames: frames.iter().collect() });
    }
    distinct(&shots, args.start_number)?;
    let jobs = match args.jobs {
        Some(jobs) => usize::from(jobs),
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let overlay = doc.map(|doc| picture::overlay(args.overlay.as_ref(), scene, doc)).transpose()?.flatten();
    Ok(Plan {
        scene,
        overlay,
        shots,
        options,
        fps,
        format: args.format,
        compress: args.compress.into(),
        start_number: args.start_number,
        jobs,
    })
}

fn chosen<'a>(name: Option<&str>, scene: &'a Scene) -> Result<Vec<Option<&'a SceneClip>>, String> {
    let names = || scene.clips().iter().map(SceneClip::name);
    match name {
        None => Ok(vec![scene.clips().first()]),
        Some(name) => match scene.clip(name) {
            Some(clip) => Ok(vec![Some(clip)]),
            None if name == "all" && scene.clips().is_empty() => Ok(vec![None]),
            None if name == "all" => Ok(scene.clips().iter().map(Some).collect()),
            None => Err(match nearest(name, names()) {
                Some(near) => format!("the rig has no clip called \"{name}\"; did you mean \"{near}\"?"),
                None => {
                    let names: Vec<String> = names().map(|name| format!("\"{name}\"")).collect();
                    let has = if names.is_empty() { "no clips at all".to_owned() } else { names.join(", ") };
                    format!("the rig has no clip called \"{name}\"; it has {has}")
                }
            }),
        },
    }
}

/// Refuses plans in which a frame would take the file of another.
fn distinct(shots: &[Shot<'_>], start_number: u64) -> Result<(), String> {
    let last = shots.iter().filter_map(|shot| shot.frames.iter().max()).max().copied().unwrap_or(0);
    if last.checked_add(start_number).is_none() {
        return Err(format!("frame {last} has no number if frame 0 has {start_number}"));
    }
    // A clip's name may hold what a file's name may not, so two names may become one.
    for (at, shot) in shots.iter().enumerate() {
        let file = shot.target.path(0);
        if let Some(other) = shots[..at].iter().find(|other| other.target.path(0) == file) {
            let (one, two, file) = (other.name(), shot.name(), file.display());
            return Err(format!("the clips \"{one}\" and \"{two}\" would both be written to {file}"));
        }
    }
    Ok(())
}

/// Refuses to write a frame over the rig or its drawing: that is somebody's work.
fn keep_sources(plan: &Plan<'_>, sources: &Sources) -> Result<(), String> {
    let sources: Vec<PathBuf> =
        sources.names().filter_map(|name| Path::new(name).canonicalize().ok()).collect();
    for shot in &plan.shots {
        // A folder that is not there yet holds no sources.
        let Ok(folder) = shot.target.folder().canonicalize() else { continue };
        for frame in &shot.frames {
            let path = shot.target.path(frame.saturating_add(plan.start_number));
            let name = path.file_name().unwrap_or_default();
            if sources.iter().any(|s| s.parent() == Some(&folder) && s.file_name() == Some(name)) {
                return Err(format!(
                    "{} is what the frames are made from: choose another name",
                    path.display()
                ));
            }
        }
    }
    Ok(())
}

/// Makes the folders, and looks for files that must not be replaced.
fn prepare(plan: &Plan<'_>, existing: Existing) -> Result<(), String> {
    for shot in &plan.shots {
        let folder = shot.target.folder();
        std::fs::create_dir_all(&folder)
            .map_err(|error| format!("the folder {} cannot be made: {error}", folder.display()))?;
        if existing == Existing::Error {
            let numbers = shot.frames.iter().map(|frame| frame.saturating_add(plan.start_number));
            let taken = numbers.map(|number| shot.target.path(number)).find(|path| path.exists());
            if let Some(path) = taken {
                return Err(format!("{} exists already, and --existing error says to stop", path.display()));
            }
        }
    }
    Ok(())
}

/// How the work ended.
struct Outcome {
    frames: u64,
    bytes: u64,
    /// Frames in which something stayed at rest because its numbers fit no SVG.
    skipped: u64,
    error: Option<String>,
    interrupted: bool,
}

fn draw_all(plan: &Plan<'_>, progress: &Progress) -> Outcome {
    let stop = interrupt_flag();
    let sinks: Vec<NumberedFiles> =
        plan.shots.iter().map(|shot| sink(shot).compress(plan.compress)).collect();
    let shots = plan.shots.iter().zip(&sinks);
    let work: Vec<(&Shot<'_>, &NumberedFiles, u64)> =
        shots.flat_map(|(shot, sink)| shot.frames.iter().map(move |&frame| (shot, sink, frame))).collect();
    let next = AtomicUsize::new(0);
    let (frames, bytes, skipped) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let error: Mutex<Option<String>> = Mutex::new(None);
    let failed = AtomicBool::new(false);
    let worker = || {
        let mut scratch = Scratch::new(plan.scene);
        while !stop.load(Ordering::Relaxed) && !failed.load(Ordering::Relaxed) {
            let Some(&(shot, sink, frame)) = work.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            match scratch.frame(plan, shot, frame, sink) {
                Ok(drawn) => {
                    frames.fetch_add(1, Ordering::Relaxed);
                    bytes.fetch_add(drawn.bytes, Ordering::Relaxed);
                    skipped.fetch_add(u64::from(drawn.skipped), Ordering::Relaxed);
                    let path = shot.target.path(frame.saturating_add(plan.start_number));
                    progress.frame(shot.name(), frame, &path, drawn.bytes);
                }
                Err(words) => {
                    failed.store(true, Ordering::Relaxed);
                    let mut error = error.lock().unwrap_or_else(PoisonError::into_inner);
                    error.get_or_insert(format!("frame {frame} of \"{}\": {words}", shot.name()));
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..plan.jobs.min(work.len()) {
            scope.spawn(worker);
        }
        worker();
    });
    Outcome {
        frames: frames.into_inner(),
        bytes: bytes.into_inner(),
        skipped: skipped.into_inner(),
        error: error.into_inner().unwrap_or_else(PoisonError::into_inner),
        interrupted: stop.load(Ordering::Relaxed),
    }
}

fn sink(shot: &Shot<'_>) -> NumberedFiles {
    let target = shot.target.clone();
    NumberedFiles::with(move |number| target.path(number))
}

/// Set by Ctrl-C: the frames in flight are finished, then the work stops. A second Ctrl-C ends at once.
fn interrupt_flag() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    // Without a handler Ctrl-C ends the program at once, which loses nothing but the frame in flight.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            end_now();
        }
    });
    stop
}

#[allow(clippy::exit, reason = "the person asked twice")]
fn end_now() -> ! {
    std::process::exit(130)
}

/// One thread's memory.
struct Scratch {
    state: FrameState,
    raster: Raster,
    pixmap: Option<Pixmap>,
}

struct Drawn {
    bytes: u64,
    skipped: bool,
}

impl Scratch {
    fn new(scene: &Scene) -> Self {
        Self { state: FrameState::new(scene), raster: Raster::default(), pixmap: None }
    }

    fn frame(
        &mut self,
        plan: &Plan<'_>,
        shot: &Shot<'_>,
        frame: u64,
        sink: &NumberedFiles,
    ) -> Result<Drawn, String> {
        let scene = plan.scene;
        scene.pose(shot.clip, plan.fps.time(frame), &mut self.state).map_err(|error| error.to_string())?;
        let skipped = scene.write_svg(&mut self.state);
        let name = FrameName { number: frame.saturating_add(plan.start_number) };
        let written = match plan.format {
            Format::Svg => match &plan.overlay {
                Some(overlay) => {
                    let svg = overlay.write_into(scene, &self.state, self.state.svg());
                    sink.write(name, FrameContent::Svg(&svg))
                }
                None => sink.write(name, FrameContent::Svg(self.state.svg())),
            },
            Format::Png => {
                let size = plan.options.size;
                let pixmap = match &mut self.pixmap {
                    Some(pixmap) => pixmap,
                    none => none.insert(
                        Pixmap::new(size.width(), size.height()).ok_or("there is no memory for the frame")?,
                    ),
                };
                self.raster
                    .draw(self.state.svg(), &plan.options, pixmap)
                    .map_err(|error| error.to_string())?;
                if let Some(overlay) = &plan.overlay {
                    picture::draw_over(overlay, scene, &self.state, pixmap)?;
                }
                sink.write(name, FrameContent::Pixels(pixmap))
            }
        };
        let bytes = written.map_err(|error| error.to_string())?;
        Ok(Drawn { bytes, skipped: skipped != ::render::Skipped::default() })
    }
}

fn finish(plan: &Plan<'_>, outcome: &Outcome, progress: &Progress, took: Duration, quiet: bool) -> Exit {
    progress.stop();
    if outcome.skipped > 0 {
        complain(&format!(
            "warning: in {} frames parts stayed at rest, because their numbers are too large or not numbers",
            outcome.skipped
        ));
    }
    if let Some(error) = &outcome.error {
        complain(error);
        return Exit::Failed;
    }
    let size = plan.options.size;
    let (width, height, seconds) = (size.width(), size.height(), took.as_secs_f64());
    let what = match plan.format {
        Format::Png => format!("{width}x{height} png"),
        Format::Svg => "svg".to_owned(),
    };
    let folder = plan.shots.first().map_or_else(String::new, |shot| shown(&shot.target.folder()));
    let words = format!(
        "{} {} ({what}, {}) in {seconds:.1} s -> {folder}",
        outcome.frames,
        if outcome.frames == 1 { "frame" } else { "frames" },
        megabytes(outcome.bytes),
    );
    let json = serde_json::json!({
        "event": if outcome.interrupted { "interrupted" } else { "done" }, "frames": outcome.frames,
        "bytes": outcome.bytes, "width": width, "height": height, "seconds": seconds,
    });
    if outcome.interrupted {
        progress.summary(&format!("interrupted after {words}"), &json);
        return Exit::Interrupted;
    }
    if !quiet {
        progress.summary(&words, &json);
    }
    Exit::Fine
}

/// A hint that there is more in the rig than was asked for.
fn say_others(args: &Render, scene: &Scene) {
    // A program that reads the progress asks for what it wants.
    let for_people = !args.quiet && args.progress != ProgressKind::Json;
    if args.clip.is_none() && scene.clips().len() > 1 && for_people {
        let names: Vec<&str> = scene.clips().iter().map(SceneClip::name).collect();
        complain(&format!("clip \"{}\" of {}; --clip chooses another, or all", names[0], names.join(", ")));
    }
}

fn shown(folder: &Path) -> String {
    format!("{}/", folder.display()).replace("//", "/")
}

fn megabytes(bytes: u64) -> String {
    if bytes < 1_000_000 {
        format!("{:.0} kB", bytes as f64 / 1e3)
    } else {
        format!("{:.1} MB", bytes as f64 / 1e6)
    }
}

fn usage(words: &str) -> Exit {
    complain(&format!("{words}\n\n`render-frames render --help` tells more."));
    Exit::Usage
}

/// A line on standard error; nobody listening is no error.
fn complain(words: &str) {
    let _ = writeln!(stderr(), "{words}");
}
