//! What intents write, and what it does: compared with texts as a person would type them, with the pictures before, and
//! with mirrored places.

use std::collections::BTreeMap;
use std::sync::Arc;

use bone_authoring::{FileNames, Intent, scaffold};
use bone_format::session::{DocPath, DocValue, Session};
use bone_format::{Files, InMemory, no_fonts};
use bone_rig::FrameState;
use kurbo::{Point, Rect};

const SVG: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 300">
<rect width="300" height="300" fill="#eef"/>
<path id="body" d="M130 100H170V200H130Z" fill="#385"/>
<path id="arm" d="M178 138L196 162L240 244L232 248L186 168L170 146Z" fill="#c73"/>
<path id="other_arm" d="M122 138L104 162L60 244L68 248L114 168L130 146Z" fill="#c73"/>
</svg>"##;

/// A rig with these fields.
fn rig(fields: &str) -> String {
    format!("Rig(\n    version: 1,\n    drawing: \"hero.svg\",\n{fields})\n")
}

fn session(text: &str) -> Session {
    let files = Arc::new(InMemory::new().with("hero.ron", text).with("hero.svg", SVG));
    let session = Session::open("hero.ron", files, no_fonts);
    assert!(session.is_current(), "{:?}", session.diagnostics());
    session
}

/// The text after an intent.
fn after(text: &str, intent: &Intent) -> String {
    let mut session = session(text);
    make(&mut session, intent);
    let text = session.text().to_owned();
    session.undo().expect("a step back");
    assert_eq!(session.text(), rig_text(&session), "one step takes all of it back");
    text
}

fn rig_text(session: &Session) -> &str {
    session.files()[0].saved()
}

fn make(session: &mut Session, intent: &Intent) {
    let edits = intent.edits(session).unwrap_or_else(|error| panic!("{error}"));
    session.apply_all("An intent", &edits).unwrap_or_else(|error| panic!("{error}: {edits:?}"));
}

fn why(text: &str, intent: &Intent) -> String {
    intent.edits(&session(text)).expect_err("refused").to_string()
}

/// A text without its breaks, and without the commas before them.
fn on_one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words
        .join(" ")
        .replace("( ", "(")
        .replace(", )", ")")
        .replace("[ ", "[")
        .replace(", ]", "]")
        .replace("{ ", "{")
        .replace(", }", "}")
}

fn point(x: f64, y: f64) -> Point {
    Point::new(x, y)
}

/// Joint and tip of all bones at rest, by name.
fn places(session: &Session) -> BTreeMap<String, [Point; 2]> {
    let skeleton = session.rig().expect("a rig").skeleton().clone();
    let place = |bone| [skeleton.setup_origin(bone), skeleton.setup_tip(bone)];
    skeleton.bones().map(|bone| (skeleton.name(bone).to_owned(), place(bone))).collect()
}

/// The box of what is painted in the frames of a clip.
fn boxes(session: &Session, clip: &str) -> Vec<Rect> {
    let rig = session.rig().expect("a rig");
    let clip = rig.clip(clip).expect("the clip");
    let mut state = FrameState::new(rig);
    let mut at = |frame: u32| {
        rig.pose(Some(clip), f64::from(frame) / 12.0, &mut state).expect("a pose");
        rig.painted_box(&state).expect("a box")
    };
    (0..=12).map(&mut at).collect()
}

const ARM: &str = r#"    bones: {
        "spine": (from: (150, 200), to: (150, 140)),
        "upper": (parent: "spine", from: (178, 140), to: (200, 168)),
        "fore": (parent: "upper", to: (236, 246)),
        "nail": (parent: "fore", to: (240, 256)),
    },
    skin: [
        Rigid(art: "body", bone: "spine"),
        Smooth(art: "arm", bones: ["upper", "fore"]),
    ],
    clips: {
        "wave": (length: 1, bones: {
            "upper": (rotate: [(0, 0), (1, 40)]),
            "fore": (rotate: [(0, 10), (0.5, -30), (1, 20)]),
        }),
    },
"#;

#[test]
fn a_chain_with_its_mirror_is_what_a_person_would_type() {
    let chain = |parent: Option<&str>, axis| Intent::DrawChain {
        points: vec![point(186.0, 150.0), point(200.0, 176.0), point(236.0, 246.0)],
        parent: parent.map(str::to_owned),
        axis,
    };
    let bones = |bones: &str| rig(&format!("    bones: {{{bones}}},\n"));
    assert_eq!(
        after(&bones(""), &chain(None, Some(150.0))),
        bones(
            "\n        \"arm.L\": (from: (186, 150), to: (200, 176)),\
             \n        \"arm.R\": (from: (114, 150), to: (100, 176)),\
             \n        \"arm_2.L\": (parent: \"arm.L\", to: (236, 246)),\
             \n        \"arm_2.R\": (parent: \"arm.R\", to: (64, 246)),\n    "
        )
    );
    // Below a bone on the axis, without a mirror, and at its tip.
    let spine = "\n        \"spine\": (from: (150, 200), to: (150, 140)),\n    ";
    let text = after(&bones(spine), &chain(Some("spine"), None));
    assert!(text.contains("\"arm\": (parent: \"spine\", from: (186, 150), to: (200, 176)),"), "{text}");
    assert!(text.contains("\"arm_2\": (parent: \"arm\", to: (236, 246)),"), "{text}");
    let up = Intent::DrawChain {
        points: vec![point(150.0, 140.0), point(150.0, 110.0), point(190.0, 90.0)],
        parent: Some("spine".into()),
        axis: Some(150.0),
    };
    let text = after(&bones(spine), &up);
    // The first one is on the axis and has no twin; the second ones start at its tip.
    assert!(text.contains("\"body\": (parent: \"spine\", to: (150, 110)),"), "{text}");
    assert!(text.contains("\"bone.L\": (parent: \"body\", to: (190, 90)),"), "{text}");
    assert!(text.contains("\"bone.R\": (parent: \"body\", to: (110, 90)),"), "{text}");
    // Twice the same: names with numbers before the side.
    let mut twice = session(&bones(""));
    make(&mut twice, &chain(None, Some(150.0)));
    make(&mut twice, &chain(Some("arm_2.L"), Some(150.0)));
    let text = twice.text();
    assert!(text.contains("\"arm_3.L\": (parent: \"arm_2.L\", from: (186, 150)"), "{text}");
    assert!(text.contains("\"arm_3.R\": (parent: \"arm_2.R\", from: (114, 150)"), "{text}");
    assert!(text.contains("\"arm_4.R\": (parent: \"arm_3.R\", to: (64, 246))"), "{text}");
}

#[test]
fn chains_that_cannot_be_are_refused() {
    let bones = rig("    bones: {},\n");
    let chain = |points: Vec<Point>, parent: Option<&str>, axis| {
        why(&bones, &Intent::DrawChain { points, parent: parent.map(str::to_owned), axis })
    };
    let one = point(1.0, 1.0);
    assert_eq!(chain(vec![one], None, None), "a chain has 2 to 500 points");
    assert_eq!(chain(vec![one, one], None, None), "two points of a chain are one: a bone needs a length");
    let nan = point(f64::NAN, 0.0);
    assert_eq!(chain(vec![one, nan], None, None), "the points of a chain must be finite");
    assert_eq!(
        chain(vec![one, point(9.0, 9.0)], None, Some(f64::INFINITY)),
        "the points of a chain must be finite"
    );
    assert!(chain(vec![one, point(9.0, 9.0)], Some("hip"), None).starts_with("there is no bone \"hip\""));
}

#[test]
fn everything_is_bound_as_a_scaffold_does_it() {
    let lines = r#"<g id="bones"><path id="spine" d="M150 200V120"/><path id="upper" d="M178 140L200 168"/><path id="fore" d="M200 168L236 246"/></g></svg>"#;
    let svg = SVG.replace("</svg>", lines);
    let files: Arc<dyn Files> = Arc::new(InMemory::new().with("hero.svg", svg.as_str()));
    let called = FileNames { drawing: "hero.svg", rig: "hero.ron" };
    let made = scaffold("hero.svg".as_ref(), called, &files, &no_fonts).rig.expect("a scaffold");
    let skin = |text: &str| {
        let files = Arc::new(InMemory::new().with("hero.ron", text).with("hero.svg", svg.as_str()));
        let session = Session::open("hero.ron", files, no_fonts);
        session.get(&DocPath::from(["skin"])).expect("bindings").to_string()
    };
    // The same rig without its bindings, but for one that was typed.
    let typed = r#"Rigid(art: "body", bone: "fore")"#;
    for (own, replace) in [("", false), (typed, false), (typed, true)] {
        let start = made.text.find("skin: [").expect("bindings");
        let end = start + made.text[start..].find("\n    ]").expect("an end");
        let text = format!("{}skin: [{own}{}", &made.text[..start], &made.text[end + 5..]);
        let files = Arc::new(InMemory::new().with("hero.ron", text.as_str()).with("hero.svg", svg.as_str()));
        let mut session = Session::open("hero.ron", files, no_fonts);
        make(&mut session, &Intent::BindAll { replace });
        let (found, wanted) = (skin(session.text()), skin(&made.text));
        if own.is_empty() || replace {
            assert_eq!(found, wanted);
        } else {
            assert!(found.starts_with(&format!("[{typed}")), "{found}");
            let others = |skin: &str| {
                skin.split("), ")
                    .filter(|one| !one.contains("\"body\""))
                    .map(|one| one.trim_end_matches([')', ']']).trim_start_matches('[').to_owned())
                    .collect::<Vec<_>>()
            };
            assert_eq!(others(&found), others(&wanted));
        }
        let again = Intent::BindAll { replace: false }.edits(&session).expect_err("nothing is left");
        assert_eq!(again.to_string(), "all art that can follow a bone is bound already");
    }
    assert!(
        why(&rig("    bones: {},\n"), &Intent::BindAll { replace: false }).starts_with("there are no bones")
    );
}

#[test]
fn a_bone_that_is_cut_bends_as_before() {
    let text = rig(&format!(
        "{ARM}    constraints: [\n        Ik(name: \"hand\", tip: \"nail\", target: (250, 250), chain: 3, mix: 0),\n        \
         Pin(bone: \"fore\", at: (236, 246), chain: 2, mix: 0),\n        Ik(tip: \"upper\", target: (200, 168), chain: 1, mix: 0),\n    ],\n"
    ));
    let mut session = session(&text);
    let (rest, wave) = (places(&session), boxes(&session, "wave"));
    make(&mut session, &Intent::SplitBone { bone: "fore".into(), at: 0.5 });
    let after = places(&session);
    let cut = rest["fore"][0].midpoint(rest["fore"][1]);
    assert_eq!(after["fore"], [rest["fore"][0], cut]);
    assert_eq!(after["fore_2"], [cut, rest["fore"][1]]);
    assert_eq!(after["nail"], rest["nail"]);
    let text = session.text();
    assert!(text.contains("\"fore\": (parent: \"upper\", to: (218, 207)),"), "{text}");
    assert!(text.contains("\"fore_2\": (parent: \"fore\", to: (236, 246)),"), "{text}");
    assert!(text.contains("\"nail\": (parent: \"fore_2\", to: (240, 256)),"), "{text}");
    assert!(text.contains("bones: [\"upper\", \"fore\", \"fore_2\"]"), "{text}");
    assert!(text.contains("tip: \"nail\", target: (250, 250), chain: 4"), "{text}");
    assert!(text.contains("Pin(bone: \"fore_2\", at: (236, 246), chain: 3"), "{text}");
    assert!(text.contains("tip: \"upper\", target: (200, 168), chain: 1"), "{text}");
    // Without keys of its own the second half moves with the first.
    for (before, after) in wave.iter().zip(boxes(&session, "wave")) {
        let far = [before.x0 - after.x0, before.y0 - after.y0, before.x1 - after.x1, before.y1 - after.y1];
        assert!(far.iter().all(|far| far.abs() < 0.3), "{before} {after}");
    }
    for (bone, at) in [("fore", 0.0), ("fore", 1.0), ("fore", f64::NAN), ("hip", 0.5)] {
        let intent = Intent::SplitBone { bone: bone.into(), at };
        assert!(intent.edits(&session).is_err(), "{intent:?}");
    }
}

#[test]
fn children_of_a_deleted_bone_keep_their_places() {
    let mut own = session(&rig(ARM));
    let rest = places(&own);
    make(&mut own, &Intent::DeleteBones { bones: vec!["fore".into()] });
    let (after, text) = (places(&own), own.text());
    assert_eq!(after["nail"], rest["nail"]);
    assert!(text.contains("\"nail\": (parent: \"upper\", from: (236, 246), to: (240, 256)),"), "{text}");
    assert!(text.contains("Smooth(art: \"arm\", bones: [\"upper\"])"), "{text}");
    assert!(!text.contains("\"fore\""), "{text}");
    own.undo().expect("a step");
    assert_eq!(own.text(), rig(ARM));
    // Several in a chain, and a root.
    make(&mut own, &Intent::DeleteBones { bones: vec!["fore".into(), "upper".into(), "spine".into()] });
    let text = own.text();
    assert_eq!(places(&own)["nail"], rest["nail"]);
    assert!(text.contains("\"nail\": (from: (236, 246), to: (240, 256)),"), "{text}");
    assert!(!text.contains("Rigid"), "{text}");
    assert!(
        why(&rig(ARM), &Intent::DeleteBones { bones: vec!["for".into()] }).contains("did you mean \"fore\"?")
    );
}

#[test]
fn the_other_side_is_a_mirror() {
    let text = rig(r#"    bones: {
        "spine": (from: (150, 200), to: (150, 140)),
        "upper.L": (parent: "spine", from: (178, 140), to: (200, 168), limits: (-80, 20)),
        "fore.L": (parent: "upper.L", length: 80, angle: 15, joint: Pin),
        "upper.R": (parent: "spine", from: (110, 150), to: (90, 190)),
    },
    skin: [Rigid(art: "body", bone: "spine")],
    constraints: [
        Ik(name: "hand.L", tip: "fore.L", target: (240, 240), chain: 2, bend: Left, stiffness: {"upper.L": 3}),
        Aim(bone: "spine", target: (150, 0), mix: 0),
    ],
"#);
    let mut own = session(&text);
    make(&mut own, &Intent::MirrorSide { bones: vec!["upper.L".into(), "fore.L".into()], axis: Some(150.0) });
    let (after, text) = (places(&own), on_one_line(own.text()));
    for bone in ["upper", "fore"] {
        let [left, right] = [".L", ".R"].map(|side| after[&format!("{bone}{side}")]);
        for (left, right) in left.iter().zip(right) {
            assert!(
                (300.0 - left.x - right.x).abs() < 0.01 && (left.y - right.y).abs() < 0.01,
                "{bone}: {left} {right}"
            );
        }
    }
    assert!(
        text.contains(
            "\"upper.R\": (parent: \"spine\", from: (122, 140), to: (100, 168), limits: (-20, 80)),"
        ),
        "{text}"
    );
    assert!(text.contains("Ik(name: \"hand.R\", tip: \"fore.R\", target: (60, 240), chain: 2, bend: Right, stiffness: {\"upper.R\": 3})"), "{text}");
    assert_eq!(text.matches("Aim").count(), 1);
    // Again: nothing is there twice.
    let before = own.text().to_owned();
    make(&mut own, &Intent::MirrorSide { bones: vec!["upper.L".into(), "fore.L".into()], axis: None });
    assert_eq!(own.text(), before);
    assert!(
        why(&rig(ARM), &Intent::MirrorSide { bones: vec!["upper".into()], axis: None })
            .contains("none of these bones has a side")
    );
}

#[test]
fn rules_are_written_with_names() {
    let add = |kind: &str, bones: &[&str], target: Option<&str>, at: Option<Point>, art: Option<&str>| {
        Intent::AddRule {
            kind: kind.into(),
            bones: bones.iter().map(|bone| (*bone).to_owned()).collect(),
            target: target.map(str::to_owned),
            at,
            art: art.map(str::to_owned),
            chain: None,
        }
    };
    let text = rig(ARM);
    let at = Some(point(236.0, 246.0));
    let wanted = [
        (
            add("Ik", &["fore"], None, at, None),
            "Ik(name: \"fore\", tip: \"fore\", target: (236, 246), chain: 2)",
        ),
        (
            add("Ik", &["nail"], None, None, None),
            "Ik(name: \"nail\", tip: \"nail\", target: (240, 256), chain: 2)",
        ),
        (add("Pin", &["nail"], None, None, None), "Pin(name: \"nail\", bone: \"nail\", chain: 2)"),
        (add("Aim", &["upper"], None, at, None), "Aim(name: \"upper\", bone: \"upper\", target: (236, 246))"),
        (
            add("Copy", &["nail"], Some("spine"), None, None),
            "Copy(name: \"nail\", bone: \"nail\", from: \"spine\", rotate: 1)",
        ),
        (
            add("Distance", &["nail"], Some("spine"), None, None),
            "Distance(name: \"nail\", bone: \"nail\", target: \"spine\", distance: 97.53)",
        ),
        (
            add("Path", &["fore", "nail"], None, None, Some("arm")),
            "Path(name: \"nail\", bones: [\"fore\", \"nail\"], art: \"arm\")",
        ),
        (add("Spring", &["fore"], None, None, None), "(chain: \"fore\", stiffness: 2, damping: 0.15)"),
        (
            add("Limit", &["fore"], None, None, None),
            "\"fore\": (parent: \"upper\", to: (236, 246), limits: (-45, 45)),",
        ),
    ];
    for (intent, line) in wanted {
        let after = after(&text, &intent);
        assert!(on_one_line(&after).contains(line), "{intent:?}: {after}");
    }
    // A second rule of a bone has a name of its own.
    let mut own = session(&text);
    for _ in 0..2 {
        make(&mut own, &add("Ik", &["nail"], None, None, None));
    }
    assert!(own.text().contains("Ik(name: \"nail_2\""), "{}", own.text());
    let refused = [
        (add("Ik", &[], None, None, None), "a rule needs a bone"),
        (add("Aim", &["upper"], None, None, None), "Aim needs a bone or a point to follow"),
        (add("Aim", &["upper"], Some("nail"), None, None), "\"upper\" carries \"nail\""),
        (add("Copy", &["upper"], Some("upper"), None, None), "Copy needs another bone"),
        (add("Path", &["upper"], None, None, None), "Path needs art"),
        (add("Wiggle", &["upper"], None, None, None), "there is no rule \"Wiggle\""),
        (add("Ik", &["upper"], None, Some(point(f64::NAN, 0.0)), None), "must be finite"),
    ];
    for (intent, reason) in refused {
        let found = why(&text, &intent);
        assert!(found.contains(reason), "{intent:?}: {found}");
    }
}

#[test]
fn a_slider_records_poses_and_rests() {
    let text = rig(&format!("{ARM}    sliders: {{\"reach\": (range: (-1, 1))}},\n"));
    let pose = |channel: &str, value: DocValue| {
        BTreeMap::from([("fore".to_owned(), BTreeMap::from([(channel.to_owned(), value)]))])
    };
    let record = |value: f64, pose| Intent::RecordPose { slider: "reach".into(), value, pose };
    let mut own = session(&text);
    make(&mut own, &record(1.0, pose("rotate", (-40.0).into())));
    assert!(
        on_one_line(own.text())
            .contains("drivers: [(slider: \"reach\", bones: {\"fore\": (rotate: [(0, 0), (1, -40)])})]"),
        "{}",
        own.text()
    );
    make(&mut own, &record(-1.0, pose("rotate", 25.0.into())));
    make(&mut own, &record(1.0, pose("move", (4.0, -6.0).into())));
    let text = own.text();
    assert!(text.contains("rotate: [(-1, 25), (0, 0), (1, -40)]"), "{text}");
    assert!(text.contains("move: [(0, (0, 0)), (1, (4, -6))]"), "{text}");
    assert_eq!(
        own.diagnostics().iter().count(),
        session(&rig(ARM)).diagnostics().iter().count(),
        "{:?}",
        own.diagnostics()
    );
    // On top of what is there: turns add up, between keys on a straight line; scales multiply.
    make(&mut own, &record(1.0, pose("rotate", (-5.0).into())));
    make(&mut own, &record(0.5, pose("rotate", 2.5.into())));
    make(&mut own, &record(-1.0, pose("scale", (2.0, 1.0).into())));
    make(&mut own, &record(-1.0, pose("scale", (1.5, 0.5).into())));
    let text = own.text();
    assert!(text.contains("rotate: [(-1, 25), (0, 0), (0.5, -20), (1, -45)]"), "{text}");
    assert!(text.contains("scale: [(-1, (3, 0.5)), (0, (1, 1))]"), "{text}");
    let text = text.to_owned();
    assert!(why(&text, &record(0.0, pose("rotate", 1.0.into()))).contains("but not at rest, 0"));
    assert!(why(&text, &record(2.0, pose("rotate", 1.0.into()))).contains("from -1 to 1"));
    assert!(why(&text, &record(1.0, BTreeMap::new())).contains("nothing is posed"));
}

#[test]
fn keys_are_retimed_in_proportion() {
    let rotate = |bone: &str| DocPath::channel("wave", bone, "rotate");
    let retime = |from, until, start, end| Intent::Retime {
        channels: vec![rotate("fore"), rotate("upper")],
        from,
        until,
        start,
        end,
    };
    let text = after(&rig(ARM), &retime(0.0, 1.0, 0.0, 1.5));
    assert!(text.contains("\"fore\": (rotate: [(0, 10), (0.75, -30), (1.5, 20)]),"), "{text}");
    assert!(text.contains("\"upper\": (rotate: [(0, 0), (1.5, 40)]),"), "{text}");
    // Onto other keys: they are replaced.
    let text = after(&rig(ARM), &retime(0.0, 0.5, 0.0, 1.0));
    assert!(text.contains("\"fore\": (rotate: [(0, 10), (1, -30)]),"), "{text}");
    // Shorter, and later.
    let text = after(&rig(ARM), &retime(0.0, 1.0, 0.25, 0.75));
    assert!(text.contains("\"fore\": (rotate: [(0.25, 10), (0.5, -30), (0.75, 20)]),"), "{text}");
    for (from, until, start, end) in
        [(0.5, 0.5, 0.0, 1.0), (0.0, 1.0, 1.0, 0.5), (0.0, 1.0, -0.5, 1.0), (0.0, f64::NAN, 0.0, 1.0)]
    {
        assert!(retime(from, until, start, end).edits(&session(&rig(ARM))).is_err());
    }
}

#[test]
fn the_middle_of_a_limb_is_found_across_it() {
    let svg = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400">
        <path id="bar" d="M100 100H300V120H100Z" fill="#c73"/>
        <path id="tilted" d="M100 200L300 300L290 320L90 220Z" fill="#c73"/>
        <circle id="head" cx="350" cy="60" r="30" fill="#c73"/></svg>"##;
    let text = "Rig(version: 1, drawing: \"a.svg\", bones: {})";
    let files = Arc::new(InMemory::new().with("a.ron", text).with("a.svg", svg));
    let session = Session::open("a.ron", files, no_fonts);
    let middle =
        |x: f64, y: f64, reach: f64| bone_authoring::middle_of_art(session.drawing()?, point(x, y), reach);
    // Its middle is between the two long sides, near the ends as well.
    for x in [112.0, 150.0, 222.0, 289.0] {
        for y in [103.0, 109.0, 117.0] {
            let found = middle(x, y, 8.0).expect("near the middle");
            assert!((found.y - 110.0).abs() < 1e-6, "{x} {y}: {found}");
        }
    }
    for (x, y) in [(150.0, 230.0), (200.0, 262.0), (255.0, 285.0)] {
        let found = middle(x, y, 15.0).expect("near the middle");
        let across = point(100.0, 200.0).lerp(point(90.0, 220.0), 0.5);
        let line = (point(300.0, 300.0).lerp(point(290.0, 320.0), 0.5) - across).normalize();
        assert!(line.cross(found - across).abs() < 1e-6, "{x} {y}: {found}");
    }
    assert!(middle(222.0, 117.0, 5.0).is_none(), "too far");
    assert!(middle(20.0, 20.0, 50.0).is_none() && middle(f64::NAN, 1.0, 9.0).is_none());
    assert!(middle(348.0, 62.0, 9.0).is_some_and(|found| (found - point(350.0, 60.0)).hypot() < 3.0));
}

/// The share of a bone at each vertex of all art that bends, with the place of the vertex.
fn shares(session: &Session, bone: &str) -> Vec<(Point, f64)> {
    let mut editor = bone_format::edit::WeightEditor::new(session, &[]).expect("weights");
    let bone = editor.bone(bone).expect("the bone");
    let share = |weights: &bone_format::edit::BoneWeights| {
        weights.influences().iter().find(|(id, _)| *id == bone).map_or(0.0, |(_, share)| *share)
    };
    let paths = editor.paths_mut().map(|(lines, rows)| {
        let places = lines.iter().flat_map(|line| line.vertices()).map(|vertex| vertex.anchor);
        places.zip(rows.iter().map(|row| share(&row.anchor))).collect::<Vec<_>>()
    });
    paths.flatten().collect()
}

#[test]
fn a_stroke_is_a_line_of_text_and_changes_what_lies_under_it() {
    let stroke = |add, at: &[(f64, f64)]| Intent::Stroke {
        arts: vec!["arm".to_owned()],
        bone: Some("fore".to_owned()),
        add: Some(add),
        smooth: None,
        width: 14.0,
        at: at.iter().map(|at| Point::from(*at)).collect(),
        lock: Vec::new(),
        pixel: 1.0,
    };
    let text = after(&rig(ARM), &stroke(0.3, &[(196.2, 161.7), (180.0, 146.0), (170.1, 146.2)]));
    let brush = "brush: [(bone: \"fore\", add: 0.3, width: 14, at: [(196, 162), (180, 146), (170, 146)])]";
    let smooth = "bones: [\"upper\", \"fore\"]";
    let wanted = rig(&ARM.replace(&format!("{smooth})"), &format!("{smooth}, {brush})")));
    assert_eq!(on_one_line(&text), on_one_line(&wanted));
    assert!(text.len() <= rig(ARM).len() + 160, "{}", text.len() - rig(ARM).len());
    // A wavy line of a hundred points is nearly as short.
    let wave: Vec<(f64, f64)> = (0..100)
        .map(f64::from)
        .map(|i| (170.0 + i * 0.5, 146.0 + i + 6.0 * bone_core::Angle::from_radians(i * 0.2).direction().y))
        .collect();
    let waved = after(&rig(ARM), &stroke(0.3, &wave));
    assert!(waved.len() <= rig(ARM).len() + 240, "{waved}");

    let line = [point(196.0, 162.0), point(180.0, 146.0), point(170.0, 146.0)];
    let near = |at: Point| {
        let walk =
            line.windows(2).flat_map(|ends| (0..=1000).map(|i| ends[0].lerp(ends[1], f64::from(i) / 1000.0)));
        walk.map(|on| (on - at).hypot()).fold(f64::INFINITY, f64::min)
    };
    let (before, painted) = (shares(&session(&rig(ARM)), "fore"), shares(&session(&text), "fore"));
    let mut changed = 0;
    for ((at, was), (_, is)) in before.iter().zip(&painted) {
        match near(*at) {
            // Rows at vertices are fitted to the weights along both sides, and differ a little from those at the point.
            far if far > 14.0 => assert!((was - is).abs() < 0.06, "{at}: {was} {is}"),
            far if far > 9.0 => assert!(is > was, "{at}: {was} {is}"),
            _ => {
                changed += 1;
                assert!(is > &(was + 0.05), "{at}: {was} {is}");
            }
        }
    }
    assert!(changed >= 2, "{before:?} {painted:?}");
    // Less along the same line, and the weights are as they were.
    let mut session = session(&text);
    make(&mut session, &stroke(-0.3, &[(196.2, 161.7), (180.0, 146.0), (170.1, 146.2)]));
    for ((at, was), (_, is)) in before.iter().zip(&shares(&session, "fore")) {
        assert!((was - is).abs() < 0.01, "{at}: {was} {is}");
    }
    // A second stroke stands behind the first.
    assert_eq!(session.text().matches("width: 14").count(), 2);
    // Where the drawing is drawn anew, the stroke holds for its new vertices.
    let cut = SVG.replace("M178 138L196 162L", "M178 138L184 146L190 154L196 162L");
    let drawn = |text: &str| {
        let files = Arc::new(InMemory::new().with("hero.ron", text).with("hero.svg", cut.as_str()));
        Session::open("hero.ron", files, no_fonts)
    };
    let (before, after) = (shares(&drawn(&rig(ARM)), "fore"), shares(&drawn(&text), "fore"));
    let new =
        before.iter().zip(&after).filter(|((at, _), _)| near(*at) < 8.0 && at.x > 183.0 && at.x < 191.0);
    let new: Vec<_> = new.map(|((_, was), (_, is))| is - was).collect();
    assert!(new.len() == 2 && new.iter().all(|more| *more > 0.05), "{new:?}");
}

#[test]
fn strokes_that_cannot_be_are_refused() {
    let stroke = |art: &str, bone: Option<&str>, add, smooth, width, at: &[Point]| Intent::Stroke {
        arts: vec![art.to_owned()],
        bone: bone.map(str::to_owned),
        add,
        smooth,
        width,
        at: at.to_vec(),
        lock: Vec::new(),
        pixel: 1.0,
    };
    let at = [point(180.0, 150.0)];
    let more = |art, bone, width, at| why(&rig(ARM), &stroke(art, Some(bone), Some(0.3), None, width, at));
    assert!(more("body", "fore", 9.0, &at).contains("needs a `Smooth` binding"));
    assert!(more("leg", "fore", 9.0, &at).contains("no binding names art \"leg\""));
    assert!(more("arm", "foe", 9.0, &at).contains("did you mean \"fore\"?"));
    assert!(more("arm", "spine", 9.0, &at).contains("does not follow bone \"spine\""));
    assert!(more("arm", "fore", 0.0, &at).contains("a width above 0"));
    assert!(more("arm", "fore", f64::NAN, &at).contains("a width above 0"));
    assert!(more("arm", "fore", 9.0, &[]).contains("at least one point"));
    assert!(more("arm", "fore", 9.0, &[point(f64::NAN, 1.0)]).contains("at least one point"));
    for (bone, add, smooth) in [(None, Some(0.3), None), (Some("fore"), None, Some(0.5)), (None, None, None)]
    {
        let refused = why(&rig(ARM), &stroke("arm", bone, add, smooth, 9.0, &at));
        assert!(refused.contains("`bone` and `add`, or `smooth`"), "{refused}");
    }
    let smoothed = after(&rig(ARM), &stroke("arm", None, None, Some(0.5), 9.0, &at));
    assert!(smoothed.contains("(smooth: 0.5, width: 9, at: [(180, 150)])"), "{smoothed}");
}
