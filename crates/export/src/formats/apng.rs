//! Animated PNG, exact. A frame is the rectangle that changed, drawn over what is shown with unchanged pixels
//! transparent, or in place of it; what the frame before leaves is chosen with it. Each is compressed several
//! ways, and the smallest is written. A first pass over the frames finds whether there is transparency, whether the
//! colours fit into a palette, and a colour that no pixel has.

use std::collections::BTreeSet;
use std::io::SeekFrom;
use std::sync::Arc;

use super::{Animation, FormatKind, FrameWriter, OutputFile};
use crate::batch::FrameBatch;
use crate::colours::ColourTable;
use crate::difference::{Difference, Disposal, FrameRules};
use crate::error::{ExportError, check_frame, check_size};
use crate::png::{Compressor, FilteredRows, RowFilter, SIGNATURE, chunk};
use crate::raster::{PixelRect, Rgba};
use crate::timing::{PlayRate, Plays};

pub(super) const FRAMES: FormatKind = FormatKind::Frames {
    writer: |animation| Ok(Box::new(ApngWriter::new(animation)?)),
    looks: true,
    most_fps: None,
};

/// What is known of the colours of all frames.
#[derive(Default)]
struct ApngColours {
    used: ColourTable<bool>,
    transparent: bool,
    /// Colours with alpha, as long as they fit into a palette.
    few: BTreeSet<Rgba>,
}

/// The most entries of a palette.
const MOST_ENTRIES: usize = 256;

impl ApngColours {
    fn add(&mut self, frame: &[u8]) {
        for run in frame.as_chunks::<4>().0.chunk_by(|a, b| a == b) {
            let [red, green, blue, alpha] = run[0];
            if self.few.len() <= MOST_ENTRIES {
                self.few.insert(if alpha == 0 { [0; 4] } else { run[0] });
            }
            self.transparent |= alpha < 255;
            if !self.transparent {
                *self.used.get_mut([red, green, blue]) = true;
            }
        }
    }

    /// How pixels are stored.
    fn form(&mut self) -> ApngForm {
        // The pixel that shows what is below is one of them.
        self.few.insert([0; 4]);
        if self.few.len() <= MOST_ENTRIES {
            // Entries that are not opaque come first: the list of their alpha ends with the last of them.
            let mut entries: Vec<Rgba> = std::mem::take(&mut self.few).into_iter().collect();
            entries.sort_by_key(|entry| (entry[3] == 255, *entry));
            return ApngForm::Palette(entries.into());
        }
        if self.transparent {
            return ApngForm::Alpha;
        }
        // The first colour that no pixel has; pictures with all of them have no key.
        let mut used =
            self.used.iter().filter(|(_, used)| *used).map(|(colour, _)| colour).collect::<Vec<_>>();
        used.sort_unstable();
        let mut free = 0_u32;
        for colour in used {
            let [_, red, green, blue] = free.to_be_bytes();
            if colour != [red, green, blue] {
                break;
            }
            free += 1;
        }
        let [over, red, green, blue] = free.to_be_bytes();
        ApngForm::Opaque { key: (over == 0).then_some([red, green, blue]) }
    }
}

/// How the pixels of an APNG are stored: with alpha, without it and with a colour that stands for transparency,
/// or as places in a palette.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ApngForm {
    Alpha,
    Palette(Arc<[Rgba]>),
    Opaque { key: Option<[u8; 3]> },
}

impl ApngForm {
    fn batch(&self, animation: &Animation) -> FrameBatch<FrameCompressor> {
        let alpha = !matches!(self, Self::Opaque { .. });
        FrameBatch::new(animation, FrameRules { alpha, even: false })
    }

    fn depth(&self) -> usize {
        match self {
            Self::Alpha => 4,
            Self::Opaque { .. } => 3,
            Self::Palette(_) => 1,
        }
    }

    /// The pixels with the bytes that are stored in front.
    fn stored(&self, pixels: Vec<Rgba>) -> Vec<Rgba> {
        let Self::Palette(entries) = self else { return pixels };
        let clear = entries.partition_point(|entry| entry[3] < 255);
        let (clear, opaque) = entries.split_at(clear);
        let place = |pixel: &Rgba| match pixel[3] {
            255 => clear.len() + opaque.partition_point(|entry| entry < pixel),
            _ => clear.partition_point(|entry| entry < pixel),
        };
        let mut last = ([0; 4], place(&[0; 4]));
        let stored = pixels.iter().map(|pixel| {
            if *pixel != last.0 {
                last = (*pixel, place(pixel));
            }
            [u8::try_from(last.1).unwrap_or(0), 0, 0, 0]
        });
        stored.collect()
    }

    /// The pixel that shows what is below it.
    fn clear(&self) -> Option<Rgba> {
        match self {
            Self::Alpha | Self::Palette(_) => Some([0; 4]),
            Self::Opaque { key } => key.map(|[red, green, blue]| [red, green, blue, 0]),
        }
    }
}

/// Numbers of the specification: how the rectangle of a frame comes onto the canvas.
const SOURCE: u8 = 0;
const OVER: u8 = 1;

/// Writes frames in order.
struct ApngWriter {
    animation: Animation,
    colours: ApngColours,
    /// Found when the first frame is pushed, with the batch that depends on it.
    form: ApngForm,
    batch: FrameBatch<FrameCompressor>,
    sequence: u32,
    /// Frames in the file, in which equal ones are one.
    frames: u32,
}

impl ApngWriter {
    fn new(animation: &Animation) -> Result<Self, ExportError> {
        check_size("PNG", animation.size, i32::MAX as u32)?;
        // Sequence numbers have 31 bits, and a frame has two.
        if animation.frames >= 1 << 29 {
            return Err(ExportError::TooManyFrames);
        }
        let form = ApngForm::Alpha;
        Ok(Self {
            animation: *animation,
            colours: ApngColours::default(),
            batch: form.batch(animation),
            form,
            sequence: 0,
            frames: 0,
        })
    }

    fn compress(&mut self, out: &mut dyn OutputFile) -> Result<(), ExportError> {
        let form = self.form.clone();
        for (job, done) in self.batch.run(|compressor, job| compressor.smallest(job, &form)) {
            let (blend, stream) = done?;
            let mut bytes = Vec::with_capacity(stream.len() + 256);
            if job.first == 0 {
                self.header(&mut bytes)?;
            }
            self.control(&job, blend, &mut bytes)?;
            if job.first == 0 {
                chunk(*b"IDAT", &[&stream], &mut bytes)?;
            } else {
                let sequence = self.next_sequence();
                chunk(*b"fdAT", &[&sequence, &stream], &mut bytes)?;
            }
            out.write_all(&bytes)?;
        }
        Ok(())
    }

    fn next_sequence(&mut self) -> [u8; 4] {
        self.sequence += 1;
        (self.sequence - 1).to_be_bytes()
    }

    /// The chunks before the first frame. The number of frames is not known yet.
    fn header(&self, bytes: &mut Vec<u8>) -> Result<(), ExportError> {
        bytes.extend_from_slice(SIGNATURE);
        let (width, height) =
            (self.animation.size.width.to_be_bytes(), self.animation.size.height.to_be_bytes());
        // Eight bits; colours, with alpha or without, or a palette.
        let colours = match self.form {
            ApngForm::Alpha => 6,
            ApngForm::Opaque { .. } => 2,
            ApngForm::Palette(_) => 3,
        };
        chunk(*b"IHDR", &[&width, &height, &[8, colours, 0, 0, 0]], bytes)?;
        self.play_chunk(0, bytes)?;
        match &self.form {
            ApngForm::Opaque { key: Some([red, green, blue]) } => {
                chunk(*b"tRNS", &[&[0, *red, 0, *green, 0, *blue]], bytes)
            }
            ApngForm::Palette(entries) => {
                let colours: Vec<u8> = entries.iter().flat_map(|entry| entry[..3].to_vec()).collect();
                let alphas = entries.iter().map(|entry| entry[3]).take_while(|alpha| *alpha < 255);
                chunk(*b"PLTE", &[&colours], bytes)?;
                chunk(*b"tRNS", &[&alphas.collect::<Vec<_>>()], bytes)
            }
            ApngForm::Alpha | ApngForm::Opaque { key: None } => Ok(()),
        }
    }

    fn play_chunk(&self, frames: u32, bytes: &mut Vec<u8>) -> Result<(), ExportError> {
        let plays = match self.animation.plays {
            Plays::Endless => 0_u32,
            Plays::Times(times) => times.get().into(),
        };
        chunk(*b"acTL", &[&frames.to_be_bytes(), &plays.to_be_bytes()], bytes)
    }

    fn control(&mut self, job: &Difference, blend: u8, bytes: &mut Vec<u8>) -> Result<(), ExportError> {
        let PixelRect { x, y, width, height } = job.rect;
        let sequence = self.next_sequence();
        let [width, height, x, y] = [width, height, x, y].map(u32::to_be_bytes);
        let (over, under) = delay(self.animation.rate, job.first, job.end);
        let [over, under] = [over, under].map(u16::to_be_bytes);
        let disposal = match job.disposal {
            Disposal::Keep => 0,
            Disposal::Clear => 1,
        };
        let last = [disposal, blend];
        self.frames += 1;
        chunk(*b"fcTL", &[&sequence, &width, &height, &x, &y, &over, &under, &last], bytes)
    }
}

impl FrameWriter for ApngWriter {
    fn shown(&self, at: usize) -> Option<usize> {
        self.batch.has(at).then_some(at)
    }

    fn look(&mut self, frame: &[u8]) {
        self.colours.add(frame);
    }

    fn push(&mut self, frame: &[u8], out: &mut dyn OutputFile) -> Result<(), ExportError> {
        check_frame(frame, self.animation.size)?;
        if self.batch.is_new() {
            let mut colours = std::mem::take(&mut self.colours);
            self.form = colours.form();
            self.batch = self.form.batch(&self.animation);
        }
        if self.batch.push(frame)? { self.compress(out) } else { Ok(()) }
    }

    fn finish(&mut self, out: &mut dyn OutputFile) -> Result<(), ExportError> {
        self.batch.end()?;
        self.compress(out)?;
        let mut end = Vec::new();
        chunk(*b"IEND", &[], &mut end)?;
        out.write_all(&end)?;
        // Behind the signature and the first chunk of 25 bytes.
        out.seek(SeekFrom::Start(SIGNATURE.len() as u64 + 25))?;
        let mut animation = Vec::new();
        self.play_chunk(self.frames, &mut animation)?;
        out.write_all(&animation)?;
        Ok(out.flush()?)
    }
}

/// How long frames from `first` to `end` are shown, in seconds: exactly, if both numbers fit.
fn delay(rate: PlayRate, first: u64, end: u64) -> (u16, u16) {
    let exact = (end - first).checked_mul(rate.seconds.into()).and_then(|over| u16::try_from(over).ok());
    if let Some(exact) = exact.zip(u16::try_from(rate.frames).ok()) {
        return exact;
    }
    let in_units = |units: u16| {
        let time = rate.time(end, units.into()) - rate.time(first, units.into());
        Some((u16::try_from(time).ok()?, units))
    };
    [10_000, 1000, 100, 10, 1].into_iter().find_map(in_units).unwrap_or((u16::MAX, 1))
}

/// What a thread needs to compress frames.
#[derive(Debug, Default)]
struct FrameCompressor {
    compressor: Compressor,
    /// The smallest rows so far, and those that are compared with them.
    best: FilteredRows,
    trial: FilteredRows,
}

impl FrameCompressor {
    /// The smallest stream of a frame, and how it comes onto the canvas.
    fn smallest(&mut self, job: &Difference, form: &ApngForm) -> Result<(u8, Vec<u8>), ExportError> {
        /// Compression while ways are compared, and of the smallest.
        const TRIAL: i32 = 1;
        const LEVEL: i32 = 9;
        let (width, depth) = (job.rect.width as usize, form.depth());
        let over = form.clear().and_then(|clear| job.over(clear)).map(|pixels| form.stored(pixels));
        // Where little changes, writing the rest again is never shorter.
        let source = (over.is_none() || job.changes_most()).then(|| form.stored(job.pixels.clone()));
        let ways = [(OVER, over.as_ref()), (SOURCE, source.as_ref())];
        let mut least = (usize::MAX, SOURCE);
        for (blend, pixels) in ways {
            let Some(pixels) = pixels else { continue };
            for filter in [RowFilter::None, RowFilter::Adaptive] {
                self.trial.fill(pixels, width, depth, filter);
                let length = self.compressor.stream(&self.trial, TRIAL)?.len();
                if length < least.0 {
                    least = (length, blend);
                    std::mem::swap(&mut self.trial, &mut self.best);
                }
            }
        }
        Ok((least.1, self.compressor.stream(&self.best, LEVEL)?.to_vec()))
    }
}
