//! The numbers of a frame as usvg would read them from its text, and which of them changed since the last frame.
//! Refuses frames that usvg would make another tree of.

use std::borrow::Cow;

use kurbo::{Affine, BezPath, PathEl, Point};
use tiny_skia::{NonZeroRect, Path, PathBuilder, Stroke, StrokeDash, Transform};

use super::plan::{Line, Outline, Place, Plan};
use crate::given::Given;
use crate::number::{as_read, matrix_as_read};
use crate::posed::Skipped;
use crate::template::Template;

/// The frame cannot be walked: it is to be drawn from its text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole;

/// Values of one kind, and which of them are others than in the last frame.
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
    /// Transforms of rigid elements; none is one that hides its element.
    pub(crate) places: Channel<Option<Transform>>,
    /// Outlines; none is one that usvg leaves out.
    pub(crate) outlines: Channel<Option<Path>>,
    /// Transforms of gradients and patterns that are others than at rest.
    pub(crate) servers: Channel<Option<Transform>>,
    /// Lengths of strokes that are others than at rest.
    pub(crate) lengths: Channel<Option<Vec<f32>>>,
    /// Regions that are others than at rest.
    pub(crate) regions: Channel<Option<NonZeroRect>>,
    /// Whether elements are seen, and their opacity if they are not solid.
    pub(crate) actors: Channel<Option<Option<f32>>>,
    /// The order of siblings.
    pub(crate) orders: Channel<Vec<usize>>,
    /// Memory for an outline.
    spare: Option<PathBuilder>,
    order: Vec<usize>,
    pub(crate) skipped: Skipped,
}

impl Values {
    /// Takes over the next frame.
    pub(crate) fn next(&mut self, template: &Template, plan: &Plan, given: &Given<'_>) -> Result<(), Whole> {
        self.skipped = Skipped::default();
        for (k, part) in template.rigid.iter().enumerate() {
            let (written, used) = template.transform_at(k, given);
            self.skipped.rigid += usize::from(!used);
            let ts = matrix_as_read(written.unwrap_or(part.own));
            self.places.set(k, ts.is_valid().then_some(ts));
        }
        for k in 0..template.posed.len() {
            self.outline_at(k, template, plan, given);
        }
        for k in 0..template.paint.servers.len() {
            let ts = template.server_at(k, given).map(matrix_as_read);
            if ts.is_some_and(|ts| !ts.is_valid()) {
                return Err(Whole);
            }
            self.servers.set(k, ts);
        }
        for (k, lengths) in template.paint.lengths.iter().enumerate() {
            let scale = template.lengths_at(k, given);
            self.lengths.set(k, scale.map(|scale| lengths.read(scale).collect()));
        }
        for k in 0..template.cuts.regions.len() {
            let region = template.region_at(k, given).map(|numbers| {
                let [x, y, width, height] = numbers.map(as_read);
                NonZeroRect::from_xywh(x, y, width, height).ok_or(Whole)
            });
            self.regions.set(k, region.transpose()?);
        }
        let (actors, groups) = template.stage.counts();
        for k in 0..actors {
            let seen = template.stage.seen(k, given.presences);
            // Read as an opacity is read.
            let opacity = |n: f64| usvg::Opacity::new_clamped(as_read(n)).get();
            self.actors.set(k, seen.map(|clear| clear.map(opacity)));
        }
        let mut order = std::mem::take(&mut self.order);
        for group in 0..groups {
            template.stage.sorted(group, given.presences, &mut order);
            if self.orders.now.get(group) == Some(&order) {
                self.orders.changed[group] = false;
            } else {
                self.orders.set(group, order.clone());
            }
        }
        self.order = order;
        Ok(())
    }

    fn outline_at(&mut self, k: usize, template: &Template, plan: &Plan, given: &Given<'_>) {
        let path = match template.data_at(k, given) {
            Some((to_local, path)) => read(path, to_local, self.spare.take().unwrap_or_default()),
            None => {
                self.skipped.posed += 1;
                plan.at_rest[k].clone()
            }
        };
        match self.outlines.now.get_mut(k) {
            Some(now) => {
                self.outlines.changed[k] = *now != path;
                let before = std::mem::replace(now, path);
                self.spare = before.map(Path::clear);
            }
            None => self.outlines.set(k, path),
        }
    }

    /// The transform of a group; none hides it.
    pub(crate) fn place(&self, place: Place) -> Option<Transform> {
        match place {
            Place::Fixed(ts) => Some(ts),
            Place::Rigid(k) => self.places.now[k],
        }
    }

    pub(crate) fn outline<'a>(&'a self, outline: &'a Outline) -> Option<&'a Path> {
        match outline {
            Outline::Fixed(path) => Some(path),
            Outline::Posed(k) => self.outlines.now[*k].as_ref(),
        }
    }

    /// A stroke as it is in this frame. None if its width leaves nothing of it.
    pub(crate) fn stroke<'a>(&self, line: &'a Line) -> Option<Cow<'a, Stroke>> {
        let lengths = |k: Option<usize>| k.and_then(|k| self.lengths.now[k].as_ref());
        let (width, dashes, offset) = (lengths(line.width), lengths(line.dashes), lengths(line.offset));
        if width.is_none() && dashes.is_none() && offset.is_none() {
            return Some(Cow::Borrowed(&line.stroke));
        }
        let mut stroke = line.stroke.clone();
        if let Some(width) = width.and_then(|width| width.first().copied()) {
            if !(width > 0.0 && width.is_finite()) {
                return None;
            }
            stroke.width = width;
        }
        let rest = line.dashes_at_rest.as_ref();
        let offset = offset.and_then(|offset| offset.first().copied()).or(rest.map(|(_, offset)| *offset));
        let dashes = match dashes {
            Some(dashes) => pairs_of_dashes(dashes),
            None => rest.map(|(dashes, _)| dashes.clone()),
        };
        stroke.dash = dashes.and_then(|dashes| StrokeDash::new(dashes, offset.unwrap_or(0.0)));
        Some(Cow::Owned(stroke))
    }
}

/// Dashes as usvg takes them: none if they come to nothing, an odd number of them twice.
fn pairs_of_dashes(dashes: &[f32]) -> Option<Vec<f32>> {
    let sum: f32 = dashes.iter().fold(0.0, |sum, dash| sum + dash);
    // Within four steps of 0, as usvg has it.
    if dashes.iter().any(|dash| dash.is_sign_negative()) || sum.to_bits() <= 4 {
        return None;
    }
    let mut dashes = dashes.to_vec();
    if !dashes.len().is_multiple_of(2) {
        dashes.extend_from_within(..);
    }
    Some(dashes)
}

/// An outline as usvg reads it from its text: a figure that goes on after it was closed starts anew, and is closed once.
fn read(path: &BezPath, map: Affine, mut builder: PathBuilder) -> Option<Path> {
    let (mut start, mut closed) = ((0.0, 0.0), false);
    let number = |p: Point| {
        let p = map * p;
        (as_read(p.x), as_read(p.y))
    };
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

/// An outline at rest, from the numbers of its text.
pub(crate) fn read_at_rest(data: &str) -> Option<Path> {
    let path = BezPath::from_svg(data).ok()?;
    // The numbers are those of f32 values, so that reading them is exact.
    read_exact(&path)
}

#[allow(clippy::cast_possible_truncation, reason = "SVG readers do the same")]
fn read_exact(path: &BezPath) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for element in path.elements() {
        let f = |p: Point| (p.x as f32, p.y as f32);
        match *element {
            PathEl::MoveTo(p) => builder.move_to(f(p).0, f(p).1),
            PathEl::LineTo(p) => builder.line_to(f(p).0, f(p).1),
            PathEl::QuadTo(a, p) => builder.quad_to(f(a).0, f(a).1, f(p).0, f(p).1),
            PathEl::CurveTo(a, b, p) => {
                builder.cubic_to(f(a).0, f(a).1, f(b).0, f(b).1, f(p).0, f(p).1);
            }
            PathEl::ClosePath => builder.close(),
        }
    }
    builder.finish()
}
