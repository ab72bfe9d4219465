//! Bindings of several pieces of art: a list poses like a group of the same pieces, to the bit, and shapes
//! without names are bound and edited by their addresses.

use std::path::Path;
use std::sync::Arc;

use bone_format::doc::BindingDoc;
use bone_format::edit::{WeightEditor, edit_weights};
use bone_format::session::Session;
use bone_format::{InMemory, load, no_fonts};
use bone_layer_tests::player::Player;
use bone_rig::FrameState;

const SVG: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60"><title>An arm</title>
  <defs><clipPath id="cut"><rect width="200" height="60"/></clipPath></defs>
  <g id="arm"><path d="M10 20H60V40H10Z" fill="#a43"/><desc>The lower half</desc>
    <path d="M60 20H110V40H60Z" fill="#c65" clip-path="url(#cut)"/><circle cx="60" cy="30" r="6"/></g>
  <rect x="2" y="2" width="6" height="6"/></svg>"##;

const BONES: &str = r#""upper": (from: (10, 30), to: (60, 30)), "fore": (parent: "upper", to: (110, 30))"#;

fn rig(skin: &str) -> InMemory {
    let rig = format!(
        r#"Rig(version: 1, drawing: "arm.svg", bones: {{ {BONES} }}, skin: [{skin}],
            clips: {{ "bend": (length: 1, bones: {{ "fore": (rotate: [(0, 0), (1, 90)]) }}) }})"#
    );
    InMemory::new().with("arm.ron", rig).with("arm.svg", SVG)
}

/// The posed drawings of a few moments.
fn posed(skin: &str) -> Vec<String> {
    let player = Player::load(Path::new("arm.ron"), Arc::new(rig(skin)));
    let mut state = FrameState::new(&player.rig);
    let clip = player.clip(Some("bend"));
    let frames = [0, 7, 24].map(|frame| {
        player.pose(clip, frame, &mut state);
        player.rig.write_svg(&mut state);
        state.svg().to_owned()
    });
    frames.to_vec()
}

#[test]
fn a_list_of_art_is_deformed_like_a_group() {
    for how in ["", ", method: Nearest", ", method: Biharmonic", ", clip: Still"] {
        let group = posed(&format!("Smooth(art: \"arm\"{how})"));
        assert_ne!(group[0], group[2], "{how}");
        for list in [r##"["arm/#1", "arm/#2", "arm/#3"]"##, r##"["#1/#3", "arm/#1", "arm/#2"]"##, "[\"arm\"]"]
        {
            assert!(posed(&format!("Smooth(art: {list}{how})")) == group, "{list}{how}");
        }
    }
}

#[test]
fn a_rigid_list_equals_one_binding_for_each() {
    let each = posed(r##"Rigid(art: "arm/#1", bone: "fore"), Rigid(art: "#2", bone: "fore")"##);
    assert_ne!(each[0], each[2]);
    assert!(posed(r##"Rigid(art: ["#2", "arm/#1"], bone: "fore")"##) == each);
    assert!(posed(r##"Rigid(art: ["#2", "arm/#2"], bone: "fore")"##) != each);
}

#[test]
fn a_binding_of_one_element_overrides_that_of_a_list() {
    let list = posed(r##"Smooth(art: ["arm"], method: Nearest), Rigid(art: ["arm/#3"], bone: "upper")"##);
    let group = posed(r##"Smooth(art: "arm", method: Nearest), Rigid(art: "arm/#3", bone: "upper")"##);
    assert!(list == group);
}

#[test]
fn clip_paths_are_bound_with_other_art() {
    let art = posed(r##"Smooth(art: ["arm/#1", "arm/#2", "cut/#1"])"##);
    assert_ne!(art[0], art[2]);
    assert!(art == posed(r##"Smooth(art: ["arm/#1", "arm/#2", "defs#1/clipPath#1/#1"])"##));
}

#[test]
fn weights_of_shapes_without_names_are_edited_by_their_addresses() {
    let files = rig(r##"Smooth(art: ["arm/#1", "arm/#2"], clip: Still)"##);
    let mut session = Session::open("arm.ron", Arc::new(files), no_fonts);
    assert!(WeightEditor::new(&session, &["arm"]).is_err());
    let pruned = edit_weights(&mut session, &["#1/#2"], |editor| {
        editor.prune(bone_format::edit::Prune { most: Some(1), threshold: 0.0 });
        Ok(())
    });
    assert!(pruned.expect("it is bound").is_changed());
    let files = InMemory::new().with("arm.ron", session.text()).with("arm.svg", SVG);
    let again = load(Path::new("arm.ron"), Arc::new(files), &no_fonts);
    assert!(again.rig.is_some() && !again.diagnostics.has_errors(), "{}", session.text());
    let names: Vec<String> = again.doc.expect("a rig").skin.iter().map(BindingDoc::title).collect();
    assert_eq!(names, ["arm/#1", "arm/#2"]);
}

#[test]
fn one_name_is_written_as_a_name_and_several_as_a_list() {
    let loaded = load(
        Path::new("arm.ron"),
        Arc::new(rig(r##"Rigid(art: ["#2"], bone: "fore"), Smooth(art: ["arm/#1", "arm/#2"])"##)),
        &no_fonts,
    );
    let text = bone_format::write::write(
        &loaded.doc.expect("a rig"),
        &bone_format::write::Comments::new(),
        bone_format::write::Digits::ALL,
    );
    assert!(text.contains(r##"Rigid(art: "#2", bone: "fore")"##), "{text}");
    assert!(text.contains(r##"Smooth(art: ["arm/#1", "arm/#2"])"##), "{text}");
}
