//! Animated GIF: one palette for all frames, differences as rectangles with transparent pixels, and disposal
//! where pixels become transparent. Colours are counted in a first pass over the frames, and written in a
//! second one.

mod lzw;

use super::{Animation, FormatKind, FrameWriter, OutputFile};
use crate::batch::MOST_THREADS;
use crate::colours::ColourTable;
use crate::error::{ExportError, check_frame, check_size};
use crate::flatten::flatten;
use crate::palette::Palette;
use crate::parallel;
use crate::raster::{PixelRect, Rgba, bounds};
use crate::timing::{PlayRate, Plays};
use lzw::{Lzw, PixelChoice};

pub(super) const FRAMES: FormatKind = FormatKind::Frames {
    writer: |animation| Ok(Box::new(GifWriter::new(animation)?)),
    looks: true,
    most_fps: Some(UNITS / SHORTEST),
};

/// Delays are in hundredths of a second.
const UNITS: u32 = 100;
/// The shortest delay that all browsers keep; they turn 1 into 10.
const SHORTEST: u32 = 2;
/// The longest delay.
const LONGEST: u64 = u16::MAX as u64;

/// Which frames a GIF shows, and when. It has at most 50 frames a second: of a faster clip, frames are left
/// out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct GifTiming {
    count: u64,
    rate: PlayRate,
    shown: u64,
}

impl GifTiming {
    /// The frames shown of a clip with `count` frames.
    fn new(count: u64, rate: PlayRate) -> Self {
        let fast = rate.fps() > f64::from(UNITS / SHORTEST);
        let slots = rate.time(count, UNITS) / u64::from(SHORTEST);
        Self { count, rate, shown: if fast { slots.max(1).min(count) } else { count } }
    }

    /// The frame of the clip that is shown, from 0.
    fn frame(&self, shown: u64) -> u64 {
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
struct PendingFrame {
    /// What the screen shows before the frame, and with it; indices.
    before: Vec<u8>,
    frame: Vec<u8>,
    start: u64,
}

/// An image block that is to be compressed.
struct Block {
    rect: PixelRect,
    pixels: Vec<PixelChoice>,
    delay: u64,
    clears: bool,
}

/// Writes frames in order.
struct GifWriter {
    animation: Animation,
    timing: GifTiming,
    counts: ColourTable<u32>,
    /// Found when the first frame is pushed.
    palette: Palette<3>,
    transparent: u8,
    table: ColourTable<Stand>,
    pending: Option<PendingFrame>,
    /// The indices of the frame that is pushed.
    indices: Vec<u8>,
    pushed: u64,
    /// Whether a block was made.
    written: bool,
    blocks: Vec<Block>,
    scratch: Vec<(Lzw, Vec<u8>)>,
}

impl GifWriter {
    fn new(animation: &Animation) -> Result<Self, ExportError> {
        check_size("GIF", animation.size, u16::MAX.into())?;
        Ok(Self {
            animation: *animation,
            timing: GifTiming::new(animation.frames, animation.rate),
            counts: ColourTable::default(),
            palette: Palette::new(Vec::new()),
            transparent: 0,
            table: ColourTable::default(),
            pending: None,
            indices: Vec::new(),
            pushed: 0,
            written: false,
            blocks: Vec::new(),
            scratch: (0..animation.threads.clamp(1, MOST_THREADS)).map(|_| Default::default()).collect(),
        })
    }

    /// Finds the palette, and writes what is before the first frame.
    fn begin(&mut self, out: &mut dyn OutputFile) -> Result<(), ExportError> {
        let Animation { size, plays, colours, .. } = self.animation;
        self.palette =
            Palette::find(std::mem::take(&mut self.counts).iter(), usize::from(colours.clamp(2, 256)) - 1);
        let colours = self.palette.colours();
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
        if let Some(repetitions) = repetitions.filter(|_| self.timing.shown > 1) {
            header.extend_from_slice(b"\x21\xff\x0bNETSCAPE2.0\x03\x01");
            header.extend_from_slice(&repetitions.to_le_bytes());
            header.push(0);
        }
        out.write_all(&header)?;
        self.transparent = transparent;
        Ok(())
    }

    /// Finds the index of each pixel.
    fn index(&mut self, frame: &[u8]) {
        let Self { indices, table, palette, transparent, animation, .. } = self;
        indices.clear();
        let width = animation.size.width as usize;
        let pixels = frame.as_chunks::<4>().0;
        let mut last = (pixels[0], Stand::default());
        for (y, row) in pixels.chunks_exact(width).enumerate() {
            for (x, pixel) in row.iter().enumerate() {
                if *pixel != last.0 || !last.1.known {
                    let stand = match flattened(*pixel, animation.matte) {
                        None => Stand { known: true, near: *transparent, far: *transparent, far_share: 0 },
                        Some(colour) => {
                            let entry = table.get_mut(colour);
                            if !entry.known {
                                *entry = palette.stand(colour, animation.dither);
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
    fn block(
        &mut self,
        pending: PendingFrame,
        end: u64,
        cleared: Option<PixelRect>,
    ) -> (PixelRect, PendingFrame) {
        let PendingFrame { before, frame, start } = &pending;
        let changed = if !self.written {
            Some(self.animation.size.whole())
        } else {
            bounds(self.animation.size, |at| before[at] != frame[at])
        };
        // A frame that changes nothing is a rectangle all the same.
        let one = PixelRect { x: 0, y: 0, width: 1, height: 1 };
        let rect = match (changed, cleared) {
            (Some(changed), Some(cleared)) => changed.union(cleared),
            (changed, cleared) => changed.or(cleared).unwrap_or(one),
        };
        let mut pixels = Vec::with_capacity(rect.area());
        for row in rect.rows(self.animation.size.width) {
            let both = frame[row.clone()].iter().zip(&before[row]);
            pixels.extend(
                both.map(|(index, before)| PixelChoice { index: *index, unchanged: index == before }),
            );
        }
        self.blocks.push(Block { rect, pixels, delay: end - start, clears: cleared.is_some() });
        self.written = true;
        (rect, pending)
    }

    fn compress(&mut self, out: &mut dyn OutputFile) -> Result<(), ExportError> {
        let (transparent, bits) = (self.transparent, bits_of(self.transparent));
        let done = parallel::map(&self.blocks, &mut self.scratch, |(lzw, codes), block| {
            codes.clear();
            lzw.compress(&block.pixels, transparent, bits.max(2), codes);
            image(block, transparent, bits, codes)
        });
        for bytes in done {
            out.write_all(&bytes)?;
        }
        self.blocks.clear();
        Ok(())
    }
}

impl FrameWriter for GifWriter {
    fn shown(&self, at: usize) -> Option<usize> {
        let at = Some(at as u64).filter(|at| *at < self.timing.shown)?;
        usize::try_from(self.timing.frame(at)).ok()
    }

    fn look(&mut self, frame: &[u8]) {
        for run in frame.as_chunks::<4>().0.chunk_by(|a, b| a == b) {
            if let Some(colour) = flattened(run[0], self.animation.matte) {
                let count = self.counts.get_mut(colour);
                *count = count.saturating_add(u32::try_from(run.len()).unwrap_or(u32::MAX));
            }
        }
    }

    fn push(&mut self, frame: &[u8], out: &mut dyn OutputFile) -> Result<(), ExportError> {
        check_frame(frame, self.animation.size)?;
        if self.pushed == self.timing.shown {
            return Err(ExportError::TooManyFrames);
        }
        if self.pushed == 0 {
            self.begin(out)?;
        }
        self.index(frame);
        let start = self.timing.start(self.pushed);
        self.pushed += 1;
        let Some(pending) = self.pending.take() else {
            let before = vec![self.transparent; self.animation.size.area()];
            let frame = std::mem::take(&mut self.indices);
            self.pending = Some(PendingFrame { before, frame, start });
            return Ok(());
        };
        if pending.frame == self.indices {
            // A frame that looks the same lengthens the last one.
            self.pending = Some(pending);
            return Ok(());
        }
        let (shown, next, transparent) = (&pending.frame, &self.indices, self.transparent);
        let cleared = bounds(self.animation.size, |at| next[at] == transparent && shown[at] != transparent);
        let (rect, mut pending) = self.block(pending, start, cleared);
        // The next frame is drawn on what its disposal leaves.
        if cleared.is_some() {
            for row in rect.rows(self.animation.size.width) {
                pending.frame[row].fill(transparent);
            }
        }
        std::mem::swap(&mut self.indices, &mut pending.before);
        std::mem::swap(&mut pending.before, &mut pending.frame);
        pending.start = start;
        self.pending = Some(pending);
        let bytes = self.blocks.iter().map(|block| block.pixels.len() * size_of::<PixelChoice>());
        if parallel::is_batch(bytes, self.scratch.len()) {
            self.compress(out)?;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn OutputFile) -> Result<(), ExportError> {
        if self.pushed < self.timing.shown {
            return Err(ExportError::TooFewFrames);
        }
        let pending = self.pending.take().ok_or(ExportError::TooFewFrames)?;
        let end = self.timing.start(self.pushed);
        self.block(pending, end, None);
        self.compress(out)?;
        out.write_all(b";")?;
        Ok(out.flush()?)
    }
}

impl Palette<3> {
    /// The colours that stand for a colour.
    fn stand(&self, colour: [u8; 3], dither: bool) -> Stand {
        #[allow(clippy::cast_possible_truncation, reason = "at most 255 colours")]
        let index = |(index, _): (usize, f32)| index as u8;
        let near = index(self.nearest(colour));
        let mut stand = Stand { known: true, near, far: near, far_share: 0 };
        if dither {
            let colours = self.colours();
            let here = colours[usize::from(near)];
            // On the other side of the colour, as far as it takes to come to another one.
            let beyond = |steps: i32| {
                let far = [0, 1, 2].map(|k| {
                    let step = i32::from(colour[k]) - i32::from(here[k]);
                    (i32::from(colour[k]) + steps * step).clamp(0, 255)
                });
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
                let far = far.map(|channel| channel as u8);
                index(self.nearest(far))
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
