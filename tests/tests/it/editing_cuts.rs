//! Weights written for clip paths and masks: they get typed rows of their own and stay on the art they clip,
//! or the edit is an error.

use std::path::Path;
use std::sync::Arc;

use bone_format::edit::{EditError, edit_weights};
use bone_format::session::Session;
use bone_format::{Disk, InMemory, no_fonts};
use bone_layer_tests::files::root;
use bone_layer_tests::player::Player;
use bone_rig::FrameState;

const BONES: &str = r#"bones: { "a": (from: (0, 20), to: (40, 20)), "b": (parent: "a", to: (80, 20)) }"#;
/// Everything is bent, and shown if it is hidden.
const CLIP: &str = r#"clips: { "bend": (length: 1, bones: { "b": (rotate: [(0, 0), (1, 60)]) } ART) }"#;

fn opened(defs: &str, drawn: &str, skin: &str, shown: &str) -> Session {
    let svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 40"><defs>{defs}</defs>{drawn}</svg>"#
    );
    let rig = format!(
        r#"Rig(version: 1, drawing: "d.svg", {BONES}, skin: [{skin}], {})"#,
        CLIP.replace("ART", shown)
    );
    let files = InMemory::new().with("r.ron", rig).with("d.svg", svg);
    let session = Session::open("r.ron", Arc::new(files), no_fonts);
    let said: Vec<&str> = session.diagnostics().iter().map(|d| d.message.as_str()).collect();
    assert!(said.is_empty(), "{skin}: {said:#?}");
    session
}

/// The arts of the bindings that are written, one behind the other.
fn written(session: &mut Session) -> Result<String, EditError> {
    let edited = edit_weights(session, &[], |_| Ok(()))?;
    let arts = edited.bindings.iter().flat_map(|binding| &binding.paths).map(|path| path.art.as_str());
    Ok(arts.collect::<Vec<_>>().join(" "))
}

fn refused(mut session: Session) -> String {
    match written(&mut session) {
        Err(EditError::Unwritable(why)) => {
            assert!(why.place.is_some() && !why.related.is_empty() && !why.help.is_empty(), "{why:?}");
            why.message.clone()
        }
        other => panic!("not refused: {other:?}"),
    }
}

const ARM: &str = r#"<path id="arm" clip-path="url(#c)" d="M0 5H40H80V35H40H0Z"/>"#;
const SMOOTH: &str = r#"Smooth(art: "arm")"#;

#[test]
fn clip_paths_are_named_by_their_path_or_their_only_parent() {
    let clip = |inner: &str| format!(r#"<clipPath id="c">{inner}</clipPath>"#);
    let named = |inner: &str| written(&mut opened(&clip(inner), ARM, SMOOTH, "")).expect("a name");
    assert_eq!(named(r#"<path id="edge" d="M0 5H40H80V35H40H0Z"/>"#), "arm edge");
    assert_eq!(named(r#"<path d="M0 5H40H80V35H40H0Z"/>"#), "arm c");
    assert_eq!(named(r#"<path id="x" d="M0 5H40H80V35Z"/><rect id="y" width="9" height="9"/>"#), "arm x y");
    // A clip path that is cut itself: both bend.
    let nested = format!(
        r##"{}<clipPath id="d"><rect width="80" height="9"/></clipPath>"##,
        clip(r##"<path id="edge" clip-path="url(#d)" d="M0 5H80V35Z"/>"##)
    );
    let all = written(&mut opened(&nested, ARM, SMOOTH, "")).expect("names");
    assert!(all == "arm edge d" || all == "arm d edge", "{all}");
    // The field `clip` of what followed is left out, since typed weights know nothing of it; one that stays,
    // stays.
    let one = clip(r#"<path id="edge" d="M0 5H40H80V35H40H0Z"/>"#);
    for (skin, arts, kept) in [
        (r#"Smooth(art: "arm", clip: Follow, paint: Still)"#, "arm edge", "paint: Still, weights"),
        (r#"Smooth(art: "arm", clip: /* a window */ Still)"#, "arm", "clip: /* a window */ Still, weights"),
    ] {
        let mut session = opened(&one, ARM, skin, "");
        assert_eq!(written(&mut session).expect("names"), arts);
        assert!(session.text().contains(kept), "{}", session.text());
    }
}

#[test]
fn edits_that_change_other_art_are_errors() {
    let clip = r#"<clipPath id="c"><path id="edge" d="M0 5H40H80V35H40H0Z"/></clipPath>"#;
    let other = r#"<path id="other" clip-path="url(#c)" d="M0 5H9V35Z"/>"#;
    let said = refused(opened(clip, &format!("{ARM}{other}"), SMOOTH, ""));
    assert_eq!(said, "\"edge\" clips or masks more than art \"arm\", so no weights can be written for it");
    let moved = format!(r#"<g id="all">{ARM}<g transform="translate(1 1)">{other}</g></g>"#);
    let said = refused(opened(clip, &moved, r#"Smooth(art: "all")"#, ""));
    assert_eq!(said, "\"edge\" is a clip path or mask in 2 places, and weights can be written for only one");
    let said = refused(opened(clip, &moved, r#"Smooth(art: "edge")"#, ""));
    assert!(said.contains("2 places"), "{said}");
    // Two paths without names are not refused: they have addresses.
    let nameless = r#"<clipPath id="c"><path d="M0 5H80V35Z"/><path d="M0 5H9V35Z"/></clipPath>"#;
    assert_eq!(written(&mut opened(nameless, ARM, SMOOTH, "")).expect("addresses"), "arm c/#1 c/#2");
    // With one place and one binding there is no error.
    let both = format!(r#"<g id="all">{ARM}{other}</g>"#);
    assert_eq!(
        written(&mut opened(clip, &both, r#"Smooth(art: "all")"#, "")).expect("names"),
        "arm other edge"
    );
}

#[test]
fn hidden_art_that_a_clip_shows_is_edited() {
    let mouths = r#"<g id="mouths" display="none"><path id="open" d="M0 5H40H80V35H40H0Z"/></g>"#;
    let art = r#", art: { "mouths": (visible: [(0, true)]) }"#;
    assert_eq!(written(&mut opened("", mouths, r#"Smooth(art: "open")"#, art)).expect("names"), "open");
    assert_eq!(written(&mut opened("", mouths, r#"Smooth(art: "mouths")"#, art)).expect("names"), "mouths");
}

/// The clip path of the cape is its outline once more: with typed weights, too, they are one line in every
/// frame.
#[test]
fn a_clip_stays_flush_with_the_outline_when_weights_are_written() {
    let path = root().join("examples/cloak/rig.ron");
    let mut session = Session::open(path, Arc::new(Disk), no_fonts);
    let smoothed = edit_weights(&mut session, &[], |editor| {
        editor.smooth(bone_format::edit::Smooth { strength: 0.3, iterations: 2 });
        Ok(())
    });
    assert!(smoothed.expect("it can be written").is_changed());
    let drawing = std::fs::read(root().join("examples/cloak/drawing.svg")).expect("a drawing");
    let files = InMemory::new().with("rig.ron", session.text()).with("drawing.svg", drawing);
    let player = Player::load(Path::new("rig.ron"), Arc::new(files));
    let mut state = FrameState::new(&player.rig);
    let at = |name: &str| {
        let id = player.rig.art().find(name).expect("art of the example");
        player.rig.posed_elements().iter().position(|e| *e == id).expect("posed")
    };
    let (cloth, edge, outline) = (at("cloth"), at("cape_edge"), at("outline"));
    for (clip, frame) in player.moments() {
        player.pose(clip, frame, &mut state);
        let paths = state.posed().paths();
        assert_eq!(paths[cloth], paths[edge], "frame {frame}");
        assert_eq!(paths[outline], paths[edge], "frame {frame}");
    }
}
