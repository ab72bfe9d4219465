//! `assemble`: makes one file of frames that were rendered before, on this machine or on others.
//!
//! `series` finds the files, `frame_file` reads them. All are looked at before the first one is written, so
//! that a file that is missing or damaged is reported at once.

mod frame_file;
mod series;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use bone_export::{FileFormat, FilmSound, FormatKind, PixelSize, PlayRate};
use bone_format::SkinDetail;
use bone_render::{FrameRate, FrameSize};

use self::frame_file::{FrameReader, frame_size};
use self::series::Series;
use crate::animation::{self, AnimationJob, AnimationTally, Ended, FrameSource, SourceClip};
use crate::args::{AssembleArgs, ProgressKind, WornRigArgs};
use crate::container::{animation_endings_with_options, page_file};
use crate::exit::Exit;
use crate::files::Inputs;
use crate::frames::Fps;
use crate::interrupt;
use crate::picture::{self, LoadedRig};
use crate::pool::Pool;
use crate::progress::{Progress, megabytes};
use crate::render::RenderedRates;
use crate::report::print_line;
use crate::sound;

/// The rate of frames of which nothing is known.
const FILM: PlayRate = PlayRate { frames: 24, seconds: 1 };

pub(crate) fn run(args: &AssembleArgs) -> Exit {
    let started = Instant::now();
    let format = match format(args) {
        Ok(format) => format,
        Err(message) => return usage(&message),
    };
    let output = &args.output.path();
    let series = match Series::find(&args.from, args.frames.as_ref()) {
        Ok(series) => series,
        Err(message) => return failed(&message),
    };
    if let Err(message) = args.existing.allow(output) {
        return usage(&message);
    }
    if let Err(message) = writable(output, format, &series) {
        return failed(&message);
    }
    let jobs = match args.jobs {
        Some(jobs) => usize::from(jobs),
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let stop = interrupt::flag();
    let mut files = match FrameFiles::check(&series, output, (jobs, &stop)) {
        Ok(files) => files,
        Err(ended) => return unfinished(&ended, output),
    };
    let rate = match args.fps.map(|fps| play_rate(FrameRate::nearest(fps.get()))) {
        Some(rate) => Ok(Some(rate)),
        None => files.rendered_rate(),
    };
    let known = match rate {
        Ok(rate) => rate,
        Err(message) => return failed(&message),
    };
    let rate = known.unwrap_or(FILM);
    match sounds(args, format, &series, rate) {
        Ok(sounds) => files.sounds = sounds,
        Err(exit) => return exit,
    }
    // Only these have another form for alpha, and need to know before the first frame.
    let opaque = match format.kind {
        FormatKind::Video(video) if video.has_alpha() => files.are_opaque((jobs, &stop)),
        _ => Ok(false),
    };
    let opaque = match opaque {
        Ok(opaque) => opaque,
        Err(ended) => return unfinished(&ended, output),
    };
    // A program that reads the progress needs no hints.
    if !args.quiet && args.progress != ProgressKind::Json {
        hints(&series, known.is_none());
    }
    let job = AnimationJob {
        format,
        options: &args.animation,
        size: PixelSize { width: files.size.width(), height: files.size.height() },
        rate,
        background: None,
        opaque,
        pivot: None,
        jobs,
        progress: args.progress,
        quiet: args.quiet,
        stop: &stop,
    };
    let (tally, done) = animation::write_all(&files, &job);
    if let Err(ended) = done {
        return unfinished(&ended, output);
    }
    summary(args, &job, tally, started);
    Exit::Fine
}

/// The kind of the output, and whether all options apply to it.
fn format(args: &AssembleArgs) -> Result<&'static FileFormat, String> {
    let format = args.animation.format(&args.output, true)?;
    if format.is_some_and(FileFormat::is_vector) {
        let output = &args.output;
        return Err(format!("frames are pixels, and {output} would be outlines: write it with `render`"));
    }
    if format.is_some_and(FileFormat::is_layered) {
        return Err(format!("frames are one layer each: write {} with `render`", args.output));
    }
    args.animation.fit(format, false)?;
    if args.animation.pivot.is_some() {
        return Err("--pivot is a bone, and frames have none: write the sheet with `render`".to_owned());
    }
    format.ok_or_else(|| {
        format!(
            "{} is not a file of all frames: those are {}, and .json and .tres with --sheet",
            args.output,
            animation_endings_with_options()
        )
    })
}

/// What is heard in the frames of these numbers of a clip.
fn sounds(
    args: &AssembleArgs,
    format: &FileFormat,
    series: &Series,
    rate: PlayRate,
) -> Result<Vec<FilmSound>, Exit> {
    let Some(rig) = args.sound.as_ref().filter(|_| !args.animation.no_sound) else { return Ok(Vec::new()) };
    if !sound::fits(Some(format)) {
        let message = format!("--sound is for videos, and {} holds none", format.name);
        return Err(usage(&message));
    }
    let reading = WornRigArgs::default();
    let LoadedRig { scene, .. } = picture::open(rig, &reading, SkinDetail::Bones, !args.quiet, false)?;
    let clip = picture::clip(args.clip.as_deref(), &scene).map_err(|message| usage(&message))?;
    let numbers: Vec<u64> = series.frames.iter().map(|frame| frame.number).collect();
    let fps = Fps::new(f64::from(rate.frames) / f64::from(rate.seconds));
    let Some(clip) = clip else { return Ok(Vec::new()) };
    let files = reading.files();
    let inputs = Inputs::default().with(sound::paths(&scene, rig, &files).iter().map(PathBuf::as_path));
    inputs.check(args.output.path().as_ref(), "rig").map_err(|message| usage(&message))?;
    sound::heard((&scene, clip), (fps, &numbers), (rig, &files), args.quiet)
        .map_err(|message| failed(&message))
}

fn unfinished(ended: &Ended, output: &Path) -> Exit {
    match ended {
        Ended::Interrupted => {
            print_line(&format!("interrupted: {} was not written", output.display()));
            Exit::Interrupted
        }
        Ended::Failed(message) => failed(message),
    }
}

fn summary(args: &AssembleArgs, job: &AnimationJob<'_>, tally: AnimationTally, started: Instant) {
    if args.quiet {
        return;
    }
    let AnimationTally { frames, bytes, flattened } = tally;
    if flattened > 0 {
        print_line(
            "note: the video has no transparency: transparent pixels became black; --matte sets another colour",
        );
    }
    let PixelSize { width, height } = job.size;
    let seconds = started.elapsed().as_secs_f64();
    let fps = ratio(FrameRate { numerator: job.rate.frames, denominator: job.rate.seconds });
    let message = format!(
        "{frames} {} ({width}x{height}, {fps} a second, {}) in {seconds:.1} s -> {}",
        if frames == 1 { "frame" } else { "frames" },
        megabytes(bytes),
        args.output
    );
    let json = serde_json::json!({
        "event": "done", "frames": frames, "bytes": bytes, "width": width, "height": height, "fps": fps,
        "file": args.output.to_string(), "seconds": seconds,
    });
    Progress::new(args.progress, false, frames).summary(&message, &json);
}

fn play_rate(rate: FrameRate) -> PlayRate {
    PlayRate { frames: rate.numerator, seconds: rate.denominator }
}

fn hints(series: &Series, unknown_rate: bool) {
    if let Some((count, name)) = &series.left_out {
        let others = if *count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        print_line(&format!(
            "note: {name}{others} in {} has no number and is left out",
            series.folder.display()
        ));
    }
    if unknown_rate {
        print_line("note: the rate of these frames is not known: 24 a second; --fps sets another one");
    }
}

/// Checks that the output replaces neither a frame nor a file that is protected.
fn writable(output: &Path, format: &FileFormat, series: &Series) -> Result<(), String> {
    let shown = output.display();
    let page = format.is_sheet().then(|| page_file(output, 0, "png"));
    if let Some(taken) =
        [Some(output), page.as_deref()].into_iter().flatten().find(|path| series.would_take(path))
    {
        return Err(format!(
            "{} would be taken for a frame of {}: write it into another folder",
            taken.display(),
            series.pattern()
        ));
    }
    match std::fs::metadata(output) {
        Ok(file) if file.is_dir() => Err(format!("{shown} is a folder")),
        Ok(file) if file.permissions().readonly() => {
            Err(format!("{shown} exists and is read-only: choose another name"))
        }
        Ok(_) => Ok(()),
        // As for frames, the folder is made.
        Err(_) => match output.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => std::fs::create_dir_all(folder)
                .map_err(|error| format!("the folder {} cannot be created: {error}", folder.display())),
            _ => Ok(()),
        },
    }
}

/// The files of a series, all of one size.
struct FrameFiles<'a> {
    series: &'a Series,
    output: &'a Path,
    size: FrameSize,
    sounds: Vec<FilmSound>,
}

impl<'a> FrameFiles<'a> {
    /// Looks at all files. Up to ten that do not fit are reported.
    fn check(
        series: &'a Series,
        output: &'a Path,
        (jobs, stop): (usize, &AtomicBool),
    ) -> Result<Self, Ended> {
        const SHOWN: usize = 10;
        let sizes = Mutex::new(Vec::with_capacity(series.frames.len()));
        let pool = Pool { tasks: series.frames.len(), jobs, ordered: true, stop };
        let looked = pool.run(
            || (),
            |(), at, _| Ok::<_, Ended>(frame_size(&series.path(at))),
            |_, size, _| {
                sizes.lock().unwrap_or_else(PoisonError::into_inner).push(size);
                Ok(())
            },
        );
        looked.map_err(|(_, ended)| ended)?;
        if stop.load(Ordering::Relaxed) {
            return Err(Ended::Interrupted);
        }
        let sizes = sizes.into_inner().unwrap_or_else(PoisonError::into_inner);
        let first = sizes.iter().enumerate().find_map(|(at, size)| Some((at, *size.as_ref().ok()?)));
        let mut wrong = Vec::new();
        for (at, size) in sizes.iter().enumerate() {
            let path = series.path(at);
            match (size, first) {
                (Err(message), _) => wrong.push(format!("{}: {message}", path.display())),
                (Ok(size), Some((one, other))) if *size != other => {
                    let (one, other) = (&series.frames[one].name, shown(other));
                    wrong.push(format!("{} is {}, and {one} is {other}", path.display(), shown(*size)));
                }
                _ => {}
            }
        }
        if wrong.len() > SHOWN {
            let more = wrong.len() - SHOWN;
            wrong.truncate(SHOWN);
            wrong.push(format!("and {more} more frames that cannot be used"));
        }
        match first {
            Some((_, size)) if wrong.is_empty() => Ok(Self { series, output, size, sounds: Vec::new() }),
            _ => Err(Ended::Failed(wrong.join("\n"))),
        }
    }

    /// Whether no pixel of any frame is transparent.
    fn are_opaque(&self, (jobs, stop): (usize, &AtomicBool)) -> Result<bool, Ended> {
        /// A frame that ends the search.
        enum Found {
            Transparent,
            Unreadable(String),
        }
        let pool = Pool { tasks: self.series.frames.len(), jobs, ordered: false, stop };
        let looked = pool.run(
            FrameReader::default,
            |reader, at, pixels| {
                self.frame(reader, 0, at, pixels).map_err(Found::Unreadable)?;
                let opaque = pixels.as_chunks::<4>().0.iter().all(|pixel| pixel[3] == 255);
                if opaque { Ok(()) } else { Err(Found::Transparent) }
            },
            |_, (), _| Ok(()),
        );
        match looked {
            Ok(()) if stop.load(Ordering::Relaxed) => Err(Ended::Interrupted),
            Ok(()) => Ok(true),
            Err((_, Found::Transparent)) => Ok(false),
            Err((_, Found::Unreadable(message))) => Err(Ended::Failed(message)),
        }
    }

    /// The rate at which the frames were rendered, if a manifest beside them has it.
    fn rendered_rate(&self) -> Result<Option<PlayRate>, String> {
        let rates = RenderedRates::read(&self.series.folder);
        let name = |at: usize| &self.series.frames[at].name;
        // The rates that all frames have, and the frame after which these were left.
        let mut common: Option<(usize, Vec<FrameRate>)> = None;
        for at in 0..self.series.frames.len() {
            let own = rates.of(&self.series.path(at));
            let Some((before, left)) = common.as_mut() else {
                common = (!own.is_empty()).then_some((at, own));
                continue;
            };
            if own.is_empty() {
                continue;
            }
            let both: Vec<FrameRate> = left.iter().copied().filter(|rate| own.contains(rate)).collect();
            if both.is_empty() {
                return Err(format!(
                    "{} was rendered at {} frames a second, and {} at {}: --fps chooses a rate, --frames the frames",
                    name(*before),
                    ratio(left[0]),
                    name(at),
                    ratio(own[0])
                ));
            }
            if both.len() < left.len() {
                common = Some((at, both));
            }
        }
        match common.as_ref().map(|(_, left)| left.as_slice()) {
            None | Some([]) => Ok(None),
            Some([rate]) => Ok(Some(play_rate(*rate))),
            Some([one, other, ..]) => Err(format!(
                "these frames are the same at {} and at {} frames a second: --fps chooses a rate",
                ratio(*one),
                ratio(*other)
            )),
        }
    }
}

/// A rate as it is typed.
fn ratio(rate: FrameRate) -> String {
    match rate.denominator {
        1 => rate.numerator.to_string(),
        seconds => format!("{}/{seconds}", rate.numerator),
    }
}

fn shown(size: FrameSize) -> String {
    format!("{}x{}", size.width(), size.height())
}

impl FrameSource for FrameFiles<'_> {
    type Scratch = FrameReader;

    fn clips(&self) -> Vec<SourceClip> {
        vec![SourceClip {
            name: self.series.title(),
            frames: self.series.frames.len(),
            looped: true,
            events: Vec::new(),
            sounds: self.sounds.clone(),
            path: self.output.to_owned(),
        }]
    }

    fn number(&self, _: usize, at: usize) -> u64 {
        self.series.frames[at].number
    }

    fn scratch(&self) -> FrameReader {
        FrameReader::default()
    }

    fn frame(
        &self,
        reader: &mut FrameReader,
        _: usize,
        at: usize,
        pixels: &mut Vec<u8>,
    ) -> Result<(), String> {
        let path = self.series.path(at);
        let size = reader.read(&path, pixels).map_err(|message| format!("{}: {message}", path.display()))?;
        if size == self.size {
            Ok(())
        } else {
            Err(format!("{} was changed while it was read: it is {} now", path.display(), shown(size)))
        }
    }
}

fn failed(message: &str) -> Exit {
    print_line(message);
    Exit::Failed
}

fn usage(message: &str) -> Exit {
    print_line(&format!("{message}\n\n`render-frames assemble --help` prints more."));
    Exit::Usage
}
