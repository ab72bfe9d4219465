//! Poses by name: their keys are those of a clip typed by hand, their weights follow the formula on what the clip
//! without them plays.

use std::path::Path;
use std::sync::Arc;

use bone_core::clip::{BoneProperty, Properties, Scalar};
use bone_drawing::ArtProperty;
use bone_format::doc::{
    Channel, Channels, ClipDoc, Key, PoseDoc, PoseWeightDoc, PosedArtDoc, PosedBoneDoc, RigDoc, SingleValues,
    WeightDoc,
};
use bone_format::session::{DocPath, Edit, Named, Session};
use bone_format::span::SourceId;
use bone_format::write::{Comments, Digits, write};
use bone_format::{Diagnostics, InMemory, check, no_fonts, read};
use bone_layer_tests::player::Player;
use bone_rig::{FrameState, Rig};

const DRAWING: &str = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100' width='100' height='100'>\
    <path id='coat' d='M 40 20 L 60 20 L 60 90 L 40 90 Z' fill='#204060' stroke='#000' stroke-width='2'/>\
    <g id='palm.L'><path id='open.L' d='M 1 1 L 9 9 L 1 9 Z'/><path id='closed.L' display='none' d='M 1 1 L 2 9 L 1 9 Z'/></g>\
    <g id='palm.R'><path id='open.R' d='M 91 1 L 99 9 L 91 9 Z'/><path id='closed.R' display='none' d='M 91 1 L 92 9 L 91 9 Z'/></g></svg>";

const POSES: &str = r##"
    "fist.L": (
        bones: { "hand.L": (rotate: 80, move: (3, -2)), "hip": (rotate: 5, move_x: 4), "arm.L": (stretch: 0.5) },
        art: { "palm.L": (switch: "closed.L") },
    ),
    "glow": (
        bones: { "hip": (scale: (1.5, 2)), "arm.L": (rotate: -30), "arm.R": (rotate: 30) },
        art: { "coat": (fill: "#e0a010", opacity: 0.25, stroke_width: 5) },
    ),
    "turn": (bones: { "hip": (rotate: 40) }),
"##;

const BONES: &str = r#"
    "hip": (from: (50, 50), to: (50, 20)),
    "arm.L": (parent: "hip", from: (50, 50), to: (35, 70)), "arm.R": (parent: "hip", from: (50, 50), to: (65, 70)),
    "hand.L": (parent: "arm.L", to: (20, 60)), "hand.R": (parent: "arm.R", to: (80, 60)),
"#;

fn player_with(more: &str, clips: &str) -> Player {
    let rig = format!(
        r#"Rig(version: 1, drawing: "a.svg", bones: {{ {BONES} }}, skin: [Rigid(art: "coat", bone: "hip"),
            Rigid(art: "palm.L", bone: "hand.L"), Rigid(art: "palm.R", bone: "hand.R")], {more}
            poses: {{ {POSES} }}, clips: {{ {clips} }})"#
    );
    let files = InMemory::new().with("a.ron", rig).with("a.svg", DRAWING);
    Player::load(Path::new("a.ron"), Arc::new(files))
}

fn player(clips: &str) -> Player {
    player_with("", clips)
}

/// Everything of a frame, as text.
fn svg(rig: &Rig, clip: &str, time: f64) -> String {
    let mut state = FrameState::new(rig);
    rig.pose(rig.clip(clip), time, &mut state).expect("a pose");
    rig.write_svg(&mut state);
    state.svg().to_owned()
}

fn value(rig: &Rig, clip: &str, (bone, property): (&str, &str), time: f64) -> [f64; 2] {
    let mut state = FrameState::new(rig);
    rig.pose(rig.clip(clip), time, &mut state).expect("a pose");
    let id = rig.skeleton().find(bone).expect("a bone");
    let of = BoneProperty::named(property).expect("a property");
    let value = of.of(&state.pose().bones[id.index()], rig.skeleton().setup(id));
    [value.x, value.y]
}

fn row(rig: &Rig, clip: &str, (art, property): (&str, ArtProperty), time: f64) -> Vec<f64> {
    let mut state = FrameState::new(rig);
    rig.pose(rig.clip(clip), time, &mut state).expect("a pose");
    let element = rig.art().find(art).expect("art");
    let value = state.art().get(rig.draw_order(), property, element).expect("a row");
    value.numbers().to_vec()
}

/// Two clips look the same to the bit.
fn same(player: &Player, one: &str, other: &str, times: u32) {
    for step in 0..=times {
        let time = f64::from(step) / 20.0;
        assert_eq!(svg(&player.rig, one, time), svg(&player.rig, other, time), "{one}, {other} at {time}");
    }
}

#[test]
fn by_a_weight_of_1_a_clip_is_in_the_pose_to_the_bit() {
    let player = player(
        r##""posed": (length: 1, bones: {"hip": (rotate: [(0, 7), (1, 33)]), "hand.L": (rotate: [(0, -50), (0.4, 3)])},
                poses: {"fist.L": [(0, 1)], "glow": [(0, 1)]}),
            "typed": (length: 1, bones: {"hip": (rotate: [(0, 5)], move_x: [(0, 4)], scale: [(0, (1.5, 2))]),
                    "hand.L": (rotate: [(0, 80)], move: [(0, (3, -2))]), "arm.L": (stretch: [(0, 0.5)], rotate: [(0, -30)]),
                    "arm.R": (rotate: [(0, 30)])},
                art: {"palm.L": (switch: [(0, "closed.L")]),
                    "coat": (fill: [(0, "#e0a010")], opacity: [(0, 0.25)], stroke_width: [(0, 5)])})"##,
    );
    same(&player, "posed", "typed", 20);
}

#[test]
fn a_pose_of_the_other_side_is_mirrored() {
    let player = player(
        r##""posed": (length: 1, poses: {"fist.R": [(0, 1)]}),
            "keyed": (length: 1, pose: [(0, "fist.R")]),
            "typed": (length: 1, bones: {"hip": (rotate: [(0, -5)], move_x: [(0, -4)]),
                    "hand.R": (rotate: [(0, -80)], move: [(0, (3, 2))]), "arm.R": (stretch: [(0, 0.5)])},
                art: {"palm.R": (switch: [(0, "closed.R")])})"##,
    );
    same(&player, "posed", "typed", 20);
    same(&player, "keyed", "typed", 20);
}

#[test]
fn keys_of_poses_are_typed_keys() {
    let clip = |name: &str, head: &str, pose: &str, typed: [&str; 6]| {
        let [hip, shift, hand, place, stretch, switch] = typed;
        format!(
            r##""{name}": (length: 2, {head} {pose} bones: {{
                "hip": (rotate: [(0, 2), {hip}(1.5, 9, Linear), (2, 2)], {shift}),
                "hand.L": ({hand}), "hand.R": ({place}), "arm.L": ({stretch}), "arm.R": (stretch: [(0, 1), (2, 1)]),
            }}, art: {{ {switch} }}),"##
        )
    };
    for (head, other) in
        [("", ""), ("loop: true,", ""), ("retime: [(0, 0), (1, 1.7), (2, 2)],", ""), ("loop: 3,", "")]
    {
        let pose = r#"pose: [(0.5, "fist.L", EaseOut), (1, "turn", Linear)],"#;
        let one = clip("posed", head, pose, ["", "", "", "", "", other]);
        let two = clip(
            "typed",
            head,
            "",
            [
                "(0.5, 5, EaseOut), (1, 40, Linear), ",
                "move_x: [(0.5, 4, EaseOut)]",
                "rotate: [(0.5, 80, EaseOut)], move: [(0.5, (3, -2), EaseOut)]",
                "",
                "stretch: [(0.5, 0.5, EaseOut)]",
                r#""palm.L": (switch: [(0.5, "closed.L")]),"#,
            ],
        );
        same(&player(&(one + &two)), "posed", "typed", 90);
    }
}

#[test]
fn halves_change_the_sides_of_poses() {
    let player = player(
        r##""keyed": (length: 1, loop: true, half: Mirror, bones: {"arm.L": (rotate: [(0, 0)]), "arm.R": (rotate: [(0, 0)])},
                pose: [(0.5, "turn")], poses: {"fist.L": [(0, 0, Linear), (0.5, 1, Linear), (1, 0)], "fist.R": [(0, 0), (1, 0)]}),
            "typed": (length: 2, loop: true, bones: {"arm.L": (rotate: [(0, 0)]), "arm.R": (rotate: [(0, 0)]), "hip": (rotate: (keys: [(0.5, 40), (1.5, -40), (2.5, 40)], extend: Loop))},
                poses: {"fist.L": [(0, 0, Linear), (0.5, 1, Linear), (1, 0), (2, 0)],
                    "fist.R": [(0, 0), (1, 0, Linear), (1.5, 1, Linear), (2, 0)]})"##,
    );
    same(&player, "keyed", "typed", 50);
    assert_eq!(row(&player.rig, "keyed", ("palm.R", ArtProperty::Switch), 1.5), [1.0]);
}

#[test]
fn weights_follow_the_formula() {
    // A small generator of numbers from 0 to 1.
    let mut state = 11_u64;
    let mut chance = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1_u64 << 24) as f64
    };
    for round in 0..6 {
        let weights: Vec<[f64; 3]> = (0..3).map(|_| [0; 3].map(|_| chance() * 3.0 - 1.0)).collect();
        let add = if round % 2 == 0 { "Add" } else { "Replace" };
        let keys = |w: &[f64; 3]| format!("[(0, {}, Linear), (0.5, {}, Linear), (1, {})]", w[0], w[1], w[2]);
        let body = r##"bones: {"hip": (rotate: [(0, 7), (1, 33)], scale: [(0, 1), (1, (0.5, 1.2))]), "hand.L": (move: [(0, (9, 1)), (1, (2, 3))])},
            art: {"coat": (fill: [(0, "#102030"), (1, "#807060")], opacity: [(0, 0.9), (1, 0.4)]), "palm.L": (switch: [(0, "open.L")])}"##;
        let player = player(&format!(
            // The order of the file is not that of the rig.
            r#""plain": (length: 1, {body}), "posed": (length: 1, {body}, poses: {{
                "turn": {}, "glow": (keys: {}, mode: {add}), "fist.L": {} }})"#,
            keys(&weights[2]),
            keys(&weights[1]),
            keys(&weights[0])
        ));
        for step in 0..=20 {
            let time = f64::from(step) / 20.0;
            let at = |w: &[f64; 3]| {
                if time < 0.5 {
                    w[0] + (w[1] - w[0]) * 2.0 * time
                } else {
                    w[1] + (w[2] - w[1]) * (2.0 * time - 1.0)
                }
            };
            let [fist, glow, turn] = [0, 1, 2].map(|pose: usize| at(&weights[pose]));
            let replace = |v: f64, w: f64, p: f64| v + w * (p - v);
            let glows = |v: f64, p: f64, rest: f64| {
                if add == "Add" { v + glow * (p - rest) } else { replace(v, glow, p) }
            };
            let near = |what: &str, is: &[f64], should: &[f64]| {
                let apart = is.iter().zip(should).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(apart < 1e-10, "{what} at {time}: {is:?}, not {should:?}");
            };
            let both = |of: (&str, &str)| ["plain", "posed"].map(|clip| value(&player.rig, clip, of, time));
            let [plain, posed] = both(("hip", "rotate"));
            near("hip", &posed[..1], &[replace(replace(plain[0], fist, 5.0), turn, 40.0)]);
            let [plain, posed] = both(("hip", "move"));
            near("move", &posed, &[replace(0.0, fist, 4.0), plain[1]]);
            let [plain, posed] = both(("hip", "scale"));
            near("scale", &posed, &[glows(plain[0], 1.5, 1.0), glows(plain[1], 2.0, 1.0)]);
            let [plain, posed] = both(("hand.L", "move"));
            near("hand", &posed, &[replace(plain[0], fist, 3.0), replace(plain[1], fist, -2.0)]);
            let [_, posed] = both(("arm.L", "stretch"));
            near("stretch", &posed[..1], &[replace(1.0, fist, 0.5)]);
            let rows =
                |of: ArtProperty| ["plain", "posed"].map(|clip| row(&player.rig, clip, ("coat", of), time));
            let [plain, posed] = rows(ArtProperty::Opacity);
            near("opacity", &posed, &[glows(plain[0], 0.25, 1.0)]);
            let [plain, posed] = rows(ArtProperty::Fill);
            let fill: Vec<f64> = [(0xe0, 0x20), (0xa0, 0x40), (0x10, 0x60)]
                .iter()
                .zip(&plain)
                .map(|((p, rest), v)| glows(*v, f64::from(*p), f64::from(*rest)))
                .collect();
            near("fill", &posed, &fill);
            let rest = row(&player.rig, "posed", ("coat", ArtProperty::StrokeWidth), time);
            near("stroke", &rest, &[glows(2.0, 5.0, 2.0)]);
            let chosen = row(&player.rig, "posed", ("palm.L", ArtProperty::Switch), time);
            assert_eq!(chosen, [f64::from(u8::from(fist >= 0.5))], "the palm at {time}");
            // What is painted is clamped.
            assert!(!svg(&player.rig, "posed", time).contains("NaN"));
        }
    }
}

#[test]
fn layers_sequences_and_springs_take_a_clip_with_poses_as_one_clip() {
    let more = r#"springs: [(chain: "hand.R")],
        shots: {
            "s1": (play: ["posed", (clip: "rest", fade: 0.4)], layers: [(clip: "lift", weight: [(0, 0.3)], mode: Add)]),
            "s2": (play: ["typed", (clip: "rest", fade: 0.4)], layers: [(clip: "up", weight: [(0, 0.3)], mode: Add)]),
        },"#;
    let player = player_with(
        more,
        r##""posed": (length: 1, bones: {"hip": (rotate: [(0, 7), (1, 33)])}, poses: {"turn": [(0, 1)], "glow": [(0, 1)]}),
            "typed": (length: 1, bones: {"hip": (rotate: [(0, 40)], scale: [(0, (1.5, 2))]), "arm.L": (rotate: [(0, -30)]),
                "arm.R": (rotate: [(0, 30)])},
                art: {"coat": (fill: [(0, "#e0a010")], opacity: [(0, 0.25)], stroke_width: [(0, 5)])}),
            "rest": (length: 1, bones: {"arm.R": (rotate: [(0, 0), (0.3, 60), (1, 0)])}),
            "lift": (length: 2, poses: {"fist.R": [(0, 0, Linear), (2, 1)]}),
            "up": (length: 2, bones: {"hip": (rotate: [(0, 0, Linear), (2, -5)], move_x: [(0, 0, Linear), (2, -4)]),
                "hand.R": (rotate: [(0, 0, Linear), (2, -80)], move: [(0, (0, 0), Linear), (2, (3, 2))]),
                "arm.R": (stretch: [(0, 1, Linear), (2, 0.5)])}, art: {"palm.R": (switch: [(0, "open.R"), (1, "closed.R")])})"##,
    );
    let (mut one, mut two) = (FrameState::new(&player.rig), FrameState::new(&player.rig));
    for step in 0..=60 {
        let time = f64::from(step) / 30.0;
        player.rig.pose(player.rig.clip("s1"), time, &mut one).expect("a pose");
        player.rig.pose(player.rig.clip("s2"), time, &mut two).expect("a pose");
        for (a, b) in one.driven().bones.iter().zip(&two.driven().bones) {
            let apart =
                [a.angle.degrees() - b.angle.degrees(), (a.origin - b.origin).hypot(), a.stretch - b.stretch];
            assert!(apart.iter().all(|by| by.abs() < 1e-8), "{time}: {apart:?}");
        }
        assert!(
            (one.art().get(
                player.rig.draw_order(),
                ArtProperty::Opacity,
                player.rig.art().find("coat").expect("art")
            )) == two.art().get(
                player.rig.draw_order(),
                ArtProperty::Opacity,
                player.rig.art().find("coat").expect("art")
            )
        );
    }
}

#[test]
fn followers_play_keys_and_not_poses() {
    let bones = r#"bones: {"hip": (rotate: [(0, 5), (0.3, 50), (1, 5)]), "hand.L": (rotate: (follow: "hip", delay: 0.1))}"#;
    let player = player(&format!(
        r#""plain": (length: 1, loop: true, {bones}), "posed": (length: 1, loop: true, {bones},
            poses: {{"fist.L": (keys: [(0, 0.2), (0.5, 0.8), (1, 0.2)], delay: 0.25)}})"#
    ));
    for step in 0..50 {
        let time = f64::from(step) / 25.0;
        let at = |clip: &str, bone: &str| value(&player.rig, clip, (bone, "rotate"), time)[0];
        let hip = (at("posed", "hip") - at("plain", "hip")) / (5.0 - at("plain", "hip"));
        // The hip tells the weight.
        let should = at("plain", "hand.L") + hip * (80.0 - at("plain", "hand.L"));
        let is_known = (5.0 - at("plain", "hip")).abs() > 1e-3;
        assert!(!is_known || (at("posed", "hand.L") - should).abs() < 1e-9, "{time}");
    }
}

#[test]
fn packed_poses_play_the_same() {
    let player = Player::open("tests/rigs/poses.ron");
    let bytes = player.rig.save();
    let loaded = Rig::load(&bytes).expect("the rig");
    assert_eq!(loaded.save(), bytes);
    assert_eq!(loaded.poses(), ["fist.L", "slump", "cheer", "lean"]);
    for time in [0.0, 0.61, 0.9, 1.77, 2.5] {
        assert_eq!(svg(&player.rig, "goal", time), svg(&loaded, "goal", time));
        assert_eq!(svg(&player.rig, "sway", time), svg(&loaded, "sway", time));
    }
}

#[test]
fn programs_make_poses_and_write_them() {
    let constant = |value: f64| Channel::constant(value.into());
    let fist = PoseDoc {
        name: "fist.L".to_owned().into(),
        bones: vec![PosedBoneDoc {
            bone: "hand.L".to_owned().into(),
            values: SingleValues(Channels::default().with(Scalar::Rotate, constant(80.0))),
        }],
        art: vec![PosedArtDoc {
            art: "palm.L".to_owned().into(),
            values: SingleValues(Channels::default().with(ArtProperty::Opacity, constant(0.5))),
        }],
        ..PoseDoc::default()
    };
    let channel = Channel::from_keys([Key::new(0.0, 0.0), Key::new(1.0, 1.0)]);
    let weight =
        PoseWeightDoc { pose: "fist.R".to_owned().into(), weight: WeightDoc { channel, mode: None } };
    let grab = ClipDoc {
        name: "grab".to_owned().into(),
        pose: Some(Channel::from_keys([Key::new(0.5, "fist.L".to_owned())])),
        poses: vec![weight],
        ..ClipDoc::default()
    };
    let text = format!("Rig(version: 1, drawing: \"a.svg\", bones: {{ {BONES} }})");
    let mut found = Diagnostics::new();
    let rig = read(SourceId::default(), &text, &mut found).expect("a rig");
    let rig = RigDoc { poses: vec![fist], clips: vec![grab], ..rig };
    let text = write(&rig, &Comments::default(), Digits::ALL);
    for part in [
        r#"(bones: {"hand.L": (rotate: 80)}, art: {"palm.L": (opacity: 0.5)})"#,
        r#""fist.R": [(0, 0), (1, 1)]"#,
        r#"pose: [(0.5, "fist.L")]"#,
    ] {
        assert!(text.contains(part), "{text}");
    }
    let again = read(SourceId::default(), &text, &mut found).expect("what was written");
    check(&again, &mut found);
    let messages: Vec<&str> = found.iter().map(|found| found.message.as_str()).collect();
    assert!(messages.is_empty(), "{messages:?}");
    assert_eq!(write(&again, &Comments::default(), Digits::ALL), text);
}

#[test]
fn sessions_edit_poses_by_their_names() {
    let text = format!(
        r#"Rig(version: 1, drawing: "a.svg", include: ["part.ron"], bones: {{ {BONES} }},
            clips: {{ "grab": (length: 1, pose: [(0, "fist.L"), (0.5, "point")], poses: {{"fist.R": [(0, 0), (1, 1)], "fist.L": [(0, 0), (0.3, 1)]}}) }})"#
    );
    let part = r#"Part(version: 1, poses: {
        "fist.L": (bones: {"hand.L": (rotate: 80)}, art: {"palm.L": (switch: "closed.L")}), // Hard.
        "point": (bones: {"hand.L": (rotate: 5)}),
    })"#;
    let files = InMemory::new().with("a.ron", text.clone()).with("part.ron", part).with("a.svg", DRAWING);
    let mut session = Session::open("a.ron", Arc::new(files), no_fonts);
    assert!(session.rig().is_some(), "{:?}", session.diagnostics().iter().collect::<Vec<_>>());
    let part = |session: &Session| session.files()[1].text().to_owned();

    session.apply(&Edit::set(["poses", "fist.L", "bones", "hand.L", "rotate"], 70.0)).expect("an edit");
    assert!(part(&session).contains("(rotate: 70)"), "{}", part(&session));
    session
        .apply(&Edit::set(
            ["poses", "fist.L", "bones", "arm.L", "move"],
            bone_format::session::DocValue::tuple(None, [1.0.into(), 2.0.into()]),
        ))
        .expect("an edit");
    assert!(part(&session).contains(r#""arm.L": (move: (1, 2))"#), "{}", part(&session));
    session
        .apply(&Edit::key(DocPath::from(["clips", "grab", "poses", "fist.L"]), 0.3, 0.5))
        .expect("an edit");
    assert!(session.text().contains("(0.3, 0.5)"), "{}", session.text());
    // What was compiled step by step is what is compiled at once.
    let files = InMemory::new().with("a.ron", session.text()).with("part.ron", part(&session));
    let again = Session::open("a.ron", Arc::new(files.with("a.svg", DRAWING)), no_fonts);
    let packed = |session: &Session| session.rig().map(|rig| rig.save());
    assert!(packed(&again).is_some() && packed(&again) == packed(&session));
    session
        .apply(&Edit::Rename { of: Named::Bone, from: "hip".into(), to: "pelvis".into(), within: None })
        .expect("an edit");
    session
        .apply(&Edit::Rename { of: Named::Pose, from: "point".into(), to: "show".into(), within: None })
        .expect("an edit");
    assert!(session.text().contains(r#"(0.5, "show")"#) && part(&session).contains(r#""show": (bones"#));
    session
        .apply(&Edit::Duplicate { of: Named::Pose, name: "fist.L".into(), copy: "claw.L".into() })
        .expect("an edit");
    assert!(part(&session).contains(r#""claw.L": ("#), "{}", part(&session));
    let used = session.apply(&Edit::Delete {
        of: Named::Pose,
        name: "show".into(),
        dependants: false,
        within: None,
    });
    assert!(used.is_err(), "a clip has it");
    session
        .apply(&Edit::Delete { of: Named::Pose, name: "show".into(), dependants: true, within: None })
        .expect("an edit");
    assert!(!session.text().contains("show") && !part(&session).contains("show"));
    let error = session
        .apply(&Edit::set(["poses", "fsit.L", "bones", "hand.L", "rotate"], 7.0))
        .expect_err("no pose");
    assert!(error.to_string().contains("fist.L"), "{error}");
    while session.undo().expect("a step back").is_some() {}
    assert_eq!(session.text(), text);
}

#[test]
fn poses_that_are_used_too_often_are_refused() {
    let arms: String = (0..1001).map(|bone| format!("\"b{bone}\": (from: (0, 0), length: 1), ")).collect();
    let values: String = (0..1001).map(|bone| format!("\"b{bone}\": (rotate: 1), ")).collect();
    let keys: String = (0..1000).map(|key| format!("({key}, \"all\"), ")).collect();
    let text = format!(
        "Rig(version: 1, drawing: \"a.svg\", bones: {{ {arms} }}, poses: {{ \"all\": (bones: {{ {values} }}) }}, \
        clips: {{ \"c\": (pose: [{keys}]) }})"
    );
    let mut found = Diagnostics::new();
    let doc = read(SourceId::default(), &text, &mut found).expect("a rig");
    check(&doc, &mut found);
    let codes: Vec<String> = found.iter().map(|found| found.code.name().to_owned()).collect();
    assert_eq!(codes, ["too-many"]);
}
