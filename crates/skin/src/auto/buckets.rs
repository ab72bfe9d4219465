//! A grid of square cells that lists boxes by position, in the order of their indices. The exact intersection
//! tests are the caller's.

use kurbo::Point;

/// Greatest number of cells of a grid.
const MOST: f64 = 65_536.0;

/// Numbered boxes by position.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buckets {
    low: Point,
    cell: f64,
    columns: i64,
    rows: i64,
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Buckets {
    /// Boxes (low, high) in cells of about this size.
    pub(crate) fn new(boxes: &[(Point, Point)], cell: f64) -> Self {
        let Some(&first) = boxes.first() else {
            return Self { cell: 1.0, columns: 1, rows: 1, starts: vec![0, 0], ..Self::default() };
        };
        let (low, high) = boxes.iter().fold(first, |(lo, hi), b| {
            (Point::new(lo.x.min(b.0.x), lo.y.min(b.0.y)), Point::new(hi.x.max(b.1.x), hi.y.max(b.1.y)))
        });
        let area = (high.x - low.x) * (high.y - low.y);
        let cell = cell.max((area / MOST).sqrt()).max((high.x - low.x).max(high.y - low.y) / MOST).max(1.0);
        let count = |span: f64| (span / cell).floor() as i64 + 1;
        let (columns, rows) = (count(high.x - low.x), count(high.y - low.y));
        let mut grid = Self { low, cell, columns, rows, ..Self::default() };
        let mut starts = vec![0_u32; (columns * rows) as usize + 1];
        for b in boxes {
            grid.cells(*b).for_each(|k| starts[k + 1] += 1);
        }
        for k in 1..starts.len() {
            starts[k] += starts[k - 1];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[starts.len() - 1] as usize];
        for (i, b) in boxes.iter().enumerate() {
            for k in grid.cells(*b) {
                items[next[k] as usize] = i as u32;
                next[k] += 1;
            }
        }
        (grid.starts, grid.items) = (starts, items);
        grid
    }

    // What is below 0 is clamped, so a conversion does not have to round down first.
    fn column(&self, x: f64) -> i64 {
        (((x - self.low.x) / self.cell) as i64).clamp(0, self.columns - 1)
    }

    fn row(&self, y: f64) -> i64 {
        (((y - self.low.y) / self.cell) as i64).clamp(0, self.rows - 1)
    }

    fn cells(&self, (low, high): (Point, Point)) -> impl Iterator<Item = usize> + use<> {
        let columns = self.columns;
        let (from, to) = (self.column(low.x), self.column(high.x));
        (self.row(low.y)..=self.row(high.y))
            .flat_map(move |r| (from..=to).map(move |c| (r * columns + c) as usize))
    }

    fn list(&self, cell: usize) -> &[u32] {
        &self.items[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// All boxes whose cells overlap this box; some more than once.
    pub(crate) fn within(&self, low: Point, high: Point) -> impl Iterator<Item = u32> {
        self.cells((low, high)).flat_map(|k| self.list(k).iter().copied())
    }

    /// All boxes whose cells the segment crosses; some more than once.
    pub(crate) fn along(&self, a: Point, b: Point) -> impl Iterator<Item = u32> {
        let (low, high) = if a.y <= b.y { (a, b) } else { (b, a) };
        (self.row(low.y)..=self.row(high.y))
            .flat_map(move |r| {
                // The part of the segment within this row, with a small margin.
                let margin = self.cell * 1e-6;
                let top = self.low.y + r as f64 * self.cell - margin;
                let bottom = top + self.cell + 2.0 * margin;
                let at = |y: f64| {
                    let t =
                        if high.y > low.y { ((y - low.y) / (high.y - low.y)).clamp(0.0, 1.0) } else { 0.0 };
                    low.x + (high.x - low.x) * t
                };
                let (x0, x1) = if high.y - low.y > margin { (at(top), at(bottom)) } else { (low.x, high.x) };
                let (x0, x1) = (x0.min(x1) - margin, x0.max(x1) + margin);
                let y = Point::new(0.0, top + self.cell * 0.5).y;
                self.cells((Point::new(x0, y), Point::new(x1, y)))
            })
            .flat_map(|k| self.list(k).iter().copied())
    }

    /// The box with the least distance, searched in rings of cells. `distance` gives the exact distance (not
    /// squared); of equals the first index is taken.
    pub(crate) fn nearest(&self, p: Point, mut distance: impl FnMut(u32) -> f64) -> Option<u32> {
        // From outside the grid, the search starts at the nearest cell.
        let (c, r) = (self.column(p.x), self.row(p.y));
        let mut best: Option<(f64, u32)> = None;
        for ring in 0..=self.columns.max(self.rows) {
            // Nothing in this ring is nearer than its inner border.
            if best.is_some_and(|(d, _)| d < (ring - 1) as f64 * self.cell) {
                break;
            }
            for row in (r - ring).max(0)..=(r + ring).min(self.rows - 1) {
                let edge = row == r - ring || row == r + ring;
                let step = if edge || ring == 0 { 1 } else { 2 * ring };
                let mut column = c - ring;
                while column <= c + ring {
                    if (0..self.columns).contains(&column) {
                        for &i in self.list((row * self.columns + column) as usize) {
                            let d = distance(i);
                            if best.is_none_or(|b| (d, i) < b) {
                                best = Some((d, i));
                            }
                        }
                    }
                    column += step;
                }
            }
        }
        best.map(|b| b.1)
    }
}
