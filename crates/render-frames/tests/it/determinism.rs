//! A frame has the same bytes when it is rendered alone, in a range, in any order, or by any number of
//! threads.

use std::collections::BTreeMap;
use std::path::Path;

use crate::command::{below, expect, files, repository};

/// The frames of a run by name.
fn frames(words: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = below(&folder, "out/");
    let mut all = vec!["render", "-q", "-o", out.as_str()];
    all.extend(words);
    expect(0, &all);
    files(Path::new(&out))
}

#[test]
fn frames_are_the_same_alone_in_order_and_in_parallel() {
    for (rig, last) in
        [("examples/walk/rig.ron", 23), ("tests/rigs/effects.ron", 24), ("tests/rigs/reparent.ron", 48)]
    {
        let rig = repository(rig);
        let small = ["--scale", "0.3", rig.as_str()];
        let with = |more: &[&str]| frames(&[&small[..], more].concat());
        let all = with(&["-j1"]);
        assert_eq!(all.len(), last + 1, "{rig}");
        assert!(all == with(&["-j4"]), "{rig}: four threads");
        assert!(all == with(&["-j3", "--frames", &format!("{last},7-{last},3,0-9:3,0-6")]), "{rig}: ranges");
        for frame in [0, 7, last] {
            let alone = with(&["--frames", &frame.to_string()]);
            let name = format!("frame_{frame:04}.png");
            assert_eq!(alone.keys().collect::<Vec<_>>(), [&name]);
            assert!(alone[&name] == all[&name], "{rig}: frame {frame} alone");
        }
    }
}

#[test]
fn svg_frames_are_the_same_too() {
    let rig = repository("examples/arm/rig.ron");
    let all = frames(&["-j1", "--format", "svg", &rig]);
    assert!(all == frames(&["-j4", "--format", "svg", &rig]));
    let alone = frames(&["--format", "svg", "--frames", "17", &rig]);
    assert!(alone["frame_0017.svg"] == all["frame_0017.svg"]);
}

#[test]
fn a_frame_is_at_its_number_over_the_rate() {
    let rig = repository("examples/arm/rig.ron");
    let of = |fps: &str, frame: &str| {
        let made = frames(&["--scale", "0.2", "--fps", fps, "--frames", frame, &rig]);
        made.into_values().next().expect("a frame")
    };
    assert!(of("24", "6") == of("12", "3"));
    assert!(of("24", "6") == of("48", "12"));
    assert!(of("24", "6") != of("24", "7"));
    // Two seconds long and looping: frame 48 is frame 0 again.
    assert!(of("24", "0") == of("24", "48"));
}
