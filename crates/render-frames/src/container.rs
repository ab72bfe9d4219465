//! Files that have all frames of a clip, by their extensions.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    Gif,
    Apng,
    Webp,
    Mp4,
    Webm,
    Mov,
    AnimatedSvg,
    Lottie,
    DotLottie,
    SheetJson,
    SheetTres,
}

impl Container {
    /// For messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Gif => "a GIF",
            Self::Apng => "an animated PNG",
            Self::Webp => "a WebP",
            Self::Mp4 => "an MP4",
            Self::Webm => "a WebM",
            Self::Mov => "a MOV",
            Self::AnimatedSvg => "an animated SVG",
            Self::Lottie | Self::DotLottie => "a Lottie",
            Self::SheetJson | Self::SheetTres => "a sprite sheet",
        }
    }

    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Gif => ".gif",
            Self::Apng => ".apng",
            Self::Webp => ".webp",
            Self::Mp4 => ".mp4",
            Self::Webm => ".webm",
            Self::Mov => ".mov",
            Self::AnimatedSvg => ".svg",
            Self::Lottie => ".json",
            Self::DotLottie => ".lottie",
            Self::SheetJson => ".json",
            Self::SheetTres => ".tres",
        }
    }

    /// Whether it has outlines, not pixels.
    pub(crate) fn is_vector(self) -> bool {
        matches!(self, Self::AnimatedSvg | Self::Lottie | Self::DotLottie)
    }

    /// Whether it is a sprite sheet.
    pub(crate) fn is_sheet(self) -> bool {
        matches!(self, Self::SheetJson | Self::SheetTres)
    }

    /// Whether all clips are in one file, unless its name has `{clip}`: the format has tags or markers for them.
    pub(crate) fn has_all_clips(self) -> bool {
        self.is_sheet() || matches!(self, Self::Lottie | Self::DotLottie)
    }
}

/// The file of a page of a sheet: `walk.png`, `walk-1.png` and so on beside `walk.json`.
pub(crate) fn page_file(data: &Path, page: usize, ending: &str) -> PathBuf {
    let stem = data.file_stem().unwrap_or_default().to_string_lossy();
    let name = if page == 0 { format!("{stem}.{ending}") } else { format!("{stem}-{page}.{ending}") };
    data.with_file_name(name)
}

/// Whether a file beside the data of a sheet has the name of one of its pages.
pub(crate) fn is_page(data: &Path, file: &Path) -> bool {
    let ending = file.extension().and_then(OsStr::to_str);
    let Some(ending @ ("png" | "json")) = ending else { return false };
    let (stem, of) = (file.file_stem().unwrap_or_default(), data.file_stem().unwrap_or_default());
    let number = stem.to_string_lossy();
    let number = number.rsplit_once('-').and_then(|(_, number)| number.parse().ok());
    stem == of || number.is_some_and(|page| page_file(data, page, ending).file_name() == file.file_name())
}
