//! Clips, drivers and overrides together, by the sums and means that their documentation gives.

use std::path::Path;
use std::sync::Arc;

use bone_archive::{Archive, pack, unpack};
use bone_core::clip::{ClipBuilder, Curve, Drive, Driver, Extend, Key, Scalar, Tracks, smoothstep};
use bone_core::constraint::{AttachmentPoint, ConstraintStatus, ConstraintTrack};
use bone_core::{Angle, BoneId, BonePose};
use bone_drawing::ArtProperty;
use bone_drawing::Visibility;
use bone_format::{InMemory, load, no_fonts};
use bone_rig::parts::{ClipData, ConstraintTracks, RigParts};
use bone_rig::{
    BoneMotion, BoneOverride, Choice, ConstraintOverride, FrameState, Handle, LayerOptions, Mixer,
    MixerEvent, OverrideError, Overrides, Rig, RigClip, RigDriver,
};
use kurbo::{Point, Vec2};

const SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100'><path id='leaf' d='M1 1H80V80Z'/>\
    <g id='faces'><path id='glad' d='M1 1h5v5z'/><path id='sad' style='display:none' d='M1 1h5v5z'/></g></svg>";

const BONES: &str = r#"
    "upper": (from: (20, 50), to: (50, 50)),
    "fore": (parent: "upper", to: (80, 50)),
    "eye": (from: (10, 10), length: 5),
    "ball": (from: (90, 90), length: 5),
    "pole": (from: (0, 0), to: (20, 0)),
    "cloth": (parent: "pole", length: 30),
"#;

fn rig(rest: &str) -> Rig {
    loaded(&format!("bones: {{{BONES}}}, {rest}"), SVG)
}

fn loaded(content: &str, svg: &str) -> Rig {
    let text = format!("Rig(version: 1, drawing: \"a.svg\", {content})");
    let files = InMemory::new().with("a.ron", text).with("a.svg", svg);
    let loaded = load(Path::new("a.ron"), Arc::new(files), &no_fonts);
    let messages: Vec<&str> = loaded.diagnostics.iter().map(|d| d.message.as_str()).collect();
    loaded.rig.unwrap_or_else(|| panic!("{messages:#?}"))
}

fn find(rig: &Rig, bone: &str) -> BoneId {
    rig.skeleton().find(bone).expect("a bone")
}

fn posed(rig: &Rig, clip: &str, time: f64) -> FrameState {
    let mut state = FrameState::new(rig);
    rig.pose(rig.clip(clip), time, &mut state).expect("its own clip");
    state
}

fn leaf(rig: &Rig, state: &FrameState) -> Visibility {
    let element = rig.art().find("leaf").expect("art");
    state.visibilities()[rig.draw_order().index(element).expect("it is drawn in an order")]
}

fn degrees(rig: &Rig, state: &FrameState, bone: &str) -> f64 {
    let bone = find(rig, bone);
    (state.driven().bones[bone.index()].angle - rig.skeleton().setup(bone).angle).degrees()
}

/// Half way through a fade the opacity is the mean of both, and what steps is that of the second clip.
#[test]
fn art_is_mixed_in_a_fade() {
    let rig = rig(r#"clips: {"a": (length: 2, art: {"leaf": (opacity: [(0, 0.4)], order: [(0, 1)])}),
            "b": (length: 2, art: {"leaf": (opacity: [(0, 0.7)], order: [(0, 2)])})},
        shots: {"both": (play: ["a", (clip: "b", fade: 1)])}"#);
    for (since, order) in [(0.0, 1.0), (0.25, 1.0), (0.5, 2.0), (0.75, 2.0), (1.0, 2.0)] {
        let found = leaf(&rig, &posed(&rig, "both", 1.0 + since));
        let mean = 0.4 + (0.7 - 0.4) * smoothstep(since);
        assert!((found.opacity - mean).abs() < 1e-12 && found.order == order, "{since}: {found:?}");
    }
}

/// A driver makes nothing more than opaque, so another one still counts as a whole.
#[test]
fn driven_opacities_are_shares() {
    let rig = rig(r#"drivers: [
            (bone: "pole", art: {"leaf": (opacity: (keys: [(0, 1, Linear), (10, 0.5)], extend: Linear))}),
            (bone: "pole", art: {"leaf": (opacity: [(0, 0.5)])}),
        ]"#);
    for (turn, expected) in [(-10.0, 0.5), (0.0, 0.5), (10.0, 0.25), (30.0, 0.0)] {
        let (mut state, mut overrides) = (FrameState::new(&rig), Overrides::new());
        let by = BonePose { angle: Angle::from_degrees(turn), ..BonePose::REST };
        overrides.bones.set(find(&rig, "pole"), BoneOverride::Add(by));
        rig.pose_with(None, 0.0, &overrides, &mut state).expect("its own bone");
        assert!((leaf(&rig, &state).opacity - expected).abs() < 1e-12, "{turn}");
    }
}

#[test]
fn a_switch_shows_one_child_and_what_is_as_drawn_is_known() {
    let rig = rig(r#"clips: {"a": (length: 1, art: {"faces": (switch: [(0, "sad")])})}"#);
    let order = rig.draw_order();
    let shown = [(Choice::AsDrawn, true), (Choice::Child(0), true), (Choice::Child(1), false)];
    for (choice, as_drawn) in shown.into_iter().chain([(Choice::Nothing, false)]) {
        assert_eq!(order.is_as_drawn(0, choice), as_drawn, "{choice:?}");
        assert!(!order.is_as_drawn(1, choice));
    }
    let group = order.switches[0].group;
    for (child, known) in [(0, true), (1, true), (2, false), (9, false)] {
        let mut overrides = Overrides::new();
        overrides.art.set((group, ArtProperty::Switch), Choice::Child(child).value());
        let posed = rig.pose_with(None, 0.0, &overrides, &mut FrameState::new(&rig));
        let unknown = Err(OverrideError::UnknownSwitch { element: group });
        assert_eq!(posed, if known { Ok(()) } else { unknown }, "{child}");
    }
}

/// A length of so many frames has so many, whatever its last bit is: a loop without its end, any other clip
/// with it.
#[test]
fn clips_have_the_frames_of_their_length() {
    let rig = rig(r#"clips: {"a": (length: 1)}"#);
    let data = rig.clips()[0].data().expect("a keyed clip");
    let clip = |length: f64, looped: bool| {
        let motion = ClipBuilder::new(length).looped(looped).build(rig.skeleton()).expect("a length");
        RigClip::from_clip("a".to_owned(), ClipData { motion: Arc::new(motion), ..(**data).clone() })
    };
    for fps in [12.0, 24.0, 25.0, 30_000.0 / 1001.0, 30.0, 59.94, 60.0] {
        for count in 1..700_u32 {
            let length = f64::from(count) / fps;
            assert_eq!(clip(length, true).frame_count(fps), u64::from(count), "{count} at {fps}");
            assert_eq!(clip(length, false).frame_count(fps), u64::from(count) + 1, "{count} at {fps}");
        }
    }
}

const RULES: &str = r#"constraints: [
    Ik(name: "reach", tip: "fore", target: (60, 50), mix: 0),
    Aim(name: "look", bone: "eye", target: (80, 10), mix: 0),
    Distance(name: "leash", bone: "ball", target: (90, 10), distance: 30),
],"#;

/// Half way through a fade: the mean of the strengths; the place by strength and weight; the distance by
/// weight, from that of the constraint; the side of the later clip.
#[test]
fn parameters_of_constraints_are_mixed_by_weight() {
    let rig = rig(&format!(
        r#"{RULES} clips: {{
            "a": (length: 2, constraints: {{"look": (mix: [(0, 0.5)], target: [(0, (60, 20))]),
                "reach": (mix: [(0, 1)], bend: [(0, Left)])}}),
            "b": (length: 2, constraints: {{"look": (mix: [(0, 1)], target: [(0, (40, 60))]),
                "leash": (distance: [(0, 50)]), "reach": (mix: [(0, 1)], bend: [(0, Right)])}}),
        }}, shots: {{"both": (play: ["a", (clip: "b", fade: 1)])}}"#
    ));
    for since in [0.2, 0.5, 0.8] {
        let (state, share) = (posed(&rig, "both", 1.0 + since), smoothstep(since));
        let (first, second) = (0.5 * (1.0 - share), share);
        let place = (Vec2::new(60.0, 20.0) * first + Vec2::new(40.0, 60.0) * second) / (first + second);
        let aimed = Angle::of(place - Vec2::new(10.0, 10.0)).degrees() * (first + second);
        assert!((degrees(&rig, &state, "eye") - aimed).abs() < 1e-9, "{since}");
        let ball = state.world().origin(find(&rig, "ball"));
        let kept = 30.0 + (50.0 - 30.0) * share;
        assert!((ball - Point::new(90.0, 10.0 + kept)).hypot() < 1e-9, "{since}: {ball:?}");
        // Left of the way to the right is up.
        let elbow = |state: &FrameState| state.world().origin(find(&rig, "fore")).y - 50.0;
        assert!(elbow(&posed(&rig, "a", 1.0)) < -1.0 && elbow(&state) > 1.0, "{since}");
    }
}

/// An override of a target is nearer than the clip.
#[test]
fn an_overridden_place_replaces_that_of_the_clip() {
    let rig = rig(&format!(
        r#"{RULES} clips: {{"a": (length: 2, constraints: {{"look": (mix: [(0, 1)], target: [(0, (60, 20))])}})}}"#
    ));
    let (mut state, mut overrides) = (FrameState::new(&rig), Overrides::new());
    let place = Some(Point::new(10.0, 70.0));
    let look = rig.find_constraint("look").expect("it has a name");
    overrides.constraints.set(look, ConstraintOverride { place, ..ConstraintOverride::default() });
    rig.pose_with(rig.clip("a"), 0.5, &overrides, &mut state).expect("its own constraint");
    assert!((degrees(&rig, &state, "eye") - 90.0).abs() < 1e-9);
}

/// A driver that reads what a constraint moves is applied once, after it, and what it drives is placed.
#[test]
fn a_driver_after_constraints_counts_once() {
    let rig = rig(&format!(
        r#"{RULES} drivers: [(bone: "fore", bones: {{"pole": (rotate: (keys: [(0, 0, Linear), (90, 45)], extend: Linear))}})],
        clips: {{"a": (length: 1, bones: {{"fore": (rotate: [(0, 30)])}}, constraints: {{"reach": (mix: [(0, 1)])}})}}"#
    ));
    assert!(rig.drivers()[0].after_constraints);
    let state = posed(&rig, "a", 0.5);
    let (fore, pole) = (degrees(&rig, &state, "fore"), degrees(&rig, &state, "pole"));
    assert!((fore - 30.0).abs() > 5.0 && (pole - 0.5 * fore).abs() < 1e-9, "{fore} {pole}");
    // At rest both bones point to the right.
    let cloth = find(&rig, "cloth");
    let expected = Point::ZERO + Angle::from_degrees(pole).direction() * 20.0;
    assert!((state.world().origin(cloth) - expected).hypot() < 1e-9, "{:?}", state.world().origin(cloth));
}

/// A pin without a place holds during its contacts alone, one of which goes on after the seam of the loop.
#[test]
fn a_pin_is_off_outside_of_its_contacts() {
    let rig = rig(r#"constraints: [Pin(name: "stay", bone: "fore")], clips: {
            "a": (length: 1, loop: true, bones: {"upper": (rotate: [(0, 10), (0.5, -30), (1, 10)])},
                constraints: {"stay": (holds: [(from: 0.8, until: 1.2)])}),
            "b": (length: 1, loop: true, bones: {"upper": (rotate: [(0, 10), (0.5, -30), (1, 10)])}),
        }"#);
    let fore = find(&rig, "fore");
    let tip = |clip: &str, time: f64| {
        let state = posed(&rig, clip, time);
        (state.world().tip(rig.skeleton(), state.driven(), fore), state.statuses()[0])
    };
    let held = tip("b", 0.8).0;
    for time in [0.8, 0.9, 1.0, 1.1, 0.05, 0.15, 2.15] {
        let (at, status) = tip("a", time);
        assert!((at - held).hypot() < 1e-6 && status == ConstraintStatus::Met, "{time}: {at:?} {held:?}");
        assert!(time == 0.8 || (tip("b", time).0 - held).hypot() > 1.0, "{time}: the clip moves it");
    }
    for time in [0.25, 0.5, 0.75] {
        assert_eq!(tip("a", time), (tip("b", time).0, ConstraintStatus::Off), "{time}");
    }
    let mut state = FrameState::new(&rig);
    rig.pose(None, 0.0, &mut state).expect("a pose");
    assert_eq!(state.statuses(), [ConstraintStatus::Off]);
}

const LIMB: &str = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 400 400'>\
    <linearGradient id='g' gradientUnits='userSpaceOnUse' x1='200' y1='170' x2='200' y2='230'><stop stop-color='#fc3'/><stop offset='1' stop-color='#725'/></linearGradient>\
    <path id='limb' d='M75 170H325C345 170 345 230 325 230H75C55 230 55 170 75 170Z' fill='url(#g)' stroke='#000' stroke-width='3'/></svg>";

/// Of a limb that moves as a whole the gradient is not bent, and a stroke that grows with its bones is as
/// much wider as they are larger.
#[test]
fn paint_follows_a_limb_that_moves_as_a_whole() {
    let rig = loaded(
        r#"bones: {"upper": (from: (60, 200), to: (200, 200)), "fore": (parent: "upper", to: (340, 200))},
        skin: [Smooth(art: "limb", stroke: Uniform)], clips: {
            "turn": (length: 1, bones: {"upper": (rotate: [(0, 50)])}),
            "grow": (length: 1, bones: {"upper": (scale: [(0, (1.5, 1.5))], rotate: [(0, -20)])}),
            "bend": (length: 1, bones: {"fore": (rotate: [(0, 70)])}),
        }"#,
        LIMB,
    );
    for (clip, bent, width) in [("turn", false, 1.0), ("grow", false, 1.5), ("bend", true, 1.0)] {
        let state = posed(&rig, clip, 0.5);
        assert_eq!(rig.bent_paints(&state).count(), usize::from(bent), "{clip}");
        let found = &state.frame().looks;
        assert!(!found.is_empty(), "{clip}");
        if !bent {
            assert!(
                found.iter().all(|look| (look.lengths.dash_scale - width).abs() < 1e-6),
                "{clip}: {found:?}"
            );
        }
    }
}

/// A held drawing holds its springs.
#[test]
fn springs_are_held_on_twos() {
    let mut rig = rig(r#"fps: 24, springs: [(chain: "cloth")],
        clips: {"a": (length: 2, bones: {"pole": (rotate: [(0, 0), (0.5, 60), (1, 0)])})}"#);
    rig.set_step(2);
    let frame = |frame: u32| posed(&rig, "a", f64::from(frame) / 24.0);
    for drawing in 0..20 {
        let (first, second) = (frame(2 * drawing), frame(2 * drawing + 1));
        assert_eq!(first.driven(), second.driven(), "{drawing}");
        assert_ne!(second.driven(), frame(2 * drawing + 2).driven(), "{drawing}");
    }
}

const PLAYED: &str = r#"springs: [(chain: "cloth", gravity: (0, 400))], clips: {
    "up": (length: 1, loop: true, bones: {"pole": (rotate: [(0, 80)])}),
    "nod": (length: 1, bones: {"eye": (rotate: [(0, 0, Linear), (1, 40)])}),
}"#;

/// A fade begins and ends slowly, and one that is stopped on its way goes back from where it is.
#[test]
fn fades_of_a_running_program_are_smooth_and_can_be_stopped() {
    let rig = rig(PLAYED);
    let (mut state, mut mixer) = (FrameState::new(&rig), Mixer::new(&rig));
    let fading = LayerOptions { fade: 1.0, weight: 0.8, ..LayerOptions::default() };
    let nod = mixer.layer(&rig, rig.clip("nod").expect("a clip"), fading).expect("its own clip");
    let mut share = |mixer: &mut Mixer, seconds: f64| {
        mixer.step(&rig, seconds, &mut state).expect("a pose");
        mixer.share(nod)
    };
    // 3 s^2 - 2 s^3 at a quarter, a half and three quarters.
    for expected in [0.15625, 0.5, 0.84375] {
        assert_eq!(share(&mut mixer, 0.25), Some(0.8 * expected));
    }
    mixer.stop(&rig, nod, 0.5).expect("it plays");
    for expected in [0.84375, 0.5] {
        assert!((share(&mut mixer, 0.125).expect("it fades") - 0.8 * 0.84375 * expected).abs() < 1e-12);
    }
    assert_eq!(share(&mut mixer, 0.25), None);
}

/// A figure that appears in a clip has its springs at rest there, whatever was shown before.
#[test]
fn what_is_played_at_once_begins_at_rest() {
    let rig = rig(PLAYED);
    let up = rig.clip("up").expect("a clip");
    let cloth = |before: u32| {
        let (mut state, mut mixer) = (FrameState::new(&rig), Mixer::new(&rig));
        for _ in 0..before {
            mixer.step(&rig, 0.1, &mut state).expect("a pose");
        }
        mixer.play(&rig, up, 0.0).expect("its own clip");
        mixer.step(&rig, 0.1, &mut state).expect("a pose");
        degrees(&rig, &state, "cloth")
    };
    let alone = cloth(0);
    assert!(alone.abs() > 0.1, "gravity turns it: {alone}");
    assert!((cloth(5) - alone).abs() < 1e-5, "{} {alone}", cloth(5));
}

#[test]
fn a_clip_that_went_back_ends_again() {
    let rig = rig(PLAYED);
    let (mut state, mut mixer) = (FrameState::new(&rig), Mixer::new(&rig));
    let of = mixer.play(&rig, rig.clip("nod").expect("a clip"), 0.0).expect("its own clip");
    let mut step = |mixer: &mut Mixer, seconds: f64, speed: f64| {
        mixer.set_speed(of, speed).expect("it plays");
        mixer.step(&rig, seconds, &mut state).expect("a pose");
        mixer.events().to_vec()
    };
    let ended = [MixerEvent::Ended { of }];
    assert_eq!(step(&mut mixer, 1.5, 1.0), ended);
    assert_eq!(step(&mut mixer, 0.5, 1.0), []);
    assert_eq!(step(&mut mixer, 0.5, -1.0), []);
    assert_eq!(step(&mut mixer, 0.25, 1.0), []);
    assert_eq!(step(&mut mixer, 0.25, 1.0), ended);
    assert_eq!(step(&mut mixer, 0.25, -1.0), []);
    assert_eq!(step(&mut mixer, 2.0, -1.0), ended);
    // To and fro, each way in one step: also just as far as the other end.
    for _ in 0..2 {
        assert_eq!(step(&mut mixer, 2.0, 1.0), ended);
        assert_eq!(step(&mut mixer, 1.0, -1.0), ended);
        assert_eq!(step(&mut mixer, 0.25, -1.0), []);
        assert_eq!(step(&mut mixer, 1.0, 1.0), ended);
        assert_eq!(step(&mut mixer, 2.0, -1.0), ended);
    }
}

#[test]
fn increments_are_added_and_factors_multiplied() {
    let pose = |x: f64, degrees: f64, scale: f64, stretch: f64| BonePose {
        origin: Vec2::new(x, 1.0),
        angle: Angle::from_degrees(degrees),
        scale: Vec2::new(scale, 2.0),
        stretch,
    };
    let (own, by) = (pose(3.0, 20.0, 1.5, 1.5), pose(4.0, 30.0, 0.5, 2.0));
    let sum =
        BonePose { origin: Vec2::new(7.0, 2.0), scale: Vec2::new(0.75, 4.0), ..pose(0.0, 50.0, 0.0, 3.0) };
    assert_eq!(BoneOverride::Add(by).of(&own), sum);
    assert_eq!(BoneOverride::Set(own).plus(&by), BoneOverride::Set(sum));
    assert_eq!(BoneOverride::Add(own).plus(&by), BoneOverride::Add(sum));
}

/// A grip behind a bone, and a bone of uneven scale: it turns by the shorter way, until the grip lies in the
/// direction of the pointer.
#[test]
fn a_turned_bone_goes_the_shorter_way_to_the_pointer() {
    let rig = rig("");
    let pole = find(&rig, "pole");
    for scale in [Vec2::new(1.0, 1.0), Vec2::new(2.0, 0.4)] {
        for (grip, pointer) in
            [((-10.0, 2.0), (-8.0, -3.0)), ((-10.0, -2.0), (-8.0, 3.0)), ((6.0, 5.0), (-3.0, 9.0))]
        {
            let (mut state, mut overrides) = (FrameState::new(&rig), Overrides::new());
            let own = BonePose { scale, angle: Angle::from_degrees(720.0), ..BonePose::REST };
            overrides.bones.set(pole, BoneOverride::Set(own));
            let (grip, pointer) = (Point::from(grip), Point::from(pointer));
            let handle = Handle::Bone { bone: pole, grip, motion: BoneMotion::Rotate };
            let found = rig.drag(None, 0.0, &mut overrides, handle, pointer, &mut state).expect("a bone");
            // Its origin is that of the canvas.
            let (found, wanted) = (found.to_vec2(), pointer.to_vec2());
            assert!(
                found.cross(wanted).abs() < 1e-9 * found.hypot() * wanted.hypot() && found.dot(wanted) > 0.0
            );
            let by = (state.pose().bones[pole.index()].angle - own.angle).degrees();
            assert!(by.abs() < 180.0, "{grip:?}: {by}");
        }
    }
}

/// A chain with one goal and one end that is held in place is dragged at its goal.
#[test]
fn the_goal_of_a_chain_moves_although_another_end_is_held() {
    let rig = rig(
        r#"constraints: [Ik(name: "both", tip: "fore", target: (60, 50), chain: 2, also: [(tip: "upper", chain: 1)])]"#,
    );
    let (mut state, mut overrides) = (FrameState::new(&rig), Overrides::new());
    let fore = find(&rig, "fore");
    let handle = Handle::Tip { bone: fore, point: AttachmentPoint::Tip, chain: 2 };
    let at = Point::new(62.0, 56.0);
    rig.drag(None, 0.0, &mut overrides, handle, at, &mut state).expect("its goal is on the canvas");
    assert_eq!(overrides.constraints.iter().len(), 1);
}

/// The parts of a rig, and the version of its bytes.
fn parts(rig: &Rig) -> (RigParts, Vec<u8>, u32) {
    let bytes = rig.save();
    let version = u32::from_le_bytes(bytes[8..12].try_into().expect("four bytes"));
    (unpack(version, &bytes, RigParts::read).expect("its own bytes"), bytes, version)
}

#[test]
fn parts_that_do_not_agree_are_no_rig() {
    let rig = rig(RULES);
    assert!(Rig::new(parts(&rig).0).is_some());
    let turn = || Curve::new(vec![Key::new(0.0, 5.0)], Extend::Hold).expect("a key");
    let foreign = BoneId::new(99);
    for (drives, driven, fits) in [(0, 1, true), (99, 1, false), (0, 99, false)] {
        let (mut parts, ..) = parts(&rig);
        let tracks = Tracks::new().scalar(BoneId::new(driven), Scalar::Rotate, turn());
        let motion = Driver::new(BoneId::new(drives), Drive::Rotate, tracks).expect("it adds");
        let (offsets, art) = Default::default();
        parts.drivers.push(RigDriver { motion, slider: None, offsets, art, after_constraints: false });
        assert_eq!(Rig::new(parts).is_some(), fits, "{drives} {driven}");
    }
    let (mut lost, ..) = parts(&rig);
    lost.points.push(foreign);
    assert!(Rig::new(lost).is_none());
    for fps in [0.0, -24.0] {
        let (mut parts, _, version) = parts(&rig);
        parts.fps = fps;
        assert!(Rig::load(&pack(version, &parts)).is_err(), "{fps}");
    }
}

/// Tracks are searched for by halves, so those in another order are refused.
#[test]
fn tracks_of_constraints_are_in_order() {
    let tracks = |indices: &[usize]| {
        let all = indices.iter().map(|index| (*index, ConstraintTrack::default()));
        let bytes = pack(1, &ConstraintTracks(all.collect()));
        unpack(1, &bytes, ConstraintTracks::read).is_ok()
    };
    assert!(tracks(&[]) && tracks(&[3]) && tracks(&[0, 2, 5]));
    assert!(!tracks(&[2, 0, 5]) && !tracks(&[0, 5, 2]));
}
