//! Arguments for outputs that are one file of a clip: animations, videos, sprite sheets.

use std::num::NonZeroU16;
use std::path::Path;

use bone_export::{FORMATS, FileFormat, Plays};
use bone_render::Background;
use clap::ValueEnum;

use crate::container::{animation_endings_with_options, endings_with};

#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct AnimationArgs {
    /// Write a .png as an animation
    #[arg(help_heading = "One file of a clip", hide_short_help = true, long)]
    pub(crate) animate: bool,

    /// Play the animation so many times; 0 is for ever [default: 0]
    #[arg(help_heading = "One file of a clip", hide_short_help = true, long = "loop", value_name = "N")]
    pub(crate) plays: Option<u16>,

    /// Colours of a GIF, from 2 to 256 [default: 256]
    #[arg(help_heading = "One file of a clip", hide_short_help = true, long, visible_alias = "colors", value_name = "N", value_parser = clap::value_parser!(u16).range(2..=256))]
    pub(crate) colours: Option<u16>,

    /// How colours are shown that lie between those of a pixel: of gradients, or in a GIF of its palette [default: none]
    #[arg(help_heading = "One file of a clip", hide_short_help = true, long, value_enum, value_name = "HOW")]
    pub(crate) dither: Option<Dither>,

    /// Colour behind what is transparent in part, where a GIF or an MP4 has no place for it
    #[arg(help_heading = "One file of a clip", hide_short_help = true, long, value_name = "COLOUR", value_parser = matte)]
    pub(crate) matte: Option<Matte>,

    /// Quality of an MP4 or a WebM, from 0 to 100 [default: 96]
    #[arg(help_heading = "One file of a clip", hide_short_help = true, long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) quality: Option<u8>,

    /// Largest error of outlines in an animated .svg or a Lottie, in pixels [default: 0.25]
    #[arg(help_heading = "One file of a clip", hide_short_help = true, long, value_name = "PIXELS", value_parser = super::values::scale, allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,

    /// Digits after the point in an animated .svg or a Lottie [default: as many as --tolerance needs]
    #[arg(help_heading = "One file of a clip", hide_short_help = true, long, value_name = "DIGITS", value_parser = clap::value_parser!(u8).range(0..=9))]
    pub(crate) precision: Option<u8>,

    /// Leave out the sounds of the clip
    #[arg(help_heading = "One file of a clip", hide_short_help = true, long)]
    pub(crate) no_sound: bool,

    /// Write a sprite sheet: a .json for Phaser, PixiJS and others, a .tres for Godot 4, with .png pages
    #[arg(help_heading = "One file of a clip", hide_short_help = true, long)]
    pub(crate) sheet: bool,

    /// What is cut off around the sprites of a sheet [default: clip]
    #[arg(help_heading = "One file of a clip", hide_short_help = true, long, value_enum, value_name = "HOW")]
    pub(crate) trim: Option<Trim>,

    /// Empty pixels between sprites [default: 2]
    #[arg(help_heading = "One file of a clip", hide_short_help = true, long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=256))]
    pub(crate) padding: Option<u16>,

    /// How often the edge of a sprite is repeated outside [default: 1]
    #[arg(help_heading = "One file of a clip", hide_short_help = true, long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=256))]
    pub(crate) extrude: Option<u16>,

    /// Make the sides of pages powers of two
    #[arg(help_heading = "One file of a clip", hide_short_help = true, long)]
    pub(crate) power_of_two: bool,

    /// Longest side of a page [default: 4096]
    #[arg(help_heading = "One file of a clip", hide_short_help = true, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=32768))]
    pub(crate) max_side: Option<u32>,

    /// Bone whose start, at rest, is the pivot of all sprites [default: the middle]
    #[arg(help_heading = "One file of a clip", hide_short_help = true, long, value_name = "BONE")]
    pub(crate) pivot: Option<String>,
}

/// Ways to show colours between those that a pixel can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Dither {
    /// By the nearest one: nothing flickers, files are small
    None,
    /// By two in a fixed pattern: skies and large shades have no bands
    Ordered,
}

/// What is cut off around sprites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Trim {
    /// The same for all frames of a clip, so that nothing jitters
    Clip,
    /// For each frame what is empty
    Frame,
}

/// An opaque colour. A wrapper, so that clap does not take the option for an optional argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Matte(pub(crate) [u8; 3]);

fn matte(text: &str) -> Result<Matte, String> {
    match Background::parse(text).map_err(|error| error.to_string())? {
        Some(Background { rgba: [red, green, blue, 255] }) => Ok(Matte([red, green, blue])),
        _ => Err("a matte is an opaque colour".to_owned()),
    }
}

impl AnimationArgs {
    /// The format that a name stands for; `None` for files of single frames. `still`: an .svg is one.
    ///
    /// # Errors
    /// If the program writes no files with this extension.
    pub(crate) fn format(&self, output: &str, still: bool) -> Result<Option<&'static FileFormat>, String> {
        /// Files of single frames.
        const FRAMES: [&str; 4] = ["png", "svg", "rgba", "y4m"];
        let ending = Path::new(output).extension().map(|ending| ending.to_string_lossy().to_lowercase());
        if self.sheet {
            let sheet = |format: &&FileFormat| format.is_sheet() && ending.as_deref() == Some(format.ending);
            return FORMATS.iter().find(sheet).map(Some).ok_or_else(|| match ending {
                Some(ending) => format!("a sheet is a .json or a .tres, not a .{ending}"),
                None => "a sheet is a .json or a .tres, as in -o walk.json".to_owned(),
            });
        }
        let Some(ending) = ending.as_deref() else { return Ok(None) };
        let animated = |format: &&FileFormat| ending == "png" && self.animate && format.has("animate");
        match FileFormat::find(ending).or_else(|| FORMATS.iter().find(animated)) {
            Some(format) if !format.is_vector() => Ok(Some(format)),
            // An .svg may be a frame.
            Some(format) if !(FRAMES.contains(&ending) && (still || output.contains('#'))) => {
                Ok(Some(format))
            }
            _ if FRAMES.contains(&ending) => Ok(None),
            _ if FORMATS.iter().any(|format| format.ending == ending) => {
                Err(format!("a .{ending} is a sprite sheet: add --sheet"))
            }
            _ => Err(format!(
                "there is no output for .{ending}. Known are .png and .svg (a frame, or frames with #### for the \
                 number), .ora and .psd (a frame in layers), {}, .svg (animated), .html (a page with it), .json and .lottie (Lottie), .tgs (of Telegram), and .json \
                 and .tres with --sheet",
                animation_endings_with_options()
            )),
        }
    }

    /// Checks that all options apply to the output: a format, or frames. `drawn` frames are not read from
    /// files, so that their gradients can be dithered.
    pub(crate) fn fit(&self, format: Option<&FileFormat>, drawn: bool) -> Result<(), String> {
        // A new option must be listed here, and in the rows of the formats that have it.
        let Self {
            animate,
            plays,
            colours,
            dither,
            matte,
            quality,
            tolerance,
            precision,
            no_sound,
            sheet,
            trim,
            padding,
            extrude,
            power_of_two,
            max_side,
            pivot,
        } = self;
        if drawn && dither.is_some() && format.is_some_and(FileFormat::is_vector) {
            return Err("--dither is for pixels, and this output has the gradients themselves".to_owned());
        }
        let options = [
            (*animate, "animate"),
            (plays.is_some(), "loop"),
            (colours.is_some(), "colours"),
            (dither.is_some() && !drawn, "dither"),
            (matte.is_some(), "matte"),
            (quality.is_some(), "quality"),
            (tolerance.is_some(), "tolerance"),
            (precision.is_some(), "precision"),
            (*no_sound, "no-sound"),
            (*sheet, "sheet"),
            (trim.is_some(), "trim"),
            (padding.is_some(), "padding"),
            (extrude.is_some(), "extrude"),
            (*power_of_two, "power-of-two"),
            (max_side.is_some(), "max-side"),
            (pivot.is_some(), "pivot"),
        ];
        for (given, name) in options {
            if given && !format.is_some_and(|format| format.has(name)) {
                let output = format.map_or("frames", |format| format.name);
                return Err(format!("--{name} does not apply to {output}: it is for {}", endings_with(name)));
            }
        }
        Ok(())
    }

    pub(crate) fn plays(&self) -> Plays {
        self.plays.and_then(NonZeroU16::new).map_or(Plays::Endless, Plays::Times)
    }
}
