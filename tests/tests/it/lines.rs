//! Bones that follow lines of the drawing: lines on hidden layers are found, are not drawn, and are read
//! again at each load.

use std::sync::Arc;

use bone_format::{InMemory, Loaded, load, no_fonts};
use bone_rig::FrameState;
use kurbo::Point;

/// A leaf on a stem; the layer of the lines has this style.
fn drawing(style: &str, tip: &str) -> String {
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="100" height="100">
  <path id="leaf" d="M20 60C20 20 80 20 80 60C60 80 40 80 20 60Z" fill="#7a9e3f"/>
  <g transform="translate(10,5)"><g id="bones" style="{style}" fill="none" stroke="#00f">
    <line id="stem" x1="40" y1="85" x2="40" y2="55"/>
    <g><path id="vein" d="M40 55C35 45 45 35 {tip}"/></g>
  </g></g>
</svg>"##
    )
}

const RIG: &str = r#"Rig(version: 1, drawing: "leaf.svg",
    bones: {
        "vein": (parent: "stem", line: "vein", limits: (-30, 30)),
        "stem": (line: "bones/stem"),
        "dew": (parent: "vein", length: 5),
    },
    skin: [Smooth(art: "leaf", bones: ["stem", "vein"]), ],
    clips: {"bow": (length: 1, bones: {"vein": (rotate: [(0, 0), (1, 30)])})},
)"#;

fn loaded(svg: &str, rig: &str) -> Loaded {
    let files = InMemory::new().with("leaf.svg", svg).with("leaf.ron", rig);
    load("leaf.ron".as_ref(), Arc::new(files), &no_fonts)
}

/// Where a bone starts and ends in the setup pose.
fn ends(loaded: &Loaded, bone: &str) -> (Point, Point) {
    let words: Vec<&str> = loaded.diagnostics.iter().map(|d| d.message.as_str()).collect();
    let scene = loaded.rig.as_ref().unwrap_or_else(|| panic!("{words:?}"));
    let skeleton = scene.skeleton();
    let bone = skeleton.find(bone).expect("a bone");
    (skeleton.setup_origin(bone), skeleton.setup_tip(bone))
}

fn near(a: (Point, Point), b: (f64, f64), c: (f64, f64)) {
    let off = (a.0 - Point::from(b)).hypot() + (a.1 - Point::from(c)).hypot();
    assert!(off < 1e-6, "{a:?} {b:?} {c:?}");
}

/// The posed drawing at the end of the clip.
fn posed(loaded: &Loaded) -> String {
    let scene = loaded.rig.as_ref().expect("a rig");
    let mut state = FrameState::new(scene);
    scene.pose(scene.clips().first(), 1.0, &mut state).expect("a pose");
    scene.write_svg(&mut state);
    state.svg().to_owned()
}

#[test]
fn a_bone_follows_its_line_even_if_it_is_hidden() {
    for style in ["", "display:none", "visibility:hidden"] {
        let loaded = loaded(&drawing(style, "40 25"), RIG);
        near(ends(&loaded, "stem"), (50.0, 90.0), (50.0, 60.0));
        near(ends(&loaded, "vein"), (50.0, 60.0), (50.0, 30.0));
        near(ends(&loaded, "dew"), (50.0, 30.0), (50.0, 25.0));
        assert!(loaded.diagnostics.iter().all(|d| d.message.contains("dew")), "{style}");
    }
}

#[test]
fn a_class_hides_lines_as_a_style_does() {
    let svg = drawing("opacity:1", "40 25")
        .replace("<path id=\"leaf\"", "<style>.off { display: none }</style><path id=\"leaf\"")
        .replace("<g id=\"bones\"", "<g id=\"bones\" class=\"off\"");
    let loaded = loaded(&svg, RIG);
    near(ends(&loaded, "vein"), (50.0, 60.0), (50.0, 30.0));
    assert!(!posed(&loaded).contains("vein"));
}

#[test]
fn lines_that_are_hidden_are_not_drawn() {
    let hidden = loaded(&drawing("display:none", "40 25"), RIG);
    let typed = RIG
        .replace("line: \"vein\"", "from: (50, 60), to: (50, 30)")
        .replace("line: \"bones/stem\"", "from: (50, 90), to: (50, 60)");
    let typed = loaded(&drawing("display:none", "40 25"), &typed);
    assert_eq!(posed(&hidden), posed(&typed), "frames are those of a rig that has numbers");
    let shown = loaded(&drawing("", "40 25"), RIG);
    assert!(posed(&shown).contains("vein"), "what the drawing shows stays");
}

#[test]
fn a_line_that_moved_is_read_again() {
    let moved = loaded(&drawing("display:none", "60 25"), RIG);
    near(ends(&moved, "vein"), (50.0, 60.0), (70.0, 30.0));
    let group = RIG.replace("line: \"bones/stem\"", "line: \"stem\"");
    near(ends(&loaded(&drawing("display:none", "60 25"), &group), "stem"), (50.0, 90.0), (50.0, 60.0));
}

#[test]
fn bones_with_lines_are_written_as_read() {
    let doc = loaded(&drawing("", "40 25"), RIG).doc.expect("a document");
    let text = bone_format::write::write(
        &doc,
        &bone_format::write::Comments::new(),
        bone_format::write::Digits::ALL,
    );
    assert!(text.contains(r#""stem": (line: "bones/stem")"#), "{text}");
    let again = loaded(&drawing("", "40 25"), &text);
    near(ends(&again, "vein"), (50.0, 60.0), (50.0, 30.0));
}
