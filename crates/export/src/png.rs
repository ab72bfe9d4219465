//! Chunks, filters and zlib streams of PNG files (PNG specification, third edition), for straight pixels.

use zlib_rs::{DeflateConfig, ReturnCode, compress_bound, compress_slice};

use crate::error::ExportError;
use crate::raster::{PixelSize, Rgba};

pub(crate) const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Appends a chunk with its length before and its checksum behind it.
pub(crate) fn chunk(name: [u8; 4], content: &[&[u8]], out: &mut Vec<u8>) -> Result<(), ExportError> {
    let length: usize = content.iter().map(|part| part.len()).sum();
    let length = u32::try_from(length).ok().filter(|length| *length < 1 << 31);
    let length = length.ok_or(ExportError::FileTooLarge { format: "PNG" })?;
    out.extend_from_slice(&length.to_be_bytes());
    let start = out.len();
    out.extend_from_slice(&name);
    for part in content {
        out.extend_from_slice(part);
    }
    let sum = crc32fast::hash(&out[start..]);
    out.extend_from_slice(&sum.to_be_bytes());
    Ok(())
}

/// The memory level of the compressor, which decides how long its blocks are: shorter ones than by default
/// fit the parts of a drawing better.
const BLOCKS: i32 = 6;

/// A file of a picture, with that of the filters whose stream is the shortest.
#[cfg(any(feature = "atlas", feature = "layers"))]
pub(crate) fn picture(
    size: PixelSize,
    pixels: &[Rgba],
    filters: &[RowFilter],
    level: i32,
) -> Result<Vec<u8>, ExportError> {
    let mut compressor = Compressor::default();
    let mut best: Vec<u8> = Vec::new();
    let mut rows = FilteredRows::default();
    for filter in filters {
        rows.fill(pixels, size.width as usize, 4, *filter);
        let stream = compressor.stream(&rows, level)?;
        if best.is_empty() || stream.len() < best.len() {
            best = stream.to_vec();
        }
    }
    let mut bytes = SIGNATURE.to_vec();
    let (width, height) = (size.width.to_be_bytes(), size.height.to_be_bytes());
    chunk(*b"IHDR", &[&width, &height, &[8, 6, 0, 0, 0]], &mut bytes)?;
    chunk(*b"IDAT", &[&best], &mut bytes)?;
    chunk(*b"IEND", &[], &mut bytes)?;
    Ok(bytes)
}

/// How the rows of a picture are filtered before they are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowFilter {
    /// Not at all: best where most pixels are unchanged.
    None,
    /// For each row that of the five filters whose differences have the least sum.
    Adaptive,
}

/// The rows of a picture after their filters, as a zlib stream has them.
#[derive(Debug, Default)]
pub(crate) struct FilteredRows(Vec<u8>);

impl FilteredRows {
    /// Filters rows of `width` pixels, of which the first `depth` bytes are written.
    pub(crate) fn fill(&mut self, pixels: &[Rgba], width: usize, depth: usize, filter: RowFilter) {
        let stride = width * depth;
        let mut above = vec![0; stride];
        let mut row = Vec::with_capacity(stride);
        let (mut trial, mut best) = (Vec::with_capacity(stride), Vec::with_capacity(stride));
        self.0.clear();
        self.0.reserve((stride + 1) * (pixels.len() / width.max(1)));
        for line in pixels.chunks_exact(width) {
            row.clear();
            for pixel in line {
                row.extend_from_slice(&pixel[..depth]);
            }
            if filter == RowFilter::None {
                self.0.push(0);
                self.0.extend_from_slice(&row);
                continue;
            }
            let mut least = (u64::MAX, 0);
            for kind in 0..5 {
                trial.clear();
                apply(kind, &row, &above, depth, &mut trial);
                let sum = absolute_sum(&trial);
                if sum < least.0 {
                    least = (sum, kind);
                    std::mem::swap(&mut trial, &mut best);
                }
            }
            self.0.push(least.1);
            self.0.extend_from_slice(&best);
            std::mem::swap(&mut row, &mut above);
        }
    }
}

/// The sum of differences, as numbers with a sign, without it.
fn absolute_sum(bytes: &[u8]) -> u64 {
    // Sums of a few bytes fit into 16 bits, of which many are added at a time.
    let part =
        |part: &[u8]| part.iter().map(|byte| u16::from(byte.cast_signed().unsigned_abs())).sum::<u16>();
    bytes.chunks(256).map(|bytes| u64::from(part(bytes))).sum()
}

/// Compresses pictures one after the other, and reuses its buffers.
#[derive(Debug, Default)]
pub(crate) struct Compressor {
    deflated: Vec<u8>,
}

impl Compressor {
    /// The zlib stream of rows.
    pub(crate) fn stream(
        &mut self,
        FilteredRows(rows): &FilteredRows,
        level: i32,
    ) -> Result<&[u8], ExportError> {
        let bound = compress_bound(rows.len());
        if self.deflated.len() < bound {
            self.deflated = vec![0; bound];
        }
        let config = DeflateConfig { level, mem_level: BLOCKS, ..DeflateConfig::default() };
        let (stream, code) = compress_slice(&mut self.deflated, rows, config);
        if code == ReturnCode::Ok { Ok(stream) } else { Err(ExportError::Compressor) }
    }
}

/// One of the five filters (PNG specification, section 9.2), for a row after its first pixel and what is beside it.
/// Each has a loop of its own, so that many bytes are done at a time.
fn apply(kind: u8, row: &[u8], above: &[u8], depth: usize, out: &mut Vec<u8>) {
    let (first, rest) = row.split_at(depth.min(row.len()));
    let (above_first, above_rest) = above.split_at(first.len());
    let beside = rest.iter().zip(row).zip(above_rest.iter().zip(above));
    match kind {
        0 => out.extend_from_slice(row),
        1 => {
            out.extend_from_slice(first);
            out.extend(rest.iter().zip(row).map(|(byte, left)| byte.wrapping_sub(*left)));
        }
        2 => out.extend(row.iter().zip(above).map(|(byte, above)| byte.wrapping_sub(*above))),
        3 => {
            out.extend(first.iter().zip(above_first).map(|(byte, above)| byte.wrapping_sub(above / 2)));
            out.extend(beside.map(|((byte, left), (above, _))| byte.wrapping_sub(mean(*left, *above))));
        }
        _ => {
            out.extend(first.iter().zip(above_first).map(|(byte, above)| byte.wrapping_sub(*above)));
            out.extend(
                beside
                    .map(|((byte, left), (above, corner))| byte.wrapping_sub(paeth(*left, *above, *corner))),
            );
        }
    }
}

#[allow(clippy::cast_possible_truncation, reason = "a mean of bytes")]
fn mean(left: u8, above: u8) -> u8 {
    ((u16::from(left) + u16::from(above)) / 2) as u8
}

/// The neighbour that is nearest to `left + above - corner`.
fn paeth(left: u8, above: u8, corner: u8) -> u8 {
    let [a, b, c] = [left, above, corner].map(i16::from);
    let (to_left, to_above, to_corner) = ((b - c).abs(), (a - c).abs(), (a + b - 2 * c).abs());
    if to_left <= to_above && to_left <= to_corner {
        left
    } else if to_above <= to_corner {
        above
    } else {
        corner
    }
}
