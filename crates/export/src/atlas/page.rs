//! The pixels of a page: sprites with repeated edges, and colours that go on under alpha 0, so that no dark
//! fringe appears where a reader mixes neighbouring pixels.

use super::Atlas;
use crate::error::ExportError;
use crate::png::{RowFilter, picture};
use crate::raster::{PixelSize, Rgba};

/// How far colours go on under alpha 0, in pixels.
const BLEED: usize = 8;

/// A page of a sheet.
#[derive(Clone, Debug)]
pub struct AtlasPage {
    /// Its size.
    pub size: PixelSize,
    /// Straight RGBA, row by row.
    pub pixels: Vec<Rgba>,
}

impl Atlas {
    /// How many pages there are.
    pub fn page_count(&self) -> usize {
        self.pages.len()
    }

    /// How many sprites there are: frames that differ.
    pub fn sprite_count(&self) -> usize {
        self.sprites.len()
    }

    /// The pixels of a page.
    ///
    /// # Panics
    /// If there is no such page: [`page_count`](Self::page_count) is their number.
    pub fn page(&self, number: usize) -> AtlasPage {
        let size = self.pages[number];
        let mut page = AtlasPage { size, pixels: vec![[0; 4]; size.area()] };
        let columns = size.width as usize;
        for sprite in self.sprites.iter().filter(|sprite| sprite.place.page == number) {
            let picture = &self.pictures[sprite.picture];
            let (left, top) = (sprite.place.x + sprite.inside.0, sprite.place.y + sprite.inside.1);
            for (row, pixels) in picture.pixels.chunks_exact(picture.width as usize).enumerate() {
                let start = (top as usize + row) * columns + left as usize;
                page.pixels[start..start + pixels.len()].copy_from_slice(pixels);
            }
            // Columns first, so that corners are repeated with the rows.
            let extrude = self.options.extrude as usize;
            let (x, y) = (sprite.place.x as usize, sprite.place.y as usize);
            let (width, height) = (sprite.size.width as usize, sprite.size.height as usize);
            for row in y..y + height {
                let row = row * columns;
                let (first, last) = (page.pixels[row + x], page.pixels[row + x + width - 1]);
                page.pixels[row + x - extrude..row + x].fill(first);
                page.pixels[row + x + width..row + x + width + extrude].fill(last);
            }
            let (from, to) = (x - extrude, x + width + extrude);
            for above in 1..=extrude {
                let (top, bottom) = (y * columns, (y + height - 1) * columns);
                page.pixels.copy_within(top + from..top + to, (y - above) * columns + from);
                page.pixels
                    .copy_within(bottom + from..bottom + to, (y + height - 1 + above) * columns + from);
            }
        }
        page.bleed();
        page
    }
}

impl AtlasPage {
    /// Gives pixels that cannot be seen the colour of the nearest ones that can.
    fn bleed(&mut self) {
        let (width, height) = (self.size.width as usize, self.size.height as usize);
        let mut coloured: Vec<bool> = self.pixels.iter().map(|pixel| pixel[3] > 0).collect();
        let neighbours = move |at: usize| {
            let (x, y) = (at % width, at / width);
            let left = (x > 0).then(|| at - 1);
            let right = (x + 1 < width).then(|| at + 1);
            let up = (y > 0).then(|| at - width);
            let down = (y + 1 < height).then(|| at + width);
            [left, right, up, down].into_iter().flatten()
        };
        let mut border: Vec<usize> = (0..self.pixels.len())
            .filter(|at| !coloured[*at] && neighbours(*at).any(|other| coloured[other]))
            .collect();
        for _ in 0..BLEED {
            // The mean of neighbours that have a colour: all of one ring before the next.
            let colours: Vec<Rgba> = border
                .iter()
                .map(|at| {
                    let (mut sums, mut count) = ([0_u32; 3], 0);
                    for other in neighbours(*at).filter(|other| coloured[*other]) {
                        let pixel = self.pixels[other];
                        sums.iter_mut().zip(pixel).for_each(|(sum, channel)| *sum += u32::from(channel));
                        count += 1;
                    }
                    #[allow(clippy::cast_possible_truncation, reason = "a mean of bytes")]
                    let mean = sums.map(|sum| (sum / count.max(1)) as u8);
                    [mean[0], mean[1], mean[2], 0]
                })
                .collect();
            for (at, colour) in border.iter().zip(colours) {
                self.pixels[*at] = colour;
                coloured[*at] = true;
            }
            let mut next: Vec<usize> =
                border.iter().flat_map(|at| neighbours(*at)).filter(|at| !coloured[*at]).collect();
            next.sort_unstable();
            next.dedup();
            border = next;
        }
    }

    /// The page as a PNG file.
    ///
    /// # Errors
    /// If the compressor fails.
    pub fn png(&self) -> Result<Vec<u8>, ExportError> {
        picture(self.size, &self.pixels, &[RowFilter::None, RowFilter::Adaptive], 9)
    }
}
