//! Outlines whose width changes along their splines, as regions: a strip for each curve, joined at the points. Points of the
//! region are equally many for all shapes of one spline, so that they can be keyed.

use kurbo::{
    BezPath, Circle, CubicBez, ParamCurve, ParamCurveArclen, ParamCurveDeriv, Point, Shape as _, Vec2,
};

use crate::spline::{Spline, accuracy};

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

/// A stretch of a spline that has ink: shares of its length, and both ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InkRange {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) tips: [InkTip; 2],
}

pub(crate) struct SplineInk<'s> {
    pub(crate) spline: &'s Spline,
    /// Half the width at each point.
    pub(crate) widths: Vec<f64>,
    /// Whether widths change evenly along the length, not along the parameter.
    pub(crate) by_length: bool,
    pub(crate) sharp: bool,
    pub(crate) ranges: Vec<InkRange>,
    /// Half widths at shares of the length, in place of those of points.
    pub(crate) profile: Option<OutlineProfile>,
}

/// Widths along a spline.
pub(crate) struct OutlineProfile {
    pub(crate) points: Vec<(f64, f64)>,
    /// From 0, straight lines between the widths, to 1, curves that rest at them.
    pub(crate) smoothness: f64,
}

impl SplineInk<'_> {
    /// The region, in the units of the spline.
    pub(crate) fn region(&self) -> BezPath {
        let mut path = BezPath::new();
        let lengths = self.spline.lengths();
        let total: f64 = lengths.iter().sum::<f64>().max(1e-12);
        for range in &self.ranges {
            self.stretch(&mut path, range, &lengths, total);
        }
        path
    }

    fn stretch(&self, path: &mut BezPath, range: &InkRange, lengths: &[f64], total: f64) {
        let (count, whole) = (self.spline.len(), range.to - range.from >= 1.0 - 1e-9);
        let mut before = 0.0;
        for (segment, length) in lengths.iter().copied().enumerate() {
            let curve = self.spline.curve(segment);
            let half = |u: f64| self.half(segment, curve, u, before, length, total);
            // What is outside of the range is a strip without length.
            let at = |share: f64| {
                let passed = (share * total - before).clamp(0.0, length);
                if passed <= 0.0 || length <= 0.0 {
                    0.0
                } else if passed >= length {
                    1.0
                } else {
                    curve.inv_arclen(passed, accuracy(curve))
                }
            };
            let (from, to) = (at(range.from), at(range.to));
            let part = curve.subsegment(from..to);
            strip(path, part, &|u| half(from + u * (to - from)));
            let begins = from > 0.0 || segment == 0 && range.from <= 0.0;
            let ends = to < 1.0 || segment + 1 == count && range.to >= 1.0;
            if begins && from < 1.0 && !(self.spline.closed && whole) {
                tip(path, range.tips[0], part.p0, -direction(part, 0.0), half(from));
            }
            if ends && to > 0.0 && !(self.spline.closed && whole) {
                tip(path, range.tips[1], part.p3, direction(part, 1.0), half(to));
            }
            let inside = range.from * total < before + length && before + length < range.to * total;
            if (segment + 1 < count && inside) || (self.spline.closed && whole) {
                self.join(path, curve, self.spline.curve((segment + 1) % count), half(1.0));
            }
            before += length;
        }
    }

    /// Half the width at a place of a curve.
    fn half(&self, segment: usize, curve: CubicBez, u: f64, before: f64, length: f64, total: f64) -> f64 {
        let by_length = self.by_length || self.profile.is_some();
        let passed = if by_length && length > 0.0 {
            curve.subsegment(0.0..u).arclen(100.0 * accuracy(curve)) / length
        } else {
            u
        };
        if let Some(profile) = &self.profile {
            return profile.at((before + passed * length) / total).max(0.0);
        }
        let width = |at: usize| self.widths.get(at).or(self.widths.first()).copied().unwrap_or(0.0);
        (width(segment) + passed * (width(segment + 1) - width(segment))).max(0.0)
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

impl OutlineProfile {
    /// Widths at places in order. Before the first and after the last one the width stays; on a closed spline the last
    /// one goes over into the first.
    pub(crate) fn new(mut points: Vec<(f64, f64)>, smoothness: f64, closed: bool) -> Self {
        if let (Some(first), Some(last)) = (points.first().copied(), points.last().copied()) {
            if closed {
                points.insert(0, (last.0 - 1.0, last.1));
                points.push((first.0 + 1.0, first.1));
            } else {
                if first.0 > 1e-9 {
                    points.insert(0, (0.0, first.1));
                }
                if last.0 < 1.0 - 1e-9 {
                    points.push((1.0, last.1));
                }
            }
        }
        Self { points, smoothness: smoothness.clamp(0.0, 1.0) }
    }

    pub(crate) fn widths(&self) -> Vec<f64> {
        self.points.iter().map(|point| point.1).collect()
    }

    /// The slope of the line from a point to the next.
    fn slope(&self, at: usize) -> Option<f64> {
        let (from, to) = (self.points.get(at)?, self.points.get(at + 1)?);
        Some((to.1 - from.1) / (to.0 - from.0).max(1e-9))
    }

    /// The slope at a point between two lines: their mean, and none at a maximum (`advanced_outline.cpp`,
    /// `calc_tangents`).
    fn mean_slope(&self, at: usize) -> Option<f64> {
        let (before, after) = (self.slope(at.checked_sub(1)?)?, self.slope(at)?);
        let mean = 0.5 * (before + after);
        let most = 3.0 * before.abs().min(after.abs());
        Some(if before * after > 0.0 { mean.abs().min(most).copysign(mean) } else { 0.0 })
    }

    fn at(&self, place: f64) -> f64 {
        let points = &self.points;
        let next = points.partition_point(|(at, _)| *at <= place);
        let before = next.checked_sub(1);
        let (Some(at), Some(to)) = (before, points.get(next)) else {
            return before.and_then(|at| points.get(at)).or(points.first()).map_or(0.0, |point| point.1);
        };
        let (Some(from), Some(line)) = (points.get(at), self.slope(at)) else { return to.1 };
        // At the ends the curve is a parabola.
        let (leaving, arriving) = match (self.mean_slope(at), self.mean_slope(next)) {
            (Some(leaving), Some(arriving)) => (leaving, arriving),
            (None, Some(arriving)) => (1.5 * line - 0.5 * arriving, arriving),
            (Some(leaving), None) => (leaving, 1.5 * line - 0.5 * leaving),
            (None, None) => (line, line),
        };
        let (length, u) = (to.0 - from.0, (place - from.0) / (to.0 - from.0).max(1e-9));
        let of = |slope: f64| length * (line + self.smoothness * (slope - line));
        let (square, cube) = (u * u, u * u * u);
        from.1
            + (to.1 - from.1) * (3.0 * square - 2.0 * cube)
            + of(leaving) * (cube - 2.0 * square + u)
            + of(arriving) * (cube - square)
    }
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
