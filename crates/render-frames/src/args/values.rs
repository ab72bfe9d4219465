//! Values of arguments that several commands share.

use clap::ValueEnum;

use bone_render::{Background, Compress, Encoding, FrameSize};

/// A background or none. A wrapper, so that clap does not take the option for an optional argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BackgroundArg(pub(crate) Option<Background>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Png,
    Svg,
    Rgba,
    Y4m,
}

impl Format {
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Svg => "svg",
            Self::Rgba => "rgba",
            Self::Y4m => "y4m",
        }
    }

    /// The name of the format, if it is only for streams.
    pub(crate) fn only_streams(self) -> Option<&'static str> {
        match self {
            Self::Png | Self::Svg => None,
            Self::Rgba | Self::Y4m => Some(self.extension()),
        }
    }

    pub(crate) fn encoding(self, compress: Compress) -> Encoding {
        match self {
            Self::Png => Encoding::Png(compress),
            Self::Svg => Encoding::Svg,
            Self::Rgba => Encoding::Rgba,
            Self::Y4m => Encoding::Y4m,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressKind {
    /// A bar on a terminal, plain lines elsewhere
    Auto,
    /// A line from time to time
    Plain,
    /// One JSON object for each frame
    Json,
    /// Only the summary
    None,
}

pub(super) fn size(text: &str) -> Result<FrameSize, String> {
    let parts = text.split_once(['x', 'X', '×']);
    let numbers = parts.and_then(|(w, h)| Some((w.trim().parse().ok()?, h.trim().parse().ok()?)));
    let (width, height) = numbers.ok_or("a size is written like 1920x1080")?;
    FrameSize::new(width, height).map_err(|error| error.to_string())
}

pub(super) fn scale(text: &str) -> Result<f64, String> {
    let scale: f64 = text.parse().map_err(|_| "a scale is a number like 2 or 0.5")?;
    if scale.is_finite() && scale > 0.0 { Ok(scale) } else { Err("a scale is a number above 0".to_owned()) }
}

pub(super) fn background(text: &str) -> Result<BackgroundArg, String> {
    Background::parse(text).map(BackgroundArg).map_err(|error| error.to_string())
}
