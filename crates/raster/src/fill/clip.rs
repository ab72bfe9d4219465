//! Clips outlines to the picture, in f32 and f64, with tiny-skia's arithmetic. Parts left or right of the
//! picture become vertical edges at its side; parts above or below are removed. Cubics that cross a side are
//! not supported and are left to tiny-skia.

use tiny_skia::Point;

use super::chop;

/// tiny-skia treats smaller differences as 0.
const NEARLY_ZERO: f32 = 1.0 / 4096.0;

/// The right and the lower side of the picture. The others are at 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides {
    pub(super) right: f32,
    pub(super) bottom: f32,
}

/// A clipped part of a curve: monotone, or a line.
#[derive(Clone, Copy, Debug)]
pub(super) enum Piece {
    Line([Point; 2]),
    Quad([Point; 3]),
    Cubic([Point; 4]),
}

impl Piece {
    fn backwards(self) -> Self {
        match self {
            Self::Line([a, b]) => Self::Line([b, a]),
            Self::Quad([a, b, c]) => Self::Quad([c, b, a]),
            Self::Cubic([a, b, c, d]) => Self::Cubic([d, c, b, a]),
        }
    }

    /// An upright edge.
    fn upright(x: f32, from: f32, to: f32) -> Self {
        Self::Line([Point::from_xy(x, from), Point::from_xy(x, to)])
    }
}

impl Sides {
    pub(super) fn line(self, ends: [Point; 2], out: &mut impl FnMut(Piece)) {
        let [a, b] = ends;
        let (upper, lower) = if a.y < b.y { (0, 1) } else { (1, 0) };
        if ends[lower].y <= 0.0 || ends[upper].y >= self.bottom {
            return;
        }
        let mut cut = ends;
        if ends[upper].y < 0.0 {
            cut[upper] = Point::from_xy(x_at(ends, 0.0), 0.0);
        }
        if cut[lower].y > self.bottom {
            cut[lower] = Point::from_xy(x_at(ends, self.bottom), self.bottom);
        }
        let (first, last) = if a.x < b.x { (0, 1) } else { (1, 0) };
        if cut[last].x <= 0.0 {
            return out(Piece::upright(0.0, cut[0].y, cut[1].y));
        }
        if cut[first].x >= self.right {
            return out(Piece::upright(self.right, cut[0].y, cut[1].y));
        }
        // From left to right, then as they were.
        let (mut points, mut count) = ([cut[first]; 4], 1);
        if cut[first].x < 0.0 {
            points[0].x = 0.0;
            points[1] = Point::from_xy(0.0, y_at(cut, 0.0));
            count = 2;
        }
        if cut[last].x > self.right {
            points[count] = Point::from_xy(self.right, y_at(cut, self.right));
            points[count + 1] = Point::from_xy(self.right, cut[last].y);
            count += 2;
        } else {
            points[count] = cut[last];
            count += 1;
        }
        let points = &mut points[..count];
        if first == 1 {
            points.reverse();
        }
        for pair in points.windows(2) {
            out(Piece::Line([pair[0], pair[1]]));
        }
    }

    pub(super) fn quad(self, curve: [Point; 3], out: &mut impl FnMut(Piece)) {
        if curve.iter().all(|p| p.y >= self.bottom) || curve.iter().all(|p| p.y <= 0.0) {
            return;
        }
        let (mut by_y, mut by_x) = ([Point::default(); 5], [Point::default(); 5]);
        for k in 0..chop::quad(curve, &mut by_y) {
            let piece = [by_y[2 * k], by_y[2 * k + 1], by_y[2 * k + 2]];
            for k in 0..chop::quad(piece.map(turned), &mut by_x) {
                self.monotone_quad([by_x[2 * k], by_x[2 * k + 1], by_x[2 * k + 2]].map(turned), out);
            }
        }
    }

    fn monotone_quad(self, mut curve: [Point; 3], out: &mut impl FnMut(Piece)) {
        let mut backwards = curve[0].y > curve[2].y;
        if backwards {
            curve.reverse();
        }
        if curve[2].y <= 0.0 || curve[0].y >= self.bottom {
            return;
        }
        self.cut_above_and_below(&mut curve);
        if curve[0].x > curve[2].x {
            curve.swap(0, 2);
            backwards = !backwards;
        }
        let mut put = |piece: Piece| out(if backwards { piece.backwards() } else { piece });
        if curve[2].x <= 0.0 {
            return put(Piece::upright(0.0, curve[0].y, curve[2].y));
        }
        if curve[0].x >= self.right {
            return put(Piece::upright(self.right, curve[0].y, curve[2].y));
        }
        if curve[0].x < 0.0 {
            let Some([a, _, at, next, _]) = cut_at(curve.map(turned), 0.0) else {
                return put(Piece::upright(0.0, curve[0].y, curve[2].y));
            };
            let (a, at, next) = (turned(a), turned(at), turned(next));
            put(Piece::upright(0.0, a.y, at.y));
            curve[0] = Point::from_xy(0.0, at.y);
            curve[1] = Point::from_xy(next.x.max(0.0), next.y);
        }
        if curve[2].x > self.right {
            if let Some(pieces) = cut_at(curve.map(turned), self.right) {
                let [a, before, at, _, end] = pieces.map(turned);
                let before = Point::from_xy(before.x.min(self.right), before.y);
                put(Piece::Quad([a, before, Point::from_xy(self.right, at.y)]));
                return put(Piece::upright(self.right, at.y, end.y));
            }
            curve[1].x = curve[1].x.min(self.right);
            curve[2].x = curve[2].x.min(self.right);
        }
        put(Piece::Quad(curve));
    }

    fn cut_above_and_below(self, curve: &mut [Point; 3]) {
        if curve[0].y < 0.0 {
            match cut_at(*curve, 0.0) {
                Some([_, _, at, next, _]) => {
                    curve[0] = Point::from_xy(at.x, 0.0);
                    curve[1] = Point::from_xy(next.x, next.y.max(0.0));
                }
                None => curve.iter_mut().for_each(|p| p.y = p.y.max(0.0)),
            }
        }
        if curve[2].y > self.bottom {
            match cut_at(*curve, self.bottom) {
                Some([_, before, at, _, _]) => {
                    curve[1] = Point::from_xy(before.x, before.y.min(self.bottom));
                    curve[2] = Point::from_xy(at.x, self.bottom);
                }
                None => curve.iter_mut().for_each(|p| p.y = p.y.min(self.bottom)),
            }
        }
    }

    /// False if a part crosses a side.
    pub(super) fn cubic(self, curve: [Point; 4], out: &mut impl FnMut(Piece)) -> bool {
        if curve.iter().all(|p| p.y >= self.bottom) || curve.iter().all(|p| p.y <= 0.0) {
            return true;
        }
        let (mut by_y, mut by_x) = ([Point::default(); 10], [Point::default(); 10]);
        for k in 0..chop::cubic(curve, &mut by_y) {
            let at = 3 * k;
            let piece = [by_y[at], by_y[at + 1], by_y[at + 2], by_y[at + 3]];
            for k in 0..chop::cubic(piece.map(turned), &mut by_x) {
                let at = 3 * k;
                let piece = [by_x[at], by_x[at + 1], by_x[at + 2], by_x[at + 3]].map(turned);
                if !self.monotone_cubic(piece, out) {
                    return false;
                }
            }
        }
        true
    }

    fn monotone_cubic(self, mut curve: [Point; 4], out: &mut impl FnMut(Piece)) -> bool {
        let mut backwards = curve[0].y > curve[3].y;
        if backwards {
            curve.reverse();
        }
        if curve[3].y <= 0.0 || curve[0].y >= self.bottom {
            return true;
        }
        if curve[0].y < 0.0 || curve[3].y > self.bottom {
            return false;
        }
        if curve[0].x > curve[3].x {
            curve.reverse();
            backwards = !backwards;
        }
        let piece = if curve[3].x <= 0.0 {
            Piece::upright(0.0, curve[0].y, curve[3].y)
        } else if curve[0].x >= self.right {
            Piece::upright(self.right, curve[0].y, curve[3].y)
        } else if curve[0].x < 0.0 || curve[3].x > self.right {
            return false;
        } else {
            Piece::Cubic(curve)
        };
        out(if backwards { piece.backwards() } else { piece });
        true
    }
}

fn turned(p: Point) -> Point {
    Point::from_xy(p.y, p.x)
}

/// Both parts of a monotone quadratic above and below a level of y, if rounding finds it.
fn cut_at([a, b, c]: [Point; 3], y: f32) -> Option<[Point; 5]> {
    let (found, count) = chop::roots(a.y - b.y - b.y + c.y, 2.0 * (b.y - a.y), a.y - y);
    (count > 0).then(|| chop::cut_quad([a, b, c], found[0]))
}

/// Where a line meets a level of y.
#[allow(clippy::cast_possible_truncation, reason = "f64 keeps what f32 began with")]
fn x_at([a, b]: [Point; 2], y: f32) -> f32 {
    if (b.y - a.y).abs() <= NEARLY_ZERO {
        return (a.x + b.x) * 0.5;
    }
    let [x0, y0, x1, y1] = [a.x, a.y, b.x, b.y].map(f64::from);
    let x = x0 + (f64::from(y) - y0) * (x1 - x0) / (y1 - y0);
    x.clamp(x0.min(x1), x0.max(x1)) as f32
}

/// Where a line meets a place of x.
#[allow(clippy::cast_possible_truncation, reason = "f64 keeps what f32 began with")]
fn y_at([a, b]: [Point; 2], x: f32) -> f32 {
    let y = if (b.x - a.x).abs() <= NEARLY_ZERO {
        (a.y + b.y) * 0.5
    } else {
        let [x0, y0, x1, y1] = [a.x, a.y, b.x, b.y].map(f64::from);
        (y0 + (f64::from(x) - x0) * (y1 - y0) / (x1 - x0)) as f32
    };
    y.clamp(a.y.min(b.y), a.y.max(b.y))
}
