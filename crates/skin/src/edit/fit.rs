//! Typed rows for weights that were found: each vertex takes the field's weights where it is, and tangents get the rows with which
//! the cubic along their segment comes nearest to the field. Rows cannot follow a field that changes more than once, or sharply,
//! between two vertices: [`outline_change`](super::outline_change) says what that costs.

use bone_core::{BoneId, Skeleton};

use crate::bline::{BLine, VertexPoint};
use crate::joints::CubicSegment;
use crate::options::{BindOptions, Follow, Weights};
use crate::pack::Packer;
use crate::skin::Skin;
use crate::weight_curve::{WeightCurve, WeightField};
use crate::weights::{BoneWeights, VertexWeights};

/// One row a vertex, through all outlines, that bend them as nearly as typed rows can as the field does. Tangents whose own weights
/// would change next to nothing follow their anchors.
pub fn vertex_weights_of_field(
    lines: &[BLine],
    field: &dyn WeightField,
    skeleton: &Skeleton,
) -> Vec<VertexWeights> {
    let weights = Weights::Field(field);
    let mut rows: Vec<VertexWeights> = Vec::new();
    let mut skin = Skin::new();
    let options = curves(skeleton);
    let packer = Packer::new(&mut skin, &weights, &options, lines);
    for line in lines {
        let base = rows.len();
        let anchor = |i: usize| packer.weights_of(i, VertexPoint::Anchor, line.vertices()[i].anchor);
        rows.extend((0..line.vertices().len()).map(|i| VertexWeights::new(row(anchor(i)))));
        for side in packer.weighted_sides(line, base) {
            let Some(along) = &side.along else { continue };
            let [out, arrive] = tangents(&side, along);
            rows[base + side.from].tangent_out = out;
            rows[base + side.to].tangent_in = arrive;
        }
    }
    rows
}

/// Weights along the outline are what is asked for; how it is cut does not matter.
pub(super) fn curves(skeleton: &Skeleton) -> BindOptions<'_> {
    BindOptions { follow: Follow::Curves { skeleton, tolerance: 1.0 }, ..BindOptions::default() }
}

fn row(influences: Vec<(BoneId, f64)>) -> BoneWeights {
    let first = influences.first().map_or(BoneId::new(0), |(bone, _)| *bone);
    BoneWeights::new(influences).unwrap_or_else(|_| BoneWeights::one(first))
}

/// The fit looks at so many places along a segment.
const PLACES: usize = 64;
/// A tangent that changes the weights by less than this along its segment follows its anchor.
const UNSEEN: f64 = 2e-3;
/// How far an end's weights may change, per segment, and still rest.
const REST: f64 = 1e-9;

/// The rows of the tangents of a segment, in the direction of its path: the least-squares fit of a cubic Bezier, its inner control
/// values kept within the weights that there are (0 or more, together 1).
fn tangents(side: &CubicSegment, along: &WeightCurve) -> [Option<BoneWeights>; 2] {
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
    // An end that rests beside a rigid segment, or at a handle of no length, is made to rest when the path is bound.
    let mut slopes = along.clone();
    let free = [0, 1].map(|end| slopes.end_slope(end).iter().any(|slope| slope.abs() > REST));
    let mut found = [a.to_vec(), b.to_vec()];
    // Each control value in turn, the other held: the matrix is the same for every bone, so the best row within the
    // simplex is the projection of the best row.
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
        let seen = found[which].iter().zip(ends[which]).any(|(f, e)| (f - e).abs() * 4.0 / 9.0 > UNSEEN);
        let named = along.bones.iter().copied().zip(found[which].iter().copied());
        if seen { BoneWeights::new(named).ok() } else { None }
    });
    let [start, end] = rows;
    if side.reversed { [end, start] } else { [start, end] }
}

/// The nearest row with weights of 0 or more that sum to 1 (Held, Wolfe and Crowder 1974).
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
