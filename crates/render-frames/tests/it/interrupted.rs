//! Complete frames or none: after Ctrl-C, a kill, a full disk or a folder without write permission no file
//! with a final name is incomplete.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::command::{SmallDisk, below, command, expect, finish, flag, names, repository, whole_frames};

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
}

/// Starts a run with many frames, and returns when some of them exist.
fn started(out: &Path) -> Child {
    let rig = repository("examples/walk/rig.ron");
    let folder = out.display().to_string();
    let words = [rig.as_str(), "-o", folder.as_str(), "-j2", "--frames", "0-9999", "--clip", "walk"];
    let child = command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
    let patience = Instant::now();
    // Temporary files count, and so does the folder of the manifest.
    while std::fs::read_dir(out).map_or(0, Iterator::count) < 6 {
        assert!(patience.elapsed() < Duration::from_secs(60), "no frames");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

#[test]
fn ctrl_c_finishes_the_frames_in_flight() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let child = started(&out);
    signal(&child, "-INT");
    let ran = finish(child);
    assert_eq!(ran.code, Some(130), "{ran:?}");
    assert!(ran.err.contains("interrupted after"), "{}", ran.err);
    let (whole, temporary) = whole_frames(&out);
    assert!((3..9999).contains(&whole) && temporary == 0, "{whole} and {temporary} temporaries");
    assert!(ran.err.contains(&format!("{whole} frames")), "the count is right: {}", ran.err);
}

#[test]
fn a_kill_leaves_whole_frames_under_final_names() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    // Several delays, so that the signal arrives in different steps.
    for pause in [0, 7, 19] {
        let mut child = started(&out);
        std::thread::sleep(Duration::from_millis(pause));
        signal(&child, "-KILL");
        assert_eq!(child.wait().expect("its end").code(), None);
        let (whole, temporary) = whole_frames(&out);
        assert!(whole >= 3 && temporary <= 2, "{whole} and {temporary} temporaries");
        // Leftover files do not disturb the next run.
        std::fs::remove_dir_all(&out).expect("the folder");
    }
}

#[test]
fn a_file_where_a_folder_should_be_is_told() {
    let (folder, rig) = flag();
    std::fs::write(folder.path().join("out"), "a file").expect("a file");
    for out in ["out/", "out/deeper/", "out/f_##.png"] {
        let ran = expect(1, &[&rig, "-o", &below(&folder, out)]);
        assert!(ran.err.contains("out") && ran.err.contains("cannot be created"), "{}", ran.err);
    }
    assert_eq!(std::fs::read(folder.path().join("out")).expect("it"), b"a file");
    // A folder in place of a frame.
    std::fs::create_dir_all(folder.path().join("frames/frame_0002.png/inside")).expect("a folder");
    let ran = expect(1, &[&rig, "-j1", "-o", &below(&folder, "frames/")]);
    assert!(ran.err.contains("frame_0002.png") && ran.err.contains("frame 2 of \"wave\""), "{}", ran.err);
    assert_eq!(
        names_of(&folder.path().join("frames")),
        ["frame_0000.png", "frame_0001.png", "frame_0002.png"]
    );
}

#[test]
fn a_folder_that_takes_no_files_is_told() {
    let (_folder, rig) = flag();
    // Not even root can create files here.
    if !Path::new("/proc/self").exists() {
        crate::command::skip("a_folder_that_takes_no_files_is_told", "/proc", None);
        return;
    }
    let ran = expect(1, &[&rig, "-o", "/proc/frames/"]);
    assert!(ran.err.contains("/proc/frames"), "{}", ran.err);
    let ran = expect(1, &[&rig, "-o", "/proc/f_##.png"]);
    assert!(ran.err.contains("cannot write /proc/f_"), "{}", ran.err);
}

#[test]
fn a_full_disk_costs_the_frames_that_do_not_fit() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(disk) = SmallDisk::mount(folder.path().join("disk")) else {
        crate::command::skip(
            "a_full_disk_costs_the_frames_that_do_not_fit",
            "a small disk, which may not be mounted here",
            None,
        );
        return;
    };
    let (rig, out) = (repository("examples/walk/rig.ron"), format!("{}/", disk.0.display()));
    let ran = expect(1, &[&rig, "-o", &out, "--clip", "walk", "-j2"]);
    assert!(ran.err.contains("cannot write") && ran.err.contains("free some space"), "{}", ran.err);
    let (whole, temporary) = whole_frames(&disk.0);
    assert!(whole > 0 && whole < 24 && temporary == 0, "{whole} and {temporary} temporaries");
    println!("{whole} frames fitted");
}

fn names_of(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name != crate::command::RECORDS);
    names.sort();
    names
}

#[test]
fn the_check_of_frames_sees_halves() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rig = repository("examples/first-bone/rig.ron");
    expect(0, &[&rig, "-q", "-o", &below(&folder, "a_#.png"), "--frames", "0"]);
    assert_eq!(names(folder.path()), ["a_0.png"]);
    let whole = std::fs::read(folder.path().join("a_0.png")).expect("a frame");
    std::fs::write(folder.path().join("b.png"), &whole[..whole.len() / 2]).expect("a half");
    let seen = std::panic::catch_unwind(|| whole_frames(folder.path()));
    assert!(seen.is_err());
}
