//! What is known of the frames in a folder: for each the fingerprint of what it was made from, and of its file. So a run that goes on
//! after another can tell which frames it would only draw again.
//!
//! Records are in `.bone-layer` beside the frames, a file a run that only this run writes, a line a frame, written when the frame has
//! its final name. Its writer keeps the file locked, so that others see whether it is still at work.
//! Refuses to trust anything but a file's own bytes, and to stop the frames because records cannot be kept.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::cache_key::of_bytes;

/// The folder of the records, beside the frames.
const FOLDER: &str = ".bone-layer";

/// What the files of records end in.
const ENDING: &str = "frames";

/// Larger files are not of our making: this is a million frames, several times over.
const LARGEST: u64 = 512 << 20;

/// Longer lines are not of our making either: no file system has such names.
const LONGEST: u64 = 8 << 10;

/// What a run left to say of a frame.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ManifestEntry {
    cache_key: u128,
    /// Number and size of the file's bytes.
    content: u128,
    size: u64,
}

impl ManifestEntry {
    /// `FINGERPRINT CONTENT SIZE NAME`. What was cut off or damaged is no record, or one that fits nothing.
    fn parse(line: &str) -> Option<(Self, &str)> {
        let mut message = line.strip_suffix('\n')?.splitn(4, ' ');
        let mut number =
            || message.next().filter(|w| w.len() == 32).and_then(|w| u128::from_str_radix(w, 16).ok());
        let (cache_key, content) = (number()?, number()?);
        let size = message.next()?.parse().ok()?;
        Some((Self { cache_key, content, size }, message.next()?))
    }

    fn line(&self, name: &str) -> String {
        let Self { cache_key, content, size } = self;
        format!("{cache_key:032x} {content:032x} {size} {name}\n")
    }
}

/// The records of one folder of frames.
#[derive(Debug)]
pub(super) struct Manifest {
    /// Where the frames are.
    frames: PathBuf,
    tag: String,
    /// What earlier runs left, sorted.
    known: Vec<ManifestEntry>,
    own: Mutex<RunFile>,
}

#[derive(Debug, Default)]
struct RunFile {
    file: Option<File>,
    /// Why records cannot be kept.
    trouble: Option<String>,
}

/// A word that no other run uses: it names the run's records and its temporary files.
pub(super) fn new_tag() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    format!("{TAG}{:x}x{now:x}", std::process::id())
}

/// What the words of runs begin with, so that temporary files of others are left alone.
const TAG: &str = "run";

impl Manifest {
    /// The records of a folder, for a run with this word. What earlier runs left is read if it is `wanted`; temporary files of
    /// runs that were killed are removed.
    pub(super) fn open(frames: &Path, tag: &str, wanted: bool) -> Self {
        let mut manifest =
            Self { frames: frames.to_owned(), tag: tag.to_owned(), known: Vec::new(), own: Mutex::default() };
        if wanted {
            for file in manifest.files() {
                each(&file, |entry, _| manifest.known.push(entry));
            }
            manifest.known.sort_unstable();
            manifest.known.dedup();
        }
        manifest.sweep();
        manifest
    }

    /// Whether this file is what a frame with this fingerprint was written to, to the last byte.
    pub(super) fn has(&self, cache_key: u128, path: &Path) -> bool {
        let from = self.known.partition_point(|entry| entry.cache_key < cache_key);
        let fitting = self.known[from..].iter().take_while(|entry| entry.cache_key == cache_key);
        let mut bytes = None;
        fitting.into_iter().any(|entry| {
            // Its size is a cheap no, and keeps from reading what is no frame.
            fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() == entry.size)
                && *bytes.get_or_insert_with(|| fs::read(path).ok().as_deref().map(of_bytes))
                    == Some(entry.content)
        })
    }

    /// Makes and locks the file of this run, if that has not been done: before its first temporary file is made. Says whether
    /// it is there.
    pub(super) fn begin(&self) -> bool {
        let mut own = self.own();
        if own.file.is_none() && own.trouble.is_none() {
            match self.make() {
                Ok(file) => own.file = Some(file),
                Err(error) => own.trouble = Some(format!("{}: {error}", self.folder().display())),
            }
        }
        own.file.is_some()
    }

    /// Notes that a frame has its final name.
    pub(super) fn add(&self, cache_key: u128, bytes: &[u8], path: &Path) {
        let name = path.file_name().and_then(|name| name.to_str());
        // A line cannot hold every name. The frame is drawn again, then.
        let Some(name) = name.filter(|name| !name.contains(['\n', '\r'])) else { return };
        let entry = ManifestEntry { cache_key, content: of_bytes(bytes), size: bytes.len() as u64 };
        let mut own = self.own();
        let Some(file) = own.file.as_mut() else { return };
        // One write: a line is whole or the last one.
        if let Err(error) = file.write_all(entry.line(name).as_bytes()) {
            // Still locked: the run's temporary files are known by it. A line that was cut off spoils the next one, no more.
            own.trouble = Some(format!("{}: {error}", self.folder().display()));
        }
    }

    /// Ends the records of this run; says why they are not whole. If all its frames are `done`, what earlier runs
    /// said of the same files and of nothing else is removed.
    pub(super) fn close(&self, done: bool) -> Option<String> {
        if done && self.own().file.is_some() {
            self.prune();
        }
        let mut own = self.own();
        // Unlocks it.
        own.file = None;
        own.trouble.take()
    }

    fn own(&self) -> MutexGuard<'_, RunFile> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn folder(&self) -> PathBuf {
        self.frames.join(FOLDER)
    }

    fn file(&self, tag: &str) -> PathBuf {
        self.folder().join(format!("{tag}.{ENDING}"))
    }

    /// The files of all runs, by name.
    fn files(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.folder()) else { return Vec::new() };
        let ours = |path: &PathBuf| path.extension().is_some_and(|ending| ending == ENDING);
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(ours).collect();
        files.sort();
        files
    }

    fn make(&self) -> std::io::Result<File> {
        fs::create_dir_all(self.folder())?;
        let path = self.file(&self.tag);
        loop {
            let file = File::options().append(true).create(true).open(&path)?;
            // A file system without locks has none to be waited for either: nobody removes what cannot be locked.
            let _ = file.lock();
            // Somebody may have taken it for a leftover in between.
            if path.exists() {
                return Ok(file);
            }
        }
    }

    /// Removes temporary files of runs that are no more.
    fn sweep(&self) {
        if !self.folder().is_dir() {
            return;
        }
        let Ok(entries) = fs::read_dir(&self.frames) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            if let Some(tag) = name.to_str().and_then(tag_of)
                && self.is_over(tag)
            {
                // If it stays, so be it: no frame has its name.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Whether the run with this word has ended. In doubt it has not.
    fn is_over(&self, tag: &str) -> bool {
        match File::open(self.file(tag)) {
            Ok(file) => file.try_lock().is_ok(),
            Err(error) => error.kind() == std::io::ErrorKind::NotFound,
        }
    }

    /// Removes what runs that are no more said of files that this run has written anew, unless they said more.
    fn prune(&self) {
        let own = self.file(&self.tag);
        let mut names = BTreeSet::new();
        each(&own, |_, name| _ = names.insert(name.to_owned()));
        for path in self.files().into_iter().filter(|path| *path != own) {
            let Ok(file) = File::open(&path) else { continue };
            // Held until it is removed, so that nobody begins to write to it.
            if file.try_lock().is_err() {
                continue;
            }
            let (mut any, mut more) = (false, false);
            each(&path, |_, name| {
                any = true;
                more |= !names.contains(name);
            });
            if any && !more {
                let _ = fs::remove_file(&path);
            }
        }
    }
}

/// The word in a temporary name: `.frame_0007.png.TAG-3.tmp`.
fn tag_of(name: &str) -> Option<&str> {
    let (tag, number) = name.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('.')?.1.rsplit_once('-')?;
    let known = tag.starts_with(TAG) && number.bytes().all(|byte| byte.is_ascii_digit());
    known.then_some(tag)
}

/// Reads the records in a file, as far as it goes.
fn each(path: &Path, mut tell: impl FnMut(ManifestEntry, &str)) {
    let Ok(file) = File::open(path) else { return };
    if file.metadata().map_or(true, |file| file.len() > LARGEST) {
        return;
    }
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    // Whatever is in the file, no more than a line of ours is held.
    while reader.by_ref().take(LONGEST).read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        if let Some((entry, name)) = std::str::from_utf8(&line).ok().and_then(ManifestEntry::parse) {
            tell(entry, name);
        }
        line.clear();
    }
}
