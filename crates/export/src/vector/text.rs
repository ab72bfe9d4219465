//! Numbers as short text: `.5`, `-3`, without zeros at the end.

use std::fmt::Write as _;

use kurbo::Affine;
#[cfg(test)]
use kurbo::BezPath;

use super::outline::PathVerb;

/// Writes a number with at most so many digits after the point.
pub(crate) fn number(n: f64, digits: u8, out: &mut String) {
    let start = out.len();
    // Writing into a String cannot fail.
    let _ = write!(out, "{n:.*}", usize::from(digits));
    if digits > 0 {
        let end = out.trim_end_matches('0').trim_end_matches('.').len();
        out.truncate(end.max(start));
    }
    match &out[start..] {
        "-0" | "" => out.replace_range(start.., "0"),
        text if text.starts_with("0.") => out.replace_range(start..=start, ""),
        text if text.starts_with("-0.") => out.replace_range(start + 1..start + 2, ""),
        _ => {}
    }
}

/// A number as text.
pub(crate) fn short(n: f64, digits: u8) -> String {
    let mut out = String::new();
    number(n, digits, &mut out);
    out
}

/// Writes `matrix(...)`: what multiplies coordinates has three digits more.
pub(crate) fn matrix(affine: Affine, digits: u8, out: &mut String) {
    let coefficients = affine.as_coeffs();
    if coefficients[..4] == [1.0, 0.0, 0.0, 1.0] {
        out.push_str("translate(");
        list(&coefficients[4..], digits, out);
    } else {
        out.push_str("matrix(");
        list(&coefficients[..4], digits.saturating_add(4), out);
        out.push(' ');
        list(&coefficients[4..], digits.saturating_add(1), out);
    }
    out.push(')');
}

/// Writes numbers with a space between two.
pub(crate) fn list(numbers: &[f64], digits: u8, out: &mut String) {
    for (at, n) in numbers.iter().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        number(*n, digits, out);
    }
}

/// Writes path data with relative curves. Positions are rounded first and subtracted afterwards, so errors
/// do not add up.
pub(crate) fn path(verbs: &[PathVerb], numbers: &[f64], digits: u8, out: &mut String) {
    let parts = 10.0_f64.powi(i32::from(digits));
    let mut whole = numbers.iter().map(|n| (n * parts).round());
    let (mut x, mut y, mut start) = (0.0, 0.0, (0.0, 0.0));
    let mut last = None;
    for verb in verbs {
        let (letter, count) = match verb {
            PathVerb::Move => ('M', 1),
            PathVerb::Line => ('l', 1),
            PathVerb::Quad => ('q', 2),
            PathVerb::Cubic => ('c', 3),
            PathVerb::Close => ('z', 0),
        };
        let repeated = last == Some(*verb) && *verb != PathVerb::Move && *verb != PathVerb::Close;
        if !repeated {
            out.push(letter);
        }
        last = Some(*verb);
        let origin = if *verb == PathVerb::Move { (0.0, 0.0) } else { (x, y) };
        for at in 0..count {
            (x, y) = (whole.next().unwrap_or_default(), whole.next().unwrap_or_default());
            for (n, first) in [(x - origin.0, at == 0), (y - origin.1, false)] {
                let from = out.len();
                number(n / parts, digits, out);
                // A minus sign separates, and so does nothing before the first number.
                if (!first || repeated) && !out[from..].starts_with('-') {
                    out.insert(from, ' ');
                }
            }
        }
        match verb {
            PathVerb::Move => start = (x, y),
            PathVerb::Close => (x, y) = start,
            _ => {}
        }
    }
}

/// Writes an outline.
#[cfg(test)]
fn outline(path_data: &BezPath, digits: u8, out: &mut String) {
    path(
        &super::outline::verbs(path_data),
        &super::outline::numbers(path_data, Affine::IDENTITY),
        digits,
        out,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [(0.5, ".5"), (-0.25, "-.2"), (3.0, "3"), (-0.04, "0"), (10.0, "10"), (100.04, "100")];
        for (n, text) in cases {
            assert_eq!(short(n, 1), text);
        }
        assert_eq!(short(120.0, 0), "120");
    }

    #[test]
    fn path_data_reads_back() {
        let path = BezPath::from_svg("M10 20L30 25C1 2 3 4 -5.5 6L0 0ZM-1 -2Q3 4 5 6Z").expect("a path");
        let mut text = String::new();
        outline(&path, 1, &mut text);
        let read = BezPath::from_svg(&text).expect("path data");
        let (a, b) = (
            super::super::outline::numbers(&path, Affine::IDENTITY),
            super::super::outline::numbers(&read, Affine::IDENTITY),
        );
        assert_eq!(a.len(), b.len());
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-9), "{text}");
    }
}
