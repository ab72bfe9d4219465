//! Numbered files. A frame is written under a temporary name in the same folder and then renamed, so a file
//! is complete or not there.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::encode::Compress;

use super::{Encoding, FilePattern, FrameName, FrameSink, SinkError};

/// Writes each frame to a file of its own.
pub struct NumberedFiles {
    path: Box<dyn Fn(u64) -> PathBuf + Send + Sync>,
    encoding: Encoding,
    tag: String,
}

impl std::fmt::Debug for NumberedFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NumberedFiles")
            .field("first", &(self.path)(0))
            .field("encoding", &self.encoding)
            .finish_non_exhaustive()
    }
}

/// Makes temporary names unique in this program.
static NEXT_TEMPORARY: AtomicU64 = AtomicU64::new(0);

impl NumberedFiles {
    /// Files named by a pattern.
    pub fn new(pattern: FilePattern) -> Self {
        Self::with(move |number| pattern.path(number))
    }

    /// Files named by a function of the frame's number: PNG files unless [`encoded`](Self::encoded) changes
    /// it.
    pub fn with(path: impl Fn(u64) -> PathBuf + Send + Sync + 'static) -> Self {
        let encoding = Encoding::Png(Compress::default());
        // The process id makes temporary names differ from those of other programs.
        Self { path: Box::new(path), encoding, tag: std::process::id().to_string() }
    }

    /// What is in the files.
    pub fn encoded(mut self, encoding: Encoding) -> Self {
        self.encoding = encoding;
        self
    }

    /// A word in temporary names, which are `.NAME.TAG-NUMBER.tmp`. It identifies the program that left a
    /// file behind. No other program may use the same word in the same folder at the same time.
    pub fn tagged(mut self, tag: impl Into<String>) -> Self {
        self.tag = tag.into();
        self
    }
}

impl FrameSink for NumberedFiles {
    fn encoding(&self) -> Encoding {
        self.encoding
    }

    fn is_ordered(&self) -> bool {
        false
    }

    fn keep(&self, frame: FrameName, bytes: &[u8]) -> Result<(), SinkError> {
        let path = (self.path)(frame.number);
        write_whole(&path, &self.tag, bytes).map_err(|source| SinkError::in_file(&path, source))
    }
}

fn write_whole(path: &Path, tag: &str, bytes: &[u8]) -> io::Result<()> {
    let mut file = WholeFile::open(path, tag)?;
    file.write_all(bytes)?;
    file.rename()
}

/// A file that is written under a temporary name in its folder, and gets its name when it is whole. Dropped
/// before, it leaves nothing.
///
/// ```
/// use std::io::Write as _;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("walk.gif");
/// let mut file = render::WholeFile::create(&path)?;
/// file.write_all(b"GIF89a")?;
/// assert!(!path.exists());
/// file.finish()?;
/// assert_eq!(std::fs::read(&path)?, b"GIF89a");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct WholeFile {
    path: PathBuf,
    temporary: PathBuf,
    file: File,
    /// Whether the file still has its temporary name.
    open: bool,
}

impl WholeFile {
    /// Opens a new file for this path. A file that has the name is replaced at the end. Temporary files for the
    /// same path that killed programs have left are removed.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(path: &Path) -> Result<Self, SinkError> {
        Self::locked(path).map_err(|source| SinkError::in_file(path, source))
    }

    /// A new file with a lock, which ends with the program: without one, a temporary file is a leftover. Where
    /// files have no locks, or other programs could not write into a locked one, leftovers stay.
    fn locked(path: &Path) -> io::Result<Self> {
        let tag = std::process::id().to_string();
        if !cfg!(unix) {
            return Self::open(path, &tag);
        }
        remove_leftovers(path);
        loop {
            let file = Self::open(path, &tag)?;
            // Another program may have taken it for a leftover before it was locked.
            match file.file.try_lock() {
                Ok(()) if !file.temporary.exists() => {}
                Err(TryLockError::WouldBlock) => {}
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(file),
            }
        }
    }

    fn open(path: &Path, tag: &str) -> io::Result<Self> {
        let name = path
            .file_name()
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "this is not a file name"))?;
        let number = NEXT_TEMPORARY.fetch_add(1, Ordering::Relaxed);
        let mut temporary_name = std::ffi::OsString::from(".");
        temporary_name.push(name);
        temporary_name.push(format!(".{tag}-{number}.tmp"));
        let temporary = path.with_file_name(temporary_name);
        let file = File::options().write(true).create_new(true).open(&temporary)?;
        Ok(Self { path: path.to_owned(), temporary, file, open: true })
    }

    /// The temporary name, for another program that writes the file.
    pub fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Gives the file its name, and returns its size in bytes.
    ///
    /// # Errors
    /// If the file cannot be renamed. It is removed then.
    pub fn finish(mut self) -> Result<u64, SinkError> {
        let size = fs::metadata(&self.temporary).map(|file| file.len());
        let renamed = self.rename().and(size);
        renamed.map_err(|source| SinkError::in_file(&self.path, source))
    }

    /// An error of the system that belongs to this file.
    pub fn error(&self, source: io::Error) -> SinkError {
        SinkError::in_file(&self.path, source)
    }

    fn rename(&mut self) -> io::Result<()> {
        self.file.flush()?;
        fs::rename(&self.temporary, &self.path)?;
        self.open = false;
        Ok(())
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if self.open {
            // What led here is reported; the file may not exist.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

impl io::Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl io::Seek for WholeFile {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Removes temporary files of a path that no program has locked: `.NAME.PROCESS-NUMBER.tmp`. What cannot be read or
/// removed stays, because nothing depends on it.
fn remove_leftovers(path: &Path) {
    let Some(name) = path.file_name() else { return };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let prefix = format!(".{}.", name.to_string_lossy());
    let is_temporary = |entry: &fs::DirEntry| {
        let entry = entry.file_name();
        let middle = entry.to_str().and_then(|entry| entry.strip_prefix(&prefix)?.strip_suffix(".tmp"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        middle
            .and_then(|middle| middle.split_once('-'))
            .is_some_and(|(process, number)| digits(process) && digits(number))
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().filter(is_temporary) {
        let Ok(file) = File::options().write(true).open(entry.path()) else { continue };
        if file.try_lock().is_ok() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

pub(super) fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "make the folder first",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "choose a folder that you may write to"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space and go on from here",
        io::ErrorKind::FileTooLarge => "larger files are not allowed here; `ulimit -f` shows the limit",
        io::ErrorKind::IsADirectory => "a folder has this name already",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::FrameContent;
    use tiny_skia::Pixmap;

    #[test]
    fn a_frame_is_a_whole_png_and_nothing_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let pattern = FilePattern::parse(&format!("{}/f_##.png", folder.path().display()), "png").unwrap();
        let sink = NumberedFiles::new(pattern);
        let pixmap = Pixmap::new(3, 2).unwrap();
        let bytes = sink.write(FrameName { number: 5 }, FrameContent::Pixels(&pixmap)).unwrap();
        let file = folder.path().join("f_05.png");
        assert_eq!(fs::metadata(&file).unwrap().len(), bytes);
        assert_eq!(Pixmap::load_png(&file).unwrap().width(), 3);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    #[cfg(unix)]
    fn leftovers_of_the_same_path_are_removed_and_files_in_use_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("walk.gif");
        let in_use = WholeFile::create(&path).unwrap();
        let others =
            [".walk.gif.notes.tmp", ".walk.gifs.12-0.tmp", ".walk.gif.12-0.tmp.old", "walk.gif.12-0.tmp"];
        for name in others.into_iter().chain([".walk.gif.12-0.tmp", ".walk.gif.4711-33.tmp"]) {
            fs::write(folder.path().join(name), "a part").unwrap();
        }
        let next = WholeFile::create(&path).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), others.len() + 2);
        assert!(in_use.temporary().exists() && next.temporary().exists());
        in_use.finish().unwrap();
        next.finish().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), others.len() + 1);
    }

    #[test]
    fn an_error_names_the_file_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("taken");
        fs::create_dir_all(taken.join("inside")).unwrap();
        let there = taken.clone();
        let sink = NumberedFiles::with(move |_| there.clone()).encoded(Encoding::Svg);
        let error = sink.write(FrameName { number: 0 }, FrameContent::Svg("<svg/>")).unwrap_err();
        assert!(error.to_string().contains("taken"), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

        let missing = folder.path().join("no/such/folder.png");
        let sink = NumberedFiles::with(move |_| missing.clone()).encoded(Encoding::Svg);
        let error = sink.write(FrameName { number: 0 }, FrameContent::Svg("<svg/>")).unwrap_err();
        assert!(error.to_string().contains("make the folder"), "{error}");
    }
}
