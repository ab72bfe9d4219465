//! The range of numbers that tiny-skia draws. Its arithmetic is in single precision, and its scan converter
//! panics, or ends the program, where products of lengths are no numbers any more.

use tiny_skia::{LineJoin, Path, PathStroker, Rect, Stroke, Transform};

/// The farthest pixel that a shape may reach, from the corner of the picture: ten times less than where fills end the
/// program.
const FARTHEST: f64 = 1e8;
/// Corners of strokes that reach farther are looked at: clipped miters of curves can have any length.
const LONG_CORNER: f64 = 1e4;

/// Whether a shape with these bounds can be filled under a transform.
pub fn can_fill(bounds: Rect, ts: Transform) -> bool {
    reach(bounds, ts) <= FARTHEST
}

/// Whether an outline can be stroked under a transform.
pub fn can_stroke(path: &Path, stroke: &Stroke, ts: Transform) -> bool {
    let (width, limit) = (f64::from(stroke.width), f64::from(stroke.miter_limit));
    let scale = [ts.sx, ts.kx, ts.ky, ts.sy].map(|n| f64::from(n).abs()).into_iter().fold(0.0, f64::max);
    let width = width * scale;
    // Written so that NaN fails.
    if !(width <= FARTHEST && reach(path.bounds(), ts) + width <= FARTHEST) {
        return false;
    }
    let has_long_corners = match stroke.line_join {
        // A corner that is no number is long.
        LineJoin::Miter => (width * limit).is_nan() || width * limit > LONG_CORNER,
        LineJoin::MiterClip => true,
        LineJoin::Round | LineJoin::Bevel => false,
    };
    if !has_long_corners {
        return true;
    }
    let resolution = PathStroker::compute_resolution_scale(&ts);
    let dashed = stroke.dash.as_ref().and_then(|dash| path.dash(dash, resolution));
    let outline = dashed.as_ref().unwrap_or(path).stroke(stroke, resolution);
    outline.is_none_or(|outline| can_fill(outline.bounds(), ts))
}

/// How far from the corner of the picture a rectangle reaches. NaN if a number is not finite.
fn reach(bounds: Rect, ts: Transform) -> f64 {
    let wide = |n: f32| f64::from(n);
    let x = wide(bounds.left()).abs().max(wide(bounds.right()).abs());
    let y = wide(bounds.top()).abs().max(wide(bounds.bottom()).abs());
    let [a, b, c, d, e, f] = [ts.sx, ts.ky, ts.kx, ts.sy, ts.tx, ts.ty].map(|n| f64::from(n).abs());
    let reach = (a * x + c * y + e, b * x + d * y + f);
    if reach.0.is_nan() || reach.1.is_nan() { f64::NAN } else { reach.0.max(reach.1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use tiny_skia::{FillRule, LineCap, Paint, PathBuilder, Pixmap, StrokeDash};

    /// Numbers with exponents up to this are within the range.
    fn random(state: &mut u64) -> f64 {
        // splitmix64.
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A path, a stroke and a transform whose numbers have any exponent.
    fn shape(state: &mut u64) -> Option<(tiny_skia::Path, Stroke, Transform)> {
        let most = random(state) * 12.0;
        let mut number = |most: f64| {
            let sign = if random(state) < 0.5 { -1.0 } else { 1.0 };
            let exponent = random(state) * most;
            // A power without the maths library of the platform.
            let power = (0..exponent as i32).fold(1.0, |power, _| power * 10.0);
            (sign * power * (1.0 + 9.0 * exponent.fract())) as f32
        };
        let mut path = PathBuilder::new();
        path.move_to(number(most), number(most));
        for _ in 0..4 {
            match number(1.0) {
                n if n < -3.0 => path.line_to(number(most), number(most)),
                n if n < 2.0 => path.quad_to(number(most), number(most), number(most), number(2.0)),
                _ => path.cubic_to(
                    number(most),
                    number(2.0),
                    number(most),
                    number(most),
                    number(2.0),
                    number(most),
                ),
            }
        }
        path.close();
        let joins = [LineJoin::Miter, LineJoin::MiterClip, LineJoin::Round, LineJoin::Bevel];
        let caps = [LineCap::Butt, LineCap::Round, LineCap::Square];
        let stroke = Stroke {
            width: number(most).abs(),
            miter_limit: number(6.0).abs(),
            line_join: joins[number(1.0).abs() as usize % 4],
            line_cap: caps[number(1.0).abs() as usize % 3],
            dash: (number(1.0) > 6.0).then(|| StrokeDash::new(vec![100.0, 9.0], 1.0)).flatten(),
        };
        let ts = Transform::from_row(number(1.0), number(1.0), number(1.0), number(1.0), number(2.0), 1.0);
        Some((path.finish()?, stroke, ts))
    }

    /// `CASES=1000000` looks longer.
    #[test]
    fn what_is_within_the_range_is_drawn_without_a_panic() {
        let cases = std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(400);
        let mut state = 7;
        let mut pixmap = Pixmap::new(60, 40).unwrap();
        let paint = Paint { anti_alias: true, ..Paint::default() };
        let mut drawn = 0;
        for case in 0..cases {
            let Some((path, stroke, ts)) = shape(&mut state) else { continue };
            let fills = can_fill(path.bounds(), ts);
            let strokes = can_stroke(&path, &stroke, ts);
            let done = catch_unwind(AssertUnwindSafe(|| {
                if fills {
                    pixmap.fill_path(&path, &paint, FillRule::EvenOdd, ts, None);
                }
                if strokes {
                    pixmap.stroke_path(&path, &paint, &stroke, ts, None);
                }
            }));
            drawn += usize::from(fills) + usize::from(strokes);
            assert!(done.is_ok(), "case {case}: {path:?} {stroke:?} {ts:?}");
        }
        assert!(drawn > cases / 2, "{drawn}");
    }

    #[test]
    fn numbers_beyond_the_range_are_refused() {
        let bounds = Rect::from_ltrb(0.0, 0.0, 10.0, 10.0).unwrap();
        let path = PathBuilder::from_rect(bounds);
        let line = |width| Stroke { width, ..Stroke::default() };
        assert!(can_stroke(&path, &line(1e6), Transform::identity()));
        assert!(!can_stroke(&path, &line(1e30), Transform::identity()));
        assert!(!can_stroke(&path, &line(f32::MAX), Transform::identity()));
        assert!(!can_fill(bounds, Transform::from_scale(1e10, 1.0)));
        assert!(!can_fill(bounds, Transform::from_scale(f32::NAN, 1.0)));
        assert!(!can_fill(bounds, Transform::from_translate(f32::INFINITY, 1.0)));
    }

    /// A corner is half the width over the sine of half its angle: 1.5e8 here, farther than fills go.
    #[test]
    fn corners_that_reach_too_far_are_refused() {
        let corner = |across: f32| {
            let mut path = PathBuilder::new();
            path.move_to(0.0, 0.0);
            path.line_to(1e6, 0.0);
            path.line_to(0.0, across);
            path.finish().unwrap()
        };
        let stroke = Stroke { width: 5e6, miter_limit: 70.0, ..Stroke::default() };
        assert!(!can_stroke(&corner(33_000.0), &stroke, Transform::identity()));
        assert!(can_stroke(&corner(400_000.0), &stroke, Transform::identity()));
        let round = Stroke { line_join: LineJoin::Round, ..stroke };
        assert!(can_stroke(&corner(33_000.0), &round, Transform::identity()));
    }
}
