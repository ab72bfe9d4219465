//! What a fill loses and gains without a loop of its outline: the winding of the paint with the loop and without it, along
//! scan lines.

use kurbo::{CubicBez, ParamCurve, PathEl, Point};

use crate::fold::side;

/// Chords of a curve.
const CHORDS: usize = 8;
/// Scan lines through a loop. The area between them changes continuously with the outlines.
const LINES: usize = 16;

/// A crossing of a scan line: where, by how much the winding of the fill changes there, and that of the loop.
pub(crate) type ScanCrossing = (f64, i32, i32);

/// The greatest number of crossings of a path with so many elements.
pub(crate) fn most_crossings(elements: usize) -> usize {
    // Those of the loop are crossings of the fill once more.
    2 * (CHORDS + 1) * elements
}

/// The area whose right paint is lost without a loop, that which has it only without the loop, and the area of the
/// loop. The parts of the loop are segments, each
/// with the parameters between which it is in the loop; `paint` is the winding of what is the right way round.
pub(crate) fn changed_areas(
    elements: &[PathEl],
    parts: impl Iterator<Item = (CubicBez, [f64; 2])> + Clone,
    paint: f64,
    crossings: &mut Vec<ScanCrossing>,
) -> [f64; 3] {
    let ends = parts.clone().flat_map(|(curve, [from, to])| points(curve, from, to));
    let (low, high) =
        ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p.y), high.max(p.y)));
    let height = (high - low) / LINES as f64;
    let (mut lost, mut gained, mut all) = (0.0, 0.0, 0.0);
    for line in 0..LINES {
        let y = low + (line as f64 + 0.5) * height;
        crossings.clear();
        each_curve(elements, |curve| cross(&curve, [0.0, 1.0], y, |x, turn| crossings.push((x, turn, 0))));
        for (curve, ends) in parts.clone() {
            cross(&curve, ends, y, |x, turn| crossings.push((x, 0, turn)));
        }
        crossings.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let (mut now, mut own) = (0, 0);
        for pair in crossings.windows(2) {
            now += pair[0].1;
            own += pair[0].2;
            let width = pair[1].0 - pair[0].0;
            all += if own == 0 { 0.0 } else { width };
            let is_right = |winding: i32| paint * f64::from(winding) > 0.0;
            match (is_right(now), is_right(now - own)) {
                (true, false) => lost += width,
                // What is inside out is painted, too.
                (false, true) if now == 0 => gained += width,
                _ => {}
            }
        }
    }
    [lost, gained, all].map(|widths| widths * height)
}

/// The ends of the chords of a curve between two parameters.
fn points(curve: CubicBez, from: f64, to: f64) -> impl Iterator<Item = Point> + Clone {
    let inner = (1..CHORDS).map(|chord| chord as f64 / CHORDS as f64).filter(move |t| from < *t && *t < to);
    std::iter::once(from).chain(inner).chain(std::iter::once(to)).map(move |t| curve.eval(t))
}

/// Calls with the curves of filled outlines, closed as a fill closes them.
fn each_curve(elements: &[PathEl], mut each: impl FnMut(CubicBez)) {
    let (mut start, mut last) = (Point::ORIGIN, Point::ORIGIN);
    for element in elements {
        let curve = match *element {
            PathEl::MoveTo(to) => {
                each(side(last, start));
                (start, last) = (to, to);
                continue;
            }
            PathEl::LineTo(to) => side(last, to),
            PathEl::CurveTo(a, b, to) => CubicBez::new(last, a, b, to),
            PathEl::QuadTo(a, to) => kurbo::QuadBez::new(last, a, to).raise(),
            PathEl::ClosePath => side(last, start),
        };
        last = curve.p3;
        each(curve);
    }
    each(side(last, start));
}

/// Calls with the crossings of a curve and a line along x, and 1 where the curve goes against y or else -1.
fn cross(curve: &CubicBez, [from, to]: [f64; 2], y: f64, mut each: impl FnMut(f64, i32)) {
    let all = [curve.p0, curve.p1, curve.p2, curve.p3];
    if all.iter().all(|p| p.y <= y) || all.iter().all(|p| p.y > y) {
        return;
    }
    let mut ends = points(*curve, from, to);
    let Some(mut last) = ends.next() else { return };
    for end in ends {
        if (last.y <= y) != (end.y <= y) {
            let x = last.x + (end.x - last.x) * (y - last.y) / (end.y - last.y);
            each(x, if end.y < last.y { 1 } else { -1 });
        }
        last = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kurbo::BezPath;

    fn areas(svg: &str, lines: &[[(f64, f64); 2]], paint: f64) -> [f64; 3] {
        let path = BezPath::from_svg(svg).expect("path data");
        let parts = lines.iter().map(|[from, to]| (side((*from).into(), (*to).into()), [0.0, 1.0]));
        changed_areas(path.elements(), parts, paint, &mut Vec::new())
    }

    /// A square over the right half of a band: without it that half is lost. A square against the band loses nothing;
    /// in the half with both there is paint only without it.
    #[test]
    fn what_a_loop_paints_and_takes_away() {
        let square = [(10.0, 0.0), (20.0, 0.0), (20.0, 10.0), (10.0, 10.0)];
        let sides = |order: [usize; 5]| -> Vec<_> {
            order.windows(2).map(|ends| [square[ends[0]], square[ends[1]]]).collect()
        };
        let (with, against) = (sides([0, 1, 2, 3, 0]), sides([0, 3, 2, 1, 0]));
        assert_eq!(areas("M10 0H20V10H10Z", &with, 1.0), [100.0, 0.0, 100.0]);
        assert_eq!(areas("M10 0H20V10H10ZM0 -5H15V15H0Z", &with, 1.0), [50.0, 0.0, 100.0]);
        assert_eq!(areas("M10 0V10H20V0Z", &against, 1.0), [0.0, 0.0, 100.0]);
        assert_eq!(areas("M10 0V10H20V0ZM0 -5H15V15H0Z", &against, 1.0), [0.0, 50.0, 100.0]);
    }
}
