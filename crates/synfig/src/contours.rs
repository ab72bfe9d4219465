//! Where a field has a level: what gradients beside a spline are made of.

use kurbo::{BezPath, ParamCurve, ParamCurveDeriv, Point, Rect, Shape as _, Vec2};

use crate::spline::Spline;

/// Into how many straight pieces a curve of a spline is cut.
const PIECES: usize = 24;
/// The distance of the samples of a field in pixels, and the most of a row.
const PITCH: f64 = 2.0;
const MAX_SAMPLES: f64 = 320.0;
/// How far the corners of a border may be from it, in pixels.
const NEAR: f64 = 0.1;
/// Most levels of a field.
const MAX_LEVELS: usize = 1000;
/// Most distances from pieces of a spline for the samples of a field, and for what is between them.
const MAX_EVALUATIONS: f64 = 2e8;
/// Most pieces of a spline, if it has fewer curves.
const MAX_PIECES: usize = 4000;

/// A place of a gradient for each point of the plane: by its distance from a spline, or along it
/// (`TaskCurveGradientSW::get_color`).
pub(crate) struct Field {
    pieces: Vec<SplinePiece>,
    is_along: bool,
    width: f64,
    length: f64,
}

/// A straight piece of a spline.
struct SplinePiece {
    from: FieldPoint,
    to: FieldPoint,
    /// How far along the spline it begins.
    start: f64,
    /// The direction at a corner that it begins or ends at.
    corners: [Option<Vec2>; 2],
}

#[derive(Clone, Copy)]
struct FieldPoint {
    at: Vec2,
    /// Of length 1.
    direction: Vec2,
    width: f64,
}

fn unit(vector: Vec2) -> Vec2 {
    if vector == Vec2::ZERO { Vec2::new(1.0, 0.0) } else { vector.normalize() }
}

impl Field {
    pub(crate) fn new(spline: &Spline, is_along: bool, width: f64) -> Self {
        let mut pieces: Vec<SplinePiece> = Vec::new();
        let mut length = 0.0;
        let count = (MAX_PIECES / spline.len().max(1)).clamp(1, PIECES);
        for segment in 0..spline.len() {
            let curve = spline.curve(segment);
            let point = |piece: usize| {
                let u = piece as f64 / count as f64;
                // A tangent without a length has the direction of what is near.
                let near = curve.eval((u + 1e-3).min(1.0)) - curve.eval((u - 1e-3).max(0.0));
                let tangent = curve.deriv().eval(u).to_vec2();
                let direction = unit(if tangent.hypot() > 1e-6 { tangent } else { near });
                FieldPoint { at: curve.eval(u).to_vec2(), direction, width: spline.width(segment, u) }
            };
            for piece in 0..count {
                let (from, to) = (point(piece), point(piece + 1));
                pieces.push(SplinePiece { from, to, start: length, corners: [None; 2] });
                length += (to.at - from.at).hypot();
            }
        }
        for at in (0..pieces.len()).step_by(count) {
            let before = if at > 0 { at - 1 } else { pieces.len() - 1 };
            if at == 0 && !spline.closed {
                continue;
            }
            let (a, b) = (pieces[before].to.direction, pieces[at].from.direction);
            if a.dot(b) < 1.0 - 1e-6 {
                pieces[before].corners[1] = Some(a + b);
                pieces[at].corners[0] = Some(a + b);
            }
        }
        Self { pieces, is_along, width, length: length.max(1e-9) }
    }

    /// How many pieces are looked at for a point.
    pub(crate) fn cost(&self) -> usize {
        self.pieces.len()
    }

    /// The place of a point.
    pub(crate) fn at(&self, point: Vec2) -> f64 {
        let mut best: Option<(f64, &SplinePiece, f64)> = None;
        for piece in &self.pieces {
            let along = piece.to.at - piece.from.at;
            let share = ((point - piece.from.at).dot(along) / along.hypot2().max(1e-18)).clamp(0.0, 1.0);
            let distance = (piece.from.at + share * along - point).hypot2();
            if best.is_none_or(|(least, ..)| distance < least) {
                best = Some((distance, piece, share));
            }
        }
        let Some((distance, piece, share)) = best else { return 1.0 };
        let near = piece.from.at.lerp(piece.to.at, share);
        let direction = unit(piece.from.direction.lerp(piece.to.direction, share));
        let away = point - near;
        if self.is_along {
            let passed = piece.start + share * (piece.to.at - piece.from.at).hypot();
            return (passed + away.dot(direction)) / self.length;
        }
        let width = self.width * (piece.from.width + share * (piece.to.width - piece.from.width));
        let right = |of: Vec2| Vec2::new(of.y, -of.x);
        let corner = match share {
            0.0 => piece.corners[0],
            1.0 => piece.corners[1],
            _ => None,
        };
        // At a corner the distance itself counts, with the side.
        let side = match corner {
            Some(corner) => distance.sqrt().copysign(away.dot(right(corner))),
            None => away.dot(right(direction)),
        };
        if width.abs() < 1e-9 { 1.0 } else { 0.5 + side / width }
    }
}

/// For each two places of a gradient a path of what is between them, or reaches under the next one; the first has all of
/// the page then. Inside is by the even-odd rule. With whether these are all that the page shows.
pub(crate) fn contours(
    page: Rect,
    field: impl Fn(Point) -> f64,
    places: &[f64],
    loops: bool,
    overlaps: bool,
    cost: usize,
) -> (Vec<BezPath>, bool) {
    let count = places.len().saturating_sub(1);
    let mut grid = FieldGrid::new(page, field, cost);
    let finite = grid.values.iter().copied().filter(|value| *value > OUTSIDE);
    let (low, high) =
        finite.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
    let first = if loops { low.floor() } else { 0.0 };
    let needed = if loops { (high.floor() - first).max(0.0) + 1.0 } else { 1.0 };
    let rounds = needed.min((MAX_LEVELS / count.max(1)) as f64).max(1.0);
    // Without loops the first colour is before all, and the last one behind all.
    let level = |at: usize| match (at % count.max(1), (at / count.max(1)) as f64) {
        (0, _) if !loops => f64::MIN,
        (band, round) => first + round + places[band],
    };
    let total = count * rounds as usize;
    grid.is_exact = (total * grid.columns * cost) as f64 <= MAX_EVALUATIONS;
    let borders: Vec<BezPath> = (0..total).map(|at| grid.border(level(at))).collect();
    let end = if loops { grid.border(first + rounds) } else { BezPath::new() };
    let mut paths = vec![BezPath::new(); count];
    for (at, border) in borders.iter().enumerate() {
        // The last one of a round reaches no further: the first one is under all of them.
        let next = (at + if overlaps { 2 } else { 1 }).min((at / count + 1) * count);
        let next = borders.get(next).unwrap_or(&end);
        paths[at % count].extend(border.elements().iter().chain(next.elements()).copied());
    }
    if let (true, Some(first)) = (overlaps, paths.first_mut()) {
        *first = page.to_path(0.1);
    }
    (paths, rounds == needed)
}

/// By which share of its difference a field may miss its level between two samples, and how often they are brought nearer.
const STRAIGHT: f64 = 0.02;
const HALVINGS: usize = 7;
/// Below all levels: what is around the samples.
const OUTSIDE: f64 = -1e12;

/// A field by samples.
struct FieldGrid<F> {
    field: F,
    /// Whether the field is looked at between samples.
    is_exact: bool,
    corner: Point,
    pitch: f64,
    columns: usize,
    rows: usize,
    values: Vec<f64>,
}

impl<F: Fn(Point) -> f64> FieldGrid<F> {
    fn new(page: Rect, field: F, cost: usize) -> Self {
        let dearest = (page.area() * cost as f64 / MAX_EVALUATIONS).sqrt();
        let pitch = PITCH.max(page.width().max(page.height()) / MAX_SAMPLES).max(dearest);
        // Two more on each side: one of the field, and one outside.
        let count = |side: f64| (side / pitch).ceil() as usize + 5;
        let (columns, rows) = (count(page.width()), count(page.height()));
        let corner = page.origin() - Vec2::new(2.0 * pitch, 2.0 * pitch);
        let mut values = Vec::with_capacity(columns * rows);
        for row in 0..rows {
            for column in 0..columns {
                let is_edge = row == 0 || column == 0 || row + 1 == rows || column + 1 == columns;
                let at = corner + pitch * Vec2::new(column as f64, row as f64);
                let value = if is_edge { OUTSIDE } else { field(at) };
                values.push(if value.is_finite() { value } else { 0.0 });
            }
        }
        Self { field, is_exact: true, corner, pitch, columns, rows, values }
    }

    /// The border of what has at least a level: marching squares, with the inside on the right of each border.
    fn border(&self, level: f64) -> BezPath {
        let mut path = BezPath::new();
        let level = level.max(0.5 * OUTSIDE);
        let stride = self.columns;
        let value = |at: usize| self.values.get(at).copied().unwrap_or(OUTSIDE);
        // A crossing is named by its first sample, and by whether it is on the way down from there.
        let mut next: Vec<[Option<(usize, usize)>; 2]> = vec![[None; 2]; self.values.len()];
        for row in 0..self.rows - 1 {
            for column in 0..stride - 1 {
                let at = row * stride + column;
                let corners = [at, at + 1, at + stride + 1, at + stride];
                let sides = [(at, 0), (at + 1, 1), (at + stride, 0), (at, 1)];
                let inside = corners.map(|corner| value(corner) >= level);
                let crossed: Vec<usize> =
                    (0..4).filter(|side| inside[*side] != inside[(side + 1) % 4]).collect();
                let mean = corners.iter().map(|corner| value(*corner)).sum::<f64>() / 4.0;
                for side in crossed.iter().filter(|side| inside[**side]) {
                    // From a side behind whose first corner it goes out, to the one where it comes in again.
                    let ahead = |step: usize| (side + step) % 4;
                    let enters = |side: usize| !inside[side] && inside[(side + 1) % 4];
                    let backwards = crossed.len() == 4 && mean >= level;
                    let found = if backwards {
                        [1, 2, 3].map(ahead).into_iter().find(|side| enters(*side))
                    } else {
                        [3, 2, 1].map(ahead).into_iter().find(|side| enters(*side))
                    };
                    let Some(found) = found else { continue };
                    let (sample, down) = sides[*side];
                    next[sample][down] = Some(sides[found]);
                }
            }
        }
        for sample in 0..next.len() {
            for down in 0..2 {
                let mut here = (sample, down);
                let mut points = Vec::new();
                while let Some(then) = next[here.0][here.1].take() {
                    points.push(self.crossing(here, level));
                    here = then;
                }
                if points.len() > 2 {
                    outline(&points, &mut path);
                }
            }
        }
        path
    }

    fn crossing(&self, (sample, down): (usize, usize), level: f64) -> Point {
        let other = sample + if down == 1 { self.columns } else { 1 };
        let value = |at: usize| self.values.get(at).copied().unwrap_or(OUTSIDE);
        let (mut a, mut b) = (value(sample), value(other));
        let point = |at: usize| {
            let cell = Vec2::new((at % self.columns) as f64, (at / self.columns) as f64);
            self.corner + self.pitch * cell
        };
        let (mut from, mut to) = (point(sample), point(other));
        let (step, is_edge) = (STRAIGHT * (b - a).abs(), a == OUTSIDE || b == OUTSIDE);
        // Where the field jumps, its samples say little of the place.
        for _ in 0..if is_edge || !self.is_exact { 0 } else { HALVINGS } {
            let guess = from.lerp(to, ((level - a) / (b - a)).clamp(0.0, 1.0));
            if ((self.field)(guess) - level).abs() <= step {
                return guess;
            }
            let middle = from.midpoint(to);
            let found = (self.field)(middle);
            if (found >= level) == (a >= level) {
                (a, from) = (found, middle)
            } else {
                (b, to) = (found, middle)
            }
        }
        from.lerp(to, ((level - a) / (b - a)).clamp(0.0, 1.0))
    }
}

/// A closed path through the corners that are needed (Douglas and Peucker 1973).
fn outline(points: &[Point], path: &mut BezPath) {
    let far = |from: Point| {
        let distance = |at: &usize| points[*at].distance_squared(from);
        (0..points.len()).max_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
    };
    let middle = far(points[0]);
    let mut kept = vec![false; points.len() + 1];
    (kept[0], kept[middle]) = (true, true);
    let at = |index: usize| points[index % points.len()];
    let mut stack = vec![(0, middle), (middle, points.len())];
    while let Some((from, to)) = stack.pop() {
        let (a, b) = (at(from), at(to));
        let along = (b - a) / (b - a).hypot().max(1e-12);
        let distance = |index: &usize| (at(*index) - a).cross(along).abs();
        let worst = (from + 1..to).max_by(|a, b| distance(a).total_cmp(&distance(b)));
        if let Some(worst) = worst.filter(|index| distance(index) > NEAR) {
            kept[worst] = true;
            stack.extend([(from, worst), (worst, to)]);
        }
    }
    let mut corners = (0..points.len()).filter(|index| kept[*index]).map(at);
    path.extend(corners.next().map(kurbo::PathEl::MoveTo));
    path.extend(corners.map(kurbo::PathEl::LineTo));
    path.close_path();
}
