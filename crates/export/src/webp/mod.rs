//! Animated WebP, lossless and exact: each frame is the rectangle that changed, as a stream of our own
//! encoder in an `ANMF` chunk (RFC 9649, section 2).

mod lz;
mod prefix;
mod vp8l;

use std::io::{Seek, SeekFrom, Write};

use crate::batch::FrameBatch;
use crate::difference::{Difference, Disposal, FrameRules};
use crate::error::{ExportError, check_size};
use crate::raster::{PixelRect, PixelSize};
use crate::timing::{PlayRate, Plays};
use vp8l::Vp8l;

/// Durations are in milliseconds, in 24 bits.
const UNITS: u32 = 1000;
const LONGEST: u64 = (1 << 24) - 1;
/// The longest side of a stream.
const MOST: u32 = 1 << 14;

/// Writes frames in order.
#[derive(Debug)]
pub struct WebpWriter<W> {
    out: W,
    rate: PlayRate,
    batch: FrameBatch<Vp8l>,
    transparent: bool,
    /// Bytes of the file so far.
    written: u64,
}

impl<W: Write + Seek> WebpWriter<W> {
    /// Writes the header of a file of `count` frames. Frames are compressed by so many threads.
    ///
    /// # Errors
    /// If a side is longer than 16,384 pixels, or the header cannot be written.
    pub fn new(
        mut out: W,
        size: PixelSize,
        (count, rate): (u64, PlayRate),
        plays: Plays,
        threads: usize,
    ) -> Result<Self, ExportError> {
        check_size("WebP", size, MOST)?;
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
        Ok(Self {
            out,
            rate,
            batch: FrameBatch::new(size, count, FrameRules { alpha: true, even: true }, threads),
            transparent: false,
            written: header.len() as u64,
        })
    }

    /// Writes the next frame: straight RGBA, row by row.
    ///
    /// # Errors
    /// If the frame has another size, there are too many, or the file cannot be written.
    pub fn push(&mut self, frame: &[u8]) -> Result<(), ExportError> {
        if self.batch.push(frame)? { self.compress() } else { Ok(()) }
    }

    /// Writes what is left, and returns what was written to.
    ///
    /// # Errors
    /// If there are too few frames, or the file cannot be written.
    pub fn finish(mut self) -> Result<W, ExportError> {
        self.batch.end()?;
        self.compress()?;
        let size =
            u32::try_from(self.written - 8).map_err(|_| ExportError::FileTooLarge { format: "WebP" })?;
        self.out.seek(SeekFrom::Start(4))?;
        self.out.write_all(&size.to_le_bytes())?;
        self.out.seek(SeekFrom::Start(20))?;
        // Animation, and alpha if a frame has any.
        self.out.write_all(&[2 | if self.transparent { 0x10 } else { 0 }])?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn compress(&mut self) -> Result<(), ExportError> {
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
            self.frame(&job, over, &stream)?;
        }
        Ok(())
    }

    fn frame(&mut self, job: &Difference, over: bool, stream: &[u8]) -> Result<(), ExportError> {
        let PixelRect { x, y, width, height } = job.rect;
        let duration = self.rate.time(job.end, UNITS) - self.rate.time(job.first, UNITS);
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
        self.out.write_all(&bytes)?;
        Ok(())
    }
}
