//! Goes down the rows of samples, and finds what the edges hold between them.
//! Refuses spans that leave the bounds of their outline, which rounding may bring about: tiny-skia has its own ways then.

use super::curve::Curve;
use super::edges::{Edge, Edges, STRAIGHT};
use super::fixed::{SAMPLES, column_at};
use super::row::{Row, Run};

/// Bounds in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) left: i32,
    pub(super) top: i32,
    pub(super) right: i32,
    pub(super) bottom: i32,
}

/// An edge that the row crosses.
#[derive(Clone, Copy, Debug)]
struct Active {
    x: i32,
    dx: i32,
    last: i32,
    winding: i32,
    curve: u32,
}

/// Memory that is used again from outline to outline.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    active: Vec<Active>,
    row: Row,
}

/// Which bits of the sum of windings tell inside from outside.
pub(super) type Windings = i32;

impl Sweep {
    /// Writes down what is covered. False if tiny-skia is to be asked.
    pub(super) fn run(
        &mut self,
        edges: &mut Edges,
        rule: Windings,
        bounds: Bounds,
        out: &mut Vec<Run>,
    ) -> bool {
        let Edges { all, curves, order } = edges;
        self.active.clear();
        self.row.fit(usize::try_from(bounds.right).unwrap_or(0));
        let edge = |key: &u64| all[(key & 0xFFFF) as usize];
        let mut pending = order.as_slice();
        let (mut y, stop) = (bounds.top * SAMPLES, bounds.bottom * SAMPLES);
        while y < stop {
            if self.active.is_empty() {
                let Some(next) = pending.first() else { break };
                y = y.max(edge(next).line.first);
                if y >= stop {
                    break;
                }
            }
            // The pixels of this row that may be covered.
            let (mut from, mut to) = (bounds.right, bounds.left);
            let below = (y / SAMPLES + 1) * SAMPLES;
            let row = y / SAMPLES;
            while y < below {
                let count = pending.iter().take_while(|key| edge(key).line.first == y).count();
                let (new, rest) = pending.split_at(count);
                self.join(new.iter().map(edge));
                pending = rest;
                if !self.spans(y, rule, bounds, &mut from, &mut to) {
                    self.row = Row::default();
                    return false;
                }
                self.advance(y, curves);
                y += 1;
            }
            if from <= to {
                let pixel = |x: i32| usize::try_from(x).unwrap_or(0);
                self.row.flush(row, pixel(from), pixel(to) + 1, out);
            }
        }
        true
    }

    /// Takes in edges that begin here, sorted by x. What counts among equals is what tiny-skia does.
    fn join(&mut self, new: impl Iterator<Item = Edge>) {
        let mut new = new.peekable();
        let Some(first) = new.peek() else { return };
        let x = first.line.x;
        let mut at = self.active.len();
        let sorted = self.active.last().is_none_or(|last| last.x <= x);
        if !sorted {
            // Before the last in any case.
            at -= 1;
            while at > 0 && self.active[at - 1].x > x {
                at -= 1;
            }
        }
        for Edge { line, winding, curve } in new {
            let edge = Active { x: line.x, dx: line.dx, last: line.last, winding, curve };
            if !sorted {
                while at < self.active.len() && self.active[at].x < edge.x {
                    at += 1;
                }
            }
            self.active.insert(at, edge);
            at += 1;
        }
    }

    /// Covers what lies inside in a row of samples.
    fn spans(&mut self, y: i32, rule: Windings, bounds: Bounds, from: &mut i32, to: &mut i32) -> bool {
        // The sum over four rows is 255.
        let full = if y % SAMPLES == SAMPLES - 1 { 63 } else { 64 };
        let (mut sum, mut left) = (0, 0);
        for edge in &self.active {
            let x = column_at(edge.x);
            if sum & rule == 0 {
                left = x;
            }
            sum += edge.winding;
            if sum & rule == 0 && x != left {
                if left < bounds.left * SAMPLES || x > bounds.right * SAMPLES || left > x {
                    return false;
                }
                self.row.cover(left, x, full);
                *from = (*from).min(left / SAMPLES);
                *to = (*to).max(x / SAMPLES);
            }
        }
        sum & rule == 0
    }

    /// Brings the edges to the next row, sorted by x again.
    fn advance(&mut self, y: i32, curves: &mut [Curve]) {
        let mut kept = 0;
        for k in 0..self.active.len() {
            let mut edge = self.active[k];
            if edge.last != y {
                edge.x = edge.x.wrapping_add(edge.dx);
            } else if edge.curve == STRAIGHT {
                continue;
            } else if let Some(line) = curves[edge.curve as usize].next_line() {
                (edge.x, edge.dx, edge.last) = (line.x, line.dx, line.last);
            } else {
                continue;
            }
            let mut at = kept;
            while at > 0 && self.active[at - 1].x > edge.x {
                self.active[at] = self.active[at - 1];
                at -= 1;
            }
            self.active[at] = edge;
            kept += 1;
        }
        self.active.truncate(kept);
    }
}
