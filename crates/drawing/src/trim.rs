//! Trimmed strokes: the part of a path that is stroked, by shares of its length at rest. Lengths are measured once,
//! when a drawing is made ready to be posed, so that a share is the same place of the path however bones bend it.

use kurbo::{Affine, BezPath, CubicBez, ParamCurve as _, ParamCurveDeriv as _, PathEl, PathSeg, Point};

/// The part of a path that is stroked, as shares of the length at rest of each subpath.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trim {
    /// Where it starts, from 0 to 1.
    pub start: f64,
    /// Where it ends, from `start` to 1.
    pub end: f64,
    /// How far both are moved along the path: 1 is once around.
    pub offset: f64,
    /// Another number where outlines begin with another piece of the path, or are whole: between two frames with
    /// other numbers nothing must be interpolated.
    pub form: usize,
}

impl Default for Trim {
    fn default() -> Self {
        Self::WHOLE
    }
}

impl Trim {
    /// Nothing is cut.
    pub const WHOLE: Self = Self { start: 0.0, end: 1.0, offset: 0.0, form: 0 };

    /// A part between two shares in any order. What is not a number counts as at rest.
    pub fn new([start, end, offset]: [f64; 3]) -> Self {
        let usable = |value: f64, rest: f64| if value.is_finite() { value } else { rest };
        let share = |value: f64, rest: f64| usable(value, rest).clamp(0.0, 1.0);
        let (start, end) = (share(start, 0.0), share(end, 1.0));
        Self { start: start.min(end), end: start.max(end), offset: usable(offset, 0.0), form: 0 }
    }

    /// The share that is stroked.
    pub fn length(self) -> f64 {
        self.end - self.start
    }

    /// Whether nothing is stroked.
    pub fn is_empty(self) -> bool {
        self.length() <= 0.0
    }

    /// Whether all of the path is stroked.
    pub fn is_whole(self) -> bool {
        self.length() >= 1.0
    }

    /// Where it begins on the path, from 0 up to 1.
    pub fn from(self) -> f64 {
        let at = self.start + self.offset;
        let at = at - at.floor();
        // A small negative number is rounded up to a whole turn.
        if at < 1.0 { at } else { 0.0 }
    }

    /// Whether it goes on at the start of the path.
    pub fn wraps(self) -> bool {
        self.from() + self.length() > 1.0
    }
}

/// A path with the lengths of its pieces at rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct TrimmedPath {
    /// Its outline at rest, in the pieces that it is posed in.
    pub(crate) rest: BezPath,
    pub(crate) pieces: Vec<RestPiece>,
    pub(crate) subpaths: Vec<RestSubpath>,
    /// Whether its outlines have the points that a part across the seam needs, also while there is none.
    may_wrap: bool,
    is_dashed: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct RestSubpath {
    /// The element of its start.
    start: usize,
    /// Its first curve.
    first: usize,
    /// How many curves are elements. What closes it may be one more.
    drawn: usize,
    pub(crate) is_closed: bool,
    /// Its first piece, and how many there are.
    pub(crate) piece: usize,
    pub(crate) count: usize,
    pub(crate) length: f64,
    /// Whether all its pieces are straight.
    is_straight: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct RestPiece {
    /// The length of those before it.
    pub(crate) before: f64,
    length: f64,
    /// None if it is straight.
    curve: Option<Box<MeasuredCurve>>,
}

/// How many parts of a curve are measured apart.
const PARTS: usize = 16;

#[derive(Clone, Debug)]
struct MeasuredCurve {
    cubic: CubicBez,
    /// The length up to the end of each part.
    lengths: [f64; PARTS],
}

impl MeasuredCurve {
    fn new(cubic: CubicBez) -> Self {
        let (mut lengths, mut all) = ([0.0; PARTS], 0.0);
        for (part, length) in lengths.iter_mut().enumerate() {
            all += length_between(&cubic, part as f64 / PARTS as f64, (part + 1) as f64 / PARTS as f64);
            *length = all;
        }
        Self { cubic, lengths }
    }

    fn length(&self) -> f64 {
        self.lengths[PARTS - 1]
    }

    /// The parameter at a length from the start.
    fn parameter(&self, length: f64) -> f64 {
        const STEPS: usize = 32;
        let part = self.lengths.partition_point(|end| *end <= length).min(PARTS - 1);
        let (from, before) =
            (part as f64 / PARTS as f64, if part == 0 { 0.0 } else { self.lengths[part - 1] });
        let (mut low, mut high) = (from, (part + 1) as f64 / PARTS as f64);
        let share = (length - before) / (self.lengths[part] - before);
        let mut at = if share.is_finite() { low + (high - low) * share } else { low };
        let enough = 1e-13 * self.length();
        // Newton's steps, or half of what is left where one leads out of it.
        for _ in 0..STEPS {
            let miss = before + length_between(&self.cubic, from, at) - length;
            if miss.abs() <= enough {
                break;
            }
            if miss > 0.0 {
                high = at
            } else {
                low = at
            }
            let next = at - miss / speed(&self.cubic, at);
            at = if next > low && next < high { next } else { 0.5 * (low + high) };
        }
        at.clamp(0.0, 1.0)
    }
}

fn speed(cubic: &CubicBez, at: f64) -> f64 {
    cubic.deriv().eval(at).to_vec2().hypot()
}

/// The length of a curve between two parameters, in halves where it nearly has a cusp.
pub(crate) fn length_between(cubic: &CubicBez, from: f64, to: f64) -> f64 {
    /// Halvings, at most.
    const HALVINGS: usize = 12;
    /// The error, as a share of the polygon of the curve.
    const ERROR: f64 = 1e-12;
    let polygon =
        (cubic.p1 - cubic.p0).hypot() + (cubic.p2 - cubic.p1).hypot() + (cubic.p3 - cubic.p2).hypot();
    let (mut low, mut length, mut whole) = (from, 0.0, gauss(cubic, from, to));
    let mut ends = [to; HALVINGS + 1];
    let mut depth = 0;
    loop {
        let middle = 0.5 * (low + ends[depth]);
        let halves = [gauss(cubic, low, middle), gauss(cubic, middle, ends[depth])];
        let is_split = depth < HALVINGS && (halves[0] + halves[1] - whole).abs() > ERROR * polygon;
        if is_split {
            depth += 1;
            (ends[depth], whole) = (middle, halves[0]);
            continue;
        }
        length += halves[0] + halves[1];
        if depth == 0 {
            return length;
        }
        low = ends[depth];
        depth -= 1;
        whole = gauss(cubic, low, ends[depth]);
    }
}

/// The same by Gauss's rule with eight points.
fn gauss(cubic: &CubicBez, from: f64, to: f64) -> f64 {
    const RULE: [(f64, f64); 4] = [
        (0.183_434_642_495_649_8, 0.362_683_783_378_362),
        (0.525_532_409_916_329, 0.313_706_645_877_887_3),
        (0.796_666_477_413_626_7, 0.222_381_034_453_374_5),
        (0.960_289_856_497_536_3, 0.101_228_536_290_376_3),
    ];
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let sum = |(place, weight): (f64, f64)| {
        weight * (speed(cubic, middle - half * place) + speed(cubic, middle + half * place))
    };
    half * RULE.into_iter().map(sum).sum::<f64>()
}

impl RestPiece {
    fn new(segment: PathSeg, before: f64) -> Self {
        match segment {
            PathSeg::Line(line) => Self { before, length: (line.p1 - line.p0).hypot(), curve: None },
            curve => {
                let curve = MeasuredCurve::new(curve.to_cubic());
                Self { before, length: curve.length(), curve: Some(Box::new(curve)) }
            }
        }
    }

    pub(crate) fn end(&self) -> f64 {
        self.before + self.length
    }

    /// The parameter at a length of the subpath.
    pub(crate) fn parameter(&self, length: f64) -> f64 {
        let own = length - self.before;
        if own <= 0.0 {
            return 0.0;
        }
        if own >= self.length {
            return 1.0;
        }
        self.curve.as_ref().map_or(own / self.length, |curve| curve.parameter(own))
    }
}

/// A place of a subpath: a piece, counted on over the seam, and a parameter.
type PiecePlace = (usize, f64);

/// An outline whose pieces are those of a path at rest, and its map.
pub(crate) type PosedPieces<'a> = (&'a [PathEl], Affine);

impl TrimmedPath {
    /// Measures an outline at rest.
    pub(crate) fn new(rest: BezPath, may_wrap: bool, is_dashed: bool) -> Self {
        let mut path = Self { rest: BezPath::new(), may_wrap, is_dashed, ..Self::default() };
        let (mut start, mut open) = (0, false);
        for (at, element) in rest.elements().iter().enumerate() {
            match element {
                PathEl::MoveTo(_) => {
                    (start, open) = (at, true);
                    path.subpaths.push(RestSubpath::new(start, at + 1));
                }
                PathEl::ClosePath => {
                    if let (true, Some(last)) = (open, path.subpaths.last_mut()) {
                        last.is_closed = true;
                    }
                    open = false;
                }
                _ => {
                    // A figure that goes on after it was closed starts anew.
                    if !open {
                        path.subpaths.push(RestSubpath::new(start, at));
                        open = true;
                    }
                    if let Some(last) = path.subpaths.last_mut() {
                        last.drawn += 1;
                    }
                }
            }
        }
        for subpath in &mut path.subpaths {
            let posed = (rest.elements(), Affine::IDENTITY);
            let closes = subpath.is_closed && subpath.point(posed, 0) != subpath.point(posed, subpath.drawn);
            (subpath.piece, subpath.count) = (path.pieces.len(), subpath.drawn + usize::from(closes));
            for number in 0..subpath.count {
                let segment = subpath.segment(posed, number);
                subpath.is_straight &= matches!(segment, PathSeg::Line(_));
                let piece = RestPiece::new(segment, subpath.length);
                subpath.length = piece.end();
                path.pieces.push(piece);
            }
            // Shares of a length beyond all numbers mean nothing.
            subpath.length = if subpath.length.is_finite() { subpath.length } else { 0.0 };
        }
        path.rest = rest;
        path
    }

    /// Whether a path is stroked as it is drawn. One that is interpolated between frames has the same points in all.
    pub(crate) fn is_as_drawn(&self, trim: Trim, in_pieces: bool) -> bool {
        trim.is_whole() && !in_pieces && (!self.is_dashed || trim.from() == 0.0)
    }

    /// The most elements that an outline may have.
    pub(crate) fn capacity(&self) -> usize {
        self.subpaths.iter().map(|subpath| 2 * (subpath.count + 2)).sum()
    }

    /// Appends the part of a posed outline that is stroked, or of the one at rest if there is none with these pieces.
    /// What is cut collapses into the end of the part. Returns [`Trim::form`].
    pub(crate) fn write(
        &self,
        trim: Trim,
        posed: Option<(&BezPath, Affine)>,
        in_pieces: bool,
        out: &mut BezPath,
    ) -> usize {
        let posed = posed.filter(|(path, _)| path.elements().len() == self.rest.elements().len());
        let (path, map) = posed.unwrap_or((&self.rest, Affine::IDENTITY));
        let posed = (path.elements(), map);
        // Without dashes it is all the same where a whole path begins.
        let is_whole = trim.is_whole() && !self.is_dashed;
        let (from, wraps) = if is_whole { (0.0, false) } else { (trim.from(), trim.wraps()) };
        let mut form = 2 * usize::from(is_whole) + usize::from(wraps);
        for subpath in &self.subpaths {
            if subpath.count == 0 {
                out.move_to(subpath.point(posed, 0));
                continue;
            }
            let length = subpath.length;
            // A piece that is shorter than this has no direction in single precision, or as it is rounded in a file.
            let least = if in_pieces { (1e-4 * length).max(0.02).min(0.01 * length) } else { 1e-6 * length };
            let to = from + trim.length();
            let place = |share: f64, is_end| self.place(subpath, share * length, is_end, least);
            let part = (place(from, false), place(to, true));
            form += 4 * part.0.0;
            if subpath.is_closed {
                let part = if is_whole { self.around(subpath) } else { part };
                self.push(subpath, posed, part, subpath.count + 1, out);
                continue;
            }
            let first = if wraps { (part.0, (subpath.count - 1, 1.0)) } else { part };
            self.push(subpath, posed, first, subpath.count, out);
            if self.may_wrap || wraps {
                // Where the part is in one, it is there twice, which looks the same with all caps.
                let second = if wraps {
                    ((0, 0.0), (part.1.0.saturating_sub(subpath.count), part.1.1))
                } else {
                    first
                };
                self.push(subpath, posed, second, subpath.count, out);
            }
        }
        form
    }

    /// The part of a closed subpath that is all of it: from the first quarter of a piece to its last one, so that no
    /// end is seen and all corners are joined.
    fn around(&self, subpath: &RestSubpath) -> (PiecePlace, PiecePlace) {
        let pieces = &self.pieces[subpath.piece..subpath.piece + subpath.count];
        let longest = (0..subpath.count).max_by(|a, b| pieces[*a].length.total_cmp(&pieces[*b].length));
        let piece = longest.unwrap_or_default();
        ((piece, 0.25), (piece + subpath.count, 0.75))
    }

    /// The place at a length, once around or less beyond the end.
    fn place(&self, subpath: &RestSubpath, length: f64, is_end: bool, least: f64) -> PiecePlace {
        let pieces = &self.pieces[subpath.piece..subpath.piece + subpath.count];
        if subpath.length <= 0.0 {
            return if is_end { (subpath.count - 1, 1.0) } else { (0, 0.0) };
        }
        let beyond = is_end && length > subpath.length;
        let length = if beyond { length - subpath.length } else { length };
        let number = match is_end {
            true => pieces.partition_point(|piece| piece.end() < length - least),
            false => pieces.partition_point(|piece| piece.end() <= length + least),
        };
        let number = number.min(subpath.count - 1);
        (number + if beyond { subpath.count } else { 0 }, pieces[number].parameter(length))
    }

    /// Appends the pieces of a part, and what is left of so many elements at its end.
    fn push(
        &self,
        subpath: &RestSubpath,
        posed: PosedPieces<'_>,
        part: (PiecePlace, PiecePlace),
        count: usize,
        out: &mut BezPath,
    ) {
        let ((first, from), (last, to)) = part;
        let is_before = last < first || last == first && to <= from;
        let (last, to) = if is_before { (first, from) } else { (last, to) };
        let mut end = subpath.segment(posed, first % subpath.count).eval(from);
        out.move_to(end);
        let mut left = count;
        for number in first..=last.min(first + count - 1) {
            let segment = subpath.segment(posed, number % subpath.count);
            let range = if number == first { from } else { 0.0 }..if number == last { to } else { 1.0 };
            let segment = if range == (0.0..1.0) { segment } else { segment.subsegment(range) };
            end = segment.end();
            left -= 1;
            match segment {
                _ if subpath.is_straight => out.line_to(end),
                PathSeg::Line(line) => {
                    out.curve_to(line.eval(1.0 / 3.0), line.eval(2.0 / 3.0), end);
                }
                curve => {
                    let CubicBez { p1, p2, p3, .. } = curve.to_cubic();
                    out.curve_to(p1, p2, p3);
                }
            }
        }
        for _ in 0..left {
            if subpath.is_straight { out.line_to(end) } else { out.curve_to(end, end, end) }
        }
    }
}

impl RestSubpath {
    fn new(start: usize, first: usize) -> Self {
        Self { start, first, drawn: 0, is_closed: false, piece: 0, count: 0, length: 0.0, is_straight: true }
    }

    /// The point at which a piece begins.
    pub(crate) fn point(&self, (elements, map): PosedPieces<'_>, piece: usize) -> Point {
        let at = if piece == 0 { self.start } else { self.first + piece - 1 };
        map * elements.get(at).and_then(PathEl::end_point).unwrap_or_default()
    }

    /// A piece; the one behind all that are elements closes it.
    pub(crate) fn segment(&self, posed: PosedPieces<'_>, piece: usize) -> PathSeg {
        let (elements, map) = posed;
        let start = self.point(posed, piece);
        match elements.get(self.first + piece).filter(|_| piece < self.drawn) {
            Some(PathEl::QuadTo(a, end)) => kurbo::QuadBez::new(start, map * *a, map * *end).into(),
            Some(PathEl::CurveTo(a, b, end)) => CubicBez::new(start, map * *a, map * *b, map * *end).into(),
            Some(PathEl::LineTo(end)) => kurbo::Line::new(start, map * *end).into(),
            _ => kurbo::Line::new(start, self.point(posed, 0)).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use kurbo::ParamCurveArclen as _;

    const SPIRAL: &str = "M10 20C10 5 40 5 40 25S12 45 12 30 32 12 33 28";
    const STAR: &str = "M50 5L61 38 95 38 67 58 78 91 50 71 22 91 33 58 5 38 39 38Z";
    const MIXED: &str = "M5 5H40Q60 5 60 25C60 50 30 60 20 40Z M70 70L90 70 90 90 70 90Z M10 80h30";

    fn path(data: &str) -> BezPath {
        BezPath::from_svg(data).expect("path data")
    }

    fn written(data: &str, values: [f64; 3], may_wrap: bool, in_pieces: bool) -> BezPath {
        let rest = path(data);
        let trimmed = TrimmedPath::new(rest.clone(), may_wrap, false);
        let mut out = BezPath::new();
        trimmed.write(Trim::new(values), Some((&rest, Affine::IDENTITY)), in_pieces, &mut out);
        out
    }

    /// Points of a path at equal distances, by kurbo's arc lengths.
    fn along(path: &BezPath, count: usize) -> Vec<Point> {
        let segments: Vec<PathSeg> = path.segments().filter(|segment| segment.arclen(1e-9) > 1e-6).collect();
        let total: f64 = segments.iter().map(|segment| segment.arclen(1e-9)).sum();
        let point = |share: f64| {
            let mut left = share * total;
            for segment in &segments {
                let own = segment.arclen(1e-9);
                if left <= own {
                    return segment.eval(segment.inv_arclen(left, 1e-9));
                }
                left -= own;
            }
            segments.last().map_or(Point::ZERO, PathSeg::end)
        };
        (0..=count).map(|at| point(at as f64 / count as f64)).collect()
    }

    #[test]
    fn a_share_is_a_share_of_the_length() {
        for (data, [start, end, offset]) in [
            ("M20 10H60", [0.0, 0.5, 0.0]),
            (SPIRAL, [0.0, 0.37, 0.0]),
            (SPIRAL, [0.9, 0.21, 0.0]),
            (SPIRAL, [0.2, 0.4, 0.25]),
            (STAR, [0.0, 0.5, 0.0]),
            (STAR, [0.1, 0.63, 0.2]),
            (STAR, [0.2, 0.6, 0.7]),
            (STAR, [0.0, 0.999, -0.35]),
        ] {
            let whole = along(&path(data), 4000);
            let (start, end): (f64, f64) = (f64::min(start, end), f64::max(start, end));
            for in_pieces in [false, true] {
                let found = along(&written(data, [start, end, offset], true, in_pieces), 50);
                let is_twice = !data.ends_with('Z');
                for (at, point) in found.iter().enumerate().filter(|(at, _)| !is_twice || *at <= 24) {
                    // An open path that may wrap has its part twice.
                    let share = at as f64 / if is_twice { 25.0 } else { 50.0 };
                    let place = (start + share * (end - start) + offset).rem_euclid(1.0);
                    let near = place * 4000.0;
                    let (a, b) = (whole[near as usize % 4000], whole[(near as usize + 1) % 4001]);
                    let expected = a.lerp(b, near.fract());
                    assert!(point.distance(expected) < 0.06, "{data} {start} {end} {at}: {point} {expected}");
                }
            }
        }
        assert_eq!(written("M20 10H60", [0.0, 0.5, 0.0], false, false), path("M20 10L40 10"));
    }

    #[test]
    fn parameters_are_those_of_kurbo() {
        let curves = ["M0 0C0 30 60 30 60 0", "M0 0C100 0 -40 3 60 3", "M3 1Q40 50 60 7", "M0 0C9 0 9 0 9 9"];
        for curve in curves.map(|data| path(data).segments().next().expect("a curve")) {
            let piece = RestPiece::new(curve, 5.0);
            let length = curve.arclen(1e-10);
            assert!((piece.length - length).abs() < 1e-6 * length, "{} {length} {curve:?}", piece.length);
            for step in 1..=40 {
                let own = f64::from(step) / 40.0 * piece.length;
                let at = piece.parameter(5.0 + own);
                let length = curve.subsegment(0.0..at).arclen(1e-10);
                assert!((length - own).abs() < 1e-5, "{curve:?} {own} {length}");
            }
        }
    }

    #[test]
    fn all_parts_have_equally_many_points() {
        for data in [SPIRAL, STAR, MIXED, "M20 10H60", "M5 5Z", "M5 5", "M7 7L7 7", "M1 1L9 9ZL20 1"] {
            for (may_wrap, in_pieces) in [(false, false), (true, false), (false, true), (true, true)] {
                let verbs = |values: [f64; 3]| {
                    let out = written(data, values, may_wrap, in_pieces);
                    out.elements().iter().map(std::mem::discriminant).collect::<Vec<_>>()
                };
                let first = verbs([0.0, 0.1, 0.0]);
                for step in 0..60 {
                    let n = f64::from(step) / 60.0;
                    assert_eq!(verbs([0.0, n, 0.0]), first, "{data} {n}");
                    assert_eq!(verbs([n, 0.7, 0.0]), first, "{data} {n}");
                    if may_wrap {
                        assert_eq!(verbs([0.1, 0.4, 2.5 * n]), first, "{data} {n}");
                    }
                    if in_pieces {
                        assert_eq!(verbs([0.0, 1.0, if may_wrap { n } else { 0.0 }]), first, "{data} {n}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_part_across_the_seam_of_a_closed_path_is_one() {
        let out = written(STAR, [0.0, 0.3, 0.85], true, false);
        assert_eq!(out.elements().iter().filter(|it| matches!(it, PathEl::MoveTo(_))).count(), 1);
        assert!(out.elements().contains(&PathEl::LineTo(Point::new(50.0, 5.0))), "{}", out.to_svg());
        let out = written("M0 0H10", [0.0, 0.3, 0.85], false, false);
        assert_eq!(out.to_svg(), "M8.5,0 L10,0 M0,0 L1.5,0");
    }

    /// As a whole, a closed path in pieces begins and ends within a piece, which it covers twice.
    #[test]
    fn a_whole_closed_path_has_all_its_corners() {
        let out = written("M0 0H40V10H0Z", [0.0, 1.0, 0.4], true, true);
        assert_eq!(out.to_svg(), "M30,10 L0,10 L0,0 L40,0 L40,10 L10,10");
    }

    #[test]
    fn parts_of_anything_do_not_panic() {
        let numbers = [0.0, -0.0, 1.0, 0.5, -3.25, 1e300, -1e-300, f64::NAN, f64::INFINITY, f64::MAX];
        let outlines = ["M0 0", "M0 0Z", "M0 0L0 0Z", "M1e300 0C0 1e300 -1e300 9 1 1", STAR, MIXED];
        for (data, other) in outlines.iter().zip(outlines.iter().skip(1)) {
            let (rest, other) = (path(data), path(other));
            for (a, b) in numbers.iter().flat_map(|a| numbers.iter().map(move |b| (*a, *b))) {
                for (values, way) in [[a, b, 0.3], [0.2, 0.9, a], [b, 1.0, a]].into_iter().zip([1, 2, 3]) {
                    let trimmed = TrimmedPath::new(rest.clone(), way == 1, way == 2);
                    let trim = Trim::new(values);
                    assert!((0.0..1.0).contains(&trim.from()) && (0.0..=1.0).contains(&trim.length()));
                    for posed in [None, Some((&rest, Affine::scale(a))), Some((&other, Affine::IDENTITY))] {
                        trimmed.write(trim, posed, way == 3, &mut BezPath::new());
                    }
                }
            }
        }
    }
}
