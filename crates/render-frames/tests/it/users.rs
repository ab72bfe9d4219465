//! A user without rights: folders and files of somebody else, sticky folders, records that others can write. Only
//! who may become another user can run these; the others say that they were skipped.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::command::{Ran, finish};
use crate::live::Live;
use crate::rigs::{ARM, ARM_SVG};

/// The user without rights.
const NOBODY: u32 = 65534;

/// A folder of root with a rig of the arm, whose upper arm bends, and the program where every user can run it.
struct Place {
    folder: tempfile::TempDir,
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("rights");
}

impl Place {
    /// None, and a word about it, where this is not possible.
    fn new(test: &str) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let place = Self { folder };
        mode(place.folder.path(), 0o755);
        fs::copy(env!("CARGO_BIN_EXE_render-frames"), place.path("rf")).expect("the program");
        fs::write(place.path("arm.svg"), ARM_SVG).expect("a file");
        let smooth = "Smooth(art: \"fore\", bones: [\"upper\", \"fore\"])";
        fs::write(place.path("rig.ron"), ARM.replace("Rigid(art: \"fore\", bone: \"fore\")", smooth))
            .expect("a file");
        for file in ["arm.svg", "rig.ron"] {
            mode(&place.path(file), 0o644);
        }
        let can = place.program(&["--version"]).output().is_ok_and(|output| output.status.success());
        if !can {
            println!("skipped: no other user can be had: {test}");
        }
        can.then_some(place)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program as the user without rights, in the folder.
    fn program(&self, words: &[&str]) -> Command {
        let mut other = Command::new("setpriv");
        other.args([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}")]).arg("--clear-groups");
        other.arg(self.path("rf")).args(words).current_dir(self.folder.path());
        other.env("XDG_STATE_HOME", self.path("state")).env("NO_COLOR", "1").stdin(Stdio::null());
        other
    }

    fn run(&self, words: &[&str], code: i32) -> Ran {
        let ran = self.program(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let ran = finish(ran.expect("the program"));
        assert_eq!(ran.code, Some(code), "{words:?}: {} {}", ran.out, ran.err);
        ran
    }

    fn listed(&self) -> Vec<(String, Vec<u8>)> {
        let mut all: Vec<(String, Vec<u8>)> = fs::read_dir(self.folder.path())
            .expect("the folder")
            .flatten()
            .filter(|entry| entry.path().is_file() && entry.file_name() != "rf")
            .map(|entry| {
                let bytes = fs::read(entry.path()).expect("a file");
                (entry.file_name().to_string_lossy().into_owned(), bytes)
            })
            .collect();
        all.sort();
        all
    }
}

#[test]
fn a_folder_of_somebody_else_is_read_and_not_written() {
    let Some(place) = Place::new("a folder of somebody else") else { return };
    let before = place.listed();
    place.run(&["check", "rig.ron"], 0);
    for (words, code) in [
        (&["render", "rig.ron", "-o", "out/", "-f", "0"][..], 1),
        (&["render", "rig.ron", "-o", "a.gif", "--clip", "nod"], 1),
        (&["weights", "rig.ron", "--write"], 1),
        (&["init", "arm.svg", "-o", "new.ron"], 1),
        (&["init", "arm.svg", "-o", "rig.ron", "--force"], 1),
        (&["pack", "rig.ron"], 1),
        (&["convert", "rig.ron", "-o", "new.json"], 1),
    ] {
        let said = place.run(words, code).err.to_lowercase();
        assert!(said.contains("permission denied"), "{words:?}: {said}");
        assert_eq!(place.listed(), before, "{words:?}");
    }
    mode(&place.path("rig.ron"), 0o600);
    let said = place.run(&["check", "rig.ron"], 3).err;
    assert!(said.contains("you may not read it"), "{said}");
    mode(&place.path("rig.ron"), 0o644);
    mode(&place.path("arm.svg"), 0o600);
    let said = place.run(&["check", "rig.ron"], 3).err;
    assert!(said.contains("arm.svg") && said.contains("may not read"), "{said}");
}

/// In a sticky folder every user can create files, and only the owner can replace one.
#[test]
fn files_of_others_in_a_sticky_folder_stay_whole() {
    let Some(place) = Place::new("a sticky folder") else { return };
    mode(place.folder.path(), 0o1777);
    mode(&place.path("rig.ron"), 0o666);
    let before = place.listed();
    for words in [&["weights", "rig.ron", "--write"][..], &["init", "arm.svg", "-o", "rig.ron", "--force"]] {
        let said = place.run(words, 1).err.to_lowercase();
        assert!(said.contains("permission") || said.contains("not permitted"), "{words:?}: {said}");
        assert_eq!(place.listed(), before, "{words:?}");
    }
    place.run(&["render", "rig.ron", "-o", "a.gif", "--clip", "nod", "-q"], 0);
    assert_eq!(place.listed().len(), before.len() + 1);
}

/// `live` works where nothing can be kept, and says so; records that others can write are not used.
#[test]
fn live_without_rights_says_what_it_cannot_keep() {
    let Some(place) = Place::new("live without rights") else { return };
    let state = place.path("state/bone-layer/live");
    let plant = |rights: u32, owner: u32| {
        let _ = fs::remove_dir_all(place.path("state"));
        fs::create_dir_all(&state).expect("a folder");
        for folder in ["state", "state/bone-layer", "state/bone-layer/live"] {
            mode(&place.path(folder), 0o755);
        }
        chown(&state, Some(owner), Some(owner)).expect("an owner");
        mode(&state, rights);
    };
    for (rights, owner, kept) in
        [(0o777, 0, false), (0o777, NOBODY, false), (0o755, 0, false), (0o700, NOBODY, true)]
    {
        plant(rights, owner);
        let text = fs::read_to_string(place.path("rig.ron")).expect("the rig");
        let live = Live::of(place.program(&["live", "rig.ron", "--no-open", "-q"]));
        let mut page = live.page();
        let ops = json!([{ "op": "SetKey", "channel": ["clips", "nod", "bones", "hand", "rotate"], "time": 1, "value": 31 }]);
        page.edit(ops);
        let unsaved = page.until("unsaved");
        assert!(unsaved["why"].as_str().is_some_and(|why| why.contains("it is read-only")), "{unsaved}");
        assert_eq!(
            page.state["journal_off"].is_null(),
            kept,
            "{rights:o} {owner}: {}",
            page.state["journal_off"]
        );
        assert_eq!(fs::read_to_string(place.path("rig.ron")).expect("the rig"), text);
        let count = fs::read_dir(&state).expect("the folder").count();
        assert_eq!(count, if kept { 3 } else { 0 }, "{rights:o} {owner}");
        drop((page, live));
    }
}
