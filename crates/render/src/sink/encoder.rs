//! Frames to bytes. Each thread has one encoder for all encodings.

use tiny_skia::Pixmap;

use super::y4m::planes;
use crate::encode::{Compress, EncodeError, PngEncoder, straighten};

/// What a frame is made into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// A PNG file.
    Png(Compress),
    /// Red, green, blue and alpha of each pixel, a byte each, row by row. Colours are as they were before
    /// alpha was multiplied in.
    Rgba,
    /// A frame of a YUV4MPEG2 stream, which video programs read: BT.709 in its limited range, colour at every
    /// pixel. It has no alpha: transparent pixels are shown on black.
    Y4m,
    /// The posed drawing itself, as text.
    Svg,
}

/// Encodes frames one after the other, and reuses its buffers. Each thread has its own.
#[derive(Debug, Default)]
pub struct FrameEncoder {
    png: PngEncoder,
}

impl FrameEncoder {
    /// An encoder with empty buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes a frame into `bytes`, in place of what was there.
    ///
    /// # Errors
    /// If the frame is a posed drawing and pixels are wanted, or the other way round; if the general
    /// compressor fails.
    pub fn encode(
        &mut self,
        encoding: Encoding,
        content: FrameContent<'_>,
        bytes: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        match (encoding, content) {
            (Encoding::Png(compress), FrameContent::Pixels(pixmap)) => {
                return self.png.encode(pixmap, compress, bytes);
            }
            (Encoding::Rgba, FrameContent::Pixels(pixmap)) => {
                bytes.resize(pixmap.data().len(), 0);
                straighten(pixmap.data(), bytes);
            }
            (Encoding::Y4m, FrameContent::Pixels(pixmap)) => planes(pixmap, bytes),
            (Encoding::Svg, FrameContent::Svg(text)) => {
                bytes.clear();
                bytes.extend_from_slice(text.as_bytes());
            }
            (Encoding::Svg, FrameContent::Pixels(_)) => {
                return Err(EncodeError::new("the frame has pixels, but its encoding needs a posed drawing"));
            }
            (_, FrameContent::Svg(_)) => {
                return Err(EncodeError::new("the frame is a posed drawing, but its encoding needs pixels"));
            }
        }
        Ok(())
    }
}

/// The content of a frame before encoding.
#[derive(Clone, Copy, Debug)]
pub enum FrameContent<'a> {
    /// Pixels, with alpha multiplied in.
    Pixels(&'a Pixmap),
    /// The posed drawing itself.
    Svg(&'a str),
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiny_skia::Color;

    #[test]
    fn raw_pixels_have_their_own_colours() {
        let mut pixmap = Pixmap::new(2, 1).unwrap();
        pixmap.fill(Color::from_rgba8(200, 100, 50, 128));
        let mut bytes = vec![9; 100];
        let pixels = FrameContent::Pixels(&pixmap);
        FrameEncoder::new().encode(Encoding::Rgba, pixels, &mut bytes).unwrap();
        assert_eq!(bytes.len(), 8);
        // Multiplied and divided again: within a level.
        for (found, wanted) in bytes.iter().zip([200, 100, 50, 128].iter().cycle()) {
            assert!(found.abs_diff(*wanted) <= 1, "{bytes:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let pixmap = Pixmap::new(1, 1).unwrap();
        let mut bytes = Vec::new();
        let mut encoder = FrameEncoder::new();
        assert!(encoder.encode(Encoding::Svg, FrameContent::Pixels(&pixmap), &mut bytes).is_err());
        for encoding in [Encoding::Png(Compress::Fast), Encoding::Rgba, Encoding::Y4m] {
            assert!(encoder.encode(encoding, FrameContent::Svg("<svg/>"), &mut bytes).is_err());
        }
        encoder.encode(Encoding::Svg, FrameContent::Svg("<svg/>"), &mut bytes).unwrap();
        assert_eq!(bytes, b"<svg/>");
    }
}
