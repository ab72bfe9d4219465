//! The time of clips: rounds, other times for their keys, delays, channels that follow others, and halves. The
//! expected poses are those of clips without them, sampled at the times of a formula.

use std::path::Path;
use std::sync::Arc;

use bone_core::Pose;
use bone_format::InMemory;
use bone_layer_tests::player::Player;

const DRAWING: &str = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100' width='100' height='100'>\
    <path id='body' d='M 40 20 L 60 20 L 60 90 L 40 90 Z'/><g id='eyes'><path id='eye.L' d='M 1 1 L 2 2 L 1 2 Z'/>\
    <path id='eye.R' d='M 5 1 L 6 2 L 5 2 Z'/></g></svg>";

fn player(clips: &str) -> Player {
    let rig = format!(
        r#"Rig(version: 1, drawing: "a.svg", bones: {{
            "hip": (from: (50, 50), to: (50, 20)),
            "leg.L": (parent: "hip", from: (50, 50), to: (45, 70)), "leg.R": (parent: "hip", from: (50, 50), to: (55, 70)),
            "foot.L": (parent: "leg.L", to: (45, 90)), "foot.R": (parent: "leg.R", to: (55, 90)),
        }}, clips: {{ {clips} }})"#
    );
    let files = InMemory::new().with("a.ron", rig).with("a.svg", DRAWING);
    Player::load(Path::new("a.ron"), Arc::new(files))
}

fn pose(player: &Player, clip: &str, time: f64) -> Pose {
    let skeleton = player.rig.skeleton();
    let (mut scratch, mut pose) = (Pose::new(skeleton), Pose::new(skeleton));
    let clip = player.clip(Some(clip)).expect("a clip");
    player.rig.sample(clip, time, &mut scratch, &mut pose).expect("of this rig");
    pose
}

/// The rotation of a bone from its setup pose.
fn turn(player: &Player, clip: &str, bone: &str, time: f64) -> f64 {
    let skeleton = player.rig.skeleton();
    let bone = skeleton.find(bone).expect("a bone");
    (pose(player, clip, time).bones[bone.index()].angle - skeleton.setup(bone).angle).degrees()
}

const KEYS: &str = r#"bones: { "hip": (rotate: [(0, 0), (0.3, 50, Out(Back)), (0.8, -20), (1, 0)], move: [(0, (0, 0), Linear), (0.6, (9, 4)), (1, (0, 0))]) }"#;

#[test]
fn rounds_have_the_frames_of_their_length() {
    let player = player(&format!(
        r#""once": (length: 1, {KEYS}), "loop": (length: 1, loop: true, {KEYS}), "back": (length: 1, loop: PingPong, {KEYS}),
           "thrice": (length: 1, loop: 3, {KEYS}), "late": (length: 1, loop: true, phase: 0.25, {KEYS})"#
    ));
    let clip = |name| player.clip(Some(name)).expect("a clip");
    let frames = ["once", "loop", "back", "thrice", "late"].map(|name| clip(name).frame_count(24.0));
    assert_eq!(frames, [25, 24, 48, 73, 24]);
    for frame in 0..48 {
        let time = f64::from(frame) / 24.0;
        let there = if frame <= 24 { time } else { 2.0 - time };
        let [is, again, should] = [("back", time), ("back", time + 4.0), ("once", there)]
            .map(|(clip, time)| turn(&player, clip, "hip", time));
        assert!(
            (is - should).abs() + (is - again).abs() < 1e-9,
            "frame {frame}: {is}, {again}, not {should}"
        );
    }
    for frame in 0..90 {
        let time = f64::from(frame) / 24.0;
        let there = if frame >= 72 { 1.0 } else { f64::from(frame % 24) / 24.0 };
        let (is, should) = (turn(&player, "thrice", "hip", time), turn(&player, "loop", "hip", there));
        assert!((is - should).abs() < 1e-9, "frame {frame}: {is}, not {should}");
        let there = f64::from((frame + 6) % 24) / 24.0;
        let (is, should) = (turn(&player, "late", "hip", time), turn(&player, "loop", "hip", there));
        assert!((is - should).abs() < 1e-9, "frame {frame}: {is}, not {should}");
    }
}

#[test]
fn retimed_keys_are_those_of_the_time_of_the_curve() {
    let player = player(&format!(
        r#""plain": (length: 1, {KEYS}),
           "slow": (length: 2, retime: [(0, 0, Linear), (0.5, 0.8, Linear), (1, 0.2, Linear), (2, 1)], {KEYS})"#
    ));
    for step in 0..=200 {
        let time = f64::from(step) / 100.0;
        let there = if time < 0.5 {
            1.6 * time
        } else if time < 1.0 {
            0.8 - 1.2 * (time - 0.5)
        } else {
            0.2 + 0.8 * (time - 1.0)
        };
        let (is, should) = (turn(&player, "slow", "hip", time), turn(&player, "plain", "hip", there));
        assert!((is - should).abs() < 1e-9, "{time} s: {is}, not {should}");
    }
}

#[test]
fn followers_play_what_they_follow_later_and_smaller() {
    for (repeat, round) in [("", None), ("loop: true,", Some(1.0))] {
        let player = player(&format!(
            r#""a": (length: 1, {repeat} bones: {{
                "hip": (rotate: [(0, 5), (0.3, 50, Out(Back)), (0.7, -20, Slope(40)), (1, 5)], move_y: [(0, 0), (1, 0)]),
                "leg.L": (rotate: (follow: "hip", delay: 0.08, amount: 0.9)),
                "foot.L": (rotate: (follow: "leg.L", delay: 0.3, amount: -0.5, plus: 4)),
                "leg.R": (rotate: (keys: [(0, 1), (1, 1)], plus: 7), stretch: (keys: [(0, 1), (0.5, 2), (1, 1)], amount: 0.5)),
            }})"#
        ));
        let before = |time: f64, delay: f64| match round {
            Some(round) => (time - delay).rem_euclid(round),
            None => (time - delay).max(0.0),
        };
        for frame in 0..100 {
            let time = f64::from(frame) / 100.0;
            let hip = |delay| turn(&player, "a", "hip", before(time, delay));
            let (leg, foot) = (0.9 * hip(0.08), -0.5 * 0.9 * hip(0.38) + 4.0);
            assert!((turn(&player, "a", "leg.L", time) - leg).abs() < 1e-12, "{repeat} {time}");
            assert!((turn(&player, "a", "foot.L", time) - foot).abs() < 1e-12, "{repeat} {time}");
            assert!((turn(&player, "a", "leg.R", time) - 8.0).abs() < 1e-12);
        }
        let bone = player.rig.skeleton().find("leg.R").expect("a bone");
        assert_eq!(pose(&player, "a", 0.5).bones[bone.index()].stretch, 1.5);
    }
}

#[test]
fn half_a_cycle_changes_sides() {
    let keys = r#"bones: {
        "leg.L": (rotate: [(0, -25, Out(Quad)), (0.2, 10), (0.5, 20)]), "leg.R": (rotate: [(0, 20), (0.3, 5, Linear), (0.5, -25)]),
        "foot.L": (rotate: [(0.1, 8), (0.4, -3)]), "foot.R": (rotate: [(0.2, 30)]),
        "hip": (move: [(0, (2, 3)), (0.25, (0, -3)), (0.5, (2, 3))], rotate: [(0, 4), (0.5, 4)]),
    }, art: { "eye.L": (opacity: [(0, 1), (0.4, 0.5)]), "eye.R": (opacity: [(0, 0.2)]) }"#;
    let front = r#"bones: {
        "leg.L": (rotate: [(0, -25, Out(Quad)), (0.2, 10), (0.5, -20)]), "leg.R": (rotate: [(0, 20), (0.3, 5, Linear), (0.5, 25)]),
        "foot.L": (rotate: [(0.1, 8), (0.4, -3)]), "foot.R": (rotate: [(0.2, 30)]),
        "hip": (move: [(0, (2, 3)), (0.25, (0, -3)), (0.5, (-2, 3))], rotate: [(0, 4), (0.5, -4)]),
    }"#;
    let player = player(&format!(
        r#""side": (length: 0.5, loop: true, half: Swap, {keys}), "front": (length: 0.5, loop: true, half: Mirror, {front})"#
    ));
    assert_eq!(player.clip(Some("side")).expect("a clip").frame_count(24.0), 24);
    let hip = player.rig.skeleton().find("hip").expect("a bone");
    for frame in 0..24 {
        let (time, later) = (f64::from(frame) / 24.0, f64::from(frame + 12) / 24.0);
        for (left, right) in [("leg.L", "leg.R"), ("foot.L", "foot.R"), ("leg.R", "leg.L")] {
            let (is, should) = (turn(&player, "side", left, time), turn(&player, "side", right, later));
            assert!((is - should).abs() < 1e-9, "{left} in frame {frame}: {is}, not {should}");
            let (is, should) = (turn(&player, "front", left, time), -turn(&player, "front", right, later));
            assert!((is - should).abs() < 1e-9, "{left} in frame {frame}: {is}, not {should}");
        }
        let at = |clip, time: f64| pose(&player, clip, time).bones[hip.index()].origin;
        let setup = player.rig.skeleton().setup(hip).origin;
        assert!((at("side", time) - at("side", later)).hypot() < 1e-9);
        let (one, other) = (at("front", time) - setup, at("front", later) - setup);
        assert!((one.x + other.x).abs() + (one.y - other.y).abs() < 1e-9, "{one:?} {other:?}");
    }
}

#[test]
fn shots_play_the_whole_of_rounds_and_halves() {
    let player = player(&format!(
        r#""back": (length: 1, loop: PingPong, {KEYS}), "thrice": (length: 1, loop: 3, {KEYS})"#
    ));
    let shots = Player::load(
        Path::new("a.ron"),
        Arc::new(
            InMemory::new().with("a.svg", DRAWING).with(
                "a.ron",
                format!(
                    r#"Rig(version: 1, drawing: "a.svg", bones: {{ "hip": (from: (50, 50), to: (50, 20)) }},
                    clips: {{ "back": (length: 1, loop: PingPong, {KEYS}), "thrice": (length: 1, loop: 3, {KEYS}) }},
                    shots: {{ "s": (play: [(clip: "thrice"), (clip: "back", repeat: 2)]) }})"#
                ),
            ),
        ),
    );
    let shot = shots.clip(Some("s")).expect("a shot");
    assert_eq!(shot.time().length, 3.0 + 4.0);
    for step in 0..70 {
        let time = f64::from(step) / 10.0;
        let (name, there) = if time < 3.0 { ("thrice", time) } else { ("back", time - 3.0) };
        let (is, should) = (turn(&shots, "s", "hip", time), turn(&player, name, "hip", there));
        assert!((is - should).abs() < 1e-9, "{time} s: {is}, not {should}");
    }
}

#[test]
fn events_are_played_in_every_round_and_on_both_sides() {
    let keys = r#"bones: { "leg.L": (rotate: [(0, -25), (1, 20)]), "leg.R": (rotate: [(0, 20), (1, -25)]) }"#;
    let events = r#"events: [(0, "start"), (0.25, "step.L"), (1, "end")]"#;
    let player = player(&format!(
        r#""back": (length: 1, loop: PingPong, {events}, {KEYS}), "twice": (length: 1, loop: 2, events: [(0.25, "step.L"), (1, "end")], {KEYS}),
           "half": (length: 1, loop: true, half: Swap, events: [(0, "step.L"), (0.75, "lift.R")], {keys}),
           "slow": (length: 2, retime: [(0, 0, Linear), (2, 1)], {events}, {KEYS})"#
    ));
    let of = |name: &str| {
        let clip = player.clip(Some(name)).expect("a clip").data().expect("a keyed clip");
        let name = |(time, event): (f64, bone_rig::EventId)| {
            format!("{time} {}", player.rig.events()[event.index()].name)
        };
        clip.events.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(of("back"), ["0 start", "0.25 step.L", "1 end", "1.75 step.L"]);
    assert_eq!(of("twice"), ["0.25 step.L", "1 end", "1.25 step.L", "2 end"]);
    assert_eq!(of("half"), ["0 step.L", "0.75 lift.R", "1 step.R", "1.75 lift.L"]);
    assert_eq!(of("slow"), ["0 start", "0.5 step.L", "2 end"]);
}
