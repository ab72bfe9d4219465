//! Output files: patterns and folders.

use std::path::{Path, PathBuf};

use ::render::FilePattern;

use crate::args::Format;

/// The file of each frame of one clip.
#[derive(Clone, Debug)]
pub(crate) enum FrameTarget {
    Numbered(FilePattern),
    /// A name without a number, for a single frame.
    Single(PathBuf),
    /// One file with all frames.
    Whole(PathBuf),
    /// Standard output, for all frames of all clips.
    Stream,
}

impl FrameTarget {
    /// Parses `-o` for a clip. `{clip}` stands for its name, `-` alone for standard output.
    pub(crate) fn parse(
        output: &str,
        clip: &str,
        several_clips: bool,
        format: Format,
    ) -> Result<Self, String> {
        if output == "-" {
            return Ok(Self::Stream);
        }
        if let Some(stream) = format.only_streams() {
            let file = if is_folder(output) { format!("all.{stream}") } else { output.to_owned() };
            return Err(format!("{stream} is a stream of frames: write -o - --format {stream} > '{file}'"));
        }
        if several_clips && !output.contains("{clip}") && !is_folder(output) {
            return Err("several clips need {clip} in the name, as in -o 'out/{clip}_####.png'".to_owned());
        }
        let safe = file_word(clip);
        let text = output.replace("{clip}", &safe);
        if is_folder(&text) {
            let slash =
                if text.is_empty() || text.ends_with(['/', std::path::MAIN_SEPARATOR]) { "" } else { "/" };
            let stem = if several_clips { safe } else { "frame".to_owned() };
            let pattern = format!("{text}{slash}{stem}_####.{}", format.extension());
            return FilePattern::parse(&pattern, format.extension())
                .map(Self::Numbered)
                .map_err(|e| e.to_string());
        }
        let ending = Path::new(&text).extension().map(|e| e.to_string_lossy().to_lowercase());
        let known = |ending: &String| ["png", "svg", "y4m", "rgba"].contains(&ending.as_str());
        if let Some(ending) = ending.filter(|ending| known(ending) && ending != format.extension()) {
            let format = format.extension();
            return Err(format!(
                "the name ends in .{ending}, but the frames are {format}: add --format {ending}"
            ));
        }
        if text.contains('#') {
            return FilePattern::parse(&text, format.extension())
                .map(Self::Numbered)
                .map_err(|e| e.to_string());
        }
        Ok(Self::Single(PathBuf::from(text)))
    }

    /// The file of all frames of a clip. `{clip}` stands for its name; without it, of several clips each has
    /// its name behind that of the file: `all-walk.gif`.
    pub(crate) fn whole(output: &str, clip: &str, several_files: bool) -> Result<Self, String> {
        if output.contains('#') {
            return Err(format!("{output} is one file of all frames: leave out the #"));
        }
        let safe = file_word(clip);
        if output.contains("{clip}") || !several_files {
            return Ok(Self::Whole(PathBuf::from(output.replace("{clip}", &safe))));
        }
        let path = Path::new(output);
        let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        let name = format!("{}-{safe}.{}", part(path.file_stem()), part(path.extension()));
        Ok(Self::Whole(path.with_file_name(name)))
    }

    pub(crate) fn path(&self, number: u64) -> PathBuf {
        match self {
            Self::Numbered(pattern) => pattern.path(number),
            Self::Single(path) | Self::Whole(path) => path.clone(),
            Self::Stream => PathBuf::from("-"),
        }
    }

    /// The folder of the frames; `None` for standard output.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        if matches!(self, Self::Stream) {
            return None;
        }
        let path = self.path(0);
        Some(match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        })
    }
}

/// A clip's name as a part of a file's: it may have characters that a file's must not have.
fn file_word(clip: &str) -> String {
    let unfit = |c: char| c.is_control() || "/\\:*?\"<>|#".contains(c);
    let safe: String = clip.chars().map(|c| if unfit(c) { '_' } else { c }).collect();
    // `..` would be the folder above.
    if safe.chars().all(|c| c == '.') { safe.replace('.', "_") } else { safe }
}

/// Whether the name is a folder: it ends in a slash, has no extension and no number, or is an existing
/// folder.
pub(crate) fn is_folder(text: &str) -> bool {
    let path = Path::new(text);
    text.is_empty()
        || text.ends_with(['/', std::path::MAIN_SEPARATOR])
        || path.is_dir()
        || (path.extension().is_none() && !text.contains('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(output: &str, clip: &str, several: bool) -> Result<String, String> {
        FrameTarget::parse(output, clip, several, Format::Png).map(|t| t.path(7).display().to_string())
    }

    #[test]
    fn folders_names_and_patterns() {
        assert_eq!(file("out/", "walk", false), Ok("out/frame_0007.png".to_owned()));
        assert_eq!(file("out", "walk", false), Ok("out/frame_0007.png".to_owned()));
        assert_eq!(file("out/", "walk", true), Ok("out/walk_0007.png".to_owned()));
        assert_eq!(file("out/{clip}_##.png", "a/b", false), Ok("out/a_b_07.png".to_owned()));
        assert_eq!(file("out/{clip}/##.png", "..", false), Ok("out/__/07.png".to_owned()));
        assert_eq!(file("out/{clip}/##.png", "a\nb", false), Ok("out/a_b/07.png".to_owned()));
        assert_eq!(file("pose.png", "walk", false), Ok("pose.png".to_owned()));
        assert!(file("pose.png", "walk", true).is_err());
        assert!(file("pose_##.svg", "walk", false).unwrap_err().contains("--format svg"));
        assert_eq!(file("-", "walk", true), Ok("-".to_owned()));
        let stream = |output| FrameTarget::parse(output, "walk", false, Format::Y4m).map(|_| ());
        assert_eq!(stream("-"), Ok(()));
        assert!(stream("a.y4m").unwrap_err().contains("-o - --format y4m > 'a.y4m'"));
        assert!(stream("out/").unwrap_err().contains("> 'all.y4m'"));
    }
}
