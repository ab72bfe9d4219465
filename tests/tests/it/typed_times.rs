//! Times in a text have four digits; most frames lie between two such times.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use bone_format::InMemory;
use bone_layer_tests::player::Player;
use bone_rig::FrameState;

const SVG: &str =
    "<svg xmlns='http://www.w3.org/2000/svg' width='80' height='80'><path id='a' d='M5 5h9v9z'/></svg>";

/// What holds until a frame, happens there or lasts as long does so at that frame, whatever the rate.
#[test]
fn a_time_in_four_digits_is_that_of_its_frame() {
    for fps in [12.0, 15.0, 23.976, 24.0, 25.0, 29.97, 30.0, 48.0, 60.0, 90.0, 144.0] {
        for count in [2, 7, 16, 31, 100, 301_u32] {
            check(fps, count);
        }
    }
}

fn check(fps: f64, count: u32) {
    let second = |frame: u32| format!("{:.4}", f64::from(frame) / fps);
    let (mut keys, mut parents, mut events) = (String::new(), String::new(), String::new());
    for frame in 0..count {
        let at = second(frame);
        let _ = write!(keys, "({at}, {frame}, Hold), ");
        let _ = write!(parents, "({at}, \"{}\", Local), ", if frame % 2 == 0 { "left" } else { "right" });
        let _ = write!(events, "({at}, \"{frame}\"), ");
    }
    let [length, end] = [count, count - 1].map(second);
    let rig = format!(
        r#"Rig(version: 1, drawing: "it.svg", fps: {fps}, bones: {{
            "left": (from: (0, 0), to: (40, 0)), "right": (from: (0, 40), to: (40, 40)), "child": (from: (0, 0), length: 10) }},
            clips: {{
                "round": (length: {length}, loop: true, events: [{events}],
                    bones: {{ "child": (rotate: [{keys}], parent: [{parents}]) }}),
                "once": (length: {end}, bones: {{ "left": (rotate: [{keys}]) }}) }})"#
    );
    let files = InMemory::new().with("it.ron", rig).with("it.svg", SVG);
    let player = Player::load(Path::new("it.ron"), Arc::new(files));
    let rig = &player.rig;
    let bone = |name: &str| rig.skeleton().find(name).expect("a bone");
    let round = rig.clip("round").expect("a clip");
    assert_eq!(round.frame_count(fps), u64::from(count), "frames at {fps}");
    assert_eq!(rig.clip("once").expect("a clip").frame_count(fps), u64::from(count), "frames at {fps}");

    let mut state = FrameState::new(rig);
    for frame in 0..count {
        rig.pose(Some(round), f64::from(frame) / fps, &mut state).expect("a pose");
        let turned = state.pose().bones[bone("child").index()].angle.degrees();
        assert!((turned - f64::from(frame)).abs() < 1e-9, "frame {frame} at {fps}: {turned}");
        let parent = bone(if frame % 2 == 0 { "left" } else { "right" });
        let carrier = state.pose().parent(rig.skeleton(), bone("child"));
        assert_eq!(carrier, Some(parent), "frame {frame} at {fps}");
    }
    let (passed, more) = round.frame_events(fps, 0..u64::from(count), usize::MAX);
    let passed: Vec<(u64, String)> =
        passed.iter().map(|event| (event.frame, rig.events()[event.event.index()].name.clone())).collect();
    let meant: Vec<(u64, String)> = (0..u64::from(count)).map(|frame| (frame, frame.to_string())).collect();
    assert!(!more);
    assert_eq!(passed, meant, "events at {fps}");
}
