//! Prefix codes as WebP's lossless streams have them (RFC 9649, section 3.7).

/// The longest code.
const LONGEST: u8 = 15;
/// The longest code of a code length.
const LONGEST_LENGTH: u8 = 7;

/// Bits, the first in the lowest place.
#[derive(Debug, Default)]
pub(super) struct PrefixBits {
    pub(super) bytes: Vec<u8>,
    waiting: u64,
    count: u32,
}

impl PrefixBits {
    pub(super) fn put(&mut self, bits: u32, count: u32) {
        self.waiting |= u64::from(bits) << self.count;
        self.count += count;
        while self.count >= 8 {
            #[allow(clippy::cast_possible_truncation, reason = "the lowest byte")]
            self.bytes.push(self.waiting as u8);
            self.waiting >>= 8;
            self.count -= 8;
        }
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.put(0, 8 - self.count);
        }
        self.bytes
    }
}

/// The code of each symbol, bits reversed, and its length; 0 for symbols that do not occur.
#[derive(Clone, Debug, Default)]
pub(super) struct PrefixCode {
    codes: Vec<(u16, u8)>,
}

impl PrefixCode {
    fn from_lengths(lengths: &[u8]) -> Self {
        let mut next = [0_u16; LONGEST as usize + 2];
        for length in lengths {
            if *length > 0 {
                next[usize::from(*length) + 1] += 1;
            }
        }
        let mut first = 0;
        for with in &mut next[1..] {
            first = (first + *with) << 1;
            *with = first;
        }
        // `next[length]` is the first code of that length.
        let mut starts = [0_u16; LONGEST as usize + 1];
        starts[1..].copy_from_slice(&next[1..=LONGEST as usize]);
        let mut codes: Vec<(u16, u8)> = lengths
            .iter()
            .map(|length| {
                if *length == 0 {
                    return (0, 0);
                }
                let code = starts[usize::from(*length)];
                starts[usize::from(*length)] += 1;
                (code.reverse_bits() >> (16 - length), *length)
            })
            .collect();
        // The code of a single symbol takes no bits.
        if codes.iter().filter(|(_, length)| *length > 0).count() == 1 {
            codes.iter_mut().for_each(|code| code.1 = 0);
        }
        Self { codes }
    }

    pub(super) fn put(&self, symbol: usize, bits: &mut PrefixBits) {
        let (code, length) = self.codes[symbol];
        bits.put(code.into(), length.into());
    }
}

/// Writes the lengths of a code for these counts, and returns the code.
pub(super) fn write(counts: &[u32], bits: &mut PrefixBits) -> PrefixCode {
    let used: Vec<usize> = (0..counts.len()).filter(|symbol| counts[*symbol] > 0).take(3).collect();
    let simple = match used[..] {
        [] => Some((0, None)),
        [one] if one < 256 => Some((one, None)),
        [one, two] if two < 256 => Some((one, Some(two))),
        _ => None,
    };
    if let Some((one, two)) = simple {
        #[allow(clippy::cast_possible_truncation, reason = "below 256")]
        let symbol = |symbol: usize| symbol as u32;
        bits.put(1, 1);
        bits.put(u32::from(two.is_some()), 1);
        bits.put(u32::from(one > 1), 1);
        bits.put(symbol(one), if one > 1 { 8 } else { 1 });
        if let Some(two) = two {
            bits.put(symbol(two), 8);
        }
        let mut lengths = vec![0; counts.len()];
        lengths[one] = 1;
        two.into_iter().for_each(|two| lengths[two] = 1);
        return PrefixCode::from_lengths(&lengths);
    }
    let mut lengths = lengths(counts, LONGEST);
    if used.len() == 1 {
        // A code of one symbol that the short form has no place for gets a second one.
        lengths[0] = 1;
    }
    bits.put(0, 1);
    write_lengths(&lengths, bits);
    PrefixCode::from_lengths(&lengths)
}

/// The order in which the lengths of the code of lengths are written.
const ORDER: [usize; 19] = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Writes lengths, with repetitions (16) and runs of zeros (17, 18).
fn write_lengths(lengths: &[u8], bits: &mut PrefixBits) {
    // (symbol, extra bits, their number)
    let mut tokens: Vec<(usize, u32, u32)> = Vec::new();
    // What 16 repeats if nothing was written before.
    let mut before = 8;
    for run in lengths.chunk_by(|a, b| a == b) {
        let value = run[0];
        let mut left = run.len();
        if value == 0 {
            while left > 0 {
                #[allow(clippy::cast_possible_truncation, reason = "at most 138")]
                let take = left.min(138) as u32;
                match take {
                    1 | 2 => (0..take).for_each(|_| tokens.push((0, 0, 0))),
                    3..=10 => tokens.push((17, take - 3, 3)),
                    _ => tokens.push((18, take - 11, 7)),
                }
                left -= take as usize;
            }
            continue;
        }
        if before != value {
            tokens.push((value.into(), 0, 0));
            left -= 1;
            before = value;
        }
        while left > 0 {
            #[allow(clippy::cast_possible_truncation, reason = "at most 6")]
            let take = left.min(6) as u32;
            if take < 3 {
                (0..take).for_each(|_| tokens.push((value.into(), 0, 0)));
            } else {
                tokens.push((16, take - 3, 2));
            }
            left -= take as usize;
        }
    }
    let mut counts = [0_u32; 19];
    tokens.iter().for_each(|(symbol, _, _)| counts[*symbol] += 1);
    // A code of one length would take no bits, which not all readers expect.
    if counts.iter().filter(|count| **count > 0).count() == 1 {
        counts[usize::from(counts[0] > 0)] += 1;
    }
    let of_lengths = self::lengths(&counts, LONGEST_LENGTH);
    let last = ORDER.iter().rposition(|symbol| of_lengths[*symbol] > 0).unwrap_or(0);
    let written = (last + 1).max(4);
    #[allow(clippy::cast_possible_truncation, reason = "at most 19")]
    bits.put(written as u32 - 4, 4);
    for symbol in &ORDER[..written] {
        bits.put(of_lengths[*symbol].into(), 3);
    }
    // All lengths follow.
    bits.put(0, 1);
    let code = PrefixCode::from_lengths(&of_lengths);
    for (symbol, extra, count) in tokens {
        code.put(symbol, bits);
        bits.put(extra, count);
    }
}

/// The lengths of a code: Huffman's. Where codes would be longer than `most`, rare symbols are counted as
/// less rare ones.
fn lengths(counts: &[u32], most: u8) -> Vec<u8> {
    let mut least = 1;
    loop {
        let lengths = huffman(counts, least);
        if lengths.iter().all(|length| *length <= most) {
            return lengths;
        }
        least *= 2;
    }
}

fn huffman(counts: &[u32], least: u32) -> Vec<u8> {
    let mut lengths = vec![0_u8; counts.len()];
    let mut used: Vec<(u32, usize)> = counts
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(symbol, count)| ((*count).max(least), symbol))
        .collect();
    if let [(_, only)] = used[..] {
        lengths[only] = 1;
    }
    if used.len() < 2 {
        return lengths;
    }
    used.sort_unstable();
    // Two queues: symbols in order, and nodes in the order in which they are made.
    let leaves = used.len();
    let mut weights: Vec<u64> = used.iter().map(|(count, _)| u64::from(*count)).collect();
    let mut parents = vec![0; 2 * leaves - 1];
    let (mut leaf, mut node) = (0, leaves);
    for made in leaves..2 * leaves - 1 {
        let mut weight = 0;
        for _ in 0..2 {
            let from_leaves = leaf < leaves && (node >= made || weights[leaf] <= weights[node]);
            let taken = if from_leaves { &mut leaf } else { &mut node };
            weight += weights[*taken];
            parents[*taken] = made;
            *taken += 1;
        }
        weights.push(weight);
    }
    let mut depths = vec![0_u8; 2 * leaves - 1];
    for at in (0..2 * leaves - 2).rev() {
        depths[at] = depths[parents[at]].saturating_add(1);
    }
    for ((_, symbol), depth) in used.iter().zip(depths) {
        lengths[*symbol] = depth;
    }
    lengths
}

/// A number from 1 as a symbol and extra bits: those of lengths and distances.
pub(super) fn number(value: u32) -> (usize, u32, u32) {
    if value <= 4 {
        return (value as usize - 1, 0, 0);
    }
    let value = value - 1;
    let highest = 31 - value.leading_zeros();
    let second = value >> (highest - 1) & 1;
    let extra = highest - 1;
    ((2 * highest + second) as usize, value & ((1 << extra) - 1), extra)
}
