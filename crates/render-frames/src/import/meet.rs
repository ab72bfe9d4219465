//! `meet`: finds transitions between two captures, and writes a shot that fades from one into the other.

use std::fmt::Write as _;
use std::path::Path;

use bone_format::doc::{Fade, PlayDoc, RigDoc, SequenceDoc};
use bone_format::span::Spanned;
use bone_format::write::{Comments, Digits, write};
use bone_import::distance::PoseTable;
use bone_import::figure::{FigureOptions, build_figure, height};
use bone_import::fit::{ChannelSamples, Take, fit};
use bone_import::transitions::{Transition, transitions};
use bone_import::{ImportError, PlanarMotion, stick_figure};
use kurbo::Point;

use crate::exit::Exit;

use super::capture::{CaptureOptions, recorded};
use super::recording::{Failure, Recording, file_name, mistake_in, stem};
use super::{HEIGHT, doc, free, noted, put};
use crate::args::MeetArgs;
use crate::report;

/// Captures with a higher rate are compared at this rate.
const RATE: f64 = 30.0;

/// Two captures at one rate, and their transitions.
struct CapturePair {
    first: PlanarMotion,
    second: PlanarMotion,
    found: Vec<Transition>,
    /// The number of frames of the fade.
    window: usize,
    /// What was assumed about the captures.
    notes: Vec<String>,
}

pub(super) fn run(args: &MeetArgs) -> Result<String, Failure> {
    if let Some(output) = &args.output {
        free(output, args.existing)?;
    }
    let pair = meet(args)?;
    let rate = pair.first.rate();
    let bound = args.within / 100.0;
    let near: Vec<&Transition> = pair.found.iter().filter(|found| found.distance <= bound).collect();
    let Some(best) = near.first() else {
        let nearest = pair.found.first().map_or(String::new(), |found| {
            format!("; the nearest poses are {:.1} % apart", found.distance * 100.0)
        });
        let message = format!(
            "it has no transition to {} within {} % of the height{nearest}",
            args.second.display(),
            args.within
        );
        let error = ImportError::new(message).help("increase --within, or use a shorter --fade");
        return Err(mistake_in(&args.first, None, &error));
    };
    let time = |frame: usize| frame as f64 / rate;
    let mut out = String::new();
    if args.json {
        let place = |found: &&Transition| serde_json::json!({ "from": time(found.from), "to": time(found.to), "distance": found.distance });
        let places: Vec<_> = near.iter().take(args.count).map(place).collect();
        let _ = write!(out, "{:#}", serde_json::json!({ "fade": time(pair.window - 1), "places": places }));
    } else {
        let _ = write!(out, "{:>10} {:>10} {:>9}", "from, s", "to, s", "apart, %");
        for found in near.iter().take(args.count) {
            let (from, to) = (time(found.from), time(found.to));
            let _ = write!(out, "\n{from:>10.3} {to:>10.3} {:>9.2}", found.distance * 100.0);
        }
    }
    match report::print_result(format!("{out}\n")) {
        Exit::Fine => {}
        other => return Err(Failure::Ended(other)),
    }
    match &args.output {
        Some(output) => rig(args, output, &pair, best),
        None => Ok(format!("{} places within {} % of the height", near.len(), args.within)),
    }
    .map(|message| noted(&pair.notes, &message))
}

fn meet(args: &MeetArgs) -> Result<CapturePair, Failure> {
    let wanted = CaptureOptions { view: args.view, up: None, rate: None, animation: None, figure: None };
    let mut notes = Vec::new();
    let mut read = |path: &Path| {
        let Recording { motion, notes: found, .. } = recorded(path, &wanted)?;
        notes.extend(found.iter().map(|note| format!("{}: {note}", file_name(path))));
        let rate = motion.rate().min(RATE);
        let poses =
            |motion: &PlanarMotion| PoseTable::of(motion).map_err(|error| mistake_in(path, None, &error));
        let motion = motion.resampled(rate).map_err(|error| Failure::Failed(error.to_string()))?;
        poses(&motion).map(|_| motion)
    };
    let (first, second) = (read(&args.first)?, read(&args.second)?);
    if first.joints() != second.joints() {
        let message = format!("it has other joints than {}", args.first.display());
        return Err(mistake_in(
            &args.second,
            None,
            &ImportError::new(message).help("take captures of one skeleton"),
        ));
    }
    let rate = first.rate().min(second.rate());
    let same =
        |motion: PlanarMotion| motion.resampled(rate).map_err(|error| Failure::Failed(error.to_string()));
    let (first, second) = (same(first)?, same(second)?);
    let window = ((args.fade * rate).round() as usize + 1).max(2);
    let poses =
        |motion: &PlanarMotion| PoseTable::of(motion).map_err(|error| mistake_in(&args.first, None, &error));
    let (a, b) = (poses(&first)?, poses(&second)?);
    let apart = (first == second).then_some(window);
    let found = transitions(&a, &b, window, f64::INFINITY, apart);
    Ok(CapturePair { first, second, found, window, notes })
}

fn rig(args: &MeetArgs, output: &Path, pair: &CapturePair, best: &Transition) -> Result<String, Failure> {
    let drawing = output.with_extension("svg");
    let rate = pair.first.rate();
    let both = one_after_the_other(pair, best).map_err(|error| Failure::Failed(error.to_string()))?;
    let options = FigureOptions::new(HEIGHT);
    let whole = |error: ImportError| mistake_in(&args.first, None, &error);
    let figure = build_figure(&both, &options).map_err(whole)?;
    let count = pair.first.frames();
    let tolerance = args.tolerance / 100.0 * figure.height;
    let (first, second) = (stem(&args.first), stem(&args.second));
    let (first, second) =
        if first == second { (format!("{first} 1"), format!("{second} 2")) } else { (first, second) };
    let mut clips = Vec::new();
    for (name, range) in [(&first, 0..count), (&second, count..both.frames())] {
        let fitted = fit(&figure.skeleton, &part(&figure.take, range), tolerance).map_err(whole)?;
        clips.push(doc::clip(name, &fitted.clip, &figure.skeleton));
    }
    let time = |frame: usize| (frame as f64 / rate * 1000.0).round() / 1000.0;
    let fade = time(pair.window - 1);
    let shot = format!("{first} to {second}");
    let play = |clip: &String| PlayDoc { clip: clip.clone().into(), ..PlayDoc::default() };
    let shots = vec![SequenceDoc {
        name: shot.clone().into(),
        play: vec![
            PlayDoc { length: Some(time(best.from + pair.window - 1).into()), ..play(&first) },
            PlayDoc {
                from: (best.to > 0).then(|| time(best.to).into()),
                fade: Some(Spanned::from(Fade { start: fade, end: 0.0 })),
                ..play(&second)
            },
        ],
        complete: true,
        ..SequenceDoc::default()
    }];
    let stick = stick_figure::draw_stick_figure(&figure, &both);
    let rig = RigDoc { clips, shots, ..doc::rig(&figure, &stick, &drawing, args.fps) };
    let top = format!(
        "Made from {} and {}, with the best transition at {} s and {} s: joints differ by {:.1} % of the height (root mean square).\n\
         Options: --fade {} --tolerance {}.\n\
         Render the shot with `render-frames {} --clip '{shot}' -o out/`.",
        file_name(&args.first),
        file_name(&args.second),
        time(best.from),
        time(best.to),
        best.distance * 100.0,
        args.fade,
        args.tolerance,
        file_name(output)
    );
    let comments =
        Comments::new().top(&top).on("shots", &shot, "The fade is the best transition between both motions.");
    put(&drawing, &stick.svg, args.existing)?;
    put(output, &write(&rig, &comments, Digits { places: 2, times: 3, shares: 3 }), args.existing)?;
    Ok(format!("{}: clips \"{first}\" and \"{second}\", shot \"{shot}\"", output.display()))
}

/// Both motions one after the other: the second is scaled to the height of the first and moved to its ground
/// and to the place of the transition.
fn one_after_the_other(
    pair: &CapturePair,
    best: &Transition,
) -> Result<PlanarMotion, bone_import::PlanarMotionError> {
    let (first, second) = (&pair.first, &pair.second);
    let scale = height(first, &first.body()) / height(second, &second.body());
    let (low, under) =
        (bone_import::distance::ground_height(first), bone_import::distance::ground_height(second));
    let joints = first.joints().len() as f64;
    let middle =
        |motion: &PlanarMotion, frame: usize| motion.frame(frame).iter().map(|at| at.x).sum::<f64>() / joints;
    let away = |k: usize| middle(first, best.from + k) - scale * middle(second, best.to + k);
    let shift = (0..pair.window).map(away).sum::<f64>() / pair.window as f64;
    let mut places: Vec<Point> = (0..first.frames()).flat_map(|frame| first.frame(frame)).copied().collect();
    let moved = |at: &Point| Point::new(at.x * scale + shift, (at.y - under) * scale + low);
    places.extend((0..second.frames()).flat_map(|frame| second.frame(frame)).map(moved));
    let both = PlanarMotion::new(first.joints().to_vec(), first.rate(), places)?;
    let depths = (0..first.frames()).flat_map(|frame| first.depths(frame)).copied();
    let more = (0..second.frames()).flat_map(|frame| second.depths(frame)).map(|depth| depth * scale);
    both.with_depths(depths.chain(more).collect())
}

/// A range of frames of a take.
fn part(take: &Take, range: std::ops::Range<usize>) -> Take {
    let mut part = take.clone();
    for track in &mut part.tracks {
        track.samples = match &track.samples {
            ChannelSamples::Rotate(samples) => ChannelSamples::Rotate(samples[range.clone()].to_vec()),
            ChannelSamples::Stretch(samples) => ChannelSamples::Stretch(samples[range.clone()].to_vec()),
            ChannelSamples::Move(samples) => ChannelSamples::Move(samples[range.clone()].to_vec()),
        };
    }
    part
}
