//! Folders of invalid files, with the expected message beside each. `RENEW=1` writes the messages anew.

use std::path::{Path, PathBuf};

use bone_import::ImportError;

/// A folder of recordings.
pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/motion").join(name)
}

/// `line:column: message`, and the help on its own line.
fn shown(error: &ImportError, text: &str) -> String {
    let place = error.span.as_ref().map_or_else(String::new, |span| {
        let before = &text[..span.start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("{line}:{column}: ")
    });
    let help = error.help.as_ref().map_or_else(String::new, |help| format!("help: {help}\n"));
    format!("{place}{}\n{help}", error.message)
}

/// Checks all files of a folder with this extension. `run_all_steps` runs all steps on a file, or returns its
/// error and the text that it is about.
pub(crate) fn every_mistake_is_reported(
    name: &str,
    end: &str,
    run_all_steps: impl Fn(&str, &[u8]) -> Result<String, (ImportError, String)>,
) {
    let entries =
        std::fs::read_dir(folder(name)).expect("a folder").map(|entry| entry.expect("a file").path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|other| other == end)).collect();
    files.sort();
    assert!(files.len() >= 35, "{}", files.len());
    let mut wrong = String::new();
    for path in files {
        let bytes = std::fs::read(&path).expect("bytes");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let found = match run_all_steps(&name, &bytes) {
            Ok(made) => format!("no mistake: {made}\n"),
            Err((error, text)) => shown(&error, &text),
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
