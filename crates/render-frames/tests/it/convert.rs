//! `convert`, and rigs in JSON for the other commands.

use std::fs;
use std::path::Path;

use crate::command::{below, expect, files, repository};

/// A folder with the files of an example.
fn example(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, bytes) in files(Path::new(&repository(&format!("examples/{name}")))) {
        fs::write(folder.path().join(name), bytes).expect("a file");
    }
    folder
}

#[test]
fn a_rig_in_json_is_a_rig() {
    let folder = example("tail");
    let (ron, json, back) =
        (below(&folder, "rig.ron"), below(&folder, "rig.json"), below(&folder, "back.ron"));
    expect(0, &["convert", &ron, "-o", &json]);
    assert!(expect(0, &["check", &json]).out.contains("no mistakes"));
    // The notation is that of the name; without one it is the other.
    assert_eq!(expect(0, &["convert", &ron]).out, fs::read_to_string(&json).expect("a rig"));
    expect(0, &["convert", &json, "-o", &back]);
    assert_eq!(expect(0, &["convert", &back]).out, expect(0, &["convert", &ron]).out);
    let taken = expect(2, &["convert", &json, "-o", &back]);
    assert!(taken.err.contains("exists already"), "{}", taken.err);
    expect(0, &["convert", &json, "-o", &back, "--force"]);

    let (of_ron, of_json) = (below(&folder, "of_ron/"), below(&folder, "of_json/"));
    for (rig, out) in [(&ron, &of_ron), (&json, &of_json)] {
        expect(0, &["render", rig, "-o", out, "--frames", "0-8:4", "--scale", "0.2", "--progress", "none"]);
    }
    assert!(files(Path::new(&of_ron)) == files(Path::new(&of_json)));

    // Weights are written in either.
    for rig in [&ron, &json] {
        assert!(expect(0, &["weights", rig, "--write"]).err.contains("binding"), "{rig}");
        assert!(expect(0, &["check", rig]).out.contains("no mistakes"), "{rig}");
    }
    assert!(fs::read_to_string(&json).expect("a rig").contains("\"Explicit\": {"));
}

#[test]
fn what_convert_cannot_write_or_read_has_a_message() {
    let folder = example("tail");
    let (ron, packed) = (below(&folder, "rig.ron"), below(&folder, "rig.bones"));
    let other = expect(2, &["convert", &ron, "-o", &below(&folder, "rig.txt")]);
    assert!(other.err.contains("neither a .ron nor a .json file"), "{}", other.err);
    assert!(!Path::new(&below(&folder, "rig.txt")).exists());
    expect(0, &["pack", &ron]);
    let refused = expect(2, &["convert", &packed]);
    assert!(refused.err.contains("a packed rig does not have what was typed"), "{}", refused.err);

    fs::create_dir(below(&folder, "other")).expect("a folder");
    let moved = expect(0, &["convert", &ron, "-o", &below(&folder, "other/rig.json")]);
    assert!(moved.err.contains("\"drawing.svg\" is relative to the folder of the rig"), "{}", moved.err);
    let beside = expect(0, &["convert", &ron, "-o", &below(&folder, "other/../rig.json")]);
    assert!(beside.err.is_empty(), "{}", beside.err);
}

#[test]
fn mistakes_in_json_have_places_and_codes() {
    let folder = example("tail");
    let json = below(&folder, "rig.json");
    expect(0, &["convert", &below(&folder, "rig.ron"), "-o", &json]);
    let text = fs::read_to_string(&json).expect("a rig");
    fs::write(&json, text.replacen("\"parent\"", "\"parnt\"", 1)).expect("a file");
    let found: serde_json::Value =
        serde_json::from_str(&expect(3, &["check", &json, "--json"]).out).expect("JSON");
    assert_eq!(found["findings"][0]["code"], "unknown-field");
    assert!(found["findings"][0]["place"]["line"].as_u64() > Some(1), "{found}");
    expect(3, &["convert", &json]);
    expect(3, &["convert", &below(&folder, "none.ron")]);
}

#[test]
fn the_schema_is_json() {
    let schema: serde_json::Value =
        serde_json::from_str(&expect(0, &["format", "--schema"]).out).expect("JSON");
    assert_eq!(schema["$defs"]["Bone"]["properties"]["length"]["type"], "number");
    assert_eq!(schema["$defs"]["Pin"]["required"][0], "bone");
}
