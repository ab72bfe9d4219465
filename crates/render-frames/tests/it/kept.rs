//! Rigs that are rendered again are taken as they were kept, if nothing has changed. Only where programs have build ids.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::command::{Ran, command, finish, repository};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["rig.ron", "drawing.svg"] {
            fs::copy(repository(&format!("examples/cloak/{name}")), folder.path().join(name)).unwrap();
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, words: &[&str]) -> Ran {
        let mut command = command(&["render", "rig.ron", "--frames", "7", "--size", "200x150", "-v"]);
        command.args(words).current_dir(self.0.path()).env("BONE_LAYER_CACHE", self.path("cache"));
        finish(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    /// Renders a picture; whether the rig was taken as it was kept.
    fn picture(&self, name: &str) -> (bool, Vec<u8>) {
        let ran = self.run(&["-o", name]);
        assert_eq!(ran.code, Some(0), "{ran:#?}");
        (ran.err.contains("took the rig as it was kept"), fs::read(self.path(name)).unwrap())
    }

    fn kept(&self) -> Vec<PathBuf> {
        let Ok(all) = fs::read_dir(self.path("cache")) else { return Vec::new() };
        all.map(|entry| entry.unwrap().path()).collect()
    }
}

fn replace(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from));
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn a_second_run_draws_the_same_from_the_kept_rig() {
    let folder = Folder::new();
    let (first, second) = (folder.picture("a.png"), folder.picture("b.png"));
    assert_eq!((first.0, second.0), (false, true));
    assert!(first.1 == second.1);
    // Frames that exist are found by what was compiled and by what was kept.
    let frames = |dir: &str| folder.run(&["-o", dir, "--existing", "skip"]);
    frames("out/");
    fs::remove_dir_all(folder.path("cache")).unwrap();
    assert!(frames("out/").err.contains("1 exist"), "{:?}", frames("out/"));
}

#[test]
fn what_has_changed_is_compiled_again() {
    let folder = Folder::new();
    let (_, first) = folder.picture("a.png");
    let text = fs::read(folder.path("drawing.svg")).unwrap();
    replace(&folder.path("drawing.svg"), "</svg>", "<rect width='50' height='50' fill='red'/></svg>");
    let (is_kept, changed) = folder.picture("b.png");
    assert!(!is_kept && changed != first);
    assert!(folder.picture("b.png").0, "kept in place of the one before");
    assert_eq!(folder.kept().len(), 1);
    fs::write(folder.path("drawing.svg"), text).unwrap();
    assert!(folder.picture("c.png") == (false, first.clone()));
    // A rig with findings is compiled each time.
    replace(&folder.path("rig.ron"), "Rig(", "Rig(\n    surely: 1,");
    let ran = folder.run(&["-o", "d.png"]);
    assert_eq!(ran.code, Some(3), "{ran:#?}");
}

#[test]
fn a_spoiled_kept_rig_is_made_again() {
    let folder = Folder::new();
    let (_, first) = folder.picture("a.png");
    let [kept] = folder.kept().try_into().unwrap();
    let whole = fs::read(&kept).unwrap();
    let header = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let no_inputs = [&b"{\"inputs\":[]}\n"[..], &whole[header..]].concat();
    let spoiled: [&[u8]; 6] = [b"", b"\n", b"{}\n", &whole[..header], &whole[..whole.len() / 2], &no_inputs];
    for bytes in spoiled {
        fs::write(&kept, bytes).unwrap();
        assert!(folder.picture("b.png") == (false, first.clone()));
        assert!(fs::read(&kept).unwrap() == whole);
    }
    // A folder in its place: nothing can be kept.
    fs::remove_file(&kept).unwrap();
    fs::create_dir(&kept).unwrap();
    assert!(folder.picture("b.png") == (false, first));
}

#[test]
fn inputs_of_a_kept_rig_are_not_written_over() {
    let folder = Folder::new();
    folder.picture("a.png");
    let before = fs::read(folder.path("drawing.svg")).unwrap();
    let ran = folder.run(&["-o", "drawing.svg", "--format", "svg", "--existing", "overwrite"]);
    assert!(ran.code != Some(0) && ran.err.contains("source of the"), "{ran:#?}");
    assert!(fs::read(folder.path("drawing.svg")).unwrap() == before);
}
