//! Slopes of typed weights at anchors whose tangents have no weights of their own. Weights that rest at every
//! anchor are a staircase, which is visible as bumps along a bent outline.

use kurbo::{CubicBez, ParamCurve, ParamCurveDeriv, Vec2};

use crate::bline::BLine;
use crate::joints::{CubicSegment, arc_length, beside};
use crate::weights::{BoneWeights, VertexWeights, bones_of};

/// Cosine of the turn of an outline from which on an anchor is a corner, 45 degrees. Weights rest at corners:
/// they are where the outlines of neighbouring shapes part, and an edge that they share stays closed.
const CORNER: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// One side of an anchor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnchorSide {
    /// The length of the segment.
    pub(crate) length: f64,
    /// The speed of its parametrisation at the anchor; 0 at a handle of length 0.
    pub(crate) speed: f64,
}

impl AnchorSide {
    /// The side of a segment at its start (0) or end (1) in the direction of the path.
    pub(crate) fn new(side: &CubicSegment, end: usize) -> Self {
        let accuracy = 1e-3 * (side.curve.p3 - side.curve.p0).hypot().max(f64::MIN_POSITIVE);
        let speed = side.curve.deriv().eval(end as f64).to_vec2().hypot();
        Self { length: arc_length(&side.curve, accuracy), speed }
    }

    /// The greatest slope per length with which the cubic along the segment stays monotone (Fritsch and
    /// Carlson 1980: the square of side 3).
    fn limit(&self, change: f64) -> f64 {
        if self.speed > 0.0 { 3.0 * change.abs() / self.speed } else { f64::INFINITY }
    }
}

/// The slope per length of one weight at an anchor, from its change along both sides: that of the parabola
/// through the three weights, as far as the curve stays monotone, 0 at an extremum.
pub(crate) fn monotone_slope(changes: [f64; 2], sides: [AnchorSide; 2]) -> f64 {
    let [a, b] = sides;
    let secants = [changes[0] / a.length, changes[1] / b.length];
    let product = secants[0] * secants[1];
    if !(product.is_finite() && product > 0.0) {
        return 0.0;
    }
    let parabola = (b.length * secants[0] + a.length * secants[1]) / (a.length + b.length);
    let limit = a.limit(changes[0]).min(b.limit(changes[1]));
    parabola.clamp(-limit, limit)
}

/// Makes the sum of slopes 0, so that the sum of the weights stays 1: those that rise or those that fall are
/// made smaller, which keeps each monotone.
pub(crate) fn balance(slopes: &mut [f64]) {
    let rise: f64 = slopes.iter().filter(|slope| **slope > 0.0).sum();
    let fall: f64 = -slopes.iter().filter(|slope| **slope < 0.0).sum::<f64>();
    let less = rise.min(fall);
    for slope in slopes {
        let total = if *slope > 0.0 { rise } else { fall };
        *slope *= if total > 0.0 { less / total } else { 0.0 };
    }
}

/// The segments that arrive at and leave a vertex, if the outline is no corner there.
pub(crate) fn straight_through(sides: &[CubicSegment], vertex: usize) -> Option<[usize; 2]> {
    let [arriving, leaving] = beside(sides, vertex)?;
    let (arrive, leave) = (direction(&sides[arriving].curve, 1), direction(&sides[leaving].curve, 0));
    let size = arrive.hypot() * leave.hypot();
    (arriving != leaving && size > 0.0 && arrive.dot(leave) >= CORNER * size).then_some([arriving, leaving])
}

/// The direction of a curve at its start (0) or end (1), also where its handle has no length.
fn direction(curve: &CubicBez, end: usize) -> Vec2 {
    let CubicBez { p0, p1, p2, p3 } = *curve;
    let along = if end == 0 { [p1 - p0, p2 - p0, p3 - p0] } else { [p3 - p2, p3 - p1, p3 - p0] };
    along.into_iter().find(|v| v.hypot2() > 0.0).unwrap_or_default()
}

/// Sets the weight gradient at the anchors of a line whose tangents follow them. `rows` has one entry for each
/// vertex of the line.
pub(crate) fn set_anchor_slopes(line: &BLine, rows: &[VertexWeights], sides: &mut [CubicSegment]) {
    let follows = |row: &VertexWeights| row.tangent_in.is_none() && row.tangent_out.is_none();
    for vertex in (0..line.vertices().len()).filter(|vertex| follows(&rows[*vertex])) {
        let Some([arriving, leaving]) = straight_through(sides, vertex) else { continue };
        let anchors = [sides[arriving].from, vertex, sides[leaving].to].map(|at| &rows[at].anchor);
        if sides[arriving].along.is_none() || sides[leaving].along.is_none() {
            continue;
        }
        let bones = bones_of(anchors.into_iter());
        let weight = |row: &BoneWeights, bone| {
            row.influences().iter().find(|(b, _)| *b == bone).map_or(0.0, |(_, weight)| *weight)
        };
        let beside = [AnchorSide::new(&sides[arriving], 1), AnchorSide::new(&sides[leaving], 0)];
        let slope = |bone| {
            let [a, b, c] = anchors.map(|row| weight(row, bone));
            monotone_slope([b - a, c - b], beside)
        };
        let mut slopes: Vec<f64> = bones.iter().map(|bone| slope(*bone)).collect();
        balance(&mut slopes);
        for ((which, end), side) in [(arriving, 1), (leaving, 0)].into_iter().zip(beside) {
            let segment = &mut sides[which];
            let (at, sign) = (segment.canonical_end(end), if segment.reversed { -1.0 } else { 1.0 });
            let Some(along) = &mut segment.along else { continue };
            let found: Vec<f64> = along
                .bones
                .iter()
                .map(|bone| bones.binary_search(bone).map_or(0.0, |at| slopes[at] * side.speed * sign))
                .collect();
            along.end_slope(at).copy_from_slice(&found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_are_kept_and_no_slope_grows(slopes in prop::collection::vec(-3.0..3.0_f64, 1..6)) {
            let mut balanced = slopes.clone();
            balance(&mut balanced);
            prop_assert!(balanced.iter().sum::<f64>().abs() < 1e-12);
            for (new, old) in balanced.iter().zip(&slopes) {
                prop_assert!(new * old >= 0.0 && new.abs() <= old.abs());
            }
        }
    }

    #[test]
    fn slopes_are_0_at_extrema_and_that_of_a_straight_line() {
        let side = AnchorSide { length: 2.0, speed: 2.0 };
        assert_eq!(monotone_slope([0.5, -0.25], [side; 2]), 0.0);
        assert_eq!(monotone_slope([0.5, 0.0], [side; 2]), 0.0);
        assert!((monotone_slope([0.5, 0.5], [side; 2]) - 0.25).abs() < 1e-15);
        // A speed of three times the length allows no more than the secant.
        let fast = AnchorSide { length: 2.0, speed: 6.0 };
        assert!((monotone_slope([0.5, 5.0], [fast; 2]) - 0.25).abs() < 1e-15);
    }
}
