//! `import`: new rigs render at once, clips are added to rigs without other changes, and mistakes have
//! places.

use crate::command::{below, expect, flag, repository, whole_frames};

fn recording(name: &str) -> String {
    repository(&format!("tests/motion/{name}.bvh"))
}

#[test]
fn a_recording_becomes_a_rig_that_renders() {
    let folder = tempfile::tempdir().expect("a folder");
    let captures = ["pybvh_cmu_12_01_walk", "bvhpy_test_freebvh", "pybvh_rotation_first_root"];
    for (name, view) in captures.into_iter().zip(["side", "front", "-30"]) {
        let rig = below(&folder, &format!("{name}.ron"));
        let said = expect(0, &["import", &recording(name), "-o", &rig, "--view", view]);
        assert_eq!(said.out, "");
        assert!(said.err.contains("keys a second and channel"), "{}", said.err);
        let checked = expect(0, &["check", &rig]);
        assert!(checked.out.contains("no mistakes") && checked.err.is_empty(), "{checked:?}");
        let out = below(&folder, &format!("{name}/"));
        expect(0, &[&rig, "-o", &out, "-q", "--scale", "0.3", "--fps", "3"]);
        assert!(whole_frames(out.as_ref()).0 >= 1);

        // Comments: the origin, the next steps, and no long numbers.
        let text = std::fs::read_to_string(&rig).expect("a rig");
        for word in [&format!("Made from {name}.bvh"), &format!("--view {view}"), "Next steps", "plot"] {
            assert!(text.contains(word), "{word}");
        }
        let digits = |word: &str| word.rsplit_once('.').map_or(0, |(_, after)| after.len());
        let numbers = text
            .lines()
            .filter(|line| !line.contains("//"))
            .flat_map(|line| line.split([' ', ',', '(', ')']));
        assert!(numbers.filter(|word| word.parse::<f64>().is_ok()).all(|word| digits(word) <= 3));
        let again = expect(2, &["import", &recording(name), "-o", &rig]);
        assert!(again.err.contains("--force"), "{}", again.err);
        expect(0, &["import", &recording(name), "-o", &rig, "--existing", "overwrite", "-q"]);
    }
}

#[test]
fn a_clip_goes_into_a_rig_and_nothing_else_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    for file in ["rig.ron", "drawing.svg"] {
        std::fs::copy(repository(&format!("examples/walk/{file}")), folder.path().join(file))
            .expect("copied");
    }
    let rig = below(&folder, "rig.ron");
    let old = std::fs::read_to_string(&rig).expect("a rig");
    let walk = recording("pybvh_cmu_12_01_walk");
    let words = ["import", &*walk, "--rig", &*rig, "--clip", "recorded", "--loop", "--on-the-spot"];
    let with = |more: &[&str]| {
        words.iter().copied().chain(more.iter().copied()).map(str::to_owned).collect::<Vec<_>>()
    };
    let run = |code: i32, more: &[&str]| {
        let words = with(more);
        expect(code, &words.iter().map(String::as_str).collect::<Vec<_>>())
    };

    let other = below(&folder, "other.ron");
    run(0, &["-o", &other]);
    let new = std::fs::read_to_string(&other).expect("a rig");
    let at =
        old.char_indices().zip(new.chars()).find(|((_, a), b)| a != b).map_or(old.len(), |((at, _), _)| at);
    assert!(new.ends_with(&old[at..]), "what is new stands in one place");
    assert!(new.contains("\"recorded\": (") && new.contains("// Made from pybvh_cmu_12_01_walk.bvh"));
    assert!(expect(0, &["check", &other]).err.is_empty());

    // A clip with that name exists now.
    let words = ["import", &walk, "--rig", &other, "--clip", "recorded", "-o", &below(&folder, "third.ron")];
    assert!(expect(2, &words).err.contains("--clip"));
    // In place, where only a clip of that name is in the way.
    run(0, &["-o", &rig]);
    assert_eq!(std::fs::read_to_string(&rig).expect("a rig"), new);

    // From another folder the drawing is still found.
    let deep = folder.path().join("deep");
    std::fs::create_dir(&deep).expect("a folder");
    let deep = deep.join("rig.ron").display().to_string();
    std::fs::write(&rig, &old).expect("written");
    run(0, &["-o", &deep]);
    assert!(std::fs::read_to_string(&deep).expect("a rig").contains("drawing: \"../drawing.svg\""));
    assert!(expect(0, &["check", &deep]).err.is_empty());
}

#[test]
fn bones_that_have_other_names_are_mapped() {
    let folder = tempfile::tempdir().expect("a folder");
    let old = std::fs::read_to_string(repository("examples/walk/rig.ron")).expect("a rig");
    let rig = below(&folder, "rig.ron");
    std::fs::write(&rig, old.replace("\"thigh_r\"", "\"Bein\"").replace("\"shin_r\"", "\"Wade\""))
        .expect("written");
    std::fs::copy(repository("examples/walk/drawing.svg"), folder.path().join("drawing.svg"))
        .expect("copied");
    let out = below(&folder, "out.ron");
    let walk = recording("pybvh_cmu_12_01_walk");
    let words = ["import", &*walk, "--rig", &*rig, "-o", &*out];
    let said = expect(3, &words);
    assert!(said.err.contains("known as its thigh_r, shin_r") && said.err.contains("--map"), "{}", said.err);

    let map = below(&folder, "map.ron");
    let with = |text: &str, code: i32| {
        std::fs::write(&map, text).expect("written");
        expect(code, &[&words[..], &["--map", &map]].concat())
    };
    let said = with("(bones: {\"thigh_r\": \"Bien\", \"knee\": \"Wade\"}, joints: {\"hip\": \"Hisp\"})", 3);
    for word in [
        "no bone \"Bien\"",
        "did you mean \"Bein\"",
        "\"knee\" is not a part",
        "no joint \"Hisp\"",
        "map.ron:1:",
    ] {
        assert!(said.err.contains(word), "{word}: {}", said.err);
    }
    with("(bones: {\"thigh_r\": \"Bein\", \"shin_r\": \"Wade\"})", 0);
    assert!(expect(0, &["check", &out]).err.is_empty());
}

#[test]
fn what_cannot_be_imported_is_told_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = below(&folder, "out.ron");
    let bad = |name: &str| repository(&format!("tests/motion/bad/{name}.bvh"));
    for (name, words) in [
        ("nan", &["nan.bvh:20:14", "\"nan\"", "help"][..]),
        ("two-roots", &["two-roots.bvh:16:1", "a second ROOT"]),
        ("ten-million-frames", &[":17:9", "10000000 frames are announced, and 3 are there"]),
        ("binary", &["the file is not text"]),
        ("truncated-row", &[":21:10", "cut off"]),
    ] {
        let said = expect(3, &["import", &bad(name), "-o", &out]);
        for word in words {
            assert!(said.err.contains(word), "{name}: {word}: {}", said.err);
        }
        assert!(crate::command::names(folder.path()).is_empty(), "nothing is left behind");
    }
    let deep =
        format!("HIERARCHY\nROOT a\n{{\nOFFSET 0 0 0\n{}", "JOINT b\n{\nOFFSET 0 1 0\n".repeat(100_000));
    let file = below(&folder, "deep.bvh");
    std::fs::write(&file, deep).expect("written");
    assert!(expect(3, &["import", &file, "-o", &out]).err.contains("more than 4096 joints"));
    assert!(
        expect(3, &["import", &below(&folder, "nothing.bvh"), "-o", &out]).err.contains("cannot be read")
    );
    let (_flag, rig) = flag();
    let walk = recording("pybvh_cmu_12_01_walk");
    assert!(
        expect(3, &["import", &walk, "--rig", &rig, "-o", &out]).err.contains("no bone that is known as")
    );
    assert!(expect(2, &["import", &walk, "-o", &out, "--frames", "900-990"]).err.contains("0 to 522"));
    assert!(expect(2, &["import", &walk, "-o", "out.svg"]).err.contains(".ron"));
    assert!(
        expect(3, &["import", &recording("pybvh_rotation_first_root"), "-o", &out, "--loop"])
            .err
            .contains("no cycle")
    );
}

#[test]
fn two_clips_meet_in_a_shot() {
    let folder = tempfile::tempdir().expect("a folder");
    for file in ["rig.ron", "drawing.svg"] {
        std::fs::copy(repository(&format!("examples/walk/{file}")), folder.path().join(file))
            .expect("copied");
    }
    let rig = below(&folder, "rig.ron");
    for (name, clip) in [("pybvh_cmu_12_01_walk", "slow"), ("dme_example", "fast")] {
        let words = ["--loop", "--on-the-spot", "--existing", "overwrite", "-q"];
        expect(
            0,
            &[&["import", &recording(name), "--rig", &rig, "-o", &rig, "--clip", clip][..], &words].concat(),
        );
    }
    let printed = expect(0, &["transitions", &rig, "slow", "fast"]);
    assert!(
        printed.out.contains("\"slow_to_fast\": (") && printed.out.contains("(clip: \"slow\", length: "),
        "{}",
        printed.out
    );
    let old = std::fs::read_to_string(&rig).expect("a rig");
    expect(0, &["transitions", &rig, "slow", "fast", "--fade", "0.2", "-o", &rig]);
    let new = std::fs::read_to_string(&rig).expect("a rig");
    assert!(new.len() > old.len() && new.contains("shots: {"));
    expect(0, &["transitions", &rig, "fast", "slow", "-o", &rig]);
    assert!(expect(0, &["check", &rig]).err.is_empty());
    assert!(expect(2, &["transitions", &rig, "fast", "slow"]).err.contains("--shot"));
    replaces_only_when_asked(&folder, &rig);
    assert!(expect(2, &["transitions", &rig, "fast", "slwo"]).err.contains("did you mean \"slow\""));
}

/// A shot and another file that are there stay to the byte without `--force`, and so does the rig with it.
fn replaces_only_when_asked(folder: &tempfile::TempDir, rig: &str) {
    let read = |path: &str| std::fs::read_to_string(path).expect("a file");
    let (old, other) = (read(rig), below(folder, "other.ron"));
    std::fs::write(&other, "// mine\n").expect("written");
    let to = |output: &str, more: &[&str], code: i32| {
        let words = ["transitions", rig, "slow", "fast", "--fade", "0.4", "-o", output];
        expect(code, &[&words[..], more].concat()).err
    };
    let new = ["--shot", "new"];
    for refused in
        [to(rig, &[], 2), to(&other, &new, 2), to(&other, &[&new[..], &["--existing", "error"]].concat(), 2)]
    {
        assert!(refused.contains("already") && refused.contains("--force"), "{refused}");
    }
    assert_eq!((read(rig), read(&other)), (old.clone(), "// mine\n".to_owned()));

    to(&other, &[&new[..], &["--force"]].concat(), 0);
    assert!(read(&other).contains("\"new\": (") && !read(&other).contains("mine"));
    assert_eq!(read(rig), old, "the copy leaves the rig alone");
    assert!(expect(0, &["check", &other]).err.is_empty());

    to(rig, &["--existing", "overwrite"], 0);
    let changed = read(rig);
    assert!(changed != old && changed.matches("\"slow_to_fast\": (").count() == 1, "{changed}");
    assert!(expect(0, &["check", rig]).err.is_empty());

    // No shot has the name of a clip, whatever is asked for.
    assert!(to(rig, &["--shot", "slow", "--force"], 2).contains("a clip \"slow\""));
    assert_eq!(read(rig), changed);

    // A link that leads nowhere is somebody's, too.
    #[cfg(unix)]
    {
        let link = below(folder, "link.ron");
        std::os::unix::fs::symlink("nowhere.ron", &link).expect("a link");
        assert!(to(&link, &new, 2).contains("--force"));
        assert!(std::fs::read_link(&link).is_ok());
    }
}

/// Missing and wrong files: the message has the file, the place and a suggestion.
#[test]
fn every_wrong_file_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let (walk, out) = (recording("pybvh_cmu_12_01_walk"), below(&folder, "out.ron"));
    let (_flag, rig) = flag();
    let walker = repository("examples/walk/rig.ron");
    let put = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("written");
        below(&folder, name)
    };
    let empty = put("empty.bvh", "");
    let svg =
        |inner: &str| format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\">{inner}</svg>");
    let way = put("way.svg", &svg("<path d=\"M0 8H9\"/>"));
    let blank = put("blank.svg", &svg(""));
    let map = put("map.ron", "(bones: {\"tigh_l\": \"thigh_l\", \"shin_l\": \"shinl\"}, joint: {})");
    let nothing = put("nothing.ron", "\n");
    let (no_way, no_map) = (below(&folder, "wya.svg"), below(&folder, "mpa.ron"));
    let onto = ["import", &walk, "-o", &out, "--rig"];
    let along = ["import", &walk, "-o", &out, "--along"];
    let fails = |code: i32, words: &[&str], more: &[&str], expected: &[&str]| {
        let ran = expect(code, &[words, more].concat());
        for part in expected {
            assert!(ran.err.contains(part), "{part} is not in\n{}", ran.err);
        }
        assert!(!ran.err.contains("os error"), "{}", ran.err);
    };
    fails(3, &["import", &empty, "-o", &out], &[], &["empty.bvh:1:1", "the file is empty", "HIERARCHY"]);
    fails(
        3,
        &along,
        &[&no_way],
        &["the path", "wya.svg", "there is no such file", "did you mean \"way.svg\"?"],
    );
    fails(3, &along, &[&blank], &["blank.svg: there is no path", "draw a line", "blank.svg: 1 error"]);
    fails(3, &along, &[folder.path().to_str().expect("a name")], &["it is a folder"]);
    fails(
        3,
        &["import", &below(&folder, "captures"), "-o", &out, "--along", &way],
        &[],
        &["captures", "no such file"],
    );
    fails(3, &onto, &[&walker, "--map", &no_map], &["the map", "mpa.ron", "did you mean \"map.ron\"?"]);
    fails(
        3,
        &onto,
        &[&walker, "--map", &map],
        &[
            "map.ron:1:10",
            "\"tigh_l\" is not a part of a body",
            "did you mean \"thigh_l\"?",
            "did you mean \"shin_l\"?",
            "a map has no field `joint`",
            "did you mean \"joints\"?",
            "map.ron: 3 errors",
        ],
    );
    fails(3, &onto, &[&walker, "--map", &nothing], &["this map is empty", "a map is written like"]);
    fails(
        3,
        &onto,
        &[&rig],
        &["this rig has no bone that is known as its hip, thigh_l", "its bones are", "--map"],
    );
    fails(1, &["import", &walk, "-o", &below(&folder, "no/out.ron")], &[], &["there is no folder"]);
    assert!(!std::path::Path::new(&out).exists());
}
