//! Frames that come in order, of which several are compressed at a time. Animated PNG and WebP are written with
//! it.

use crate::difference::{Difference, FrameDifferences, FrameRules};
use crate::error::{ExportError, check_frame};
use crate::formats::Animation;
use crate::parallel;
use crate::raster::PixelSize;

/// More threads than this do not compress faster.
pub(crate) const MOST_THREADS: usize = 256;

/// The differences of frames that wait to be compressed, and the memory of each thread.
pub(crate) struct FrameBatch<S> {
    size: PixelSize,
    count: u64,
    differences: FrameDifferences,
    waiting: Vec<Difference>,
    scratch: Vec<S>,
}

impl<S: Default + Send> FrameBatch<S> {
    pub(crate) fn new(animation: &Animation, rules: FrameRules) -> Self {
        Self {
            size: animation.size,
            count: animation.frames,
            differences: FrameDifferences::new(animation.size, rules),
            waiting: Vec::new(),
            scratch: (0..animation.threads.clamp(1, MOST_THREADS)).map(|_| S::default()).collect(),
        }
    }

    /// Whether there are more frames than this.
    pub(crate) fn has(&self, frame: usize) -> bool {
        (frame as u64) < self.count
    }

    /// Whether no frame was added.
    pub(crate) fn is_new(&self) -> bool {
        self.differences.pushed() == 0
    }

    /// Adds the next frame: straight RGBA, row by row. Whether there is enough to [`run`](Self::run).
    pub(crate) fn push(&mut self, frame: &[u8]) -> Result<bool, ExportError> {
        check_frame(frame, self.size)?;
        if self.differences.pushed() == self.count {
            return Err(ExportError::TooManyFrames);
        }
        self.waiting.extend(self.differences.push(frame));
        Ok(parallel::is_batch(self.waiting.iter().map(Difference::bytes), self.scratch.len()))
    }

    /// Adds the last difference, which waited for its end.
    pub(crate) fn end(&mut self) -> Result<(), ExportError> {
        let last = self.differences.finish().filter(|_| self.differences.pushed() == self.count);
        self.waiting.push(last.ok_or(ExportError::TooFewFrames)?);
        Ok(())
    }

    /// Compresses what waits, and returns it in order.
    pub(crate) fn run<T: Send, F: Fn(&mut S, &Difference) -> T + Sync>(
        &mut self,
        work: F,
    ) -> impl Iterator<Item = (Difference, T)> + use<S, T, F> {
        let done = parallel::map(&self.waiting, &mut self.scratch, work);
        std::mem::take(&mut self.waiting).into_iter().zip(done)
    }
}
