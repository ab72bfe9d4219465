//! Pixels to PNG. Flat drawings have their own encoder, ten times as fast as a general one. General
//! compressors do the rest. Every way is lossless: the pixels that are read back are the same.

mod bitmap;
mod deflate;
mod error;
mod file;
mod filtered;
mod huffman;
mod rows;
mod straight;

use tiny_skia::Pixmap;

pub use error::EncodeError;
use filtered::FilteredRows;
use rows::Rows;
pub(crate) use straight::straighten;

/// The trade between encoding time and file size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Compress {
    /// Only what a row does not share with the one above: about a millisecond for a flat frame of 1920 x
    /// 1080, and one to one and a half times the size.
    Fast,
    /// A general compressor on rows, or on their differences: about as small as most programs write.
    #[default]
    Balanced,
}

/// Encodes frames one after the other, and reuses its buffers. Each thread has its own.
///
/// ```
/// use bone_render::{Compress, PngEncoder};
///
/// let mut pixmap = tiny_skia::Pixmap::new(64, 48).expect("a small one");
/// pixmap.fill(tiny_skia::Color::from_rgba8(255, 200, 0, 255));
/// let mut png = Vec::new();
/// PngEncoder::new().encode(&pixmap, Compress::Fast, &mut png)?;
/// assert_eq!(tiny_skia::Pixmap::decode_png(&png)?, pixmap);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct PngEncoder {
    rows: Rows,
    filtered: FilteredRows,
}

impl PngEncoder {
    /// An encoder with empty buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes a frame into `png`, in place of what was there. Without transparent pixels the file has no
    /// alpha.
    ///
    /// # Errors
    /// If the general compressor fails; the fast way never does.
    pub fn encode(
        &mut self,
        pixmap: &Pixmap,
        compress: Compress,
        png: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        png.clear();
        match compress {
            Compress::Fast => {
                self.rows.encode(pixmap, png);
                Ok(())
            }
            Compress::Balanced => self.filtered.encode(pixmap, png),
        }
    }
}

#[cfg(test)]
mod tests;
