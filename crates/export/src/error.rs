//! Why a file could not be made.

use std::fmt;
use std::io;

use crate::raster::PixelSize;

/// The reason why frames did not become a file.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExportError {
    /// The format has no frames of this size.
    TooLarge {
        /// The format's name.
        format: &'static str,
        /// The size of the frames.
        size: PixelSize,
        /// The longest side that the format has.
        most: u32,
    },
    /// No format with this ending is written by this crate from frames alone.
    NoWriter,
    /// A frame has another number of bytes than its size needs.
    FrameSize {
        /// Bytes of the frame.
        found: usize,
        /// Bytes of a frame of this animation.
        expected: usize,
    },
    /// There are no frames, or fewer than were announced.
    TooFewFrames,
    /// There are more frames than were announced, or than the format has numbers for.
    TooManyFrames,
    /// The file grew beyond what its format can have.
    FileTooLarge {
        /// The format's name.
        format: &'static str,
    },
    /// A sprite does not fit into the largest page.
    SpriteTooLarge {
        /// The sprite with its border.
        size: PixelSize,
        /// The longest side of a page.
        most: u32,
    },
    /// There are more layers than the format has numbers for.
    TooManyLayers {
        /// The format's name.
        format: &'static str,
        /// How many it can have.
        most: u32,
    },
    /// The compressor failed.
    Compressor,
    /// The file could not be written.
    Write(io::Error),
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { format, size, most } => {
                write!(f, "a {format} has sides of at most {most} pixels, and the frames are {size}")
            }
            Self::NoWriter => f.write_str("no file with this ending is made of frames alone"),
            Self::FrameSize { found, expected } => {
                write!(f, "a frame has {found} bytes, and its size needs {expected}")
            }
            Self::TooFewFrames => f.write_str("there are fewer frames than were announced"),
            Self::TooManyFrames => f.write_str("there are more frames than the file can have"),
            Self::FileTooLarge { format } => {
                write!(
                    f,
                    "the file would be larger than a {format} can be: choose fewer frames or a smaller size"
                )
            }
            Self::SpriteTooLarge { size, most } => {
                write!(
                    f,
                    "a sprite of {size} pixels with its border does not fit into a page of {most}x{most}"
                )
            }
            Self::TooManyLayers { format, most } => write!(f, "a {format} has at most {most} layers"),
            Self::Compressor => f.write_str("the compressor failed on a frame"),
            Self::Write(source) => write!(f, "{source}"),
        }
    }
}

impl std::error::Error for ExportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Write(source) => Some(source),
            _ => None,
        }
    }
}

impl From<io::Error> for ExportError {
    fn from(source: io::Error) -> Self {
        Self::Write(source)
    }
}

/// An error for frames of another size.
pub(crate) fn check_frame(frame: &[u8], size: PixelSize) -> Result<(), ExportError> {
    let expected = size.area().saturating_mul(4);
    if frame.len() == expected {
        Ok(())
    } else {
        Err(ExportError::FrameSize { found: frame.len(), expected })
    }
}

/// An error for frames that a format is too small for.
pub(crate) fn check_size(format: &'static str, size: PixelSize, most: u32) -> Result<(), ExportError> {
    if size.width.max(size.height) <= most && size.width.min(size.height) > 0 {
        Ok(())
    } else {
        Err(ExportError::TooLarge { format, size, most })
    }
}
