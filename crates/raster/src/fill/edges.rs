//! The edges of an outline: lines and curves that go down, in the order in which rows of samples meet them.
//! Outlines with more edges than a sort key can number, and curves that rounding makes go up, are not
//! supported.

use tiny_skia::{Path, PathSegment, Point};

use super::chop;
use super::clip::{Piece, Sides};
use super::curve::{At, Curve};
use super::fixed::{Line, samples};

/// Most edges of an outline: their numbers have 16 bits.
const MAX_EDGES: usize = 1 << 16;

/// The curve index of a straight edge.
pub(super) const STRAIGHT: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) line: Line,
    /// The last row, that of its curve if it is one.
    pub(super) end: i32,
    /// 1 if the outline goes down along it, -1 if it goes up.
    pub(super) winding: i32,
    /// Which curve goes on after the line.
    pub(super) curve: u32,
}

/// Buffers that are reused for each outline.
#[derive(Debug, Default)]
pub(super) struct Edges {
    pub(super) all: Vec<Edge>,
    pub(super) curves: Vec<Curve>,
    /// First row, x, number: sorted, the order in which rows meet the edges.
    pub(super) order: Vec<u64>,
    /// Whether an edge goes up or past its end.
    irregular: bool,
}

impl Edges {
    /// Builds the edges of an outline with its points at `points`, clipped to the sides of a picture if it
    /// may leave them. False if tiny-skia has to draw it.
    pub(super) fn build(&mut self, path: &Path, points: &[Point], sides: Option<Sides>) -> bool {
        self.all.clear();
        self.curves.clear();
        self.irregular = false;
        let mut points = points.iter().copied();
        let mut next = || points.next().unwrap_or_default();
        let (mut start, mut at, mut open) = (Point::default(), Point::default(), false);
        for segment in path.segments() {
            match segment {
                PathSegment::MoveTo(_) => {
                    if open {
                        self.side(at, start, sides);
                    }
                    start = next();
                    at = start;
                    open = false;
                }
                PathSegment::LineTo(_) => {
                    let end = next();
                    self.side(at, end, sides);
                    (at, open) = (end, true);
                }
                PathSegment::QuadTo(..) => {
                    let (control, end) = (next(), next());
                    match sides {
                        None => self.quad([at, control, end]),
                        Some(sides) => sides.quad([at, control, end], &mut |piece| self.piece(piece)),
                    }
                    (at, open) = (end, true);
                }
                PathSegment::CubicTo(..) => {
                    let (first, second, end) = (next(), next(), next());
                    let curve = [at, first, second, end];
                    match sides {
                        None => self.cubic(curve),
                        Some(sides) if !sides.cubic(curve, &mut |piece| self.piece(piece)) => return false,
                        Some(_) => {}
                    }
                    (at, open) = (end, true);
                }
                PathSegment::Close => {
                    if open {
                        self.side(at, start, sides);
                    }
                    open = false;
                }
            }
        }
        if open {
            self.side(at, start, sides);
        }
        self.sort()
    }

    /// Sorts by first row, then by x, then as the outline has them.
    fn sort(&mut self) -> bool {
        self.order.clear();
        if self.irregular || self.all.len() > MAX_EDGES {
            return false;
        }
        for (number, edge) in (0_u64..).zip(&self.all) {
            let Ok(first) = u16::try_from(edge.line.first) else { return false };
            let x = edge.line.x.cast_unsigned() ^ 0x8000_0000;
            self.order.push(u64::from(first) << 48 | u64::from(x) << 16 | number);
        }
        self.order.sort_unstable();
        true
    }

    fn side(&mut self, from: Point, to: Point, sides: Option<Sides>) {
        match sides {
            None => self.line(from, to),
            Some(sides) => sides.line([from, to], &mut |piece| self.piece(piece)),
        }
    }

    fn piece(&mut self, piece: Piece) {
        match piece {
            Piece::Line([a, b]) => self.line(a, b),
            Piece::Quad(curve) => self.monotone_quad(curve),
            Piece::Cubic(curve) => self.monotone_cubic(curve),
        }
    }

    fn line(&mut self, from: Point, to: Point) {
        let (mut a, mut b) = (sampled(from), sampled(to));
        let mut winding = 1;
        if a.1 > b.1 {
            (a, b, winding) = (b, a, -1);
        }
        let Some(line) = Line::new(a, b) else { return };
        let edge = Edge { line, end: line.last, winding, curve: STRAIGHT };
        match self.all.last_mut() {
            Some(before) if line.dx == 0 && before.curve == STRAIGHT => match joined(*before, edge) {
                Joined::Apart => self.all.push(edge),
                Joined::One(one) => *before = one,
                Joined::Nothing => {
                    self.all.pop();
                }
            },
            _ => self.all.push(edge),
        }
    }

    fn quad(&mut self, curve: [Point; 3]) {
        let mut pieces = [Point::default(); 5];
        let count = chop::quad(curve, &mut pieces);
        for k in 0..count {
            self.monotone_quad([pieces[2 * k], pieces[2 * k + 1], pieces[2 * k + 2]]);
        }
    }

    fn monotone_quad(&mut self, curve: [Point; 3]) {
        let [a, b, c] = curve.map(sampled);
        if a.1 > c.1 {
            self.curve(Curve::quad([c, b, a]), -1);
        } else {
            self.curve(Curve::quad([a, b, c]), 1);
        }
    }

    fn cubic(&mut self, curve: [Point; 4]) {
        let mut pieces = [Point::default(); 10];
        let count = chop::cubic(curve, &mut pieces);
        for k in 0..count {
            let at = 3 * k;
            self.monotone_cubic([pieces[at], pieces[at + 1], pieces[at + 2], pieces[at + 3]]);
        }
    }

    fn monotone_cubic(&mut self, curve: [Point; 4]) {
        let [a, b, c, d] = curve.map(sampled);
        if a.1 > d.1 {
            self.curve(Curve::cubic([d, c, b, a]), -1);
        } else {
            self.curve(Curve::cubic([a, b, c, d]), 1);
        }
    }

    #[allow(clippy::cast_possible_truncation, reason = "more than 2^16 of them are refused")]
    fn curve(&mut self, curve: Option<(Line, Curve)>, winding: i32) {
        if let Some((line, rest)) = curve {
            let end = rest.last_row();
            // Rounding may make it go up.
            self.irregular |= line.last < line.first || line.last > end;
            self.all.push(Edge { line, end, winding, curve: self.curves.len() as u32 });
            self.curves.push(rest);
        }
    }
}

fn sampled(p: Point) -> At {
    (samples(p.x), samples(p.y))
}

enum Joined {
    Apart,
    One(Edge),
    Nothing,
}

/// Two upright edges in a row: those that go on make one, those that go back leave the difference.
fn joined(before: Edge, edge: Edge) -> Joined {
    let (a, b) = (before.line, edge.line);
    if a.dx != 0 || a.x != b.x {
        return Joined::Apart;
    }
    let one = |first, last, winding| {
        Joined::One(Edge { line: Line { first, last, ..a }, end: last, winding, ..before })
    };
    if before.winding == edge.winding {
        return if b.last + 1 == a.first {
            one(b.first, a.last, before.winding)
        } else if b.first == a.last + 1 {
            one(a.first, b.last, before.winding)
        } else {
            Joined::Apart
        };
    }
    let longer = if b.last - b.first > a.last - a.first { edge.winding } else { before.winding };
    if a.first == b.first {
        if a.last == b.last {
            return Joined::Nothing;
        }
        one(a.last.min(b.last) + 1, a.last.max(b.last), longer)
    } else if a.last == b.last {
        one(a.first.min(b.first), a.first.max(b.first) - 1, longer)
    } else {
        Joined::Apart
    }
}
