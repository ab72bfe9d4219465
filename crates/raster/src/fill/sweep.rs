//! Goes down the rows of samples and finds the spans between the edges: four rows of a pixel at once where
//! all edges pass through, else row by row. Spans outside the bounds of their outline, which rounding can
//! cause, are an error; the shape is left to tiny-skia.

use super::active::{ActiveEdges, Irregular};
use super::edges::Edges;
use super::fixed::{SAMPLES, column_at};
use super::row::{Row, Run, Side};

/// Bounds in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) left: i32,
    pub(super) top: i32,
    pub(super) right: i32,
    pub(super) bottom: i32,
}

/// Buffers that are reused for each outline.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    active: ActiveEdges,
    /// Where the four rows of a pixel meet the edges.
    places: Vec<[i32; 4]>,
    row: Row,
}

/// The bits of the winding number that are not 0 inside.
pub(super) type Windings = i32;

impl Sweep {
    /// Writes the runs of covered pixels. False if tiny-skia has to draw it.
    pub(super) fn run(
        &mut self,
        edges: &mut Edges,
        rule: Windings,
        bounds: Bounds,
        out: &mut Vec<Run>,
    ) -> bool {
        self.active.clear();
        self.row.fit(bounds.left, bounds.right);
        let done = self.rows(edges, rule, bounds, out);
        if done.is_err() {
            self.row = Row::default();
        }
        done.is_ok()
    }

    fn rows(
        &mut self,
        edges: &mut Edges,
        rule: Windings,
        bounds: Bounds,
        out: &mut Vec<Run>,
    ) -> Result<(), Irregular> {
        let Edges { all, curves, order, .. } = edges;
        let edge = |key: &u64| all[(key & 0xFFFF) as usize];
        let first = |pending: &[u64]| pending.first().map_or(i32::MAX, |key| edge(key).line.first);
        let mut pending = order.as_slice();
        let mut next = first(pending);
        let (mut y, stop) = (bounds.top * SAMPLES, bounds.bottom * SAMPLES);
        loop {
            if self.active.all().is_empty() {
                y = y.max(next);
            }
            if y >= stop {
                return Ok(());
            }
            let (pixel, below) = (y >> 2, (y | 3) + 1);
            while y < below {
                if next == y {
                    let count = pending.iter().take_while(|key| edge(key).line.first == y).count();
                    let (new, rest) = pending.split_at(count);
                    self.active.join(new.iter().map(edge));
                    (pending, next) = (rest, first(rest));
                }
                if y & 3 == 0 && next >= below && self.active.cross_all(y) {
                    let ordered = self.active.four(y, curves, &mut self.places)?;
                    if ordered {
                        self.sides(rule)?
                    } else {
                        self.crossing(rule)?
                    }
                    self.active.settle(y + 3);
                    y = below;
                } else {
                    let edges = self.active.all().iter().map(|edge| (edge.x, edge.winding));
                    spans(edges, y, rule, &mut self.row)?;
                    self.active.advance(y, curves)?;
                    y += 1;
                }
            }
            self.row.flush(pixel, out);
        }
    }

    /// Four rows in which the edges keep their order: each begins or ends what lies inside, or neither.
    fn sides(&mut self, rule: Windings) -> Result<(), Irregular> {
        let (mut sum, mut opened) = (0, 0);
        for (edge, places) in self.active.all().iter().zip(&self.places) {
            let outside = sum & rule == 0;
            sum += edge.winding;
            let [a, b, c, d] = *places;
            let columns = [column_at(a), column_at(b), column_at(c), column_at(d)];
            if outside {
                self.row.side(Side::Left, columns)?;
                opened = columns[3];
            } else if sum & rule == 0 {
                self.row.side(Side::Right, columns)?;
                self.row.settle_last(opened, columns[3]);
            }
        }
        if sum & rule == 0 { Ok(()) } else { Err(Irregular) }
    }

    /// Four rows between which edges cross.
    fn crossing(&mut self, rule: Windings) -> Result<(), Irregular> {
        for k in 0..4_u8 {
            let row = usize::from(k);
            self.active.sort_by(row, &mut self.places);
            let windings = self.active.all().iter().map(|edge| edge.winding);
            let edges = self.places.iter().map(|places| places[row]).zip(windings);
            spans(edges, i32::from(k), rule, &mut self.row)?;
        }
        Ok(())
    }
}

/// Covers what lies inside in a row of samples.
#[inline]
fn spans(
    edges: impl Iterator<Item = (i32, i32)>,
    y: i32,
    rule: Windings,
    row: &mut Row,
) -> Result<(), Irregular> {
    let (mut sum, mut left) = (0, 0);
    for (x, winding) in edges {
        let x = column_at(x);
        if sum & rule == 0 {
            left = x;
        }
        sum += winding;
        if sum & rule == 0 && x != left {
            row.cover(left, x, y & 3 == 3)?;
        }
    }
    if sum & rule == 0 { Ok(()) } else { Err(Irregular) }
}
