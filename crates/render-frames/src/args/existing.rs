//! What happens to files that are there already. It is the same for every command that writes files:
//! `--existing` says it, and `--force` is short for `--existing overwrite`.

use std::path::Path;

use clap::ValueEnum;
use clap::builder::{ArgPredicate, PossibleValuesParser, TypedValueParser};

/// What happens to an existing file of a command that writes what people edit then: it is an error.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct NewFileArgs {
    /// What to do with existing files
    #[arg(long, value_name = "WHAT", default_value = "error", default_value_if("force", ArgPredicate::IsPresent, "overwrite"), value_parser = whole_files())]
    pub(crate) existing: Existing,

    /// The same as --existing overwrite
    #[arg(long, conflicts_with = "existing")]
    pub(crate) force: bool,
}

impl NewFileArgs {
    /// Whether an existing file is replaced.
    pub(crate) fn replace(self) -> bool {
        self.existing.replace()
    }
}

/// The same of a command whose files are made anew at any time: they are replaced.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct ResultFileArgs {
    /// What to do with existing files
    #[arg(long, value_name = "WHAT", default_value = "overwrite", value_parser = whole_files())]
    existing: Existing,

    /// The same as --existing overwrite
    #[arg(hide_short_help = true, long, conflicts_with = "existing")]
    force: bool,
}

impl ResultFileArgs {
    /// Fails if a file is there that stays.
    pub(crate) fn allow(self, output: &Path) -> Result<(), String> {
        match self.existing == Existing::Error && output.symlink_metadata().is_ok() {
            true => Err(format!("{} exists already, and --existing is error", output.display())),
            false => Ok(()),
        }
    }
}

/// The parser of `--existing` where there are no frames that could be kept.
pub(crate) fn whole_files() -> impl TypedValueParser<Value = Existing> {
    let values = [Existing::Overwrite, Existing::Error].map(|it| it.to_possible_value().unwrap_or_default());
    PossibleValuesParser::new(values).map(|value| match value.as_str() {
        "overwrite" => Existing::Overwrite,
        _ => Existing::Error,
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Existing {
    /// Replace them
    Overwrite,
    /// Keep frames that would come out the same, draw the others: continues an interrupted run
    Skip,
    /// Stop before anything is written if one exists
    Error,
}

impl Existing {
    /// Whether an existing file is replaced.
    pub(crate) fn replace(self) -> bool {
        self == Self::Overwrite
    }

    /// Fails if something has the name of an output and stays; a link that leads nowhere is there, too.
    pub(crate) fn allow(self, output: &Path) -> Result<(), String> {
        match !self.replace() && output.symlink_metadata().is_ok() {
            true => Err(format!(
                "{} exists already: choose another name, or add --force to replace it",
                output.display()
            )),
            false => Ok(()),
        }
    }
}
