//! Rigs in other notations are the same rigs: JSON and back, and by way of the crates `ron` and `serde_json`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bone_format::diagnostic::Diagnostics;
use bone_format::doc::RigDoc;
use bone_format::span::SourceId;
use bone_format::text::Syntax;
use bone_format::write::{Comments, Digits, write, write_json};
use bone_format::{Disk, Files, InMemory, convert, load, system_fonts};
use bone_layer_tests::files::{good_rigs, root, shown};
use bone_rig::{FrameState, Rig};

/// The disk, but for one file.
struct Instead {
    path: PathBuf,
    text: String,
}

impl Files for Instead {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        if path == self.path { Ok(self.text.clone().into_bytes()) } else { Disk.read(path) }
    }
}

fn read(text: &str) -> RigDoc {
    let mut found = Diagnostics::new();
    let doc = bone_format::read(SourceId::default(), text, &mut found).expect("a rig");
    assert!(!found.has_errors(), "{found:?}\n{text}");
    doc
}

/// A document without its places.
fn contents(doc: &RigDoc) -> String {
    write(doc, &Comments::new(), Digits::ALL)
}

fn to(text: &str, syntax: Syntax) -> String {
    let mut found = Diagnostics::new();
    let converted = convert(SourceId::default(), text, syntax, &mut found);
    converted.unwrap_or_else(|| panic!("{found:?}\n{text}"))
}

fn rig(path: &Path, text: &str) -> Rig {
    let files = Instead { path: path.to_owned(), text: text.to_owned() };
    let loaded = load(path, Arc::new(files), &system_fonts);
    loaded.rig.unwrap_or_else(|| panic!("{}: {:?}", shown(path), loaded.diagnostics))
}

#[test]
fn json_and_back_gives_the_same_frames() {
    for path in good_rigs() {
        let ron = std::fs::read_to_string(&path).expect("a rig");
        let json = to(&ron, Syntax::Json);
        let independent: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert!(independent.is_object(), "{}", shown(&path));
        assert_eq!(Syntax::of(&json), Syntax::Json);
        let again = to(&json, Syntax::Ron);
        assert_eq!(again, contents(&read(&ron)), "{}", shown(&path));
        assert_eq!(to(&again, Syntax::Json), json);
        let (a, b, c) = (rig(&path, &ron), rig(&path, &json), rig(&path, &again));
        let (mut of_a, mut of_b, mut of_c) = (FrameState::new(&a), FrameState::new(&b), FrameState::new(&c));
        for clip in a.clips() {
            for time in [0.0, 0.37, 1.1] {
                for (rig, state) in [(&a, &mut of_a), (&b, &mut of_b), (&c, &mut of_c)] {
                    rig.pose(rig.clip(clip.name()), time, state).expect("a pose");
                    rig.write_svg(state);
                }
                assert!(of_a.svg() == of_b.svg() && of_a.svg() == of_c.svg(), "{} {time}", shown(&path));
            }
        }
    }
}

#[test]
fn parts_are_converted_too() {
    let part = "Part(version: 1, clips: {\"wave\": (length: 2)})";
    let json = to(part, Syntax::Json);
    assert!(json.contains("\"Part\""), "{json}");
    assert!(to(&json, Syntax::Ron).starts_with("Part("));
    let svg =
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path id="a" d="M0 0H9V9Z"/></svg>"#;
    let ron = r#"Rig(version: 1, drawing: "a.svg", include: ["part.json"])"#;
    let files = InMemory::new().with("a.ron", ron).with("a.svg", svg).with("part.json", json);
    let loaded = load("a.ron".as_ref(), Arc::new(files), &system_fonts);
    assert!(loaded.rig.is_some_and(|rig| rig.clip("wave").is_some()), "{:?}", loaded.diagnostics);
}

#[test]
fn serde_reads_and_writes_every_rig() {
    let mut texts: Vec<(String, String)> =
        good_rigs().iter().map(|path| (shown(path), std::fs::read_to_string(path).expect("a rig"))).collect();
    let reference =
        std::fs::read_to_string(root().join("crates/rig-format/FORMAT.md")).expect("the reference");
    let blocks = reference.split("```ron\n").skip(1).filter_map(|rest| rest.split("```").next());
    let whole = blocks.filter(|block| block.starts_with("Rig("));
    texts.extend(whole.map(|block| ("FORMAT.md".to_owned(), block.to_owned())));
    for (name, text) in texts {
        let doc = read(&text);
        let ron = ron::to_string(&doc).expect("RON");
        let from_ron: RigDoc = ron::from_str(&ron).unwrap_or_else(|error| panic!("{name}: {error}\n{ron}"));
        assert_eq!(contents(&from_ron), contents(&doc), "{name}");
        let json = serde_json::to_string(&from_ron).expect("JSON");
        let from_json: RigDoc = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(contents(&from_json), contents(&doc), "{name}");
        // What serde writes is read by this crate, and the other way round.
        assert_eq!(contents(&read(&ron)), contents(&doc), "{name}");
        assert_eq!(contents(&read(&json)), contents(&doc), "{name}");
        let typed: RigDoc = ron::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(contents(&typed), contents(&doc), "{name}");
        let typed: RigDoc = serde_json::from_str(&write_json(&doc, Digits::ALL)).expect("a rig");
        assert_eq!(contents(&typed), contents(&doc), "{name}");
    }
}

#[test]
fn serde_reports_what_reading_reports() {
    let wrong = r#"{"version": 1, "drawing": "a.svg", "bones": {"hip": {"from": [0, 0], "lenght": 3}}}"#;
    let error = serde_json::from_str::<RigDoc>(wrong).expect_err("a mistake").to_string();
    assert!(error.contains("bone \"hip\" has no field `lenght`"), "{error}");
    assert!(serde_json::from_str::<RigDoc>("3").is_err());
    assert!(ron::from_str::<RigDoc>("Rig(version: 2)").is_err());
}

/// The findings about a rig in JSON: line, column, message, help.
fn findings(json: &str) -> Vec<(u32, u32, String, Vec<String>)> {
    let svg =
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path id="a" d="M0 0H9V9Z"/></svg>"#;
    let files = InMemory::new().with("rig.json", json).with("a.svg", svg);
    let loaded = load("rig.json".as_ref(), Arc::new(files), &system_fonts);
    let finding = |found: &bone_format::Diagnostic| {
        let place = found.place.expect("a place");
        let at = loaded.sources.locate(place.source, place.span.start);
        (at.line, at.column, found.message.clone(), found.help.clone())
    };
    loaded.diagnostics.iter().map(finding).collect()
}

#[test]
fn messages_about_json_speak_json() {
    let cases = [
        (
            r#"{"version": 1, "drawing": "a.svg", "bones": {"hip": {"from": 3, "length": 60}}}"#,
            (
                1,
                62,
                "`from` of bone \"hip\" must be an array of two numbers, and it is the number 3",
                "write for example [230, 210]",
            ),
        ),
        (
            r#"{"version": 1, "drawing": "a.svg", "bones": [1]}"#,
            (
                1,
                45,
                "`bones` must be an object, and it is an array",
                "write for example {\"nose\": {\"parent\": \"hip\", \"length\": 9}}",
            ),
        ),
        (
            r#"{"version": 1, "drawing": "a.svg", "skin": ["a"]}"#,
            (
                1,
                45,
                "this binding must be one of `Rigid(…)`, `Smooth(…)`, `Explicit(…)`, `Puppet(…)`, and it is the text \"a\"",
                "write for example {\"Rigid\": {\"art\": \"head\", \"bone\": \"chest\"}}",
            ),
        ),
        (
            r#"{"version": 1, "bones": {}}"#,
            (1, 1, "the rig has no `drawing`", "add \"drawing\": \"hero.svg\""),
        ),
        (
            r#"{"version": 1, "drawing": "a.svg", "clips": {"c": {"length": 1, "bones": {"b": {"rotate": [[0, 1, "Smoth"]]}}}}, "bones": {"b": {"from": [0, 0], "length": 9}}}"#,
            (1, 99, "the ease of a key cannot be `Smoth`", "did you mean `Smooth`?"),
        ),
    ];
    for (json, (line, column, message, help)) in cases {
        let all = findings(json);
        let found = all.first().unwrap_or_else(|| panic!("no finding: {json}"));
        assert_eq!((found.0, found.1, found.2.as_str()), (line, column, message), "{json}");
        assert_eq!(found.3.first().map(String::as_str), Some(help), "{json}");
    }
    let deep = format!("{{\"a\": {}", "[".repeat(100_000));
    assert!(!findings(&deep).is_empty());
    let texts = r#"{"$schema": "rig.schema.json", "version": 1, "drawing": "a\u002esvg", "clips": null}"#;
    assert!(findings(texts).is_empty(), "{:?}", findings(texts));
}

/// Files for a validator that is not ours, which the check of the repository runs: see `.ci/schema.py`.
#[test]
fn the_schema_and_rigs_for_a_validator() {
    let schema: serde_json::Value = serde_json::from_str(&bone_format::json_schema()).expect("JSON");
    let folder = root().join("target/schema");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("rig.schema.json"), schema.to_string()).expect("the schema");
    let mut rigs = Vec::new();
    for path in good_rigs() {
        let ron = std::fs::read_to_string(&path).expect("a rig");
        rigs.push(serde_json::json!({ "name": shown(&path), "rig": parsed(&to(&ron, Syntax::Json)) }));
    }
    std::fs::write(folder.join("good.json"), serde_json::Value::Array(rigs).to_string()).expect("rigs");
}

fn parsed(json: &str) -> serde_json::Value {
    serde_json::from_str(json).expect("JSON")
}
