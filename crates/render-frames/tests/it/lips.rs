//! Lip sync of other programs and of recordings becomes keys of a group of mouths. Tests that need espeak-ng and ffmpeg are
//! skipped where there are none, unless `REQUIRE_JUDGES` is set.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::command::{Ran, command, finish, skip};
use crate::videos::has_ffmpeg;

const ART: &str = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 40 40'><g id='mouths'>\
    <path id='mouth_A' d='M10 20H30V21H10Z' fill='#111'/><path id='mouth_B' d='M10 18H30V22H10Z' fill='#222'/>\
    <path id='mouth_C' d='M10 16H30V24H10Z' fill='#333'/><path id='mouth_D' d='M10 12H30V28H10Z' fill='#444'/>\
    <path id='mouth_E' d='M14 14H26V26H14Z' fill='#555'/><path id='oo' d='M17 17H23V23H17Z' fill='#666'/></g></svg>";

const RIG: &str = "Rig(version: 1, drawing: \"face.svg\", bones: {\"head\": (from: (20, 38), to: (20, 2))}, skin: [Rigid(art: \"mouths\", \
    bone: \"head\")], clips: {\n    // She nods.\n    \"nod\": (length: 2, bones: {\"head\": (rotate: [(0, 0), (1, 9)])}),\n})\n";

/// Speaks "mow, my": closings shorter than a frame among them.
const LINE: &str = "0.00\tX\n0.10\tA\n0.12\tE\n0.40\tF\n0.70\tA\n0.74\tD\n1.00\tB\n1.20\tG\n1.30\tX\n";

fn import(files: &[(&str, &str)], words: &[&str]) -> (Ran, tempfile::TempDir) {
    import_of("line.tsv", files, words, None)
}

/// With another folder of programs in place of the usual ones.
fn import_of(
    line: &str,
    files: &[(&str, &str)],
    words: &[&str],
    programs: Option<&Path>,
) -> (Ran, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("face.svg", ART), ("face.ron", RIG)].iter().chain(files) {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut command = command(&["import", line, "--rig", "face.ron", "-o", "out.ron", "--mouth", "mouths"]);
    command.args(words).current_dir(folder.path());
    if let Some(programs) = programs {
        command.env("PATH", programs);
    }
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    (finish(command.spawn().unwrap()), folder)
}

#[test]
fn a_line_becomes_a_clip_of_its_mouths() {
    let (ran, folder) = import(&[("line.tsv", LINE)], &["--mouths", "F=oo"]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(ran.err.contains("\"mouths\" has no mouth G: A is seen in its place"), "{}", ran.err);
    let text = fs::read_to_string(folder.path().join("out.ron")).unwrap();
    assert!(text.contains("// She nods.") && text.contains("// Mouths of line.tsv."), "{text}");
    // The closing of 20 ms has two frames; G and X are A here, one after the other.
    let drawn = |frame: &str| {
        let mut command = command(&[
            "render", "out.ron", "--clip", "line", "--frames", frame, "--format", "svg", "-o", "-",
        ]);
        let ran =
            finish(command.current_dir(folder.path()).stdout(std::process::Stdio::piped()).spawn().unwrap());
        let fills = ["#111", "#222", "#333", "#444", "#555", "#666"];
        let seen: Vec<&str> = fills.into_iter().filter(|fill| ran.out.contains(fill)).collect();
        seen.join(" ")
    };
    let want = [
        ("0", "#111"),
        ("2", "#111"),
        ("3", "#111"),
        ("4", "#555"),
        ("12", "#666"),
        ("17", "#111"),
        ("20", "#444"),
        ("26", "#222"),
        ("30", "#111"),
    ];
    for (frame, fill) in want {
        assert_eq!(drawn(frame), fill, "frame {frame}: {text}");
    }
}

#[test]
fn a_clip_that_is_there_gets_mouths_beside_its_keys() {
    let (ran, folder) = import(&[("line.tsv", LINE)], &["--mouths", "F=oo", "--clip", "nod", "--at", "0.5"]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    let (ran, _) = import(&[("line.tsv", LINE)], &["--mouths", "F=oo", "--clip", "nod", "--at", "1.5"]);
    assert!(ran.err.contains("the line ends at 2.83 s, and \"nod\" at 2.00 s"), "{ran:#?}");
    let text = fs::read_to_string(folder.path().join("out.ron")).unwrap();
    assert!(
        text.contains("\"head\": (rotate: [(0, 0), (1, 9)])")
            && text.contains("(0, \"mouth_A\"), (0.6666, \"mouth_E\"), (0.9166, \"oo\")"),
        "{text}"
    );
}

#[test]
fn what_does_not_fit_has_a_message() {
    let cases: [(&str, &[&str], &str); 6] = [
        (LINE, &[], "\"mouths\" has no mouth F (U or WQ): it has \"mouth_A\""),
        (LINE, &["--mouths", "F=nose"], "there is no \"nose\" in \"mouths\""),
        (LINE, &["--mouths", "Q=oo"], "mouths are A to H and X"),
        (LINE, &["--mouth", "lips"], "the argument '--mouth <GROUP>' cannot be used multiple times"),
        ("0.1\tA\n0.2\tQ\n", &["--mouths", "F=oo"], "line.tsv:2:5"),
        ("", &["--mouths", "F=oo"], "there are no mouths in it"),
    ];
    for (line, words, message) in cases {
        let (ran, folder) = import(&[("line.tsv", line)], words);
        assert!(matches!(ran.code, Some(1..=3)) && ran.err.contains(message), "{words:?}: {ran:#?}");
        assert!(!folder.path().join("out.ron").exists());
    }
}

/// A folder with what espeak-ng says with a voice, as `line.wav`; none where it is missing.
fn spoken(test: &str, words: &[&str]) -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("espeak-ng");
    let said = command.args(["-w", "line.wav"]).args(words).current_dir(folder.path()).status();
    if said.is_err() {
        skip(test, "espeak-ng: apt-get install espeak-ng", Some("REQUIRE_JUDGES"));
        return None;
    }
    has_ffmpeg(test).then_some(folder)
}

/// The keys of mouths in a text, and the times at which they close.
fn mouths(text: &str) -> (usize, Vec<f64>) {
    let keys = text.split('(').filter_map(|key| key.split_once(", \"mouth_"));
    let keys: Vec<(f64, &str)> =
        keys.filter_map(|(time, name)| Some((time.parse().ok()?, name.get(..1)?))).collect();
    (keys.len(), keys.iter().filter(|key| key.1 == "A").map(|key| key.0).collect())
}

#[test]
fn a_recording_whose_text_is_known_speaks() {
    let test = "a_recording_whose_text_is_known_speaks";
    // Lips close where the sound has its gaps: half a second of silence before each of two words.
    let Some(folder) =
        spoken(test, &["-v", "en-gb", "-s", "140", "-p", "30", "-g", "50", "Tea map, see boat."])
    else {
        return;
    };
    let line = folder.path().join("line.wav");
    let import = |words: &[&str]| import_of(&line.display().to_string(), &[], words, None);
    let plain = ["--mouths", "F=oo", "--text", "Tea map, see boat."];
    let (ran, out) = import(&plain);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(
        ran.err.contains("is not in the folder of the rig: copy it there, and name it in `sounds`"),
        "{}",
        ran.err
    );
    let text = fs::read_to_string(out.path().join("out.ron")).unwrap();
    assert!(!text.contains("sounds") && text.contains("// Mouths of line.wav."), "{text}");
    let (count, mut closed) = mouths(&text);
    // X is seen as A: a pause at either end and between the words, and m, p and b.
    closed.dedup();
    assert!((8..=16).contains(&count) && (3..=7).contains(&closed.len()), "{count} {closed:?}: {text}");
    // A sound beside the rig is heard, once, where the line was put last.
    for name in ["face.svg", "face.ron"] {
        fs::copy(out.path().join(name), folder.path().join(name)).unwrap();
    }
    for at in ["0.5", "0.75"] {
        let mut command = command(&[
            "import", "line.wav", "--rig", "face.ron", "-o", "face.ron", "--mouth", "mouths", "--at", at,
        ]);
        command.args(plain).args(["--force"]).current_dir(folder.path());
        let ran = finish(command.stderr(std::process::Stdio::piped()).spawn().unwrap());
        assert_eq!(ran.code, Some(0), "{ran:#?}");
    }
    let text = fs::read_to_string(folder.path().join("face.ron")).unwrap();
    assert_eq!(text.matches("(file: \"line.wav\", at: 0.75)").count(), 1, "{text}");
    // Other languages; a line of another text is too long for it; and what is no text.
    for (words, code, message) in [
        (&["--text", "Bonjour", "--language", "fr"][..], 0, ""),
        (&["--text", "Bonjour", "--language", "tlh"], 2, "espeak-ng does not speak \"tlh\""),
        (&["--text", &"a long way home ".repeat(20)], 3, "is it another line?"),
        (&["--text", "..."], 3, "there is nothing to speak in the text"),
        (&["--text", "@none.txt"], 1, "the text none.txt cannot be read"),
        (&["--text", &"a".repeat(9000)], 2, "more than 8000 bytes"),
    ] {
        let (ran, _) = import(&[&["--mouths", "F=oo"], words].concat());
        assert!(ran.code == Some(code) && ran.err.contains(message), "{words:?}: {ran:#?}");
    }
    // What is missing, no file, no sound, too long, and silent.
    for (path, code, message) in
        [("none.wav", 1, "cannot be used as sound"), ("folder.wav", 2, "folder.wav is no file")]
    {
        let path = folder.path().join(path);
        if code == 2 {
            fs::create_dir(&path).unwrap();
        }
        let (ran, _) = import_of(&path.display().to_string(), &[], &plain, None);
        assert!(ran.code == Some(code) && ran.err.contains(message), "{ran:#?}");
    }
    fs::write(&line, "no sound").unwrap();
    let ran = import(&plain).0;
    assert!(ran.code == Some(1) && ran.err.contains("line.wav cannot be used as sound"), "{ran:#?}");
    let mut silence =
        b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data\0\xfa\0\0"
            .to_vec();
    silence.resize(silence.len() + 64_000, 0);
    fs::write(&line, &silence).unwrap();
    let mut join = Command::new("ffmpeg");
    join.args(["-v", "error", "-y", "-stream_loop", "70", "-i", "line.wav", "long.flac"]);
    assert!(join.current_dir(folder.path()).status().is_ok_and(|status| status.success()));
    let long = folder.path().join("long.flac").display().to_string();
    let (ran, _) = import_of(&long, &[], &plain, None);
    assert!(
        ran.code == Some(3) && ran.err.contains("it is longer than 120 s: import its lines one by one"),
        "{ran:#?}"
    );
    let ran = import(&plain).0;
    assert!(ran.code == Some(3) && ran.err.contains("nothing is heard in it"), "{ran:#?}");
}

/// A group without an id has an address.
#[test]
fn mouths_are_in_any_group() {
    let folder = tempfile::tempdir().unwrap();
    let art = ART.replace("<g id='mouths'>", "<g>");
    for (name, text) in
        [("face.svg", &*art), ("face.ron", &RIG.replace("\"mouths\"", "\"#1\"")), ("line.tsv", LINE)]
    {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let words =
        ["import", "line.tsv", "--rig", "face.ron", "-o", "out.ron", "--mouth", "#1", "--mouths", "F=oo"];
    let mut command = command(&words);
    let ran =
        finish(command.current_dir(folder.path()).stderr(std::process::Stdio::piped()).spawn().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    let text = fs::read_to_string(folder.path().join("out.ron")).unwrap();
    assert!(text.contains("\"#1\": (") && mouths(&text).0 > 4, "{text}");
}

#[cfg(unix)]
#[test]
fn rhubarb_finds_mouths_without_a_text() {
    use std::os::unix::fs::PermissionsExt as _;

    let programs = tempfile::tempdir().unwrap();
    let import = |line| import_of(line, &[("line.ogg", "")], &["--mouths", "F=oo"], Some(programs.path()));
    let (ran, _) = import("line.ogg");
    assert!(ran.code == Some(2) && ran.err.contains("needs its text: --text \"What is said\""), "{ran:#?}");
    // The words that its manual names.
    let script = |prints: &str, code: i32| {
        let path = programs.path().join("rhubarb");
        let test = "[ \"$1 $2 $3\" = '--quiet -f tsv' ] && [ -f \"$4\" ] || exit 9";
        fs::write(
            &path,
            format!("#!/bin/sh\n{test}\nprintf '{prints}'\necho 'it is hoarse' >&2\nexit {code}\n"),
        )
        .unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    script(&LINE.replace('\t', "\\t").replace('\n', "\\n"), 0);
    let (ran, folder) = import("line.ogg");
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    let text = fs::read_to_string(folder.path().join("out.ron")).unwrap();
    assert!(text.contains("(file: \"line.ogg\", at: 0)") && mouths(&text).0 > 5, "{text}");
    script("", 1);
    assert!(import("line.ogg").0.err.contains("rhubarb finds no mouths in line.ogg: it is hoarse"));
    script("nonsense", 0);
    assert!(import("line.ogg").0.err.contains("what rhubarb prints is no lip sync"));
}

#[test]
fn sounds_need_a_group_and_texts_a_sound() {
    let ran = crate::command::expect(2, &["import", "line.wav", "-o", "x.ron"]);
    assert!(ran.err.contains("line.wav is a sound: --rig RIG --mouth GROUP --text"), "{ran:#?}");
    let ran = crate::command::expect(
        2,
        &["import", "line.tsv", "--rig", "face.ron", "--mouth", "m", "-o", "none/x.ron"],
    );
    assert!(ran.err.contains("cannot be written: there is no folder \"none\""), "{ran:#?}");
    let (ran, _) = import(&[("line.tsv", LINE)], &["--mouths", "F=oo", "--text", "Hello"]);
    assert!(ran.code == Some(2) && ran.err.contains("--text is for sounds"), "{ran:#?}");
}
