//! Edits of the page: one minimal change of the text each, undone to the byte.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::apart;
use crate::client::arm;
use crate::client::{Page, Served};
use crate::rigs::{ARM, ARM_SVG};

#[test]
fn operations_are_one_step_or_none() {
    let served = arm();
    let mut page = served.page();
    let key = json!({ "op": "SetKey", "channel": ["clips", "nod", "bones", "hand", "rotate"], "time": 0.5, "value": 7.25 });
    let wrong = json!({ "op": "SetKey", "channel": ["clips", "nod", "bones", "hnd", "rotate"], "time": 0.5, "value": 1 });
    let refused = page.ask(json!({ "t": "edit", "ops": [key, wrong] }));
    assert_eq!(refused["t"], "refused");
    assert!(refused["why"].as_str().expect("why").contains("hnd"), "{refused}");
    assert_eq!(served.text(), ARM);
    page.edit(json!([key]));
    assert_eq!(served.text(), ARM.replace("(1, 20)]", "(0.5, 7.25), (1, 20)]"));
    let keys = &page.state["clips"]["nod"]["tracks"][0]["keys"];
    assert_eq!(keys[1], json!({ "t": 0.5, "v": 7.25, "ease": null }));
    page.edit(json!([
        { "op": "SetEase", "channel": ["clips", "nod", "bones", "hand", "rotate"], "time": 0.5, "ease": { "Bezier": [0.4, 0, 0.6, 1] } },
        { "op": "MoveKey", "channel": ["clips", "nod", "bones", "hand", "rotate"], "from": 1, "to": 0.75 },
        { "op": "CopyKey", "channel": ["clips", "nod", "bones", "hand", "rotate"], "from": 0, "to": 1 },
        { "op": "SetExtend", "channel": ["clips", "nod", "bones", "hand", "rotate"], "extend": "PingPong" },
        { "op": "Rename", "of": "clip", "from": "nod", "to": "nodding" },
    ]));
    let text = served.text();
    assert!(text.contains("\"nodding\": (length: 1"), "{text}");
    assert!(text.contains("(0.5, 7.25, Bezier(0.4, 0, 0.6, 1)), (0.75, 20), (1, 0)"), "{text}");
    assert!(page.state["clips"].get("nod").is_none() && page.state["clips"].get("nodding").is_some());
    assert_eq!(page.state["order"], json!(["wave", "nodding"]));
    for _ in 0..2 {
        page.make(json!({ "t": "undo" }));
    }
    assert_eq!(served.text(), ARM);
    assert_eq!(page.ask(json!({ "t": "undo" }))["t"], "refused");
    assert_eq!(page.state["redo"], "Set key of \"hand\" rotate");
}

#[test]
fn edits_of_a_gesture_are_one_step() {
    let served = arm();
    let mut page = served.page();
    for value in [1.0, 2.0, 3.5] {
        page.make(json!({ "t": "edit", "gesture": "g", "title": "Slide", "ops": [
            { "op": "SetKey", "channel": ["clips", "nod", "bones", "hand", "rotate"], "time": 0, "value": value }] }));
        assert_eq!(served.text(), ARM, "nothing is written until the end");
    }
    page.make(json!({ "t": "commit", "gesture": "g" }));
    assert_eq!(served.text(), ARM.replace("\"hand\": (rotate: [(0, 0)", "\"hand\": (rotate: [(0, 3.5)"));
    assert_eq!(page.state["undo"], json!(["Slide"]));
    page.make(json!({ "t": "edit", "gesture": "h", "title": "Slide", "ops": [
        { "op": "DeleteKey", "channel": ["clips", "nod", "bones", "hand", "rotate"], "time": 0 }] }));
    page.make(json!({ "t": "cancel", "gesture": "h" }));
    assert_eq!(page.state["undo"], json!(["Slide"]));
    page.make(json!({ "t": "undo" }));
    assert_eq!(served.text(), ARM);
}

#[test]
fn bones_are_placed_in_the_form_that_is_written() {
    let served = arm();
    let mut page = served.page();
    // A tip that is a length, torn off: the child at the tip stays where it is on the canvas.
    page.drag(
        None,
        0.0,
        json!({ "kind": "tip", "bone": "fore", "at": [270, 125], "tear": true }),
        &[[260.0, 125.0], [250.0, 125.0]],
    );
    let text = served.text();
    assert!(text.contains("\"fore\":  (parent: \"upper\", length: 70)"), "{text}");
    assert!(
        text.contains("\"hand\":  (parent: \"fore\", from: (270, 125), length: 40, /* a short one */ )"),
        "{text}"
    );
    page.make(json!({ "t": "undo" }));
    assert_eq!(served.text(), ARM);
    // Else the joint moves, and what ends there stays: both bones keep their other ends.
    page.drag(None, 0.0, json!({ "kind": "tip", "bone": "fore", "at": [270, 125] }), &[[260.0, 145.0]]);
    let posed = page.posed("nod", 0.0);
    let ((from, elbow), (joint, tip)) = (page.place(&posed, "fore"), page.place(&posed, "hand"));
    for (at, x, y) in
        [(from, 180.0, 125.0), (elbow, 260.0, 145.0), (joint, 260.0, 145.0), (tip, 310.0, 125.0)]
    {
        assert!((at[0] - x).abs() < 0.2 && (at[1] - y).abs() < 0.2, "{at:?} is not {x}, {y}");
    }
    page.make(json!({ "t": "undo" }));
    assert_eq!(served.text(), ARM);
    // The body takes along what is below it.
    page.drag(None, 0.0, json!({ "kind": "bone", "bone": "fore", "at": [200, 125] }), &[[210.0, 135.0]]);
    let posed = page.posed("nod", 0.0);
    let (_, tip) = page.place(&posed, "hand");
    assert!((tip[0] - 320.0).abs() < 0.2 && (tip[1] - 135.0).abs() < 0.2, "{tip:?}");
    page.make(json!({ "t": "undo" }));
    // Both ends in coordinates.
    page.drag(None, 0.0, json!({ "kind": "bone", "bone": "upper", "at": [100, 125] }), &[[105.0, 130.0]]);
    assert!(served.text().contains("from: (85, 130), to: (185, 130)"), "{}", served.text());
    page.make(json!({ "t": "undo" }));
    page.drag(None, 0.0, json!({ "kind": "limit", "bone": "upper", "end": 1 }), &[[80.0, 225.0]]);
    assert!(served.text().contains("limits: (-170, 90)"), "{}", served.text());
    page.make(json!({ "t": "undo" }));
    page.drag(None, 0.0, json!({ "kind": "region", "bone": "upper", "end": 0 }), &[[80.0, 145.0]]);
    assert!(served.text().contains("region: (20, 20)"), "{}", served.text());
    page.make(json!({ "t": "undo" }));
    assert_eq!(served.text(), ARM);
}

#[test]
fn while_a_bone_is_placed_its_preview_is_where_it_will_be() {
    let served = arm();
    let mut page = served.page();
    page.begin("g", None, 0.0, json!({ "kind": "tip", "bone": "fore", "at": [270, 125] }));
    let preview = page.move_to("g", [200.0, 200.0]);
    let (_, hand) = page.place(&preview, "hand");
    page.make(json!({ "t": "commit", "gesture": "g", "scale": 100 }));
    let posed = page.posed("nod", 0.0);
    let (_, real) = page.place(&posed, "hand");
    assert!(apart([hand[0], hand[1]], [real[0], real[1]]) < 0.02, "{hand:?} {real:?}");
}

#[test]
fn another_parent_keeps_the_picture_and_rings_are_refused() {
    let served = arm();
    let mut page = served.page();
    let request = json!({ "t": "frame", "clip": null, "time": 0, "size": [400, 300] });
    let before = page.picture(request.clone());
    page.edit(json!([{ "op": "SetParent", "bone": "fore", "parent": "body", "keep_place": true }]));
    let after = page.picture(request);
    assert_eq!(before.png, after.png);
    for (a, b) in before.posed["bones"]
        .as_array()
        .expect("bones")
        .iter()
        .zip(after.posed["bones"].as_array().expect("bones"))
    {
        for at in 0..4 {
            let (a, b) = (a[at].as_f64().expect("a number"), b[at].as_f64().expect("a number"));
            assert!((a - b).abs() < 1e-6, "{a} {b}");
        }
    }
    let ring = page.ask(json!({ "t": "edit", "ops": [{ "op": "SetParent", "bone": "body", "parent": "hand", "keep_place": true }] }));
    assert_eq!(ring["t"], "refused");
    assert!(!ring["why"].as_str().expect("why").is_empty());
}

#[test]
fn bones_and_bindings_come_and_go() {
    let served = arm();
    let mut page = served.page();
    page.edit(
        json!([{ "op": "Add", "into": ["bones"], "name": "finger", "value": { "ron": "(parent: \"hand\", to: (330, 130))" } }]),
    );
    assert!(served.text().contains("\"finger\": (parent: \"hand\", to: (330, 130))"), "{}", served.text());
    page.edit(json!([{ "op": "Bind", "arts": ["hand"], "bones": ["hand", "finger"], "how": "Smooth" }]));
    assert!(!served.text().contains("Rigid(art: \"hand\""), "{}", served.text());
    assert!(
        served.text().contains("Smooth(art: \"hand\", bones: [\"hand\", \"finger\"])"),
        "{}",
        served.text()
    );
    let art = |page: &Page| {
        page.state["art"]
            .as_array()
            .expect("art")
            .iter()
            .find(|art| art["art"] == "hand")
            .cloned()
            .expect("it")
    };
    assert_eq!(art(&page)["follows"]["how"], "Smooth");
    // What a bone weighs at the vertices.
    page.send(&json!({ "t": "weights", "seq": 77, "bone": "finger" }));
    let weights = page.until("weights");
    let points = weights["paths"][0]["points"].as_array().expect("points").clone();
    assert_eq!(points.len(), 4);
    assert!(points.iter().any(|point| point[2].as_f64().expect("a share") > 0.0));
    // A weight that is painted.
    page.make(
        json!({ "t": "paint", "art": ["hand"], "do": "set", "bone": "finger", "values": [[0, 0, 0.25], [0, 2, 0.5]] }),
    );
    assert!(served.text().contains("Explicit("), "{}", served.text());
    page.send(&json!({ "t": "weights", "seq": 78, "bone": "finger" }));
    let painted = page.until("weights");
    let share = painted["paths"][0]["points"][0][2].as_f64().expect("a share");
    assert!((share - 0.25).abs() < 1e-3, "{share}");
    let share = painted["paths"][0]["points"][2][2].as_f64().expect("a share");
    assert!((share - 0.5).abs() < 1e-3, "{share}");
    for wrong in [json!([[0, 99, 1]]), json!([[9, 0, 1]]), json!([[0, 0]]), json!("all"), json!([[0, -1, 1]])]
    {
        let paint = json!({ "t": "paint", "art": ["hand"], "do": "set", "bone": "finger", "values": wrong });
        assert_eq!(page.ask(paint)["t"], "refused");
    }
    page.make(json!({ "t": "paint", "art": ["hand"], "do": "smooth", "times": 2, "strength": 0.5 }));
    page.make(json!({ "t": "undo" }));
    page.make(json!({ "t": "undo" }));
    // A bone that is used is not deleted without what uses it.
    let used = page.ask(json!({ "t": "dependants", "of": "bone", "name": "finger" }));
    assert_eq!(used["paths"].as_array().map(Vec::len), Some(1), "{used}");
    let delete = |dependants: bool| json!({ "op": "Delete", "of": "bone", "name": "finger", "dependants": dependants });
    assert_eq!(page.ask(json!({ "t": "edit", "ops": [delete(false)] }))["t"], "refused");
    page.edit(json!([delete(true)]));
    page.edit(json!([{ "op": "Unbind", "arts": ["body"] }]));
    let body = page.state["art"].as_array().expect("art").iter().find(|art| art["art"] == "body").cloned();
    assert_eq!(body.expect("it")["moves"], false);
    while page.state["undo"] != json!([]) {
        page.make(json!({ "t": "undo" }));
    }
    assert_eq!(served.text(), ARM);
}

#[test]
fn a_name_changes_in_all_files_at_once() {
    let skeleton = "Part(version: 1, bones: {\n  \"hip\": (from: (50, 250), to: (50, 125)), // root\n  \"arm\": (parent: \"hip\", from: (80, 125), to: (180, 125)),\n  \"goal\": (from: (250, 125), to: (260, 125)),\n})\n";
    let motion = "Part(version: 1, clips: { \"a\": (length: 1, bones: { \"arm\": (rotate: [(0, 0), (1, 9)]) }, constraints: { \"look\": (mix: [(0, 0), (1, 1)]) }) },\n  springs: [(bones: [\"arm\"])],\n)\n";
    let rig = "Rig(version: 1, drawing: \"arm.svg\", include: [\"skeleton.ron\", \"motion.ron\"],\n  skin: [Smooth(art: \"upper\", bones: [\"arm\", \"hip\"]), Rigid(art: \"body\", bone: \"hip\")],\n  drivers: [(bone: \"arm\", bones: { \"hip\": (rotate: [(0, 0), (90, 5)]) })],\n  constraints: [Aim(name: \"look\", bone: \"arm\", target: \"goal\")],\n)\n";
    let files = [("rig.ron", rig), ("arm.svg", ARM_SVG), ("skeleton.ron", skeleton), ("motion.ron", motion)];
    let served = Served::files(&files);
    let mut page = served.page();
    assert_eq!(page.state["good"], true, "{}", page.state["findings"]);
    let request = json!({ "t": "frame", "clip": "a", "time": 0.6, "size": [200, 150] });
    let before = page.picture(request.clone());
    let rename = |from: &str, to: &str| json!([{ "op": "Rename", "of": "bone", "from": from, "to": to }]);
    page.edit(rename("arm", "upper arm"));
    assert_eq!(page.state["findings"]["errors"], 0, "{}", page.state["findings"]);
    assert_eq!(page.picture(request).png, before.png);
    for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".ron")) {
        let now = std::fs::read_to_string(served.folder.path().join(name)).expect("the file");
        assert_eq!(now, text.replace("\"arm\"", "\"upper arm\""), "{name}");
    }
    page.make(json!({ "t": "undo" }));
    for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".ron")) {
        assert_eq!(&std::fs::read_to_string(served.folder.path().join(name)).expect("the file"), text);
    }
}

/// Numbers that are the same in each run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, most: usize) -> usize {
        // The generator of L'Ecuyer (1999), 64 bits.
        self.0 = self.0.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(3_037_000_493);
        (self.0 >> 33) as usize % most.max(1)
    }

    fn one<'t, const N: usize>(&mut self, list: [&'t str; N]) -> &'t str {
        list[self.below(N)]
    }

    fn number(&mut self) -> f64 {
        self.below(2000) as f64 / 10.0 - 100.0
    }
}

/// An operation on what the page shows.
pub(crate) fn random_op(page: &Page, random: &mut Random) -> Value {
    let clips: Vec<String> = page.state["clips"].as_object().expect("clips").keys().cloned().collect();
    let clip = clips[random.below(clips.len())].clone();
    let bones = page.bones();
    if bones.is_empty() {
        return json!({ "op": "DrawChain", "points": [[50, 250], [50, 125]] });
    }
    let bone = bones[random.below(bones.len())].clone();
    let other = bones[random.below(bones.len())].clone();
    let channel = json!(["clips", clip, "bones", bone, random.one(["rotate", "stretch"])]);
    let tracks = page.state["clips"][&clip]["tracks"].as_array().cloned().unwrap_or_default();
    let track =
        tracks.get(random.below(tracks.len())).cloned().unwrap_or(json!({ "path": channel, "keys": [] }));
    let keys = track["keys"].as_array().cloned().unwrap_or_default();
    let key = keys.get(random.below(keys.len())).map_or(json!(0), |key| key["t"].clone());
    let time = random.below(40) as f64 / 20.0;
    let fresh = format!("new {}", random.below(1_000_000));
    match random.below(22) {
        0..=4 => {
            json!({ "op": "SetKey", "channel": channel, "time": time, "value": random.number().abs() + 1.0 })
        }
        5 => json!({ "op": "MoveKey", "channel": track["path"], "from": key, "to": time }),
        6 => json!({ "op": "CopyKey", "channel": track["path"], "from": key, "to": time }),
        7 => json!({ "op": "DeleteKey", "channel": track["path"], "time": key }),
        8 => {
            json!({ "op": "SetEase", "channel": track["path"], "time": key, "ease": random.one(["Hold", "Linear", "Smooth"]) })
        }
        9 => {
            json!({ "op": "PlaceBone", "bone": bone, "from": null, "to": [random.number() + 200.0, random.number() + 150.0] })
        }
        10 => json!({ "op": "SetParent", "bone": bone, "parent": other, "keep_place": random.below(2) == 0 }),
        11 => json!({ "op": "Rename", "of": "bone", "from": bone, "to": fresh }),
        12 => {
            let end = [random.number() + 200.0, 77.5];
            json!({ "op": "DrawChain", "points": [[random.number(), 30.0], end], "parent": bone, "axis": ([None, Some(180.0)][random.below(2)]) })
        }
        13 => json!({ "op": "Delete", "of": "bone", "name": bone, "dependants": bones.len() > 3 }),
        14 => {
            json!({ "op": "Bind", "arts": [random.one(["hand", "fore", "upper"])], "bones": [bone], "how": "Rigid" })
        }
        15 => json!({ "op": "SplitBone", "bone": bone, "at": ([0.25, 0.5, 0.75][random.below(3)]) }),
        16 => json!({ "op": "DeleteBones", "bones": [bone] }),
        17 => json!({ "op": "MirrorSide", "bones": [bone, other], "axis": 180.0 }),
        18 => {
            let kind = random.one(["Ik", "Pin", "Aim", "Copy", "Distance", "Limit", "Spring"]);
            json!({ "op": "AddRule", "kind": kind, "bones": [bone], "target": other, "chain": 3 })
        }
        19 => json!({ "op": "BindAll", "replace": random.below(2) == 0 }),
        20 => {
            json!({ "op": "Retime", "channels": [track["path"]], "from": 0.0, "until": 1.0, "start": 0.0, "end": ([0.5, 1.5, 2.0][random.below(3)]) })
        }
        _ => json!({ "op": "Duplicate", "of": "clip", "name": clip, "copy": fresh }),
    }
}

#[test]
fn undo_of_200_random_operations_gives_the_text_back() {
    let served = arm();
    let mut page = served.page();
    let mut random = Random(7);
    let mut texts = vec![served.text()];
    let mut kinds = BTreeSet::new();
    let mut tries = 0;
    while texts.len() <= 200 {
        tries += 1;
        assert!(tries < 2000, "too many operations are refused");
        let op = random_op(&page, &mut random);
        let answer = page.ask(json!({ "t": "edit", "ops": [op] }));
        let text = served.text();
        if answer["t"] == "refused" {
            assert_eq!(Some(&text), texts.last(), "{op}");
            continue;
        }
        // Each prefix passes `check`.
        assert_eq!(page.state["findings"]["errors"], 0, "{op}: {}", page.state["findings"]);
        if Some(&text) != texts.last() {
            kinds.insert(op["op"].as_str().expect("a name").to_owned());
            texts.push(text);
        }
    }
    assert!(kinds.len() >= 9, "{kinds:?}");
    for wanted in texts.iter().rev().skip(1) {
        page.make(json!({ "t": "undo" }));
        assert_eq!(&served.text(), wanted);
    }
    assert_eq!(served.text(), ARM);
    for wanted in texts.iter().skip(1) {
        page.make(json!({ "t": "redo" }));
        assert_eq!(&served.text(), wanted);
    }
}

#[test]
fn copies_are_saved_under_names_that_are_free() {
    let served = arm();
    let mut page = served.page();
    let rig = served.rig.file_name().expect("a name").to_string_lossy().into_owned();
    page.make(json!({ "t": "hold", "on": true }));
    page.edit(json!([{ "op": "Set", "at": ["clips", "wave", "length"], "value": 3 }]));
    page.make(json!({ "t": "save", "as": "copy.ron" }));
    // The copy has what is not written yet, and the file stays as it is.
    let copy = std::fs::read_to_string(served.rig.with_file_name("copy.ron")).expect("a copy");
    assert!(copy.contains("length: 3"), "{copy}");
    assert!(!served.text().contains("length: 3"));
    let dots = [
        "..",
        ".",
        ".copy.ron",
        "../copy.ron",
        "a/copy.ron",
        "/tmp/copy.ron",
        "copy.svg",
        "copy",
        "",
        "a\u{7}.ron",
        &rig,
    ];
    for name in dots {
        let answer = page.ask(json!({ "t": "save", "as": name }));
        assert_eq!(answer["t"], "refused", "{name}: {answer}");
    }
    assert_eq!(page.ask(json!({ "t": "save", "as": "copy.ron" }))["t"], "refused");
    assert_eq!(std::fs::read_to_string(served.rig.with_file_name("copy.ron")).expect("a copy"), copy);
}

#[test]
fn much_art_comes_in_parts_and_changes_piece_by_piece() {
    let (rig, svg) = crate::page_stage::crowd(1000, 6);
    let served = Served::files(&[("rig.ron", &rig), ("crowd.svg", &svg)]);
    let mut page = served.page();
    let first = page.state.to_string().len();
    println!("the first message of 1,000 paths: {first} bytes");
    assert!(first <= 80_000, "{first} bytes");
    while page.state["art"].as_array().expect("art").len() < 1000 {
        page.until("delta");
    }
    for (at, art) in page.state["art"].as_array().expect("art").iter().enumerate() {
        assert_eq!(art["address"], format!("p{at}"));
    }
    // Another bone for one of them: the others are not sent again.
    page.edit(json!([{ "op": "Set", "at": ["skin", 7, "bone"], "value": "b5" }]));
    let delta = page.until("delta");
    let art = delta["changed"]["art"].as_object().expect("pieces");
    assert_eq!(art.keys().collect::<Vec<_>>(), ["7"], "{delta}");
    assert_eq!(page.state["art"][7]["follows"]["bones"], json!(["b5"]));
    assert!(delta.to_string().len() < 20_000, "{} bytes", delta.to_string().len());
}
