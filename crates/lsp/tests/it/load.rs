//! Long sessions and large rigs: times, memory, and messages of any kind.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, byte, examples, position, uri};

/// A drawing of 300 paths and a rig of 60 bones that carry five each.
fn large() -> (tempfile::TempDir, PathBuf, String) {
    let mut svg = String::from("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1000 600'>");
    let mut rig = String::from("Rig(\n    version: 1,\n    drawing: \"large.svg\",\n    bones: {\n");
    let mut skin = String::new();
    for bone in 0..60 {
        let (x, y) = (20 + 80 * (bone % 12), 20 + 110 * (bone / 12));
        let parent = if bone % 12 == 0 { String::new() } else { format!("parent: \"bone_{}\", ", bone - 1) };
        let (right, down) = (x + 60, y + 10);
        let _ = writeln!(rig, "        \"bone_{bone}\": ({parent}from: ({x}, {y}), to: ({right}, {down})),");
        for path in 0..5 {
            let (top, bottom) = (y + 12 * path, y + 12 * path + 10);
            let _ = write!(svg, "<path id='p{bone}_{path}' d='M{x} {top}H{right}V{bottom}H{x}Z'/>");
            let _ = writeln!(skin, "        Rigid(art: \"p{bone}_{path}\", bone: \"bone_{bone}\"),");
        }
    }
    svg.push_str("</svg>");
    let _ = write!(
        rig,
        "    }},\n    skin: [\n{skin}    ],\n    clips: {{\n        \"all\": (length: 2, bones: {{\n"
    );
    for bone in 0..60 {
        let _ = writeln!(rig, "            \"bone_{bone}\": (rotate: [(0, 0), (1, {bone}), (2, 0)]),");
    }
    rig.push_str("        }),\n    },\n)\n");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().canonicalize().expect("the folder").join("rig.ron");
    std::fs::write(path.with_file_name("large.svg"), svg).expect("a file");
    std::fs::write(&path, &rig).expect("a file");
    (folder, path, rig)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Prints how long a key takes until its findings are there, and a completion. Speed is no test.
#[test]
fn a_large_rig_is_answered_while_it_is_typed() {
    let (_folder, path, text) = large();
    let start = Instant::now();
    let mut client = Client::start(true);
    println!("a server is initialized after {:?}", start.elapsed());
    client.open(&path, &text);
    assert_eq!(client.findings(&path), Vec::<Value>::new());
    let at = text.find("(1, 30)").expect("a key") + 4;
    let place = position(&text, at, true);
    let (mut keys, mut completions) = (Vec::new(), Vec::new());
    for _ in 0..15 {
        let start = Instant::now();
        client.change(&path, json!([{ "range": { "start": place, "end": place }, "text": "1" }]));
        client.findings(&path);
        keys.push(start.elapsed());
        let back = position(&text, at + 1, true);
        client.change(&path, json!([{ "range": { "start": place, "end": back }, "text": "" }]));
        client.findings(&path);
        let start = Instant::now();
        let bone = text.find("bone: \"bone_7\"").expect("a use") + "bone: \"b".len();
        let labels = client.labels(&path, &text, bone);
        completions.push(start.elapsed());
        assert_eq!(labels.len(), 60);
    }
    let (key, completion) = (median(keys), median(completions));
    println!("60 bones, 300 paths: a key until its findings {key:?}, a completion {completion:?}");
    client.end();
}

/// The memory that a process has in use, in bytes.
#[cfg(target_os = "linux")]
fn resident(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

/// 10,000 keystrokes: after the first thousands memory stays.
#[cfg(target_os = "linux")]
#[test]
fn memory_stays_while_a_rig_is_typed() {
    let path = examples().join("walk/rig.ron");
    let text = std::fs::read_to_string(&path).expect("the rig");
    let mut client = Client::start_with(true, &json!({ "pictures": true }));
    client.open(&path, &text);
    client.findings(&path);
    let at = text.find("rotate: [(0, ").expect("a key") + "rotate: [(0, ".len();
    let (start, end) = (position(&text, at, true), position(&text, at + 1, true));
    let mut sizes = Vec::new();
    for key in 0..5_000 {
        client.change(&path, json!([{ "range": { "start": start, "end": start }, "text": "1" }]));
        if key % 50 == 0 {
            client.findings(&path);
            for method in ["hover", "completion"] {
                client.at(&format!("textDocument/{method}"), &path, &text, at).expect("a reply");
            }
        }
        client.change(&path, json!([{ "range": { "start": start, "end": end }, "text": "" }]));
        if key % 500 == 499 {
            client.findings(&path);
            sizes.extend(resident(client.id()));
        }
    }
    println!(
        "after each 1,000 keystrokes: {:?} MB",
        sizes.iter().map(|bytes| bytes >> 20).collect::<Vec<_>>()
    );
    let (early, last) = (sizes[2], sizes[sizes.len() - 1]);
    assert!(last < early + early / 4 + (8 << 20), "{early} became {last}");
    assert!(client.end().success());
}

/// 10,000 edits and messages of random kinds and contents, also wrong ones: each request has its answer.
#[test]
fn random_edits_and_messages_are_answered() {
    let (_folder, path, text) = large();
    let mut seed = 13_u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below.max(1)
    };
    let pieces = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "\"",
        ",",
        ":",
        "\n",
        "é😀",
        "bone",
        "1e9",
        "-",
        "// x\n",
        "/*",
        "*/",
        "",
        "",
        "rotate: [(0, 1)]",
        "\u{feff}",
        "\r\n",
        "#",
        "'",
    ];
    let methods = [
        "completion",
        "hover",
        "definition",
        "references",
        "documentHighlight",
        "documentSymbol",
        "foldingRange",
        "selectionRange",
        "prepareRename",
        "rename",
        "codeAction",
        "formatting",
        "rangeFormatting",
        "inlayHint",
        "documentColor",
        "colorPresentation",
        "moniker",
    ];
    let mut client = Client::start_with(false, &json!({ "pictures": true }));
    client.open(&path, &text);
    let mut asked = Vec::new();
    for round in 0..10_000 {
        let place = |line: usize, column: usize| json!({ "line": line, "character": column });
        let first = random(440);
        let (start, end) = (place(first, random(50)), place(first + random(2), random(60)));
        match random(4) {
            0 | 1 => {
                let piece = pieces[random(pieces.len())];
                client.change(&path, json!([{ "range": { "start": start, "end": end }, "text": piece }]));
            }
            2 => {
                let method = format!("textDocument/{}", methods[random(methods.len())]);
                let mut params = json!({
                    "textDocument": { "uri": uri(&path) }, "position": start, "positions": [start, end],
                    "range": { "start": start, "end": end }, "newName": pieces[random(pieces.len())],
                    "color": { "red": 7, "green": -1, "blue": 0.5 },
                });
                match random(12) {
                    0 => params["position"] = json!("here"),
                    1 => params["textDocument"] = json!({ "uri": "file:///none%zz" }),
                    2 => params["range"] = Value::Null,
                    3 => params["position"] = place(usize::from(u16::MAX), 4_000_000_000),
                    _ => {}
                }
                asked.push(client.ask(&method, params));
            }
            _ => {
                let params = match random(3) {
                    0 => json!({ "id": asked.last().copied().unwrap_or(0) }),
                    1 => json!({ "textDocument": 4, "contentChanges": "all" }),
                    _ => json!([]),
                };
                let method = ["$/cancelRequest", "textDocument/didChange", "textDocument/didSave", "$/none"];
                client.notify(method[random(method.len())], params);
            }
        }
        if round % 500 == 499 {
            client.set(&path, &text);
        }
        if asked.len() > 60 {
            for id in asked.drain(..) {
                // Refusals are answers, but for a fault of the program.
                if let Err(error) = client.reply(id) {
                    assert_ne!(error["code"], -32603, "{error}");
                }
            }
        }
    }
    for id in asked {
        if let Err(error) = client.reply(id) {
            assert_ne!(error["code"], -32603, "{error}");
        }
    }
    client.set(&path, &text);
    assert_eq!(client.findings(&path), Vec::<Value>::new());
    let all = byte(&text, &position(&text, text.len(), false), false);
    assert_eq!(all, text.len());
    assert!(client.end().success());
}
