//! Numbers as SVG texts spell them: the shortest text that reads back as the same number. And the numbers
//! that a reader of that text gets in single precision, with which pixels are drawn.

use std::fmt::Write as _;

use kurbo::{Affine, BezPath, PathEl, Point, Rect};
use tiny_skia::NonZeroRect;

/// Posed numbers are rounded to this many parts per unit, so that the way through canvas space (errors about
/// 1e-13) does not change them.
const PARTS: f64 = 1e9;

/// Coefficients that multiply coordinates of thousands need digits that those do not.
const COEFFICIENT_PARTS: f64 = 1e12;

/// Writes `matrix(a b c d e f)`. Coefficients that multiply have three digits more than those that shift.
pub(crate) fn write_matrix(affine: Affine, precision: Precision, out: &mut String) {
    let [a, b, c, d, e, f] = affine.as_coeffs();
    let (shift, by) = (precision.parts(PARTS), precision.more(3).parts(COEFFICIENT_PARTS));
    out.push_str("matrix(");
    for (at, (n, parts)) in
        [(a, by), (b, by), (c, by), (d, by), (e, shift), (f, shift)].into_iter().enumerate()
    {
        if at > 0 {
            out.push(' ');
        }
        write(precision.round(n, parts), out);
    }
    out.push(')');
}

/// Writes path data.
pub(crate) fn write_path(path: &BezPath, precision: Precision, out: &mut String) {
    let parts = precision.parts(PARTS);
    write_elements(path.elements().iter().copied(), out, |n, out| write(precision.round(n, parts), out));
}

/// How many digits numbers in SVG texts have after the point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Precision {
    /// As many as are needed to draw the same pixels.
    #[default]
    Exact,
    /// At most so many.
    Digits(u8),
}

impl Precision {
    fn parts(self, exact: f64) -> f64 {
        match self {
            Self::Exact => exact,
            Self::Digits(digits) => 10.0_f64.powi(i32::from(digits.min(12))).min(exact),
        }
    }

    fn more(self, digits: u8) -> Self {
        match self {
            Self::Exact => self,
            Self::Digits(n) => Self::Digits(n.saturating_add(digits)),
        }
    }

    fn round(self, n: f64, parts: f64) -> Rounded {
        match self {
            Self::Exact => round(n, parts),
            Self::Digits(_) => Rounded::Double((n * parts).round() / parts + 0.0),
        }
    }
}

/// Writes a number.
pub(crate) fn write_number(n: f64, precision: Precision, out: &mut String) {
    write(precision.round(n, precision.parts(PARTS)), out);
}

/// The elements of a path of tiny-skia, widened.
pub(crate) fn elements(path: &tiny_skia::Path) -> impl Iterator<Item = PathEl> + '_ {
    use tiny_skia::PathSegment as Segment;
    let point = |p: tiny_skia::Point| Point::new(f64::from(p.x), f64::from(p.y));
    path.segments().map(move |segment| match segment {
        Segment::MoveTo(p) => PathEl::MoveTo(point(p)),
        Segment::LineTo(p) => PathEl::LineTo(point(p)),
        Segment::QuadTo(a, p) => PathEl::QuadTo(point(a), point(p)),
        Segment::CubicTo(a, b, p) => PathEl::CurveTo(point(a), point(b), point(p)),
        Segment::Close => PathEl::ClosePath,
    })
}

fn write_elements(
    elements: impl Iterator<Item = PathEl>,
    out: &mut String,
    number: impl Fn(f64, &mut String),
) {
    let mut first = true;
    let mut put = |name: char, points: &[Point], out: &mut String| {
        if !first {
            out.push(' ');
        }
        first = false;
        out.push(name);
        for p in points {
            out.push(' ');
            number(p.x, out);
            out.push(' ');
            number(p.y, out);
        }
    };
    for element in elements {
        match element {
            PathEl::MoveTo(p) => put('M', &[p], out),
            PathEl::LineTo(p) => put('L', &[p], out),
            PathEl::QuadTo(a, p) => put('Q', &[a, p], out),
            PathEl::CurveTo(a, b, p) => put('C', &[a, b, p], out),
            PathEl::ClosePath => put('Z', &[], out),
        }
    }
}

/// A posed number, rounded.
enum Rounded {
    /// Exact in an f32.
    Single(f32),
    Double(f64),
}

fn round(n: f64, parts: f64) -> Rounded {
    let rounded = |n: f64| (n * parts).round() / parts;
    #[allow(clippy::cast_possible_truncation, reason = "the question is whether an f32 is as good")]
    let single = n as f32;
    // A number that is exact in an f32 is unchanged.
    if f64::from(single) == n {
        return Rounded::Single(single + 0.0);
    }
    let all = rounded(n);
    // A number that came from an f32 goes back as the short text of that f32: 0.1, not 0.100000001. Adding
    // zero turns -0 into 0.
    if all != 0.0 && rounded(f64::from(single)) == all {
        Rounded::Single(single)
    } else {
        Rounded::Double(all + 0.0)
    }
}

fn write(n: Rounded, out: &mut String) {
    match n {
        Rounded::Single(n) => push(out, n),
        Rounded::Double(n) => push(out, n),
    }
}

/// The f32 that an SVG reader gets from the text of a posed number.
pub(crate) fn as_read(n: f64) -> f32 {
    read(round(n, PARTS))
}

fn read(n: Rounded) -> f32 {
    match n {
        Rounded::Single(n) => n,
        #[allow(clippy::cast_possible_truncation, reason = "SVG readers do the same")]
        Rounded::Double(n) => n as f32,
    }
}

/// The same for a matrix.
pub(crate) fn matrix_as_read(affine: Affine) -> tiny_skia::Transform {
    let [a, b, c, d, e, f] = rounded_matrix(affine).map(read);
    tiny_skia::Transform::from_row(a, b, c, d, e, f)
}

fn rounded_matrix(affine: Affine) -> [Rounded; 6] {
    let [a, b, c, d, e, f] = affine.as_coeffs();
    let by = COEFFICIENT_PARTS;
    [round(a, by), round(b, by), round(c, by), round(d, by), round(e, PARTS), round(f, PARTS)]
}

/// A posed coordinate as its SVG text has it, but with all digits: one that came
/// from an f32 is the decimal of that f32's shortest text.
pub fn as_written(n: f64) -> f64 {
    match round(n, PARTS) {
        Rounded::Single(single) => single.to_string().parse().unwrap_or(n),
        Rounded::Double(_) => n,
    }
}

fn push(out: &mut String, n: impl std::fmt::Display) {
    // Writing into a String cannot fail.
    let _ = write!(out, "{n}");
}

#[allow(clippy::cast_possible_truncation, reason = "the drawing library works in f32")]
pub(crate) fn narrow(n: f64) -> f32 {
    n as f32
}

/// A transform in double precision.
pub(crate) fn widen(ts: tiny_skia::Transform) -> Affine {
    Affine::new([ts.sx, ts.ky, ts.kx, ts.sy, ts.tx, ts.ty].map(f64::from))
}

/// A rectangle as a reader of its text gets it.
pub(crate) fn rect_as_read(rect: Rect) -> Option<NonZeroRect> {
    let [x, y, width, height] = [rect.x0, rect.y0, rect.width(), rect.height()].map(as_read);
    NonZeroRect::from_xywh(x, y, width, height)
}

/// Whether two offsets of stops are one to usvg: no more than four steps of single precision apart.
#[allow(clippy::cast_possible_truncation, reason = "offsets are in single precision")]
pub(crate) fn is_near(a: f64, b: f64) -> bool {
    let (a, b) = (a as f32, b as f32);
    a > 0.0 && a.to_bits().abs_diff(b.to_bits()) <= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(n: f64) -> String {
        let mut out = String::new();
        write_number(n, Precision::Exact, &mut out);
        out
    }

    #[test]
    fn numbers_are_short_and_clean() {
        assert_eq!(rounded(0.1 + 0.2), "0.3");
        assert_eq!(rounded(-1e-15), "0");
        assert_eq!(rounded(1.0 / 3.0), "0.333333333");
        assert_eq!(rounded(-12.5), "-12.5");
    }

    /// The way through canvas space adds errors about 1e-13, which the text of a number that had few digits
    /// does not show.
    #[test]
    fn numbers_that_came_from_singles_have_their_short_texts() {
        for k in 0..4000_i16 {
            let typed = format!("{}.{}", k / 9, k % 9 + 1);
            let single: f32 = typed.parse().unwrap();
            for error in [-3e-13, 0.0, 2e-13] {
                assert_eq!(rounded(f64::from(single) + error), typed, "{error}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn numbers_are_read_as_they_are_written(mantissa in -1.0..1.0_f64, exponent in -30..41_i32) {
            let n: f64 = mantissa * 2.0_f64.powi(exponent);
            for n in [n, n.round(), f64::from(n as f32), f64::from(n as f32) + 1e-13] {
                let read = rounded(n).parse::<f64>().unwrap() as f32;
                assert_eq!(as_read(n).to_bits(), read.to_bits(), "{n}");
            }
        }
    }

    #[test]
    fn path_data_keeps_every_kind_of_segment() {
        let text = "M 1 2 L 3 4 Q 5 6 7 8 C 1 2 3 4 5.5 6 Z";
        let path = BezPath::from_svg(text).unwrap();
        let mut out = String::new();
        write_path(&path, Precision::Exact, &mut out);
        assert_eq!(out, text);
    }
}
