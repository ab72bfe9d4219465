//! Keypoints that are wrong: what is said, and where. `tests/motion/bad-keypoints` has a file a mistake and the message beside it; `RENEW=1`
//! writes the messages anew. Files named `all-...` hold all frames, the others are one frame of a folder.

use std::path::{Path, PathBuf};

use import::ImportError;
use import::keypoints::{Options, Reader};

/// All that is done with a file.
fn whole_way(name: &str, bytes: &[u8]) -> Result<usize, ImportError> {
    let mut reader = Reader::new();
    if name.starts_with("all-") {
        reader.whole(bytes)?;
    } else {
        reader.frame(0, bytes)?;
        reader.frame(1, bytes)?;
    }
    Ok(reader.finish(&Options::default())?.flat.frames())
}

/// `line:column: message`, and the help on a line of its own.
fn shown(error: &ImportError, bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let place = error.span.as_ref().map_or_else(String::new, |span| {
        let before = &text[..span.start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("{line}:{column}: ")
    });
    let help = error.help.as_ref().map_or_else(String::new, |help| format!("help: {help}\n"));
    format!("{place}{}\n{help}", error.message)
}

#[test]
fn every_mistake_is_told_with_its_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/motion/bad-keypoints");
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    files.sort();
    assert!(files.len() >= 35, "{}", files.len());
    let mut wrong = String::new();
    for path in files {
        let bytes = std::fs::read(&path).expect("bytes");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let found = match whole_way(&name, &bytes) {
            Ok(frames) => format!("no mistake: {frames} frames\n"),
            Err(error) => shown(&error, &bytes),
        };
        let beside = path.with_extension("expect");
        if std::env::var_os("RENEW").is_some() {
            std::fs::write(&beside, &found).expect("written");
        }
        let expected = std::fs::read_to_string(&beside).unwrap_or_default().replace('\r', "");
        if found != expected {
            wrong += &format!("{}:\nfound    {found}expected {expected}\n", path.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
