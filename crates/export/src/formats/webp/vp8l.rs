//! A picture as a lossless WebP stream (RFC 9649, section 3), exact.

use super::lz::{Histogram, LENGTHS, LzParser, LzToken, log2};
use super::prefix::{PrefixBits, PrefixCode, number, write};
use crate::raster::Rgba;

/// How often the parse is improved.
const PASSES: usize = 2;

/// Compresses pictures one after the other, and reuses its memory.
#[derive(Debug, Default)]
pub(super) struct Vp8l {
    parser: LzParser,
    pixels: Vec<u32>,
}

impl Vp8l {
    /// The stream of a picture.
    pub(super) fn compress(&mut self, pixels: &[Rgba], width: u32, height: u32) -> Vec<u8> {
        let mut bits = PrefixBits::default();
        bits.put(0x2f, 8);
        bits.put(width - 1, 14);
        bits.put(height - 1, 14);
        bits.put(u32::from(pixels.iter().any(|pixel| pixel[3] < 255)), 1);
        bits.put(0, 3);
        let mut pixel_copy = std::mem::take(&mut self.pixels);
        pixel_copy.clear();
        pixel_copy.extend(pixels.iter().map(|pixel| subtract_green(*pixel)));
        let pixels = &pixel_copy[..];
        // Green is subtracted from red and blue.
        bits.put(1, 1);
        bits.put(2, 2);
        bits.put(0, 1);
        self.parser.prepare(pixels, width as usize);
        let cache_bits = self.cache_bits(pixels);
        self.parser.cache(pixels, cache_bits);
        self.parser.greedy(pixels);
        for _ in 0..PASSES {
            let counts = self.parser.counts(cache_bits);
            self.parser.cheapest(pixels, &counts);
        }
        bits.put(u32::from(cache_bits > 0), 1);
        if cache_bits > 0 {
            bits.put(cache_bits, 4);
        }
        // One set of codes.
        bits.put(0, 1);
        let counts = self.parser.counts(cache_bits);
        let codes = PrefixCodes::write(&counts, &mut bits);
        for token in &self.parser.tokens {
            codes.put(*token, &mut bits);
        }
        self.pixels = pixel_copy;
        bits.finish()
    }

    /// The size of the cache with which the first parse takes the fewest bits; 0 is none.
    fn cache_bits(&mut self, pixels: &[u32]) -> u32 {
        self.parser.cache(pixels, 0);
        self.parser.greedy(pixels);
        let mut best = (f32::INFINITY, 0);
        for cache_bits in [0, 4, 6, 8, 9, 10] {
            self.parser.cache(pixels, cache_bits);
            let cost = size(&self.parser.counts_cached(cache_bits));
            if cost < best.0 {
                best = (cost, cache_bits);
            }
        }
        best.1
    }
}

/// What prefix codes for these counts take, about, in bits.
fn size(counts: &Histogram) -> f32 {
    let one = |counts: &[u32]| {
        let total: u32 = counts.iter().sum();
        let used = counts.iter().filter(|count| **count > 0).count();
        let sum: f32 = counts
            .iter()
            .filter(|count| **count > 0)
            .map(|count| *count as f32 * (log2(total) - log2(*count)))
            .sum();
        // The length of a code takes about 3 bits.
        sum + 3.0 * used as f32
    };
    let extra: f32 = counts.green[256..256 + LENGTHS]
        .iter()
        .enumerate()
        .map(|(symbol, count)| *count as f32 * (symbol.saturating_sub(2) / 2) as f32)
        .sum();
    [&counts.green, &counts.red, &counts.blue, &counts.alpha, &counts.distance]
        .map(|c| one(c))
        .iter()
        .sum::<f32>()
        + extra
}

/// A pixel as the number that the format has for it: alpha in the highest byte, then red, green, blue; green
/// is subtracted from both.
fn subtract_green([red, green, blue, alpha]: Rgba) -> u32 {
    u32::from_le_bytes([blue.wrapping_sub(green), green, red.wrapping_sub(green), alpha])
}

/// The five codes of a picture.
struct PrefixCodes {
    green: PrefixCode,
    red: PrefixCode,
    blue: PrefixCode,
    alpha: PrefixCode,
    distance: PrefixCode,
}

impl PrefixCodes {
    fn write(counts: &Histogram, bits: &mut PrefixBits) -> Self {
        let green = write(&counts.green, bits);
        let red = write(&counts.red, bits);
        let blue = write(&counts.blue, bits);
        let alpha = write(&counts.alpha, bits);
        let distance = write(&counts.distance, bits);
        Self { green, red, blue, alpha, distance }
    }

    fn put(&self, token: LzToken, bits: &mut PrefixBits) {
        match token {
            LzToken::Literal(pixel) => {
                let [blue, green, red, alpha] = pixel.to_le_bytes().map(usize::from);
                self.green.put(green, bits);
                self.red.put(red, bits);
                self.blue.put(blue, bits);
                self.alpha.put(alpha, bits);
            }
            LzToken::Cached(index) => self.green.put(256 + LENGTHS + usize::from(index), bits),
            LzToken::Copy { length, code } => {
                let (symbol, extra, count) = number(length.into());
                self.green.put(256 + symbol, bits);
                bits.put(extra, count);
                let (symbol, extra, count) = number(code);
                self.distance.put(symbol, bits);
                bits.put(extra, count);
            }
        }
    }
}
