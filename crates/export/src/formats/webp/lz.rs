//! A picture as literals, pixels of the cache of colours, and copies: found by dynamic programming over the
//! cost of each in bits, which comes from the counts of the parse before.

use super::prefix::number;

/// The longest copy, in pixels.
const LONGEST: usize = 4096;
/// The farthest one.
const FARTHEST: usize = (1 << 20) - 120;
/// Earlier places that are looked at for each pixel.
const DEPTH: usize = 16;
/// Where a copy from the pixel or the row before has this length, no other is looked for.
const ENOUGH: usize = 64;
/// Up to this length each shorter copy is considered, too.
const SHORT: usize = 24;
const HASH_BITS: u32 = 15;

/// Symbols of lengths; they follow the 256 of green.
pub(super) const LENGTHS: usize = 24;
pub(super) const DISTANCES: usize = 40;

/// A part of the parse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LzToken {
    Literal(u32),
    /// The index of a colour in the cache.
    Cached(u16),
    /// Pixels from before: how many, and the code of the distance.
    Copy {
        length: u16,
        code: u32,
    },
}

/// Distances of the pixels around one, by code from 1: columns to the left and rows up (RFC 9649, section
/// 3.6.2.2).
#[rustfmt::skip]
const NEAR: [(i8, i8); 120] = [
    (0, 1), (1, 0), (1, 1), (-1, 1), (0, 2), (2, 0), (1, 2), (-1, 2), (2, 1), (-2, 1), (2, 2), (-2, 2),
    (0, 3), (3, 0), (1, 3), (-1, 3), (3, 1), (-3, 1), (2, 3), (-2, 3), (3, 2), (-3, 2), (0, 4), (4, 0),
    (1, 4), (-1, 4), (4, 1), (-4, 1), (3, 3), (-3, 3), (2, 4), (-2, 4), (4, 2), (-4, 2), (0, 5), (3, 4),
    (-3, 4), (4, 3), (-4, 3), (5, 0), (1, 5), (-1, 5), (5, 1), (-5, 1), (2, 5), (-2, 5), (5, 2), (-5, 2),
    (4, 4), (-4, 4), (3, 5), (-3, 5), (5, 3), (-5, 3), (0, 6), (6, 0), (1, 6), (-1, 6), (6, 1), (-6, 1),
    (2, 6), (-2, 6), (6, 2), (-6, 2), (4, 5), (-4, 5), (5, 4), (-5, 4), (3, 6), (-3, 6), (6, 3), (-6, 3),
    (0, 7), (7, 0), (1, 7), (-1, 7), (5, 5), (-5, 5), (7, 1), (-7, 1), (4, 6), (-4, 6), (6, 4), (-6, 4),
    (2, 7), (-2, 7), (7, 2), (-7, 2), (3, 7), (-3, 7), (7, 3), (-7, 3), (5, 6), (-5, 6), (6, 5), (-6, 5),
    (8, 0), (4, 7), (-4, 7), (7, 4), (-7, 4), (8, 1), (8, 2), (6, 6), (-6, 6), (8, 3), (5, 7), (-5, 7),
    (7, 5), (-7, 5), (8, 4), (6, 7), (-6, 7), (7, 6), (-7, 6), (8, 5), (7, 7), (-7, 7), (8, 6), (8, 7),
];

/// The codes of distances in a picture of some width.
pub(super) struct DistanceCodes {
    width: usize,
    /// For rows up (0 to 7) and columns from 8 to the right to 8 to the left.
    near: [[u32; 17]; 8],
}

impl DistanceCodes {
    fn new(width: usize) -> Self {
        let mut near = [[0; 17]; 8];
        for ((left, up), code) in NEAR.iter().zip(1..) {
            near[usize::from(up.unsigned_abs())][usize::from((left + 8).unsigned_abs())] = code;
        }
        Self { width, near }
    }

    fn code(&self, distance: usize) -> u32 {
        #[allow(clippy::cast_possible_truncation, reason = "at most 2^20")]
        let plain = distance as u32 + 120;
        let (up, left) = (distance / self.width, distance % self.width);
        let known = |up: usize, column: usize| {
            let code = *self.near.get(up)?.get(column)?;
            (code > 0).then_some(code)
        };
        let to_left = known(up, left + 8);
        let right = self.width - left;
        let to_right = if right <= 8 { known(up + 1, 8 - right) } else { None };
        to_left.or(to_right).unwrap_or(plain)
    }
}

/// How often each symbol occurs, for the five codes.
#[derive(Clone, Debug)]
pub(super) struct Histogram {
    pub(super) green: Vec<u32>,
    pub(super) red: Vec<u32>,
    pub(super) blue: Vec<u32>,
    pub(super) alpha: Vec<u32>,
    pub(super) distance: Vec<u32>,
}

impl Histogram {
    pub(super) fn new(cache_bits: u32) -> Self {
        let cache = if cache_bits > 0 { 1 << cache_bits } else { 0 };
        Self {
            green: vec![0; 256 + LENGTHS + cache],
            red: vec![0; 256],
            blue: vec![0; 256],
            alpha: vec![0; 256],
            distance: vec![0; DISTANCES],
        }
    }

    pub(super) fn add(&mut self, token: LzToken) {
        match token {
            LzToken::Literal(pixel) => {
                let [blue, green, red, alpha] = pixel.to_le_bytes().map(usize::from);
                self.green[green] += 1;
                self.red[red] += 1;
                self.blue[blue] += 1;
                self.alpha[alpha] += 1;
            }
            LzToken::Cached(index) => self.green[256 + LENGTHS + usize::from(index)] += 1,
            LzToken::Copy { length, code } => {
                self.green[256 + number(length.into()).0] += 1;
                self.distance[number(code).0] += 1;
            }
        }
    }
}

/// The cost of each symbol in bits.
struct Costs {
    green: Vec<f32>,
    red: Vec<f32>,
    blue: Vec<f32>,
    alpha: Vec<f32>,
    distance: Vec<f32>,
    /// By length from 1, extra bits included.
    lengths: Vec<f32>,
}

impl Costs {
    fn new(counts: &Histogram) -> Self {
        let green = bits(&counts.green);
        let lengths = (1..=LONGEST as u32)
            .map(|length| {
                let (symbol, _, extra) = number(length);
                green[256 + symbol] + extra as f32
            })
            .collect();
        Self {
            green,
            red: bits(&counts.red),
            blue: bits(&counts.blue),
            alpha: bits(&counts.alpha),
            distance: bits(&counts.distance),
            lengths,
        }
    }

    fn literal(&self, pixel: u32) -> f32 {
        let [blue, green, red, alpha] = pixel.to_le_bytes().map(usize::from);
        self.green[green] + self.red[red] + self.blue[blue] + self.alpha[alpha]
    }

    fn distance(&self, code: u32) -> f32 {
        let (symbol, _, extra) = number(code);
        self.distance[symbol] + extra as f32
    }
}

/// Bits of each symbol, as an ideal code has them; a symbol that does not occur costs as if it did once.
fn bits(counts: &[u32]) -> Vec<f32> {
    let total: u32 = counts.iter().sum();
    let whole = log2(total.max(1));
    counts.iter().map(|count| (whole - log2((*count).max(1))).max(0.0)).collect()
}

/// The binary logarithm to about 1e-2, in plain arithmetic: the same on every machine.
pub(super) fn log2(value: u32) -> f32 {
    let whole = 31 - value.leading_zeros();
    let rest = value as f32 / (1_u64 << whole) as f32 - 1.0;
    // A cubic through 0 and 1 with the slopes there.
    whole as f32 + rest * (1.4227 + rest * (-0.6011 + rest * 0.1784))
}

/// Finds parses, and reuses its memory.
#[derive(Debug, Default)]
pub(super) struct LzParser {
    head: Vec<u32>,
    chain: Vec<u32>,
    /// For each pixel the copies that may begin there: (length, distance code), and where they begin in the
    /// list.
    copies: Vec<(u16, u32)>,
    starts: Vec<u32>,
    /// For each pixel its index in the cache, or none.
    cached: Vec<u16>,
    best: Vec<f32>,
    choice: Vec<(u16, u32)>,
    pub(super) tokens: Vec<LzToken>,
}

const NONE: u16 = u16::MAX;

impl LzParser {
    /// Finds the copies of a picture.
    pub(super) fn prepare(&mut self, pixels: &[u32], width: usize) {
        let codes = DistanceCodes::new(width);
        self.head.clear();
        self.head.resize(1 << HASH_BITS, u32::MAX);
        self.chain.clear();
        self.chain.resize(pixels.len(), u32::MAX);
        self.copies.clear();
        self.starts.clear();
        let hash = |at: usize| {
            let pair = u64::from(pixels[at]) << 32 | u64::from(pixels[at + 1]);
            (pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - HASH_BITS)) as usize
        };
        // The copy from one pixel before, and from one row, as long as it went on from the pixel before.
        let mut near = [0; 2];
        for at in 0..pixels.len() {
            #[allow(clippy::cast_possible_truncation, reason = "frames have fewer than 2^32 pixels")]
            self.starts.push(self.copies.len() as u32);
            let most = (pixels.len() - at).min(LONGEST);
            let length_at = |distance: usize, most: usize| {
                let (now, then) = (&pixels[at..at + most], &pixels[at - distance..]);
                now.iter().zip(then).take_while(|(a, b)| a == b).count()
            };
            let mut longest = 0;
            let found =
                |length: usize, distance: usize, longest: &mut usize, copies: &mut Vec<(u16, u32)>| {
                    if length > *longest {
                        *longest = length;
                        #[allow(clippy::cast_possible_truncation, reason = "at most 4096")]
                        copies.push((length as u16, codes.code(distance)));
                    }
                };
            for (distance, near) in [1, width].into_iter().zip(&mut near) {
                *near = match *near {
                    _ if distance > at => 0,
                    // The one before was longer by a pixel.
                    before if before > 1 => before - 1,
                    _ => length_at(distance, pixels.len() - at),
                };
                if *near > 0 {
                    found((*near).min(LONGEST), distance, &mut longest, &mut self.copies);
                }
            }
            if at + 1 < pixels.len() {
                let hash = hash(at);
                if longest < ENOUGH {
                    let mut candidate = self.head[hash];
                    for _ in 0..DEPTH {
                        if candidate == u32::MAX || at - candidate as usize > FARTHEST || longest == most {
                            break;
                        }
                        let distance = at - candidate as usize;
                        // A longer one agrees also where the longest so far ends.
                        if pixels[at - distance + longest] == pixels[at + longest] {
                            let length = length_at(distance, most);
                            if length > 1 {
                                found(length, distance, &mut longest, &mut self.copies);
                            }
                        }
                        candidate = self.chain[candidate as usize];
                    }
                }
                self.chain[at] = self.head[hash];
                #[allow(clippy::cast_possible_truncation, reason = "frames have fewer than 2^32 pixels")]
                let place = at as u32;
                self.head[hash] = place;
            }
        }
        #[allow(clippy::cast_possible_truncation, reason = "few copies a pixel")]
        self.starts.push(self.copies.len() as u32);
    }

    /// Finds which pixels are in a cache of this size when they come: all pixels go through it.
    pub(super) fn cache(&mut self, pixels: &[u32], bits: u32) {
        self.cached.clear();
        if bits == 0 {
            self.cached.resize(pixels.len(), NONE);
            return;
        }
        let mut colours = vec![None; 1 << bits];
        self.cached.extend(pixels.iter().map(|pixel| {
            let index = (pixel.wrapping_mul(0x1e35_a7bd) >> (32 - bits)) as usize;
            let before = colours[index].replace(*pixel);
            #[allow(clippy::cast_possible_truncation, reason = "at most 11 bits")]
            if before == Some(*pixel) { index as u16 } else { NONE }
        }));
    }

    fn single(&self, pixels: &[u32], at: usize) -> LzToken {
        match self.cached[at] {
            NONE => LzToken::Literal(pixels[at]),
            index => LzToken::Cached(index),
        }
    }

    /// A first parse: the longest copy where it is long enough.
    pub(super) fn greedy(&mut self, pixels: &[u32]) {
        self.tokens.clear();
        let mut at = 0;
        while at < pixels.len() {
            let copies = &self.copies[self.starts[at] as usize..self.starts[at + 1] as usize];
            match copies.last() {
                Some((length, code)) if *length >= 3 => {
                    self.tokens.push(LzToken::Copy { length: *length, code: *code });
                    at += usize::from(*length);
                }
                _ => {
                    self.tokens.push(self.single(pixels, at));
                    at += 1;
                }
            }
        }
    }

    /// The cheapest parse at the costs that these counts give.
    pub(super) fn cheapest(&mut self, pixels: &[u32], counts: &Histogram) {
        let costs = Costs::new(counts);
        let count = pixels.len();
        self.best.clear();
        self.best.resize(count + 1, 0.0);
        self.choice.clear();
        self.choice.resize(count, (1, 0));
        for at in (0..count).rev() {
            let single = match self.cached[at] {
                NONE => costs.literal(pixels[at]),
                index => costs.green[256 + LENGTHS + usize::from(index)],
            };
            let (mut best, mut choice) = (single + self.best[at + 1], (1, 0));
            let copies = &self.copies[self.starts[at] as usize..self.starts[at + 1] as usize];
            // In long runs shorter copies are never better.
            let is_long = copies.last().is_some_and(|(length, _)| usize::from(*length) >= ENOUGH);
            for (length, code) in copies {
                let distance = costs.distance(*code);
                let to = usize::from(*length);
                let short = if is_long { 0 } else { to.min(SHORT) };
                for length in (1..=short).chain((to > short).then_some(to)) {
                    let cost = distance + costs.lengths[length - 1] + self.best[at + length];
                    if cost < best {
                        #[allow(clippy::cast_possible_truncation, reason = "at most 4096")]
                        let length = length as u16;
                        (best, choice) = (cost, (length, *code));
                    }
                }
            }
            self.best[at] = best;
            self.choice[at] = choice;
        }
        self.tokens.clear();
        let mut at = 0;
        while at < count {
            let (length, code) = self.choice[at];
            let token = if code == 0 { self.single(pixels, at) } else { LzToken::Copy { length, code } };
            self.tokens.push(token);
            at += usize::from(length);
        }
    }

    /// The counts of a parse without a cache, if its literals are taken from the cache where they can be.
    pub(super) fn counts_cached(&self, cache_bits: u32) -> Histogram {
        let mut counts = Histogram::new(cache_bits);
        let mut at = 0;
        for token in &self.tokens {
            match (token, self.cached[at]) {
                (LzToken::Copy { length, .. }, _) => at += usize::from(*length) - 1,
                (_, NONE) => (),
                (_, index) => {
                    counts.add(LzToken::Cached(index));
                    at += 1;
                    continue;
                }
            }
            counts.add(*token);
            at += 1;
        }
        counts
    }

    pub(super) fn counts(&self, cache_bits: u32) -> Histogram {
        let mut counts = Histogram::new(cache_bits);
        self.tokens.iter().for_each(|token| counts.add(*token));
        counts
    }
}
