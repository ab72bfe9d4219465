//! Centres of rotation: for a row of weights, the place on the outline about which it turns best.

use bone_core::BoneId;
use kurbo::Point;

use crate::blend::Influence;

/// The centre of rotation of a row: where on the outline the same bones share in the same way.
///
/// Le and Hodgins 2016, eq. 1 and 4, summed over the outline instead of the surface; sigma = 0.1 as they use.
pub(crate) fn centre(outline: &[(Point, Vec<Influence>)], row: &[Influence]) -> Point {
    let mut sum = kurbo::Vec2::ZERO;
    let mut total = 0.0;
    for (point, other) in outline {
        let alike = similarity(row, other);
        sum += point.to_vec2() * alike;
        total += alike;
    }
    if total > 0.0 { (sum / total).to_point() } else { Point::ZERO }
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

/// `e^-x` to a millionth, by squaring: smooth enough for a similarity, and the same bits everywhere.
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
