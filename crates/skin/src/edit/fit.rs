//! Explicit weights for a weight field: each vertex has the field's weights at its position, and tangents
//! have the weights with which the cubic along their segment is nearest to the field. Vertex weights cannot
//! represent a field that changes more than once, or sharply, between two vertices:
//! [`outline_change`](super::outline_change) measures the difference.

use bone_core::{BoneId, Skeleton};
use kurbo::Point;

use crate::bline::{BLine, VertexPoint};
use crate::joints::CubicSegment;
use crate::options::{BindOptions, Follow, Weights};
use crate::planner::Planner;
use crate::weight_curve::{WeightCurve, WeightField, field_row};
use crate::weights::{BoneWeights, VertexWeights};

/// One entry for each vertex, through all outlines, whose deformation is as near as possible to that of the
/// field. Tangents follow their anchors where their own weights would have hardly any effect.
pub fn vertex_weights_of_field(
    lines: &[BLine],
    field: &dyn WeightField,
    skeleton: &Skeleton,
) -> Vec<VertexWeights> {
    let weights = Weights::Field(field);
    if !weights.fit(lines) {
        return vertex_weights_at_anchors(lines, field);
    }
    let options = curves(skeleton);
    let planner = Planner::new(lines, &weights, &options);
    let row_at = |(vertex, at): (usize, Point)| row(planner.weights_of(vertex, VertexPoint::Anchor, at));
    let anchors = lines.iter().flat_map(|line| line.vertices()).map(|vertex| vertex.anchor);
    let mut rows: Vec<VertexWeights> = anchors.enumerate().map(row_at).map(VertexWeights::new).collect();
    let followed = Weights::Explicit(&rows);
    let following = Planner::new(lines, &followed, &options);
    let (mut base, mut found) = (0, vec![[None, None]; rows.len()]);
    for line in lines {
        let sides = planner.weighted_sides(line, base).into_iter().zip(following.weighted_sides(line, base));
        for (side, followed) in sides {
            let Some(along) = &side.along else { continue };
            let [out, arrive] = tangents(&side, along, followed.along.as_ref());
            found[base + side.from][1] = Some(out);
            found[base + side.to][0] = Some(arrive);
        }
        base += line.vertices().len();
    }
    for (row, found) in rows.iter_mut().zip(found) {
        if found.iter().flatten().all(|tangent| tangent.follows) {
            continue;
        }
        let [arrive, out] = found;
        let (arrive, out) = (arrive.and_then(|tangent| tangent.own), out.map(|tangent| tangent.own));
        // Where both rest, one has the weights of its anchor: without any the anchor would have a slope.
        let rests = arrive.is_none() && out == Some(None);
        row.tangent_in = arrive;
        row.tangent_out = if rests { Some(row.anchor.clone()) } else { out.flatten() };
    }
    rows
}

/// One entry for each vertex, through all outlines, with the weights of the field at its position. Tangents
/// follow their anchors.
pub fn vertex_weights_at_anchors(lines: &[BLine], field: &dyn WeightField) -> Vec<VertexWeights> {
    let anchors = lines.iter().flat_map(|line| line.vertices()).map(|vertex| vertex.anchor);
    anchors.map(|at| VertexWeights::new(row(field_row(field, at)))).collect()
}

/// A tangent as it is fitted.
#[derive(Clone)]
struct FittedTangent {
    /// Its weights, unless they are those of its anchor.
    own: Option<BoneWeights>,
    /// Whether a tangent without weights of its own has the same effect.
    follows: bool,
}

/// Only weights along the outline are needed; the tolerance of cuts does not matter.
pub(super) fn curves(skeleton: &Skeleton) -> BindOptions<'_> {
    BindOptions { follow: Follow::Curves { skeleton, tolerance: 1.0 }, ..BindOptions::default() }
}

fn row(influences: Vec<(BoneId, f64)>) -> BoneWeights {
    let first = influences.first().map_or(BoneId::new(0), |(bone, _)| *bone);
    BoneWeights::new(influences).unwrap_or_else(|_| BoneWeights::one(first))
}

/// Number of samples of the fit along a segment.
const PLACES: usize = 64;
/// A tangent that changes the weights by less than this along its segment follows its anchor.
const UNSEEN: f64 = 2e-3;
/// Tolerance for a weight gradient of 0 at an end, per segment.
const REST: f64 = 1e-9;

/// The weights of the tangents of a segment, in the direction of its path: the least-squares fit of a cubic
/// Bezier whose inner control values are valid weights (0 or more, with the sum 1).
///
/// `followed` are the weights along it without weights of tangents.
fn tangents(side: &CubicSegment, along: &WeightCurve, followed: Option<&WeightCurve>) -> [FittedTangent; 2] {
    let bones = along.bones.len();
    let (a, b) = (along.end(0), along.end(1));
    // Normal equations: one 2x2 matrix for all bones, a right side each.
    let (mut g, mut right) = ([0.0; 3], [vec![0.0; bones], vec![0.0; bones]]);
    for i in 0..PLACES {
        let t = (i as f64 + 0.5) / PLACES as f64;
        let r = 1.0 - t;
        let basis = [r * r * r, 3.0 * r * r * t, 3.0 * r * t * t, t * t * t];
        g[0] += basis[1] * basis[1];
        g[1] += basis[1] * basis[2];
        g[2] += basis[2] * basis[2];
        for (k, (_, weight)) in along.at(t).0.into_iter().enumerate() {
            let rest = weight - basis[0] * a[k] - basis[3] * b[k];
            right[0][k] += basis[1] * rest;
            right[1][k] += basis[2] * rest;
        }
    }
    // An end beside a rigid segment, or with a handle of length 0, gets gradient 0 when the path is bound.
    let mut slopes = along.clone();
    let free = [0, 1].map(|end| slopes.end_slope(end).iter().any(|slope| slope.abs() > REST));
    let mut found = [a.to_vec(), b.to_vec()];
    // Block coordinate descent: each control value in turn, the other fixed. The matrix is the same for every
    // bone, so the best weights on the simplex are the projection of the best weights.
    for _ in 0..200 {
        let mut moved = 0.0_f64;
        for which in (0..2).filter(|&which| free[which]) {
            let other = &found[1 - which];
            let best = right[which].iter().zip(other).map(|(c, o)| (c - g[1] * o) / g[2 * which]);
            let best = onto_simplex(best.collect());
            let change = best.iter().zip(&found[which]).map(|(a, b)| (a - b).abs());
            moved = change.fold(moved, f64::max);
            found[which] = best;
        }
        if moved < 1e-10 {
            break;
        }
    }
    let ends = [a, b];
    let rows = [0, 1].map(|which| {
        // The greatest value of 3 r^2 t is 4/9.
        let seen =
            |other: &[f64]| found[which].iter().zip(other).any(|(f, e)| (f - e).abs() * 4.0 / 9.0 > UNSEEN);
        let named = along.bones.iter().copied().zip(found[which].iter().copied());
        let own = if seen(ends[which]) { BoneWeights::new(named).ok() } else { None };
        let without = followed.map(|curve| curve.control(which, &along.bones));
        FittedTangent { follows: !seen(without.as_deref().unwrap_or(ends[which])), own }
    });
    let [start, end] = rows;
    if side.reversed { [end, start] } else { [start, end] }
}

/// The nearest weights of 0 or more with the sum 1 (Held, Wolfe and Crowder 1974).
fn onto_simplex(values: Vec<f64>) -> Vec<f64> {
    let mut sorted = values.clone();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut shift) = (0.0, 0.0);
    for (i, value) in sorted.iter().enumerate() {
        sum += value;
        let candidate = (sum - 1.0) / (i + 1) as f64;
        if value - candidate <= 0.0 {
            break;
        }
        shift = candidate;
    }
    values.into_iter().map(|value| (value - shift).max(0.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_projection_is_a_row_and_no_row_is_nearer(
            values in prop::collection::vec(-2.0..2.0_f64, 1..5),
            other in prop::collection::vec(0.01..1.0_f64, 5),
        ) {
            let found = onto_simplex(values.clone());
            prop_assert!(found.iter().all(|w| *w >= 0.0));
            prop_assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let total: f64 = other.iter().take(values.len()).sum();
            let apart = |row: &[f64]| row.iter().zip(&values).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
            let other: Vec<f64> = other.iter().take(values.len()).map(|w| w / total).collect();
            prop_assert!(apart(&found) <= apart(&other) + 1e-12);
        }
    }
}
