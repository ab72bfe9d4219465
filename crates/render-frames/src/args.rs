//! The arguments of the command line.

use bone_core::clip::{BoneProperty, Properties as _};
use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

mod animation;
mod assemble;
mod events;
mod existing;
mod fonts;
mod import;
#[cfg(feature = "live")]
mod live;
#[cfg(feature = "lsp")]
mod lsp;
mod pictures;
mod presets;
mod reading;
mod rig_files;
mod transitions;
mod values;
mod view;

pub(crate) use animation::{AnimationArgs, Dither, Trim};
pub(crate) use assemble::AssembleArgs;
pub(crate) use events::EventsArgs;
pub(crate) use existing::{Existing, NewFileArgs, ResultFileArgs, whole_files};
pub(crate) use fonts::FontArgs;
pub(crate) use import::{FacingArg, ImportArgs};
#[cfg(feature = "live")]
pub(crate) use live::{LiveArgs, WatchArgs};
#[cfg(feature = "lsp")]
pub(crate) use lsp::LspArgs;
pub(crate) use pictures::{InspectArgs, OnionArgs, SheetArgs};
pub(crate) use presets::PresetsArgs;
pub(crate) use reading::{ReadArgs, RigFileArgs, WornRigArgs};
pub(crate) use rig_files::{
    CompletionsArgs, ConvertArgs, Deny, FormatArgs, InitArgs, ManArgs, PackArgs, Verbosity,
};
pub(crate) use transitions::TransitionsArgs;
pub(crate) use values::{BackgroundArg, Format, ProgressKind};
use values::{background, scale, size};
pub(crate) use view::ViewArgs;

use crate::container::animation_endings;
use crate::frames::{Fps, Selection};
use crate::output;
use crate::output::Output;
use crate::output_name;
use bone_export::DeliveryTarget;
use bone_looks::overlay::Layers;
use bone_render::{Compress, FrameSize};

/// Renders the frames of a drawing that moves with its bones.
///
/// A rig (a text) defines which part of a drawing (an SVG) follows which bone, and how bones move.
#[derive(Debug, Parser)]
#[command(name = "render-frames", version, arg_required_else_help = true, max_term_width = 100, after_help = examples())]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,

    #[command(flatten)]
    pub(crate) fonts: FontArgs,
}

fn examples() -> String {
    let endings = animation_endings();
    let (first, others) = endings.split_once(", ").unwrap_or((&endings, ""));
    format!(
        "\
Examples:
  render-frames walk/rig.ron -o out/              every frame of the first clip, as files
  render-frames walk/rig.ron -o 'out/{{clip}}_###.png' --clip all
  render-frames walk/rig.ron -o walk{first}          an animation; also {others}
  render-frames assemble out/ -o walk.mp4         one file of frames that are there
  render-frames init drawing.svg -o rig.ron       a scaffold of a rig for a drawing
  render-frames check walk/rig.ron                every mistake in the rig, with its place
  render-frames live walk/rig.ron                 a page in the browser, to pose and key it

Without a command, `render` is run. `render-frames help COMMAND` prints more.
Exit codes: 0 fine, 1 failed, 2 usage, 3 the rig or the drawing is wrong, 130 interrupted."
    )
}

/// The commands. Each command's help text is at its arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Render(RenderArgs),
    Assemble(AssembleArgs),
    Init(InitArgs),
    Check(CheckArgs),
    #[cfg(feature = "live")]
    Live(LiveArgs),
    #[cfg(feature = "live")]
    Watch(WatchArgs),
    #[cfg(feature = "lsp")]
    Lsp(LspArgs),
    Inspect(InspectArgs),
    Events(EventsArgs),
    Sheet(SheetArgs),
    Onion(OnionArgs),
    Plot(PlotArgs),
    Weights(WeightsArgs),
    Import(ImportArgs),
    Transitions(TransitionsArgs),
    Presets(PresetsArgs),
    Pack(PackArgs),
    Format(FormatArgs),
    Convert(ConvertArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Draw the frames of a clip into numbered files, into one file, or into a pipe.
///
/// Frame n shows the clip at n / fps seconds. A looping clip ends with the frame before it repeats, any other
/// clip includes its end. A rig without clips gives one frame of the setup pose.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = RENDER_EXAMPLES)]
pub(crate) struct RenderArgs {
    /// The rig file, or a packed rig (.bones)
    pub(crate) rig: PathBuf,

    #[arg(short, long, value_name = "PATTERN", default_value = "out/", value_parser = output::pattern(),
        help = format!("Output: a folder, a name like 'out/{{clip}}_####.png' (#### is the frame number), one \
            file by its extension ({}), or - for a pipe", animation_endings()))]
    pub(crate) output: Output,

    /// A sticker within the limits of a service: see `presets`
    #[arg(long = "for", value_name = "NAME", value_parser = presets::target)]
    pub(crate) target: Option<&'static DeliveryTarget>,

    /// Clip or shot: its name, or `all` [default: film, or the first]
    #[arg(short, long, value_name = "NAME")]
    pub(crate) clip: Option<String>,

    /// A state machine to play in place of a clip; --frames says how long
    #[arg(hide_short_help = true, long, value_name = "NAME", conflicts_with = "clip", requires = "frames")]
    pub(crate) machine: Option<String>,

    /// What is set of the machine, as JSON: [[0.5, "speed", 1], [1.2, "jump", true]], seconds, input and value
    #[arg(hide_short_help = true, long, value_name = "FILE", requires = "machine")]
    pub(crate) inputs: Option<PathBuf>,

    /// Frames: 0-23 or 1,5,7-10 or 0-23:2 (every second), ends included [default: all]
    #[arg(short, long, value_name = "FRAMES", allow_negative_numbers = true)]
    pub(crate) frames: Option<Selection>,

    /// Frames a second, like 24 or 30000/1001 [default: the rig's, else 24]
    #[arg(long, value_name = "FPS", allow_negative_numbers = true)]
    pub(crate) fps: Option<Fps>,

    /// Hold each drawing for N frames of the rig: 2 is "on twos", 1 holds none
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) step: Option<u32>,

    /// Size in pixels, like 1920x1080; the drawing is fitted into it
    #[arg(long, value_name = "WxH", value_parser = size, conflicts_with = "scale")]
    pub(crate) size: Option<FrameSize>,

    /// Size as a multiple of the drawing's own
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = scale, allow_negative_numbers = true)]
    pub(crate) scale: f64,

    /// Draw N x N pixels for each pixel of a frame and take their mean: no seams between shapes that touch
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=16))]
    pub(crate) samples: u32,

    /// Make layers of what is in a group, too, in an .ora, a .psd, or files with {layer}; may be given several times
    #[arg(hide_short_help = true, long, value_name = "GROUP")]
    pub(crate) layers: Vec<String>,

    /// Colour behind the drawing: '#fff', '#ffcc0080', white
    #[arg(long, value_name = "COLOUR", default_value = "none", value_parser = background)]
    pub(crate) background: BackgroundArg,

    /// File format; svg is the posed drawing itself, rgba and y4m are streams for -o -
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Png)]
    pub(crate) format: Format,

    /// Time spent on smaller PNG files; the pixels are the same
    ///
    /// A program such as oxipng makes the smallest ones of them afterwards.
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Compression::Balanced)]
    pub(crate) compress: Compression,

    /// Number in the name of frame 0
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = 0)]
    pub(crate) start_number: u64,

    /// What to do with existing files: `skip` keeps frames that would come out the same
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Existing::Overwrite)]
    pub(crate) existing: Existing,

    /// The same as --existing overwrite
    #[arg(hide_short_help = true, long, conflicts_with = "existing")]
    pub(crate) force: bool,

    /// Frames that are drawn at a time [default: one for each processor]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,

    /// Form of the progress on standard error
    #[arg(long, value_enum, value_name = "HOW", default_value_t = ProgressKind::Auto)]
    pub(crate) progress: ProgressKind,

    /// Print nothing but errors and warnings
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Report each step: files, times, elements that are skipped
    #[arg(short, long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,

    /// On top: bones,names,vertices,regions,weights:BONE,mesh,paths,art,grid
    #[arg(long, value_name = "LAYERS", value_parser = pictures::layers)]
    pub(crate) overlay: Option<Layers>,

    #[command(flatten)]
    pub(crate) animation: AnimationArgs,

    #[command(flatten)]
    pub(crate) view: ViewArgs,

    #[command(flatten)]
    pub(crate) files: WornRigArgs,
}

const RENDER_EXAMPLES: &str = "\
Examples:
  render-frames render rig.ron -o 'pose_##.png' --frames 0-23:4 --scale 2 --background white
  render-frames render rig.ron -o out/ --existing skip      continue an interrupted run
  render-frames rig.ron -o walk.gif --scale 0.5 --background white
  render-frames rig.ron -o walk.webm --clip all             a video for each clip, by ffmpeg
  render-frames rig.ron -o walk.svg                         animated SVG; .json, .lottie: Lottie
  render-frames rig.ron -o walk.json --sheet --clip all     a sprite sheet of all clips
  render-frames rig.ron -o pose.psd --frames 0              layers; .ora and 'out/{layer}/f_####.png', too
  render-frames rig.ron -o - --format y4m | ffmpeg -colorspace bt709 -i - -pix_fmt yuv420p out.mp4

The manifest of the frames in a folder is in .bone-layer beside them. A y4m has no alpha: without a
--background, transparent pixels become black. Ctrl-C finishes the frames in progress (exit code
130), a second one ends at once. If the reader of a pipe closes it, the program ends (141).
`render-frames help render` lists the options of files of a whole clip: colours, quality, sheets.";

/// Find all mistakes in a rig and its drawing, without drawing.
///
/// Exits with 3 if there are errors, else with 0.
#[derive(Debug, clap::Args)]
#[command(after_help = rig_files::CHECK_EXAMPLES)]
pub(crate) struct CheckArgs {
    /// The rig file
    pub(crate) rig: PathBuf,

    /// Print the findings as JSON on standard output, with lines, columns and byte ranges
    #[arg(long)]
    pub(crate) json: bool,

    /// Exit with 3 if there are warnings, too
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) deny: Option<Deny>,

    #[command(flatten)]
    pub(crate) verbosity: Verbosity,

    #[command(flatten)]
    pub(crate) files: WornRigArgs,
}

/// Plot the values of bones over time: the value above, its speed below, the keys marked.
///
/// A clip is plotted from its curves, with a margin before its start and after its end; a shot from its
/// poses.
#[derive(Debug, clap::Args)]
#[command(after_help = PLOT_EXAMPLES)]
pub(crate) struct PlotArgs {
    /// The rig file
    pub(crate) rig: PathBuf,

    /// Clip or shot to plot [default: film, or the first]
    #[arg(short, long, value_name = "NAME")]
    pub(crate) clip: Option<String>,

    /// Bone to plot; may be given several times [default: all that move]
    #[arg(short, long = "bone", value_name = "NAME")]
    pub(crate) bones: Vec<String>,

    /// Channel to plot, like rotate or move, or `all`
    #[arg(long, value_name = "NAME", default_value = "all", value_parser = channel)]
    pub(crate) channel: ChannelArg,

    /// Output file: an .svg or a .png
    #[arg(short, long, value_name = "FILE", default_value = "plot.svg", value_parser = output_name::file())]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) existing: ResultFileArgs,

    /// Size of a .png as a multiple of the plot's own size
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = scale, allow_negative_numbers = true)]
    pub(crate) scale: f64,

    #[command(flatten)]
    pub(crate) files: WornRigArgs,
}

const PLOT_EXAMPLES: &str = "\
Examples:
  render-frames plot rig.ron --clip walk --bone fore.L -o plot.svg
  render-frames plot rig.ron --clip walk --channel move -o moves.png --scale 2
  render-frames plot rig.ron -o all.png           every bone that moves in the first clip";

/// A channel or all channels. A wrapper, so that clap does not take the option for an optional argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChannelArg(pub(crate) Option<BoneProperty>);

/// Change the weights of deforming art, and write them into the rig.
///
/// `Smooth` bindings become `Explicit` ones, one for each path, with weights that can be edited by hand; of
/// `Explicit` bindings the changed rows are written. Everything else in the file stays unchanged. Without
/// --write the new bindings are printed. Weights are smoothed, then mirrored, then pruned, regardless of the
/// order of the arguments.
#[derive(Debug, clap::Args)]
#[command(after_help = WEIGHTS_EXAMPLES)]
pub(crate) struct WeightsArgs {
    /// The rig file
    pub(crate) rig: PathBuf,

    /// Change only the binding of this art; may be given several times [default: all]
    #[arg(short, long, value_name = "NAME")]
    pub(crate) art: Vec<String>,

    /// Smooth the weights along the outlines this many times
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) smooth: Option<u16>,

    /// Strength of each smoothing, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = share, requires = "smooth")]
    pub(crate) strength: f64,

    /// Copy the weights of one side to the other, with left bones for right ones [default: L2R]
    #[arg(long, value_enum, value_name = "WAY", num_args = 0..=1, default_missing_value = "L2R", ignore_case = true)]
    pub(crate) mirror: Option<MirrorWay>,

    /// The x of the vertical mirror axis [default: the middle between left and right bones]
    #[arg(long, value_name = "X", requires = "mirror", allow_negative_numbers = true)]
    pub(crate) axis: Option<f64>,

    /// Keep only this many of the strongest bones of each vertex
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) prune: Option<u16>,

    /// Remove weights below this value
    #[arg(long, value_name = "WEIGHT", value_parser = share)]
    pub(crate) threshold: Option<f64>,

    /// Keep the weights of this bone; may be given several times
    #[arg(long, value_name = "BONE")]
    pub(crate) lock: Vec<String>,

    /// Write the rig
    #[arg(short, long)]
    pub(crate) write: bool,

    /// Print the changes as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) files: RigFileArgs,
}

const WEIGHTS_EXAMPLES: &str = "\
Examples:
  render-frames weights rig.ron                          show the weights that were found, as bindings
  render-frames weights rig.ron --art cape --write       write them into the rig
  render-frames weights rig.ron --smooth 3 --lock hip --prune 4 --write
  render-frames weights rig.ron --mirror L2R --write     copy the left side to the right";

/// The direction in which weights are mirrored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MirrorWay {
    /// The right side gets the weights of the left side
    #[value(name = "L2R")]
    LeftToRight,
    /// The left side gets the weights of the right side
    #[value(name = "R2L")]
    RightToLeft,
    /// Both sides exchange their weights
    #[value(name = "swap")]
    Swap,
}

fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "a number from 0 to 1, like 0.05")?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("a number from 0 to 1, like 0.05".to_owned()) }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compression {
    /// Filters with the row above only: the fastest, up to half as large again
    Fast,
    /// About as small as most programs write
    Balanced,
}

impl From<Compression> for Compress {
    fn from(compression: Compression) -> Self {
        match compression {
            Compression::Fast => Self::Fast,
            Compression::Balanced => Self::Balanced,
        }
    }
}

fn channel(text: &str) -> Result<ChannelArg, String> {
    if text == "all" {
        return Ok(ChannelArg(None));
    }
    BoneProperty::named(text).map(|channel| ChannelArg(Some(channel))).ok_or_else(|| {
        let names: Vec<&str> = BoneProperty::ROWS.iter().map(|row| row.name).collect();
        let near = bone_format::diagnostic::nearest(text, names.iter().copied());
        let near = near.map(|near| format!("did you mean {near}? ")).unwrap_or_default();
        format!("{near}a channel is {} or all", names.join(", "))
    })
}

/// Inserts `render` if the first argument is not a command, so that `render-frames rig.ron -o out/` works.
///
/// # Errors
/// If the first argument is neither a command nor the name of a file: a lone word.
pub(crate) fn with_short_form(arguments: impl Iterator<Item = OsString>) -> Result<Vec<OsString>, String> {
    let mut arguments: Vec<OsString> = arguments.collect();
    let commands = command();
    let known = |first: &OsString| {
        ["help", "-h", "--help", "-V", "--version"].iter().any(|known| first == known)
            || commands.get_subcommands().any(|command| first == command.get_name())
    };
    let Some(first) = arguments.get(1).filter(|first| !known(first)) else { return Ok(arguments) };
    let is_word = |text: &&str| {
        let mut letters = text.chars();
        letters.next().is_some_and(char::is_alphabetic) && letters.all(|c| c.is_alphanumeric() || c == '-')
    };
    if let Some(word) = first.to_str().filter(is_word).filter(|word| !std::path::Path::new(word).exists()) {
        let names: Vec<&str> =
            commands.get_subcommands().map(clap::Command::get_name).chain(["help"]).collect();
        let help = match bone_format::diagnostic::nearest(word, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the commands are {}", names.join(", ")),
        };
        return Err(format!("error: there is no command `{word}`, and no file of this name\n  help: {help}"));
    }
    arguments.insert(1, "render".into());
    Ok(arguments)
}

/// The definition of the command line. `-h` and `--help` of a command print what fits a screen, `help
/// COMMAND` prints everything.
pub(crate) fn command() -> clap::Command {
    let on_a_screen = |command: clap::Command| {
        let help = clap::Arg::new("help").short('h').long("help").action(clap::ArgAction::HelpShort);
        let text = "Print help; `render-frames help COMMAND` prints more";
        command
            .disable_help_flag(true)
            .arg(help.help(text).display_order(1000).help_heading(clap::builder::Resettable::Reset))
    };
    on_a_screen(<Args as clap::CommandFactory>::command()).mut_subcommands(on_a_screen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn the_short_form_is_render() {
        let arguments = |line: &str| with_short_form(line.split(' ').map(OsString::from)).expect("arguments");
        assert_eq!(
            arguments("render-frames rig.ron -o out/"),
            arguments("render-frames render rig.ron -o out/")
        );
        assert_eq!(arguments("render-frames -o out/ rig.ron")[1], "render");
        assert_eq!(arguments("render-frames check rig.ron")[1], "check");
        assert_eq!(arguments("render-frames --help")[1], "--help");
        assert_eq!(arguments("render-frames - --drawing a.svg")[1], "render");
        let wrong = |line: &str| with_short_form(line.split(' ').map(OsString::from)).unwrap_err();
        assert!(wrong("render-frames wach rig.ron").contains("did you mean `watch`?"));
        assert!(wrong("render-frames zzzzz rig.ron").contains("the commands are render, "));
    }
}
