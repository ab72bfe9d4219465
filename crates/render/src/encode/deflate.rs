//! Literals and matches to deflate blocks with codes of their own (RFC 1951). It does not search for matches.

use super::huffman;

/// End of a block.
const END: usize = 256;
/// Longest match.
pub(super) const LONGEST: usize = 258;
/// Shortest match.
pub(super) const SHORTEST: usize = 3;
/// How far back a match may be.
pub(super) const FARTHEST: usize = 32_768;

/// Tokens of a block: enough for codes that fit, little enough for the cache.
const BLOCK: usize = 1 << 16;

/// Set in a token that is a match: 8 bits of length, 15 of distance.
const MATCH: u32 = 1 << 31;

/// For each length from 3: its symbol and how many bits of the rest follow.
const LENGTHS: [(u16, u16, u8); 256] = length_table();

/// The least length of each symbol, and its extra bits.
const LENGTH_BASES: [(u16, u8); 29] = [
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (7, 0),
    (8, 0),
    (9, 0),
    (10, 0),
    (11, 1),
    (13, 1),
    (15, 1),
    (17, 1),
    (19, 2),
    (23, 2),
    (27, 2),
    (31, 2),
    (35, 3),
    (43, 3),
    (51, 3),
    (59, 3),
    (67, 4),
    (83, 4),
    (99, 4),
    (115, 4),
    (131, 5),
    (163, 5),
    (195, 5),
    (227, 5),
    (258, 0),
];

const fn length_table() -> [(u16, u16, u8); 256] {
    let mut table = [(0, 0, 0); 256];
    let mut symbol = 0;
    while symbol < LENGTH_BASES.len() {
        let (base, bits) = LENGTH_BASES[symbol];
        let mut length = base;
        while length < base + (1 << bits) && length <= 258 {
            table[length as usize - SHORTEST] = (257 + symbol as u16, base, bits);
            length += 1;
        }
        symbol += 1;
    }
    table
}

/// Symbol, least distance and extra bits.
fn distance_symbol(distance: u32) -> (usize, u32, u8) {
    let d = distance - 1;
    if d < 4 {
        return (d as usize, distance, 0);
    }
    let bits = 30 - d.leading_zeros();
    let symbol = 2 * bits + 2 + ((d >> bits) & 1);
    #[allow(clippy::cast_possible_truncation, reason = "at most 13")]
    let extra = bits as u8;
    (symbol as usize, (d >> bits << bits) + 1, extra)
}

/// Bits, the first in the lowest place.
#[derive(Debug, Default)]
struct Bits {
    waiting: u64,
    count: u32,
}

impl Bits {
    #[inline(always)]
    fn put(&mut self, bits: u32, count: u8, out: &mut Vec<u8>) {
        self.waiting |= u64::from(bits) << self.count;
        self.count += u32::from(count);
        if self.count >= 32 {
            #[allow(clippy::cast_possible_truncation, reason = "the lower half is meant")]
            out.extend_from_slice(&(self.waiting as u32).to_le_bytes());
            self.waiting >>= 32;
            self.count -= 32;
        }
    }

    fn flush(&mut self, out: &mut Vec<u8>) {
        let bytes = self.count.div_ceil(8) as usize;
        out.extend_from_slice(&self.waiting.to_le_bytes()[..bytes]);
        *self = Self::default();
    }
}

/// Collects tokens and writes them block by block.
#[derive(Debug)]
pub(super) struct Deflate {
    tokens: Vec<u32>,
    symbols: [u32; 286],
    distances: [u32; 30],
    bits: Bits,
}

impl Default for Deflate {
    fn default() -> Self {
        Self {
            tokens: Vec::with_capacity(BLOCK),
            symbols: [0; 286],
            distances: [0; 30],
            bits: Bits::default(),
        }
    }
}

impl Deflate {
    #[inline(always)]
    pub(super) fn literal(&mut self, byte: u8, out: &mut Vec<u8>) {
        self.tokens.push(u32::from(byte));
        self.symbols[usize::from(byte)] += 1;
        if self.tokens.len() >= BLOCK {
            self.block(false, out);
        }
    }

    /// Repeats `length` bytes from `distance` back, in as many matches as that takes.
    ///
    /// `length` is at least 3, `distance` from 1 to 32,768.
    #[inline]
    pub(super) fn repeat(&mut self, mut length: usize, distance: usize, out: &mut Vec<u8>) {
        while length > 0 {
            // No rest may be too short for a match.
            let take = if length <= LONGEST { length } else { LONGEST.min(length - SHORTEST) };
            length -= take;
            #[allow(clippy::cast_possible_truncation, reason = "within the limits of a match")]
            let (rest, back) = ((take - SHORTEST) as u32, distance as u32);
            self.tokens.push(MATCH | rest << 15 | (back - 1));
            self.symbols[usize::from(LENGTHS[rest as usize].0)] += 1;
            self.distances[distance_symbol(back).0] += 1;
        }
        if self.tokens.len() >= BLOCK {
            self.block(false, out);
        }
    }

    /// Ends the stream.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        self.block(true, out);
        self.bits.flush(out);
    }

    fn block(&mut self, last: bool, out: &mut Vec<u8>) {
        self.symbols[END] += 1;
        // A code of one symbol is refused by readers: an empty block has a second one that it does not use.
        self.symbols[0] += u32::from(self.tokens.is_empty());
        let (mut symbol_lengths, mut distance_lengths) = ([0_u8; 286], [0_u8; 30]);
        huffman::lengths(&self.symbols, 15, &mut symbol_lengths);
        huffman::lengths(&self.distances, 15, &mut distance_lengths);
        let (mut symbols, mut distances) = ([0_u16; 286], [0_u16; 30]);
        huffman::codes(&symbol_lengths, &mut symbols);
        huffman::codes(&distance_lengths, &mut distances);
        self.bits.put(u32::from(last), 1, out);
        self.bits.put(2, 2, out);
        self.write_lengths(&symbol_lengths, &distance_lengths, out);
        for token in &self.tokens {
            if token & MATCH == 0 {
                let byte = *token as usize;
                self.bits.put(symbols[byte].into(), symbol_lengths[byte], out);
                continue;
            }
            let (rest, back) = ((token & !MATCH) >> 15, (token & 0x7fff) + 1);
            let (symbol, base, extra) = LENGTHS[rest as usize];
            let symbol = usize::from(symbol);
            self.bits.put(symbols[symbol].into(), symbol_lengths[symbol], out);
            self.bits.put(rest + SHORTEST as u32 - u32::from(base), extra, out);
            let (symbol, base, extra) = distance_symbol(back);
            self.bits.put(distances[symbol].into(), distance_lengths[symbol], out);
            self.bits.put(back - base, extra, out);
        }
        self.bits.put(symbols[END].into(), symbol_lengths[END], out);
        self.tokens.clear();
        self.symbols.fill(0);
        self.distances.fill(0);
    }

    /// The lengths of both codes, runs shortened, with a code of their own (section 3.2.7).
    fn write_lengths(&mut self, symbols: &[u8; 286], distances: &[u8; 30], out: &mut Vec<u8>) {
        const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
        let used = |lengths: &[u8], least: usize| {
            lengths.iter().rposition(|length| *length > 0).map_or(least, |last| (last + 1).max(least))
        };
        let (symbol_count, distance_count) = (used(symbols, 257), used(distances, 1));
        let all: Vec<u8> =
            symbols[..symbol_count].iter().chain(&distances[..distance_count]).copied().collect();
        // (symbol, extra, bits of it)
        let mut runs: Vec<(u8, u8, u8)> = Vec::with_capacity(all.len());
        let mut at = 0;
        while let Some(length) = all.get(at).copied() {
            let same = all[at..].iter().take_while(|other| **other == length).count();
            #[allow(clippy::cast_possible_truncation, reason = "runs are cut to 138")]
            let taken = match (length, same) {
                (0, 11..) => {
                    let taken = same.min(138);
                    runs.push((18, (taken - 11) as u8, 7));
                    taken
                }
                (0, 3..=10) => {
                    runs.push((17, (same - 3) as u8, 3));
                    same
                }
                (_, 4..) if length > 0 => {
                    let taken = (same - 1).min(6);
                    runs.push((length, 0, 0));
                    runs.push((16, (taken - 3) as u8, 2));
                    taken + 1
                }
                _ => {
                    runs.push((length, 0, 0));
                    1
                }
            };
            at += taken;
        }
        let mut counts = [0_u32; 19];
        for (symbol, _, _) in &runs {
            counts[usize::from(*symbol)] += 1;
        }
        let (mut lengths, mut codes) = ([0_u8; 19], [0_u16; 19]);
        huffman::lengths(&counts, 7, &mut lengths);
        huffman::codes(&lengths, &mut codes);
        let written =
            ORDER.iter().rposition(|symbol| lengths[*symbol] > 0).map_or(4, |last| (last + 1).max(4));
        #[allow(clippy::cast_possible_truncation, reason = "at most 286")]
        let number = |count: usize| count as u32;
        self.bits.put(number(symbol_count - 257), 5, out);
        self.bits.put(number(distance_count - 1), 5, out);
        self.bits.put(number(written - 4), 4, out);
        for symbol in &ORDER[..written] {
            self.bits.put(lengths[*symbol].into(), 3, out);
        }
        for (symbol, extra, bits) in runs {
            let symbol = usize::from(symbol);
            self.bits.put(codes[symbol].into(), lengths[symbol], out);
            self.bits.put(extra.into(), bits, out);
        }
    }
}
