//! The start and end of the server, and its texts: positions, edits, broken ones, foreign ones.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::{Client, edited, examples, position, uri};

fn walk() -> (PathBuf, String) {
    let path = examples().join("walk/rig.ron");
    let text = std::fs::read_to_string(&path).expect("the rig of a walk");
    (path, text)
}

#[test]
fn the_server_starts_and_ends_as_it_should() {
    assert!(Client::start(false).end().success());
    assert_eq!(Client::start(false).exit().code(), Some(1));
    assert_eq!(Client::start(false).leave().code(), Some(1));
    assert_eq!(Client::raw().leave().code(), Some(1));
    let mut early = Client::raw();
    let error = early.request("textDocument/hover", json!({})).expect_err("not yet");
    assert_eq!(error["code"], -32002);
    let mut client = Client::start(false);
    assert_eq!(client.request("textDocument/moniker", json!({})).expect_err("no such")["code"], -32601);
    assert_eq!(client.request("textDocument/hover", json!({ "a": 1 })).expect_err("no text")["code"], -32602);
    client.request("shutdown", Value::Null).expect("a reply");
    assert_eq!(client.request("textDocument/hover", json!({})).expect_err("too late")["code"], -32600);
}

/// A finding has the place that the program prints, in either unit.
#[test]
fn positions_count_units_of_either_kind() {
    for (bom, newline) in [("", "\n"), ("\u{feff}", "\r\n")] {
        let text = format!(
            "{bom}Rig(version: 1, drawing: \"a.svg\",{newline}  bones: {{ \"Käse😀\": (from: (0, 0), lenght: 3) }})"
        );
        for utf8 in [false, true] {
            let mut client = Client::start(utf8);
            let path = Path::new("/nowhere/a.ron");
            client.open(path, &text);
            let findings = client.findings(path);
            let wrong = findings.iter().find(|found| found["code"] == "unknown-field").expect("the finding");
            let start = text.find("lenght").expect("the word");
            assert_eq!(wrong["range"]["start"], position(&text, start, utf8));
            assert_eq!(wrong["range"]["end"], position(&text, start + 6, utf8));
            client.end();
        }
    }
}

/// The server has the lines of the client after random edits: what replaces all of its text leaves nothing over.
#[test]
fn many_random_edits_leave_the_text_of_the_client() {
    let mut seed = 7_u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below.max(1)
    };
    let pieces = ["\n", "Käse😀", "\"", "(", ")", "x: 1,", "", "", " ", "// é\n", "{", "}"];
    for utf8 in [false, true] {
        let path = Path::new("/nowhere/b.ron");
        let mut text =
            "Rig(version: 1, drawing: \"a.svg\",\n  bones: { \"Käse😀\": (from: (0, 0)) })\n".to_owned();
        let mut client = Client::start(utf8);
        client.open(path, &text);
        for _ in 0..500 {
            let mut changes = Vec::new();
            for _ in 0..10 {
                let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
                let first = random(places.len());
                let last = (first + random(12)).min(places.len() - 1);
                let new = pieces[random(pieces.len())];
                let place = |at: usize| position(&text, places[at], utf8);
                let range = json!({ "start": place(first), "end": place(last) });
                text = edited(&text, &[json!({ "range": range, "newText": new })], utf8);
                changes.push(json!({ "range": range, "text": new }));
            }
            client.change(path, json!(changes));
        }
        let end = position(&text, text.len(), utf8);
        let whole = json!({ "start": { "line": 0, "character": 0 }, "end": end });
        let last = "Rig() // the end";
        client.change(path, json!([{ "range": whole, "text": last }]));
        let places = json!({ "textDocument": { "uri": uri(path) }, "positions": [position(last, 4, utf8)] });
        let mut outer = client.request("textDocument/selectionRange", places).expect("a reply")[0].clone();
        while outer.get("parent").is_some() {
            outer = outer["parent"].clone();
        }
        assert_eq!(outer["range"]["end"], position(last, last.len(), utf8));
        client.end();
    }
}

/// Each beginning of a rig, as if it were typed: answers, and no fault.
#[test]
fn every_beginning_of_a_rig_has_answers() {
    let (path, text) = walk();
    let mut client = Client::start(true);
    client.open(&path, "");
    // All of them on demand: they take a minute.
    let step = if std::env::var_os("CASES").is_some() { 1 } else { 7 };
    let ends: Vec<usize> = (0..=text.len()).step_by(step).filter(|at| text.is_char_boundary(*at)).collect();
    let mut asked = Vec::new();
    for (count, end) in ends.iter().enumerate() {
        client.set(&path, &text[..*end]);
        let place = json!({ "textDocument": { "uri": uri(&path) }, "position": position(&text, *end, true) });
        asked.push(client.ask("textDocument/completion", place.clone()));
        if count % 16 == 0 {
            for method in ["hover", "definition", "documentSymbol", "foldingRange", "documentHighlight"] {
                asked.push(client.ask(&format!("textDocument/{method}"), place.clone()));
            }
        }
        if asked.len() > 100 {
            for id in asked.drain(..) {
                client.reply(id).expect("no fault");
            }
        }
    }
    for id in asked {
        client.reply(id).expect("no fault");
    }
    client.set(&path, &text);
    assert!(client.findings(&path).is_empty());
    assert!(client.end().success());
}

/// Prints how long a key takes until its findings are there. Speed is no test.
#[test]
fn the_time_of_an_edit_is_printed() {
    let (path, text) = walk();
    let mut client = Client::start(true);
    client.open(&path, &text);
    client.findings(&path);
    let at = text.find("rotate: [(0, ").expect("a key") + "rotate: [(0, ".len();
    let place = position(&text, at, true);
    let mut times: Vec<u128> = (0..15)
        .map(|_| {
            let start = std::time::Instant::now();
            client.change(&path, json!([{ "range": { "start": place, "end": place }, "text": "1" }]));
            client.findings(&path);
            start.elapsed().as_micros()
        })
        .collect();
    times.sort_unstable();
    println!("a key of walk until its findings: {} us (median of {})", times[times.len() / 2], times.len());
    client.end();
}

#[test]
fn examples_have_the_findings_of_the_program() {
    let mut client = Client::start(true);
    let mut count = 0;
    for folder in std::fs::read_dir(examples()).expect("the examples") {
        let path = folder.expect("a folder").path().join("rig.ron");
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        client.open(&path, &text);
        let found: Vec<String> = client
            .findings(&path)
            .iter()
            .map(|found| {
                found["message"].as_str().unwrap_or_default().lines().next().unwrap_or_default().to_owned()
            })
            .collect();
        let loaded =
            bone_format::load(&path, std::sync::Arc::new(bone_format::Disk), &bone_format::system_fonts);
        let in_rig = loaded.diagnostics.iter().filter(|found| {
            found.place.is_none_or(|place| loaded.sources.name(place.source) == path.display().to_string())
        });
        let expected: Vec<String> = in_rig.map(|found| found.message.clone()).collect();
        assert_eq!(found, expected, "{}", path.display());
        count += 1;
    }
    assert!(count >= 15);
    client.end();
}

#[test]
fn other_files_are_left_alone() {
    let mut client = Client::start(false);
    let foreign = Path::new("/nowhere/settings.ron");
    client.open(foreign, "Config(bones: 3, lenght: )");
    let rig = Path::new("/nowhere/rig.ron");
    client.open(rig, "Rig(version: 1)");
    assert!(!client.findings(rig).is_empty());
    assert!(!client.published.contains_key(&uri(foreign)));
    assert_eq!(client.at("textDocument/completion", foreign, "Config(", 7), Ok(Value::Null));
    // One that becomes a rig has findings; they go when it is closed.
    client.set(foreign, "Rig(bones: 3)");
    assert!(!client.findings(foreign).is_empty());
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri(foreign) } }));
    client.set(rig, "Rig(version: 2)");
    client.findings(rig);
    // All findings of a view are sent before the next answer.
    client.at("textDocument/hover", rig, "Rig(version: 2)", 5).expect("a reply");
    assert_eq!(client.published.get(&uri(foreign)).map(|(_, list)| list.len()), Some(0));
    client.end();
}
