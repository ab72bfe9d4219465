//! The files of a command: those of the disk, and standard input as `-`.

use std::io::{self, IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rig_format::{Disk, Files, LARGEST_FILE, ReadRules};

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
}

impl CommandFiles {
    pub(crate) fn new(rules: ReadRules) -> Self {
        Self { rules, input: Mutex::default() }
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
        if is_input(path) { self.input() } else { Disk.read(path) }
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
