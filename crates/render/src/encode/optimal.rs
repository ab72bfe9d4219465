//! The smallest deflate stream (RFC 1951) that is found in a short time: all matches of a part of the data, and
//! the cheapest way through them for the codes of the pass before, as zopfli and libdeflate do it.

use super::deflate::{Bits, LENGTHS, write_code_lengths};
use super::huffman;
use super::tree::{GOOD, LONGEST, Match, Tree};

const SHORTEST: usize = 3;
/// Positions that are parsed at a time.
const PART: usize = 1 << 20;
/// Matches that are kept for a part; it ends before it has more.
const MOST_MATCHES: usize = 6 << 20;
/// Ways through a part, each with the costs of the one before.
const PASSES: usize = 2;
/// Tokens that are the unit of blocks.
const CHUNK: usize = 2048;

/// A literal, or a length above a distance.
type Token = u32;
const LITERAL: Token = 1 << 31;

/// The buffers of all frames.
#[derive(Debug, Default)]
pub(super) struct Optimal {
    tree: Tree,
    /// The matches of a part, those of each position from its start: lengths grow.
    matches: Vec<Match>,
    starts: Vec<u32>,
    /// Bits from each position to the end of the part, and the token there.
    costs: Vec<u32>,
    choices: Vec<Token>,
    tokens: Vec<Token>,
}

/// Bits of literals, of lengths and of the symbols of distances, with their extra bits.
#[derive(Clone)]
struct Costs {
    literals: [u32; 256],
    lengths: [u32; LONGEST + 1],
    distances: [u32; 30],
}

/// How often symbols occur.
#[derive(Clone)]
struct Counts {
    symbols: [u32; 286],
    distances: [u32; 30],
}

impl Optimal {
    /// Appends a zlib stream of the data (RFC 1950).
    pub(super) fn compress(&mut self, data: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(&[0x78, 0xda]);
        self.tree.clear();
        self.tokens.clear();
        let mut costs = Costs::first();
        let mut at = 0;
        while at < data.len() {
            let end = self.find(data, at);
            for pass in 0..PASSES {
                self.parse(data, at, end, &costs);
                let mut counts = Counts::default();
                self.walk(at, end, |token, _| counts.add(token));
                if pass + 1 < PASSES || end < data.len() {
                    costs = Costs::of(&counts);
                }
            }
            let mut tokens = std::mem::take(&mut self.tokens);
            self.walk(at, end, |token, _| tokens.push(token));
            self.tokens = tokens;
            at = end;
        }
        self.write(out);
        out.extend_from_slice(&adler(data).to_be_bytes());
    }

    /// The matches of the part that starts here. Returns its end.
    fn find(&mut self, data: &[u8], start: usize) -> usize {
        let end = data.len().min(start + PART);
        self.matches.clear();
        self.starts.clear();
        let mut at = start;
        while at < end {
            let before = self.matches.len();
            self.starts.push(index(before));
            if before >= MOST_MATCHES {
                return at;
            }
            self.tree.matches(data, at, &mut self.matches);
            at += 1;
            // No match within a long one is looked for.
            let length = self.matches[before..].last().map_or(0, |(length, _)| usize::from(*length));
            if length >= GOOD {
                for _ in 1..length.min(end - at + 1) {
                    self.starts.push(index(self.matches.len()));
                    self.tree.skip(data, at);
                    at += 1;
                }
            }
        }
        self.starts.push(index(self.matches.len()));
        end
    }

    /// The cheapest way from each position of a part to its end, backwards.
    fn parse(&mut self, data: &[u8], start: usize, end: usize, costs: &Costs) {
        let count = end - start;
        self.costs.resize(count + 1, 0);
        self.choices.resize(count, 0);
        self.costs[count] = 0;
        for at in (0..count).rev() {
            let mut best = costs.literals[usize::from(data[start + at])] + self.costs[at + 1];
            let mut choice = LITERAL;
            let mut length = SHORTEST;
            let own = self.starts[at] as usize..self.starts[at + 1] as usize;
            for (longest, back) in &self.matches[own] {
                let distance = usize::from(*back) + 1;
                let (symbol, bits) = distance_symbol(distance);
                let away = costs.distances[symbol] + bits;
                // The part may have ended before the match.
                let longest = usize::from(*longest).min(count - at);
                while length <= longest {
                    let cost = costs.lengths[length] + away + self.costs[at + length];
                    if cost < best {
                        best = cost;
                        choice = index(length) << 16 | u32::from(*back);
                    }
                    length += 1;
                }
            }
            self.costs[at] = best;
            self.choices[at] = if choice == LITERAL { LITERAL | u32::from(data[start + at]) } else { choice };
        }
    }

    /// The tokens of the way, with their positions.
    fn walk(&self, start: usize, end: usize, mut visit: impl FnMut(Token, usize)) {
        let mut at = 0;
        while at < end - start {
            let token = self.choices[at];
            visit(token, start + at);
            at += if token & LITERAL > 0 { 1 } else { (token >> 16) as usize };
        }
    }

    /// Writes the tokens in blocks. Chunks whose codes are alike share a block.
    fn write(&self, out: &mut Vec<u8>) {
        let mut bits = Bits::default();
        let mut start = 0;
        let mut end = 0;
        let mut block = Counts::default();
        let mut cost = 0;
        for chunk in self.tokens.chunks(CHUNK) {
            let mut own = Counts::default();
            chunk.iter().for_each(|token| own.add(*token));
            let mut both = block.clone();
            both.join(&own);
            let (own_cost, joint) = (own.bits(), both.bits());
            if start == end || joint <= cost + own_cost {
                (block, cost) = (both, joint);
            } else {
                write_block(&self.tokens[start..end], &block, false, &mut bits, out);
                start = end;
                (block, cost) = (own, own_cost);
            }
            end += chunk.len();
        }
        write_block(&self.tokens[start..end], &block, true, &mut bits, out);
        bits.flush(out);
    }
}

fn write_block(tokens: &[Token], counts: &Counts, last: bool, bits: &mut Bits, out: &mut Vec<u8>) {
    let (symbols, distances) = counts.codes();
    bits.put(u32::from(last), 1, out);
    bits.put(2, 2, out);
    write_code_lengths(bits, &symbols, &distances, out);
    for token in tokens {
        if token & LITERAL > 0 {
            let (code, length) = symbols[(token & 255) as usize];
            bits.put(code.into(), length, out);
            continue;
        }
        let (length, distance) = ((token >> 16) as usize, (token & 0xffff) as usize + 1);
        let (symbol, base, extra) = LENGTHS[length - SHORTEST];
        let (code, count) = symbols[usize::from(symbol)];
        bits.put(code.into(), count, out);
        bits.put(index(length) - u32::from(base), extra, out);
        let (symbol, extra) = distance_symbol(distance);
        let (code, count) = distances[symbol];
        bits.put(code.into(), count, out);
        #[allow(clippy::cast_possible_truncation, reason = "at most 13 bits")]
        bits.put(index(distance - 1) & ((1 << extra) - 1), extra as u8, out);
    }
    let (code, length) = symbols[END];
    bits.put(code.into(), length, out);
}

/// End of a block.
const END: usize = 256;

impl Default for Counts {
    fn default() -> Self {
        let mut symbols = [0; 286];
        symbols[END] = 1;
        Self { symbols, distances: [0; 30] }
    }
}

impl Counts {
    fn add(&mut self, token: Token) {
        if token & LITERAL > 0 {
            self.symbols[(token & 255) as usize] += 1;
        } else {
            self.symbols[usize::from(LENGTHS[(token >> 16) as usize - SHORTEST].0)] += 1;
            self.distances[distance_symbol((token & 0xffff) as usize + 1).0] += 1;
        }
    }

    fn join(&mut self, other: &Self) {
        self.symbols.iter_mut().zip(&other.symbols).for_each(|(all, own)| *all += own);
        self.distances.iter_mut().zip(&other.distances).for_each(|(all, own)| *all += own);
        self.symbols[END] = 1;
    }

    #[allow(clippy::type_complexity, reason = "codes and their lengths, of symbols and of distances")]
    fn codes(&self) -> ([(u16, u8); 286], [(u16, u8); 30]) {
        let mut symbols = self.symbols;
        // Readers reject a code of one symbol: an empty block has a second one that it does not use.
        symbols[0] += u32::from(symbols.iter().filter(|count| **count > 0).count() < 2);
        (huffman::codes(&symbols, 15), huffman::codes(&self.distances, 15))
    }

    /// About how many bits a block takes, with its codes.
    fn bits(&self) -> u64 {
        let (symbols, distances) = self.codes();
        let of = |counts: &[u32], codes: &[(u16, u8)]| -> u64 {
            counts.iter().zip(codes).map(|(count, (_, length))| u64::from(*count) * u64::from(*length)).sum()
        };
        let used = symbols.iter().chain(&distances).filter(|(_, length)| *length > 0).count();
        of(&self.symbols, &symbols) + of(&self.distances, &distances) + 80 + 4 * used as u64
    }
}

impl Costs {
    /// Before anything was parsed.
    fn first() -> Self {
        let mut costs = Self { literals: [8; 256], lengths: [0; LONGEST + 1], distances: [5; 30] };
        for (length, cost) in costs.lengths.iter_mut().enumerate().skip(SHORTEST) {
            *cost = 7 + u32::from(LENGTHS[length - SHORTEST].2);
        }
        costs
    }

    fn of(counts: &Counts) -> Self {
        let (symbols, distances) = counts.codes();
        // What did not occur may be worth a code.
        let cost = |(_, length): (u16, u8), unused: u32| if length == 0 { unused } else { u32::from(length) };
        let mut costs = Self::first();
        for (to, code) in costs.literals.iter_mut().zip(symbols) {
            *to = cost(code, 12);
        }
        for (length, to) in costs.lengths.iter_mut().enumerate().skip(SHORTEST) {
            let (symbol, _, extra) = LENGTHS[length - SHORTEST];
            *to = cost(symbols[usize::from(symbol)], 12) + u32::from(extra);
        }
        for (to, code) in costs.distances.iter_mut().zip(distances) {
            *to = cost(code, 9);
        }
        costs
    }
}

/// The symbol of a distance, and how many bits follow it.
#[inline]
fn distance_symbol(distance: usize) -> (usize, u32) {
    let rest = distance - 1;
    if rest < 2 {
        return (rest, 0);
    }
    let high = rest.ilog2();
    (2 * high as usize + (rest >> (high - 1) & 1), high - 1)
}

/// A position or a count; data has less than 4 GB.
#[allow(clippy::cast_possible_truncation, reason = "a frame has at most 1.6 GB")]
fn index(at: usize) -> u32 {
    at as u32
}

/// The checksum of zlib.
fn adler(data: &[u8]) -> u32 {
    const BASE: u32 = 65_521;
    let (mut one, mut two) = (1_u32, 0_u32);
    // So many sums fit into 32 bits.
    for part in data.chunks(5552) {
        for byte in part {
            one += u32::from(*byte);
            two += one;
        }
        one %= BASE;
        two %= BASE;
    }
    two << 16 | one
}
