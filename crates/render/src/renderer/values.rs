//! The values of a frame as a reader of its SVG text gets them, and which of them changed since the last
//! frame.

use std::borrow::Cow;

use bone_drawing::{
    ColorMap, Drawing, Frame, GradientKind, Node, PaintLook, StepValues, Stop, StrokeLook, Visibility,
};
use kurbo::{Affine, BezPath, PathEl, Point, Rect};
use tiny_skia::{NonZeroRect, Path, PathBuilder, Stroke, StrokeDash, Transform};

use super::tree::{GroupTransform, Line, Outline, PaintTransform, Shape};
use crate::number::{as_read, matrix_as_read, rect_as_read};

/// The render tree does not support the frame: it falls back to resvg, from its text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unsupported;

/// Values of one kind, and which of them changed since the last frame.
#[derive(Clone, Debug)]
pub(crate) struct Channel<T> {
    pub(crate) now: Vec<T>,
    pub(crate) changed: Vec<bool>,
}

impl<T> Default for Channel<T> {
    fn default() -> Self {
        Self { now: Vec::new(), changed: Vec::new() }
    }
}

impl<T: PartialEq> Channel<T> {
    /// The next value. Those of the first frame count as changed.
    fn set(&mut self, k: usize, value: T) {
        match self.now.get_mut(k) {
            Some(now) => {
                self.changed[k] = *now != value;
                *now = value;
            }
            None => {
                self.now.push(value);
                self.changed.push(true);
            }
        }
    }
}

/// All numbers of a frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    /// Transforms of groups; none is one that hides its group.
    pub(crate) places: Channel<Option<Transform>>,
    /// Outlines; none is one that usvg leaves out.
    pub(crate) outlines: Channel<Option<Path>>,
    pub(crate) gradients: Channel<Transform>,
    pub(crate) patterns: Channel<Transform>,
    /// The lengths of strokes; none as in the drawing.
    pub(crate) lengths: Channel<Option<StrokeLook>>,
    /// The paints of fills and strokes; none as in the drawing.
    pub(crate) paints: Channel<Option<[PaintLook; 2]>>,
    /// The geometry and the stops of gradients whose colours can change.
    pub(crate) stops: Channel<(GradientKind, Vec<Stop>)>,
    /// What is made of the colours of images.
    pub(crate) tints: Channel<ColorMap>,
    pub(crate) masks: Channel<Option<NonZeroRect>>,
    /// Regions of filters.
    pub(crate) filters: Channel<Option<NonZeroRect>>,
    /// Regions of their steps; none is that of the filter.
    pub(crate) filter_steps: Channel<Option<NonZeroRect>>,
    /// The numbers of keyed filters.
    pub(crate) filter_looks: Channel<Vec<Option<StepValues>>>,
    /// Whether groups are visible, and their opacity if less than 1.
    pub(crate) visible: Channel<Option<Option<f32>>>,
    /// Draw orders of groups.
    pub(crate) orders: Vec<f64>,
    /// Whether any of them is not 0.
    pub(crate) ordered: bool,
    /// Memory for an outline.
    spare: Option<PathBuilder>,
}

impl Values {
    /// Takes over the next frame.
    pub(crate) fn next(&mut self, drawing: &Drawing, frame: &Frame) -> Result<(), Unsupported> {
        let slots = drawing.slots();
        for (k, node) in slots.transforms.keys().iter().enumerate() {
            let transform = frame.transforms.get(k).copied();
            let at_rest = || drawing.node(*node).map_or(Affine::IDENTITY, Node::transform);
            let ts = matrix_as_read(transform.unwrap_or_else(at_rest));
            self.places.set(k, ts.is_valid().then_some(ts));
        }
        for (k, node) in slots.outlines.keys().iter().enumerate() {
            let outline = frame.outline(drawing, *node).ok_or(Unsupported)?;
            self.outline(k, outline);
        }
        let servers = |channel: &mut Channel<Transform>, k: usize, affine: Affine| {
            let ts = matrix_as_read(affine);
            channel.set(k, ts);
            if ts.is_valid() { Ok(()) } else { Err(Unsupported) }
        };
        for (k, id) in slots.gradients.keys().iter().enumerate() {
            servers(&mut self.gradients, k, frame.gradient(drawing, *id))?;
        }
        for (k, id) in slots.patterns.keys().iter().enumerate() {
            servers(&mut self.patterns, k, frame.pattern(drawing, *id))?;
        }
        for k in 0..slots.looks.keys().len() {
            let look = frame.looks.get(k);
            self.lengths.set(k, look.map(|look| look.lengths));
            self.paints.set(k, look.map(|look| [look.fill, look.stroke]));
        }
        for (k, id) in slots.gradient_looks.keys().iter().enumerate() {
            let gradient = frame.stops(drawing, *id).ok_or(Unsupported)?;
            match self.stops.now.get(k) {
                Some((kind, stops)) if *kind == gradient.kind && **stops == *gradient.stops => {
                    self.stops.changed[k] = false;
                }
                _ => self.stops.set(k, (gradient.kind, gradient.stops.to_vec())),
            }
        }
        for (k, node) in slots.tints.keys().iter().enumerate() {
            self.tints.set(k, frame.tint(drawing, *node).unwrap_or_default());
        }
        for (k, id) in slots.masks.keys().iter().enumerate() {
            let rect = frame.mask(drawing, *id);
            let [x, y, width, height] = [rect.x0, rect.y0, rect.width(), rect.height()].map(as_read);
            let rect = NonZeroRect::from_xywh(x, y, width, height).ok_or(Unsupported)?;
            self.masks.set(k, Some(rect));
        }
        let region = |rect: Rect| rect_as_read(rect).ok_or(Unsupported);
        for (k, id) in slots.filters.keys().iter().enumerate() {
            self.filters.set(k, Some(region(frame.filter(drawing, *id))?));
            for at in 0..drawing.filter(*id).map_or(0, |filter| filter.steps.len()) {
                if let Some(slot) = slots.step(*id, at) {
                    let rect = frame.step(drawing, *id, at).map(region).transpose()?;
                    self.filter_steps.set(slot, rect);
                }
            }
        }
        for k in 0..slots.filter_looks.keys().len() {
            let look = frame.filter_looks.get(k).map_or(&[][..], Vec::as_slice);
            match self.filter_looks.now.get(k) {
                Some(now) if now.as_slice() == look => self.filter_looks.changed[k] = false,
                _ => self.filter_looks.set(k, look.to_vec()),
            }
        }
        self.orders.clear();
        for k in 0..slots.visibilities.keys().len() {
            let visibility = frame.visibilities.get(k).copied().unwrap_or(Visibility::SHOWN);
            // Read as an opacity is read.
            let opacity = |n: f64| usvg::Opacity::new_clamped(as_read(n)).get();
            self.visible.set(k, visibility.is_seen().then(|| visibility.fading().map(opacity)));
            self.orders.push(visibility.place());
        }
        self.ordered = self.orders.iter().any(|order| *order != 0.0);
        Ok(())
    }

    fn outline(&mut self, k: usize, outline: &BezPath) {
        // A path without segments would take the memory for the next outline with it.
        let has_none = outline.elements().iter().all(|element| matches!(element, PathEl::MoveTo(_)));
        if has_none && self.outlines.now.get(k).is_some_and(Option::is_none) {
            self.outlines.changed[k] = false;
            return;
        }
        let path = read(outline, self.spare.take().unwrap_or_default());
        match self.outlines.now.get_mut(k) {
            // An outline that stays keeps its memory: of many that differ in length none grows again.
            Some(now) if *now == path => {
                self.outlines.changed[k] = false;
                self.spare = path.map(Path::clear);
            }
            Some(now) => {
                self.outlines.changed[k] = true;
                self.spare = std::mem::replace(now, path).map(Path::clear);
            }
            None => self.outlines.set(k, path),
        }
    }

    /// The transform of a group; none hides it.
    pub(crate) fn group_transform(&self, place: GroupTransform) -> Option<Transform> {
        match place {
            GroupTransform::Fixed(ts) => Some(ts),
            GroupTransform::Posed(k) => self.places.now[k],
        }
    }

    /// The transform of a gradient or pattern.
    pub(crate) fn paint_transform(&self, place: PaintTransform) -> Transform {
        match place {
            PaintTransform::Fixed(ts) => ts,
            PaintTransform::Gradient(k) => self.gradients.now[k],
            PaintTransform::Pattern(k) => self.patterns.now[k],
        }
    }

    pub(crate) fn outline_of<'a>(&'a self, outline: &'a Outline) -> Option<&'a Path> {
        match outline {
            Outline::Fixed(path) => path.as_ref(),
            Outline::Posed(k) => self.outlines.now[*k].as_ref(),
        }
    }

    /// How the fill and the stroke of a shape are painted in this frame, if that can change.
    pub(crate) fn paints(&self, shape: &Shape) -> Option<[PaintLook; 2]> {
        shape.look.and_then(|slot| self.paints.now[slot])
    }

    /// A stroke in this frame. None if it has no width.
    pub(crate) fn stroke<'a>(&self, line: &'a Line) -> Option<Cow<'a, Stroke>> {
        let look = line.slot.and_then(|slot| self.lengths.now[slot]);
        let Some(look) = look.filter(|look| *look != line.look) else {
            return Some(Cow::Borrowed(&line.stroke));
        };
        let mut stroke = line.stroke.clone();
        let width = as_read(look.width);
        if !(width > 0.0 && width.is_finite()) {
            return None;
        }
        stroke.width = width;
        let dashes: Vec<f32> = line.dashes.iter().map(|dash| as_read(dash * look.dash_scale)).collect();
        stroke.dash =
            pairs_of_dashes(dashes).and_then(|dashes| StrokeDash::new(dashes, as_read(look.dash_offset)));
        Some(Cow::Owned(stroke))
    }
}

/// Dashes as usvg takes them: none if their sum is 0, an odd number of them twice.
pub(crate) fn pairs_of_dashes(mut dashes: Vec<f32>) -> Option<Vec<f32>> {
    let sum: f32 = dashes.iter().fold(0.0, |sum, dash| sum + dash);
    // Within four steps of 0, as usvg has it.
    if dashes.iter().any(|dash| dash.is_sign_negative()) || sum.to_bits() <= 4 {
        return None;
    }
    if !dashes.len().is_multiple_of(2) {
        dashes.extend_from_within(..);
    }
    Some(dashes)
}

/// An outline as usvg reads it from its text: a figure that goes on after it was closed starts anew, and is
/// closed once.
pub(crate) fn read(path: &BezPath, mut builder: PathBuilder) -> Option<Path> {
    let (mut start, mut closed) = ((0.0, 0.0), false);
    let number = |p: Point| (as_read(p.x), as_read(p.y));
    for element in path.elements() {
        if closed && !matches!(element, PathEl::MoveTo(_) | PathEl::ClosePath) {
            builder.move_to(start.0, start.1);
        }
        match *element {
            PathEl::MoveTo(p) => {
                start = number(p);
                builder.move_to(start.0, start.1);
            }
            PathEl::LineTo(p) => {
                let (x, y) = number(p);
                builder.line_to(x, y);
            }
            PathEl::QuadTo(a, p) => {
                let ((x1, y1), (x, y)) = (number(a), number(p));
                builder.quad_to(x1, y1, x, y);
            }
            PathEl::CurveTo(a, b, p) => {
                let ((x1, y1), (x2, y2), (x, y)) = (number(a), number(b), number(p));
                builder.cubic_to(x1, y1, x2, y2, x, y);
            }
            PathEl::ClosePath if closed => {}
            PathEl::ClosePath => builder.close(),
        }
        closed = matches!(element, PathEl::ClosePath);
    }
    builder.finish()
}
