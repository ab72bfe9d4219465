//! Captures that are joined: `import` and `transitions`, and `import --along`.

use std::fs;

use crate::command::{below, expect, repository};

fn walk() -> String {
    repository("tests/motion/pybvh_cmu_12_01_walk.bvh")
}

/// As docs/formats.md says: both are imported, then `transitions` finds the fade.
#[test]
fn two_captures_are_joined_by_a_fade() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rig = below(&folder, "both.ron");
    let other = repository("tests/motion/dme_example.bvh");
    expect(0, &["import", &walk(), "-o", &rig, "--clip", "walk", "-q"]);
    expect(0, &["import", &other, "--rig", &rig, "-o", &rig, "--clip", "other", "-q"]);
    let found = expect(0, &["transitions", &rig, "walk", "other", "-o", &rig]);
    assert!(found.err.contains("have their best transition at"), "{}", found.err);
    let checked = expect(0, &["check", &rig]);
    assert!(checked.out.contains("no mistakes"), "{}{}", checked.out, checked.err);
    let frames = below(&folder, "f_#.png");
    let words = ["--clip", "walk_to_other", "-o", &frames, "--frames", "0", "--scale", "0.2", "-q"];
    expect(0, &[&["render", &rig][..], &words].concat());
}

fn way(folder: &tempfile::TempDir, data: &str) -> String {
    let path = below(folder, "way.svg");
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1200 600\"><path fill=\"none\" stroke=\"#000\" d=\"{data}\"/></svg>"
    );
    fs::write(&path, svg).expect("a way");
    path
}

#[test]
fn a_capture_walks_along_a_way() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let way = way(&folder, "M50 400 C300 400 500 330 700 380 S1000 400 1150 360");
    let rig = below(&folder, "stroll.ron");
    let ran = expect(0, &["import", &walk(), "--along", &way, "-o", &rig]);
    assert!(ran.err.contains("% of the height from the end of the path"), "{}", ran.err);
    let checked = expect(0, &["check", &rig]);
    assert!(checked.out.contains("no mistakes"), "{}{}", checked.out, checked.err);
    let again = below(&folder, "again.ron");
    expect(0, &["import", &walk(), "--along", &way, "-o", &again, "--clip", "pybvh_cmu_12_01_walk", "-q"]);
    let text = |path: &str| fs::read_to_string(path).expect("a rig").replace("again.", "stroll.");
    assert!(text(&rig) == text(&again), "the same again");
}

/// Two captures in a folder; the path turns back.
#[test]
fn a_folder_of_captures_walks_there_and_back() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let captures = below(&folder, "captures");
    fs::create_dir(&captures).expect("a folder");
    for name in ["pybvh_cmu_12_01_walk.bvh", "dme_example.bvh"] {
        fs::copy(repository(&format!("tests/motion/{name}")), format!("{captures}/{name}"))
            .expect("a capture");
    }
    let alone = expect(3, &["import", &captures, "-o", &below(&folder, "none.ron")]);
    assert!(alone.err.contains("this is a folder of captures"), "{}", alone.err);
    let way = way(&folder, "M100 400 L900 380 L300 420");
    let rig = below(&folder, "stroll.ron");
    let ran = expect(0, &["import", &captures, "--along", &way, "--height", "200", "-o", &rig]);
    assert!(ran.err.contains("dme_example.bvh: "), "{}", ran.err);
    let checked = expect(0, &["check", &rig]);
    assert!(checked.out.contains("no mistakes"), "{}{}", checked.out, checked.err);
    assert!(
        fs::read_to_string(&rig)
            .expect("a rig")
            .starts_with("// Made from captures: 2 captures walked along way.svg")
    );
}

#[test]
fn ways_that_cannot_be_walked_are_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rig = below(&folder, "out.ron");
    let said = |way: &str, motion: &str| expect(3, &["import", motion, "--along", way, "-o", &rig]).err;
    let steep = way(&folder, "M50 400 L60 100 L300 100");
    assert!(said(&steep, &walk()).contains("too steep to walk at 50.0, 400.0"));
    fs::write(&steep, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\"/>").expect("a way");
    assert!(said(&steep, &walk()).contains("there is no path in this drawing"));
    fs::write(&steep, "<svg").expect("a way");
    assert!(said(&steep, &walk()).contains("this is not an SVG"));
    let level = way(&folder, "M50 400 H900");
    assert!(
        said(&level, folder.path().to_str().expect("a path")).contains("there is no capture in this folder")
    );
    assert!(!fs::exists(&rig).expect("a folder"));
}
