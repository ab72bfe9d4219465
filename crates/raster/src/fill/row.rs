//! The coverage of each pixel of a row, from the spans of its four rows of samples. Spans do not overlap, so
//! a sample counts once; a span out of bounds is an error.

#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "columns fit a u16")]

use super::active::Irregular;
use super::fixed::SAMPLES;

/// What a covered sample adds to a pixel of 256 parts, four by four of them.
const SAMPLE: i32 = 16;

/// What a row of samples adds to a pixel that is covered whole: in the last row, one less, so that the sum is
/// 255.
const FULL: i32 = 64;
const FULL_LAST: i32 = 63;

/// Pixels that one side passes in most rows.
const NEAR: usize = 8;

/// Pixels in a row that are covered alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) y: u16,
    pub(crate) x: u16,
    pub(crate) length: u16,
    /// From 1 to 255.
    pub(crate) cover: u8,
}

/// The side of a covered span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

/// Differences of the cover from pixel to pixel, and where there are any.
#[derive(Debug, Default)]
pub(super) struct Row {
    steps: Vec<i16>,
    /// A bit for each pixel that may have a step.
    marks: Vec<u64>,
    /// The first column of samples, and how many there are.
    left: i32,
    columns: u32,
    /// The first and the last word of marks that may have any.
    from: usize,
    to: usize,
}

impl Row {
    /// Makes room for rows from a pixel to another one.
    pub(super) fn fit(&mut self, left: i32, right: i32) {
        // One beyond the last for what ends there, one for what ends within it.
        let width = right as usize + 2;
        if self.steps.len() < width + NEAR {
            self.steps.resize(width + NEAR, 0);
            self.marks.resize(width.div_ceil(64) + 1, 0);
        }
        self.left = left * SAMPLES;
        self.columns = ((right - left) * SAMPLES) as u32;
        (self.from, self.to) = (usize::MAX, 0);
    }

    #[inline]
    fn holds(&self, column: i32) -> bool {
        column.wrapping_sub(self.left) as u32 <= self.columns
    }

    /// Covers the samples from `left` to before `right` in a row, the last one of its pixels or another.
    #[inline]
    pub(super) fn cover(&mut self, left: i32, right: i32, is_last: bool) -> Result<(), Irregular> {
        if !self.holds(left) || !self.holds(right) {
            return Err(Irregular);
        }
        let full = if is_last { FULL_LAST } else { FULL };
        let (from, within) = (left >> 2, left & 3);
        let (to, beyond) = (right >> 2, right & 3);
        if from == to {
            let part = SAMPLE * (beyond - within);
            self.step(from, part, -part);
        } else {
            let part = if within == 0 { full } else { SAMPLE * (SAMPLES - within) };
            self.step(from, part, full - part);
            self.mark(from);
            let part = SAMPLE * beyond;
            self.step(to, part - full, -part);
        }
        self.mark(to);
        Ok(())
    }

    /// A side of the covered spans in four rows.
    #[inline]
    pub(super) fn side(&mut self, side: Side, columns: [i32; 4]) -> Result<(), Irregular> {
        let [a, b, c, d] = columns;
        let (low, high) = (a.min(b).min(c.min(d)), a.max(b).max(c.max(d)));
        if !(self.holds(low) & self.holds(high)) {
            return Err(Irregular);
        }
        let sign = if side == Side::Left { 1 } else { -1 };
        let last = last_step(side, d & 3);
        let (low, high) = (low >> 2, high >> 2);
        if low == high {
            let next = SAMPLE * ((a & 3) + (b & 3) + (c & 3));
            self.step(low, sign * (3 * FULL - next) + last.0, sign * next + last.1);
            self.mark(low);
        } else if let Some(near) = self.near(low, high) {
            // In arithmetic of 8 columns there is nothing to check.
            let mut step = |column: i32, here: i32, next: i32| {
                let at = ((column >> 2) - low) as usize;
                near[at % NEAR] += here as i16;
                near[(at + 1) % NEAR] += next as i16;
            };
            for column in [a, b, c] {
                let next = SAMPLE * (column & 3);
                step(column, sign * (FULL - next), sign * next);
            }
            step(d, last.0, last.1);
            self.mark_all(low, high);
        } else {
            for column in [a, b, c] {
                let next = SAMPLE * (column & 3);
                self.step(column >> 2, sign * (FULL - next), sign * next);
                self.mark(column >> 2);
            }
            self.step(d >> 2, last.0, last.1);
            self.mark(d >> 2);
        }
        Ok(())
    }

    /// The steps of the pixels from one to another and of the next, if they are at most 8.
    #[inline]
    fn near(&mut self, low: i32, high: i32) -> Option<&mut [i16; NEAR]> {
        if high - low > NEAR as i32 - 2 {
            return None;
        }
        self.steps.get_mut(low as usize..)?.first_chunk_mut()
    }

    /// The pixels from one to another and the next, at most 8 of them, may have a step.
    #[inline]
    fn mark_all(&mut self, low: i32, high: i32) {
        let (word, bit) = (low as usize / 64, low & 63);
        let bits = ((1_u128 << (high - low + 2)) - 1) << bit;
        if let Some([a, b]) = self.marks.get_mut(word..word + 2) {
            *a |= bits as u64;
            *b |= (bits >> 64) as u64;
        }
        self.from = self.from.min(word);
        self.to = self.to.max(word + 1);
    }

    /// After both sides of a span: in the last row, one that begins within a pixel and ends in the same
    /// counts its samples alone.
    #[inline]
    pub(super) fn settle_last(&mut self, left: i32, right: i32) {
        if left >> 2 == right >> 2 && left & 3 != 0 {
            self.step(left >> 2, -1, 1);
        }
    }

    #[inline]
    fn step(&mut self, at: i32, here: i32, next: i32) {
        let at = at as usize;
        if let Some([a, b]) = self.steps.get_mut(at..at + 2) {
            *a += here as i16;
            *b += next as i16;
        }
    }

    /// A pixel and the next may have a step.
    #[inline]
    fn mark(&mut self, at: i32) {
        let (word, bit) = (at as usize / 64, at & 63);
        if let Some([a, b]) = self.marks.get_mut(word..word + 2) {
            *a |= 3 << bit;
            *b |= u64::from(bit == 63);
        }
        self.from = self.from.min(word);
        self.to = self.to.max(word + 1);
    }

    /// Writes the runs of the row, and clears it.
    pub(super) fn flush(&mut self, y: i32, out: &mut Vec<Run>) {
        let (mut start, mut cover) = (0, 0_i32);
        for word in self.from..=self.to {
            let mut left = std::mem::take(&mut self.marks[word]);
            while left != 0 {
                let at = word * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                let step = std::mem::take(&mut self.steps[at]);
                if step == 0 {
                    continue;
                }
                if cover != 0 {
                    // 256 parts of 256 are 255.
                    let cover = (cover - (cover >> 8)) as u8;
                    out.push(Run { y: y as u16, x: start as u16, length: (at - start) as u16, cover });
                }
                cover += i32::from(step);
                start = at;
            }
        }
        (self.from, self.to) = (usize::MAX, 0);
    }
}

/// The step of a side in the last row, in its pixel and the next.
#[inline]
fn last_step(side: Side, within: i32) -> (i32, i32) {
    let next = SAMPLE * within;
    match side {
        Side::Left if within == 0 => (FULL_LAST, 0),
        Side::Left => (FULL - next, next + FULL_LAST - FULL),
        Side::Right => (next - FULL_LAST, -next),
    }
}
