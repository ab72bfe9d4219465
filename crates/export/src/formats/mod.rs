//! The formats of files with all frames of a clip, a row each: what the command line, its help and the page
//! show, and how a file is made. A format of pixels is a module with a [`FrameWriter`], and a row.

use std::io::{Seek, Write};

#[cfg(feature = "layers")]
use bone_drawing::BlendMode;

#[cfg(feature = "atlas")]
use crate::atlas::Atlas;
use crate::error::ExportError;
#[cfg(feature = "layers")]
use crate::layered::LayerWriter;
use crate::raster::PixelSize;
use crate::timing::{PlayRate, Plays};
#[cfg(feature = "vector")]
use crate::vector::{
    SampledClip, VectorError, VectorOptions, VectorReport, animated_svg, dot_lottie, html_page, lottie,
    telegram_sticker,
};
use crate::video::VideoFormat;

#[cfg(feature = "apng")]
mod apng;
mod gif;
#[cfg(feature = "layers")]
mod ora;
#[cfg(feature = "layers")]
mod psd;
mod webp;

/// The options of sprite sheets.
#[cfg(feature = "atlas")]
const SHEET: &[&str] = &["sheet", "trim", "padding", "extrude", "power-of-two", "max-side", "pivot"];

/// The ending of animated PNGs, which may be called `.png`, too.
pub(crate) const ANIMATED_PNG: &str = "apng";

/// All formats, in the order in which they are listed. A sheet may have the ending of another format.
pub const FORMATS: &[FileFormat] = &[
    row("gif", "a GIF", "GIF", &["loop", "colours", "dither", "matte"], gif::FRAMES),
    #[cfg(feature = "apng")]
    row(ANIMATED_PNG, "an animated PNG", "APNG", &["loop", "animate"], apng::FRAMES),
    row("webp", "a WebP", "WebP, animated", &["loop"], webp::FRAMES),
    row(
        "mp4",
        "an MP4",
        "MP4 video (ffmpeg)",
        &["matte", "quality", "no-sound"],
        FormatKind::Video(VideoFormat::Mp4),
    ),
    row(
        "webm",
        "a WebM",
        "WebM video (ffmpeg)",
        &["quality", "no-sound"],
        FormatKind::Video(VideoFormat::Webm),
    ),
    row("mov", "a MOV", "ProRes 4444 (ffmpeg)", &["no-sound"], FormatKind::Video(VideoFormat::Mov)),
    #[cfg(feature = "layers")]
    row("ora", "an OpenRaster file", "OpenRaster, in layers", &["layers"], ora::LAYERS),
    #[cfg(feature = "layers")]
    row("psd", "a PSD", "Photoshop, in layers", &["layers"], psd::LAYERS),
    #[cfg(feature = "vector")]
    row("svg", "an animated SVG", "Animated SVG", &["loop", "tolerance", "precision"], ANIMATED_SVG),
    #[cfg(feature = "vector")]
    row("html", "a page", "Page with controls (.html)", &["tolerance", "precision"], PAGE),
    #[cfg(feature = "vector")]
    row("json", "a Lottie", "Lottie", &["tolerance", "precision"], LOTTIE),
    #[cfg(feature = "vector")]
    row("lottie", "a Lottie", "dotLottie", &["tolerance", "precision"], DOT_LOTTIE),
    #[cfg(feature = "vector")]
    row("tgs", "a Telegram sticker", "Telegram sticker (.tgs)", &["tolerance", "precision"], STICKER),
    #[cfg(feature = "atlas")]
    row("json", "a sprite sheet", "Sprite sheet", SHEET, SHEET_JSON),
    #[cfg(feature = "atlas")]
    row("tres", "a sprite sheet", "Sprite sheet for Godot", SHEET, SHEET_TRES),
];

#[cfg(feature = "vector")]
const ANIMATED_SVG: FormatKind = FormatKind::Vector {
    write: |clip, options| animated_svg(clip, options).map(|(text, report)| (text.into_bytes(), report)),
    has_markers: false,
};
#[cfg(feature = "vector")]
const PAGE: FormatKind = FormatKind::Vector {
    write: |clip, options| html_page(clip, options).map(|(text, report)| (text.into_bytes(), report)),
    has_markers: false,
};
#[cfg(feature = "vector")]
const LOTTIE: FormatKind = FormatKind::Vector {
    write: |clip, options| lottie(clip, options).map(|(text, report)| (text.into_bytes(), report)),
    has_markers: true,
};
#[cfg(feature = "vector")]
const DOT_LOTTIE: FormatKind = FormatKind::Vector { write: dot_lottie, has_markers: true };
#[cfg(feature = "vector")]
const STICKER: FormatKind = FormatKind::Vector { write: telegram_sticker, has_markers: false };

#[cfg(feature = "atlas")]
const SHEET_JSON: FormatKind = FormatKind::Sheet(|atlas, images, data| {
    (0..atlas.page_count()).map(|page| atlas.json(page, images, data)).collect()
});
#[cfg(feature = "atlas")]
const SHEET_TRES: FormatKind = FormatKind::Sheet(|atlas, images, _| vec![atlas.tres(images)]);

/// A format of files with all frames of a clip.
#[derive(Clone, Copy, Debug)]
pub struct FileFormat {
    /// The ending of its files, without the dot.
    pub ending: &'static str,
    /// Its name in a sentence: "a GIF".
    pub name: &'static str,
    /// Its name in a list.
    pub label: &'static str,
    /// The options that apply to it, as `render-frames` has them: those of [`Animation`] and of its kind.
    pub options: &'static [&'static str],
    /// How its files are made.
    pub kind: FormatKind,
}

const fn row(
    ending: &'static str,
    name: &'static str,
    label: &'static str,
    options: &'static [&'static str],
    kind: FormatKind,
) -> FileFormat {
    FileFormat { ending, name, label, options, kind }
}

/// The bytes of a file, and what it contains.
#[cfg(feature = "vector")]
type VectorFile = (Vec<u8>, VectorReport);

/// How the files of a format are made.
#[derive(Clone, Copy, Debug)]
pub enum FormatKind {
    /// Of frames, by a writer.
    Frames {
        /// Begins a file.
        writer: fn(&Animation) -> Result<Box<dyn FrameWriter>, ExportError>,
        /// Whether the writer [looks](FrameWriter::look) at all frames before the first is pushed.
        looks: bool,
        /// The highest rate of frames.
        most_fps: Option<u32>,
    },
    /// Of frames, by ffmpeg.
    Video(VideoFormat),
    /// Of the frames of several clips: pages of sprites, and texts with their places, of the names of the
    /// pictures and of the texts.
    #[cfg(feature = "atlas")]
    Sheet(fn(&Atlas, &[String], &[String]) -> Vec<String>),
    /// Of the layers of one frame.
    #[cfg(feature = "layers")]
    Layers {
        /// Begins a file.
        writer: fn(PixelSize) -> Result<Box<dyn LayerWriter>, ExportError>,
        /// Whether layers can have a blend mode.
        has: fn(BlendMode) -> bool,
    },
    /// Of a drawing that moves.
    #[cfg(feature = "vector")]
    Vector {
        /// Makes a file of a clip.
        write: fn(&SampledClip, &VectorOptions) -> Result<VectorFile, VectorError>,
        /// Whether several clips are markers in one file.
        has_markers: bool,
    },
}

impl FileFormat {
    /// The format of files with this ending, without sprite sheets.
    pub fn find(ending: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.ending == ending && !format.is_sheet())
    }

    /// Whether an option applies to it.
    pub fn has(&self, option: &str) -> bool {
        self.options.contains(&option)
    }

    /// Whether it is made of frames that come in order.
    pub fn is_animation(&self) -> bool {
        matches!(self.kind, FormatKind::Frames { .. } | FormatKind::Video(_))
    }

    /// Whether it has outlines, not pixels.
    pub fn is_vector(&self) -> bool {
        #[cfg(feature = "vector")]
        return matches!(self.kind, FormatKind::Vector { .. });
        #[cfg(not(feature = "vector"))]
        return false;
    }

    /// Whether it is one frame in layers.
    pub fn is_layered(&self) -> bool {
        #[cfg(feature = "layers")]
        return matches!(self.kind, FormatKind::Layers { .. });
        #[cfg(not(feature = "layers"))]
        return false;
    }

    /// Whether it is a sprite sheet.
    pub fn is_sheet(&self) -> bool {
        #[cfg(feature = "atlas")]
        return matches!(self.kind, FormatKind::Sheet(_));
        #[cfg(not(feature = "atlas"))]
        return false;
    }

    /// Whether several clips can be in one file.
    pub fn has_clips(&self) -> bool {
        match self.kind {
            #[cfg(feature = "vector")]
            FormatKind::Vector { has_markers, .. } => has_markers,
            _ => self.is_sheet(),
        }
    }
}

/// Frames that become a file. What a format lacks is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Animation {
    /// The size of all frames.
    pub size: PixelSize,
    /// How many frames there are.
    pub frames: u64,
    /// Frames a second.
    pub rate: PlayRate,
    /// How often it is played.
    pub plays: Plays,
    /// Colours of a palette with the transparent one, from 2 to 256.
    pub colours: u16,
    /// Whether colours that a palette lacks are mixed of two in a fixed pattern (ordered dithering).
    pub dither: bool,
    /// The colour behind pixels that are transparent in part, where a pixel is transparent or not. Without one,
    /// pixels below half are transparent, and the others opaque.
    pub matte: Option<[u8; 3]>,
    /// How many threads compress frames. The bytes are the same for any number.
    pub threads: usize,
}

impl Animation {
    /// Frames that are played again and again, with 256 colours where there is a palette.
    pub fn new(size: PixelSize, frames: u64, rate: PlayRate) -> Self {
        let plays = Plays::Endless;
        Self { size, frames, rate, plays, colours: 256, dither: false, matte: None, threads: 1 }
    }

    /// Begins a file with this ending.
    ///
    /// # Errors
    /// If there is no such format that is made by a [`FrameWriter`], or it has no frames of this size or so many.
    pub fn writer(&self, ending: &str) -> Result<Box<dyn FrameWriter>, ExportError> {
        match FileFormat::find(ending).map(|format| format.kind) {
            Some(FormatKind::Frames { writer, .. }) => writer(self),
            _ => Err(ExportError::NoWriter),
        }
    }
}

/// What a file is written to.
pub trait OutputFile: Write + Seek {}

impl<W: Write + Seek> OutputFile for W {}

/// Makes a file of frames: straight RGBA, row by row. The file is the same in each call.
pub trait FrameWriter: Send {
    /// The frame that the file has at a place, if it has so many: a format with a highest rate leaves some out.
    fn shown(&self, at: usize) -> Option<usize>;

    /// Looks at a frame, in any order, before the first one is [pushed](Self::push).
    fn look(&mut self, _frame: &[u8]) {}

    /// Adds the next frame that is [shown](Self::shown).
    ///
    /// # Errors
    /// If the frame has another size, there are too many, or the file cannot be written.
    fn push(&mut self, frame: &[u8], out: &mut dyn OutputFile) -> Result<(), ExportError>;

    /// Writes what is left.
    ///
    /// # Errors
    /// If there are too few frames, or the file cannot be written.
    fn finish(&mut self, out: &mut dyn OutputFile) -> Result<(), ExportError>;
}
