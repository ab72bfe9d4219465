//! Vector files from the command line: names, options, messages. The crate `export` has tests of what is in them.

use crate::command::{below, expect, files, flag};

#[test]
fn the_extension_selects_the_vector_format() {
    let (folder, rig) = flag();
    let out = |name: &str| below(&folder, &format!("out/{name}"));
    let said = expect(0, &[&rig, "-o", &out("wave.svg")]).err;
    assert!(said.contains(" frames at ") && said.contains(" px off at most"), "{said}");
    expect(0, &[&rig, "-q", "-o", &out("wave.json"), "--tolerance", "1"]);
    expect(0, &[&rig, "-q", "-o", &out("{clip}.lottie"), "--clip", "all", "--precision", "2"]);
    expect(0, &[&rig, "-q", "-o", &out("still.svg"), "--frames", "0", "--format", "svg"]);
    let files = files(&folder.path().join("out"));
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(names, ["droop.lottie", "still.svg", "wave.json", "wave.lottie", "wave.svg"]);
    let text = |name: &str| String::from_utf8_lossy(&files[name]).into_owned();
    roxmltree::Document::parse(&text("wave.svg")).expect("XML");
    assert!(text("wave.svg").contains("<animate") && !text("still.svg").contains("<animate"));
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
