//! The reason why a frame was not kept.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::encode::EncodeError;

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
        Self::File { advice: advice(&source), path: path.to_owned(), source }
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

/// What a person can do about an error of the system.
fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "make the folder first",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "choose a folder that you may write to"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space and go on from here",
        io::ErrorKind::FileTooLarge => "larger files are not allowed here; `ulimit -f` shows the limit",
        io::ErrorKind::IsADirectory => "a folder has this name already",
        _ => "",
    }
}
