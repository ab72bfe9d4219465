//! What is shown beside values: hints, colours, pictures; and white space.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bone_render::{Background, FrameOptions, FrameSize, Pixmap};
use bone_rig::FrameState;
use serde_json::{Value, json};

use crate::answers::Files;
use crate::client::{Client, byte, edited, examples, position, uri};

fn document(path: &Path) -> Value {
    json!({ "textDocument": { "uri": uri(path) } })
}

/// The hints of a range of bytes: what is written before each, and its label.
fn hints(
    client: &mut Client,
    path: &Path,
    text: &str,
    range: std::ops::Range<usize>,
) -> Vec<(String, String)> {
    let place = |at: usize| position(text, at, client.utf8);
    let mut params = document(path);
    params["range"] = json!({ "start": place(range.start), "end": place(range.end) });
    let reply = client.request("textDocument/inlayHint", params).expect("a reply");
    let shown = |hint: &Value| {
        let at = byte(text, &hint["position"], client.utf8);
        let before = text[..at].rsplit(['(', '[', ' ']).next().unwrap_or_default();
        (before.to_owned(), hint["label"].as_str().expect("a label").to_owned())
    };
    reply.as_array().into_iter().flatten().map(shown).collect()
}

#[test]
fn hints_have_frames_and_lengths() {
    let files = Files::new();
    let (path, clips) = (files.path("rig.ron"), files.path("clips.ron"));
    let mut client = Client::start(true);
    // A triangle of 3, 4 and 5, ten times.
    let text = std::fs::read_to_string(&path).expect("the rig").replace("to: (35, 5)", "to: (35, 45)");
    client.open(&path, &text);
    client.findings(&path);
    let of = |label: &str, before: &str| (before.to_owned(), label.to_owned());
    assert_eq!(hints(&mut client, &path, &text, 0..text.len()), [of("length 50", "45)")]);
    // 24 frames a second; the key at 0 needs none.
    let part = "Part(version: 1, clips: { \"wave\": (length: 2, bones: { \"pole\": (rotate: [(0, 0), (0.51, 30), (2, 0)]) }) })";
    client.open(&clips, part);
    let found = hints(&mut client, &clips, part, 0..part.len());
    assert_eq!(found, [of("f48", "2"), of("f12.24", "0.51"), of("f48", "2")]);
    let key = part.find("(0.51").expect("the key");
    assert_eq!(hints(&mut client, &clips, part, key..key + 9), [of("f12.24", "0.51")]);
    // The rig follows its text.
    client.findings(&clips);
    let before = client.refreshed;
    let other = text.replace("version: 1,", "version: 1, fps: 10,");
    client.set(&path, &other);
    client.findings(&path);
    let found = hints(&mut client, &clips, part, key..key + 9);
    assert_eq!(found, [of("f5.1", "0.51")]);
    assert_eq!(client.refreshed, before + 1);
    client.end();
}

#[test]
fn colours_are_found_and_written() {
    let path = Path::new("/nowhere/rig.ron");
    let mut client = Client::start(false);
    let text = r##"Rig(version: 1, drawing: "#fff", clips: {"é😀": (length: 1, art: {"lamp": (fill: [(0, "#f80"), (1, "navy"), (2, "#12345"), (3, 4)], stroke: (keys: [(0, "#01fe80")], extend: Loop))})})"##;
    client.open(path, text);
    let found = client.request("textDocument/documentColor", document(path)).expect("a reply");
    let shown: Vec<(String, [f64; 3])> = found
        .as_array()
        .expect("a list")
        .iter()
        .map(|found| {
            let place = |end: &str| byte(text, &found["range"][end], false);
            let part = |name: &str| (found["color"][name].as_f64().expect("a part") * 255.0).round();
            (text[place("start")..place("end")].to_owned(), [part("red"), part("green"), part("blue")])
        })
        .collect();
    let of = |written: &str, parts: [f64; 3]| (written.to_owned(), parts);
    assert_eq!(
        shown,
        [of("#f80", [255.0, 136.0, 0.0]), of("navy", [0.0, 0.0, 128.0]), of("#01fe80", [1.0, 254.0, 128.0])]
    );
    let mut params = document(path);
    params["color"] = json!({ "red": 1.5, "green": 0.5, "blue": 0, "alpha": 0.2 });
    params["range"] = found[0]["range"].clone();
    let written = client.request("textDocument/colorPresentation", params).expect("a reply");
    assert_eq!(written, json!([{ "label": "#ff8000" }]));
    client.end();
}

#[test]
fn white_space_is_laid_out_by_the_editor() {
    let path = Path::new("/nowhere/rig.ron");
    for utf8 in [false, true] {
        let mut client = Client::start(utf8);
        let text =
            "Rig(version:1,\r\n  bones:{\"Käse😀\" :( ), // a\r\n\r\n\r\n\"b\":(parent: \"Käse😀\") },\r\n)";
        client.open(path, text);
        let edits = client.request("textDocument/formatting", document(path)).expect("a reply");
        let after = edited(text, edits.as_array().expect("edits"), utf8);
        let expected = "Rig(version: 1,\r\n  bones: {\"Käse😀\": (), // a\r\n\r\n    \"b\": (parent: \"Käse😀\")},\r\n)\r\n";
        assert_eq!(after, expected);
        // A range changes its own lines.
        let mut params = document(path);
        let at = text.find("\"b\"").expect("the bone");
        params["range"] = json!({ "start": position(text, at, utf8), "end": position(text, at + 5, utf8) });
        let edits = client.request("textDocument/rangeFormatting", params).expect("a reply");
        let after = edited(text, edits.as_array().expect("edits"), utf8);
        assert_eq!(after, text.replace("\r\n\r\n\r\n\"b\":(", "\r\n\r\n    \"b\": ("));
        client.set(path, "Rig(version:1,\n  bones:{)");
        assert_eq!(client.request("textDocument/formatting", document(path)), Ok(Value::Null));
        client.end();
    }
}

/// The picture of a hover, and the rest of it.
fn pictured(client: &mut Client, path: &Path, text: &str, at: usize) -> (String, Option<Pixmap>) {
    let reply = client.at("textDocument/hover", path, text, at).expect("a reply");
    let shown = reply["contents"]["value"].as_str().unwrap_or_default();
    match shown.split_once("\n\n![](data:image/png;base64,") {
        Some((before, rest)) => {
            assert!(rest.len() < 30_000, "{}", rest.len());
            let png = STANDARD.decode(rest.trim_end_matches(')')).expect("base64");
            (before.to_owned(), Some(Pixmap::decode_png(&png).expect("a PNG")))
        }
        None => (shown.to_owned(), None),
    }
}

/// Pictures are those of the program; an editor that did not say that it shows them gets none.
#[test]
fn hovers_have_pictures_for_editors_that_show_them() {
    let path = examples().join("walk/rig.ron");
    let text = std::fs::read_to_string(&path).expect("the rig");
    let loaded = bone_format::load(&path, std::sync::Arc::new(bone_format::Disk), &bone_format::system_fonts);
    let rig = loaded.rig.expect("the walk");
    let drawn = |time: f64, size: (u32, u32)| {
        let size = FrameSize::new(size.0, size.1).expect("a size");
        let mut state = FrameState::new(&rig);
        rig.pose(rig.clip("walk"), time, &mut state).expect("a pose");
        let mut pixmap = Pixmap::new(size.width(), size.height()).expect("memory");
        let options = FrameOptions { size, background: Some(Background { rgba: [255; 4] }) };
        rig.draw(&mut state, &options, &mut pixmap).expect("a frame");
        pixmap
    };
    let mut client = Client::start_with(true, &json!({ "pictures": true }));
    let mut plain = Client::start(true);
    for client in [&mut client, &mut plain] {
        client.open(&path, &text);
        client.findings(&path);
    }
    let key = text.find("(0.25, 2)").expect("a key") + 2;
    let name = text.find("\"walk\": (").expect("the clip") + 2;
    for (at, time) in [(key, 0.25), (name, 0.0)] {
        let (about, picture) = pictured(&mut client, &path, &text, at);
        let picture = picture.expect("a picture");
        let expected = drawn(time, (picture.width(), picture.height()));
        // Sides are rounded otherwise: half a pixel of scale.
        let apart =
            picture.data().iter().zip(expected.data()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum::<u64>();
        let mean = apart as f64 / picture.data().len() as f64;
        assert!(mean < 3.0, "{time}: {mean}");
        let other = drawn(time + 0.3, (picture.width(), picture.height()));
        let apart =
            picture.data().iter().zip(other.data()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum::<u64>();
        assert!(apart as f64 / picture.data().len() as f64 > 2.0 * mean + 0.5);
        assert_eq!(pictured(&mut plain, &path, &text, at), (about, None));
        // The same again, from what is kept.
        assert_eq!(pictured(&mut client, &path, &text, at).1, Some(picture));
    }
    // A piece of art by itself: the paper around it, itself in the middle.
    let art = text.find("art: \"road\"").expect("art") + "art: \"ro".len();
    let (about, picture) = pictured(&mut client, &path, &text, art);
    let picture = picture.expect("a picture");
    if let Some(folder) = std::env::var_os("PICTURES") {
        let folder = Path::new(&folder);
        picture.save_png(folder.join("hover-art.png")).expect("a file");
        let moment = pictured(&mut client, &path, &text, key).1.expect("a picture");
        moment.save_png(folder.join("hover-moment.png")).expect("a file");
    }
    assert!(about.starts_with("art **road**"), "{about}");
    let pixel = |x: u32, y: u32| picture.pixel(x, y).map(|pixel| (pixel.red(), pixel.green(), pixel.blue()));
    assert_eq!(pixel(0, 0), Some((255, 255, 255)));
    let inked = picture
        .pixels()
        .iter()
        .filter(|pixel| pixel.red().min(pixel.green()).min(pixel.blue()) < 250)
        .count();
    assert!(inked > 200, "{inked}");
    // What is not there has no picture, and its hover stays.
    let fields = text.find("fps").expect("a field") + 1;
    assert!(matches!(pictured(&mut client, &path, &text, fields), (about, None) if about.contains("fps")));
    let broken = text.replacen("art: \"road\"", "art: \"raod\"", 1);
    client.set(&path, &broken);
    client.findings(&path);
    let (about, picture) = pictured(&mut client, &path, &broken, art);
    assert!(about.starts_with("art **raod**") && picture.is_none());
    client.end();
    plain.end();
}
