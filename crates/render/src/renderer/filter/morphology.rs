//! The least or the greatest values around each pixel, in time that does not depend on the radius: maxima of
//! blocks from both of their ends (van Herk 1992, Gil and Werman 1993), along rows, then along columns.

use tiny_skia::Pixmap;

pub(super) fn apply(pixmap: &mut Pixmap, dilate: bool, (across, down): (f32, f32)) {
    let (width, height) = (pixmap.width() as usize, pixmap.height() as usize);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as resvg does")]
    let radius = |n: f32, side: usize| (n.round() as usize).min(side - 1);
    let (across, down) = (radius(across, width), radius(down, height));
    let (pixels, _) = pixmap.data_mut().as_chunks_mut::<4>();
    let mut line = Line::new(dilate);
    for row in pixels.chunks_exact_mut(width) {
        line.pixels.clear();
        line.pixels.extend_from_slice(row);
        line.run(across);
        row.copy_from_slice(&line.pixels);
    }
    for x in 0..width {
        line.pixels.clear();
        line.pixels.extend(pixels[x..].iter().step_by(width));
        line.run(down);
        pixels[x..].iter_mut().step_by(width).zip(&line.pixels).for_each(|(to, from)| *to = *from);
    }
}

/// A row or a column.
struct Line {
    pixels: Vec<[u8; 4]>,
    /// The extremes from the beginning of each block, and to its end.
    from_begin: Vec<[u8; 4]>,
    to_end: Vec<[u8; 4]>,
    dilate: bool,
}

impl Line {
    fn new(dilate: bool) -> Self {
        Self { pixels: Vec::new(), from_begin: Vec::new(), to_end: Vec::new(), dilate }
    }

    fn run(&mut self, radius: usize) {
        if radius == 0 {
            return;
        }
        let dilate = self.dilate;
        let extreme = |a: [u8; 4], b: [u8; 4]| -> [u8; 4] {
            std::array::from_fn(|n| if dilate { a[n].max(b[n]) } else { a[n].min(b[n]) })
        };
        let (length, window) = (self.pixels.len(), 2 * radius + 1);
        self.from_begin.clone_from(&self.pixels);
        self.to_end.clone_from(&self.pixels);
        for block in self.from_begin.chunks_mut(window) {
            for at in 1..block.len() {
                block[at] = extreme(block[at - 1], block[at]);
            }
        }
        for block in self.to_end.chunks_mut(window) {
            for at in (1..block.len()).rev() {
                block[at - 1] = extreme(block[at - 1], block[at]);
            }
        }
        for (at, pixel) in self.pixels.iter_mut().enumerate() {
            // Pixels beyond the ends do not count.
            let (first, last) = (at.saturating_sub(radius), (at + radius).min(length - 1));
            *pixel = if first / window == last / window && first % window == 0 {
                self.from_begin[last]
            } else if first / window == last / window {
                // The window ends with the line.
                self.to_end[first]
            } else {
                extreme(self.to_end[first], self.from_begin[last])
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_are_those_of_all_pixels_around() {
        let (width, height) = (23_usize, 17_usize);
        let mut source = Pixmap::new(23, 17).unwrap();
        let mut state = 7_u32;
        for byte in source.data_mut() {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *byte = state.to_le_bytes()[3];
        }
        for (dilate, across, down) in
            [(true, 1, 1), (false, 2, 1), (true, 5, 9), (false, 30, 3), (true, 11, 40), (false, 22, 16)]
        {
            let mut found = source.clone();
            apply(&mut found, dilate, (across as f32, down as f32));
            for at in 0..width * height * 4 {
                let (x, y, n) = (at / 4 % width, at / 4 / width, at % 4);
                let rows = y.saturating_sub(down)..=(y + down).min(height - 1);
                let columns = x.saturating_sub(across)..=(x + across).min(width - 1);
                let around = rows.flat_map(|y| columns.clone().map(move |x| (y * width + x) * 4 + n));
                let values = around.map(|at| source.data()[at]);
                let expected = if dilate { values.max() } else { values.min() };
                assert_eq!(Some(found.data()[at]), expected, "{dilate} {across} {down} at {x} {y}");
            }
        }
    }
}
