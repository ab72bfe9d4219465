//! The interior of a drawing with too many crossings: the cells of a grid that its shapes cover or touch. The time
//! is in proportion to the outlines and their boxes, whatever crosses what.

use std::sync::atomic::{AtomicBool, Ordering};

use super::outline::{Node, Outlines, Piece};
use super::weld::Border;
use crate::options::WindingRule;

/// The side of a cell, in grid units: 1/128 of the drawing's longer side.
pub(crate) const CELL: i64 = 1 << 13;
/// The grid of the pieces is finer than the cells.
const STEP: i64 = CELL / 8;

/// Some rows of cells, each a bit.
#[derive(Clone, Debug, Default)]
struct MarkedCells {
    /// The first row.
    from: usize,
    rows: Vec<Vec<u64>>,
}

impl MarkedCells {
    fn new(from: usize, rows: usize, columns: usize) -> Self {
        Self { from, rows: vec![vec![0; columns.div_ceil(64)]; rows] }
    }

    fn set(&mut self, row: usize, column: usize) {
        self.rows[row - self.from][column / 64] |= 1 << (column % 64);
    }

    fn row(&self, row: usize) -> Option<&[u64]> {
        row.checked_sub(self.from).and_then(|row| self.rows.get(row)).map(Vec::as_slice)
    }

    fn has(&self, row: usize, column: usize) -> bool {
        self.row(row).is_some_and(|row| row[column / 64] >> (column % 64) & 1 == 1)
    }

    /// Adds others, whose rows are among these.
    fn unite(&mut self, other: &Self) {
        for (row, words) in (other.from..).zip(&other.rows) {
            self.rows[row - self.from].iter_mut().zip(words).for_each(|(own, more)| *own |= more);
        }
    }

    /// Keeps what others have, too.
    fn keep(&mut self, other: &Self) {
        for (row, words) in (self.from..).zip(&mut self.rows) {
            match other.row(row) {
                Some(kept) => words.iter_mut().zip(kept).for_each(|(own, kept)| *own &= kept),
                None => words.fill(0),
            }
        }
    }
}

/// Where the cells are, in grid units.
struct CellGrid {
    low: Node,
    columns: usize,
    rows: usize,
}

impl CellGrid {
    /// The cells of some pieces, with an empty row and column around them.
    fn around(pieces: &[Piece]) -> Self {
        let ends = || pieces.iter().flat_map(|piece| [piece.a, piece.b]);
        let span = |axis: usize| {
            let low = ends().map(|node| node[axis].div_euclid(CELL)).min().unwrap_or(0) - 1;
            let high = ends().map(|node| node[axis].div_euclid(CELL)).max().unwrap_or(0) + 1;
            (low, (high - low + 1) as usize)
        };
        let ((x, columns), (y, rows)) = (span(0), span(1));
        Self { low: [x * CELL, y * CELL], columns, rows }
    }

    /// The cell of a place along an axis.
    fn cell(&self, place: f64, axis: usize) -> usize {
        ((place - self.low[axis] as f64) / CELL as f64).floor().max(0.0) as usize
    }

    fn node(&self, column: usize, row: usize) -> Node {
        [self.low[0] + column as i64 * CELL, self.low[1] + row as i64 * CELL]
    }

    /// The cells that pieces of one layer touch, and those whose centres they wind around.
    fn covered(&self, pieces: &[Piece], rule: WindingRule) -> MarkedCells {
        let [left, right] = [
            pieces.iter().map(|piece| piece.a[0]).min().unwrap_or(0),
            pieces.iter().map(|piece| piece.b[0]).max().unwrap_or(0),
        ]
        .map(|x| self.cell(x as f64, 0));
        let ys = || pieces.iter().flat_map(|piece| [piece.a[1], piece.b[1]]);
        let [first, last] =
            [ys().min().unwrap_or(0), ys().max().unwrap_or(0)].map(|y| self.cell(y as f64, 1));
        let mut cells = MarkedCells::new(first, last - first + 1, self.columns);
        let width = right - left + 2;
        // How the winding changes from the centre before to this one.
        let mut changes = vec![0_i32; width * (last - first + 1)];
        for piece in pieces {
            let (a, b) = (piece.a.map(|v| v as f64), piece.b.map(|v| v as f64));
            let (low, high) = if a[1] <= b[1] { (a, b) } else { (b, a) };
            let wind = if a[1] <= b[1] { piece.wind } else { -piece.wind };
            let rise = high[1] - low[1];
            let x_at = |y: f64| {
                if rise > 0.0 { low[0] + (high[0] - low[0]) * ((y - low[1]) / rise) } else { low[0] }
            };
            for row in self.cell(low[1], 1)..=self.cell(high[1], 1) {
                let bottom = self.node(0, row)[1] as f64;
                let (from, to) = (low[1].max(bottom), high[1].min(bottom + CELL as f64));
                let (one, other) = if rise > 0.0 { (x_at(from), x_at(to)) } else { (low[0], high[0]) };
                let columns = self.cell(one.min(other), 0)..=self.cell(one.max(other), 0);
                columns.for_each(|column| cells.set(row, column));
                let centre = bottom + 0.5 * CELL as f64;
                if low[1] <= centre && centre < high[1] {
                    // The first centre to the right.
                    let column = self.cell(x_at(centre) + 0.5 * CELL as f64, 0).clamp(left, right + 1);
                    changes[(row - first) * width + column - left] += wind;
                }
            }
        }
        for (row, changes) in (first..).zip(changes.chunks(width)) {
            let mut winding = 0;
            for (column, change) in (left..=right).zip(changes) {
                winding += change;
                let inside = match rule {
                    WindingRule::EvenOdd => winding % 2 != 0,
                    WindingRule::NonZero => winding != 0,
                };
                if inside {
                    cells.set(row, column);
                }
            }
        }
        cells
    }

    /// The sides between cells that are covered and cells that are not, inside to the left.
    fn border(&self, cells: &MarkedCells) -> Vec<[Node; 2]> {
        let mut edges = Vec::new();
        // Along each line of the grid: the cells at its two sides.
        let mut line =
            |count: usize, sides: &dyn Fn(usize) -> [bool; 2], edge: &dyn Fn(usize, usize) -> [Node; 2]| {
                let mut run: Option<(usize, bool)> = None;
                for at in 0..=count {
                    let [before, behind] = if at < count { sides(at) } else { [false; 2] };
                    let side = (before != behind).then_some(behind);
                    if run.map(|(_, side)| side) != side {
                        if let Some((from, is_behind)) = run {
                            let [a, b] = edge(from, at);
                            edges.push(if is_behind { [a, b] } else { [b, a] });
                        }
                        run = side.map(|side| (at, side));
                    }
                }
            };
        for row in 1..self.rows {
            let sides = |column| [cells.has(row - 1, column), cells.has(row, column)];
            line(self.columns, &sides, &|from, to| [self.node(from, row), self.node(to, row)]);
        }
        for column in 1..self.columns {
            let sides = |row| [cells.has(row, column - 1), cells.has(row, column)];
            line(self.rows, &sides, &|from, to| [self.node(column, to), self.node(column, from)]);
        }
        edges.sort_unstable();
        edges
    }
}

/// The border of the cells; none soon after `cancel` is set. All edges belong to one shape: what is nearer than a cell
/// is one.
pub(crate) fn border(cancel: &AtomicBool, outlines: &Outlines) -> Option<Border> {
    let mut pieces = outlines.pieces(STEP);
    pieces.sort_by_key(|piece| piece.layer);
    let grid = CellGrid::around(&pieces);
    let mut covered = MarkedCells::new(0, grid.rows, grid.columns);
    // Those of a clip path, when the first shape needs it.
    let mut regions: Vec<Option<MarkedCells>> = vec![None; outlines.clip_count()];
    let of_layer = |layer: u32| {
        let from = pieces.partition_point(|piece| piece.layer < layer);
        &pieces[from..from + pieces[from..].partition_point(|piece| piece.layer == layer)]
    };
    for own in pieces.chunk_by(|a, b| a.layer == b.layer) {
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        let layer = own[0].layer;
        let Some(cuts) = outlines.cuts_of(layer) else { continue };
        let mut cells = grid.covered(own, outlines.rule_of(layer));
        for cut in cuts {
            let region = regions[*cut as usize].get_or_insert_with(|| {
                let mut region = MarkedCells::new(0, grid.rows, grid.columns);
                for layer in outlines.region(*cut) {
                    let pieces = of_layer(*layer);
                    if !pieces.is_empty() {
                        region.unite(&grid.covered(pieces, outlines.rule_of(*layer)));
                    }
                }
                region
            });
            cells.keep(region);
        }
        covered.unite(&cells);
    }
    let edges = grid.border(&covered);
    let count = edges.len();
    Some(Border { edges, starts: (0..count as u32).collect(), owners: vec![0; count] })
}

#[cfg(test)]
mod tests {
    use kurbo::BezPath;

    use super::*;
    use crate::{ClipRegion, CoveredShape};

    fn outlines(paths: &[BezPath], fill: Option<WindingRule>, clips: &[ClipRegion<'_>]) -> Outlines {
        let shape = |path| CoveredShape { path, fill, stroke_width: 0.0 };
        let shapes: Vec<CoveredShape<'_>> = paths.iter().map(shape).collect();
        Outlines::new(&shapes, clips, &mut Vec::new()).expect("an extent")
    }

    /// The share of the box of 128 by 128 cells that is covered.
    fn share(outlines: &Outlines) -> f64 {
        let border = border(&AtomicBool::new(false), outlines).expect("a border");
        let area: i64 = border.edges.iter().map(|[a, b]| a[0] * b[1] - a[1] * b[0]).sum();
        area as f64 * 0.5 / (128.0 * CELL as f64).powi(2)
    }

    fn path(text: &str) -> BezPath {
        BezPath::from_svg(text).expect("a path")
    }

    #[test]
    fn cells_follow_the_rule_of_the_shape_and_its_clip_paths() {
        let rings = [path("M0 0H128V128H0Z M32 32H96V96H32Z")];
        // Cells that a side touches count: at each side of the hole and of the box about one.
        let near = |found: f64, wanted: f64| assert!((found - wanted).abs() < 0.05, "{found} {wanted}");
        near(share(&outlines(&rings, Some(WindingRule::NonZero), &[])), 1.0);
        near(share(&outlines(&rings, Some(WindingRule::EvenOdd), &[])), 0.75);
        let turned = [path("M0 0H128V128H0Z M32 32V96H96V32Z")];
        near(share(&outlines(&turned, Some(WindingRule::NonZero), &[])), 0.75);
        let both = [path("M0 0H128V64H0Z"), path("M0 64H128V128H0Z"), path("M0 0L128 128")];
        near(share(&outlines(&both, Some(WindingRule::NonZero), &[])), 1.0);
        near(share(&outlines(&[path("M0 0H128L0 128Z")], Some(WindingRule::NonZero), &[])), 0.5);
        let region = path("M0 0H32V128H0Z");
        let clip = ClipRegion { shapes: &[0], outlines: &[(region, WindingRule::NonZero)] };
        near(share(&outlines(&rings, Some(WindingRule::NonZero), &[clip])), 0.25);
    }

    #[test]
    fn the_order_of_shapes_and_their_directions_change_nothing() {
        let one = [path("M3 7L120 30L60 125Z"), path("M0 0H128V128H0Z M9 9V119H119V9Z")];
        let other = [path("M0 0V128H128V0Z M9 9H119V119H9Z"), path("M60 125L120 30L3 7Z")];
        let edges = |paths| {
            border(&AtomicBool::new(false), &outlines(paths, Some(WindingRule::NonZero), &[]))
                .expect("it")
                .edges
        };
        assert_eq!(edges(&one), edges(&other));
    }
}
