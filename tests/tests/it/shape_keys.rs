//! Paths that take the shapes of others by weights, compared with drawings of those shapes and with the formula.

use std::path::Path;
use std::sync::Arc;

use bone_drawing::ElementId;
use bone_format::InMemory;
use bone_layer_tests::player::Player;
use bone_rig::{FrameState, OverrideError, Overrides, Rig};
use kurbo::{BezPath, PathEl, Point};

const ARM: &str = "M30 60C60 60 90 60 120 60L120 84C90 84 60 84 30 84Z";
/// One handle of it is where that of the arm is.
const THICK: &str = "M30 50C60 60 90 40 120 60L120 90C90 104 60 80 30 100Z";
/// Straight sides in place of curves.
const WEDGE: &str = "M30 66L120 70L120 76L30 80Z";

/// A drawing of paths, the first of which is visible.
fn drawing(paths: &[(&str, &str)]) -> String {
    let path = |(id, data): &(&str, &str)| format!("<path id='{id}' d='{data}' fill='#a43'/>");
    let hidden: String = paths.iter().skip(1).map(path).collect();
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='160' height='140'>{}<path id='pin' d='M0 0h4v4z'/><g display='none'>{hidden}</g></svg>",
        path(&paths[0])
    )
}

fn load(svg: String, skin: &str, more: &str) -> Player {
    let rig = format!(
        r#"Rig(version: 1, drawing: "a.svg",
            bones: {{ "upper": (from: (30, 72), to: (76, 72)), "fore": (parent: "upper", from: (76, 72), to: (122, 72)) }},
            skin: [Rigid(art: "pin", bone: "fore"), {skin}], {more})"#
    );
    let files = InMemory::new().with("a.ron", rig).with("a.svg", svg);
    Player::load(Path::new("a.ron"), Arc::new(files))
}

/// Anchors of the left follow the upper arm, those of the right the lower one.
const TYPED: &str =
    r#"Explicit(art: "arm", weights: {1: {"fore": 1}, 2: {"fore": 1}}, others: {"upper": 1})"#;

fn bent(shape: &str) -> String {
    format!(
        r#"clips: {{ "c": (length: 1, bones: {{ "fore": (rotate: [(0, 0), (1, 50)]) }}, art: {{ "arm": (shape: {shape}) }}) }}"#
    )
}

fn posed(player: &Player, time: f64) -> Vec<Point> {
    let mut state = FrameState::new(&player.rig);
    player.rig.pose(player.clip(Some("c")), time, &mut state).expect("a pose");
    points(&state.posed().paths()[0])
}

fn points(path: &BezPath) -> Vec<Point> {
    let all = path.elements().iter().flat_map(|element| match *element {
        PathEl::MoveTo(p) | PathEl::LineTo(p) => vec![p],
        PathEl::QuadTo(a, p) => vec![a, p],
        PathEl::CurveTo(a, b, p) => vec![a, b, p],
        PathEl::ClosePath => Vec::new(),
    });
    all.collect()
}

fn farthest(a: &[Point], b: &[Point]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// At weight 1 the path is what a drawing with the other path is, under a bent bone, too. Both are cut for both shapes.
#[test]
fn a_whole_shape_is_the_drawing_with_that_path() {
    for (own, other) in [(ARM, THICK), (THICK, ARM), (ARM, WEDGE), (WEDGE, ARM)] {
        let keyed = load(
            drawing(&[("arm", own), ("other", other)]),
            TYPED,
            &bent(r#"[(0, "other"), (1, {"other": 1})]"#),
        );
        let drawn = load(
            drawing(&[("arm", other), ("other", own)]),
            TYPED,
            &bent(r#"[(0, "arm"), (1, {"other": 0})]"#),
        );
        for time in [0.0, 0.4, 1.0] {
            let apart = farthest(&posed(&keyed, time), &posed(&drawn, time));
            assert!(apart < 1e-9, "{other} at {time}: {apart}");
        }
    }
}

/// V = V0 + sum w (Vk - V0), of every control point, without bones and under one.
#[test]
fn weights_mix_control_points() {
    let files = [("arm", ARM), ("thick", THICK), ("wedge", WEDGE)];
    let shape = r#"[(0, {"thick": 0.5, "wedge": -0.75}, Linear), (1, {"wedge": 2})]"#;
    let paths: Vec<Vec<Point>> =
        [ARM, THICK].map(|data| points(&BezPath::from_svg(data).expect("a path"))).into();
    // The wedge with its sides as curves.
    let mut wedge = BezPath::new();
    let corners = points(&BezPath::from_svg(WEDGE).expect("a path"));
    wedge.move_to(corners[0]);
    wedge.curve_to(
        corners[0].lerp(corners[1], 1.0 / 3.0),
        corners[1].lerp(corners[0], 1.0 / 3.0),
        corners[1],
    );
    wedge.line_to(corners[2]);
    wedge.curve_to(
        corners[2].lerp(corners[3], 1.0 / 3.0),
        corners[3].lerp(corners[2], 1.0 / 3.0),
        corners[3],
    );
    let wedge = points(&wedge);
    for skin in ["", r#"Rigid(art: "arm", bone: "upper")"#] {
        let player = load(drawing(&files), skin, &bent(shape));
        for (time, thick, w) in [(0.0, 0.5, -0.75), (0.5, 0.25, 0.625), (1.0, 0.0, 2.0)] {
            let expected: Vec<Point> = (0..paths[0].len())
                .map(|at| {
                    let own = paths[0][at];
                    own + (paths[1][at] - own) * thick + (wedge[at] - own) * w
                })
                .collect();
            let apart = farthest(&posed(&player, time), &expected);
            assert!(apart < 1e-9, "{skin} at {time}: {apart}");
        }
    }
}

fn weights(rig: &Rig, state: &FrameState) -> Vec<f64> {
    state.art().shapes(rig.draw_order()).to_vec()
}

/// A key sets all shapes; layers and poses replace and add by the rule of all rows; drivers add.
#[test]
fn weights_are_mixed_as_other_rows() {
    let more = r#"
        sliders: { "s": () },
        drivers: [(slider: "s", art: { "arm": (shape: [(0, "arm", Linear), (1, "thick")]) })],
        poses: { "p": (art: { "arm": (shape: "wedge") }) },
        clips: {
            "c": (length: 1, art: { "arm": (shape: [(0, {"thick": 0.5})]) }),
            "w": (length: 1, art: { "arm": (shape: [(0, "wedge")]) }),
            "posed": (length: 1, art: { "arm": (shape: [(0, "thick")]) }, poses: { "p": [(0, 0.25)] }),
            "slid": (length: 1, sliders: { "s": [(0, 0.5)] }, art: { "arm": (shape: [(0, {"thick": 0.5})]) }),
        },
        shots: {
            "over": (length: 1, play: ["c"], layers: [(clip: "w", weight: 0.5)]),
            "plus": (length: 1, play: ["c"], layers: [(clip: "w", mode: Add, weight: 0.5)]),
        }"#;
    let player = load(drawing(&[("arm", ARM), ("thick", THICK), ("wedge", WEDGE)]), "", more);
    let mut state = FrameState::new(&player.rig);
    for (clip, expected) in [
        ("c", [0.5, 0.0]),
        ("w", [0.0, 1.0]),
        ("posed", [0.75, 0.25]),
        ("over", [0.25, 0.5]),
        ("plus", [0.5, 0.5]),
    ] {
        player.rig.pose(player.clip(Some(clip)), 0.0, &mut state).expect("a pose");
        assert_eq!(weights(&player.rig, &state), expected, "{clip}");
    }
    // 0.5 of the clip and 0.5 of the driver.
    player.rig.pose(player.clip(Some("slid")), 0.0, &mut state).expect("a pose");
    let apart =
        farthest(&points(&state.posed().paths()[0]), &points(&BezPath::from_svg(THICK).expect("a path")));
    assert!(apart < 1e-9, "{apart}");
}

/// Programs set weights; what is not a number is an error, and what is too large is clamped.
#[test]
fn overrides_set_weights() {
    let player = load(drawing(&[("arm", ARM), ("thick", THICK)]), TYPED, &bent(r#"[(0, "thick")]"#));
    let rig = &player.rig;
    let names = |(path, shape): &(ElementId, ElementId)| [*path, *shape].map(|id| rig.art().address(id));
    assert_eq!(rig.draw_order().shapes.iter().map(names).collect::<Vec<_>>(), [["arm", "thick"]]);
    let mut state = FrameState::new(rig);
    let mut pose = |weight: f64| {
        let mut overrides = Overrides::new();
        overrides.shapes.set(0, weight);
        rig.pose_with(player.clip(Some("c")), 0.0, &overrides, &mut state)
            .map(|()| points(&state.posed().paths()[0]))
    };
    assert_eq!(pose(f64::NAN), Err(OverrideError::NotFinite { of: "shape" }));
    let (twice, most) = (pose(2.0).expect("a pose"), pose(1e300).expect("a pose"));
    assert_eq!(twice, most);
    let mut overrides = Overrides::new();
    overrides.shapes.set(7, 0.5);
    let unknown = rig.pose_with(None, 0.0, &overrides, &mut state);
    assert_eq!(unknown, Err(OverrideError::UnknownShape { shape: 7 }));
}
