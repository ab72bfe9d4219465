//! Renaming in all files of a rig, and texts that are not saved.

use std::path::Path;
use std::sync::Arc;

use bone_format::{Disk, InMemory, load, no_fonts};
use serde_json::{Value, json};

use crate::answers::Files;
use crate::client::{Client, edited, examples, position, uri};

fn rename(client: &mut Client, path: &Path, text: &str, at: usize, new: &str) -> Result<Value, Value> {
    let position = position(text, at, client.utf8);
    client.request(
        "textDocument/rename",
        json!({ "textDocument": { "uri": uri(path) }, "position": position, "newName": new }),
    )
}

/// The posed drawing at some moments of the clip.
fn frames(path: &Path) -> Vec<String> {
    let loaded = load(path, Arc::new(Disk), &no_fonts);
    let rig = loaded.rig.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let mut state = bone_rig::FrameState::new(&rig);
    let draw = |frame: u32| {
        rig.pose(rig.clip("wave"), f64::from(frame) * 0.4, &mut state).expect("a pose");
        rig.write_svg(&mut state);
        state.svg().to_owned()
    };
    (0..5).map(draw).collect()
}

#[test]
fn a_rename_changes_all_files_and_no_frame() {
    let files = Files::new();
    let (rig, clips) = (files.path("rig.ron"), files.path("clips.ron"));
    let read = |path: &Path| std::fs::read_to_string(path).expect("a text");
    let texts = [read(&rig), read(&clips)];
    let before = frames(&rig);
    let mut client = Client::start(false);
    client.open(&rig, &texts[0]);
    client.findings(&rig);
    let at = texts[0].find("pole").expect("the bone") + 2;
    let place = client.at("textDocument/prepareRename", &rig, &texts[0], at).expect("a name");
    assert_eq!(place["placeholder"], "pole");
    // Only the rig is open; the part is changed on the disk by the editor.
    let edit = rename(&mut client, &rig, &texts[0], at, "mast").expect("edits");
    for (path, text) in [&rig, &clips].into_iter().zip(&texts) {
        let edits = edit["changes"][uri(path)].as_array().cloned().unwrap_or_default();
        assert!(!edits.is_empty(), "{edit}");
        let new = edited(text, &edits, false);
        assert_eq!(new, text.replace("pole", "mast"));
        std::fs::write(path, new).expect("a file");
    }
    assert_eq!(frames(&rig), before);
    client.end();
}

/// A state and an input have the same name in the example, and both are of one machine.
#[test]
fn states_and_inputs_are_renamed_where_they_are_meant() {
    let rig = examples().join("chick/rig.ron");
    let text = std::fs::read_to_string(&rig).expect("a text");
    let mut client = Client::start(false);
    client.open(&rig, &text);
    client.findings(&rig);
    let state = text.find("to: \"left\"").expect("a transition to the state") + 6;
    let input = text.find("is: {\"left\"").expect("what it depends on") + 7;
    let meant = |written: &[&str]| written.iter().map(|written| text.matches(written).count()).sum::<usize>();
    for (at, uses, written) in [
        (state, meant(&["\"left\": (clip", "to: \"left\"", "from: \"left\""]), "\"left\": (clip"),
        (input, meant(&["\"left\": false, \"jump\"", "is: {\"left\""]), "\"left\": false, \"jump\""),
    ] {
        let found = client.at("textDocument/definition", &rig, &text, at).expect("a place");
        let defined = position(&text, text.find(written).expect("where it is given") + 1, false);
        assert_eq!(found[0]["range"]["start"], defined, "{written}");
        let edit = rename(&mut client, &rig, &text, at, "port").expect("edits");
        let edits = edit["changes"][uri(&rig)].as_array().cloned().unwrap_or_default();
        assert_eq!(edits.len(), uses, "{edit}");
        let new = edited(&text, &edits, false);
        let files = InMemory::new().with("rig.ron", new).with("drawing.svg", drawing());
        let loaded = load(Path::new("rig.ron"), Arc::new(files), &no_fonts);
        assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    }
    for taken in ["right", ""] {
        let refused = rename(&mut client, &rig, &text, state, taken).expect_err("a reason");
        assert!(refused["message"].is_string(), "{refused}");
    }
    client.end();
}

fn drawing() -> String {
    std::fs::read_to_string(examples().join("chick/drawing.svg")).expect("the drawing")
}

#[test]
fn a_rename_that_cannot_be_is_refused_with_the_reason() {
    let files = Files::new();
    let rig = files.path("rig.ron");
    let text = std::fs::read_to_string(&rig).expect("a text");
    let mut client = Client::start(false);
    client.open(&rig, &text);
    client.findings(&rig);
    let at = text.find("pole").expect("the bone");
    let error = rename(&mut client, &rig, &text, at, "tip").expect_err("taken");
    assert_eq!(error["code"], -32803);
    assert!(error["message"].as_str().is_some_and(|message| message.contains("tip")), "{error}");
    let art = text.find("\"flag\"").expect("art") + 2;
    for method in ["textDocument/prepareRename", "textDocument/rename"] {
        let place = json!({ "textDocument": { "uri": uri(&rig) }, "position": position(&text, art, false), "newName": "x" });
        let error = client.request(method, place).expect_err("art");
        assert!(error["message"].as_str().is_some_and(|message| message.contains("drawing")), "{error}");
    }
    let broken = text.replace("skin: [", "skin: [(");
    client.set(&rig, &broken);
    let error = rename(&mut client, &rig, &broken, at, "mast").expect_err("mistakes");
    assert!(error["message"].as_str().is_some_and(|message| message.contains("errors")), "{error}");
    // The session is as it was.
    client.set(&rig, &text);
    assert!(client.findings(&rig).is_empty());
    client.end();
}

#[test]
fn a_part_that_is_not_saved_is_used_by_its_rig() {
    let files = Files::new();
    let (rig, clips) = (files.path("rig.ron"), files.path("clips.ron"));
    let text = std::fs::read_to_string(&clips).expect("a text");
    let mut client = Client::start(false);
    // The part alone: the rig beside it is found.
    client.open(&clips, &text);
    assert!(client.findings(&clips).is_empty());
    let wrong = text.replace("\"pole\"", "\"pool\"");
    client.set(&clips, &wrong);
    let findings = client.findings(&clips);
    assert_eq!(
        findings.first().map(|found| found["code"].clone()),
        Some(json!("unknown-bone")),
        "{findings:?}"
    );
    // The bone is added to the rig, which is not saved either.
    let rig_text = std::fs::read_to_string(&rig).expect("a text");
    client.open(&rig, &rig_text.replace("\"tip\":", "\"pool\": (parent: \"pole\", length: 1),\n \"tip\":"));
    client.set(&clips, &format!("{wrong}\n"));
    client.findings(&rig);
    assert!(client.findings(&clips).is_empty());
    // Closed without being saved, the files of the disk count.
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri(&rig) } }));
    client.set(&clips, &wrong);
    assert!(!client.findings(&clips).is_empty());
    client.end();
}

#[test]
fn a_cancelled_request_is_answered() {
    let files = Files::new();
    let rig = files.path("rig.ron");
    let text = std::fs::read_to_string(&rig).expect("a text");
    let mut client = Client::start(false);
    client.open(&rig, &text);
    let place = position(&text, text.find("pole").expect("it"), false);
    let id = client.ask(
        "textDocument/rename",
        json!({ "textDocument": { "uri": uri(&rig) }, "position": place, "newName": "mast" }),
    );
    client.notify("$/cancelRequest", json!({ "id": id }));
    // Either it was made before, or it was cancelled.
    if let Err(error) = client.reply(id) {
        assert_eq!(error["code"], -32800);
    }
    client.set(&rig, &format!("{text} "));
    assert!(client.findings(&rig).is_empty());
    client.end();
}

/// A rig of many paths takes seconds to find its weights; the answer to a request that is cancelled does not wait.
#[test]
fn a_cancelled_request_does_not_wait_for_the_rig() {
    let files = Files::new();
    let (rig, svg) = (files.path("many.ron"), files.path("many.svg"));
    let names: Vec<String> = (0..330).map(|at| format!("p{at}")).collect();
    let path = |(at, name): (usize, &String)| {
        let (x, y) = (at % 22 * 10, at / 22 * 10);
        format!("<path id='{name}' d='M{x} {y}C{} {y} {} {} {x} {}Z'/>", x + 9, x + 9, y + 9, y + 9)
    };
    let paths: String = names.iter().enumerate().map(path).collect();
    let drawing = format!("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 220 150'>{paths}</svg>");
    std::fs::write(svg, drawing).expect("a file");
    let text = format!(
        "Rig(version: 1, drawing: \"many.svg\", bones: {{ \"a\": (from: (0, 75), to: (110, 75)), \"b\": (parent: \"a\", to: (220, 75)) }},\n skin: [Smooth(art: {names:?}, bones: [\"a\", \"b\"])])"
    );
    let mut client = Client::start(false);
    let start = std::time::Instant::now();
    client.open(&rig, &text);
    let place = position(&text, text.find("\"a\"").expect("a bone") + 1, false);
    let rename = json!({ "textDocument": { "uri": uri(&rig) }, "position": place, "newName": "c" });
    let id = client.ask("textDocument/rename", rename);
    let asked = std::time::Instant::now();
    client.notify("$/cancelRequest", json!({ "id": id }));
    assert_eq!(client.reply(id).expect_err("cancelled")["code"], -32800);
    let answered = asked.elapsed();
    // The rig is made all the same; a bone that moves nothing is a warning.
    assert!(client.findings(&rig).iter().all(|found| found["severity"] == 2));
    println!("cancelled after {answered:?}; the rig was there after {:?}", start.elapsed());
    client.end();
}
