//! Visibility, opacity and draw order of art by clips and drivers, compared with drawings that were edited by
//! hand.

use std::path::Path;
use std::sync::Arc;

use bone_core::{Angle, BoneId, BonePose};
use bone_drawing::ArtProperty;
use bone_drawing::Visibility;
use bone_format::InMemory;
use bone_layer_tests::player::Player;
use bone_render::{FrameOptions, FrameSize, Pixmap, Raster};
use bone_rig::{BoneOverride, Choice, FrameState, Overrides};

const MOUTH: &str = "<path id='closed' d='M10 10h30v8h-30z'/>";
const OPEN: &str = "<path id='open' HIDE d='M10 10h40v30h-40z' fill='red'/>";
const TEETH: &str =
    "<g id='teeth' HIDE opacity='.6'><path d='M15 15h8v8h-8z'/><path d='M20 15h8v8h-8z' fill='#06c'/></g>";

/// A mouth of three shapes, and an arm and a body beside it.
fn drawing(mouths: &[&str], rest: &[&str]) -> String {
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='80' height='80'><g id='mouths'>{}</g>{}</svg>",
        mouths.concat(),
        rest.concat()
    )
}

const ARM: &str = "<path id='arm' d='M5 50h60v15h-60z' fill='#a43' stroke='#411' stroke-width='3'/>";
const BODY: &str = "<circle id='body' cx='40' cy='55' r='20' fill='#484'/>";

fn player(clip: &str, drivers: &str) -> Player {
    let all = [MOUTH, OPEN, TEETH].concat().replacen("HIDE", "display='none'", 1);
    let svg = drawing(&[&all.replacen("HIDE", "style='display:none'", 1)], &[ARM, BODY]);
    let rig = format!(
        r#"Rig(version: 1, drawing: "face.svg",
            bones: {{ "root": (from: (0, 0), to: (40, 0)), "other": (parent: "root", length: 10) }},
            drivers: [{drivers}], clips: {{ "play": (length: 4, {clip}) }})"#
    );
    let files = InMemory::new().with("face.ron", rig).with("face.svg", svg);
    Player::load(Path::new("face.ron"), Arc::new(files))
}

fn draw(svg: &str) -> Pixmap {
    let size = FrameSize::new(160, 160).expect("a size");
    let mut pixmap = Pixmap::new(1, 1).expect("memory");
    Raster::default().draw(svg, &FrameOptions { size, background: None }, &mut pixmap).expect("a picture");
    pixmap
}

/// The frame of a time, which is what the drawing edited by hand looks like, to the pixel.
fn shows(player: &Player, state: &mut FrameState, time: f64, mouths: &[&str], rest: &[&str]) {
    player.rig.pose(player.clip(Some("play")), time, state).expect("no loop");
    same(player, state, mouths, rest, time);
}

fn same(player: &Player, state: &mut FrameState, mouths: &[&str], rest: &[&str], time: f64) {
    player.rig.write_svg(state);
    let by_hand = drawing(mouths, rest).replace("HIDE", "");
    assert!(draw(state.svg()) == draw(&by_hand), "at {time}:\n{}\n{by_hand}", state.svg());
}

#[test]
fn a_switch_shows_one_child_or_none_and_the_drawing_at_rest() {
    let player =
        player(r#"art: { "mouths": (switch: [(1, "open"), (2, "teeth"), (2.5, None), (3, "closed")]) }"#, "");
    let mut state = FrameState::new(&player.rig);
    let rest: &[&str] = &[ARM, BODY];
    shows(&player, &mut state, 1.0, &[OPEN], rest);
    shows(&player, &mut state, 1.99, &[OPEN], rest);
    shows(&player, &mut state, 2.0, &[TEETH], rest);
    shows(&player, &mut state, 2.5, &[], rest);
    shows(&player, &mut state, 3.5, &[MOUTH], rest);
    // Before the first key its value holds.
    shows(&player, &mut state, 0.0, &[OPEN], rest);
    player.rig.pose(None, 0.0, &mut state).expect("no loop");
    same(&player, &mut state, &[MOUTH], rest, 0.0);
    // A tool may choose, too.
    let mut overrides = Overrides::new();
    let group = player.rig.draw_order().switches[0].group;
    overrides.art.set((group, ArtProperty::Switch), Choice::Child(2).value());
    player.rig.pose_with(None, 0.0, &overrides, &mut state).expect("no loop");
    same(&player, &mut state, &[TEETH], rest, 0.0);
}

#[test]
fn visible_opacity_and_order_match_the_same_edits_of_the_drawing() {
    let player = player(
        r#"art: {
            "open": (visible: [(0, false), (1, true)]),
            "closed": (visible: (keys: [(0, true), (1, false), (2, true)], extend: PingPong)),
            "arm": (opacity: [(0, 1, Hold), (1, 0.25), (2, 0.25), (4, 1, Linear)], order: [(0, 0), (2, 1)]),
        }"#,
        "",
    );
    let mut state = FrameState::new(&player.rig);
    shows(&player, &mut state, 0.5, &[MOUTH], &[ARM, BODY]);
    let clear = format!("<g opacity='.25'>{ARM}</g>");
    shows(&player, &mut state, 1.5, &[OPEN], &[&clear, BODY]);
    shows(&player, &mut state, 2.0, &[MOUTH, OPEN], &[BODY, &clear]);
    assert_eq!(state.visibilities().iter().filter(|presence| presence.order != 0.0).count(), 1);
}

#[test]
fn drivers_combine_visibilities_opacities_orders_and_switches() {
    let turned = |bone: &str, art: &str| format!("(bone: \"{bone}\", art: {{ {art} }}),");
    let drivers = [
        turned(
            "root",
            r#""open": (visible: [(0, false), (10, true)]), "arm": (opacity: [(0, 1), (10, 0.5)], order: [(0, 0), (10, 2)])"#,
        ),
        turned(
            "other",
            r#""open": (visible: [(0, true), (10, false)]), "arm": (opacity: [(0, 1), (10, 0.25)], order: [(0, 0), (10, -1)])"#,
        ),
    ];
    let at = |player: &Player, root: f64, other: f64| -> [Visibility; 2] {
        let (mut state, mut overrides) = (FrameState::new(&player.rig), Overrides::new());
        for (name, degrees) in [("root", root), ("other", other)] {
            overrides.bones.set(player.rig.skeleton().find(name).expect("a bone"), turned_by(degrees));
        }
        player.rig.pose_with(None, 0.0, &overrides, &mut state).expect("no loop");
        ["open", "arm"].map(|name| {
            let element = player.rig.art().find(name).expect("art");
            let k = player.rig.draw_order().elements.iter().position(|id| *id == element).expect("staged");
            state.visibilities()[k]
        })
    };
    let both = player("", &drivers.concat());
    assert_eq!(at(&both, 0.0, 0.0), [Visibility::HIDDEN, Visibility::SHOWN]);
    assert_eq!(
        at(&both, 10.0, 0.0),
        [Visibility::SHOWN, Visibility { opacity: 0.5, order: 2.0, visible: true }]
    );
    assert_eq!(
        at(&both, 10.0, 10.0),
        [Visibility::HIDDEN, Visibility { opacity: 0.125, order: 1.0, visible: true }]
    );

    let mouths =
        |child: &str| turned("root", &format!(r#""mouths": (switch: [(0, "closed"), (10, {child})])"#));
    let player = player("", &(mouths("None") + &mouths("\"open\"")));
    assert!(at_open(&player, 10.0) && !at_open(&player, 9.0));
}

fn turned_by(degrees: f64) -> BoneOverride {
    BoneOverride::Add(BonePose { angle: Angle::from_degrees(degrees), ..BonePose::REST })
}

fn at_open(player: &Player, degrees: f64) -> bool {
    let (mut state, mut overrides) = (FrameState::new(&player.rig), Overrides::new());
    overrides.bones.set(BoneId::new(0), turned_by(degrees));
    player.rig.pose_with(None, 0.0, &overrides, &mut state).expect("no loop");
    player.rig.write_svg(&mut state);
    state.svg().contains("id=\"open\"")
}

#[test]
fn a_rig_with_hidden_art_at_rest_equals_its_drawing() {
    let player = Player::open("tests/rigs/art.ron");
    let mut state = FrameState::new(&player.rig);
    player.pose(None, 0, &mut state);
    player.rig.write_svg(&mut state);
    let drawing = std::fs::read_to_string(bone_layer_tests::files::root().join("tests/rigs/art.svg"))
        .expect("a drawing");
    assert!(draw(state.svg()) == draw(&drawing), "{}", state.svg());
}

/// The opacity of `arm` where a clip with opacity 0.2 plays below a layer with 0.6, mixed by a rule that is written
/// down: a layer replaces by its weight, or multiplies by its weighted change.
#[test]
fn layers_replace_and_multiply_opacity() {
    let rig = |layer: &str| {
        format!(
            r#"Rig(version: 1, drawing: "face.svg",
                bones: {{ "root": (from: (0, 0), to: (40, 0)) }},
                clips: {{ "low": (length: 4, art: {{ "arm": (opacity: [(0, 0.2)]) }}),
                          "high": (length: 4, art: {{ "arm": (opacity: [(0, 0.6)]) }}),
                          "none": (length: 4, bones: {{ "root": (rotate: [(0, 10)]) }}) }},
                shots: {{ "play": (play: [(clip: "low")], layers: [{layer}]),
                          "away": (play: [(clip: "low", length: 2), (clip: "none", fade: 1)]) }})"#
        )
    };
    let opacity = |layer: &str, clip: &str, time: f64| {
        let svg = drawing(&[MOUTH], &[ARM, BODY]);
        let files = InMemory::new().with("face.ron", rig(layer)).with("face.svg", svg);
        let player = Player::load(Path::new("face.ron"), Arc::new(files));
        let mut state = FrameState::new(&player.rig);
        player.rig.pose(player.clip(Some(clip)), time, &mut state).expect("no loop");
        state.visibilities()[0].opacity
    };
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    near(opacity(r#"(clip: "high")"#, "play", 1.0), 0.6);
    near(opacity(r#"(clip: "high", weight: 0.5)"#, "play", 1.0), 0.4);
    near(opacity(r#"(clip: "high", mode: Add)"#, "play", 1.0), 0.12);
    near(opacity(r#"(clip: "high", mode: Add, weight: 0.5)"#, "play", 1.0), 0.16);
    near(opacity(r#"(clip: "none")"#, "play", 1.0), 0.2);
    // A clip without the key brings the drawing's back: by half in the middle of its fade.
    near(opacity("", "away", 0.5), 0.2);
    near(opacity("", "away", 1.5), 0.6);
    near(opacity("", "away", 3.0), 1.0);
}

/// Keyed widths and offsets of dashes are those of the same edits of the drawing, whatever holds the path.
#[test]
fn keyed_strokes_match_the_same_edits_of_the_drawing() {
    const LINE: &str = "<g transform='scale(1.5)'><path id='line' d='M5 10L40 12' fill='none' stroke='#06c' \
                        stroke-width='WIDE' stroke-dasharray='6 2' stroke-dashoffset='SHIFT'/></g>";
    const RING: &str =
        "<circle id='ring' cx='40' cy='55' r='14' fill='#484' stroke='#141' stroke-width='WIDE'/>";
    // The width of the line and where its dashes begin; the width of the ring.
    let drawn = |(width, shift): (&str, &str), ring: &str| {
        let line = LINE.replace("WIDE", width).replace("SHIFT", shift);
        drawing(&[&line], &[BODY, &RING.replace("WIDE", ring)])
    };
    let keys = r#"art: { "line": (stroke_width: [(0, 2), (2, 6, Linear), (4, 0)],
                                  dash_offset: [(0, 1, Linear), (4, -7)]),
                         "ring": (stroke_width: [(0, 4, Linear), (4, 8)]) }"#;
    for skin in [
        "",
        r#"Rigid(art: ["line", "ring"], bone: "root"), "#,
        r#"Smooth(art: ["line", "ring"], bones: ["root", "other"]), "#,
    ] {
        let rig = format!(
            r#"Rig(version: 1, drawing: "face.svg", skin: [{skin}Rigid(art: "body", bone: "other")],
                bones: {{ "root": (from: (8, 15), to: (60, 18)), "other": (parent: "root", from: (30, 55), to: (50, 55)) }},
                clips: {{ "play": (length: 4, {keys}), "still": (length: 4, bones: {{ "other": (rotate: [(0, 0)]) }}) }},
                shots: {{ "over": (play: [(clip: "still")], layers: [(clip: "play", weight: 0.5)]) }})"#
        );
        let files = InMemory::new().with("face.ron", rig).with("face.svg", drawn(("2", "1"), "4"));
        let player = Player::load(Path::new("face.ron"), Arc::new(files));
        let mut state = FrameState::new(&player.rig);
        let same = |state: &mut FrameState, line: (&str, &str), ring: &str| {
            player.rig.write_svg(state);
            assert!(draw(state.svg()) == draw(&drawn(line, ring)), "{skin}\n{}", state.svg());
        };
        let moments = [
            (0.0, ("2", "1"), "4"),
            (2.0, ("6", "-3"), "6"),
            (3.0, ("3", "-5"), "7"),
            (4.0, ("0", "-7"), "8"),
        ];
        for (time, line, ring) in moments {
            player.rig.pose(player.clip(Some("play")), time, &mut state).expect("no loop");
            same(&mut state, line, ring);
        }
        // Half of the way from the drawing, which a layer leaves where it ends.
        player.rig.pose(player.clip(Some("over")), 2.0, &mut state).expect("no loop");
        same(&mut state, ("4", "-1"), "5");
        player.rig.pose(None, 0.0, &mut state).expect("no loop");
        same(&mut state, ("2", "1"), "4");
        let line = player.rig.art().find("line").expect("art");
        let mut overrides = Overrides::new();
        overrides.art.set((line, ArtProperty::StrokeWidth), 3.5);
        overrides.art.set((line, ArtProperty::DashOffset), 4.25);
        player.rig.pose_with(None, 0.0, &overrides, &mut state).expect("no loop");
        same(&mut state, ("3.5", "4.25"), "4");
        // The renderer draws what the text says.
        let size = FrameSize::new(160, 160).expect("a size");
        let options = FrameOptions { size, background: None };
        let view = bone_render::Viewport::fit(player.rig.posable().drawing(), &options);
        let mut pixels = vec![0; 160 * 160 * 4];
        player.rig.draw_into(&mut state, &view, &mut pixels).expect("a picture");
        assert!(pixels == draw(&drawn(("3.5", "4.25"), "4")).data(), "{skin}");
    }
}

/// The part of a stroke is what a drawing with a shorter path shows; the fill of the path stays.
#[test]
fn trimmed_strokes_match_shorter_paths() {
    const STROKE: &str = "fill='none' stroke='#06c' stroke-width='5'";
    const BOX: &str = "M10 40h30v30h-30z";
    // The line, and the stroke of the box, whose fill is whole.
    let drawn = |line: &str, of_box: &str| {
        let line = format!(
            "<g transform='scale(1.5)'><path id='line' d='{line}' {STROKE} stroke-linecap='round'/></g>"
        );
        let filled = format!("<path id='box' d='{BOX}' fill='#fc0' stroke='#141' stroke-width='4'/>");
        let filled = match of_box {
            BOX => filled,
            cut => format!(
                "{}<path d='{cut}' fill='none' stroke='#141' stroke-width='4'/>",
                filled.replace("stroke='#141'", "")
            ),
        };
        drawing(&[&line], &[BODY, &filled])
    };
    let keys = r#"art: { "line": (trim_end: [(0, 0, Linear), (4, 1)]),
                         "box": (trim_start: [(0, 1), (1, 0)], trim_end: [(1, 0.25, Linear), (2, 0.75), (4, 1)], trim_offset: [(0, 0)]) }"#;
    for (skin, is_cut) in [
        ("", false),
        (r#"Rigid(art: ["line", "box"], bone: "root"), "#, false),
        (r#"Smooth(art: ["line", "box"], bones: ["root", "other"]), "#, true),
    ] {
        let player = keyed_under_bones(skin, keys, drawn("M4 10L44 10", BOX));
        let mut state = FrameState::new(&player.rig);
        let size = FrameSize::new(160, 160).expect("a size");
        let options = FrameOptions { size, background: None };
        let view = bone_render::Viewport::fit(player.rig.posable().drawing(), &options);
        let mut pixels = vec![0; 160 * 160 * 4];
        let mut same = |state: &mut FrameState, line: &str, of_box: &str| {
            player.rig.write_svg(state);
            let truth = draw(&drawn(line, of_box));
            player.rig.draw_into(state, &view, &mut pixels).expect("a picture");
            // Where bones bend a path it is cut into pieces, whose ends are rounded.
            let most = if is_cut { 3 } else { 0 };
            for found in [draw(state.svg()).data(), &pixels] {
                let apart = found.iter().zip(truth.data()).map(|(a, b)| a.abs_diff(*b)).max();
                assert!(apart <= Some(most), "{skin} {line} {of_box} {apart:?}\n{}", state.svg());
            }
        };
        let moments = [
            // At both ends of a path nothing is left, not even a round cap; start and end are swapped.
            (0.0, "", "M40 40v30h-30v-30"),
            (1.0, "M4 10L14 10", "M10 40h30"),
            (2.0, "M4 10L24 10", "M10 40h30v30h-30"),
            (4.0, "M4 10L44 10", BOX),
        ];
        for (time, line, of_box) in moments {
            player.rig.pose(player.clip(Some("play")), time, &mut state).expect("no loop");
            same(&mut state, line, of_box);
        }
        // Half of the way from the whole.
        player.rig.pose(player.clip(Some("over")), 2.0, &mut state).expect("no loop");
        same(&mut state, "M4 10L34 10", "M10 40h30v30h-30v-15");
        player.rig.pose(None, 0.0, &mut state).expect("no loop");
        same(&mut state, "M4 10L44 10", BOX);
        let path = |name: &str| player.rig.art().find(name).expect("art");
        let mut overrides = Overrides::new();
        overrides.art.set((path("box"), ArtProperty::TrimEnd), 0.5);
        overrides.art.set((path("box"), ArtProperty::TrimOffset), 0.75);
        overrides.art.set((path("line"), ArtProperty::TrimStart), 0.5);
        player.rig.pose_with(None, 0.0, &overrides, &mut state).expect("no loop");
        same(&mut state, "M24 10L44 10", "M10 70v-30h30");
        let mut wrong = Overrides::new();
        wrong.art.set((path("body"), ArtProperty::TrimEnd), 0.5);
        assert!(player.rig.pose_with(None, 0.0, &wrong, &mut state).is_err());
    }
}

/// A player of a drawing in which a clip keys art, alone and as a layer of half its weight.
fn keyed_under_bones(skin: &str, keys: &str, drawing: String) -> Player {
    let rig = format!(
        r#"Rig(version: 1, drawing: "face.svg", skin: [{skin}Rigid(art: "body", bone: "other")],
            bones: {{ "root": (from: (8, 15), to: (60, 18)), "other": (parent: "root", from: (30, 55), to: (50, 55)) }},
            clips: {{ "play": (length: 4, {keys}), "still": (length: 4, bones: {{ "other": (rotate: [(0, 0)]) }}) }},
            shots: {{ "over": (play: [(clip: "still")], layers: [(clip: "play", weight: 0.5)]) }})"#
    );
    let files = InMemory::new().with("face.ron", rig).with("face.svg", drawing);
    Player::load(Path::new("face.ron"), Arc::new(files))
}

/// Keyed colours and opacities are those of the same edits of the drawing, whatever holds the path: of fills, strokes
/// and gradients, eased apart in sRGB, rounded once.
#[test]
fn keyed_paint_matches_the_same_edits_of_the_drawing() {
    const SKY: &str = "<linearGradient id='g'><stop stop-color='#08f'/><stop offset='1' stop-color='#fc0' stop-opacity='0.5'/></linearGradient>\
                       <rect id='sky' x='4' y='4' width='70' height='30' fill='url(#g)' fill-opacity='SKY'/>";
    const DOT: &str = "<circle id='dot' cx='40' cy='55' r='14' fill='FILL' fill-opacity='SOLID' stroke='LINE' \
                       stroke-opacity='INK' stroke-width='5'/>";
    let drawn = |sky: &str, [fill, solid, line, ink]: [&str; 4]| {
        let dot = DOT.replace("FILL", fill).replace("SOLID", solid).replace("LINE", line).replace("INK", ink);
        drawing(&[&SKY.replace("SKY", sky)], &[BODY, &dot])
    };
    let keys = r##"art: { "sky": (fill_opacity: [(0, 1, Linear), (4, 0.2)]),
                          "dot": (fill: [(0, "#f00", Linear), (2, "blue"), (4, "#12aB7f")], fill_opacity: [(0, 1, Linear), (4, 0)],
                                  stroke: [(0, "black", Linear), (4, "White")], stroke_opacity: [(0, 0.5)]) }"##;
    let rest = ["#e03131", "0.8", "#101010", "1"];
    for skin in [
        "",
        r#"Rigid(art: ["sky", "dot"], bone: "root"), "#,
        r#"Smooth(art: ["sky", "dot"], bones: ["root", "other"]), "#,
    ] {
        let player = keyed_under_bones(skin, keys, drawn("0.9", rest));
        let mut state = FrameState::new(&player.rig);
        let size = FrameSize::new(160, 160).expect("a size");
        let options = FrameOptions { size, background: None };
        let view = bone_render::Viewport::fit(player.rig.posable().drawing(), &options);
        let mut pixels = vec![0; 160 * 160 * 4];
        let mut same = |state: &mut FrameState, sky: &str, dot: [&str; 4]| {
            player.rig.write_svg(state);
            let truth = draw(&drawn(sky, dot));
            assert!(draw(state.svg()) == truth, "{skin}\n{}", state.svg());
            player.rig.draw_into(state, &view, &mut pixels).expect("a picture");
            assert!(pixels == truth.data(), "{skin} {sky} {dot:?}");
        };
        let moments = [
            (0.0, "1", ["#f00", "1", "#000", "0.5"]),
            (1.0, "0.8", ["#800080", "0.75", "#404040", "0.5"]),
            (3.0, "0.4", ["#0956bf", "0.25", "#bfbfbf", "0.5"]),
            (4.0, "0.2", ["#12ab7f", "0", "#fff", "0.5"]),
        ];
        for (time, sky, dot) in moments {
            player.rig.pose(player.clip(Some("play")), time, &mut state).expect("no loop");
            same(&mut state, sky, dot);
        }
        // Half of the way from the drawing: (224 + 0) / 2, (49 + 0) / 2, (49 + 255) / 2.
        player.rig.pose(player.clip(Some("over")), 2.0, &mut state).expect("no loop");
        same(&mut state, "0.75", ["#701998", "0.65", "#484848", "0.75"]);
        player.rig.pose(None, 0.0, &mut state).expect("no loop");
        same(&mut state, "0.9", rest);
        let dot = player.rig.art().find("dot").expect("art");
        let mut overrides = Overrides::new();
        overrides.art.set((dot, ArtProperty::Fill), [1, 2, 3]);
        overrides.art.set((dot, ArtProperty::StrokeOpacity), 0.25);
        player.rig.pose_with(None, 0.0, &overrides, &mut state).expect("no loop");
        same(&mut state, "0.9", ["#010203", "0.8", "#101010", "0.25"]);
        let mut wrong = Overrides::new();
        wrong.art.set((dot, ArtProperty::Fill), 1.0);
        let error = player.rig.pose_with(None, 0.0, &wrong, &mut state).expect_err("a number");
        assert!(error.to_string().contains("needs a colour"), "{error}");
    }
}

/// A driver adds how far it moves dashes, to those of the clip as to those of the drawing.
#[test]
fn drivers_add_to_the_dash_offset_of_a_clip() {
    let drawn = |offset: &str| {
        let line = format!(
            "<path id='line' d='M5 10L70 12' stroke='#06c' stroke-width='4' stroke-dasharray='6 2' stroke-dashoffset='{offset}'/>"
        );
        drawing(&[&line], &[BODY])
    };
    let rig = r#"Rig(version: 1, drawing: "face.svg", skin: [Rigid(art: "body", bone: "root")],
        bones: { "root": (from: (8, 15), to: (60, 18)), "dial": (from: (30, 55), to: (50, 55)) },
        drivers: [(bone: "dial", art: { "line": (dash_offset: [(0, 0, Linear), (90, 4)]) })],
        clips: { "play": (length: 1, bones: { "dial": (rotate: [(0, 0, Linear), (1, 90)]) },
                          art: { "line": (dash_offset: [(0, 3)]) }) })"#;
    let files = InMemory::new().with("face.ron", rig).with("face.svg", drawn("1"));
    let player = Player::load(Path::new("face.ron"), Arc::new(files));
    let mut state = FrameState::new(&player.rig);
    for (clip, time, offset) in [(None, 0.0, "1"), (Some("play"), 0.0, "3"), (Some("play"), 0.5, "5")] {
        player.rig.pose(player.clip(clip), time, &mut state).expect("no loop");
        player.rig.write_svg(&mut state);
        assert!(draw(state.svg()) == draw(&drawn(offset)), "{offset}: {}", state.svg());
    }
}
