//! The smallest PNG: the least kind of pixels, the best of several filters, and the best stream.

use tiny_skia::Pixmap;
use zlib_rs::{DeflateConfig, ReturnCode, compress_bound, compress_slice};

use super::error::EncodeError;
use super::file::image_file;
use super::optimal::Optimal;
use super::straight::straighten;

/// The level at which filters are compared: one that finds most matches, as the last stream has them. Level 6
/// chooses filters whose streams are up to a fifth larger.
const TRIAL: i32 = 7;
/// The rows that they are compared on: so many of each group. In fewer at a time, plain rows find little above
/// them, and filters seem better than they are.
const SAMPLE: usize = 48;
const GROUP: usize = 192;

/// Buffers for all frames.
#[derive(Debug, Default)]
pub(super) struct Small {
    straight: Vec<u8>,
    /// The rows of the kind of pixels that is written.
    rows: Vec<u8>,
    filtered: Vec<u8>,
    trial: Vec<u8>,
    optimal: Optimal,
}

/// A kind of pixels: that of PNG's header.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PixelKind {
    color_type: u8,
    depth: u8,
    /// Bytes between a pixel and the one that filters subtract.
    step: usize,
    /// Bytes of a row.
    stride: usize,
    /// Red, green, blue and alpha of each colour of a palette.
    palette: Vec<[u8; 4]>,
}

/// How the filter of each row is chosen.
#[derive(Clone, Copy, Debug)]
enum Choice {
    /// One for all.
    All(u8),
    /// The least entropy of bytes.
    Entropy,
    /// The fewest pairs of bytes.
    Pairs,
}

impl Small {
    pub(super) fn encode(&mut self, pixmap: &Pixmap, png: &mut Vec<u8>) -> Result<(), EncodeError> {
        let opaque = straighten(pixmap.pixels(), &mut self.straight);
        let kind = self.reduce(pixmap.width() as usize, opaque);
        // Neighbours in a palette are not alike.
        let choices: &[Choice] = if kind.palette.is_empty() {
            &[Choice::All(0), Choice::All(1), Choice::All(2), Choice::Entropy, Choice::Pairs]
        } else {
            &[Choice::All(0), Choice::All(2)]
        };
        let mut least = (usize::MAX, choices[0]);
        for choice in choices {
            filter(&self.rows, &kind, *choice, &mut self.filtered, |row| row % GROUP < SAMPLE);
            let size = self.tried()?;
            if size < least.0 {
                least = (size, *choice);
            }
        }
        filter(&self.rows, &kind, least.1, &mut self.filtered, |_| true);
        let (optimal, best) = (&mut self.optimal, &self.filtered);
        let header = [kind.depth, kind.color_type];
        image_file(pixmap, header, &kind.palette, png, |png| optimal.compress(best, png));
        Ok(())
    }

    /// The size of the filtered rows with a fast compressor.
    fn tried(&mut self) -> Result<usize, EncodeError> {
        let bound = compress_bound(self.filtered.len());
        if self.trial.len() < bound {
            self.trial = vec![0; bound];
        }
        let config = DeflateConfig { level: TRIAL, ..DeflateConfig::default() };
        let (stream, code) = compress_slice(&mut self.trial, &self.filtered, config);
        if code == ReturnCode::Ok {
            Ok(stream.len())
        } else {
            Err(EncodeError::new("the compressor failed on the frame"))
        }
    }

    /// Writes the pixels as the least kind that holds all of them.
    fn reduce(&mut self, width: usize, opaque: bool) -> PixelKind {
        let pixels = self.straight.as_chunks::<4>().0;
        let grey = pixels.iter().all(|[red, green, blue, _]| red == green && green == blue);
        self.rows.clear();
        if let Some(palette) = palette(pixels) {
            let depth: u8 = match palette.len() {
                0..=2 => 1,
                3..=4 => 2,
                5..=16 => 4,
                _ => 8,
            };
            let stride = (width * usize::from(depth)).div_ceil(8);
            let place = |pixel: &[u8; 4]| palette.binary_search_by(|other| order(other).cmp(&order(pixel)));
            for row in pixels.chunks_exact(width) {
                for group in row.chunks(8 / usize::from(depth)) {
                    let mut byte = 0_u8;
                    for (k, pixel) in group.iter().enumerate() {
                        #[allow(clippy::cast_possible_truncation, reason = "at most 256 colours")]
                        let index = place(pixel).unwrap_or_default() as u8;
                        byte |= index << (8 - depth as usize * (k + 1));
                    }
                    self.rows.push(byte);
                }
            }
            return PixelKind { color_type: 3, depth, step: 1, stride, palette };
        }
        let (color_type, step) = match (grey, opaque) {
            (true, true) => (0, 1),
            (true, false) => (4, 2),
            (false, true) => (2, 3),
            (false, false) => (6, 4),
        };
        match color_type {
            0 => self.rows.extend(pixels.iter().map(|pixel| pixel[0])),
            4 => self.rows.extend(pixels.iter().flat_map(|pixel| [pixel[0], pixel[3]])),
            2 => self.rows.extend(pixels.iter().flat_map(|pixel| [pixel[0], pixel[1], pixel[2]])),
            _ => self.rows.extend_from_slice(&self.straight),
        }
        PixelKind { color_type, depth: 8, step, stride: width * step, palette: Vec::new() }
    }
}

/// Transparent colours first, so that few have to be listed; then by brightness.
fn order([red, green, blue, alpha]: &[u8; 4]) -> (u8, u32, [u8; 3]) {
    let light = 2 * u32::from(*red) + 5 * u32::from(*green) + u32::from(*blue);
    (*alpha, light, [*red, *green, *blue])
}

/// The colours, if they are few.
fn palette(pixels: &[[u8; 4]]) -> Option<Vec<[u8; 4]>> {
    // Open addressing: at most half of the places are taken.
    let mut places: [Option<u32>; 512] = [None; 512];
    let mut colors = Vec::new();
    let mut last = None;
    for pixel in pixels {
        if last == Some(pixel) {
            continue;
        }
        last = Some(pixel);
        let word = u32::from_le_bytes(*pixel);
        let mut at = (word.wrapping_mul(0x9e37_79b1) >> 23) as usize;
        while places[at].is_some_and(|other| other != word) {
            at = (at + 1) % places.len();
        }
        if places[at].is_none() {
            if colors.len() == 256 {
                return None;
            }
            places[at] = Some(word);
            colors.push(*pixel);
        }
    }
    colors.sort_unstable_by_key(order);
    Some(colors)
}

/// Filters rows, each behind the number of its filter.
fn filter(
    rows: &[u8],
    kind: &PixelKind,
    choice: Choice,
    out: &mut Vec<u8>,
    is_wanted: impl Fn(usize) -> bool,
) {
    out.clear();
    out.reserve(rows.len() + rows.len() / kind.stride);
    let nothing = vec![0; kind.stride];
    let mut above = &nothing[..];
    let mut trials: [Vec<u8>; 5] = std::array::from_fn(|_| Vec::with_capacity(kind.stride));
    let mut pairs = PairSet::default();
    for (at, row) in rows.chunks_exact(kind.stride).enumerate() {
        if !is_wanted(at) {
            above = row;
            continue;
        }
        let chosen = match choice {
            Choice::All(filter) => {
                apply(filter, row, above, kind.step, &mut trials[0]);
                (filter, 0)
            }
            // Nothing is less than nothing.
            _ if row == above => {
                apply(2, row, above, kind.step, &mut trials[0]);
                (2, 0)
            }
            Choice::Entropy | Choice::Pairs => {
                let mut least = (u64::MAX, 0);
                for (number, trial) in (0_u8..5).zip(&mut trials) {
                    apply(number, row, above, kind.step, trial);
                    let score = match choice {
                        Choice::Pairs => pairs.count(trial),
                        _ => entropy(trial),
                    };
                    if score < least.0 {
                        least = (score, number);
                    }
                }
                (least.1, usize::from(least.1))
            }
        };
        out.push(chosen.0);
        out.extend_from_slice(&trials[chosen.1]);
        above = row;
    }
}

/// One filter of a row (PNG specification, section 9.2).
fn apply(filter: u8, row: &[u8], above: &[u8], step: usize, out: &mut Vec<u8>) {
    out.clear();
    let before = |at: usize| if at < step { 0 } else { row[at - step] };
    match filter {
        0 => out.extend_from_slice(row),
        1 => {
            out.extend_from_slice(&row[..step]);
            out.extend(row[step..].iter().zip(row).map(|(now, before)| now.wrapping_sub(*before)));
        }
        2 => out.extend(row.iter().zip(above).map(|(now, above)| now.wrapping_sub(*above))),
        3 => out.extend(row.iter().zip(above).enumerate().map(|(at, (now, above))| {
            #[allow(clippy::cast_possible_truncation, reason = "a mean of bytes")]
            let mean = ((u16::from(before(at)) + u16::from(*above)) / 2) as u8;
            now.wrapping_sub(mean)
        })),
        _ => out.extend(row.iter().zip(above).enumerate().map(|(at, (now, up))| {
            let corner = if at < step { 0 } else { above[at - step] };
            now.wrapping_sub(paeth(before(at), *up, corner))
        })),
    }
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let [a, b, c] = [left, up, corner].map(i16::from);
    let (to_left, to_up, to_corner) = ((b - c).abs(), (a - c).abs(), (a + b - 2 * c).abs());
    if to_left <= to_up && to_left <= to_corner {
        left
    } else if to_up <= to_corner {
        up
    } else {
        corner
    }
}

/// The entropy of bytes, turned around: the more equal bytes, the less.
fn entropy(bytes: &[u8]) -> u64 {
    let mut counts = [0_u64; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    // n log2 n, with a straight line between powers of two.
    let weight = |n: u64| {
        let log = n.checked_ilog2().unwrap_or_default();
        n * u64::from(log) + 2 * n.saturating_sub(1 << log)
    };
    let all = bytes.len() as u64;
    (all * 64).saturating_sub(counts.into_iter().map(weight).sum())
}

/// A set of pairs of bytes.
#[derive(Debug)]
struct PairSet {
    /// The round in which each pair was seen last.
    seen: Vec<u32>,
    round: u32,
}

impl Default for PairSet {
    fn default() -> Self {
        Self { seen: vec![0; 1 << 16], round: 0 }
    }
}

impl PairSet {
    /// How many pairs of neighbours there are.
    fn count(&mut self, bytes: &[u8]) -> u64 {
        self.round += 1;
        let mut count = 0;
        for pair in bytes.windows(2) {
            let seen = &mut self.seen[usize::from(pair[0]) << 8 | usize::from(pair[1])];
            count += u64::from(*seen != self.round);
            *seen = self.round;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PNG specification, section 9.4, in its own form, for all bytes that are even or next to each other.
    #[test]
    fn the_paeth_predictor_is_that_of_the_specification() {
        let specified = |a: i32, b: i32, c: i32| {
            let p = a + b - c;
            let [pa, pb, pc] = [(p - a).abs(), (p - b).abs(), (p - c).abs()];
            if pa <= pb && pa <= pc {
                a
            } else if pb <= pc {
                b
            } else {
                c
            }
        };
        for (left, up) in (0..=255_u8).flat_map(|left| (0..=255_u8).map(move |up| (left, up))) {
            for corner in (0..=254_u8).step_by(2).chain([left, up, left.wrapping_add(1), up.wrapping_sub(1)])
            {
                let expected = specified(left.into(), up.into(), corner.into());
                assert_eq!(i32::from(paeth(left, up, corner)), expected, "{left} {up} {corner}");
            }
        }
    }
}
