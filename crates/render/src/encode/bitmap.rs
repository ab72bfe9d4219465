//! One bit a pixel of a row, and how long bits stay what they are: a comparison without branches, and runs without comparisons.

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
        self.words.extend(a.iter().zip(b).map(|(a, b)| word(a, b)));
        let rest = a_rest.iter().zip(b_rest).enumerate();
        // A run may be asked for behind the last pixel.
        self.words.push(rest.fold(0, |word, (place, (a, b))| word | u64::from(a == b) << place));
    }

    /// Clears the bits of so many pixels.
    pub(super) fn clear(&mut self, pixels: usize) {
        self.words.clear();
        self.words.resize(pixels / WORD + 1, 0);
    }

    /// Moves all bits up by one place.
    pub(super) fn shift(&mut self) {
        let mut carry = 0;
        for word in &mut self.words {
            let next = *word >> (WORD - 1);
            *word = *word << 1 | carry;
            carry = next;
        }
    }

    /// How many bits from a place on are set.
    #[inline(always)]
    pub(super) fn run(&self, from: usize) -> usize {
        self.length(from, 0)
    }

    /// How many bits from a place on are clear; without end behind the last pixel.
    #[inline(always)]
    pub(super) fn gap(&self, from: usize) -> usize {
        self.length(from, !0)
    }

    #[inline(always)]
    fn length(&self, from: usize, flip: u64) -> usize {
        let (word, place) = (from / WORD, from % WORD);
        let first = (!(self.words[word] ^ flip) >> place).trailing_zeros() as usize;
        if first < WORD - place {
            return first;
        }
        let mut length = WORD - place;
        for word in &self.words[word + 1..] {
            let ones = (word ^ flip).trailing_ones() as usize;
            length += ones;
            if ones < WORD {
                break;
            }
        }
        length
    }
}

/// Which pixels are equal.
#[inline(always)]
fn word(a: &[PremultipliedColorU8; WORD], b: &[PremultipliedColorU8; WORD]) -> u64 {
    let fours = a.as_chunks().0.iter().zip(b.as_chunks().0);
    let mut word = 0;
    for (k, (a, b)) in fours.enumerate() {
        word |= u64::from(four(a, b)) << (4 * k);
    }
    word
}

/// Which of four pixels are equal: written so that a compiler sees two instructions in it.
#[inline(always)]
fn four(a: &[PremultipliedColorU8; 4], b: &[PremultipliedColorU8; 4]) -> u32 {
    let mut bits = 0;
    for k in 0..4 {
        bits |= u32::from(a[k] == b[k]) << k;
    }
    bits
}
