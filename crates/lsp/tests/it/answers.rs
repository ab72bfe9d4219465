//! What the server answers: completion, hover, fixes, definitions, references and structure.

use std::path::{Path, PathBuf};

use bone_format::FormatTable;
use serde_json::{Value, json};

use crate::client::{Client, byte, edited, examples, position, uri};

const SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 40 40'>\n  <g id='flags'><path id=\"flag\" d='M5 5H35V20H5Z'/><circle id='dot' r='3'/></g></svg>";

const RIG: &str = r#"Rig(version: 1, drawing: "flag.svg", include: ["clips.ron"],
    bones: {
        "pole": (from: (5, 5), to: (35, 5)),
        "tip": (parent: "pole", length: 4),
    },
    skin: [Rigid(art: "flag", bone: "pole"), Rigid(art: "dot", bone: "tip")],
)"#;

const CLIPS: &str = r#"Part(version: 1, clips: {
    "wave": (length: 2, bones: { "pole": (rotate: [(0, 0), (1, 30), (2, 0)]) }),
})"#;

pub(crate) struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in [("flag.svg", SVG), ("rig.ron", RIG), ("clips.ron", CLIPS)] {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("the folder").join(name)
    }
}

/// Each field of each table is completed where it belongs, with its type and its documentation.
#[test]
fn every_field_of_the_format_is_completed() {
    let mut client = Client::start(false);
    let path = Path::new("/nowhere/rig.ron");
    client.open(path, "Rig()");
    let tables = bone_format::format();
    let ways = ways(&tables);
    let mut reached = 0;
    for table in &tables {
        let Some((before, _)) = ways.iter().find(|(_, of)| of == table.name) else { continue };
        let text = format!("Rig(\n{before}");
        client.set(path, &text);
        let reply = client.at("textDocument/completion", path, &text, text.len()).expect("a reply");
        let items = reply["items"].as_array().cloned().unwrap_or_default();
        for field in &table.fields {
            let item = items.iter().find(|item| item["label"] == field.name);
            let item = item.unwrap_or_else(|| panic!("{} of {} after {text}", field.name, table.name));
            assert_eq!(item["detail"], field.of.replace('`', ""));
            let new = item["textEdit"]["newText"].as_str().expect("a text");
            assert!(new.starts_with(&format!("{}: ${{1:", field.name)), "{new}");
        }
        reached += 1;
    }
    assert!(reached + 2 >= tables.len(), "{reached} of {} tables", tables.len());
    client.end();
}

/// A scene has findings, completion and hovers as a rig has; names are those of the rigs of its actors.
#[test]
fn scenes_are_checked_and_completed() {
    let folder = examples().join("pond");
    let (path, text) =
        (folder.join("scene.ron"), std::fs::read_to_string(folder.join("scene.ron")).expect("a scene"));
    let mut client = Client::start(false);
    client.open(&path, &text);
    assert_eq!(client.findings(&path), Vec::<Value>::new());
    let after = |text: &str, word: &str| text.find(word).expect("the word") + word.len();
    for (word, wanted, unwanted) in [
        ("behind: \"log\", ", "wear", "bones"),
        ("camera: (", "zoom", "actors"),
        ("\"guest\": (", "hide", "play"),
        ("(repeat: 3, clip: \"", "glides", "sits"),
        ("play: [\"", "asks", "asks under sits"),
        ("on: \"", "frog/head", "fly/chest/"),
        ("behind: \"", "log", "frog/eyes"),
    ] {
        let text = text.replace("(clip: \"glides\", repeat: 3)", "(repeat: 3, clip: \"glides\")");
        client.set(&path, &text);
        let labels = client.labels(&path, &text, after(&text, word));
        assert!(labels.iter().any(|label| label == wanted), "{word}: {labels:?}");
        assert!(labels.iter().all(|label| label != unwanted), "{word}: {labels:?}");
    }
    let hover = client.at("textDocument/hover", &path, &text, after(&text, "behin")).expect("a hover");
    assert!(
        hover["contents"]["value"].as_str().is_some_and(|text| text.contains("below which it lies")),
        "{hover}"
    );
    let broken = text.replace("clip: \"sits\"", "clip: \"sitz\"");
    client.set(&path, &broken);
    let findings = client.findings(&path);
    let found =
        findings.iter().find(|found| found["message"].as_str().is_some_and(|text| text.contains("sitz")));
    let found = found.unwrap_or_else(|| panic!("{findings:#?}"));
    assert_eq!(found["range"]["start"], position(&broken, after(&broken, "clip: "), false));
    client.end();
}

/// A text that ends in the open brackets of each table, found by the examples of fields.
fn ways(tables: &[FormatTable]) -> Vec<(String, String)> {
    let name = |of: &str| tables.iter().any(|table| table.name == of);
    let mut ways = vec![(String::new(), "Rig".to_owned())];
    let mut at = 0;
    while let Some((before, of)) = ways.get(at).cloned() {
        at += 1;
        for field in tables.iter().filter(|table| table.name == of).flat_map(|table| &table.fields) {
            // Words in backticks are no tables.
            let of: String = field.of.split('`').step_by(2).collect();
            let word = |text: &str| {
                text.split([' ', ',']).map(str::to_owned).filter(|word| name(word)).collect::<Vec<_>>()
            };
            let mut found: Vec<(String, String)> = Vec::new();
            for of_table in word(&of) {
                let open = match &*of {
                    // Kinds have their names before the brackets.
                    list if list.starts_with("list of ") && list.contains(',') => format!("[{of_table}("),
                    list if list.starts_with("list of ") => "[(".to_owned(),
                    map if map.starts_with("map ") && map.matches("map ").count() == 2 => {
                        "{\"a\": {\"b\": (".to_owned()
                    }
                    map if map.starts_with("map ") => "{\"a\": (".to_owned(),
                    _ => "(".to_owned(),
                };
                found.push((format!("{before}{}: {open}", field.name), of_table));
            }
            for way in found {
                if ways.iter().all(|(_, known)| *known != way.1) {
                    ways.push(way);
                }
            }
        }
    }
    ways
}

#[test]
fn names_are_completed_in_a_rig_with_mistakes() {
    let files = Files::new();
    let path = files.path("rig.ron");
    let mut client = Client::start(false);
    client.open(&path, RIG);
    assert_eq!(client.findings(&path), Vec::<Value>::new());
    let end = RIG.rfind(')').expect("the end");
    let written = |more: &str| format!("{} drivers: [(bone: \"pole\", fild: 3)], {more}", &RIG[..end]);
    let cases = [
        ("springs: [(chain: \"", vec!["pole", "tip"]),
        ("skin: [Rigid(art: \"fl", vec!["flags", "flag", "dot"]),
        ("skin: [Rigid(art: [\"", vec!["flags", "flag", "dot"]),
        ("shots: { \"a\": (play: [\"", vec!["wave"]),
        ("clips: { \"a\": (bones: { \"po", vec!["pole", "tip"]),
        ("drawing: \"", vec!["flag.svg"]),
        ("include: [\"", vec!["clips.ron", "rig.ron"]),
        ("bones: { \"", vec![]),
        ("bones: { \"a\": (joint: P", vec!["Free", "Pin", "Slide", "Fixed"]),
    ];
    for (more, wanted) in cases {
        let text = written(more);
        client.set(&path, &text);
        assert_eq!(client.labels(&path, &text, text.len()), wanted, "{more}");
    }
    // Of a machine its own states and inputs, of a layer those of the layer.
    let machine = "machines: { \"go\": (inputs: {\"speed\": 0, \"jump\": Trigger}, states: {\"idle\": (clip: \"wave\"), \"run\": (by: [\"speed\"])}, layers: [(states: {\"nod\": ()}, transitions: [(to: \"nod\")])], ";
    let cases = [
        ("transitions: [(to: \"", vec!["idle", "run"]),
        ("transitions: [(from: \"idle\", above: { \"", vec!["speed", "jump"]),
        ("transitions: [(to: \"run\", fired: [\"j", vec!["speed", "jump"]),
        ("start: \"", vec!["idle", "run"]),
    ];
    for (more, wanted) in cases {
        let text = written(&format!("{machine}{more}"));
        client.set(&path, &text);
        assert_eq!(client.labels(&path, &text, text.len()), wanted, "{more}");
    }
    let text = written(&format!("{machine}start: \"run\") }}"));
    let layer = text.find("to: \"nod").expect("a transition") + "to: \"n".len();
    client.set(&path, &text);
    assert_eq!(client.labels(&path, &text, layer), ["nod"]);
    let clip = text.find("clip: \"wave").expect("a clip") + "clip: \"w".len();
    assert_eq!(client.labels(&path, &text, clip), ["wave"]);
    let text = written("clips: { \"a\": (bones: { \"pole\": (rotate: [(0, 1, ");
    client.set(&path, &text);
    assert!(client.labels(&path, &text, text.len()).contains(&"Smooth".to_owned()));
    client.end();
}

/// What an item writes leaves the text as it would be typed.
#[test]
fn completed_texts_are_written_in_place() {
    let files = Files::new();
    let path = files.path("rig.ron");
    let mut client = Client::start(true);
    let cases = [
        ("\"tip\": (parent: \"po", "pole", "\"tip\": (parent: \"pole\"$0"),
        ("\"tip\": (par", "parent", "\"tip\": (parent: ${1:\"hip\"}"),
        ("\"tip\": (joint: ", "Slide", "\"tip\": (joint: Slide"),
    ];
    client.open(&path, RIG);
    for (typed, label, expected) in cases {
        let text = format!("Rig(version: 1, bones: {{ \"pole\": (), {typed}");
        client.set(&path, &text);
        let reply = client.at("textDocument/completion", &path, &text, text.len()).expect("a reply");
        let item =
            reply["items"].as_array().and_then(|items| items.iter().find(|item| item["label"] == label));
        let edit = item.unwrap_or_else(|| panic!("{label}: {reply}"))["textEdit"].clone();
        assert!(edited(&text, &[edit], true).ends_with(expected), "{typed}");
    }
    client.end();
}

/// Each suggestion of the broken rigs has an action that takes its finding away.
#[test]
fn suggestions_are_actions() {
    let mut client = Client::start(true);
    let folder = examples().join("../tests/bad-rigs").canonicalize().expect("the broken rigs");
    let mut rigs: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("rigs").map(|entry| entry.expect("a file").path()).collect();
    rigs.retain(|path| path.extension().is_some_and(|end| end == "ron"));
    rigs.sort();
    let mut count = 0;
    for path in rigs {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if !text.contains("did you mean") || !text.contains("Rig(") {
            continue;
        }
        client.open(&path, &text);
        for found in client.findings(&path) {
            let message = found["message"].as_str().unwrap_or_default();
            if !message.contains("did you mean") {
                continue;
            }
            let params = json!({ "textDocument": { "uri": uri(&path) }, "range": found["range"], "context": { "diagnostics": [found] } });
            let actions = client.request("textDocument/codeAction", params).expect("a reply");
            let edits = actions[0]["edit"]["changes"][uri(&path)].as_array().cloned().unwrap_or_default();
            assert_eq!(edits.len(), 1, "{}: {message}: {actions}", path.display());
            let after = edited(&text, &edits, true);
            client.set(&path, &after);
            assert!(!client.findings(&path).contains(&found), "{}: {message}", path.display());
            client.set(&path, &text);
            client.findings(&path);
            count += 1;
        }
        client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri(&path) } }));
    }
    assert!(count > 30, "{count}");
    client.end();
}

#[test]
fn definitions_and_references_go_through_all_files() {
    let files = Files::new();
    let (rig, clips, svg) = (files.path("rig.ron"), files.path("clips.ron"), files.path("flag.svg"));
    let mut client = Client::start(false);
    client.open(&rig, RIG);
    client.open(&clips, CLIPS);
    client.findings(&rig);
    client.findings(&clips);
    let shown = |text: &str, value: &Value| {
        let place = |end: &str| byte(text, &value["range"][end], false);
        text[place("start")..place("end")].to_owned()
    };
    // From a part to the rig.
    let at = CLIPS.find("pole").expect("a use") + 1;
    let found = client.at("textDocument/definition", &clips, CLIPS, at).expect("a reply");
    assert_eq!((&found[0]["uri"], shown(RIG, &found[0])), (&json!(uri(&rig)), "pole".to_owned()));
    assert_eq!(byte(RIG, &found[0]["range"]["start"], false), RIG.find("pole").expect("the bone"));
    // From art to the drawing, from a path to its file.
    let at = RIG.find("\"flag\"").expect("art") + 2;
    let found = client.at("textDocument/definition", &rig, RIG, at).expect("a reply");
    assert_eq!((&found[0]["uri"], shown(SVG, &found[0])), (&json!(uri(&svg)), "flag".to_owned()));
    assert_eq!(byte(SVG, &found[0]["range"]["start"], false), SVG.find("flag\"").expect("the id"));
    let at = RIG.find("clips.ron").expect("a path") + 2;
    let found = client.at("textDocument/definition", &rig, RIG, at).expect("a reply");
    assert_eq!(found[0]["uri"], json!(uri(&clips)));
    // The bone in both files: its entry, a parent, a binding, a channel.
    for (with, count) in [(true, 4), (false, 3)] {
        let place = json!({ "textDocument": { "uri": uri(&rig) }, "position": position(RIG, RIG.find("pole").expect("it"), false), "context": { "includeDeclaration": with } });
        let found = client.request("textDocument/references", place).expect("a reply");
        assert_eq!(found.as_array().map(Vec::len), Some(count), "{found}");
    }
    let found = client
        .at("textDocument/documentHighlight", &rig, RIG, RIG.find("pole").expect("it"))
        .expect("a reply");
    assert_eq!(found.as_array().map(Vec::len), Some(3));
    client.end();
}

#[test]
fn hovers_have_the_documentation() {
    let files = Files::new();
    let rig = files.path("rig.ron");
    let mut client = Client::start(false);
    client.open(&rig, RIG);
    client.findings(&rig);
    let mut text = |word: &str| {
        let at = RIG.find(word).expect("the word") + 1;
        let reply = client.at("textDocument/hover", &rig, RIG, at).expect("a reply");
        reply["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    let length = text("length");
    assert!(length.contains("**length**: number, not 0") && length.contains("length: 60"), "{length}");
    let bone = text("\"pole\", length");
    assert!(
        bone.contains("bone **pole**") && bone.contains("\"pole\": (from: (5, 5), to: (35, 5))"),
        "{bone}"
    );
    let art = text("\"flag\"");
    assert!(art.contains("art **flag**: `<path>`, in `flags`"), "{art}");
    client.end();
}

#[test]
fn the_structure_of_a_text_follows_its_brackets() {
    let files = Files::new();
    let rig = files.path("rig.ron");
    let mut client = Client::start(false);
    client.open(&rig, RIG);
    let document = json!({ "textDocument": { "uri": uri(&rig) } });
    let symbols = client.request("textDocument/documentSymbol", document.clone()).expect("a reply");
    let names = |list: &Value| -> Vec<String> {
        list.as_array()
            .into_iter()
            .flatten()
            .map(|symbol| symbol["name"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(names(&symbols), ["include", "bones", "skin"]);
    assert_eq!(names(&symbols[1]["children"]), ["pole", "tip"]);
    assert_eq!(names(&symbols[2]["children"]), ["Rigid \"flag\"", "Rigid \"dot\""]);
    let folds = client.request("textDocument/foldingRange", document).expect("a reply");
    assert!(
        folds
            .as_array()
            .is_some_and(|folds| folds.iter().any(|fold| fold["startLine"] == 1 && fold["endLine"] == 3)),
        "{folds}"
    );
    let place = json!({ "textDocument": { "uri": uri(&rig) }, "positions": [position(RIG, RIG.find("35").expect("it"), false)] });
    let mut selection = client.request("textDocument/selectionRange", place).expect("a reply")[0].clone();
    let mut shown = Vec::new();
    while !selection.is_null() {
        let place = |end: &str| byte(RIG, &selection["range"][end], false);
        shown.push(RIG[place("start")..place("end")].to_owned());
        selection = selection["parent"].clone();
    }
    assert_eq!(shown[..3], ["35", "(35, 5)", "to: (35, 5)"]);
    assert_eq!(shown.last().map(String::as_str), Some(RIG));
    client.end();
}
