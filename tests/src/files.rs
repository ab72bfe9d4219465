//! The rigs and drawings of the repository, found by walking its folders, so that new ones are tested without
//! a list. Folders of build results are skipped.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The root of the repository.
pub fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap_or(tests).to_owned()
}

/// All files below a folder of the repository that end in `.extension`, sorted.
///
/// Folders called `broken` or `hostile` hold files that are wrong on purpose, `parts` what rigs include; they
/// are skipped.
///
/// # Panics
/// If a folder cannot be listed.
pub fn below(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if !name.starts_with('.')
                    && !["target", "out", "broken", "hostile", "parts"].contains(&&*name)
                {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|end| end == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Whether a file is a scene, whose rigs are files beside it.
fn is_scene(path: &Path) -> bool {
    std::fs::read_to_string(path).is_ok_and(|text| text.lines().any(|line| line.starts_with("Scene(")))
}

/// Every rig that must load: those of the examples and of the tests, and those with text if it can be set.
pub fn good_rigs() -> Vec<PathBuf> {
    let mut rigs = below("examples", "ron");
    rigs.retain(|path| !is_scene(path));
    rigs.extend(below("tests/rigs", "ron"));
    if has_fonts() {
        rigs.extend(below("tests/text-rigs", "ron"));
    }
    rigs
}

/// Whether the font of the drawings with text is installed; says so if it is not.
pub fn has_fonts() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let fonts = bone_format::system_fonts();
        let found = fonts.faces().any(|face| face.families.iter().any(|family| family.0 == "DejaVu Sans"));
        if !found {
            // Past what the test harness keeps to itself.
            let _ =
                writeln!(std::io::stderr(), "SKIPPED: DejaVu Sans is not installed, so no text was compared");
        }
        found
    })
}

/// Every drawing that must be drawn.
pub fn drawings() -> Vec<PathBuf> {
    let mut drawings = below("examples", "svg");
    drawings.extend(below("tests", "svg"));
    drawings.extend(below("assets", "svg"));
    drawings
}

/// A path relative to the root of the repository.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}
