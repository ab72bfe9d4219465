//! The arguments about the files that a command reads besides the rig.

use std::path::PathBuf;

use bone_rig::Rig;

use crate::files::CommandFiles;
use crate::report;

/// Which files may be read.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ReadArgs {
    /// Folder whose images may be read, too; may be given several times [default: the drawing's folder and
    /// below]
    #[arg(help_heading = "Files that are read", hide_short_help = true, long, value_name = "DIR")]
    pub(crate) allow_images_from: Vec<PathBuf>,

    /// Read the drawing and included files only from the folder of the rig and below, for untrusted rigs
    #[arg(help_heading = "Files that are read", hide_short_help = true, long)]
    pub(crate) confined: bool,
}

/// Which files are read for a rig.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct RigFileArgs {
    /// The drawing, in place of the one that the rig names; for a rig from standard input
    #[arg(help_heading = "Files that are read", hide_short_help = true, long, value_name = "SVG")]
    pub(crate) drawing: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

/// Which files are read for a rig that is posed, and what it wears.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct WornRigArgs {
    /// Outfits in place of the rig's, in their order: winter,hat; or none
    #[arg(long, value_name = "OUTFITS", value_delimiter = ',')]
    wear: Option<Vec<String>>,

    #[command(flatten)]
    files: RigFileArgs,
}

impl ReadArgs {
    pub(crate) fn rules(&self) -> bone_format::ReadRules {
        let mut rules = bone_format::ReadRules::default();
        rules.images_from.clone_from(&self.allow_images_from);
        rules.confined = self.confined;
        rules
    }

    pub(crate) fn files(&self) -> CommandFiles {
        CommandFiles::new(self.rules())
    }

    /// The options of another run of this program that reads the same files and fonts.
    #[cfg(feature = "live")]
    pub(crate) fn options(&self) -> Vec<std::ffi::OsString> {
        let mut options = crate::fonts::options();
        for folder in &self.allow_images_from {
            options.extend(["--allow-images-from".into(), folder.into()]);
        }
        options.extend(self.confined.then(|| "--confined".into()));
        options
    }
}

impl RigFileArgs {
    pub(crate) fn files(&self) -> CommandFiles {
        let mut rules = self.reading.rules();
        rules.drawing.clone_from(&self.drawing);
        CommandFiles::new(rules)
    }
}

impl WornRigArgs {
    pub(crate) fn files(&self) -> CommandFiles {
        self.files.files()
    }

    /// Puts the outfits on.
    pub(crate) fn wear(&self, rig: &mut Rig) -> Result<(), String> {
        let Some(names) = &self.wear else { return Ok(()) };
        let names = if names == &["none"] && rig.outfit("none").is_none() { &[][..] } else { names };
        let place = |name: &String| {
            let names = rig.outfits().iter().map(|outfit| outfit.name.as_str());
            rig.outfit(name).ok_or_else(|| report::not_called("outfit", name, names))
        };
        let worn = names.iter().map(place).collect::<Result<Vec<_>, _>>()?;
        rig.set_worn(&worn);
        Ok(())
    }
}
