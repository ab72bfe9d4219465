//! Output files: patterns and folders.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use bone_render::FilePattern;

use clap::builder::TypedValueParser;

use crate::args::Format;
use crate::output_name::name;

/// `-o` as it was typed. A path may be any bytes: those that are not UTF-8 are characters from `ESCAPED` on, so
/// that the text can be searched and replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Output(String);

/// The character of byte 0, in a private part of Unicode. The bytes of such a character are escaped, too, so that
/// every path has one text.
#[cfg(unix)]
const ESCAPED: u32 = 0x10_ff00;

impl Output {
    /// The output of a path. A number as `printf` writes it, `%04d`, becomes `####`.
    pub(crate) fn new(path: impl Into<OsString>) -> Self {
        Self(number_signs(escape(&path.into())))
    }

    /// As a path.
    pub(crate) fn path(&self) -> PathBuf {
        path_of(&self.0)
    }
}

impl Deref for Output {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path().display().fmt(f)
    }
}

#[cfg(unix)]
fn escape(path: &OsStr) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    let mut text = String::with_capacity(path.len());
    let escaped = |text: &mut String, bytes: &[u8]| {
        text.extend(bytes.iter().filter_map(|byte| char::from_u32(ESCAPED + u32::from(*byte))));
    };
    for chunk in path.as_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            match u32::from(c) >= ESCAPED {
                true => escaped(&mut text, c.encode_utf8(&mut [0; 4]).as_bytes()),
                false => text.push(c),
            }
        }
        escaped(&mut text, chunk.invalid());
    }
    text
}

#[cfg(not(unix))]
fn escape(path: &OsStr) -> String {
    path.to_string_lossy().into_owned()
}

/// The path of a text that has escaped bytes.
#[cfg(unix)]
pub(crate) fn path_of(text: &str) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match u32::from(c).checked_sub(ESCAPED) {
            // At most 255, because U+10FFFF is the last character.
            Some(byte) => bytes.extend(u8::try_from(byte)),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(not(unix))]
pub(crate) fn path_of(text: &str) -> PathBuf {
    PathBuf::from(text)
}

/// `walk_%04d.png` -> `walk_####.png`, as ffmpeg and others write it. A text with `#` stays as it is.
fn number_signs(text: String) -> String {
    if text.contains('#') {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once('%') {
        let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let width = if digits == 0 { Some(1) } else { after[..digits].parse::<usize>().ok() };
        out.push_str(before);
        match (width.filter(|width| (1..=20).contains(width)), after[digits..].strip_prefix('d')) {
            (Some(width), Some(end)) => {
                out.push_str(&"#".repeat(width));
                rest = end;
            }
            _ => {
                out.push('%');
                rest = after;
            }
        }
    }
    out + rest
}

/// What stands for the name of a layer.
pub(crate) const LAYER: &str = "{layer}";

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
        Self::named(&text, format.extension())
    }

    /// The file of each frame of a clip in a format that has one frame in a file.
    pub(crate) fn layered(
        output: &str,
        clip: &str,
        several_clips: bool,
        ending: &str,
    ) -> Result<Self, String> {
        if several_clips && !output.contains("{clip}") {
            return Err(format!(
                "several clips need {{clip}} in the name, as in -o 'out/{{clip}}_####.{ending}'"
            ));
        }
        Self::named(&output.replace("{clip}", &file_word(clip)), ending)
    }

    fn named(text: &str, ending: &str) -> Result<Self, String> {
        if text.contains('#') {
            return FilePattern::parse(text, ending).map(Self::Numbered).map_err(|e| e.to_string());
        }
        Ok(Self::Single(path_of(text)))
    }

    /// The file of all frames of a clip. `{clip}` stands for its name; without it, of several clips each has
    /// its name behind that of the file: `all-walk.gif`.
    pub(crate) fn whole(output: &str, clip: &str, several_files: bool) -> Result<Self, String> {
        if output.contains('#') {
            let shown = path_of(output);
            return Err(format!("{} is one file of all frames: leave out the #", shown.display()));
        }
        let safe = file_word(clip);
        if output.contains("{clip}") || !several_files {
            return Ok(Self::Whole(path_of(&output.replace("{clip}", &safe))));
        }
        let path = Path::new(output);
        let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        let name = format!("{}-{safe}.{}", part(path.file_stem()), part(path.extension()));
        let path = path.with_file_name(name);
        Ok(Self::Whole(path_of(path.to_str().unwrap_or_default())))
    }

    pub(crate) fn path(&self, number: u64) -> PathBuf {
        match self {
            Self::Numbered(pattern) => path_of(pattern.path(number).to_str().unwrap_or_default()),
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

/// Whether a character stands for a byte of a path.
fn is_escaped(c: char) -> bool {
    #[cfg(unix)]
    return u32::from(c) >= ESCAPED;
    #[cfg(not(unix))]
    return false;
}

/// A clip's name as a part of a file's: it may have characters that a file's must not have, and be longer.
pub(crate) fn file_word(clip: &str) -> String {
    let unfit = |c: char| c.is_control() || is_escaped(c) || "/\\:*?\"<>|#".contains(c);
    let safe: String = clip.chars().map(|c| if unfit(c) { '_' } else { c }).collect();
    let end = (0..=safe.len().min(LONGEST_WORD)).rev().find(|at| safe.is_char_boundary(*at));
    let safe = &safe[..end.unwrap_or_default()];
    // `..` would be the folder above.
    if safe.chars().all(|c| c == '.') { safe.replace('.', "_") } else { safe.to_owned() }
}

/// Bytes of a clip's name in that of a file: file systems take 255 in all.
const LONGEST_WORD: usize = 200;

/// Whether the name is a folder: it ends in a slash, has no extension and no number, or is an existing
/// folder.
pub(crate) fn is_folder(text: &str) -> bool {
    let path = Path::new(text);
    text.is_empty()
        || text.ends_with(['/', std::path::MAIN_SEPARATOR])
        || path_of(text).is_dir()
        || (path.extension().is_none() && !text.contains('#'))
}

/// The parser of `-o` where `{clip}` stands for the name of a clip.
pub(crate) fn pattern() -> impl TypedValueParser<Value = Output> {
    name(true).map(Output::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(output: &str, clip: &str, several: bool) -> Result<String, String> {
        FrameTarget::parse(output, clip, several, Format::Png).map(|t| t.path(7).display().to_string())
    }

    #[test]
    fn numbers_as_printf_writes_them() {
        let signs = |text: &str| number_signs(text.to_owned());
        assert_eq!(signs("f_%04d.png"), "f_####.png");
        assert_eq!(signs("f_%d.png"), "f_#.png");
        assert_eq!(signs("f_%3d.png"), "f_###.png");
        for other in ["100%.png", "%s.png", "f_%99d.png", "%04d_#.png", "%%.png", "%4"] {
            assert_eq!(signs(other), other);
        }
    }

    #[test]
    #[cfg(unix)]
    fn outputs_may_be_any_bytes() {
        use std::os::unix::ffi::OsStringExt as _;
        let every: Vec<u8> = (1..=255).chain("é\u{10fffd}\u{10ff41}".bytes()).collect();
        let path = OsString::from_vec(every);
        assert_eq!(path_of(&escape(&path)).as_os_str(), path);
        let output = Output::new(OsString::from_vec(b"out\xff/{clip}_##.png".to_vec()));
        let target = FrameTarget::parse(&output, "walk", true, Format::Png).expect("a pattern");
        assert_eq!(target.path(7).into_os_string().into_vec(), b"out\xff/walk_07.png");
        let whole = Output::new(OsString::from_vec(b"\xff.gif".to_vec()));
        let target = FrameTarget::whole(&whole, "walk", true).expect("a file");
        assert_eq!(target.path(0).into_os_string().into_vec(), b"\xff-walk.gif");
    }

    #[test]
    fn folders_names_and_patterns() {
        assert_eq!(file("out/", "walk", false), Ok("out/frame_0007.png".to_owned()));
        assert_eq!(file("out", "walk", false), Ok("out/frame_0007.png".to_owned()));
        assert_eq!(file("out/", "walk", true), Ok("out/walk_0007.png".to_owned()));
        assert_eq!(file("out/{clip}_##.png", "a/b", false), Ok("out/a_b_07.png".to_owned()));
        assert_eq!(file("out/{clip}/##.png", "..", false), Ok("out/__/07.png".to_owned()));
        assert_eq!(file("out/{clip}/##.png", "a\nb", false), Ok("out/a_b/07.png".to_owned()));
        // What stands for the bytes of a path: `../`.
        let up = "\u{10ff2e}\u{10ff2e}\u{10ff2f}";
        assert_eq!(file("out/{clip}_##.png", up, false), Ok("out/____07.png".to_owned()));
        assert_eq!(
            file("out/{clip}_#.png", &"é".repeat(300), false),
            Ok(format!("out/{}_7.png", "é".repeat(100)))
        );
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
