//! Pieces of art as cells of a grid: how wide they are, and what lies on or near what.

use kurbo::{Affine, BezPath, ParamCurve as _, PathEl, PathSeg, Point, Rect, Vec2};

use super::art::Shape;

/// Cells on the diagonal of the page.
const CELLS: f64 = 300.0;
/// At most this many samples of one segment.
const MOST_SAMPLES: f64 = 4096.0;
/// How many points of a hundred are closer to the edge than the half width that is measured.
const PERCENTILE: usize = 90;
/// Curves are flattened to this part of a cell.
const FLAT: f64 = 0.25;
/// Farther than any cell.
const FAR: f32 = 1e9;

/// A grid over the page and its surroundings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    area: Rect,
    /// The side of a cell.
    pub(super) cell: f64,
}

impl Grid {
    pub(super) fn around(page: Rect, diagonal: f64) -> Self {
        Self { area: page.inflate(diagonal / 4.0, diagonal / 4.0), cell: diagonal / CELLS }
    }

    /// The cells that shapes cover, in a window that has so many cells around them.
    pub(super) fn cells(&self, shapes: &[Shape], margin: f64) -> Cells {
        let boxes = shapes.iter().map(|shape| shape.bounds);
        let bounds = boxes.reduce(|all, one| all.union(one)).unwrap_or(Rect::ZERO).intersect(self.area);
        let bounds = self.to_cells().transform_rect_bbox(bounds).inflate(margin + 1.0, margin + 1.0).expand();
        let (columns, rows) = (bounds.width() as usize, bounds.height() as usize);
        let mut cells = Cells { bounds, columns, rows, inked: vec![false; columns * rows] };
        let mut turns = Vec::new();
        shapes.iter().filter(|shape| shape.filled).for_each(|shape| cells.fill(shape, self, &mut turns));
        cells.strokes(shapes, self);
        if !cells.inked.contains(&true) {
            // What is smaller than a cell has one.
            cells.inked[rows / 2 * columns + columns / 2] = true;
        }
        cells
    }

    /// From the canvas to cells.
    pub(super) fn to_cells(self) -> Affine {
        Affine::scale(1.0 / self.cell) * Affine::translate(-self.area.origin().to_vec2())
    }
}

/// The cells of a piece, within a window of the grid.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    /// The window, in cells of the grid.
    bounds: Rect,
    columns: usize,
    rows: usize,
    inked: Vec<bool>,
}

impl Cells {
    fn index(&self, place: Point) -> Option<usize> {
        let place = place - self.bounds.origin();
        let inside =
            (0.0..self.columns as f64).contains(&place.x) && (0.0..self.rows as f64).contains(&place.y);
        inside.then(|| place.y as usize * self.columns + place.x as usize)
    }

    pub(super) fn holds(&self, place: Point) -> bool {
        self.index(place).is_some_and(|at| self.inked[at])
    }

    /// The middles of the covered cells.
    fn places(&self) -> impl Iterator<Item = Point> + '_ {
        let inked = self.inked.iter().enumerate().filter(|(_, inked)| **inked);
        inked.map(|(at, _)| {
            let (x, y) = ((at % self.columns) as f64 + 0.5, (at / self.columns) as f64 + 0.5);
            self.bounds.origin() + Vec2::new(x, y)
        })
    }

    /// Whether at least a share of these cells lies in others.
    pub(super) fn lie_on(&self, others: &Self, share: f64) -> bool {
        let both = self.bounds.intersect(others.bounds);
        if both.width() <= 0.0 || both.height() <= 0.0 {
            return false;
        }
        let (mut all, mut on) = (0_usize, 0_usize);
        for place in self.places() {
            all += 1;
            on += usize::from(others.holds(place));
        }
        all > 0 && on as f64 >= share * all as f64
    }

    /// The fill of a shape: from left to right along a row the winding number changes where the outline crosses.
    fn fill(&mut self, shape: &Shape, grid: &Grid, turns: &mut Vec<i32>) {
        let bounds = grid.to_cells().transform_rect_bbox(shape.bounds).inflate(1.0, 1.0).expand();
        let bounds = bounds.intersect(self.bounds);
        let (columns, rows) = (bounds.width().max(0.0) as usize, bounds.height().max(0.0) as usize);
        if columns == 0 || rows == 0 {
            return;
        }
        turns.clear();
        turns.resize((columns + 1) * rows, 0);
        let mut side = |from: Point, to: Point| {
            let (top, bottom, turn) = if from.y <= to.y { (from, to, 1) } else { (to, from, -1) };
            let first = (top.y - 0.5).ceil().clamp(0.0, rows as f64) as usize;
            let end = (bottom.y - 0.5).ceil().clamp(0.0, rows as f64) as usize;
            let slope = (bottom.x - top.x) / (bottom.y - top.y);
            for row in first..end {
                let x = top.x + (row as f64 + 0.5 - top.y) * slope;
                let column = (x - 0.5).ceil().clamp(0.0, columns as f64) as usize;
                turns[row * (columns + 1) + column] += turn;
            }
        };
        let to_window = Affine::translate(-bounds.origin().to_vec2()) * grid.to_cells();
        let (mut start, mut last) = (Point::ZERO, Point::ZERO);
        kurbo::flatten(closed(&(to_window * &shape.path)), FLAT, |element| match element {
            PathEl::MoveTo(to) => (start, last) = (to, to),
            PathEl::LineTo(to) => {
                side(last, to);
                last = to;
            }
            _ => {
                side(last, start);
                last = start;
            }
        });
        let (left, top) = ((bounds.x0 - self.bounds.x0) as usize, (bounds.y0 - self.bounds.y0) as usize);
        for (row, turns) in turns.chunks_exact(columns + 1).enumerate() {
            let start = (top + row) * self.columns + left;
            let mut winding = 0;
            for (inked, turn) in self.inked[start..start + columns].iter_mut().zip(turns) {
                winding += turn;
                *inked |= if shape.even_odd { winding % 2 != 0 } else { winding != 0 };
            }
        }
    }

    /// The strokes of shapes: discs along them, one for each cell. Those of wide strokes are farther apart.
    fn strokes(&mut self, shapes: &[Shape], grid: &Grid) {
        let mut reaches: Vec<f32> = Vec::new();
        for shape in shapes.iter().filter(|shape| shape.reach > 0.0) {
            reaches.resize(self.inked.len(), 0.0);
            let reach = shape.reach / grid.cell;
            let apart = ((reach / 8.0) as usize).max(1);
            for (at, _) in shape.path.segments().flat_map(|segment| along(segment, grid.cell / 2.0)) {
                let Some(at) = self.index(grid.to_cells() * at) else { continue };
                let middle = |at: usize, end: usize| (at / apart * apart + apart / 2).min(end - 1);
                let (row, column) = (at / self.columns, at % self.columns);
                let at = middle(row, self.rows) * self.columns + middle(column, self.columns);
                reaches[at] = reaches[at].max(reach as f32);
            }
        }
        for (at, reach) in reaches.iter().enumerate().filter(|(_, reach)| **reach > 0.0) {
            self.stamp(at, f64::from(*reach));
        }
    }

    /// Marks the cells within a radius, in cells.
    fn stamp(&mut self, at: usize, radius: f64) {
        let (row, column) = (at / self.columns, at % self.columns);
        let most = radius as usize;
        for y in row.saturating_sub(most)..=row.saturating_add(most).min(self.rows - 1) {
            let dy = y.abs_diff(row) as f64;
            let half = (radius * radius - dy * dy).max(0.0).sqrt() as usize;
            let (from, to) = (column.saturating_sub(half), column.saturating_add(half).min(self.columns - 1));
            self.inked[y * self.columns + from..=y * self.columns + to].fill(true);
        }
    }

    /// These cells and all within a radius, in cells.
    pub(super) fn grown(&self, radius: f64) -> Self {
        let near = self.squares(|at| self.inked[at]);
        let inked = near.into_iter().map(|square| f64::from(square) <= radius * radius).collect();
        Self { inked, ..self.clone() }
    }

    /// Those of these cells that are deeper in them than so many cells.
    pub(super) fn deeper(&self, depth: f64) -> Self {
        let inked = self.depths().into_iter().map(|square| f64::from(square) > depth * depth).collect();
        Self { inked, ..self.clone() }
    }

    /// Half of the width, in cells, that most of it does not pass.
    pub(super) fn half_width(&self) -> f64 {
        let mut inside: Vec<f32> = self.depths().into_iter().filter(|square| *square > 0.0).collect();
        let Some(at) = (inside.len() * PERCENTILE / 100).checked_sub(1) else { return 0.5 };
        let (_, square, _) = inside.select_nth_unstable_by(at, f32::total_cmp);
        f64::from(*square).sqrt() - 0.5
    }

    /// The share that is left where a disc fits in.
    pub(super) fn opened(&self, radius: f64) -> f64 {
        let depths = self.depths();
        let deepest = (radius + 0.5) * (radius + 0.5);
        let near = self.squares(|at| f64::from(depths[at]) > deepest);
        let all = self.inked.iter().filter(|inked| **inked).count();
        let kept = near.iter().zip(&self.inked);
        let kept = kept.filter(|(near, inked)| **inked && f64::from(**near) <= deepest).count();
        kept as f64 / all.max(1) as f64
    }

    /// The squares of the distances to the nearest cell that is not covered.
    fn depths(&self) -> Vec<f32> {
        self.squares(|at| !self.inked[at])
    }

    /// The squares of the distances of all cells to the nearest of some (Felzenszwalb and Huttenlocher 2012).
    fn squares(&self, is_one: impl Fn(usize) -> bool) -> Vec<f32> {
        let mut squares: Vec<f32> =
            (0..self.inked.len()).map(|at| if is_one(at) { 0.0 } else { FAR }).collect();
        let mut line = Lower::default();
        for row in squares.chunks_exact_mut(self.columns.max(1)) {
            line.values.clear();
            line.values.extend_from_slice(row);
            line.envelope(row.iter_mut());
        }
        for column in 0..self.columns {
            line.values.clear();
            line.values.extend(squares.iter().skip(column).step_by(self.columns));
            line.envelope(squares.iter_mut().skip(column).step_by(self.columns));
        }
        squares
    }
}

/// The lower envelope of parabolas above a line of cells.
#[derive(Default)]
struct Lower {
    values: Vec<f32>,
    /// The cells of the parabolas, each with where it begins to be the lowest.
    parabolas: Vec<(usize, f32)>,
}

impl Lower {
    /// Replaces each value by the lowest parabola at its cell.
    fn envelope<'a>(&mut self, out: impl Iterator<Item = &'a mut f32>) {
        self.parabolas.clear();
        for (at, value) in self.values.iter().enumerate().filter(|(_, value)| **value < FAR) {
            let mut start = f32::NEG_INFINITY;
            while let Some((before, from)) = self.parabolas.last().copied() {
                let (a, b) = (before as f32, at as f32);
                start = (value - self.values[before] + b * b - a * a) / (2.0 * (b - a));
                if start > from {
                    break;
                }
                self.parabolas.pop();
                start = f32::NEG_INFINITY;
            }
            self.parabolas.push((at, start));
        }
        let mut current = 0;
        for (at, out) in out.enumerate() {
            while self.parabolas.get(current + 1).is_some_and(|next| next.1 < at as f32) {
                current += 1;
            }
            *out = self.parabolas.get(current).map_or(FAR, |(of, _)| {
                let apart = at as f32 - *of as f32;
                apart * apart + self.values[*of]
            });
        }
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
pub(super) fn along(segment: PathSeg, step: f64) -> impl Iterator<Item = (Point, f64)> {
    let length = length(&segment);
    let count = (length / step).ceil().clamp(1.0, MOST_SAMPLES);
    (0..count as usize).map(move |at| (segment.eval((at as f64 + 0.5) / count), length / count))
}

/// The path of a fill. It is closed even where its path is not.
pub(super) fn closed(path: &BezPath) -> BezPath {
    let mut elements: Vec<PathEl> = Vec::with_capacity(path.elements().len() + 1);
    for element in path.elements() {
        let open = !matches!(elements.last(), None | Some(PathEl::ClosePath));
        if open && matches!(element, PathEl::MoveTo(_)) {
            elements.push(PathEl::ClosePath);
        }
        elements.push(*element);
    }
    if !matches!(elements.last(), None | Some(PathEl::ClosePath)) {
        elements.push(PathEl::ClosePath);
    }
    BezPath::from_vec(elements)
}

#[cfg(test)]
mod tests;
