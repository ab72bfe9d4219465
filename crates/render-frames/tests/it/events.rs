//! Events from the command line, and in the files that have them.

use serde_json::{Value, json};

use crate::command::{below, expect, repository};

/// Frame and name of each event of a list.
fn listed(rig: &str, words: &[&str]) -> Vec<(u64, String)> {
    let ran = expect(0, &[&["events", rig, "--json"], words].concat());
    let list: Value = serde_json::from_str(&ran.out).expect("JSON");
    let entry = |entry: &Value| {
        (entry["frame"].as_u64().expect("a frame"), entry["name"].as_str().expect("a name").to_owned())
    };
    list.as_array().expect("a list").iter().map(entry).collect()
}

fn named(list: &[(u64, &str)]) -> Vec<(u64, String)> {
    list.iter().map(|(frame, name)| (*frame, (*name).to_owned())).collect()
}

const SHOTS: &str = r#"Rig(
    version: 1, drawing: "a.svg", fps: 24,
    bones: { "hip": (from: (0, 0), to: (9, 0)) },
    clips: {
        "walk": (length: 1, loop: true, events: [(0, "step.L"), (0.5, "step.R")]),
        "jump": (length: 0.5, events: [(0, "leap"), (0.5, "land")]),
        "late": (length: 1, loop: true, events: [(0.99, "late")]),
    },
    shots: {
        "s": (play: [(clip: "walk", repeat: 3)]),
        "back": (play: [(clip: "walk", repeat: 3, speed: -1)]),
        "fade": (play: ["walk", (clip: "jump", fade: 0.5)]),
        "cut": (play: [(clip: "walk", length: 0.5), "jump", "jump"]),
        "above": (play: ["jump"], layers: [(clip: "walk", start: 0.25, length: 0.25, weight: 0.5)]),
    },
)"#;

fn rig() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let svg =
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path id="a" d="M0 0h9v9z"/></svg>"#;
    std::fs::write(folder.path().join("a.svg"), svg).expect("a drawing");
    std::fs::write(folder.path().join("a.ron"), SHOTS).expect("a rig");
    let path = below(&folder, "a.ron");
    (folder, path)
}

#[test]
fn frames_own_the_events_since_the_frame_before() {
    let (_folder, rig) = rig();
    let (l, r) = ("step.L", "step.R");
    let steps = |list: &[(u64, &str)]| named(list);
    let found = |words: &[&str]| listed(&rig, words);
    let six = steps(&[(0, l), (12, r), (24, l), (36, r), (48, l), (60, r)]);
    assert_eq!(found(&["--clip", "s"]), six);
    assert_eq!(found(&["--clip", "back"]), steps(&[(12, r), (24, l), (36, r), (48, l), (60, r), (72, l)]));
    // The second step is within the fade.
    assert_eq!(found(&["--clip", "fade"]), steps(&[(0, l), (12, "leap"), (24, "land")]));
    let twice = [(0, l), (12, "leap"), (24, "land"), (24, "leap"), (36, "land")];
    assert_eq!(found(&["--clip", "cut"]), steps(&twice));
    assert_eq!(found(&["--clip", "above"]), steps(&[(0, "leap"), (6, l), (12, "land")]));
    assert_eq!(found(&[]), steps(&[(0, l), (12, r)]), "the first clip");
    assert_eq!(found(&["--frames", "12-24"]), steps(&[(12, r), (24, l)]), "into the next round");
    assert_eq!(found(&["--frames", "0-23:8"]), steps(&[(0, l), (16, r)]));
    assert_eq!(found(&["--frames", "1-11"]), steps(&[]));
    assert_eq!(
        found(&["--fps", "10", "--clip", "s"]).iter().map(|(at, _)| *at).collect::<Vec<_>>(),
        [0, 5, 10, 15, 20, 25]
    );
    // The rest of a round is the last frame's, because the file has no other for it.
    assert_eq!(found(&["--clip", "late"]), steps(&[(23, "late")]));
    assert_eq!(found(&["--clip", "late", "--frames", "0-30"]), steps(&[(24, "late")]));
    let text = expect(0, &["events", &rig, "--clip", "above"]).out;
    assert_eq!(
        text,
        "above: frame 0, 0 s: leap\nabove: frame 6, 0.25 s: step.L (weight 0.5)\nabove: frame 12, 0.5 s: land\n"
    );
    assert!(found(&["--clip", "all"]).len() > 20);
    let said = expect(2, &["events", &rig, "--clip", "wlak"]).err;
    assert!(said.contains("did you mean \"walk\""), "{said}");
}

#[test]
fn files_of_all_frames_have_the_events() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rig = repository("tests/rigs/events.ron");
    let out = |name: &str| below(&folder, name);
    let json = |name: &str| -> Value {
        serde_json::from_str(&std::fs::read_to_string(out(name)).expect("a file")).expect("JSON")
    };
    expect(0, &[&rig, "-q", "-o", &out("walk.json")]);
    let markers = json!([
        { "cm": "walk", "tm": 0, "dr": 24 },
        { "cm": "step.L", "tm": 0, "dr": 0 },
        { "cm": "step.R", "tm": 12, "dr": 0 },
    ]);
    assert_eq!(json("walk.json")["markers"], markers);
    expect(0, &[&rig, "-q", "--clip", "talk", "-o", &out("talk.json")]);
    let talk = json("talk.json");
    let comments: Vec<&str> =
        talk["markers"].as_array().expect("a list").iter().filter_map(|it| it["cm"].as_str()).collect();
    assert_eq!(comments[..2], ["talk", "talk.begins"]);
    let carried: Vec<Value> =
        comments[2..5].iter().map(|text| serde_json::from_str(text).expect("JSON")).collect();
    let door = json!({ "length": 0.3, "text": "door", "locked": false });
    assert_eq!(
        carried,
        [
            json!({ "name": "say", "payload": "Hello" }),
            json!({ "name": "hit", "payload": 3.5 }),
            json!({ "name": "open:door", "payload": door }),
        ]
    );
    // Clips that follow each other in one file.
    expect(0, &[&rig, "-q", "--clip", "all", "-o", &out("all.json")]);
    let all = json("all.json");
    let markers = all["markers"].as_array().expect("a list");
    assert!(markers.contains(&json!({ "cm": "leap", "tm": 27, "dr": 0 })), "{markers:#?}");

    expect(0, &[&rig, "-q", "--clip", "talk", "-o", &out("talk.svg")]);
    let svg = std::fs::read_to_string(out("talk.svg")).expect("a file");
    let svg = roxmltree::Document::parse(&svg).expect("XML");
    let data = svg.root_element().attribute("data-events").expect("events");
    let data: Value = serde_json::from_str(data).expect("JSON");
    assert_eq!(data[3], json!({ "frame": 30, "time": 1.25, "name": "open:door", "payload": door }));

    expect(0, &[&rig, "-q", "--clip", "all", "--sheet", "--size", "12x10", "-o", &out("sheet.json")]);
    let sheet = json("sheet.json");
    let events = sheet["events"].as_array().expect("events");
    // 24 frames of the walk are before those of the run.
    assert!(
        events.contains(&json!({ "clip": "run", "frame": 27, "name": "leap", "time": 0.125 })),
        "{events:#?}"
    );
    // A packed rig has them, too.
    expect(0, &["pack", &rig, "-o", &out("events.bones")]);
    let words = ["--clip", "all"];
    assert_eq!(listed(&out("events.bones"), &words), listed(&rig, &words));
}
