//! Frames of a state machine: those of its clips at the times at which its inputs say so, alone as in order.

use std::path::Path;

use crate::command::{below, expect, files};

const SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='60' height='40'><rect id='box' x='20' y='20' width='14' height='9' fill='#26a'/></svg>";

const RIG: &str = r#"Rig(version: 1, drawing: "a.svg", fps: 20, bones: {"box": (from: (20, 20), length: 10)}, skin: [Rigid(art: "box", bone: "box")],
    clips: {
        "sway": (length: 1, loop: true, bones: {"box": (rotate: [(0, 0), (0.5, 25), (1, 0)])}),
        "jump": (length: 0.6, bones: {"box": (move: [(0, (0, 0)), (0.3, (9, -14)), (0.6, (0, 0))])}),
    },
    machines: {"hero": (inputs: {"fast": false, "go": Trigger, "speed": 1},
        states: {"sways": (clip: "sway"), "jumps": (clip: "jump")},
        transitions: [(from: "sways", to: "jumps", fired: ["go"]), (from: "jumps", to: "sways", ended: true)])})"#;

fn rig() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("a.svg"), SVG).expect("a file");
    std::fs::write(folder.path().join("a.ron"), RIG).expect("a file");
    let rig = below(&folder, "a.ron");
    (folder, rig)
}

fn frames(folder: &Path) -> Vec<Vec<u8>> {
    files(folder).into_iter().filter(|(name, _)| name.ends_with(".png")).map(|(_, bytes)| bytes).collect()
}

#[test]
fn frames_of_a_machine_are_those_of_its_clips() {
    let (folder, rig) = rig();
    let inputs = below(&folder, "in.json");
    // The trigger is set between two frames, and the jump ends at 0.92 s, between two others.
    std::fs::write(&inputs, "[[0.32, \"go\", true],\n [0.1, \"speed\", 2.5]]").expect("a file");
    let out = |name: &str| below(&folder, &format!("{name}/"));
    let played = |name: &str, frames: &str, jobs: &str| {
        let words = [
            "--machine",
            "hero",
            "--inputs",
            &inputs,
            "--frames",
            frames,
            "-j",
            jobs,
            "-q",
            "-o",
            &out(name),
        ];
        expect(0, &[&[rig.as_str()][..], &words[..]].concat());
    };
    played("all", "0-27", "2");
    let all = frames(Path::new(&out("all")));
    assert_eq!(all.len(), 28);
    // At a hundredth of a second, the frames of the clips at the time since they began.
    for clip in ["sway", "jump"] {
        expect(0, &[&rig, "--clip", clip, "--fps", "100", "--frames", "0-59", "-q", "-o", &out(clip)]);
    }
    let (sway, jump) = (frames(Path::new(&out("sway"))), frames(Path::new(&out("jump"))));
    for (frame, picture) in all.iter().enumerate() {
        let hundredths = 5 * frame;
        let wanted = match hundredths {
            0..32 => &sway[hundredths],
            32..92 => &jump[hundredths - 32],
            _ => &sway[hundredths - 92],
        };
        assert!(picture == wanted, "frame {frame}");
    }
    // Alone, and drawn by one thread.
    played("one", "17", "1");
    assert!(frames(Path::new(&out("one")))[0] == all[17]);
    expect(0, &[&rig, "--machine", "hero", "--frames", "0-9", "-q", "-o", &below(&folder, "a.gif")]);
}

#[test]
fn what_does_not_fit_a_machine_is_reported() {
    let (folder, rig) = rig();
    let inputs = below(&folder, "in.json");
    let out = below(&folder, "out/");
    let refused = |words: &[&str], message: &str| {
        let ran = expect(2, &[&[rig.as_str()][..], words, &["-o", &out]].concat());
        assert!(ran.err.contains(message), "{words:?}: {}", ran.err);
        assert!(!Path::new(&out).exists());
    };
    refused(&["--machine", "hero"], "--frames");
    refused(
        &["--machine", "hera", "--frames", "0-3"],
        "no state machine called \"hera\"; did you mean \"hero\"?",
    );
    refused(&["--machine", "hero", "--clip", "jump", "--frames", "0-3"], "--clip");
    refused(&["--inputs", &inputs], "--machine");
    refused(&["--machine", "hero", "--frames", "0-3", "--fit"], "--fit");
    refused(&["--machine", "hero", "--frames", "0-3", "--inputs", &inputs], "in.json cannot be read");
    refused(&["--machine", "hero", "--frames", "900000"], "frame 900000 of a state machine is too far");
    if Path::new("/dev/zero").exists() {
        let endless = ["--machine", "hero", "--frames", "0-3", "--inputs", "/dev/zero"];
        refused(&endless, "/dev/zero cannot be read: it is a pipe or a device");
    }
    for (text, message) in [
        ("", "in.json:1:0: EOF"),
        (
            "[[0, \"go\", true],\n  [1, \"sped\", true]]",
            "in.json:2:19: machine \"hero\" has no input \"sped\", did you mean \"speed\"?",
        ),
        ("[[0, \"go\", 1]]", "in.json:1:13: input \"go\" takes true or false"),
        ("[[0, \"speed\", true]]", "input \"speed\" takes a number"),
        ("[[-1, \"go\", true]]", "-1 is no time of a frame"),
        ("[[1e400, \"go\", true]]", "in.json:1:"),
        ("[[0, \"go\"]]", "invalid length 2, expected [seconds, input, value]"),
        ("[[0, \"go\", true, 1]]", "expected [seconds, input, value]"),
        ("[[0, \"go\", true]] []", "trailing characters"),
        ("{}", "expected a list of inputs"),
    ] {
        std::fs::write(&inputs, text).expect("a file");
        refused(&["--machine", "hero", "--frames", "0-3", "--inputs", &inputs], message);
    }
    std::fs::write(&inputs, "[]").expect("a file");
    let vector = below(&folder, "a.json");
    let ran = expect(2, &[&rig, "--machine", "hero", "--frames", "0-3", "-o", &vector]);
    assert!(ran.err.contains("a vector file has keys"), "{}", ran.err);
    // What is read is not replaced.
    let ran = expect(
        2,
        &[&rig, "--machine", "hero", "--frames", "0-3", "--inputs", &inputs, "--sheet", "-o", &inputs],
    );
    assert!(ran.err.contains("in.json is a source of the frames"), "{}", ran.err);
    assert_eq!(std::fs::read_to_string(&inputs).expect("a file"), "[]");
}
