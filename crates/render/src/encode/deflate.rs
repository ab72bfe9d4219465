//! Literals and runs to deflate blocks with their own codes (RFC 1951). Matches are not searched for, and
//! reach back one pixel at most.

use super::huffman;

/// End of a block.
const END: usize = 256;
/// Longest match.
const LONGEST: usize = 258;
/// Shortest match.
const SHORTEST: usize = 3;
/// How far back a match may be here: a pixel. So its distance is a symbol without extra bits.
const FARTHEST: usize = 4;

/// Tokens of a block: enough for codes that fit, little enough for the cache.
const BLOCK: usize = 1 << 16;

/// A token is a byte; or three, marked; or marked otherwise a match, its length from 3 above two bits of
/// distance from 1.
const THREE: u32 = 1 << 30;
const MATCH: u32 = 1 << 31;

/// For each length from 3: its symbol and how many bits of the rest follow.
pub(super) const LENGTHS: [(u16, u16, u8); 256] = length_table();

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

/// Bits, the first in the lowest place.
#[derive(Debug, Default)]
pub(super) struct Bits {
    waiting: u64,
    count: u32,
}

impl Bits {
    /// Leaves at most 7 bits waiting.
    pub(super) fn put(&mut self, bits: u32, count: u8, out: &mut Vec<u8>) {
        self.waiting |= u64::from(bits) << self.count;
        self.count += u32::from(count);
        let whole = self.count / 8;
        out.extend_from_slice(&self.waiting.to_le_bytes()[..whole as usize]);
        self.waiting >>= whole * 8;
        self.count -= whole * 8;
    }

    pub(super) fn flush(&mut self, out: &mut Vec<u8>) {
        let bytes = self.count.div_ceil(8) as usize;
        out.extend_from_slice(&self.waiting.to_le_bytes()[..bytes]);
        *self = Self::default();
    }
}

/// Codes with the extra bits behind them, and in the highest byte how many bits that are.
struct Codes {
    literals: [u32; 256],
    /// From 3.
    lengths: [u32; 256],
    distances: [u32; FARTHEST],
}

impl Codes {
    fn new(symbols: &[(u16, u8)], distances: &[(u16, u8)]) -> Self {
        let mut codes = Self { literals: [0; 256], lengths: [0; 256], distances: [0; FARTHEST] };
        let joined = |(code, length): (u16, u8), extra: u32, bits: u8| {
            u32::from(code) | extra << length | u32::from(length + bits) << COUNT
        };
        for (to, code) in codes.literals.iter_mut().zip(symbols) {
            *to = joined(*code, 0, 0);
        }
        for ((to, length), (symbol, base, bits)) in
            codes.lengths.iter_mut().zip(SHORTEST as u32..).zip(LENGTHS)
        {
            *to = joined(symbols[usize::from(symbol)], length - u32::from(base), bits);
        }
        for (to, code) in codes.distances.iter_mut().zip(distances) {
            *to = joined(*code, 0, 0);
        }
        codes
    }
}

/// The position of the number of bits in a word of [`Codes`].
const COUNT: u32 = 24;
/// The bits of such a word.
const BITS: u32 = (1 << COUNT) - 1;

/// Collects tokens and writes them block by block.
#[derive(Debug)]
pub(super) struct Deflate {
    tokens: Vec<u32>,
    symbols: [u32; 286],
    distances: [u32; FARTHEST],
    bits: Bits,
}

impl Default for Deflate {
    fn default() -> Self {
        Self {
            tokens: Vec::with_capacity(BLOCK + BLOCK / 8),
            symbols: [0; 286],
            distances: [0; FARTHEST],
            bits: Bits::default(),
        }
    }
}

impl Deflate {
    /// One to four bytes.
    #[inline(always)]
    pub(super) fn literals<const N: usize>(&mut self, bytes: [u8; N], out: &mut Vec<u8>) {
        for byte in bytes {
            self.symbols[usize::from(byte)] += 1;
        }
        let mut one = &bytes[..];
        if let Some(([a, b, c], rest)) = bytes.split_first_chunk() {
            self.tokens.push(THREE | u32::from_le_bytes([*a, *b, *c, 0]));
            one = rest;
        }
        for byte in one {
            self.tokens.push(u32::from(*byte));
        }
        if self.tokens.len() >= BLOCK {
            self.block(false, out);
        }
    }

    /// Repeats `length` bytes from `distance` back, in as many matches as that takes.
    ///
    /// `length` is 0 or at least 3, `distance` from 1 to 4.
    #[inline(always)]
    pub(super) fn repeat(&mut self, mut length: usize, distance: usize, out: &mut Vec<u8>) {
        while length > 0 {
            // No rest may be too short for a match.
            let take = if length <= LONGEST { length } else { LONGEST.min(length - SHORTEST) };
            length -= take;
            let rest = take - SHORTEST;
            let back = distance - 1;
            #[allow(clippy::cast_possible_truncation, reason = "ten bits")]
            self.tokens.push(MATCH | (rest << 2 | back) as u32);
            self.symbols[usize::from(LENGTHS[rest & 255].0)] += 1;
            self.distances[back] += 1;
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

    #[inline(never)]
    fn block(&mut self, last: bool, out: &mut Vec<u8>) {
        self.symbols[END] += 1;
        // Readers reject a code of one symbol: an empty block has a second one that it does not use.
        self.symbols[0] += u32::from(self.tokens.is_empty());
        let symbols = huffman::codes(&self.symbols, 15);
        let distances = huffman::codes(&self.distances, 15);
        self.bits.put(u32::from(last), 1, out);
        self.bits.put(2, 2, out);
        write_code_lengths(&mut self.bits, &symbols, &distances, out);
        self.write_tokens(&Codes::new(&symbols, &distances), out);
        let (code, length) = symbols[END];
        self.bits.put(code.into(), length, out);
        self.tokens.clear();
        self.symbols.fill(0);
        self.distances.fill(0);
    }

    fn write_tokens(&mut self, codes: &Codes, out: &mut Vec<u8>) {
        const PART: usize = 512;
        // Three literals take at most 45 bits, a length and a distance fewer; with 7 that wait they are 6
        // whole bytes. Eight are written.
        let mut bytes = [0_u8; PART * 6 + 8];
        let Bits { mut waiting, mut count } = self.bits;
        for tokens in self.tokens.chunks(PART) {
            let mut at = 0;
            for token in tokens {
                let mut put = |code: u32| {
                    waiting |= u64::from(code & BITS) << count;
                    count += code >> COUNT;
                };
                if token & MATCH > 0 {
                    put(codes.lengths[(token >> 2) as usize & 255]);
                    put(codes.distances[*token as usize & (FARTHEST - 1)]);
                } else {
                    let [a, b, c, _] = token.to_le_bytes();
                    put(codes.literals[usize::from(a)]);
                    if token & THREE > 0 {
                        put(codes.literals[usize::from(b)]);
                        put(codes.literals[usize::from(c)]);
                    }
                }
                bytes[at..at + 8].copy_from_slice(&waiting.to_le_bytes());
                at += (count / 8) as usize;
                waiting >>= count & !7;
                count &= 7;
            }
            out.extend_from_slice(&bytes[..at]);
        }
        self.bits = Bits { waiting, count };
    }
}

/// The lengths of both codes, runs shortened, with a code of their own (section 3.2.7).
pub(super) fn write_code_lengths(
    to: &mut Bits,
    symbols: &[(u16, u8)],
    distances: &[(u16, u8)],
    out: &mut Vec<u8>,
) {
    const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    let used = |codes: &[(u16, u8)], least: usize| {
        codes.iter().rposition(|(_, length)| *length > 0).map_or(least, |last| (last + 1).max(least))
    };
    let (symbol_count, distance_count) = (used(symbols, 257), used(distances, 1));
    let all: Vec<u8> = symbols[..symbol_count]
        .iter()
        .chain(&distances[..distance_count])
        .map(|(_, length)| *length)
        .collect();
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
    let codes = huffman::codes(&counts, 7);
    let written = ORDER.iter().rposition(|symbol| codes[*symbol].1 > 0).map_or(4, |last| (last + 1).max(4));
    #[allow(clippy::cast_possible_truncation, reason = "at most 286")]
    let number = |count: usize| count as u32;
    to.put(number(symbol_count - 257), 5, out);
    to.put(number(distance_count - 1), 5, out);
    to.put(number(written - 4), 4, out);
    for symbol in &ORDER[..written] {
        to.put(codes[*symbol].1.into(), 3, out);
    }
    for (symbol, extra, bits) in runs {
        let (code, length) = codes[usize::from(symbol)];
        to.put(code.into(), length, out);
        to.put(extra.into(), bits, out);
    }
}
