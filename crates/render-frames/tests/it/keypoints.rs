//! `import` of keypoints: a figure that renders, and a message with its place for each mistake.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{below, expect, files, repository};

/// The synthetic walk in a temporary folder.
fn walk() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let walk = folder.path().join("walk");
    fs::create_dir(&walk).expect("a folder");
    for (name, bytes) in files(Path::new(&repository("tests/motion/openpose/synthetic_walk"))) {
        fs::write(walk.join(name), bytes).expect("a file");
    }
    (folder, walk)
}

fn frame(walk: &Path, number: u32) -> PathBuf {
    walk.join(format!("walk_{number:012}_keypoints.json"))
}

/// Changes the text of a frame.
fn change(walk: &Path, number: u32, how: impl Fn(String) -> String) {
    let text = fs::read_to_string(frame(walk, number)).expect("a frame");
    fs::write(frame(walk, number), how(text)).expect("a frame");
}

fn text(path: &Path) -> String {
    path.to_str().expect("a path").to_owned()
}

/// The message for a walk that cannot be used; nothing is written.
fn refused(folder: &tempfile::TempDir, walk: &Path, words: &[&str]) -> String {
    let output = below(folder, "out.ron");
    let ran = expect(3, &[&["import", &text(walk), "-o", &output], words].concat());
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "{}", ran.err);
    ran.err
}

#[test]
fn a_folder_becomes_a_figure_that_renders() {
    let (folder, walk) = walk();
    let rig = below(&folder, "me.ron");
    let ran = expect(0, &["import", &text(&walk), "-o", &rig, "--video-fps", "30"]);
    for said in [
        "left and right legs were swapped in frame 40",
        "the left ankle was an outlier in frames 55-57",
        "person 2: frames 30-35",
        "the camera is assumed to stand still",
        "left out, because their names have no frame number: truth.json",
    ] {
        assert!(ran.err.contains(said), "{said}: {}", ran.err);
    }
    let checked = expect(0, &["check", &rig]);
    assert!(checked.out.contains("no mistakes"), "{}{}", checked.out, checked.err);
    let written = fs::read_to_string(&rig).expect("a rig");
    assert!(written.starts_with("// Made from walk: keypoints, OpenPose BODY_25"), "{written}");
    assert!(written.contains("// Options: --video-fps 30 --person 1 --smooth 6 --tolerance 1."), "{written}");
    expect(0, &["render", &rig, "-o", &below(&folder, "f_#.png"), "--frames", "0", "--scale", "0.2", "-q"]);
    fs::create_dir(below(&folder, "again")).expect("a folder");
    // The same arguments make the same bytes.
    expect(0, &["import", &text(&walk), "-o", &below(&folder, "again/me.ron"), "--video-fps", "30", "-q"]);
    assert!(fs::read_to_string(below(&folder, "again/me.ron")).expect("a rig") == written);
}

#[test]
fn a_missing_frame_is_told_by_its_name_or_bridged() {
    let (folder, walk) = walk();
    fs::remove_file(frame(&walk, 12)).expect("a frame");
    let said = refused(&folder, &walk, &[]);
    assert!(said.contains("\"walk_000000000012_keypoints.json\" is missing"), "{said}");
    assert!(said.contains("--allow-missing"), "{said}");
    let rig = below(&folder, "out.ron");
    let ran = expect(0, &["import", &text(&walk), "-o", &rig, "--allow-missing"]);
    assert!(ran.err.contains("1 frame has no file and is bridged"), "{}", ran.err);
}

#[test]
fn mistakes_have_file_line_and_column() {
    let (folder, walk) = walk();
    let at =
        |number: u32, line: u32, column: u32| format!("{}:{line}:{column}", frame(&walk, number).display());
    change(&walk, 80, |text| text.replacen("0.0, 0.0", "NaN, 0.0", 1));
    let said = refused(&folder, &walk, &[]);
    assert!(
        said.contains("NaN is not a number in JSON")
            && said.contains(&at(80, 1, 1)[..at(80, 1, 1).len() - 1]),
        "{said}"
    );
    change(&walk, 70, |_| "{\n  \"people\": [\n    {\"pose_keypoints_2d\": [1, 2, 3]}\n  ]\n}".to_owned());
    let said = refused(&folder, &walk, &[]);
    assert!(
        said.contains("3 numbers are not a person of a known layout") && said.contains(&at(70, 3, 27)),
        "{said}"
    );
    change(&walk, 60, |text| text[..text.len() / 2].to_owned());
    let said = refused(&folder, &walk, &[]);
    assert!(
        said.contains("the file ends in the middle of its JSON") && said.contains("000060_keypoints.json:1:"),
        "{said}"
    );
    fs::write(frame(&walk, 50), b"\x89PNG\r\n\x1a\n\xff\0\0\0").expect("a frame");
    assert!(refused(&folder, &walk, &[]).contains("the file is not text"));
    let coco = format!("{{\"people\": [{{\"keypoints\": [{}]}}]}}", ["7.0"; 51].join(", "));
    fs::write(frame(&walk, 40), coco).expect("a frame");
    let said = refused(&folder, &walk, &[]);
    assert!(
        said.contains("this person has the layout COCO (17 points), those before have OpenPose BODY_25"),
        "{said}"
    );
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    fs::write(frame(&walk, 30), deep).expect("a frame");
    assert!(refused(&folder, &walk, &[]).contains("000030_keypoints.json:1:"));
}

#[test]
fn folders_that_are_no_walk_are_refused() {
    let (folder, walk) = walk();
    fs::write(walk.join("other_1.json"), "{}").expect("a file");
    fs::write(walk.join("other_2.json"), "{}").expect("a file");
    assert!(refused(&folder, &walk, &[]).contains("are frames of two videos in one folder"));
    fs::remove_dir_all(&walk).expect("a folder");
    fs::create_dir(&walk).expect("a folder");
    assert!(refused(&folder, &walk, &[]).contains("the folder is empty"));
}

#[test]
fn words_that_do_not_fit_are_told() {
    let (folder, walk) = walk();
    assert!(
        refused(&folder, &walk, &["--person", "3"]).contains("there is no person 3: 2 are in the frames")
    );
    let ran = expect(2, &["import", &text(&walk), "-o", &below(&folder, "out.ron"), "--view", "front"]);
    assert!(ran.err.contains("--view and --up are for captures in space"), "{}", ran.err);
    let shares = |_: String| {
        let numbers: Vec<String> = (0..75).map(|n| format!("0.{}", n + 10)).collect();
        format!("{{\"people\": [{{\"pose_keypoints_2d\": [{}]}}]}}", numbers.join(", "))
    };
    (0..90).for_each(|number| change(&walk, number, shares));
    assert!(refused(&folder, &walk, &[]).contains("--picture 1920x1080"));
}
