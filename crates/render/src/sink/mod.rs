//! Where frames go: a small trait and its siblings.
//! Refuses to know how frames come about.

mod files;
mod memory;
mod pattern;

use std::fmt;
use std::path::PathBuf;

use tiny_skia::Pixmap;

pub use files::NumberedFiles;
pub use memory::{Memory, MemoryFrame};
pub use pattern::{FilePattern, PatternError};

/// What a frame is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameName {
    /// Its number, as file names show it.
    pub number: u64,
}

/// What a frame is made of.
#[derive(Clone, Copy, Debug)]
pub enum FrameContent<'a> {
    /// Pixels, with alpha multiplied in.
    Pixels(&'a Pixmap),
    /// The posed drawing itself.
    Svg(&'a str),
}

/// Keeps frames. Frames may come from several threads, in any order.
pub trait FrameSink: Send + Sync {
    /// Keeps one frame; returns how many bytes it took.
    ///
    /// # Errors
    /// If it cannot be kept. Nothing half-written is left then.
    fn write(&self, frame: FrameName, content: FrameContent<'_>) -> Result<u64, SinkError>;
}

/// Why a frame was not kept.
#[derive(Debug)]
#[non_exhaustive]
pub enum SinkError {
    /// The frame could not be written to a file.
    File {
        /// The file.
        path: PathBuf,
        /// What to do about it.
        advice: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// The pixels could not be encoded.
    Encode {
        /// What the encoder said.
        reason: String,
    },
}

impl fmt::Display for SinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, advice, source } => {
                write!(f, "cannot write {}: {source}", path.display())?;
                if advice.is_empty() { Ok(()) } else { write!(f, " ({advice})") }
            }
            Self::Encode { reason } => write!(f, "the frame cannot be encoded: {reason}"),
        }
    }
}

impl std::error::Error for SinkError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { source, .. } => Some(source),
            Self::Encode { .. } => None,
        }
    }
}
