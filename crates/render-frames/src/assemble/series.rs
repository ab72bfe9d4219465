//! Finds the frames of a folder or a pattern, in the order of their numbers. A number that is missing is an
//! error, because the film would jump there.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::frames::{MOST_FRAMES, Selection};

/// Numbered files of one folder, in order.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Series {
    pub(super) folder: PathBuf,
    /// What is before and behind the number in their names.
    name: NameParts,
    /// At least one.
    pub(super) frames: Vec<SeriesFrame>,
    /// Other PNG files of the folder: their number and one of them.
    pub(super) left_out: Option<(usize, String)>,
}

/// A file of a series.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SeriesFrame {
    pub(super) number: u64,
    pub(super) name: String,
}

/// What is before and behind the number in a name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct NameParts {
    before: String,
    after: String,
}

impl NameParts {
    /// As the artist writes it: `walk_####.png`.
    fn pattern(&self) -> String {
        format!("{}####{}", self.before, self.after)
    }

    /// The number of a name that fits.
    fn number(&self, name: &str) -> Option<u64> {
        let digits = name.strip_prefix(&self.before)?.strip_suffix(&self.after)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
    }

    /// The last number in the stem of a PNG file, and what is around it.
    fn split(name: &str) -> Option<(Self, u64)> {
        let stem = name.rfind('.')?;
        let end = name[..stem].rfind(|c: char| c.is_ascii_digit())? + 1;
        let start = name[..end]
            .rfind(|c: char| !c.is_ascii_digit())
            .map_or(0, |at| at + name[at..].chars().next().map_or(1, char::len_utf8));
        let number = name[start..end].parse().ok()?;
        Some((Self { before: name[..start].to_owned(), after: name[end..].to_owned() }, number))
    }
}

impl Series {
    /// The frames of a folder, or those that fit a pattern like `out/walk_####.png`: all of them without a
    /// gap, or those that are selected.
    pub(super) fn find(frames: &str, selected: Option<&Selection>) -> Result<Self, String> {
        let path = Path::new(frames);
        let (folder, wanted) = if path.is_dir() {
            (path.to_owned(), None)
        } else if frames.contains('#') {
            let (folder, name) = parts(frames)?;
            (folder, Some(name))
        } else {
            return Err(no_frames(frames, path));
        };
        let unreadable = |error| format!("the folder {} cannot be read: {error}", folder.display());
        let mut series: BTreeMap<NameParts, Vec<SeriesFrame>> = BTreeMap::new();
        let mut others: Vec<String> = Vec::new();
        for entry in fs::read_dir(&folder).map_err(unreadable)? {
            let name = entry.map_err(unreadable)?.file_name();
            // A name that is not text has no number.
            let name = name.to_string_lossy().into_owned();
            match &wanted {
                Some(wanted) => {
                    if let Some(number) = wanted.number(&name) {
                        series.entry(wanted.clone()).or_default().push(SeriesFrame { number, name });
                    }
                }
                None if is_png(&name) => match NameParts::split(&name) {
                    Some((parts, number)) => {
                        series.entry(parts).or_default().push(SeriesFrame { number, name });
                    }
                    None => others.push(name),
                },
                None => {}
            }
        }
        others.sort_unstable();
        let left_out = others.first().map(|first| (others.len(), first.clone()));
        if series.len() > 1 {
            return Err(several(&folder, &series));
        }
        let Some((name, mut frames)) = series.into_iter().next() else {
            let what = wanted.map_or_else(
                || "PNG file with a number in its name".to_owned(),
                |name| format!("file called {}", name.pattern()),
            );
            return Err(format!("there is no {what} in {}", folder.display()));
        };
        frames.sort_unstable();
        if let Some(two) = frames.windows(2).find(|two| two[0].number == two[1].number) {
            let (one, other) = (&two[0].name, &two[1].name);
            return Err(format!("{one} and {other} in {} have the same number", folder.display()));
        }
        let mut series = Self { folder, name, frames, left_out };
        series.select(selected)?;
        Ok(series)
    }

    fn select(&mut self, selected: Option<&Selection>) -> Result<(), String> {
        let Some(selected) = selected else {
            let missing = Ranges::between(&self.frames);
            if missing.count > 0 {
                return Err(format!("{}{}", self.missing(&missing), self.advice()));
            }
            if self.frames.len() > MOST_FRAMES {
                return Err(format!("that is more than {MOST_FRAMES} frames at a time"));
            }
            return Ok(());
        };
        let mut missing = Ranges::default();
        let mut kept = Vec::with_capacity(selected.iter().len());
        let mut left = std::mem::take(&mut self.frames).into_iter().peekable();
        for number in selected.iter() {
            while left.next_if(|frame| frame.number < number).is_some() {}
            match left.next_if(|frame| frame.number == number) {
                Some(frame) => kept.push(frame),
                None => missing.add(number, number),
            }
        }
        self.frames = kept;
        if missing.count > 0 { Err(self.missing(&missing)) } else { Ok(()) }
    }

    fn missing(&self, missing: &Ranges) -> String {
        let of = self.folder.join(self.name.pattern());
        match missing.count {
            1 => format!("frame {missing} of {} is missing", of.display()),
            count => format!("{count} frames of {} are missing: {missing}", of.display()),
        }
    }

    /// Numbers with an equal step are a selection that was rendered.
    fn advice(&self) -> String {
        let numbers = || self.frames.iter().map(|frame| frame.number);
        let (Some(first), Some(last)) = (numbers().next(), numbers().next_back()) else {
            return String::new();
        };
        let steps = || numbers().zip(numbers().skip(1)).map(|(one, next)| next - one);
        match steps().next() {
            Some(step) if self.frames.len() > 2 && steps().all(|other| other == step) => {
                format!("; --frames {first}-{last}:{step} takes those that are there")
            }
            _ => String::new(),
        }
    }

    /// The file of a frame.
    pub(super) fn path(&self, at: usize) -> PathBuf {
        self.folder.join(&self.frames[at].name)
    }

    /// The series as it is printed.
    pub(super) fn pattern(&self) -> String {
        self.folder.join(self.name.pattern()).display().to_string()
    }

    /// The name of the series, as that of a clip: `walk` of `walk_####.png`.
    pub(super) fn title(&self) -> String {
        let stem = self.name.after.rsplit_once('.').map_or("", |(stem, _)| stem);
        let title = format!("{}{stem}", self.name.before);
        let title = title.trim_matches(['_', '-', '.', ' ']);
        if title.is_empty() { "frames".to_owned() } else { title.to_owned() }
    }

    /// Whether a file of this name would be taken for a frame of the series, or for one of another.
    pub(super) fn would_take(&self, path: &Path) -> bool {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let same = folder.canonicalize().ok().zip(self.folder.canonicalize().ok());
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        same.is_some_and(|(one, other)| one == other) && (is_png(&name) || self.name.number(&name).is_some())
    }
}

fn is_png(name: &str) -> bool {
    // Hidden files are those of other programs.
    !name.starts_with('.') && name.len() > 4 && name.to_ascii_lowercase().ends_with(".png")
}

/// The folder of a pattern, and the parts of its name.
fn parts(text: &str) -> Result<(PathBuf, NameParts), String> {
    // Other mistakes of a pattern are those of the frames of `render`.
    bone_render::FilePattern::parse(text, "png").map_err(|error| error.to_string())?;
    let (folder, name) = match text.rfind(['/', std::path::MAIN_SEPARATOR]) {
        Some(at) => (PathBuf::from(&text[..=at]), &text[at + 1..]),
        None => (PathBuf::from("."), text),
    };
    let (before, rest) = name.split_once('#').unwrap_or((name, ""));
    let name = NameParts { before: before.to_owned(), after: rest.trim_start_matches('#').to_owned() };
    Ok((folder, name))
}

fn no_frames(text: &str, path: &Path) -> String {
    let hint = "give the folder of the frames, or a pattern like 'out/walk_####.png'";
    if path.is_file() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let near = NameParts::split(&name).filter(|_| is_png(&name)).map(|(parts, _)| parts.pattern());
        let near = near.map(|near| path.with_file_name(near).display().to_string());
        return match near {
            Some(near) => format!("{text} is one file: all frames like it are '{near}'"),
            None => format!("{text} is a file: {hint}"),
        };
    }
    if let Some((before, after)) = text.split_once('%').filter(|(_, after)| after.contains('d')) {
        let after = after.split_once('d').map_or("", |(_, after)| after);
        return format!("the number of a frame is written with #, as in '{before}####{after}'");
    }
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            format!("there is no folder {text}: {hint}")
        }
        Err(error) => format!("{text} cannot be read: {error}"),
        Ok(_) => format!("{text} is not a folder: {hint}"),
    }
}

fn several(folder: &Path, series: &BTreeMap<NameParts, Vec<SeriesFrame>>) -> String {
    const SHOWN: usize = 6;
    let mut message = format!("{} has frames of several names; choose one of them:", folder.display());
    for (name, frames) in series.iter().take(SHOWN) {
        let frames = match frames.len() {
            1 => "1 file".to_owned(),
            count => format!("{count} files"),
        };
        let _ = write!(message, "\n  '{}' ({frames})", folder.join(name.pattern()).display());
    }
    if series.len() > SHOWN {
        let _ = write!(message, "\n  and {} more", series.len() - SHOWN);
    }
    message
}

/// Numbers as ranges, of which the first few are printed.
#[derive(Debug, Default)]
struct Ranges {
    first: Vec<(u64, u64)>,
    ranges: usize,
    count: u64,
}

impl Ranges {
    const SHOWN: usize = 8;

    /// The numbers that are missing between frames.
    fn between(frames: &[SeriesFrame]) -> Self {
        let mut ranges = Self::default();
        for two in frames.windows(2) {
            if two[1].number - two[0].number > 1 {
                ranges.add(two[0].number + 1, two[1].number - 1);
            }
        }
        ranges
    }

    /// Adds numbers behind those that are there.
    fn add(&mut self, first: u64, last: u64) {
        self.count = self.count.saturating_add(last - first + 1);
        let all_kept = self.ranges == self.first.len();
        match self.first.last_mut() {
            Some(range) if all_kept && range.1 + 1 == first => range.1 = last,
            _ => {
                self.ranges += 1;
                if self.first.len() < Self::SHOWN {
                    self.first.push((first, last));
                }
            }
        }
    }
}

impl std::fmt::Display for Ranges {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, (first, last)) in self.first.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { ", " })?;
            if first == last { write!(f, "{first}")? } else { write!(f, "{first}-{last}")? }
        }
        if self.ranges > self.first.len() { f.write_str(" and more") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in names {
            fs::write(folder.path().join(name), "").expect("a file");
        }
        folder
    }

    fn numbers(folder: &tempfile::TempDir, text: &str, frames: Option<&str>) -> Result<Vec<u64>, String> {
        let frames = frames.map(|frames| frames.parse().expect("frames"));
        let text = format!("{}/{text}", folder.path().display());
        let series = Series::find(&text, frames.as_ref())?;
        Ok(series.frames.iter().map(|frame| frame.number).collect())
    }

    #[test]
    fn frames_come_in_the_order_of_their_numbers() {
        let names = ["a_9999.png", "a_10001.png", "a_10000.PNG.txt", "a_10000.png", ".a_1.png", "a_9998.png"];
        assert_eq!(numbers(&folder(&names), "", None), Ok(vec![9998, 9999, 10_000, 10_001]));
        let names = ["shot2_a7.png", "shot2_a8.png", "poster.png", "shot2_a8.svg"];
        let folder = folder(&names);
        assert_eq!(numbers(&folder, "", None), Ok(vec![7, 8]));
        assert_eq!(numbers(&folder, "shot#_a7.png", None), Ok(vec![2]));
        let series = Series::find(&folder.path().display().to_string(), None).expect("frames");
        assert_eq!(series.left_out, Some((1, "poster.png".to_owned())));
        assert!(series.pattern().ends_with("shot2_a####.png"));
    }

    #[test]
    fn missing_frames_have_numbers() {
        let folder = folder(&["f_1.png", "f_2.png", "f_4.png", "f_9.png"]);
        let error = numbers(&folder, "", None).expect_err("a gap");
        assert!(error.contains("5 frames") && error.ends_with("are missing: 3, 5-8"), "{error}");
        assert_eq!(numbers(&folder, "", Some("1-2,9")), Ok(vec![1, 2, 9]));
        let error = numbers(&folder, "f_#.png", Some("0-4")).expect_err("a gap");
        assert!(error.starts_with("2 frames of") && error.ends_with("are missing: 0, 3"), "{error}");
        let error = numbers(&folder, "", Some("1-3")).expect_err("a gap");
        assert!(error.starts_with("frame 3 of"), "{error}");
    }

    #[test]
    fn a_step_is_named_and_long_lists_are_cut() {
        let every = |step: usize| (0..20).map(|n| format!("f_{:03}.png", n * step)).collect::<Vec<_>>();
        let two = every(2);
        let error = numbers(&folder(&two.iter().map(String::as_str).collect::<Vec<_>>()), "", None);
        let error = error.expect_err("gaps");
        assert!(error.contains("are missing: 1, 3, 5, 7, 9, 11, 13, 15 and more"), "{error}");
        assert!(error.ends_with("; --frames 0-38:2 takes those that are there"), "{error}");
        // Numbers near the largest one there is.
        let last = format!("f_{}.png", u64::MAX);
        let error = numbers(&folder(&["f_0.png", &last]), "", None).expect_err("a gap");
        assert!(error.contains(&format!("1-{}", u64::MAX - 1)), "{error}");
    }

    #[test]
    fn what_is_no_series_says_so() {
        let folder = folder(&["a_1.png", "b_1.png", "b_2.png", "x.txt"]);
        let of = |text: &str| numbers(&folder, text, None).expect_err("no series");
        assert!(of("").contains("'") && of("").contains("b_####.png' (2 files)"), "{}", of(""));
        assert!(of("c_##.png").contains("there is no file called c_####.png"), "{}", of("c_##.png"));
        assert!(of("b_1.png").contains("b_####.png'"), "{}", of("b_1.png"));
        assert!(of("b_%04d.png").contains("b_####.png'"), "{}", of("b_%04d.png"));
        assert!(of("nowhere").contains("there is no folder"), "{}", of("nowhere"));
        assert!(of("x.txt").contains("is a file"), "{}", of("x.txt"));
        assert!(of("#/a.png").contains("name of a folder"), "{}", of("#/a.png"));
        assert!(of("nowhere/a_#.png").contains("cannot be read"), "{}", of("nowhere/a_#.png"));
        let twice = self::folder(&["a_1.png", "a_01.png"]);
        let error = numbers(&twice, "", None).expect_err("two of them");
        assert!(error.contains("same number"), "{error}");
        let empty = self::folder(&[]);
        assert!(numbers(&empty, "", None).expect_err("nothing").contains("there is no PNG file"));
    }
}
