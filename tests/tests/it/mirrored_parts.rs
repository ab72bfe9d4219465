//! A clip that mirrors one bone of a filled path gets a warning at the key that does it.

use std::sync::Arc;

use rig_format::{InMemory, load};

const BONES: &str = r#""a": (from: (10, 50), to: (50, 50)), "b": (parent: "a", to: (90, 50))"#;
const FORK: &str = r#""a": (from: (10, 50), to: (50, 50)), "b": (from: (50, 50), to: (90, 50))"#;

/// The places and messages of the warnings `mirrored-part`, by the text at each place.
fn found(style: &str, bones: &str, skin: &str, keyed: &str) -> Vec<String> {
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100'><path id='limb' {style} d='M10 40H90V60H10Z'/><path id='hat' d='M50 0H60V9Z'/></svg>"
    );
    let text = format!(
        r#"Rig(version: 1, drawing: "limb.svg", bones: {{ {bones} }}, skin: [{skin}],
        clips: {{ "flip": (length: 3, bones: {{ {keyed} }}) }})"#
    );
    let files = InMemory::new().with("limb.svg", svg).with("limb.ron", text.clone());
    let loaded = load("limb.ron".as_ref(), Arc::new(files), &|_| {});
    assert!(loaded.rig.is_some(), "{:?}", loaded.diagnostics);
    let ours = loaded.diagnostics.iter().filter(|finding| finding.code.name() == "mirrored-part");
    let shown = ours.map(|finding| {
        assert!(finding.help.is_some(), "{finding:?}");
        let span = finding.place.expect("a place").span;
        format!("{} {}", &text[span.start..span.end], finding.message)
    });
    shown.collect()
}

const SMOOTH: &str = r#"Smooth(art: "limb", bones: ["a", "b"])"#;

#[test]
fn a_mirrored_half_is_reported_at_its_first_key() {
    let keys = r#""b": (scale: [(0, (1, 1)), (1, (-1, -1)), (2, (-1, 1)), (3, (1, -1))])"#;
    let found = found("", BONES, SMOOTH, keys);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("(-1, 1) ") && found[0].contains("\"limb\""), "{found:?}");
}

#[test]
fn a_bone_that_is_mirrored_back_is_reported_where_its_parent_is_mirrored() {
    let keys = r#""a": (scale: [(0, (-1, 1))]), "b": (scale: [(0, (1, -1))])"#;
    let found = found("", BONES, SMOOTH, keys);
    assert!(!found.is_empty(), "one half is mirrored");
}

#[test]
fn what_is_mirrored_as_a_whole_is_not_reported() {
    let whole = r#""a": (scale: [(0, (-1, 1))])"#;
    let half = r#""b": (scale: [(0, (-1, 1))])"#;
    let both = r#""a": (scale: [(0, (-1, 1))]), "b": (scale: [(0, (1, -1))])"#;
    assert_eq!(found("", BONES, SMOOTH, whole), [""; 0], "children of a mirrored bone");
    assert_eq!(found("", FORK, SMOOTH, both), [""; 0], "two roots");
    assert_eq!(found("fill='none' stroke='#000'", BONES, SMOOTH, half), [""; 0], "ink has no fill");
    let rigid = r#"Rigid(art: "limb", bone: "b"), Smooth(art: "hat", bones: ["a"])"#;
    assert_eq!(found("", BONES, rigid, half), [""; 0], "art of its own");
}
