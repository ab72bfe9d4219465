//! Animated WebP, lossless and exact: each frame is the rectangle that changed, as a stream of our own
//! encoder in an `ANMF` chunk (RFC 9649, section 2).

mod lz;
mod prefix;
mod vp8l;

use std::io::SeekFrom;

use super::{Animation, FormatKind, FrameWriter, OutputFile};
use crate::batch::FrameBatch;
use crate::difference::{Difference, Disposal, FrameRules};
use crate::error::{ExportError, check_size};
use crate::raster::PixelRect;
use crate::timing::Plays;
use vp8l::Vp8l;

/// Durations are in milliseconds, in 24 bits.
const UNITS: u32 = 1000;
const LONGEST: u64 = (1 << 24) - 1;
/// The longest side of a stream.
const MOST: u32 = 1 << 14;

pub(super) const FRAMES: FormatKind = FormatKind::Frames {
    writer: |animation| Ok(Box::new(WebpWriter::new(animation)?)),
    looks: false,
    most_fps: None,
};

/// Writes frames in order.
struct WebpWriter {
    animation: Animation,
    batch: FrameBatch<Vp8l>,
    transparent: bool,
    /// Bytes of the file so far.
    written: u64,
}

impl WebpWriter {
    fn new(animation: &Animation) -> Result<Self, ExportError> {
        check_size("WebP", animation.size, MOST)?;
        Ok(Self {
            animation: *animation,
            batch: FrameBatch::new(animation, FrameRules { alpha: true, even: true }),
            transparent: false,
            written: 0,
        })
    }

    /// Writes what is before the first frame.
    fn begin(&mut self, out: &mut dyn OutputFile) -> Result<(), ExportError> {
        let Animation { size, plays, .. } = self.animation;
        // The size of the file and whether it has alpha are known at the end.
        let mut header = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0".to_vec();
        for side in [size.width, size.height] {
            header.extend_from_slice(&(side - 1).to_le_bytes()[..3]);
        }
        // No background; how often it is played.
        header.extend_from_slice(b"ANIM\x06\0\0\0\0\0\0\0");
        let plays = match plays {
            Plays::Endless => 0,
            Plays::Times(times) => times.get(),
        };
        header.extend_from_slice(&plays.to_le_bytes());
        out.write_all(&header)?;
        self.written = header.len() as u64;
        Ok(())
    }

    fn compress(&mut self, out: &mut dyn OutputFile) -> Result<(), ExportError> {
        let done = self.batch.run(|vp8l, job| {
            let PixelRect { width, height, .. } = job.rect;
            // Drawn over what is shown, runs of unchanged pixels take next to nothing.
            let over = job.over([0; 4]);
            let is_over = over.is_some();
            let transparent = over.as_ref().unwrap_or(&job.pixels).iter().any(|pixel| pixel[3] < 255);
            let stream = vp8l.compress(over.as_ref().unwrap_or(&job.pixels), width, height);
            (is_over, transparent, stream)
        });
        for (job, (over, transparent, stream)) in done {
            self.transparent |= transparent;
            self.frame(&job, over, &stream, out)?;
        }
        Ok(())
    }

    fn frame(
        &mut self,
        job: &Difference,
        over: bool,
        stream: &[u8],
        out: &mut dyn OutputFile,
    ) -> Result<(), ExportError> {
        let PixelRect { x, y, width, height } = job.rect;
        let duration = self.animation.rate.time(job.end, UNITS) - self.animation.rate.time(job.first, UNITS);
        let mut bytes = b"ANMF\0\0\0\0".to_vec();
        let duration = u32::try_from(duration.min(LONGEST)).unwrap_or(0);
        for number in [x / 2, y / 2, width - 1, height - 1, duration] {
            bytes.extend_from_slice(&number.to_le_bytes()[..3]);
        }
        // The second bit: pixels replace those below. The first: the rectangle is cleared when the frame
        // ends.
        let clears = job.disposal == Disposal::Clear;
        bytes.push(u8::from(!over) << 1 | u8::from(clears));
        bytes.extend_from_slice(b"VP8L");
        let length = u32::try_from(stream.len()).map_err(|_| ExportError::FileTooLarge { format: "WebP" })?;
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(stream);
        // Chunks have an even length.
        bytes.extend_from_slice(&[0][..stream.len() % 2]);
        #[allow(clippy::cast_possible_truncation, reason = "little more than the stream")]
        let length = bytes.len() as u32 - 8;
        bytes[4..8].copy_from_slice(&length.to_le_bytes());
        self.written += bytes.len() as u64;
        out.write_all(&bytes)?;
        Ok(())
    }
}

impl FrameWriter for WebpWriter {
    fn shown(&self, at: usize) -> Option<usize> {
        self.batch.has(at).then_some(at)
    }

    fn push(&mut self, frame: &[u8], out: &mut dyn OutputFile) -> Result<(), ExportError> {
        let is_new = self.batch.is_new();
        let is_full = self.batch.push(frame)?;
        if is_new {
            self.begin(out)?;
        }
        if is_full { self.compress(out) } else { Ok(()) }
    }

    fn finish(&mut self, out: &mut dyn OutputFile) -> Result<(), ExportError> {
        self.batch.end()?;
        self.compress(out)?;
        let size =
            u32::try_from(self.written - 8).map_err(|_| ExportError::FileTooLarge { format: "WebP" })?;
        out.seek(SeekFrom::Start(4))?;
        out.write_all(&size.to_le_bytes())?;
        out.seek(SeekFrom::Start(20))?;
        // Animation, and alpha if a frame has any.
        out.write_all(&[2 | if self.transparent { 0x10 } else { 0 }])?;
        Ok(out.flush()?)
    }
}
