//! The box of everything that is painted in a frame: outlines with their strokes, images, and the regions of
//! filters, cut by clip paths and masks. Colours do not count: what is painted transparent is within the box.

use kurbo::{Affine, BezPath, Rect, Shape as _, StrokeOpts};

use crate::drawing::Drawing;
use crate::frame::Frame;
use crate::node_id::NodeId;
use crate::sink::{FillCall, ImageCall, LayerCall, PaintSink, PosedClip, StrokeCall};

/// How far the outline of a stroke may be from its true place, pixels at scale 1.
const TOLERANCE: f64 = 0.05;

impl Drawing {
    /// The box of everything that is painted in a frame, in the drawing's pixels at scale 1. None if nothing is.
    pub fn painted_box(&self, frame: &Frame) -> Option<Rect> {
        self.painted_box_of(frame, &|_| true)
    }

    /// The box of what is painted of some shapes and images. The region of a filter counts if one of them is in it.
    pub fn painted_box_of(&self, frame: &Frame, of: &dyn Fn(NodeId) -> bool) -> Option<Rect> {
        let mut sink = BoxSink { layers: vec![BoxLayer::default()], of };
        self.paint(frame, Affine::IDENTITY, &mut sink);
        sink.layers.pop().and_then(|layer| layer.painted)
    }
}

struct BoxSink<'o> {
    /// Open layers, the innermost last.
    layers: Vec<BoxLayer>,
    of: &'o dyn Fn(NodeId) -> bool,
}

#[derive(Default)]
struct BoxLayer {
    node: Option<NodeId>,
    painted: Option<Rect>,
    /// Nothing outside of it is visible.
    cut: Option<Rect>,
    /// What is painted is spread by filters as far as these regions.
    filtered: Option<Rect>,
}

impl BoxSink<'_> {
    fn add(&mut self, found: Rect) {
        let usable = [found.x0, found.y0, found.x1, found.y1].iter().all(|side| side.is_finite());
        if let (true, Some(layer)) = (usable, self.layers.last_mut()) {
            layer.painted = Some(layer.painted.map_or(found, |painted| painted.union(found)));
        }
    }

    fn outline(&mut self, outline: &BezPath, transform: Affine) {
        if !outline.is_empty() {
            self.add((transform * outline).bounding_box());
        }
    }
}

impl PaintSink for BoxSink<'_> {
    fn fill(&mut self, fill: &FillCall<'_>) {
        if (self.of)(fill.node) {
            self.outline(fill.outline, fill.transform);
        }
    }

    fn stroke(&mut self, stroke: &StrokeCall<'_>) {
        let scale = stroke.transform.determinant().abs().sqrt().max(1e-6);
        if !(self.of)(stroke.node) || !scale.is_finite() || stroke.style.width * scale > 1e9 {
            return;
        }
        // Dashes are within the whole line.
        let style = kurbo::Stroke { dash_pattern: kurbo::Dashes::default(), ..stroke.style.clone() };
        let line = kurbo::stroke(stroke.outline, &style, &StrokeOpts::default(), TOLERANCE / scale);
        self.outline(&line, stroke.transform);
    }

    fn image(&mut self, image: &ImageCall<'_>) {
        if (self.of)(image.node) {
            self.add(image.transform.transform_rect_bbox(image.image.size.to_rect()));
        }
    }

    fn push_layer(&mut self, layer: &LayerCall<'_>) -> bool {
        if layer.opacity <= 0.0 {
            return false;
        }
        let both = |cut: Option<Rect>, other: Rect| Some(cut.map_or(other, |cut| cut.intersect(other)));
        let mut cut = None;
        let mut clip = layer.clip;
        while let Some(next) = clip {
            cut = both(cut, clip_box(&next, layer.transform));
            clip = next.clip();
        }
        let mut mask = layer.mask;
        while let Some(next) = mask {
            cut = both(cut, layer.transform.transform_rect_bbox(next.rect()));
            mask = next.mask();
        }
        let regions = layer.filters.iter().map(|id| layer.frame.filter(layer.drawing, *id));
        let filtered = regions.reduce(|one, other| one.union(other));
        let filtered = filtered.map(|region| layer.transform.transform_rect_bbox(region));
        self.layers.push(BoxLayer { node: Some(layer.node), painted: None, cut, filtered });
        true
    }

    fn pop_layer(&mut self) {
        let Some(BoxLayer { node, painted, cut, filtered }) = self.layers.pop() else { return };
        let painted = match filtered {
            // An empty layer with a filter may paint, if all is asked for.
            Some(region) => (painted.is_some() || node.is_none_or(self.of)).then_some(region),
            None => painted,
        };
        let cut = |painted: Rect| cut.map_or(painted, |cut| painted.intersect(cut));
        if let Some(visible) =
            painted.map(cut).filter(|visible| visible.width() > 0.0 && visible.height() > 0.0)
        {
            self.add(visible);
        }
    }
}

fn clip_box(clip: &PosedClip<'_>, transform: Affine) -> Rect {
    let outlines = clip.outlines();
    let boxes = outlines.iter().filter(|it| !it.outline.is_empty());
    let boxes = boxes.map(|it| (transform * it.transform * it.outline).bounding_box());
    boxes.reduce(|one, other| one.union(other)).unwrap_or(Rect::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DrawingBuilder, Group, Shape, Stroke};

    fn square(at: f64) -> Shape {
        Shape::filled(Rect::new(at, at, at + 2.0, at + 2.0).to_path(0.1), [0; 3])
    }

    fn stroked(at: f64, width: f64) -> Shape {
        Shape { stroke: Some(Stroke::new([0; 3], width)), ..square(at) }
    }

    #[test]
    fn the_box_has_strokes_and_what_is_beside_the_page() {
        let mut builder = DrawingBuilder::new(Rect::new(0.0, 0.0, 10.0, 10.0));
        builder.shape("one", stroked(-3.0, 1.0));
        builder.open("moved", Group { transform: Affine::translate((20.0, 0.0)), ..Group::new() });
        builder.shape("two", square(4.0));
        builder.close();
        builder.open("faded", Group { opacity: 0.0, ..Group::new() });
        builder.shape("three", square(90.0));
        builder.close();
        let drawing = builder.finish().expect("a drawing");
        assert_eq!(drawing.painted_box(&Frame::default()), Some(Rect::new(-3.5, -3.5, 26.0, 6.0)));
        let empty = DrawingBuilder::new(Rect::new(0.0, 0.0, 10.0, 10.0)).finish().expect("a drawing");
        assert_eq!(empty.painted_box(&Frame::default()), None);
    }
}
