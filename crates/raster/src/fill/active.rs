//! The edges that a row of samples crosses, from left to right. An edge that rounding makes go up or go past
//! its end is an error; the shape is then left to tiny-skia.

use super::curve::Curve;
use super::edges::{Edge, STRAIGHT};
use super::fixed::SAMPLES;

/// Rounding moved an edge or a span out of bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Irregular;

#[derive(Clone, Copy, Debug)]
pub(super) struct Active {
    /// Where the row meets it, 16.16.
    pub(super) x: i32,
    dx: i32,
    /// The last row of its line.
    last: i32,
    /// The last row of its lines.
    end: i32,
    pub(super) winding: i32,
    curve: u32,
}

impl Active {
    pub(super) fn new(Edge { line, end, winding, curve }: Edge) -> Self {
        Self { x: line.x, dx: line.dx, last: line.last, end, winding, curve }
    }

    /// On to the next row. False if it ended.
    #[inline]
    fn step(&mut self, y: i32, curves: &mut [Curve]) -> Result<bool, Irregular> {
        if self.last != y {
            self.x = self.x.wrapping_add(self.dx);
            return Ok(true);
        }
        if self.end == y {
            return Ok(false);
        }
        debug_assert_ne!(self.curve, STRAIGHT, "lines end with themselves");
        let line = curves.get_mut(self.curve as usize).and_then(Curve::next_line).ok_or(Irregular)?;
        if line.first != y + 1 || line.last < line.first || line.last > self.end {
            return Err(Irregular);
        }
        (self.x, self.dx, self.last) = (line.x, line.dx, line.last);
        Ok(true)
    }

    /// Where the rows of a pixel meet it, which it crosses all. On to the next pixel.
    #[inline]
    fn four(&mut self, y: i32, curves: &mut [Curve]) -> Result<[i32; 4], Irregular> {
        if self.last >= y + SAMPLES {
            let (x, dx) = (self.x, self.dx);
            let at = [
                x,
                x.wrapping_add(dx),
                x.wrapping_add(dx.wrapping_mul(2)),
                x.wrapping_add(dx.wrapping_mul(3)),
            ];
            self.x = at[3].wrapping_add(dx);
            return Ok(at);
        }
        let mut at = [0; 4];
        for (y, at) in (y..).zip(&mut at) {
            *at = self.x;
            self.step(y, curves)?;
        }
        Ok(at)
    }
}

/// Sorted by x. The buffer is reused for each outline.
#[derive(Debug, Default)]
pub(super) struct ActiveEdges {
    all: Vec<Active>,
}

impl ActiveEdges {
    pub(super) fn clear(&mut self) {
        self.all.clear();
    }

    pub(super) fn all(&self) -> &[Active] {
        &self.all
    }

    /// Adds edges that begin here, sorted by x. Equal ones are in tiny-skia's order.
    pub(super) fn join(&mut self, new: impl Iterator<Item = Edge>) {
        let mut new = new.peekable();
        let Some(first) = new.peek() else { return };
        let x = first.line.x;
        let mut at = self.all.len();
        let sorted = self.all.last().is_none_or(|last| last.x <= x);
        if !sorted {
            // Before the last in any case.
            at -= 1;
            while at > 0 && self.all[at - 1].x > x {
                at -= 1;
            }
        }
        for edge in new {
            if !sorted {
                while at < self.all.len() && self.all[at].x < edge.line.x {
                    at += 1;
                }
            }
            self.all.insert(at, Active::new(edge));
            at += 1;
        }
    }

    /// Whether all edges cross the four rows of a pixel.
    pub(super) fn cross_all(&self, y: i32) -> bool {
        self.all.iter().all(|edge| edge.end >= y + SAMPLES - 1)
    }

    /// Stores where the four rows of a pixel meet the edges, and brings them to the next pixel. True if
    /// their order is the same in all four; it is not restored.
    pub(super) fn four(
        &mut self,
        y: i32,
        curves: &mut [Curve],
        out: &mut Vec<[i32; 4]>,
    ) -> Result<bool, Irregular> {
        out.clear();
        let (mut before, mut ordered) = ([i32::MIN; 4], true);
        for edge in &mut self.all {
            let at = edge.four(y, curves)?;
            let [a, b, c, d] = at;
            ordered &= before[0] <= a && before[1] <= b && before[2] <= c && before[3] <= d;
            out.push(at);
            before = at;
        }
        Ok(ordered)
    }

    /// Sorts by the places in one of the four rows, equals as they were.
    pub(super) fn sort_by(&mut self, row: usize, places: &mut [[i32; 4]]) {
        for k in 1..places.len().min(self.all.len()) {
            let mut at = k;
            while at > 0 && places[at - 1][row] > places[at][row] {
                places.swap(at - 1, at);
                self.all.swap(at - 1, at);
                at -= 1;
            }
        }
    }

    /// Leaves out those that ended with the row above, and sorts by x, equals as they were.
    pub(super) fn settle(&mut self, above: i32) {
        let mut kept = 0;
        for k in 0..self.all.len() {
            let edge = self.all[k];
            if edge.end != above {
                self.put(edge, kept);
                kept += 1;
            }
        }
        self.all.truncate(kept);
    }

    /// Brings the edges to the next row, sorted by x again.
    pub(super) fn advance(&mut self, y: i32, curves: &mut [Curve]) -> Result<(), Irregular> {
        let mut kept = 0;
        for k in 0..self.all.len() {
            let mut edge = self.all[k];
            if edge.step(y, curves)? {
                self.put(edge, kept);
                kept += 1;
            }
        }
        self.all.truncate(kept);
        Ok(())
    }

    /// Puts an edge among the first ones, which are sorted.
    #[inline]
    fn put(&mut self, edge: Active, kept: usize) {
        let mut at = kept;
        while at > 0 && self.all[at - 1].x > edge.x {
            self.all[at] = self.all[at - 1];
            at -= 1;
        }
        self.all[at] = edge;
    }
}
