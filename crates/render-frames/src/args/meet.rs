//! The arguments of `meet`.

use std::path::PathBuf;

use bone_import::ViewDirection;
use clap::builder::ArgPredicate;

use super::import::{percent, view};
use super::transitions::seconds;
use super::{Existing, whole_files};
use crate::frames::Fps;
use crate::output_name;

/// Find transitions between two captures: places where one can fade into the other.
///
/// Poses are compared over the time of the fade, up to a shift along the ground. The best places are printed;
/// with -o a rig is written: a figure with both clips, and a shot that fades from one into the other at the
/// best place.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MeetArgs {
    /// The first capture, as of import
    pub(crate) first: PathBuf,

    /// The second capture; the same file finds transitions of a capture to itself
    pub(crate) second: PathBuf,

    /// Write a rig with both clips and the shot; the figure's drawing goes beside it, as an .svg
    #[arg(short, long, value_name = "FILE", value_parser = output_name::file())]
    pub(crate) output: Option<PathBuf>,

    /// Duration of the fade, seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 0.33, value_parser = seconds)]
    pub(crate) fade: f64,

    /// Largest distance of the joints, in percent of the figure's height
    #[arg(long, value_name = "PERCENT", default_value_t = 8.0, value_parser = percent)]
    pub(crate) within: f64,

    /// Number of places that are printed
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) count: usize,

    /// View of the figure: side, front, back, or degrees from the front towards the figure's right
    #[arg(long, value_name = "VIEW", default_value = "side", value_parser = view, allow_negative_numbers = true)]
    pub(crate) view: ViewDirection,

    /// Largest error of a joint of a clip, in percent of the figure's height
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = percent)]
    pub(crate) tolerance: f64,

    /// Frames a second of the new rig
    #[arg(long, value_name = "FPS", default_value = "24")]
    pub(crate) fps: Fps,

    /// Print the places as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// What to do with existing files
    #[arg(long, value_name = "WHAT", default_value = "error", default_value_if("force", ArgPredicate::IsPresent, "overwrite"), value_parser = whole_files())]
    pub(crate) existing: Existing,

    /// The same as --existing overwrite
    #[arg(long, conflicts_with = "existing")]
    pub(crate) force: bool,

    /// Print nothing but errors and warnings
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  render-frames meet walk.bvh jump.bvh
  render-frames meet walk.bvh jump.bvh -o both.ron && render-frames both.ron --clip 'walk to jump' -o out/";
