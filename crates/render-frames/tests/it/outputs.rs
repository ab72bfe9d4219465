//! Names of outputs, and files that are there already: the same rules for every command.

use crate::command::{below, command, expect, flag, names, run};

#[test]
fn odd_names_are_refused_before_anything_is_written() {
    let (folder, rig) = flag();
    for (name, message) in [
        ("{clop}.png", "there is no placeholder {clop}: known is {clip}"),
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
