//! Smooth joints: an outline that is smooth at rest must be smooth in every pose, so both sides of a smooth
//! vertex get the same weight gradient.

use bone_core::BoneId;
use kurbo::{CubicBez, ParamCurve, ParamCurveArclen, ParamCurveDeriv};

use crate::blend::Influence;
use crate::bline::{BLine, Segment};
use crate::weight_curve::WeightCurve;

/// The length of a curve, for accuracies that rounding allows. One that is not a number or too long to be measured
/// has the length of its control polygon: adaptive subdivision would halve it a million times.
pub(crate) fn arc_length(curve: &CubicBez, accuracy: f64) -> f64 {
    const FINEST: f64 = 1e-9;
    const LONGEST: f64 = 1e100;
    let polygon =
        (curve.p1 - curve.p0).hypot() + (curve.p2 - curve.p1).hypot() + (curve.p3 - curve.p2).hypot();
    if polygon < LONGEST { curve.arclen(accuracy.max(FINEST * polygon)) } else { polygon }
}

/// One segment as a cubic, before it is packed.
pub(crate) struct CubicSegment {
    pub(crate) kind: Segment,
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) curve: CubicBez,
    /// The same in its canonical direction, in which deforming segments are computed.
    pub(crate) canonical: CubicBez,
    pub(crate) reversed: bool,
    /// Its other shapes, in the direction of the canonical curve.
    pub(crate) shapes: Vec<CubicBez>,
    /// In the canonical direction; none if the segment is deformed by its control points.
    pub(crate) along: Option<WeightCurve>,
}

impl CubicSegment {
    /// The end of the canonical curve that is this end of the path's segment.
    pub(crate) fn canonical_end(&self, end: usize) -> usize {
        if self.reversed { 1 - end } else { end }
    }

    /// The speed at an end.
    fn speed(&self, end: usize) -> f64 {
        self.curve.deriv().eval(end as f64).to_vec2().hypot()
    }
}

/// The segments that arrive at and leave a vertex of a line, by their places.
pub(crate) fn beside(sides: &[CubicSegment], vertex: usize) -> Option<[usize; 2]> {
    let last = sides.len().checked_sub(1)?;
    let arriving = vertex.checked_sub(1).unwrap_or(last);
    (sides.get(arriving)?.to == vertex && sides.get(vertex)?.from == vertex).then_some([arriving, vertex])
}

/// Where the outline is smooth at a vertex, the weights must be, too: both sides get one weight gradient per
/// unit of length, which is 0 beside a rigid segment. At a handle of length 0 the gradient is 0.
pub(crate) fn smooth_joints(line: &BLine, sides: &mut [CubicSegment]) {
    for side in sides.iter_mut() {
        for end in 0..2 {
            let (still, at) = (side.speed(end) == 0.0, side.canonical_end(end));
            if let Some(along) = side.along.as_mut().filter(|_| still) {
                along.end_slope(at).fill(0.0);
            }
        }
    }
    for (vertex, _) in line.vertices().iter().enumerate().filter(|(_, v)| v.is_smooth()) {
        let Some([arriving, leaving]) = beside(sides, vertex) else { continue };
        let (before, after) = (per_length(&mut sides[arriving], 1), per_length(&mut sides[leaving], 0));
        let rigid_beside = before.is_empty() || after.is_empty();
        let find =
            |list: &[Influence], bone: BoneId| list.iter().find(|(b, _)| *b == bone).map(|(_, slope)| *slope);
        for (which, end) in [(arriving, 1), (leaving, 0)] {
            let side = &mut sides[which];
            let (speed, at) = (side.speed(end), side.canonical_end(end));
            let speed = if side.reversed { -speed } else { speed };
            let Some(along) = &mut side.along else { continue };
            // A bone that is missing on one side has no weight at the vertex, and its gradient must be 0.
            let mean = |bone: &BoneId| match (find(&before, *bone), find(&after, *bone)) {
                (Some(a), Some(b)) if !rigid_beside => 0.5 * (a + b),
                _ => 0.0,
            };
            let means: Vec<f64> = along.bones.iter().map(mean).collect();
            // The sum stays 0: the gradient of bones of one side alone is distributed to the others by their
            // weights.
            let off = means.iter().sum::<f64>();
            let weights = along.end(at).to_vec();
            for ((slope, mean), weight) in along.end_slope(at).iter_mut().zip(&means).zip(weights) {
                *slope = (mean - off * weight) * speed;
            }
        }
    }
}

/// The weight gradient at an end of a segment, per unit of length in the path's direction.
fn per_length(side: &mut CubicSegment, end: usize) -> Vec<Influence> {
    let (speed, at) = (side.speed(end), side.canonical_end(end));
    let speed = if side.reversed { -speed } else { speed };
    let Some(along) = &mut side.along else { return Vec::new() };
    let bones = along.bones.clone();
    bones.into_iter().zip(along.end_slope(at).iter().map(|slope| slope / speed)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kurbo::BezPath;

    /// Where one side has a bone that the other lacks, both get one gradient, of sum 0.
    #[test]
    fn gradients_of_both_sides_agree_and_keep_the_sum() {
        let path = BezPath::from_svg("M0 0C10 0 20 10 30 10C45 10 50 0 60 0").expect("path data");
        let line = &BLine::from_path(&path)[0];
        assert!(line.vertices()[1].is_smooth());
        let curves: Vec<CubicBez> = path.segments().map(|side| side.to_cubic()).collect();
        let side = |from: usize, bones: [u32; 3], values: [[f64; 3]; 2], slopes: [[f64; 3]; 2]| {
            let bones = bones.map(BoneId::new).to_vec();
            let [values, slopes] = [values, slopes].map(|ends| ends.map(|end| end.to_vec()));
            CubicSegment {
                kind: Segment::Cubic,
                from,
                to: from + 1,
                curve: curves[from],
                canonical: curves[from],
                reversed: false,
                shapes: Vec::new(),
                along: Some(WeightCurve::between(bones, values, slopes)),
            }
        };
        let mut sides = [
            side(0, [0, 1, 2], [[1.0, 0.0, 0.0], [0.0, 0.7, 0.3]], [[0.0; 3], [-2.0, 0.5, 1.5]]),
            side(1, [1, 2, 3], [[0.7, 0.3, 0.0], [0.0, 0.0, 1.0]], [[-3.0, 1.0, 2.0], [0.0; 3]]),
        ];
        smooth_joints(line, &mut sides);
        let [before, after] = [(0, 1), (1, 0)].map(|(which, end)| per_length(&mut sides[which], end));
        for list in [&before, &after] {
            let sum: f64 = list.iter().map(|(_, slope)| slope).sum();
            assert!(sum.abs() < 1e-15, "{sum}");
        }
        for bone in [1, 2].map(BoneId::new) {
            let [a, b] = [&before, &after].map(|list| list.iter().find(|(b, _)| *b == bone).map(|(_, s)| *s));
            assert!(a == b && a.is_some_and(|slope| slope != 0.0), "{a:?} {b:?}");
        }
    }
}
