//! The smallest deflate stream (RFC 1951) that is found in a short time: all matches of a part of the data, and
//! the cheapest way through them for the codes of the pass before, as zopfli and libdeflate do it.

use super::deflate::{Bits, LENGTHS, write_code_lengths};
use super::huffman;

/// How far back a match may be.
const WINDOW: usize = 1 << 15;
const LONGEST: usize = 258;
const SHORTEST: usize = 3;
/// Positions that are parsed at a time.
const PART: usize = 1 << 20;
/// Matches that are kept for a part; it ends before it has more.
const MOST_MATCHES: usize = 6 << 20;
/// Places that are compared with a position: those whose next eight bytes are alike, and whose next four are.
/// Eight bytes tell the edges of areas from what is within.
const LONG_CANDIDATES: usize = 100;
const CANDIDATES: usize = 12;
/// Ways through a part, each with the costs of the one before.
const PASSES: usize = 2;
/// Tokens that are the unit of blocks.
const CHUNK: usize = 2048;

/// Within a match of this length few others are looked for.
const GOOD: u16 = 64;

const HASH_BITS: u32 = 16;
/// No position.
const NONE: u32 = u32::MAX;

/// A literal, or a length above a distance.
type Token = u32;
const LITERAL: Token = 1 << 31;

/// The buffers of all frames.
#[derive(Debug, Default)]
pub(super) struct Optimal {
    /// The last position of each hash of eight bytes, of four and of three.
    heads: [Vec<u32>; 3],
    /// For each position the one before with the same hash of eight bytes, and of four.
    chains: [Vec<u32>; 2],
    /// The matches of a part, those of each position from its start: lengths grow.
    matches: Vec<(u16, u16)>,
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
    /// Appends a zlib stream of the data (RFC 1950), whose rows have `stride` bytes.
    pub(super) fn compress(&mut self, data: &[u8], stride: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(&[0x78, 0xda]);
        for heads in &mut self.heads {
            heads.clear();
            heads.resize(1 << HASH_BITS, NONE);
        }
        for chain in &mut self.chains {
            chain.resize(WINDOW, NONE);
        }
        self.tokens.clear();
        let mut costs = Costs::first();
        let mut at = 0;
        while at < data.len() {
            let end = self.find(data, stride, at);
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
    fn find(&mut self, data: &[u8], stride: usize, start: usize) -> usize {
        let end = data.len().min(start + PART);
        self.matches.clear();
        self.starts.clear();
        let mut within = start;
        let mut carried: Option<(u16, u16)> = None;
        for at in start..end {
            if self.matches.len() >= MOST_MATCHES {
                self.starts.push(index(self.matches.len()));
                return at;
            }
            self.starts.push(index(self.matches.len()));
            let most = LONGEST.min(end - at);
            let Some(next) = data[at..].first_chunk::<8>() else { continue };
            let next = u64::from_le_bytes(*next);
            let keys = [hash(next), hash(next << 32), hash(next << 40)];
            let [long, short, shortest] = std::array::from_fn(|k| self.heads[k][keys[k]]);
            (0..3).for_each(|k| self.heads[k][keys[k]] = index(at));
            self.chains[0][at % WINDOW] = long;
            self.chains[1][at % WINDOW] = short;
            if at < within || most < SHORTEST {
                continue;
            }
            let mut best = SHORTEST - 1;
            // Three bytes pay only from near by.
            if shortest != NONE && at - shortest as usize <= WINDOW / 8 {
                self.compare(data, (shortest as usize, at), most, &mut best);
            }
            // The match of the position before goes on.
            if let Some((_, back)) = carried.filter(|(length, _)| *length > GOOD) {
                self.compare(data, (at - usize::from(back) - 1, at), most, &mut best);
            }
            for (k, first, count) in [(1, short, CANDIDATES), (0, long, LONG_CANDIDATES)] {
                let mut next = first;
                let count = if best > usize::from(GOOD) { count / 5 } else { count };
                for _ in 0..count {
                    if next == NONE || at - next as usize > WINDOW || best >= most {
                        break;
                    }
                    self.compare(data, (next as usize, at), most, &mut best);
                    let before = self.chains[k][next as usize % WINDOW];
                    // A place in the chain may have been taken by a later position.
                    next = if before != NONE && before < next { before } else { NONE };
                }
            }
            // What is above.
            for distance in (stride..=WINDOW.min(at)).step_by(stride.max(1)) {
                if best >= most {
                    break;
                }
                self.compare(data, (at - distance, at), most, &mut best);
            }
            carried = self.matches[self.starts.last().map_or(0, |start| *start as usize)..].last().copied();
            if best == LONGEST {
                // No match within is looked for.
                within = at + best;
            }
        }
        self.starts.push(index(self.matches.len()));
        end
    }

    /// Adds the match of two positions, if it is longer than those that are known.
    #[inline]
    fn compare(&mut self, data: &[u8], (from, at): (usize, usize), most: usize, best: &mut usize) {
        let is_longer = |end: usize| data[from + end] == data[at + end];
        if *best >= most || !is_longer(*best) || !is_longer(*best / 2) {
            return;
        }
        let length = common(&data[from..], &data[at..at + most]);
        if length > *best {
            *best = length;
            #[allow(clippy::cast_possible_truncation, reason = "at most 258 and 32,767 below the distance")]
            self.matches.push((length as u16, (at - from - 1) as u16));
        }
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

/// How many bytes are the same at the start. The second one is not longer.
#[inline]
fn common(one: &[u8], other: &[u8]) -> usize {
    let words = one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0);
    let mut length = 0;
    for (a, b) in words {
        let differ = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differ != 0 {
            return length + differ.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    length + one[length..].iter().zip(&other[length..]).take_while(|(a, b)| a == b).count()
}

fn hash(bytes: u64) -> usize {
    (bytes.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - HASH_BITS)) as usize
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
