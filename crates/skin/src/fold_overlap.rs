//! Loops with the winding of the paint: where both arms of a bend lie over each other, the loop between them is
//! painted twice, and once without it. Elsewhere it is the only paint there.

use kurbo::{CubicBez, ParamCurve, PathEl, Point};

use crate::fold::side;

/// Chords of a curve, the same for places on an outline and for windings about them.
const CHORDS: usize = 8;
/// Which chords of a segment have a place.
const PROBED: [usize; 4] = [0, 2, 5, 7];

/// Segments of a loop, each with the parameters between which it is a part of it, and the sign of its area.
pub(crate) struct Loop<I> {
    pub(crate) parts: I,
    pub(crate) sign: f64,
}

impl<I: Iterator<Item = (CubicBez, [f64; 2])>> Loop<I> {
    /// The share of places at the inner side of the loop's border that outlines wind around twice or more.
    pub(crate) fn overlap(self, elements: &[PathEl]) -> f64 {
        let (mut twice, mut all) = (0_u32, 0_u32);
        for (curve, [from, to]) in self.parts {
            for chord in PROBED {
                let [t, u] = [chord, chord + 1].map(|end| end as f64 / CHORDS as f64);
                if t < from || u > to {
                    continue;
                }
                let (a, b) = (curve.eval(t), curve.eval(u));
                let along = b - a;
                let inwards = kurbo::Vec2::new(-along.y, along.x) * self.sign;
                let place = a.midpoint(b) + 1e-3 * inwards;
                all += 1;
                twice += u32::from(self.sign * f64::from(winding(elements, place)) >= 2.0);
            }
        }
        if all == 0 { 1.0 } else { f64::from(twice) / f64::from(all) }
    }
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
        let all = [curve.p0, curve.p1, curve.p2, curve.p3];
        if all.iter().all(|p| p.y <= at.y) || all.iter().all(|p| p.y > at.y) || all.iter().all(|p| p.x > at.x)
        {
            continue;
        }
        if all.iter().all(|p| p.x < at.x) {
            sum += crossing(curve.p0, curve.p3, Point::new(f64::MAX, at.y));
            continue;
        }
        let mut from = curve.p0;
        for chord in 1..=CHORDS {
            let to = curve.eval(chord as f64 / CHORDS as f64);
            sum += crossing(from, to, at);
            from = to;
        }
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
