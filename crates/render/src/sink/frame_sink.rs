//! What keeps frames.

use super::encoder::{Encoding, FrameContent, FrameEncoder};
use super::error::SinkError;

/// The number of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameName {
    /// Its number, as file names show it.
    pub number: u64,
}

/// Keeps frames. They may come from several threads; each thread encodes its own, with a [`FrameEncoder`]
/// that it keeps.
///
/// ```
/// use bone_render::{Encoding, FrameContent, FrameEncoder, FrameName, FrameSink, Memory, Pixmap};
///
/// let sink = Memory::new(Encoding::Rgba);
/// let (mut encoder, mut bytes) = (FrameEncoder::new(), Vec::new());
/// let pixmap = Pixmap::new(4, 3).expect("a small one");
/// for number in 0..2 {
///     encoder.encode(sink.encoding(), FrameContent::Pixels(&pixmap), &mut bytes)?;
///     sink.keep(FrameName { number }, &bytes)?;
/// }
/// assert_eq!(sink.into_frames().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait FrameSink: Send + Sync {
    /// What frames are made into before they are kept.
    fn encoding(&self) -> Encoding;

    /// Whether frames must come one after the other, in the order of time.
    fn is_ordered(&self) -> bool;

    /// Keeps the bytes of one frame.
    ///
    /// # Errors
    /// If they cannot be kept. Nothing half-written is left under the frame's name then.
    fn keep(&self, frame: FrameName, bytes: &[u8]) -> Result<(), SinkError>;

    /// Encodes a frame and keeps it; returns how many bytes it took. For a frame now and then: of many
    /// frames, each thread encodes its own.
    ///
    /// # Errors
    /// If it cannot be encoded or kept.
    fn write(&self, frame: FrameName, content: FrameContent<'_>) -> Result<u64, SinkError> {
        let mut bytes = Vec::new();
        FrameEncoder::new().encode(self.encoding(), content, &mut bytes)?;
        self.keep(frame, &bytes)?;
        Ok(bytes.len() as u64)
    }
}
