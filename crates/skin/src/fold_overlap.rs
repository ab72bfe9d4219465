//! What a fill loses and gains without a loop of its outline: the winding of the paint with the loop and without it, along
//! scan lines.

use kurbo::{CubicBez, ParamCurve, PathEl, Point};

/// Chords of a curve.
const CHORDS: usize = 8;
/// Scan lines through a loop. The area between them changes continuously with the outlines.
const LINES: usize = 48;

/// A crossing of a scan line: where, by how much the winding of the fill changes there, and that of the loop.
pub(crate) type ScanCrossing = (f64, i32, i32);

/// The greatest number of crossings of a path with so many elements.
pub(crate) fn most_crossings(elements: usize) -> usize {
    // Those of the loop are crossings of the fill once more.
    2 * (CHORDS + 1) * elements
}

/// The outlines of a path with the winding of its paint.
pub(crate) struct Winding<'a> {
    pub(crate) elements: &'a [PathEl],
    /// Which subpaths are turned; without any, they are filled as they are.
    pub(crate) turned: &'a [bool],
    /// The sign of the subpath with the loop: -1 if it is turned.
    pub(crate) own: i32,
    /// The winding of what is the right way round, with subpaths turned.
    pub(crate) paint: f64,
}

impl Winding<'_> {
    /// The area whose right paint is lost without a loop, that which has it only without the loop, and the area of
    /// the loop. The parts of the loop are segments, each with the parameters between which it is in the loop.
    pub(crate) fn changed_areas(
        &self,
        parts: impl Iterator<Item = (CubicBez, [f64; 2])> + Clone,
        crossings: &mut Vec<ScanCrossing>,
    ) -> [f64; 3] {
        let ends = parts.clone().flat_map(|(curve, [from, to])| points(curve, from, to));
        let (low, high) = ends.fold(EMPTY, |range, p| widened(range, p.y));
        let height = (high - low) / LINES as f64;
        let (mut lost, mut gained, mut all) = (0.0, 0.0, 0.0);
        for line in 0..LINES {
            let y = low + (line as f64 + 0.5) * height;
            self.scan(y, crossings);
            for (curve, ends) in parts.clone() {
                cross(&curve, ends, y, |x, turn| crossings.push((x, 0, turn * self.own)));
            }
            crossings.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            let (mut now, mut own) = (0, 0);
            for pair in crossings.windows(2) {
                now += pair[0].1;
                own += pair[0].2;
                let width = pair[1].0 - pair[0].0;
                all += if own == 0 { 0.0 } else { width };
                match (self.is_right(now), self.is_right(now - own)) {
                    (true, false) => lost += width,
                    // What is inside out is painted, too.
                    (false, true) if now == 0 => gained += width,
                    _ => {}
                }
            }
        }
        [lost, gained, all].map(|widths| widths * height)
    }

    /// The area that is the right way round.
    pub(crate) fn right_area(&self, crossings: &mut Vec<ScanCrossing>) -> f64 {
        let (mut low, mut high) = EMPTY;
        each_curve(self.elements, |curve, _| {
            for p in [curve.p0, curve.p1, curve.p2, curve.p3] {
                (low, high) = widened((low, high), p.y);
            }
        });
        let height = (high - low) / LINES as f64;
        let mut right = 0.0;
        for line in 0..LINES {
            self.scan(low + (line as f64 + 0.5) * height, crossings);
            crossings.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            let mut now = 0;
            for pair in crossings.windows(2) {
                now += pair[0].1;
                right += if self.is_right(now) { pair[1].0 - pair[0].0 } else { 0.0 };
            }
        }
        right * height
    }

    fn is_right(&self, winding: i32) -> bool {
        self.paint * f64::from(winding) > 0.0
    }

    /// The crossings of the outlines and a line along x.
    fn scan(&self, y: f64, crossings: &mut Vec<ScanCrossing>) {
        crossings.clear();
        each_curve(self.elements, |curve, subpath| {
            let sign = sign(self.turned, subpath);
            cross(&curve, [0.0, 1.0], y, |x, turn| crossings.push((x, turn * sign, 0)));
        });
    }
}

/// The sign of the windings of a subpath.
pub(crate) fn sign(turned: &[bool], subpath: usize) -> i32 {
    if turned.get(subpath) == Some(&true) { -1 } else { 1 }
}

/// No values.
const EMPTY: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

fn widened((low, high): (f64, f64), value: f64) -> (f64, f64) {
    (low.min(value), high.max(value))
}

/// The ends of the chords of a curve between two parameters.
fn points(curve: CubicBez, from: f64, to: f64) -> impl Iterator<Item = Point> + Clone {
    let inner = (1..CHORDS).map(|chord| chord as f64 / CHORDS as f64).filter(move |t| from < *t && *t < to);
    std::iter::once(from).chain(inner).chain(std::iter::once(to)).map(move |t| curve.eval(t))
}

/// Calls with the curves of filled outlines, closed as a fill closes them, and the numbers of their subpaths.
fn each_curve(elements: &[PathEl], mut each: impl FnMut(CubicBez, usize)) {
    let (mut start, mut last) = (Point::ORIGIN, Point::ORIGIN);
    let mut next = 0_usize;
    for element in elements {
        let subpath = next.saturating_sub(1);
        let curve = match *element {
            PathEl::MoveTo(to) => {
                if next > 0 {
                    each(side(last, start), subpath);
                }
                (start, last) = (to, to);
                next += 1;
                continue;
            }
            PathEl::LineTo(to) => side(last, to),
            PathEl::CurveTo(a, b, to) => CubicBez::new(last, a, b, to),
            PathEl::QuadTo(a, to) => kurbo::QuadBez::new(last, a, to).raise(),
            PathEl::ClosePath => side(last, start),
        };
        last = curve.p3;
        each(curve, subpath);
    }
    each(side(last, start), next.saturating_sub(1));
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

/// A straight side.
pub(crate) fn side(from: Point, to: Point) -> CubicBez {
    CubicBez::new(from, from.lerp(to, 1.0 / 3.0), to.lerp(from, 1.0 / 3.0), to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kurbo::BezPath;

    fn areas(svg: &str, turned: &[bool], lines: &[[(f64, f64); 2]], paint: f64) -> [f64; 3] {
        let path = BezPath::from_svg(svg).expect("path data");
        let parts = lines.iter().map(|[from, to]| (side((*from).into(), (*to).into()), [0.0, 1.0]));
        Winding { elements: path.elements(), turned, own: 1, paint }.changed_areas(parts, &mut Vec::new())
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
        assert_eq!(areas("M10 0H20V10H10Z", &[], &with, 1.0), [100.0, 0.0, 100.0]);
        assert_eq!(areas("M10 0H20V10H10ZM0 -5H15V15H0Z", &[], &with, 1.0), [50.0, 0.0, 100.0]);
        assert_eq!(areas("M10 0V10H20V0Z", &[], &against, 1.0), [0.0, 0.0, 100.0]);
        assert_eq!(areas("M10 0V10H20V0ZM0 -5H15V15H0Z", &[], &against, 1.0), [0.0, 50.0, 100.0]);
    }

    /// A band that goes around the other way is turned where it is painted: what is the right way round in it is as in
    /// the first picture, and what is inside out takes paint away.
    #[test]
    fn windings_are_those_of_turned_subpaths() {
        let square = [[(10.0, 0.0), (20.0, 0.0)], [(20.0, 10.0), (10.0, 10.0)]];
        let square = [square[0], [(20.0, 0.0), (20.0, 10.0)], square[1], [(10.0, 10.0), (10.0, 0.0)]];
        let turned = [false, true];
        let (other_way, same_way) = ("M10 0H20V10H10ZM0 -5V15H15V-5Z", "M10 0H20V10H10ZM0 -5H15V15H0Z");
        assert_eq!(areas(other_way, &turned, &square, 1.0), areas(same_way, &[], &square, 1.0));
        assert_eq!(areas(same_way, &turned, &square, 1.0), areas(other_way, &[], &square, 1.0));
    }
}
