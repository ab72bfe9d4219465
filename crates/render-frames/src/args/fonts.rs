//! The options about fonts, which every command has.

use std::path::PathBuf;

/// Which fonts the texts of drawings get.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Fonts")]
pub(crate) struct FontArgs {
    /// Read the fonts of a folder and the folders in it, too; may be given several times
    #[arg(long, global = true, value_name = "DIR", alias = "use-fonts-dir", hide_short_help = true)]
    pub(crate) font_dir: Vec<PathBuf>,

    /// Read a font file, too; may be given several times
    #[arg(long, global = true, value_name = "FILE", alias = "use-font-file", hide_short_help = true)]
    pub(crate) font_file: Vec<PathBuf>,

    /// Use another family for one that a drawing names, like 'Arial=DejaVu Sans' or 'serif=Noto Serif'; may be
    /// given several times
    #[arg(long, global = true, value_name = "NAME=FAMILY", value_parser = family, hide_short_help = true)]
    pub(crate) font_family_map: Vec<(String, String)>,

    /// Use the fonts of --font-dir and --font-file alone
    #[arg(long, global = true, alias = "skip-system-fonts", hide_short_help = true)]
    pub(crate) no_system_fonts: bool,
}

fn family(text: &str) -> Result<(String, String), String> {
    let trimmed = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
    match text.split_once('=').map(|(name, family)| (trimmed(name), trimmed(family))) {
        Some((name, family)) if !name.is_empty() && !family.is_empty() => Ok((name, family)),
        _ => {
            Err("write the name in the drawing, = and the family to use, like 'Arial=DejaVu Sans'".to_owned())
        }
    }
}
