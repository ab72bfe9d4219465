//! The file system. No other module of the crate touches it.

use std::io::{self, Read as _};
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
