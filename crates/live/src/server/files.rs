//! The files of a rig: which were read from the disk or from memory, and how they are written.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
#[cfg(feature = "server")]
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bone_format::session::Session;
use bone_format::span::SourceId;
use bone_format::text::{decode, parse};
use bone_format::{Diagnostics, Disk, Files, ReadRules};

/// The disk, and the paths that were read from it.
#[derive(Default)]
pub(crate) struct WatchedFiles {
    rules: ReadRules,
    inner: Mutex<Inner>,
    /// The files, if they are not those of the disk.
    memory: Option<Mutex<BTreeMap<PathBuf, Vec<u8>>>>,
}

#[derive(Default)]
struct Inner {
    paths: BTreeSet<PathBuf>,
    /// Texts in place of those of the disk.
    texts: BTreeMap<PathBuf, Vec<u8>>,
    #[cfg(feature = "server")]
    watcher: Option<Sender<ToWatcher>>,
}

impl WatchedFiles {
    #[cfg(feature = "server")]
    pub(crate) fn new(rules: ReadRules) -> Self {
        Self { rules, ..Self::default() }
    }

    /// Files that are in memory alone.
    #[cfg(not(feature = "server"))]
    pub(crate) fn in_memory(files: BTreeMap<PathBuf, Vec<u8>>) -> Self {
        Self { memory: Some(Mutex::new(files)), ..Self::default() }
    }

    /// The files in memory, if they are there.
    fn memory(&self) -> Option<MutexGuard<'_, BTreeMap<PathBuf, Vec<u8>>>> {
        Some(self.memory.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The bytes of all files in memory.
    #[cfg(not(feature = "server"))]
    pub(crate) fn all(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        self.memory().map(|files| files.clone()).unwrap_or_default()
    }

    /// Writes a file of a session that has changed.
    pub(crate) fn save(&self, session: &mut Session, path: &Path) -> io::Result<()> {
        let Some(mut files) = self.memory() else { return session.save_file(path) };
        let text = session.files().iter().find(|file| file.path() == path).map(|file| file.text().to_owned());
        text.into_iter().for_each(|text| drop(files.insert(path.to_owned(), text.into_bytes())));
        session.mark_saved(path);
        Ok(())
    }

    /// Writes a file that is not there yet.
    pub(crate) fn write_new(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let Some(mut files) = self.memory() else { return bone_format::new_file(path, bytes, false) };
        if files.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        files.insert(path.to_owned(), bytes.to_vec());
        Ok(())
    }

    /// Takes a file away that was written and is not needed.
    pub(crate) fn remove(&self, path: &Path) {
        match self.memory() {
            Some(mut files) => drop(files.remove(path)),
            None => drop(std::fs::remove_file(path)),
        }
    }

    /// Whether a file can be written.
    pub(crate) fn is_writable(&self, path: &Path) -> bool {
        self.memory.is_some() || std::fs::metadata(path).is_ok_and(|about| !about.permissions().readonly())
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All files that were read.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.lock().paths.iter().cloned().collect()
    }

    /// Files of a session are watched, read or not.
    pub(crate) fn note(&self, session: &Session) {
        session.files().iter().for_each(|file| self.add(file.path()));
    }

    /// A file is of no interest any more.
    pub(crate) fn forget(&self, path: &Path) {
        self.lock().paths.remove(path);
    }

    fn add(&self, path: &Path) {
        let mut inner = self.lock();
        let is_new = inner.paths.insert(path.to_owned());
        #[cfg(feature = "server")]
        if let (true, Some(watcher)) = (is_new, &inner.watcher) {
            drop(watcher.send(ToWatcher::Path(path.to_owned())));
        }
        #[cfg(not(feature = "server"))]
        let _ = is_new;
    }

    /// Gives texts in place of files of the disk.
    pub(crate) fn set_texts(&self, texts: impl IntoIterator<Item = (PathBuf, String)>) {
        self.lock().texts = texts.into_iter().map(|(path, text)| (path, text.into_bytes())).collect();
    }

    pub(crate) fn clear_texts(&self) {
        self.lock().texts.clear();
    }
}

impl Files for WatchedFiles {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.add(path);
        let given = self.lock().texts.get(path).cloned();
        let kept = || match self.memory() {
            Some(files) => files.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into()),
            None => Disk.read(path),
        };
        given.map_or_else(kept, Ok)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        if self.memory.is_some() { Ok(path.to_owned()) } else { Disk.resolve(path) }
    }

    fn rules(&self) -> ReadRules {
        self.rules.clone()
    }

    fn beside(&self, path: &Path) -> Vec<String> {
        match self.memory() {
            Some(files) => files.keys().map(|file| file.to_string_lossy().into_owned()).collect(),
            None => Disk.beside(path),
        }
    }
}

#[cfg(feature = "server")]
impl WatchedFiles {
    /// The thread that watches learns of new files from now on; those that there are.
    pub(super) fn set_watcher(&self, watcher: Sender<ToWatcher>) -> BTreeSet<PathBuf> {
        let mut inner = self.lock();
        inner.watcher = Some(watcher);
        inner.paths.clone()
    }
}

/// A message to the thread that watches.
#[cfg(feature = "server")]
pub(super) enum ToWatcher {
    Path(PathBuf),
    /// Something happened at these paths; none: anywhere.
    Event(Vec<PathBuf>),
    Stop,
}

/// Whether a file looks as if its end was there.
pub(crate) fn is_whole(path: &Path, bytes: &[u8]) -> bool {
    let ending = path.extension().and_then(|end| end.to_str()).unwrap_or_default().to_ascii_lowercase();
    match ending.as_str() {
        _ if bytes.is_empty() => false,
        "svg" => {
            let end = bytes.trim_ascii_end();
            let tail = &end[end.len().saturating_sub(4096)..];
            end.ends_with(b">") && (tail.windows(5).any(|part| part == b"</svg") || end.ends_with(b"/>"))
        }
        "ron" | "json" => {
            let mut found = Diagnostics::new();
            let text = decode(SourceId::default(), bytes, &mut found);
            let parsed = parse(SourceId::default(), &text, &mut found);
            parsed.whole && !found.has_errors()
        }
        _ => true,
    }
}
