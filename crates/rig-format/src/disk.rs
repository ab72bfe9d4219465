//! The file system. No other module of the crate touches it.

use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};

use crate::files::{Files, LARGEST_FILE};

/// The file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let about = std::fs::metadata(path)?;
        if !about.is_dir() && !is_shell_pipe(path, &about) {
            must_end(&about)?;
        }
        let file = std::fs::File::open(path)?;
        let size = file.metadata().map_or(0, |about| about.len()).min(LARGEST_FILE);
        // One byte more shows that there is no more.
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
        file.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST_FILE {
            let message = format!("it is larger than {} MB", LARGEST_FILE >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        Ok(bytes)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let about = std::fs::metadata(path)?;
        if !about.is_dir() {
            must_end(&about)?;
        }
        std::fs::canonicalize(path)
    }

    fn beside(&self, path: &Path) -> Vec<String> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.flatten().take(1000).filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }
}

/// Fails for pipes and devices: opening or reading one may wait for ever.
fn must_end(about: &std::fs::Metadata) -> io::Result<()> {
    if about.is_file() {
        return Ok(());
    }
    let message = "it is a pipe or a device, which may never end; write what comes out of it to a file first";
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

/// Whether this is a pipe that a shell made, as `<(…)` does: it has a writer.
#[cfg(unix)]
fn is_shell_pipe(path: &Path, about: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    about.file_type().is_fifo() && ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder))
}

#[cfg(not(unix))]
fn is_shell_pipe(_: &Path, _: &std::fs::Metadata) -> bool {
    false
}

/// Puts other bytes in the place of a file that was read: whole or not at all. They are written beside it under another name, then
/// renamed; permissions stay, and of a link the file that it leads to is replaced.
///
/// # Errors
/// If the file does not hold `read` any more, may not be written, or the bytes cannot be stored. The file is as it was then.
pub fn replace_file(path: &Path, read: &[u8], bytes: &[u8]) -> io::Result<()> {
    let path = std::fs::canonicalize(path)?;
    let permissions = std::fs::metadata(&path)?.permissions();
    if permissions.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    if Disk.read(&path)? != read {
        return Err(io::Error::other("it was changed by another program in the meantime"));
    }
    let (temporary, mut file) = beside(&path)?;
    let written = (|| {
        file.set_permissions(permissions)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&temporary, &path)
    })();
    if written.is_err() {
        // The first error is the one to tell; if the file is not there, so much the better.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

/// Writes a file that is new: whole or not at all, under another name first. Another file of this name is left alone, unless it is
/// to be replaced; of a link the file that it leads to is replaced then.
///
/// # Errors
/// If there is such a file already ([`io::ErrorKind::AlreadyExists`]), or the bytes cannot be stored.
pub fn new_file(path: &Path, bytes: &[u8], replace: bool) -> io::Result<()> {
    let taken = || io::Error::new(io::ErrorKind::AlreadyExists, "there is a file of this name already");
    let path = match std::fs::symlink_metadata(path) {
        Ok(_) if !replace => return Err(taken()),
        Ok(there) if there.is_symlink() => std::fs::canonicalize(path)?,
        _ => path.to_owned(),
    };
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    let (temporary, mut file) = beside(&path)?;
    let written = (|| {
        file.write_all(bytes)?;
        file.sync_all()?;
        if replace {
            return std::fs::rename(&temporary, &path);
        }
        // A link is made only where nothing is; a rename would take the place of what came in the meantime.
        match std::fs::hard_link(&temporary, &path) {
            Ok(()) => std::fs::remove_file(&temporary),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(taken()),
            // Not every file system has links.
            Err(_) if !path.exists() => std::fs::rename(&temporary, &path),
            Err(_) => Err(taken()),
        }
    })();
    if written.is_err() {
        // The first error is the one to tell; if the file is not there, so much the better.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

/// A new file in the same folder. What a run that was ended left behind does not stand in the way.
fn beside(path: &Path) -> io::Result<(PathBuf, std::fs::File)> {
    let name = path.file_name().unwrap_or_default();
    for number in 0..1000 {
        let mut other = std::ffi::OsString::from(".");
        other.push(name);
        other.push(format!(".{number}.tmp"));
        let other = path.with_file_name(other);
        match std::fs::File::options().write(true).create_new(true).open(&other) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (other, file)),
        }
    }
    Err(io::Error::other("its folder is full of files that ended halfway"))
}
