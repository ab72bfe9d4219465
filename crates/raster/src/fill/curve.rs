//! Curves as chains of lines by forward differences. Curves are monotone in y: they are split before.

#![allow(clippy::cast_possible_truncation, reason = "fixed-point numbers are cut to size")]

use super::fixed::{Line, row_at, widened};

/// Most halvings of a curve: 64 lines.
const MAX_HALVINGS: i32 = 6;

/// Points in 26.6 samples.
pub(super) type At = (i32, i32);

/// What is left of a curve below the line that was taken last. All 16.16, scaled by the shifts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve {
    lines_left: i32,
    /// How much larger the first differences are.
    shift: i32,
    /// How much larger the second differences are than the first.
    second_shift: i32,
    /// Whether y is kept from falling: rounding can make a cubic rise a little.
    held: bool,
    x: Differences,
    y: Differences,
}

#[derive(Clone, Copy, Debug)]
struct Differences {
    now: i32,
    first: i32,
    second: i32,
    third: i32,
    last: i32,
}

impl Differences {
    fn step(&mut self, shift: i32, second_shift: i32) -> i32 {
        let next = self.now.wrapping_add(self.first >> shift);
        self.first = self.first.wrapping_add(self.second >> second_shift);
        self.second = self.second.wrapping_add(self.third);
        next
    }

    /// Of a quadratic, at half size.
    fn quad([a, b, c]: [i32; 3], halvings: i32) -> Self {
        let bend = a.wrapping_sub(b).wrapping_sub(b).wrapping_add(c).wrapping_shl(9);
        Self {
            now: widened(a),
            first: widened(b.wrapping_sub(a)).wrapping_add(bend >> halvings),
            second: bend >> (halvings - 1),
            third: 0,
            last: widened(c),
        }
    }

    fn cubic([a, b, c, d]: [i32; 4], halvings: i32, up: i32) -> Self {
        let times3 = |n: i32| n.wrapping_mul(3);
        let up = |n: i32| n.wrapping_shl(up.cast_unsigned());
        let first = up(times3(b.wrapping_sub(a)));
        let second = up(times3(a.wrapping_sub(b).wrapping_sub(b).wrapping_add(c)));
        let third = up(d.wrapping_add(times3(b.wrapping_sub(c))).wrapping_sub(a));
        let turn = times3(third) >> (halvings - 1);
        Self {
            now: widened(a),
            first: first.wrapping_add(second >> halvings).wrapping_add(third >> (2 * halvings)),
            second: second.wrapping_mul(2).wrapping_add(turn),
            third: turn,
            last: widened(d),
        }
    }
}

impl Curve {
    /// The first line of a quadratic and the rest of it; the upper end first.
    pub(super) fn quad([a, b, c]: [At; 3]) -> Option<(Line, Self)> {
        if row_at(a.1) == row_at(c.1) {
            return None;
        }
        let off = |a: i32, b: i32, c: i32| b.wrapping_shl(1).wrapping_sub(a).wrapping_sub(c) >> 2;
        let far = distance(off(a.0, b.0, c.0), off(a.1, b.1, c.1));
        let halvings = halvings(far).clamp(1, MAX_HALVINGS);
        let mut curve = Self {
            lines_left: 1 << halvings,
            shift: halvings - 1,
            second_shift: 0,
            held: false,
            x: Differences::quad([a.0, b.0, c.0], halvings),
            y: Differences::quad([a.1, b.1, c.1], halvings),
        };
        Some((curve.next_line()?, curve))
    }

    /// The first line of a cubic and the rest of it; the upper end first.
    pub(super) fn cubic([a, b, c, d]: [At; 4]) -> Option<(Line, Self)> {
        if row_at(a.1) == row_at(d.1) {
            return None;
        }
        let far = distance(off_line([a.0, b.0, c.0, d.0]), off_line([a.1, b.1, c.1, d.1]));
        let halvings = (halvings(far) + 1).min(MAX_HALVINGS);
        // Up by six bits at most, so that three times a difference fits; down again to 16.16.
        let (up, down) = if halvings < 4 { (10 - halvings, 0) } else { (6, halvings - 4) };
        let mut curve = Self {
            lines_left: 1 << halvings,
            shift: down,
            second_shift: halvings,
            held: true,
            x: Differences::cubic([a.0, b.0, c.0, d.0], halvings, up),
            y: Differences::cubic([a.1, b.1, c.1, d.1], halvings, up),
        };
        Some((curve.next_line()?, curve))
    }

    /// The last row that it meets, if rounding leads it to its end.
    pub(super) fn last_row(&self) -> i32 {
        row_at(self.y.last >> 10) - 1
    }

    /// The next line that meets the middle of a row.
    pub(super) fn next_line(&mut self) -> Option<Line> {
        while self.lines_left > 0 {
            self.lines_left -= 1;
            let (x, y) = if self.lines_left > 0 {
                let x = self.x.step(self.shift, self.second_shift);
                (x, self.y.step(self.shift, self.second_shift))
            } else {
                (self.x.last, self.y.last)
            };
            let y = if self.held { y.max(self.y.now) } else { y };
            let from = (self.x.now >> 10, self.y.now >> 10);
            (self.x.now, self.y.now) = (x, y);
            let line = Line::new(from, (x >> 10, y >> 10));
            if line.is_some() {
                return line;
            }
        }
        None
    }
}

/// About the length of a vector.
fn distance(x: i32, y: i32) -> i32 {
    let (x, y) = (x.abs(), y.abs());
    x.max(y) + (x.min(y) >> 1)
}

/// How often a curve is halved that lies this far from its chord: each halving leaves a quarter of it.
fn halvings(distance: i32) -> i32 {
    let far = distance.wrapping_add(16) >> 5;
    (32 - far.leading_zeros().cast_signed()) >> 1
}

/// About how far a cubic is from its chord at a third and two thirds; 19/512 stands for 1/27.
fn off_line([a, b, c, d]: [i32; 4]) -> i32 {
    let scaled = |n: i32| (n.wrapping_mul(19) >> 9).abs();
    let first =
        a.wrapping_mul(8).wrapping_sub(b.wrapping_mul(15)).wrapping_add(c.wrapping_mul(6)).wrapping_add(d);
    let second =
        a.wrapping_add(b.wrapping_mul(6)).wrapping_sub(c.wrapping_mul(15)).wrapping_add(d.wrapping_mul(8));
    scaled(first).max(scaled(second))
}
