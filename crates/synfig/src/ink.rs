//! Ink whose width changes along its spline, as a region: a strip for each curve, joined at the points. Points of the
//! region are equally many for all shapes of one spline, so that they can be keyed.

use kurbo::{
    BezPath, Circle, CubicBez, ParamCurve, ParamCurveArclen, ParamCurveDeriv, Point, Shape as _, Vec2,
};

use crate::spline::Spline;

/// Strips of a curve: an offset curve of each is one cubic.
const STRIPS: usize = 6;
/// Longest corner of a join in half widths: further out it is cut.
const MITER: f64 = 2.0;

/// An end of ink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InkTip {
    Flat,
    Round,
    Square,
    Peak,
}

pub(crate) struct Ink<'s> {
    pub(crate) spline: &'s Spline,
    /// Half the width at each point.
    pub(crate) widths: Vec<f64>,
    /// Whether widths change evenly along the length, not along the parameter.
    pub(crate) by_length: bool,
    pub(crate) sharp: bool,
    pub(crate) tips: [InkTip; 2],
    /// Positions along the whole spline with factors of the width, and a smoothness.
    pub(crate) profile: Option<(Vec<(f64, f64)>, f64)>,
}

impl Ink<'_> {
    /// The region, in the units of the spline. `expand` is added to half the width.
    pub(crate) fn region(&self, expand: f64) -> BezPath {
        let mut path = BezPath::new();
        let count = self.spline.len();
        let lengths = self.spline.lengths();
        let total: f64 = lengths.iter().sum::<f64>().max(1e-12);
        let mut before = 0.0;
        for segment in 0..count {
            let curve = self.spline.curve(segment);
            let length = lengths.get(segment).copied().unwrap_or(0.0);
            let half = |u: f64| {
                let passed = if self.by_length && length > 0.0 {
                    curve.subsegment(0.0..u).arclen(1e-4) / length
                } else {
                    u
                };
                let width = |at: usize| self.widths.get(at).or(self.widths.first()).copied().unwrap_or(0.0);
                let plain = width(segment) + passed * (width(segment + 1) - width(segment));
                let place = if self.by_length {
                    (before + passed * length) / total
                } else {
                    (segment as f64 + passed) / count as f64
                };
                let factor =
                    self.profile.as_ref().map_or(1.0, |profile| factor(profile, place, self.spline.closed));
                let added = if self.profile.is_some() { expand } else { 0.0 };
                (plain * factor + added).max(0.0)
            };
            strip(&mut path, curve, &half);
            let (from, to) = (half(0.0), half(1.0));
            if segment == 0 && !self.spline.closed {
                tip(&mut path, self.tips[0], curve.p0, -direction(curve, 0.0), from);
            }
            if segment + 1 < count {
                self.join(&mut path, curve, self.spline.curve(segment + 1), to);
            } else if self.spline.closed {
                self.join(&mut path, curve, self.spline.curve(0), to);
            } else {
                tip(&mut path, self.tips[1], curve.p3, direction(curve, 1.0), to);
            }
            before += length;
        }
        path
    }

    /// Fills the corner between two curves. Where the tangent is one, the corner has no area.
    fn join(&self, path: &mut BezPath, arriving: CubicBez, leaving: CubicBez, half: f64) {
        let (a, b) = (direction(arriving, 1.0), direction(leaving, 0.0));
        let at = leaving.p0;
        if !self.sharp {
            round(path, at, half);
            return;
        }
        // The outer side is that to which the spline does not turn.
        let side = if a.cross(b) > 0.0 { -1.0 } else { 1.0 };
        let normal = |direction: Vec2| side * half * Vec2::new(-direction.y, direction.x);
        let (first, second) = (at + normal(a), at + normal(b));
        let middle = normal(a) + normal(b);
        let tip = 2.0 * half * half / middle.hypot2().max(1e-12) * middle;
        let tip = if tip.hypot() <= MITER * half { at + tip } else { first.midpoint(second) };
        polygon(path, &[at, first, tip, second]);
    }
}

/// The factor of the width at a place.
fn factor((points, smoothness): &(Vec<(f64, f64)>, f64), place: f64, closed: bool) -> f64 {
    let next = points.partition_point(|(at, _)| *at <= place);
    let (before, after) = (next.checked_sub(1).and_then(|at| points.get(at)), points.get(next));
    let (from, to) = match (before, after) {
        (Some(from), Some(to)) => (*from, *to),
        (Some(from), None) if closed => {
            (*from, points.first().map_or(*from, |first| (first.0 + 1.0, first.1)))
        }
        (None, Some(to)) if closed => (points.last().map_or(*to, |last| (last.0 - 1.0, last.1)), *to),
        (Some(only), None) | (None, Some(only)) => return only.1,
        (None, None) => return 1.0,
    };
    let share = if to.0 > from.0 { (place - from.0) / (to.0 - from.0) } else { 1.0 };
    let smooth = share * share * (3.0 - 2.0 * share);
    from.1 + (share + smoothness * (smooth - share)) * (to.1 - from.1)
}

/// The direction of a curve at an end, also where a tangent is 0.
fn direction(curve: CubicBez, u: f64) -> Vec2 {
    let tangent = curve.deriv().eval(u).to_vec2();
    let inner = if u < 0.5 { u + 1e-4 } else { u - 1e-4 };
    let tangent = if tangent.hypot() > 1e-9 { tangent } else { curve.deriv().eval(inner).to_vec2() };
    let chord = curve.p3 - curve.p0;
    let tangent = if tangent.hypot() > 1e-12 { tangent } else { chord };
    if tangent.hypot() > 0.0 { tangent.normalize() } else { Vec2::new(1.0, 0.0) }
}

/// A curve with its width: one side forth, the other back.
fn strip(path: &mut BezPath, curve: CubicBez, half: &dyn Fn(f64) -> f64) {
    let side = |u: f64, sign: f64| {
        let along = direction(curve, u);
        curve.eval(u) + sign * half(u) * Vec2::new(-along.y, along.x)
    };
    let step = 1.0 / STRIPS as f64;
    let slope = |u: f64, sign: f64| {
        let by = 0.02 * step;
        let (a, b) = ((u - by).max(0.0), (u + by).min(1.0));
        (side(b, sign) - side(a, sign)) / (b - a)
    };
    let piece = |path: &mut BezPath, from: f64, to: f64, sign: f64| {
        let third = (to - from) / 3.0;
        let (a, b) = (side(from, sign), side(to, sign));
        path.curve_to(a + third * slope(from, sign), b - third * slope(to, sign), b);
    };
    path.move_to(side(0.0, 1.0));
    for n in 0..STRIPS {
        piece(path, n as f64 * step, (n + 1) as f64 * step, 1.0);
    }
    path.line_to(side(1.0, -1.0));
    for n in (0..STRIPS).rev() {
        piece(path, (n + 1) as f64 * step, n as f64 * step, -1.0);
    }
    path.close_path();
}

fn tip(path: &mut BezPath, tip: InkTip, at: Point, out: Vec2, half: f64) {
    let side = half * Vec2::new(-out.y, out.x);
    match tip {
        InkTip::Flat => {}
        InkTip::Round => round(path, at, half),
        InkTip::Square => {
            polygon(path, &[at + side, at + side + half * out, at - side + half * out, at - side])
        }
        InkTip::Peak => polygon(path, &[at + side, at + half * out, at - side]),
    }
}

/// A polygon that runs round as strips do: all subpaths add up.
fn polygon(path: &mut BezPath, points: &[Point]) {
    let area: f64 =
        points.iter().zip(points.iter().cycle().skip(1)).map(|(a, b)| a.to_vec2().cross(b.to_vec2())).sum();
    let ordered: Vec<Point> =
        if area > 0.0 { points.iter().rev().copied().collect() } else { points.to_vec() };
    for (n, point) in ordered.into_iter().enumerate() {
        if n == 0 { path.move_to(point) } else { path.line_to(point) }
    }
    path.close_path();
}

fn round(path: &mut BezPath, at: Point, half: f64) {
    path.extend(Circle::new(at, half).to_path(1e-3).reverse_subpaths());
}
