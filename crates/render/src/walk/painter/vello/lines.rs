//! Outlines as straight lines, in pixels: finer than vello_cpu makes them itself, and never far from the picture.
//! Refuses outlines that have no numbers under the transform.

use kurbo::{BezPath, PathEl, Point};
use tiny_skia::{Path, PathSegment, Transform};

/// How far a line may be from its curve, in pixels.
pub(super) const TOLERANCE: f64 = 0.02;

/// Most lines of one curve: a circle of a million pixels around still keeps the tolerance.
const MAX_LINES: f64 = 16_384.0;

/// Beyond the picture outlines run along a frame around it, this far away in pixels. What is inside stays as it is.
const MARGIN: f64 = 64.0;

/// Makes lines of outlines, keeping its memory.
#[derive(Debug, Default)]
pub(super) struct Lines {
    path: BezPath,
    /// The far corner of the frame.
    far: Point,
    /// Where the pen is, and where it is when it stays within the frame.
    pen: Point,
    kept: Point,
    /// Where the figure began.
    start: Point,
}

impl Lines {
    /// The lines of an outline on a picture of this size.
    pub(super) fn trace(
        &mut self,
        path: &Path,
        ts: Transform,
        (width, height): (u32, u32),
    ) -> Option<&BezPath> {
        self.path.truncate(0);
        self.far = Point::new(f64::from(width) + MARGIN, f64::from(height) + MARGIN);
        let map = |p: tiny_skia::Point| {
            let [x, y] = [f64::from(p.x), f64::from(p.y)];
            let [sx, ky, kx, sy] = [ts.sx, ts.ky, ts.kx, ts.sy].map(f64::from);
            Point::new(sx * x + kx * y + f64::from(ts.tx), ky * x + sy * y + f64::from(ts.ty))
        };
        let sound = |points: &[Point]| points.iter().all(|p| p.is_finite());
        for segment in path.segments() {
            let element = match segment {
                PathSegment::MoveTo(p) => PathEl::MoveTo(map(p)),
                PathSegment::LineTo(p) => PathEl::LineTo(map(p)),
                PathSegment::QuadTo(a, p) => PathEl::QuadTo(map(a), map(p)),
                PathSegment::CubicTo(a, b, p) => PathEl::CurveTo(map(a), map(b), map(p)),
                PathSegment::Close => PathEl::ClosePath,
            };
            match element {
                PathEl::MoveTo(p) if sound(&[p]) => self.move_to(p),
                PathEl::LineTo(p) if sound(&[p]) => self.line_to(p),
                PathEl::QuadTo(a, p) if sound(&[a, p]) => self.quad_to(a, p),
                PathEl::CurveTo(a, b, p) if sound(&[a, b, p]) => self.curve_to(a, b, p),
                PathEl::ClosePath => self.close(),
                _ => return None,
            }
        }
        (!self.path.is_empty()).then_some(&self.path)
    }

    fn move_to(&mut self, p: Point) {
        (self.pen, self.start, self.kept) = (p, p, self.within(p));
        self.path.push(PathEl::MoveTo(self.kept));
    }

    fn close(&mut self) {
        self.line_to(self.start);
        self.path.push(PathEl::ClosePath);
    }

    fn quad_to(&mut self, a: Point, p: Point) {
        let from = self.pen;
        // The second differences bound how far a curve is from its lines.
        let bend = (from.to_vec2() - 2.0 * a.to_vec2() + p.to_vec2()).hypot();
        let lines = self.lines(0.25 * bend, &[from, a, p]);
        for line in 1..lines {
            let t = f64::from(line) / f64::from(lines);
            let s = 1.0 - t;
            let at = from.to_vec2() * (s * s) + a.to_vec2() * (2.0 * s * t) + p.to_vec2() * (t * t);
            self.line_to(at.to_point());
        }
        self.line_to(p);
    }

    fn curve_to(&mut self, a: Point, b: Point, p: Point) {
        let from = self.pen;
        let first = (from.to_vec2() - 2.0 * a.to_vec2() + b.to_vec2()).hypot2();
        let second = (a.to_vec2() - 2.0 * b.to_vec2() + p.to_vec2()).hypot2();
        let lines = self.lines(0.75 * first.max(second).sqrt(), &[from, a, b, p]);
        for line in 1..lines {
            let t = f64::from(line) / f64::from(lines);
            let s = 1.0 - t;
            let ends = from.to_vec2() * (s * s * s) + p.to_vec2() * (t * t * t);
            let at = ends + a.to_vec2() * (3.0 * s * s * t) + b.to_vec2() * (3.0 * s * t * t);
            self.line_to(at.to_point());
        }
        self.line_to(p);
    }

    /// How many lines a curve takes that one line would miss by this much.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is bounded")]
    fn lines(&self, miss: f64, points: &[Point]) -> u32 {
        let beside = |past: &dyn Fn(&Point) -> bool| points.iter().all(past);
        let unseen = beside(&|p| p.x < -MARGIN)
            || beside(&|p| p.y < -MARGIN)
            || beside(&|p| p.x > self.far.x)
            || beside(&|p| p.y > self.far.y);
        if unseen { 1 } else { (miss / TOLERANCE).sqrt().ceil().clamp(1.0, MAX_LINES) as u32 }
    }

    fn within(&self, p: Point) -> Point {
        Point::new(p.x.clamp(-MARGIN, self.far.x), p.y.clamp(-MARGIN, self.far.y))
    }

    fn line_to(&mut self, p: Point) {
        let from = std::mem::replace(&mut self.pen, p);
        let end = self.within(p);
        if end != p || self.kept != from {
            // Where the line crosses the frame's sides, it begins or ceases to run along them.
            let mut crossings = [1.0; 4];
            let sides = [(from.x, p.x, -MARGIN), (from.x, p.x, self.far.x)];
            let others = [(from.y, p.y, -MARGIN), (from.y, p.y, self.far.y)];
            for (crossing, (a, b, side)) in crossings.iter_mut().zip(sides.into_iter().chain(others)) {
                if (a < side) != (b < side) {
                    *crossing = ((side - a) / (b - a)).clamp(0.0, 1.0);
                }
            }
            crossings.sort_by(f64::total_cmp);
            for t in crossings.into_iter().filter(|t| *t < 1.0) {
                self.push(self.within(from.lerp(p, t)));
            }
        }
        self.push(end);
    }

    fn push(&mut self, p: Point) {
        if p != self.kept {
            self.kept = p;
            self.path.push(PathEl::LineTo(p));
        }
    }
}
