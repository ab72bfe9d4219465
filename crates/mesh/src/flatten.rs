//! Curves as straight pieces. How many a curve has depends on where it rests, so that it has as many in each pose.

use kurbo::{BezPath, ParamCurve, PathEl, Point};

/// Most pieces of a curve.
const MOST_PIECES: f64 = 512.0;
/// A curve that rests straight is cut as if it bent by this share of its length.
const SPARE_BEND: f64 = 0.02;

/// An outline as closed polygons.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Polygons {
    pub(crate) points: Vec<Point>,
    /// Where each polygon ends in `points`.
    pub(crate) ends: Vec<usize>,
}

/// How far a curve bends: with n pieces it is nowhere farther from them than this divided by n^2. (Wang's formula:
/// Goldman, Pyramid Algorithms, 2003, section 5.6.3.) With the length of its polygon; none for what is straight.
fn bend(from: Point, element: PathEl) -> Option<(f64, f64)> {
    match element {
        PathEl::QuadTo(b, c) => {
            let bend = 0.25 * ((from - b) + (c - b)).hypot();
            Some((bend, from.distance(b) + b.distance(c)))
        }
        PathEl::CurveTo(b, c, d) => {
            let (first, second) = ((from - b) + (c - b), (b - c) + (d - c));
            let (first, second) = (first.hypot2(), second.hypot2());
            let bend = 0.75 * if first > second { first } else { second }.sqrt();
            Some((bend, from.distance(b) + b.distance(c) + c.distance(d)))
        }
        _ => None,
    }
}

/// Calls a function with each curve and the point from which it leads.
fn each_curve(path: &BezPath, mut each: impl FnMut(Point, PathEl)) {
    let (mut at, mut start) = (Point::ZERO, Point::ZERO);
    for element in path.elements() {
        each(at, *element);
        match *element {
            PathEl::MoveTo(to) => (at, start) = (to, to),
            PathEl::LineTo(to) | PathEl::QuadTo(_, to) | PathEl::CurveTo(_, _, to) => at = to,
            PathEl::ClosePath => at = start,
        }
    }
}

/// Of each curve of the resting outline how far it bends, with some spare.
pub(crate) fn bends(rest: &BezPath) -> Vec<f64> {
    let mut bends = Vec::new();
    each_curve(rest, |from, element| {
        bends.extend(bend(from, element).map(|(bend, length)| bend + SPARE_BEND * length));
    });
    bends
}

/// Whether two outlines have the same verbs.
pub(crate) fn same_verbs(a: &BezPath, b: &BezPath) -> bool {
    let kinds = |(a, b): (&PathEl, &PathEl)| std::mem::discriminant(a) == std::mem::discriminant(b);
    a.elements().len() == b.elements().len() && a.elements().iter().zip(b.elements()).all(kinds)
}

/// The tolerance with which the resting outline is cut, so that the posed one keeps to `tolerance`: a power of two, of
/// which a moving outline has few.
pub(crate) fn rest_tolerance(bends: &[f64], posed: &BezPath, tolerance: f64) -> f64 {
    let mut share = 1.0_f64;
    let mut rest = bends.iter();
    each_curve(posed, |from, element| {
        if let Some((posed, _)) = bend(from, element)
            && let Some(rest) = rest.next()
            && posed * share > *rest
        {
            share = rest / posed;
        }
    });
    power_of_two_below(tolerance * share)
}

/// The greatest power of two that is at most as large as a positive number.
pub(crate) fn power_of_two_below(number: f64) -> f64 {
    /// The sign and the exponent.
    const EXPONENT: u64 = 0xfff0_0000_0000_0000;
    f64::from_bits(number.max(f64::MIN_POSITIVE).to_bits() & EXPONENT)
}

/// How many pieces the curves have.
pub(crate) fn pieces(bends: &[f64], tolerance: f64) -> Vec<u32> {
    bends.iter().map(|bend| (bend / tolerance).sqrt().ceil().clamp(1.0, MOST_PIECES) as u32).collect()
}

impl Polygons {
    /// The polygons of an outline, whose curves have so many pieces. The last point of a polygon is left out if it is
    /// the first one again.
    pub(crate) fn flatten(&mut self, path: &BezPath, pieces: &[u32]) {
        self.points.clear();
        self.ends.clear();
        let mut first = 0;
        let mut counts = pieces.iter();
        let mut at = Point::ZERO;
        for element in path.elements() {
            match *element {
                PathEl::MoveTo(to) => {
                    self.close(&mut first);
                    self.points.push(to);
                    at = to;
                }
                PathEl::LineTo(to) => {
                    self.begin(first, at);
                    self.points.push(to);
                    at = to;
                }
                PathEl::QuadTo(b, to) => {
                    self.begin(first, at);
                    self.curve(kurbo::QuadBez::new(at, b, to), counts.next(), to);
                    at = to;
                }
                PathEl::CurveTo(b, c, to) => {
                    self.begin(first, at);
                    self.curve(kurbo::CubicBez::new(at, b, c, to), counts.next(), to);
                    at = to;
                }
                PathEl::ClosePath => {
                    at = self.points.get(first).copied().unwrap_or(at);
                    self.close(&mut first);
                }
            }
        }
        self.close(&mut first);
    }

    /// After a polygon was closed, the next one begins where it began.
    fn begin(&mut self, first: usize, at: Point) {
        if self.points.len() == first {
            self.points.push(at);
        }
    }

    fn curve(&mut self, curve: impl ParamCurve, pieces: Option<&u32>, to: Point) {
        let pieces = pieces.copied().unwrap_or(1);
        self.points.extend((1..pieces).map(|piece| curve.eval(f64::from(piece) / f64::from(pieces))));
        self.points.push(to);
    }

    fn close(&mut self, first: &mut usize) {
        let points = &self.points[*first..];
        if points.len() > 1 && points.first() == points.last() {
            self.points.pop();
        }
        if self.points.len() - *first < 3 {
            self.points.truncate(*first);
        } else {
            self.ends.push(self.points.len());
        }
        *first = self.points.len();
    }
}
