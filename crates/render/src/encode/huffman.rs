//! Prefix codes of bounded length from the counts of symbols, as deflate needs them (RFC 1951, section
//! 3.2.2).

/// Lengths of the codes of `counts.len()` symbols, none longer than `most`; 0 for symbols that do not occur.
///
/// Two queues build the tree in the order of the counts. Codes that come out too long are cut, and the room
/// that they take is taken from the longest of the others.
fn lengths(counts: &[u32], most: u8, lengths: &mut [u8]) {
    lengths.fill(0);
    // (count, symbol): equal counts in the order of the symbols.
    let mut used: Vec<(u32, usize)> = counts
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(symbol, count)| (*count, symbol))
        .collect();
    if used.len() < 2 {
        for (_, symbol) in used {
            lengths[symbol] = 1;
        }
        return;
    }
    used.sort_unstable();
    let depths = depths(&used);
    // How many codes have each length.
    let mut with = vec![0_u32; usize::from(most) + 1];
    for depth in depths {
        with[depth.min(usize::from(most))] += 1;
    }
    fit(&mut with);
    // The rarest symbols get the longest codes.
    let mut symbols = used.iter();
    for (length, count) in with.iter().enumerate().rev() {
        for (_, symbol) in symbols.by_ref().take(*count as usize) {
            #[allow(clippy::cast_possible_truncation, reason = "at most 15")]
            let length = length as u8;
            lengths[*symbol] = length;
        }
    }
}

/// The depth of each leaf of Huffman's tree, the rarest first.
fn depths(used: &[(u32, usize)]) -> Vec<usize> {
    let leaves = used.len();
    let mut weights: Vec<u64> = used.iter().map(|(count, _)| u64::from(*count)).collect();
    let mut parents = vec![0_usize; 2 * leaves - 1];
    // Two queues: leaves in order, and nodes in the order in which they are made.
    let (mut leaf, mut node) = (0, leaves);
    for made in leaves..2 * leaves - 1 {
        let mut weight = 0;
        for _ in 0..2 {
            let lighter_leaf = leaf < leaves && (node >= made || weights[leaf] <= weights[node]);
            let taken = if lighter_leaf { &mut leaf } else { &mut node };
            weight += weights[*taken];
            parents[*taken] = made;
            *taken += 1;
        }
        weights.push(weight);
    }
    let mut depths = vec![0; 2 * leaves - 1];
    for k in (0..2 * leaves - 2).rev() {
        depths[k] = depths[parents[k]] + 1;
    }
    depths.truncate(leaves);
    depths
}

/// Makes codes of these numbers fit: the sum of `2^-length` becomes 1.
fn fit(with: &mut [u32]) {
    let most = with.len() - 1;
    let room = |with: &[u32]| -> u64 {
        with.iter().enumerate().skip(1).map(|(length, count)| u64::from(*count) << (most - length)).sum()
    };
    let mut over = room(with).saturating_sub(1 << most);
    while over > 0 {
        // One code of the greatest length goes; a shorter one becomes two of the next length.
        with[most] -= 1;
        if let Some(shorter) = (1..most).rev().find(|length| with[*length] > 0) {
            with[shorter] -= 1;
            with[shorter + 1] += 2;
        }
        over -= 1;
    }
}

/// Codes and their lengths, bits reversed: deflate writes the first bit of a code first.
pub(super) fn codes<const N: usize>(counts: &[u32; N], most: u8) -> [(u16, u8); N] {
    let (mut next, mut with) = ([0_u16; 16], [0_u16; 16]);
    let mut found = [0; N];
    lengths(counts, most, &mut found);
    for length in found {
        with[usize::from(length)] += u16::from(length > 0);
    }
    let mut code = 0;
    for length in 1..16 {
        code = (code + with[length - 1]) << 1;
        next[length] = code;
    }
    found.map(|length| {
        if length == 0 {
            return (0, 0);
        }
        let next = &mut next[usize::from(length)];
        let code = next.reverse_bits() >> (16 - length);
        *next += 1;
        (code, length)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bits that the best prefix code takes: Huffman's sum, by brute force.
    fn best(counts: &[u32]) -> u64 {
        let mut heap: Vec<u64> = counts.iter().filter(|c| **c > 0).map(|c| u64::from(*c)).collect();
        let mut sum = 0;
        while heap.len() > 1 {
            heap.sort_unstable_by(|a, b| b.cmp(a));
            let two = heap.pop().unwrap() + heap.pop().unwrap();
            sum += two;
            heap.push(two);
        }
        sum
    }

    fn check(counts: &[u32], most: u8) -> u64 {
        let mut found = vec![0; counts.len()];
        lengths(counts, most, &mut found);
        let used = counts.iter().filter(|count| **count > 0).count();
        let room: f64 = found.iter().filter(|l| **l > 0).map(|l| 0.5_f64.powi((*l).into())).sum();
        assert!(found.iter().all(|length| *length <= most));
        assert!(counts.iter().zip(&found).all(|(count, length)| (*count > 0) == (*length > 0)));
        assert!(used < 2 || room == 1.0, "{room}");
        counts.iter().zip(&found).map(|(count, length)| u64::from(*count) * u64::from(*length)).sum()
    }

    #[test]
    fn fibonacci_counts_are_cut_to_the_limit() {
        let mut counts = vec![1_u32, 1];
        while counts.len() < 40 {
            counts.push(counts[counts.len() - 1] + counts[counts.len() - 2]);
        }
        assert!(check(&counts, 15) > best(&counts));
        check(&counts[..19], 7);
    }

    #[test]
    fn few_symbols_have_short_codes() {
        let mut found = [0; 4];
        lengths(&[0, 0, 0, 0], 15, &mut found);
        assert_eq!(found, [0; 4]);
        lengths(&[0, 7, 0, 0], 15, &mut found);
        assert_eq!(found, [0, 1, 0, 0]);
        lengths(&[0, 7, 0, 1], 15, &mut found);
        assert_eq!(found, [0, 1, 0, 1]);
    }

    proptest! {
        #[test]
        fn codes_are_the_best_where_the_limit_lets_them(counts in prop::collection::vec(0_u32..5000, 2..286)) {
            let bits = check(&counts, 15);
            let deep = counts.iter().filter(|count| **count > 0).count() < 16;
            prop_assert!(!deep || counts.iter().filter(|c| **c > 0).count() < 2 || bits == best(&counts));
            prop_assert!(bits as f64 <= best(&counts) as f64 * 1.01 + 2.0 || counts.iter().filter(|c| **c > 0).count() < 2);
        }
    }
}
