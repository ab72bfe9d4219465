//! The arguments of `assemble`.

use std::path::PathBuf;

use clap::builder::TypedValueParser as _;

use super::animation::AnimationArgs;
use super::values::ProgressKind;
use crate::container::animation_endings;
use crate::frames::{Fps, Selection};
use crate::output::Output;

/// Make one file of frames that are there: an animation, a video, a sprite sheet.
///
/// The frames are numbered PNG files of one size, by this program or by others: RGBA, RGB, grey or palette.
/// They are read in the order of their numbers. A number that is missing is an error, and so is a file that
/// is damaged.
///
/// Without --fps the rate is the one at which render-frames drew the frames, which the manifest beside them
/// has; of other frames it is 24.
#[derive(Debug, clap::Args)]
#[command(after_help = ASSEMBLE_EXAMPLES)]
pub(crate) struct AssembleArgs {
    /// The frames: a folder, or a pattern like 'out/walk_####.png' (#### is the number)
    pub(crate) from: String,

    #[arg(short, long, value_name = "FILE", value_parser = crate::output_name::file().map(Output::new),
        help = format!("Output file: {}, or .json and .tres with --sheet", animation_endings()))]
    pub(crate) output: Output,

    #[command(flatten)]
    pub(crate) existing: super::ResultFileArgs,

    /// Numbers of the frames: 0-23 or 1,5,7-10 or 0-23:2; each must be there [default: all]
    #[arg(short, long, value_name = "FRAMES", allow_negative_numbers = true)]
    pub(crate) frames: Option<Selection>,

    /// Frames a second, like 24 or 30000/1001 [default: that of the render, else 24]
    #[arg(long, value_name = "FPS", allow_negative_numbers = true)]
    pub(crate) fps: Option<Fps>,

    /// A rig whose sounds the video gets: those of the frames with these numbers
    #[arg(long, value_name = "RIG")]
    pub(crate) sound: Option<PathBuf>,

    /// The clip or shot of these sounds [default: film, or the first]
    #[arg(long, value_name = "NAME", requires = "sound")]
    pub(crate) clip: Option<String>,

    /// Number of frames that are read at a time [default: one for each processor]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,

    /// Form of the progress on standard error
    #[arg(long, value_enum, value_name = "HOW", default_value_t = ProgressKind::Auto)]
    pub(crate) progress: ProgressKind,

    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) animation: AnimationArgs,
}

const ASSEMBLE_EXAMPLES: &str = "\
Examples:
  render-frames assemble out/ -o walk.mp4
  render-frames assemble 'out/walk_####.png' -o walk.webp --fps 30000/1001
  render-frames assemble out/ -o talk.mp4 --sound hero.ron --clip talk
  render-frames assemble out/ -o walk.gif --frames 0-47    an error if one of them is missing";
