//! The folder of the rig: its other rigs and drawings open on pages of their own, and new ones come into it.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bone_authoring::{FileNames, scaffold};
use bone_format::{Disk, Files, ReadRules, new_file};

use super::document::{Refused, drawing_stem, free_name, is_plain, read_drawing};
use super::files::WatchedFiles;

/// Gives the fonts of drawings with text.
pub type FontSource = Arc<dyn Fn() -> bone_format::fontdb::Database + Send + Sync>;

/// So many names of a folder are listed.
const MOST_LISTED: usize = 1000;
/// Within its first bytes a rig says that it is one.
const HEAD: u64 = 16_384;

/// The folder of a rig.
pub(crate) struct RigFolder {
    pub(crate) rig: PathBuf,
    pub(crate) rules: ReadRules,
    pub(crate) fonts: FontSource,
}

impl RigFolder {
    fn path(&self, name: &str) -> PathBuf {
        self.rig.with_file_name(name)
    }

    /// Whether a name is that of a file here. A link may lead out of the folder, and a pipe waits for its other end.
    fn is_file(&self, name: &str) -> bool {
        self.path(name).symlink_metadata().is_ok_and(|about| about.is_file())
    }

    /// Whether a file is a rig: parts of rigs have the same ending.
    fn is_rig(&self, name: &str) -> bool {
        let file = self.is_file(name).then(|| File::open(self.path(name)).ok()).flatten();
        let mut head = Vec::new();
        file.is_some_and(|file| file.take(HEAD).read_to_end(&mut head).is_ok())
            && head.windows(4).any(|text| text == b"Rig(")
    }

    /// The rigs and the drawings that there are, in order.
    pub(crate) fn names(&self) -> (Vec<String>, Vec<String>) {
        let beside = Disk.beside(&self.rig).into_iter().filter(|name| is_plain(name));
        let ends = |name: &str, end: &str| {
            Path::new(name).extension().is_some_and(|own| own.eq_ignore_ascii_case(end))
        };
        let (drawings, others): (Vec<String>, Vec<String>) =
            beside.filter(|name| self.is_file(name)).take(MOST_LISTED).partition(|name| ends(name, "svg"));
        let rigs =
            others.into_iter().filter(|name| ends(name, "ron")).filter(|name| self.is_rig(name)).collect();
        (rigs, drawings)
    }

    /// A rig of the folder, or that of a drawing, which is made if there is none. With a text, that is a new drawing of
    /// this name, or of one like it that is free.
    pub(crate) fn rig_of(&self, name: &str, text: Option<&str>) -> Result<PathBuf, Refused> {
        if !is_plain(name) {
            return Err(Refused::new(format!("\"{name}\" is no file of this folder")));
        }
        let name = match text {
            Some(text) => self.write(name, text)?,
            None => name.to_owned(),
        };
        if !self.is_file(&name) {
            return Err(Refused::new(format!("there is no file {name} here")));
        }
        let rig = self.path(&name).with_extension("ron");
        let shown = rig.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if rig.symlink_metadata().is_err()
            && let Err(refused) = self.make(&name, &rig)
        {
            // A new drawing that no rig fits is of no use.
            if text.is_some() {
                drop(std::fs::remove_file(self.path(&name)));
            }
            return Err(refused);
        }
        if !self.is_rig(&shown) {
            return Err(Refused::new(format!("{shown} is no rig: it has no `Rig(`")));
        }
        if rig == self.rig {
            return Err(Refused::new("this page shows it"));
        }
        Ok(rig)
    }

    /// Writes a drawing under a name that no drawing and no rig has.
    fn write(&self, name: &str, text: &str) -> Result<String, Refused> {
        let stem = drawing_stem(name)?;
        read_drawing(name, text, (self.fonts)())?;
        free_name(stem, |name| {
            let path = self.path(name);
            match path.with_extension("ron").symlink_metadata() {
                Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                Err(_) => new_file(&path, text.as_bytes(), false),
            }
        })
    }

    /// Makes a first rig for a drawing, as `init` does.
    fn make(&self, name: &str, rig: &Path) -> Result<(), Refused> {
        let shown = rig.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let files: Arc<dyn Files> = Arc::new(WatchedFiles::new(self.rules.clone()));
        let called = FileNames { drawing: name, rig: &shown };
        let made = scaffold(&self.path(name), called, &files, &|| (self.fonts)());
        let Some(first) = made.rig else {
            let why = made.diagnostics.iter().next().map(|found| found.message.clone());
            return Err(Refused::new(format!(
                "{name}: {}",
                why.unwrap_or_else(|| "no rig fits it".to_owned())
            )));
        };
        new_file(rig, first.text.as_bytes(), false)
            .map_err(|error| Refused::new(format!("{shown} is not written: {error}")))
    }
}
