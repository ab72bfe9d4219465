//! PNG by a general compressor. Each row is stored as its differences from the row above, so files are as
//! small as most programs write them, in a fifth of the time.

use tiny_skia::Pixmap;
use zlib_rs::{DeflateConfig, ReturnCode, compress_bound, compress_slice};

use super::file::{UP, WIDE, difference, file, is_opaque};
use super::{EncodeError, straighten};

/// Higher levels take twice the time for 2 % fewer bytes.
const LEVEL: i32 = 5;

/// Buffers for all frames.
#[derive(Debug, Default)]
pub(super) struct Filtered {
    row: Vec<u8>,
    above: Vec<u8>,
    changes: Vec<u8>,
    deflated: Vec<u8>,
}

impl Filtered {
    pub(super) fn encode(&mut self, pixmap: &Pixmap, png: &mut Vec<u8>) -> Result<(), EncodeError> {
        let opaque = is_opaque(pixmap.data());
        if opaque {
            self.filter::<3>(pixmap);
        } else {
            self.filter::<4>(pixmap);
        }
        let bound = compress_bound(self.changes.len());
        if self.deflated.len() < bound {
            self.deflated = vec![0; bound];
        }
        let config = DeflateConfig { level: LEVEL, ..DeflateConfig::default() };
        let (stream, code) = compress_slice(&mut self.deflated, &self.changes, config);
        if code != ReturnCode::Ok {
            return Err(EncodeError::new("the compressor failed on the frame"));
        }
        file(pixmap, opaque, png, |png| png.extend_from_slice(stream));
        Ok(())
    }

    fn filter<const DEPTH: usize>(&mut self, pixmap: &Pixmap) {
        let (width, height) = (pixmap.width() as usize, pixmap.height() as usize);
        let stride = 1 + width * DEPTH;
        self.above.clear();
        self.above.resize(width * WIDE, 0);
        self.changes.resize(stride * height, 0);
        let rows = pixmap.pixels().chunks_exact(width);
        for (pixels, changes) in rows.zip(self.changes.chunks_exact_mut(stride)) {
            straighten(pixels, &mut self.row);
            changes[0] = UP;
            let both = self.row.as_chunks::<WIDE>().0.iter().zip(self.above.as_chunks::<WIDE>().0);
            for (change, (row, above)) in changes[1..].as_chunks_mut::<DEPTH>().0.iter_mut().zip(both) {
                let [row, above] = [row, above].map(|pixel| u32::from_le_bytes(*pixel));
                change.copy_from_slice(&difference(row, above).to_le_bytes()[..DEPTH]);
            }
            std::mem::swap(&mut self.row, &mut self.above);
        }
    }
}
