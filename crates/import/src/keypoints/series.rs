//! Which files of a folder are the frames of one video, and their numbers. Only names are used.

use std::collections::BTreeMap;

use crate::ImportError;

/// The files of a folder that are frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameSeries {
    /// The number of each frame and the index of its file in the given names, sorted by number.
    pub frames: Vec<(u64, usize)>,
    /// The first few names that are missing between the first and the last frame.
    pub missing: Vec<String>,
    /// The number of missing frames.
    pub missing_count: u64,
    /// JSON files that are not frames, as indices of the given names.
    pub other_files: Vec<usize>,
}

impl FrameSeries {
    /// Checks that all frames from the first to the last exist.
    ///
    /// # Errors
    /// If frames are missing: names them.
    pub fn check_complete(&self) -> Result<(), ImportError> {
        let names: Vec<String> = self.missing.iter().take(3).map(|name| format!("\"{name}\"")).collect();
        let more = self.missing_count.saturating_sub(names.len() as u64);
        let message = match (&names[..], more) {
            ([], _) => return Ok(()),
            ([name], 0) => format!("{name} is missing"),
            ([first @ .., last], 0) => format!("{} and {last} are missing", first.join(", ")),
            (_, more) => format!("{} and {more} more are missing", names.join(", ")),
        };
        Err(ImportError::new(message).help(
            "--allow-missing bridges frames that are missing; put other videos into folders of their own",
        ))
    }
}

/// The largest number of frames, about ten hours of video; it bounds the memory for a wrong number in a name.
pub(super) const MAX_FRAMES: u64 = 1_000_000;

/// Finds the frames among the names of a folder: JSON files whose names differ in one number only. A single
/// other file is left out; two series are an error, because either could be meant.
///
/// # Errors
/// If there are no frames, two series of them, or two files with the same number.
pub fn find_series(names: &[String]) -> Result<FrameSeries, ImportError> {
    let ends = |name: &str, end: &str| {
        let start = name.len().saturating_sub(end.len());
        start > 0 && name.as_bytes()[start..].eq_ignore_ascii_case(end.as_bytes())
    };
    // YOLO writes one .txt for each frame.
    let end = if names.iter().any(|name| ends(name, ".json")) { ".json" } else { ".txt" };
    let is_json = |name: &str| ends(name, end);
    // Hidden files are skipped.
    let json: Vec<usize> =
        (0..names.len()).filter(|&at| is_json(&names[at]) && !names[at].starts_with('.')).collect();
    if json.is_empty() {
        let message =
            if names.is_empty() { "the folder is empty" } else { "there is no .json file in the folder" };
        return Err(ImportError::new(message)
            .help("keypoints are one .json file a frame, with the number of the frame in its name, or one file for all frames"));
    }
    let mut groups: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
    for &at in &json {
        let (words, numbers) = split(&names[at]);
        if !numbers.is_empty() {
            groups.entry(words).or_default().push(at);
        }
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    // The sort is stable: among groups of the same size the first by name comes first.
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let Some(largest) = groups.first() else {
        return Err(ImportError::new(format!("\"{}\" has no number in its name", names[json[0]]))
            .help("the files of a folder are put in order by the number in their names; a file with all frames is passed by its own name"));
    };
    if let Some(second) = groups.get(1).filter(|second| second.len() > 1 || largest.len() == 1) {
        return Err(two_series(&names[largest[0]], &names[second[0]]));
    }
    let column = numbered_column(names, largest)?;
    let mut found = FrameSeries { other_files: json, ..FrameSeries::default() };
    found.other_files.retain(|at| !largest.contains(at));
    for &at in largest {
        let digits = split(&names[at]).1[column];
        let number = digits.parse::<u64>().ok().filter(|&number| number <= u64::from(u32::MAX));
        let Some(number) = number else {
            fail!("the number in \"{}\" is too large to be that of a frame", names[at]);
        };
        found.frames.push((number, at));
    }
    found.frames.sort_unstable();
    if let Some(twice) = found.frames.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        fail!("\"{}\" and \"{}\" have the same number", names[twice[0].1], names[twice[1].1]);
    }
    note_missing(&mut found, names, column)?;
    Ok(found)
}

/// The number in the names that differs from name to name.
fn numbered_column(names: &[String], group: &[usize]) -> Result<usize, ImportError> {
    let first = split(&names[group[0]]).1;
    let mut changes: Vec<Option<usize>> = vec![None; first.len()];
    for &at in group {
        for (column, digits) in split(&names[at]).1.iter().enumerate() {
            if *digits != first[column] && changes[column].is_none() {
                changes[column] = Some(at);
            }
        }
    }
    let changing: Vec<usize> = (0..first.len()).filter(|&column| changes[column].is_some()).collect();
    match changing[..] {
        // For a single file the last number is used.
        [] => Ok(first.len() - 1),
        [column] => Ok(column),
        [column, ..] => Err(two_series(&names[group[0]], &names[changes[column].unwrap_or(group[0])])),
    }
}

fn note_missing(found: &mut FrameSeries, names: &[String], column: usize) -> Result<(), ImportError> {
    let (Some(&(first, at)), Some(&(last, last_at))) = (found.frames.first(), found.frames.last()) else {
        return Ok(());
    };
    let spread = last - first + 1;
    if spread > MAX_FRAMES {
        fail!(
            "from \"{}\" to \"{}\" are {spread} frames; at most {MAX_FRAMES} can be read",
            names[at],
            names[last_at]
        );
    }
    found.missing_count = spread - found.frames.len() as u64;
    let mut expected = first;
    for &(number, _) in &found.frames {
        // The largest number of missing names that are kept.
        while expected < number && (found.missing.len() as u64) < 10 {
            found.missing.push(with_number(&names[at], column, expected));
            expected += 1;
        }
        expected = number + 1;
    }
    Ok(())
}

fn two_series(a: &str, b: &str) -> ImportError {
    ImportError::new(format!("\"{a}\" and \"{b}\" are frames of two videos in one folder"))
        .help("put each into a folder of its own: names of one video differ in one number only")
}

/// The text parts of a name and the numbers between them; there is one text part more than there are numbers.
fn split(name: &str) -> (Vec<&str>, Vec<&str>) {
    let (mut words, mut numbers) = (Vec::new(), Vec::new());
    let mut rest = name;
    while let Some(from) = rest.find(|c: char| c.is_ascii_digit()) {
        let digits = rest[from..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - from);
        words.push(&rest[..from]);
        numbers.push(&rest[from..from + digits]);
        rest = &rest[from + digits..];
    }
    words.push(rest);
    (words, numbers)
}

/// The same name with another number and the same padding.
fn with_number(name: &str, column: usize, number: u64) -> String {
    let (words, numbers) = split(name);
    let mut other = String::new();
    for (at, word) in words.iter().enumerate() {
        other.push_str(word);
        match numbers.get(at) {
            Some(digits) if at == column => {
                let width = if digits.starts_with('0') { digits.len() } else { 0 };
                other.push_str(&format!("{number:0width$}"));
            }
            Some(digits) => other.push_str(digits),
            None => {}
        }
    }
    other
}

/// The last number in a name without its extension, as in `frame_0012.jpg`.
pub(super) fn last_number(name: &str) -> Option<u64> {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    split(stem).1.last()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn frames_are_ordered_by_their_numbers() {
        let found = find_series(&names(&[
            "f10_pose2d.json",
            "f9_pose2d.json",
            "truth.json",
            "f11_pose2d.json",
            "a.png",
        ]));
        let found = found.expect("a series");
        assert_eq!(found.frames, [(9, 1), (10, 0), (11, 3)]);
        assert_eq!(found.other_files, [2]);
        assert_eq!(found.missing_count, 0);
    }

    #[test]
    fn missing_names_are_listed() {
        let found = find_series(&names(&["w_007_k.json", "w_010_k.json", "w_011_k.json"])).expect("a series");
        assert_eq!(found.missing, ["w_008_k.json", "w_009_k.json"]);
        let found = find_series(&names(&["w7.json", "w1000.json"])).expect("a series");
        assert_eq!((found.missing_count, found.missing.len()), (992, 10));
        assert_eq!(found.missing[3], "w11.json");
        let message = "\"w8.json\", \"w9.json\", \"w10.json\" and 989 more are missing";
        assert_eq!(found.check_complete().expect_err("missing").message, message);
    }

    #[test]
    fn names_without_a_series_are_errors() {
        let message = |list: &[&str]| find_series(&names(list)).expect_err("no series").message;
        assert_eq!(message(&[]), "the folder is empty");
        assert_eq!(message(&["a.png"]), "there is no .json file in the folder");
        assert_eq!(message(&["walk.json"]), "\"walk.json\" has no number in its name");
        let two = "\"a_1.json\" and \"b_1.json\" are frames of two videos in one folder";
        assert_eq!(message(&["a_1.json", "a_2.json", "b_1.json", "b_2.json"]), two);
        assert_eq!(message(&["a_1.json", "b_1.json"]), two);
        assert!(message(&["c1_1.json", "c1_2.json", "c2_1.json", "c2_2.json"]).contains("two videos"));
        assert_eq!(
            message(&["a1.json", "a01.json"]),
            "\"a01.json\" and \"a1.json\" have the same number"
                .replace("\"a01.json\" and \"a1.json\"", "\"a1.json\" and \"a01.json\"")
        );
        assert!(message(&["a1.json", "a99999999999999999999.json"]).contains("too large"));
        assert!(message(&["a1.json", "a4000000000.json"]).contains("at most 1000000"));
    }

    #[test]
    fn numbers_in_names_of_pictures() {
        assert_eq!(last_number("clip2/frame_0012.jpg"), Some(12));
        assert_eq!(last_number("0.mp4"), Some(0));
        assert_eq!(last_number("walk.jpg"), None);
    }
}
