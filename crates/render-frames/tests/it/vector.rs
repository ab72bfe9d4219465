//! Vector files from the command line: names, options, messages. The crate `export` has tests of what is in them.

use bone_render::{FrameOptions, FrameSize, Pixmap, Raster};

use crate::command::{FLAG_SVG, below, expect, files, flag, repository};

#[test]
fn the_extension_selects_the_vector_format() {
    let (folder, rig) = flag();
    let out = |name: &str| below(&folder, &format!("out/{name}"));
    let said = expect(0, &[&rig, "-o", &out("wave.svg")]).err;
    assert!(said.contains(" frames at ") && said.contains(" px off at most"), "{said}");
    expect(0, &[&rig, "-q", "-o", &out("wave.json"), "--tolerance", "1"]);
    expect(0, &[&rig, "-q", "-o", &out("{clip}.lottie"), "--clip", "all", "--precision", "2"]);
    expect(0, &[&rig, "-q", "-o", &out("both.json"), "--clip", "all"]);
    expect(0, &[&rig, "-q", "-o", &out("both.svg"), "--clip", "all"]);
    expect(0, &[&rig, "-q", "-o", &out("still.svg"), "--frames", "0", "--format", "svg"]);
    let files = files(&folder.path().join("out"));
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    // All clips are one Lottie, with markers, and an SVG each.
    let expected = [
        "both-droop.svg",
        "both-wave.svg",
        "both.json",
        "droop.lottie",
        "still.svg",
        "wave.json",
        "wave.lottie",
        "wave.svg",
    ];
    assert_eq!(names, expected);
    let text = |name: &str| String::from_utf8_lossy(&files[name]).into_owned();
    roxmltree::Document::parse(&text("wave.svg")).expect("XML");
    assert!(text("wave.svg").contains("<animate") && !text("still.svg").contains("<animate"));
    let both: serde_json::Value = serde_json::from_str(&text("both.json")).expect("JSON");
    let markers: Vec<&str> = both["markers"]
        .as_array()
        .expect("markers")
        .iter()
        .filter_map(|marker| marker["cm"].as_str())
        .collect();
    assert_eq!(markers, ["wave", "droop"]);
    assert!(text("wave.json").starts_with("{\"v\":") && files["wave.lottie"].starts_with(b"PK\x03\x04"));
}

#[test]
fn options_that_do_not_apply_are_errors() {
    let (folder, rig) = flag();
    let out = |name: &str| below(&folder, name);
    let said = expect(1, &[&rig, "-o", &out("wave.json"), "--frames", "0-8:2"]).err;
    assert!(said.contains("without gaps"), "{said}");
    let said = expect(2, &[&rig, "-o", &out("wave.gif"), "--tolerance", "1"]).err;
    assert!(said.contains("--tolerance does not apply to a GIF"), "{said}");
    let said = expect(2, &[&rig, "-o", &out("wave.lottie"), "--loop", "2"]).err;
    assert!(said.contains("--loop does not apply to a Lottie"), "{said}");
    let said = expect(2, &[&rig, "-o", &out("wave.svg"), "--tolerance", "0"]).err;
    assert!(said.contains("above 0"), "{said}");
    assert!(!folder.path().join("wave.json").exists());
}

/// The table of docs/vector.md names every loss of every example, and no other.
#[test]
fn the_page_lists_what_the_examples_lose() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let page = std::fs::read_to_string(repository("docs/vector.md")).expect("the page");
    let (_, table) = page.split_once("What was lost").expect("the table");
    let listed: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.starts_with("| "))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    let mut expected = std::collections::BTreeSet::new();
    for row in &listed[1..] {
        for art in row[2].split(", ") {
            expected.insert(format!("{}: \"{}\": {}", row[1], art.trim_matches('`'), row[3]));
        }
    }
    let mut found = std::collections::BTreeSet::new();
    for entry in std::fs::read_dir(repository("examples")).expect("examples").flatten() {
        let (rig, name) = (entry.path().join("rig.ron"), entry.file_name().to_string_lossy().into_owned());
        if !rig.exists() {
            continue;
        }
        // What is lost depends neither on the tolerance nor on the rate; this is quick.
        let words = ["-q", "--tolerance", "4", "--fps", "6", "-o"];
        for ending in ["json", "svg"] {
            let out = below(&folder, &format!("{name}.{ending}"));
            let ran = expect(0, &[&[rig.to_str().expect("a path")][..], &words, &[&out]].concat());
            let losses = ran.err.lines().filter_map(|line| line.strip_prefix("warning: "));
            found.extend(losses.map(|loss| format!("{name}: {loss}")));
        }
    }
    assert_eq!(found, expected);
}

/// The pixels of a PNG, and of an SVG drawn by resvg in its own size.
fn pictures(png: &str, svg: &str) -> [Pixmap; 2] {
    let png = Pixmap::load_png(png).expect("a picture");
    let text = std::fs::read_to_string(svg).expect("an SVG");
    let document = roxmltree::Document::parse(&text).expect("XML");
    let side = |name| document.root_element().attribute(name).and_then(|n| n.parse().ok()).expect("a side");
    let size = FrameSize::new(side("width"), side("height")).expect("a size");
    let mut drawn = Pixmap::new(1, 1).expect("memory");
    Raster::default().draw(&text, &FrameOptions { size, background: None }, &mut drawn).expect("a picture");
    [png, drawn]
}

/// The largest difference of two pictures in levels, and the mean one.
fn difference([one, other]: &[Pixmap; 2]) -> (u8, f64) {
    assert_eq!((one.width(), one.height()), (other.width(), other.height()));
    let all = one.data().iter().zip(other.data()).map(|(a, b)| a.abs_diff(*b));
    let sum: u64 = all.clone().map(u64::from).sum();
    (all.max().unwrap_or(0), sum as f64 / one.data().len() as f64)
}

#[test]
fn parts_of_the_drawing_are_the_same_in_pixels_and_in_svgs() {
    let (folder, rig) = flag();
    // Art at the sides of the page, which margins do not show.
    let beyond = FLAG_SVG.replace("cx=\"30\" cy=\"32\" r=\"5\"", "cx=\"40\" cy=\"32\" r=\"5\"");
    assert_ne!(beyond, FLAG_SVG);
    std::fs::write(below(&folder, "flag.svg"), beyond).expect("the drawing");
    let out = |name: &str| below(&folder, name);
    // The box of --fit is that of all chosen frames.
    let [png, svg, moving] = ["f_03.png", "f_03.svg", "moving.svg"].map(out);
    let (all_png, all_svg) = (out("f_##.png"), out("f_##.svg"));
    for words in [
        &["--view", "5,5,30,15"][..],
        &["--view=-10,-10,60,60", "--scale", "2", "--background", "#fc08"],
        &["--view", "0,0,40,20", "--size", "60x60"],
        &["--fit", "--margin", "3"],
        &["--margin", "10", "--width", "90", "--background", "white"],
        &["--size", "80x40"],
        &["--size", "80x40", "--bleed"],
    ] {
        let run = |more: &[&str]| expect(0, &[&[rig.as_str(), "-q", "--clip", "wave"], words, more].concat());
        run(&["-o", &all_png, "--frames", "3-9"]);
        run(&["-o", &all_svg, "--frames", "3-9", "--format", "svg"]);
        let (most, mean) = difference(&pictures(&png, &svg));
        // resvg draws what is cut in a layer, in which coverage has other sixteenths.
        assert!(most <= 17 && mean < 0.1, "{words:?}: {most} levels, {mean} in the mean");
        // Frame 3 is in the plain attributes; numbers are rounded.
        run(&["-o", &moving, "--frames", "3-9", "--tolerance", "0.01"]);
        let (most, mean) = difference(&pictures(&png, &moving));
        assert!(most <= 17 && mean < 0.1, "{words:?}: {most} levels, {mean} in the mean");
        run(&["-o", &out("moving.json"), "--frames", "3-9"]);
        let text = std::fs::read_to_string(out("moving.json")).expect("a Lottie");
        let lottie: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let size =
            Pixmap::load_png(&png).map(|picture| (picture.width(), picture.height())).expect("a picture");
        assert_eq!((&lottie["w"], &lottie["h"]), (&size.0.into(), &size.1.into()), "{words:?}");
        // The overlay is in the view, too: the same lines in pixels and in the SVG.
        run(&["-o", &all_png, "--frames", "3-9", "--overlay", "bones,regions"]);
        run(&["-o", &all_svg, "--frames", "3-9", "--format", "svg", "--overlay", "bones,regions"]);
        let (most, mean) = difference(&pictures(&png, &svg));
        assert!(most <= 17 && mean < 0.1, "overlay, {words:?}: {most} levels, {mean} in the mean");
    }
}
