//! Hit tests: the art under a pointer.

use kurbo::{Affine, BezPath, ParamCurveNearest, PathEl, Point, Shape as _};

use crate::definition::MaskId;
use crate::draw_items::DrawItemScratch;
use crate::drawing::{Drawing, invert};
use crate::element::ElementId;
use crate::frame::Frame;
use crate::node::{NodeKind, Shape};
use crate::node_id::NodeId;
use crate::paint::FillRule;
use crate::sink::{ClipOutline, PosedClip};
use crate::trim::Trim;

/// The result of a hit test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The shape or image.
    pub node: NodeId,
    /// The element that it belongs to, if any.
    pub element: Option<ElementId>,
}

/// Limit of clip paths that clip each other in one hit test.
const MAX_CLIPS: usize = 64;

impl Drawing {
    /// The art that is in front at a point of the canvas, in a frame.
    ///
    /// A shape is hit where it is filled, whatever the opacity of its paint, and on its stroke, dashes and
    /// gaps alike, or beside it by no more than `reach` canvas units. Clip paths clip what can be hit; of
    /// masks the region does, and what a rig masks; filters are ignored.
    pub fn hit_test(&self, frame: &Frame, at: Point, reach: f64) -> Option<Hit> {
        let start = self.canvas_to_output * at;
        self.hit_nodes(frame, &self.roots, start, reach * self.canvas_to_output.determinant().abs().sqrt())
    }

    fn hit_nodes(&self, frame: &Frame, nodes: &[NodeId], at: Point, reach: f64) -> Option<Hit> {
        let mut scratch = DrawItemScratch::default();
        let mut items = Vec::new();
        self.draw_items(frame, nodes, Affine::IDENTITY, &mut scratch, &mut items);
        // Items that are still to be tested, those in front last.
        let mut next = items;
        let mut inside = Vec::new();
        while let Some(item) = next.pop() {
            match &self.nodes[item.node.index()].kind {
                NodeKind::Shape(shape) => {
                    if self.hits_shape(frame, item.node, shape, item.transform, at, reach) {
                        let element = self.element_around(item.node);
                        return Some(Hit { node: item.node, element });
                    }
                }
                NodeKind::Image(image) => {
                    let local = invert(item.transform).map(|back| back * at);
                    if image.visible && local.is_some_and(|p| image.size.to_rect().contains(p)) {
                        let element = self.element_around(item.node);
                        return Some(Hit { node: item.node, element });
                    }
                }
                NodeKind::Group(group) => {
                    let transform = item.transform * frame.transform(self, item.node);
                    let Some(back) = invert(transform) else { continue };
                    let local = back * at;
                    let clip = group.clip.map(|id| PosedClip::new(self, frame, id));
                    let bounded = group.mask.is_none_or(|id| frame.mask(self, id).contains(local));
                    let hidden = group.mask.is_some_and(|id| self.hides(frame, id, local));
                    if group.opacity > 0.0
                        && bounded
                        && !hidden
                        && clip.is_none_or(|clip| is_in_clip(clip, local))
                    {
                        self.draw_items(frame, &group.children, transform, &mut scratch, &mut inside);
                        next.append(&mut inside);
                    }
                }
            }
        }
        None
    }

    /// Whether a mask that only hides what is in the fill of some shapes does so at a point.
    fn hides(&self, frame: &Frame, mask: MaskId, at: Point) -> bool {
        let holds = |node: &NodeId| {
            let fill = self.nodes[node.index()].shape().and_then(|shape| shape.fill);
            fill.zip(frame.outline(self, *node))
                .is_some_and(|(fill, outline)| is_inside(outline, fill.rule, at))
        };
        self.hiding(mask).is_some_and(|shapes| shapes.iter().any(holds))
    }

    fn hits_shape(
        &self,
        frame: &Frame,
        node: NodeId,
        shape: &Shape,
        transform: Affine,
        at: Point,
        reach: f64,
    ) -> bool {
        let (Some(back), Some(outline)) = (invert(transform), frame.outline(self, node)) else {
            return false;
        };
        let is_cut = frame.trim(self, node).is_some_and(Trim::is_empty);
        if !shape.is_visible() || is_cut {
            return false;
        }
        let local = back * at;
        let scale = back.determinant().abs().sqrt();
        let stroke = shape.stroke.as_ref().map_or(0.0, |_| frame.look(self, node).lengths.width);
        let wide = 0.5 * stroke + reach * scale;
        if !outline.control_box().inflate(wide, wide).contains(local) {
            return false;
        }
        let filled = shape.fill.is_some_and(|fill| is_inside(outline, fill.rule, local));
        filled || wide > 0.0 && distance_squared(outline, local) <= wide * wide
    }
}

/// A point that is not a number, as a matrix of infinities gives it, is nowhere.
fn is_inside(outline: &BezPath, rule: FillRule, at: Point) -> bool {
    if at.is_nan() {
        return false;
    }
    let turns = match is_closed(outline) {
        true => outline.winding(at),
        false => closed(outline).winding(at),
    };
    match rule {
        FillRule::NonZero => turns != 0,
        FillRule::EvenOdd => turns % 2 != 0,
    }
}

/// Whether each figure of an outline ends where it is closed.
fn is_closed(outline: &BezPath) -> bool {
    let elements = outline.elements();
    let open = |pair: &[PathEl]| pair[1..].iter().all(is_move) && pair[0] != PathEl::ClosePath;
    !elements.windows(2).any(open) && elements.last().is_none_or(|last| *last == PathEl::ClosePath)
}

fn is_move(element: &PathEl) -> bool {
    matches!(element, PathEl::MoveTo(_))
}

/// An outline whose figures are closed, as they are for filling.
fn closed(outline: &BezPath) -> BezPath {
    let mut all = BezPath::with_capacity(outline.elements().len() + 1);
    let mut is_open = false;
    for element in outline {
        if is_open && is_move(&element) {
            all.close_path();
        }
        is_open = element != PathEl::ClosePath;
        all.push(element);
    }
    if is_open {
        all.close_path();
    }
    all
}

fn distance_squared(outline: &BezPath, at: Point) -> f64 {
    let nearest = outline.segments().map(|segment| segment.nearest(at, 1e-3).distance_sq);
    nearest.fold(f64::INFINITY, f64::min)
}

fn is_in_clip(clip: PosedClip<'_>, at: Point) -> bool {
    let mut remaining = MAX_CLIPS;
    is_within(clip, at, &mut remaining)
}

/// Whether a point is in a clip path and in the clip paths that clip it.
fn is_within(clip: PosedClip<'_>, at: Point, remaining: &mut usize) -> bool {
    let Some(fewer) = remaining.checked_sub(1) else { return false };
    *remaining = fewer;
    let hits = |outline: &ClipOutline<'_>, remaining: &mut usize| {
        let Some(local) = invert(outline.transform).map(|back| back * at) else { return false };
        is_inside(outline.outline, outline.rule, local)
            && outline.clip.is_none_or(|clip| is_within(clip, local, remaining))
    };
    clip.outlines().iter().any(|outline| hits(outline, remaining))
        && clip.clip().is_none_or(|clip| is_within(clip, at, remaining))
}

#[cfg(test)]
mod tests {
    use super::*;

    use kurbo::{ParamCurve, Rect};

    use crate::builder::DrawingBuilder;
    use crate::paint::Stroke;

    fn stroked(path: &str, width: f64) -> Drawing {
        let mut builder = DrawingBuilder::new(Rect::new(0.0, 0.0, 40.0, 40.0));
        let outline = BezPath::from_svg(path).expect("path data");
        builder.shape(
            "line",
            Shape { fill: None, stroke: Some(Stroke::new([0; 3], width)), ..Shape::filled(outline, [0; 3]) },
        );
        builder.finish().expect("a drawing")
    }

    fn hits(drawing: &Drawing, x: f64, y: f64, reach: f64) -> bool {
        drawing.hit_test(&Frame::default(), Point::new(x, y), reach).is_some()
    }

    #[test]
    fn curves_far_larger_than_any_canvas_do_not_panic() {
        for n in ["1e12", "1e30", "1e38", "1e150"] {
            let drawing = stroked(&format!("M-{n} -{n}C{n} 0 -{n} {n} {n} {n}"), 2.0);
            let _ = hits(&drawing, 20.0, 20.0, 1.0);
        }
    }

    #[test]
    fn thin_long_curves_are_hit_where_they_are() {
        let drawing = stroked("M-900 7C-300 7.5 500 6.5 1000 7", 0.02);
        let path = BezPath::from_svg("M-900 7C-300 7.5 500 6.5 1000 7").expect("path data");
        let curve = path.segments().next().expect("a curve");
        for k in 0..100 {
            let on = curve.eval(0.474 + 0.0002 * f64::from(k));
            assert!(hits(&drawing, on.x, on.y + 0.0095, 0.0), "{on}");
            assert!(!hits(&drawing, on.x, on.y + 0.0105, 0.0), "{on}");
        }
    }

    #[test]
    fn fine_lines_of_small_drawings_are_hit_as_exactly_as_others() {
        for scale in [1e-6, 1e-3, 1.0, 1e3] {
            let at = |n: f64| n * scale;
            let path = format!("M0 0C{} 0 {} 0 {} 0", at(1.0), at(2.0), at(3.0));
            let drawing = stroked(&path, at(0.01));
            assert!(hits(&drawing, at(1.5), at(0.0049), 0.0), "{scale}");
            assert!(!hits(&drawing, at(1.5), at(0.0052), 0.0), "{scale}");
            assert!(hits(&drawing, at(1.5), at(0.0099), at(0.005)), "{scale}");
        }
    }
}
