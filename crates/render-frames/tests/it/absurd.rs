//! Absurd numbers and names in arguments: each command ends soon, within 2 GB, with a message or with whole files.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::command::{FLAG_RIG, Ran, below, finish, flag};

/// The time of one run; programs that are not optimised share the machine with other tests.
const LONGEST: Duration = Duration::from_secs(30);

/// A run in a folder with 2 GB of memory.
fn limited(folder: &std::path::Path, words: &[&str]) -> Ran {
    let mut shell = Command::new("sh");
    let script = "ulimit -v 2000000; exec \"$0\" \"$@\"";
    shell.args(["-c", script, env!("CARGO_BIN_EXE_render-frames")]).args(words).current_dir(folder);
    let child =
        shell.env("NO_COLOR", "1").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    finish(child.expect("a shell"))
}

#[test]
fn absurd_numbers_and_names_end_soon() {
    let (folder, rig) = flag();
    // A clip of more than a year: a billion frames, any of which can be drawn.
    let long = FLAG_RIG.replace("\"droop\": (length: 0.25", "\"droop\": (length: 40000000");
    std::fs::write(&rig, long).expect("a rig");
    let big = "9".repeat(400);
    let name = "n".repeat(300);
    let deep = "d/".repeat(3000);
    let hashes = format!("{}.png", "#".repeat(250));
    let fine: [&[&str]; 17] = [
        &["--jobs", "1000000", "--frames", "0"],
        &["--jobs", "18446744073709551615", "--frames", "0"],
        &["--frames", "0,0,0,0,0-3,3-0:1,1"],
        &["--frames", "18446744073709551615"],
        &["--frames", "0-18446744073709551615"],
        &["--frames", &big],
        &["--clip", "droop", "--frames", "0"],
        &["--clip", "droop", "--frames", "959999999"],
        &["--clip", "droop"],
        &["--fps", "1e-9", "--frames", "0-2"],
        &["--fps", "1e300"],
        &["--fps", "1/18446744073709551616", "--frames", "0"],
        &["--fps", "NaN"],
        &["--step", "0"],
        &["--step", "4294967295"],
        &["--start-number", "18446744073709551615", "--frames", "0-1"],
        &["--samples", "1000000", "--frames", "0"],
    ];
    let sizes: [&[&str]; 14] = [
        &["--size", "1x1"],
        &["--size", "32768x1"],
        &["--size", "1x32769"],
        &["--size", "4294967296x4294967296"],
        &["--size", "-1x5"],
        &["--scale", "1e-300"],
        &["--scale", "1e300"],
        &["--scale", "inf"],
        &["--scale=-0"],
        &["--view", "0,0,1e-300,1e300"],
        &["--view", "1e308,1e308,1e308,1e308"],
        &["--margin", "1e300"],
        &["--margin", "1e9", "--fit"],
        &["--width", "1", "--height", "32768"],
    ];
    let mut cases: Vec<Vec<&str>> = Vec::new();
    for more in fine {
        cases.push([&["render", "flag.ron", "-q", "-o", "out/", "--scale", "0.5"][..], more].concat());
    }
    for more in sizes {
        cases.push([&["render", "flag.ron", "-q", "-o", "out/", "--frames", "0"][..], more].concat());
    }
    for output in [name.as_str(), &deep, &hashes, "out/%0999999999d.png", "out/####################", "#.png"]
    {
        cases.push(vec!["render", "flag.ron", "-q", "--frames", "0", "-o", output]);
    }
    for words in [
        &["sheet", "flag.ron", "-o", "s.png", "--moments", "4294967296"][..],
        &["sheet", "flag.ron", "-o", "s.png", "--moments", "1000000", "--size", "1x1"],
        &["onion", "flag.ron", "-o", "o.png", "--size", "32768x32768"],
        &["plot", "flag.ron", "-o", "p.png", "--clip", "droop", "--scale", "1e9"],
        &["inspect", "flag.ron", "--clip", "droop", "--frame", "18446744073709551615"],
        &["transitions", "flag.ron", "wave", "droop", "--fade", "1e300"],
        &["render", "flag.ron", "-q", "-o", "a.gif", "--clip", "droop"],
        &["render", "flag.ron", "-q", "-o", "a.json", "--fps", "1e6"],
    ] {
        cases.push(words.to_vec());
    }
    println!("{} absurd runs", cases.len());
    for words in cases {
        let began = Instant::now();
        let ran = limited(folder.path(), &words);
        let took = began.elapsed();
        let shown: Vec<&str> = words.iter().map(|word| word.get(..40).unwrap_or(word)).collect();
        assert!(matches!(ran.code, Some(0..=2)), "{shown:?}: {:?} {:.300}", ran.code, ran.err);
        assert!(ran.code == Some(0) || !ran.err.trim().is_empty(), "{shown:?}: no message");
        assert!(took < LONGEST, "{shown:?}: {took:?}");
        for entry in walk(folder.path()) {
            let is_temporary = entry.file_name().is_some_and(|name| name.to_string_lossy().ends_with(".tmp"));
            assert!(!is_temporary, "{shown:?}: {}", entry.display());
            if entry.extension().is_some_and(|ending| ending == "png") {
                bone_render::Pixmap::load_png(&entry)
                    .unwrap_or_else(|_| panic!("{shown:?}: no whole picture"));
            }
        }
        for left in ["out", "d"] {
            // It may not have been made.
            let _ = std::fs::remove_dir_all(folder.path().join(left));
        }
    }
    assert_eq!(std::fs::read(below(&folder, "flag.svg")).expect("it"), crate::command::FLAG_SVG.as_bytes());
}

/// The files below a folder.
fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}
