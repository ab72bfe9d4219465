//! Sliders and the camera. A slider drives as a bone with the same keys does; a camera shows what a drawing shows whose
//! contents are in a group with that transform.

use std::path::Path;
use std::sync::Arc;

use bone_core::{Angle, Pose};
use bone_format::InMemory;
use bone_layer_tests::player::Player;
use bone_render::{FrameOptions, FrameSize, Pixmap, Raster};
use bone_rig::{Camera, FrameState, Mixer, OverrideError, Overrides};
use kurbo::{Affine, Point};

const INSIDE: &str = "<defs><linearGradient id='g'><stop offset='0' stop-color='#e33'/><stop offset='1' stop-color='#33e'/></linearGradient>\
    <clipPath id='c'><path d='M20 20H70V80H20Z'/></clipPath><filter id='f'><feGaussianBlur stdDeviation='2'/></filter></defs>\
    <rect id='back' x='-100' y='-100' width='320' height='320' fill='url(#g)'/><g id='cut' clip-path='url(#c)'>\
    <path id='body' d='M 40 20 L 60 20 L 60 90 L 40 90 Z' fill='#fc3' stroke='#222' stroke-width='3'/></g>\
    <path id='knob' d='M0 0h4v4h-4Z'/><circle id='dot' cx='85' cy='25' r='8' fill='#2a2' filter='url(#f)'/>";

fn drawing(inside: &str) -> String {
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 120 100' width='240' height='200'>{inside}</svg>"
    )
}

const BONES: &str = r#"bones: { "hip": (from: (50, 90), to: (50, 55)), "chest": (parent: "hip", to: (50, 20)), "dial": (from: (0, 0), to: (10, 0)) },
    skin: [Smooth(art: "body", bones: ["hip", "chest"]), Rigid(art: "knob", bone: "dial")],"#;

fn player(rest: &str) -> Player {
    let rig = format!("Rig(version: 1, drawing: \"a.svg\", {BONES} {rest})");
    let files = InMemory::new().with("a.ron", rig).with("a.svg", drawing(INSIDE));
    Player::load(Path::new("a.ron"), Arc::new(files))
}

fn posed(player: &Player, clip: &str, time: f64) -> FrameState {
    let mut state = FrameState::new(&player.rig);
    player.rig.pose(player.clip(Some(clip)), time, &mut state).expect("of this rig");
    state
}

fn camera(player: &Player, clip: &str, time: f64) -> Camera {
    posed(player, clip, time).art().camera(player.rig.draw_order()).expect("a camera")
}

fn slider(player: &Player, clip: &str, time: f64) -> f64 {
    posed(player, clip, time).art().slider(player.rig.draw_order(), 0).expect("a slider")
}

#[test]
fn a_camera_shows_what_a_group_with_its_transform_shows() {
    let player = player(
        r#"clips: { "pan": (length: 1, bones: {"chest": (rotate: [(0, 30)])},
            camera: (center: [(0, (60, 50)), (1, (85, 30), Linear)], zoom: [(0, 1), (1, 3)], turn: [(0, 0), (1, 40)])) }"#,
    );
    let (size, still) = (FrameSize::new(240, 200).expect("a size"), Overrides::new());
    let options = FrameOptions { size, background: None };
    let mut state = FrameState::new(&player.rig);
    let mut picture = Pixmap::new(240, 200).expect("memory");
    let clip = player.clip(Some("pan"));
    // The art as bones bend it, without the camera.
    let page = Overrides { camera: player.rig.page_camera(), ..still };
    player.rig.pose_with(clip, 0.5, &page, &mut state).expect("it has a camera");
    assert_eq!(player.rig.camera(&state), Some(Affine::IDENTITY));
    player.rig.write_svg(&mut state);
    let canvas = "<g transform=\"matrix(2 0 0 2 0 0)\">";
    let (before, inside) = state.svg().split_once(canvas).expect("the group of the view box");
    let Camera { center, zoom, turn } = state.art().camera(player.rig.draw_order()).expect("a camera");
    let by_hand = format!(
        "{before}{canvas}<g transform='translate(60 50) rotate({}) scale({zoom}) translate({} {})'>{}</g></svg>",
        -turn.degrees(),
        -center.x,
        -center.y,
        inside.trim_end().trim_end_matches("</svg>"),
    );
    let mut expected = Pixmap::new(240, 200).expect("memory");
    Raster::default().draw(&by_hand, &options, &mut expected).expect("an SVG");
    player.rig.pose(clip, 0.5, &mut state).expect("of this rig");
    player.rig.draw(&mut state, &options, &mut picture).expect("it can be drawn");
    let apart = |a: &Pixmap, b: &Pixmap| {
        let differ = a.data().iter().zip(b.data()).map(|(a, b)| a.abs_diff(*b));
        differ.filter(|by| *by > 2).count()
    };
    assert_eq!(apart(&picture, &expected), 0);
    // The same as text, and away from the page.
    player.rig.write_svg(&mut state);
    Raster::default().draw(state.svg(), &options, &mut picture).expect("an SVG");
    assert_eq!(apart(&picture, &expected), 0);
    player.rig.pose_with(clip, 0.5, &page, &mut state).expect("it has a camera");
    player.rig.draw(&mut state, &options, &mut picture).expect("it can be drawn");
    assert_ne!(apart(&picture, &expected), 0);
    // A point of the canvas is hit where it is seen.
    player.rig.pose(clip, 0.5, &mut state).expect("of this rig");
    let seen = player.rig.camera(&state).expect("a camera") * Point::new(50.0, 75.0);
    let hit = player.rig.hit_test(&state, seen, 0.0).expect("the body");
    assert_eq!(player.rig.art().find("body"), Ok(hit.element.expect("an element")));
}

#[test]
fn zooms_are_eased_and_mixed_as_logarithms() {
    let player = player(
        r#"clips: { "in": (length: 1, camera: (zoom: [(0, 1, Linear), (1, 4)])), "far": (camera: (zoom: [(0, 0.5)]), length: 1),
            "near": (camera: (zoom: [(0, 8)], turn: [(0, 20)]), length: 1),
            "speed": (length: 1, camera: (zoom: [(0, 1, Slope(1)), (1, 4, Slope(4))])) },
           shots: { "half": (play: ["far"], layers: [(clip: "near", weight: 0.5)]), "plus": (play: ["far"], layers: [(clip: "near", mode: Add)]),
            "fade": (play: [(clip: "far"), (clip: "near", fade: 0.5)]),
            "own": (play: ["in"], camera: (center: [(0, (10, 20))], zoom: [(0, 2, Linear), (1, 8)])) }"#,
    );
    let zoom = |clip, time| camera(&player, clip, time).zoom;
    let near = |is: f64, should: f64| assert!((is - should).abs() < 1e-9, "{is} is not {should}");
    near(zoom("in", 0.5), 2.0);
    near(zoom("in", 0.25), 2.0_f64.sqrt());
    near(zoom("half", 0.0), 2.0);
    near(camera(&player, "half", 0.0).turn.degrees(), 10.0);
    near(zoom("plus", 0.0), 4.0);
    // Halfway through the fade from 0.5 to 8: the fade is smooth, so it is the geometric mean.
    near(zoom("fade", 0.75), 2.0);
    near(zoom("own", 0.5), 4.0);
    assert_eq!(camera(&player, "own", 0.5).center, Point::new(10.0, 20.0));
    // A slope is the speed of the zoom itself, not of its logarithm.
    const H: f64 = 1e-6;
    assert!(((zoom("speed", H) - 1.0) / H - 1.0).abs() < 1e-4);
    assert!(((4.0 - zoom("speed", 1.0 - H)) / H - 4.0).abs() < 1e-4);
}

const CHECKED: [f64; 7] = [0.0, 0.1, 0.35, 0.5, 0.77, 0.99, 1.4];

#[test]
fn a_slider_drives_as_a_bone_with_its_keys_does() {
    let keys = "[(0, 0), (0.4, 1, Out(Back)), (1, -1)]";
    let dial = "[(0, 0), (0.4, 10, Out(Back)), (1, -10)]";
    let rest = |source: &str, scale: i32, clip: &str| {
        let (low, high) = (-scale, scale);
        format!(
            r#"sliders: {{"bow": (range: (-1.2, 1.2))}},
               drivers: [({source}, bones: {{"chest": (rotate: [({low}, -60), (0, 0), ({high}, 80)])}},
                 offsets: {{"body": {{0: [(0, (0, 0)), ({high}, (5, 3))]}}}}, art: {{"dot": (opacity: [(0, 1), ({high}, 0.2)])}})],
               springs: [(chain: "chest")], constraints: [Ik(name: "hold", tip: "chest", target: (60, 30), chain: 1, mix: 0.3)],
               clips: {{ "a": (length: 1, {clip}), "b": (length: 1, bones: {{"hip": (rotate: [(0, 0), (1, 20)])}}) }},
               shots: {{ "both": (play: ["a", (clip: "b", fade: 0.4)]) }}"#
        )
    };
    let by_slider = player(&rest("slider: \"bow\"", 1, &format!("sliders: {{\"bow\": {keys}}}")));
    let by_bone =
        player(&rest("bone: \"dial\", value: MoveX", 10, &format!("bones: {{\"dial\": (move_x: {dial})}}")));
    for clip in ["a", "both"] {
        for time in CHECKED {
            let (own, other) = (posed(&by_slider, clip, time), posed(&by_bone, clip, time));
            for bone in by_slider.rig.skeleton().bones().take(2) {
                let turn = |state: &FrameState| state.world().angle(bone).degrees();
                assert!((turn(&own) - turn(&other)).abs() < 1e-9, "{clip} at {time}: {bone:?}");
            }
            for (own, other) in own.posed().paths().iter().zip(other.posed().paths()) {
                let far =
                    |(own, other): (kurbo::PathEl, kurbo::PathEl)| match (own.end_point(), other.end_point())
                    {
                        (Some(own), Some(other)) => own.distance(other),
                        (own, other) => f64::from(u8::from(own != other)),
                    };
                assert!(own.iter().zip(other.iter()).all(|pair| far(pair) < 1e-9), "{clip} at {time}");
            }
            let opacity = |state: &FrameState| state.visibilities()[0].opacity;
            assert!((opacity(&own) - opacity(&other)).abs() < 1e-12);
        }
    }
}

#[test]
fn sliders_are_mixed_and_set_within_their_range() {
    let player = player(
        r#"sliders: {"bow": (range: (-1, 2), rest: 0.25)},
           drivers: [(slider: "bow", bones: {"chest": (rotate: [(0.25, 0), (2, 70)])})],
           clips: { "low": (length: 1, sliders: {"bow": [(0, -0.5)]}), "high": (length: 1, sliders: {"bow": [(0, 1.5)]}),
             "none": (length: 1, bones: {"hip": (rotate: [(0, 0)])}), "over": (length: 1, sliders: {"bow": [(0, 0, Spring(0.6)), (1, 2)]}) },
           shots: { "half": (play: ["low"], layers: [(clip: "high", weight: 0.25)]), "plus": (play: ["high"], layers: [(clip: "high", mode: Add)]),
             "fade": (play: ["low", (clip: "none", fade: 0.5)]) }"#,
    );
    let near = |is: f64, should: f64| assert!((is - should).abs() < 1e-12, "{is} is not {should}");
    near(slider(&player, "none", 0.0), 0.25);
    near(slider(&player, "half", 0.0), 0.75 * -0.5 + 0.25 * 1.5);
    // 1.5 + (1.5 - 0.25) is beyond the range.
    near(slider(&player, "plus", 0.0), 2.0);
    near(slider(&player, "fade", 0.75), 0.5 * (-0.5 + 0.25));
    near((0..100).map(|at| slider(&player, "over", f64::from(at) / 100.0)).fold(0.0, f64::max), 2.0);

    let mut state = FrameState::new(&player.rig);
    let turn = |state: &FrameState| {
        let (skeleton, chest) = (player.rig.skeleton(), player.rig.skeleton().find("chest").expect("a bone"));
        (state.driven().bones[chest.index()].angle - Pose::new(skeleton).bones[chest.index()].angle).degrees()
    };
    let mut overrides = Overrides::new();
    for (value, driven) in [(2.0, 70.0), (0.25, 0.0), (9.0, 70.0)] {
        overrides.sliders.set(0, value);
        player.rig.pose_with(player.clip(Some("low")), 0.0, &overrides, &mut state).expect("a slider");
        near(turn(&state), driven);
    }
    for wrong in [
        Overrides { camera: Some(Camera::of_page(player.rig.art().canvas())), ..Overrides::new() },
        Overrides {
            camera: Some(Camera { center: Point::ZERO, zoom: 0.0, turn: Angle::ZERO }),
            ..Overrides::new()
        },
    ] {
        let error = player.rig.pose_with(None, 0.0, &wrong, &mut state).expect_err("there is no camera");
        assert!(matches!(error, OverrideError::NoCamera | OverrideError::NotFinite { of: "camera" }));
    }
    let mut unknown = Overrides::new();
    unknown.sliders.set(1, 0.0);
    assert_eq!(
        player.rig.pose_with(None, 0.0, &unknown, &mut state),
        Err(OverrideError::UnknownSlider { slider: 1 })
    );

    let mut mixer = Mixer::new(&player.rig);
    mixer.play(&player.rig, player.clip(Some("high")).expect("a clip"), 0.0).expect("a clip");
    mixer.step(&player.rig, 0.0, &mut state).expect("a pose");
    near(state.art().slider(player.rig.draw_order(), 0).expect("a slider"), 1.5);
}
