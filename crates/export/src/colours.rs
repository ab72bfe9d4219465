//! A table with a value for each of the 2^24 opaque colours. Memory is taken where colours occur.

/// Colours of a block: those whose upper four bits of each channel are equal.
const BLOCK: usize = 1 << 12;

/// A value for each colour, at first the default.
#[derive(Clone, Debug)]
pub(crate) struct ColourTable<T> {
    blocks: Vec<Option<Box<[T]>>>,
}

impl<T: Copy + Default> Default for ColourTable<T> {
    fn default() -> Self {
        Self { blocks: vec![None; BLOCK] }
    }
}

impl<T: Copy + Default> ColourTable<T> {
    pub(crate) fn get_mut(&mut self, [red, green, blue]: [u8; 3]) -> &mut T {
        let high = |channel: u8| usize::from(channel >> 4);
        let low = |channel: u8| usize::from(channel & 15);
        let block = high(red) << 8 | high(green) << 4 | high(blue);
        let place = low(red) << 8 | low(green) << 4 | low(blue);
        let block = self.blocks[block].get_or_insert_with(|| vec![T::default(); BLOCK].into_boxed_slice());
        &mut block[place]
    }

    /// Colours with their values, by blocks, in a fixed order; those of blocks that were never touched are
    /// left out.
    pub(crate) fn iter(&self) -> impl Iterator<Item = ([u8; 3], T)> {
        let nibble = |value: usize, channel: usize| {
            #[allow(clippy::cast_possible_truncation, reason = "four bits")]
            let nibble = (value >> (4 * (2 - channel)) & 15) as u8;
            nibble
        };
        self.blocks.iter().enumerate().filter_map(|(high, block)| Some((high, block.as_ref()?))).flat_map(
            move |(high, block)| {
                block.iter().enumerate().map(move |(low, value)| {
                    ([0, 1, 2].map(|channel| nibble(high, channel) << 4 | nibble(low, channel)), *value)
                })
            },
        )
    }
}
