//! A document and its drawing, made in code: 60 bones in six limbs, 300 closed paths of 17 cubics along them,
//! each bound to the three bones about it, and 8 clips that key every bone.

use bone_core::clip::Scalar;
use std::fmt::Write as _;

use bone_drawing::Drawing;
use bone_format::doc::{
    BindingDoc, BoneChannelsDoc, BoneDoc, Channel, ClipDoc, ExplicitDoc, Key, RigDoc, SmoothDoc,
    VertexAddress, VertexPart, VertexWeightsDoc, WeightsDoc,
};
use bone_render::{Resources, read_svg};
use kurbo::Point;

const LIMBS: usize = 6;
const BONES_OF_LIMB: usize = 10;
/// Canvas units.
const BONE: f64 = 40.0;
const PATHS: usize = 300;
const CURVES: usize = 17;
const CLIPS: usize = 8;

/// How the paths are bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Explicit,
    Smooth,
}

fn name(limb: usize, bone: usize) -> String {
    format!("limb{limb}.{bone}")
}

/// The limb and the bone at the middle of a path.
fn place(path: usize) -> (usize, usize) {
    (path % LIMBS, path / LIMBS % BONES_OF_LIMB)
}

/// The vertices of a path: on an ellipse along its limb, so that it reaches over three bones.
fn vertices(path: usize) -> Vec<Point> {
    let (limb, bone) = place(path);
    let layer = path / (LIMBS * BONES_OF_LIMB);
    let middle = Point::new(60.0 + BONE * (bone as f64 + 0.5), 60.0 + 100.0 * limb as f64);
    let (along, across) = (50.0 + 2.0 * layer as f64, 12.0 + 3.0 * layer as f64);
    let angle = |i: usize| std::f64::consts::TAU * i as f64 / CURVES as f64;
    (0..CURVES).map(|i| middle + along_ellipse(angle(i), along, across)).collect()
}

#[allow(clippy::disallowed_methods, reason = "a drawing for a bench, whose bits no test compares")]
fn along_ellipse(angle: f64, along: f64, across: f64) -> kurbo::Vec2 {
    kurbo::Vec2::new(along * angle.cos(), across * angle.sin())
}

pub(crate) fn svg() -> String {
    let mut svg =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"540\" height=\"640\" viewBox=\"0 0 540 640\">\n"
            .to_owned();
    for path in 0..PATHS {
        let vertices = vertices(path);
        let at = |i: usize| vertices[i % CURVES];
        let _ = write!(
            svg,
            "<path id=\"p{path}\" fill=\"#{:06x}\" d=\"M{} {}",
            path * 7919 % 0x0100_0000,
            at(0).x,
            at(0).y
        );
        for i in 0..CURVES {
            // Handles of a Catmull-Rom spline.
            let leave = at(i) + (at(i + 1) - at(i + CURVES - 1)) / 6.0;
            let arrive = at(i + 1) - (at(i + 2) - at(i)) / 6.0;
            let _ = write!(
                svg,
                "C{} {} {} {} {} {}",
                leave.x,
                leave.y,
                arrive.x,
                arrive.y,
                at(i + 1).x,
                at(i + 1).y
            );
        }
        svg.push_str("Z\"/>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

/// The drawing of the paths.
pub(crate) fn drawing() -> Drawing {
    read_svg(&svg(), &Resources::default()).expect("a drawing").0
}

/// The document.
pub(crate) fn document(bound: Bound) -> RigDoc {
    let bones = (0..LIMBS).flat_map(|limb| (0..BONES_OF_LIMB).map(move |bone| (limb, bone)));
    let bone = |(limb, bone): (usize, usize)| BoneDoc {
        name: name(limb, bone).into(),
        parent: (bone > 0).then(|| name(limb, bone - 1).into()),
        from: (bone == 0).then(|| Point::new(60.0, 60.0 + 100.0 * limb as f64).into()),
        length: Some(BONE.into()),
        complete: true,
        ..BoneDoc::default()
    };
    let binding = |path: usize| match bound {
        Bound::Explicit => explicit(path),
        Bound::Smooth => BindingDoc::Smooth(SmoothDoc {
            art: format!("p{path}").into(),
            bones: Some(near(path).map(|name| name.into()).collect::<Vec<_>>().into()),
            ..SmoothDoc::default()
        }),
    };
    RigDoc {
        version: Some(1.into()),
        drawing: Some("puppet.svg".to_owned().into()),
        bones: bones.map(bone).collect(),
        skin: (0..PATHS).map(binding).collect(),
        clips: (0..CLIPS).map(clip).collect(),
        own_names: true,
        complete: true,
        ..RigDoc::default()
    }
}

/// The bones about the middle of a path.
fn near(path: usize) -> impl Iterator<Item = String> {
    let (limb, bone) = place(path);
    (bone.saturating_sub(1)..=(bone + 1).min(BONES_OF_LIMB - 1)).map(move |bone| name(limb, bone))
}

fn explicit(path: usize) -> BindingDoc {
    let (limb, _) = place(path);
    let row = |(i, at): (usize, Point)| {
        // Between the middles of two bones their weights go over from one to the other.
        let along = ((at.x - 60.0) / BONE - 0.5).clamp(0.0, (BONES_OF_LIMB - 1) as f64);
        let (first, share) = ((along.floor() as usize).min(BONES_OF_LIMB - 2), along.fract());
        let share = (1000.0 * share).round() / 1000.0;
        let list = [(first, 1.0 - share), (first + 1, share)];
        let list = list.into_iter().map(|(bone, weight)| (name(limb, bone).into(), weight.into())).collect();
        let vertex = VertexAddress { vertex: i as u32, part: VertexPart::Anchor };
        VertexWeightsDoc {
            vertex: vertex.into(),
            weights: WeightsDoc { list, complete: true, ..WeightsDoc::default() },
        }
    };
    BindingDoc::Explicit(ExplicitDoc {
        art: format!("p{path}").into(),
        weights: vertices(path).into_iter().enumerate().map(row).collect(),
        complete: true,
        ..ExplicitDoc::default()
    })
}

fn clip(which: usize) -> ClipDoc {
    let bones = (0..LIMBS).flat_map(|limb| (0..BONES_OF_LIMB).map(move |bone| (limb, bone)));
    let channels = |(limb, bone): (usize, usize)| {
        let turn = 4.0 + ((3 * limb + 5 * bone + 7 * which) % 11) as f64;
        let key = |i: usize| Key {
            span: bone_format::span::Span::default(),
            time: (0.25 * i as f64).into(),
            value: (if i.is_multiple_of(2) { -turn } else { turn }).into(),
            ease: None,
        };
        let rotate = Channel { keys: (0..9).map(key).collect(), ..Channel::default() };
        BoneChannelsDoc::new(name(limb, bone)).with(Scalar::Rotate, rotate)
    };
    ClipDoc {
        name: format!("clip{which}").into(),
        length: Some(2.0.into()),
        bones: bones.map(channels).collect(),
        complete: true,
        ..ClipDoc::default()
    }
}
