//! Fills runs of pixels with one colour, with the numbers of tiny-skia's 16-bit pipeline. Blend modes
//! that need more than one pixel's alpha are not supported.

#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bytes of colours")]

use tiny_skia::{BlendMode, Color, PixmapMut};

use super::row::Run;

/// A premultiplied colour and its blend mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolidColor {
    /// Replaces the pixel.
    Instead([u8; 4]),
    /// Source over.
    Over([u8; 4]),
}

impl SolidColor {
    /// None if the mode is not supported.
    pub fn new(color: Color, mode: BlendMode) -> Option<Self> {
        let byte = |n: f32| (n * 255.0 + 0.5) as u8;
        let color_of = |color: Color| {
            let c = color.premultiply();
            [c.red(), c.green(), c.blue(), c.alpha()].map(byte)
        };
        match mode {
            BlendMode::Clear => Some(Self::Instead([0; 4])),
            BlendMode::Source => Some(Self::Instead(color_of(color))),
            BlendMode::SourceOver if color.is_opaque() => Some(Self::Instead(color_of(color))),
            BlendMode::SourceOver => Some(Self::Over(color_of(color))),
            _ => None,
        }
    }

    /// Fills runs of pixels.
    pub(super) fn paint(self, runs: &[Run], pixmap: &mut PixmapMut<'_>) {
        let width = pixmap.width() as usize;
        let (pixels, _) = pixmap.data_mut().as_chunks_mut::<4>();
        for run in runs {
            let start = usize::from(run.y) * width + usize::from(run.x);
            let Some(pixels) = pixels.get_mut(start..start + usize::from(run.length)) else { return };
            match self {
                Self::Instead(color) if run.cover == 255 => pixels.fill(color),
                Self::Instead(color) => {
                    // c * s + (255 - c) * d
                    let (add, keep) =
                        (spread(color) * u64::from(run.cover) + HALF, 255 - u64::from(run.cover));
                    mix(pixels, add, keep);
                }
                Self::Over(color) => {
                    let cover = u64::from(run.cover);
                    let source = (spread(color) * cover + HALF) >> 8 & BYTES;
                    let alpha = (u64::from(color[3]) * cover + 255) >> 8;
                    over(pixels, source, 255 - alpha);
                }
            }
        }
    }
}

/// Four bytes as numbers of 16 bits.
const BYTES: u64 = 0x00FF_00FF_00FF_00FF;

/// 255 in each: what makes `>> 8` a division by 255 that rounds up.
const HALF: u64 = BYTES;

/// The channels of a pixel as numbers of 16 bits, the second and third exchanged.
#[inline]
fn spread(pixel: [u8; 4]) -> u64 {
    let n = u64::from(u32::from_le_bytes(pixel));
    (n & 0x00FF_00FF) | (n & 0xFF00_FF00) << 24
}

/// The reverse.
#[inline]
fn gathered(n: u64) -> [u8; 4] {
    ((n & 0x00FF_00FF) as u32 | (n >> 24) as u32 & 0xFF00_FF00).to_le_bytes()
}

/// Adds to what is kept of pixels, and divides.
#[inline]
fn mix(pixels: &mut [[u8; 4]], add: u64, keep: u64) {
    for pixel in pixels {
        *pixel = gathered((spread(*pixel) * keep + add) >> 8 & BYTES);
    }
}

/// Adds to what is kept of pixels after it was divided.
#[inline]
fn over(pixels: &mut [[u8; 4]], source: u64, keep: u64) {
    for pixel in pixels {
        *pixel = gathered(source + ((spread(*pixel) * keep + HALF) >> 8 & BYTES));
    }
}

/// Part of a colour and the rest of a pixel.
#[inline]
pub(super) fn mix_pixel(pixel: &mut [u8; 4], color: [u8; 4], cover: u64) {
    *pixel = gathered((spread(*pixel) * (255 - cover) + spread(color) * cover + HALF) >> 8 & BYTES);
}

/// A premultiplied colour over a pixel.
#[inline]
pub(super) fn over_pixel(pixel: &mut [u8; 4], color: [u8; 4]) {
    let keep = 255 - u64::from(color[3]);
    *pixel = gathered(spread(color) + ((spread(*pixel) * keep + HALF) >> 8 & BYTES));
}

/// Part of a premultiplied colour over a pixel.
#[inline]
pub(super) fn cover_over(pixel: &mut [u8; 4], color: [u8; 4], cover: u64) {
    over_pixel(pixel, gathered((spread(color) * cover + HALF) >> 8 & BYTES));
}
