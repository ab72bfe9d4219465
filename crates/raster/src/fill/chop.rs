//! Splits curves at their extrema in y, in f32, with tiny-skia's arithmetic.

use tiny_skia::Point;

/// A quadratic in one or two pieces, ends shared.
pub(super) fn quad(curve: [Point; 3], out: &mut [Point; 5]) -> usize {
    let [a, mut b, c] = curve;
    let (ab, bc) = (a.y - b.y, b.y - c.y);
    let turns = ab == 0.0 || if ab < 0.0 { -bc < 0.0 } else { bc < 0.0 };
    if turns {
        if let Some(t) = within(ab, a.y - b.y - b.y + c.y) {
            *out = cut_quad([a, b, c], t);
            // The tangent is horizontal at the extremum.
            (out[1].y, out[3].y) = (out[2].y, out[2].y);
            return 2;
        }
        // The extremum is too close to an end to split there.
        b.y = if ab.abs() < bc.abs() { a.y } else { c.y };
    }
    out[..3].copy_from_slice(&[a, b, c]);
    1
}

/// A cubic in one to three pieces, ends shared.
pub(super) fn cubic(curve: [Point; 4], out: &mut [Point; 10]) -> usize {
    let [a, b, c, d] = curve.map(|p| p.y);
    let (turns, count) = roots(d - a + 3.0 * (b - c), 2.0 * (a - b - b + c), b - a);
    out[..4].copy_from_slice(&curve);
    if count == 0 {
        return 1;
    }
    cut(curve, turns[0], &mut out[..7]);
    if count == 2 {
        let rest = [out[3], out[4], out[5], out[6]];
        match within(turns[1] - turns[0], 1.0 - turns[0]) {
            Some(t) => cut(rest, t, &mut out[3..]),
            None => out[7..].fill(rest[3]),
        }
    }
    // The tangent is horizontal at the extremums.
    for turn in 1..=count {
        let y = out[3 * turn].y;
        out[3 * turn - 1].y = y;
        out[3 * turn + 1].y = y;
    }
    count + 1
}

/// Both parts of a quadratic, ends shared.
pub(super) fn cut_quad([a, b, c]: [Point; 3], t: f32) -> [Point; 5] {
    let (first, second) = (between(a, b, t), between(b, c, t));
    [a, first, between(first, second, t), second, c]
}

fn cut([a, b, c, d]: [Point; 4], t: f32, out: &mut [Point]) {
    let (ab, bc, cd) = (between(a, b, t), between(b, c, t), between(c, d, t));
    let (abc, bcd) = (between(ab, bc, t), between(bc, cd, t));
    out.copy_from_slice(&[a, ab, abc, between(abc, bcd, t), bcd, cd, d]);
}

fn between(a: Point, b: Point, t: f32) -> Point {
    Point::from_xy(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t)
}

/// A quotient, if it lies between 0 and 1.
fn within(over: f32, under: f32) -> Option<f32> {
    let (over, under) = if over < 0.0 { (-over, -under) } else { (over, under) };
    if under == 0.0 || over == 0.0 || over >= under {
        return None;
    }
    let t = over / under;
    (t > 0.0 && t < 1.0).then_some(t)
}

/// Where a t^2 + b t + c is 0 between 0 and 1, in order, and how many there are.
#[allow(clippy::cast_possible_truncation, reason = "the root is taken in f64, the rest goes on in f32")]
pub(super) fn roots(a: f32, b: f32, c: f32) -> ([f32; 2], usize) {
    let found = |first: Option<f32>, second: Option<f32>| match (first, second) {
        (Some(p), Some(q)) if p == q => ([p, 0.0], 1),
        (Some(p), Some(q)) => ([p.min(q), p.max(q)], 2),
        (Some(p), None) | (None, Some(p)) => ([p, 0.0], 1),
        (None, None) => ([0.0, 0.0], 0),
    };
    if a == 0.0 {
        return found(within(-c, b), None);
    }
    let square = f64::from(b) * f64::from(b) - 4.0 * f64::from(a) * f64::from(c);
    if square < 0.0 {
        return found(None, None);
    }
    let root = square.sqrt() as f32;
    if !root.is_finite() {
        return found(None, None);
    }
    let q = if b < 0.0 { -(b - root) / 2.0 } else { -(b + root) / 2.0 };
    found(within(q, a), within(c, q))
}
