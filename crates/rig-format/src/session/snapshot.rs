//! The files of a session as it knows them: each is read once, and stays what it was until it is taken in anew.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::files::{Files, ReadRules, plain_path};

/// Bytes that were read.
pub(super) struct Snapshot {
    files: Arc<dyn Files>,
    read: Mutex<BTreeMap<PathBuf, Arc<[u8]>>>,
}

impl Snapshot {
    pub(super) fn new(files: Arc<dyn Files>) -> Self {
        Self { files, read: Mutex::default() }
    }

    /// The bytes of a file that was read.
    pub(super) fn bytes(&self, path: &Path) -> Option<Arc<[u8]>> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    /// Sets the bytes of a file; those that it had.
    pub(super) fn set(&self, path: &Path, bytes: &[u8]) -> Option<Arc<[u8]>> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), bytes.into())
    }

    /// Takes back what [`set`](Self::set) did.
    pub(super) fn restore(&self, path: &Path, bytes: Option<Arc<[u8]>>) {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        match bytes {
            Some(bytes) => drop(read.insert(path.to_owned(), bytes)),
            None => drop(read.remove(path)),
        }
    }

    /// All files that were read.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }
}

impl Files for Snapshot {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let key = plain_path(path);
        if let Some(bytes) = self.bytes(&key) {
            return Ok(bytes.to_vec());
        }
        let bytes = self.files.read(path)?;
        self.set(&key, &bytes);
        Ok(bytes)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.files.resolve(path)
    }

    fn rules(&self) -> ReadRules {
        self.files.rules()
    }

    fn beside(&self, path: &Path) -> Vec<String> {
        self.files.beside(path)
    }
}

/// A snapshot with other texts in place of some files.
pub(super) struct Overlay {
    pub(super) texts: BTreeMap<PathBuf, Arc<str>>,
    pub(super) snapshot: Arc<Snapshot>,
}

impl Files for Overlay {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.texts.get(&plain_path(path)) {
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => self.snapshot.read(path),
        }
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.snapshot.resolve(path)
    }

    fn rules(&self) -> ReadRules {
        self.snapshot.rules()
    }

    fn beside(&self, path: &Path) -> Vec<String> {
        self.snapshot.beside(path)
    }
}
