//! Where encoded frames go: a small trait and its implementations.

mod encoder;
mod files;
mod memory;
mod pattern;
mod stream;
mod whole;
mod y4m;

use std::fmt;
use std::io;
use std::path::PathBuf;

use tiny_skia::Pixmap;

use crate::encode::EncodeError;

pub use encoder::{Encoding, FrameEncoder};
pub use files::NumberedFiles;
pub use memory::Memory;
pub use pattern::{FilePattern, PatternError};
pub use stream::Stream;
pub use whole::{WholeFile, keep_name, new_file, replace_file};
pub use y4m::FrameRate;

/// The number of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameName {
    /// Its number, as file names show it.
    pub number: u64,
}

/// The content of a frame before encoding.
#[derive(Clone, Copy, Debug)]
pub enum FrameContent<'a> {
    /// Pixels, with alpha multiplied in.
    Pixels(&'a Pixmap),
    /// The posed drawing itself.
    Svg(&'a str),
}

/// Keeps frames. They may come from several threads; each thread encodes its own, with a [`FrameEncoder`]
/// that it keeps.
///
/// ```
/// use render::{Encoding, FrameContent, FrameEncoder, FrameName, FrameSink, Memory, Pixmap};
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

/// The reason why a frame was not kept.
#[derive(Debug)]
#[non_exhaustive]
pub enum SinkError {
    /// The frame could not be written to a file.
    File {
        /// The file.
        path: PathBuf,
        /// What to do about it.
        advice: &'static str,
        /// The error of the system.
        source: io::Error,
    },
    /// The frame could not be written to a stream.
    Stream {
        /// The error of the system.
        source: io::Error,
    },
    /// The frame could not be encoded.
    Encode(EncodeError),
}

impl SinkError {
    /// An error of the system that belongs to a file.
    pub fn in_file(path: &std::path::Path, source: io::Error) -> Self {
        Self::File { advice: files::advice(&source), path: path.to_owned(), source }
    }

    /// Whether the reader of the stream closed it, which is not an error of the writer.
    pub fn is_closed(&self) -> bool {
        matches!(self, Self::Stream { source } if source.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<EncodeError> for SinkError {
    fn from(error: EncodeError) -> Self {
        Self::Encode(error)
    }
}

impl fmt::Display for SinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, advice, source } => {
                write!(f, "cannot write {}: {source}", path.display())?;
                if advice.is_empty() { Ok(()) } else { write!(f, " ({advice})") }
            }
            Self::Stream { source } => write!(f, "cannot write to the stream: {source}"),
            Self::Encode(error) => write!(f, "the frame cannot be encoded: {error}"),
        }
    }
}

impl std::error::Error for SinkError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { source, .. } | Self::Stream { source } => Some(source),
            Self::Encode(error) => Some(error),
        }
    }
}
