//! PNG of flat drawings. Pixels are compared with the one before, the row above and, where neither fits, with the last pair
//! of pixels like them; no filter, no search. Rows that repeat cost a comparison.
//! Refuses nothing: noise becomes literals, a little larger than it was.

use tiny_skia::{Pixmap, PremultipliedColorU8};

use super::bitmap::{Bitmap, WORD};
use super::deflate::{Deflate, FARTHEST};
use super::straight::straight;

/// Places of the table of pairs: small enough for the nearest cache.
const PAIRS: usize = 1 << 12;

/// Bytes of a pixel in memory.
const WIDE: usize = 4;

/// Everything that is kept from row to row, and the memory of all frames.
#[derive(Debug)]
pub(super) struct Spans {
    deflate: Deflate,
    /// The row as the file has it: filter byte and straight pixels.
    line: Vec<u8>,
    /// Which pixels of the row are like the next one.
    next: Bitmap,
    /// Which are like the one above.
    up: Bitmap,
    /// Where a pair of pixels was last seen: row times width plus column, plus 1.
    pairs: Box<[u32; PAIRS]>,
}

impl Default for Spans {
    fn default() -> Self {
        Self {
            deflate: Deflate::default(),
            line: Vec::new(),
            next: Bitmap::default(),
            up: Bitmap::default(),
            pairs: Box::new([0; PAIRS]),
        }
    }
}

/// One frame of `DEPTH` bytes a pixel in the file, and the shape of its rows.
struct Frame<'a, const DEPTH: usize> {
    pixels: &'a [PremultipliedColorU8],
    data: &'a [u8],
    width: usize,
    /// Bytes of a row in the file.
    stride: usize,
}

impl<const DEPTH: usize> Frame<'_, DEPTH> {
    fn row(&self, y: usize) -> &[PremultipliedColorU8] {
        &self.pixels[y * self.width..][..self.width]
    }

    /// The same as it lies in memory.
    fn bytes(&self, y: usize) -> &[u8] {
        &self.data[y * self.width * WIDE..][..self.width * WIDE]
    }
}

impl Spans {
    pub(super) fn encode(&mut self, pixmap: &Pixmap, png: &mut Vec<u8>) {
        let (width, height) = (pixmap.width(), pixmap.height());
        let opaque = is_opaque(pixmap.data());
        png.extend_from_slice(b"\x89PNG\r\n\x1a\n");
        let mut header = [0; 13];
        header[..4].copy_from_slice(&width.to_be_bytes());
        header[4..8].copy_from_slice(&height.to_be_bytes());
        // Eight bits; colours, with alpha or without.
        header[8..10].copy_from_slice(&[8, if opaque { 2 } else { 6 }]);
        chunk(*b"IHDR", png, |png| png.extend_from_slice(&header));
        chunk(*b"IDAT", png, |png| match opaque {
            true => self.stream::<3>(pixmap, png),
            false => self.stream::<4>(pixmap, png),
        });
        chunk(*b"IEND", png, |_| ());
    }

    /// The zlib stream (RFC 1950).
    fn stream<const DEPTH: usize>(&mut self, pixmap: &Pixmap, png: &mut Vec<u8>) {
        let width = pixmap.width() as usize;
        let frame =
            Frame::<DEPTH> { pixels: pixmap.pixels(), data: pixmap.data(), width, stride: 1 + width * DEPTH };
        png.extend_from_slice(&[0x78, 0x01]);
        self.pairs.fill(0);
        self.line.clear();
        self.line.resize(frame.stride, 0);
        let mut sum = Adler::default();
        let mut row_sum = Adler::default();
        // Bits that the last row took, its tokens, and how many rows like it wait.
        let (mut cost, mut again) = (0, 0);
        let whole = row_cost(frame.stride);
        for y in 0..pixmap.height() as usize {
            let repeats = y > 0 && frame.bytes(y) == frame.bytes(y - 1);
            if repeats && frame.stride <= FARTHEST && whole < cost {
                again += 1;
            } else {
                self.wait_no_more(&frame, &mut again, png);
                self.look(&frame, y);
                cost = self.row(&frame, y, png);
                if !repeats {
                    row_sum = Adler::of(&self.line);
                }
            }
            sum = sum.then(row_sum, frame.stride);
        }
        self.wait_no_more(&frame, &mut again, png);
        self.deflate.finish(png);
        png.extend_from_slice(&sum.value().to_be_bytes());
    }

    /// Writes the rows that are like the one above.
    fn wait_no_more<const DEPTH: usize>(
        &mut self,
        frame: &Frame<'_, DEPTH>,
        again: &mut usize,
        png: &mut Vec<u8>,
    ) {
        self.deflate.repeat(*again * frame.stride, frame.stride, png);
        *again = 0;
    }

    /// Compares a row with itself and with the one above, and brings `line` up to it.
    fn look<const DEPTH: usize>(&mut self, frame: &Frame<'_, DEPTH>, y: usize) {
        let pixels = frame.row(y);
        if y > 0 {
            self.up.compare(pixels, frame.row(y - 1));
        } else {
            self.up.clear(frame.width);
        }
        self.next.compare_next(pixels, &self.up);
        for (k, part) in pixels.chunks(WORD).enumerate() {
            let mut changed = self.up.unlike(k, part.len());
            // Runs are worth a look where all is new.
            if changed == !0 {
                self.draw::<DEPTH>(part, k * WORD);
                continue;
            }
            let line = &mut self.line[1 + k * WORD * DEPTH..];
            while changed != 0 {
                let place = changed.trailing_zeros() as usize;
                line[place * DEPTH..][..DEPTH].copy_from_slice(&straight(part[place])[..DEPTH]);
                changed &= changed - 1;
            }
        }
    }

    /// Brings a part of `line` up to the row, run by run.
    fn draw<const DEPTH: usize>(&mut self, pixels: &[PremultipliedColorU8], start: usize) {
        let mut x = 0;
        while x < pixels.len() {
            let same = self.next.run(start + x).min(pixels.len() - x - 1);
            let line = &mut self.line[1 + (start + x) * DEPTH..];
            line[..DEPTH].copy_from_slice(&straight(pixels[x])[..DEPTH]);
            fill::<DEPTH>(line, same);
            x += 1 + same;
        }
    }

    /// Writes a row span by span; gives about how many bits it took.
    fn row<const DEPTH: usize>(&mut self, frame: &Frame<'_, DEPTH>, y: usize, png: &mut Vec<u8>) -> usize {
        if frame.stride > FARTHEST {
            self.up.clear(frame.width);
        }
        self.deflate.literals([0], png);
        // Empty pixels are zeros like the filter byte before them.
        let mut x = if DEPTH == WIDE && self.line[1..=WIDE] == [0; WIDE] { 1 + self.next.run(0) } else { 0 };
        self.deflate.repeat(x * DEPTH, 1, png);
        let mut bits = 12;
        while x < frame.width {
            let (same, up) = (if x > 0 { self.next.run(x - 1) } else { 0 }, self.up.run(x));
            if same > 0 && same >= up {
                self.deflate.repeat(same * DEPTH, DEPTH, png);
                bits += same * DEPTH / 86 + 4;
                x += same;
                continue;
            }
            if up > 0 {
                self.deflate.repeat(up * DEPTH, frame.stride, png);
                bits += up * DEPTH / 16 + 16;
                x += up;
                continue;
            }
            if let Some((length, distance)) = self.pair(frame, y, x) {
                self.deflate.repeat(length * DEPTH, distance, png);
                bits += 24;
                x += length;
                continue;
            }
            let start = 1 + x * DEPTH;
            let mut color = [0; DEPTH];
            color.copy_from_slice(&self.line[start..start + DEPTH]);
            // At a soft edge only alpha changes.
            if DEPTH == WIDE && x > 0 && self.line[start - DEPTH..][..3] == color[..3] {
                self.deflate.repeat(3, DEPTH, png);
                self.deflate.literals([color[DEPTH - 1]], png);
                bits += 14;
            } else {
                self.deflate.literals(color, png);
                bits += 8 * DEPTH;
            }
            x += 1;
        }
        bits
    }

    /// Pixels like those from here on, seen not long ago: how many, and how far back in the stream.
    #[inline]
    fn pair<const DEPTH: usize>(
        &mut self,
        frame: &Frame<'_, DEPTH>,
        y: usize,
        x: usize,
    ) -> Option<(usize, usize)> {
        let left = frame.width - x;
        if left < 2 {
            return None;
        }
        let pixel = y * frame.width + x;
        let here = &frame.data[pixel * WIDE..][..left * WIDE];
        let two: [u8; 8] = here[..8].try_into().ok()?;
        let hash = u64::from_le_bytes(two).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - PAIRS.ilog2());
        #[allow(
            clippy::cast_possible_truncation,
            reason = "a frame has at most 400 million pixels; the hash is cut to the table"
        )]
        let (slot, number) = (&mut self.pairs[hash as usize], pixel as u32 + 1);
        // Empty slots lead to what cannot be the same: further back than a match may be, or not at all.
        let seen = std::mem::replace(slot, number) as usize;
        // Rows have a byte before their pixels, so this is a little too near.
        let near = seen > 0 && (number as usize - seen) * DEPTH <= FARTHEST;
        let seen = if near { seen - 1 } else { pixel };
        if !near | (frame.data[seen * WIDE..][..8] != two) {
            return None;
        }
        let (seen_y, seen_x) = (seen / frame.width, seen % frame.width);
        let distance = (pixel - seen) * DEPTH + y - seen_y;
        if distance > FARTHEST {
            return None;
        }
        let end = (frame.width - seen_x).min(left);
        let length = common(&here[..end * WIDE], &frame.data[seen * WIDE..][..end * WIDE]);
        (length >= 2).then_some((length, distance))
    }
}

/// Repeats the first pixel `count` times behind it.
fn fill<const DEPTH: usize>(line: &mut [u8], count: usize) {
    /// Pixels of 3 and of 4 bytes fit.
    const BLOCK: usize = 48;
    let (pixel, rest) = line.split_at_mut(DEPTH);
    let rest = &mut rest[..count * DEPTH];
    if rest.len() < BLOCK {
        rest.chunks_exact_mut(DEPTH).for_each(|to| to.copy_from_slice(pixel));
        return;
    }
    let mut block = [0; BLOCK];
    block.chunks_exact_mut(DEPTH).for_each(|to| to.copy_from_slice(pixel));
    let mut blocks = rest.chunks_exact_mut(BLOCK);
    for to in &mut blocks {
        to.copy_from_slice(&block);
    }
    let rest = blocks.into_remainder();
    let length = rest.len();
    rest.copy_from_slice(&block[..length]);
}

/// About how many bits a whole row takes that is like the one above.
fn row_cost(stride: usize) -> usize {
    let extra = stride.ilog2() as usize;
    stride.div_ceil(258) * (extra + 2)
}

/// How many pixels at the start are the same.
#[inline]
fn common(a: &[u8], b: &[u8]) -> usize {
    const STEP: usize = 16;
    let (mut same, mut steps) = (0, a.as_chunks::<STEP>().0.iter().zip(b.as_chunks::<STEP>().0));
    for (a, b) in &mut steps {
        let differ = u128::from_le_bytes(*a) ^ u128::from_le_bytes(*b);
        if differ != 0 {
            return same + differ.trailing_zeros() as usize / (8 * WIDE);
        }
        same += STEP / WIDE;
    }
    let rest = a[same * WIDE..].chunks_exact(WIDE).zip(b[same * WIDE..].chunks_exact(WIDE));
    same + rest.take_while(|(a, b)| a == b).count()
}

fn is_opaque(data: &[u8]) -> bool {
    const PART: usize = 1024;
    let all = |part: &[[u8; WIDE]]| {
        part.iter().fold(!0, |all, pixel| all & u32::from_ne_bytes(*pixel)).to_ne_bytes()
    };
    data.as_chunks().0.chunks(PART).all(|part| all(part)[3] == 255)
}

/// A chunk with its length before and its checksum behind it.
fn chunk(name: [u8; 4], png: &mut Vec<u8>, content: impl FnOnce(&mut Vec<u8>)) {
    let start = png.len();
    png.extend_from_slice(&[0; 4]);
    png.extend_from_slice(&name);
    content(png);
    #[allow(clippy::cast_possible_truncation, reason = "the largest frame is 1.6 GB of noise")]
    let length = (png.len() - start - 8) as u32;
    png[start..start + 4].copy_from_slice(&length.to_be_bytes());
    let sum = crc32fast::hash(&png[start + 4..]);
    png.extend_from_slice(&sum.to_be_bytes());
}

/// The checksum of a zlib stream, both halves. Sums of parts make the sum of the whole, so a row that repeats is summed
/// once.
#[derive(Clone, Copy, Debug)]
struct Adler {
    bytes: u32,
    sums: u32,
}

impl Default for Adler {
    fn default() -> Self {
        Self { bytes: 1, sums: 0 }
    }
}

impl Adler {
    const BASE: u64 = 65_521;

    fn of(bytes: &[u8]) -> Self {
        let sum = simd_adler32::adler32(&bytes);
        Self { bytes: sum & 0xffff, sums: sum >> 16 }
    }

    /// The sum of what this is the sum of, and `length` bytes more.
    fn then(self, next: Self, length: usize) -> Self {
        let (a, b) = (u64::from(self.bytes), u64::from(self.sums));
        let (c, d) = (u64::from(next.bytes), u64::from(next.sums));
        let before = (a + Self::BASE - 1) % Self::BASE;
        #[allow(clippy::cast_possible_truncation, reason = "below 65,521")]
        let cut = |sum: u64| (sum % Self::BASE) as u32;
        Self { bytes: cut(before + c), sums: cut(b + d + before * (length as u64 % Self::BASE)) }
    }

    fn value(self) -> u32 {
        self.sums << 16 | self.bytes
    }
}
