//! Runs the program: arguments in; exit code, texts and files out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use bone_render::Pixmap;

/// A file of the repository.
pub(crate) fn repository(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path).display().to_string()
}

/// Reports that a test cannot run here, with how many such there are so far. It is shown although the test
/// passes, because it goes around what is captured. With `required`, an environment variable, it fails instead.
pub(crate) fn skip(test: &str, needs: &str, required: Option<&str>) {
    use std::io::Write as _;
    use std::sync::atomic::{AtomicUsize, Ordering};
    static SKIPPED: AtomicUsize = AtomicUsize::new(0);
    let is_required = required.is_some_and(|name| std::env::var_os(name).is_some());
    assert!(!is_required, "{test} needs {needs}");
    let count = SKIPPED.fetch_add(1, Ordering::Relaxed) + 1;
    let _ = writeln!(std::io::stderr(), "SKIPPED {count}: {test} needs {needs}");
}

/// The output of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The exit code; `None` if a signal ended the run.
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_render-frames"));
    // Nothing of a test goes into the folders of the person who runs it.
    let state = concat!(env!("CARGO_TARGET_TMPDIR"), "/state");
    command.args(words).env("NO_COLOR", "1").env("XDG_STATE_HOME", state).stdin(Stdio::null());
    command.env("BONE_LAYER_CACHE", "off");
    command
}

/// Runs the program to its end. A panic fails the test.
pub(crate) fn run(words: &[&str]) -> Ran {
    finish(command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program"))
}

pub(crate) fn finish(child: Child) -> Ran {
    let output = child.wait_with_output().expect("its end");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("readable text");
    let ran = Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) };
    let fault = ["panicked", "internal error"].iter().any(|word| ran.err.contains(word));
    assert!(!fault && ran.code != Some(101), "{ran:?}");
    ran
}

/// Runs it and expects an exit code.
pub(crate) fn expect(code: i32, words: &[&str]) -> Ran {
    let ran = run(words);
    assert_eq!(ran.code, Some(code), "{words:?}: {ran:#?}");
    ran
}

/// The files of a folder; the manifest is left out.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let entries = entries.filter(|path| !path.ends_with(RECORDS));
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    entries.map(|path| (name(&path), std::fs::read(&path).expect("a file"))).collect()
}

/// The folder of the manifest.
pub(crate) const RECORDS: &str = ".bone-layer";

pub(crate) fn names(folder: &Path) -> Vec<String> {
    files(folder).into_keys().collect()
}

/// Checks that every file with a final name is a complete picture; returns how many there are. Temporary
/// files are counted separately.
pub(crate) fn whole_frames(folder: &Path) -> (usize, usize) {
    let all = files(folder);
    let (temporary, whole): (Vec<_>, Vec<_>) = all.iter().partition(|(name, _)| name.ends_with(".tmp"));
    for (name, bytes) in &whole {
        assert!(name.ends_with(".png"), "{name}");
        let picture = Pixmap::decode_png(bytes).unwrap_or_else(|e| panic!("{name} is not whole: {e}"));
        assert!(picture.width() > 0);
        assert!(bytes.ends_with(b"IEND\xaeB`\x82"), "{name} has no end");
    }
    (whole.len(), temporary.len())
}

/// A rig of one bone and one path that moves for two seconds, beside its drawing, for tests that change it.
pub(crate) const FLAG_SVG: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" width="40" height="40">
  <g id="all"><path id="flag" fill="#c33" d="M 5 5 H 35 V 20 H 5 Z"/></g>
  <circle id="sun" cx="30" cy="32" r="5" fill="#fc3"/>
</svg>
"##;
pub(crate) const FLAG_RIG: &str = r#"Rig(
    version: 1,
    drawing: "flag.svg",
    bones: { "pole": (from: (5, 5), to: (35, 5)) },
    skin: [Rigid(art: "flag", bone: "pole")],
    clips: {
        "wave": (length: 0.5, loop: true, bones: { "pole": (rotate: [(0, 0), (0.25, 30), (0.5, 0)]) }),
        "droop": (length: 0.25, bones: { "pole": (rotate: [(0, 0), (0.25, 90)]) }),
    },
)
"#;

/// A folder with the flag; the path of its rig.
pub(crate) fn flag() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("flag.svg"), FLAG_SVG).expect("the drawing");
    let rig = folder.path().join("flag.ron");
    std::fs::write(&rig, FLAG_RIG).expect("the rig");
    let rig = rig.display().to_string();
    (folder, rig)
}

/// A path below a folder, as an argument.
pub(crate) fn below(folder: &tempfile::TempDir, path: &str) -> String {
    folder.path().join(path).display().to_string()
}

/// A file system in memory; it is unmounted on drop.
pub(crate) struct SmallDisk(pub(crate) PathBuf);

impl SmallDisk {
    pub(crate) fn mount(at: PathBuf) -> Option<Self> {
        std::fs::create_dir_all(&at).ok()?;
        let words = ["-t", "tmpfs", "-o", "size=256k", "tmpfs"];
        let output = Command::new("mount").args(words).arg(&at).output().ok()?;
        output.status.success().then_some(Self(at))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // An unmount that fails cannot be handled in a drop.
        let _ = Command::new("umount").arg(&self.0).status();
    }
}
