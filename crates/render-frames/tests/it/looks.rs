//! `inspect`, overlays, `sheet` and `onion` on the command line.

use std::path::Path;

use crate::command::{FLAG_RIG, below, expect, flag, repository};
use bone_render::{FrameOptions, FrameSize, Pixmap, Raster};

fn picture(path: &str) -> Pixmap {
    Pixmap::load_png(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// An SVG rendered by resvg.
fn shown(path: &str) -> Pixmap {
    let text = std::fs::read_to_string(path).expect("an SVG");
    let doc = roxmltree::Document::parse(&text).expect("an SVG");
    let side = |name| doc.root_element().attribute(name).and_then(|side| side.parse().ok()).expect("a size");
    let size = FrameSize::new(side("width"), side("height")).expect("a size");
    let mut pixmap = Pixmap::new(size.width(), size.height()).expect("memory");
    let options = FrameOptions { size, background: None };
    Raster::default().draw(&text, &options, &mut pixmap).expect("a picture");
    pixmap
}

/// The number of visibly different pixels of two pictures.
fn unlike(a: &Pixmap, b: &Pixmap) -> usize {
    assert_eq!((a.width(), a.height()), (b.width(), b.height()));
    let pairs = a.data().chunks_exact(4).zip(b.data().chunks_exact(4));
    pairs.filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 24)).count()
}

/// The number of different pixels of two pictures of the same size.
fn apart(a: &Pixmap, b: &Pixmap) -> usize {
    assert_eq!((a.width(), a.height()), (b.width(), b.height()));
    a.pixels().iter().zip(b.pixels()).filter(|(a, b)| a != b).count()
}

#[test]
fn inspect_lists_art_bones_and_clips() {
    let (_folder, rig) = flag();
    let said = expect(0, &["inspect", &rig]);
    assert_eq!(said.err, "");
    for words in [
        "flag  ",
        "path (circle)",
        "4 vertices",
        "rides with pole",
        "<- flag",
        "wave   clip  0.5 s, 12 frames, loops",
    ] {
        assert!(said.out.contains(words), "{words}:\n{}", said.out);
    }
    let posed = expect(0, &["inspect", &rig, "--frame", "6"]).out;
    assert!(posed.contains("posed: wave, frame 6, 0.25 s") && posed.contains("angle 30"), "{posed}");
}

#[test]
fn names_steer_no_terminal() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("names.svg");
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'>\
        <path id='a\u{202e}b&#9;c&#10;d&#x9b;e' d='M0 0H9V9Z'/></svg>";
    std::fs::write(&path, svg).expect("written");
    let said = expect(0, &["inspect", path.to_str().expect("UTF-8")]).out;
    assert!(said.contains("a\\u{202e}b"), "{said}");
    assert!(!said.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{said}");
}

#[test]
fn inspect_json_has_posed_bones_and_outlines() {
    let (_folder, rig) = flag();
    let said = expect(0, &["inspect", &rig, "--json", "--clip", "droop", "--frame", "3", "--fps", "12"]);
    let json: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(json["art"].as_array().map(Vec::len), Some(3));
    assert_eq!(json["art"][1]["follows"]["how"], "Rigid");
    assert_eq!(json["art"][2]["follows"], serde_json::Value::Null);
    assert_eq!(json["bones"][0]["carries"][0], "flag");
    assert_eq!(json["clips"][1]["name"], "droop");
    let posed = &json["posed"];
    assert_eq!((&posed["time"], &posed["clip"]), (&0.25.into(), &"droop".into()));
    // The pole turned by 90 degrees about (5, 5).
    assert_eq!(posed["bones"][0]["origin"], serde_json::json!([5.0, 5.0]));
    assert_eq!(posed["bones"][0]["angle"], 90.0);
    let matrix: Vec<f64> = serde_json::from_value(posed["bones"][0]["matrix"].clone()).expect("numbers");
    for (found, expected) in matrix.iter().zip([0.0, 1.0, -1.0, 0.0, 5.0, 5.0]) {
        assert!((found - expected).abs() < 1e-12, "{matrix:?}");
    }
    assert_eq!(posed["paths"][0]["art"], "flag");
    assert_eq!(posed["paths"][0]["d"], "M5,5 L5,35 L-10,35 L-10,5 Z");
    let without = expect(0, &["inspect", &rig, "--json"]).out;
    assert!(!without.contains("\"posed\""));
}

#[test]
fn inspect_ends_as_check_does() {
    let (folder, rig) = flag();
    assert!(expect(2, &["inspect", &rig, "--clip", "wvae"]).err.contains("did you mean \"wave\"?"));
    assert!(expect(3, &["inspect", &below(&folder, "no.ron")]).err.contains("the folder has \"flag.ron\""));
    std::fs::write(&rig, FLAG_RIG.replace("bone: \"pole\"", "bone: \"pol\"")).expect("the rig");
    let said = expect(3, &["inspect", &rig, "--json"]);
    assert!(said.err.contains("did you mean \"pole\"?"));
    assert_eq!(said.out, expect(3, &["check", &rig, "--json"]).out, "what is wrong is JSON, too");
}

#[test]
fn an_overlay_is_drawn_over_the_frame() {
    let (folder, rig) = flag();
    let (plain, over) = (below(&folder, "plain.png"), below(&folder, "over.png"));
    expect(0, &["render", &rig, "--frames", "3", "--scale", "4", "-o", &plain]);
    expect(
        0,
        &[
            "render",
            &rig,
            "--frames",
            "3",
            "--scale",
            "4",
            "-o",
            &over,
            "--overlay",
            "bones,names,vertices,paths",
        ],
    );
    let changed = apart(&picture(&plain), &picture(&over));
    assert!((200..12_000).contains(&changed), "{changed}");
    // Bones have the same thickness on a frame that is twice as large.
    let (small, large) = (below(&folder, "small.svg"), below(&folder, "large.svg"));
    for (scale, file) in [("1", &small), ("1", &large)] {
        expect(
            0,
            &[
                "render",
                &rig,
                "--format",
                "svg",
                "--frames",
                "3",
                "--scale",
                scale,
                "-o",
                file,
                "--overlay",
                "bones",
            ],
        );
    }
    let text = std::fs::read_to_string(&small).expect("an SVG");
    let doc = roxmltree::Document::parse(&text).expect("an SVG");
    let overlay =
        doc.descendants().find(|node| node.attribute("class") == Some("overlay")).expect("an overlay");
    assert!(overlay.next_sibling_element().is_none(), "it is on top of everything");
    for (layers, said) in [
        ("bonez", "did you mean bones?"),
        ("weights", "weights:BONE"),
        ("weights:poel", "did you mean \"pole\"?"),
        ("vertices:flga", "no element called"),
    ] {
        let ran = expect(2, &["render", &rig, "--frames", "3", "-o", &plain, "--overlay", layers]);
        assert!(ran.err.contains(said), "{layers}: {}", ran.err);
    }
}

#[test]
fn weights_and_mesh_are_shown_where_weights_were_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let rig = repository("examples/cloak/rig.ron");
    let out = |name: &str| below(&folder, name);
    expect(0, &["render", &rig, "--frames", "0", "-o", &out("plain.png")]);
    expect(0, &["render", &rig, "--frames", "0", "-o", &out("mesh.png"), "--overlay", "mesh"]);
    assert!(apart(&picture(&out("plain.png")), &picture(&out("mesh.png"))) > 10_000);
    // The end of the cape follows its last bone: it has the brightest colour, and the head has none of these
    // colours.
    expect(0, &["render", &rig, "--frames", "0", "-o", &out("weights.png"), "--overlay", "weights:cape_5"]);
    assert!(apart(&picture(&out("mesh.png")), &picture(&out("weights.png"))) > 10_000);
}

#[test]
fn a_sheet_has_every_frame_that_is_asked_for() {
    let (folder, rig) = flag();
    let out = below(&folder, "new/folder/sheet.png");
    let said = expect(
        0,
        &["sheet", &rig, "-o", &out, "--every", "3", "--columns", "2", "--size", "80x80", "--bare"],
    );
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
    let sheet = picture(&out);
    // Two columns and two rows with margins of 14 and gaps of 10.
    assert_eq!((sheet.width(), sheet.height()), (198, 198));
    let red = |x: u32, y: u32| sheet.pixel(x, y).is_some_and(|p| p.red() > 150 && p.green() < 100);
    assert!(red(14 + 40, 14 + 20) && red(104 + 30, 14 + 30), "a flag in each");
    // One frame is the frame itself.
    let (single, frame) = (below(&folder, "single.png"), below(&folder, "frame.png"));
    expect(0, &["sheet", &rig, "-o", &single, "--frames", "4", "--size", "80x80", "--bare"]);
    expect(0, &["render", &rig, "-o", &frame, "--frames", "4", "--size", "80x80", "--background", "white"]);
    let (single, frame) = (picture(&single), picture(&frame));
    let same = |x: u32, y: u32| {
        let near = |a: u8, b: u8| a.abs_diff(b) <= 2;
        let pair = single.pixel(x + 14, y + 14).zip(frame.pixel(x, y));
        pair.is_some_and(|(a, b)| {
            near(a.red(), b.red()) && near(a.green(), b.green()) && near(a.blue(), b.blue())
        })
    };
    assert!((0..80).all(|y| (0..80).all(|x| same(x, y))));
    let svg = below(&folder, "sheet.svg");
    expect(
        0,
        &["sheet", &rig, "-o", &svg, "--moments", "5", "--overlay", "bones", "--background", "#202428"],
    );
    let text = std::fs::read_to_string(&svg).expect("an SVG");
    let doc = roxmltree::Document::parse(&text).expect("an SVG");
    assert_eq!(doc.descendants().filter(|node| node.has_tag_name("image")).count(), 5);
    assert!(text.contains("<title>wave</title>") && text.contains("#202428"));
}

#[test]
fn pictures_are_the_same_as_svg_and_as_pixels() {
    let folder = tempfile::tempdir().expect("a folder");
    let rig = repository("examples/walk/rig.ron");
    let (png, svg) = (below(&folder, "a.png"), below(&folder, "a.svg"));
    for words in [
        &["sheet", "--moments", "3", "--overlay", "bones"][..],
        &["onion", "--frames", "0-6:3", "--size", "320x400"][..],
    ] {
        for out in [&png, &svg] {
            let mut all = vec![words[0], rig.as_str(), "-o", out.as_str()];
            all.extend(&words[1..]);
            expect(0, &all);
        }
        let (png, svg) = (picture(&png), shown(&svg));
        let unlike = unlike(&png, &svg);
        // Edges of frames that do not begin on a whole pixel, and lines of overlays that are scaled with
        // them.
        assert!(unlike * 50 < png.pixels().len(), "{words:?}: {unlike} of {}", png.pixels().len());
    }
}

#[test]
fn an_onion_skin_shows_what_moves_again() {
    let (folder, rig) = flag();
    let (out, frame) = (below(&folder, "onion.png"), below(&folder, "frame.png"));
    expect(0, &["onion", &rig, "-o", &out, "--frame", "3", "--size", "160x160"]);
    expect(0, &["render", &rig, "-o", &frame, "--frames", "3", "--size", "160x160", "--background", "white"]);
    let (onion, frame) = (picture(&out), picture(&frame));
    let changed = apart(&onion, &frame);
    assert!((300..8000).contains(&changed), "{changed}");
    // The sun does not move, and the middle frame is on top.
    for (x, y) in [(120, 128), (40, 40)] {
        assert_eq!(onion.pixel(x, y), frame.pixel(x, y));
    }
    let svg = below(&folder, "onion.svg");
    expect(0, &["onion", &rig, "-o", &svg, "--frames", "0-6:2", "--frame", "2"]);
    let text = std::fs::read_to_string(&svg).expect("an SVG");
    assert_eq!(text.matches("filter=\"url(#earlier)\"").count(), 1);
    assert_eq!(text.matches("filter=\"url(#later)\"").count(), 2);
}

#[test]
fn pictures_that_cannot_be_made_say_why() {
    let (folder, rig) = flag();
    let out = below(&folder, "out.png");
    let cases: [(&[&str], &str); 7] = [
        (&["sheet", "-o", "sheet.gif"], "neither"),
        (&["sheet", "--clip", "wvae"], "did you mean \"wave\"?"),
        (&["sheet", "--frames", "0-40000"], "too many"),
        (&["sheet", "--columns", "0"], "columns"),
        (&["sheet", "--size", "9000x9000"], "--size"),
        (&["onion", "--frames", "0-400"], "cannot be distinguished"),
        (&["onion", "-o", "flag.ron"], "neither"),
    ];
    for (words, said) in cases {
        let mut all = vec![words[0], rig.as_str()];
        if !words.contains(&"-o") {
            all.extend(["-o", &out]);
        }
        all.extend(&words[1..]);
        let ran = expect(2, &all);
        assert!(ran.err.contains(said), "{words:?}: {}", ran.err);
    }
    assert!(!Path::new(&out).exists());
    let drawing = below(&folder, "flag.svg");
    for command in ["sheet", "onion"] {
        assert!(expect(2, &[command, &rig, "-o", &drawing]).err.contains("is a source of"));
        expect(3, &[command, &below(&folder, "no.ron"), "-o", &out]);
    }
}

#[test]
fn help_fits_a_screen() {
    for command in ["inspect", "sheet", "onion"] {
        let help = expect(0, &[command, "--help"]).out;
        assert!(
            help.lines().count() <= 60 && help.contains("Examples:"),
            "{}:\n{help}",
            help.lines().count()
        );
        assert!(expect(0, &[command, "-h"]).out.lines().count() <= 48);
    }
}

#[test]
fn a_sheet_of_the_art_shows_each_shape_with_its_address() {
    let (folder, rig) = flag();
    let (png, svg) = (below(&folder, "art.png"), below(&folder, "art.svg"));
    expect(0, &["sheet", &rig, "--art", "-o", &png, "--size", "80x60", "--columns", "3"]);
    assert_eq!(picture(&png).width(), 198);
    // The same for a drawing without a rig.
    let drawing = below(&folder, "flag.svg");
    expect(0, &["sheet", &drawing, "--art", "-o", &svg]);
    let text = std::fs::read_to_string(&svg).expect("the sheet");
    let said: serde_json::Value =
        serde_json::from_str(&expect(0, &["inspect", &drawing, "--json"]).out).expect("JSON");
    let shapes: Vec<&serde_json::Value> =
        said["art"].as_array().expect("art").iter().filter(|it| it["kind"] == "path").collect();
    assert_eq!(text.matches("<image").count(), shapes.len());
    for shape in shapes {
        let address = shape["address"].as_str().expect("an address");
        assert!(text.contains(&format!("<title>{address}</title>")), "{address}");
        assert_eq!(shape["box"].as_array().map(Vec::len), Some(4));
        assert!(shape["fill"].as_str().is_some_and(|fill| fill.starts_with('#') && fill.len() == 7));
    }
    assert!(expect(2, &["sheet", &rig, "--art", "--clip", "wave"]).err.contains("--clip"));
    assert!(expect(3, &["inspect", &below(&folder, "no.svg")]).err.contains("there is no such file"));
    let text = expect(0, &["inspect", &drawing]).out;
    assert!(text.contains("in paint order") && !text.contains("\nbones"), "{text}");
}
