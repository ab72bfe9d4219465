//! A frame has the same bytes when it is rendered alone, in a range, in any order, or by any number of
//! threads.

use std::collections::BTreeMap;
use std::path::Path;

use crate::command::{below, command, expect, files, repository};

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

/// How a run differs from another one, and must not show it.
type Change = (&'static str, fn(&mut std::process::Command));

/// Other machines and other moments: threads, order, locale, environment, folder.
const CHANGES: [Change; 5] = [
    ("two threads", |run| _ = run.args(["--jobs", "2"])),
    ("three threads", |run| _ = run.args(["--jobs", "3"])),
    ("a Turkish locale and another time zone", |run| {
        _ = run.env("LC_ALL", "tr_TR.UTF-8").env("LANG", "tr_TR.UTF-8").env("TZ", "Pacific/Kiritimati");
    }),
    ("no environment", |run| _ = run.env_clear()),
    ("another folder", |run| _ = run.current_dir("/")),
];

/// The same bytes whatever the threads, the order, the environment and the folder, also for a copy of the rig at
/// another place. `CASES=8` takes as many rigs as there are in this list.
#[test]
fn the_same_bytes_from_other_places_and_environments() {
    let cases = std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(3);
    let all = [
        "tests/rigs/paint.ron",
        "examples/elbow/rig.ron",
        "tests/rigs/keyed_weights.ron",
        "examples/walk/rig.ron",
        "examples/face/rig.ron",
        "tests/rigs/effects.ron",
        "examples/tail/rig.ron",
        "tests/rigs/reparent.ron",
    ];
    let mut runs = 0;
    for (at, name) in all.into_iter().take(cases).enumerate() {
        let rig = Path::new(&repository(name)).canonicalize().expect("a rig").display().to_string();
        let folder = tempfile::tempdir().expect("a folder");
        let copy = folder.path().join("ein Ort/копия");
        crate::client::copy(Path::new(&rig).parent().expect("its folder"), &copy);
        let copy = copy.join(Path::new(&rig).file_name().expect("a name")).display().to_string();
        let mut ran = |rig: &str, more: &[&str], change: &dyn Fn(&mut std::process::Command)| {
            runs += 1;
            let out = tempfile::tempdir().expect("a folder");
            let place = format!("{}/", out.path().display());
            let words = [&["render", rig, "-q", "--scale", "0.3", "-o", &place], more].concat();
            let mut run = command(&words);
            change(&mut run);
            let ran = run.output().expect("it runs");
            assert!(ran.status.success(), "{name} {more:?}: {}", String::from_utf8_lossy(&ran.stderr));
            files(out.path())
        };
        let frames = ["--frames", "0-7"];
        let whole = ran(&rig, &[&frames[..], &["--jobs", "1"]].concat(), &|_| {});
        assert_eq!(whole.len(), 8, "{name}");
        for (what, change) in CHANGES {
            assert!(whole == ran(&rig, &frames, &change), "{name}: {what}");
        }
        assert!(whole == ran(&rig, &["--frames", "7,3,0-6,3-5"], &|_| {}), "{name}: another order");
        assert!(whole == ran(&copy, &frames, &|_| {}), "{name}: a copy");
        for frame in [0, 5] {
            let alone = ran(&rig, &["--frames", &frame.to_string()], &|_| {});
            assert!(
                alone.iter().all(|(file, bytes)| whole.get(file) == Some(bytes)),
                "{name}: {frame} alone"
            );
        }
        // A kind of file each.
        for kind in ["gif", "apng", "webp", "svg", "json", "lottie"].into_iter().skip(at % 2).step_by(2) {
            let one = ran_file(&rig, kind, &|_| {});
            for (what, change) in CHANGES {
                let is_frames = what.ends_with("threads") && ["svg", "json", "lottie"].contains(&kind);
                assert!(is_frames || one == ran_file(&rig, kind, &change), "{name} as {kind}: {what}");
                runs += 1;
            }
            assert!(one == ran_file(&copy, kind, &|_| {}), "{name} as {kind}: a copy");
        }
    }
    println!("{runs} runs give the same bytes");
}

/// A file of all frames.
fn ran_file(rig: &str, kind: &str, change: &dyn Fn(&mut std::process::Command)) -> Vec<u8> {
    let out = tempfile::tempdir().expect("a folder");
    let file = out.path().join(format!("a.{kind}"));
    let mut words = vec!["render", rig, "-q"];
    let place = file.display().to_string();
    words.extend(["-o", &place]);
    if ["gif", "apng", "webp"].contains(&kind) {
        words.extend(["--scale", "0.2", "--frames", "0-5"]);
    }
    let mut run = command(&words);
    change(&mut run);
    let ran = run.output().expect("it runs");
    assert!(ran.status.success(), "{kind}: {}", String::from_utf8_lossy(&ran.stderr));
    std::fs::read(file).expect("a file")
}
