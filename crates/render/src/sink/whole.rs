//! Files that are whole or not there: written under a temporary name in their folder, flushed, and put in place.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::SinkError;

/// Makes temporary names unique in this program.
static NEXT_TEMPORARY: AtomicU64 = AtomicU64::new(0);

/// A file that is written under a temporary name in its folder, and gets its name when it is whole. Dropped
/// before, it leaves nothing.
///
/// ```
/// use std::io::Write as _;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("walk.gif");
/// let mut file = bone_render::WholeFile::create(&path)?;
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

    pub(super) fn open(path: &Path, tag: &str) -> io::Result<Self> {
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

    /// Flushes the file, gives it its name, and returns its size in bytes.
    ///
    /// # Errors
    /// If the file cannot be renamed. It is removed then.
    pub fn finish(mut self) -> Result<u64, SinkError> {
        let size = fs::metadata(&self.temporary).map(|file| file.len());
        let renamed = self.file.sync_all().and_then(|()| self.rename()).and(size);
        renamed.map_err(|source| SinkError::in_file(&self.path, source))
    }

    /// An error of the system that belongs to this file.
    pub fn error(&self, source: io::Error) -> SinkError {
        SinkError::in_file(&self.path, source)
    }

    pub(super) fn rename(&mut self) -> io::Result<()> {
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
    // A pipe of such a name would be waited for, a link leads elsewhere.
    let is_file = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(is_temporary).filter(is_file) {
        let Ok(file) = File::options().write(true).open(entry.path()) else { continue };
        if file.try_lock().is_ok() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Puts other bytes in the place of a file that was read, whole or not at all. Permissions stay, and of a link the file
/// that it leads to is replaced. What another program saves meanwhile is not lost: where the system can exchange two
/// files (Linux, macOS), what was replaced is looked at and put back; elsewhere it is looked at right before.
///
/// # Errors
/// If the file does not hold `read` any more, may not be written, or the bytes cannot be stored. The file is as it was
/// then.
pub fn replace_file(path: &Path, read: &[u8], bytes: &[u8]) -> io::Result<()> {
    replace_between(path, read, bytes, &mut |_| {})
}

/// When another program may save in the middle of [`replace_file`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    /// Before the new file takes the place.
    Compared,
    /// Before it gives it back.
    Exchanged,
}

fn replace_between(
    path: &Path,
    read: &[u8],
    bytes: &[u8],
    between: &mut dyn FnMut(Moment),
) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let permissions = fs::metadata(&path)?.permissions();
    if permissions.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    if !holds(&path, read)? {
        return Err(changed());
    }
    let mut new = WholeFile::locked(&path)?;
    new.file.set_permissions(permissions)?;
    new.file.write_all(bytes)?;
    // A flush can take long; what is saved during it counts.
    new.file.sync_all()?;
    if !holds(&path, read)? {
        return Err(changed());
    }
    between(Moment::Compared);
    if !exchange(&new.temporary, &path)? {
        new.rename()?;
    } else if !holds(&new.temporary, read).unwrap_or(false) {
        between(Moment::Exchanged);
        exchange(&new.temporary, &path)?;
        // What was saved after the first exchange is newer than what came out of that.
        if !holds(&new.temporary, bytes).unwrap_or(false) {
            exchange(&new.temporary, &path)?;
        }
        return Err(changed());
    }
    keep_name(&path)
}

fn changed() -> io::Error {
    io::Error::other("it was changed by another program in the meantime")
}

/// Whether this is a file of these bytes.
fn holds(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let about = fs::symlink_metadata(path)?;
    Ok(about.is_file() && about.len() == bytes.len() as u64 && fs::read(path)? == bytes)
}

/// Exchanges two files in one step; false where the system or the file system cannot.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::NOSYS | Errno::INVAL | Errno::NOTSUP | Errno::PERM) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange(_: &Path, _: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Makes the name of a file or folder outlast a loss of power, where folders can be flushed.
///
/// # Errors
/// If the folder around it cannot be flushed.
pub fn keep_name(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Folders that may be written and not read, and file systems without this.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        done => done,
    }
}

/// Writes a file that is new: whole or not at all. Another file of this name is left alone, unless it is to be
/// replaced; of a link the file that it leads to is replaced then.
///
/// # Errors
/// If there is such a file already ([`io::ErrorKind::AlreadyExists`]), or the bytes cannot be stored.
pub fn new_file(path: &Path, bytes: &[u8], replace: bool) -> io::Result<()> {
    let taken = || io::Error::new(io::ErrorKind::AlreadyExists, "there is a file of this name already");
    let path = match fs::symlink_metadata(path) {
        Ok(_) if !replace => return Err(taken()),
        Ok(there) if there.is_symlink() => fs::canonicalize(path)?,
        _ => path.to_owned(),
    };
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    let mut new = WholeFile::locked(&path)?;
    new.file.write_all(bytes)?;
    new.file.sync_all()?;
    if replace {
        new.rename()?;
        return keep_name(&path);
    }
    // A link is made only where nothing is; a rename would take the place of what came in the meantime.
    match fs::hard_link(&new.temporary, &path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(taken()),
        // Not every file system has links.
        Err(_) if !path.exists() => new.rename()?,
        Err(_) => return Err(taken()),
    }
    drop(new);
    keep_name(&path)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let pipe = folder.path().join(".walk.gif.13-0.tmp");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let next = WholeFile::create(&path).unwrap();
        fs::remove_file(pipe).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), others.len() + 2);
        assert!(in_use.temporary().exists() && next.temporary().exists());
        in_use.finish().unwrap();
        next.finish().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), others.len() + 1);
    }

    /// Another program saves at each moment of a replacement, in place and by a rename. What it saved last is what the
    /// file holds then, and nothing is left beside it.
    #[test]
    fn what_is_saved_in_the_middle_of_a_replacement_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rig.ron");
        let save = |text: &str, renamed: bool| {
            let at = if renamed { folder.path().join("other") } else { path.clone() };
            fs::write(&at, text).unwrap();
            fs::rename(at, &path).unwrap();
        };
        let can_exchange = cfg!(any(target_os = "linux", target_vendor = "apple"));
        for (times, renamed) in [(0, false), (1, false), (1, true), (2, false), (2, true)] {
            save("old", false);
            let mut saved = 0;
            let done = replace_between(&path, b"old", b"new, and longer", &mut |moment| {
                let wanted = if moment == Moment::Compared { 1 } else { 2 };
                if times >= wanted {
                    saved = wanted;
                    save(&format!("theirs {wanted}"), renamed);
                }
            });
            let text = fs::read_to_string(&path).unwrap();
            if can_exchange && times > 0 {
                assert_eq!(done.unwrap_err().kind(), io::ErrorKind::Other, "{times} {renamed}");
                assert_eq!((text, saved), (format!("theirs {times}"), times), "{renamed}");
            } else if times == 0 {
                assert_eq!((done.is_ok(), text.as_str()), (true, "new, and longer"));
            }
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        }
    }

    #[test]
    fn a_file_with_other_bytes_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rig.ron");
        assert_eq!(replace_file(&path, b"", b"new").unwrap_err().kind(), io::ErrorKind::NotFound);
        fs::write(&path, "theirs").unwrap();
        assert!(replace_file(&path, b"old", b"new").is_err());
        assert_eq!(new_file(&path, b"new", false).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
