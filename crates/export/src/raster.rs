//! Frames as rows of straight RGBA pixels, and rectangles of them.

use std::fmt;

/// A pixel: red, green, blue, alpha. The colour is as it was before alpha was multiplied in.
pub type Rgba = [u8; 4];

/// Width and height of all frames of an animation in pixels, at least 1 x 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelSize {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl PixelSize {
    pub(crate) fn area(self) -> usize {
        self.width as usize * self.height as usize
    }

    pub(crate) fn whole(self) -> PixelRect {
        PixelRect { x: 0, y: 0, width: self.width, height: self.height }
    }
}

impl fmt::Display for PixelSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// A rectangle of pixels; x to the right, y down, from the upper left corner of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PixelRect {
    /// The left column.
    pub x: u32,
    /// The upper row.
    pub y: u32,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl PixelRect {
    pub(crate) fn area(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// The smallest rectangle around both.
    pub(crate) fn union(self, other: Self) -> Self {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        Self {
            x,
            y,
            width: (self.x + self.width).max(other.x + other.width) - x,
            height: (self.y + self.height).max(other.y + other.height) - y,
        }
    }

    /// Where each of its rows begins and ends in a frame with this many columns.
    pub(crate) fn rows(self, columns: u32) -> impl Iterator<Item = std::ops::Range<usize>> {
        let (x, width) = (self.x as usize, self.width as usize);
        (self.y as usize..(self.y + self.height) as usize).map(move |row| {
            let start = row * columns as usize + x;
            start..start + width
        })
    }
}

/// The smallest rectangle around all pixels for which the test of a row's position holds.
pub(crate) fn bounds(size: PixelSize, mut holds: impl FnMut(usize) -> bool) -> Option<PixelRect> {
    let (width, height) = (size.width as usize, size.height as usize);
    let (mut left, mut right, mut top, mut bottom) = (width, 0, height, 0);
    for y in 0..height {
        let row = y * width;
        let Some(first) = (0..width).find(|x| holds(row + x)) else { continue };
        // Columns between the bounds found so far need no test.
        let last = (right.max(first + 1)..width).rev().find(|x| holds(row + x)).map_or(first + 1, |x| x + 1);
        left = left.min(first);
        right = right.max(last);
        top = top.min(y);
        bottom = y + 1;
    }
    #[allow(clippy::cast_possible_truncation, reason = "below the sides of the frame")]
    let whole = |n: usize| n as u32;
    (bottom > 0).then(|| PixelRect {
        x: whole(left),
        y: whole(top),
        width: whole(right - left),
        height: whole(bottom - top),
    })
}

/// The pixels of a frame; a colour that cannot be seen becomes 0, so that equal pictures have equal bytes.
pub(crate) fn visible(frame: &[u8], out: &mut Vec<Rgba>) {
    out.clear();
    out.extend(frame.as_chunks::<4>().0.iter().map(|pixel| if pixel[3] == 0 { [0; 4] } else { *pixel }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_a_search_over_all_pixels() {
        let size = PixelSize { width: 7, height: 5 };
        // All pairs of pixels.
        for one in 0..35 {
            for other in 0..35 {
                let (xs, ys) = ([one % 7, other % 7], [one / 7, other / 7]);
                let (x, y) = (xs[0].min(xs[1]), ys[0].min(ys[1]));
                let expected =
                    PixelRect { x, y, width: xs[0].max(xs[1]) - x + 1, height: ys[0].max(ys[1]) - y + 1 };
                let found = bounds(size, |at| at == one as usize || at == other as usize);
                assert_eq!(found, Some(expected), "{one} {other}");
            }
        }
        assert_eq!(bounds(size, |_| false), None);
    }
}
