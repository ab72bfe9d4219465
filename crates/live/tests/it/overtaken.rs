//! Values that another program or another page changed while one was about to change them: none is
//! overwritten unseen, and both can be had.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Page, Served, arm};
use crate::rigs::ARM;

/// The arm with another value of the key that the drags of these tests set.
fn raised(value: f64) -> String {
    ARM.replace("(1, -30.5)", &format!("(1, {value})"))
}

/// A drag of `upper` to the horizontal, which keys 0, up to its release.
fn dragged(page: &mut Page) {
    let posed = page.posed("wave", 1.0);
    let (_, tip) = page.place(&posed, "upper");
    page.begin("g", Some("wave"), 1.0, json!({ "kind": "rotate", "bone": "upper", "at": tip }));
    page.move_to("g", [180.0, 125.0]);
}

fn released(page: &mut Page) -> Value {
    page.ask(json!({ "t": "commit", "gesture": "g", "scale": 1 }))
}

/// Both values of the only place of an answer.
fn both(answer: &Value) -> [Value; 3] {
    assert_eq!(answer["t"], "overtaken", "{answer}");
    assert_eq!(answer["places"].as_array().map(Vec::len), Some(1), "{answer}");
    ["was", "mine", "theirs"].map(|side| answer["places"][0][side].clone())
}

#[test]
fn a_save_of_the_dragged_value_is_not_overwritten() {
    // Milliseconds before the release: the watcher has not seen it yet, is reading it, has reported it.
    for before in [5, 50, 600, 1500] {
        let served = arm();
        let mut page = served.page();
        dragged(&mut page);
        fs::write(&served.rig, raised(77.0)).expect("a file");
        std::thread::sleep(Duration::from_millis(before));
        let answer = released(&mut page);
        assert_eq!(both(&answer), [json!("-30.5"), json!("0"), json!("77")], "{before}");
        assert_eq!(answer["why"], "upper.rotate at 1 s is 77 in rig.ron, yours 0");
        assert_eq!(served.text(), raised(77.0), "{before}");
        assert_eq!(page.state["undo"], json!([]), "{before}");
        // Theirs stays, or mine takes its place, and can be undone.
        let mut again = answer["again"].clone();
        again["base"] = answer["rev"].clone();
        page.make(again);
        assert_eq!(served.text(), raised(0.0), "{before}");
        page.make(json!({ "t": "undo" }));
        assert_eq!(served.text(), raised(77.0), "{before}");
    }
}

#[test]
fn mine_is_overtaken_again_by_a_later_save() {
    let served = arm();
    let mut page = served.page();
    dragged(&mut page);
    fs::write(&served.rig, raised(77.0)).expect("a file");
    let answer = released(&mut page);
    fs::write(&served.rig, raised(78.0)).expect("a file");
    let mut again = answer["again"].clone();
    again["base"] = answer["rev"].clone();
    assert_eq!(both(&page.ask(again)), [json!("77"), json!("0"), json!("78")]);
    assert_eq!(served.text(), raised(78.0));
    // A save of the same value is no reason.
    let served = arm();
    let mut page = served.page();
    dragged(&mut page);
    fs::write(&served.rig, raised(0.0)).expect("a file");
    assert_eq!(released(&mut page)["t"], "done");
    // Nor is one that was taken back.
    let served = arm();
    let mut page = served.page();
    dragged(&mut page);
    for value in [77.0, -30.5] {
        fs::write(&served.rig, raised(value)).expect("a file");
        page.until("delta");
    }
    assert_eq!(released(&mut page)["t"], "done");
    assert_eq!(served.text(), raised(0.0));
}

#[test]
fn a_key_that_is_gone_or_new_outside_is_a_value_too() {
    let served = arm();
    let mut page = served.page();
    dragged(&mut page);
    let gone = ARM.replace(" (1, -30.5),", "");
    fs::write(&served.rig, &gone).expect("a file");
    assert_eq!(both(&released(&mut page)), [json!("(1, -30.5)"), json!("(1, 0)"), Value::Null]);
    assert_eq!(served.text(), gone);
    let served = arm();
    let mut page = served.page();
    let new = |value: f64| json!([{ "op": "SetKey", "channel": ["clips", "nod", "bones", "hand", "rotate"], "time": 0.5, "value": value }]);
    let base = page.state["rev"].clone();
    let text = ARM.replace("(rotate: [(0, 0), (1, 20)])", "(rotate: [(0, 0), (0.5, 3), (1, 20)])");
    fs::write(&served.rig, &text).expect("a file");
    let answer = page.ask(json!({ "t": "edit", "base": base, "ops": new(4.0) }));
    assert_eq!(both(&answer), [Value::Null, json!("4"), json!("3")]);
    assert_eq!(served.text(), text);
}

#[test]
fn an_edit_without_a_gesture_is_that_of_the_revision_which_the_page_saw() {
    let served = arm();
    let mut page = served.page();
    let base = page.state["rev"].clone();
    let length = |value: f64| json!([{ "op": "Set", "at": ["bones", "fore", "length"], "value": value }]);
    fs::write(&served.rig, ARM.replace("length: 90", "length: 62")).expect("a file");
    page.until("delta");
    let answer = page.ask(json!({ "t": "edit", "base": base, "ops": length(58.0) }));
    assert_eq!(both(&answer), [json!("90"), json!("58"), json!("62")]);
    assert_eq!(answer["why"], "fore.length is 62 in rig.ron, yours 58");
    // Another value is merged, and the page has seen the delta by then.
    let other = json!([{ "op": "Set", "at": ["bones", "hand", "length"], "value": 41 }]);
    page.make(json!({ "t": "edit", "base": base, "ops": other }));
    page.make(json!({ "t": "edit", "base": page.state["rev"], "ops": length(58.0) }));
    assert!(
        served.text().contains("length: 58") && served.text().contains("length: 41"),
        "{}",
        served.text()
    );
    // One's own edits need no answer between them.
    let base = page.state["rev"].clone();
    for value in [50.0, 51.0, 52.0] {
        page.make(json!({ "t": "edit", "base": base, "ops": length(value) }));
    }
    fs::write(&served.rig, served.text().replace("length: 41", "length: 43")).expect("a file");
    page.make(json!({ "t": "edit", "base": base, "ops": length(53.0) }));
    let other = json!([{ "op": "Set", "at": ["bones", "hand", "length"], "value": 44 }]);
    assert_eq!(page.ask(json!({ "t": "edit", "base": base, "ops": other }))["t"], "overtaken");
}

#[test]
fn the_second_of_two_pages_gets_both_values() {
    let served = arm();
    let (mut one, mut two) = (served.page(), served.page());
    dragged(&mut one);
    dragged(&mut two);
    two.move_to("g", [80.0, 225.0]);
    assert_eq!(released(&mut one)["t"], "done");
    let [was, mine, theirs] = both(&released(&mut two));
    assert_eq!((was, theirs), (json!("-30.5"), json!("0")));
    assert_ne!(mine, json!("0"));
    assert_eq!(served.text(), raised(0.0));
}

#[test]
fn painted_weights_are_values_too() {
    let rig = ARM.replace(
        "Rigid(art: \"hand\", bone: \"hand\")",
        "Explicit(art: \"hand\", weights: { 0: {\"hand\": 1} }, others: {\"fore\": 0.5, \"hand\": 0.5})",
    );
    let served = Served::files(&[("rig.ron", &rig), ("arm.svg", crate::rigs::ARM_SVG)]);
    let mut page = served.page();
    let base = page.state["rev"].clone();
    let theirs = rig.replace("0: {\"hand\": 1}", "0: {\"fore\": 0.5, \"hand\": 0.5}");
    fs::write(&served.rig, &theirs).expect("a file");
    let paint = json!({ "t": "paint", "base": base, "art": ["hand"], "do": "set", "bone": "fore", "values": [[0, 0, 0.25]] });
    let answer = page.ask(paint);
    assert_eq!((&answer["t"], served.text()), (&json!("overtaken"), theirs), "{answer}");
}

#[test]
fn a_drag_ends_when_its_bone_or_clip_is_deleted() {
    let no_hand = ARM
        .replace("        \"hand\":  (parent: \"fore\", length: 40, /* a short one */ ),\n", "")
        .replace("        Rigid(art: \"hand\", bone: \"hand\"),\n", "")
        .replace("        \"nod\": (length: 1, bones: { \"hand\": (rotate: [(0, 0), (1, 20)]) }),\n", "");
    let no_wave = ARM[..ARM.find("        \"wave\"").expect("a clip")].to_owned()
        + &ARM[ARM.find("        \"nod\"").expect("a clip")..];
    for (text, why) in
        [(no_hand, "\"hand\" was deleted in rig.ron"), (no_wave, "\"wave\" was deleted in rig.ron")]
    {
        let served = arm();
        let mut page = served.page();
        let posed = page.posed("wave", 1.0);
        let (_, tip) = page.place(&posed, "hand");
        page.begin("g", Some("wave"), 1.0, json!({ "kind": "rotate", "bone": "hand", "at": tip }));
        page.move_to("g", [250.0, 225.0]);
        fs::write(&served.rig, &text).expect("a file");
        page.until("delta");
        assert_eq!(page.move_to("g", [260.0, 225.0])["t"], "failed");
        let ended = page.until("ended");
        assert_eq!((&ended["gesture"], &ended["why"]), (&json!("g"), &json!(why)));
        released(&mut page);
        assert_eq!(served.text(), text);
    }
}

#[test]
fn a_drag_is_kept_when_the_text_has_mistakes() {
    let served = arm();
    let mut page = served.page();
    dragged(&mut page);
    let broken = ARM.replace("length: 90", "length: \"x\"");
    fs::write(&served.rig, &broken).expect("a file");
    page.find(|message| message["t"] == "delta" && message["changed"]["good"] == false);
    let answer = released(&mut page);
    assert_eq!((&answer["t"], &answer["places"]), (&json!("overtaken"), &json!([])), "{answer}");
    assert_eq!(answer["why"], "rig.ron has mistakes now: correct them first");
    assert_eq!(served.text(), broken);
    fs::write(&served.rig, ARM).expect("a file");
    page.find(|message| message["t"] == "delta" && message["changed"]["good"] == true);
    page.make(answer["again"].clone());
    assert_eq!(served.text(), raised(0.0));
}

#[test]
fn a_drag_of_a_connection_that_ends_leaves_no_trace() {
    let served = arm();
    let mut stays = served.page();
    let mut page = served.page();
    dragged(&mut page);
    // A gesture of several edits, the first of which is made.
    let op = |value: f64| json!([{ "op": "SetKey", "channel": ["clips", "nod", "bones", "hand", "rotate"], "time": 1, "value": value }]);
    page.make(json!({ "t": "edit", "gesture": "p", "title": "Paint", "ops": op(40.0) }));
    drop(page);
    stays.find(|message| message["t"] == "delta" && message["title"] == "Cancel");
    assert_eq!(stays.state["clips"]["nod"]["tracks"][0]["keys"][1]["v"], 20.0);
    assert_eq!((&stays.state["undo"], served.text()), (&json!([]), ARM.to_owned()));
    stays.make(json!({ "t": "edit", "ops": op(41.0) }));
    assert_eq!(served.text(), ARM.replace("(1, 20)", "(1, 41)"));
}
