//! Shapes of which every place has the winding 0 or 1: where subpaths can be turned so that this gives the picture
//! of the shape, by either rule. As the shape bends, parts of it that lie over each other then stay painted: by
//! the even-odd rule they would become holes, and so would windings of 1 and -1 by the other one.

use kurbo::{BezPath, PathEl, Point, Rect};

use crate::paint::FillRule;

/// Crossings of a scan line that are nearer to each other than this share of the shape have no order.
const TOUCH: f64 = 1e-7;
/// The greatest share of the shape's box in which the windings may be others.
const OFF: f64 = 1e-7;
/// Chords keep to the outlines within this share of the shape.
const FLAT: f64 = 1e-4;
/// Shapes of this size and more are not looked at: the squares of their numbers overflow.
const HUGE: f64 = 1e100;
/// Where in a strip between ends of chords scan lines are.
const LINES: [f64; 3] = [0.01, 0.5, 0.99];

struct Chord {
    from: Point,
    to: Point,
    subpath: usize,
}

impl Chord {
    fn top(&self) -> f64 {
        self.from.y.min(self.to.y)
    }

    fn bottom(&self) -> f64 {
        self.from.y.max(self.to.y)
    }

    fn is_down(&self) -> bool {
        self.to.y > self.from.y
    }

    fn x_at(&self, y: f64) -> f64 {
        self.from.x + (self.to.x - self.from.x) * (y - self.from.y) / (self.to.y - self.from.y)
    }
}

/// Which subpaths of a shape have to be turned so that every place has the winding 0 or 1, or -1 in place of 1;
/// none if that is not possible. The first one is never turned.
///
/// Along a scan line the windings are 0 and 1 if the directions of crossings alternate.
pub(crate) fn turned_subpaths(path: &BezPath, rule: FillRule) -> Option<Vec<bool>> {
    let bounds = path.control_box();
    let size = bounds.width().max(bounds.height());
    if !path.is_finite() || size >= HUGE {
        return None;
    }
    let (mut chords, count) = chords(path, FLAT * size);
    // Subpaths of one direction stay. Where a place has the winding 2 or -2 the rules give different pictures.
    if rule == FillRule::NonZero
        && (have_one_direction(&chords, count) || doubled(&mut chords) > OFF * bounds.area())
    {
        return None;
    }
    if count < 2 {
        return is_simple(&mut chords, count, bounds).then(|| vec![false; count]);
    }
    let votes = votes(&mut chords, count, size);
    let off: f64 = votes.iter().map(|[with, against]| with.min(*against)).sum();
    if off > OFF * bounds.area() {
        return None;
    }
    let turned = |[with, against]: &[f64; 2]| against > with;
    let first = turned(&votes[0]);
    Some(votes.iter().map(|votes| turned(votes) != first).collect())
}

/// Whether one subpath alone has no place with another winding.
fn is_simple(chords: &mut [Chord], count: usize, bounds: Rect) -> bool {
    let votes = votes(chords, count, bounds.width().max(bounds.height()));
    votes.iter().map(|[with, against]| with.min(*against)).sum::<f64>() <= OFF * bounds.area()
}

/// Whether no two subpaths go around in opposite directions.
fn have_one_direction(chords: &[Chord], count: usize) -> bool {
    let mut areas = vec![0.0; count.max(1)];
    chords
        .iter()
        .for_each(|chord| areas[chord.subpath] += (chord.from.x + chord.to.x) * (chord.to.y - chord.from.y));
    !(areas.iter().any(|area| *area > 0.0) && areas.iter().any(|area| *area < 0.0))
}

/// The chords that are not level, closed as a fill closes them, and the number of subpaths.
fn chords(path: &BezPath, tolerance: f64) -> (Vec<Chord>, usize) {
    let (mut chords, mut count) = (Vec::new(), 0_usize);
    let (mut start, mut last) = (Point::ORIGIN, Point::ORIGIN);
    let mut add = |from: Point, to: Point, count: usize| {
        if from.y != to.y {
            chords.push(Chord { from, to, subpath: count.saturating_sub(1) });
        }
    };
    kurbo::flatten(subpaths(path), tolerance, |element| match element {
        PathEl::MoveTo(to) => {
            add(last, start, count);
            count += 1;
            (start, last) = (to, to);
        }
        PathEl::ClosePath => {
            add(last, start, count);
            last = start;
        }
        PathEl::LineTo(to) => {
            add(last, to, count);
            last = to;
        }
        PathEl::QuadTo(..) | PathEl::CurveTo(..) => {}
    });
    add(last, start, count);
    (chords, count)
}

/// The elements of a path in which every subpath begins with a move.
fn subpaths(path: &BezPath) -> impl Iterator<Item = PathEl> + '_ {
    let (mut start, mut is_closed) = (Point::ORIGIN, false);
    path.elements().iter().flat_map(move |element| {
        let restart = is_closed && !matches!(element, PathEl::MoveTo(_));
        let begin = restart.then_some(PathEl::MoveTo(start));
        if let PathEl::MoveTo(to) = element {
            start = *to;
        }
        is_closed = *element == PathEl::ClosePath;
        begin.into_iter().chain([*element])
    })
}

/// The area beside the crossings of each subpath where its direction alternates with those of others, and where
/// it does not.
fn votes(chords: &mut [Chord], count: usize, size: f64) -> Vec<[f64; 2]> {
    let mut votes = vec![[0.0; 2]; count];
    scan(chords, |chords, crossings, height| {
        for (place, (x, at)) in crossings.iter().enumerate() {
            let before = place.checked_sub(1).map_or(f64::MAX, |before| x - crossings[before].0);
            let after = crossings.get(place + 1).map_or(f64::MAX, |after| after.0 - x);
            let gap = before.min(after);
            if gap > TOUCH * size && gap < f64::MAX {
                let alternates = chords[*at].is_down() == (place % 2 == 0);
                votes[chords[*at].subpath][usize::from(!alternates)] += gap * height;
            }
        }
    });
    votes
}

/// The area whose winding is neither 0 nor 1 nor -1.
fn doubled(chords: &mut [Chord]) -> f64 {
    let mut area = 0.0;
    scan(chords, |chords, crossings, height| {
        let mut winding = 0_i32;
        for pair in crossings.windows(2) {
            winding += if chords[pair[0].1].is_down() { 1 } else { -1 };
            if winding.abs() > 1 {
                area += (pair[1].0 - pair[0].0) * height;
            }
        }
    });
    area
}

/// Calls with the crossings of each scan line, from left to right, and the height for which the line stands.
fn scan(chords: &mut [Chord], mut each: impl FnMut(&[Chord], &[(f64, usize)], f64)) {
    chords.sort_by(|a, b| a.top().total_cmp(&b.top()));
    let mut ends: Vec<f64> = chords.iter().flat_map(|chord| [chord.from.y, chord.to.y]).collect();
    ends.sort_by(f64::total_cmp);
    ends.dedup();
    let (mut next, mut active): (usize, Vec<usize>) = (0, Vec::new());
    let mut crossings: Vec<(f64, usize)> = Vec::new();
    for strip in ends.windows(2) {
        active.retain(|at| chords[*at].bottom() > strip[0]);
        while chords.get(next).is_some_and(|chord| chord.top() <= strip[0]) {
            active.push(next);
            next += 1;
        }
        let height = (strip[1] - strip[0]) / LINES.len() as f64;
        for share in LINES {
            let y = strip[0] + share * (strip[1] - strip[0]);
            crossings.clear();
            crossings.extend(active.iter().map(|at| (chords[*at].x_at(y), *at)));
            crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
            each(chords, &crossings, height);
        }
    }
}

/// Appends a path, with some of its subpaths turned.
pub(crate) fn push_turned(
    path: &BezPath,
    turned: &[bool],
    map: impl Fn(PathEl) -> PathEl,
    out: &mut BezPath,
) {
    let mut subpath = 0;
    let mut first = out.elements().len();
    let end = |out: &mut BezPath, first: usize, subpath: usize| {
        if subpath > 0 && turned.get(subpath - 1) == Some(&true) {
            turn(&mut out.elements_mut()[first..]);
        }
    };
    for element in subpaths(path) {
        if matches!(element, PathEl::MoveTo(_)) {
            end(out, first, subpath);
            subpath += 1;
            first = out.elements().len();
        }
        out.push(map(element));
    }
    end(out, first, subpath);
}

/// Turns a subpath, in place.
fn turn(elements: &mut [PathEl]) {
    let closes = elements.last() == Some(&PathEl::ClosePath);
    let drawn = elements.len() - usize::from(closes);
    let elements = &mut elements[..drawn];
    let Some(PathEl::MoveTo(mut to)) = elements.first().copied() else { return };
    let Some(begin) = elements.last().and_then(PathEl::end_point) else { return };
    for element in elements.iter_mut().skip(1) {
        let from = std::mem::replace(&mut to, element.end_point().unwrap_or_default());
        *element = match *element {
            PathEl::QuadTo(a, _) => PathEl::QuadTo(a, from),
            PathEl::CurveTo(a, b, _) => PathEl::CurveTo(b, a, from),
            _ => PathEl::LineTo(from),
        };
    }
    elements[0] = PathEl::MoveTo(begin);
    elements[1..].reverse();
}

#[cfg(test)]
mod tests {
    use super::*;
    use kurbo::Shape;

    /// Both rules at points of a grid, before and after.
    #[test]
    fn turned_shapes_have_the_same_picture_by_windings() {
        for (svg, possible) in [
            ("M0 0H20V20H0ZM5 5H15V15H5Z", true),
            ("M0 0H20V20H0ZM5 5V15H15V5Z", true),
            ("M10 0C20 0 20 20 10 20S0 0 10 0ZM10 4C15 4 15 16 10 16S5 4 10 4ZM10 8H12V12H10", true),
            ("M0 0H9V9H0ZM11 0V9H20V0ZM2 2H7V7H2Z", true),
            // They touch at a side and at a corner.
            ("M0 0H10V10H0ZM10 0H20V10H10ZM10 10H15V20H10Z", true),
            ("M2 2H14V14H2ZM8 8H19V19H8Z", false),
            ("M10 0L16 19L0 7H20L4 19Z", false),
        ] {
            let path = BezPath::from_svg(svg).expect("path data");
            let turned = turned_subpaths(&path, FillRule::EvenOdd);
            assert_eq!(turned.is_some(), possible, "{svg}");
            let Some(turned) = turned else { continue };
            let mut other = BezPath::new();
            push_turned(&path, &turned, |element| element, &mut other);
            assert_eq!(other.elements().len(), path.elements().len(), "{svg}");
            let mut closed = [path.clone(), other.clone()];
            for path in &mut closed {
                path.close_path();
            }
            for at in 0..2500 {
                let at = Point::new(0.21 + 0.4 * f64::from(at % 50), 0.23 + 0.4 * f64::from(at / 50));
                let [before, after] = [closed[0].winding(at), closed[1].winding(at)];
                assert_eq!(before % 2 != 0, after != 0, "{svg} at {at:?}");
                assert!(after.abs() < 2, "{svg} at {at:?}");
            }
            let mut back = BezPath::new();
            push_turned(&other, &turned, |element| element, &mut back);
            assert_eq!(back, path, "{svg}: turned twice");
        }
    }

    /// By windings alone, too: the picture stays, and no place has another sign than others.
    #[test]
    fn opposite_parts_get_one_direction() {
        for (svg, expected) in [
            ("M0 0H9V9H0ZM11 0V9H20V0Z", Some([false, true])),
            ("M0 0H9V9H0ZM11 0H20V9H11Z", None),
            ("M0 0H1e200V9H0ZM11 0V9H20V0Z", None),
            ("M0 0H20V20H0ZM5 5V15H15V5Z", Some([false, false])),
            // A place has the winding 2, or the parts take each other away.
            ("M0 0H20V20H0ZM5 5H15V15H5Z", None),
            ("M0 0H12V12H0ZM8 8V19H19V8Z", None),
        ] {
            let path = BezPath::from_svg(svg).expect("path data");
            let turned = turned_subpaths(&path, FillRule::NonZero);
            assert_eq!(turned.as_deref(), expected.as_ref().map(<[bool; 2]>::as_slice), "{svg}");
            let Some(turned) = turned else { continue };
            let mut other = BezPath::new();
            push_turned(&path, &turned, |element| element, &mut other);
            for at in 0..2500 {
                let at = Point::new(0.21 + 0.4 * f64::from(at % 50), 0.23 + 0.4 * f64::from(at / 50));
                let [before, after] = [path.winding(at), other.winding(at)];
                assert_eq!(before != 0, after != 0, "{svg} at {at:?}");
                assert!((0..2).contains(&(after * other.winding(Point::new(1.0, 1.0)))), "{svg} at {at:?}");
            }
        }
    }
}
