//! Unusual forms of the format, and errors with their spans. Positions of joints are tested in
//! `tests/world.rs`.

use super::*;

/// A figure of two joints with this motion.
fn small(motion: &str) -> String {
    format!(
        "HIERARCHY\nROOT a\n{{\n OFFSET 0 0 0\n CHANNELS 3 Xposition Yposition Zrotation\n JOINT b\n {{\n  OFFSET 0 2 0\n  \
         CHANNELS 1 Zrotation\n }}\n}}\n{motion}"
    )
}

#[test]
fn unusual_forms_are_read() {
    let plain = read(&small("MOTION\nFrames: 2\nFrame Time: .5\n0 0 0 0\n1 -2 90 0\n")).expect("read");
    assert_eq!(plain.rate(), 2.0);
    // A quarter turn moves the child from above to the left; positions replace the offset.
    let places = plain.joint_positions(1);
    assert_eq!(places[0], [1.0, -2.0, 0.0]);
    assert!(space::length(space::sub(places[1], [-1.0, -2.0, 0.0])) < 1e-12);
    let odd = small("motion\nFrames 2\nFRAME TIME:5e-1\n0 +0 -0.0 0.\n\n1.0\t-2e0 9.0E+1 00 \n")
        .replace('\n', "\r\n");
    assert_eq!(read(&odd).expect("read").joint_positions(1), places);
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
