//! Lip sync of other programs becomes keys of a group of mouths.

use std::fs;

use crate::command::{Ran, command, finish};

const ART: &str = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 40 40'><g id='mouths'>\
    <path id='mouth_A' d='M10 20H30V21H10Z' fill='#111'/><path id='mouth_B' d='M10 18H30V22H10Z' fill='#222'/>\
    <path id='mouth_C' d='M10 16H30V24H10Z' fill='#333'/><path id='mouth_D' d='M10 12H30V28H10Z' fill='#444'/>\
    <path id='mouth_E' d='M14 14H26V26H14Z' fill='#555'/><path id='oo' d='M17 17H23V23H17Z' fill='#666'/></g></svg>";

const RIG: &str = "Rig(version: 1, drawing: \"face.svg\", bones: {\"head\": (from: (20, 38), to: (20, 2))}, skin: [Rigid(art: \"mouths\", \
    bone: \"head\")], clips: {\n    // She nods.\n    \"nod\": (length: 2, bones: {\"head\": (rotate: [(0, 0), (1, 9)])}),\n})\n";

/// Speaks "mow, my": closings shorter than a frame among them.
const LINE: &str = "0.00\tX\n0.10\tA\n0.12\tE\n0.40\tF\n0.70\tA\n0.74\tD\n1.00\tB\n1.20\tG\n1.30\tX\n";

fn import(files: &[(&str, &str)], words: &[&str]) -> (Ran, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("face.svg", ART), ("face.ron", RIG)].iter().chain(files) {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut command =
        command(&["import", "line.tsv", "--rig", "face.ron", "-o", "out.ron", "--mouth", "mouths"]);
    command.args(words).current_dir(folder.path());
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
    let text = fs::read_to_string(folder.path().join("out.ron")).unwrap();
    assert!(
        text.contains("\"head\": (rotate: [(0, 0), (1, 9)])")
            && text.contains("(0.5, \"mouth_A\"), (0.6666, \"mouth_E\"), (0.9166, \"oo\")"),
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
