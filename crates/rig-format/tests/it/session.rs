//! Sessions: texts of every style keep their bytes, mistakes are refused, and changes from outside are merged.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bone_format::doc::{Ease, Extend};
use bone_format::edit::{EditError, edit_weights};
use bone_format::session::{ConflictSide, DocPath, DocValue, Edit, Named, Reloaded, Session};
use bone_format::span::SourceId;
use bone_format::text::Syntax;
use bone_format::{Diagnostics, InMemory, convert, no_fonts};
use kurbo::Point;

const SVG: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200">
<path id="body" d="M10 10H60V30H10Z"/><path id="arm" d="M60 10H120V20H60Z"/>
<g id="mouth"><path id="open" d="M0 0H5V5Z"/><path id="shut" d="M0 0H6V6Z"/></g></svg>"#;

/// A rig that has something of everything.
const RIG: &str = r#"// A figure.
Rig(
    version: 1, drawing: "figure.svg",
    fps: 25, // frames
    bones: {
        // It carries all.
        "hip": (from: (10, 20), to: (60, 20)), // root
        "upper": (parent: "hip", length: 30, angle: 0, limits: (-90, 90)),
        /* the last one */ "fore": (parent: "upper", origin: (30, 0), length: 30),
        "goal": (from: (150, 60), to: (160, 60)),
    },
    skin: [
        Rigid(art: "body", bone: "hip"),
        Explicit(art: "arm", weights: { 0: {"upper": 1}, 1: {"fore": 0.5, "upper": 0.5} }, others: {"fore": 1}),
    ],
    drivers: [(bone: "fore", bones: {"goal": (scale: [(-90, (1.2, 1)), (0, 1)])})],
    constraints: [
        Ik(name: "reach", tip: "fore", target: "goal", chain: 2, mix: 0),
        // It looks.
        Aim(name: "look", bone: "goal", target: (0, 0), mix: 0),
    ],
    springs: [(bones: ["goal"], stiffness: 2, damping: 0.5)],
    clips: {
        "wave": (length: 2, loop: true, bones: {
            "upper": (rotate: [(0, 0), (1, 30, Linear), (2, 0)]), // up and down
            "fore": (rotate: (keys: [(0, 0), (2, 10)], ease: Linear), move: [(0, (1, 2))]),
        }, constraints: {"reach": (mix: [(0, 0), (1, 1), (2, 0)])},
           art: {"mouth": (switch: [(0, "open"), (1, "shut"), (2, "open")])},
           weights: {"arm": {0: [(0, {"upper": 1}), (2, {"fore": 1})]}}),
        "rest": (length: 1),
    },
    shots: {
        "both": (play: ["wave", (clip: "rest", repeat: 2)], layers: [(clip: "rest", bones: ["upper"])]),
    },
)
"#;

fn files(text: &str) -> InMemory {
    InMemory::new().with("figure.ron", text).with("figure.svg", SVG)
}

fn open(text: &str) -> Session {
    let session = Session::open("figure.ron", Arc::new(files(text)), no_fonts);
    let found: Vec<&str> = session.diagnostics().iter().map(|found| found.message.as_str()).collect();
    assert!(session.is_current(), "{found:?}\n{text}");
    session
}

fn rename(of: Named, from: &str, to: &str) -> Edit {
    Edit::Rename { of, from: from.to_owned(), to: to.to_owned(), within: None }
}

fn delete(of: Named, name: &str, dependants: bool) -> Edit {
    Edit::Delete { of, name: name.to_owned(), dependants, within: None }
}

/// Edits of every kind that the rig above can take one after the other.
fn every_edit() -> Vec<Edit> {
    let rotate = DocPath::channel("wave", "upper", "rotate");
    let bone = |bone: &str| bone.to_owned();
    let vertex = DocPath::from(["clips", "rest", "offsets", "arm", "2"]);
    vec![
        Edit::key(rotate.clone(), 1.0, 0.1 + 0.2 + 41.0),
        Edit::key(rotate.clone(), 1.5, -3.0),
        Edit::SetKey { channel: rotate.clone(), time: 0.25, value: 7.0.into(), ease: Some(Ease::Hold) },
        Edit::MoveKey { channel: rotate.clone(), from: 1.5, to: 1.75 },
        Edit::CopyKey { channel: rotate.clone(), from: 0.25, to: 1.9 },
        Edit::SetEase { channel: rotate.clone(), time: 1.0, ease: None },
        Edit::SetEase {
            channel: rotate.clone(),
            time: 1.75,
            ease: Some(Ease::InOut { start: 0.5, end: 1.0 / 3.0 }),
        },
        Edit::SetExtend { channel: rotate.clone(), extend: Some(Extend::Loop) },
        Edit::DeleteKey { channel: rotate.clone(), time: 0.25 },
        Edit::key(vertex.clone(), 0.0, (1.0, 2.0)),
        Edit::key(vertex, 1.0, (3.14259, -0.001)),
        Edit::key(
            DocPath::from(["clips", "wave", "weights", "arm", "0"]),
            1.0,
            DocValue::map([("upper", 0.25.into()), ("fore", 0.75.into())]),
        ),
        Edit::key(DocPath::from(["clips", "rest", "art", "body", "opacity"]), 0.5, 0.75),
        Edit::key(DocPath::from(["clips", "wave", "constraints", "reach", "mix"]), 0.5, 0.5),
        Edit::key(
            DocPath::from(["drivers"]).index(0).name("bones").name("goal").name("scale"),
            -45.0,
            (1.1, 1.0),
        ),
        Edit::PlaceBone { bone: bone("hip"), from: Some(Point::new(11.0, 20.0)), to: None },
        Edit::PlaceBone { bone: bone("upper"), from: None, to: Some(Point::new(90.0, 50.0)) },
        Edit::PlaceBone {
            bone: bone("fore"),
            from: Some(Point::new(91.0, 51.0)),
            to: Some(Point::new(120.0, 50.0)),
        },
        Edit::SetParent { bone: bone("goal"), parent: Some(bone("hip")), keep_place: true },
        Edit::add_bone("tail", Some("fore"), None, Point::new(140.0, 70.0)),
        Edit::set(DocPath::bone("tail").name("joint"), DocValue::word("Free")),
        Edit::set(DocPath::bone("upper").name("limits"), (-45.0, 45.0)),
        Edit::remove(DocPath::bone("upper").name("limits")),
        Edit::set(["fps"], 30.0),
        Edit::set(["tolerance"], 0.1),
        Edit::set(["constraints", "reach", "bend"], DocValue::word("Left")),
        Edit::set(DocPath::from(["springs"]).index(0).name("gravity"), (0.0, 9.5)),
        Edit::Insert {
            into: DocPath::from(["constraints"]),
            before: Some(1),
            value: DocValue::fields(
                Some("Limit"),
                [("bone", "tail".into()), ("rotate", (-10.0, 10.0).into())],
            ),
        },
        Edit::Move { at: DocPath::from(["constraints", "look"]), to: 0 },
        Edit::set(["skin", "arm", "weights", "2"], DocValue::map([("fore", 1.0.into())])),
        Edit::set(["skin", "arm", "tolerance"], 0.5),
        Edit::Insert {
            into: DocPath::from(["skin"]),
            before: None,
            value: DocValue::fields(Some("Rigid"), [("art", "mouth".into()), ("bone", "tail".into())]),
        },
        Edit::Bind {
            art: bone("mouth"),
            binding: DocValue::fields(Some("Rigid"), [("bone", "fore".into())]),
        },
        Edit::Unbind { art: bone("mouth") },
        rename(Named::Bone, "upper", "upper \"arm\"\n"),
        rename(Named::Clip, "rest", "stay"),
        rename(Named::Constraint, "reach", "grab"),
        rename(Named::Shot, "both", "all"),
        Edit::Duplicate { of: Named::Clip, name: bone("wave"), copy: bone("wave 2") },
        Edit::add_clip("new", 1.0),
        Edit::set(["clips", "new", "loop"], true),
        Edit::remove(["shots", "all", "layers"]),
        Edit::remove(["clips", "stay", "offsets", "arm"]),
        delete(Named::Bone, "goal", true),
        delete(Named::Clip, "stay", true),
    ]
}

/// The comments of a text; those of a style are everywhere a comment may be.
fn comments(text: &str) -> Vec<String> {
    let found = bone_format::session::text::comments(text, 0..text.len());
    let mut found: Vec<String> = found.into_iter().map(|range| text[range].to_owned()).collect();
    found.sort();
    found
}

/// The rig in other styles of writing, which say the same.
fn styles() -> Vec<(&'static str, String)> {
    let plain: String = RIG
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default().trim())
        .collect::<Vec<_>>()
        .join(" ");
    let no_trailing = RIG
        .replace("},\n)", "}\n)")
        .replace("),\n    ]", ")\n    ]")
        .replace("),\n    }", ")\n    }")
        .replace("),\n        }", ")\n        }");
    let mut odd = String::new();
    for (at, part) in RIG.split_inclusive(',').enumerate() {
        match part.strip_suffix(',') {
            Some(before) if at % 3 == 0 && !before.contains("//") => {
                odd.push_str(&format!("{before} /* c{at}, */ ,"))
            }
            Some(before) if at % 3 == 1 && !before.contains("//") => {
                odd.push_str(&format!("{before} // c{at}, (\n,"))
            }
            _ => odd.push_str(part),
        }
    }
    let odd = odd.replace("    ],", "    // end of a list\n    ],").replace("{ 0:", "{/* start */ 0:");
    let json = convert(SourceId::default(), RIG, Syntax::Json, &mut Diagnostics::new()).expect("no mistakes");
    let lines: Vec<&str> = json.lines().map(str::trim).collect();
    vec![
        ("JSON", json.clone()),
        ("JSON, one line", lines.join(" ")),
        ("JSON, BOM, CRLF and tabs", format!("\u{feff}{}", json.replace("    ", "\t").replace('\n', "\r\n"))),
        ("JSON of the kind Rig", format!("{{\"$schema\": \"rig.json\", \"Rig\": {}}}", json.trim())),
        ("plain", RIG.to_owned()),
        ("CRLF", RIG.replace('\n', "\r\n")),
        ("BOM", format!("\u{feff}{RIG}")),
        ("tabs", RIG.replace("    ", "\t")),
        ("BOM, CRLF and tabs", format!("\u{feff}{}", RIG.replace("    ", "\t").replace('\n', "\r\n"))),
        ("no trailing commas", no_trailing),
        ("one line", plain),
        ("comments in odd places", odd),
        ("raw strings", RIG.replace("\"hip\"", "r#\"hip\"#").replace("\"wave\"", "r\"wave\"")),
        (
            "Some",
            RIG.replace("fps: 25", "fps: Some(25)").replace("length: 30, angle", "length: Some(30), angle"),
        ),
    ]
}

/// Bindings are found by the art that they name when an edit is made, so several edits of one step do not move
/// each other's places.
#[test]
fn bindings_are_found_by_their_art() {
    let shared = RIG.replace(
        "Rigid(art: \"body\", bone: \"hip\"),",
        "Rigid(art: [\"body\", \"mouth\"], bone: \"hip\"), // two",
    );
    let mut session = open(&shared);
    let rigid = |bone: &str| DocValue::fields(Some("Rigid"), [("bone", bone.into())]);
    let bind = |art: &str, bone: &str| Edit::Bind { art: art.to_owned(), binding: rigid(bone) };
    session.apply_all("Bind", &[bind("body", "fore"), bind("mouth", "upper")]).expect("both");
    let rest = "Rigid(art: \"mouth\", bone: \"upper\"), // two";
    assert!(session.text().contains(rest), "{}", session.text());
    assert!(session.text().contains("Rigid(art: \"body\", bone: \"fore\")"), "{}", session.text());
    let unbind = |art: &str| Edit::Unbind { art: art.to_owned() };
    session.apply_all("Unbind", &[unbind("body"), unbind("mouth")]).expect("both");
    assert!(!session.text().contains("Rigid("), "{}", session.text());
    session.undo().expect("a step");
    session.undo().expect("a step");
    assert_eq!(session.text(), shared);
}

#[test]
fn every_style_keeps_its_bytes() {
    for (style, text) in styles() {
        let mut session = open(&text);
        let plain = comments(&text);
        let mut steps = vec![text.clone()];
        for edit in every_edit() {
            let before = session.text().to_owned();
            let applied =
                session.apply(&edit).unwrap_or_else(|error| panic!("{style}: {edit:?}: {error}\n{before}"));
            let after = session.text();
            let edits = applied.changes.first().map(|(_, edits)| edits.clone()).unwrap_or_default();
            assert_eq!(bone_format::session::text::apply(&before, &edits), after, "{style}: {edit:?}");
            if style.contains("CRLF") {
                assert_eq!(
                    after.matches('\n').count(),
                    after.matches("\r\n").count(),
                    "{style}: {edit:?}\n{after}"
                );
            }
            if style.ends_with("one line") {
                assert!(!after.contains('\n'), "{style}: {edit:?}\n{after}");
            }
            if style.contains("tabs") {
                assert!(!after.contains("    "), "{style}: {edit:?}\n{after}");
            }
            // What an edit takes out goes with the comments in it and behind it.
            let removes = matches!(
                edit,
                Edit::Delete { .. } | Edit::Remove { .. } | Edit::DeleteKey { .. } | Edit::Unbind { .. }
            );
            if removes || matches!(edit, Edit::MoveKey { .. } | Edit::SetEase { .. }) {
                let kept = comments(after);
                assert!(kept.iter().all(|comment| plain.contains(comment)), "{style}: {edit:?}");
            } else {
                assert_eq!(comments(after), comments(&before), "{style}: {edit:?}\n{before}\n{after}");
            }
            if session.text() != steps[steps.len() - 1] {
                steps.push(session.text().to_owned());
            }
        }
        while let Some(text) = steps.pop() {
            assert_eq!(session.text(), text, "{style}");
            session.undo().unwrap_or_else(|error| panic!("{style}: {error}"));
        }
        assert_eq!(session.text(), text);
        assert!(session.undo().is_ok_and(|undone| undone.is_none()));
    }
}

/// How the text of the first style reads after some edits.
#[test]
fn texts_are_written_as_people_do() {
    let edited = |edits: &[Edit]| {
        let mut session = open(RIG);
        edits.iter().for_each(|edit| drop(session.apply(edit).expect("an edit")));
        session.text().to_owned()
    };
    let rotate = DocPath::channel("wave", "upper", "rotate");
    assert_eq!(
        edited(&[Edit::key(rotate.clone(), 1.0, 0.1 + 0.2)]),
        RIG.replace("(1, 30, Linear)", "(1, 0.3, Linear)")
    );
    assert_eq!(
        edited(&[Edit::key(rotate.clone(), 0.333_333, 5.0)]),
        RIG.replace("[(0, 0), (1, 30, L", "[(0, 0), (0.3333, 5), (1, 30, L")
    );
    assert_eq!(
        edited(&[Edit::MoveKey { channel: rotate.clone(), from: 1.0, to: 1.25 }]),
        RIG.replace("(1, 30, Linear)", "(1.25, 30, Linear)")
    );
    assert_eq!(
        edited(&[Edit::add_bone("tail", Some("fore"), None, Point::new(140.0, 70.0))]),
        RIG.replace(
            "to: (160, 60)),\n",
            "to: (160, 60)),\n        \"tail\": (parent: \"fore\", to: (140, 70)),\n"
        )
    );
    assert_eq!(
        edited(&[Edit::PlaceBone { bone: "upper".into(), from: None, to: Some(Point::new(60.0, 50.0)) }]),
        RIG.replace("length: 30, angle: 0", "length: 30, angle: 90")
    );
    assert_eq!(
        edited(&[Edit::PlaceBone { bone: "fore".into(), from: Some(Point::new(92.0, 23.0)), to: None }]),
        RIG.replace("origin: (30, 0), length: 30", "origin: (32, 3), length: 28.16, angle: -6.12")
    );
    assert_eq!(
        edited(&[Edit::Move { at: DocPath::from(["constraints", "look"]), to: 0 }]),
        RIG.replace("        // It looks.\n        Aim(name: \"look\", bone: \"goal\", target: (0, 0), mix: 0),\n", "")
            .replace(
                "        Ik(",
                "        // It looks.\n        Aim(name: \"look\", bone: \"goal\", target: (0, 0), mix: 0),\n        Ik("
            )
    );
    let open_ended = edited(&[Edit::SetExtend { channel: rotate, extend: Some(Extend::Loop) }]);
    assert_eq!(
        open_ended,
        RIG.replace(
            "rotate: [(0, 0), (1, 30, Linear), (2, 0)])",
            "rotate: (keys: [(0, 0), (1, 30, Linear), (2, 0)], extend: Loop))"
        )
    );
    // A first clip in a rig that has none.
    let mut session = open(
        "Rig(\n  version: 1,\n  drawing: \"figure.svg\",\n  bones: {\n    \"a\": (from: (0, 0), to: (9, 9)),\n  },\n)\n",
    );
    session.apply(&Edit::add_clip("wave", 1.5)).expect("a clip");
    session.apply(&Edit::key(DocPath::channel("wave", "a", "rotate"), 0.0, 4.0)).expect("a key");
    assert!(
        session.text().contains(
            "  clips: {\"wave\": (length: 1.5, bones: {\n    \"a\": (rotate: [(0, 4)]),\n  })},\n)\n"
        ),
        "{}",
        session.text()
    );
}

#[test]
fn mistakes_are_refused_and_change_nothing() {
    let mut session = open(RIG);
    let rotate = || DocPath::channel("wave", "upper", "rotate");
    let bone = |bone: &str| bone.to_owned();
    let deep = (0..200).fold(DocValue::Number(1.0), |value, _| DocValue::list([value]));
    let cases: Vec<(Edit, &str)> = vec![
        (
            Edit::key(DocPath::channel("wvae", "upper", "rotate"), 0.0, 1.0),
            "there is no clip \"wvae\"; did you mean \"wave\"?",
        ),
        (Edit::key(DocPath::channel("wave", "uper", "rotate"), 0.0, 1.0), "did you mean \"upper\"?"),
        (Edit::key(DocPath::channel("wave", "upper", "rotat"), 0.0, 1.0), "did you mean `rotate`?"),
        (Edit::key(rotate(), f64::NAN, 1.0), "the time of a key must be finite"),
        (Edit::key(rotate(), 0.0, f64::INFINITY), "numbers in a rig must be finite"),
        (Edit::key(rotate(), 0.0, "text"), "must be a number"),
        (Edit::key(rotate(), 0.0, DocValue::map([("a", f64::NAN.into())])), "must be finite"),
        (Edit::MoveKey { channel: rotate(), from: 0.5, to: 0.6 }, "there is no key at 0.5"),
        (Edit::MoveKey { channel: rotate(), from: 1.0, to: 2.0 }, "there is a key at 2"),
        (Edit::CopyKey { channel: rotate(), from: 1.0, to: 1.0 }, "there is a key at 1"),
        (
            Edit::SetEase {
                channel: rotate(),
                time: 1.0,
                ease: Some(Ease::InOut { start: f64::NAN, end: 0.0 }),
            },
            "finite",
        ),
        (Edit::SetExtend { channel: DocPath::from(["fps"]), extend: None }, "is no channel"),
        (Edit::PlaceBone { bone: bone("hop"), from: None, to: None }, "did you mean \"hip\"?"),
        (
            Edit::PlaceBone { bone: bone("hip"), from: Some(Point::new(f64::NAN, 0.0)), to: None },
            "must be finite",
        ),
        (
            Edit::PlaceBone { bone: bone("hip"), from: Some(Point::new(60.0, 20.0)), to: None },
            "at the same point",
        ),
        (
            Edit::SetParent { bone: bone("hip"), parent: Some(bone("fore")), keep_place: true },
            "cannot be its parent",
        ),
        (
            Edit::SetParent { bone: bone("hip"), parent: Some(bone("hip")), keep_place: false },
            "cannot be its parent",
        ),
        (
            Edit::SetParent { bone: bone("hip"), parent: Some(bone("chest")), keep_place: true },
            "there is no bone \"chest\"",
        ),
        (delete(Named::Bone, "upper", false), "bone \"upper\" is used by"),
        (delete(Named::Clip, "wave", false), "is used by shots > \"both\" > play > \"wave\""),
        (delete(Named::Clip, "nothing", true), "there is no clip \"nothing\""),
        (delete(Named::Art, "body", true), "art is deleted in the drawing"),
        (Edit::Unbind { art: bone("mouth") }, "\"mouth\" is bound to no bone"),
        (rename(Named::Bone, "hip", "fore"), "there is a bone \"fore\" already"),
        (rename(Named::Clip, "rest", "both"), "there is a shot \"both\" already"),
        (rename(Named::Bone, "hip", ""), "must not be empty"),
        (rename(Named::Bone, "hp", "x"), "did you mean \"hip\"?"),
        (rename(Named::Art, "boddy", "x"), "did you mean \"body\"?"),
        (Edit::add_bone("hip", None, None, Point::ZERO), "there is a \"hip\" in bones already"),
        (Edit::add_bone("new", None, None, Point::ZERO), "the rig would have an error"),
        (Edit::add_clip("both", 1.0), "there is a shot \"both\" already"),
        (Edit::Duplicate { of: Named::Bone, name: bone("hip"), copy: bone("x") }, "cannot be duplicated"),
        (Edit::set(["fps"], 0.0), "the rig would have an error"),
        (Edit::set(["fps"], DocValue::word("25, x: 3")), "would not be read as it was meant"),
        (Edit::set(["fps"], DocValue::word("")), "would not be read as it was meant"),
        (Edit::set(["fpss"], 3.0), "did you mean `fps`?"),
        (Edit::set(["fps"], deep), "too many brackets"),
        (Edit::set(["bones", "hip", "lenght"], 3.0), "did you mean `length`?"),
        (Edit::set(["bones", "hip", "parent"], "missing"), "there is no such bone"),
        (Edit::set(DocPath::new(), 3.0), "the whole rig cannot be changed at once"),
        (Edit::remove(["version"]), "the rig would have an error"),
        (Edit::remove(["skin", "bdy"]), "there is no \"bdy\" in skin; did you mean \"body\"?"),
        (Edit::remove(DocPath::from(["skin"]).index(7)), "there is no item 7 in skin"),
        (Edit::Move { at: DocPath::from(["fps"]), to: 1 }, "its place does not matter"),
        (
            Edit::Insert {
                into: DocPath::from(["skin"]),
                before: None,
                value: DocValue::fields(Some("Rigid"), [("art", "head".into()), ("bone", "hip".into())]),
            },
            "the rig would have an error",
        ),
        (Edit::set(["drawing"], "other.svg"), "there is no such file"),
        (Edit::set(["include"], DocValue::list(["figure.ron".into()])), "includes itself"),
    ];
    for (edit, expected) in cases {
        let error = session.apply(&edit).expect_err("a mistake").to_string();
        assert!(error.contains(expected), "{edit:?}:\n{error}\nexpected {expected}");
        assert_eq!((session.text(), session.revision(), session.undo_title()), (RIG, 0, None), "{edit:?}");
    }
    // Several edits are made all or not at all.
    let edits = [Edit::set(["fps"], 10.0), Edit::set(["fpss"], 10.0)];
    assert!(session.apply_all("Two", &edits).is_err());
    assert_eq!(session.text(), RIG);
    // Names may be anything.
    for name in ["\"quoted\"", "line\nbreak", "a/b > c", "\u{0}\u{7f}", "//", "/*", "é漢", " "] {
        session.apply(&rename(Named::Bone, "hip", name)).unwrap_or_else(|error| panic!("{name:?}: {error}"));
        assert!(session.doc().is_some_and(|doc| doc.bone(name).is_some()), "{name:?}");
        session.undo().expect("a step");
    }
    assert_eq!(session.text(), RIG);
}

#[test]
fn a_bone_goes_with_what_uses_it() {
    let mut session = open(RIG);
    let listed: Vec<String> =
        session.dependants(Named::Bone, "upper").expect("a list").iter().map(DocPath::to_string).collect();
    for place in [
        "bones > \"fore\"",
        "skin > \"arm\" > weights > 0 > \"upper\"",
        "constraints > \"reach\"",
        "clips > \"wave\" > bones > \"upper\"",
    ] {
        assert!(listed.iter().any(|path| path == place), "{place} in {listed:#?}");
    }
    // Without the arm's weights, which are all of these bones.
    session.apply(&Edit::remove(["clips", "wave", "weights"])).expect("an edit");
    session.apply(&Edit::remove(["skin", "arm"])).expect("an edit");
    session.apply(&delete(Named::Bone, "upper", true)).expect("deleted");
    let text = session.text();
    assert!(!text.contains("upper") && !text.contains("fore") && !text.contains("reach"), "{text}");
    assert!(
        text.contains("Aim(name: \"look\"") && text.contains("\"wave\": (length: 2, loop: true"),
        "{text}"
    );
    while session.undo().expect("undone").is_some() {}
    assert_eq!(session.text(), RIG);
}

#[test]
fn a_group_is_one_step() {
    let mut session = open(RIG);
    let rotate = DocPath::channel("wave", "upper", "rotate");
    session.begin("Drag \"upper\"");
    for step in 0..20 {
        session.apply(&Edit::key(rotate.clone(), 1.0, f64::from(step))).expect("a key");
    }
    assert!(session.commit());
    let dragged = session.text().to_owned();
    assert_eq!(dragged, RIG.replace("(1, 30, Linear)", "(1, 19, Linear)"));
    assert_eq!(session.undo_titles().collect::<Vec<_>>(), ["Drag \"upper\""]);
    session.undo().expect("undone");
    assert_eq!((session.text(), session.redo_title()), (RIG, Some("Drag \"upper\"")));
    session.redo().expect("done again");
    assert_eq!(session.text(), dragged);
    // A group that is given up leaves nothing.
    session.begin("Drag");
    session.apply(&Edit::key(rotate.clone(), 1.0, 90.0)).expect("a key");
    session.cancel().expect("taken back");
    assert_eq!((session.text(), session.undo_titles().count()), (&*dragged, 1));
    // One that changes nothing is no step.
    session.begin("Nothing");
    session.apply(&Edit::key(rotate.clone(), 1.0, 20.0)).expect("a key");
    session.apply(&Edit::key(rotate, 1.0, 19.0)).expect("a key");
    assert_eq!(session.text(), dragged);
}

fn reload(session: &mut Session, text: &str) -> Reloaded {
    session.reload("figure.ron".as_ref(), text.as_bytes()).expect("reloaded")
}

#[test]
fn changes_from_outside_are_merged_by_name() {
    let mut session = open(RIG);
    let rotate = || DocPath::channel("wave", "upper", "rotate");
    session.apply(&Edit::key(rotate(), 1.0, 45.0)).expect("a key");
    session.apply(&rename(Named::Bone, "goal", "target")).expect("renamed");
    // Outside: another key of the same channel on the same line, and a value of the bone with the old name.
    let outside = RIG
        .replace("(2, 0)]), // up and down", "(1.5, 3), (2, 0)]), // down and up")
        .replace("from: (150, 60)", "from: (151, 61)");
    assert_eq!(reload(&mut session, &outside), Reloaded::Merged);
    let both = outside.replace("(1, 30, Linear)", "(1, 45, Linear)").replace("\"goal\"", "\"target\"");
    assert_eq!(session.text(), both);
    assert_eq!(session.files()[0].saved(), outside);
    // Both steps are undone by name.
    session.undo().expect("undone");
    assert_eq!(session.text(), outside.replace("(1, 30, Linear)", "(1, 45, Linear)"));
    session.undo().expect("undone");
    assert_eq!(session.text(), outside);
    session.redo().expect("done again");
    session.redo().expect("done again");
    assert_eq!(session.text(), both);
    // Nothing of ours is pending: the text is taken, and undo still works.
    session.mark_saved("figure.ron".as_ref());
    let later = both.replace("fps: 25", "fps: 50");
    assert_eq!(reload(&mut session, &later), Reloaded::Taken);
    assert_eq!(reload(&mut session, &later), Reloaded::Unchanged);
    session.undo().expect("undone");
    session.undo().expect("undone");
    assert_eq!(session.text(), outside.replace("fps: 25", "fps: 50"));
}

#[test]
fn conflicts_lose_nothing() {
    let key = |value: f64| Edit::key(DocPath::channel("wave", "upper", "rotate"), 1.0, value);
    let outside = RIG.replace("(1, 30, Linear)", "(1, 60, Linear)").replace("fps: 25", "fps: 12");
    for (keep, value) in [(ConflictSide::Ours, "45"), (ConflictSide::Theirs, "60")] {
        let mut session = open(RIG);
        session.apply(&key(45.0)).expect("a key");
        let ours = session.text().to_owned();
        let Reloaded::Conflict { message, conflicts } = reload(&mut session, &outside) else {
            panic!("no conflict")
        };
        assert_eq!(
            message,
            "clips > \"wave\" > bones > \"upper\" > rotate > 1 is 45 here, and 60 outside; it was 30"
        );
        assert_eq!((conflicts.len(), session.text()), (1, &*ours));
        assert_eq!(session.outside("figure.ron".as_ref()), Some(&*outside));
        assert_eq!(session.resolve("figure.ron".as_ref(), keep), Ok(Reloaded::Merged));
        assert_eq!(session.text(), outside.replace("(1, 60", &format!("(1, {value}")));
        session.undo().expect("undone");
        assert_eq!(session.text(), ours, "resolving is a step");
    }
    // A step whose value was changed since is not undone.
    let mut session = open(RIG);
    session.apply(&key(45.0)).expect("a key");
    session.mark_saved("figure.ron".as_ref());
    assert_eq!(reload(&mut session, &outside), Reloaded::Taken);
    let error = session.undo().expect_err("a conflict");
    assert!(matches!(&error, EditError::Conflict(conflicts) if conflicts.len() == 1), "{error}");
    assert_eq!((session.text(), session.undo_titles().count()), (&*outside, 1));
    // A bone that is gone outside and has a new key here.
    let mut session = open(RIG);
    session.apply(&Edit::key(DocPath::channel("rest", "goal", "rotate"), 0.5, 3.0)).expect("a key");
    let gone = {
        let mut other = open(RIG);
        other.apply(&delete(Named::Bone, "goal", true)).expect("deleted");
        other.text().to_owned()
    };
    let Reloaded::Conflict { message, .. } = reload(&mut session, &gone) else { panic!("no conflict") };
    assert!(message.contains("with both changes, the rig would have an error"), "{message}");
}

#[test]
fn the_last_good_rig_stays_while_the_text_has_mistakes() {
    let mut session = open(RIG);
    session.apply(&Edit::set(["fps"], 20.0)).expect("an edit");
    session.mark_saved("figure.ron".as_ref());
    let good = Arc::clone(session.rig().expect("a rig"));
    let saved = session.text().to_owned();
    for broken in [saved.replace("bones: {", "bones: "), saved.replace("parent: \"hip\"", "parent: \"hop\"")]
    {
        assert_eq!(reload(&mut session, &broken), Reloaded::Taken);
        assert!(!session.is_current() && session.diagnostics().has_errors());
        assert!(session.rig().is_some_and(|rig| Arc::ptr_eq(rig, &good)));
        let error = session.apply(&Edit::set(["tolerance"], 0.5)).expect_err("mistakes");
        assert_eq!(error, EditError::Mistakes);
        assert_eq!(session.text(), broken);
    }
    // An edit that corrects the mistake is welcome.
    session.apply(&Edit::set(["bones", "upper", "parent"], "hip")).expect("a correction");
    assert!(session.is_current());
    session.undo().expect("undone");
    assert!(!session.is_current());
    assert_eq!(reload(&mut session, &saved), Reloaded::Taken);
    assert!(session.is_current() && session.undo().is_ok());
    assert_eq!(session.text(), RIG);
    // Mistakes outside, and changes here: both stay.
    session.apply(&Edit::set(["fps"], 21.0)).expect("an edit");
    let Reloaded::Conflict { conflicts, .. } = reload(&mut session, "Rig(") else { panic!("no conflict") };
    assert!(conflicts.is_empty() && session.is_current());
    assert_eq!(session.resolve("figure.ron".as_ref(), ConflictSide::Ours), Ok(Reloaded::Taken));
    assert_eq!(session.text(), RIG.replace("fps: 25", "fps: 21"));
    assert_eq!(session.files()[0].saved(), "Rig(");
}

#[test]
fn a_drag_survives_a_change_from_outside() {
    let mut session = open(RIG);
    let rotate = || DocPath::channel("wave", "upper", "rotate");
    session.begin("Drag");
    session.apply(&Edit::key(rotate(), 1.0, 31.0)).expect("a key");
    let outside = RIG.replace("fps: 25", "fps: 12");
    assert_eq!(reload(&mut session, &outside), Reloaded::Merged);
    session.apply(&Edit::key(rotate(), 1.0, 32.0)).expect("a key");
    session.commit();
    assert_eq!(session.text(), outside.replace("(1, 30", "(1, 32"));
    session.undo().expect("undone");
    assert_eq!(session.text(), outside);
    session.redo().expect("done again");
    assert_eq!(session.text(), outside.replace("(1, 30", "(1, 32"));
}

#[test]
fn the_drawing_may_change() {
    let mut session = open(RIG);
    let first = Arc::clone(session.rig().expect("a rig"));
    assert_eq!(session.set_drawing(SVG.as_bytes()), Ok(Reloaded::Unchanged));
    let moved = SVG.replace("M10 10H60", "M10 9H60");
    assert_eq!(session.set_drawing(moved.as_bytes()), Ok(Reloaded::Taken));
    let second = Arc::clone(session.rig().expect("a rig"));
    assert!(session.is_current() && !Arc::ptr_eq(&first, &second));
    // Art that is gone, and a drawing that is none.
    for broken in [SVG.replace("id=\"arm\"", "id=\"leg\""), "<svg".to_owned()] {
        assert_eq!(session.set_drawing(broken.as_bytes()), Ok(Reloaded::Taken));
        assert!(!session.is_current() && session.rig().is_some_and(|rig| Arc::ptr_eq(rig, &second)));
    }
    session.set_drawing(SVG.replace("id=\"arm\"", "id=\"leg\"").as_bytes()).expect("taken");
    session.apply(&rename(Named::Art, "arm", "leg")).expect("a correction");
    assert!(session.is_current() && session.text().contains("Explicit(art: \"leg\""));
}

/// A rig of several files.
fn parts() -> InMemory {
    files(r#"Rig(version: 1, drawing: "figure.svg", include: ["parts/bones.ron", "parts/clips.ron"],
    skin: [Rigid(art: "arm", bone: "upper")],
    constraints: [Aim(name: "own", bone: "upper", target: (0, 0), mix: 0)],
)"#)
    .with("parts/bones.ron", "Part(\r\n\tversion: 1, // bones\r\n\tbones: { \"hip\": (from: (0, 0), to: (9, 9)), \"upper\": (parent: \"hip\", length: 5) },\r\n\tskin: [Rigid(art: \"body\", bone: \"hip\")],\r\n)")
    .with("parts/clips.ron", "Part(version: 1, include: [\"bones.ron\"], clips: {\"a\": (bones: {\"upper\": (rotate: [(0, 1), (1, 2)])})}, constraints: [Aim(bone: \"upper\", target: (1, 1), mix: 0)])")
}

#[test]
fn several_files_are_one_rig() {
    let mut session = Session::open("figure.ron", Arc::new(parts()), no_fonts);
    assert!(session.is_current(), "{:?}", session.diagnostics().iter().next());
    let texts =
        |session: &Session| session.files().iter().map(|file| file.text().to_owned()).collect::<Vec<_>>();
    let start = texts(&session);
    session.apply(&rename(Named::Bone, "upper", "arm")).expect("renamed");
    let renamed: Vec<String> = start.iter().map(|text| text.replace("\"upper\"", "\"arm\"")).collect();
    assert_eq!(texts(&session), renamed);
    // Lists go on through all files, in the order of the document.
    assert_eq!(
        session.get(&DocPath::from(["skin"]).index(1)).map(|value| value.to_string()),
        Ok("Rigid(art: \"arm\", bone: \"arm\")".into())
    );
    session.apply(&Edit::set(DocPath::from(["constraints"]).index(0).name("offset"), 5.0)).expect("an edit");
    assert!(session.files()[2].text().contains("mix: 0, offset: 5)"), "{}", session.files()[2].text());
    session.apply(&Edit::key(DocPath::channel("a", "hip", "rotate"), 0.0, 5.0)).expect("a key");
    session.apply(&Edit::add_bone("new", Some("hip"), None, Point::new(3.0, 4.0))).expect("a bone");
    assert!(
        session.files()[1]
            .text()
            .contains("length: 5),\r\n\t\t\"new\": (parent: \"hip\", to: (3, 4)) },\r\n"),
        "{}",
        session.files()[1].text()
    );
    assert_eq!(session.unsaved().count(), 3);
    // A file that is no longer included keeps its changes.
    let error = session.apply(&Edit::set(["include"], DocValue::list(["parts/bones.ron".into()])));
    assert!(error.is_ok() && session.files().len() == 2 && session.unsaved().count() == 3, "{error:?}");
    session.undo().expect("undone");
    assert_eq!(session.files().len(), 3);
    let outside = start[1].replace("length: 5", "length: 6");
    assert_eq!(session.reload("parts/bones.ron".as_ref(), outside.as_bytes()), Ok(Reloaded::Merged));
    assert!(session.files()[1].text().contains("\"arm\": (parent: \"hip\", length: 6)"));
    while session.undo().expect("undone").is_some() {}
    assert_eq!(texts(&session), [&start[0], &outside, &start[2]].map(String::clone));
}

#[test]
fn a_session_can_be_cancelled_and_sent() {
    let cancel = Arc::new(AtomicBool::new(true));
    let none = Session::open_cancellable("figure.ron", Arc::new(files(RIG)), no_fonts, Arc::clone(&cancel));
    assert!(none.is_none());
    cancel.store(false, Ordering::Relaxed);
    let session =
        Session::open_cancellable("figure.ron", Arc::new(files(RIG)), no_fonts, Arc::clone(&cancel));
    let mut session = session.expect("a session");
    cancel.store(true, Ordering::Relaxed);
    let session = std::thread::spawn(move || {
        assert_eq!(session.apply(&Edit::set(["fps"], 3.0)), Err(EditError::Cancelled));
        session
    });
    let mut session = session.join().expect("a session");
    assert_eq!((session.text(), session.undo_title()), (RIG, None));
    cancel.store(false, Ordering::Relaxed);
    session.apply(&Edit::set(["fps"], 3.0)).expect("an edit");
}

#[test]
fn a_rig_that_is_not_there_can_be_opened() {
    let mut session = Session::open("none.ron", Arc::new(InMemory::new()), no_fonts);
    assert!(session.diagnostics().has_errors() && session.rig().is_none() && session.text().is_empty());
    assert_eq!(session.apply(&Edit::set(["fps"], 3.0)), Err(EditError::Mistakes));
    assert!(session.set_drawing(b"<svg/>").is_err());
    for text in ["", "Rig(", "<svg/>", "Rig(version: 1, drawing: \"figure.svg\", bones: {\"a\": 3})"] {
        let mut session = Session::open("figure.ron", Arc::new(files(text)), no_fonts);
        assert!(!session.is_current());
        assert!(session.apply(&Edit::set(["fps"], 3.0)).is_err());
        assert!(session.undo().is_ok_and(|undone| undone.is_none()));
        assert_eq!(session.reload(Path::new("figure.ron"), RIG.as_bytes()), Ok(Reloaded::Taken), "{text}");
        assert!(session.is_current(), "{text}");
    }
}

#[test]
fn what_was_not_seen_is_not_overwritten() {
    let key = |time: f64, value: f64| Edit::key(DocPath::channel("wave", "upper", "rotate"), time, value);
    let outside = RIG.replace("(1, 30, Linear)", "(1, 60, Linear)");
    // The value that is set, whether it is that of the change, and another one.
    for (time, value, overtaken) in
        [(1.0, 45.0, true), (1.0, 30.0, true), (1.0, 60.0, false), (0.0, 5.0, false)]
    {
        let mut session = open(RIG);
        let seen = session.seen();
        assert_eq!(reload(&mut session, &outside), Reloaded::Taken);
        session.set_seen(Some(seen));
        match session.apply(&key(time, value)) {
            Err(EditError::Overtaken(places)) => {
                assert!(overtaken, "{time} {value}");
                let (file, place) = &places[0];
                assert_eq!((places.len(), file.as_path()), (1, Path::new("figure.ron")));
                let number = |value: f64| Some(DocValue::Number(value));
                assert_eq!((&place.base, &place.theirs), (&number(30.0), &number(60.0)));
                assert_eq!((&place.ours, session.text()), (&number(value), &*outside));
            }
            done => assert!(done.is_ok() && !overtaken, "{time} {value} {done:?}"),
        }
    }
    // What is gone, and weights.
    let mut session = open(RIG);
    session.set_seen(Some(session.seen()));
    let gone = RIG
        .replace("to: (160, 60)", "to: (165, 60)")
        .replace("1: {\"fore\": 0.5, \"upper\": 0.5}", "1: {\"fore\": 0.25, \"upper\": 0.75}");
    reload(&mut session, &gone);
    let deleted = session.apply(&delete(Named::Bone, "goal", true));
    assert!(matches!(deleted, Err(EditError::Overtaken(_))), "{deleted:?}");
    let smoothed = edit_weights(&mut session, &["arm"], |editor| {
        editor.smooth(bone_format::edit::Smooth { iterations: 1, strength: 1.0 });
        Ok(())
    });
    assert!(matches!(smoothed, Err(EditError::Overtaken(_))), "{smoothed:?}");
    assert_eq!(session.text(), gone);
    // A change of one's own is seen.
    let mut session = open(RIG);
    let mut seen = session.seen();
    reload(&mut session, &RIG.replace("fps: 25", "fps: 12"));
    let before = session.seen();
    session.apply(&key(1.0, 45.0)).expect("a key");
    seen.with_own(&before, &session.seen());
    session.set_seen(Some(seen));
    session.apply(&key(1.0, 50.0)).expect("a key");
    assert!(session.apply(&Edit::set(["fps"], 13.0)).is_err(), "the other change is not");
}

#[test]
fn a_rig_that_is_renamed_is_the_same_rig() {
    let key = |value: f64| Edit::key(DocPath::channel("wave", "upper", "rotate"), 1.0, value);
    let mut session = open(RIG);
    session.apply(&key(45.0)).expect("a key");
    session.begin("Drag");
    session.apply(&key(50.0)).expect("a key");
    session.set_path("hero.ron").expect("another name");
    session.apply(&key(55.0)).expect("a key");
    assert!(session.commit());
    let text = RIG.replace("(1, 30, Linear)", "(1, 55, Linear)");
    assert_eq!((session.path(), session.text()), (Path::new("hero.ron"), &*text));
    assert_eq!(session.unsaved().map(|file| file.path()).collect::<Vec<_>>(), [Path::new("hero.ron")]);
    assert_eq!(session.sources().names().next(), Some("hero.ron"));
    while session.undo().expect("undone").is_some() {}
    assert_eq!(session.text(), RIG);
    assert_eq!(session.unsaved().count(), 0);
    assert!(session.is_current());
    // A save is that of the new name.
    let outside = RIG.replace("fps: 25", "fps: 12");
    assert_eq!(session.reload("hero.ron".as_ref(), outside.as_bytes()), Ok(Reloaded::Taken));
    assert_eq!(session.text(), outside);
}

/// The edits of a program that adds a clip with a comment.
fn recorded(name: &str) -> Vec<Edit> {
    let keys = DocValue::list([(0.0, 0.0).into(), (1.0, 9.0).into()]);
    let channels = DocValue::fields(None, [("rotate", keys)]);
    let bones = DocValue::map([("hip", channels)]);
    let clip = DocValue::fields(None, [("length", 1.0.into()), ("bones", bones)]);
    vec![
        Edit::Add { into: DocPath::from(["clips"]), name: name.to_owned(), value: clip },
        Edit::AddComment {
            at: DocPath::from(["clips", name]),
            text: "Made from */ a.bvh.\nOptions: none.".to_owned(),
        },
    ]
}

/// Rigs in every habit of writing the end of their clips.
#[test]
fn a_clip_with_a_comment_goes_into_any_text_and_all_else_stays() {
    let start = r#"Rig(version: 1, drawing: "figure.svg", bones: {"hip": (from: (10, 20), to: (60, 20))}"#;
    let ends = [
        "\n)",
        ",\n)",
        ", /* the end, ) */\n)\n/* ) */",
        ",\n    clips: {},\n)",
        ",\n    clips: { /* none } */ },\n)",
        ",\n    clips: {\n        // none yet\n    }\n)",
        ",\n    clips: {\n        // first\n        \"a\": (length: 1), // a\n        /* ä, } */\n    },\n)",
        ",\n    clips: {\n        \"a\": (length: 1) /* b, */\n    } /* c, ) */,\n)",
        ",\n    clips: {\n        \"a\": (length: 1),\n        // last, }\n    },\n    shots: {\"s\": (play: [\"a\"])},\n)",
        ", clips: {\"a\": (length: 1)})",
        ", clips: {\"a\": (length: 1),},) // }",
        ",\n\tclips: {\n\t\t\"a\": (length: 1,),\n\t},\n)",
    ];
    for end in ends {
        for text in [format!("{start}{end}\n"), format!("{start}{end}\n").replace('\n', "\r\n")] {
            for name in ["recorded", "gehen \"ä\" 歩く"] {
                let mut session = Session::open("figure.ron", Arc::new(files(&text)), no_fonts);
                let tried =
                    session.try_edits(&recorded(name)).unwrap_or_else(|error| panic!("{error}: {text}"));
                assert!(tried.rig.clip(name).is_some() && session.text() == text, "the session stays");
                session
                    .apply_all("Import", &recorded(name))
                    .unwrap_or_else(|error| panic!("{error}: {text}"));
                let new = session.text().to_owned();
                assert_eq!(loaded(&new), 0, "{new}");
                // What was there is there, in its order, and every line end is as they are.
                let pieces = text.split_inclusive(|c: char| c.is_whitespace() || "{)".contains(c));
                let mut left = new.as_str();
                for old in pieces.map(|old| old.trim().trim_end_matches(',')) {
                    let at = left.find(old).unwrap_or_else(|| panic!("{old:?} is gone from\n{new}"));
                    left = &left[at + old.len()..];
                }
                let ends = if text.contains('\r') { new.matches('\n').count() } else { 0 };
                assert_eq!(new.matches("\r\n").count(), ends, "{new:?}");
                // The comment stands right before the clip.
                let entry = session.written(&DocPath::from(["clips", name])).expect("the clip").to_owned();
                let before = new[..new.find(&entry).expect("the clip")].trim_end();
                assert!(
                    before.ends_with("Options: none.") || before.ends_with("/* Options: none. */"),
                    "{new}"
                );
                // Again: the same lines are not added twice.
                let again = session.apply(&recorded(name)[1]).expect("a comment");
                assert!(again.changes.is_empty() && session.text() == new);
                session.undo().expect("undone");
                assert_eq!(session.text(), text);
            }
        }
    }
}

fn loaded(text: &str) -> usize {
    Session::open("figure.ron", Arc::new(files(text)), no_fonts).diagnostics().error_count()
}

#[test]
fn json_stays_json_when_a_clip_with_a_comment_comes() {
    for end in ["", ", \"clips\": {}", ",\n  \"clips\": {\n    \"a\": {\"length\": 1}\n  }"] {
        let text = format!(
            "{{\"version\": 1, \"drawing\": \"figure.svg\",\n  \"bones\": {{\"hip\": {{\"from\": [10, 20], \"to\": [60, 20]}}}}{end}}}\n"
        );
        let mut session = Session::open("figure.ron", Arc::new(files(&text)), no_fonts);
        session.apply_all("Import", &recorded("recorded")).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(session.files()[0].syntax(), Some(Syntax::Json), "{}", session.text());
        assert!(!session.text().contains("Options") && loaded(session.text()) == 0, "{}", session.text());
        assert!(session.rig().expect("a rig").clip("recorded").is_some());
    }
}

/// Random comments at random places of a rig: after a clip and its comment are added, the text is the old one with
/// one piece put in, but for commas and white space around it.
#[test]
fn random_comments_stay_at_their_entries() {
    let tokens = [
        "Rig(",
        "version: 1,",
        "drawing: \"figure.svg\",",
        "bones: {",
        "\"hip\": (from: (10, 20), to: (60, 20)),",
        "},",
        "clips: {",
        "\"a\": (length: 1),",
        "\"b\": (",
        "length: 2,",
        "),",
        "},",
        ")",
    ];
    let mut state = 9_u64;
    let mut below = |count: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % count
    };
    for case in 0..300 {
        let (mut text, mut number) = (String::new(), 0);
        for token in tokens {
            text.push_str(token);
            for _ in 0..below(3) {
                number += 1;
                text.push_str(&match below(3) {
                    0 => format!(" // n{number}, }} )\n"),
                    1 => format!(" /* n{number}, }} ) */"),
                    _ => format!("\n    /* n{number} \" */ "),
                });
            }
            text.push_str(["\n", " ", "\n    "][below(3) as usize]);
        }
        let mut session = Session::open("figure.ron", Arc::new(files(&text)), no_fonts);
        session
            .apply_all("Import", &recorded("new"))
            .unwrap_or_else(|error| panic!("{case}, {error}: {text}"));
        let new = session.text();
        assert_eq!(loaded(new), 0, "{case}\n{new}");
        let entry = session.written(&DocPath::from(["clips", "new"])).expect("the clip");
        let at = new.find(entry).expect("the clip");
        // All that is not the new entry and its comment is as it was.
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        let comments = [
            "// Made from */ a.bvh.",
            "// Options: none.",
            "/* Made from * / a.bvh. */",
            "/* Options: none. */",
        ];
        let without =
            comments.iter().fold(format!("{}{}", &new[..at], &new[at + entry.len()..]), |text, comment| {
                text.replace(comment, "")
            });
        let (was, is) = (bare(&text), bare(&without).replace(",,", ","));
        assert_eq!(is.replace(',', ""), was.replace(',', ""), "{case}\n{text}\n->\n{new}");
    }
}

/// Art has its names in the shapes of other art, too: keys of names and of weights, and those of poses.
#[test]
fn shapes_are_renamed_with_their_art() {
    let text = r#"Rig(
    version: 1, drawing: "figure.svg",
    bones: { "hip": (from: (10, 20), to: (60, 20)) },
    drivers: [(bone: "hip", art: {"lid": (shape: [(0, {"shut": 0}), (1, "shut")])})],
    poses: { "glad": (art: {"mouth": (shape: {"smile": 1, "o": 0.5})}) },
    clips: { "c": (length: 1, art: {"mouth": (shape: (keys: [(0, "mouth"), (0.5, {"smile": 0.5}), (1, "smile")]))}) },
)
"#;
    let svg = |names: &[&str]| {
        let path = |name: &&str| format!("<path id='{name}' d='M0 0L9 0L9 9Z'/>");
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'>{}</svg>",
            names.iter().map(path).collect::<String>()
        )
    };
    let both = ["mouth", "smile", "o", "lid", "shut", "grin", "closed"];
    let files = InMemory::new().with("figure.ron", text).with("figure.svg", svg(&both));
    let mut session = Session::open("figure.ron", Arc::new(files), no_fonts);
    session.apply(&rename(Named::Art, "smile", "grin")).expect("a name");
    session.apply(&rename(Named::Art, "shut", "closed")).expect("a name");
    assert_eq!(*session.text(), text.replace("\"smile\"", "\"grin\"").replace("\"shut\"", "\"closed\""));
    assert!(session.is_current());
}

/// A rig of two machines, with a state and an input of the same names in each of them, and in a layer.
const MACHINES: &str = r#"Rig(
    version: 1,
    drawing: "figure.svg",
    bones: {"hip": (from: (10, 20), to: (10, 60))},
    skin: [Rigid(art: "body", bone: "hip")],
    clips: {
        "idle": (length: 1, loop: true),
        "step": (length: 1),
    },
    machines: {
        "hero": (
            // How fast it goes.
            inputs: {"speed": 0, "jump": Trigger},
            states: {"rest": (clip: "idle"), "go": (clip: "step")},
            transitions: [
                (from: "rest", to: "go", above: {"speed": 0.5}, fired: ["jump"]),
                (from: "go", to: "rest", ended: true),
            ],
            layers: [(states: {"go": (), "rest": (clip: "idle")}, start: "rest",
                transitions: [(from: "rest", to: "go", below: {"speed": 2}), (from: "go", to: "rest", fired: ["jump"], after: 0.1)])],
        ),
        "foe": (
            inputs: {"speed": 0},
            states: {"rest": (clip: "idle"), "go": (clip: "step")},
            transitions: [(from: "rest", to: "go", above: {"speed": 1}), (from: "go", to: "rest", ended: true)],
        ),
    },
)
"#;

#[test]
fn states_and_inputs_are_renamed_in_their_machine_alone() {
    let mut session = open(MACHINES);
    let hero = DocPath::from(["machines", "hero"]);
    let layer = hero.clone().name("layers").index(0);
    let named = |of, from: &str, to: &str, within: &DocPath| {
        let within = Some(within.clone());
        Edit::Rename { of, from: from.to_owned(), to: to.to_owned(), within }
    };
    session.apply(&named(Named::State, "go", "run", &hero)).expect("a state");
    let expected = MACHINES
        .replacen("\"go\": (clip", "\"run\": (clip", 1)
        .replacen("to: \"go\", above", "to: \"run\", above", 1)
        .replacen("from: \"go\", to: \"rest\", ended", "from: \"run\", to: \"rest\", ended", 1);
    assert_eq!(session.files()[0].text(), expected);
    session.undo().expect("undo");
    session.apply(&named(Named::State, "rest", "still", &layer)).expect("a state of a layer");
    let (before, after) = MACHINES.split_at(MACHINES.find("layers").expect("layers"));
    let (own, foe) = after.split_at(after.find("\"foe\"").expect("the other machine"));
    assert_eq!(session.files()[0].text(), format!("{before}{}{foe}", own.replace("\"rest\"", "\"still\"")));
    session.undo().expect("undo");
    // An input is of the machine with its layers.
    session.apply(&named(Named::Input, "speed", "pace", &hero)).expect("an input");
    let (own, foe) = MACHINES.split_at(MACHINES.find("\"foe\"").expect("the other machine"));
    assert_eq!(session.files()[0].text(), format!("{}{foe}", own.replace("\"speed\"", "\"pace\"")));
    session.undo().expect("undo");
    assert_eq!(session.files()[0].text(), MACHINES);
    // A machine itself.
    session.apply(&rename(Named::Machine, "foe", "wolf")).expect("a machine");
    assert_eq!(session.files()[0].text(), MACHINES.replace("\"foe\"", "\"wolf\""));
    session.undo().expect("undo");
    let why = |session: &mut Session, edit: &Edit| session.apply(edit).expect_err("refused").to_string();
    assert!(why(&mut session, &rename(Named::Machine, "foe", "hero")).contains("machine \"hero\" already"));
    assert!(why(&mut session, &named(Named::State, "go", "rest", &hero)).contains("already"));
    assert!(why(&mut session, &named(Named::State, "goo", "x", &hero)).contains("there is no state \"goo\""));
    assert!(why(&mut session, &rename(Named::State, "go", "run")).contains("several machines"));
    assert!(why(&mut session, &named(Named::Bone, "hip", "x", &hero)).contains("of the whole rig"));
    assert_eq!(session.files()[0].text(), MACHINES);
}

#[test]
fn states_and_inputs_are_deleted_with_what_uses_them() {
    let mut session = open(MACHINES);
    let hero = DocPath::from(["machines", "hero"]);
    let gone = |of, name: &str, dependants| {
        let within = Some(hero.clone());
        Edit::Delete { of, name: name.to_owned(), dependants, within }
    };
    let refused = session.apply(&gone(Named::State, "go", false)).expect_err("it is used").to_string();
    assert!(refused.contains("transitions") && !refused.contains("foe"), "{refused}");
    session.apply(&gone(Named::State, "go", true)).expect("with its transitions");
    let text = session.files()[0].text();
    let (own, rest) = text.split_at(text.find("layers").expect("layers"));
    assert!(!own.contains("\"go\"") && !own.contains("transitions"), "{text}");
    assert_eq!(rest.matches("\"go\"").count(), MACHINES.matches("\"go\"").count() - 3, "{text}");
    session.undo().expect("undo");
    assert_eq!(session.files()[0].text(), MACHINES);
    // A condition goes, and its transition stays; that of the other machine is not touched.
    session.apply(&gone(Named::Input, "jump", true)).expect("with its conditions");
    let text = session.files()[0].text();
    assert!(
        !text.contains("jump") && text.contains("(from: \"rest\", to: \"go\", above: {\"speed\": 0.5})"),
        "{text}"
    );
}
