//! The arguments of `init`, `format`, `completions` and `man`, and those that several commands share.

use std::path::PathBuf;

use clap::ValueEnum;
use clap_complete::Shell;

use super::{NewFileArgs, ReadArgs, WornRigArgs};
use crate::output_name;

/// How much is printed.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Verbosity {
    /// Print nothing but errors and warnings
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Report each step: files that are read, the time of each step, elements that are skipped
    #[arg(short, long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
}

/// What counts as an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Deny {
    /// Warnings, too
    Warnings,
}

pub(super) const CHECK_EXAMPLES: &str = "\
Examples:
  render-frames check rig.ron
  render-frames check rig.ron --deny warnings     warnings end with 3, too
  render-frames check rig.ron --json              for editors: lines, columns, byte ranges";

/// Write a scaffold of a rig for a drawing.
///
/// The scaffold has comments, no mistakes, and a clip to see that it works. Each line in a group or layer
/// called `bones` or `skeleton` becomes a bone; a line that starts at the end of another one becomes its
/// child. Without such a group one bone moves all art. Shapes without names are bound by their numbers.
/// Comments list the art and what can be bound. With --update an existing rig keeps its text and comments:
/// only `from`, `to` and `parent` of bones whose lines moved are changed, and bones for new lines are added.
/// Bones without a line stay and are listed. Included files are changed, too.
#[derive(Debug, clap::Args)]
#[command(after_help = INIT_EXAMPLES)]
pub(crate) struct InitArgs {
    /// The drawing, an SVG
    #[arg(required_unless_present = "update")]
    pub(crate) drawing: Option<PathBuf>,

    /// The rig file or its folder, or - for standard output [default: the drawing's name with .ron]
    #[arg(short, long, value_name = "RIG", value_parser = output_name::file())]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) existing: NewFileArgs,

    /// Write `line: "name"` for bones in place of numbers: they move when their lines in the drawing move
    #[arg(long)]
    pub(crate) lines: bool,

    /// Make art with this name a head that turns: a lattice over it, two sliders, and forms of an ellipsoid
    #[arg(long, value_name = "ART")]
    pub(crate) turn: Option<String>,

    /// Read the lines of a rig's drawing again and update the positions of its bones; the rest of the rig
    /// stays unchanged
    #[arg(long, value_name = "RIG", conflicts_with_all = ["drawing", "output", "existing", "force", "lines", "turn"])]
    pub(crate) update: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) verbosity: Verbosity,

    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

const INIT_EXAMPLES: &str = "\
Examples:
  render-frames init hero.svg                     writes hero.ron
  render-frames init art/hero.svg -o rigs/hero.ron
  render-frames init hero.svg -o -                prints it
  render-frames init --update hero.ron            after lines of bones were moved in hero.svg";

/// Pack a rig into one file for players.
///
/// The file has everything that plays: the drawing with its texts as outlines and its images, bones, weights,
/// clips and shots, constraints, drivers and springs. It loads without the drawing, fonts or a solver, and
/// gives the same frames to the byte. It does not have what was typed, so it cannot be edited: keep the rig.
/// A program reads files of its own version of packed rigs only.
#[derive(Debug, clap::Args)]
#[command(after_help = PACK_EXAMPLES)]
pub(crate) struct PackArgs {
    /// The rig file
    pub(crate) rig: PathBuf,

    /// The packed file or its folder [default: the rig's name with .bones]
    #[arg(short, long, value_name = "FILE", value_parser = output_name::file())]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) existing: NewFileArgs,

    #[command(flatten)]
    pub(crate) verbosity: Verbosity,

    #[command(flatten)]
    pub(crate) files: WornRigArgs,
}

const PACK_EXAMPLES: &str = "\
Examples:
  render-frames pack hero.ron                     writes hero.bones
  render-frames pack hero.ron -o game/hero.bones --force
  render-frames hero.bones -o out/                renders it";

/// Show the fields of a rig file.
///
/// Shows the fields of one table: their types with units, their defaults, and an example of each. These are
/// the tables of the format's reference.
#[derive(Debug, clap::Args)]
#[command(after_help = FORMAT_EXAMPLES)]
pub(crate) struct FormatArgs {
    /// Name of the table, like Bone or Clip [default: lists all tables]
    pub(crate) table: Option<String>,

    /// Print everything as JSON on standard output, for editors
    #[arg(long)]
    pub(crate) json: bool,

    /// Print the JSON Schema of rigs that are written as JSON
    #[arg(long, conflicts_with_all = ["json", "table"])]
    pub(crate) schema: bool,
}

/// Write a rig in the other notation: RON as JSON, or JSON as RON.
///
/// The notation is that of the output's name, .json or .ron. Included files stay as they are: convert each of
/// them, if all are to be JSON. JSON has no comments, so those of the rig are left out.
#[derive(Debug, clap::Args)]
#[command(after_help = CONVERT_EXAMPLES)]
pub(crate) struct ConvertArgs {
    /// The rig file, or a part of one
    pub(crate) rig: PathBuf,

    /// The file to write, or - for standard output
    #[arg(short, long, value_name = "FILE", default_value = "-", value_parser = output_name::file())]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) existing: NewFileArgs,
}

const CONVERT_EXAMPLES: &str = "\
Examples:
  render-frames convert rig.ron -o rig.json
  render-frames convert rig.json -o rig.ron --force
  render-frames convert rig.ron                   prints it as JSON";

const FORMAT_EXAMPLES: &str = "\
Examples:
  render-frames format                            the parts of a rig file and their fields
  render-frames format Smooth
  render-frames format --schema > rig.schema.json
  render-frames format --json > format.json       for completion and help in an editor";

/// Print the completions of these commands for a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  render-frames completions bash > ~/.local/share/bash-completion/completions/render-frames
  render-frames completions fish > ~/.config/fish/completions/render-frames.fish";

/// Print the manual page, or write a page for each command.
#[derive(Debug, clap::Args)]
#[command(after_help = MAN_EXAMPLES)]
pub(crate) struct ManArgs {
    /// Folder for the pages: render-frames.1, render-frames-render.1 and so on
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
}

const MAN_EXAMPLES: &str = "\
Examples:
  render-frames man | man -l -
  render-frames man -o ~/.local/share/man/man1";
