//! PNG by a general compressor. Each row is stored as its differences from the row above, or from what PNG's filter
//! `Paeth` makes of its neighbours; or all rows are stored as they are, which is smaller for some drawings: a part
//! of the rows shows it. Files are as small as most programs write them, in a part of the time.

use std::ops::Range;

use tiny_skia::Pixmap;
use zlib_rs::{Deflate, DeflateFlush, Status};

use super::error::EncodeError;
use super::file::{UP, WIDE, file, is_opaque};
use super::straight::straighten;

/// The knee of time over bytes: the next level takes a third more time for 2 to 6 % fewer bytes, the one before
/// saves a quarter for 5 % more.
const LEVEL: i32 = 5;

/// The lowest level at which the same way is the smaller one.
const SAMPLE_LEVEL: i32 = 4;

/// Rows that are compressed in both ways to choose one: so many of each group.
const SAMPLE: usize = 16;
const GROUP: usize = 128;

/// Bytes of rows that are compressed at a time: they stay near the processor.
const CHUNK: usize = 1 << 17;

/// Bits of the compressor's window.
const WINDOW: u8 = 15;

/// PNG's filters (PNG, third edition, section 9.2).
const NONE: u8 = 0;
const PAETH: u8 = 4;

/// Buffers for all frames.
#[derive(Debug, Default)]
pub(super) struct FilteredRows {
    lines: TwoRows,
    /// Rows with the bytes of their filters.
    rows: Vec<u8>,
    deflated: Vec<u8>,
}

impl FilteredRows {
    pub(super) fn encode(&mut self, pixmap: &Pixmap, png: &mut Vec<u8>) -> Result<(), EncodeError> {
        let opaque = is_opaque(pixmap.data());
        let mut result = Ok(());
        file(pixmap, opaque, png, |png| {
            result = if opaque { self.stream::<3>(pixmap, png) } else { self.stream::<4>(pixmap, png) };
        });
        result
    }

    fn stream<const DEPTH: usize>(&mut self, pixmap: &Pixmap, png: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.deflated.resize(CHUNK, 0);
        let filters = self.sampled::<DEPTH>(pixmap, true)? <= self.sampled::<DEPTH>(pixmap, false)?;
        let mut deflate = Deflate::new(LEVEL, true, WINDOW);
        let Self { lines, rows, deflated } = self;
        rows.clear();
        lines.start::<DEPTH>(pixmap.width() as usize);
        let mut above = None;
        for row in pixmap.data().chunks_exact(pixmap.width() as usize * WIDE) {
            lines.push::<DEPTH>(row, above, filters, rows);
            above = Some(row);
            if rows.len() >= CHUNK {
                compress(&mut deflate, rows, DeflateFlush::NoFlush, deflated, |part| {
                    png.extend_from_slice(part)
                })?;
                rows.clear();
            }
        }
        compress(&mut deflate, rows, DeflateFlush::Finish, deflated, |part| png.extend_from_slice(part))
    }

    /// How many bytes a part of the rows takes.
    fn sampled<const DEPTH: usize>(&mut self, pixmap: &Pixmap, filters: bool) -> Result<u64, EncodeError> {
        let mut deflate = Deflate::new(SAMPLE_LEVEL, true, WINDOW);
        let Self { lines, rows, deflated } = self;
        let bytes = pixmap.width() as usize * WIDE;
        lines.start::<DEPTH>(pixmap.width() as usize);
        let mut above: Option<&[u8]> = None;
        for group in pixmap.data().chunks(bytes * GROUP) {
            if let Some(above) = above {
                lines.see::<DEPTH>(above);
            }
            rows.clear();
            for row in group.chunks_exact(bytes).take(SAMPLE) {
                lines.push::<DEPTH>(row, above, filters, rows);
                above = Some(row);
            }
            compress(&mut deflate, rows, DeflateFlush::NoFlush, deflated, |_| ())?;
            above = group.chunks_exact(bytes).next_back();
        }
        compress(&mut deflate, &[], DeflateFlush::Finish, deflated, |_| ())?;
        Ok(deflate.total_out())
    }
}

/// Compresses rows, and gives away what is done.
fn compress(
    deflate: &mut Deflate,
    mut rows: &[u8],
    flush: DeflateFlush,
    buffer: &mut [u8],
    mut out: impl FnMut(&[u8]),
) -> Result<(), EncodeError> {
    let failed = |_| EncodeError::new("the compressor failed on the frame");
    loop {
        let (taken, given) = (deflate.total_in(), deflate.total_out());
        let status = deflate.compress(rows, buffer, flush).map_err(failed)?;
        #[allow(clippy::cast_possible_truncation, reason = "at most the lengths of both slices")]
        let [taken, given] = [deflate.total_in() - taken, deflate.total_out() - given].map(|n| n as usize);
        rows = &rows[taken..];
        out(&buffer[..given]);
        let is_done = match flush {
            DeflateFlush::Finish => status == Status::StreamEnd,
            _ => rows.is_empty() && given < buffer.len(),
        };
        if is_done {
            return Ok(());
        }
    }
}

/// Two rows in straight colours, each behind a pixel of zeros: outside of a picture all is zero.
#[derive(Debug, Default)]
struct TwoRows {
    /// The newest row, and the one above it.
    line: Vec<u8>,
    last: Vec<u8>,
    up: Vec<u8>,
    paeth: Vec<u8>,
    changed: Vec<Range<usize>>,
}

impl TwoRows {
    /// Before the first row of a picture.
    fn start<const DEPTH: usize>(&mut self, width: usize) {
        let bytes = width * DEPTH;
        for line in [&mut self.line, &mut self.last] {
            line.clear();
            line.resize(DEPTH + bytes, 0);
        }
        self.up.resize(bytes, 0);
        self.paeth.resize(bytes, 0);
    }

    /// Takes a row, as a picture has it, for the newest.
    fn see<const DEPTH: usize>(&mut self, row: &[u8]) {
        if DEPTH == WIDE {
            straighten(row, &mut self.line[DEPTH..]);
        } else {
            let to = self.line[DEPTH..].as_chunks_mut::<DEPTH>().0.iter_mut();
            to.zip(row.as_chunks::<WIDE>().0).for_each(|(to, pixel)| to.copy_from_slice(&pixel[..DEPTH]));
        }
    }

    /// Writes a row behind its filter. `above` is the row above it in the picture.
    fn push<const DEPTH: usize>(
        &mut self,
        row: &[u8],
        above: Option<&[u8]>,
        filters: bool,
        out: &mut Vec<u8>,
    ) {
        if filters && above == Some(row) {
            out.push(UP);
            out.resize(out.len() + self.up.len(), 0);
            return;
        }
        std::mem::swap(&mut self.last, &mut self.line);
        self.see::<DEPTH>(row);
        if !filters {
            out.push(NONE);
            out.extend_from_slice(&self.line[DEPTH..]);
            return;
        }
        let filter = self.smaller::<DEPTH>();
        let differences = if filter == UP { &self.up } else { &self.paeth };
        out.push(filter);
        let start = out.len();
        out.resize(start + differences.len(), 0);
        for changed in &self.changed {
            out[start..][changed.clone()].copy_from_slice(&differences[changed.clone()]);
        }
    }

    /// Computes both filters where they are not zero, and gives the one of the smaller sum.
    fn smaller<const DEPTH: usize>(&mut self) -> u8 {
        let (row, above) = (&self.line, &self.last);
        changed_parts(&row[DEPTH..], &above[DEPTH..], DEPTH, &mut self.changed);
        let mut sums = [0, 0];
        for changed in &self.changed {
            let here = DEPTH + changed.start..DEPTH + changed.end;
            let (row_part, up_part) = (&row[here.clone()], &above[here]);
            let (left, corner) = (&row[changed.clone()], &above[changed.clone()]);
            let (up, paeth) = (&mut self.up[changed.clone()], &mut self.paeth[changed.clone()]);
            for ((to, row), up) in up.iter_mut().zip(row_part).zip(up_part) {
                *to = row.wrapping_sub(*up);
            }
            let neighbours = left.iter().zip(up_part).zip(corner);
            for ((to, row), ((left, up), corner)) in paeth.iter_mut().zip(row_part).zip(neighbours) {
                *to = row.wrapping_sub(predicted(*left, *up, *corner));
            }
            sums[0] += magnitude(up);
            sums[1] += magnitude(paeth);
        }
        if sums[0] < sums[1] { UP } else { PAETH }
    }
}

/// The parts of a row that differ from the row above, and the pixel behind each: its neighbour is another one.
fn changed_parts(row: &[u8], above: &[u8], depth: usize, parts: &mut Vec<Range<usize>>) {
    /// A whole number of pixels of 3 and of 4 bytes.
    const PART: usize = 48;
    parts.clear();
    let mut start = None;
    for (at, (row, above)) in row.chunks(PART).zip(above.chunks(PART)).enumerate() {
        if row != above {
            start = start.or(Some(at * PART));
        } else if let Some(start) = start.take() {
            parts.push(start..at * PART + depth);
        }
    }
    parts.extend(start.map(|start| start..row.len()));
    // The last part of a row may be shorter than a pixel behind another.
    if let Some(last) = parts.last_mut() {
        last.end = last.end.min(row.len());
    }
}

/// The neighbour nearest to left + up - corner (PNG, third edition, section 9.4).
#[inline(always)]
fn predicted(left: u8, up: u8, corner: u8) -> u8 {
    let [a, b, c] = [left, up, corner].map(i16::from);
    let (from_left, from_up, from_corner) = ((b - c).abs(), (a - c).abs(), (a + b - c - c).abs());
    let guess = if from_up <= from_corner { up } else { corner };
    if from_left <= from_up && from_left <= from_corner { left } else { guess }
}

/// The sum of differences, each as far from zero as it is around 256.
fn magnitude(differences: &[u8]) -> u64 {
    let sum = |part: &[u8]| part.iter().map(|n| u16::from(n.cast_signed().unsigned_abs())).sum::<u16>();
    // 256 times 128 fits.
    differences.chunks(256).map(|part| u64::from(sum(part))).sum()
}
