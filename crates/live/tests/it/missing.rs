//! Files that other programs rename or delete: a renamed one is followed, and none is made again unasked.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Page, Served, arm};
use crate::rigs::{ARM, ARM_SVG};

fn key(value: f64) -> Value {
    json!([{ "op": "SetKey", "channel": ["clips", "nod", "bones", "hand", "rotate"], "time": 1, "value": value }])
}

fn keyed(value: f64) -> String {
    ARM.replace("(1, 20)]", &format!("(1, {value})]"))
}

fn names(served: &Served) -> Vec<String> {
    let entries = fs::read_dir(served.folder.path()).expect("the folder").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name != ".records");
    names.sort();
    names
}

fn path(served: &Served, name: &str) -> PathBuf {
    served.folder.path().join(name)
}

/// What is known of a file.
fn file(page: &Page, name: &str) -> Value {
    let mut files = page.state["files"].as_array().expect("files").iter();
    files.find(|file| file["name"] == name).cloned().unwrap_or(Value::Null)
}

#[test]
fn a_renamed_rig_is_followed() {
    // Before the next edit the rename is known, or is not: the edit finds it.
    for wait in [true, false] {
        let mut served = arm();
        let mut page = served.page();
        page.edit(key(30.0));
        fs::rename(&served.rig, path(&served, "hero.ron")).expect("a rename");
        if wait {
            page.until("followed");
        }
        page.edit(key(31.0));
        assert_eq!(names(&served), ["arm.svg", "hero.ron"], "wait: {wait}");
        assert_eq!(fs::read_to_string(path(&served, "hero.ron")).expect("the rig"), keyed(31.0));
        assert_eq!(page.state["rig"], "hero.ron");
        assert_eq!(file(&page, "hero.ron")["role"], "rig");
        // Its saves are taken in, and steps are those of the same rig.
        fs::write(path(&served, "hero.ron"), keyed(31.0).replace("An arm", "An arm of a hero"))
            .expect("a file");
        page.find(|message| {
            message["t"] == "delta" && message["by"] == "disk" && message["title"] != "Follow a file"
        });
        page.make(json!({ "t": "undo" }));
        page.make(json!({ "t": "undo" }));
        let text = ARM.replace("An arm", "An arm of a hero");
        assert_eq!(fs::read_to_string(path(&served, "hero.ron")).expect("the rig"), text);
        // A second server under the new name finds this one.
        let error = bone_live::LiveServer::start(crate::client::options(&path(&served, "hero.ron")))
            .expect_err("it runs");
        assert!(
            matches!(&error, bone_live::StartError::Running { address } if address == served.address()),
            "{error}"
        );
        drop(page);
        drop(served.server.take());
        assert_eq!(names(&served), ["arm.svg", "hero.ron"]);
        let left = crate::client::recorded(&served.rig);
        assert!(left.len() == 1 && left[0].starts_with("hero-"), "no lock and no address is left: {left:?}");
    }
}

#[test]
fn a_copy_that_takes_the_place_of_the_rig_is_followed() {
    let served = arm();
    let mut page = served.page();
    fs::copy(&served.rig, path(&served, "hero.ron")).expect("a copy");
    fs::remove_file(&served.rig).expect("it is removed");
    assert_eq!(page.until("followed")["now"], "hero.ron");
    page.edit(key(31.0));
    assert_eq!(names(&served), ["arm.svg", "hero.ron"]);
}

#[test]
fn two_copies_or_another_kind_of_file_are_not_followed() {
    for others in [vec!["one.ron", "two.ron"], vec!["arm.bak"]] {
        let served = arm();
        let mut page = served.page();
        for other in &others {
            fs::copy(&served.rig, path(&served, other)).expect("a copy");
        }
        fs::remove_file(&served.rig).expect("it is removed");
        assert_eq!(page.until("missing")["file"], "rig.ron");
        page.edit(key(31.0));
        assert!(!served.rig.exists());
        for other in &others {
            assert_eq!(fs::read_to_string(path(&served, other)).expect("a copy"), ARM);
        }
    }
}

#[test]
fn a_deleted_rig_is_written_again_only_when_asked_for() {
    let mut served = arm();
    let mut page = served.page();
    fs::remove_file(&served.rig).expect("it is removed");
    let missing = page.until("missing");
    assert_eq!((&missing["file"], &missing["text"]), (&json!("rig.ron"), &json!(true)));
    page.edit(key(31.0));
    page.edit(key(32.0));
    assert_eq!(page.ask(json!({ "t": "save" }))["t"], "refused");
    assert_eq!(names(&served), ["arm.svg"]);
    assert_eq!(
        (file(&page, "rig.ron")["missing"].clone(), file(&page, "rig.ron")["changed"].clone()),
        (json!(true), json!(true))
    );
    // A page that comes later hears of it.
    assert_eq!(served.page().until("missing")["file"], "rig.ron");
    page.make(json!({ "t": "save", "file": "rig.ron", "anew": true }));
    assert_eq!(served.text(), keyed(32.0));
    assert_eq!(file(&page, "rig.ron")["missing"], false);
    assert_eq!(page.ask(json!({ "t": "save", "file": "rig.ron", "anew": true }))["t"], "refused");
    // Under another name it goes on there.
    fs::remove_file(&served.rig).expect("it is removed");
    page.until("missing");
    page.edit(key(33.0));
    page.make(json!({ "t": "save", "as": "hero.ron" }));
    page.edit(key(34.0));
    assert_eq!(names(&served), ["arm.svg", "hero.ron"]);
    assert_eq!(fs::read_to_string(path(&served, "hero.ron")).expect("the rig"), keyed(34.0));
    // What is in no file is offered by the journal.
    fs::remove_file(path(&served, "hero.ron")).expect("it is removed");
    page.until("missing");
    page.edit(key(35.0));
    drop(page);
    drop(served.server.take());
    assert_eq!(names(&served), ["arm.svg"]);
    fs::write(path(&served, "hero.ron"), keyed(34.0)).expect("a file");
    let next =
        bone_live::LiveServer::start(crate::client::options(&path(&served, "hero.ron"))).expect("a server");
    let mut page = Page::open(next.address());
    page.make(json!({ "t": "journal", "take": true }));
    assert_eq!(fs::read_to_string(path(&served, "hero.ron")).expect("the rig"), keyed(35.0));
}

#[test]
fn a_rig_that_comes_back_gets_what_waited() {
    let served = arm();
    let mut page = served.page();
    fs::remove_file(&served.rig).expect("it is removed");
    page.until("missing");
    page.edit(key(31.0));
    fs::write(&served.rig, ARM.replace("An arm", "Two arms")).expect("a file");
    served.wait_for_text(&keyed(31.0).replace("An arm", "Two arms"));
    page.find(|message| message["t"] == "delta" && message["changed"]["files"][0]["missing"] == false);
    // With the same text, too.
    fs::remove_file(&served.rig).expect("it is removed");
    page.until("missing");
    page.edit(key(32.0));
    fs::write(&served.rig, keyed(31.0).replace("An arm", "Two arms")).expect("a file");
    served.wait_for_text(&keyed(32.0).replace("An arm", "Two arms"));
}

#[test]
fn a_deleted_drawing_is_reported_and_posing_goes_on() {
    let served = arm();
    let mut page = served.page();
    let begin = Instant::now();
    fs::remove_file(path(&served, "arm.svg")).expect("it is removed");
    let missing = page.until("missing");
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
    assert_eq!((&missing["file"], &missing["text"]), (&json!("arm.svg"), &json!(false)));
    page.edit(key(31.0));
    assert_eq!(served.text(), keyed(31.0));
    assert_eq!(page.posed("wave", 0.5)["stale"], true);
    let bind = json!([{ "op": "Bind", "arts": ["body"], "bones": ["upper"], "how": "Rigid" }]);
    let refused = page.ask(json!({ "t": "edit", "ops": bind }));
    assert_eq!(refused["why"], "arm.svg is not there any more: binding waits for it");
    assert_eq!(file(&page, "arm.svg")["missing"], true);
    page.make(json!({ "t": "save", "file": "arm.svg", "anew": true }));
    assert_eq!(fs::read_to_string(path(&served, "arm.svg")).expect("the drawing"), ARM_SVG);
    page.edit(bind);
    assert_eq!(page.posed("wave", 0.5)["stale"], false);
}

#[test]
fn a_renamed_drawing_is_followed_as_a_step() {
    let served = arm();
    let mut page = served.page();
    fs::rename(path(&served, "arm.svg"), path(&served, "hero.svg")).expect("a rename");
    assert_eq!(page.until("followed")["now"], "hero.svg");
    let text = ARM.replace("\"arm.svg\"", "\"hero.svg\"");
    served.wait_for_text(&text);
    page.edit(key(31.0));
    assert_eq!(page.state["files"].as_array().map(Vec::len), Some(2), "{}", page.state["files"]);
    // Its saves are shown.
    let frame = json!({ "t": "frame", "clip": null, "time": 0, "size": [200, 150], "paper": "#fff" });
    let before = page.picture(frame.clone()).png;
    page.forget();
    fs::write(path(&served, "hero.svg"), ARM_SVG.replace("#c43", "#0a0")).expect("a file");
    page.until("delta");
    assert_ne!(page.picture(frame).png, before);
    page.make(json!({ "t": "undo" }));
    assert_eq!(served.text(), text);
}
