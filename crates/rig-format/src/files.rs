//! Where files come from, and which of them may be read: whatever implements [`Files`].

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Gives the bytes of files by path.
pub trait Files: Send + Sync {
    /// The bytes of a file.
    ///
    /// # Errors
    /// If it cannot be read, or is too large to be what it should be.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// The path that leads to a file or a folder once links are followed, for a path that a file names: two
    /// names of one file have one such path.
    ///
    /// # Errors
    /// If there is nothing, or what is there may never end, like a pipe.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(plain_path(path))
    }

    /// Which files may be read besides the rig.
    fn rules(&self) -> ReadRules {
        ReadRules::default()
    }

    /// The names of the files in the folder of `path`, for suggestions; empty if there is no telling.
    fn beside(&self, path: &Path) -> Vec<String> {
        let _ = path;
        Vec::new()
    }
}

/// Which files a rig and its drawing may name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadRules {
    /// The drawing of the rig, in place of the one that the rig names.
    pub drawing: Option<PathBuf>,
    /// Folders whose images may be read. Those in the folder of the drawing and below always may.
    pub images_from: Vec<PathBuf>,
    /// Whether the drawing and the included files must lie in the folder of the rig or below.
    pub confined: bool,
}

impl ReadRules {
    /// Whether a drawing may have this image.
    pub(crate) fn allow_image(&self, files: &dyn Files, folder: &Path, path: &Path) -> io::Result<bool> {
        let path = files.resolve(path)?;
        let mut folders = [folder].into_iter().chain(self.images_from.iter().map(PathBuf::as_path));
        Ok(folders.any(|folder| files.resolve(folder).is_ok_and(|folder| is_within(&folder, &path))))
    }

    /// Fails for a drawing or an included file that the rig in this folder may not name.
    pub(crate) fn check_named(&self, files: &dyn Files, folder: &Path, path: &Path) -> io::Result<()> {
        let path = files.resolve(path)?;
        if self.confined && !is_within(&files.resolve(folder)?, &path) {
            let message = "it is outside of the folder of the rig, and the rig is confined to that folder";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        Ok(())
    }
}

/// Whether a path is below a folder. Both are in their normal form.
fn is_within(folder: &Path, path: &Path) -> bool {
    let rest = path.strip_prefix(folder);
    rest.is_ok_and(|rest| rest.components().all(|part| matches!(part, Component::Normal(_))))
}

/// Larger files are an error: no rig, drawing or linked image is so large, and reading a device never ends.
pub const LARGEST_FILE: u64 = 512 << 20;

/// The normal form of a path: `a/./b/../c` is `a/c`. Two paths with one normal form are one file. Links are not resolved.
pub(crate) fn plain_path(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// Files in memory: for tools, tests and places without a disk.
#[derive(Clone, Debug, Default)]
pub struct InMemory {
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl InMemory {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    pub fn with(mut self, path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) -> Self {
        self.files.insert(path.into(), bytes.into());
        self
    }
}

impl Files for InMemory {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let found = self.files.get(path).or_else(|| self.files.get(&plain_path(path)));
        found.cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn beside(&self, path: &Path) -> Vec<String> {
        let path = plain_path(path);
        let names = self.files.keys().filter(|file| file.parent() == path.parent());
        names.filter_map(|file| file.file_name()?.to_str().map(str::to_owned)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_within_a_folder_or_not() {
        let within = |folder: &str, path: &str| {
            is_within(&plain_path(Path::new(folder)), &plain_path(&Path::new(folder).join(path)))
        };
        for folder in ["", ".", "art", "../art", "/art", "../.."] {
            for path in ["a.png", "in/a.png", "./in/../a.png"] {
                assert!(within(folder, path), "{folder} {path}");
            }
            for path in ["../a.png", "in/../../a.png", "../../../../a.png", "/a.png", "/arts/a.png"] {
                assert!(!within(folder, path), "{folder} {path}");
            }
        }
    }
}
