//! Clips of a running program: alone, mixed, and with springs that move live.

use std::sync::Arc;

use bone_core::clip::LayerBlend;
use bone_format::{InMemory, load, no_fonts};
use bone_layer_tests::files::{good_rigs, shown};
use bone_layer_tests::player::Player;
use bone_rig::{FrameState, LayerOptions, Mixer, MixerError, MixerEvent, Overrides, Rig};

fn rig(ron: &str) -> Rig {
    let svg = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 40"><path id="flag" d="M5 5H75V20H5Z"/></svg>"##;
    let files = InMemory::new().with("a.ron", ron).with("a.svg", svg);
    let loaded = load("a.ron".as_ref(), Arc::new(files), &no_fonts);
    loaded
        .rig
        .unwrap_or_else(|| panic!("{:?}", loaded.diagnostics.iter().map(|d| &d.message).collect::<Vec<_>>()))
}

const BONES: &str = r#"version: 1, drawing: "a.svg", bones: { "pole": (from: (5, 12), to: (20, 12)),
    "cloth": (parent: "pole", to: (40, 12)), "end": (parent: "cloth", to: (70, 12)), "meter": (from: (0, 0), to: (9, 0)) },
    skin: [Smooth(art: "flag", bones: ["pole", "cloth", "end"])],"#;

fn degrees(rig: &Rig, state: &FrameState, bone: &str) -> f64 {
    let bone = rig.skeleton().find(bone).expect("a bone");
    (state.driven().bones[bone.index()].angle - rig.skeleton().setup(bone).angle).degrees()
}

/// One clip alone is the clip: poses, art, outlines, constraints and drivers.
#[test]
fn a_clip_alone_is_itself_to_the_bit() {
    const STEP: f64 = 1.0 / 16.0;
    let mut compared = 0;
    for path in good_rigs() {
        let player = Player::open(&path);
        let rig = &player.rig;
        if !rig.springs().is_empty() {
            continue;
        }
        let [mut live, mut alone] = [(); 2].map(|()| FrameState::new(rig));
        for clip in rig.clips().iter().filter(|clip| clip.time().step.is_none()) {
            let mut mixer = Mixer::new(rig);
            mixer.play(rig, clip, 0.0).expect("its own clip");
            let steps = (clip.time().length / STEP).floor().min(12.0) as u32;
            for step in 0..=steps {
                mixer.step(rig, if step == 0 { 0.0 } else { STEP }, &mut live).expect("a pose");
                rig.pose(Some(clip), f64::from(step) * STEP, &mut alone).expect("a pose");
                let place = || format!("{}: {} at step {step}", shown(&path), clip.name());
                assert_eq!(live.driven(), alone.driven(), "{}", place());
                assert_eq!(live.visibilities(), alone.visibilities(), "{}", place());
                assert_eq!(live.posed().paths(), alone.posed().paths(), "{}", place());
                assert_eq!(live.statuses(), alone.statuses(), "{}", place());
                compared += 1;
            }
        }
    }
    assert!(compared > 200, "{compared}");
}

/// Steps of 1/960 s against the baked springs: the mixer is two steps behind.
#[test]
fn springs_at_960_hz_agree_with_the_baked_ones() {
    let rig = rig(&format!(
        r#"Rig({BONES} springs: [(bones: ["cloth", "end"], gravity: (0, 300))],
        clips: {{ "turn": (length: 3, bones: {{ "pole": (rotate: [(0, 0), (0.1, 0), (1, 40), (1.5, -30), (3, 10)]) }}) }})"#
    ));
    let clip = rig.clip("turn").expect("a clip");
    let [mut live, mut baked] = [(); 2].map(|()| FrameState::new(&rig));
    let mut mixer = Mixer::new(&rig);
    mixer.play(&rig, clip, 0.0).expect("its own clip");
    mixer.step(&rig, 0.0, &mut live).expect("a pose");
    let (mut worst, mut most) = (0.0_f64, 0.0_f64);
    for step in 1..=2800 {
        mixer.step(&rig, 1.0 / 960.0, &mut live).expect("a pose");
        // The table has every eighth step.
        if (step - 2) % 8 == 0 {
            rig.pose(Some(clip), f64::from(step - 2) / 960.0, &mut baked).expect("a pose");
            for bone in ["cloth", "end"] {
                worst = worst.max((degrees(&rig, &live, bone) - degrees(&rig, &baked, bone)).abs());
                most = most.max(degrees(&rig, &baked, bone).abs());
            }
        }
    }
    println!("at most {worst:.1e} of {most:.1} degrees off the baked motion");
    assert!(most > 10.0 && worst < 1e-6, "{worst} of {most}");
}

const TURNS: &str = r#"drivers: [(bone: "pole", bones: { "meter": (move: (keys: [(0, (0, 0), Linear), (360, (360, 0))], extend: Linear)) })],
    clips: {
        "high": (length: 1, loop: true, bones: { "pole": (rotate: [(0, 350)]) }),
        "low": (length: 1, loop: true, bones: { "pole": (rotate: [(0, 10)]) }),
        "back": (length: 1, loop: true, bones: { "pole": (rotate: [(0, -100)]) }),
        "spin": (length: 1, bones: { "pole": (rotate: [(0, 0, Linear), (1, 1080)]) }),
        "nod": (length: 1, bones: { "end": (rotate: [(0, 5)]), "pole": (rotate: [(0, 7)]) }),
    }"#;

/// The greatest change of the angle, as drivers see it, from step to step.
fn greatest_change(rig: &Rig, mixer: &mut Mixer, steps: u32, last: &mut Option<f64>) -> f64 {
    let mut state = FrameState::new(rig);
    let mut most = 0.0_f64;
    for _ in 0..steps {
        mixer.step(rig, 1.0 / 240.0, &mut state).expect("a pose");
        let meter = rig.skeleton().find("meter").expect("a bone");
        let now = state.driven().bones[meter.index()].origin.x;
        assert!((now - degrees(rig, &state, "pole")).abs() < 1e-9);
        most = most.max(last.replace(now).map_or(0.0, |last| (now - last).abs()));
    }
    most
}

/// Fades that are cut short by others, of any number at once, take the shorter way, and no number that a
/// driver reads jumps, neither in a fade nor where one ends.
#[test]
fn fades_in_fades_are_continuous_and_leave_no_turns() {
    let rig = rig(&format!("Rig({BONES} {TURNS})"));
    let mut mixer = Mixer::new(&rig);
    let clip = |name: &str| rig.clip(name).expect("a clip");
    mixer.play(&rig, clip("high"), 0.0).expect("a clip");
    let mut last = None;
    assert_eq!(greatest_change(&rig, &mut mixer, 10, &mut last), 0.0);
    assert_eq!(last, Some(350.0));
    mixer.play(&rig, clip("low"), 0.5).expect("a clip");
    // 20 degrees, smoothly: at most 1.5 times the mean speed.
    let most = greatest_change(&rig, &mut mixer, 240, &mut last);
    assert!(most < 1.6 * 20.0 / 120.0, "{most}");
    assert_eq!(last, Some(370.0));
    let mut all = Vec::new();
    for k in 0..40 {
        let name = ["back", "high", "low"][k * 7 % 3];
        all.push(mixer.play(&rig, clip(name), 0.5).expect("a clip"));
        let most = greatest_change(&rig, &mut mixer, 25, &mut last);
        assert!(most < 1.6 * 180.0 / 120.0, "{most} after {k}");
        assert!(all.iter().filter(|it| mixer.time(**it).is_some()).count() >= 5.min(k));
    }
}

#[test]
fn layers_follow_their_weight_and_their_bones_and_give_turns_back() {
    let rig = rig(&format!("Rig({BONES} {TURNS})"));
    let clip = |name: &str| rig.clip(name).expect("a clip");
    let end = [rig.skeleton().find("end").expect("a bone")];
    let mut state = FrameState::new(&rig);
    let mut mixer = Mixer::new(&rig);
    mixer.play(&rig, clip("low"), 0.0).expect("a clip");
    let only_end = LayerOptions { bones: Some(&end), weight: 0.5, ..LayerOptions::default() };
    let nod = mixer.layer(&rig, clip("nod"), only_end).expect("a clip");
    mixer.step(&rig, 0.1, &mut state).expect("a pose");
    assert_eq!([degrees(&rig, &state, "end"), degrees(&rig, &state, "pole")], [2.5, 10.0]);
    let add = LayerOptions { blend: LayerBlend::Add, weight: 0.5, ..LayerOptions::default() };
    let added = mixer.layer(&rig, clip("nod"), add).expect("a clip");
    mixer.step(&rig, 0.1, &mut state).expect("a pose");
    assert_eq!([degrees(&rig, &state, "end"), degrees(&rig, &state, "pole")], [5.0, 13.5]);
    for layer in [nod, added] {
        mixer.stop(&rig, layer, 0.0).expect("it plays");
    }
    mixer.step(&rig, 0.1, &mut state).expect("a pose");
    assert_eq!([degrees(&rig, &state, "end"), degrees(&rig, &state, "pole")], [0.0, 10.0]);
    // Three whole turns, and back to the pose below by the shorter way.
    let fading = LayerOptions { fade: 0.25, ..LayerOptions::default() };
    let spin = mixer.layer(&rig, clip("spin"), fading).expect("a clip");
    let mut last = None;
    let most = greatest_change(&rig, &mut mixer, 260, &mut last);
    assert!(most < 9.0, "{most}");
    mixer.stop(&rig, spin, 0.25).expect("it plays");
    let most = greatest_change(&rig, &mut mixer, 100, &mut last);
    assert!(most < 1.0, "{most}");
    assert_eq!(last, Some(1090.0));
    assert_eq!(mixer.stop(&rig, spin, 0.0), Err(MixerError::NotPlaying { of: spin }));
}

#[test]
fn speeds_cues_and_events() {
    let rig = rig(&format!("Rig({BONES} {TURNS})"));
    let clip = |name: &str| rig.clip(name).expect("a clip");
    let mut state = FrameState::new(&rig);
    let mut mixer = Mixer::new(&rig);
    let (start, foot) = (mixer.cue(&rig, clip("low"), 0.0), mixer.cue(&rig, clip("low"), 0.25));
    let (start, foot) = (start.expect("a clip"), foot.expect("a clip"));
    let of = mixer.play(&rig, clip("low"), 0.0).expect("a clip");
    let mut step = |mixer: &mut Mixer, seconds: f64| {
        mixer.step(&rig, seconds, &mut state).expect("a pose");
        mixer.events().to_vec()
    };
    let cue = |cue| MixerEvent::Cue { of, cue };
    assert_eq!(step(&mut mixer, 0.0), []);
    assert_eq!(step(&mut mixer, 0.25), [cue(start), cue(foot)]);
    assert_eq!(step(&mut mixer, 0.25), []);
    let mut each_round = [cue(start), cue(foot)].repeat(3);
    each_round.push(MixerEvent::Looped { of, times: 3 });
    assert_eq!(step(&mut mixer, 2.75), each_round);
    mixer.set_speed(of, -2.0).expect("it plays");
    assert_eq!(step(&mut mixer, 0.125), [cue(start)]);
    assert_eq!(mixer.time(of), Some(0.0));
    assert_eq!(step(&mut mixer, 0.125), [MixerEvent::Looped { of, times: 1 }]);
    assert_eq!(mixer.time(of), Some(0.75));
    mixer.set_speed(of, 0.0).expect("it plays");
    assert_eq!(step(&mut mixer, 9.0), []);
    let spin = mixer.play(&rig, clip("spin"), 0.5).expect("a clip");
    assert_eq!(step(&mut mixer, 0.25), []);
    assert_eq!((mixer.share(of), mixer.share(spin)), (Some(0.5), Some(0.5)));
    assert_eq!(step(&mut mixer, 0.25), [MixerEvent::Removed { of }]);
    assert_eq!(step(&mut mixer, 0.75), [MixerEvent::Ended { of: spin }]);
    assert_eq!((mixer.time(of), mixer.time(spin)), (None, Some(1.0)));
    assert_eq!(step(&mut mixer, 0.75), []);
}

/// The same calls give the same bits, and what does not fit is an error that changes nothing.
#[test]
fn steps_are_deterministic_and_mistakes_are_errors() {
    let (one, other) = (rig(&format!("Rig({BONES} {TURNS})")), rig(&format!("Rig({BONES} {TURNS})")));
    let clip = |name: &str| one.clip(name).expect("a clip");
    let run = || {
        let (mut state, mut mixer) = (FrameState::new(&one), Mixer::new(&one));
        let mut seen = Vec::new();
        for k in 0..60 {
            if k % 7 == 0 {
                mixer.play(&one, clip(["spin", "high", "back"][k % 3]), 0.3).expect("a clip");
            }
            mixer.step(&one, 0.01 + 0.001 * k as f64, &mut state).expect("a pose");
            seen.push((state.driven().clone(), state.posed().paths().to_vec()));
        }
        seen
    };
    assert_eq!(run(), run());
    let (mut state, mut mixer) = (FrameState::new(&one), Mixer::new(&one));
    let of = mixer.play(&one, clip("low"), 0.0).expect("a clip");
    mixer.step(&one, 0.1, &mut state).expect("a pose");
    let before = state.driven().clone();
    let other_rig = MixerError::Pose(bone_core::PoseError::OtherRig);
    assert_eq!(mixer.play(&one, &other.clips()[0], 0.0), Err(other_rig.clone()));
    assert_eq!(mixer.step(&other, 0.1, &mut state), Err(other_rig.clone()));
    assert_eq!(mixer.step(&one, 0.1, &mut FrameState::new(&other)), Err(other_rig));
    for wrong in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(mixer.play(&one, clip("low"), wrong), Err(MixerError::Number { value: "fade" })));
        assert!(matches!(mixer.step(&one, wrong, &mut state), Err(MixerError::Number { .. })));
    }
    assert_eq!(mixer.set_weight(of, 0.5), Err(MixerError::NoLayer { of }));
    assert!(mixer.set_speed(of, f64::NAN).is_err() && mixer.set_time(of, f64::INFINITY).is_err());
    mixer.step_with(&one, 0.0, &Overrides::new(), &mut state).expect("a pose");
    assert_eq!(*state.driven(), before);
}
