//! Each shape of a drawing alone, in its own look, with its address: what a sheet of the art shows. Groups around a shape keep their
//! clip paths, masks, filters and opacity.

use std::fmt::Write as _;
use std::sync::Arc;

use drawing::{Drawing, ElementKind};
use kurbo::{Affine, Rect};
use render::{FrameSize, retain_art, svg_text};

/// So many shapes are shown at most.
pub const MOST_SHAPES: usize = 400;
/// Room around a shape, as a share of its longer side.
const MARGIN: f64 = 0.06;
/// A shape that is nearly a line is shown in a box of at least this share of its longer side.
const NARROWEST: f64 = 0.05;
/// No more of a shape is shown than so many times its shorter side.
const LONGEST: f64 = 40.0;

/// A path, an image, a text or a clone.
#[derive(Clone, Debug, PartialEq)]
pub struct AloneShape {
    /// The shortest name or address by which a rig means it.
    pub address: String,
    /// What it covers on the canvas, strokes included.
    pub bounds: Rect,
    key: Arc<str>,
}

/// The shapes of a drawing at rest, in the order of painting. What the drawing hides and the rig may show is among them.
#[derive(Clone, Debug)]
pub struct Shapes {
    shapes: Vec<AloneShape>,
    left_out: usize,
    svg: String,
    to_output: Affine,
}

impl Shapes {
    /// The first [`MOST_SHAPES`] shapes of a drawing.
    pub fn new(art: &Drawing) -> Self {
        let bounds = crate::inspect::bounds(art);
        let shape = |id: drawing::ElementId| {
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
            let is_drawn = element.state == drawing::ElementState::Drawn && bounds.is_finite();
            is_drawn.then(|| (id, bounds.inflate(stroke, stroke), element.key.clone()))
        };
        let mut all = art.ids().filter_map(shape);
        let shapes: Vec<AloneShape> = all
            .by_ref()
            .take(MOST_SHAPES)
            .map(|(id, bounds, key)| AloneShape { address: art.address(id), bounds, key })
            .collect();
        let left_out = all.count();
        Self { shapes, left_out, svg: svg_text(art), to_output: art.canvas_to_output() }
    }

    /// The shapes that are shown.
    pub fn list(&self) -> &[AloneShape] {
        &self.shapes
    }

    /// How many more the drawing has.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// A shape alone as an SVG of so many pixels, as large as fits.
    pub fn svg(&self, shape: &AloneShape, size: FrameSize) -> String {
        let (width, height) = (size.width(), size.height());
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:inkscape=\"http://www.inkscape.org/namespaces/inkscape\" \
             width=\"{width}\" height=\"{height}\""
        );
        let mut bounds = self.to_output.transform_rect_bbox(shape.bounds);
        // Of a long line a piece in its middle is shown: all of it would be too thin to be seen.
        let shorter = bounds.width().min(bounds.height());
        if shorter > 0.0 {
            let (width, height) =
                (bounds.width().min(LONGEST * shorter), bounds.height().min(LONGEST * shorter));
            bounds = Rect::from_center_size(bounds.center(), (width, height));
        }
        let longer = bounds.width().max(bounds.height());
        // Nothing is enlarged without end.
        let longer = if longer > 1e-6 { longer } else { 1.0 };
        let room = |side: f64| (0.5 * (NARROWEST * longer - side)).max(0.0) + MARGIN * longer;
        let shown = bounds.inflate(room(bounds.width()), room(bounds.height()));
        let _ = writeln!(svg, " viewBox=\"{} {} {} {}\">", shown.x0, shown.y0, shown.width(), shown.height());
        let alone = retain_art(&self.svg, &|ids| ids.contains(&&*shape.key));
        let root = alone.find("<svg").unwrap_or_default();
        let inside = alone.get(root..).and_then(|svg| svg.split_once('>')).map_or("", |(_, inside)| inside);
        svg.push_str(inside);
        svg
    }
}
