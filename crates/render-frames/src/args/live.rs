//! The arguments of `live` and `watch`.

use std::path::PathBuf;

use super::reading::ReadArgs;
use super::rig_files::Verbosity;
use super::values::size;
use bone_render::FrameSize;

/// Show a rig in the browser, and edit it there.
///
/// The page follows the files: each save in an editor is shown at once. Bones are dragged and keyed, placed and
/// bound on the page, and each change is the least edit of the rig file, which keeps comments and everything
/// else. With a drawing, a scaffold of a rig is written beside it first, as `init` does; a rig that is there
/// is opened and never replaced. The server is reached from this computer alone, with the address that is
/// printed.
#[derive(Debug, clap::Args)]
#[command(after_help = LIVE_EXAMPLES)]
pub(crate) struct LiveArgs {
    /// The rig file, or a drawing (.svg) without a rig
    pub(crate) rig: PathBuf,

    /// Print the address and open no browser
    #[arg(long)]
    pub(crate) no_open: bool,

    /// Port of the server [default: any that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,

    /// Write files only on Ctrl-S in the page
    #[arg(long)]
    pub(crate) hold: bool,

    /// Folder with other files of the page, for work on it
    #[cfg(debug_assertions)]
    #[arg(long, value_name = "DIR", hide = true)]
    pub(crate) assets: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) verbosity: Verbosity,

    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

const LIVE_EXAMPLES: &str = "\
Examples:
  render-frames live hero.ron
  render-frames live hero.svg                     writes hero.ron first
  render-frames live hero.ron --no-open --port 8080

Ctrl-C ends it (exit code 130). What a run that was killed did not write is offered at the next
start: it is in the folder for the state of programs (XDG_STATE_HOME or ~/.local/state).";

/// Render a rig again after each save of its files.
///
/// Draws all frames, waits until the rig, an included file, its drawing or an image is saved, and draws again.
/// With a mistake in the rig the frames stay, and the mistakes are printed.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = WATCH_EXAMPLES)]
pub(crate) struct WatchArgs {
    /// The rig file
    pub(crate) rig: PathBuf,

    /// Output: a folder, a name like 'out/{clip}_####.png', or one file (.gif, .apng, .webp, .mp4, ...)
    #[arg(short, long, value_name = "PATTERN", default_value = "out/")]
    pub(crate) output: std::ffi::OsString,

    /// Clip or shot: its name, or `all` [default: film, or the first]
    #[arg(short, long, value_name = "NAME")]
    pub(crate) clip: Option<String>,

    /// Size in pixels, like 1920x1080; the drawing is fitted into it
    #[arg(long, value_name = "WxH", value_parser = size, conflicts_with = "scale")]
    pub(crate) size: Option<FrameSize>,

    /// Size as a multiple of the drawing's own
    #[arg(long, value_name = "FACTOR")]
    pub(crate) scale: Option<String>,

    /// Colour behind the drawing: '#fff', '#ffcc0080', white
    #[arg(long, value_name = "COLOUR")]
    pub(crate) background: Option<String>,

    #[command(flatten)]
    pub(crate) verbosity: Verbosity,

    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

const WATCH_EXAMPLES: &str = "\
Examples:
  render-frames watch rig.ron -o out/
  render-frames watch rig.ron -o walk.gif --clip walk --scale 0.5 --background white

Ctrl-C ends it (exit code 130).";
