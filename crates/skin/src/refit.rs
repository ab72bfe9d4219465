//! One cubic for a deformed piece of outline: ends and directions are those of the deformation, handle
//! lengths are fitted to a few points between by least squares.

use kurbo::{Point, Vec2};

/// The parameters of a piece at which it is sampled.
pub(crate) const SAMPLES: [f64; 3] = [0.25, 0.5, 0.75];

/// Bernstein values at the samples: the two of the handles, and the sums for the ends.
const fn bernstein() -> [[f64; 4]; SAMPLES.len()] {
    let mut out = [[0.0; 4]; SAMPLES.len()];
    let mut k = 0;
    while k < SAMPLES.len() {
        let s = SAMPLES[k];
        let r = 1.0 - s;
        out[k] = [r * r * r + 3.0 * r * r * s, 3.0 * r * r * s, 3.0 * r * s * s, 3.0 * r * s * s + s * s * s];
        k += 1;
    }
    out
}

const BERNSTEIN: [[f64; 4]; SAMPLES.len()] = bernstein();

/// `sum b1^2`, `sum b1 b2`, `sum b2^2` over the samples.
const fn normal() -> [f64; 3] {
    let mut out = [0.0; 3];
    let mut k = 0;
    while k < SAMPLES.len() {
        let [_, b1, b2, _] = BERNSTEIN[k];
        out[0] += b1 * b1;
        out[1] += b1 * b2;
        out[2] += b2 * b2;
        k += 1;
    }
    out
}

const NORMAL: [f64; 3] = normal();

/// `sum b1 b23`, `sum b2 b23` over the samples: the part of the span between the ends in the right side.
const fn of_span() -> [f64; 2] {
    let mut out = [0.0; 2];
    let mut k = 0;
    while k < SAMPLES.len() {
        let [_, b1, b2, b23] = BERNSTEIN[k];
        out[0] += b1 * b23;
        out[1] += b2 * b23;
        k += 1;
    }
    out
}

const OF_SPAN: [f64; 2] = of_span();

/// Regularisation of a handle towards the length of the derivative: enough where what is across the chord does not
/// determine it, as in a straight piece, too little to be visible elsewhere.
const REGULARISATION: f64 = 1e-3;
/// The least square of the chord, as a share of those of the derivatives, for pieces that end where they begin.
const SHORTEST: f64 = 1e-3;

/// A deformed piece: its ends, and the derivative there per unit of the piece's own parameter. Where the
/// outline at rest has no handle the derivative gives only a direction, and the handle is regularised towards
/// length 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    pub(crate) from: Point,
    pub(crate) to: Point,
    pub(crate) leave: Vec2,
    pub(crate) arrive: Vec2,
    /// The share of the derivative towards which a handle is regularised: a third, or 0.
    pub(crate) shares: [f64; 2],
}

/// The handles of the cubic nearest to the samples, measured across the chord between the outer samples: what is
/// along the outline is not visible.
///
/// With handles `P0 + a leave` and `P3 - b arrive` the curve is linear in a and b: two normal equations.
#[inline(always)]
pub(crate) fn refit(ends: &Ends, samples: &[Point; SAMPLES.len()]) -> (Point, Point) {
    let (d0, d1) = (ends.leave, ends.arrive);
    let span = ends.to - ends.from;
    let [first, middle, last] = samples.map(|sample| sample - ends.from);
    let [[_, b1, b2, _], [_, c1, c2, _], [_, e1, e2, _]] = BERNSTEIN;
    let u = first * b1 + middle * c1 + last * e1 - span * OF_SPAN[0];
    let v = first * b2 + middle * c2 + last * e2 - span * OF_SPAN[1];
    let along = last - first;
    let (p0, p1) = (d0.cross(along), d1.cross(along));
    let lengths = d0.hypot2() + d1.hypot2();
    let regularisation = REGULARISATION * lengths * (along.hypot2() + SHORTEST * lengths);
    let a11 = NORMAL[0] * p0 * p0 + regularisation;
    let a22 = NORMAL[2] * p1 * p1 + regularisation;
    let a12 = -NORMAL[1] * p0 * p1;
    let r1 = p0 * u.cross(along) + regularisation * ends.shares[0];
    let r2 = regularisation * ends.shares[1] - p1 * v.cross(along);
    let determinant = a11 * a22 - a12 * a12;
    let (mut a, mut b) = ((r1 * a22 - r2 * a12) / determinant, (r2 * a11 - r1 * a12) / determinant);
    // A handle never points back: then the other one is fitted alone.
    if a < 0.0 {
        a = 0.0;
        b = (r2 / a22).max(0.0);
    } else if b < 0.0 {
        b = 0.0;
        a = (r1 / a11).max(0.0);
    }
    // A piece of length 0 has nothing to fit.
    if !(a.is_finite() && b.is_finite()) {
        return (ends.from, ends.to);
    }
    (ends.from + d0 * a, ends.to - d1 * b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kurbo::{CubicBez, ParamCurve, ParamCurveDeriv};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cubic_is_its_own_fit(p in prop::array::uniform4((-100.0..100.0_f64, -100.0..100.0_f64))) {
            let [p0, p1, p2, p3] = p.map(Point::from);
            let curve = CubicBez::new(p0, p1, p2, p3);
            let derivative = curve.deriv();
            let ends = Ends {
                from: p0, to: p3, shares: [1.0 / 3.0; 2],
                leave: derivative.eval(0.0).to_vec2(), arrive: derivative.eval(1.0).to_vec2(),
            };
            let samples = SAMPLES.map(|s| curve.eval(s));
            let (a, b) = refit(&ends, &samples);
            prop_assert!((a - p1).hypot() < 1e-9 && (b - p2).hypot() < 1e-9, "{a:?} {p1:?} {b:?} {p2:?}");
        }
    }

    /// What the fit makes least, of two handle lengths: the squares across the chord of the samples, and how far
    /// the lengths are from those they are regularised towards.
    fn misfit(ends: &Ends, samples: &[Point; SAMPLES.len()], [a, b]: [f64; 2]) -> f64 {
        let curve = CubicBez::new(ends.from, ends.from + ends.leave * a, ends.to - ends.arrive * b, ends.to);
        let along = samples[2] - samples[0];
        let lengths = ends.leave.hypot2() + ends.arrive.hypot2();
        let regularisation = REGULARISATION * lengths * (along.hypot2() + SHORTEST * lengths);
        let pairs = SAMPLES.iter().zip(samples);
        let across: f64 = pairs.map(|(s, sample)| (*sample - curve.eval(*s)).cross(along).powi(2)).sum();
        let off = (a - ends.shares[0]).powi(2) + (b - ends.shares[1]).powi(2);
        across + regularisation * off
    }

    proptest! {
        /// No other lengths of handles fit better; where one would point back, no other length of the other one.
        #[test]
        fn no_other_handles_fit_better(
            to in (20.0..100.0_f64, -20.0..20.0_f64),
            handles in prop::array::uniform2((-90.0..90.0_f64, -90.0..90.0_f64)),
            places in prop::array::uniform3((0.0..100.0_f64, -40.0..40.0_f64)),
        ) {
            let [leave, arrive] = handles.map(Vec2::from);
            let (from, to) = (Point::ZERO, Point::from(to));
            let ends = Ends { from, to, leave, arrive, shares: [1.0 / 3.0; 2] };
            let samples = places.map(Point::from);
            let (out, into) = refit(&ends, &samples);
            let found = [(out - from).dot(leave) / leave.hypot2(), (to - into).dot(arrive) / arrive.hypot2()];
            prop_assert!(found.iter().all(|length| *length >= 0.0));
            let least = misfit(&ends, &samples, found);
            for factor in [-1.0, -0.1, -0.01, 0.01, 0.1, 1.0] {
                for turned in [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, -1.0]] {
                    let other = [found[0] + factor * turned[0], found[1] + factor * turned[1]];
                    let back = (0..2).any(|i| other[i] < 0.0 || found[i] == 0.0 && other[i] != 0.0);
                    let misfit = misfit(&ends, &samples, other);
                    prop_assert!(back || misfit >= least * (1.0 - 1e-9), "{found:?} {least}, {other:?} {misfit}");
                }
            }
        }
    }

    #[test]
    fn nothing_is_fitted_to_nothing() {
        let still = Ends {
            from: Point::ZERO,
            to: Point::ZERO,
            leave: Vec2::ZERO,
            arrive: Vec2::ZERO,
            shares: [0.0; 2],
        };
        assert_eq!(refit(&still, &[Point::ZERO; 3]), (Point::ZERO, Point::ZERO));
    }
}
