//! The manifest of a folder of frames: for each frame its cache key, a hash of its file and the rate at
//! which it was rendered. A later run uses it to find the frames that it need not draw again, `assemble` to
//! find the rate.
//!
//! Manifests are in `.bone-layer` beside the frames. Each run writes a file of its own, with a line for each
//! frame, after the frame has its final name. The run keeps the file locked, so that other runs can tell
//! whether it is still active. Only the bytes of a frame's file are trusted, neither dates nor names. An
//! error in a manifest does not stop the render.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use bone_render::FrameRate;

use super::cache_key::of_bytes;

/// The folder of the manifests, beside the frames.
const FOLDER: &str = ".bone-layer";

/// The extension of manifest files.
const ENDING: &str = "frames";

/// Larger files are ignored: this is enough for several million frames.
const LARGEST: u64 = 512 << 20;

/// Longer lines are ignored: no file system has such names.
const LONGEST: u64 = 8 << 10;

/// The entry of one frame.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ManifestEntry {
    cache_key: u128,
    /// The hash and the size of the file.
    content: u128,
    size: u64,
    rate: EntryRate,
}

/// Frames, and the seconds in which they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct EntryRate(u32, u32);

impl From<FrameRate> for EntryRate {
    fn from(rate: FrameRate) -> Self {
        Self(rate.numerator, rate.denominator)
    }
}

impl ManifestEntry {
    /// Parses `KEY CONTENT SIZE RATE NAME`. Truncated and damaged lines are ignored.
    fn parse(line: &str) -> Option<(Self, &str)> {
        let mut message = line.strip_suffix('\n')?.splitn(5, ' ');
        let mut number =
            || message.next().filter(|w| w.len() == 32).and_then(|w| u128::from_str_radix(w, 16).ok());
        let (cache_key, content) = (number()?, number()?);
        let size = message.next()?.parse().ok()?;
        let (frames, seconds) = message.next()?.split_once('/')?;
        let rate =
            EntryRate(frames.parse().ok().filter(|n| *n > 0)?, seconds.parse().ok().filter(|n| *n > 0)?);
        Some((Self { cache_key, content, size, rate }, message.next()?))
    }

    fn line(&self, name: &str) -> String {
        let Self { cache_key, content, size, rate: EntryRate(frames, seconds) } = self;
        format!("{cache_key:032x} {content:032x} {size} {frames}/{seconds} {name}\n")
    }
}

/// The rates at which the frames of a folder were rendered.
#[derive(Debug, Default)]
pub(crate) struct RenderedRates {
    /// The size of the file and its rate, for each name.
    entries: BTreeMap<String, BTreeSet<(u64, EntryRate)>>,
}

impl RenderedRates {
    /// Reads all manifests of a folder.
    pub(crate) fn read(frames: &Path) -> Self {
        let mut entries: BTreeMap<String, BTreeSet<(u64, EntryRate)>> = BTreeMap::new();
        for file in files(&frames.join(FOLDER)) {
            each(&file, |entry, name| {
                entries.entry(name.to_owned()).or_default().insert((entry.size, entry.rate));
            });
        }
        Self { entries }
    }

    /// The rates of a file: several, if it is the same at each, and none if nothing is known of it.
    pub(crate) fn of(&self, path: &Path) -> Vec<FrameRate> {
        let entries = path.file_name().and_then(|name| name.to_str()).and_then(|name| self.entries.get(name));
        let Some(entries) = entries else { return Vec::new() };
        let size = fs::metadata(path).map_or(0, |file| file.len());
        let fitting = entries.iter().filter(|(other, _)| *other == size);
        let mut rates: Vec<EntryRate> = fitting.map(|(_, rate)| *rate).collect();
        rates.dedup();
        rates
            .into_iter()
            .map(|EntryRate(numerator, denominator)| FrameRate { numerator, denominator })
            .collect()
    }
}

/// The manifests of one folder of frames.
#[derive(Debug)]
pub(super) struct Manifest {
    /// The folder of the frames.
    frames: PathBuf,
    tag: String,
    /// The rate of this run.
    rate: EntryRate,
    /// The entries of earlier runs, sorted.
    known: Vec<ManifestEntry>,
    own: Mutex<RunFile>,
}

#[derive(Debug, Default)]
struct RunFile {
    file: Option<File>,
    /// Why the manifest cannot be written.
    trouble: Option<String>,
}

/// A tag that is unique to this run: it names the run's manifest and its temporary files.
pub(super) fn new_tag() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    format!("{TAG}{:x}x{now:x}", std::process::id())
}

/// The prefix of tags; temporary files of other programs do not have it.
const TAG: &str = "run";

impl Manifest {
    /// Opens the manifests of a folder for a run with this tag. Entries of earlier runs are read if `wanted`;
    /// temporary files of killed runs are removed.
    pub(super) fn open(frames: &Path, tag: &str, rate: FrameRate, wanted: bool) -> Self {
        let mut manifest = Self {
            frames: frames.to_owned(),
            tag: tag.to_owned(),
            rate: rate.into(),
            known: Vec::new(),
            own: Mutex::default(),
        };
        if wanted {
            for file in files(&manifest.folder()) {
                each(&file, |entry, _| manifest.known.push(entry));
            }
            manifest.known.sort_unstable();
            manifest.known.dedup();
        }
        manifest.sweep();
        manifest
    }

    /// Whether this file has exactly the bytes that were written for this cache key. A file that was written
    /// at another rate gets an entry with this one.
    pub(super) fn has(&self, cache_key: u128, path: &Path) -> bool {
        let from = self.known.partition_point(|entry| entry.cache_key < cache_key);
        let fitting = self.known[from..].iter().take_while(|entry| entry.cache_key == cache_key);
        let mut bytes = None;
        let mut same = fitting.filter(|entry| {
            // The size is compared first, because it is cheap.
            fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() == entry.size)
                && *bytes.get_or_insert_with(|| fs::read(path).ok().as_deref().map(of_bytes))
                    == Some(entry.content)
        });
        let Some(first) = same.next() else { return false };
        if first.rate != self.rate && !same.any(|entry| entry.rate == self.rate) && self.begin() {
            self.note(&ManifestEntry { rate: self.rate, ..first.clone() }, path);
        }
        true
    }

    /// Creates and locks the manifest of this run before its first temporary file is made. Returns whether it
    /// exists.
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

    /// Adds a frame that has its final name.
    pub(super) fn add(&self, cache_key: u128, bytes: &[u8], path: &Path) {
        let (content, size) = (of_bytes(bytes), bytes.len() as u64);
        self.note(&ManifestEntry { cache_key, content, size, rate: self.rate }, path);
    }

    fn note(&self, entry: &ManifestEntry, path: &Path) {
        let name = path.file_name().and_then(|name| name.to_str());
        // A name with a line break does not fit into a line: this frame will be drawn again.
        let Some(name) = name.filter(|name| !name.contains(['\n', '\r'])) else { return };
        let mut own = self.own();
        let Some(file) = own.file.as_mut() else { return };
        // One write, so that only the last line can be incomplete.
        if let Err(error) = file.write_all(entry.line(name).as_bytes()) {
            // The file stays locked, because it marks the temporary files of this run. An incomplete line
            // damages at most the next one.
            own.trouble = Some(format!("{}: {error}", self.folder().display()));
        }
    }

    /// Closes the manifest of this run and returns why it is incomplete, if it is. If all frames are `done`,
    /// manifests of earlier runs that contain only the same files are removed.
    pub(super) fn close(&self, done: bool) -> Option<String> {
        if done && self.own().file.is_some() {
            self.prune();
        }
        let mut own = self.own();
        // Dropping the file unlocks it.
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

    fn make(&self) -> std::io::Result<File> {
        fs::create_dir_all(self.folder())?;
        if !is_folder(&self.folder()) {
            return Err(std::io::Error::other("it is a link, which is not followed: remove it"));
        }
        let path = self.file(&self.tag);
        loop {
            let file = File::options().append(true).create(true).open(&path)?;
            // On a file system without locks manifests are never removed, so the lock is not needed.
            let _ = file.lock();
            // Another run may have removed the file in between.
            if path.exists() {
                return Ok(file);
            }
        }
    }

    /// Removes temporary files of runs that have ended.
    fn sweep(&self) {
        if !is_folder(&self.folder()) {
            return;
        }
        let Ok(entries) = fs::read_dir(&self.frames) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            if let Some(tag) = name.to_str().and_then(tag_of)
                && self.is_over(tag)
            {
                // A file that cannot be removed does no harm: no frame has its name.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Whether the run with this tag has ended; `false` if that is unknown.
    fn is_over(&self, tag: &str) -> bool {
        let path = self.file(tag);
        match fs::symlink_metadata(&path) {
            Ok(about) if about.is_file() => File::open(path).is_ok_and(|file| file.try_lock().is_ok()),
            // A link or a pipe is not opened.
            Ok(_) => false,
            Err(error) => error.kind() == std::io::ErrorKind::NotFound,
        }
    }

    /// Removes manifests of ended runs that contain only files which this run has written.
    fn prune(&self) {
        let own = self.file(&self.tag);
        let mut names = BTreeSet::new();
        each(&own, |_, name| _ = names.insert(name.to_owned()));
        for path in files(&self.folder()).into_iter().filter(|path| *path != own) {
            let Ok(file) = File::open(&path) else { continue };
            // The lock is held until the file is removed, so that no run begins to write to it.
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

/// Whether this is a folder and no link to one: a project of somebody else could lead out of it.
fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|about| about.is_dir())
}

/// The manifests of all runs, sorted by name. Links are not followed, and pipes not waited for.
fn files(folder: &Path) -> Vec<PathBuf> {
    if !is_folder(folder) {
        return Vec::new();
    }
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let is_file = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
    let ours = |path: &PathBuf| path.extension().is_some_and(|ending| ending == ENDING);
    let entries = entries.flatten().filter(is_file);
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(ours).collect();
    files.sort();
    files
}

/// The tag in a temporary name: `.frame_0007.png.TAG-3.tmp`.
fn tag_of(name: &str) -> Option<&str> {
    let (tag, number) = name.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('.')?.1.rsplit_once('-')?;
    let known = tag.starts_with(TAG) && number.bytes().all(|byte| byte.is_ascii_digit());
    known.then_some(tag)
}

/// Reads the entries of a file, as far as it is readable.
fn each(path: &Path, mut tell: impl FnMut(ManifestEntry, &str)) {
    let Ok(file) = File::open(path) else { return };
    if file.metadata().map_or(true, |file| file.len() > LARGEST) {
        return;
    }
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    // No more than one line is held in memory.
    while reader.by_ref().take(LONGEST).read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        if let Some((entry, name)) = std::str::from_utf8(&line).ok().and_then(ManifestEntry::parse) {
            tell(entry, name);
        }
        line.clear();
    }
}
