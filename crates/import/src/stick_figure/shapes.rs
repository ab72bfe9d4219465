//! Path data: capsules, and smooth outlines through points.

use kurbo::{Point, Vec2};

use crate::fit::rounded;

/// A number of a drawing.
pub(super) fn n(value: f64) -> f64 {
    rounded(value, 1)
}

/// A closed outline through points (Catmull and Rom's spline as cubics).
pub(super) fn smooth(points: &[Point]) -> String {
    let count = points.len();
    let at = |index: usize| points[index % count];
    let mut data = format!("M{} {}", n(points[0].x), n(points[0].y));
    for index in 0..count {
        let (before, from, to, after) = (at(index + count - 1), at(index), at(index + 1), at(index + 2));
        let leave = from + (to - before) * (1.0 / 6.0);
        let arrive = to - (after - from) * (1.0 / 6.0);
        data.push_str(&format!(
            "C{} {} {} {} {} {}",
            n(leave.x),
            n(leave.y),
            n(arrive.x),
            n(arrive.y),
            n(to.x),
            n(to.y)
        ));
    }
    data + "Z"
}

/// A closed outline of straight lines.
pub(super) fn polygon(points: &[Point]) -> String {
    let corner = |(at, point): (usize, &Point)| {
        format!("{}{} {}", if at == 0 { "M" } else { "L" }, n(point.x), n(point.y))
    };
    points.iter().enumerate().map(corner).collect::<String>() + "Z"
}

/// A line that bends towards a point, as an element.
pub(super) fn bent_line([from, over, to]: [Point; 3], stroke: &str, width: f64) -> String {
    format!(
        "<path d=\"M{} {}Q{} {} {} {}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{}\" stroke-linecap=\"round\"/>",
        n(from.x),
        n(from.y),
        n(over.x),
        n(over.y),
        n(to.x),
        n(to.y),
        n(width.max(0.6))
    )
}

/// An ellipse as an element.
pub(super) fn ellipse(centre: Point, rx: f64, ry: f64, fill: &str) -> String {
    format!(
        "<ellipse cx=\"{}\" cy=\"{}\" rx=\"{}\" ry=\"{}\" fill=\"{fill}\"/>",
        n(centre.x),
        n(centre.y),
        n(rx.max(0.3)),
        n(ry.max(0.3))
    )
}

/// The outline of two circles joined by their outer tangents.
pub(super) fn capsule(from: Point, to: Point, r0: f64, r1: f64) -> String {
    let way = to - from;
    let length = way.hypot();
    if length <= (r0 - r1).abs() + 1e-6 {
        let (centre, r) = if r0 > r1 { (from, r0) } else { (to, r1) };
        return format!(
            "M{} {}A{r} {r} 0 0 1 {} {}A{r} {r} 0 0 1 {} {}Z",
            n(centre.x - r),
            n(centre.y),
            n(centre.x + r),
            n(centre.y),
            n(centre.x - r),
            n(centre.y),
            r = n(r)
        );
    }
    let d = way / length;
    let c = (r0 - r1) / length;
    let s = (1.0 - c * c).sqrt();
    let side = Vec2::new(-d.y, d.x) * s;
    let (left, right) = (d * c + side, d * c - side);
    let points = [from + right * r0, to + right * r1, to + left * r1, from + left * r0];
    // The arc at the thicker end is the longer one.
    let (large0, large1) = (u8::from(r0 > r1), u8::from(r1 > r0));
    format!(
        "M{} {}L{} {}A{r1} {r1} 0 {large1} 1 {} {}L{} {}A{r0} {r0} 0 {large0} 1 {} {}Z",
        n(points[0].x),
        n(points[0].y),
        n(points[1].x),
        n(points[1].y),
        n(points[2].x),
        n(points[2].y),
        n(points[3].x),
        n(points[3].y),
        n(points[0].x),
        n(points[0].y),
        r0 = n(r0),
        r1 = n(r1)
    )
}
