//! The words of `transitions`.

use std::path::PathBuf;

/// Find where two clips of a rig meet best, and make a shot that fades from one to the other there.
///
/// Poses are compared over the time of the fade, wherever along the ground the figure is. The shot is printed, or written with -o.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TransitionsArgs {
    /// The rig file
    pub(crate) rig: PathBuf,

    /// The clip that plays first
    pub(crate) from: String,

    /// The clip that takes over
    pub(crate) to: String,

    /// How long the fade takes
    #[arg(long, value_name = "SECONDS", default_value_t = 0.3, value_parser = seconds)]
    pub(crate) fade: f64,

    /// Name of the shot [default: FROM_to_TO]
    #[arg(long, value_name = "NAME")]
    pub(crate) shot: Option<String>,

    /// Where the rig with the shot goes; it may be the rig itself [default: the shot is printed]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  render-frames transitions hero.ron walk run
  render-frames transitions hero.ron walk jump --fade 0.2 -o hero.ron && render-frames hero.ron --clip walk_to_jump";

/// How long a fade takes.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "seconds, like 0.3")?;
    if (0.02..=10.0).contains(&seconds) { Ok(seconds) } else { Err("from 0.02 to 10 seconds".to_owned()) }
}
