//! `render`: the frames of clips into files or a pipe, several at a time, each by itself.
//!
//! `plan` is what was asked for, `draw` makes one frame, `pool` has the threads, `ways` is where frames go. `fingerprint` and `records` tell
//! which frames are there already.

mod draw;
mod fingerprint;
mod plan;
mod pool;
mod records;
mod ways;

use std::io::{Write as _, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ::render::{Encoding, SinkError};
use rig::{Loaded, Scene, SceneClip};

use self::draw::{Drawn, Scratch};
use self::fingerprint::{Fingerprint, Watched};
use self::plan::{Piece, Plan};
use self::pool::Pool;
use self::ways::Ways;
use crate::args::{Existing, ProgressKind, Render};
use crate::exit::Exit;
use crate::progress::Progress;
use crate::report;
use crate::steps::{self, Steps};

pub(crate) fn run(args: &Render) -> Exit {
    let started = Instant::now();
    let files = Arc::new(Watched::default());
    let loaded = steps::load(&args.rig, files.clone(), &mut Steps::new(args.verbose));
    let Loaded { scene, doc, diagnostics, sources, .. } = loaded;
    report::show(&diagnostics, &sources, !args.quiet || scene.is_none());
    let Some(mut scene) = scene else {
        complain(&format!("{}: {}", args.rig.display(), report::count(&diagnostics)));
        return Exit::Mistakes;
    };
    if let Some(frames) = args.step {
        scene.set_step(frames);
    }
    let planned =
        Plan::new(args, &scene, doc.as_ref()).and_then(|plan| plan.keep_sources(&sources).map(|()| plan));
    let plan = match planned {
        Ok(plan) => plan,
        Err(words) => return usage(&words),
    };
    if let Err(words) = plan.prepare(args.existing) {
        complain(&words);
        return Exit::Failed;
    }
    let ways = match Ways::open(&plan, args.existing, || Fingerprint::of_run(args, &plan, &files)) {
        Ok(ways) => ways,
        Err(words) => return usage(&words),
    };
    say_others(args, &scene);
    let progress = Progress::new(args.progress, args.quiet, plan.count() as u64);
    let outcome = draw_all(&plan, &ways, args.existing == Existing::Skip, &progress);
    if args.verbose {
        let Tally { frames, groups_by_resvg, fell_back, .. } = outcome.tally;
        complain(&format!(
            "of {frames} frames {fell_back} were drawn whole by way of SVG text, and {groups_by_resvg} groups with filters"
        ));
    }
    finish(&plan, &ways, &outcome, &progress, started.elapsed(), args.quiet)
}

/// What became of the frames.
#[derive(Debug, Default)]
struct Tally {
    frames: u64,
    bytes: u64,
    /// Frames that were there already.
    kept: u64,
    /// Frames in which something stayed at rest because its numbers fit no SVG.
    skipped: u64,
    /// Frames that lost their alpha.
    flattened: u64,
    /// Groups with filters that were drawn by way of text, over all frames, and frames that were drawn whole that way.
    groups_by_resvg: u64,
    fell_back: u64,
}

/// How the work ended.
struct Outcome {
    tally: Tally,
    trouble: Option<Trouble>,
    interrupted: bool,
}

/// Why it ended early.
enum Trouble {
    /// Whoever read standard output is gone.
    Closed,
    Words(String),
}

/// A frame that is ready to be kept, or needs not be.
enum Made {
    Drawn(Drawn),
    Kept,
}

fn draw_all(plan: &Plan<'_>, ways: &Ways, skip: bool, progress: &Progress) -> Outcome {
    let stop = interrupt_flag();
    let tally = Mutex::new(Tally::default());
    let in_tally = || -> MutexGuard<'_, Tally> { tally.lock().unwrap_or_else(PoisonError::into_inner) };
    let make = |scratch: &mut Option<Scratch>, at: usize, bytes: &mut Vec<u8>| {
        let piece = plan.piece(at);
        if skip && ways.has(piece) {
            return Ok(Made::Kept);
        }
        // A thread that finds all its frames there needs no memory for any.
        let scratch = scratch.get_or_insert_with(|| Scratch::new(plan));
        scratch.frame(plan, piece, bytes).map(Made::Drawn).map_err(|words| trouble(piece, &words))
    };
    let hand_over = |at: usize, made: Made, bytes: &[u8]| {
        let piece = plan.piece(at);
        let path = piece.shot.target.path(piece.number);
        match made {
            Made::Kept => {
                in_tally().kept += 1;
                progress.kept(piece.shot.name(), piece.frame, &path);
            }
            Made::Drawn(drawn) => {
                ways.keep(piece, bytes).map_err(|error| match error {
                    error if error.is_closed() => Trouble::Closed,
                    error @ SinkError::Stream { .. } => trouble(piece, &format!("standard output: {error}")),
                    error => trouble(piece, &error.to_string()),
                })?;
                let mut tally = in_tally();
                tally.frames += 1;
                tally.bytes += bytes.len() as u64;
                tally.skipped += u64::from(drawn.skipped);
                tally.flattened += u64::from(drawn.flattened);
                tally.groups_by_resvg += drawn.groups_by_resvg as u64;
                tally.fell_back += u64::from(drawn.fell_back);
                drop(tally);
                progress.frame(piece.shot.name(), piece.frame, &path, bytes.len() as u64);
            }
        }
        Ok(())
    };
    let pool = Pool { pieces: plan.count(), jobs: plan.jobs, ordered: ways.is_ordered(), stop: &stop };
    let trouble = pool.run(|| None, make, hand_over).err().map(|(_, trouble)| trouble);
    let tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    Outcome { tally, trouble, interrupted: stop.load(Ordering::Relaxed) }
}

fn trouble(piece: Piece<'_>, words: &str) -> Trouble {
    Trouble::Words(format!("frame {} of \"{}\": {words}", piece.frame, piece.shot.name()))
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

fn finish(
    plan: &Plan<'_>,
    ways: &Ways,
    outcome: &Outcome,
    progress: &Progress,
    took: Duration,
    quiet: bool,
) -> Exit {
    let Outcome { tally, trouble, interrupted } = outcome;
    progress.stop();
    let forgotten = ways.close(trouble.is_none() && !interrupted);
    if tally.skipped > 0 {
        complain(&format!(
            "warning: in {} frames parts stayed at rest, because their numbers are too large or not numbers",
            tally.skipped
        ));
    }
    match trouble {
        // Nobody is left to tell, unless they interrupted both.
        Some(Trouble::Closed) if !interrupted => return Exit::Closed,
        Some(Trouble::Words(words)) => {
            complain(words);
            return Exit::Failed;
        }
        Some(Trouble::Closed) | None => {}
    }
    if let Some(words) = forgotten.filter(|_| !quiet) {
        complain(&format!("warning: --existing skip will draw these frames again, because of {words}"));
    }
    if tally.flattened > 0 && !quiet {
        complain(
            "note: a y4m video has no transparency; what is see-through became black (--background chooses)",
        );
    }
    let size = plan.options.size;
    let (width, height, seconds) = (size.width(), size.height(), took.as_secs_f64());
    let what = match plan.encoding {
        Encoding::Png(_) => format!("{width}x{height} png"),
        Encoding::Rgba => format!("{width}x{height} rgba"),
        Encoding::Y4m => format!("{width}x{height} y4m"),
        Encoding::Svg => "svg".to_owned(),
    };
    let frames = tally.frames + tally.kept;
    let words = format!(
        "{frames} {} ({what}, {}{}) in {seconds:.1} s -> {}",
        if frames == 1 { "frame" } else { "frames" },
        megabytes(tally.bytes),
        if tally.kept > 0 { format!("; {} were there already", tally.kept) } else { String::new() },
        ways.shown(plan),
    );
    let json = serde_json::json!({
        "event": if *interrupted { "interrupted" } else { "done" }, "frames": tally.frames, "kept": tally.kept,
        "bytes": tally.bytes, "width": width, "height": height, "seconds": seconds,
    });
    if *interrupted {
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
