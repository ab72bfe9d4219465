//! One file of all frames: names, options, what is left when a run fails, and the same bytes for any number
//! of threads. The crate `export` has tests of what is in the files.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::command::{FLAG_SVG, SmallDisk, below, command, expect, files, finish, flag, names, repository};

/// The first bytes of a kind of file.
fn is(ending: &str, bytes: &[u8]) -> bool {
    match ending {
        "gif" => bytes.starts_with(b"GIF89a") && bytes.ends_with(b";"),
        "webp" => bytes.starts_with(b"RIFF") && bytes[8..16] == *b"WEBPVP8X",
        "json" => bytes.starts_with(b"{"),
        "tres" => bytes.starts_with(b"[gd_resource"),
        _ => bytes.starts_with(b"\x89PNG") && bytes.ends_with(b"IEND\xaeB`\x82"),
    }
}

#[test]
fn the_extension_selects_the_file() {
    let (folder, rig) = flag();
    let out = |name: &str| below(&folder, &format!("out/{name}"));
    expect(0, &[&rig, "-q", "-o", &out("wave.gif")]);
    expect(0, &[&rig, "-q", "-o", &out("wave.APNG")]);
    expect(0, &[&rig, "-q", "-o", &out("wave.png"), "--animate"]);
    expect(0, &[&rig, "-q", "-o", &out("{clip}.webp"), "--clip", "all"]);
    expect(0, &[&rig, "-q", "-o", &out("all.gif"), "--clip", "all", "--loop", "2"]);
    expect(0, &[&rig, "-q", "-o", &out("sheet.json"), "--sheet", "--clip", "all", "--pivot", "pole"]);
    expect(0, &[&rig, "-q", "-o", &out("godot.tres"), "--sheet", "--trim", "frame"]);
    let files = files(&folder.path().join("out"));
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    let expected = [
        "all-droop.gif",
        "all-wave.gif",
        "droop.webp",
        "godot.png",
        "godot.tres",
        "sheet.json",
        "sheet.png",
        "wave.APNG",
        "wave.gif",
        "wave.png",
        "wave.webp",
    ];
    assert_eq!(names, expected);
    for (name, bytes) in &files {
        let ending = name.rsplit('.').next().unwrap_or_default();
        assert!(is(ending, bytes), "{name}");
    }
    assert!(files["wave.png"] == files["wave.APNG"]);
    let sheet: serde_json::Value = serde_json::from_slice(&files["sheet.json"]).expect("JSON");
    // 12 frames of a loop; 7 of a clip that includes its end.
    assert_eq!(sheet["frames"].as_object().map(serde_json::Map::len), Some(19));
    assert_eq!(sheet["frames"]["18"]["pivot"], serde_json::json!({ "x": 0.125, "y": 0.125 }));
}

#[test]
fn bytes_do_not_depend_on_threads() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rig = repository("examples/walk/rig.ron");
    for ending in ["gif", "apng", "webp", "json"] {
        let one = |jobs: &str| {
            let out = below(&folder, &format!("{jobs}.{ending}"));
            let mut words = vec![rig.as_str(), "-q", "-o", &out, "--scale", "0.2", "--frames", "0-10", jobs];
            if ending == "json" {
                words.push("--sheet");
            }
            expect(0, &words);
            let bytes = std::fs::read(&out).expect("the file");
            // The name of the picture is in the data.
            String::from_utf8(bytes.clone()).map_or(bytes, |text| text.replace(jobs, "").into_bytes())
        };
        assert!(one("-j1") == one("-j5"), "{ending}");
    }
}

#[test]
fn what_does_not_fit_is_told() {
    let (folder, rig) = flag();
    let out = |name: &str| below(&folder, &format!("out/{name}"));
    for (words, message) in [
        (&["-o", &out("wave.jpg")][..], "Known are .png and .svg"),
        (&["-o", &out("wave.jpg"), "--frames", "0"], "there is no output for .jpg"),
        (&["-o", &out("wave.tres")], "add --sheet"),
        (&["-o", &out("wave.gif"), "--sheet"], "a sheet is a .json or a .tres, not a .gif"),
        (&["-o", &out("wave_##.gif")], "leave out the #"),
        (&["-o", &out("wave.gif"), "--format", "svg"], "leave out --format"),
        (&["-o", &out("wave.gif"), "--existing", "skip"], "--existing skip is for frames"),
        (&["-o", &out("wave.webp"), "--colours", "9"], "--colours does not apply to a WebP: it is for .gif"),
        (&["-o", &out("f_##.png"), "--loop", "3"], "--loop does not apply to frames"),
        (&["-o", &out("wave.lottie"), "--dither", "ordered"], "has the gradients themselves"),
        (&["-o", &out("f_##.svg"), "--format", "svg", "--dither", "ordered"], "has the gradients themselves"),
        (&["-o", &out("wave.webp"), "--dither", "ordered", "--samples", "2"], "leave out one of them"),
        (&["-o", &out("wave.gif"), "--quality", "3"], "it is for .mp4, .webm"),
        (&["-o", &out("s.json"), "--sheet", "--pivot", "pol"], "did you mean \"pole\"?"),
        (&["-o", &out("s.json"), "--sheet", "--max-side", "30"], "does not fit into a page of 30x30"),
        (&["-o", &out("wave.gif"), "--matte", "#fff8"], "opaque"),
        (&["-o", &out("wave.png")], "--animate"),
    ] {
        let ran = crate::command::run(&[&[rig.as_str()], words].concat());
        assert!(matches!(ran.code, Some(1 | 2)) && ran.err.contains(message), "{words:?}: {ran:#?}");
    }
    // Not even a folder, but where the sheet was too small.
    let left =
        if folder.path().join("out").exists() { names(&folder.path().join("out")) } else { Vec::new() };
    assert_eq!(left, Vec::<String>::new());
    expect(0, &[&rig, "-q", "-o", &out("wave.gif")]);
    let ran = expect(2, &[&rig, "-o", &out("wave.gif"), "--existing", "error"]);
    assert!(ran.err.contains("exists already"), "{}", ran.err);
}

#[test]
fn gradients_are_dithered_in_files_of_pixels() {
    let (folder, rig) = flag();
    let gradient = "<linearGradient id=\"a\"><stop stop-color=\"#203040\"/><stop offset=\"1\" stop-color=\"#243448\"/></linearGradient>\
        <rect width=\"40\" height=\"40\" fill=\"url(#a)\"/>";
    let head = FLAG_SVG.find('>').expect("a root") + 1;
    let drawing = format!("{}{gradient}{}", &FLAG_SVG[..head], &FLAG_SVG[head..]);
    std::fs::write(below(&folder, "flag.svg"), drawing).expect("the drawing");
    let rows = |name: &str, dither: &str| {
        let out = below(&folder, name);
        expect(0, &[&rig, "-q", "-o", &out, "--scale", "8", "--frames", "0", "--dither", dither]);
        let picture = bone_render::Pixmap::load_png(&out).expect("a picture");
        // The last two rows, where only the gradient is.
        let rows: Vec<_> = picture.pixels().chunks_exact(320).rev().take(2).collect();
        rows[0] == rows[1]
    };
    for name in ["a.png", "a.apng"] {
        assert!(rows(name, "none") && !rows(name, "ordered"), "{name}");
    }
}

#[test]
fn rates_of_more_than_fifty_frames_are_noted() {
    let (folder, rig) = flag();
    let ran = expect(0, &[&rig, "-o", &below(&folder, "fast.gif"), "--fps", "120"]);
    assert!(ran.err.contains("at most 50 frames a second: 25 of the 60 frames"), "{}", ran.err);
}

#[test]
fn progress_is_counted_in_both_passes() {
    let (folder, rig) = flag();
    let ran = expect(0, &[&rig, "-o", &below(&folder, "a.gif"), "--progress", "json"]);
    let events: Vec<serde_json::Value> =
        ran.err.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let count = |name: &str| events.iter().filter(|event| event["event"] == name).count();
    assert_eq!((count("counted"), count("added"), count("done")), (12, 12, 1));
    assert_eq!(events[23]["done"], 12);
    assert_eq!(events[24]["bytes"], std::fs::metadata(below(&folder, "a.gif")).expect("it").len());
}

/// Starts a run that lasts, and returns when its temporary file exists.
fn started(folder: &tempfile::TempDir, name: &str) -> std::process::Child {
    let (rig, out) = (repository("examples/walk/rig.ron"), below(folder, name));
    let words = [rig.as_str(), "-o", &out, "-j2", "--frames", "0-9999", "--clip", "walk", "--scale", "0.2"];
    let child = command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
    let patience = Instant::now();
    while std::fs::read_dir(folder.path()).map_or(0, Iterator::count) == 0 {
        assert!(patience.elapsed() < Duration::from_secs(60), "no file");
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(30));
    child
}

#[test]
fn a_run_that_ends_early_leaves_no_half_of_a_file() {
    for (signal, code) in [("-INT", Some(130)), ("-KILL", None)] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let child = started(&folder, "walk.webp");
        assert!(
            Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill").success()
        );
        let ran = finish(child);
        assert_eq!(ran.code, code, "{ran:?}");
        let left = names(folder.path());
        assert!(!left.contains(&"walk.webp".to_owned()), "{left:?}");
        if code.is_some() {
            assert!(left.is_empty() && ran.err.contains("nothing of it is left"), "{left:?}: {}", ran.err);
        }
    }
}

#[test]
fn a_full_disk_is_told_and_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(disk) = SmallDisk::mount(folder.path().join("disk")) else {
        crate::command::skip(
            "a_full_disk_is_told_and_leaves_nothing",
            "a small disk, which may not be mounted here",
            None,
        );
        return;
    };
    let rig = repository("examples/chain/rig.ron");
    for name in ["walk.gif", "walk.apng", "walk.webp", "walk.svg", "walk.json"] {
        let out = disk.0.join(name).display().to_string();
        let ran = expect(1, &[&rig, "-o", &out, "--scale", "0.7"]);
        assert!(ran.err.contains(name) && ran.err.contains("free some space"), "{}", ran.err);
        assert_eq!(names(&disk.0), Vec::<String>::new());
    }
}

/// The picture of a sheet is small, its data is not: neither is there without the other.
#[test]
fn a_sheet_is_there_with_all_its_files_or_not_at_all() {
    let (folder, rig) = flag();
    let out = folder.path().join("out");
    std::fs::create_dir(&out).expect("a folder");
    let name = out.join("sheet.json").display().to_string();
    let program = command(&[&rig, "-q", "-o", &name, "--sheet", "--clip", "all", "--size", "12x10"]);
    let run = |limit: &str| {
        let mut shell = Command::new("sh");
        let script = format!("trap '' XFSZ; ulimit -f {limit}; exec \"$@\"");
        shell.args(["-c", &script, "sh"]).arg(program.get_program()).args(program.get_args());
        finish(shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a shell"))
    };
    assert_eq!(run("unlimited").code, Some(0));
    let whole = files(&out);
    let (picture, data) = (whole["sheet.png"].len(), whole["sheet.json"].len());
    // Blocks of 512 bytes, or of 1,024, depending on the shell.
    let limit = picture.div_ceil(512) + 1;
    assert!(limit * 1024 < data, "{picture} and {data} bytes");
    // An earlier sheet stays as it was, and nothing is left where there was none.
    let ran = run(&limit.to_string());
    assert!(ran.code == Some(1) && ran.err.contains("sheet.json"), "{ran:?}");
    assert!(files(&out) == whole);
    for file in whole.keys() {
        std::fs::remove_file(out.join(file)).expect("a file");
    }
    assert_eq!(run(&limit.to_string()).code, Some(1));
    assert_eq!(names(&out), Vec::<String>::new());
}
