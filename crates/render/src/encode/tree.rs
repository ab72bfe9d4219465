//! All lengths of matches of each position, each at its least distance: a binary tree for every hash of four
//! bytes, sorted by the bytes from a position on, the latest position at its root (as in LZMA and libdeflate).
//! Positions that share many bytes are not sorted among each other: each has the one before, in a chain.

/// How far back a match may be: less than this.
const WINDOW: usize = 1 << 15;
/// Positions that share so many bytes are in a chain, of which the last is in the tree. Positions within a
/// match of this length are entered, and not searched for matches.
pub(super) const GOOD: usize = 128;
/// Places of a tree that a position is compared with, and of a chain.
const DEPTH: usize = 100;
const CHAINED: usize = 200;
/// How far back a match of three bytes pays.
const NEAR: usize = WINDOW / 8;
const HASH_BITS: u32 = 16;
const HASHES: usize = 1 << HASH_BITS;

/// Longest match.
pub(super) const LONGEST: usize = 258;

/// A length, and its distance less 1.
pub(super) type Match = (u16, u16);

/// Places are positions above the window, so that 0 is too far back for all.
#[derive(Debug)]
pub(super) struct Tree {
    /// The last position of each hash of four bytes and of three.
    roots: Box<[u32; HASHES]>,
    threes: Box<[u32; HASHES]>,
    /// Of each position of the window, the next one whose bytes come before its own, and after.
    children: Box<[[u32; 2]; WINDOW]>,
    /// Of each position of the window, the one before in its chain.
    chains: Box<[u32; WINDOW]>,
}

impl Default for Tree {
    fn default() -> Self {
        Self { roots: filled(0), threes: filled(0), children: filled([0; 2]), chains: filled(0) }
    }
}

/// An array on the heap; it never was on the stack.
fn filled<T: Clone + std::fmt::Debug, const N: usize>(value: T) -> Box<[T; N]> {
    vec![value; N].try_into().expect("as many as there are")
}

impl Tree {
    pub(super) fn clear(&mut self) {
        self.roots.fill(0);
        self.threes.fill(0);
    }

    /// Enters a position, and adds its matches in the order of their lengths. Positions are entered one after
    /// the other. The data is whole: what is compared up to the end of a part would not be sorted for the next.
    #[inline]
    pub(super) fn matches(&mut self, data: &[u8], at: usize, found: &mut Vec<Match>) {
        self.enter::<true>(data, at, found);
    }

    /// Enters a position.
    #[inline]
    pub(super) fn skip(&mut self, data: &[u8], at: usize) {
        self.enter::<false>(data, at, &mut Vec::new());
    }

    #[inline(always)]
    fn enter<const IS_WANTED: bool>(&mut self, data: &[u8], at: usize, found: &mut Vec<Match>) {
        let own = data.get(at..).unwrap_or_default();
        let most = own.len().min(if IS_WANTED { LONGEST } else { GOOD });
        let own = &own[..most];
        let Some(next) = own.first_chunk::<4>() else { return };
        let next = u32::from_le_bytes(*next);
        let here = place(at);
        let three = std::mem::replace(&mut self.threes[hash(next << 8)], here);
        let back = (here - three) as usize;
        if IS_WANTED && back <= NEAR && data[at - back..].starts_with(&own[..3]) {
            found.push(pair(3, back));
        }
        let mut node = std::mem::replace(&mut self.roots[hash(next)], here);
        self.chains[at % WINDOW] = 0;
        // Where the next place with lesser bytes, and with greater, is to be written.
        let (mut lesser, mut greater) = ((at % WINDOW, 0), (at % WINDOW, 1));
        // All places below share so many bytes with the position.
        let (mut with_lesser, mut with_greater) = (0, 0);
        let (mut length, mut best) = (0, 3);
        let good = GOOD.min(most);
        for _ in 0..DEPTH {
            let back = (here - node) as usize;
            if back >= WINDOW {
                break;
            }
            let other = &data[at - back..][..most];
            length += common(&other[length..], &own[length..]);
            let children = self.children[node as usize % WINDOW];
            if length > best {
                best = length;
                if IS_WANTED {
                    found.push(pair(length, back));
                }
            }
            if length >= good {
                // It takes the place of the other.
                self.children[lesser.0][lesser.1] = children[0];
                self.children[greater.0][greater.1] = children[1];
                self.chains[at % WINDOW] = node;
                if IS_WANTED {
                    self.longer(data, (node, at), best, found);
                }
                return;
            }
            if other[length] < own[length] {
                self.children[lesser.0][lesser.1] = node;
                lesser = (node as usize % WINDOW, 1);
                node = children[1];
                with_lesser = length;
            } else {
                self.children[greater.0][greater.1] = node;
                greater = (node as usize % WINDOW, 0);
                node = children[0];
                with_greater = length;
            }
            length = with_lesser.min(with_greater);
        }
        self.children[lesser.0][lesser.1] = 0;
        self.children[greater.0][greater.1] = 0;
    }

    /// Adds longer matches than `best` from the chain of a node.
    fn longer(&self, data: &[u8], (mut node, at): (u32, usize), mut best: usize, found: &mut Vec<Match>) {
        let most = LONGEST.min(data.len() - at);
        let (here, own) = (place(at), &data[at..][..most]);
        let mut last = (here - node) as usize;
        for _ in 0..CHAINED {
            if best >= most {
                return;
            }
            node = self.chains[node as usize % WINDOW];
            let back = (here - node) as usize;
            if back >= WINDOW || back <= last {
                return;
            }
            last = back;
            let other = &data[at - back..][..most];
            if other[best] == own[best] {
                let length = common(other, own);
                if length > best {
                    best = length;
                    found.push(pair(length, back));
                }
            }
        }
    }
}

/// A length, and its distance less 1.
#[allow(clippy::cast_possible_truncation, reason = "at most 258 and 32,767")]
fn pair(length: usize, back: usize) -> Match {
    (length as u16, (back - 1) as u16)
}

/// A position above the window; data has less than 4 GB.
#[allow(clippy::cast_possible_truncation, reason = "a frame has at most 1.6 GB")]
fn place(at: usize) -> u32 {
    (at + WINDOW) as u32
}

fn hash(bytes: u32) -> usize {
    (bytes.wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS)) as usize
}

/// How many bytes are the same at the start. Both have as many.
#[inline]
fn common(one: &[u8], other: &[u8]) -> usize {
    let (words, rest) = one.as_chunks::<8>();
    let (others, other_rest) = other.as_chunks::<8>();
    let mut length = 0;
    for (a, b) in words.iter().zip(others) {
        let differ = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differ != 0 {
            return length + differ.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    length + rest.iter().zip(other_rest).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(data: &[u8]) -> Vec<Vec<Match>> {
        let mut tree = Tree::default();
        let found = |at| {
            let mut found = Vec::new();
            tree.matches(data, at, &mut found);
            found
        };
        (0..data.len()).map(found).collect()
    }

    fn shared(data: &[u8], from: usize, at: usize) -> usize {
        data[from..].iter().zip(&data[at..]).take(LONGEST).take_while(|(a, b)| a == b).count()
    }

    /// Every match is one.
    fn check(data: &[u8], found: &[Vec<Match>]) {
        for (at, found) in found.iter().enumerate() {
            assert!(found.is_sorted_by(|a, b| a.0 < b.0), "{at}: {found:?}");
            for (length, back) in found {
                let from = at - usize::from(*back) - 1;
                assert!(shared(data, from, at) >= usize::from(*length), "{at}: {found:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn each_length_has_its_least_distance(data in prop::collection::vec(0_u8..4, 1..100)) {
            let found = all(&data);
            check(&data, &found);
            // The last three bytes have no hash.
            for (at, found) in found.iter().enumerate().take(data.len().saturating_sub(3)) {
                let (mut best, mut want) = (2, Vec::new());
                for from in (0..at).rev() {
                    let length = shared(&data, from, at);
                    if length > best {
                        best = length;
                        want.push(pair(length, at - from));
                    }
                }
                // Matches of three bytes are found apart, and may be a part of a longer one.
                let mut own = found.clone();
                own.retain(|(length, back)| *length != 3 || !found.iter().any(|o| o.0 > 3 && o.1 <= *back));
                prop_assert_eq!(&own, &want, "{}", at);
            }
        }

        #[test]
        fn matches_are_matches_behind_long_ones(
            parts in prop::collection::vec((0_usize..4, 0_usize..400, 0_u8..3), 1..150)
        ) {
            let mut data: Vec<u8> = (0..500_u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 29) as u8).collect();
            for (kind, length, byte) in parts {
                let from = data.len() - 500 + kind * 31;
                data.extend_from_within(from..(from + length).min(data.len()));
                data.push(byte);
            }
            let (mut tree, mut at, mut found) = (Tree::default(), 0, vec![Vec::new(); data.len()]);
            while at < data.len() {
                tree.matches(&data, at, &mut found[at]);
                let length = found[at].last().map_or(0, |(length, _)| usize::from(*length));
                at += 1;
                for _ in 1..if length >= GOOD { length } else { 0 } {
                    tree.skip(&data, at);
                    at += 1;
                }
            }
            check(&data, &found);
        }
    }
}
