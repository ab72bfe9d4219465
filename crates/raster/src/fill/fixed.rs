//! The fixed-point numbers of the scan: quarters of a pixel in 26.6 and 16.16, truncated as tiny-skia
//! truncates them.

#![allow(clippy::cast_possible_truncation, reason = "fixed-point numbers are cut to size")]

/// Rows of samples in a pixel, and columns.
pub(super) const SAMPLES: i32 = 4;

/// A coordinate in pixels as 26.6 samples.
pub(super) fn samples(pixels: f32) -> i32 {
    (pixels * 256.0) as i32
}

/// 26.6 to 16.16.
pub(super) fn widened(n: i32) -> i32 {
    n.wrapping_shl(10)
}

/// The first row of samples whose middle is not above a 26.6 coordinate.
pub(super) fn row_at(y: i32) -> i32 {
    y.wrapping_add(32) >> 6
}

/// The first column of samples whose middle is not before a 16.16 coordinate.
pub(super) fn column_at(x: i32) -> i32 {
    x.wrapping_add(0x8000) >> 16
}

/// A stretch of an edge between two rows of samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// Where it meets the middle of its first row, 16.16.
    pub(super) x: i32,
    /// How far it goes from row to row, 16.16.
    pub(super) dx: i32,
    pub(super) first: i32,
    pub(super) last: i32,
}

impl Line {
    /// From 26.6 ends, the upper one first. None if it meets no middle of a row.
    pub(super) fn new((x0, y0): (i32, i32), (x1, y1): (i32, i32)) -> Option<Self> {
        let (top, bottom) = (row_at(y0), row_at(y1));
        if top == bottom {
            return None;
        }
        let dx = slope(x1.wrapping_sub(x0), y1.wrapping_sub(y0));
        let down = top.wrapping_shl(6).wrapping_add(32).wrapping_sub(y0);
        let along = ((i64::from(dx) * i64::from(down)) >> 16) as i32;
        Some(Self { x: widened(x0.wrapping_add(along)), dx, first: top, last: bottom - 1 })
    }
}

/// The 16.16 quotient of two 26.6 numbers.
fn slope(across: i32, down: i32) -> i32 {
    if i16::try_from(across).is_ok() {
        (across << 16).wrapping_div(down)
    } else {
        let quotient = (i64::from(across) << 16) / i64::from(down);
        quotient.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
    }
}
