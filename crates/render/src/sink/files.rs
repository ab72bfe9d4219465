//! Numbered files: PNG for pixels, text for SVG, each whole under its name or not there at all.
//! Refuses to leave halves behind: a frame is written under a temporary name beside its place, then renamed.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::encode::{Compress, PngEncoder};

use super::{FilePattern, FrameContent, FrameName, FrameSink, SinkError};

/// Writes each frame to a file of its own.
pub struct NumberedFiles {
    path: Box<dyn Fn(u64) -> PathBuf + Send + Sync>,
    compress: Compress,
    /// Encoders that no thread is using, with the file that each wrote last.
    idle: Mutex<Vec<(PngEncoder, Vec<u8>)>>,
}

impl std::fmt::Debug for NumberedFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NumberedFiles").field("first", &(self.path)(0)).finish()
    }
}

/// Tells temporary names apart within this program; the process id tells it from others.
static NEXT_TEMPORARY: AtomicU64 = AtomicU64::new(0);

impl NumberedFiles {
    /// Files named by a pattern.
    pub fn new(pattern: FilePattern) -> Self {
        Self::with(move |number| pattern.path(number))
    }

    /// Files named by a function of the frame's number.
    pub fn with(path: impl Fn(u64) -> PathBuf + Send + Sync + 'static) -> Self {
        Self { path: Box::new(path), compress: Compress::default(), idle: Mutex::default() }
    }

    /// How much time smaller files are worth.
    pub fn compress(mut self, compress: Compress) -> Self {
        self.compress = compress;
        self
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<(PngEncoder, Vec<u8>)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, path: PathBuf, bytes: &[u8]) -> Result<u64, SinkError> {
        write_whole(&path, bytes).map_err(|source| SinkError::File {
            advice: advice(&source),
            path,
            source,
        })?;
        Ok(bytes.len() as u64)
    }
}

impl FrameSink for NumberedFiles {
    fn write(&self, frame: FrameName, content: FrameContent<'_>) -> Result<u64, SinkError> {
        let path = (self.path)(frame.number);
        match content {
            FrameContent::Svg(text) => self.keep(path, text.as_bytes()),
            FrameContent::Pixels(pixmap) => {
                let (mut encoder, mut png) = self.idle().pop().unwrap_or_default();
                let encoded = encoder.encode(pixmap, self.compress, &mut png);
                let kept = match encoded {
                    Ok(()) => self.keep(path, &png),
                    Err(error) => Err(SinkError::Encode { reason: error.to_string() }),
                };
                self.idle().push((encoder, png));
                kept
            }
        }
    }
}

fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "this is not a file name"))?;
    let number = NEXT_TEMPORARY.fetch_add(1, Ordering::Relaxed);
    let mut temporary_name = std::ffi::OsString::from(".");
    temporary_name.push(name);
    temporary_name.push(format!(".{}-{number}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary_name);
    let written = write_new(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one to tell; if the file is not there, so much the better.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::options().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.flush()
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "make the folder first",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "choose a folder that you may write to"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space and go on from this frame"
        }
        io::ErrorKind::IsADirectory => "a folder has this name already",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn an_error_names_the_file_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("taken");
        fs::create_dir_all(taken.join("inside")).unwrap();
        let there = taken.clone();
        let sink = NumberedFiles::with(move |_| there.clone());
        let error = sink.write(FrameName { number: 0 }, FrameContent::Svg("<svg/>")).unwrap_err();
        assert!(error.to_string().contains("taken"), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

        let missing = folder.path().join("no/such/folder.png");
        let sink = NumberedFiles::with(move |_| missing.clone());
        let error = sink.write(FrameName { number: 0 }, FrameContent::Svg("<svg/>")).unwrap_err();
        assert!(error.to_string().contains("make the folder"), "{error}");
    }
}
