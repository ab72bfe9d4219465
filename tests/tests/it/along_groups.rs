//! Art in a deformed group: a clone is deformed like a copy, a text like its outlines, a marker is where SVG
//! draws it on the deformed path, and an image follows as a whole.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use bone_format::{InMemory, load, no_fonts, system_fonts};
use bone_layer_tests::picture::difference;
use bone_render::{Background, FrameOptions, FrameSize, Pixmap, Raster};
use bone_rig::{FrameState, Rig};
use kurbo::Affine;

const IMAGE: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg==";

/// Pixels and levels of edges, whose numbers a text rounds to single precision in another space.
const ROUNDED: (usize, u8) = (40, 12);

fn svg(body: &str) -> String {
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='240' height='160' viewBox='0 0 240 160'>{body}</svg>"
    )
}

/// An arm of two bones along x from 20 to 220 that bends in the middle.
fn rig(skin: &str) -> String {
    format!(
        r#"Rig(version: 1, drawing: "a.svg",
        bones: {{ "upper": (from: (20, 80), to: (120, 80)), "fore": (parent: "upper", to: (220, 80)) }},
        skin: [{skin}],
        clips: {{ "bend": (length: 1, bones: {{
            "upper": (rotate: [(0, 0), (1, 15)]), "fore": (rotate: [(0, 0), (1, 50)], stretch: [(0, 1), (1, 0.9)]),
        }}) }})"#
    )
}

/// A rig and the messages about it.
fn load_rig(drawing: &str, skin: &str, fonts: bool) -> (Rig, Vec<String>) {
    let files = InMemory::new().with("a.ron", rig(skin)).with("a.svg", drawing.to_owned());
    let fonts: bone_format::Fonts<'_> = if fonts { &system_fonts } else { &no_fonts };
    let loaded = load(Path::new("a.ron"), Arc::new(files), fonts);
    let messages: Vec<String> = loaded.diagnostics.iter().map(|d| d.message.clone()).collect();
    (loaded.rig.unwrap_or_else(|| panic!("{messages:#?}")), messages)
}

fn draw(text: &str) -> Pixmap {
    let mut pixmap = Pixmap::new(1, 1).expect("memory");
    let size = FrameSize::new(480, 320).expect("a size");
    let options = FrameOptions { size, background: Some(Background { rgba: [255; 4] }) };
    Raster::default().draw(text, &options, &mut pixmap).expect("a frame");
    pixmap
}

fn posed(rig: &Rig, time: f64) -> (FrameState, Pixmap) {
    let mut state = FrameState::new(rig);
    rig.pose(rig.clip("bend"), time, &mut state).expect("no loop");
    rig.write_svg(&mut state);
    let picture = draw(state.svg());
    (state, picture)
}

/// Two drawings under one rig look alike, and not as at rest.
fn alike(name: &str, skin: &str, one: &str, other: &str) {
    let ((one, messages), (other, _)) =
        (load_rig(&svg(one), skin, false), load_rig(&svg(other), skin, false));
    assert!(messages.is_empty(), "{name}: {messages:#?}");
    let rest = posed(&one, 0.0).1;
    for time in [0.4, 1.0] {
        let (a, b) = (posed(&one, time).1, posed(&other, time).1);
        let apart = difference(&a, &b);
        assert!(apart.pixels <= ROUNDED.0 && apart.largest <= ROUNDED.1, "{name}: {apart:?}");
        assert!(difference(&a, &rest).pixels > 500, "{name} does not move");
    }
}

const LIMB: &str = "<path id='limb' fill='#888' d='M20 60C80 60 160 60 220 60V100C160 100 80 100 20 100Z'/>";
const PATCH: &str = "d='M-8 -10C0 -14 20 -14 28 -10V10C20 14 0 14 -8 10Z'";

#[test]
fn a_clone_in_a_deformed_group_deforms_like_a_copy() {
    let smooth = r#"Smooth(art: "arm")"#;
    let group = |inside: &str| format!("<g id='arm' transform='translate(3 2)'>{LIMB}{inside}</g>");
    let defs = format!("<defs><path id='patch' {PATCH} fill='teal' stroke='red' stroke-width='2'/></defs>");
    let copy = format!(
        "<g transform='translate(110 80) rotate(20)'><path {PATCH} fill='teal' stroke='red' stroke-width='2'/></g>"
    );
    alike(
        "path",
        smooth,
        &(defs.clone() + &group("<use href='#patch' x='0' y='0' transform='translate(110 80) rotate(20)'/>")),
        &group(&copy),
    );
    let nested = "<defs><g id='pair'><use href='#patch'/><circle cx='30' r='7' fill='gold'/></g>\
        <g id='more' transform='scale(1.1)'><use href='#pair' x='4'/></g></defs>";
    alike(
        "clones of clones",
        smooth,
        &(defs.clone() + nested + &group("<use href='#more' transform='translate(110 80) rotate(20)'/>")),
        &group(&format!(
            "<g transform='translate(110 80) rotate(20) scale(1.1) translate(4 0)'>\
             <path {PATCH} fill='teal' stroke='red' stroke-width='2'/><circle cx='30' r='7' fill='gold'/></g>"
        )),
    );
    let symbol = format!(
        "<symbol id='sign' viewBox='-10 -20 60 40' overflow='visible'><path {PATCH} fill='teal'/><circle cx='30' r='7' fill='gold'/></symbol>"
    );
    alike(
        "a symbol",
        smooth,
        &(symbol + &group("<use href='#sign' x='90' y='60' width='60' height='40'/>")),
        &group(&format!(
            "<g transform='translate(100 80)'><path {PATCH} fill='teal'/><circle cx='30' r='7' fill='gold'/></g>"
        )),
    );
}

#[test]
fn the_clip_path_of_a_clone_is_deformed_with_it() {
    let clip = "<clipPath id='c'><path d='M-20 -6H40V6H-20Z'/></clipPath>";
    let defs =
        format!("{clip}<defs><g id='patch' clip-path='url(#c)'><path {PATCH} fill='teal'/></g></defs>");
    let group = |inside: &str| format!("<g id='arm'>{LIMB}{inside}</g>");
    alike(
        "a clip path in a clone",
        r#"Smooth(art: "arm")"#,
        &(defs + &group("<use href='#patch' transform='translate(110 80)'/>")),
        &format!(
            "{clip}{}",
            group(&format!(
                "<g transform='translate(110 80)' clip-path='url(#c)'><path {PATCH} fill='teal'/></g>"
            ))
        ),
    );
}

#[test]
fn a_clone_can_be_bound_by_its_own_name() {
    let defs =
        "<defs><path id='it' fill='teal' d='M20 60C80 60 160 60 220 60V100C160 100 80 100 20 100Z'/></defs>";
    alike(
        "a named clone",
        r#"Smooth(art: "arm")"#,
        &format!("{defs}<use id='arm' href='#it' x='2' y='1'/>"),
        "<path id='arm' fill='teal' d='M22 61C82 61 162 61 222 61V101C162 101 82 101 22 101Z'/>",
    );
}

#[test]
fn a_text_is_deformed_like_its_outlines() {
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_system_fonts();
    if fonts.is_empty() {
        // Past what the test harness keeps to itself.
        let _ = writeln!(std::io::stderr(), "SKIPPED: no font is installed, so no text was bent");
        return;
    }
    let family = fonts.faces().next().expect("a font").families[0].0.clone();
    let drawing = svg(&format!(
        "<g id='arm'>{LIMB}<text id='word' x='60' y='92' font-family='{family}' font-size='36' fill='navy'>Bones</text></g>"
    ));
    let options = usvg::Options { fontdb: Arc::new(fonts), ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(&drawing, &options).expect("a drawing");
    let outlines =
        tree.to_string(&usvg::WriteOptions { coordinates_precision: 8, ..usvg::WriteOptions::default() });
    assert!(!outlines.contains("<text"));
    let skin = r#"Smooth(art: "arm")"#;
    let ((text, messages), (paths, _)) = (load_rig(&drawing, skin, true), load_rig(&outlines, skin, false));
    assert!(messages.is_empty(), "{messages:#?}");
    let (a, b) = (posed(&text, 1.0).1, posed(&paths, 1.0).1);
    let apart = difference(&a, &b);
    assert!(apart.pixels <= 40 && apart.largest <= 2, "{apart:?}");
    assert!(text.posed_elements().len() >= 2, "the text is not posed");
}

#[test]
fn without_fonts_a_missing_text_is_a_warning() {
    let drawing = svg(&format!("<g id='arm'>{LIMB}<text id='word' x='60' y='92'>Bones</text></g>"));
    let (_, messages) = load_rig(&drawing, r#"Smooth(art: "arm")"#, false);
    assert!(
        messages.iter().any(|message| message.contains("word") && message.contains("not drawn")),
        "{messages:#?}"
    );
}

#[test]
fn an_image_with_one_bone_moves_as_with_a_rigid_binding() {
    let drawing = svg(&format!(
        "<g id='arm'>{LIMB}<g transform='rotate(8)'><image id='photo' href='{IMAGE}' x='150' y='50' width='50' height='30'/></g></g>"
    ));
    let (smooth, messages) = load_rig(&drawing, r#"Smooth(art: "arm", bones: ["fore"])"#, false);
    assert_eq!(messages, ["image \"photo\" in art \"arm\" cannot bend, so it is transformed as a whole"]);
    let (rigid, _) = load_rig(&drawing, r#"Rigid(art: "arm", bone: "fore")"#, false);
    let ((state, a), (rigid_state, b)) = (posed(&smooth, 1.0), posed(&rigid, 1.0));
    let bone = rigid.skeleton().find("fore").expect("a bone");
    let carried: Vec<Affine> = smooth.carried(&state).map(|(_, map)| map).collect();
    let expected = rigid_state.matrices().of(bone);
    let [one] = carried.as_slice() else { panic!("{carried:?}") };
    assert!(apart(*one, expected) < 1e-9);
    let apart = difference(&a, &b);
    assert!(apart.pixels <= ROUNDED.0 && apart.largest <= ROUNDED.1, "{apart:?}");
}

fn apart(a: Affine, b: Affine) -> f64 {
    a.as_coeffs().iter().zip(b.as_coeffs()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn images_in_clones_and_in_nested_groups_follow() {
    let images = format!(
        "<g id='arm'>{LIMB}<use id='again' href='#photo'/><image id='cut' href='{IMAGE}' x='30' y='70' width='60' height='20' preserveAspectRatio='xMidYMid slice'/></g>"
    );
    let drawing = svg(&format!(
        "<defs><image id='photo' href='{IMAGE}' x='95' y='65' width='50' height='30'/></defs>{images}"
    ));
    let (rig, messages) = load_rig(&drawing, r#"Smooth(art: "arm")"#, false);
    assert!(messages.iter().any(|message| message.starts_with("2 images in art \"arm\"")), "{messages:#?}");
    let (state, _) = posed(&rig, 1.0);
    assert_eq!(rig.carried(&state).len(), 2);
    assert!(rig.carried(&state).all(|(_, map)| apart(map, Affine::IDENTITY) > 1e-2));
    let (state, _) = posed(&rig, 0.0);
    assert!(rig.carried(&state).all(|(_, map)| apart(map, Affine::IDENTITY) < 1e-9));
}

const HEAD: &str = "<marker id='m' orient='auto' markerWidth='6' markerHeight='6' refX='2' refY='3'><path d='M0 0L6 3L0 6Z' fill='crimson'/></marker>";

/// The ends of the stroke follow one bone each; there SVG turns its markers as the bone does.
#[test]
fn markers_of_a_deformed_stroke_are_where_svg_draws_them() {
    let path = |data: &str| {
        svg(&format!(
            "{HEAD}<path id='rope' d='{data}' fill='none' stroke='black' stroke-width='4' marker-start='url(#m)' marker-end='url(#m)'/>"
        ))
    };
    let drawing = path("M20 80C50 80 60 80 90 80S190 80 220 80");
    let rows = r#"Explicit(art: "rope", weights: { 0: {"upper": 1}, 1: {"upper": 1}, 2: {"fore": 1} })"#;
    for skin in [r#"Smooth(art: "rope", method: Nearest)"#, rows] {
        let (rig, messages) = load_rig(&drawing, skin, false);
        assert!(messages.is_empty(), "{messages:#?}");
        let (state, found) = posed(&rig, 1.0);
        let outline = state.posed().paths()[0].to_svg();
        let apart = difference(&found, &draw(&path(&outline)));
        assert!(apart.pixels <= 30 && apart.largest <= 40, "{skin}: {apart:?}");
    }
}

#[test]
fn markers_follow_offsets_of_their_vertex() {
    let drawing = svg(&format!(
        "{HEAD}<path id='rope' d='M20 80C50 80 190 80 220 80' fill='none' stroke='black' stroke-width='4' marker-end='url(#m)'/>"
    ));
    let text = r#"Rig(version: 1, drawing: "a.svg", bones: { "upper": (from: (20, 80), to: (120, 80)) },
        skin: [Smooth(art: "rope")],
        clips: { "bend": (length: 1, offsets: { "rope": { 1: [(0, (0, 0)), (1, (-10, 25))] } }) })"#;
    let files = InMemory::new().with("a.ron", text.to_owned()).with("a.svg", drawing);
    let rig = load(Path::new("a.ron"), Arc::new(files), &no_fonts).rig.expect("sound");
    let (state, _) = posed(&rig, 1.0);
    let maps: Vec<(_, Affine)> = rig.carried(&state).collect();
    assert_eq!(maps.len(), 1);
    assert!(apart(maps[0].1, Affine::translate((-10.0, 25.0))) < 1e-9, "{maps:?}");
}

#[test]
fn art_that_typed_weights_do_not_move_is_reported() {
    let drawing = svg(&format!(
        "<defs><circle id='dot' r='9'/></defs><g id='arm'>{LIMB}<use id='again' href='#dot'/></g>"
    ));
    let (_, messages) =
        load_rig(&drawing, r#"Explicit(art: "arm", weights: {}, others: {"upper": 1})"#, false);
    assert!(
        messages
            .iter()
            .any(|message| message.contains("clone \"again\"") && message.contains("does not move")),
        "{messages:#?}"
    );
}

#[test]
fn frames_do_not_depend_on_earlier_frames() {
    let drawing = svg(&format!(
        "{HEAD}<defs><path id='patch' {PATCH}/></defs><g id='arm'>{LIMB}<use href='#patch' x='110' y='80'/>\
         <image href='{IMAGE}' x='150' y='50' width='50' height='30'/><path d='M30 80H200' stroke='black' marker-end='url(#m)'/></g>"
    ));
    let text = |times: &[f64]| {
        let (rig, _) = load_rig(&drawing, r#"Smooth(art: "arm")"#, false);
        let mut state = FrameState::new(&rig);
        for time in times {
            rig.pose(rig.clip("bend"), *time, &mut state).expect("no loop");
            rig.write_svg(&mut state);
        }
        state.svg().to_owned()
    };
    assert_eq!(text(&[1.0, 0.2, 0.7]), text(&[0.7]));
}
