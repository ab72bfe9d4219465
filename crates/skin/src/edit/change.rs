//! The effect of a change of weights on an outline, in canvas units: both versions are bent at every joint
//! and compared. Outlines are not cut into pieces; the error of the pieces is within their tolerance.

use bone_core::{BoneId, Skeleton};
use kurbo::{Affine, CubicBez, ParamCurve, Point};

use super::fit::curves;
use crate::blend::{Influence, Motion, SkinBlend, blend};
use crate::bline::{BLine, VertexPoint};
use crate::joints::CubicSegment;
use crate::options::Weights;
use crate::planner::Planner;
use crate::trial_motions::trial_motions;

/// Number of intervals at whose ends segments are compared.
const CELLS: usize = 64;
/// A point of one outline is compared with this many intervals to either side on the other.
const REACH: usize = 12;

/// The greatest distance of an outline with the weights `after` from the same with `before`, over bends of 75
/// and 150 degrees either way of each joint alone. If several joints bend at once, the distances add up.
///
/// 0 if either have not as many entries as the outlines have vertices, or are a field without bones. Centres of
/// rotation are not computed: that method is measured as the area-preserving one.
pub fn outline_change(
    lines: &[BLine],
    before: &Weights<'_>,
    after: &Weights<'_>,
    mode: SkinBlend,
    skeleton: &Skeleton,
) -> f64 {
    let mode = mode.without_centres();
    if !(before.fit(lines) && after.fit(lines)) {
        return 0.0;
    }
    let options = curves(skeleton);
    let [old, new] = [before, after].map(|weights| Planner::new(lines, weights, &options));
    let (mut base, mut worst) = (0, 0.0_f64);
    for line in lines {
        let sides = old.weighted_sides(line, base).into_iter().zip(new.weighted_sides(line, base));
        for (a, b) in sides {
            let rows = |planner: &Planner<'_>, side: &CubicSegment| {
                let constant = planner.weights_of(base + side.from, VertexPoint::Anchor, side.curve.p0);
                let at = |i: usize| match &side.along {
                    Some(along) => along.at(i as f64 / CELLS as f64).0,
                    None => constant.clone(),
                };
                (0..=CELLS).map(at).collect::<Vec<_>>()
            };
            worst = worst.max(apart(&a.canonical, &rows(&old, &a), &rows(&new, &b), mode, skeleton));
        }
        base += line.vertices().len();
    }
    worst
}

/// The greatest distance between a segment with the one and the other weights, over all trial bends.
fn apart(
    curve: &CubicBez,
    before: &[Vec<Influence>],
    after: &[Vec<Influence>],
    mode: SkinBlend,
    skeleton: &Skeleton,
) -> f64 {
    let mut bones: Vec<BoneId> = before.iter().chain(after).flatten().map(|(bone, _)| *bone).collect();
    bones.sort_unstable();
    bones.dedup();
    if bones.len() < 2 {
        return 0.0;
    }
    let number = |bone: &BoneId| BoneId::new(bones.partition_point(|b| b < bone) as u32);
    let numbered = |rows: &[Vec<Influence>]| -> Vec<Vec<Influence>> {
        let row = |row: &Vec<Influence>| row.iter().map(|(bone, weight)| (number(bone), *weight)).collect();
        rows.iter().map(row).collect()
    };
    let (before, after) = (numbered(before), numbered(after));
    let at_rest: Vec<Point> = (0..=CELLS).map(|i| curve.eval(i as f64 / CELLS as f64)).collect();
    let mut worst = 0.0_f64;
    for motions in trial_motions(&bones, skeleton) {
        let truth = posed(&at_rest, &before, mode, &motions);
        let found = posed(&at_rest, &after, mode, &motions);
        for (i, point) in found.iter().enumerate() {
            let (from, to) = (i.saturating_sub(REACH), (i + REACH).min(CELLS));
            let near = truth[from..=to].windows(2).map(|ends| from_line(*point, ends[0], ends[1]));
            worst = worst.max(near.fold(f64::INFINITY, f64::min));
        }
    }
    worst
}

fn posed(at_rest: &[Point], rows: &[Vec<Influence>], mode: SkinBlend, motions: &[Motion]) -> Vec<Point> {
    let place = |(point, row): (&Point, &Vec<Influence>)| {
        Affine::new(blend(mode, row, Point::ZERO, motions)) * *point
    };
    at_rest.iter().zip(rows).map(place).collect()
}

fn from_line(point: Point, a: Point, b: Point) -> f64 {
    let along = b - a;
    let length = along.hypot2();
    let t = if length > 0.0 { ((point - a).dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
    (point - (a + along * t)).hypot()
}
