//! A grid in the drawing's units with round steps, and rulers with its numbers along the upper and the left
//! edge.

use std::fmt::Write as _;

use kurbo::{Point, Rect};

use super::writer::{HALO, INK, OverlayWriter};
use crate::lettering::{Anchor, TextLine, rounded};

/// The least distance of lines with numbers, in pixels.
const APART: f64 = 56.0;
/// Width of a ruler, in pixels.
const RULER: f64 = 15.0;
const NUMBER: f64 = 9.0;
/// At most this many lines are drawn.
const MOST: f64 = 4000.0;

/// One direction: the map from the drawing's coordinates to the frame.
#[derive(Clone, Copy)]
struct GridAxis {
    /// Pixels a unit.
    scale: f64,
    /// The pixel of 0.
    zero: f64,
    /// Pixels of the frame.
    length: f64,
}

/// A line of the grid.
struct GridLine {
    /// In pixels.
    at: f64,
    /// Its number; none for the lines between.
    number: Option<String>,
}

pub(super) fn write(out: &mut OverlayWriter<'_>) {
    let [a, b, c, d, e, f] = out.to_pixels.as_coeffs();
    // A drawing is never rotated within its frame.
    if b != 0.0 || c != 0.0 {
        return;
    }
    let across = lines(GridAxis { scale: a, zero: e, length: out.frame.width() });
    let down = lines(GridAxis { scale: d, zero: f, length: out.frame.height() });
    let (width, height) = (out.frame.width(), out.frame.height());
    for line in &across {
        stroke(out, line, &format!("M{} 0V{}", rounded(line.at), rounded(height)));
    }
    for line in &down {
        stroke(out, line, &format!("M0 {}H{}", rounded(line.at), rounded(width)));
    }
    let rulers = [Rect::new(0.0, 0.0, width, RULER), Rect::new(0.0, RULER, RULER, height)];
    for ruler in rulers {
        let (x, y, width, height) = (ruler.x0, ruler.y0, ruler.width(), ruler.height());
        let _ = writeln!(
            out.svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{HALO}\" fill-opacity=\"0.85\"/>"
        );
        out.labels.reserve(ruler);
    }
    let mut ticks = String::new();
    for line in across.iter().filter(|line| line.at > RULER) {
        let from = if line.number.is_some() { 0.4 * RULER } else { 0.7 * RULER };
        let _ = write!(ticks, "M{} {}V{RULER}", rounded(line.at), rounded(from));
        number(out, line, Point::new(line.at + 2.5, 0.65 * RULER), false);
    }
    for line in down.iter().filter(|line| line.at > RULER) {
        let from = if line.number.is_some() { 0.4 * RULER } else { 0.7 * RULER };
        let _ = write!(ticks, "M{} {}H{RULER}", rounded(from), rounded(line.at));
        number(out, line, Point::new(0.65 * RULER, line.at - 2.5), true);
    }
    let edges = format!("M{RULER} {RULER}H{}M{RULER} {RULER}V{}", rounded(width), rounded(height));
    let _ =
        writeln!(out.svg, "<path d=\"{ticks}{edges}\" fill=\"none\" stroke=\"{INK}\" stroke-width=\"0.8\"/>");
}

/// A dark line with a bright one around it is visible on any background.
fn stroke(out: &mut OverlayWriter<'_>, line: &GridLine, data: &str) {
    let (bright, dark) = if line.number.is_some() { (0.5, 0.55) } else { (0.18, 0.2) };
    let _ = writeln!(
        out.svg,
        "<path d=\"{data}\" stroke=\"{HALO}\" stroke-opacity=\"{bright}\" stroke-width=\"2\"/>\
         <path d=\"{data}\" stroke=\"{INK}\" stroke-opacity=\"{dark}\" stroke-width=\"0.7\"/>"
    );
}

fn number(out: &mut OverlayWriter<'_>, line: &GridLine, at: Point, upwards: bool) {
    let Some(number) = &line.number else { return };
    let words = TextLine::new(number, NUMBER, at, INK).anchor(Anchor::Start);
    let words = if upwards { words.upwards() } else { words };
    let end = if upwards { line.at - words.width() } else { out.frame.x1 - line.at - words.width() };
    // A number that would be cut off is left out.
    if end > 4.0 {
        words.write(out.svg);
    }
}

/// The visible lines of an axis, by their pixels.
fn lines(axis: GridAxis) -> Vec<GridLine> {
    let GridAxis { scale, zero, length } = axis;
    let Some((tenth, unit)) = step(APART / scale.abs()) else { return Vec::new() };
    // The step is `unit` times 10 to the power of `tenth`.
    let power = 10_f64.powi(tenth.abs());
    let value = |n: f64| if tenth < 0 { n / power } else { n * power };
    let parts = if unit == 2.0 { 4.0 } else { 5.0 };
    let part = |k: f64| value(k * unit / parts);
    let ends = [0.0, length].map(|pixel| (pixel - zero) / scale / part(1.0));
    let (first, last) = (ends[0].min(ends[1]).ceil(), ends[0].max(ends[1]).floor());
    // Beyond 2^52 doubles cannot count.
    if !(last - first <= MOST && first.abs() < 4e15 && last.abs() < 4e15) {
        return Vec::new();
    }
    let mut lines = Vec::new();
    let mut k = first;
    while k <= last {
        let whole = k / parts;
        let number = (whole == whole.round()).then(|| {
            let places = usize::try_from(-tenth).unwrap_or(0);
            // No minus before a zero.
            format!("{:.places$}", value(whole * unit) + 0.0)
        });
        lines.push(GridLine { at: zero + scale * part(k), number });
        k += 1.0;
    }
    lines.sort_by(|a, b| a.at.total_cmp(&b.at));
    lines
}

/// The smallest round step of at least this length: 1, 2 or 5 times a power of ten, as that power and the
/// factor.
fn step(least: f64) -> Option<(i32, f64)> {
    if !(least > 1e-12 && least < 1e12) {
        return None;
    }
    let powers = -13..=12;
    let mut steps = powers.flat_map(|tenth: i32| [1.0, 2.0, 5.0].map(|unit| (tenth, unit)));
    steps.find(|(tenth, unit)| {
        let power = 10_f64.powi(tenth.abs());
        (if *tenth < 0 { unit / power } else { unit * power }) >= least
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_far_enough_apart() {
        assert_eq!(step(1.0), Some((0, 1.0)));
        assert_eq!(step(1.01), Some((0, 2.0)));
        assert_eq!(step(0.3), Some((-1, 5.0)));
        assert_eq!(step(60.0), Some((2, 1.0)));
        assert!(step(f64::NAN).is_none() && step(0.0).is_none() && step(f64::INFINITY).is_none());
        for (scale, length) in [(1.0, 400.0), (7.3, 1000.0), (0.004, 640.0), (-2.0, 300.0)] {
            let lines = lines(GridAxis { scale, zero: 31.0, length });
            let numbered: Vec<f64> = lines.iter().filter(|l| l.number.is_some()).map(|l| l.at).collect();
            assert!(numbered.len() >= 2, "{scale}");
            assert!(numbered.windows(2).all(|pair| pair[1] - pair[0] >= APART - 1e-9), "{scale}");
            for line in &lines {
                let Some(number) = &line.number else { continue };
                let value: f64 = number.parse().expect("a number");
                assert!((31.0 + scale * value - line.at).abs() < 1e-6, "{number} is not at {}", line.at);
            }
        }
        assert!(lines(GridAxis { scale: 1.0, zero: 1e300, length: 100.0 }).is_empty());
        assert!(lines(GridAxis { scale: 0.0, zero: 0.0, length: 100.0 }).is_empty());
    }
}
