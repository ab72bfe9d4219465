//! Numbered files. A frame is written under a temporary name in the same folder and then renamed, so a file
//! is complete or not there.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::encode::Compress;

use super::whole::WholeFile;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::FrameContent;
    use std::fs;
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
