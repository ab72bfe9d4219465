//! Continuing an interrupted run: `--existing skip` keeps exactly the frames that would come out the same.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::command::{
    FLAG_RIG, FLAG_SVG, RECORDS, Ran, below, command, expect, files, finish, flag, names, repository,
};

/// The number of kept frames in the summary of a run.
fn kept(ran: &Ran) -> usize {
    let before = ran.err.split(" existed already").next().filter(|before| before.len() < ran.err.len());
    before.and_then(|words| words.rsplit(' ').next()?.parse().ok()).unwrap_or(0)
}

fn start(words: &[&str]) -> Child {
    command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program")
}

/// The frames of a complete run in another folder.
fn fresh(words: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = below(&folder, "fresh/");
    expect(0, &[&["-o", out.as_str()], words].concat());
    files(Path::new(&out))
}

fn frames_in(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "png")).count()
}

#[test]
fn killed_at_any_time_and_started_again_gives_the_frames_of_one_run() {
    let rig = repository("examples/walk/rig.ron");
    let drawn = [rig.as_str(), "--clip", "all", "--scale", "0.4", "-j3", "--frames", "0-30"];
    let whole = fresh(&drawn);
    for moments in [&[1][..], &[2, 3, 4], &[20], &[5, 30, 55], &[61]] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = folder.path().join("out");
        let place = format!("{}/", out.display());
        let words = [&drawn[..], &["-o", &place, "--existing", "skip"]].concat();
        for (at, &frames) in moments.iter().enumerate() {
            let mut child = start(&words);
            let patience = Instant::now();
            while frames_in(&out) < frames && child.try_wait().expect("its state").is_none() {
                assert!(patience.elapsed() < Duration::from_secs(60), "no frames");
                std::thread::sleep(Duration::from_micros(300 * (at as u64 + 1)));
            }
            child.kill().expect("a kill");
            child.wait().expect("its end");
        }
        let there = frames_in(&out);
        let ran = expect(0, &words);
        assert!(files(&out) == whole, "{moments:?}: other frames, or something left over: {:?}", names(&out));
        // A killed run may leave, for each thread, a frame that has its name and no entry in the manifest.
        let known = kept(&ran);
        assert!(known <= there && known + 3 * moments.len() >= there, "{moments:?}: {known} of {there}");
        assert_eq!(kept(&expect(0, &words)), whole.len());
    }
}

#[test]
fn frames_that_are_there_are_not_touched() {
    let (folder, rig) = flag();
    let out = below(&folder, "out/");
    let words = [rig.as_str(), "-o", &out, "--clip", "all", "--existing", "skip"];
    assert_eq!(kept(&expect(0, &words)), 0);
    let before: Vec<_> = modified(Path::new(&out));
    let ran = expect(0, &[&words[..], &["-j1"]].concat());
    assert_eq!((kept(&ran), before == modified(Path::new(&out))), (12 + 7, true));
    // Frames are identified by their content: another order, another rate, another range.
    let ran = expect(0, &[&rig, "-o", &out, "--clip", "droop", "--frames", "2-4", "--existing", "skip"]);
    assert_eq!(kept(&ran), 0, "droop alone is called frame_####");
    assert_eq!(kept(&expect(0, &[&words[..], &["--frames", "0-40:2"]].concat())), 6 + 4);
    let json = expect(0, &[&words[..], &["--progress", "json", "--frames", "0-2"]].concat()).err;
    let events: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(events.iter().filter(|event| event["event"] == "kept").count(), 6, "{json}");
    assert_eq!((&events[6]["frames"], &events[6]["kept"]), (&0.into(), &6.into()));
}

fn modified(folder: &Path) -> Vec<(String, std::time::SystemTime)> {
    let time = |name: String| {
        let file = std::fs::metadata(folder.join(&name)).expect("a file");
        (name, file.modified().expect("a time"))
    };
    names(folder).into_iter().map(time).collect()
}

#[test]
fn whatever_changes_a_frame_has_it_drawn_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let svg = FLAG_SVG
        .replace("</svg>", "<image href=\"dot.png\" x=\"2\" y=\"26\" width=\"9\" height=\"9\"/></svg>");
    let dot = |colour: &str| {
        let svg = format!(
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 2 2'><path fill='{colour}' d='M0 0H2V2H0Z'/></svg>"
        );
        let mut pixmap = bone_render::Pixmap::new(2, 2).expect("a small one");
        let size = bone_render::FrameSize::new(2, 2).expect("a size");
        let options = bone_render::FrameOptions { size, background: None };
        bone_render::Raster::default().draw(&svg, &options, &mut pixmap).expect("a picture");
        pixmap.encode_png().expect("a picture")
    };
    let (red, blue) = (dot("red"), dot("blue"));
    let put = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).expect("a file");
    let rig = below(&folder, "flag.ron");
    let out = below(&folder, "out/");
    put("flag.ron", FLAG_RIG.as_bytes());
    put("flag.svg", svg.as_bytes());
    put("dot.png", &red);
    let plain = ["--frames", "0-5"];
    let look = |more: &[&str], expected: usize, why: &str| {
        let words = [&[rig.as_str()], &plain[..], more].concat();
        let ran = expect(0, &[&words[..], &["-o", &out, "--existing", "skip"]].concat());
        assert_eq!(kept(&ran), expected, "{why}: {}", ran.err);
        assert!(files(Path::new(&out)) == fresh(&words), "{why}");
    };
    look(&[], 0, "new");
    look(&[], 6, "the same");
    put("flag.ron", FLAG_RIG.replace("(0.25, 30)", "(0.25, 31)").as_bytes());
    look(&[], 1, "the rig: frame 0 is before it moves");
    put("flag.svg", svg.replace("#c33", "#c34").as_bytes());
    look(&[], 0, "the drawing");
    put("dot.png", &blue);
    look(&[], 0, "a linked image");
    std::fs::remove_file(folder.path().join("dot.png")).expect("removed");
    look(&[], 0, "an image that is gone");
    put("dot.png", &blue);
    look(&[], 0, "an image that is back");
    for (options, why) in [
        (&["--scale", "2"][..], "the scale"),
        (&["--size", "40x41"], "the size"),
        (&["--background", "white"], "the background"),
        (&["--compress", "fast"], "the compression"),
    ] {
        look(options, 0, why);
        look(options, 6, why);
    }
    look(&[], 0, "back again");
    look(&["--step", "2"], 3, "every second frame is the same on twos");
    // Frame 0 is at rest in both clips and at any rate.
    look(&["--clip", "droop"], 1, "the clip");
    look(&[], 1, "back again");
    look(&["--fps", "48"], 1, "the rate");
}

#[test]
fn whatever_is_no_frame_of_this_run_is_drawn_again() {
    let (folder, rig) = flag();
    let out = folder.path().join("out");
    let words = [rig.as_str(), "-o", &format!("{}/", out.display()), "--clip", "wave", "--existing", "skip"];
    expect(0, &words);
    let whole = files(&out);
    let frame = |number: u32| out.join(format!("frame_{number:04}.png"));
    // A foreign file, a truncated one, one with a changed bit, a missing one, two that were exchanged, and a
    // broken link.
    std::fs::write(frame(1), "mine").expect("a file");
    let mut bytes = std::fs::read(frame(2)).expect("a frame");
    std::fs::write(frame(2), &bytes[..bytes.len() / 2]).expect("a file");
    bytes[70] ^= 1;
    std::fs::write(frame(3), &bytes).expect("a file");
    std::fs::remove_file(frame(4)).expect("removed");
    let (five, six) = (std::fs::read(frame(5)).expect("a frame"), std::fs::read(frame(6)).expect("a frame"));
    std::fs::write(frame(5), &six).expect("a file");
    std::fs::write(frame(6), &five).expect("a file");
    std::fs::remove_file(frame(7)).expect("removed");
    std::os::unix::fs::symlink("nowhere", frame(7)).expect("a link");
    assert_eq!(kept(&expect(0, &words)), 12 - 7);
    assert!(files(&out) == whole);
    // Frames without an entry in a manifest are not trusted.
    std::fs::remove_dir_all(out.join(RECORDS)).expect("removed");
    assert_eq!(kept(&expect(0, &words)), 0);
    assert!(files(&out) == whole);
}

#[test]
fn a_single_picture_is_noted_only_for_those_who_ask() {
    let (folder, rig) = flag();
    let one = below(&folder, "one.png");
    expect(0, &[&rig, "-o", &one, "--frames", "3"]);
    assert!(!folder.path().join(RECORDS).exists());
    let words = [rig.as_str(), "-o", &one, "--frames", "3", "--existing", "skip"];
    assert_eq!(kept(&expect(0, &words)), 0);
    assert_eq!(kept(&expect(0, &words)), 1);
}

#[test]
fn two_names_of_one_folder_are_one_folder() {
    let (folder, rig) = flag();
    std::fs::create_dir_all(folder.path().join("wave")).expect("a folder");
    std::os::unix::fs::symlink("wave", folder.path().join("droop")).expect("a link");
    let pattern = below(&folder, "{clip}/{clip}_##.png");
    let words = [rig.as_str(), "--clip", "all", "-o", &pattern, "--existing", "skip"];
    assert_eq!(kept(&expect(0, &words)), 0);
    assert_eq!(kept(&expect(0, &words)), 12 + 7);
}

#[test]
fn two_at_once_do_not_get_in_each_others_way() {
    let rig = repository("examples/walk/rig.ron");
    let drawn = [rig.as_str(), "--clip", "walk", "--scale", "0.4"];
    let whole = fresh(&drawn);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let place = format!("{}/", out.display());
    // The same frames twice; then overlapping halves.
    for parts in [["0-23", "0-23"], ["0-15", "8-23"]] {
        let children = parts.map(|frames| {
            start(&[&drawn[..], &["-o", &place, "--existing", "skip", "--frames", frames, "-j2"]].concat())
        });
        for child in children {
            let ran = finish(child);
            assert_eq!(ran.code, Some(0), "{}", ran.err);
        }
        assert!(files(&out) == whole, "{:?}", names(&out));
        let ran = expect(0, &[&drawn[..], &["-o", &place, "--existing", "skip"]].concat());
        assert_eq!(kept(&ran), 24, "{}", ran.err);
        std::fs::remove_dir_all(&out).expect("removed");
    }
}

#[test]
fn one_that_is_killed_beside_one_that_works_costs_it_nothing() {
    let rig = repository("examples/walk/rig.ron");
    let drawn = [rig.as_str(), "--clip", "walk", "--scale", "0.4", "-j2"];
    let whole = fresh(&drawn);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let place = format!("{}/", out.display());
    let words = [&drawn[..], &["-o", &place]].concat();
    let working = start(&words);
    for pause in [150, 30, 90] {
        let mut killed = start(&words);
        std::thread::sleep(Duration::from_millis(pause));
        killed.kill().expect("a kill");
        killed.wait().expect("its end");
    }
    assert_eq!(finish(working).code, Some(0));
    let ran = expect(0, &[&words[..], &["--existing", "skip"]].concat());
    assert!(kept(&ran) >= 24 - 2 * 3, "{}", ran.err);
    assert!(files(&out) == whole, "{:?}", names(&out));
}
