//! The command line: exit codes, messages and their streams, and the files that are written.

use crate::command::{below, expect, files, flag, names, repository, run};
use std::path::Path;

#[test]
fn help_names_the_commands_and_the_exit_codes() {
    let help = expect(0, &["--help"]).out;
    for word in ["render", "check", "130", "Examples:", "rig.ron", "--clip all"] {
        assert!(help.contains(word), "{word}:\n{help}");
    }
    let help = expect(0, &["render", "--help"]).out;
    for word in ["--frames", "--fps", "--size", "--scale", "--background", "--existing", "--progress", "####"]
    {
        assert!(help.contains(word), "{word}:\n{help}");
    }
    assert!(expect(0, &["check", "--help"]).out.contains("--json"));
    assert!(expect(0, &["--version"]).out.starts_with("render-frames "));
    assert!(expect(2, &[]).err.contains("Usage:"), "without words the help is shown");
}

#[test]
fn the_short_form_renders_every_frame_of_the_first_clip() {
    let (folder, rig) = flag();
    let (short, long) = (below(&folder, "short/"), below(&folder, "long/"));
    let said = expect(0, &[&rig, "-o", &short]);
    assert_eq!(said.out, "", "standard output is for data");
    assert!(said.err.contains("12 frames"), "{}", said.err);
    assert!(said.err.contains("--clip"), "another clip is hinted at: {}", said.err);
    expect(0, &["render", &rig, "-o", &long]);
    let frames = files(Path::new(&short));
    assert_eq!(frames.len(), 12);
    assert!(frames.contains_key("frame_0000.png") && frames.contains_key("frame_0011.png"));
    assert!(frames == files(Path::new(&long)));
}

#[test]
fn quiet_says_nothing() {
    let (folder, rig) = flag();
    let said = expect(0, &[&rig, "-q", "-o", &below(&folder, "out/")]);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
}

#[test]
fn several_clips_have_files_of_their_own() {
    let (folder, rig) = flag();
    let out = below(&folder, "out");
    expect(0, &[&rig, "--clip", "all", "-o", &out, "--frames", "0-1"]);
    assert_eq!(
        names(Path::new(&out)),
        ["droop_0000.png", "droop_0001.png", "wave_0000.png", "wave_0001.png"]
    );
    let pattern = below(&folder, "each/{clip}/f##.png");
    expect(0, &[&rig, "--clip", "all", "-o", &pattern, "--frames", "5,3"]);
    assert_eq!(names(&folder.path().join("each/droop")), ["f03.png", "f05.png"]);
    assert_eq!(names(&folder.path().join("each/wave")), ["f03.png", "f05.png"]);
    let said = expect(2, &[&rig, "--clip", "all", "-o", &below(&folder, "f##.png")]);
    assert!(said.err.contains("{clip}"), "{}", said.err);
}

#[test]
fn a_clip_that_does_not_loop_includes_its_end() {
    let (folder, rig) = flag();
    let out = below(&folder, "out/");
    expect(0, &[&rig, "--clip", "droop", "-o", &out]);
    // A quarter of a second at 24 frames a second: 0 to 6.
    assert_eq!(names(Path::new(&out)).len(), 7);
}

#[test]
fn numbers_in_names_can_start_elsewhere() {
    let (folder, rig) = flag();
    let out = below(&folder, "f_##.png");
    expect(0, &[&rig, "-o", &out, "--frames", "0-4:2", "--start-number", "101"]);
    let made: Vec<String> = names(folder.path()).into_iter().filter(|name| name.ends_with(".png")).collect();
    assert_eq!(made, ["f_101.png", "f_103.png", "f_105.png"]);
}

#[test]
fn words_that_do_not_fit_end_with_2() {
    let (folder, rig) = flag();
    let out = below(&folder, "out/");
    let cases: [(&[&str], &str); 15] = [
        (&["--clip", "wvae"], "did you mean \"wave\"?"),
        (&["--clip", "jump"], "\"wave\", \"droop\""),
        (&["--frames", "5-1"], "write 1-5"),
        (&["--frames", "x"], "0-23"),
        (&["--frames", "-3"], "0-23"),
        (&["--fps", "0"], "24"),
        (&["--fps", "-24"], "30000/1001"),
        (&["--size", "100"], "1920x1080"),
        (&["--size", "0x9"], "at least 1 pixel"),
        (&["--size", "99999x9"], "too large"),
        (&["--scale", "-1"], "above 0"),
        (&["--scale", "1e9"], "too large"),
        (&["--background", "reddish"], "not a colour"),
        (&["--format", "gif"], "png"),
        (&["--jobs", "0"], "1"),
    ];
    for (words, said) in cases {
        let mut all = vec![rig.as_str(), "-o", out.as_str()];
        all.extend(words);
        let ran = expect(2, &all);
        assert!(ran.err.contains(said), "{words:?}: {}", ran.err);
    }
    assert!(!Path::new(&out).exists(), "nothing is made before the words are understood");
    let ran = expect(2, &[&rig, "-o", &below(&folder, "one.png")]);
    assert!(ran.err.contains("####"), "{}", ran.err);
    let ran = expect(2, &[&rig, "-o", &below(&folder, "f_##.svg")]);
    assert!(ran.err.contains("--format svg"), "{}", ran.err);
    expect(2, &["chekc", &rig]);
}

#[test]
fn a_missing_rig_or_drawing_ends_with_3_and_a_suggestion() {
    let (folder, rig) = flag();
    let ran = expect(3, &[&below(&folder, "flga.ron"), "-o", &below(&folder, "out/")]);
    assert!(ran.err.contains("there is no such file") && ran.err.contains("did you mean \"flag.ron\"?"));
    let ran = expect(3, &[&folder.path().display().to_string()]);
    assert!(ran.err.contains("it is a folder"), "{}", ran.err);

    std::fs::rename(folder.path().join("flag.svg"), folder.path().join("flags.svg")).expect("renamed");
    for words in [&["check", rig.as_str()][..], &[rig.as_str(), "-o", "nowhere/"]] {
        let ran = expect(3, words);
        assert!(ran.err.contains("did you mean \"flags.svg\"?"), "{}", ran.err);
        assert!(ran.err.contains("flag.ron:3:14"), "the place in the rig: {}", ran.err);
    }
    assert!(!Path::new("nowhere").exists());
}

#[test]
fn mistakes_are_all_shown_at_once_with_their_lines() {
    let (folder, rig) = flag();
    let wrong = crate::command::FLAG_RIG
        .replace("art: \"flag\"", "art: \"flg\"")
        .replace("length: 0.25", "length: -1");
    std::fs::write(&rig, wrong).expect("the rig");
    for words in [&["check", rig.as_str()][..], &[rig.as_str(), "-o", "nowhere/"]] {
        let ran = expect(3, words);
        assert!(
            ran.err.contains("did you mean \"flag\"?")
                && ran.err.contains("2 errors") | ran.out.contains("2 errors")
        );
        assert!(ran.err.contains("flag.ron:5:23") && ran.err.contains("Rigid(art: \"flg\", bone: \"pole\")"));
    }
    drop(folder);
}

#[test]
fn check_counts_what_it_finds() {
    let (_folder, rig) = flag();
    let ran = expect(0, &["check", &rig]);
    assert!(ran.out.contains("no mistakes. 1 bone, 1 bound piece of art, 2 clips"), "{}", ran.out);
    assert_eq!(ran.err, "");
}

#[test]
fn check_gives_json_with_places() {
    let (_folder, rig) = flag();
    let json = |rig: &str, code: i32| {
        let ran = expect(code, &["check", "--json", rig]);
        assert_eq!(ran.err, "", "findings are data");
        serde_json::from_str::<serde_json::Value>(&ran.out).expect("JSON")
    };
    let none = json(&rig, 0);
    assert_eq!((none["errors"].as_u64(), none["findings"].as_array().map(Vec::len)), (Some(0), Some(0)));

    let wrong = crate::command::FLAG_RIG.replace("bone: \"pole\"", "bone: \"pöle\"");
    std::fs::write(&rig, &wrong).expect("the rig");
    let found = json(&rig, 3);
    assert_eq!(found["errors"], 1);
    let finding = &found["findings"][0];
    assert_eq!(finding["severity"], "error");
    assert!(finding["help"][0].as_str().is_some_and(|help| help.contains("pole")), "{finding}");
    let place = &finding["place"];
    let line = wrong.lines().nth(4).expect("five lines");
    let before = line.find("\"pöle\"").expect("the name");
    assert_eq!(place["line"], 5);
    assert_eq!(place["column"], line[..before].chars().count() + 1);
    assert_eq!(place["end_column"], line[..before].chars().count() + 1 + "\"pöle\"".chars().count());
    let bytes = |at: usize| place["bytes"][at].as_u64().expect("a byte") as usize;
    assert_eq!(&wrong[bytes(0)..bytes(1)], "\"pöle\"");
    assert!(place["file"].as_str().is_some_and(|file| file.ends_with("flag.ron")));

    let ambiguous = json(&repository("tests/bad-rigs-art/ambiguous-label.ron"), 3);
    let related = ambiguous["findings"][0]["related"].as_array().expect("candidates");
    assert!(
        related.len() == 2
            && related
                .iter()
                .all(|r| r["place"]["file"].as_str().is_some_and(|f| f.ends_with("drawing.svg")))
    );
    assert!(json(&repository("no/such.ron"), 3)["findings"][0]["place"].is_null());
}

#[test]
fn bad_rigs_end_with_3_and_never_with_a_panic() {
    for folder in ["tests/bad-rigs", "tests/bad-rigs-art"] {
        let entries = std::fs::read_dir(repository(folder)).expect("bad rigs").flatten();
        let mut rigs: Vec<_> = entries.map(|e| e.path()).filter(|p| has_an_error(p)).collect();
        rigs.sort();
        // The tests of the library read all of them; every ninth is enough to compare the program.
        for rig in rigs.iter().step_by(9) {
            let rig = rig.display().to_string();
            assert!(!expect(3, &["check", &rig]).err.is_empty());
            expect(3, &[&rig, "-o", "/dev/null/never/"]);
        }
    }
}

/// Whether the comments of a bad rig expect an error; some expect only warnings.
fn has_an_error(path: &Path) -> bool {
    let text = || String::from_utf8_lossy(&std::fs::read(path).expect("a file")).into_owned();
    path.extension().is_some_and(|e| e == "ron") && text().contains("error: ")
}

#[test]
fn warnings_do_not_stop_the_frames() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rig = repository("tests/bad-rigs-art/image-link-unreadable.ron");
    let out = below(&folder, "one.png");
    let ran = expect(0, &[&rig, "-o", &out]);
    assert!(ran.err.contains("holiday.jpg") && ran.err.contains("image.svg:3:3"), "{}", ran.err);
    assert!(Path::new(&out).exists(), "a rig without clips gives one frame");
    assert_eq!(expect(0, &["-q", &rig, "-o", &out]).err, "");
}

#[test]
fn svg_frames_keep_ids_and_groups() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (rig, out) = (repository("examples/walk/rig.ron"), below(&folder, "out/"));
    expect(0, &[&rig, "-o", &out, "--format", "svg", "--frames", "3,9"]);
    let drawing = std::fs::read_to_string(repository("examples/walk/drawing.svg")).expect("the drawing");
    let original = roxmltree::Document::parse(&drawing).expect("XML");
    for (name, bytes) in files(Path::new(&out)) {
        let text = String::from_utf8(bytes).expect("text");
        let posed = roxmltree::Document::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        for node in original
            .descendants()
            .filter(|node| node.tag_name().name() == "g" || node.tag_name().name() == "path")
        {
            let Some(id) = node.attribute("id") else { continue };
            // The eyes are open in these frames: what a clip hides is left out.
            if node.ancestors().any(|n| n.attribute("id") == Some("eyes_shut")) {
                continue;
            }
            let same = posed.descendants().find(|n| n.attribute("id") == Some(id));
            let same = same.unwrap_or_else(|| panic!("{name} has lost {id}"));
            assert_eq!(same.tag_name().name(), node.tag_name().name(), "{id}");
            let above = |node: roxmltree::Node<'_, '_>| {
                node.ancestors().skip(1).find_map(|n| n.attribute("id").map(str::to_owned))
            };
            assert_eq!(above(same), above(node), "{id} stands in another group");
        }
    }
}

#[test]
fn existing_files_are_replaced_or_stop_the_work_before_it_begins() {
    let (folder, rig) = flag();
    let out = below(&folder, "out/");
    expect(0, &[&rig, "-o", &out, "--frames", "3"]);
    let third = Path::new(&out).join("frame_0003.png");
    std::fs::write(&third, "mine").expect("a file");
    let ran = expect(2, &[&rig, "-o", &out, "--existing", "error"]);
    assert!(ran.err.contains("frame_0003.png exists already"), "{}", ran.err);
    assert_eq!(std::fs::read(&third).expect("it"), b"mine");
    assert_eq!(names(Path::new(&out)).len(), 1, "no other frame was drawn");
    expect(0, &[&rig, "-o", &out, "--existing", "error", "--frames", "0-2"]);
    expect(0, &[&rig, "-o", &out]);
    assert_ne!(std::fs::read(&third).expect("it"), b"mine");
}

#[test]
fn frames_never_take_the_place_of_the_drawing_the_rig_or_each_other() {
    let (folder, rig) = flag();
    let before = files(folder.path());
    let drawing = below(&folder, "flag.svg");
    for (words, message) in [
        (&["-o", &drawing, "--format", "svg"][..], "is a source of the frames"),
        (&["-o", &rig], "there is no output for .ron"),
    ] {
        let ran = expect(2, &[&[rig.as_str(), "--frames", "3"], words].concat());
        assert!(ran.err.contains(message), "{}", ran.err);
    }
    let last = u64::MAX.to_string();
    let ran = expect(2, &[&rig, "-o", &below(&folder, "f_#.png"), "--start-number", &last]);
    assert!(ran.err.contains("frame 11 has no valid number"), "{}", ran.err);
    assert!(before == files(folder.path()));

    let twins = crate::command::FLAG_RIG.replace("\"wave\"", "\"a/b\"").replace("\"droop\"", "\"a:b\"");
    std::fs::write(&rig, twins).expect("the rig");
    for out in ["{clip}_#.png", "out/"] {
        let ran = expect(2, &[&rig, "--clip", "all", "-o", &below(&folder, out)]);
        assert!(ran.err.contains("the clips \"a/b\" and \"a:b\" would both"), "{}", ran.err);
    }
}

#[test]
fn progress_is_plain_json_or_none() {
    let (folder, rig) = flag();
    let out = below(&folder, "out/");
    for kind in ["plain", "auto", "none"] {
        let said = expect(0, &[&rig, "-o", &out, "--clip", "wave", "--progress", kind]).err;
        assert_eq!(said.lines().count(), 1, "{kind}: {said}");
        assert!(said.starts_with("12 frames (40x40 png"), "{kind}: {said}");
        assert!(!said.contains('\u{1b}'), "no colours off a terminal");
    }
    // Every line, so no hint at other clips either.
    let said = expect(0, &[&rig, "-o", &out, "--progress", "json"]).err;
    let json: Vec<serde_json::Value> =
        said.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(json.len(), 13);
    let mut frames: Vec<u64> =
        json[..12].iter().map(|line| line["frame"].as_u64().expect("a frame")).collect();
    frames.sort_unstable();
    assert_eq!(frames, (0..12).collect::<Vec<_>>());
    assert!(
        json[..12]
            .iter()
            .all(|line| line["event"] == "frame" && line["total"] == 12 && line["clip"] == "wave")
    );
    assert_eq!((&json[12]["event"], &json[12]["frames"]), (&"done".into(), &12.into()));
}

#[test]
fn size_scale_and_background_are_obeyed() {
    let (folder, rig) = flag();
    let out = below(&folder, "one.png");
    let draw = |words: &[&str]| {
        let mut all = vec![rig.as_str(), "-o", out.as_str(), "--frames", "0"];
        all.extend(words);
        expect(0, &all);
        bone_render::Pixmap::load_png(&out).expect("a picture")
    };
    let corner = |p: &bone_render::Pixmap| p.pixel(0, 0).map(|p| (p.red(), p.green(), p.blue(), p.alpha()));
    let plain = draw(&[]);
    assert_eq!((plain.width(), plain.height(), corner(&plain)), (40, 40, Some((0, 0, 0, 0))));
    let large = draw(&["--scale", "2.5", "--background", "#102030"]);
    assert_eq!((large.width(), large.height(), corner(&large)), (100, 100, Some((16, 32, 48, 255))));
    let wide = draw(&["--size", "80x20"]);
    assert_eq!((wide.width(), wide.height()), (80, 20));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    use std::process::Stdio;
    let (folder, rig) = flag();
    let out = below(&folder, "out/");
    for words in [
        &["check", "--json", rig.as_str()][..],
        &["check", "nowhere.ron"],
        &[&rig, "-o", &out, "--progress", "json"],
        &["--help"],
    ] {
        let mut child =
            crate::command::command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it");
        drop((child.stdout.take(), child.stderr.take()));
        let status = child.wait().expect("its end");
        assert!(matches!(status.code(), Some(0 | 3 | 141)), "{words:?}: {status}");
    }
    assert_eq!(names(Path::new(&out)).len(), 12, "the frames are written all the same");
    assert!(run(&["--version"]).code == Some(0));
}

#[test]
fn mistakes_of_a_rig_are_worse_than_a_full_disk() {
    if !Path::new("/dev/full").exists() {
        crate::command::skip("mistakes_of_a_rig_are_worse_than_a_full_disk", "/dev/full", None);
        return;
    }
    let full = std::fs::File::options().write(true).open("/dev/full").expect("it");
    let child = crate::command::command(&["check", "nowhere.ron"]);
    let child = { child }.stdout(full).stderr(std::process::Stdio::piped()).spawn();
    assert_eq!(crate::command::finish(child.expect("it")).code, Some(3));
}

#[test]
fn long_lines_of_an_element_are_not_shown() {
    let (folder, rig) = flag();
    let drawing = below(&folder, "flag.svg");
    let text = std::fs::read_to_string(&drawing).expect("the drawing");
    let long = "l 1 2 ".repeat(2000);
    let element = format!(
        "<use\n  id=\"gone\"\n  href=\"#nothing\"\n  style=\"{}\"\n  class=\"{long}\"/></svg>",
        " ".repeat(90)
    );
    std::fs::write(&drawing, text.replace("</svg>", &element)).expect("the drawing");
    let ran = expect(0, &["check", &rig]);
    assert!(ran.err.contains("has no target"), "{}", ran.err);
    assert!(ran.err.contains("id=\"gone\""), "its beginning: {}", ran.err);
    assert!(ran.err.lines().all(|line| line.len() < 1000), "{}", ran.err);
}
