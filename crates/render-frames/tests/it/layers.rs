//! Frames in layers: which files there are, their names, and that nothing is written elsewhere.

use std::collections::BTreeMap;
use std::path::Path;

use bone_render::Pixmap;

use crate::command::{FLAG_SVG, below, expect, flag, names};

/// Another rig of the flag's folder, with a drawing of its own.
fn drawn(folder: &tempfile::TempDir, layers: &str) -> String {
    let end = "</svg>";
    let layers = format!("{layers}{end}");
    let text = FLAG_SVG
        .replace(end, &layers)
        .replace("<svg ", "<svg xmlns:inkscape=\"http://www.inkscape.org/namespaces/inkscape\" ");
    std::fs::write(folder.path().join("flag.svg"), text).expect("the drawing");
    below(folder, "flag.ron")
}

/// All files below a folder.
fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(folder).expect("below it").display().to_string();
                    found.insert(name, std::fs::read(&path).expect("a file"));
                }
            }
        }
    }
    found
}

#[test]
fn each_layer_has_a_folder_and_each_picture_a_file() {
    let (folder, rig) = flag();
    let out = |name: &str| below(&folder, &format!("out/{name}"));
    expect(0, &[&rig, "-q", "-o", &out("{layer}/f_##.png"), "--frames", "0-1"]);
    let files = tree(&folder.path().join("out"));
    let found: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(found, ["all/f_00.png", "all/f_01.png", "layers.json", "sun/f_00.png", "sun/f_01.png"]);
    let order: serde_json::Value = serde_json::from_slice(&files["layers.json"]).expect("JSON");
    let layer = &order["frames"][1]["layers"][1];
    let expected =
        serde_json::json!({ "name": "sun", "opacity": 1.0, "blend": "normal", "file": "sun/f_01.png" });
    assert_eq!((layer, &order["frames"][1]["frame"]), (&expected, &serde_json::json!(1)));

    expect(0, &[&rig, "-q", "-o", &out("p/f_#.psd"), "--frames", "0-1", "--start-number", "5"]);
    expect(0, &[&rig, "-q", "-o", &out("p/{clip}.ora"), "--frames", "0", "--clip", "all"]);
    let pictures = tree(&folder.path().join("out/p"));
    let found: Vec<&str> = pictures.keys().map(String::as_str).collect();
    assert_eq!(found, ["droop.ora", "f_5.psd", "f_6.psd", "wave.ora"]);
    assert!(pictures["f_5.psd"].starts_with(b"8BPS") && pictures["wave.ora"].starts_with(b"PK\x03\x04"));
    // The same bytes for any number of threads.
    expect(
        0,
        &[&rig, "-q", "-o", &out("q/f_#.psd"), "--frames", "0-1", "--start-number", "5", "--jobs", "1"],
    );
    assert_eq!(tree(&folder.path().join("out/q"))["f_6.psd"], pictures["f_6.psd"]);

    // What is in a group, and a background.
    let words =
        ["-q", "-o", &out("g/{layer}.png"), "--frames", "0", "--layers", "all", "--background", "#123"];
    expect(0, &[&[&*rig][..], &words[..]].concat());
    let files = tree(&folder.path().join("out/g"));
    let found: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(found, ["background.png", "flag.png", "layers.json", "sun.png"]);
    let behind = Pixmap::decode_png(&files["background.png"]).expect("a picture");
    assert!(behind.data().as_chunks::<4>().0.iter().all(|pixel| *pixel == [0x11, 0x22, 0x33, 255]));
}

#[test]
fn names_of_layers_stay_in_the_folder() {
    let (folder, _) = flag();
    let long = "é".repeat(300);
    let labels = [
        "../../up",
        "..",
        ".git",
        "",
        "a/b",
        "A/B",
        "{clip}",
        "#",
        "\u{10ff2e}\u{10ff2e}\u{10ff2f}up",
        &long,
        "目 ✨",
    ];
    let layers: String = labels
        .iter()
        .map(|label| format!("<g inkscape:label=\"{label}\"><rect width=\"9\" height=\"9\"/></g>"))
        .collect();
    let rig = drawn(&folder, &layers);
    let before = names(folder.path());
    let out = below(&folder, "out/in/{layer}/{clip}_#.png");
    expect(0, &["render", &rig, "-q", "--frames", "0", "-o", &out]);
    let files = tree(&folder.path().join("out"));
    assert_eq!(files.len(), labels.len() + 3, "{:?}", files.keys());
    assert!(
        files.keys().all(|name| name.starts_with("in/") && name.split('/').count() <= 3),
        "{:?}",
        files.keys()
    );
    assert!(
        files.keys().all(|name| name.split('/').all(|part| !part.starts_with('.'))),
        "{:?}",
        files.keys()
    );
    std::fs::remove_dir_all(folder.path().join("out")).expect("it goes");
    assert_eq!(names(folder.path()), before);
    for name in ["a.psd", "a.ora"] {
        expect(0, &["render", &rig, "-q", "--frames", "0", "-o", &below(&folder, name)]);
    }
}

#[test]
fn what_the_frames_are_made_of_stays() {
    let (folder, _) = flag();
    let rig = drawn(&folder, "<image id=\"photo\" href=\"layers.json\" width=\"9\" height=\"9\"/>");
    let picture = Pixmap::new(2, 2).expect("memory").encode_png().expect("a picture");
    for name in ["layers.json", "photo.png", "x.psd"] {
        std::fs::write(folder.path().join(name), &picture).expect("the picture");
    }
    // The order of the layers would replace a picture of the drawing.
    let ran = expect(2, &["render", &rig, "-q", "--frames", "0", "-o", &below(&folder, "{layer}.png")]);
    assert!(ran.err.contains("layers.json is a source of the frames"), "{}", ran.err);
    let rig = drawn(&folder, "<image id=\"photo\" href=\"photo.png\" width=\"9\" height=\"9\"/>");
    let ran = expect(2, &["render", &rig, "-q", "--frames", "0", "-o", &below(&folder, "{layer}.png")]);
    assert!(ran.err.contains("photo.png is a source of the frames"), "{}", ran.err);
    assert_eq!(std::fs::read(folder.path().join("photo.png")).expect("a file"), picture);
    let rig = drawn(&folder, "<image id=\"photo\" href=\"x.psd\" width=\"9\" height=\"9\"/>");
    let ran = expect(2, &["render", &rig, "-q", "--frames", "0", "-o", &below(&folder, "x.psd")]);
    assert!(ran.err.contains("x.psd is a source of the frames"), "{}", ran.err);
    // What is there and stays.
    std::fs::write(folder.path().join("sun.png"), "mine").expect("a file");
    let words = ["render", &rig, "-q", "--frames", "0", "--existing", "error", "-o"];
    let ran = expect(2, &[&words[..], &[&*below(&folder, "{layer}.png")]].concat());
    assert!(ran.err.contains("sun.png exists already"), "{}", ran.err);
    assert_eq!(std::fs::read(folder.path().join("sun.png")).expect("a file"), b"mine");
    assert!(!folder.path().join("all.png").exists());
}

#[test]
fn mistakes_have_messages() {
    let (folder, rig) = flag();
    let before = names(folder.path());
    let out = |name: &str| below(&folder, name);
    for (words, message) in [
        (
            &["-o", "a.psd"][..],
            "12 frames need a number in the name, as in -o 'frame_####.psd', or one of --frames",
        ),
        (
            &["-o", "a.ora", "--clip", "all", "--frames", "0"],
            "several clips need {clip} in the name, as in -o 'out/{clip}_####.ora'",
        ),
        (&["-o", "f_#.psd", "--layers", "bodi"], "--layers bodi: "),
        (&["-o", "f_#.psd", "--layers", "flag"], "--layers flag: this is not a group that is drawn"),
        (
            &["-o", "f_#.png", "--layers", "all"],
            "--layers is for .ora, .psd and files of layers, as in -o 'out/{layer}/f_####.png'",
        ),
        (&["-o", "{layer}.gif"], "{layer} is for PNG files"),
        (&["-o", "{layer}_#.svg", "--format", "svg"], "{layer} is for PNG files"),
        (&["-o", "{layer}.png"], "12 frames need a number"),
        (&["-o", "{layer}_#.png", "--existing", "skip"], "--existing skip is for whole frames"),
        (&["-o", "f_#.psd", "--existing", "skip"], "--existing skip is for frames"),
        (&["-o", "f_#.psd", "--samples", "2"], "--samples takes means of whole frames"),
        (&["-o", "f_#.psd", "--overlay", "bones"], "--overlay draws on whole frames"),
        (&["-o", "f_#.psd", "--loop", "2"], "--loop does not apply to a PSD"),
        (&["-o", "f_#.psd", "--size", "30001x8"], "30001"),
        (&["-o", "f_#.psd", "--format", "svg"], "leave out --format"),
    ] {
        let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        words[1] = out(&words[1]);
        let words: Vec<&str> =
            ["render", &*rig].into_iter().chain(words.iter().map(String::as_str)).collect();
        let ran = expect(2, &words);
        assert!(ran.err.contains(message), "{words:?}: {}", ran.err);
        assert_eq!(names(folder.path()), before, "{words:?}");
    }
    let ran = expect(2, &["assemble", &out("*.png"), "-o", &out("a.psd")]);
    assert!(ran.err.contains("write ") && ran.err.contains("with `render`"), "{}", ran.err);
}

/// What cannot be divided, and what is divided once more.
#[test]
fn notes_name_what_is_divided_in_another_way() {
    let (folder, _) = flag();
    let rig = drawn(
        &folder,
        "<g id=\"coat\"><rect id=\"cloth\" width=\"20\" height=\"20\"/><rect id=\"shade\" width=\"9\" height=\"9\" \
         style=\"mix-blend-mode:multiply\"/></g><g id=\"cut\" clip-path=\"url(#c)\"><rect width=\"9\" height=\"9\"/></g>\
         <clipPath id=\"c\"><rect width=\"5\" height=\"5\"/></clipPath>\
         <rect id=\"glow\" width=\"5\" height=\"5\" style=\"mix-blend-mode:plus-lighter\"/>",
    );
    let file = below(&folder, "a.psd");
    let said = expect(0, &["render", &rig, "--frames", "0", "--layers", "cut", "-o", &file]).err;
    for note in [
        "note: \"cut\" is one layer, because a clip path is for all that is in it",
        "note: \"shade\" has a layer of its own, because it is blended (multiply) with what is behind it",
        "note: what is behind \"glow\" is one layer with it, because a PSD has no plus-lighter",
    ] {
        assert!(said.contains(note), "{said}");
    }
    let said = expect(0, &["render", &rig, "-q", "--frames", "0", "--layers", "cut", "-o", &file]).err;
    assert!(said.is_empty(), "{said}");
}
