//! How much of each pixel of a row is covered, from the spans of its four rows of samples.
//! Refuses spans that overlap: a sample counts once.

#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "columns fit a u16")]

use super::fixed::SAMPLES;

/// What a covered sample adds to a pixel of 256 parts, four by four of them.
const SAMPLE: i32 = 16;

/// Pixels in a row that are covered alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) y: u16,
    pub(crate) x: u16,
    pub(crate) length: u16,
    /// From 1 to 255.
    pub(crate) cover: u8,
}

/// Differences of the cover from pixel to pixel, and where there are any.
#[derive(Debug, Default)]
pub(super) struct Row {
    steps: Vec<i16>,
    /// A bit for each pixel that may have a step.
    marks: Vec<u64>,
}

impl Row {
    /// Makes room for a row of so many pixels.
    pub(super) fn fit(&mut self, width: usize) {
        // One beyond the last for what ends there, one for what ends within it.
        if self.steps.len() < width + 2 {
            self.steps.resize(width + 2, 0);
            self.marks.resize((width + 2).div_ceil(64), 0);
        }
    }

    /// Covers the samples from `left` to before `right`. A pixel that is covered whole gets `full` of a row:
    /// 64 in all but the last, 63 there, so that the sum is 255.
    #[inline]
    pub(super) fn cover(&mut self, left: i32, right: i32, full: i32) {
        let (from, within) = ((left / SAMPLES) as usize, left % SAMPLES);
        let (to, beyond) = ((right / SAMPLES) as usize, right % SAMPLES);
        if from == to {
            let part = SAMPLE * (beyond - within);
            self.step(from, part, -part);
        } else {
            let part = if within == 0 { full } else { SAMPLE * (SAMPLES - within) };
            self.step(from, part, full - part);
            let part = SAMPLE * beyond;
            self.step(to, part - full, -part);
        }
    }

    #[inline]
    fn step(&mut self, at: usize, here: i32, next: i32) {
        if let Some([a, b]) = self.steps.get_mut(at..at + 2) {
            *a += here as i16;
            *b += next as i16;
        }
        let bit = at % 64;
        self.marks[at / 64] |= 3 << bit;
        if bit == 63 {
            self.marks[at / 64 + 1] |= 1;
        }
    }

    /// Writes down what is covered between two pixels, and clears the row.
    pub(super) fn flush(&mut self, y: i32, from: usize, to: usize, out: &mut Vec<Run>) {
        let (mut start, mut cover) = (0, 0_i32);
        for (word, marks) in self.marks.iter_mut().enumerate().take(to / 64 + 1).skip(from / 64) {
            let mut left = std::mem::take(marks);
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
    }
}
