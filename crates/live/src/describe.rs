//! A rig as JSON, for programs: what is in it, and what is wrong with it. Numbers have enough digits to be
//! read back exactly.

use std::path::Path;

use bone_core::clip::Repeat;
use bone_format::diagnostic::{Place, Severity};
use bone_format::span::Sources;
use bone_format::{Diagnostic, Diagnostics};
use bone_looks::inspect::{
    ArtState, Binding, BoneId, InspectedArt, InspectedBone, InspectedClip, InspectedConstraint, Inspection,
    Joint, PaintSummary, PosedMoment,
};
use bone_rig::RigSound;
use serde_json::{Map, Value, json};

use crate::message::{Wire as _, WireRecord as _};

/// A posed frame: the name of its clip, its number and its time, and what is posed.
pub(crate) type PosedFrame<'a> = (Option<&'a str>, u64, f64, &'a PosedMoment);

messages! {
    /// What art is bound to.
    record Follows {
        by: Option<String>, how: String, method: Option<String>, blend: Option<String>, bones: Vec<String>,
    }
    /// An element of the drawing.
    part ArtFacts {
        art: String, id: Option<String>, label: Option<String>, address: String, tag: String, kind: String,
        parent: Option<String>, state: String, why: Option<String>, definition: bool, fill: Value, stroke: Value,
        bounds as "box": Option<[f64; 4]>, vertices: Vec<usize>, bound: bool, follows: Option<Follows>,
    }
    /// A bone at rest, besides its ends.
    part BoneFacts {
        name: String, parent: Option<String>, angle: f64, length: f64, inherit: String, joint: String,
        limits: Option<[f64; 2]>, region: Option<[f64; 2]>, spring: bool, driven_by: Vec<String>,
        drives: Vec<String>, carries: Vec<String>,
    }
    /// A constraint.
    record Constraint { name: Option<String>, kind: String, bones: Vec<String>, targets: Vec<String> }
    /// A clip or a shot. `keys` are the seconds of its keys, `repeat` is what the rig has as `loop`.
    part ClipFacts {
        shot: bool, length: f64, looped as "loop": bool, keys: f64, repeat: Value, step: u32, frames: u64,
        events: Vec<EventFacts>, sounds: Vec<SoundFacts>,
    }
    /// When a sound of a clip begins, its file, and how it is played: decibels, seconds.
    record SoundFacts { time: f64, file: String, from: f64, gain: f64, fade: [f64; 2] }
    /// A moment of a clip with a name.
    record EventFacts { time: f64, name: String }
    /// A place in a text, and the same in bytes.
    record TextPlace {
        file: String, line: u32, column: u32, end_line: u32, end_column: u32, bytes: Vec<u32>,
    }
    /// A place that belongs to a finding, and why.
    record Related { place: TextPlace, why: String }
    /// A finding.
    record Finding {
        severity: String, code: String, message: String, place: Option<TextPlace>, label: String,
        help: Vec<String>, related: Vec<Related>,
    }
    /// What is wrong with a rig.
    record Findings { errors: usize, warnings: usize, findings: Vec<Finding> }
}

/// The contents of a rig.
pub fn inspection(rig: &Path, all: &Inspection, posed: Option<PosedFrame<'_>>) -> Value {
    let canvas = all.canvas;
    let bone = |bone: &InspectedBone| {
        let mut fields = BoneFacts::of(bone, all).object();
        fields.insert("origin".to_owned(), json!([bone.origin.x, bone.origin.y]));
        fields.insert("tip".to_owned(), json!([bone.tip.x, bone.tip.y]));
        fields.insert("constraints".to_owned(), json!(bone.constraints));
        fields
    };
    let clip = |clip: &InspectedClip| {
        let mut fields = ClipFacts::of(clip).object();
        fields.insert("name".to_owned(), json!(clip.name));
        fields
    };
    let mut whole = json!({
        "rig": rig.display().to_string(),
        "size": [all.size.width, all.size.height],
        "canvas": [canvas.x0, canvas.y0, canvas.width(), canvas.height()],
        "fps": all.fps,
        "art": all.art.iter().map(|art| ArtFacts::of(art, all).object()).collect::<Vec<_>>(),
        "bones": all.bones.iter().map(bone).collect::<Vec<_>>(),
        "constraints": all.constraints.iter().map(|rule| Constraint::of(rule).json()).collect::<Vec<_>>(),
        "clips": all.clips.iter().map(clip).collect::<Vec<_>>(),
        "poses": all.poses,
    });
    if let (Some(posed), Some(whole)) = (posed, whole.as_object_mut()) {
        whole.insert("posed".to_owned(), self::posed(posed, all));
    }
    whole
}

/// The id of an element in posed drawings.
fn key(all: &Inspection, element: Option<bone_drawing::ElementId>) -> Option<String> {
    let found = all.art.iter().find(|art| Some(art.element) == element);
    found.map(|art| art.key.to_string())
}

impl ArtFacts {
    pub(crate) fn of(art: &InspectedArt, all: &Inspection) -> Self {
        let (state, why) = match &art.state {
            ArtState::Drawn => ("drawn", None),
            ArtState::Hidden => ("showable", None),
            ArtState::ClipOrMask => ("cuts", None),
            ArtState::NotDrawn(why) => ("not drawn", Some(why.to_string())),
        };
        Self {
            art: art.key.to_string(),
            id: art.id.as_deref().map(str::to_owned),
            label: art.label.as_deref().map(str::to_owned),
            address: art.address.clone(),
            tag: art.tag.clone(),
            kind: kind(art).to_owned(),
            parent: art.parent.and_then(|parent| Some(all.art.get(parent)?.key.to_string())),
            state: state.to_owned(),
            why,
            definition: art.definition,
            fill: art.fill.as_ref().map_or(Value::Null, paint),
            stroke: art.stroke.as_ref().map_or(Value::Null, paint),
            bounds: art.bounds.map(|it| [it.x0, it.y0, it.width(), it.height()]),
            vertices: art.vertices.clone(),
            bound: art.bound,
            follows: art.follows.as_ref().map(|follows| {
                let (how, method, blend) = match follows.how {
                    Binding::Rigid => ("Rigid", None, None),
                    Binding::Smooth(method, blend) => ("Smooth", Some(method.word()), Some(blend.word())),
                    Binding::Puppet => ("Puppet", None, None),
                    Binding::Explicit(blend) => ("Explicit", None, Some(blend.word())),
                    Binding::Offsets => ("offsets", None, None),
                };
                Follows {
                    by: key(all, follows.by),
                    how: how.to_owned(),
                    method: method.map(str::to_owned),
                    blend: blend.map(str::to_owned),
                    bones: follows.bones.clone(),
                }
            }),
        }
    }
}

/// `"#c04030"`, or `{"linearGradient": "sky"}`.
fn paint(paint: &PaintSummary) -> Value {
    match paint {
        PaintSummary::Colour(_) => json!(paint.to_string()),
        PaintSummary::Server { tag, id } => json!({ *tag: id }),
    }
}

impl BoneFacts {
    pub(crate) fn of(bone: &InspectedBone, all: &Inspection) -> Self {
        let name = |bone: &BoneId| all.bones.get(bone.index()).map(|bone| bone.name.clone());
        let (joint, limits) = joint(bone.joint);
        Self {
            name: bone.name.clone(),
            parent: bone.parent.as_ref().and_then(name),
            angle: bone.angle,
            length: bone.length,
            inherit: format!("{:?}", bone.inherit),
            joint: joint.to_owned(),
            limits,
            region: bone.region.map(|region| [region.origin_radius, region.tip_radius]),
            spring: bone.spring,
            driven_by: bone.driven_by.iter().filter_map(name).collect(),
            drives: bone.drives.iter().filter_map(name).collect(),
            carries: bone.carries.iter().filter_map(|id| key(all, Some(*id))).collect(),
        }
    }
}

impl Constraint {
    pub(crate) fn of(rule: &InspectedConstraint) -> Self {
        let (bones, targets) = (rule.bones.clone(), rule.targets.clone());
        Self { name: rule.name.clone(), kind: rule.kind.to_owned(), bones, targets }
    }
}

impl ClipFacts {
    pub(crate) fn of(clip: &InspectedClip) -> Self {
        let InspectedClip { is_sequence: shot, length, looped, keys, repeat, step, frames, .. } = *clip;
        let repeat = match repeat {
            Repeat::Once => json!(false),
            Repeat::Loop => json!(true),
            Repeat::PingPong => json!("PingPong"),
            Repeat::Times(count) => json!(count),
        };
        let events = clip.events.iter().map(|(time, name)| EventFacts { time: *time, name: name.clone() });
        let sound = |(time, file, RigSound { from, gain, fade }): &(f64, String, RigSound)| SoundFacts {
            time: *time,
            file: file.clone(),
            from: *from,
            gain: *gain,
            fade: (*fade).into(),
        };
        let sounds = clip.sounds.iter().map(sound).collect();
        Self { shot, length, looped, keys, repeat, step, frames, events: events.collect(), sounds }
    }
}

fn posed((clip, frame, time, posed): PosedFrame<'_>, all: &Inspection) -> Value {
    json!({
        "clip": clip,
        "frame": frame,
        "time": time,
        "bones": posed.bones.iter().map(|bone| json!({
            "name": bone.name,
            "parent": bone.parent.and_then(|parent| Some(&all.bones.get(parent.index())?.name)),
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
        "shapes": posed.shapes.iter().map(|(art, shape, weight)| json!({ "art": art, "shape": shape, "weight": weight })).collect::<Vec<_>>(),
        "sliders": posed.sliders.iter().map(|(name, value)| (name.clone(), json!(value))).collect::<Map<_, _>>(),
        "camera": posed.camera.map(|camera| json!({
            "center": [camera.center.x, camera.center.y], "zoom": camera.zoom, "turn": camera.turn.degrees(),
        })),
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
    Findings::of(diagnostics, sources).json()
}

impl Findings {
    pub(crate) fn of(diagnostics: &Diagnostics, sources: &Sources) -> Self {
        let place = |place: &Place| {
            let location = sources.locate(place.source, place.span.start);
            let end = sources.locate(place.source, place.span.end);
            TextPlace {
                file: sources.name(place.source).to_owned(),
                line: location.line,
                column: location.column,
                end_line: end.line,
                end_column: end.column,
                bytes: vec![place.span.start, place.span.end],
            }
        };
        let severity = |of: Severity| if of == Severity::Error { "error" } else { "warning" };
        let one = |d: &Diagnostic| Finding {
            severity: severity(d.severity).to_owned(),
            code: d.code.name().to_owned(),
            message: d.message.clone(),
            place: d.place.as_ref().map(place),
            label: d.label.clone(),
            help: d.help.clone(),
            related: d
                .related
                .iter()
                .map(|(at, why)| Related { place: place(at), why: why.clone() })
                .collect(),
        };
        Self {
            errors: diagnostics.error_count(),
            warnings: diagnostics.warning_count(),
            findings: diagnostics.iter().map(one).collect(),
        }
    }
}
