//! PNG of flat drawings: each row is stored as its differences from the row above (PNG's filter `Up`), and
//! most of a row has none. A pixel that equals the one above costs one comparison; nothing is searched. Noise
//! becomes literals and grows a little.

use tiny_skia::{Pixmap, PremultipliedColorU8};

use super::bitmap::Bitmap;
use super::deflate::Deflate;
use super::file::{UP, WIDE, difference, file, is_opaque};
use super::straight::{rgba, straight};

/// Changed pixels that are written at once: their sums stay far below 2^64 in the widest of rows.
const PART: usize = 1 << 16;

/// The state from row to row, and the buffers of all frames.
#[derive(Debug, Default)]
pub(super) struct Rows {
    deflate: Deflate,
    /// Which pixels of the row are like the one above.
    up: Bitmap,
    /// The straight pixels of the last row, red in the lowest byte.
    line: Vec<u32>,
}

impl Rows {
    pub(super) fn encode(&mut self, pixmap: &Pixmap, png: &mut Vec<u8>) {
        let opaque = is_opaque(pixmap.data());
        file(pixmap, opaque, png, |png| match opaque {
            true => self.stream::<3>(pixmap, png),
            false => self.stream::<4>(pixmap, png),
        });
    }

    /// The zlib stream (RFC 1950).
    fn stream<const DEPTH: usize>(&mut self, pixmap: &Pixmap, png: &mut Vec<u8>) {
        png.extend_from_slice(&[0x78, 0x01]);
        let width = pixmap.width() as usize;
        self.line.clear();
        // Before the first row there is nothing; without alpha in the file, that of all rows is the same.
        let nothing = if DEPTH == WIDE { [0; 4] } else { [0, 0, 0, 255] };
        self.line.resize(width, u32::from_le_bytes(nothing));
        let mut sum = Adler::default();
        let rows = pixmap.pixels().chunks_exact(width).zip(pixmap.data().chunks_exact(width * WIDE));
        let mut above: Option<(&[PremultipliedColorU8], &[u8])> = None;
        for (row, bytes) in rows {
            self.deflate.literals([UP], png);
            let mut row_sum = RowSum::new(1 + width * DEPTH);
            match above {
                Some((_, above)) if above == bytes => self.zeros(width * DEPTH, png),
                above => {
                    match above {
                        Some((above, _)) => self.up.compare(row, above),
                        None => self.up.clear(width),
                    }
                    self.row::<DEPTH>(row, &mut row_sum, png);
                }
            }
            sum.then(row_sum);
            above = Some((row, bytes));
        }
        self.deflate.finish(png);
        png.extend_from_slice(&sum.value().to_be_bytes());
    }

    /// Writes a row and brings `line` up to it.
    fn row<const DEPTH: usize>(&mut self, row: &[PremultipliedColorU8], sum: &mut RowSum, png: &mut Vec<u8>) {
        let mut x = 0;
        loop {
            let like = self.up.run(x);
            self.zeros(like * DEPTH, png);
            x += like;
            if x >= row.len() {
                return;
            }
            let end = x + self.up.gap(x).min(row.len() - x).min(PART);
            // Equal differences, at the edge of a shape or in a gradient, are a run.
            let (mut last, mut again) = (None, 0);
            for (k, (pixel, old)) in row[x..end].iter().zip(&mut self.line[x..end]).enumerate() {
                let new = u32::from_le_bytes(straight(rgba(*pixel)));
                let change = difference(new, *old);
                *old = new;
                sum.add::<DEPTH>(1 + (x + k) * DEPTH, change.to_le_bytes());
                if last == Some(change) {
                    again += 1;
                    continue;
                }
                self.deflate.repeat(again * DEPTH, DEPTH, png);
                let mut bytes = [0; DEPTH];
                bytes.copy_from_slice(&change.to_le_bytes()[..DEPTH]);
                self.deflate.literals(bytes, png);
                (last, again) = (Some(change), 0);
            }
            self.deflate.repeat(again * DEPTH, DEPTH, png);
            sum.sums %= BASE;
            x = end;
        }
    }

    /// Writes zeros: a multiple of the bytes of a pixel.
    #[inline(always)]
    fn zeros(&mut self, count: usize, png: &mut Vec<u8>) {
        match count {
            0 => (),
            3 => self.deflate.literals([0; 3], png),
            _ => {
                self.deflate.literals([0], png);
                self.deflate.repeat(count - 1, 1, png);
            }
        }
    }
}

const BASE: u64 = 65_521;

/// What a row adds to the checksum: the sum of its bytes, and the sum of each times how many bytes there are
/// from it on. Zeros add nothing.
struct RowSum {
    length: u64,
    bytes: u64,
    sums: u64,
}

impl RowSum {
    /// The filter byte is in.
    fn new(length: usize) -> Self {
        let length = length as u64;
        Self { length, bytes: UP.into(), sums: length * u64::from(UP) }
    }

    #[inline(always)]
    fn add<const DEPTH: usize>(&mut self, at: usize, change: [u8; 4]) {
        let [red, green, blue, alpha] = change.map(u64::from);
        let alpha = if DEPTH == WIDE { alpha } else { 0 };
        let bytes = red + green + blue + alpha;
        self.bytes += bytes;
        self.sums += bytes * (self.length - at as u64) - (green + 2 * blue + 3 * alpha);
    }
}

/// The checksum of a zlib stream, both halves (RFC 1950, section 8.2).
struct Adler {
    bytes: u64,
    sums: u64,
}

impl Default for Adler {
    fn default() -> Self {
        Self { bytes: 1, sums: 0 }
    }
}

impl Adler {
    fn then(&mut self, row: RowSum) {
        self.sums = (self.sums + self.bytes * (row.length % BASE) + row.sums) % BASE;
        self.bytes = (self.bytes + row.bytes) % BASE;
    }

    fn value(&self) -> u32 {
        #[allow(clippy::cast_possible_truncation, reason = "below 65,521")]
        let cut = |sum: u64| sum as u32;
        cut(self.sums) << 16 | cut(self.bytes)
    }
}
