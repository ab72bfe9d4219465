//! Vector files from the command line: names, options, messages. The crate `export` has tests of what is in them.

use crate::command::{below, expect, files, flag, repository};

#[test]
fn the_extension_selects_the_vector_format() {
    let (folder, rig) = flag();
    let out = |name: &str| below(&folder, &format!("out/{name}"));
    let said = expect(0, &[&rig, "-o", &out("wave.svg")]).err;
    assert!(said.contains(" frames at ") && said.contains(" px off at most"), "{said}");
    expect(0, &[&rig, "-q", "-o", &out("wave.json"), "--tolerance", "1"]);
    expect(0, &[&rig, "-q", "-o", &out("{clip}.lottie"), "--clip", "all", "--precision", "2"]);
    expect(0, &[&rig, "-q", "-o", &out("both.json"), "--clip", "all"]);
    expect(0, &[&rig, "-q", "-o", &out("both.svg"), "--clip", "all"]);
    expect(0, &[&rig, "-q", "-o", &out("still.svg"), "--frames", "0", "--format", "svg"]);
    let files = files(&folder.path().join("out"));
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    // All clips are one Lottie, with markers, and an SVG each.
    let expected = [
        "both-droop.svg",
        "both-wave.svg",
        "both.json",
        "droop.lottie",
        "still.svg",
        "wave.json",
        "wave.lottie",
        "wave.svg",
    ];
    assert_eq!(names, expected);
    let text = |name: &str| String::from_utf8_lossy(&files[name]).into_owned();
    roxmltree::Document::parse(&text("wave.svg")).expect("XML");
    assert!(text("wave.svg").contains("<animate") && !text("still.svg").contains("<animate"));
    let both: serde_json::Value = serde_json::from_str(&text("both.json")).expect("JSON");
    let markers: Vec<&str> = both["markers"]
        .as_array()
        .expect("markers")
        .iter()
        .filter_map(|marker| marker["cm"].as_str())
        .collect();
    assert_eq!(markers, ["wave", "droop"]);
    assert!(text("wave.json").starts_with("{\"v\":") && files["wave.lottie"].starts_with(b"PK\x03\x04"));
}

#[test]
fn options_that_do_not_apply_are_errors() {
    let (folder, rig) = flag();
    let out = |name: &str| below(&folder, name);
    let said = expect(1, &[&rig, "-o", &out("wave.json"), "--frames", "0-8:2"]).err;
    assert!(said.contains("without gaps"), "{said}");
    let said = expect(2, &[&rig, "-o", &out("wave.gif"), "--tolerance", "1"]).err;
    assert!(said.contains("--tolerance does not apply to a GIF"), "{said}");
    let said = expect(2, &[&rig, "-o", &out("wave.lottie"), "--loop", "2"]).err;
    assert!(said.contains("--loop does not apply to a Lottie"), "{said}");
    let said = expect(2, &[&rig, "-o", &out("wave.svg"), "--tolerance", "0"]).err;
    assert!(said.contains("above 0"), "{said}");
    assert!(!folder.path().join("wave.json").exists());
}

/// The table of docs/vector.md names every loss of every example, and no other.
#[test]
fn the_page_lists_what_the_examples_lose() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let page = std::fs::read_to_string(repository("docs/vector.md")).expect("the page");
    let (_, table) = page.split_once("What was lost").expect("the table");
    let listed: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.starts_with("| "))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    let mut expected = std::collections::BTreeSet::new();
    for row in &listed[1..] {
        for art in row[2].split(", ") {
            expected.insert(format!("{}: \"{}\": {}", row[1], art.trim_matches('`'), row[3]));
        }
    }
    let mut found = std::collections::BTreeSet::new();
    for entry in std::fs::read_dir(repository("examples")).expect("examples").flatten() {
        let (rig, name) = (entry.path().join("rig.ron"), entry.file_name().to_string_lossy().into_owned());
        if !rig.exists() {
            continue;
        }
        // What is lost depends neither on the tolerance nor on the rate; this is quick.
        let words = ["-q", "--tolerance", "4", "--fps", "6", "-o"];
        for ending in ["json", "svg"] {
            let out = below(&folder, &format!("{name}.{ending}"));
            let ran = expect(0, &[&[rig.to_str().expect("a path")][..], &words, &[&out]].concat());
            let losses = ran.err.lines().filter_map(|line| line.strip_prefix("warning: "));
            found.extend(losses.map(|loss| format!("{name}: {loss}")));
        }
    }
    assert_eq!(found, expected);
}
