//! Bones as straight lines in grid units: nearest points and distances.

use kurbo::Point;

/// A bone at rest, or any other line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LineSegment {
    pub(crate) origin: Point,
    pub(crate) tip: Point,
}

impl LineSegment {
    /// The nearest point of the line to `p`, and its distance. A line of length 0 is a point.
    pub(crate) fn nearest(&self, p: Point) -> (Point, f64) {
        let along = self.tip - self.origin;
        let square = along.hypot2();
        let t = if square > 0.0 { ((p - self.origin).dot(along) / square).clamp(0.0, 1.0) } else { 0.0 };
        let at = if t >= 1.0 { self.tip } else { self.origin + along * t };
        (at, (p - at).hypot())
    }

    pub(crate) fn length(&self) -> f64 {
        (self.tip - self.origin).hypot()
    }

    /// The part within `limit` of 0 on both axes.
    pub(crate) fn clip(&self, limit: f64) -> Option<(Point, Point)> {
        let along = self.tip - self.origin;
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        for (start, step) in [(self.origin.x, along.x), (self.origin.y, along.y)] {
            if step == 0.0 {
                if start.abs() > limit {
                    return None;
                }
                continue;
            }
            let (a, b) = ((-limit - start) / step, (limit - start) / step);
            from = from.max(a.min(b));
            to = to.min(a.max(b));
        }
        if from > to {
            return None;
        }
        let at = |t: f64| {
            if t <= 0.0 {
                self.origin
            } else if t >= 1.0 {
                self.tip
            } else {
                self.origin + along * t
            }
        };
        Some((at(from), at(to)))
    }
}
