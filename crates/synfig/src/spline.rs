//! Splines of points with tangents: Hermite curves, and the Bezier curves that they are.

use kurbo::{BezPath, CubicBez, ParamCurve, ParamCurveArclen, ParamCurveDeriv, Vec2};

use crate::value::NodeValue;

/// How exactly lengths are measured, as a share of the size of a curve.
const ACCURACY: f64 = 1e-6;

/// The accuracy of the length of a curve: measured absolutely, one that is huge would take for ever.
pub(crate) fn accuracy(curve: CubicBez) -> f64 {
    let size = (curve.p1 - curve.p0).hypot() + (curve.p2 - curve.p1).hypot() + (curve.p3 - curve.p2).hypot();
    ACCURACY * size.max(1e-3)
}

/// A point of a spline.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SplinePoint {
    pub(crate) at: Vec2,
    pub(crate) width: f64,
    pub(crate) arriving: Vec2,
    pub(crate) leaving: Vec2,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Spline {
    pub(crate) points: Vec<SplinePoint>,
    pub(crate) closed: bool,
}

impl Spline {
    /// The spline of a list of points or segments.
    pub(crate) fn of(list: &NodeValue) -> Self {
        let (entries, closed) = list.list();
        let mut points: Vec<SplinePoint> = Vec::new();
        for entry in entries {
            match entry {
                NodeValue::Record(parts) if parts.len() == 4 => {
                    let [from, leaving, to, arriving] = [0, 1, 2, 3].map(|part| entry.part(part).pair());
                    if points.last().is_none_or(|last| (last.at - from).hypot() > 1e-9) {
                        points.push(SplinePoint { at: from, width: 1.0, ..SplinePoint::default() });
                    }
                    if let Some(last) = points.last_mut() {
                        last.leaving = leaving;
                    }
                    points.push(SplinePoint { at: to, width: 1.0, arriving, leaving: arriving });
                }
                NodeValue::Pair(at) => {
                    points.push(SplinePoint { at: *at, width: 1.0, ..SplinePoint::default() })
                }
                _ => points.push(point(entry)),
            }
        }
        let segments = entries
            .first()
            .is_some_and(|entry| matches!(entry, NodeValue::Record(parts) if parts.len() == 4));
        let mut closed = closed;
        // A chain of segments that ends where it began is closed.
        if let (true, [first, .., last]) = (segments, &points[..])
            && (first.at - last.at).hypot() < 1e-9
        {
            let arriving = last.arriving;
            points.pop();
            points[0].arriving = arriving;
            closed = true;
        }
        Self { points, closed }
    }

    /// The number of curves.
    pub(crate) fn len(&self) -> usize {
        match self.points.len() {
            0 | 1 => 0,
            count if self.closed => count,
            count => count - 1,
        }
    }

    /// Both ends of a curve.
    pub(crate) fn ends(&self, segment: usize) -> (SplinePoint, SplinePoint) {
        let get = |at: usize| self.points.get(at).or(self.points.first()).copied().unwrap_or_default();
        (get(segment), get(segment + 1))
    }

    pub(crate) fn curve(&self, segment: usize) -> CubicBez {
        let (from, to) = self.ends(segment);
        let [a, b] = [from.at, to.at];
        let points = [a, a + from.leaving / 3.0, b - to.arriving / 3.0, b].map(Vec2::to_point);
        CubicBez::new(points[0], points[1], points[2], points[3])
    }

    pub(crate) fn at(&self, segment: usize, u: f64) -> Vec2 {
        self.curve(segment).eval(u).to_vec2()
    }

    pub(crate) fn tangent(&self, segment: usize, u: f64) -> Vec2 {
        self.curve(segment).deriv().eval(u).to_vec2()
    }

    pub(crate) fn width(&self, segment: usize, u: f64) -> f64 {
        let (from, to) = self.ends(segment);
        from.width + u * (to.width - from.width)
    }

    /// Lengths of the curves.
    pub(crate) fn lengths(&self) -> Vec<f64> {
        let curves = (0..self.len()).map(|segment| self.curve(segment));
        curves.map(|curve| curve.arclen(accuracy(curve))).collect()
    }

    /// The curve and its parameter at a share of the spline: of its length, or of its curves.
    pub(crate) fn place(&self, share: f64, by_length: bool) -> (usize, f64) {
        let count = self.len();
        if count == 0 {
            return (0, 0.0);
        }
        if !by_length {
            let at = share * count as f64;
            let segment = (at.floor() as usize).min(count - 1);
            return (segment, at - segment as f64);
        }
        let lengths = self.lengths();
        let mut rest = share * lengths.iter().sum::<f64>();
        for (segment, length) in lengths.iter().enumerate() {
            if rest <= *length || segment + 1 == count {
                let u = if *length > 0.0 {
                    {
                        let curve = self.curve(segment);
                        curve.inv_arclen(rest.clamp(0.0, *length), accuracy(curve))
                    }
                } else {
                    0.0
                };
                return (segment, u);
            }
            rest -= length;
        }
        (count - 1, 1.0)
    }

    /// The share of the length at a share of the curves.
    pub(crate) fn share(&self, of_curves: f64) -> f64 {
        let (segment, u) = self.place(of_curves, false);
        let lengths = self.lengths();
        let passed: f64 = lengths.iter().take(segment).sum();
        let here = if u > 0.0 && self.len() > 0 {
            {
                let curve = self.curve(segment).subsegment(0.0..u.min(1.0));
                curve.arclen(accuracy(curve))
            }
        } else {
            0.0
        };
        (passed + here) / lengths.iter().sum::<f64>().max(1e-12)
    }

    /// As a path. A closed one has a curve from the last point to the first.
    pub(crate) fn path(&self) -> BezPath {
        let mut path = BezPath::new();
        let Some(first) = self.points.first() else { return path };
        path.move_to(first.at.to_point());
        for segment in 0..self.len() {
            let curve = self.curve(segment);
            path.curve_to(curve.p1, curve.p2, curve.p3);
        }
        if self.closed {
            path.close_path();
        }
        path
    }

    /// The point in the middle of the curve that arrives at a point, as a value; none without such a curve.
    pub(crate) fn point_between(&self, next: usize) -> Option<NodeValue> {
        let count = self.len();
        let segment = match next.checked_sub(1) {
            Some(before) if before < count => before,
            None if self.closed && count > 0 => count - 1,
            _ => return None,
        };
        let (at, tangent) = (self.at(segment, 0.5), 0.5 * self.tangent(segment, 0.5));
        let pair = |pair: Vec2| NodeValue::Pair(pair);
        let parts = [
            pair(at),
            self.width(segment, 0.5).into(),
            0.5.into(),
            false.into(),
            pair(tangent),
            pair(tangent),
            false.into(),
            false.into(),
        ];
        Some(NodeValue::Record(parts.into()))
    }
}

/// A point of a record. Without a split the arriving tangent leaves, too; length and direction may be split apart
/// (`BLinePoint::update_tangent2`).
fn point(record: &NodeValue) -> SplinePoint {
    let (arriving, second) = (record.part(4).pair(), record.part(5).pair());
    let (by_length, by_angle) = (record.part(6).flag(), record.part(7).flag());
    let turned = |length: f64, direction: Vec2| {
        if direction == Vec2::ZERO { Vec2::ZERO } else { direction.normalize() * length }
    };
    let leaving = match (by_length, by_angle) {
        (false, false) => arriving,
        (true, true) => second,
        (true, false) => turned(second.hypot(), arriving),
        (false, true) => turned(arriving.hypot(), second),
    };
    SplinePoint { at: record.part(0).pair(), width: record.part(1).number(), arriving, leaving }
}
