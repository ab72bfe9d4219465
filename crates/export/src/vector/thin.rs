//! Outlines with fewer curves. A rig cuts its curves for every pose that it may take; a clip takes few of them,
//! so that one curve is often as near as several.

use kurbo::{CubicBez, ParamCurve as _, ParamCurveDeriv as _, Point, Vec2};

use super::outline::PathVerb;

/// Points of each curve that the curve in their place is compared with.
const POINTS: usize = 8;
/// How often curves and the parameters of their points are improved in turn.
const ROUNDS: usize = 4;
/// Curves that become one, at most.
const MOST: usize = 32;

/// Outlines at each sample, all of the same kind.
#[derive(Clone, Debug)]
pub(crate) struct SampledOutlines {
    pub(crate) verbs: Vec<PathVerb>,
    /// The control points at each sample, x and y in turn.
    pub(crate) samples: Vec<Vec<f64>>,
    /// Whether the rig bends them. Others keep their curves.
    pub(crate) bends: bool,
    /// How far they are from what they stand for, in pixels.
    pub(crate) error: f64,
    /// Samples at which another outline begins.
    pub(crate) breaks: Vec<usize>,
    /// Digits after the point.
    pub(crate) digits: u8,
    /// The largest error, in pixels.
    pub(crate) tolerance: f64,
}

impl SampledOutlines {
    /// The digits and the tolerance of an outline. The part of a stroke may end in a piece that is shorter than the
    /// tolerance, whose direction its cap has.
    pub(crate) fn precision(is_cut: bool, digits: u8, tolerance: f64) -> (u8, f64) {
        if is_cut { (digits.saturating_add(2), 0.25 * tolerance) } else { (digits, tolerance) }
    }

    /// Of the tolerance of an export, what fewer curves may take. The rest is for few keys: which share
    /// gives the smallest file depends on the outline, so all are tried.
    const SHARES: [f64; 3] = [0.05, 0.15, 0.35];

    /// The outlines of least cost: as they are, or with fewer curves. `fit` makes something of outlines within
    /// a tolerance, and returns its cost.
    pub(crate) fn fewest<T>(
        self,
        weights: &[f64],
        tolerance: f64,
        mut fit: impl FnMut(&Self, f64) -> (T, usize),
    ) -> (Self, T) {
        let (made, cost) = fit(&self, tolerance);
        let (mut best, mut least, mut fewest) = ((self.clone(), made), cost, self.verbs.len());
        for share in Self::SHARES.iter().filter(|_| self.bends) {
            let thinned = self.thinned(weights, share * tolerance);
            if thinned.verbs.len() >= fewest {
                continue;
            }
            fewest = thinned.verbs.len();
            let (made, cost) = fit(&thinned, tolerance - thinned.error);
            if cost < least {
                (best, least) = ((thinned, made), cost);
            }
        }
        best
    }

    /// Curves in a row become one where its distance from them stays within a tolerance at each sample. Corners
    /// and the directions at the ends stay. `weights` are the pixels of a unit at each sample.
    fn thinned(&self, weights: &[f64], tolerance: f64) -> Self {
        let (mut verbs, mut error) = (Vec::with_capacity(self.verbs.len()), self.error);
        let mut samples: Vec<Vec<f64>> = vec![Vec::new(); self.samples.len()];
        // The numbers before an element, and elements.
        let (mut number, mut at) = (0, 0);
        while let Some(verb) = self.verbs.get(at) {
            let cubics = self.verbs[at..].iter().take_while(|verb| **verb == PathVerb::Cubic).count();
            let mut best = None;
            for count in 2..=cubics.min(MOST) {
                match self.as_one(number, count, weights, tolerance) {
                    Some(found) => best = Some((count, found)),
                    None => break,
                }
            }
            verbs.push(*verb);
            let numbers = verb.numbers();
            if let Some((count, (curves, off))) = best {
                for (sample, curve) in samples.iter_mut().zip(curves) {
                    sample.extend([curve.p1, curve.p2, curve.p3].iter().flat_map(|p| [p.x, p.y]));
                }
                error = error.max(off);
                number += count * numbers;
                at += count;
            } else {
                for (sample, all) in samples.iter_mut().zip(&self.samples) {
                    sample.extend_from_slice(&all[number..number + numbers]);
                }
                number += numbers;
                at += 1;
            }
        }
        let (breaks, digits, tolerance) = (self.breaks.clone(), self.digits, self.tolerance);
        Self { verbs, samples, bends: self.bends, error, breaks, digits, tolerance }
    }

    /// One curve at each sample in place of some, and their distance in pixels.
    fn as_one(
        &self,
        number: usize,
        count: usize,
        weights: &[f64],
        tolerance: f64,
    ) -> Option<(Vec<CubicBez>, f64)> {
        // There is a point before the first curve.
        let start = number.checked_sub(2)?;
        let point =
            |sample: &[f64], at: usize| Point::new(sample[start + 2 * at], sample[start + 2 * at + 1]);
        let curve = |sample: &[f64], at: usize| {
            let p = |k: usize| point(sample, 3 * at + k);
            CubicBez::new(p(0), p(1), p(2), p(3))
        };
        // A curve that is cut at t has handles with the ratio of t and 1 - t on both sides of the cut.
        let mut ends = vec![1.0];
        let mut length = 1.0;
        for knot in 1..count {
            let (mut before, mut after) = (0.0, 0.0);
            for sample in &self.samples {
                let at = point(sample, 3 * knot);
                before += (at - point(sample, 3 * knot - 1)).hypot();
                after += (point(sample, 3 * knot + 1) - at).hypot();
            }
            length *= after / before;
            ends.push(ends[knot - 1] + length);
        }
        let all = ends[count - 1];
        if !(all.is_finite() && length > 0.0) {
            return None;
        }
        let parameters: Vec<f64> = (0..count * POINTS)
            .map(|at| {
                let (curve, share) = (at / POINTS, (at % POINTS + 1) as f64 / POINTS as f64);
                let from = if curve == 0 { 0.0 } else { ends[curve - 1] };
                (from + share * (ends[curve] - from)) / all
            })
            .collect();
        let (mut curves, mut error) = (Vec::with_capacity(self.samples.len()), 0.0_f64);
        for (sample, weight) in self.samples.iter().zip(weights) {
            let points: Vec<Point> = (0..count * POINTS)
                .map(|at| curve(sample, at / POINTS).eval((at % POINTS + 1) as f64 / POINTS as f64))
                .collect();
            let (first, last) = (curve(sample, 0), curve(sample, count - 1));
            let directions = [first.p1 - first.p0, last.p2 - last.p3];
            let one = fitted(first.p0, last.p3, directions, &points, parameters.clone())?;
            let off = weight * distance(&one.0, &points, &one.1);
            if off.is_nan() || off > tolerance {
                return None;
            }
            error = error.max(off);
            curves.push(one.0);
        }
        Some((curves, error))
    }
}

/// The curve between two points, with handles in these directions, that is nearest to points, and their
/// parameters on it. Least squares for the lengths of the handles, as in Schneider, "An algorithm for
/// automatically fitting digitized curves" (1990).
fn fitted(
    from: Point,
    to: Point,
    directions: [Vec2; 2],
    points: &[Point],
    mut parameters: Vec<f64>,
) -> Option<(CubicBez, Vec<f64>)> {
    let lengths = directions.map(|direction| direction.hypot());
    if lengths.iter().any(|length| *length < 1e-9) {
        return None;
    }
    let [a, b] = [directions[0] / lengths[0], directions[1] / lengths[1]];
    let mut one = None;
    for _ in 0..ROUNDS {
        let (mut aa, mut ab, mut bb, mut ra, mut rb) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (point, t) in points.iter().zip(&parameters) {
            let s = 1.0 - t;
            let (b0, b1, b2, b3) = (s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t);
            let rest = point.to_vec2() - from.to_vec2() * (b0 + b1) - to.to_vec2() * (b2 + b3);
            let (a, b) = (a * b1, b * b2);
            aa += a.dot(a);
            ab += a.dot(b);
            bb += b.dot(b);
            ra += a.dot(rest);
            rb += b.dot(rest);
        }
        let determinant = aa * bb - ab * ab;
        if determinant.is_nan() || determinant <= 1e-12 * aa * bb {
            return None;
        }
        let (x, y) = ((ra * bb - rb * ab) / determinant, (aa * rb - ab * ra) / determinant);
        if x.is_nan() || y.is_nan() || x <= 0.0 || y <= 0.0 {
            return None;
        }
        let curve = CubicBez::new(from, from + a * x, to + b * y, to);
        // One step of Newton's method to the foot of each point.
        let derivative = curve.deriv();
        for (point, t) in points.iter().zip(&mut parameters) {
            let along = derivative.eval(*t).to_vec2();
            let step = (*point - curve.eval(*t)).dot(along) / along.hypot2().max(1e-12);
            *t = (*t + step).clamp(0.0, 1.0);
        }
        one = Some(curve);
    }
    one.map(|curve| (curve, parameters))
}

/// The largest distance of points from a curve at their parameters.
fn distance(curve: &CubicBez, points: &[Point], parameters: &[f64]) -> f64 {
    points.iter().zip(parameters).map(|(point, t)| (curve.eval(*t) - *point).hypot()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    use bone_core::Angle;
    use kurbo::{BezPath, ParamCurveNearest as _};

    use crate::vector::outline;

    fn outlines(paths: &[BezPath]) -> SampledOutlines {
        let samples = paths.iter().map(|path| outline::numbers(path, kurbo::Affine::IDENTITY)).collect();
        SampledOutlines {
            verbs: outline::verbs(&paths[0]),
            samples,
            bends: true,
            error: 0.0,
            breaks: Vec::new(),
            digits: 2,
            tolerance: 0.1,
        }
    }

    /// A curve that bends more from sample to sample, cut at some places, with a line at its end.
    fn cut(cuts: &[f64]) -> Vec<BezPath> {
        let sample = |at: u32| {
            let (sin, cos) = Angle::from_degrees(4.0 * f64::from(at)).sin_cos();
            let whole = CubicBez::new((0.0, 0.0), (30.0, 0.0), (60.0, 40.0 * sin), (90.0 * cos, 90.0 * sin));
            let mut path = BezPath::new();
            path.move_to(whole.p0);
            let mut from = 0.0;
            for to in cuts.iter().copied().chain([1.0]) {
                let piece = whole.subsegment(from..to);
                path.curve_to(piece.p1, piece.p2, piece.p3);
                from = to;
            }
            path.line_to((0.0, 0.0));
            path
        };
        (0..20).map(sample).collect()
    }

    #[test]
    fn a_curve_that_was_cut_is_one_again() {
        let weights = vec![1.0; 20];
        for cuts in [&[0.5][..], &[0.1, 0.35, 0.4], &[0.2, 0.9]] {
            let paths = cut(cuts);
            let thinned = outlines(&paths).thinned(&weights, 1e-3);
            assert_eq!(thinned.verbs, [PathVerb::Move, PathVerb::Cubic, PathVerb::Line], "{cuts:?}");
            for (found, whole) in thinned.samples.iter().zip(outlines(&cut(&[])).samples) {
                for (a, b) in found.iter().zip(&whole) {
                    assert!((a - b).abs() < 0.05, "{found:?} {whole:?}");
                }
            }
        }
    }

    /// The distance is measured with kurbo's nearest points, densely.
    #[test]
    fn what_becomes_one_is_as_near_as_the_tolerance_says() {
        let mut paths = cut(&[0.2, 0.5, 0.6]);
        for (at, path) in paths.iter_mut().enumerate() {
            // Not a cubic curve any more, but smooth.
            path.apply_affine(kurbo::Affine::skew(0.02 * at as f64, 0.0));
            for element in path.elements_mut().iter_mut() {
                if let kurbo::PathEl::CurveTo(a, b, to) = element {
                    for p in [a, b, to] {
                        p.y += 1.5 * Angle::from_degrees(4.0 * p.x).sin_cos().0;
                    }
                }
            }
        }
        let weights = vec![2.0; 20];
        for tolerance in [3.0, 0.8, 0.1] {
            let thinned = outlines(&paths).thinned(&weights, tolerance);
            let mut worst = 0.0_f64;
            for (numbers, path) in thinned.samples.iter().zip(&paths) {
                let p = |at: usize| Point::new(numbers[2 * at], numbers[2 * at + 1]);
                let curves: Vec<CubicBez> =
                    (0..thinned.verbs.iter().filter(|v| **v == PathVerb::Cubic).count())
                        .map(|at| CubicBez::new(p(3 * at), p(3 * at + 1), p(3 * at + 2), p(3 * at + 3)))
                        .collect();
                for segment in path.segments().take(4) {
                    for share in 0..=40 {
                        let point = segment.eval(f64::from(share) / 40.0);
                        let off = curves.iter().map(|curve| curve.nearest(point, 1e-6).distance_sq);
                        worst = worst.max(2.0 * off.fold(f64::INFINITY, f64::min).sqrt());
                    }
                }
            }
            assert!(worst <= tolerance, "{worst} at {tolerance}");
            assert!(worst <= 1.05 * thinned.error + 1e-3, "{worst}, reported {}", thinned.error);
        }
    }

    #[test]
    fn corners_and_handles_without_length_stay() {
        let corner = |at: u32| {
            let height = 20.0 + f64::from(at);
            BezPath::from_svg(&format!("M0 0C10 0 20 10 30 {height}C40 10 50 0 60 0C60 0 70 5 80 9"))
                .expect("data")
        };
        let paths: Vec<BezPath> = (0..5).map(corner).collect();
        let thinned = outlines(&paths).thinned(&[1.0; 5], 0.5);
        assert_eq!(thinned.verbs.len(), 4);
        assert!(thinned.error == 0.0 && thinned.samples == outlines(&paths).samples);
    }
}
