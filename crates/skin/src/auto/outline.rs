//! Outlines as integer segments: curves are flattened, strokes are widened, and all points are rounded to a
//! grid. The result does not depend on the order or direction of the paths.

use kurbo::{BezPath, PathEl, Point, Vec2};

use super::note::FieldNote;
use super::shape::{ClipRegion, CoveredShape, LIMIT};
use crate::options::WindingRule;

/// A point of the grid.
pub(crate) type Node = [i64; 2];

/// The longer side of the drawing, in grid units.
pub(crate) const EXTENT: f64 = 1_048_576.0;
/// Tolerance of flattened curves, in grid units: 0.3 px of a 620 px drawing.
const TOLERANCE: f64 = 512.0;
/// Least half width of lines, in grid units, so that they contain triangles.
const THIN: f64 = 4096.0;
/// Strokes around a filled area count from this half width on, in grid units; in a finer one the weights are
/// those of the nearest point of the area.
const WIDE: f64 = 4096.0;

/// Cosine of the angle from which on a join is bevelled: a little over a right angle.
const SHARP: f64 = -0.25;

/// Canvas to grid: the drawing's centre at 0, its longer side [`EXTENT`] long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    centre: Point,
    scale: f64,
}

impl Frame {
    pub(crate) fn apply(&self, p: Point) -> Point {
        // Far beyond any mesh, but its square is finite.
        let far = |v: f64| v.clamp(-1e60, 1e60);
        Point::new(far((p.x - self.centre.x) * self.scale), far((p.y - self.centre.y) * self.scale))
    }

    /// A length of the grid on the canvas.
    pub(crate) fn length(&self, grid: f64) -> f64 {
        grid / self.scale
    }

    /// A length of the canvas on the grid.
    pub(crate) fn grid_length(&self, canvas: f64) -> f64 {
        canvas * self.scale
    }

    pub(crate) fn canvas(&self, p: Point) -> Point {
        Point::new(p.x / self.scale + self.centre.x, p.y / self.scale + self.centre.y)
    }
}

/// One straight piece, from the lexically smaller end to the larger; `wind` is -1 if the path had the
/// opposite direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Piece {
    pub(crate) a: Node,
    pub(crate) b: Node,
    pub(crate) layer: u32,
    pub(crate) wind: i32,
}

impl Piece {
    pub(crate) fn new(from: Node, to: Node, layer: u32, wind: i32) -> Self {
        if from <= to {
            Self { a: from, b: to, layer, wind }
        } else {
            Self { a: to, b: from, layer, wind: -wind }
        }
    }
}

/// Flattened shapes in grid units, not yet rounded.
#[derive(Debug)]
pub(crate) struct Outlines {
    pub(crate) frame: Frame,
    polylines: Vec<Polyline>,
    rules: Vec<WindingRule>,
    /// The shape of each layer; for one of a clip path the first shape that it cuts.
    shapes: Vec<u32>,
    /// Of each layer the clip paths that cut it; none for one that is a clip path itself.
    cuts: Vec<Option<Vec<u32>>>,
    /// The layers of each clip path.
    regions: Vec<Vec<u32>>,
}

#[derive(Debug)]
struct Polyline {
    points: Vec<Point>,
    closed: bool,
    fill: Option<u32>,
    /// Layer and half width.
    stroke: Option<(u32, f64)>,
}

fn finite(path: &BezPath) -> bool {
    let usable = |p: Point| p.x.abs() <= LIMIT && p.y.abs() <= LIMIT;
    path.elements().iter().all(|el| match *el {
        PathEl::MoveTo(p) | PathEl::LineTo(p) => usable(p),
        PathEl::QuadTo(a, b) => usable(a) && usable(b),
        PathEl::CurveTo(a, b, c) => usable(a) && usable(b) && usable(c),
        PathEl::ClosePath => true,
    })
}

/// The bounds of all control points; `None` without any.
fn bounds<'a>(paths: impl Iterator<Item = &'a BezPath>) -> Option<(Point, Point)> {
    let mut found: Option<(Point, Point)> = None;
    let mut add = |p: Point| {
        let (lo, hi) = found.unwrap_or((p, p));
        found = Some((Point::new(lo.x.min(p.x), lo.y.min(p.y)), Point::new(hi.x.max(p.x), hi.y.max(p.y))));
    };
    for el in paths.flat_map(|path| path.elements()) {
        match *el {
            PathEl::MoveTo(p) | PathEl::LineTo(p) => add(p),
            PathEl::QuadTo(a, b) => [a, b].into_iter().for_each(&mut add),
            PathEl::CurveTo(a, b, c) => [a, b, c].into_iter().for_each(&mut add),
            PathEl::ClosePath => {}
        }
    }
    found
}

impl Outlines {
    /// `None` if the drawing has no extent.
    pub(crate) fn new(
        shapes: &[CoveredShape<'_>],
        clips: &[ClipRegion<'_>],
        notes: &mut Vec<FieldNote>,
    ) -> Option<Self> {
        let mut usable = Vec::new();
        for (shape, drawn) in shapes.iter().enumerate() {
            if !finite(drawn.path) || drawn.stroke_width.is_nan() || drawn.stroke_width > LIMIT {
                notes.push(FieldNote::ShapeNotFinite { shape });
            } else if drawn.path.elements().is_empty() {
                notes.push(FieldNote::ShapeEmpty { shape });
            } else {
                usable.push((shape, drawn));
            }
        }
        let (lo, hi) = bounds(usable.iter().map(|(_, s)| s.path))?;
        let widest = usable.iter().map(|(_, s)| s.stroke_width).fold(0.0, f64::max);
        let extent = (hi.x - lo.x).max(hi.y - lo.y).max(widest);
        let scale = EXTENT / extent;
        if !(extent.is_finite() && scale.is_finite() && scale > 0.0) {
            return None;
        }
        let centre = Point::new(lo.x + (hi.x - lo.x) * 0.5, lo.y + (hi.y - lo.y) * 0.5);
        let mut outlines = Self {
            frame: Frame { centre, scale },
            polylines: Vec::new(),
            rules: Vec::new(),
            shapes: Vec::new(),
            cuts: Vec::new(),
            regions: Vec::new(),
        };
        let clips: Vec<&ClipRegion<'_>> =
            clips.iter().filter(|clip| clip.outlines.iter().all(|(path, _)| finite(path))).collect();
        for ((place, shape), at) in usable.iter().zip(0..) {
            let cuts = (0_u32..).zip(&clips).filter(|(_, clip)| clip.shapes.binary_search(place).is_ok());
            let cuts: Vec<u32> = cuts.map(|(clip, _)| clip).collect();
            outlines.add(shape, (at, &cuts));
        }
        for clip in clips {
            let first = clip.shapes.first();
            let owner = usable.iter().position(|(place, _)| Some(place) == first).unwrap_or_default();
            outlines.add_clip(clip, owner as u32);
        }
        Some(outlines)
    }

    /// A clip path, as layers of its own.
    fn add_clip(&mut self, clip: &ClipRegion<'_>, owner: u32) {
        let mut layers = Vec::new();
        for (path, rule) in clip.outlines {
            let layer = self.layer(*rule, owner, None);
            layers.push(layer);
            for mut polyline in flatten(path, &self.frame) {
                polyline.points = within_frame(polyline.points);
                polyline.fill = Some(layer);
                self.polylines.push(polyline);
            }
        }
        self.regions.push(layers);
    }

    fn add(&mut self, shape: &CoveredShape<'_>, (number, cuts): (u32, &[u32])) {
        let mut polylines = flatten(shape.path, &self.frame);
        let half = (shape.stroke_width * self.frame.scale * 0.5).clamp(0.0, EXTENT);
        let fill = shape.fill.filter(|_| polylines.iter().any(|p| p.is_area()));
        let fill_layer = fill.map(|rule| self.layer(rule, number, Some(cuts)));
        let wide = fill.is_none() || half >= WIDE;
        // Subpaths of a filled path that enclose no area are lines.
        let stroke_layer = (wide || polylines.iter().any(|p| !p.is_area()))
            .then(|| self.layer(WindingRule::NonZero, number, Some(cuts)));
        for polyline in &mut polylines {
            polyline.fill = fill_layer;
            if wide || !polyline.is_area() {
                polyline.stroke = stroke_layer.map(|layer| (layer, half.max(THIN)));
            }
        }
        self.polylines.append(&mut polylines);
    }

    fn layer(&mut self, rule: WindingRule, shape: u32, cuts: Option<&[u32]>) -> u32 {
        self.rules.push(rule);
        self.shapes.push(shape);
        self.cuts.push(cuts.map(<[u32]>::to_vec));
        self.rules.len() as u32 - 1
    }

    /// How many layers the shapes and clip paths have.
    pub(crate) fn layers(&self) -> usize {
        self.rules.len()
    }

    /// Whether a place is inside, by its windings in the layers that have any there. Patches count as they are.
    pub(crate) fn covers(&self, touched: &[u32], winding: impl Fn(u32) -> i32) -> bool {
        let is_in = |layer: u32| match self.rules.get(layer as usize) {
            Some(WindingRule::EvenOdd) => winding(layer) % 2 != 0,
            Some(WindingRule::NonZero) | None => winding(layer) != 0,
        };
        let is_seen = |layer: u32| match self.cuts.get(layer as usize) {
            Some(Some(cuts)) => {
                cuts.iter().all(|cut| self.regions[*cut as usize].iter().any(|layer| is_in(*layer)))
            }
            Some(None) => false,
            None => true,
        };
        touched.iter().any(|layer| is_in(*layer) && is_seen(*layer))
    }

    /// The winding rule of a layer.
    pub(crate) fn rule_of(&self, layer: u32) -> WindingRule {
        self.rules.get(layer as usize).copied().unwrap_or(WindingRule::NonZero)
    }

    /// The clip paths that cut a layer; none for one that is a clip path itself.
    pub(crate) fn cuts_of(&self, layer: u32) -> Option<&[u32]> {
        self.cuts.get(layer as usize)?.as_deref()
    }

    /// How many clip paths there are.
    pub(crate) fn clip_count(&self) -> usize {
        self.regions.len()
    }

    /// The layers of a clip path.
    pub(crate) fn region(&self, cut: u32) -> &[u32] {
        &self.regions[cut as usize]
    }

    /// Whether nothing is cut.
    pub(crate) fn is_uncut(&self) -> bool {
        self.regions.is_empty()
    }

    /// The shape of a layer; another number for a layer of patches.
    pub(crate) fn shape_of(&self, layer: u32) -> u32 {
        self.shapes.get(layer as usize).copied().unwrap_or(u32::MAX)
    }

    /// Adds patches as a layer of their own, which is returned. All have one direction: where they overlap
    /// their windings add up.
    pub(crate) fn patch_pieces(&self, patches: &[[Point; 4]], step: i64, pieces: &mut Vec<Piece>) -> u32 {
        let layer = self.layers() as u32;
        for &[a, b, c, d] in patches {
            for corners in [[a, b, c], [a, c, d]] {
                let [a, b, c] = corners.map(|p| snap(p, step));
                let double = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
                match double.signum() {
                    1 => close(&[a, b, c], layer, pieces),
                    -1 => close(&[a, c, b], layer, pieces),
                    _ => {}
                }
            }
        }
        layer
    }

    /// All pieces on a grid of this step; pieces that become a point are left out.
    pub(crate) fn pieces(&self, step: i64) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut ring = Vec::new();
        for polyline in &self.polylines {
            let mut nodes: Vec<Node> = polyline.points.iter().map(|&p| snap(p, step)).collect();
            nodes.dedup();
            if let Some(layer) = polyline.fill {
                close(&nodes, layer, &mut pieces);
            }
            if let Some((layer, half)) = polyline.stroke {
                let closed = polyline.closed && nodes.len() > 2;
                if closed && nodes.first() == nodes.last() {
                    nodes.pop();
                }
                for side in widen(&nodes, closed, half) {
                    ring.clear();
                    ring.extend(side.iter().map(|&p| snap(p, step)));
                    ring.dedup();
                    close(&ring, layer, &mut pieces);
                }
            }
        }
        pieces
    }
}

impl Polyline {
    /// Whether the ring encloses more than a line of the least width.
    fn is_area(&self) -> bool {
        let Some(&last) = self.points.last() else { return false };
        let (mut area, mut length, mut from) = (0.0, 0.0, last);
        for &to in &self.points {
            area += from.to_vec2().cross(to.to_vec2());
            length += (to - from).hypot();
            from = to;
        }
        // A figure of eight has no net area; its bounds have.
        let xs = self.points.iter().map(|p| p.x);
        let ys = self.points.iter().map(|p| p.y);
        let span = |v: &mut dyn Iterator<Item = f64>| {
            let (lo, hi) = v.fold((f64::MAX, f64::MIN), |(lo, hi), x| (lo.min(x), hi.max(x)));
            hi - lo
        };
        let thin = TOLERANCE * length * 0.5;
        area.abs() * 0.5 > thin
            || (self.points.len() > 3
                && span(&mut { xs }) * span(&mut { ys }) > 4.0 * thin
                && self.turns_both_ways())
    }

    fn turns_both_ways(&self) -> bool {
        let n = self.points.len();
        let turn = |i: usize| {
            let [a, b, c] = [0, 1, 2].map(|k| self.points[(i + k) % n]);
            (b - a).cross(c - b)
        };
        let limit = TOLERANCE * TOLERANCE;
        (0..n).any(|i| turn(i) > limit) && (0..n).any(|i| turn(i) < -limit)
    }
}

/// A closed line without what is far beyond the frame, which is moved to its rim: windings within stay the same
/// (Sutherland and Hodgman 1974).
fn within_frame(mut points: Vec<Point>) -> Vec<Point> {
    for (axis, side) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)] {
        let beyond = |p: &Point| side * if axis == 0 { p.x } else { p.y } - EXTENT;
        if points.iter().all(|p| beyond(p) <= 0.0) {
            continue;
        }
        let mut kept = Vec::with_capacity(points.len() + 4);
        for (at, to) in points.iter().enumerate() {
            let from = &points[(at + points.len() - 1) % points.len()];
            let (a, b) = (beyond(from), beyond(to));
            if (a > 0.0) != (b > 0.0) {
                kept.push(from.lerp(*to, a / (a - b)));
            }
            if b <= 0.0 {
                kept.push(*to);
            }
        }
        points = kept;
    }
    points
}

fn snap(p: Point, step: i64) -> Node {
    let unit = step as f64;
    [p.x, p.y].map(|v| (v / unit).round() as i64 * step)
}

fn close(ring: &[Node], layer: u32, pieces: &mut Vec<Piece>) {
    let next = ring.iter().cycle().skip(1);
    pieces.extend(ring.iter().zip(next).filter(|(a, b)| a != b).map(|(&a, &b)| Piece::new(a, b, layer, 1)));
}

/// Flattened subpaths in grid units.
fn flatten(path: &BezPath, frame: &Frame) -> Vec<Polyline> {
    let mut done = Vec::new();
    let mut points: Vec<Point> = Vec::new();
    let mut finish = |points: &mut Vec<Point>, closed: bool| {
        let first = points.first().copied();
        if !points.is_empty() {
            done.push(Polyline { points: std::mem::take(points), closed, fill: None, stroke: None });
        }
        first
    };
    // The start of a path that continues after a close.
    let mut start = Point::ZERO;
    for el in path.elements() {
        if !matches!(el, PathEl::MoveTo(_) | PathEl::ClosePath) && points.is_empty() {
            points.push(start);
        }
        match *el {
            PathEl::MoveTo(p) => {
                finish(&mut points, false);
                start = frame.apply(p);
                points.push(start);
            }
            PathEl::LineTo(p) => points.push(frame.apply(p)),
            PathEl::QuadTo(a, b) => {
                let from = points[points.len() - 1];
                let (a, b) = (frame.apply(a), frame.apply(b));
                curve(&mut points, [from, from.lerp(a, 2.0 / 3.0), b.lerp(a, 2.0 / 3.0), b]);
            }
            PathEl::CurveTo(a, b, c) => {
                let from = points[points.len() - 1];
                curve(&mut points, [from, frame.apply(a), frame.apply(b), frame.apply(c)]);
            }
            PathEl::ClosePath => {
                if let Some(first) = finish(&mut points, true) {
                    start = first;
                }
            }
        }
    }
    finish(&mut points, false);
    done
}

/// Points of a cubic after its first, always computed from the same end.
fn curve(points: &mut Vec<Point>, mut c: [Point; 4]) {
    let key = |c: &[Point; 4]| c.map(|p| (p.x, p.y));
    let mut other = c;
    other.reverse();
    let turned = key(&other) < key(&c);
    if turned {
        c = other;
    }
    // Wang's bound: n equal steps keep a cubic within the tolerance of its chords if
    // n^2 >= 3/4 max |second difference| / tolerance (Goldman, "Pyramid Algorithms", 2003, section 5.6.3).
    let bend = |a: Point, b: Point, c: Point| (a.to_vec2() - b.to_vec2() * 2.0 + c.to_vec2()).hypot();
    let most = bend(c[0], c[1], c[2]).max(bend(c[1], c[2], c[3]));
    let steps = (0.75 * most / TOLERANCE).sqrt().ceil().clamp(1.0, 4096.0);
    let at = |i: u32| {
        let (t, s) = (f64::from(i) / steps, 1.0 - f64::from(i) / steps);
        let sum = c[0].to_vec2() * (s * s * s)
            + c[1].to_vec2() * (3.0 * s * s * t)
            + c[2].to_vec2() * (3.0 * s * t * t)
            + c[3].to_vec2() * (t * t * t);
        sum.to_point()
    };
    let count = steps as u32;
    if turned {
        points.extend((1..count).rev().map(at));
        points.push(c[0]);
    } else {
        points.extend((1..count).map(at));
        points.push(c[3]);
    }
}

/// Rings whose non-zero windings cover a stroked line: square caps, mitre joins, bevel joins at sharp angles.
fn widen(nodes: &[Node], closed: bool, half: f64) -> Vec<Vec<Point>> {
    let at = |i: usize| Point::new(nodes[i][0] as f64, nodes[i][1] as f64);
    let n = nodes.len();
    if n == 0 {
        return Vec::new();
    }
    if n == 1 {
        let p = at(0);
        let corner = |x: f64, y: f64| p + Vec2::new(x * half, y * half);
        return vec![vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)]];
    }
    let normal = |from: Point, to: Point| {
        let along = to - from;
        let unit = along / along.hypot();
        Vec2::new(-unit.y, unit.x)
    };
    let joint = |i: usize, side: f64, out: &mut Vec<Point>| {
        let p = at(i);
        let (n0, n1) = (normal(at((i + n - 1) % n), p), normal(p, at((i + 1) % n)));
        let reach = half * side;
        if n0.dot(n1) > SHARP {
            out.push(p + (n0 + n1) * (reach / (1.0 + n0.dot(n1))));
        } else if n0.cross(n1) * side < 0.0 {
            out.extend([p + n0 * reach, p + n1 * reach]);
        } else {
            out.extend([p + n0 * reach, p, p + n1 * reach]);
        }
    };
    if closed {
        let ring = |side: f64| {
            let mut out = Vec::new();
            (0..n).for_each(|i| joint(i, side, &mut out));
            out
        };
        let (left, mut right) = (ring(1.0), ring(-1.0));
        right.reverse();
        return vec![left, right];
    }
    let end = |i: usize, inner: usize| {
        let along = at(i) - at(inner);
        at(i) + along / along.hypot() * half
    };
    let (first, last) = (normal(at(0), at(1)) * half, normal(at(n - 2), at(n - 1)) * half);
    let (head, tail) = (end(0, 1), end(n - 1, n - 2));
    let mut ring = vec![head + first];
    (1..n - 1).for_each(|i| joint(i, 1.0, &mut ring));
    ring.extend([tail + last, tail - last]);
    let mut back = Vec::new();
    for i in (1..n - 1).rev() {
        let from = back.len();
        joint(i, -1.0, &mut back);
        back[from..].reverse();
    }
    ring.extend(back);
    ring.push(head - first);
    vec![ring]
}
