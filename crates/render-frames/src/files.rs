//! The files of a command: those of the disk, and standard input as `-`.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use bone_format::{Disk, Files, LARGEST_FILE, ReadRules};

/// The name of standard input.
pub(crate) const INPUT: &str = "-";

/// Whether a path stands for standard input.
pub(crate) fn is_input(path: &Path) -> bool {
    path.as_os_str() == INPUT
}

/// Files of the disk, and standard input as `-`.
#[derive(Debug, Default)]
pub(crate) struct CommandFiles {
    rules: ReadRules,
    /// The bytes of standard input, once they are read.
    input: Mutex<Option<Vec<u8>>>,
    /// What was asked for, with links followed.
    read: Mutex<BTreeSet<PathBuf>>,
}

/// The files that a command has read: rig, parts, drawing, images. No output replaces one of them, whatever
/// the options say.
#[derive(Debug, Default)]
pub(crate) struct Inputs(BTreeSet<PathBuf>);

impl Inputs {
    /// The same, and other files that the command reads.
    pub(crate) fn with<'a>(mut self, files: impl IntoIterator<Item = &'a Path>) -> Self {
        self.0.extend(files.into_iter().filter_map(|file| file.canonicalize().ok()));
        self
    }

    /// Whether a folder, with links followed, has an input of this name. A link to an input is none: writing
    /// replaces the link.
    pub(crate) fn has(&self, folder: &Path, name: &OsStr) -> bool {
        self.0.contains(&folder.join(name))
    }

    /// The inputs in a folder, with links followed.
    pub(crate) fn within<'a>(&'a self, folder: &'a Path) -> impl Iterator<Item = &'a Path> {
        self.0.iter().map(PathBuf::as_path).filter(move |path| path.parent() == Some(folder))
    }

    /// Fails for an output that is an input, by any spelling.
    pub(crate) fn check(&self, output: &Path, what: &str) -> Result<(), String> {
        match output.canonicalize().is_ok_and(|path| self.0.contains(&path)) {
            true => Err(format!("{} is a source of the {what}: choose another name", output.display())),
            false => Ok(()),
        }
    }
}

impl CommandFiles {
    pub(crate) fn new(rules: ReadRules) -> Self {
        Self { rules, ..Self::default() }
    }

    /// What was read so far.
    pub(crate) fn inputs(&self) -> Inputs {
        Inputs(self.read_files())
    }

    /// The files of the disk that were read so far, with links followed.
    pub(crate) fn read_files(&self) -> BTreeSet<PathBuf> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Counts a file as read.
    pub(crate) fn note(&self, path: PathBuf) {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).insert(path);
    }

    fn input(&self) -> io::Result<Vec<u8>> {
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = &*input {
            return Ok(bytes.clone());
        }
        let stdin = io::stdin();
        if stdin.is_terminal() {
            let message = "standard input is a terminal: give the rig in a pipe, as in `render-frames render - < rig.ron`";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let mut bytes = Vec::new();
        stdin.lock().take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST_FILE {
            let message = format!("it is larger than {} MB", LARGEST_FILE >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        *input = Some(bytes.clone());
        Ok(bytes)
    }
}

impl Files for CommandFiles {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if is_input(path) {
            return self.input();
        }
        if let Ok(path) = path.canonicalize() {
            self.note(path);
        }
        Disk.read(path)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        Disk.resolve(path)
    }

    fn rules(&self) -> ReadRules {
        self.rules.clone()
    }

    fn beside(&self, path: &Path) -> Vec<String> {
        Disk.beside(path)
    }
}
