//! Pixels to PNG. Flat drawings have their own encoder, ten times as fast as a general one. General
//! compressors do the rest. Every way is lossless: the pixels that are read back are the same.

mod bitmap;
mod deflate;
mod file;
mod filtered;
mod huffman;
mod rows;
mod straight;

use std::fmt;
use std::io::Write as _;

use tiny_skia::Pixmap;

use filtered::Filtered;
use rows::Rows;
pub(crate) use straight::straighten;

/// The trade between encoding time and file size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Compress {
    /// Only what a row does not share with the one above: about a millisecond for a flat frame of 1920 x
    /// 1080, and one to one and a half times the size.
    Fast,
    /// A general compressor on differences of rows: about as small as most programs write.
    #[default]
    Balanced,
    /// Filters and the best compression, slowly.
    Small,
}

/// Pixels that could not be encoded.
#[derive(Debug)]
pub struct EncodeError {
    reason: String,
}

impl EncodeError {
    pub(crate) fn new(reason: &str) -> Self {
        Self { reason: reason.to_owned() }
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for EncodeError {}

/// Encodes frames one after the other, and reuses its buffers. Each thread has its own.
///
/// ```
/// use render::{Compress, PngEncoder};
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
    straight: Vec<u8>,
    /// The same without alpha.
    packed: Vec<u8>,
    rows: Rows,
    filtered: Filtered,
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
            Compress::Small => {
                self.small(pixmap, png).map_err(|error| EncodeError { reason: error.to_string() })
            }
        }
    }

    fn small(&mut self, pixmap: &Pixmap, png: &mut Vec<u8>) -> Result<(), png::EncodingError> {
        let opaque = straighten(pixmap.pixels(), &mut self.straight);
        let mut encoder = png::Encoder::new(png, pixmap.width(), pixmap.height());
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_color(if opaque { png::ColorType::Rgb } else { png::ColorType::Rgba });
        encoder.set_deflate_compression(png::DeflateCompression::Level(9));
        encoder.set_filter(png::Filter::Adaptive);
        let mut writer = encoder.write_header()?;
        let mut stream = writer.stream_writer_with_size(1 << 16)?;
        if opaque {
            drop_alpha(&self.straight, &mut self.packed);
            stream.write_all(&self.packed)?;
        } else {
            stream.write_all(&self.straight)?;
        }
        stream.finish()?;
        writer.finish()
    }
}

/// RGBA to RGB.
fn drop_alpha(pixels: &[u8], out: &mut Vec<u8>) {
    out.resize(pixels.len() / 4 * 3, 0);
    for (to, from) in out.chunks_exact_mut(3).zip(pixels.chunks_exact(4)) {
        to.copy_from_slice(&from[..3]);
    }
}

#[cfg(test)]
mod tests;
