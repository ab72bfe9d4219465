//! The arguments of `inspect`, `sheet` and `onion`.

use std::path::PathBuf;
use std::str::FromStr as _;

use bone_looks::overlay::Layers;
use bone_render::FrameSize;

use super::values::{BackgroundArg, background, size};
use super::{ResultFileArgs, WornRigArgs};
use crate::frames::{Fps, Selection};
use crate::output_name;

/// Show the contents of a rig: the art and the bones that it follows, the bones and the art that follows
/// them, clips and shots.
///
/// Art is listed in paint order, with its name or address in a rig ("Body/#3" is the third piece of art in
/// "Body"), its colours, and its bounding box: x y, width x height. Art that is painted through references is
/// listed under definitions.
///
/// With --clip or --frame the positions of the bones at that frame are shown, too; with --json also every
/// outline on the canvas. Exits with 3 if there are errors.
#[derive(Debug, clap::Args)]
#[command(after_help = INSPECT_EXAMPLES)]
pub(crate) struct InspectArgs {
    /// The rig file, or a drawing that has no rig
    pub(crate) rig: PathBuf,

    /// Print everything as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,

    /// Pose this clip or shot [default with --frame: the first]
    #[arg(short, long, value_name = "NAME")]
    pub(crate) clip: Option<String>,

    /// Pose this frame [default with --clip: 0]
    #[arg(short, long, value_name = "N")]
    pub(crate) frame: Option<u64>,

    /// Frames a second, like 24 or 30000/1001 [default: the rig's, else 24]
    #[arg(long, value_name = "FPS", allow_negative_numbers = true)]
    pub(crate) fps: Option<Fps>,

    #[command(flatten)]
    pub(crate) files: WornRigArgs,
}

const INSPECT_EXAMPLES: &str = "\
Examples:
  render-frames inspect rig.ron
  render-frames inspect drawing.svg
  render-frames inspect rig.ron --clip walk --frame 6
  render-frames inspect rig.ron --clip walk --frame 6 --json";

/// Draw frames of a clip side by side into one picture, with their numbers; or each shape of a drawing, with
/// its address.
#[derive(Debug, clap::Args)]
#[command(after_help = SHEET_EXAMPLES)]
pub(crate) struct SheetArgs {
    /// The rig file, or a drawing that has no rig
    pub(crate) rig: PathBuf,

    /// Draw each shape of the drawing alone, with its name or address in a rig, in paint order
    #[arg(long, conflicts_with_all = ["clip", "frames", "every", "moments", "fps", "overlay"])]
    pub(crate) art: bool,

    /// Clip or shot to draw [default: film, or the first]
    #[arg(short, long, value_name = "NAME")]
    pub(crate) clip: Option<String>,

    /// Output file: a .png or an .svg
    #[arg(short, long, value_name = "FILE", default_value = "sheet.png", value_parser = output_name::file())]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) existing: ResultFileArgs,

    /// Frames to draw: 0-23 or 1,5,7-10 or 0-23:2 (every second) [default: all]
    #[arg(short, long, value_name = "FRAMES", allow_negative_numbers = true)]
    pub(crate) frames: Option<Selection>,

    /// Draw every Nth of these frames
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) every: u64,

    /// Draw this many frames, evenly spread
    #[arg(long, value_name = "N", conflicts_with_all = ["frames", "every"], value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub(crate) moments: Option<u64>,

    /// Frames a second, like 24 or 30000/1001 [default: the rig's, else 24]
    #[arg(long, value_name = "FPS", allow_negative_numbers = true)]
    pub(crate) fps: Option<Fps>,

    /// Frames in a row [default: as many as make the picture wider than high]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) columns: Option<u16>,

    /// Size in pixels into which each frame is fitted [default: 320x240, with --art 160x120]
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub(crate) size: Option<FrameSize>,

    /// Colour of the background: '#fff', '#202428', none
    #[arg(long, value_name = "COLOUR", default_value = "white", value_parser = background)]
    pub(crate) background: BackgroundArg,

    /// Leave out the heading and the numbers
    #[arg(long)]
    pub(crate) bare: bool,

    /// Draw on top of each frame: bones,names,vertices,regions,weights:BONE,mesh,paths,art,grid
    #[arg(long, value_name = "LAYERS", value_parser = layers)]
    pub(crate) overlay: Option<Layers>,

    #[command(flatten)]
    pub(crate) files: WornRigArgs,
}

const SHEET_EXAMPLES: &str = "\
Examples:
  render-frames sheet rig.ron --clip walk -o walk.png --every 3
  render-frames sheet rig.ron --clip walk -o walk.svg --moments 8 --columns 8
  render-frames sheet rig.ron -o dark.png --background '#202428' --overlay bones,names
  render-frames sheet drawing.svg --art -o shapes.png";

/// Draw frames of a clip over each other: earlier ones red, later ones green.
///
/// The frame in the middle has its own colours. Art that does not move is drawn once.
#[derive(Debug, clap::Args)]
#[command(after_help = ONION_EXAMPLES)]
pub(crate) struct OnionArgs {
    /// The rig file
    pub(crate) rig: PathBuf,

    /// Clip or shot to draw [default: film, or the first]
    #[arg(short, long, value_name = "NAME")]
    pub(crate) clip: Option<String>,

    /// Output file: a .png or an .svg
    #[arg(short, long, value_name = "FILE", default_value = "onion.png", value_parser = output_name::file())]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) existing: ResultFileArgs,

    /// The middle frame [default: the middle one of --frames]
    #[arg(long, value_name = "N")]
    pub(crate) frame: Option<u64>,

    /// All frames: 4-12 or 0-23:4 (every fourth) [default: three before and three after, two apart]
    #[arg(short, long, value_name = "FRAMES", allow_negative_numbers = true)]
    pub(crate) frames: Option<Selection>,

    /// Frames a second, like 24 or 30000/1001 [default: the rig's, else 24]
    #[arg(long, value_name = "FPS", allow_negative_numbers = true)]
    pub(crate) fps: Option<Fps>,

    /// Size of the picture in pixels, like 1920x1080; the drawing is fitted into it [default: the drawing's own]
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub(crate) size: Option<FrameSize>,

    /// Colour of the background: '#fff', '#202428', none
    #[arg(long, value_name = "COLOUR", default_value = "white", value_parser = background)]
    pub(crate) background: BackgroundArg,

    /// Draw on top of the middle frame: bones,names,vertices,regions,weights:BONE,mesh,paths,art,grid
    #[arg(long, value_name = "LAYERS", value_parser = layers)]
    pub(crate) overlay: Option<Layers>,

    #[command(flatten)]
    pub(crate) files: WornRigArgs,
}

const ONION_EXAMPLES: &str = "\
Examples:
  render-frames onion rig.ron --clip walk --frame 12 -o onion.png
  render-frames onion rig.ron --clip walk --frames 0-12:3 --frame 0 -o onion.svg";

/// Parses the layers of an overlay.
pub(crate) fn layers(text: &str) -> Result<Layers, String> {
    Layers::from_str(text).map_err(|error| error.to_string())
}
