//! PNG by a general compressor. All rows are stored as their differences from the rows above, or all as they are,
//! which is smaller for flat drawings: a part of the rows shows it. Files are as small as most programs write them,
//! in a part of the time.

use tiny_skia::Pixmap;
use zlib_rs::{DeflateConfig, ReturnCode, compress_bound, compress_slice};

use super::error::EncodeError;
use super::file::{UP, WIDE, difference, file, is_opaque};
use super::straight::straighten;

/// Higher levels take twice the time for 2 % fewer bytes.
const LEVEL: i32 = 6;

/// Rows that are compressed in both ways to choose one: so many of each group.
const SAMPLE: usize = 24;
const GROUP: usize = 128;

/// Buffers for all frames.
#[derive(Debug, Default)]
pub(super) struct FilteredRows {
    row: Vec<u8>,
    above: Vec<u8>,
    /// The rows as they are, and their differences from those above.
    plain: Vec<u8>,
    changes: Vec<u8>,
    sample: Vec<u8>,
    deflated: Vec<u8>,
}

impl FilteredRows {
    pub(super) fn encode(&mut self, pixmap: &Pixmap, png: &mut Vec<u8>) -> Result<(), EncodeError> {
        let opaque = is_opaque(pixmap.data());
        let depth = if opaque { 3 } else { 4 };
        if opaque {
            self.filter::<3>(pixmap);
        } else {
            self.filter::<4>(pixmap);
        }
        let stride = 1 + pixmap.width() as usize * depth;
        let Self { plain, changes, sample, deflated, .. } = self;
        let mut sampled = |rows: &[u8]| {
            sample.clear();
            for group in rows.chunks(stride * GROUP) {
                sample.extend_from_slice(&group[..group.len().min(stride * SAMPLE)]);
            }
            compressed(sample, deflated).map(<[u8]>::len)
        };
        let rows = if sampled(plain)? < sampled(changes)? { plain } else { changes };
        let stream = compressed(rows, deflated)?;
        file(pixmap, opaque, png, |png| png.extend_from_slice(stream));
        Ok(())
    }

    fn filter<const DEPTH: usize>(&mut self, pixmap: &Pixmap) {
        let (width, height) = (pixmap.width() as usize, pixmap.height() as usize);
        let stride = 1 + width * DEPTH;
        self.above.clear();
        self.above.resize(width * WIDE, 0);
        self.changes.resize(stride * height, 0);
        self.plain.resize(stride * height, 0);
        let rows = pixmap.pixels().chunks_exact(width);
        let both = self.plain.chunks_exact_mut(stride).zip(self.changes.chunks_exact_mut(stride));
        for (pixels, (plain, changes)) in rows.zip(both) {
            straighten(pixels, &mut self.row);
            plain[0] = 0;
            changes[0] = UP;
            let both = self.row.as_chunks::<WIDE>().0.iter().zip(self.above.as_chunks::<WIDE>().0);
            let to = plain[1..].as_chunks_mut::<DEPTH>().0.iter_mut();
            let to = to.zip(changes[1..].as_chunks_mut::<DEPTH>().0);
            for ((plain, change), (row, above)) in to.zip(both) {
                plain.copy_from_slice(&row[..DEPTH]);
                let [row, above] = [row, above].map(|pixel| u32::from_le_bytes(*pixel));
                change.copy_from_slice(&difference(row, above).to_le_bytes()[..DEPTH]);
            }
            std::mem::swap(&mut self.row, &mut self.above);
        }
    }
}

fn compressed<'o>(rows: &[u8], out: &'o mut Vec<u8>) -> Result<&'o [u8], EncodeError> {
    let bound = compress_bound(rows.len());
    if out.len() < bound {
        *out = vec![0; bound];
    }
    let config = DeflateConfig { level: LEVEL, ..DeflateConfig::default() };
    let (stream, code) = compress_slice(out, rows, config);
    if code == ReturnCode::Ok {
        Ok(stream)
    } else {
        Err(EncodeError::new("the compressor failed on the frame"))
    }
}
