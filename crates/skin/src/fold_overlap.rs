//! What a fill loses without a loop of its outline: at places at both sides of the loop, the winding of the paint
//! with it and without it.

use kurbo::{CubicBez, ParamCurve, PathEl, Point, Vec2};

use crate::fold::side;

/// Chords of a curve, the same for places on an outline and for windings about them.
const CHORDS: usize = 8;
/// Which chords of a segment have places beside them.
const PROBED: [usize; 4] = [0, 2, 5, 7];
/// The distance of places from their chord, as a share of its length.
const BESIDE: f64 = 1e-3;

/// The share of places beside a loop whose paint is lost without it. The parts of the loop are segments, each
/// with the parameters between which it is in the loop; `paint` is the winding of what is the right way round.
pub(crate) fn lost_share(
    elements: &[PathEl],
    parts: impl Iterator<Item = (CubicBez, [f64; 2])> + Clone,
    paint: f64,
) -> f64 {
    let (mut lost, mut all) = (0_u32, 0_u32);
    for (curve, [from, to]) in parts.clone() {
        for chord in PROBED {
            let [t, u] = [chord, chord + 1].map(|end| end as f64 / CHORDS as f64);
            if t < from || u > to {
                continue;
            }
            let (a, b) = (curve.eval(t), curve.eval(u));
            let along = b - a;
            let across = BESIDE * Vec2::new(-along.y, along.x);
            all += 1;
            lost += u32::from([across, -across].into_iter().any(|across| {
                let place = a.midpoint(b) + across;
                let now = winding(elements, place);
                let own: i32 = parts.clone().map(|(curve, ends)| part_winding(&curve, ends, place)).sum();
                paint * f64::from(now) > 0.0 && paint * f64::from(now - own) <= 0.0
            }));
        }
    }
    if all == 0 { 0.0 } else { f64::from(lost) / f64::from(all) }
}

/// What a part of a segment adds to the winding about a place.
fn part_winding(curve: &CubicBez, [from, to]: [f64; 2], at: Point) -> i32 {
    let all = [curve.p0, curve.p1, curve.p2, curve.p3];
    if all.iter().all(|p| p.y <= at.y) || all.iter().all(|p| p.y > at.y) || all.iter().all(|p| p.x > at.x) {
        return 0;
    }
    let mut last = curve.eval(from);
    let mut sum = 0;
    let inner = (1..CHORDS).map(|chord| chord as f64 / CHORDS as f64).filter(|t| from < *t && *t < to);
    for t in inner.chain([to]) {
        let end = curve.eval(t);
        sum += crossing(last, end, at);
        last = end;
    }
    sum
}

/// The winding of filled outlines about a place, positive from x to y: crossings of a ray against x.
fn winding(elements: &[PathEl], at: Point) -> i32 {
    let (mut start, mut last) = (Point::ORIGIN, Point::ORIGIN);
    let mut sum = 0;
    for element in elements {
        let curve = match *element {
            PathEl::MoveTo(to) => {
                sum += crossing(last, start, at);
                (start, last) = (to, to);
                continue;
            }
            PathEl::LineTo(to) => side(last, to),
            PathEl::CurveTo(a, b, to) => CubicBez::new(last, a, b, to),
            PathEl::QuadTo(a, to) => kurbo::QuadBez::new(last, a, to).raise(),
            PathEl::ClosePath => side(last, start),
        };
        last = curve.p3;
        sum += part_winding(&curve, [0.0, 1.0], at);
    }
    sum + crossing(last, start, at)
}

/// What a side adds to the winding about a place.
fn crossing(from: Point, to: Point, at: Point) -> i32 {
    if (from.y <= at.y) == (to.y <= at.y) {
        return 0;
    }
    let x = from.x + (to.x - from.x) * (at.y - from.y) / (to.y - from.y);
    if x >= at.x {
        0
    } else if to.y < from.y {
        1
    } else {
        -1
    }
}
