//! `inspect`: prints the contents of a rig as text or JSON. The data comes from `bone_looks::inspect`.

use std::fmt::Write as _;

use bone_drawing::Skipped;
use bone_format::SkinDetail;
use bone_live::describe::{joint, kind};
use bone_looks::inspect::{
    ArtState, Binding, BoneId, Inherit, InspectedArt, InspectedBone, Inspection, PosedMoment,
};
use bone_rig::{FrameState, Rig, RigClip};

use crate::args::InspectArgs;
use crate::exit::Exit;
use crate::frames::Fps;
use crate::picture::{self, LoadedRig};
use crate::report::{self, print_line};

/// A frame that is posed.
struct InspectedFrame<'s> {
    clip: Option<&'s RigClip>,
    frame: u64,
    time: f64,
}

pub(crate) fn run(args: &InspectArgs) -> Exit {
    let is_posed = args.clip.is_some() || args.frame.is_some();
    let detail = if args.json && is_posed { SkinDetail::Outlines } else { SkinDetail::Bones };
    let LoadedRig { scene, doc, .. } =
        match picture::open(&args.rig, &args.files, detail, !args.json, args.json) {
            Ok(opened) => opened,
            Err(exit) => return exit,
        };
    let Some(doc) = doc else {
        print_line("error: `inspect` needs the rig file: a packed rig does not have what was typed");
        return Exit::Usage;
    };
    let moment = match moment(args, &scene) {
        Ok(moment) => moment,
        Err(message) => {
            print_line(&format!("{message}\n\n`render-frames inspect --help` prints more."));
            return Exit::Usage;
        }
    };
    let mut state = FrameState::new(&scene);
    let posed = match &moment {
        None => None,
        Some(moment) => match scene.pose(moment.clip, moment.time, &mut state) {
            Ok(()) => {
                let posed = PosedMoment::new(&scene, &state);
                if scene.write_svg(&mut state) != Skipped::default() {
                    print_line(
                        "warning: parts stay at rest, because their numbers are too large or not numbers",
                    );
                }
                Some((moment, posed))
            }
            Err(error) => {
                print_line(&error.to_string());
                return Exit::Failed;
            }
        },
    };
    let inspection = Inspection::new(&scene, &doc);
    let text = if args.json {
        format!(
            "{:#}\n",
            bone_live::describe::inspection(
                &args.rig,
                &inspection,
                posed.as_ref().map(|(at, posed)| (at.clip.map(RigClip::name), at.frame, at.time, posed)),
            )
        )
    } else {
        as_text(args, &inspection, posed.as_ref())
    };
    report::print_result(text)
}

fn moment<'s>(args: &InspectArgs, scene: &'s Rig) -> Result<Option<InspectedFrame<'s>>, String> {
    if args.clip.is_none() && args.frame.is_none() {
        return Ok(None);
    }
    let clip = picture::clip(args.clip.as_deref(), scene)?;
    let fps = args.fps.unwrap_or(Fps::new(scene.fps()));
    let frame = args.frame.unwrap_or(0);
    Ok(Some(InspectedFrame { clip, frame, time: fps.time(frame) }))
}

fn as_text(
    args: &InspectArgs,
    all: &Inspection,
    posed: Option<&(&InspectedFrame<'_>, PosedMoment)>,
) -> String {
    let mut out = String::new();
    let (size, canvas) = (all.size, all.canvas);
    let _ = writeln!(
        out,
        "{}: {} x {} px, canvas {} {} {} {}, {} fps",
        report::visible(&args.rig.display().to_string()),
        short(size.width),
        short(size.height),
        short(canvas.x0),
        short(canvas.y0),
        short(canvas.width()),
        short(canvas.height()),
        short(all.fps)
    );
    out.push_str("\nart, in paint order\n");
    let rows = all.art.iter().filter(|it| !it.definition).map(|it| art_row(it, all)).collect();
    out.push_str(&columns(rows));
    if all.art.iter().any(|it| it.definition) {
        out.push_str("\ndefinitions\n");
        let rows = all.art.iter().filter(|it| it.definition).map(|it| art_row(it, all)).collect();
        out.push_str(&columns(rows));
    }
    if !all.bones.is_empty() {
        out.push_str("\nbones\n");
    }
    out.push_str(&columns(all.bones.iter().map(|bone| bone_row(bone, all)).collect()));
    if !all.constraints.is_empty() {
        out.push_str("\nconstraints\n");
        let row = |rule: &bone_looks::inspect::InspectedConstraint| {
            let targets = if rule.targets.is_empty() {
                String::new()
            } else {
                format!("to {}", rule.targets.join(", "))
            };
            vec![
                format!("  {}", rule.kind),
                rule.name.clone().unwrap_or_default(),
                rule.bones.join(", "),
                targets,
            ]
        };
        out.push_str(&columns(all.constraints.iter().map(row).collect()));
    }
    // A drawing without a rig has no more sections.
    if all.bones.is_empty() && all.clips.is_empty() && posed.is_none() {
        return out;
    }
    out.push_str("\nclips\n");
    let row = |clip: &bone_looks::inspect::InspectedClip| {
        let mut message = format!("{} s, {} frames", short(clip.length), clip.frames);
        if clip.looped {
            message.push_str(", loops");
        }
        if clip.step > 1 {
            let _ = write!(message, ", each drawing held for {} frames", clip.step);
        }
        vec![format!("  {}", clip.name), if clip.is_sequence { "shot" } else { "clip" }.to_owned(), message]
    };
    out.push_str(&if all.clips.is_empty() {
        "  none\n".to_owned()
    } else {
        columns(all.clips.iter().map(row).collect())
    });
    if !all.poses.is_empty() {
        let _ = writeln!(out, "\nposes\n  {}", all.poses.join(", "));
    }
    if let Some((moment, posed)) = posed {
        let name = moment.clip.map_or("setup pose", RigClip::name);
        let _ = writeln!(
            out,
            "\nposed: {}, frame {}, {} s",
            report::visible(name),
            moment.frame,
            short(moment.time)
        );
        let row = |bone: &bone_looks::inspect::PosedBone| {
            vec![
                format!("  {}", bone.name),
                format!("from ({}, {})", short(bone.origin.x), short(bone.origin.y)),
                format!("to ({}, {})", short(bone.tip.x), short(bone.tip.y)),
                format!("angle {}", short(bone.angle)),
                format!("length {}", short(bone.length)),
            ]
        };
        out.push_str(&columns(posed.bones.iter().map(row).collect()));
        let _ = writeln!(out, "  {} outlines; --json shows them", posed.paths.len());
    }
    out
}

fn art_row(art: &InspectedArt, all: &Inspection) -> Vec<String> {
    let name = &art.address;
    let also = art.id.as_ref().filter(|id| ***id != **name).map_or(String::new(), |id| format!(" (id {id})"));
    let vertices = match art.vertices.as_slice() {
        [] => String::new(),
        [1] => "1 vertex".to_owned(),
        [one] => format!("{one} vertices"),
        many => format!("{} vertices in {} outlines", many.iter().sum::<usize>(), many.len()),
    };
    let state = match &art.state {
        ArtState::Drawn => String::new(),
        ArtState::Hidden => "switched off, a clip shows it; ".to_owned(),
        ArtState::ClipOrMask => "cuts; ".to_owned(),
        ArtState::NotDrawn(why) => {
            return vec![
                indented(art.depth, &format!("{name}{also}")),
                kind_and_tag(art),
                String::new(),
                String::new(),
                vertices,
                why.clone(),
            ];
        }
    };
    // A binding is printed once, at the outermost element that has it.
    let around = art.parent.map(|parent| &all.art[parent]);
    let note = !art.bound && around.is_some_and(|around| around.follows == art.follows);
    let follows = match &art.follows {
        Some(_) if note => String::new(),
        Some(follows) => {
            let bones = match follows.bones.len() {
                n if n == all.bones.len() && n > 3 => "all bones".to_owned(),
                n if n > 6 => format!("{}, ... {} bones", follows.bones[..4].join(", "), n),
                _ => follows.bones.join(", "),
            };
            match follows.how {
                Binding::Rigid => format!("rides with {bones}"),
                Binding::Smooth(method, blend) => {
                    format!("bends with {bones} ({} weights, {})", method.word(), blend.word())
                }
                Binding::Puppet => format!("bends on pins {bones}"),
                Binding::Explicit(blend) => {
                    format!("bends with {bones} (typed weights, {})", blend.word())
                }
                Binding::Offsets if bones.is_empty() => "free offsets only".to_owned(),
                Binding::Offsets => format!("free offsets, rides with {bones}"),
            }
        }
        None => String::new(),
    };
    vec![
        indented(art.depth, &format!("{name}{also}")),
        kind_and_tag(art),
        colours(art),
        art.bounds.map_or(String::new(), |it| {
            let [x, y, width, height] = [it.x0, it.y0, it.width(), it.height()].map(short);
            format!("at {x} {y}, {width} x {height}")
        }),
        vertices,
        format!("{state}{follows}").trim_end_matches("; ").to_owned(),
    ]
}

/// The fill and the stroke of a path.
fn colours(art: &InspectedArt) -> String {
    match (&art.fill, &art.stroke) {
        (None, None) if art.kind != bone_drawing::ElementKind::Path || art.definition => String::new(),
        (None, None) => "none".to_owned(),
        (Some(fill), None) => fill.to_string(),
        (None, Some(stroke)) => format!("none, {} {stroke}", stroked(art)),
        (Some(fill), Some(stroke)) => format!("{fill}, {} {stroke}", stroked(art)),
    }
}

/// What its stroke is: ink has places.
fn stroked(art: &InspectedArt) -> String {
    let places = |(count, widest)| match count {
        1 => format!("ink of {} at 1 place", short(widest)),
        count => format!("ink of at most {} at {count} places", short(widest)),
    };
    art.ink.map_or_else(|| "stroke".to_owned(), places)
}

/// The kind of art; for a basic shape also its tag.
fn kind_and_tag(art: &InspectedArt) -> String {
    let kind = kind(art);
    if kind == "path" && art.tag != "path" { format!("path ({})", art.tag) } else { kind.to_owned() }
}

fn bone_row(bone: &InspectedBone, all: &Inspection) -> Vec<String> {
    let mut may = Vec::new();
    match joint(bone.joint) {
        ("pin", None) => {}
        (kind, None) => may.push(kind.to_owned()),
        (kind, Some([least, most])) => may.push(format!("{kind} {} to {}", short(least), short(most))),
    }
    if let Some(region) = bone.region {
        may.push(format!("region {}/{}", short(region.origin_radius), short(region.tip_radius)));
    }
    if bone.inherit != Inherit::All {
        may.push(format!("inherits {:?}", bone.inherit));
    }
    if bone.spring {
        may.push("swings".to_owned());
    }
    let names = |bones: &[BoneId]| {
        bones.iter().map(|bone| all.bones[bone.index()].name.as_str()).collect::<Vec<_>>().join(", ")
    };
    if !bone.driven_by.is_empty() {
        may.push(format!("driven by {}", names(&bone.driven_by)));
    }
    if !bone.drives.is_empty() {
        may.push(format!("drives {}", names(&bone.drives)));
    }
    for rule in &bone.constraints {
        let rule = &all.constraints[*rule];
        may.push(
            rule.name.as_ref().map_or_else(|| rule.kind.to_owned(), |name| format!("{} {name}", rule.kind)),
        );
    }
    let find = |id| all.art.iter().find(|art| art.element == id);
    let carried: Vec<String> =
        bone.carries.iter().filter_map(|id| Some(find(*id)?.address.clone())).collect();
    let carries = match carried.as_slice() {
        [] => String::new(),
        few if few.len() <= 6 => format!("<- {}", few.join(", ")),
        many => format!("<- {}, ... {} pieces", many[..4].join(", "), many.len()),
    };
    vec![
        indented(bone.depth, &bone.name),
        format!("({}, {})", short(bone.origin.x), short(bone.origin.y)),
        format!("length {}", short(bone.length)),
        format!("angle {}", short(bone.angle)),
        may.join(", "),
        carries,
    ]
}

fn indented(depth: usize, name: &str) -> String {
    // Indentation ends at this depth.
    format!("{}{name}", "  ".repeat(1 + depth.min(24)))
}

/// A number with few digits.
fn short(value: f64) -> f64 {
    (value * 100.0).round() / 100.0 + 0.0
}

/// Aligns rows in columns. A single long entry does not widen its column.
fn columns(rows: Vec<Vec<String>>) -> String {
    const WIDEST: usize = 34;
    let rows: Vec<Vec<String>> = rows
        .into_iter()
        .map(|row| row.into_iter().map(|cell| report::visible(&cell).into_owned()).collect())
        .collect();
    let width = |text: &String| text.chars().count();
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count)
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(width).max().unwrap_or(0).min(WIDEST))
        .collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (text, room) in row.iter().zip(&widths) {
            // An empty column takes no space.
            if *room > 0 {
                let _ = write!(line, "{text}{}  ", " ".repeat(room.saturating_sub(width(text))));
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
