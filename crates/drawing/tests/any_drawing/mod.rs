//! Drawings without sense, for the tests of any input: of this crate, and of those that draw and write drawings.

use std::borrow::Cow;
use std::sync::Arc;

use bone_drawing::{
    BlendMode, ClipId, ClipPath, Drawing, DrawingBuilder, ElementId, Fill, FillRule, Filter, FilterId,
    FilterStep, Gradient, GradientId, GradientKind, Group, Image, ImageData, ImageFormat, Mask, MaskId,
    MaskKind, NodeId, Paint, Pattern, PatternId, Sampling, Shape, Smoothness, Spread, Stop, Stroke,
};
use kurbo::{Affine, BezPath, PathEl, Point, Rect, Size};
use proptest::prelude::*;

/// Numbers at the ends of all ranges, and ordinary ones.
pub(crate) fn number() -> impl Strategy<Value = f64> {
    let ends = [0.0, -0.0, 1.0, -1.0, 1e-300, 1e9, 1e300, f64::MAX, f64::MIN];
    let ends = prop::sample::select([&ends[..], &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]].concat());
    prop_oneof![ends, -1e3..1e3_f64, -2.0..2.0_f64]
}

pub(crate) type Numbers = [f64; 6];

/// What a program does with a builder: an operation, and the place of the definition or element that it uses.
pub(crate) type Step = (u8, usize, Numbers);

pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((0_u8..16, 0_usize..6, prop::array::uniform6(number())), 0..40)
}

pub(crate) fn rect(n: Numbers) -> Rect {
    Rect { x0: n[0], y0: n[1], x1: n[2], y1: n[3] }
}

pub(crate) fn point(n: Numbers) -> Point {
    Point::new(n[4], n[5])
}

/// Outlines that begin with a move, and those that do not.
pub(crate) fn outline(n: Numbers) -> BezPath {
    let (a, b, c) = (Point::new(n[0], n[1]), Point::new(n[2], n[3]), point(n));
    let whole = [PathEl::MoveTo(a), PathEl::CurveTo(b, c, a), PathEl::LineTo(b), PathEl::QuadTo(c, a)];
    let close = [PathEl::ClosePath, PathEl::LineTo(c), PathEl::ClosePath];
    let mut path: BezPath = whole.into_iter().chain(close).collect();
    if n[0] < 0.0 {
        path.elements_mut()[0] = PathEl::LineTo(a);
    }
    path
}

/// The ids that a builder has given, those of a larger drawing among them.
#[derive(Clone, Default)]
pub(crate) struct Ids {
    pub(crate) gradients: Vec<GradientId>,
    pub(crate) patterns: Vec<PatternId>,
    pub(crate) clips: Vec<ClipId>,
    pub(crate) masks: Vec<MaskId>,
    pub(crate) filters: Vec<FilterId>,
}

pub(crate) fn gradient(n: Numbers) -> Gradient {
    let kind = if n[5] > 0.0 {
        GradientKind::Linear { start: Point::new(n[0], n[1]), end: Point::new(n[2], n[3]) }
    } else {
        GradientKind::Radial {
            center: Point::new(n[0], n[1]),
            radius: n[2],
            focus: point(n),
            focus_radius: n[3],
        }
    };
    let stops = [n[0], n[1]].map(|offset| Stop { offset, color: [1, 2, 3], opacity: n[2] });
    Gradient {
        id: "paint".into(),
        kind,
        stops: stops.into(),
        spread: Spread::Repeat,
        transform: Affine::new(n),
    }
}

pub(crate) fn build(steps: &[Step], ids: &mut Ids) -> Drawing {
    let mut builder = match steps.first() {
        Some((op, _, n)) if op % 2 == 0 => DrawingBuilder::new(rect(*n)),
        Some((_, _, n)) => DrawingBuilder::with_size(rect(*n), Size::new(n[4], n[5]), Affine::new(*n)),
        None => DrawingBuilder::new(Rect::ZERO),
    };
    let children = Vec::new;
    for (op, at, n) in steps {
        let n = *n;
        let element = Some((ElementId::from_index(*at), *at % 2 == 0));
        let paint = match op % 3 {
            0 => ids.gradients.get(*at).map(|id| Paint::Gradient(*id)),
            1 => ids.patterns.get(*at).map(|id| Paint::Pattern(*id)),
            _ => None,
        };
        let paint = paint.unwrap_or(Paint::Color([*op; 3]));
        let stroke =
            Stroke { paint, dashes: vec![n[1], n[2], n[3]], miter_limit: n[4], ..Stroke::new([0; 3], n[0]) };
        let shape = Shape {
            outline: Arc::new(outline(n)),
            fill: Some(Fill { paint, opacity: n[5], rule: FillRule::EvenOdd }),
            stroke: Some(stroke),
            stroke_first: *at == 1,
            anti_alias: Smoothness::Smooth,
            visible: true,
        };
        let group = Group {
            transform: Affine::new(n),
            opacity: if *at == 0 { n[0] } else { 1.0 },
            blend: BlendMode::Multiply,
            clip: ids.clips.get(*at).copied(),
            mask: ids.masks.get(*at).copied(),
            filters: ids.filters.get(*at).copied().into_iter().collect(),
            children: vec![NodeId::from_index(*at), NodeId::from_index(usize::MAX)],
            isolate: false,
        };
        let data = ImageData { format: ImageFormat::Png, bytes: Arc::new(vec![*op; *at]) };
        let image = Image { size: Size::new(n[0], n[1]), sampling: Sampling::Quality, visible: true, data };
        match op {
            0 | 1 => _ = builder.open(["g", "", "#1", "a/b"][at % 4], group),
            2 => _ = builder.open_for(element, group),
            3 => _ = builder.open_canvas(group),
            4 | 5 => _ = builder.shape(["p", "", "#2", "g"][at % 4], shape),
            6 => _ = builder.shape_for(element, shape),
            7 => _ = builder.image_for(element, image),
            8 | 9 => builder.close(),
            10 => ids.gradients.push(builder.add_gradient(gradient(n))),
            11 => {
                let (rect, transform) = (rect(n), Affine::new(n));
                let pattern = Pattern { id: String::new(), rect, transform, children: children() };
                ids.patterns.push(builder.open_pattern(pattern));
            }
            12 => {
                let (element, clip) = (element.map(|(id, _)| id), ids.clips.get(*at).copied());
                let (id, transform) = ("clip".into(), Affine::new(n));
                ids.clips.push(builder.open_clip(ClipPath {
                    id,
                    element,
                    transform,
                    clip,
                    children: children(),
                }));
            }
            13 => {
                let (element, mask) = (element.map(|(id, _)| id), ids.masks.get(*at).copied());
                let (id, rect, kind) = ("mask".into(), rect(n), MaskKind::Alpha);
                ids.masks.push(builder.open_mask(Mask {
                    id,
                    element,
                    rect,
                    kind,
                    mask,
                    children: children(),
                }));
            }
            14 => {
                let step = FilterStep {
                    tag: Cow::Borrowed("feImage"),
                    rect: Some(rect(n)),
                    attributes: vec![("x".into(), n[0].to_string())],
                    values: Default::default(),
                    content: String::new(),
                    image: Some(NodeId::from_index(*at)),
                };
                ids.filters.push(builder.add_filter(Filter {
                    id: "f".into(),
                    rect: rect(n),
                    steps: vec![step],
                }));
            }
            _ if *at == 0 => builder.open_filter_image(),
            _ => {
                let parent = Some(ElementId::from_index(*at));
                builder.elements_mut().iter_mut().for_each(|element| element.parent = parent);
                builder.set_hidden(vec![ElementId::from_index(*at), ElementId::from_index(usize::MAX)]);
                let _ = builder.node_of(ElementId::from_index(usize::MAX));
            }
        }
    }
    builder.finish().expect("a drawing")
}
