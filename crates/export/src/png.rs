//! Chunks, filters and zlib streams of PNG files (PNG specification, third edition), for straight pixels.

use zlib_rs::{DeflateConfig, ReturnCode, compress_bound, compress_slice};

use crate::error::ExportError;
use crate::raster::Rgba;

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

/// How the rows of a picture are filtered before they are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowFilter {
    /// Not at all: best where most pixels are unchanged.
    None,
    /// For each row that of the five filters whose differences have the least sum.
    Adaptive,
}

/// Compresses pictures one after the other, and reuses its buffers.
#[derive(Debug, Default)]
pub(crate) struct Compressor {
    row: Vec<u8>,
    above: Vec<u8>,
    trial: Vec<u8>,
    filtered: Vec<u8>,
    deflated: Vec<u8>,
}

impl Compressor {
    /// The zlib stream of rows of `width` pixels, of which the first `depth` bytes are written.
    pub(crate) fn stream(
        &mut self,
        pixels: &[Rgba],
        width: usize,
        depth: usize,
        filter: RowFilter,
        level: i32,
    ) -> Result<&[u8], ExportError> {
        self.filter(pixels, width, depth, filter);
        let bound = compress_bound(self.filtered.len());
        if self.deflated.len() < bound {
            self.deflated = vec![0; bound];
        }
        let config = DeflateConfig { level, mem_level: BLOCKS, ..DeflateConfig::default() };
        let (stream, code) = compress_slice(&mut self.deflated, &self.filtered, config);
        if code == ReturnCode::Ok { Ok(stream) } else { Err(ExportError::Compressor) }
    }

    fn filter(&mut self, pixels: &[Rgba], width: usize, depth: usize, filter: RowFilter) {
        let stride = width * depth;
        self.above.clear();
        self.above.resize(stride, 0);
        self.filtered.clear();
        for row in pixels.chunks_exact(width) {
            self.row.clear();
            for pixel in row {
                self.row.extend_from_slice(&pixel[..depth]);
            }
            let start = self.filtered.len();
            let types: &[u8] = match filter {
                RowFilter::None => &[0],
                RowFilter::Adaptive => &[0, 1, 2, 3, 4],
            };
            let mut least = u64::MAX;
            for kind in types {
                self.trial.clear();
                self.trial.push(*kind);
                apply(*kind, &self.row, &self.above, depth, &mut self.trial);
                // The differences as numbers with a sign.
                let sum = if types.len() == 1 {
                    0
                } else {
                    self.trial[1..].iter().map(|byte| u64::from(byte.cast_signed().unsigned_abs())).sum()
                };
                if sum < least {
                    least = sum;
                    self.filtered.truncate(start);
                    self.filtered.extend_from_slice(&self.trial);
                }
            }
            std::mem::swap(&mut self.row, &mut self.above);
        }
    }
}

/// One of the five filters (PNG specification, section 9.2).
fn apply(kind: u8, row: &[u8], above: &[u8], depth: usize, out: &mut Vec<u8>) {
    match kind {
        0 => out.extend_from_slice(row),
        2 => out.extend(row.iter().zip(above).map(|(byte, above)| byte.wrapping_sub(*above))),
        _ => {
            let first = row.iter().zip(above).take(depth);
            out.extend(first.map(|(byte, above)| match kind {
                1 => *byte,
                3 => byte.wrapping_sub(above / 2),
                _ => byte.wrapping_sub(*above),
            }));
            let rest = row[depth..].iter().zip(row).zip(above[depth..].iter().zip(above));
            out.extend(rest.map(|((byte, left), (above, corner))| {
                byte.wrapping_sub(match kind {
                    1 => *left,
                    #[allow(clippy::cast_possible_truncation, reason = "a mean of bytes")]
                    3 => ((u16::from(*left) + u16::from(*above)) / 2) as u8,
                    _ => paeth(*left, *above, *corner),
                })
            }));
        }
    }
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
