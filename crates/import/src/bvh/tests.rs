//! Unusual forms of the format, errors with their spans, and positions of joints compared with an independent
//! implementation.

use std::path::{Path, PathBuf};

use super::*;

/// The positions of all joints in a frame.
fn positions(bvh: &Bvh, frame: usize) -> Vec<Vec3> {
    bvh.all_positions()[frame * bvh.joints.len()..][..bvh.joints.len()].to_vec()
}

/// A figure of two joints with this motion.
fn small(motion: &str) -> String {
    format!(
        "HIERARCHY\nROOT a\n{{\n OFFSET 0 0 0\n CHANNELS 3 Xposition Yposition Zrotation\n JOINT b\n {{\n  OFFSET 0 2 0\n  \
         CHANNELS 1 Zrotation\n }}\n}}\n{motion}"
    )
}

#[test]
fn unusual_forms_are_read() {
    let plain = read::parse(&small("MOTION\nFrames: 2\nFrame Time: .5\n0 0 0 0\n1 -2 90 0\n")).expect("read");
    assert_eq!(plain.frame_time, 0.5);
    // A quarter turn moves the child from above to the left; positions replace the offset.
    let places = positions(&plain, 1);
    assert_eq!(places[0], [1.0, -2.0, 0.0]);
    assert!(space::length(space::sub(places[1], [-1.0, -2.0, 0.0])) < 1e-12);
    let odd = small("motion\nFrames 2\nFRAME TIME:5e-1\n0 +0 -0.0 0.\n\n1.0\t-2e0 9.0E+1 00 \n")
        .replace('\n', "\r\n");
    assert_eq!(positions(&read::parse(&odd).expect("read"), 1), places);
}

#[test]
fn errors_have_spans() {
    let cases = [
        ("", "the file is empty", ""),
        ("Kaydara FBX", "this is not a BVH file", "Kaydara"),
        ("HIERARCHY\nROOT a\n{\n OFFSET 0 0", "the file ends where", "0"),
        ("HIERARCHY\nROOT a\n{\n OFFSET 0 x 0", "\"x\" where a number of the offset", "x"),
        (
            "HIERARCHY\nROOT a\n{\n OFFSET 0 0 0\n CHANNELS 2 Xrotation JOINT",
            "\"JOINT\" is not a channel",
            "JOINT",
        ),
        ("HIERARCHY\nROOT a\n{\n OFFSET 0 0 0\n}\nROOT b\n{\n", "a second ROOT", "ROOT"),
        ("HIERARCHY\nROOT a\n{\n CHANNELS 0\n}", "joint \"a\" has no OFFSET", "a"),
    ];
    for (text, message, at) in cases {
        let error = read(text).expect_err(text);
        assert!(error.message.starts_with(message), "{text}: {error}");
        assert_eq!(error.span.map_or("", |span| &text[span]), at, "{text}");
    }
    let cases = [
        ("MOTION\nFrames: 2\nFrame Time: 1\n0 0 0 0\n0 0 0\n", "frame 2 has 3 numbers", "0"),
        ("MOTION\nFrames: 1\nFrame Time: 1\n0 0 0 0 7\n", "frame 1 has more than 4 numbers", "7"),
        (
            "MOTION\nFrames: 10000000\nFrame Time: 1\n0 0 0 0\n",
            "10000000 frames are announced, and 1",
            "10000000",
        ),
        ("MOTION\nFrames: 1\nFrame Time: 1\n0 0 0 nan\n", "a number of the motion is \"nan\"", "nan"),
        ("MOTION\nFrames: 1\nFrame Time: 1\n0 0 0 1,5\n", "\"1,5\" where a number", "1,5"),
        ("MOTION\nFrames: 1\nFrame Time: 0\n0 0 0 0\n", "a frame time of 0 seconds", "0"),
        ("MOTION\nFrames: 1\nFrame Time: 1\n0 0 0 0\n1 1 1 1\n", "more rows than", "1 1 1 1"),
    ];
    for (motion, message, at) in cases {
        let text = small(motion);
        let error = read(&text).expect_err(motion);
        assert!(error.message.starts_with(message), "{motion}: {error}");
        assert_eq!(error.span.map_or("", |span| &text[span]), at, "{motion}");
    }
    assert!(decode(b"HIERARCHY\0").is_err());
    assert_eq!(decode(b"Fu\xdf").expect("Latin-1"), "Fuß");
}

#[test]
fn a_deep_tree_ends_with_a_message() {
    let mut text = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n".to_owned();
    text.push_str(&"JOINT b\n{\nOFFSET 0 1 0\n".repeat(100_000));
    assert!(read(&text).expect_err("too deep").message.starts_with("more than 4096 joints"));
}

fn motion(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/motion").join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(motion(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn world_positions_are_those_of_another_implementation() {
    let mut seen = 0;
    let mut worst = 0.0_f64;
    let mut names: Vec<PathBuf> = std::fs::read_dir(motion("oracle"))
        .expect("folder")
        .map(|entry| entry.expect("entry").path())
        .collect();
    names.sort();
    for path in names.iter().filter(|path| path.to_string_lossy().ends_with(".world.json")) {
        let oracle: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path).expect("text")).expect("JSON");
        let file = oracle["file"].as_str().expect("a name").trim_start_matches("bvh/");
        let bvh = read::parse(&text(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(bvh.frames() as u64, oracle["frames_total"].as_u64().expect("count"), "{file}");
        let names: Vec<&str> = oracle["joints"]
            .as_array()
            .expect("joints")
            .iter()
            .map(|j| j["name"].as_str().expect("name"))
            .collect();
        assert_eq!(names, (0..bvh.joints.len()).map(|j| &*bvh.joints[j].name).collect::<Vec<_>>(), "{file}");
        for frame in oracle["frames"].as_array().expect("frames") {
            let index = frame["index"].as_u64().expect("index") as usize;
            let expected: Vec<[f64; 3]> = frame["world"]
                .as_array()
                .expect("world")
                .iter()
                .map(|p| [0, 1, 2].map(|axis| p[axis].as_f64().expect("number")))
                .collect();
            let found = positions(&bvh, index);
            let extent = (0..3)
                .map(|axis| {
                    let values = || expected.iter().map(|p| p[axis]);
                    values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)
                })
                .fold(0.0, f64::max);
            for (a, b) in found.iter().zip(&expected) {
                worst = worst.max(distance(*a, *b) / extent);
            }
            seen += 1;
        }
    }
    assert!(seen >= 27 && worst < 1e-5, "{seen} frames, worst {worst:e}");
}
