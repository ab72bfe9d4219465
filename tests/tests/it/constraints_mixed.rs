//! Constraints together with everything else that moves bones: clips with different parameters, fades,
//! drivers, springs.

use std::sync::Arc;

use bone_format::{InMemory, load, no_fonts};
use bone_rig::{FrameState, Rig};
use kurbo::Affine;

const SVG: &str =
    r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 99 99"><path id="a" d="M1 1H80V80Z"/></svg>"#;

/// An arm with two constraints, a wheel with a driver, and hair on the hand.
const BONES: &str = r#"
    "upper": (from: (20, 50), to: (50, 60)),
    "fore": (parent: "upper", to: (80, 50)),
    "hand": (parent: "fore", length: 10),
    "hair_1": (parent: "hand", length: 12),
    "hair_2": (parent: "hair_1", length: 12),
    "eye": (from: (10, 10), length: 5),
    "wheel": (from: (90, 90), length: 5),
"#;

fn scene(rest: &str) -> Rig {
    let rig = format!("Rig(version: 1, drawing: \"a.svg\", bones: {{{BONES}}}, {rest})");
    let files = InMemory::new().with("a.ron", rig).with("a.svg", SVG);
    let loaded = load("a.ron".as_ref(), Arc::new(files), &no_fonts);
    let messages: Vec<&str> = loaded.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert!(messages.is_empty(), "{messages:#?}");
    loaded.rig.expect("a rig")
}

fn frame(scene: &Rig, clip: &str, time: f64, state: &mut FrameState) -> Vec<Affine> {
    scene.pose(Some(scene.clip(clip).expect("the clip")), time, state).expect("no loop");
    state.world().matrices().to_vec()
}

fn bits(frame: &[Affine]) -> Vec<u64> {
    frame.iter().flat_map(|m| m.as_coeffs()).map(f64::to_bits).collect()
}

const CONSTRAINTS: &str = r#"constraints: [
    Ik(name: "reach", tip: "fore", target: (60, 20), mix: 0),
    Aim(name: "look", bone: "eye", target: (80, 80), mix: 0),
],"#;

const CLIPS: &str = r#"
    "grab": (length: 2, bones: {"upper": (rotate: [(0, 0), (2, 20)])}, constraints: {
        "reach": (mix: [(0, 1)], target: [(0, (60, 20)), (2, (70, 40))]),
    }),
    "stare": (length: 2, bones: {"upper": (rotate: [(0, 0), (2, -30)])}, constraints: {
        "look": (mix: [(0, 0.5), (2, 1)]),
    }),
"#;

#[test]
fn a_fade_between_clips_with_different_constraints_ends_exactly() {
    let shot = r#"shots: {"both": (play: [(clip: "grab"), (clip: "stare", fade: 1)])},"#;
    let scene = scene(&format!("{CONSTRAINTS} clips: {{{CLIPS}}}, {shot}"));
    let mut state = FrameState::new(&scene);
    // The fade runs from 1 to 2: before it one clip, after it the other.
    for time in [0.0, 0.3, 0.999, 1.0] {
        assert_eq!(
            bits(&frame(&scene, "both", time, &mut state)),
            bits(&frame(&scene, "grab", time, &mut state))
        );
    }
    for time in [2.0, 2.5, 3.0] {
        let (both, alone) =
            (frame(&scene, "both", time, &mut state), frame(&scene, "stare", time - 1.0, &mut state));
        assert_eq!(bits(&both), bits(&alone), "{time}");
    }
    // In between the mix of each goes with its clip's share, and nothing jumps.
    let mut before = frame(&scene, "both", 0.99, &mut state);
    for k in 0..=400 {
        let now = frame(&scene, "both", 0.99 + 0.0026 * f64::from(k), &mut state);
        for (a, b) in before.iter().zip(&now) {
            let way = a.as_coeffs().iter().zip(b.as_coeffs()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(way < 0.6, "{way} at frame {k}");
        }
        before = now;
    }
}

/// The share of a constraint half way through a fade is half of it: the arm's angles lie half way between
/// those with and without.
#[test]
fn constraint_mixes_are_blended() {
    let still = r#"
        "on": (length: 2, constraints: {"reach": (mix: [(0, 0.8)])}),
        "off": (length: 2, bones: {"wheel": (rotate: [(0, 0)])}),
        "full": (length: 2, constraints: {"reach": (mix: [(0, 1)])}),
    "#;
    let shot = r#"shots: {"fade": (play: [(clip: "on"), (clip: "off", fade: 1)])},"#;
    let scene = scene(&format!("{CONSTRAINTS} clips: {{{still}}}, {shot}"));
    let mut state = FrameState::new(&scene);
    let upper = scene.skeleton().find("upper").expect("it");
    let mut angle = |clip: &str, time: f64| {
        frame(&scene, clip, time, &mut state);
        state.driven().bones[upper.index()].angle.degrees()
    };
    let (none, all) = (angle("off", 0.0), angle("full", 0.0));
    assert!((none - all).abs() > 5.0);
    let at = |share: f64| none + (all - none) * share;
    assert!((angle("on", 0.0) - at(0.8)).abs() < 1e-9);
    assert!((angle("fade", 1.5) - at(0.4)).abs() < 1e-9, "half of 0.8");
}

const SPRINGS: &str = r#"springs: [(chain: "hair_1")],"#;

fn rig_with_springs() -> Rig {
    let drivers = r#"drivers: [(bone: "wheel", bones: {"upper": (rotate: [(0, 0), (90, 40)])})],"#;
    let clips = r#"clips: {"turn": (length: 2, bones: {"wheel": (rotate: [(0, 0), (1, 90), (2, 0)])},
        constraints: {"reach": (mix: [(0, 0), (1, 1), (2, 0)])})},"#;
    scene(&format!("{CONSTRAINTS} {drivers} {SPRINGS} {clips}"))
}

/// Drivers first, then constraints, then springs: springs on the hand do not change the result of driver and
/// constraint, and the hair starts at the hand.
#[test]
fn springs_follow_bones_that_constraints_moved() {
    let scene = rig_with_springs();
    let skeleton = scene.skeleton();
    let mut state = FrameState::new(&scene);
    let [fore, hand, hair] = ["fore", "hand", "hair_1"].map(|bone| skeleton.find(bone).expect("it"));
    let mut swung = 0.0_f64;
    for k in 0..=48 {
        let time = f64::from(k) / 24.0;
        frame(&scene, "turn", time, &mut state);
        let world = state.world();
        let (driven, tip) = (state.driven(), world.tip(skeleton, state.driven(), fore));
        if k == 24 {
            assert!((tip - kurbo::Point::new(60.0, 20.0)).hypot() < 1e-9, "it is there: {tip:?}");
        }
        let gap = world.origin(hair) - world.tip(skeleton, driven, hand);
        assert!(gap.hypot() < 1e-9, "the hair starts at the hand");
        swung = swung.max(driven.bones[hair.index()].angle.degrees().abs());
    }
    assert!(swung > 1.0, "it swings by {swung} degrees");
}

#[test]
fn single_frames_equal_frames_in_order() {
    let scene = rig_with_springs();
    let mut state = FrameState::new(&scene);
    let in_order: Vec<_> =
        (0..=48).map(|k| bits(&frame(&scene, "turn", f64::from(k) / 24.0, &mut state))).collect();
    for k in [48, 7, 24, 0, 31] {
        let mut alone = FrameState::new(&scene);
        assert_eq!(
            bits(&frame(&scene, "turn", f64::from(k) / 24.0, &mut alone)),
            in_order[k as usize],
            "{k}"
        );
    }
}

/// A driver that reads what a constraint moves sees what is drawn: the driven number is the one of the placed
/// pose, by the keys of the driver.
#[test]
fn drivers_after_constraints_read_their_results() {
    let drivers = r#"drivers: [
        (bone: "fore", bones: {"wheel": (rotate: (keys: [(0, 0), (90, 45)], ease: Linear, extend: Linear))}),
        (bone: "wheel", bones: {"wheel": (stretch: (keys: [(0, 1), (10, 1.3)], ease: Linear, extend: Linear))}),
    ],"#;
    let springs = r#"springs: [(chain: "hair_1", stiffness: 3)],"#;
    let scene = scene(&format!("{CONSTRAINTS} {drivers} {springs} clips: {{{CLIPS}}}"));
    assert!(scene.drivers().iter().all(|driver| driver.after_constraints));
    let skeleton = scene.skeleton();
    let find = |name| skeleton.find(name).expect("the bone");
    let (mut state, mut seen) = (FrameState::new(&scene), Vec::new());
    for time in [0.0, 0.7, 1.4, 2.0] {
        frame(&scene, "grab", time, &mut state);
        let turn = |name| {
            let bone = find(name);
            (state.driven().bones[bone.index()].angle - skeleton.setup(bone).angle).degrees()
        };
        let fore = turn("fore");
        assert!(fore.abs() > 5.0, "the constraint bends it: {fore}");
        assert!((turn("wheel") - 0.5 * fore).abs() < 1e-9);
        let stretch = state.driven().bones[find("wheel").index()].stretch;
        assert!((stretch - (1.0 + 0.03 * 0.5 * fore)).abs() < 1e-9);
        // What they did is in the places, too.
        let world = state.world().matrix(find("wheel"));
        let setup = skeleton.setup_angle(find("wheel")).degrees();
        let [a, b, ..] = world.as_coeffs();
        let (sin, cos) = bone_core::Angle::from_degrees(setup + 0.5 * fore).sin_cos();
        assert!((a - cos).abs() < 1e-9 && (b - sin).abs() < 1e-9);
        seen.push(bits(state.world().matrices()));
    }
    // Alone and backwards.
    for (time, seen) in [0.0, 0.7, 1.4, 2.0].into_iter().zip(&seen).rev() {
        assert_eq!(&bits(&frame(&scene, "grab", time, &mut state)), seen);
    }
}

/// Two hairs that nothing damps, moved as often as they oscillate, have no periodic motion.
#[test]
fn a_loop_that_springs_cannot_close_has_a_warning() {
    let warnings = |damping: f64| {
        let rest = format!(
            r#"springs: [(chain: "hair_1", stiffness: 1, damping: {damping})], clips: {{"turn": (length: 1, loop: true,
            bones: {{"upper": (rotate: [(0, 0), (0.25, 20), (0.75, -20), (1, 0)])}})}},"#
        );
        let rig = format!("Rig(version: 1, drawing: \"a.svg\", bones: {{{BONES}}}, {rest})");
        let files = InMemory::new().with("a.ron", rig).with("a.svg", SVG);
        let mut loaded = load("a.ron".as_ref(), Arc::new(files), &no_fonts);
        assert!(loaded.diagnostics.is_empty());
        loaded.check_springs();
        loaded.diagnostics.iter().map(|found| found.message.clone()).collect::<Vec<_>>()
    };
    assert!(warnings(0.15).is_empty());
    let found = warnings(0.0);
    assert!(found.len() == 1 && found[0].contains("does not end as it begins"), "{found:?}");
}
