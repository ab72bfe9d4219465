//! Names of files that have all frames of a clip, and lists of their endings for messages and help.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use bone_export::FORMATS;

/// The endings of animations and videos: `.gif, .webp`.
pub(crate) fn animation_endings() -> String {
    endings(FORMATS.iter().filter(|format| format.is_animation()).map(|format| format.ending))
}

/// The endings of animations and videos with the option that some need.
pub(crate) fn animation_endings_with_options() -> String {
    let all = FORMATS.iter().filter(|format| format.is_animation());
    let all = all.flat_map(|format| {
        [Some(format.ending), format.has("animate").then_some("png with --animate")].into_iter().flatten()
    });
    endings(all)
}

fn endings<'a>(all: impl Iterator<Item = &'a str>) -> String {
    all.map(|ending| format!(".{ending}")).collect::<Vec<_>>().join(", ")
}

/// The endings of the formats that have an option.
pub(crate) fn endings_with(option: &str) -> String {
    endings(FORMATS.iter().filter(|format| format.has(option)).map(|format| format.ending))
}

/// The file of a page of a sheet: `walk.png`, `walk-1.png` and so on beside `walk.json`.
pub(crate) fn page_file(data: &Path, page: usize, ending: &str) -> PathBuf {
    let stem = data.file_stem().unwrap_or_default().to_string_lossy();
    let name = if page == 0 { format!("{stem}.{ending}") } else { format!("{stem}-{page}.{ending}") };
    data.with_file_name(name)
}

/// Whether a file beside the data of a sheet has the name of one of its pages.
pub(crate) fn is_page(data: &Path, file: &Path) -> bool {
    let ending = file.extension().and_then(OsStr::to_str);
    let Some(ending @ ("png" | "json")) = ending else { return false };
    let (stem, of) = (file.file_stem().unwrap_or_default(), data.file_stem().unwrap_or_default());
    let number = stem.to_string_lossy();
    let number = number.rsplit_once('-').and_then(|(_, number)| number.parse().ok());
    stem == of || number.is_some_and(|page| page_file(data, page, ending).file_name() == file.file_name())
}
