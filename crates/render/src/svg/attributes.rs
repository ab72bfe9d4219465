//! Attributes whose values are words. Those of defaults are empty.

use std::fmt::Write as _;

use bone_drawing::{
    BlendMode, GradientKind, Group, LineCap, LineJoin, Sampling, Shape, Smoothness, Spread, Stroke,
};

/// The ends and corners of a stroke.
pub(super) fn stroke_shape(stroke: &Stroke) -> [&'static str; 2] {
    let cap = match stroke.cap {
        LineCap::Butt => "",
        LineCap::Round => " stroke-linecap=\"round\"",
        LineCap::Square => " stroke-linecap=\"square\"",
    };
    let join = match stroke.join {
        LineJoin::Miter => "",
        LineJoin::MiterClip => " stroke-linejoin=\"miter-clip\"",
        LineJoin::Round => " stroke-linejoin=\"round\"",
        LineJoin::Bevel => " stroke-linejoin=\"bevel\"",
    };
    [cap, join]
}

/// What painted shapes and shapes of clip paths have in common.
pub(super) fn shape_rendering(shape: &Shape) -> [&'static str; 2] {
    let rendering = match shape.anti_alias {
        Smoothness::Smooth => "",
        Smoothness::Speed => " shape-rendering=\"optimizeSpeed\"",
        Smoothness::Crisp => " shape-rendering=\"crispEdges\"",
    };
    [visibility(shape.visible), rendering]
}

/// Whether a shape or an image is visible.
pub(super) fn visibility(visible: bool) -> &'static str {
    if visible { "" } else { " visibility=\"hidden\"" }
}

/// How the pixels of an image are drawn.
pub(crate) fn image_rendering(sampling: Sampling) -> &'static str {
    match sampling {
        Sampling::Quality => "",
        Sampling::Speed => " image-rendering=\"optimizeSpeed\"",
        Sampling::Smooth => " style=\"image-rendering:smooth\"",
        Sampling::HighQuality => " style=\"image-rendering:high-quality\"",
        Sampling::Crisp => " style=\"image-rendering:crisp-edges\"",
        Sampling::Pixelated => " style=\"image-rendering:pixelated\"",
    }
}

/// How a gradient goes on beyond its ends.
pub(super) fn spread_method(spread: Spread) -> &'static str {
    match spread {
        Spread::Pad => "",
        Spread::Reflect => " spreadMethod=\"reflect\"",
        Spread::Repeat => " spreadMethod=\"repeat\"",
    }
}

/// Writes how a group is composed with what is beneath it.
pub(super) fn compositing(group: &Group, out: &mut String) {
    if group.blend != BlendMode::Normal || group.isolate {
        let isolation = if group.isolate { "isolate" } else { "auto" };
        // Writing into a String cannot fail.
        let _ = write!(out, " style=\"mix-blend-mode:{};isolation:{isolation}\"", group.blend.name());
    }
}

/// Writes a colour.
pub(super) fn colour(name: &str, [red, green, blue]: [u8; 3], out: &mut String) {
    let _ = write!(out, " {name}=\"#{red:02x}{green:02x}{blue:02x}\"");
}

/// The tag of a gradient, and its numbers.
pub(super) fn gradient_geometry(kind: &GradientKind) -> (&'static str, Vec<(&'static str, f64)>) {
    match *kind {
        GradientKind::Linear { start, end } => {
            ("linearGradient", vec![("x1", start.x), ("y1", start.y), ("x2", end.x), ("y2", end.y)])
        }
        GradientKind::Radial { center, radius, focus, focus_radius } => {
            let mut numbers =
                vec![("cx", center.x), ("cy", center.y), ("r", radius), ("fx", focus.x), ("fy", focus.y)];
            if focus_radius > 0.0 {
                numbers.push(("fr", focus_radius));
            }
            ("radialGradient", numbers)
        }
    }
}
