//! The arguments of `transitions`.

use std::path::PathBuf;

use super::{NewFileArgs, RigFileArgs};

/// Find the best transition between two clips of a rig, and make a shot with this fade.
///
/// Poses are compared over the time of the fade, up to a shift along the ground. The shot is printed, or
/// written with -o. Another file, or a shot of that name, that is there already is replaced with --force only.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TransitionsArgs {
    /// The rig file
    pub(crate) rig: PathBuf,

    /// The clip that plays first
    pub(crate) from: String,

    /// The clip that plays after the fade
    pub(crate) to: String,

    /// Duration of the fade, seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 0.3, value_parser = seconds)]
    pub(crate) fade: f64,

    /// Name of the shot [default: FROM_to_TO]
    #[arg(long, value_name = "NAME")]
    pub(crate) shot: Option<String>,

    /// The rig file to write, with the shot; it may be the rig itself [default: the shot is printed]
    #[arg(short, long, value_name = "FILE", value_parser = crate::output_name::file())]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) existing: NewFileArgs,

    #[command(flatten)]
    pub(crate) files: RigFileArgs,
}

const EXAMPLES: &str = "\
Examples:
  render-frames transitions hero.ron walk run
  render-frames transitions hero.ron walk jump --fade 0.2 -o hero.ron && render-frames hero.ron --clip walk_to_jump";

/// Parses the duration of a fade.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "seconds, like 0.3")?;
    if (0.02..=10.0).contains(&seconds) { Ok(seconds) } else { Err("from 0.02 to 10 seconds".to_owned()) }
}
