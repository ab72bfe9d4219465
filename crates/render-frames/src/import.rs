//! `import`: converts recorded motion to a clip with few keys. Notes about the conversion are printed on
//! standard error and written into the rig as comments.

mod accuracy;
#[cfg(feature = "motion-graphs")]
mod along;
mod capture;
mod controls;
mod doc;
mod ground;
mod keypoints;
mod look;
mod map;
mod onto;
mod recording;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use bone_core::clip::Ease;
use bone_format::doc::RigDoc;
use bone_format::write::{Comments, Digits, write};
use bone_import::figure::{Figure, FigureOptions, build_figure};
use bone_import::fit::{ChannelKeys, FittedClip, KeyedClip, fit_constrained};
use bone_import::planted::{PlantedMotion, plant_feet};
use bone_import::{ImportError, PlanarMotion, PlanarMotionError, cycle, facing, stick_figure};

use self::accuracy::{Accuracy, Wanted};
use self::capture::{CaptureOptions, recorded};
use self::recording::{Failure, Recording, ShortNumber, file_name, mistake_in, stem};
use crate::args::{Existing, FacingArg, ForeshorteningArg, ImportArgs};
use crate::edited_rig::write_new;
use crate::exit::Exit;
use crate::files::Inputs;
use crate::report::{self, print_line};

/// The height of a generated figure, in units of its drawing.
const HEIGHT: f64 = 320.0;

pub(crate) fn run(args: &ImportArgs) -> Exit {
    end(make(args), args.quiet)
}

/// Prints the result and returns the exit code.
fn end(made: Result<String, Failure>, quiet: bool) -> Exit {
    match made {
        Ok(message) => {
            if !quiet {
                print_line(&message);
            }
            Exit::Fine
        }
        Err(Failure::Mistakes(found)) => {
            report::show(&found.0, &found.1, true);
            print_line(&format!("{}: {}", found.2.display(), report::count(&found.0)));
            Exit::Mistakes
        }
        Err(Failure::Usage(message)) => {
            print_line(&format!("error: {message}"));
            Exit::Usage
        }
        Err(Failure::Failed(message)) => {
            print_line(&format!("error: {message}"));
            Exit::Failed
        }
    }
}

fn make(args: &ImportArgs) -> Result<String, Failure> {
    if let Some(rig) = &args.rig {
        return onto::onto(args, rig);
    }
    let output = args.output.clone().unwrap_or_else(|| args.motion.with_extension("ron"));
    let drawing = match &args.look {
        Some(look) => {
            look::check(look, args.existing)?;
            output.with_extension("svg")
        }
        None => {
            let drawing = free(&output, args.existing)?;
            let inputs = inputs(args, Inputs::default());
            inputs.check(&drawing, "figure").map_err(Failure::Usage)?;
            drawing
        }
    };
    let (mut recording, as_recorded) = read(args)?;
    if let Some(map) = &args.map {
        let mut body = recording.motion.body();
        map::read(map, None, &recording, &mut body)?;
        recording.motion = recording.motion.with_body(body);
    }
    if !recording.motion.controls().is_empty() {
        let note = "the new figure has neither fingers nor a face that moves: --rig puts them onto a rig with bones for them";
        recording.notes.push(note.to_owned());
    }
    let name = args.clip.clone().unwrap_or_else(|| stem(&args.motion));
    let whole = |error: ImportError| mistake(args, None, &error);
    let planted =
        plant_feet(&recording.motion, args.looped).map_err(|error| Failure::Failed(error.to_string()))?;
    recording.notes.extend(planted_note(&planted, recording.motion.rate()));
    recording.motion = planted.motion;
    let options = FigureOptions::new(HEIGHT)
        .foreshortening(args.foreshortening.unwrap_or(ForeshorteningArg::Keep).into())
        .on_the_spot(args.on_the_spot)
        .looped(args.looped)
        .tolerance(args.tolerance / 100.0);
    let figure = build_figure(&recording.motion, &options).map_err(whole)?;
    let mut stick = stick_figure::draw_stick_figure(&figure, &recording.motion);
    if !recording.ground.is_empty() {
        ground::draw(&mut stick, &figure, &recording.motion, &recording.ground);
    }
    let locks = figure.foot_locks(&planted.standing);
    let travel = recording.motion.position(recording.motion.frames() - 1, recording.motion.base()).x
        - recording.motion.position(0, recording.motion.base()).x;
    let ground = doc::MovingGround {
        drift: kurbo::Vec2::new(-figure.drift, 0.0),
        travel: if args.on_the_spot { 0.0 } else { travel * figure.scale() },
        ease: doc::ease(args.tolerance, figure.take.rate),
    };
    let digits = digits(args.tolerance, figure.height);
    // The pins of feet act on the poses of the clip, so they are known before it is fitted.
    let still = KeyedClip { length: figure.take.length(), looped: args.looped, tracks: Vec::new() };
    let mut clip = doc::clip(&name, &still, &figure.skeleton);
    let (constraints, holds) = doc::plants(&figure, &locks, &still, ground);
    clip.constraints = holds;
    let rig = doc::rig(&figure, &stick, &drawing, args.fps);
    let held = RigDoc { clips: vec![clip], constraints: constraints.clone(), ..rig.clone() };
    let held = write(&held, &Comments::new(), digits);
    let held = accuracy::load_unwritten(&[(&output, &held), (&drawing, &stick.svg)])?;
    let (frames, rate) = (figure.take.frames(), figure.take.rate);
    let held = accuracy::holding(&held, &figure.skeleton, &name, frames, rate);
    let tolerance = args.tolerance / 100.0 * figure.height;
    let fitted = fit_constrained(&figure.skeleton, &figure.take, &held, tolerance).map_err(whole)?;
    let digits = digits_of(&fitted.clip, digits);
    let mut clip = doc::clip(&name, &fitted.clip, &figure.skeleton);
    clip.art = stick.orders.iter().map(|(art, orders)| doc::orders(art, orders, figure.take.rate)).collect();
    clip.art.extend(stick.switches.iter().map(|(art, keys)| doc::switches(art, keys, figure.take.rate)));
    clip.constraints = doc::plants(&figure, &locks, &fitted.clip, ground).1;
    let mut rig = RigDoc { clips: vec![clip], constraints, ..rig };
    doc::keep_used_bones(&mut rig, locks.iter().map(|lock| figure.skeleton.name(lock.bone)));
    let draft = write(&rig, &Comments::new(), digits);
    let played = accuracy::load_unwritten(&[(&output, &draft), (&drawing, &stick.svg)])?;
    if let Some(path) = &args.look {
        return look::write(path, &played, &name, &recording.motion)
            .map(|message| noted(&recording.notes, &message));
    }
    let used: Vec<_> = figure.bones.iter().filter(|bone| rig.bone(&bone.name).is_some()).collect();
    let bones: Vec<String> = used.iter().map(|bone| bone.name.clone()).collect();
    let frames = recording.motion.frames() - usize::from(args.looped);
    let wanted = Wanted { clip: &name, frames, rate: figure.take.rate, bones: &bones };
    let accuracy = accuracy::measure(&played, &wanted, |frame, ends| {
        let there = |joint| figure.recorded(&as_recorded, frame, joint);
        ends.extend(used.iter().map(|bone| [bone.from, bone.to].map(there)));
    });
    let cost = cost(&fitted, accuracy, figure.height);
    let comments = comments(args, &recording, &figure, &output, &name, &cost);
    let is_new = drawing.symlink_metadata().is_err();
    put(&drawing, &stick.svg, args.existing)?;
    if let Err(failure) = put(&output, &write(&rig, &comments, digits), args.existing) {
        if is_new {
            // A drawing without its rig is of no use.
            let _ = std::fs::remove_file(&drawing);
        }
        return Err(failure);
    }
    let mut message = noted(&recording.notes, "");
    let _ = write!(
        message,
        "{}: {} bones, {} channels, {} keys. {cost}",
        output.display(),
        figure.skeleton.len(),
        fitted.channels,
        fitted.keys,
    );
    Ok(message)
}

/// The comments of a new rig: where its motion comes from, and what its numbers are.
fn comments(
    args: &ImportArgs,
    recording: &Recording,
    figure: &Figure,
    output: &Path,
    name: &str,
    cost: &str,
) -> Comments {
    let mut top = source_comment(args, recording);
    let _ = write!(
        top,
        "{cost}\n\nNext steps: render it with `render-frames {rig} -o out/`, plot its curves with `render-frames plot {rig}`,\n\
         draw over {svg} (keep the ids), or put the same motion onto your own character with `import --rig`.",
        rig = file_name(output),
        svg = file_name(&output.with_extension("svg"))
    );
    let mut on_clip = String::from(
        "Rotations are degrees from the standing figure, `stretch` is the visible share of a limb's length.",
    );
    if figure.drift.abs() > 0.5 {
        let _ = write!(
            on_clip,
            "\nThe figure stays on the spot: the ground moves at {:.0} units a second.",
            -figure.drift
        );
    }
    Comments::new()
        .top(&top)
        .before("bones", "The figure at rest: standing, arms down. `_l` is its own left.")
        .on("clips", name, &on_clip)
}

/// The largest number of contacts that are named.
const NAMED: usize = 5;

/// Which feet stand, and which do not although they are on the ground.
fn planted_note(planted: &PlantedMotion, rate: f64) -> Option<String> {
    let joint = |joint: usize| planted.motion.joints()[joint].name.as_str();
    let loose: Vec<String> = planted
        .loose
        .iter()
        .take(NAMED)
        .map(|foot| {
            let (from, until) = (ShortNumber(foot.from as f64 / rate), ShortNumber(foot.until as f64 / rate));
            format!("\"{}\" {from} to {until} s, {:.1} %", joint(foot.joint), 100.0 * foot.moves)
        })
        .collect();
    let mut note = format!(
        "standing feet: {} contacts, moved by up to {:.1} % of the height so that they stand still",
        planted.standing.len(),
        100.0 * planted.largest_shift
    );
    if !loose.is_empty() {
        let more = match planted.loose.len() - loose.len() {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let _ = write!(note, "; not those that move by more on the ground: {}{more}", loose.join(", "));
    }
    (planted.largest_shift > 0.001 || !loose.is_empty()).then_some(note)
}

/// A message after the notes about a recording.
fn noted(notes: &[String], message: &str) -> String {
    notes.iter().fold(String::new(), |all, note| all + "note: " + note + "\n") + message
}

/// The path of the drawing beside a rig. Existing files are an error, unless they may be replaced.
fn free(output: &Path, existing: Existing) -> Result<PathBuf, Failure> {
    let drawing = output.with_extension("svg");
    for path in [output, &drawing] {
        existing.allow(path).map_err(Failure::Usage)?;
    }
    if output.extension().is_none_or(|end| !end.eq_ignore_ascii_case("ron")) {
        return Err(Failure::Usage(format!(
            "the name of the output, {}, must end in .ron",
            output.display()
        )));
    }
    Ok(drawing)
}

/// Reads and projects.
fn recording(args: &ImportArgs) -> Result<Recording, Failure> {
    #[cfg(feature = "motion-graphs")]
    if let Some(path) = &args.along {
        return along::read(args, path);
    }
    if keypoints::are_meant(&args.motion) {
        return keypoints::read(args);
    }
    recorded(&args.motion, &CaptureOptions::of(args))
}

/// Reads, projects, cuts and closes. The second motion is the same before it was closed.
fn read(args: &ImportArgs) -> Result<(Recording, PlanarMotion), Failure> {
    let mut recording = recording(args)?;
    let Recording { motion, notes, ground, .. } = &mut recording;
    let (frames, rate) = (motion.frames(), motion.rate());
    if let Some((first, last)) = args.frames {
        *motion = motion
            .cut(first, last.saturating_add(1))
            .ok()
            .filter(|motion| motion.frames() > 1)
            .ok_or_else(|| {
                Failure::Usage(format!("frames {first}-{last}: the recording has frames 0 to {}", frames - 1))
            })?;
    }
    if motion.frames() < 2 {
        let error = ImportError::new("the recording has only one frame: a clip needs at least two");
        return Err(mistake(args, None, &error));
    }
    let turned = facing::facing_away(motion).filter(|away| away.iter().any(|away| *away));
    if let Some(away) = turned {
        let share = 100.0 * away.iter().filter(|away| **away).count() as f64 / away.len() as f64;
        // A drawing has one side; a new figure is drawn for all.
        let flips = args.facing.unwrap_or(if args.rig.is_some() { FacingArg::Flip } else { FacingArg::Keep });
        if flips == FacingArg::Flip {
            *motion =
                facing::mirrored_where(motion, &away).map_err(|error| Failure::Failed(error.to_string()))?;
        }
        notes.push(match flips {
            FacingArg::Flip => format!(
                "in {share:.0} % of the frames the figure faces away: there it is mirrored (--facing keep shows it as it is)"
            ),
            FacingArg::Keep => format!(
                "in {share:.0} % of the frames the figure faces away (--facing flip mirrors it there)"
            ),
        });
    }
    let mut as_recorded = motion.clone();
    let is_loop = cycle::whole(motion);
    if !args.looped && is_loop.is_some() && ground.is_empty() {
        notes.push("the last frame equals the first one: --loop makes the clip loop".to_owned());
    }
    if args.looped {
        let found = is_loop.or_else(|| cycle::find(motion)).ok_or_else(|| {
            let error = ImportError::new("no cycle was found: no pose repeats with the same motion")
                .help("a cycle takes 0.35 to 12 seconds, and the recording has to be a little longer than it; or omit --loop");
            mistake(args, None, &error)
        })?;
        let failed = |error: PlanarMotionError| Failure::Failed(error.to_string());
        as_recorded = motion.cut(found.start, found.start + found.period + 1).map_err(failed)?;
        *motion = cycle::closed(motion, &found).map_err(failed)?;
        let shift = args.frames.map_or(0, |(first, _)| first);
        notes.push(format!(
            "the cycle is {:.3} s: frames {} to {}; the remaining difference at its end, {:.1} % of the height, is spread over it",
            found.period as f64 / rate,
            found.start + shift,
            found.start + shift + found.period,
            found.distance * 100.0
        ));
    }
    Ok((recording, as_recorded))
}

/// The density of keys, and how far the joints of the written rig are from those of the recording.
fn cost(fitted: &FittedClip, accuracy: Option<Accuracy>, height: f64) -> String {
    let joints = accuracy.map_or(String::new(), |accuracy| format!("; {}", accuracy.sentence(height)));
    format!("{:.1} keys a second and channel{joints}.", fitted.density())
}

/// The digits of a written rig: its rounding is small beside a tolerance, which is in percent of the height.
/// Keys are rounded by the fit already; these digits are for the setup pose.
fn digits(tolerance: f64, height: f64) -> Digits {
    let room = 0.01 * tolerance / 100.0 * height;
    let places = (2..6).find(|&places| 0.5 * 10.0_f64.powi(-places) <= room).unwrap_or(6);
    let fine = if tolerance < 0.2 { 6 } else { 3 };
    Digits { places: places as usize, times: fine, shares: fine }
}

/// The same digits, or more where the keys of a fitted clip have more: they are rounded already.
fn digits_of(clip: &KeyedClip, digits: Digits) -> Digits {
    let usual = |number: f64| (number * 1e3 - (number * 1e3).round()).abs() < 1e-6;
    let plain = |ease: &Ease| match *ease {
        Ease::Bezier { x1, y1, x2, y2 } => [x1, y1, x2, y2].into_iter().all(usual),
        _ => true,
    };
    let all = clip.tracks.iter().all(|track| match &track.keys {
        ChannelKeys::Rotate(keys) | ChannelKeys::Stretch(keys) => {
            keys.iter().all(|key| usual(key.time) && plain(&key.ease))
        }
        ChannelKeys::Move(keys) => keys.iter().all(|key| usual(key.time) && plain(&key.ease)),
    });
    if all { digits } else { Digits { times: 6, shares: 6, ..digits } }
}

/// A comment with the origin of the motion and the options.
fn source_comment(args: &ImportArgs, recording: &Recording) -> String {
    let mut message = format!("Made from {}: {}.\n", file_name(&args.motion), recording.message);
    let mut options = recording.options.clone();
    options.push(format!("--tolerance {}", args.tolerance));
    options.extend(args.frames.map(|(first, last)| format!("--frames {first}-{last}")));
    options.extend(args.looped.then(|| "--loop".to_owned()));
    options.extend(args.on_the_spot.then(|| "--on-the-spot".to_owned()));
    options.extend(args.keep_in_view.then(|| "--keep-in-view".to_owned()));
    let how = args.foreshortening.map(|how| match how {
        ForeshorteningArg::Keep => "keep",
        ForeshorteningArg::Clamp => "clamp",
        ForeshorteningArg::Ignore => "ignore",
    });
    options.extend(how.map(|how| format!("--foreshortening {how}")));
    options.extend(args.facing.map(|facing| match facing {
        FacingArg::Flip => "--facing flip".to_owned(),
        FacingArg::Keep => "--facing keep".to_owned(),
    }));
    let _ = writeln!(message, "Options: {}.", options.join(" "));
    for note in &recording.notes {
        let mut note = note.clone();
        if let Some(first) = note.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let _ = writeln!(message, "{note}.");
    }
    message
}

/// An error in the recording, with its place if the text is given.
fn mistake(args: &ImportArgs, text: Option<&str>, error: &ImportError) -> Failure {
    mistake_in(&args.motion, text, error)
}

/// The files that are read for an import, and those of its rig.
fn inputs(args: &ImportArgs, of_rig: Inputs) -> Inputs {
    let named = [Some(&args.motion), args.map.as_ref(), args.path()];
    // A folder of captures or of frames; what else is in it is no recording.
    let entries = std::fs::read_dir(&args.motion).into_iter().flatten().flatten().map(|entry| entry.path());
    let entries: Vec<PathBuf> =
        entries.filter(|path| !matches!(&*capture::extension(path), "ron" | "svg")).collect();
    let files = named.into_iter().flatten().chain(&entries);
    of_rig.with(files.map(PathBuf::as_path))
}

/// Writes a file atomically.
fn put(path: &Path, text: &str, existing: Existing) -> Result<(), Failure> {
    write_new(path, text, existing).map_err(Failure::Failed)
}
