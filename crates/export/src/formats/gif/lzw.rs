//! GIF's LZW (GIF89a specification, appendix F), where some pixels may have one of two values.

/// The codes of a stream have at most this many bits.
const MOST_BITS: u32 = 12;
const CODES: usize = 1 << MOST_BITS;

/// The values that a pixel may have: the index of its colour, and where the pixel need not change also that
/// of the transparent colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PixelChoice {
    pub(super) index: u8,
    /// Whether the transparent index shows the same.
    pub(super) unchanged: bool,
}

/// Compresses streams one after the other, and reuses its memory.
#[derive(Debug)]
pub(super) struct Lzw {
    /// For each code and value the code of the string that is longer by it, above the number of the
    /// dictionary: entries of earlier dictionaries are void.
    children: Vec<u32>,
    dictionary: u32,
    /// Strings that match, by code and, for each step, the position in the list of the step before.
    active: Vec<u32>,
    next: Vec<u32>,
}

impl Default for Lzw {
    fn default() -> Self {
        Self { children: vec![0; CODES << 8], dictionary: 0, active: Vec::new(), next: Vec::new() }
    }
}

struct CodeBits<'a> {
    out: &'a mut Vec<u8>,
    waiting: u32,
    count: u32,
}

impl CodeBits<'_> {
    fn put(&mut self, code: u32, bits: u32) {
        self.waiting |= code << self.count;
        self.count += bits;
        while self.count >= 8 {
            #[allow(clippy::cast_possible_truncation, reason = "the lowest byte")]
            self.out.push(self.waiting as u8);
            self.waiting >>= 8;
            self.count -= 8;
        }
    }
}

impl Lzw {
    /// Appends the codes of `pixels`, whose values have at most `bits` bits, from 2 to 8.
    pub(super) fn compress(&mut self, pixels: &[PixelChoice], transparent: u8, bits: u32, out: &mut Vec<u8>) {
        let clear = 1 << bits;
        let end = clear + 1;
        let mut out = CodeBits { out, waiting: 0, count: 0 };
        let (mut next_code, mut width) = (end + 1, bits + 1);
        self.new_dictionary();
        out.put(clear, width);
        let (mut at, mut last) = (0, None);
        while at < pixels.len() {
            let PixelChoice { index, unchanged } = pixels[at];
            let mut may_be = |value| self.extended(last, value, next_code, &pixels[at..], transparent);
            let found = if unchanged && index != transparent {
                // Of equally long strings the transparent one: most strings of unchanged pixels are.
                let [clear, opaque] = [transparent, index].map(&mut may_be);
                if opaque.length > clear.length { opaque } else { clear }
            } else {
                may_be(index)
            };
            // The string before becomes longer by the first value of this one, which may be that string
            // already.
            if let Some(last) = last {
                self.children[entry(last, found.first)] = self.dictionary << MOST_BITS | next_code;
                next_code += 1;
            }
            out.put(found.code, width);
            at += found.length;
            last = Some(found.code);
            if next_code == CODES as u32 {
                out.put(clear, width);
                self.new_dictionary();
                (next_code, width, last) = (end + 1, bits + 1, None);
            } else if next_code == 1 << width {
                width += 1;
            }
        }
        out.put(end, width);
        if out.count > 0 {
            out.put(0, 8 - out.count);
        }
    }

    fn new_dictionary(&mut self) {
        self.dictionary += 1;
        if self.dictionary == 1 << 20 {
            self.children.fill(0);
            self.dictionary = 1;
        }
    }

    /// The longest string that the pixels may begin with if their first value is this one, where the string
    /// before, longer by that value, has the next code.
    fn extended(
        &mut self,
        last: Option<u32>,
        first: u8,
        next_code: u32,
        pixels: &[PixelChoice],
        transparent: u8,
    ) -> LongestMatch {
        let Some(last) = last else { return self.longest(first, pixels, transparent) };
        let entry = entry(last, first);
        self.children[entry] = self.dictionary << MOST_BITS | next_code;
        let found = self.longest(first, pixels, transparent);
        self.children[entry] = 0;
        found
    }

    fn longest(&mut self, first: u8, pixels: &[PixelChoice], transparent: u8) -> LongestMatch {
        self.active.clear();
        self.active.push(u32::from(first));
        let mut length = 1;
        for pixel in &pixels[1..] {
            self.next.clear();
            for code in &self.active {
                let mut step = |value: u8| {
                    let child = self.children[entry(*code, value)];
                    if child >> MOST_BITS == self.dictionary {
                        self.next.push(child & (CODES as u32 - 1));
                    }
                };
                step(pixel.index);
                if pixel.unchanged && pixel.index != transparent {
                    step(transparent);
                }
            }
            if self.next.is_empty() {
                break;
            }
            std::mem::swap(&mut self.active, &mut self.next);
            length += 1;
        }
        LongestMatch { first, code: self.active[self.active.len() - 1], length }
    }
}

/// A string of the dictionary that pixels begin with.
#[derive(Clone, Copy)]
struct LongestMatch {
    first: u8,
    code: u32,
    length: usize,
}

fn entry(code: u32, value: u8) -> usize {
    (code as usize) << 8 | usize::from(value)
}
