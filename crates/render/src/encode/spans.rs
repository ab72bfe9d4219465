//! PNG of flat drawings. Pixels are compared with the one before, the row above and, where neither fits, with the last pair
//! of pixels like them; no filter, no search. Rows that repeat cost a comparison.
//! Refuses nothing: noise becomes literals, a little larger than it was.

use tiny_skia::{Pixmap, PremultipliedColorU8};

use super::deflate::{Deflate, FARTHEST};
use super::straight::straight;

/// Places of the table of pairs: small enough for the nearest cache.
const PAIRS: usize = 1 << 12;

/// Bytes of a pixel in memory.
const WIDE: usize = 4;

/// Empty pixels to compare with: as many as are worth a single match.
static EMPTY: [u8; 8192 * WIDE] = [0; 8192 * WIDE];

/// Everything that is kept from row to row, and the memory of all frames.
#[derive(Debug)]
pub(super) struct Spans {
    deflate: Deflate,
    /// The row as the file has it: filter byte and straight pixels.
    line: Vec<u8>,
    /// Where a pair of pixels was last seen: row times width plus column, plus 1.
    pairs: Vec<u32>,
}

impl Default for Spans {
    fn default() -> Self {
        Self { deflate: Deflate::default(), line: Vec::new(), pairs: vec![0; PAIRS] }
    }
}

/// One frame and the shape of its rows.
struct Frame<'a> {
    pixels: &'a [PremultipliedColorU8],
    data: &'a [u8],
    width: usize,
    /// Bytes of a pixel in the file.
    depth: usize,
    /// Bytes of a row in the file.
    stride: usize,
}

impl Frame<'_> {
    fn row(&self, y: usize) -> &[u8] {
        &self.data[y * self.width * WIDE..][..self.width * WIDE]
    }

    /// Where a pixel stands in the stream.
    fn at(&self, y: usize, x: usize) -> usize {
        y * self.stride + 1 + x * self.depth
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
        let depth = if opaque { 3 } else { 4 };
        let width = width as usize;
        let frame =
            Frame { pixels: pixmap.pixels(), data: pixmap.data(), width, depth, stride: 1 + width * depth };
        chunk(*b"IDAT", png, |png| self.stream(&frame, height as usize, png));
        chunk(*b"IEND", png, |_| ());
    }

    /// The zlib stream (RFC 1950).
    fn stream(&mut self, frame: &Frame<'_>, height: usize, png: &mut Vec<u8>) {
        png.extend_from_slice(&[0x78, 0x01]);
        self.pairs.fill(0);
        self.line.clear();
        self.line.resize(frame.stride, 0);
        let mut sum = Adler::default();
        let mut row_sum = Adler::default();
        // Bits that the last row took, its tokens, and how many rows like it wait.
        let (mut cost, mut again) = (0, 0);
        let whole = row_cost(frame.stride);
        for y in 0..height {
            let repeats = y > 0 && frame.row(y) == frame.row(y - 1);
            if repeats && frame.stride <= FARTHEST && whole < cost {
                again += 1;
            } else {
                self.wait_no_more(frame, &mut again, png);
                cost = self.row(frame, y, png);
                if !repeats {
                    row_sum = Adler::of(&self.line);
                }
            }
            sum = sum.then(row_sum, frame.stride);
        }
        self.wait_no_more(frame, &mut again, png);
        self.deflate.finish(png);
        png.extend_from_slice(&sum.value().to_be_bytes());
    }

    /// Writes the rows that are like the one above.
    fn wait_no_more(&mut self, frame: &Frame<'_>, again: &mut usize, png: &mut Vec<u8>) {
        self.deflate.repeat(*again * frame.stride, frame.stride, png);
        *again = 0;
    }

    /// Writes a row span by span and brings `line` up to it; gives about how many bits it took.
    fn row(&mut self, frame: &Frame<'_>, y: usize, png: &mut Vec<u8>) -> usize {
        let row = frame.row(y);
        let above = if y > 0 && frame.stride <= FARTHEST { frame.row(y - 1) } else { &[] };
        let depth = frame.depth;
        self.deflate.literal(0, png);
        // Empty pixels are zeros like the filter byte before them.
        let empty = if depth == WIDE { common(row, &EMPTY) } else { 0 };
        self.line[1..=empty * depth].fill(0);
        if empty > 0 {
            self.deflate.repeat(empty * depth, 1, png);
        }
        let mut bits = 12;
        let mut x = empty;
        while x < frame.width {
            let rest = &row[x * WIDE..];
            let same = if x > 0 { common(rest, &row[(x - 1) * WIDE..]) } else { 0 };
            let up = if same * 2 < frame.width - x && !above.is_empty() {
                common(rest, &above[x * WIDE..])
            } else {
                0
            };
            if same > 0 && same >= up {
                self.fill(frame, x, same);
                self.deflate.repeat(same * depth, depth, png);
                bits += same * depth / 86 + 4;
                x += same;
                continue;
            }
            if up > 0 {
                self.deflate.repeat(up * depth, frame.stride, png);
                bits += up * depth / 16 + 16;
                x += up;
                continue;
            }
            let pixel = y * frame.width + x;
            if let Some((length, distance)) = self.pair(frame, pixel, x) {
                self.copy(frame, pixel, x, length);
                self.deflate.repeat(length * depth, distance, png);
                bits += 24;
                x += length;
                continue;
            }
            let color = straight(frame.pixels[pixel]);
            let start = 1 + x * depth;
            self.line[start..start + depth].copy_from_slice(&color[..depth]);
            // At a soft edge only alpha changes.
            let kept = depth == WIDE && x > 0 && self.line[start - depth..][..3] == color[..3];
            if kept {
                self.deflate.repeat(3, depth, png);
            }
            for byte in &color[if kept { 3 } else { 0 }..depth] {
                self.deflate.literal(*byte, png);
            }
            bits += if kept { 14 } else { 8 * depth };
            x += 1;
        }
        bits
    }

    /// Repeats the pixel before `x` in `line`.
    fn fill(&mut self, frame: &Frame<'_>, x: usize, count: usize) {
        let depth = frame.depth;
        let start = 1 + x * depth;
        let mut pixel = [0; WIDE];
        pixel[..depth].copy_from_slice(&self.line[start - depth..start]);
        for to in self.line[start..start + count * depth].chunks_exact_mut(depth) {
            to.copy_from_slice(&pixel[..depth]);
        }
    }

    /// Brings `line` up to the drawing.
    fn copy(&mut self, frame: &Frame<'_>, pixel: usize, x: usize, count: usize) {
        let depth = frame.depth;
        let line = self.line[1 + x * depth..][..count * depth].chunks_exact_mut(depth);
        for (to, pixel) in line.zip(&frame.pixels[pixel..pixel + count]) {
            to.copy_from_slice(&straight(*pixel)[..depth]);
        }
    }

    /// Pixels like those from here on, seen not long ago: how many, and how far back in the stream.
    fn pair(&mut self, frame: &Frame<'_>, pixel: usize, x: usize) -> Option<(usize, usize)> {
        let left = frame.width - x;
        if left < 2 {
            return None;
        }
        let two: [u8; 8] = frame.data[pixel * WIDE..][..8].try_into().ok()?;
        let hash = u64::from_le_bytes(two).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - PAIRS.ilog2());
        #[allow(
            clippy::cast_possible_truncation,
            reason = "a frame has at most 400 million pixels; the hash is cut to the table"
        )]
        let (slot, number) = (&mut self.pairs[hash as usize], pixel as u32 + 1);
        let seen = (std::mem::replace(slot, number) as usize).checked_sub(1)?;
        let (seen_y, seen_x) = (seen / frame.width, seen % frame.width);
        let distance = frame.at(pixel / frame.width, x) - frame.at(seen_y, seen_x);
        if distance > FARTHEST {
            return None;
        }
        let end = (frame.width - seen_x).min(left);
        let length =
            common(&frame.data[pixel * WIDE..][..end * WIDE], &frame.data[seen * WIDE..][..end * WIDE]);
        (length >= 2).then_some((length, distance))
    }
}

/// About how many bits a whole row takes that is like the one above.
fn row_cost(stride: usize) -> usize {
    let extra = stride.ilog2() as usize;
    stride.div_ceil(258) * (extra + 2)
}

/// How many pixels at the start are the same.
#[inline]
fn common(a: &[u8], b: &[u8]) -> usize {
    const STEP: usize = 32;
    let length = a.len().min(b.len());
    let mut at = 0;
    while at + STEP <= length && a[at..at + STEP] == b[at..at + STEP] {
        at += STEP;
    }
    while at + WIDE <= length && a[at..at + WIDE] == b[at..at + WIDE] {
        at += WIDE;
    }
    at / WIDE
}

fn is_opaque(data: &[u8]) -> bool {
    data.chunks(WIDE * 1024).all(|part| part.chunks_exact(WIDE).fold(255, |all, pixel| all & pixel[3]) == 255)
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
