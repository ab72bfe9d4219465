//! Numbers as the posed SVG spells them: the shortest text that reads back as the same number.
//! Refuses to write what an SVG reader cannot hold: NaN, infinities and numbers far beyond any drawing.

use std::fmt::Write as _;

use kurbo::{Affine, BezPath, PathEl, Point};

/// Posed numbers are rounded to this many parts per unit, so that a detour through canvas space (errors about 1e-13) leaves no trace.
const PARTS: f64 = 1e9;

/// Coefficients that multiply coordinates of thousands need digits that those do not.
const COEFFICIENT_PARTS: f64 = 1e12;

/// Coordinates beyond this never come from a sane pose, and SVG readers work in f32.
const MAX_NUMBER: f64 = 1e12;

/// Whether every coefficient can be written.
pub(crate) fn is_writable(affine: Affine) -> bool {
    affine.as_coeffs().iter().all(|n| in_range(*n))
}

/// Whether the path starts with a move and every coordinate can be written after `map`.
pub(crate) fn is_path_writable(path: &BezPath, map: Affine) -> bool {
    let fits = |p: &Point| {
        let p = map * *p;
        in_range(p.x) && in_range(p.y)
    };
    let starts = path.elements().first().is_none_or(|first| matches!(first, PathEl::MoveTo(_)));
    starts
        && path.elements().iter().all(|element| match element {
            PathEl::MoveTo(p) | PathEl::LineTo(p) => fits(p),
            PathEl::QuadTo(a, p) => fits(a) && fits(p),
            PathEl::CurveTo(a, b, p) => fits(a) && fits(b) && fits(p),
            PathEl::ClosePath => true,
        })
}

/// Whether a number can be written.
pub(crate) fn in_range(n: f64) -> bool {
    n.abs() <= MAX_NUMBER
}

/// Writes `matrix(a b c d e f)`.
pub(crate) fn write_matrix(affine: Affine, out: &mut String) {
    out.push_str("matrix(");
    for (at, n) in rounded_matrix(affine).into_iter().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        write(n, out);
    }
    out.push(')');
}

/// Writes path data after `map`, rounded.
pub(crate) fn write_path(path: &BezPath, map: Affine, out: &mut String) {
    write_elements(path.elements().iter().map(|element| map * *element), out, write_rounded);
}

/// Writes a matrix whose coefficients are f32 values, each as the shortest text of that f32.
pub(crate) fn write_matrix_f32(ts: tiny_skia::Transform, out: &mut String) {
    out.push_str("matrix(");
    for (at, n) in [ts.sx, ts.ky, ts.kx, ts.sy, ts.tx, ts.ty].into_iter().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        push(out, n + 0.0);
    }
    out.push(')');
}

/// Writes path data whose coordinates are f32 values, each as the shortest text of that f32.
pub(crate) fn write_path_f32(path: &tiny_skia::Path, out: &mut String) {
    write_elements(elements(path), out, |n, out| {
        #[allow(clippy::cast_possible_truncation, reason = "the number came from an f32")]
        let n = n as f32;
        push(out, n + 0.0);
    });
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
    /// As good as an f32.
    Single(f32),
    Double(f64),
}

fn round(n: f64, parts: f64) -> Rounded {
    let rounded = |n: f64| (n * parts).round() / parts;
    #[allow(clippy::cast_possible_truncation, reason = "the question is whether an f32 is as good")]
    let single = n as f32;
    let all = rounded(n);
    // A number that came from an f32 goes back as the short text of that f32: 0.1, not 0.100000001. Adding zero turns -0 into 0.
    if all != 0.0 && rounded(f64::from(single)) == all {
        Rounded::Single(single)
    } else {
        Rounded::Double(all + 0.0)
    }
}

/// Writes a posed number.
pub(crate) fn write_rounded(n: f64, out: &mut String) {
    write(round(n, PARTS), out);
}

fn write(n: Rounded, out: &mut String) {
    match n {
        Rounded::Single(n) => push(out, n),
        Rounded::Double(n) => push(out, n),
    }
}

/// What an SVG reader that works in f32 makes of the text of a posed number.
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

/// A posed coordinate as whoever reads the posed drawing has it, but with all of its digits: one that came from an f32 is what the
/// short text of that f32 says.
pub fn settled(n: f64) -> f64 {
    match round(n, PARTS) {
        Rounded::Single(single) => single.to_string().parse().unwrap_or(n),
        Rounded::Double(_) => n,
    }
}

fn push(out: &mut String, n: impl std::fmt::Display) {
    // Writing into a String cannot fail.
    let _ = write!(out, "{n}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(n: f64) -> String {
        let mut out = String::new();
        write_rounded(n, &mut out);
        out
    }

    #[test]
    fn numbers_are_short_and_clean() {
        assert_eq!(rounded(0.1 + 0.2), "0.3");
        assert_eq!(rounded(-1e-15), "0");
        assert_eq!(rounded(1.0 / 3.0), "0.333333333");
        assert_eq!(rounded(-12.5), "-12.5");
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
    fn what_cannot_be_read_is_not_writable() {
        assert!(!is_writable(Affine::scale(f64::NAN)));
        assert!(!is_writable(Affine::scale(f64::INFINITY)));
        assert!(!is_writable(Affine::scale(1e300)));
        let mut no_move = BezPath::new();
        no_move.extend([PathEl::ClosePath]);
        assert!(!is_path_writable(&no_move, Affine::IDENTITY));
        assert!(is_path_writable(&BezPath::new(), Affine::IDENTITY));
    }

    #[test]
    fn path_data_keeps_every_kind_of_segment() {
        let text = "M 1 2 L 3 4 Q 5 6 7 8 C 1 2 3 4 5.5 6 Z";
        let path = BezPath::from_svg(text).unwrap();
        let mut out = String::new();
        write_path(&path, Affine::IDENTITY, &mut out);
        assert_eq!(out, text);
    }
}
