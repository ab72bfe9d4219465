//! Each shape of a drawing by itself, with its address, for a sheet of the art. Groups around a shape keep
//! their clip paths, masks, filters and opacity.

use std::fmt::Write as _;
use std::sync::Arc;

use bone_drawing::{Drawing, ElementId, ElementKind};
use bone_render::{FrameSize, retain_art, svg_text};
use kurbo::{Affine, Rect};

/// At most this many shapes are shown.
pub const MOST_SHAPES: usize = 400;
/// The margin around a shape, as a share of its longer side.
const MARGIN: f64 = 0.06;
/// A shape that is nearly a line is shown in a box of at least this share of its longer side.
const NARROWEST: f64 = 0.05;
/// At most this many times the shorter side of a shape is shown.
const LONGEST: f64 = 40.0;

/// A path, an image, a text or a clone.
#[derive(Clone, Debug, PartialEq)]
pub struct IsolatedShape {
    /// Its shortest name or address in a rig.
    pub address: String,
    /// Its bounding box on the canvas, with strokes.
    pub bounds: Rect,
    key: Arc<str>,
}

/// The shapes of a drawing at rest, in the order of painting. Hidden art that the rig can show is included.
#[derive(Clone, Debug)]
pub struct Shapes {
    shapes: Vec<IsolatedShape>,
    left_out: usize,
    svg: String,
    to_output: Affine,
}

impl Shapes {
    /// The first [`MOST_SHAPES`] shapes of a drawing.
    pub fn new(art: &Drawing) -> Self {
        let bounds = crate::inspect::bounds(art);
        let shape = |id: ElementId| {
            let element = art.element(id)?;
            let outline = art
                .outline(id)
                .as_ref()
                .map(|outline| (outline.visible || outline.has_markers, outline.stroke_width));
            let is_shape = match element.kind {
                ElementKind::Path => outline.is_some_and(|(seen, _)| seen),
                ElementKind::Image | ElementKind::Text | ElementKind::Use => true,
                _ => false,
            };
            let bounds = bounds.get(id.index()).copied().flatten().filter(|_| is_shape)?;
            let stroke = 0.5 * outline.map_or(0.0, |(_, width)| width);
            let is_drawn = element.state == bone_drawing::ElementState::Drawn && bounds.is_finite();
            is_drawn.then(|| (id, bounds.inflate(stroke, stroke), element.key.clone()))
        };
        let mut all = art.ids().filter_map(shape);
        let shapes: Vec<IsolatedShape> = all
            .by_ref()
            .take(MOST_SHAPES)
            .map(|(id, bounds, key)| IsolatedShape { address: art.address(id), bounds, key })
            .collect();
        let left_out = all.count();
        Self { shapes, left_out, svg: svg_text(art), to_output: art.canvas_to_output() }
    }

    /// The shown shapes.
    pub fn list(&self) -> &[IsolatedShape] {
        &self.shapes
    }

    /// The number of further shapes.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// A shape by itself as an SVG of this size, as large as fits.
    pub fn svg(&self, shape: &IsolatedShape, size: FrameSize) -> String {
        isolated_svg(&self.svg, &shape.key, self.to_output.transform_rect_bbox(shape.bounds), size)
    }
}

/// An element of a drawing by itself as an SVG of this size, as large as fits; none if nothing of it is drawn.
pub fn isolated(art: &Drawing, id: ElementId, size: FrameSize) -> Option<String> {
    let element = art.element(id).filter(|element| element.is_drawn())?;
    let stroke = art.outline(id).as_ref().map_or(0.0, |outline| 0.5 * outline.stroke_width);
    let bounds = crate::inspect::bounds(art).get(id.index()).copied().flatten()?.inflate(stroke, stroke);
    let bounds = art.canvas_to_output().transform_rect_bbox(bounds);
    bounds.is_finite().then(|| isolated_svg(&svg_text(art), &element.key, bounds, size))
}

/// What has a key by itself; its bounds are in the space of the text.
fn isolated_svg(text: &str, key: &str, mut bounds: Rect, size: FrameSize) -> String {
    let (width, height) = (size.width(), size.height());
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:inkscape=\"http://www.inkscape.org/namespaces/inkscape\" \
             width=\"{width}\" height=\"{height}\""
    );
    // Of a long line only the middle is shown: the whole line would be too thin.
    let shorter = bounds.width().min(bounds.height());
    if shorter > 0.0 {
        let (width, height) = (bounds.width().min(LONGEST * shorter), bounds.height().min(LONGEST * shorter));
        bounds = Rect::from_center_size(bounds.center(), (width, height));
    }
    let longer = bounds.width().max(bounds.height());
    // The enlargement is limited.
    let longer = if longer > 1e-6 { longer } else { 1.0 };
    let room = |side: f64| (0.5 * (NARROWEST * longer - side)).max(0.0) + MARGIN * longer;
    let shown = bounds.inflate(room(bounds.width()), room(bounds.height()));
    let _ = writeln!(svg, " viewBox=\"{} {} {} {}\">", shown.x0, shown.y0, shown.width(), shown.height());
    let alone = retain_art(text, &|ids| ids.contains(&key));
    let root = alone.find("<svg").unwrap_or_default();
    let inside = alone.get(root..).and_then(|svg| svg.split_once('>')).map_or("", |(_, inside)| inside);
    svg.push_str(inside);
    svg
}
