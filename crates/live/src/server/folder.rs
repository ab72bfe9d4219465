//! The folder of the rig: its other rigs and drawings open on pages of their own, and new ones come into it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bone_authoring::{FileNames, scaffold};
use bone_format::{Files, ReadRules, new_file};
use bone_render::{Resources, read_svg};

use super::document::{NAMES, Refused, drawing_stem, is_plain};
use super::files::WatchedFiles;

/// Gives the fonts of drawings with text.
pub type FontSource = Arc<dyn Fn() -> bone_format::fontdb::Database + Send + Sync>;

/// So many names of a folder are listed.
const MOST_LISTED: usize = 1000;
/// Within its first bytes a rig says that it is one.
const HEAD: usize = 16_384;

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

    /// The rigs and the drawings that there are, in order.
    pub(crate) fn names(&self) -> (Vec<String>, Vec<String>) {
        let files = WatchedFiles::new(self.rules.clone());
        let beside = files.beside(&self.rig).into_iter().filter(|name| is_plain(name));
        let ends = |name: &str, end: &str| {
            Path::new(name).extension().is_some_and(|own| own.eq_ignore_ascii_case(end))
        };
        let is_rig = |name: &String| {
            let text = self.path(name).is_file().then(|| files.read(&self.path(name)));
            // Parts of rigs have the same ending.
            text.and_then(Result::ok)
                .is_some_and(|text| text[..text.len().min(HEAD)].windows(4).any(|word| word == b"Rig("))
        };
        let (drawings, others): (Vec<String>, Vec<String>) =
            beside.take(MOST_LISTED).partition(|name| ends(name, "svg"));
        let rigs = others.into_iter().filter(|name| ends(name, "ron")).filter(is_rig).collect();
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
        let drawing = self.path(&name);
        if !drawing.is_file() {
            return Err(Refused::new(format!("there is no {name}")));
        }
        let rig = drawing.with_extension("ron");
        if !rig.exists() {
            self.make(&name, &rig)?;
        }
        if rig == self.rig {
            return Err(Refused::new("this page shows it"));
        }
        Ok(rig)
    }

    /// Writes a drawing under a name that no drawing and no rig has.
    fn write(&self, name: &str, text: &str) -> Result<String, Refused> {
        let stem = drawing_stem(name)?;
        let resources = Resources { fonts: Arc::new((self.fonts)()), ..Resources::none() };
        read_svg(text, &resources)
            .map_err(|error| Refused::new(format!("{name} cannot be read: {}", error.message())))?;
        for number in 1..=NAMES {
            let name = if number == 1 { format!("{stem}.svg") } else { format!("{stem}-{number}.svg") };
            let path = self.path(&name);
            if path.with_extension("ron").symlink_metadata().is_ok() {
                continue;
            }
            match new_file(&path, text.as_bytes(), false) {
                Ok(()) => return Ok(name),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Refused::new(format!("{name} is not written: {error}"))),
            }
        }
        Err(Refused::new(format!("{stem}.svg and {NAMES} names like it are there already")))
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
