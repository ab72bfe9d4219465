//! Why a clip could not be written.

use std::fmt;

/// The reason why a clip did not become a file.
#[derive(Debug)]
#[non_exhaustive]
pub enum VectorError {
    /// There is no frame.
    NoFrames,
    /// Frames a second are not a number above 0.
    Rate,
    /// The samples of the clip need more memory than is allowed.
    TooLong {
        /// The frames of the clip.
        frames: usize,
        /// How many such frames are allowed.
        most: usize,
    },
    /// Clips of different drawings or rates cannot follow each other.
    Apart,
    /// The transform of the view has no inverse, so nothing would be seen.
    View,
    /// The tolerance is not a number above 0.
    Tolerance,
    /// Art that the format does not have could not be drawn as an image.
    Image(bone_render::RasterError),
    /// The picture of such art could not be encoded.
    Encode(bone_render::EncodeError),
    /// The compressor failed.
    Compressor,
    /// A service does not take the clip.
    Refused {
        /// What it would be.
        name: &'static str,
        /// The rules that it breaks.
        why: String,
    },
}

impl fmt::Display for VectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFrames => f.write_str("the clip has no frames"),
            Self::Rate => f.write_str("the frames a second are not a number above 0"),
            Self::TooLong { frames, most } => write!(
                f,
                "{frames} frames of this drawing are too many for one vector file: it can have {most}. \
                 Export a part of them, or fewer a second"
            ),
            Self::Apart => f.write_str("clips of different drawings or rates cannot be in one file"),
            Self::View => {
                f.write_str("the view has no inverse: its part of the drawing is too small or too large")
            }
            Self::Tolerance => f.write_str("the tolerance is a number of pixels above 0"),
            Self::Image(source) => write!(f, "art that is written as an image cannot be drawn: {source}"),
            Self::Encode(source) => write!(f, "art that is written as an image cannot be encoded: {source}"),
            Self::Compressor => f.write_str("the compressor failed"),
            Self::Refused { name, why } => write!(f, "this cannot be {name}: {why}"),
        }
    }
}

impl std::error::Error for VectorError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Image(source) => Some(source),
            Self::Encode(source) => Some(source),
            _ => None,
        }
    }
}
