//! Shots of rigs: outlines mix as bones do, names are separate, and files made to be slow are not slow.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bone_format::{InMemory, Loaded, load, no_fonts};
use bone_layer_tests::player::Player;
use bone_rig::FrameState;
use kurbo::{BezPath, PathEl, Point};

const SVG: &str =
    r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 99 99"><path id="a" d="M1 1H80V80Z"/></svg>"#;

fn loaded(bones: &str, rest: &str) -> Loaded {
    let rig = format!("Rig(version: 1, drawing: \"a.svg\", bones: {{{bones}}}, {rest})");
    let files = InMemory::new().with("a.ron", rig).with("a.svg", SVG);
    load("a.ron".as_ref(), Arc::new(files), &no_fonts)
}

fn messages(bones: &str, rest: &str) -> Vec<String> {
    loaded(bones, rest).diagnostics.iter().map(|d| d.message.clone()).collect()
}

fn points(path: &BezPath) -> Vec<Point> {
    path.elements().iter().filter_map(PathEl::end_point).collect()
}

/// Bones at rest, so that the offsets alone are seen: half way through a fade each clip has half of its
/// offset.
#[test]
fn offsets_are_mixed_by_weight() {
    let clip = |x: f64| format!("(length: 1, offsets: {{\"a\": {{0: [(0, ({x}, 0))]}}}})");
    let clips =
        format!("clips: {{\"one\": {}, \"two\": {}, \"top\": {}}},", clip(10.0), clip(-30.0), clip(4.0));
    let shots = r#"shots: {"both": (
        play: ["one", (clip: "two", fade: 0.5)],
        layers: [(clip: "top", start: 1, length: 0.25, weight: 0.5)],
    )}"#;
    let scene = loaded("\"b\": (from: (0, 0), length: 9)", &format!("{clips} {shots}")).rig.expect("a rig");
    let mut state = FrameState::new(&scene);
    let mut at = |clip: Option<&str>, time: f64| {
        scene.pose(clip.and_then(|clip| scene.clip(clip)), time, &mut state).expect("no loop");
        points(&state.posed().paths()[0])[0].x
    };
    assert_eq!(at(None, 0.0), 1.0);
    assert_eq!(at(Some("both"), 0.25), at(Some("one"), 0.25));
    assert_eq!(at(Some("both"), 0.5), 11.0);
    assert!((at(Some("both"), 0.75) - (1.0 - 10.0)).abs() < 1e-12, "half of 10 and half of -30");
    assert_eq!(at(Some("both"), 1.4), -29.0);
    assert_eq!(at(Some("both"), 1.1), -29.0 + 2.0, "and half of the layer's");
}

/// A frame of a shot in which one clip plays alone is that clip's frame, drawing and all.
#[test]
fn a_sequence_of_one_clip_equals_the_clip() {
    let player = Player::open("tests/rigs/shots.ron");
    let mut state = FrameState::new(&player.rig);
    let mut svg = |clip: &str, time: f64| {
        player.rig.pose(player.clip(Some(clip)), time, &mut state).expect("no loop");
        player.rig.write_svg(&mut state);
        state.svg().to_owned()
    };
    for frame in 0..7 {
        let time = f64::from(frame) / 24.0;
        assert!(svg("act", time) == svg("nod", time), "{frame}");
    }
}

#[test]
fn steps_come_from_the_rig_or_the_caller() {
    let mut player = Player::open("tests/rigs/shots.ron");
    let bits = |player: &Player, clip: &str, frame: u64| {
        let mut state = FrameState::new(&player.rig);
        player.pose(player.clip(Some(clip)), frame, &mut state);
        state.world().matrices().to_vec()
    };
    let frames = |player: &Player, clip: &str| (0..24).map(|f| bits(player, clip, f)).collect::<Vec<_>>();
    let (swing, rock) = (frames(&player, "swing"), frames(&player, "rock"));
    player.rig.set_step(1);
    let (smooth_swing, smooth_rock) = (frames(&player, "swing"), frames(&player, "rock"));
    for frame in 0..24 {
        assert_eq!(swing[frame], smooth_swing[frame - frame % 3]);
        assert!(rock[frame] == rock[frame - frame % 2]);
    }
    assert_ne!(smooth_rock[1], smooth_rock[2]);
    player.rig.set_step(4);
    for (frame, held) in frames(&player, "rock").into_iter().enumerate() {
        assert_eq!(held, smooth_rock[frame - frame % 4]);
    }
}

#[test]
fn keys_after_the_end_count_if_the_channel_repeats() {
    let bone = "\"b\": (from: (0, 0), length: 9)";
    let clip =
        |keys: &str| format!("clips: {{\"c\": (length: 2, loop: true, bones: {{\"b\": (rotate: {keys})}})}}");
    for extend in ["Loop", "LoopOffset", "PingPong"] {
        assert!(messages(bone, &clip(&format!("(keys: [(0, 0), (3, 30)], extend: {extend})"))).is_empty());
    }
    for keys in ["[(0, 0), (3, 30)]", "(keys: [(0, 0), (3, 30)], extend: Linear)"] {
        let found = messages(bone, &clip(keys));
        assert!(found.len() == 1 && found[0].contains("after the end of its clip"), "{found:?}");
    }
}

/// So much may a file of a few megabytes cost, on however busy a machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn timed(what: &str, work: impl FnOnce()) {
    let started = Instant::now();
    work();
    assert!(started.elapsed() < PATIENCE, "{what}: {:?}", started.elapsed());
}

#[test]
fn expensive_shots_play_or_are_errors() {
    let bone = "\"b\": (from: (0, 0), length: 9)";
    let clip = "\"c\": (length: 1, bones: {\"b\": (rotate: [(0, 0), (1, 9)])})";
    let play = |rest: &str| format!("clips: {{{clip}}}, shots: {{\"s\": ({rest})}}");
    timed("a billion rounds", || {
        let loaded = loaded(bone, &play("play: [(clip: \"c\", repeat: 1e9, speed: 1e-9)]"));
        let scene = loaded.rig.expect("nothing is wrong with it");
        let mut state = FrameState::new(&scene);
        for time in [0.0, 1e17, 1e300, f64::NAN, f64::INFINITY] {
            scene.pose(scene.clip("s"), time, &mut state).expect("no loop");
        }
        assert!(scene.clip("s").expect("it").frame_count(24.0) > 1 << 60);
    });
    timed("a million keys", || {
        let keys: String = (0..1_000_000).map(|i| format!("({i}, {}),", i % 7)).collect();
        let clip = format!("\"c\": (bones: {{\"b\": (rotate: (keys: [{keys}], ease: Tcb(0, 0, 0)))}})");
        let rest = format!("clips: {{{clip}}}, shots: {{\"s\": (play: [\"c\", (clip: \"c\", fade: 1)])}}");
        assert!(loaded(bone, &rest).rig.is_some());
    });
    timed("a hundred thousand fades", || {
        let parts = "(clip: \"c\", fade: 0.5),".repeat(100_000);
        let loaded = loaded(bone, &play(&format!("play: [\"c\", {parts}]")));
        let scene = loaded.rig.expect("nothing is wrong with it");
        let mut state = FrameState::new(&scene);
        scene.pose(scene.clip("s"), 30_000.3, &mut state).expect("no loop");
    });
    timed("too many fades", || {
        let bones: String = (0..10_000).map(|i| format!("\"b{i}\": (from: (0, 0), length: 9),")).collect();
        let parts = "(clip: \"c\", fade: 0.5),".repeat(10_000);
        let found = messages(&format!("{bones} {bone}"), &play(&format!("play: [\"c\", {parts}]")));
        assert_eq!(found, ["shot \"s\" has too many fades and layers"]);
    });
    timed("too many layers", || {
        let layers = "(clip: \"c\", fade: 0.1),".repeat(100_000);
        let found = messages(bone, &play(&format!("play: [\"c\"], layers: [{layers}]")));
        assert_eq!(found, ["shot \"s\" has too many fades and layers"]);
    });
    timed("too many weights", || {
        let keys: String = (0..100_000).map(|i| format!("({i}e-6, 0.{}),", i % 9)).collect();
        let found =
            messages(bone, &play(&format!("play: [\"c\"], layers: [(clip: \"c\", weight: [{keys}])]")));
        assert_eq!(found, ["`weight` of a layer must have at most 1000 keys"]);
    });
    timed("many shots", || {
        let shots: String = (0..50_000).map(|i| format!("\"s{i}\": (play: [\"c\"]),")).collect();
        assert!(loaded(bone, &format!("clips: {{{clip}}}, shots: {{{shots}}}")).rig.is_some());
    });
}

#[test]
fn extreme_numbers_play_or_are_errors() {
    let bone = "\"b\": (from: (0, 0), length: 9)";
    let clip = "\"c\": (length: 1, loop: true, bones: {\"b\": (rotate: [(0, 0), (1, 9)])})";
    for number in ["1e308", "-1e308", "1e-308", "-0", "0", "-1", "0.5", "1e18"] {
        for field in ["repeat", "from", "speed", "length", "fade"] {
            for rest in [
                format!("play: [\"c\", (clip: \"c\", {field}: {number})]"),
                format!("play: [(clip: \"c\", {field}: {number})], loop: true"),
                format!("play: [\"c\"], layers: [(clip: \"c\", {field}: {number})]"),
                format!("play: [\"c\"], layers: [(clip: \"c\", start: {number}, weight: [({number}, 0.5)])]"),
                format!("play: [\"c\"], length: {number}, step: {number}"),
            ] {
                let loaded = loaded(bone, &format!("clips: {{{clip}}}, shots: {{\"s\": ({rest})}}"));
                assert_eq!(loaded.rig.is_none(), loaded.diagnostics.has_errors(), "{rest}");
                let Some(scene) = loaded.rig else { continue };
                let mut state = FrameState::new(&scene);
                for time in [0.0, 0.5, 1e9, -1e300, f64::NAN, f64::NEG_INFINITY] {
                    scene.pose(scene.clip("s"), time, &mut state).expect("no loop");
                    scene.write_svg(&mut state);
                }
            }
        }
    }
}
