//! Where files come from: whatever implements [`Files`].

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

    /// The names of the files in the folder of `path`, for suggestions; empty if there is no telling.
    fn beside(&self, path: &Path) -> Vec<String> {
        let _ = path;
        Vec::new()
    }
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
