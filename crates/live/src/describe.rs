//! A rig as JSON, for programs: what is in it, and what is wrong with it. Numbers have enough digits to be
//! read back exactly.

use std::path::Path;

use bone_format::diagnostic::{Place, Severity};
use bone_format::span::Sources;
use bone_format::{Diagnostic, Diagnostics};
use bone_looks::inspect::{
    ArtState, Binding, BoneId, Follows, InspectedArt, InspectedBone, Inspection, Joint, PaintSummary,
    PosedMoment,
};
use serde_json::{Value, json};

/// A posed frame: the name of its clip, its number and its time, and what is posed.
pub type PosedFrame<'a> = (Option<&'a str>, u64, f64, &'a PosedMoment);

/// The contents of a rig.
pub fn inspection(rig: &Path, all: &Inspection, posed: Option<PosedFrame<'_>>) -> Value {
    let canvas = all.canvas;
    let mut whole = json!({
        "rig": rig.display().to_string(),
        "size": [all.size.width, all.size.height],
        "canvas": [canvas.x0, canvas.y0, canvas.width(), canvas.height()],
        "fps": all.fps,
        "art": all.art.iter().map(|art| inspected_art(art, all)).collect::<Vec<_>>(),
        "bones": all.bones.iter().map(|bone| self::bone(bone, all)).collect::<Vec<_>>(),
        "constraints": all.constraints.iter().map(|rule| json!({
            "name": rule.name, "kind": rule.kind, "bones": rule.bones, "targets": rule.targets,
        })).collect::<Vec<_>>(),
        "clips": all.clips.iter().map(|clip| json!({
            "name": clip.name, "shot": clip.is_sequence, "length": clip.length, "loop": clip.looped,
            "step": clip.step, "frames": clip.frames,
        })).collect::<Vec<_>>(),
    });
    if let (Some(posed), Some(whole)) = (posed, whole.as_object_mut()) {
        whole.insert("posed".to_owned(), self::posed(posed, all));
    }
    whole
}

/// The id of an element in posed drawings.
fn key(all: &Inspection, element: Option<bone_drawing::ElementId>) -> Option<&str> {
    let found = all.art.iter().find(|art| Some(art.element) == element);
    found.map(|art| &*art.key)
}

/// An element of the drawing.
pub(crate) fn inspected_art(art: &InspectedArt, all: &Inspection) -> Value {
    let (state, why) = match &art.state {
        ArtState::Drawn => ("drawn", None),
        ArtState::Hidden => ("showable", None),
        ArtState::ClipOrMask => ("cuts", None),
        ArtState::NotDrawn(why) => ("not drawn", Some(why)),
    };
    json!({
        "art": &*art.key,
        "id": art.id.as_deref(),
        "label": art.label.as_deref(),
        "address": art.address,
        "tag": art.tag,
        "kind": kind(art),
        "parent": art.parent.map(|parent| &*all.art[parent].key),
        "state": state,
        "why": why,
        "definition": art.definition,
        "fill": art.fill.as_ref().map(paint),
        "stroke": art.stroke.as_ref().map(paint),
        "box": art.bounds.map(|it| [it.x0, it.y0, it.width(), it.height()]),
        "vertices": art.vertices,
        "bound": art.bound,
        "follows": art.follows.as_ref().map(|follows| self::follows(follows, all)),
    })
}

/// `"#c04030"`, or `{"linearGradient": "sky"}`.
fn paint(paint: &PaintSummary) -> Value {
    match paint {
        PaintSummary::Colour(_) => json!(paint.to_string()),
        PaintSummary::Server { tag, id } => json!({ *tag: id }),
    }
}

fn follows(follows: &Follows, all: &Inspection) -> Value {
    let (how, method, blend) = match follows.how {
        Binding::Rigid => ("Rigid", None, None),
        Binding::Smooth(method, blend) => ("Smooth", Some(method.word()), Some(blend.word())),
        Binding::Explicit(blend) => ("Explicit", None, Some(blend.word())),
        Binding::Offsets => ("offsets", None, None),
    };
    json!({
        "by": key(all, follows.by), "how": how, "method": method, "blend": blend, "bones": follows.bones,
    })
}

fn names<'a>(bones: &[BoneId], all: &'a Inspection) -> Vec<&'a str> {
    bones.iter().map(|bone| all.bones[bone.index()].name.as_str()).collect()
}

fn bone(bone: &InspectedBone, all: &Inspection) -> Value {
    let (joint, limits) = joint(bone.joint);
    json!({
        "name": bone.name,
        "parent": bone.parent.map(|parent| &all.bones[parent.index()].name),
        "origin": [bone.origin.x, bone.origin.y],
        "tip": [bone.tip.x, bone.tip.y],
        "angle": bone.angle,
        "length": bone.length,
        "inherit": format!("{:?}", bone.inherit),
        "joint": joint,
        "limits": limits,
        "region": bone.region.map(|region| [region.origin_radius, region.tip_radius]),
        "spring": bone.spring,
        "driven_by": names(&bone.driven_by, all),
        "drives": names(&bone.drives, all),
        "constraints": bone.constraints,
        "carries": bone.carries.iter().filter_map(|id| key(all, Some(*id))).collect::<Vec<_>>(),
    })
}

fn posed((clip, frame, time, posed): PosedFrame<'_>, all: &Inspection) -> Value {
    json!({
        "clip": clip,
        "frame": frame,
        "time": time,
        "bones": posed.bones.iter().map(|bone| json!({
            "name": bone.name,
            "parent": bone.parent.map(|parent| &all.bones[parent.index()].name),
            "origin": [bone.origin.x, bone.origin.y],
            "tip": [bone.tip.x, bone.tip.y],
            "angle": bone.angle,
            "length": bone.length,
            "matrix": bone.matrix.as_coeffs(),
        })).collect::<Vec<_>>(),
        "paths": posed.paths.iter().map(|path| json!({
            "art": key(all, path.element),
            "own": path.own,
            "painted": path.painted,
            "d": path.path.to_svg(),
        })).collect::<Vec<_>>(),
    })
}

/// The kind of art.
pub fn kind(art: &InspectedArt) -> &str {
    use bone_drawing::ElementKind as Kind;
    match art.kind {
        Kind::Group => "group",
        Kind::Path => "path",
        Kind::Image => "image",
        Kind::Text => "text",
        Kind::Use => "clone",
        _ => &art.tag,
    }
}

/// The kind of a joint and its limits.
pub fn joint(joint: Joint) -> (&'static str, Option<[f64; 2]>) {
    match joint {
        Joint::Free => ("free", None),
        Joint::Pin { limits } => ("pin", limits.map(|(least, most)| [least.degrees(), most.degrees()])),
        Joint::Slide { limits, .. } => ("slide", limits.map(|(least, most)| [least, most])),
        Joint::Fixed => ("fixed", None),
        _ => ("other", None),
    }
}

/// The diagnostics as JSON, with the ranges that an editor underlines.
pub fn findings(diagnostics: &Diagnostics, sources: &Sources) -> Value {
    let place = |place: &Place| {
        let location = sources.locate(place.source, place.span.start);
        let end = sources.locate(place.source, place.span.end);
        json!({
            "file": sources.name(place.source),
            "line": location.line, "column": location.column,
            "end_line": end.line, "end_column": end.column,
            "bytes": [place.span.start, place.span.end],
        })
    };
    let one = |d: &Diagnostic| {
        json!({
            "severity": match d.severity { Severity::Error => "error", Severity::Warning => "warning" },
            "code": d.code.name(),
            "message": d.message,
            "place": d.place.as_ref().map(place),
            "label": d.label,
            "help": d.help,
            "related": d.related.iter()
                .map(|(at, why)| json!({ "place": place(at), "why": why }))
                .collect::<Vec<_>>(),
        })
    };
    json!({
        "errors": diagnostics.error_count(),
        "warnings": diagnostics.warning_count(),
        "findings": diagnostics.iter().map(one).collect::<Vec<_>>(),
    })
}
