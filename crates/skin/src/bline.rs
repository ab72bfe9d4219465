//! BLines: outlines as vertices with an anchor and two tangents. The conversion from path data and back is
//! lossless.

use bone_archive::{Archive, ArchiveError, Reader, Writer, archive};
use kurbo::{BezPath, CubicBez, PathEl, Point};

/// A point of an outline, with its handles on both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vertex {
    /// The position.
    pub anchor: Point,
    /// The handle of the arriving segment; at the anchor for a straight line. A quadratic segment has one
    /// control point, which is both of its handles.
    pub tangent_in: Point,
    /// The handle of the leaving segment.
    pub tangent_out: Point,
}

impl Vertex {
    /// A corner without handles.
    pub const fn corner(anchor: Point) -> Self {
        Self { anchor, tangent_in: anchor, tangent_out: anchor }
    }

    /// Whether the outline is smooth here: both handles have a length, and lie on one line through the anchor
    /// to a thousandth of a radian.
    pub(crate) fn is_smooth(&self) -> bool {
        let (arrive, leave) = (self.anchor - self.tangent_in, self.tangent_out - self.anchor);
        let size = arrive.hypot() * leave.hypot();
        size > 0.0 && arrive.dot(leave) > 0.0 && arrive.cross(leave).abs() <= 1e-3 * size
    }
}

archive! {
    /// The kind of a segment between two vertices.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Segment {
        /// Straight.
        Line = 0,
        /// A quadratic Bezier curve.
        Quad = 1,
        /// A cubic Bezier curve.
        Cubic = 2,
    }
}

archive! {
    /// How an outline ends.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Closing {
        /// At its last vertex.
        Open = 0,
        /// With a straight line back to the first vertex that the path data leaves implicit.
        Straight = 1,
        /// With a segment of its own that arrives at the first vertex.
        Segment = 2,
    }
}

/// One outline: a subpath of path data.
#[derive(Clone, Debug, PartialEq)]
pub struct BLine {
    vertices: Vec<Vertex>,
    segments: Vec<Segment>,
    closing: Closing,
}

impl BLine {
    /// The outlines of path data, in order.
    ///
    /// A drawing command right after a close starts where the closed outline started, as SVG specifies, and
    /// path data that does not start with a move starts at the origin.
    pub fn from_path(path: &BezPath) -> Vec<Self> {
        let mut lines = Vec::new();
        let mut open: Option<Self> = None;
        let mut start = Point::ORIGIN;
        for element in path.elements() {
            let (kind, handles, end) = match *element {
                PathEl::MoveTo(p) => {
                    lines.extend(open.replace(Self::starting_at(p)));
                    start = p;
                    continue;
                }
                PathEl::ClosePath => {
                    lines.extend(open.take().map(Self::closed));
                    continue;
                }
                PathEl::LineTo(p) => (Segment::Line, None, p),
                PathEl::QuadTo(q, p) => (Segment::Quad, Some((q, q)), p),
                PathEl::CurveTo(a, b, p) => (Segment::Cubic, Some((a, b)), p),
            };
            let line = open.get_or_insert_with(|| Self::starting_at(start));
            line.segments.push(kind);
            let mut vertex = Vertex::corner(end);
            if let (Some((out, arrive)), Some(last)) = (handles, line.vertices.last_mut()) {
                last.tangent_out = out;
                vertex.tangent_in = arrive;
            }
            line.vertices.push(vertex);
        }
        lines.extend(open);
        lines
    }

    fn starting_at(point: Point) -> Self {
        Self { vertices: vec![Vertex::corner(point)], segments: Vec::new(), closing: Closing::Open }
    }

    fn closed(mut self) -> Self {
        let returns = !self.segments.is_empty()
            && self.vertices.first().map(|v| v.anchor) == self.vertices.last().map(|v| v.anchor);
        self.closing = Closing::Straight;
        if returns && let Some(last) = self.vertices.pop() {
            self.closing = Closing::Segment;
            self.vertices[0].tangent_in = last.tangent_in;
        } else if self.vertices.len() > 1 {
            self.segments.push(Segment::Line);
        }
        self
    }

    /// The outline with the straight side by which a fill closes it, so that the side bends with the rest.
    #[must_use]
    pub fn closed_by_fill(mut self) -> Self {
        let ends = self.vertices.first().zip(self.vertices.last());
        if self.closing == Closing::Open && ends.is_some_and(|(start, end)| start.anchor != end.anchor) {
            self.segments.push(Segment::Line);
            self.closing = Closing::Straight;
        }
        self
    }

    /// The vertices, in the order of the path data.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// The segments as (kind, from, to), with the indices of their vertices; the implicit one of a close is
    /// included.
    pub fn segments(&self) -> impl ExactSizeIterator<Item = (Segment, usize, usize)> {
        let count = self.vertices.len();
        self.segments.iter().enumerate().map(move |(i, kind)| (*kind, i, (i + 1) % count))
    }

    /// How the outline ends.
    pub fn closing(&self) -> Closing {
        self.closing
    }

    /// How many of its segments are explicit in path data: all, or all but the implicit one of a close.
    pub(crate) fn spelt_out(&self) -> usize {
        let unsaid = self.closing == Closing::Straight && !self.segments.is_empty();
        self.segments.len() - usize::from(unsaid)
    }

    /// Appends the outline to path data.
    pub fn write_to(&self, path: &mut BezPath) {
        path.move_to(self.vertices[0].anchor);
        for (kind, from, to) in self.segments().take(self.spelt_out()) {
            let (from, to) = (&self.vertices[from], &self.vertices[to]);
            match kind {
                Segment::Line => path.line_to(to.anchor),
                Segment::Quad => path.quad_to(from.tangent_out, to.anchor),
                Segment::Cubic => path.curve_to(from.tangent_out, to.tangent_in, to.anchor),
            }
        }
        if self.closing != Closing::Open {
            path.close_path();
        }
    }

    /// A segment as a cubic.
    pub(crate) fn cubic(&self, kind: Segment, from: usize, to: usize) -> CubicBez {
        let (a, b) = (self.vertices[from].anchor, self.vertices[to].anchor);
        let (out, arrive) = match kind {
            Segment::Line => (a.lerp(b, 1.0 / 3.0), b.lerp(a, 1.0 / 3.0)),
            _ => self.cubic_handles(kind, from, to),
        };
        CubicBez::new(a, out, arrive, b)
    }

    /// All segments as cubics.
    pub(crate) fn cubics(&self) -> impl ExactSizeIterator<Item = CubicBez> {
        self.segments().map(|(kind, from, to)| self.cubic(kind, from, to))
    }

    /// The same outline with curves in place of those straight sides where another outline of as many segments has
    /// curves, so that the one can become the other.
    #[must_use]
    pub fn curved_like(mut self, other: &Self) -> Self {
        let cubics: Vec<CubicBez> = self.cubics().collect();
        let count = self.vertices.len();
        let all = self.segments.iter_mut().zip(&other.segments).enumerate().zip(cubics);
        for ((at, (kind, other)), cubic) in all {
            if *kind == Segment::Line && *other != Segment::Line {
                *kind = Segment::Cubic;
                self.vertices[at].tangent_out = cubic.p1;
                self.vertices[(at + 1) % count].tangent_in = cubic.p2;
            }
        }
        // An implicit side is straight.
        if self.closing == Closing::Straight
            && self.segments.last().is_some_and(|last| *last != Segment::Line)
        {
            self.closing = Closing::Segment;
        }
        self
    }

    /// The handles of a segment as a cubic. Those of a quadratic are raised in degree, exactly.
    pub(crate) fn cubic_handles(&self, kind: Segment, from: usize, to: usize) -> (Point, Point) {
        let (from, to) = (&self.vertices[from], &self.vertices[to]);
        let (out, arrive) = (from.tangent_out, to.tangent_in);
        if kind == Segment::Quad {
            let raise = |anchor: Point, control: Point| anchor + (control - anchor) * (2.0 / 3.0);
            return (raise(from.anchor, out), raise(to.anchor, arrive));
        }
        (out, arrive)
    }
}

/// Handles are those of curves.
impl Archive for BLine {
    fn write(&self, to: &mut Writer) {
        (self.closing, &self.segments).write(to);
        to.list(&self.vertices.iter().map(|vertex| vertex.anchor).collect::<Vec<_>>());
        for (kind, from, arrive) in self.segments() {
            let (out, arrive) = (self.vertices[from].tangent_out, self.vertices[arrive].tangent_in);
            if kind != Segment::Line {
                out.write(to);
            }
            if kind == Segment::Cubic {
                arrive.write(to);
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let (closing, segments): (_, Vec<Segment>) = Archive::read(from)?;
        let vertices: Vec<Vertex> = from.list()?.into_iter().map(Vertex::corner).collect();
        let (sides, count) = (segments.len(), vertices.len());
        from.check(sides + 1 == count || sides == count && count > 0 && closing != Closing::Open, "outline")?;
        let mut line = Self { vertices, segments, closing };
        for at in 0..sides {
            let kind = line.segments[at];
            if kind != Segment::Line {
                let out = Point::read(from)?;
                let arrive = if kind == Segment::Cubic { Point::read(from)? } else { out };
                line.vertices[at].tangent_out = out;
                line.vertices[(at + 1) % count].tangent_in = arrive;
            }
        }
        Ok(line)
    }
}

archive! {
    /// One point of a vertex.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum VertexPoint {
        /// The anchor; the tangents move with it.
        Anchor = 0,
        /// The handle that arrives.
        In = 1,
        /// The handle that leaves.
        Out = 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn back(lines: &[BLine]) -> BezPath {
        let mut path = BezPath::new();
        for line in lines {
            line.write_to(&mut path);
        }
        path
    }

    #[test]
    fn every_kind_of_svg_segment_comes_back() {
        for (data, vertices, closing) in [
            ("M1 2L3 4H9V7", 4, Closing::Open),
            ("M0 0Q5 5 10 0T20 0", 3, Closing::Open),
            ("M0 0C1 2 3 4 5 0S9 9 10 0Z", 3, Closing::Straight),
            ("M0 0C1 2 3 4 5 0S9 9 0 0Z", 2, Closing::Segment),
            ("M0 0L5 0L5 5L0 0Z", 3, Closing::Segment),
            ("M10 10", 1, Closing::Open),
            ("M10 10Z", 1, Closing::Straight),
            ("M10 10L10 10Z", 1, Closing::Segment),
            ("M10 10L10 10L20 20", 3, Closing::Open),
            ("M0 0A10 5 30 0 1 20 0", 4, Closing::Open),
        ] {
            let path = BezPath::from_svg(data).expect("path data");
            let lines = BLine::from_path(&path);
            assert_eq!(back(&lines), path, "{data}");
            assert_eq!(lines.len(), 1, "{data}");
            if !data.contains('A') {
                assert_eq!(lines[0].vertices().len(), vertices, "{data}");
            }
            assert_eq!(lines[0].closing(), closing, "{data}");
        }
    }

    #[test]
    fn a_close_starts_the_next_outline_where_it_ended() {
        let path = BezPath::from_vec(vec![
            PathEl::MoveTo(Point::new(1.0, 1.0)),
            PathEl::LineTo(Point::new(5.0, 1.0)),
            PathEl::ClosePath,
            PathEl::LineTo(Point::new(1.0, 9.0)),
        ]);
        let lines = BLine::from_path(&path);
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[1].vertices()[0].anchor, Point::new(1.0, 1.0));
    }

    #[test]
    fn a_fill_closes_what_does_not_return() {
        for (data, closed) in [
            ("M1 2L3 4H9V7", "M1 2L3 4H9V7Z"),
            ("M0 0C1 2 3 4 5 0", "M0 0C1 2 3 4 5 0Z"),
            ("M0 0L5 0L5 5L0 0", "M0 0L5 0L5 5L0 0"),
            ("M0 0L5 0L5 5Z", "M0 0L5 0L5 5Z"),
            ("M0 0L5 0L5 5L0 0Z", "M0 0L5 0L5 5L0 0Z"),
            ("M10 10", "M10 10"),
        ] {
            let path = |data| BezPath::from_svg(data).expect("path data");
            let lines = BLine::from_path(&path(data));
            let filled: Vec<BLine> = lines.iter().cloned().map(BLine::closed_by_fill).collect();
            assert_eq!(back(&filled), path(closed), "{data}");
            assert_eq!(filled[0].vertices(), lines[0].vertices(), "{data}");
        }
    }

    #[test]
    fn smooth_and_corner() {
        let path =
            BezPath::from_svg("M0 0C0 5 5 10 10 10C15 10 20 5 20 0C20 -5 9 9 0 0Z").expect("path data");
        let smooth: Vec<bool> = BLine::from_path(&path)[0].vertices().iter().map(Vertex::is_smooth).collect();
        assert_eq!(smooth, [false, true, true]);
    }

    fn element() -> impl Strategy<Value = PathEl> {
        // Few values, so that points coincide often.
        let point = (0..4_u8, 0..4_u8).prop_map(|(x, y)| Point::new(f64::from(x) * 1.1, f64::from(y) / 3.0));
        prop_oneof![
            point.clone().prop_map(PathEl::MoveTo),
            point.clone().prop_map(PathEl::LineTo),
            (point.clone(), point.clone()).prop_map(|(q, p)| PathEl::QuadTo(q, p)),
            (point.clone(), point.clone(), point).prop_map(|(a, b, p)| PathEl::CurveTo(a, b, p)),
            Just(PathEl::ClosePath),
        ]
    }

    proptest! {
        #[test]
        fn nothing_is_lost(elements in prop::collection::vec(element(), 0..30)) {
            // Spell out the moves that SVG implies; a close right after a close closes nothing.
            let mut spelt = vec![PathEl::MoveTo(Point::ORIGIN)];
            let mut start = Point::ORIGIN;
            for element in elements {
                let after_close = spelt.last() == Some(&PathEl::ClosePath);
                match element {
                    PathEl::MoveTo(p) => start = p,
                    PathEl::ClosePath if after_close => continue,
                    _ if after_close => spelt.push(PathEl::MoveTo(start)),
                    _ => {}
                }
                spelt.push(element);
            }
            let path = BezPath::from_vec(spelt);
            prop_assert_eq!(back(&BLine::from_path(&path)), path);
        }
    }
}
