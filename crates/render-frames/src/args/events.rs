//! The arguments of `events`.

use std::path::PathBuf;

use super::WornRigArgs;
use crate::frames::{Fps, Selection};

/// List the events of clips with the frames that own them.
///
/// Frame n owns what happens after the time of the frame before it, up to its own; frame 0 also what happens at
/// 0, and the last frame of a whole loop what happens until it repeats. Of frames with gaps, each owns what is
/// between it and the one before it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct EventsArgs {
    /// The rig file
    pub(crate) rig: PathBuf,

    /// Print the list as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Clip or shot to list: its name, or `all` [default: film, or the first]
    #[arg(short, long, value_name = "NAME")]
    pub(crate) clip: Option<String>,

    /// Frames: 0-23 or 1,5,7-10 or 0-23:2 (every second), ends included [default: all]
    #[arg(short, long, value_name = "FRAMES", allow_negative_numbers = true)]
    pub(crate) frames: Option<Selection>,

    /// Frames a second, like 24 or 30000/1001 [default: the rig's, else 24]
    #[arg(long, value_name = "FPS", allow_negative_numbers = true)]
    pub(crate) fps: Option<Fps>,

    #[command(flatten)]
    pub(crate) files: WornRigArgs,
}

const EXAMPLES: &str = "\
Examples:
  render-frames events rig.ron --clip walk
  render-frames events rig.ron --clip all --json
  render-frames events rig.ron --clip walk --frames 0-71 --fps 30";
