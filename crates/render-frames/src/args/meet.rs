//! The words of `meet`.

use std::path::PathBuf;

use import::ViewDirection;

use super::Existing;
use super::import::{percent, view};
use super::transitions::seconds;
use crate::frames::Fps;

/// Find where two captures meet, so that one can fade into the other.
///
/// PoseTable are compared over the time of the fade, laid over each other by a shift along the ground. The best places are printed; with -o they
/// become a rig: a figure with both clips, and a shot that fades from one into the other at the best place.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MeetArgs {
    /// The capture that comes first, a .bvh
    pub(crate) first: PathBuf,

    /// The capture that it goes over into; the same one for a motion that meets itself
    pub(crate) second: PathBuf,

    /// Write a rig with both clips and the shot; the figure's drawing goes beside it, as an .svg
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Seconds in which one fades into the other
    #[arg(long, value_name = "SECONDS", default_value_t = 0.33, value_parser = seconds)]
    pub(crate) fade: f64,

    /// How far joints may be apart, in percent of the figure's height
    #[arg(long, value_name = "PERCENT", default_value_t = 8.0, value_parser = percent)]
    pub(crate) within: f64,

    /// How many places are printed
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) count: usize,

    /// The side to look from: side, front, back, or degrees from the front towards the figure's right
    #[arg(long, value_name = "VIEW", default_value = "side", value_parser = view, allow_negative_numbers = true)]
    pub(crate) view: ViewDirection,

    /// How far a joint of a clip may be off, in percent of the figure's height
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = percent)]
    pub(crate) tolerance: f64,

    /// Frames a second of the rig that is made
    #[arg(long, value_name = "FPS", default_value = "24")]
    pub(crate) fps: Fps,

    /// Print the places as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// What to do with files that exist already
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Existing::Error)]
    pub(crate) existing: Existing,

    /// Say nothing unless something is wrong
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  render-frames meet walk.bvh jump.bvh
  render-frames meet walk.bvh jump.bvh -o both.ron && render-frames both.ron --clip 'walk to jump' -o out/";
