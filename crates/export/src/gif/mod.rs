//! Animated GIF: one palette for all frames, differences as rectangles with transparent pixels, and disposal
//! where pixels become transparent. Colours are counted in a first pass over the frames ([`GifColours`]), and
//! written in a second one ([`GifWriter`]).

mod lzw;
mod palette;

use std::io::Write;

use crate::batch::MOST_THREADS;
use crate::colours::ColourTable;
use crate::error::{ExportError, check_frame, check_size};
use crate::flatten::flatten;
use crate::parallel;
use crate::raster::{PixelRect, PixelSize, Rgba, bounds};
use crate::timing::{PlayRate, Plays};
use lzw::{Choice, Lzw};
use palette::Palette;

/// Delays are in hundredths of a second.
const UNITS: u32 = 100;
/// The shortest delay that all browsers keep; they turn 1 into 10.
const SHORTEST: u32 = 2;
/// The longest delay.
const LONGEST: u64 = u16::MAX as u64;

/// How colours are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GifOptions {
    /// Colours of the palette with the transparent one, from 2 to 256.
    pub colours: u16,
    /// Whether colours that the palette lacks are mixed of two in a fixed pattern (ordered dithering).
    pub dither: bool,
    /// The colour behind pixels that are transparent in part. Without one, pixels below half are transparent,
    /// and the others opaque.
    pub matte: Option<[u8; 3]>,
}

impl Default for GifOptions {
    fn default() -> Self {
        Self { colours: 256, dither: false, matte: None }
    }
}

/// Which frames a GIF shows, and when. It has at most 50 frames a second: of a faster clip, frames are left
/// out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GifTiming {
    count: u64,
    rate: PlayRate,
    shown: u64,
}

impl GifTiming {
    /// The frames shown of a clip with `count` frames.
    pub fn new(count: u64, rate: PlayRate) -> Self {
        let fast = rate.fps() > f64::from(UNITS / SHORTEST);
        let slots = rate.time(count, UNITS) / u64::from(SHORTEST);
        Self { count, rate, shown: if fast { slots.clamp(1, count.max(1)) } else { count } }
    }

    /// How many frames are shown.
    pub fn shown(&self) -> u64 {
        self.shown
    }

    /// The frame of the clip that is shown, from 0.
    pub fn frame(&self, shown: u64) -> u64 {
        if self.shown == self.count {
            return shown;
        }
        let (frames, seconds) = (u128::from(self.rate.frames), u128::from(self.rate.seconds.max(1)));
        let frame = u128::from(shown) * frames * u128::from(SHORTEST) / (seconds * u128::from(UNITS));
        u64::try_from(frame).map_or(self.count, |frame| frame.min(self.count.saturating_sub(1)))
    }

    /// When a shown frame begins, in hundredths of a second.
    fn start(&self, shown: u64) -> u64 {
        if self.shown == self.count {
            self.rate.time(shown, UNITS)
        } else if shown == self.shown {
            self.rate.time(self.count, UNITS).max(shown * u64::from(SHORTEST))
        } else {
            shown * u64::from(SHORTEST)
        }
    }
}

/// Counts the colours of frames, in any order.
#[derive(Debug)]
pub struct GifColours {
    options: GifOptions,
    counts: ColourTable<u32>,
}

impl GifColours {
    /// Without colours.
    pub fn new(options: GifOptions) -> Self {
        Self { options, counts: ColourTable::default() }
    }

    /// Counts the colours of a frame: straight RGBA, row by row.
    pub fn add(&mut self, frame: &[u8]) {
        for run in frame.as_chunks::<4>().0.chunk_by(|a, b| a == b) {
            if let Some(colour) = flattened(run[0], self.options.matte) {
                let count = self.counts.get_mut(colour);
                *count = count.saturating_add(u32::try_from(run.len()).unwrap_or(u32::MAX));
            }
        }
    }

    /// The palette for all frames that were added.
    pub fn palette(&self) -> GifPalette {
        let most = usize::from(self.options.colours.clamp(2, 256)) - 1;
        GifPalette { options: self.options, palette: Palette::find(&self.counts, most) }
    }
}

/// The palette of a GIF.
#[derive(Clone, Debug)]
pub struct GifPalette {
    options: GifOptions,
    palette: Palette,
}

/// What a pixel of one bit of alpha shows; `None` if it is transparent.
fn flattened(pixel: Rgba, matte: Option<[u8; 3]>) -> Option<[u8; 3]> {
    let [red, green, blue, alpha] = pixel;
    match (alpha, matte) {
        (255, _) => Some([red, green, blue]),
        (0, _) => None,
        (_, Some(matte)) => Some(flatten(pixel, matte)),
        (alpha, None) => (alpha >= 128).then_some([red, green, blue]),
    }
}

/// Which colours of the palette stand for a colour.
#[derive(Clone, Copy, Default)]
struct Stand {
    known: bool,
    near: u8,
    /// The colour on its other side, and how many of 64 pixels have it.
    far: u8,
    far_share: u8,
}

/// Bayer's matrix of 8 x 8 thresholds, from 0 to 63.
fn threshold(x: usize, y: usize) -> u8 {
    let mut value = 0;
    for bit in 0..3 {
        let (x, y) = (x >> bit & 1, y >> bit & 1);
        value = value << 2 | (x ^ y) << 1 | y;
    }
    #[allow(clippy::cast_possible_truncation, reason = "six bits")]
    let value = value as u8;
    value
}

/// A frame whose disposal is known when the next one is.
#[derive(Debug, Default)]
struct Pending {
    /// What the screen shows before the frame, and with it; indices.
    before: Vec<u8>,
    frame: Vec<u8>,
    start: u64,
}

/// An image block that is to be compressed.
struct Block {
    rect: PixelRect,
    pixels: Vec<Choice>,
    delay: u64,
    clears: bool,
}

/// Writes frames in order.
pub struct GifWriter<W> {
    out: W,
    size: PixelSize,
    timing: GifTiming,
    palette: GifPalette,
    transparent: u8,
    table: ColourTable<Stand>,
    pending: Option<Pending>,
    /// The indices of the frame that is pushed.
    indices: Vec<u8>,
    pushed: u64,
    /// Whether a block was made.
    written: bool,
    blocks: Vec<Block>,
    scratch: Vec<(Lzw, Vec<u8>)>,
}

impl<W> std::fmt::Debug for GifWriter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GifWriter")
            .field("size", &self.size)
            .field("timing", &self.timing)
            .finish_non_exhaustive()
    }
}

impl<W: Write> GifWriter<W> {
    /// Writes the header. Frames are compressed by so many threads.
    ///
    /// # Errors
    /// If a side is longer than 65,535 pixels, or the header cannot be written.
    pub fn new(
        mut out: W,
        size: PixelSize,
        timing: GifTiming,
        palette: GifPalette,
        plays: Plays,
        threads: usize,
    ) -> Result<Self, ExportError> {
        check_size("GIF", size, u16::MAX.into())?;
        let colours = palette.palette.colours();
        #[allow(clippy::cast_possible_truncation, reason = "a palette has at most 255 colours without it")]
        let transparent = colours.len() as u8;
        let bits = bits_of(transparent);
        let mut header = b"GIF89a".to_vec();
        for side in [size.width, size.height] {
            header.extend_from_slice(&side.to_le_bytes()[..2]);
        }
        #[allow(clippy::cast_possible_truncation, reason = "from 1 to 8")]
        let depth = (bits - 1) as u8;
        // A global table of this size; its first colour is behind everything, though no reader shows it.
        header.extend_from_slice(&[0x80 | depth << 4 | depth, transparent, 0]);
        for colour in colours.iter().chain(std::iter::repeat(&[0; 3])).take(1 << bits) {
            header.extend_from_slice(colour);
        }
        // Without this block a GIF is played once. Its number counts repetitions.
        let repetitions = match plays {
            Plays::Endless => Some(0),
            Plays::Times(times) => Some(times.get() - 1).filter(|repetitions| *repetitions > 0),
        };
        if let Some(repetitions) = repetitions.filter(|_| timing.shown() > 1) {
            header.extend_from_slice(b"\x21\xff\x0bNETSCAPE2.0\x03\x01");
            header.extend_from_slice(&repetitions.to_le_bytes());
            header.push(0);
        }
        out.write_all(&header)?;
        Ok(Self {
            out,
            size,
            timing,
            palette,
            transparent,
            table: ColourTable::default(),
            pending: None,
            indices: Vec::new(),
            pushed: 0,
            written: false,
            blocks: Vec::new(),
            scratch: (0..threads.clamp(1, MOST_THREADS)).map(|_| Default::default()).collect(),
        })
    }

    /// Writes the next frame that [`GifTiming`] shows: straight RGBA, row by row.
    ///
    /// # Errors
    /// If the frame has another size, there are too many, or the file cannot be written.
    pub fn push(&mut self, frame: &[u8]) -> Result<(), ExportError> {
        check_frame(frame, self.size)?;
        if self.pushed == self.timing.shown() {
            return Err(ExportError::TooManyFrames);
        }
        self.index(frame);
        let start = self.timing.start(self.pushed);
        self.pushed += 1;
        let Some(pending) = self.pending.take() else {
            let before = vec![self.transparent; self.size.area()];
            let frame = std::mem::take(&mut self.indices);
            self.pending = Some(Pending { before, frame, start });
            return Ok(());
        };
        if pending.frame == self.indices {
            // A frame that looks the same lengthens the last one.
            self.pending = Some(pending);
            return Ok(());
        }
        let (shown, next, transparent) = (&pending.frame, &self.indices, self.transparent);
        let cleared = bounds(self.size, |at| next[at] == transparent && shown[at] != transparent);
        let (rect, mut pending) = self.block(pending, start, cleared);
        // The next frame is drawn on what its disposal leaves.
        if cleared.is_some() {
            for row in rect.rows(self.size.width) {
                pending.frame[row].fill(transparent);
            }
        }
        std::mem::swap(&mut self.indices, &mut pending.before);
        std::mem::swap(&mut pending.before, &mut pending.frame);
        pending.start = start;
        self.pending = Some(pending);
        let bytes = self.blocks.iter().map(|block| block.pixels.len() * size_of::<Choice>());
        if parallel::is_batch(bytes, self.scratch.len()) {
            self.compress()?;
        }
        Ok(())
    }

    /// Writes what is left, and returns what was written to.
    ///
    /// # Errors
    /// If there are too few frames, or the file cannot be written.
    pub fn finish(mut self) -> Result<W, ExportError> {
        if self.pushed < self.timing.shown() {
            return Err(ExportError::TooFewFrames);
        }
        let pending = self.pending.take().ok_or(ExportError::TooFewFrames)?;
        let end = self.timing.start(self.pushed);
        self.block(pending, end, None);
        self.compress()?;
        self.out.write_all(b";")?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Finds the index of each pixel.
    fn index(&mut self, frame: &[u8]) {
        let Self { indices, table, palette, transparent, size, .. } = self;
        indices.clear();
        let width = size.width as usize;
        let pixels = frame.as_chunks::<4>().0;
        let mut last = (pixels[0], Stand::default());
        for (y, row) in pixels.chunks_exact(width).enumerate() {
            for (x, pixel) in row.iter().enumerate() {
                if *pixel != last.0 || !last.1.known {
                    let stand = match flattened(*pixel, palette.options.matte) {
                        None => Stand { known: true, near: *transparent, far: *transparent, far_share: 0 },
                        Some(colour) => {
                            let entry = table.get_mut(colour);
                            if !entry.known {
                                *entry = palette.stand(colour);
                            }
                            *entry
                        }
                    };
                    last = (*pixel, stand);
                }
                let Stand { near, far, far_share, .. } = last.1;
                indices.push(if far_share > 0 && threshold(x & 7, y & 7) < far_share { far } else { near });
            }
        }
    }

    /// Adds the image block of a frame that ends when `end` comes and is cleared in a rectangle, if there is
    /// one.
    fn block(&mut self, pending: Pending, end: u64, cleared: Option<PixelRect>) -> (PixelRect, Pending) {
        let Pending { before, frame, start } = &pending;
        let changed = if !self.written {
            Some(self.size.whole())
        } else {
            bounds(self.size, |at| before[at] != frame[at])
        };
        // A frame that changes nothing is a rectangle all the same.
        let one = PixelRect { x: 0, y: 0, width: 1, height: 1 };
        let rect = match (changed, cleared) {
            (Some(changed), Some(cleared)) => changed.union(cleared),
            (changed, cleared) => changed.or(cleared).unwrap_or(one),
        };
        let mut pixels = Vec::with_capacity(rect.area());
        for row in rect.rows(self.size.width) {
            let both = frame[row.clone()].iter().zip(&before[row]);
            pixels.extend(both.map(|(index, before)| Choice { index: *index, unchanged: index == before }));
        }
        self.blocks.push(Block { rect, pixels, delay: end - start, clears: cleared.is_some() });
        self.written = true;
        (rect, pending)
    }

    fn compress(&mut self) -> Result<(), ExportError> {
        let (transparent, bits) = (self.transparent, bits_of(self.transparent));
        let done = parallel::map(&self.blocks, &mut self.scratch, |(lzw, codes), block| {
            codes.clear();
            lzw.compress(&block.pixels, transparent, bits.max(2), codes);
            image(block, transparent, bits, codes)
        });
        for bytes in done {
            self.out.write_all(&bytes)?;
        }
        self.blocks.clear();
        Ok(())
    }
}

impl GifPalette {
    /// The colours that stand for a colour.
    fn stand(&self, colour: [u8; 3]) -> Stand {
        #[allow(clippy::cast_possible_truncation, reason = "at most 255 colours")]
        let index = |(index, _): (usize, f32)| index as u8;
        let near = index(self.palette.nearest(colour));
        let mut stand = Stand { known: true, near, far: near, far_share: 0 };
        if self.options.dither {
            let colours = self.palette.colours();
            let here = colours[usize::from(near)];
            // On the other side of the colour, as far as it takes to come to another one.
            let beyond = |steps: i32| {
                let far = [0, 1, 2].map(|k| {
                    let step = i32::from(colour[k]) - i32::from(here[k]);
                    (i32::from(colour[k]) + steps * step).clamp(0, 255)
                });
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
                let far = far.map(|channel| channel as u8);
                index(self.palette.nearest(far))
            };
            let far = [1, 2, 4, 8, 16].into_iter().map(beyond).find(|far| *far != near).unwrap_or(near);
            // The share of the other colour is where the colour lies between both.
            let there = colours[usize::from(far)];
            let way = [0, 1, 2].map(|k| i32::from(there[k]) - i32::from(here[k]));
            let gone = [0, 1, 2].map(|k| i32::from(colour[k]) - i32::from(here[k]));
            let dot = |a: [i32; 3], b: [i32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            let (along, length) = (dot(way, gone), dot(way, way));
            if length > 0 && along > 0 {
                stand.far = far;
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 32")]
                let share = ((along * 64 + length / 2) / length).min(32) as u8;
                stand.far_share = share;
            }
        }
        stand
    }
}

/// Bits of an index, from 1 to 8, if this is the largest one.
fn bits_of(largest: u8) -> u32 {
    (8 - largest.leading_zeros()).max(1)
}

/// An image block, or several where its delay is too long for one.
fn image(block: &Block, transparent: u8, bits: u32, codes: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(codes.len() + codes.len() / 255 + 32);
    let mut left = block.delay;
    loop {
        let delay = left.min(LONGEST);
        left -= delay;
        // Disposal 2 clears the rectangle of the frame when it ends, 1 leaves it.
        let disposal = if block.clears && left == 0 { 2 } else { 1 };
        bytes.extend_from_slice(&[0x21, 0xf9, 4, disposal << 2 | 1]);
        bytes.extend_from_slice(&delay.to_le_bytes()[..2]);
        bytes.extend_from_slice(&[transparent, 0, 0x2c]);
        let PixelRect { x, y, width, height } = block.rect;
        for number in [x, y, width, height] {
            bytes.extend_from_slice(&number.to_le_bytes()[..2]);
        }
        #[allow(clippy::cast_possible_truncation, reason = "from 2 to 8")]
        let bits = bits.max(2) as u8;
        bytes.extend_from_slice(&[0, bits]);
        for part in codes.chunks(255) {
            #[allow(clippy::cast_possible_truncation, reason = "a chunk of 255")]
            let length = part.len() as u8;
            bytes.push(length);
            bytes.extend_from_slice(part);
        }
        bytes.push(0);
        if left == 0 {
            return bytes;
        }
    }
}
