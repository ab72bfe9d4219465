//! Arguments for outputs that are one file of a clip: animations, videos, sprite sheets.

use std::num::NonZeroU16;

use bone_render::Background;
use clap::ValueEnum;

use std::path::Path;

use crate::container::Container;

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
    /// The container that a name stands for; `None` for files of single frames. `still`: an .svg is one.
    ///
    /// # Errors
    /// If the program writes no files with this extension.
    pub(crate) fn container(&self, output: &str, still: bool) -> Result<Option<Container>, String> {
        let Some(ending) =
            Path::new(output).extension().map(|ending| ending.to_string_lossy().to_lowercase())
        else {
            return if self.sheet {
                Err("a sheet is a .json or a .tres, as in -o walk.json".to_owned())
            } else {
                Ok(None)
            };
        };
        let found = match ending.as_str() {
            "json" if self.sheet => Container::SheetJson,
            "tres" if self.sheet => Container::SheetTres,
            _ if self.sheet => return Err(format!("a sheet is a .json or a .tres, not a .{ending}")),
            "json" => Container::Lottie,
            "lottie" => Container::DotLottie,
            "svg" if !still && !output.contains('#') => Container::AnimatedSvg,
            "tres" => return Err(format!("a .{ending} is a sprite sheet: add --sheet")),
            "gif" => Container::Gif,
            "apng" => Container::Apng,
            "png" if self.animate => Container::Apng,
            "webp" => Container::Webp,
            "mp4" => Container::Mp4,
            "webm" => Container::Webm,
            "mov" => Container::Mov,
            "png" | "svg" | "rgba" | "y4m" => return Ok(None),
            _ => {
                return Err(format!(
                    "there is no output for .{ending}. Known are .png and .svg (a frame, or frames with #### for the \
                         number), .gif, .apng, .png with --animate, .webp, .mp4, .webm, .mov, .svg (animated), .json and .lottie \
                         (Lottie), and .json and .tres with --sheet"
                ));
            }
        };
        Ok(Some(found))
    }

    /// Checks that all options apply to the output: a container, or frames. `drawn` frames are not read from
    /// files, so that their gradients can be dithered.
    pub(crate) fn fit(&self, container: Option<Container>, drawn: bool) -> Result<(), String> {
        use Container::{AnimatedSvg, Apng, DotLottie, Gif, Lottie, Mp4, SheetJson, SheetTres, Webm, Webp};
        // A new option must be listed here, with the outputs that have it.
        let Self {
            animate,
            plays,
            colours,
            dither,
            matte,
            quality,
            tolerance,
            precision,
            sheet,
            trim,
            padding,
            extrude,
            power_of_two,
            max_side,
            pivot,
        } = self;
        let vector = &[AnimatedSvg, Lottie, DotLottie][..];
        let sheets = &[SheetJson, SheetTres][..];
        if drawn && dither.is_some() && container.is_some_and(Container::is_vector) {
            return Err("--dither is for pixels, and this output has the gradients themselves".to_owned());
        }
        let options: [(bool, &str, &[Container]); 15] = [
            (*animate, "--animate", &[Apng]),
            (plays.is_some(), "--loop", &[Gif, Apng, Webp, AnimatedSvg]),
            (colours.is_some(), "--colours", &[Gif]),
            (dither.is_some() && !drawn, "--dither", &[Gif]),
            (matte.is_some(), "--matte", &[Gif, Mp4]),
            (quality.is_some(), "--quality", &[Mp4, Webm]),
            (tolerance.is_some(), "--tolerance", vector),
            (precision.is_some(), "--precision", vector),
            (*sheet, "--sheet", sheets),
            (trim.is_some(), "--trim", sheets),
            (padding.is_some(), "--padding", sheets),
            (extrude.is_some(), "--extrude", sheets),
            (*power_of_two, "--power-of-two", sheets),
            (max_side.is_some(), "--max-side", sheets),
            (pivot.is_some(), "--pivot", sheets),
        ];
        for (given, name, containers) in options {
            if given && !container.is_some_and(|container| containers.contains(&container)) {
                let known: Vec<&str> = containers.iter().map(|container| container.ending()).collect();
                let output = container.map_or("frames", Container::name);
                return Err(format!("{name} does not apply to {output}: it is for {}", known.join(", ")));
            }
        }
        Ok(())
    }

    pub(crate) fn plays(&self) -> bone_export::Plays {
        self.plays.and_then(NonZeroU16::new).map_or(bone_export::Plays::Endless, bone_export::Plays::Times)
    }
}
