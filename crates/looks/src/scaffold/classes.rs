//! Colour and line stay together: a piece that is drawn as a line around pieces of colour is bound with them.

use kurbo::{ParamCurve as _, PathEl, PathSeg, Point, Rect, Shape as _};

use super::art::{ArtPiece, Shape, bounds};
use super::bind::PieceBinding;

/// A line is at most this wide on each side, as a share of the diagonal of the page.
const THIN: f64 = 0.015;
/// The border of a colour is drawn by a line within this share of the diagonal.
const NEAR: f64 = 0.01;
/// A line is drawn around a colour if it lies along this share of its border.
const AROUND: f64 = 0.5;
/// At least this share of a line's ink is strokes without fill.
const STROKED: f64 = 0.5;
/// A line is at most this share as wide as its colour.
const NARROWER: f64 = 0.5;
/// What spans this share of the page both ways is a frame or a background.
const SPANNING: f64 = 0.9;
/// Cells of the grid on the diagonal of the page.
const CELLS: f64 = 300.0;
/// At most this many samples of one segment.
const MOST_SAMPLES: f64 = 4096.0;
/// The parts of a border that lie inside of the same piece are searched for if it has at most this many segments.
const MOST_SEGMENTS: usize = 2000;

/// Pieces with their bindings, each class as one piece, and the lines that are drawn around other pieces.
pub(super) struct InClasses {
    pub(super) pieces: Vec<(ArtPiece, PieceBinding)>,
    /// The names of a line and of the pieces that it is bound with.
    pub(super) lines: Vec<(String, Vec<String>)>,
}

/// Binds the pieces: each class as a whole, but rigidly if its members alone would follow the same bone.
/// `whole` states that the pieces are all art.
pub(super) fn bound(
    pieces: Vec<ArtPiece>,
    page: Rect,
    whole: bool,
    how: &dyn Fn(&ArtPiece) -> PieceBinding,
) -> InClasses {
    let classes = classes(&pieces, page);
    let backgrounds = pieces.iter().filter(|piece| piece.background).count();
    let all = whole && classes.len() == backgrounds + 1;
    let mut found = InClasses { pieces: Vec::with_capacity(classes.len()), lines: Vec::new() };
    for Class { members, lines } in classes {
        let own: Vec<&ArtPiece> = members.iter().map(|at| &pieces[*at]).collect();
        let [first, rest @ ..] = own.as_slice() else { continue };
        if rest.is_empty() {
            found.pieces.push(((*first).clone(), how(first)));
            continue;
        }
        let first_name = |at: &usize| pieces[*at].names.first().cloned().unwrap_or_default();
        for line in &lines {
            let others = members.iter().filter(|at| !lines.contains(at)).map(first_name).collect();
            found.lines.push((first_name(line), others));
        }
        let piece = ArtPiece { all, ..joined(&own) };
        let answer = how(first);
        let same = matches!(answer, PieceBinding::Rigid(_)) && rest.iter().all(|piece| how(piece) == answer);
        let answer = if same { answer } else { how(&piece) };
        found.pieces.push((piece, answer));
    }
    found
}

/// Pieces that are bound as one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Class {
    /// In painting order.
    pub(super) members: Vec<usize>,
    /// Those that are lines around others.
    pub(super) lines: Vec<usize>,
}

/// Pieces that are bound as one, in painting order of their first; most are alone.
pub(super) fn classes(pieces: &[ArtPiece], page: Rect) -> Vec<Class> {
    let diagonal = page.size().to_vec2().hypot();
    let mut of: Vec<usize> = (0..pieces.len()).collect();
    if !(diagonal > 0.0 && diagonal.is_finite()) {
        return of.into_iter().map(|at| Class { members: vec![at], lines: Vec::new() }).collect();
    }
    let inks: Vec<Option<Ink>> = pieces.iter().map(|piece| Ink::of(piece, page, diagonal)).collect();
    let mut borders: Vec<Option<Vec<(Point, f64)>>> = vec![None; pieces.len()];
    for (line, ink) in inks.iter().enumerate() {
        let Some(ink) = ink.as_ref().filter(|ink| ink.is_line()) else { continue };
        let mut grid: Option<Grid> = None;
        for (colour, other) in inks.iter().enumerate() {
            let Some(other) = other.as_ref().filter(|other| !other.is_line()) else { continue };
            if !other.may_have(ink, NEAR * diagonal) {
                continue;
            }
            let grid = grid.get_or_insert_with(|| Grid::around(&pieces[line].shapes, page, diagonal));
            let border = borders[colour].get_or_insert_with(|| border(&pieces[colour].shapes, diagonal));
            if is_around(grid, border) {
                let (a, b) = (of[line], of[colour]);
                of.iter_mut().filter(|class| **class == a.max(b)).for_each(|class| *class = a.min(b));
            }
        }
    }
    let mut classes = vec![Class::default(); pieces.len()];
    for (at, class) in of.into_iter().enumerate() {
        let is_line = inks[at].as_ref().is_some_and(Ink::is_line);
        classes[class].members.push(at);
        classes[class].lines.extend(is_line.then_some(at));
    }
    classes.retain(|class| !class.members.is_empty());
    classes
}

/// One piece with the names and shapes of several.
fn joined(members: &[&ArtPiece]) -> ArtPiece {
    let boxes = members.iter().filter_map(|piece| piece.bounds);
    ArtPiece {
        names: members.iter().flat_map(|piece| piece.names.iter().cloned()).collect(),
        bounds: boxes.reduce(|all, one| all.union(one)),
        shapes: members.iter().flat_map(|piece| piece.shapes.iter().cloned()).collect(),
        bends: members.iter().any(|piece| piece.bends),
        rigid_parts: members.iter().flat_map(|piece| piece.rigid_parts.iter().cloned()).collect(),
        background: false,
        all: false,
    }
}

/// How much of a piece is fill and how much is stroke.
struct Ink {
    bounds: Rect,
    /// The area and the length of the border of its fills.
    filled: (f64, f64),
    /// The area and the length of its strokes without fill.
    stroked: (f64, f64),
    /// Of its strokes without fill, the length of those that are too wide for a line.
    wide: f64,
}

impl Ink {
    /// None if the piece can be in no class: without outlines, far from the page, or spanning it.
    fn of(piece: &ArtPiece, page: Rect, diagonal: f64) -> Option<Self> {
        let bounds = bounds(piece.shapes.iter().map(|shape| &shape.path))?;
        let spans = bounds.width() > SPANNING * page.width() && bounds.height() > SPANNING * page.height();
        let near = page.inflate(diagonal, diagonal);
        if piece.background || spans || near.union(bounds) != near {
            return None;
        }
        let mut ink = Self { bounds, filled: (0.0, 0.0), stroked: (0.0, 0.0), wide: 0.0 };
        for shape in &piece.shapes {
            let length: f64 = shape.path.segments().map(|segment| length(&segment)).sum();
            if shape.filled {
                ink.filled.0 += shape.path.area().abs();
                ink.filled.1 += length;
            } else {
                ink.stroked.0 += 2.0 * shape.reach * length;
                ink.stroked.1 += length;
                ink.wide += if shape.reach > THIN * diagonal { length } else { 0.0 };
            }
        }
        Some(ink)
    }

    /// Whether it is mostly thin strokes without fill.
    fn is_line(&self) -> bool {
        let all = self.filled.0 + self.stroked.0;
        self.stroked.0 > 0.0 && self.stroked.0 >= STROKED * all && self.wide <= 0.1 * self.stroked.1
    }

    /// Whether a line could be the one around this colour, by boxes and widths alone.
    fn may_have(&self, line: &Self, near: f64) -> bool {
        // A band has its length twice in its border: area / border is half of its width.
        let half_width = self.filled.0 / self.filled.1.max(f64::MIN_POSITIVE);
        let line_half_width = line.stroked.0 / line.stroked.1.max(f64::MIN_POSITIVE) / 2.0;
        let meets = line.bounds.inflate(near, near).overlaps(self.bounds);
        meets && self.filled.0 > 0.0 && line_half_width <= NARROWER * half_width
    }
}

/// The length of a segment's control polygon: not shorter than the segment.
fn length(segment: &PathSeg) -> f64 {
    match segment {
        PathSeg::Line(line) => (line.p1 - line.p0).hypot(),
        PathSeg::Quad(quad) => (quad.p1 - quad.p0).hypot() + (quad.p2 - quad.p1).hypot(),
        PathSeg::Cubic(c) => (c.p1 - c.p0).hypot() + (c.p2 - c.p1).hypot() + (c.p3 - c.p2).hypot(),
    }
}

/// Points along a segment, about `step` apart, and the length that each stands for.
fn along(segment: PathSeg, step: f64) -> impl Iterator<Item = (Point, f64)> {
    let length = length(&segment);
    let count = (length / step).ceil().clamp(1.0, MOST_SAMPLES);
    (0..count as usize).map(move |at| (segment.eval((at as f64 + 0.5) / count), length / count))
}

/// Points on the border of a piece's fills, with the lengths that they stand for. Where one of its fills lies
/// in another there is no border.
fn border(shapes: &[Shape], diagonal: f64) -> Vec<(Point, f64)> {
    let filled: Vec<&Shape> = shapes.iter().filter(|shape| shape.filled).collect();
    let segments: usize = filled.iter().map(|shape| shape.path.elements().len()).sum();
    let mut border = Vec::new();
    for (number, shape) in filled.iter().enumerate() {
        for (at, weight) in closed(shape).flat_map(|segment| along(segment, NEAR * diagonal)) {
            let inner = segments <= MOST_SEGMENTS
                && filled.iter().enumerate().any(|(n, other)| {
                    n != number && other.bounds.contains(at) && other.path.winding(at) != 0
                });
            if !inner {
                border.push((at, weight));
            }
        }
    }
    border
}

/// The segments of a fill. It is closed even where its path is not.
fn closed(shape: &Shape) -> impl Iterator<Item = PathSeg> + '_ {
    let mut elements: Vec<PathEl> = Vec::with_capacity(shape.path.elements().len() + 1);
    for element in shape.path.elements() {
        let open = !matches!(elements.last(), None | Some(PathEl::ClosePath));
        if open && matches!(element, PathEl::MoveTo(_)) {
            elements.push(PathEl::ClosePath);
        }
        elements.push(*element);
    }
    if !matches!(elements.last(), None | Some(PathEl::ClosePath)) {
        elements.push(PathEl::ClosePath);
    }
    kurbo::segments(elements)
}

fn is_around(grid: &Grid, border: &[(Point, f64)]) -> bool {
    let all: f64 = border.iter().map(|(_, weight)| weight).sum();
    let drawn: f64 = border.iter().filter(|(at, _)| grid.holds(*at)).map(|(_, weight)| weight).sum();
    all > 0.0 && drawn >= AROUND * all
}

/// The cells of the page and its surroundings that are near to a line.
struct Grid {
    origin: Point,
    cell: f64,
    columns: usize,
    rows: usize,
    near: Vec<bool>,
}

impl Grid {
    fn around(shapes: &[Shape], page: Rect, diagonal: f64) -> Self {
        let cell = diagonal / CELLS;
        let area = page.inflate(diagonal / 4.0, diagonal / 4.0);
        let count = |length: f64| (length / cell).ceil() as usize + 1;
        let (columns, rows) = (count(area.width()), count(area.height()));
        let near = vec![false; columns * rows];
        let mut grid = Self { origin: area.origin(), cell, columns, rows, near };
        let mut reaches = vec![0.0_f64; columns * rows];
        for shape in shapes.iter().filter(|shape| shape.reach > 0.0 && !shape.filled) {
            for (at, _) in shape.path.segments().flat_map(|segment| along(segment, cell / 2.0)) {
                if let Some(at) = grid.index(at) {
                    reaches[at] = reaches[at].max(shape.reach);
                }
            }
        }
        for (at, reach) in reaches.iter().enumerate().filter(|(_, reach)| **reach > 0.0) {
            // A tenth of a line may be wider than lines are; it reaches no farther.
            grid.stamp(at, (reach.min(THIN * diagonal) + NEAR * diagonal) / cell);
        }
        grid
    }

    fn index(&self, at: Point) -> Option<usize> {
        let place = (at - self.origin) / self.cell;
        let inside =
            (0.0..self.columns as f64).contains(&place.x) && (0.0..self.rows as f64).contains(&place.y);
        inside.then(|| place.y as usize * self.columns + place.x as usize)
    }

    /// Marks the cells within a radius, in cells.
    fn stamp(&mut self, at: usize, radius: f64) {
        let (row, column) = (at / self.columns, at % self.columns);
        let most = radius as usize;
        for y in row.saturating_sub(most)..=(row + most).min(self.rows - 1) {
            let dy = y.abs_diff(row) as f64;
            let half = (radius * radius - dy * dy).max(0.0).sqrt() as usize;
            let (from, to) = (column.saturating_sub(half), (column + half).min(self.columns - 1));
            self.near[y * self.columns + from..=y * self.columns + to].fill(true);
        }
    }

    fn holds(&self, at: Point) -> bool {
        self.index(at).is_some_and(|at| self.near[at])
    }
}

#[cfg(test)]
#[path = "classes_tests.rs"]
mod tests;
