//! `meet`: where two captures meet, and a shot that fades from one into the other there.

use std::fmt::Write as _;
use std::path::Path;

use ::import::distance::Poses;
use ::import::figure::{FigureOptions, figure, height};
use ::import::fit::{Samples, Take, fit};
use ::import::transitions::{Transition, transitions};
use ::import::{Flat, ImportError, stick};
use kurbo::Point;
use rig::doc::{Fade, PlayDoc, RigDoc, ShotDoc};
use rig::span::Spanned;
use rig::write::{Comments, Digits, write};

use super::{Failure, HEIGHT, doc, file_name, free, mistake_in, put, recorded, stem};
use crate::args::Meet;
use crate::report;

/// More frames a second tell no more of where motions meet.
const RATE: f64 = 30.0;

/// Two captures at one rate, and where they meet.
struct Meeting {
    first: Flat,
    second: Flat,
    found: Vec<Transition>,
    /// Frames of the fade.
    window: usize,
}

pub(super) fn run(args: &Meet) -> Result<String, Failure> {
    if let Some(output) = &args.output {
        free(output, args.existing)?;
    }
    let meeting = meet(args)?;
    let rate = meeting.first.rate();
    let bound = args.within / 100.0;
    let near: Vec<&Transition> = meeting.found.iter().filter(|found| found.distance <= bound).collect();
    let Some(best) = near.first() else {
        let nearest = meeting.found.first().map_or(String::new(), |found| {
            format!("; the nearest poses are {:.1} % apart", found.distance * 100.0)
        });
        let message = format!(
            "it does not meet {} within {} % of the height{nearest}",
            args.second.display(),
            args.within
        );
        let error = ImportError::whole(message)
            .help("let them be farther apart with --within, or take a shorter --fade");
        return Err(mistake_in(&args.first, None, &error));
    };
    let time = |frame: usize| frame as f64 / rate;
    let mut out = String::new();
    if args.json {
        let place = |found: &&Transition| serde_json::json!({ "from": time(found.from), "to": time(found.to), "distance": found.distance });
        let places: Vec<_> = near.iter().take(args.count).map(place).collect();
        let _ =
            write!(out, "{:#}", serde_json::json!({ "fade": time(meeting.window - 1), "places": places }));
    } else {
        let _ = write!(out, "{:>10} {:>10} {:>9}", "from, s", "to, s", "apart, %");
        for found in near.iter().take(args.count) {
            let (from, to) = (time(found.from), time(found.to));
            let _ = write!(out, "\n{from:>10.3} {to:>10.3} {:>9.2}", found.distance * 100.0);
        }
    }
    report::print(format!("{out}\n")).map_err(Failure::Failed)?;
    match &args.output {
        Some(output) => rig(args, output, &meeting, best),
        None => Ok(format!("{} places within {} % of the height", near.len(), args.within)),
    }
}

fn meet(args: &Meet) -> Result<Meeting, Failure> {
    let read = |path: &Path| {
        let flat = recorded(path, args.view, None)?.flat;
        let rate = flat.rate().min(RATE);
        let poses = |flat: &Flat| Poses::of(flat).map_err(|error| mistake_in(path, None, &error));
        let flat = flat.resampled(rate).map_err(|error| Failure::Failed(error.to_string()))?;
        poses(&flat).map(|_| flat)
    };
    let (first, second) = (read(&args.first)?, read(&args.second)?);
    if first.joints() != second.joints() {
        let message = format!("it has other joints than {}", args.first.display());
        return Err(mistake_in(
            &args.second,
            None,
            &ImportError::whole(message).help("take captures of one skeleton"),
        ));
    }
    let rate = first.rate().min(second.rate());
    let same = |flat: Flat| flat.resampled(rate).map_err(|error| Failure::Failed(error.to_string()));
    let (first, second) = (same(first)?, same(second)?);
    let window = ((args.fade * rate).round() as usize + 1).max(2);
    let poses = |flat: &Flat| Poses::of(flat).map_err(|error| mistake_in(&args.first, None, &error));
    let (a, b) = (poses(&first)?, poses(&second)?);
    let apart = (first == second).then_some(window);
    let found = transitions(&a, &b, window, f64::INFINITY, apart);
    Ok(Meeting { first, second, found, window })
}

fn rig(args: &Meet, output: &Path, meeting: &Meeting, best: &Transition) -> Result<String, Failure> {
    let drawing = output.with_extension("svg");
    let rate = meeting.first.rate();
    let both = one_after_the_other(meeting, best).map_err(|error| Failure::Failed(error.to_string()))?;
    let options = FigureOptions {
        foreshortening: Default::default(),
        on_the_spot: false,
        height: HEIGHT,
        looped: false,
    };
    let whole = |error: ImportError| mistake_in(&args.first, None, &error);
    let figure = figure(&both, &options).map_err(whole)?;
    let count = meeting.first.frames();
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
    let fade = time(meeting.window - 1);
    let shot = format!("{first} to {second}");
    let play = |clip: &String| PlayDoc { clip: clip.clone().into(), ..PlayDoc::default() };
    let shots = vec![ShotDoc {
        name: shot.clone().into(),
        play: vec![
            PlayDoc { length: Some(time(best.from + meeting.window - 1).into()), ..play(&first) },
            PlayDoc {
                from: (best.to > 0).then(|| time(best.to).into()),
                fade: Some(Spanned::from(Fade { start: fade, end: 0.0 })),
                ..play(&second)
            },
        ],
        complete: true,
        ..ShotDoc::default()
    }];
    let stick = stick::stick(&figure, &both);
    let rig = RigDoc { clips, shots, ..doc::rig(&figure, &stick, &drawing, args.fps) };
    let top = format!(
        "Made from {} and {}, which meet at {} s and {} s: joints are {:.1} % of the height apart on the whole.\n\
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
        Comments::new().top(&top).on("shots", &shot, "The fade begins where the motions meet best.");
    put(&drawing, &stick.svg)?;
    put(output, &write(&rig, &comments, Digits { places: 2, times: 3, shares: 3 }))?;
    Ok(format!("{}: clips \"{first}\" and \"{second}\", shot \"{shot}\"", output.display()))
}

/// Both motions as one, the second as high as the first, on its ground, and where the first is when they meet.
fn one_after_the_other(meeting: &Meeting, best: &Transition) -> Result<Flat, ::import::FlatError> {
    let (first, second) = (&meeting.first, &meeting.second);
    let scale = height(first, &first.body()) / height(second, &second.body());
    let (low, under) = (::import::distance::ground(first), ::import::distance::ground(second));
    let joints = first.joints().len() as f64;
    let middle = |flat: &Flat, frame: usize| flat.frame(frame).iter().map(|at| at.x).sum::<f64>() / joints;
    let away = |k: usize| middle(first, best.from + k) - scale * middle(second, best.to + k);
    let shift = (0..meeting.window).map(away).sum::<f64>() / meeting.window as f64;
    let mut places: Vec<Point> = (0..first.frames()).flat_map(|frame| first.frame(frame)).copied().collect();
    let moved = |at: &Point| Point::new(at.x * scale + shift, (at.y - under) * scale + low);
    places.extend((0..second.frames()).flat_map(|frame| second.frame(frame)).map(moved));
    let both = Flat::new(first.joints().to_vec(), first.rate(), places)?;
    let depths = (0..first.frames()).flat_map(|frame| first.depths(frame)).copied();
    let more = (0..second.frames()).flat_map(|frame| second.depths(frame)).map(|depth| depth * scale);
    both.with_depths(depths.chain(more).collect())
}

/// Some frames of a take.
fn part(take: &Take, range: std::ops::Range<usize>) -> Take {
    let mut part = take.clone();
    for track in &mut part.tracks {
        track.samples = match &track.samples {
            Samples::Rotate(samples) => Samples::Rotate(samples[range.clone()].to_vec()),
            Samples::Stretch(samples) => Samples::Stretch(samples[range.clone()].to_vec()),
            Samples::Move(samples) => Samples::Move(samples[range.clone()].to_vec()),
        };
    }
    part
}
