//! Centres of rotation: for a set of weights, the best centre on the outline.

use bone_core::BoneId;
use kurbo::{Point, Vec2};

use crate::blend::Influence;
use crate::weight_curve::WeightCurve;

/// Points of an outline with their weights, from which centres are computed.
pub(crate) type WeightedOutline = [(Point, Vec<Influence>)];

/// The centre of rotation along a segment: computed at equally spaced parameters, interpolated smoothly.
#[derive(Clone, Debug)]
pub(crate) struct CentreCurve {
    nodes: Vec<Point>,
    /// Its derivative at both ends, per unit of the parameter.
    ends: [Vec2; 2],
}

/// Weights along a segment are not finer than this, and a centre is expensive.
const INTERVALS: usize = 32;

impl CentreCurve {
    pub(crate) fn new(along: &WeightCurve, outline: &WeightedOutline) -> Self {
        let found: Vec<Option<Point>> =
            (0..=INTERVALS).map(|i| find(outline, &along.at(i as f64 / INTERVALS as f64).0)).collect();
        // Where one bone has all weight there is no centre, and none is needed; interpolation next to it
        // takes the nearest one.
        let near = |at: usize| {
            let defined = |i: &usize| found[*i].is_some();
            let (before, after) = ((0..=at).rev().find(defined), (at..=INTERVALS).find(defined));
            let nearer = match (before, after) {
                (Some(a), Some(b)) => Some(if at - a <= b - at { a } else { b }),
                (one, other) => one.or(other),
            };
            nearer.and_then(|i| found[i]).unwrap_or(Point::ZERO)
        };
        let ends = [0.0, 1.0].map(|t| end_drift(along, outline, t));
        Self { nodes: (0..=INTERVALS).map(near).collect(), ends }
    }

    /// The centre at a parameter, and its derivative: a Catmull-Rom spline.
    pub(crate) fn at(&self, t: f64) -> (Point, Vec2) {
        let place = t.clamp(0.0, 1.0) * INTERVALS as f64;
        let i = (place as usize).min(INTERVALS - 1);
        let s = place - i as f64;
        let node = |k: usize| self.nodes[k.min(INTERVALS)].to_vec2();
        let (a, b) = (node(i), node(i + 1));
        let slope_a = if i == 0 { self.ends[0] / INTERVALS as f64 } else { (b - node(i - 1)) * 0.5 };
        let slope_b =
            if i + 1 == INTERVALS { self.ends[1] / INTERVALS as f64 } else { (node(i + 2) - a) * 0.5 };
        let r = 1.0 - s;
        let value = a * (r * r * (1.0 + 2.0 * s)) + b * (s * s * (3.0 - 2.0 * s)) + slope_a * (s * r * r)
            - slope_b * (s * s * r);
        let change =
            (b - a) * (6.0 * s * r) + slope_a * (r * (1.0 - 3.0 * s)) + slope_b * (s * (3.0 * s - 2.0));
        (value.to_point(), change * INTERVALS as f64)
    }
}

/// The derivative of the centre at an end of a segment, from that of the weights there alone: the two
/// segments of a smooth vertex have it in common, so the outline stays smooth.
fn end_drift(along: &WeightCurve, outline: &WeightedOutline, t: f64) -> Vec2 {
    const STEP: f64 = 1e-3;
    let (row, slopes) = along.at(t);
    let steepest = slopes.iter().fold(0.0_f64, |most, (_, slope)| most.max(slope.abs()));
    if steepest == 0.0 {
        return Vec2::ZERO;
    }
    let run = STEP / steepest;
    let shifted = |by: f64| -> Vec<Influence> {
        row.iter().zip(&slopes).map(|((bone, w), (_, slope))| (*bone, w + by * slope)).collect()
    };
    match (find(outline, &shifted(-run)), find(outline, &shifted(run))) {
        (Some(before), Some(after)) => (after - before) / (2.0 * run),
        _ => Vec2::ZERO,
    }
}

/// The centre of rotation of a set of weights: the mean of outline points with similar weights.
///
/// Le and Hodgins 2016, eq. 1 and 4, summed over the outline instead of the surface, with their sigma = 0.1.
pub(crate) fn centre(outline: &WeightedOutline, row: &[Influence]) -> Point {
    find(outline, row).unwrap_or(Point::ZERO)
}

fn find(outline: &WeightedOutline, row: &[Influence]) -> Option<Point> {
    let mut sum = kurbo::Vec2::ZERO;
    let mut total = 0.0;
    for (point, other) in outline {
        let alike = similarity(row, other);
        sum += point.to_vec2() * alike;
        total += alike;
    }
    (total > 0.0).then(|| (sum / total).to_point())
}

fn similarity(a: &[Influence], b: &[Influence]) -> f64 {
    const SIGMA: f64 = 0.1;
    let of = |row: &[Influence], bone: BoneId| row.iter().find(|(x, _)| *x == bone).map_or(0.0, |(_, w)| *w);
    let mut sum = 0.0;
    for (i, &(j, aj)) in a.iter().enumerate() {
        for &(k, ak) in &a[i + 1..] {
            let (bj, bk) = (of(b, j), of(b, k));
            let product = aj * ak * bj * bk;
            if product > 0.0 {
                let off = aj * bk - ak * bj;
                sum += 2.0 * product * decay(off * off / (SIGMA * SIGMA));
            }
        }
    }
    sum
}

/// `e^-x` to a millionth, by squaring: smooth enough for a similarity, with the same bits on every machine.
fn decay(x: f64) -> f64 {
    let mut e = 1.0 - x / 1024.0;
    if e <= 0.0 {
        return 0.0;
    }
    for _ in 0..10 {
        e *= e;
    }
    e
}
