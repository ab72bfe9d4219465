//! A new figure that moves as recorded: its rig and its drawing.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use bone_format::doc::RigDoc;
use bone_format::write::{Comments, write};
use bone_format::{InMemory, load, no_fonts};
use bone_import::PlanarMotion;
use bone_import::figure::{Figure, FigureOptions, Foreshortening, build_figure};
use bone_import::fit::{KeyedClip, fit_constrained};
use bone_import::planted::plant_feet;
use bone_import::stick_figure;
use bone_rig::Rig;
use kurbo::Vec2;

use crate::accuracy::{self, ComparedFrames, cost};
use crate::clip_doc::{self, MovingGround};
use crate::map::{self, MapFile};
use crate::recorded::{digits, digits_of, planted_note};
use crate::{AuthoringError, ClipOptions, Recorded, ground};

/// The height of the figure, in units of its drawing.
const HEIGHT: f64 = 320.0;

/// A figure that was made of a recording.
#[non_exhaustive]
pub struct NewFigure {
    /// The text of its rig, with comments.
    pub text: String,
    /// Its drawing.
    pub svg: String,
    /// The rig as it plays.
    pub rig: Arc<Rig>,
    /// The motion with the feet that stand.
    pub motion: PlanarMotion,
    /// What was assumed and repaired.
    pub notes: Vec<String>,
    /// How many bones and keys it has, and how far its joints are from the recording.
    pub summary: String,
}

/// Makes a rig and a drawing of a figure of what was recorded. `rig` is the path that the rig will have; its drawing
/// lies beside it, under the same name. `fps` is what the rig says of its frames.
///
/// # Errors
/// The map has mistakes, or the motion has no figure.
pub fn new_figure(
    mut recorded: Recorded,
    map: Option<&MapFile>,
    rig: &Path,
    fps: f64,
    options: &ClipOptions,
) -> Result<NewFigure, AuthoringError> {
    recorded.check(options)?;
    if let Some(file) = map {
        let mut body = recorded.motion.body();
        map::read(file, None, &recorded.motion, &mut body)?;
        recorded.motion = recorded.motion.with_body(body);
    }
    if !recorded.motion.controls().is_empty() {
        let note = "the new figure has neither fingers nor a face that moves: --rig puts them onto a rig with bones for them";
        recorded.notes.push(note.to_owned());
    }
    let planted = plant_feet(&recorded.motion, options.looped)?;
    recorded.notes.extend(planted_note(&planted, recorded.motion.rate()));
    recorded.motion = planted.motion;
    let motion = &recorded.motion;
    let shape = FigureOptions {
        foreshortening: options.foreshortening.unwrap_or(Foreshortening::Keep),
        on_the_spot: options.on_the_spot,
        looped: options.looped,
        tolerance: options.tolerance / 100.0,
        ..FigureOptions::new(HEIGHT)
    };
    let figure = build_figure(motion, &shape)?;
    let mut stick = stick_figure::draw_stick_figure(&figure, motion);
    if !recorded.ground.is_empty() {
        ground::draw(&mut stick, &figure, motion, &recorded.ground);
    }
    let locks = figure.foot_locks(&planted.standing);
    let travel = motion.position(motion.frames() - 1, motion.base()).x - motion.position(0, motion.base()).x;
    let ground = MovingGround {
        drift: Vec2::new(-figure.drift, 0.0),
        travel: if options.on_the_spot { 0.0 } else { travel * figure.scale() },
        ease: clip_doc::ease(options.tolerance, figure.take.rate),
    };
    let drawing = rig.with_extension("svg");
    let in_memory = |text: String| {
        let files = InMemory::new().with(rig, text).with(&drawing, stick.svg.as_str());
        let loaded = load(rig, Arc::new(files), &no_fonts);
        loaded.rig.ok_or_else(|| AuthoringError::Mistakes(Box::new((loaded.diagnostics, loaded.sources))))
    };
    let places = digits(options.tolerance, figure.height);
    // The pins of feet act on the poses of the clip, so they are known before it is fitted.
    let still = KeyedClip { length: figure.take.length(), looped: options.looped, tracks: Vec::new() };
    let mut clip = clip_doc::clip(&options.name, &still, &figure.skeleton);
    let (constraints, holds) = clip_doc::plants(&figure, &locks, &still, ground);
    clip.constraints = holds;
    let bare = clip_doc::rig(&figure, &stick, &file_name(&drawing), fps);
    let held = RigDoc { clips: vec![clip], constraints: constraints.clone(), ..bare.clone() };
    let held = in_memory(write(&held, &Comments::new(), places))?;
    let (frames, rate) = (figure.take.frames(), figure.take.rate);
    let held = accuracy::holding(&held, &figure.skeleton, &options.name, frames, rate);
    let tolerance = options.tolerance / 100.0 * figure.height;
    let fitted = fit_constrained(&figure.skeleton, &figure.take, &held, tolerance)?;
    let places = digits_of(&fitted.clip, places);
    let mut clip = clip_doc::clip(&options.name, &fitted.clip, &figure.skeleton);
    clip.art = stick.orders.iter().map(|(art, orders)| clip_doc::orders(art, orders, rate)).collect();
    clip.art.extend(stick.switches.iter().map(|(art, keys)| clip_doc::switches(art, keys, rate)));
    clip.constraints = clip_doc::plants(&figure, &locks, &fitted.clip, ground).1;
    let mut doc = RigDoc { clips: vec![clip], constraints, ..bare };
    clip_doc::keep_used_bones(&mut doc, locks.iter().map(|lock| figure.skeleton.name(lock.bone)));
    let played = in_memory(write(&doc, &Comments::new(), places))?;
    let used: Vec<_> = figure.bones.iter().filter(|bone| doc.bone(&bone.name).is_some()).collect();
    let bones: Vec<String> = used.iter().map(|bone| bone.name.clone()).collect();
    let frames = motion.frames() - usize::from(options.looped);
    let wanted = ComparedFrames { clip: &options.name, frames, rate, bones: &bones };
    let accuracy = accuracy::measure(&played, &wanted, |frame, ends| {
        let there = |joint| figure.recorded(&recorded.as_recorded, frame, joint);
        ends.extend(used.iter().map(|bone| [bone.from, bone.to].map(there)));
    });
    let cost = cost(&fitted, accuracy, figure.height);
    let comments = comments(&recorded, &figure, rig, &options.name, &cost);
    let (bones, channels, keys) = (figure.skeleton.len(), fitted.channels, fitted.keys);
    Ok(NewFigure {
        text: write(&doc, &comments, places),
        svg: stick.svg,
        rig: Arc::new(played),
        motion: recorded.motion,
        notes: recorded.notes,
        summary: format!("{bones} bones, {channels} channels, {keys} keys. {cost}"),
    })
}

/// The comments of a new rig: where its motion comes from, and what its numbers are.
fn comments(recorded: &Recorded, figure: &Figure, rig: &Path, name: &str, cost: &str) -> Comments {
    let mut top = recorded.comment();
    let _ = write!(
        top,
        "{cost}\n\nNext steps: render it with `render-frames {rig} -o out/`, plot its curves with `render-frames plot {rig}`,\n\
         draw over {svg} (keep the ids), or put the same motion onto your own character with `import --rig`.",
        rig = file_name(rig),
        svg = file_name(&rig.with_extension("svg"))
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

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
