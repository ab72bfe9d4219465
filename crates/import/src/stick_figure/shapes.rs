//! Path data: capsules, and smooth outlines through points.

use kurbo::{Point, Vec2};

use crate::fit::rounded;

/// A number of a drawing.
pub(super) fn n(value: f64) -> f64 {
    rounded(value, 1)
}

/// A place as path data have it.
pub(super) fn xy(at: Point) -> String {
    format!("{} {}", n(at.x), n(at.y))
}

/// A closed outline through points (Catmull and Rom's spline as cubics).
pub(super) fn smooth(points: &[Point]) -> String {
    let count = points.len();
    let at = |index: usize| points[index % count];
    let piece = |index: usize| {
        let (before, from, to, after) = (at(index + count - 1), at(index), at(index + 1), at(index + 2));
        let leave = from + (to - before) * (1.0 / 6.0);
        let arrive = to - (after - from) * (1.0 / 6.0);
        format!("C{} {} {}", xy(leave), xy(arrive), xy(to))
    };
    format!("M{}{}Z", xy(points[0]), (0..count).map(piece).collect::<String>())
}

/// The points of an outline, written like those of a polygon in SVG: `-0.5,1 0,2`.
pub(super) fn points(text: &str) -> Vec<(f64, f64)> {
    let number = |word: &str| word.parse().unwrap_or_default();
    let point = |word: &str| word.split_once(',').map(|(x, y)| (number(x), number(y)));
    text.split(' ').filter_map(point).collect()
}

/// An outline and its mirror image, which is run through backwards: the second numbers change their sign. A
/// point on the axis is there once.
pub(super) fn symmetric(half: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let other = half.iter().rev().filter(|point| point.1 != 0.0).map(|&(along, aside)| (along, -aside));
    half.iter().copied().chain(other).collect()
}

/// A closed outline through the places of points.
pub(super) fn outline(points: &[(f64, f64)], at: impl Fn(f64, f64) -> Point) -> String {
    smooth(&points.iter().map(|&(a, b)| at(a, b)).collect::<Vec<_>>())
}

/// A closed outline of straight lines.
pub(super) fn polygon(points: &[Point]) -> String {
    let corners: Vec<String> = points.iter().map(|point| xy(*point)).collect();
    format!("M{}Z", corners.join("L"))
}

/// A line that bends towards a point, as an element.
pub(super) fn bent_line(points: [Point; 3], stroke: &str, width: f64) -> String {
    let [from, over, to] = points.map(xy);
    let width = n(width.max(0.6));
    format!(
        "<path d=\"M{from}Q{over} {to}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{width}\" stroke-linecap=\"round\"/>"
    )
}

/// An ellipse as an element.
pub(super) fn ellipse(centre: Point, rx: f64, ry: f64, fill: &str) -> String {
    let [cx, cy, rx, ry] = [centre.x, centre.y, rx.max(0.3), ry.max(0.3)].map(n);
    format!("<ellipse cx=\"{cx}\" cy=\"{cy}\" rx=\"{rx}\" ry=\"{ry}\" fill=\"{fill}\"/>")
}

/// The outline of two circles joined by their outer tangents.
pub(super) fn capsule(from: Point, to: Point, r0: f64, r1: f64) -> String {
    let way = to - from;
    let length = way.hypot();
    if length <= (r0 - r1).abs() + 1e-6 {
        let (centre, r) = if r0 > r1 { (from, r0) } else { (to, r1) };
        let [left, right] = [-r, r].map(|x| xy(centre + Vec2::new(x, 0.0)));
        let r = n(r);
        return format!("M{left}A{r} {r} 0 0 1 {right}A{r} {r} 0 0 1 {left}Z");
    }
    let d = way / length;
    let c = (r0 - r1) / length;
    let s = (1.0 - c * c).sqrt();
    let side = Vec2::new(-d.y, d.x) * s;
    let (left, right) = (d * c + side, d * c - side);
    let ends = [from + right * r0, to + right * r1, to + left * r1, from + left * r0];
    // The arc at the thicker end is the longer one.
    let (large0, large1) = (u8::from(r0 > r1), u8::from(r1 > r0));
    let ([a, b, c, d], r0, r1) = (ends.map(xy), n(r0), n(r1));
    format!("M{a}L{b}A{r1} {r1} 0 {large1} 1 {c}L{d}A{r0} {r0} 0 {large0} 1 {a}Z")
}
