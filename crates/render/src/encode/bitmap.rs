//! One bit for each pixel of a row, and the lengths of runs of equal bits. Comparisons have no branches, and
//! runs need no comparison of pixels.

use tiny_skia::PremultipliedColorU8;

/// Pixels of a word.
const WORD: usize = 64;

/// Bits behind the last pixel are 0.
#[derive(Debug, Default)]
pub(super) struct Bitmap {
    words: Vec<u64>,
}

impl Bitmap {
    /// Sets the bits of pixels that are equal; both rows have as many.
    pub(super) fn compare(&mut self, a: &[PremultipliedColorU8], b: &[PremultipliedColorU8]) {
        self.words.clear();
        let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<WORD>(), b.as_chunks::<WORD>());
        self.words.extend(a.iter().zip(b).map(|(a, b)| bits(a, b)));
        // The position after the last pixel is valid too.
        self.words.push(bits(a_rest, b_rest));
    }

    /// Clears the bits of so many pixels.
    pub(super) fn clear(&mut self, pixels: usize) {
        self.words.clear();
        self.words.resize(pixels / WORD + 1, 0);
    }

    /// How many bits from a place on are set.
    #[inline(always)]
    pub(super) fn run(&self, from: usize) -> usize {
        let (word, place) = (from / WORD, from % WORD);
        let first = (!self.words[word] >> place).trailing_zeros() as usize;
        if first < WORD - place {
            return first;
        }
        let mut length = WORD - place;
        for word in &self.words[word + 1..] {
            let ones = word.trailing_ones() as usize;
            length += ones;
            if ones < WORD {
                break;
            }
        }
        length
    }

    /// How many bits from a place on are 0; more than the rest of the row at its end.
    #[inline(always)]
    pub(super) fn gap(&self, from: usize) -> usize {
        let (word, place) = (from / WORD, from % WORD);
        let first = (self.words[word] >> place).trailing_zeros() as usize;
        if first < WORD - place {
            return first;
        }
        let mut length = WORD - place;
        for word in &self.words[word + 1..] {
            let zeros = word.trailing_zeros() as usize;
            length += zeros;
            if zeros < WORD {
                break;
            }
        }
        length
    }
}

/// Which pixels are equal, of as many as a word holds.
#[inline(always)]
fn bits(a: &[PremultipliedColorU8], b: &[PremultipliedColorU8]) -> u64 {
    let ((fours, rest), (fours_b, rest_b)) = (a.as_chunks(), b.as_chunks());
    let mut word = 0;
    for (k, (a, b)) in fours.iter().zip(fours_b).enumerate() {
        word |= u64::from(four(a, b)) << (4 * k);
    }
    for (k, (a, b)) in rest.iter().zip(rest_b).enumerate() {
        word |= u64::from(a == b) << (4 * fours.len() + k);
    }
    word
}

/// Which of four pixels are equal. It compiles to two instructions.
#[inline(always)]
fn four(a: &[PremultipliedColorU8; 4], b: &[PremultipliedColorU8; 4]) -> u32 {
    let mut bits = 0;
    for k in 0..4 {
        bits |= u32::from(a[k] == b[k]) << k;
    }
    bits
}
