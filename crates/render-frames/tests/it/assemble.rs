//! One file of frames that are there: the same as `render` writes, and a message for every series that has a
//! gap, a damaged file or another size.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::command::{Ran, SmallDisk, below, command, expect, files, finish, flag, repository};

/// A folder with the twelve frames of the flag in `out`.
fn rendered(more: &[&str]) -> (tempfile::TempDir, String, String) {
    let (folder, rig) = flag();
    let out = below(&folder, "out");
    expect(0, &[&[rig.as_str(), "-q", "-o", &format!("{out}/"), "--clip", "wave"], more].concat());
    (folder, rig, out)
}

/// All names in a folder, those of folders too.
fn listed(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

fn refused(words: &[&str], code: i32, message: &str) -> Ran {
    let ran = expect(code, &[&["assemble"], words].concat());
    assert!(ran.err.contains(message), "{words:?}: {}", ran.err);
    ran
}

#[test]
fn the_file_is_that_of_a_render() {
    let look = ["--scale", "3", "--fps", "30000/1001"];
    let (folder, rig, out) = rendered(&look);
    for (name, more) in [
        ("a.gif", &["--matte", "white", "--loop", "3"][..]),
        ("a.apng", &[]),
        ("a.webp", &[]),
        ("frame.json", &["--sheet", "--trim", "frame"]),
    ] {
        let [one, other] = ["drawn", "assembled"].map(|place| folder.path().join(place));
        for place in [&one, &other] {
            let _ = fs::remove_dir_all(place);
            fs::create_dir(place).expect("a folder");
        }
        let file = |place: &Path| place.join(name).display().to_string();
        expect(0, &[&[rig.as_str(), "-o", &file(&one), "--clip", "wave"], &look[..], more].concat());
        let ran = expect(0, &[&["assemble", &out, "-o", &file(&other)], more].concat());
        assert!(ran.err.contains("30000/1001 a second"), "{}", ran.err);
        let (one, other) = (files(&one), files(&other));
        if name == "frame.json" {
            // The clip of frames without a name is called after their files.
            let [one, other] =
                [&one, &other].map(|all| String::from_utf8(all["frame.json"].clone()).expect("JSON"));
            assert_eq!(one.replace("wave", "frame"), other);
            continue;
        }
        assert!(one == other, "{name}");
    }
}

#[test]
fn rates_come_from_the_manifest() {
    let (folder, rig, out) = rendered(&["--fps", "12"]);
    let file = below(&folder, "a.gif");
    let assemble = |more: &[&str]| expect(0, &[&["assemble", &out, "-o", &file], more].concat()).err;
    assert!(assemble(&[]).contains("6 frames") && assemble(&[]).contains("12 a second"), "{}", assemble(&[]));
    assert!(assemble(&["--fps", "25"]).contains("25 a second"));
    // The first frame is kept, and belongs to both rates.
    let at = |fps: &str, frames: &str| {
        let place = format!("{out}/");
        let words = ["-o", &place, "--clip", "wave", "--fps", fps, "--frames", frames, "--existing", "skip"];
        expect(0, &[&[rig.as_str()], &words[..]].concat());
    };
    at("24", "0-11");
    assert!(assemble(&[]).contains("24 a second"), "{}", assemble(&[]));
    at("30", "12-14");
    refused(&[&out, "-o", &file], 1, "was rendered at 24 frames a second, and frame_0012.png at 30");
    assert!(assemble(&["--frames", "12-14"]).contains("30 a second"));
    fs::remove_dir_all(Path::new(&out).join(".bone-layer")).expect("the manifest");
    let said = assemble(&[]);
    assert!(said.contains("rate of these frames is not known") && said.contains("24 a second"), "{said}");
}

#[test]
fn series_that_are_not_whole_are_refused() {
    let (folder, _, out) = rendered(&[]);
    let file = below(&folder, "a.gif");
    let at = |name: &str| Path::new(&out).join(name);
    let good = fs::read(at("frame_0003.png")).expect("a frame");
    let with = |bytes: &[u8], message: &str| {
        fs::write(at("frame_0003.png"), bytes).expect("a frame");
        let ran = refused(&[&out, "-o", &file], 1, message);
        assert!(ran.err.contains("frame_0003.png"), "{}", ran.err);
        assert!(!Path::new(&file).exists());
    };
    with(b"", "it is empty");
    with(b"GIF89a and what follows in such a file", "not a PNG");
    with(&good[..20], "not a PNG");
    with(&good[..good.len() / 2], "its end is missing");
    with(&good[..good.len() - 6], "its end is missing");
    let mut damaged = good.clone();
    damaged[good.len() / 2] ^= 0x55;
    with(&damaged, "damaged");
    let mut huge = good.clone();
    huge[16..20].copy_from_slice(&u32::MAX.to_be_bytes());
    with(&huge, "too large");
    // Another size, and that of all mistakes at once.
    let (_other, _, large) = rendered(&["--scale", "2"]);
    for name in ["frame_0003.png", "frame_0007.png"] {
        fs::copy(Path::new(&large).join(name), at(name)).expect("a frame");
    }
    let ran = refused(&[&out, "-o", &file], 1, "frame_0003.png is 80x80, and frame_0000.png is 40x40");
    assert!(ran.err.contains("frame_0007.png is 80x80"), "{}", ran.err);
    fs::write(at("frame_0003.png"), &good).expect("a frame");
    for name in ["frame_0007.png", "frame_0008.png"] {
        fs::remove_file(at(name)).expect("a frame");
    }
    refused(&[&out, "-o", &file], 1, "2 frames of");
    refused(&[&out, "-o", &file], 1, "are missing: 7-8");
    refused(&[&out, "-o", &file, "--frames", "0-12"], 1, "are missing: 7-8, 12");
    expect(0, &["assemble", &out, "-o", &file, "--frames", "0-6"]);
    fs::create_dir(at("frame_0007.png")).expect("a folder");
    refused(&[&out, "-o", &file, "--frames", "5-7"], 1, "it is a folder");
    assert!(listed(folder.path()).iter().all(|name| !name.ends_with(".tmp")));
}

#[test]
fn outputs_that_do_not_fit_are_refused() {
    let (folder, _, out) = rendered(&[]);
    let before = files(Path::new(&out));
    let of = |name: &str, more: &[&str], code: i32, message: &str| {
        refused(&[&[out.as_str(), "-o", &below(&folder, name)], more].concat(), code, message);
    };
    fs::write(folder.path().join("c_is_a_file"), "mine").expect("a file");
    of("a.xyz", &[], 2, ".gif");
    of("a", &[], 2, "is not a file of all frames");
    of("a.png", &[], 2, "--animate");
    of("a.gif", &["--quality", "3"], 2, "--quality does not apply");
    of("a.json", &["--sheet", "--pivot", "pole"], 2, "--pivot is a bone");
    of("out/walk.png", &["--animate"], 1, "another folder");
    of("out/frame.json", &["--sheet"], 1, "another folder");
    of("c_is_a_file/a.gif", &[], 1, "cannot be created");
    fs::create_dir(folder.path().join("b.gif")).expect("a folder");
    of("b.gif", &[], 1, "is a folder");
    let protected = folder.path().join("c.gif");
    fs::write(&protected, "mine").expect("a file");
    let mut permissions = fs::metadata(&protected).expect("it").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&protected, permissions).expect("permissions");
    of("c.gif", &[], 1, "read-only");
    assert_eq!(fs::read(&protected).expect("it"), b"mine");
    fs::create_dir(folder.path().join("empty")).expect("a folder");
    refused(&[&below(&folder, "empty"), "-o", &below(&folder, "a.gif")], 1, "there is no PNG file");
    assert!(files(Path::new(&out)) == before);
    // A file beside the frames is none of them, and a picture without a number is left out.
    fs::write(Path::new(&out).join("poster.png"), "x").expect("a file");
    let ran = expect(0, &["assemble", &out, "-o", &below(&folder, "out/a.gif")]);
    assert!(ran.err.contains("poster.png") && ran.err.contains("left out"), "{}", ran.err);
}

#[test]
fn ten_thousand_frames_are_one_file() {
    let (folder, _, out) = rendered(&["--scale", "0.5"]);
    let many = folder.path().join("many");
    fs::create_dir(&many).expect("a folder");
    for number in 0..10_000 {
        let from = Path::new(&out).join(format!("frame_{:04}.png", number % 12));
        fs::hard_link(from, many.join(format!("f_{number}.png"))).expect("a frame");
    }
    let many = many.display().to_string();
    let ran = expect(0, &["assemble", &many, "-o", &below(&folder, "a.gif"), "--progress", "json"]);
    let last: serde_json::Value =
        serde_json::from_str(ran.err.lines().last().expect("a line")).expect("JSON");
    assert_eq!((&last["event"], &last["frames"]), (&"done".into(), &10_000.into()), "{last}");
}

#[test]
fn a_kill_or_a_full_disk_leaves_no_half_file() {
    let (rig, folder) =
        (repository("examples/walk/rig.ron"), tempfile::tempdir().expect("a temporary folder"));
    let out = below(&folder, "out/");
    expect(0, &[&rig, "-q", "-o", &out, "--clip", "walk"]);
    let before = b"the file of yesterday";
    let file = folder.path().join("a.webp");
    fs::write(&file, before).expect("a file");
    let shown = file.display().to_string();
    let words = ["assemble", &out, "-o", &shown, "-j1"];
    let mut child = command(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program");
    let patience = Instant::now();
    while listed(folder.path()).iter().all(|name| !name.ends_with(".tmp")) {
        assert!(
            patience.elapsed() < Duration::from_secs(60) && child.try_wait().expect("its state").is_none()
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("a kill");
    child.wait().expect("its end");
    assert_eq!(fs::read(&file).expect("it"), before);
    let Some(disk) = SmallDisk::mount(folder.path().join("disk")) else {
        crate::command::skip(
            "a_kill_or_a_full_disk_leaves_no_half_file",
            "a small disk, which may not be mounted here",
            None,
        );
        return;
    };
    let file = disk.0.join("a.webp").display().to_string();
    let child =
        command(&["assemble", &out, "-o", &file]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let ran = finish(child.expect("the program"));
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("a.webp") && ran.err.contains("free some space"), "{}", ran.err);
    assert!(listed(&disk.0).is_empty(), "{:?}", listed(&disk.0));
}
