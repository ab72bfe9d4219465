//! Fixes of the broken rigs of `tests/bad-rigs`: each suggestion has one, and what it writes takes the finding away.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bone_format::session::text::{TextEdit, apply};
use bone_format::{Diagnostic, Disk, Files, Loaded, load, no_fonts};

/// The disk with one file replaced.
struct Replaced(PathBuf, String);

impl Files for Replaced {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        if path == self.0 { Ok(self.1.clone().into_bytes()) } else { Disk.read(path) }
    }

    fn beside(&self, path: &Path) -> Vec<String> {
        Disk.beside(path)
    }
}

fn read(path: &Path, text: &str) -> Loaded {
    load(path, Arc::new(Replaced(path.to_owned(), text.to_owned())), &no_fonts)
}

#[test]
fn a_fix_takes_its_finding_away() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let (mut suggestions, mut fixes, mut wrong) = (0, 0, Vec::new());
    for folder in ["bad-rigs", "bad-rigs-art"] {
        let mut rigs: Vec<PathBuf> =
            std::fs::read_dir(tests.join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
        rigs.retain(|path| path.extension().is_some_and(|end| end == "ron"));
        rigs.sort();
        for path in rigs {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let loaded = read(&path, &text);
            for found in &loaded.diagnostics {
                let suggests = found.help.iter().any(|help| help.starts_with("did you mean"));
                suggestions += usize::from(suggests);
                let Some((place, new)) = &found.fix else {
                    if suggests {
                        wrong.push(format!("{name}: no fix: {}", found.message));
                    }
                    continue;
                };
                if loaded.sources.text(place.source) != text {
                    continue;
                }
                fixes += 1;
                let edit = TextEdit { range: place.span.range(), text: new.clone() };
                let after = read(&path, &apply(&text, &[edit]));
                // The same finding, or one of its kind at its place.
                let stays = |other: &Diagnostic| {
                    other.code == found.code
                        && other.message == found.message
                        && other.place.map(|place| place.span.start)
                            == found.place.map(|place| place.span.start)
                };
                if after.diagnostics.iter().any(stays) {
                    wrong.push(format!("{name}: stays: {} with {new:?}", found.message));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(suggestions > 60 && fixes > 90, "{suggestions} suggestions, {fixes} fixes");
}
