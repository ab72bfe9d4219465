//! Names of outputs, and files that are there already: the same rules for every command.

use crate::command::{below, command, expect, flag, names, repository, run};

#[test]
fn odd_names_are_refused_before_anything_is_written() {
    let (folder, rig) = flag();
    for (name, message) in [
        ("{clop}.png", "there is no placeholder {clop}: known are {clip} and {layer}"),
        ("{frame}.png", "write '####.png'"),
        (".gif", "an ending without a name: write walk.gif"),
        ("", "the name is empty"),
        ("x.", "ends in a dot"),
        ("a\nb.gif", "a control character, \\n"),
        ("{clip.png", "a brace without its partner"),
    ] {
        let child =
            command(&["render", &rig, "-o", name]).current_dir(folder.path()).output().expect("it runs");
        let said = String::from_utf8_lossy(&child.stderr);
        assert_eq!(child.status.code(), Some(2), "{name:?}: {said}");
        assert!(said.contains(message), "{name:?}: {said}");
        assert_eq!(names(folder.path()), ["flag.ron", "flag.svg"], "{name:?}");
    }
    // Other commands have no placeholders.
    let drawing = rig.replace(".ron", ".svg");
    for words in [
        vec!["sheet", rig.as_str(), "-o", "{clip}.png"],
        vec!["plot", &rig, "-o", ".svg"],
        vec!["onion", &rig, "-o", ""],
        vec!["init", &drawing, "-o", ".ron"],
        vec!["pack", &rig, "-o", "{clip}.bones"],
        vec!["convert", &rig, "-o", ".json"],
    ] {
        let child = command(&words).current_dir(folder.path()).output().expect("it runs");
        assert_eq!(child.status.code(), Some(2), "{words:?}: {child:?}");
        assert_eq!(names(folder.path()), ["flag.ron", "flag.svg"], "{words:?}");
    }
    // A folder that is not there is made, as always.
    expect(0, &["render", &rig, "-q", "-o", &below(&folder, "new/folder/{clip}_##.png")]);
    assert!(folder.path().join("new/folder/wave_00.png").exists());
}

/// The commands that write a file, and whether they replace one that is there.
fn writers(rig: &str, output: &str) -> Vec<(Vec<String>, bool)> {
    let drawing = rig.replace(".ron", ".svg");
    let words = |words: &[&str], file: &str| -> Vec<String> {
        let output = format!("{output}/{file}");
        words.iter().map(|word| (*word).to_owned()).chain(["-o".to_owned(), output]).collect()
    };
    vec![
        (words(&["init", &drawing], "new.ron"), false),
        (words(&["convert", rig], "new.json"), false),
        (words(&["pack", rig], "new.bones"), false),
        (words(&["render", rig, "-q"], "new.gif"), true),
        (words(&["sheet", rig], "sheet.png"), true),
        (words(&["onion", rig], "onion.png"), true),
        (words(&["plot", rig, "--bone", "pole"], "plot.svg"), true),
    ]
}

#[test]
fn existing_and_force_mean_the_same_everywhere() {
    let (folder, rig) = flag();
    let there = |words: &[String]| std::fs::read(&words[words.len() - 1]).expect("a file") == b"mine";
    for (words, replaces) in writers(&rig, &folder.path().display().to_string()) {
        let ran = |more: &[&str]| {
            std::fs::write(&words[words.len() - 1], "mine").expect("a file");
            let all: Vec<&str> = words.iter().map(String::as_str).chain(more.iter().copied()).collect();
            let ran = run(&all);
            (ran.code, !there(&words), ran.err)
        };
        let (code, replaced, said) = ran(&[]);
        assert_eq!((code, replaced), (Some(if replaces { 0 } else { 2 }), replaces), "{words:?}: {said}");
        let (code, replaced, said) = ran(&["--existing", "error"]);
        assert_eq!((code, replaced), (Some(2), false), "{words:?}: {said}");
        assert!(said.contains("exists already"), "{words:?}: {said}");
        for more in [&["--existing", "overwrite"][..], &["--force"]] {
            let (code, replaced, said) = ran(more);
            assert_eq!((code, replaced), (Some(0), true), "{words:?} {more:?}: {said}");
        }
        let (code, replaced, said) = ran(&["--existing", "skip"]);
        assert_eq!((code, replaced), (Some(2), false), "{words:?}: {said}");
        let (code, ..) = ran(&["--force", "--existing", "error"]);
        assert_eq!(code, Some(2), "{words:?}");
    }
}

/// A folder with the rig of the walk and a recording; the paths of both.
fn walk() -> (tempfile::TempDir, String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut paths =
        ["examples/walk/rig.ron", "tests/motion/pybvh_cmu_12_01_walk.bvh", "examples/walk/drawing.svg"]
            .map(|path| {
                let to = below(&folder, path.rsplit('/').next().expect("a name"));
                std::fs::copy(repository(path), &to).expect("a copy");
                to
            })
            .into_iter();
    let (rig, recording) = (paths.next().expect("a rig"), paths.next().expect("a recording"));
    (folder, rig, recording)
}

/// The same for what is made of recordings, and for their pictures. A link that leads nowhere is there, too.
#[test]
fn existing_means_the_same_for_recordings() {
    let (folder, rig, recording) = walk();
    let at = |name: &str| below(&folder, name);
    let short = ["--frames", "0-20", "--clip", "short"];
    for (words, output) in [
        (vec!["import", &recording, "-o"], at("new.ron")),
        (vec!["import", &recording, "--look"], at("look.png")),
        (vec!["import", &recording, "--rig", &rig, "-o"], at("other.ron")),
        (vec!["import", &recording, "--rig", &rig, "--look"], at("look.png")),
    ] {
        let words = [&words[..], &[output.as_str()], &short].concat();
        let mine = || std::fs::read(&output).expect("a file") == b"mine";
        std::fs::write(&output, "mine").expect("a file");
        for more in [&[][..], &["--existing", "error"]] {
            let said = expect(2, &[&words[..], more].concat()).err;
            assert!(
                mine() && said.contains("exists already") && said.contains("--force"),
                "{words:?}: {said}"
            );
        }
        expect(0, &[&words[..], &["--force", "-q"]].concat());
        assert!(!mine(), "{words:?}");
        #[cfg(unix)]
        {
            std::fs::remove_file(&output).expect("removed");
            std::os::unix::fs::symlink("nowhere", &output).expect("a link");
            assert!(expect(2, &words).err.contains("exists already"), "{words:?}");
            assert!(!folder.path().join("nowhere").exists());
            std::fs::remove_file(&output).expect("removed");
        }
    }
    // A rig gets a clip in its own file without a word, as it gets a shot; a clip of that name stays.
    let words = [&["import", &*recording, "--rig", &*rig, "-o", &*rig][..], &short].concat();
    expect(0, &words);
    let text = std::fs::read_to_string(&rig).expect("a rig");
    assert!(text.contains("\"short\": ("), "{text}");
    assert!(expect(2, &words).err.contains("a clip \"short\" already"));
    assert_eq!(std::fs::read_to_string(&rig).expect("a rig"), text);
}

/// A rig is a .ron or a .json file, whatever writes it.
#[test]
fn rigs_have_the_endings_of_rigs() {
    let (folder, rig, recording) = walk();
    let at = |name: &str| below(&folder, name);
    let drawing = at("drawing.svg");
    let before = crate::command::files(folder.path());
    for output in ["x.foo", "x", "x.svg", "x.bones", "x.ron.txt"].map(at) {
        for words in [
            &["init", &*drawing, "-o", &*output][..],
            &["init", &drawing, "-o", &output, "--force"],
            &["convert", &rig, "-o", &output],
            &["transitions", &rig, "walk", "walk", "-o", &output],
            &["import", &recording, "--rig", &rig, "-o", &output],
        ] {
            let said = expect(2, words).err;
            assert!(said.contains("neither a .ron nor a .json file"), "{words:?}: {said}");
            assert!(said.contains("help: write ") && said.contains(".ron\n"), "{words:?}: {said}");
        }
    }
    assert!(before == crate::command::files(folder.path()));
    // The text is what the ending says.
    expect(0, &["init", &drawing, "-o", &at("x.json")]);
    let text = std::fs::read_to_string(at("x.json")).expect("a rig");
    serde_json::from_str::<serde_json::Value>(&text).expect("JSON");
    assert_eq!(expect(0, &["check", &at("x.json")]).err, "");
    expect(0, &["init", &drawing, "-o", &at("X.RON")]);
    assert!(std::fs::read_to_string(at("X.RON")).expect("a rig").contains("//"));
}

/// What was read for an import stays, whatever the options say: recordings, maps, ways, parts of the rig, pictures.
#[test]
fn an_import_never_replaces_what_it_is_made_of() {
    let (folder, rig, recording) = walk();
    let at = |name: &str| below(&folder, name);
    let text = std::fs::read_to_string(&rig).expect("a rig");
    std::fs::write(&rig, text.replacen("Rig(", "Rig(\n    include: [\"part.ron\"],", 1)).expect("a rig");
    std::fs::write(at("part.ron"), "Part(version: 1)").expect("a part");
    std::fs::write(at("map.ron"), "()").expect("a map");
    std::fs::write(at("way.svg"), WAY).expect("a way");
    let svg = std::fs::read_to_string(at("drawing.svg")).expect("a drawing");
    expect(0, &[&rig, "-o", &at("pic.png"), "--frames", "0", "--scale", "0.1", "-q"]);
    let image = "<image href=\"pic.png\" width=\"4\" height=\"4\"/></svg>";
    std::fs::write(at("drawing.svg"), svg.replace("</svg>", image)).expect("a drawing");
    let before = crate::command::files(folder.path());
    let onto = ["import", &*recording, "--rig", &*rig, "--frames", "0-20", "--force"];
    for words in [
        &[&onto[..], &["-o", &at("part.ron")]].concat()[..],
        &[&onto[..], &["-o", &at("map.ron"), "--map", &at("map.ron")]].concat(),
        &[&onto[..], &["--look", &at("pic.png")]].concat(),
        &["import", &recording, "--along", &at("way.svg"), "-o", &at("way.ron"), "--force"],
        &["transitions", &rig, "walk", "walk", "-o", &at("part.ron"), "--force"],
    ] {
        let said = expect(2, words).err;
        assert!(said.contains("is a source of the"), "{words:?}: {said}");
        assert!(before == crate::command::files(folder.path()), "{words:?}");
    }
}

/// A path of one metre and more for a walk.
const WAY: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 400 200\">\
    <path d=\"M20 180H380\"/></svg>\n";

/// Ctrl-C ends every command with the same code, and leaves no half of a file.
#[test]
#[cfg(unix)]
fn ctrl_c_ends_every_command() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rig = crate::command::repository("examples/walk/rig.ron");
    let at = |name: &str| folder.path().join(name).display().to_string();
    for words in [
        vec![
            "render".to_owned(),
            rig.clone(),
            "-o".to_owned(),
            at("a.gif"),
            "--scale".to_owned(),
            "8".to_owned(),
        ],
        vec![
            "sheet".to_owned(),
            rig.clone(),
            "-o".to_owned(),
            at("a.png"),
            "--size".to_owned(),
            "4000x4000".to_owned(),
        ],
        vec!["live".to_owned(), rig.clone(), "--no-open".to_owned()],
        vec!["watch".to_owned(), rig.clone(), "-o".to_owned(), at("w/")],
    ] {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let child = command(&words)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("the program");
        std::thread::sleep(std::time::Duration::from_millis(700));
        let id = child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &id]).status().expect("kill").success());
        let ran = child.wait_with_output().expect("its end");
        assert_eq!(ran.status.code(), Some(130), "{words:?}: {ran:?}");
        let left =
            std::fs::read_dir(folder.path()).expect("the folder").flatten().filter(|it| it.path().is_file());
        assert_eq!(left.count(), 0, "{words:?}: no half of a file");
    }
}
