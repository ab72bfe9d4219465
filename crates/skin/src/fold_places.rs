//! What folds need to know of a path at rest, found when it is bound: on which side its paint lies, how far it is
//! from its bones, and along which length its weights change.

use bone_core::Skeleton;
use kurbo::{Line, ParamCurveNearest, PathEl, Point, Rect, Vec2};

use crate::fold_place::FoldPlace;
use crate::options::WindingRule;
use crate::skin::Skin;

/// Bones with a smaller weight are not near a place.
const SMALL_WEIGHT: f64 = 0.05;
/// The greatest slope of weights that change smoothly, as a multiple of the mean: that of `3 t² - 2 t³`.
const STEEPEST: f64 = 1.5;
/// The places of a subpath at which its winding is looked at.
const PLACES: usize = 16;
/// Arms that are nearer at rest than this share of the path's box meet in the drawing.
const MEETS: f64 = 1e-3;

/// A part of a flattened outline.
#[derive(Clone, Copy)]
struct OutlineChord {
    from: Point,
    to: Point,
}

/// The chords of a path, with what a fill closes, and the first chord of each element.
struct Chords {
    all: Vec<OutlineChord>,
    starts: Vec<usize>,
}

impl Chords {
    fn new(elements: &[PathEl], tolerance: f64) -> Self {
        let (mut all, mut starts) = (Vec::new(), Vec::with_capacity(elements.len() + 1));
        let (mut start, mut last) = (Point::ORIGIN, Point::ORIGIN);
        let close = |all: &mut Vec<OutlineChord>, from: Point, to: Point| {
            if from != to {
                all.push(OutlineChord { from, to });
            }
        };
        for element in elements {
            starts.push(all.len());
            match element {
                PathEl::MoveTo(to) => {
                    close(&mut all, last, start);
                    if let Some(own) = starts.last_mut() {
                        *own = all.len();
                    }
                    (start, last) = (*to, *to);
                }
                PathEl::ClosePath => {
                    close(&mut all, last, start);
                    last = start;
                }
                drawn => {
                    kurbo::flatten([PathEl::MoveTo(last), *drawn], tolerance, |to| {
                        if let PathEl::LineTo(to) = to {
                            all.push(OutlineChord { from: last, to });
                            last = to;
                        }
                    });
                }
            }
        }
        starts.push(all.len());
        close(&mut all, last, start);
        Self { all, starts }
    }

    /// A chord in the middle of an element.
    fn middle_of(&self, element: usize) -> Option<usize> {
        let (start, end) = (*self.starts.get(element)?, *self.starts.get(element + 1)?);
        (start < end).then_some((start + end) / 2)
    }

    /// The winding of the paint beside a chord. Windings are positive where the outline turns from x to y.
    ///
    /// A ray from the middle of the chord, across it, counts the others; the two sides of the chord differ by
    /// its own crossing.
    fn paint(&self, at: usize, rule: WindingRule) -> i8 {
        let OutlineChord { from, to } = self.all[at];
        let middle = from.midpoint(to);
        let is_steep = (to.y - from.y).abs() >= (to.x - from.x).abs();
        // Where the ray goes against x, and mirrored, where it goes against y.
        let turned = |p: Point| if is_steep { (p.x, p.y) } else { (p.y, p.x) };
        let up = |chord: &OutlineChord| turned(chord.to).1 < turned(chord.from).1;
        let sign = |chord: &OutlineChord| if up(chord) == is_steep { 1_i32 } else { -1 };
        let (x, y) = turned(middle);
        let crosses = |chord: &OutlineChord| {
            let ((ax, ay), (bx, by)) = (turned(chord.from), turned(chord.to));
            (ay <= y) != (by <= y) && ax + (bx - ax) * (y - ay) / (by - ay) < x
        };
        let others = self.all.iter().enumerate().filter(|(other, chord)| *other != at && crosses(chord));
        let before: i32 = others.map(|(_, chord)| sign(chord)).sum();
        let own = sign(&self.all[at]);
        match rule {
            WindingRule::NonZero => (2 * before + own).signum() as i8,
            // The side with the greater winding is the inner one of the subpath alone.
            WindingRule::EvenOdd => {
                let is_greater_odd = (before + own.max(0)) % 2 != 0;
                if is_greater_odd { 1 } else { -1 }
            }
        }
    }
}

impl Chords {
    /// Whether the paint beside each subpath has the winding -1, if it has the same one all along each: then a picture
    /// has these subpaths turned, so that all of its paint has one winding. Empty if nothing is turned.
    fn turned(&self, elements: &[PathEl], rule: WindingRule) -> Vec<bool> {
        let mut turned: Vec<bool> = Vec::new();
        let is_move = |element: &PathEl| matches!(element, PathEl::MoveTo(_));
        for (start, _) in elements.iter().enumerate().filter(|(_, element)| is_move(element)) {
            let end =
                elements[start + 1..].iter().position(is_move).map_or(elements.len(), |at| start + 1 + at);
            let step = (end - start).div_ceil(PLACES).max(1);
            let middles = (start + 1..end).step_by(step).filter_map(|element| self.middle_of(element));
            let mut signs = middles.map(|chord| self.paint(chord, rule)).filter(|sign| *sign != 0);
            let first = signs.next().unwrap_or(1);
            if signs.any(|sign| sign != first) {
                return Vec::new();
            }
            turned.push(first < 0);
        }
        if rule == WindingRule::NonZero && turned.windows(2).all(|pair| pair[0] == pair[1]) {
            turned.clear();
        }
        turned
    }
}

/// Adds the places of all directions of a skin of one path. Returns the distance at rest below which arms of its
/// outlines meet, and which subpaths have to be turned.
pub(crate) fn add_fold_places(
    skin: &mut Skin,
    elements: &[PathEl],
    curves: Option<(&Skeleton, f64)>,
    fill: Option<WindingRule>,
) -> (f64, Vec<bool>) {
    skin.fold_places = vec![FoldPlace::default(); skin.directions.len()];
    let Some((skeleton, tolerance)) = curves else { return (0.0, Vec::new()) };
    let Some(first) = skin.points.first() else { return (0.0, Vec::new()) };
    let bounds = skin.points.iter().fold(Rect::from_points(*first, *first), |all, p| all.union_pt(*p));
    let size = bounds.width().max(bounds.height());
    for (at, direction) in skin.directions.iter().enumerate() {
        let Some(slope) = direction.slope else { continue };
        let place = &mut skin.fold_places[at];
        place.depth = depth(skin.table.row(direction.row), skeleton, direction.at).min(size);
        let steepest = skin.table.gradient(slope).iter().map(|(_, by)| by.abs()).fold(0.0, f64::max);
        let spread = STEEPEST * direction.tangent.hypot() / steepest;
        place.spread = if spread.is_finite() { spread.min(size) } else { size };
    }
    /// An outline that is larger has no chords that could be counted.
    const MOST_SIZE: f64 = 1e100;
    /// The least tolerance of chords, as a share of the outline: some ten thousand for each element.
    const FINEST: f64 = 1e-9;
    let mut turned = Vec::new();
    if let Some(rule) = fill.filter(|_| size < MOST_SIZE && !skin.directions.is_empty()) {
        let chords = Chords::new(elements, tolerance.max(FINEST * size));
        let ends = ends_of_elements(elements);
        for segment in &skin.deforming_segments {
            let before = ends.partition_point(|end| *end <= segment.point);
            let middle = before + segment.pieces.len() / 2;
            let paint = chords.middle_of(middle).map_or(0, |chord| chords.paint(chord, rule));
            for piece in &skin.pieces[segment.pieces.clone()] {
                piece.directions.iter().for_each(|at| skin.fold_places[*at as usize].paint = paint);
            }
        }
        turned = chords.turned(elements, rule);
    }
    ((MEETS * size).max(2.0 * tolerance), turned)
}

/// The number of points up to the end of each element, less one: the place of its last point.
fn ends_of_elements(elements: &[PathEl]) -> Vec<usize> {
    let mut points = 0;
    let count = |element: &PathEl| match element {
        PathEl::MoveTo(_) | PathEl::LineTo(_) => 1,
        PathEl::QuadTo(..) => 2,
        PathEl::CurveTo(..) => 3,
        PathEl::ClosePath => 0,
    };
    let end = |element| {
        points += count(element);
        points - 1_usize
    };
    elements.iter().map(end).collect()
}

/// The distance of a place from the nearest of its bones. Bones of a larger skeleton are nowhere.
fn depth(row: &[crate::blend::Influence], skeleton: &Skeleton, at: Point) -> f64 {
    let distance = |bone| {
        let (origin, tip) = (skeleton.setup_origin(bone), skeleton.setup_tip(bone));
        Line::new(origin, tip).nearest(at, 1e-6).distance_sq.sqrt()
    };
    let near = row.iter().filter(|(_, weight)| *weight >= SMALL_WEIGHT).map(|(bone, _)| *bone);
    let near = near.filter(|bone| skeleton.contains(*bone)).map(distance);
    near.fold(f64::INFINITY, f64::min)
}

/// The tangent of half the angle between two vectors, at most that of half of 150 degrees.
pub(crate) fn tan_half_angle(a: Vec2, b: Vec2) -> f64 {
    /// `tan(75°)` is `2 + sqrt(3)`.
    const MOST: f64 = 3.732_050_807_568_877;
    // tan(x / 2) = sin x / (1 + cos x)
    let below = a.hypot() * b.hypot() + a.dot(b);
    let tan = a.cross(b).abs() / below;
    if tan.is_finite() { tan.min(MOST) } else { MOST }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kurbo::BezPath;

    fn paint_of(svg: &str, element: usize, rule: WindingRule) -> i8 {
        let path = BezPath::from_svg(svg).expect("path data");
        let chords = Chords::new(path.elements(), 0.01);
        chords.paint(chords.middle_of(element).expect("drawn"), rule)
    }

    /// Squares from x to y have the winding 1, their holes do not change that of the paint.
    #[test]
    fn paint_is_beside_outlines() {
        let ring = "M0 0H10V10H0ZM3 3V7H7V3ZM20 0V10H30V0Z";
        for (element, expected) in
            [(1, 1), (2, 1), (3, 1), (4, 1), (6, 1), (7, 1), (8, 1), (11, -1), (12, -1)]
        {
            assert_eq!(paint_of(ring, element, WindingRule::NonZero), expected, "element {element}");
        }
        // Both outlines from x to y: the hole has its paint outside.
        let same = "M0 0H10V10H0ZM3 3H7V7H3Z";
        for (element, expected) in [(1, 1), (2, 1), (3, 1), (6, -1), (7, -1), (8, -1)] {
            assert_eq!(paint_of(same, element, WindingRule::EvenOdd), expected, "element {element}");
        }
    }

    /// What a fill closes counts.
    #[test]
    fn open_outlines_have_paint() {
        for element in [1, 2, 3] {
            assert_eq!(paint_of("M0 0H10V10H0", element, WindingRule::NonZero), 1, "element {element}");
            assert_eq!(paint_of("M0 0V10H10V0", element, WindingRule::NonZero), -1, "element {element}");
        }
    }

    #[test]
    fn half_angles() {
        let x = Vec2::new(2.0, 0.0);
        assert!((tan_half_angle(x, Vec2::new(0.0, 3.0)) - 1.0).abs() < 1e-12);
        assert!((tan_half_angle(x, Vec2::new(3.0, -3.0)) - (2.0_f64.sqrt() - 1.0)).abs() < 1e-12);
        assert!((tan_half_angle(x, Vec2::new(-1.0, 0.0)) - 3.732).abs() < 1e-3);
    }

    #[test]
    fn subpaths_that_are_turned() {
        let turned = |svg: &str, rule| {
            let path = BezPath::from_svg(svg).expect("path data");
            Chords::new(path.elements(), 0.01).turned(path.elements(), rule)
        };
        use WindingRule::{EvenOdd, NonZero};
        // Two parts that go around in opposite directions, and a hole.
        assert_eq!(turned("M0 0H10V10H0ZM20 0V10H30V0Z", NonZero), [false, true]);
        assert_eq!(turned("M0 0H10V10H0ZM3 3V7H7V3Z", NonZero), [] as [bool; 0]);
        assert_eq!(turned("M0 0H10V10H0ZM3 3H7V7H3Z", EvenOdd), [false, true]);
        // Places of both windings are beside an outline that crosses itself.
        assert_eq!(turned("M0 0H10L0 10H10Z", NonZero), [] as [bool; 0]);
    }
}
