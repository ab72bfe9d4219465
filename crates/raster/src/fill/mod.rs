//! Antialiased fills and strokes of one colour or a gradient, equal to tiny-skia's to the last bit and several times as
//! fast.
//!
//! The arithmetic is that of tiny-skia 0.12 and of Skia before it (edges in 16.16, curves by forward
//! differences, four by four samples to a pixel, blending in 16 bits), so pixels are equal. The algorithm
//! differs: covered samples become differences along a row, and their sums are runs of equal coverage, which
//! can be kept and filled again ([`CachedCoverage`]).
//!
//! Not supported, and left to tiny-skia: cubics that cross a side of the picture, pictures larger than its
//! tiles, hairlines, and numbers that rounding moves out of bounds. A shape that is not supported has drawn
//! nothing.

mod active;
mod cached_coverage;
mod chop;
mod clip;
mod curve;
mod edges;
mod fixed;
mod gradient;
mod row;
mod solid;
mod sweep;

#[cfg(test)]
mod tests;

use tiny_skia::{FillRule, Path, PathStroker, PixmapMut, Point, Stroke, Transform};

pub use cached_coverage::CachedCoverage;
pub use gradient::{GradientColor, Stop};
pub use solid::SolidColor;

use clip::Sides;
use edges::Edges;
use row::Run;
use sweep::{Bounds, Sweep};

/// The widest and highest picture that tiny-skia draws in one piece.
const MAX_SIDE: u32 = 8191;

/// tiny-skia fills nothing if the width or height is below this.
const NO_AREA: f32 = 1.0 / 4096.0;

/// What a shape is filled with.
#[derive(Clone, Debug)]
pub enum Ink {
    /// One colour.
    Solid(SolidColor),
    /// A linear or radial gradient.
    Gradient(GradientColor),
}

impl Ink {
    /// Whether it can be painted on a picture of this size.
    fn fits(&self, (width, height): (u32, u32)) -> bool {
        match self {
            Self::Solid(_) => true,
            Self::Gradient(gradient) => gradient.fits(width, height),
        }
    }

    fn paint(&self, runs: &[Run], pixmap: &mut PixmapMut<'_>) {
        match self {
            Self::Solid(color) => color.paint(runs, pixmap),
            Self::Gradient(gradient) => gradient.paint(runs, pixmap),
        }
    }
}

/// Turns outlines into runs of pixels. Reuses its buffers.
#[derive(Default)]
pub struct Filler {
    /// Shapes that were not drawn, because they are too large for it and for tiny-skia.
    pub left_out: usize,
    points: Vec<Point>,
    edges: Edges,
    sweep: Sweep,
    runs: Vec<Run>,
    stroker: PathStroker,
}

impl std::fmt::Debug for Filler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Filler").field("runs", &self.runs.len()).finish_non_exhaustive()
    }
}

impl Filler {
    /// Fills as `PixmapMut::fill_path` does. False if the shape is not supported: nothing is drawn then.
    /// `cached` belongs to this path and rule alone.
    pub fn fill(
        &mut self,
        path: &Path,
        rule: FillRule,
        ink: &Ink,
        ts: Transform,
        pixmap: &mut PixmapMut<'_>,
        cached: &mut CachedCoverage,
    ) -> bool {
        fill_or_reuse(cached, ink, ts, pixmap, |size| self.cover(path, rule, ts, size))
    }

    /// Strokes as `PixmapMut::stroke_path` does. False if the shape is not supported: nothing is drawn then.
    /// `cached` belongs to this path and stroke alone.
    pub fn stroke(
        &mut self,
        path: &Path,
        stroke: &Stroke,
        ink: &Ink,
        ts: Transform,
        pixmap: &mut PixmapMut<'_>,
        cached: &mut CachedCoverage,
    ) -> bool {
        fill_or_reuse(cached, ink, ts, pixmap, |size| self.cover_stroke(path, stroke, ts, size))
    }

    /// The pixels that a filled outline covers.
    fn cover(
        &mut self,
        path: &Path,
        rule: FillRule,
        ts: Transform,
        (width, height): (u32, u32),
    ) -> Option<&[Run]> {
        self.runs.clear();
        if width > MAX_SIDE || height > MAX_SIDE {
            return None;
        }
        self.points.clear();
        self.points.extend_from_slice(path.points());
        ts.map_points(&mut self.points);
        let (bounds, sides) = match visible_bounds(&self.points, width, height) {
            VisibleBounds::Nothing => return Some(&[]),
            VisibleBounds::TooFar => return None,
            VisibleBounds::Within(bounds, sides) => (bounds, sides),
        };
        if !self.edges.build(path, &self.points, sides) {
            return None;
        }
        let windings = if rule == FillRule::EvenOdd { 1 } else { -1 };
        self.sweep.run(&mut self.edges, windings, bounds, &mut self.runs).then_some(&self.runs)
    }

    /// The pixels that the stroke of an outline covers.
    fn cover_stroke(
        &mut self,
        path: &Path,
        stroke: &Stroke,
        ts: Transform,
        size: (u32, u32),
    ) -> Option<&[Run]> {
        if stroke.width.is_nan() || stroke.width <= 0.0 || is_hairline(stroke.width, ts) {
            return None;
        }
        let scale = PathStroker::compute_resolution_scale(&ts);
        let dashed = match &stroke.dash {
            Some(dash) => Some(path.dash(dash, scale)?),
            None => None,
        };
        let outline = self.stroker.stroke(dashed.as_ref().unwrap_or(path), stroke, scale)?;
        self.cover(&outline, FillRule::Winding, ts, size)
    }
}

/// Fills the cached runs of this transform, or scans the shape, fills its runs and caches them. False if it
/// is not supported.
fn fill_or_reuse<'r>(
    cached: &mut CachedCoverage,
    ink: &Ink,
    ts: Transform,
    pixmap: &mut PixmapMut<'_>,
    cover: impl FnOnce((u32, u32)) -> Option<&'r [Run]>,
) -> bool {
    let size = (pixmap.width(), pixmap.height());
    if !ink.fits(size) {
        return false;
    }
    if let Some(runs) = cached.runs(ts, size) {
        ink.paint(runs, pixmap);
        return true;
    }
    let Some(runs) = cover(size) else { return false };
    ink.paint(runs, pixmap);
    cached.store(ts, size, runs);
    true
}

/// Whether a stroke is at most a pixel wide, as tiny-skia has it.
fn is_hairline(width: f32, ts: Transform) -> bool {
    let length = |x: f32, y: f32| {
        let (x, y) = (x.abs(), y.abs());
        if x < y { y + x * 0.5 } else { x + y * 0.5 }
    };
    let mut ends = [Point::from_xy(width, 0.0), Point::from_xy(0.0, width)];
    Transform { tx: 0.0, ty: 0.0, ..ts }.map_points(&mut ends);
    ends.iter().all(|end| length(end.x, end.y) <= 1.0)
}

enum VisibleBounds {
    Nothing,
    TooFar,
    /// The sides of the picture, if some points are beyond them.
    Within(Bounds, Option<Sides>),
}

/// The pixels of the picture among which all points are.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "at most 8191")]
fn visible_bounds(points: &[Point], width: u32, height: u32) -> VisibleBounds {
    let mut low = (f32::INFINITY, f32::INFINITY);
    let mut high = (f32::NEG_INFINITY, f32::NEG_INFINITY);
    let mut finite = true;
    for p in points {
        finite &= p.x.is_finite() && p.y.is_finite();
        low = (low.0.min(p.x), low.1.min(p.y));
        high = (high.0.max(p.x), high.1.max(p.y));
    }
    let (width, height) = (width as f32, height as f32);
    let far = |n: f32| n.abs() > 1e6;
    if !finite || points.len() < 2 || far(low.0) || far(low.1) || far(high.0) || far(high.1) {
        return VisibleBounds::TooFar;
    }
    if high.0 - low.0 <= NO_AREA || high.1 - low.1 <= NO_AREA {
        return VisibleBounds::Nothing;
    }
    let (left, top, right, bottom) = (low.0.floor(), low.1.floor(), high.0.ceil(), high.1.ceil());
    if right <= 0.0 || bottom <= 0.0 || left >= width || top >= height {
        return VisibleBounds::Nothing;
    }
    let leaves = left < 0.0 || top < 0.0 || right > width || bottom > height;
    let sides = leaves.then_some(Sides { right: width, bottom: height });
    let [left, top, right, bottom] =
        [left.max(0.0), top.max(0.0), right.min(width), bottom.min(height)].map(|n| n as i32);
    VisibleBounds::Within(Bounds { left, top, right, bottom }, sides)
}
