//! Shots, held drawings, and plots on the command line.

use std::path::Path;

use crate::command::{FLAG_RIG, below, expect, files, flag, names, repository};

/// The flag with two shots of its clips.
fn with_shots() -> (tempfile::TempDir, String) {
    let (folder, rig) = flag();
    let shots = r#"    shots: {
        "both": (play: ["wave", (clip: "droop", fade: 0.125)]),
        "slow": (play: [(clip: "wave", speed: 0.5)], loop: true),
    },
)
"#;
    let text = FLAG_RIG.trim_end().strip_suffix(')').expect("a rig").to_owned() + shots;
    std::fs::write(&rig, text).expect("the rig");
    (folder, rig)
}

#[test]
fn shots_are_rendered_as_clips_are() {
    let (folder, rig) = with_shots();
    let out = below(&folder, "out/");
    expect(0, &[&rig, "--clip", "both", "-o", &out]);
    // 0.5 + 0.25 - 0.125 seconds: frames 0 to 15.
    assert_eq!(names(Path::new(&out)).len(), 16);
    let all = below(&folder, "all/");
    expect(0, &[&rig, "--clip", "all", "-o", &all]);
    let made = names(Path::new(&all));
    let count = |clip: &str| made.iter().filter(|name| name.starts_with(clip)).count();
    assert_eq!((count("wave_"), count("droop_"), count("both_"), count("slow_")), (12, 7, 16, 24));
    // Half as fast: every second frame is one of the clip.
    let frames = files(Path::new(&all));
    for frame in 0..12 {
        assert!(frames[&format!("slow_{:04}.png", 2 * frame)] == frames[&format!("wave_{frame:04}.png")]);
    }
    assert!(frames["both_0015.png"] == frames["droop_0006.png"]);
    let said = expect(2, &[&rig, "--clip", "bth", "-o", &out]).err;
    assert!(said.contains("did you mean \"both\"?"), "{said}");
    assert!(expect(0, &["check", &rig]).out.contains("4 clips"));
}

#[test]
fn a_step_holds_drawings_whatever_the_rig_says() {
    let (folder, rig) = with_shots();
    let draw = |step: &str, to: &str| {
        let out = below(&folder, to);
        expect(0, &[&rig, "--clip", "wave", "--step", step, "-o", &out]);
        files(Path::new(&out))
    };
    let (moving, twos, threes) = (draw("1", "a/"), draw("2", "b/"), draw("3", "c/"));
    for frame in 0..12 {
        let name = |frame: usize| format!("frame_{frame:04}.png");
        assert!(twos[&name(frame)] == moving[&name(frame - frame % 2)], "{frame}");
        assert!(threes[&name(frame)] == moving[&name(frame - frame % 3)], "{frame}");
    }
    assert!(moving["frame_0001.png"] != moving["frame_0000.png"]);
    // The step of the rig applies to frames of the rig, also at another rate.
    let held = FLAG_RIG.replace("length: 0.5, loop: true", "length: 0.5, loop: true, step: 2");
    std::fs::write(&rig, held).expect("the rig");
    let out = below(&folder, "d/");
    expect(0, &[&rig, "--clip", "wave", "-o", &out]);
    assert!(files(Path::new(&out)) == twos);
    assert!(draw("1", "e/") == moving);
    let out = below(&folder, "f/");
    expect(0, &[&rig, "--clip", "wave", "--fps", "48", "-o", &out]);
    assert!(files(Path::new(&out))["frame_0003.png"] == moving["frame_0000.png"]);
    expect(2, &[&rig, "--step", "0"]);
    expect(2, &[&rig, "--step", "1.5"]);
}

#[test]
fn a_plot_is_an_svg_or_a_picture() {
    let (folder, rig) = with_shots();
    let svg = below(&folder, "new/folder/plot.svg");
    let ran = expect(0, &["plot", &rig, "--clip", "wave", "--bone", "pole", "-o", &svg]);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
    let text = std::fs::read_to_string(&svg).expect("a plot");
    let plot = roxmltree::Document::parse(&text).expect("XML");
    let texts: String = plot.descendants().filter_map(|node| node.text()).collect();
    for word in ["wave", "clip, 0.5 s, loops", "pole", "rotate", "seconds", "degrees/s", "key", "seam", "20"]
    {
        assert!(texts.contains(word), "{word}: {texts}");
    }
    // One mark in the legend and three keys.
    assert_eq!(plot.descendants().filter(|node| node.has_tag_name("circle")).count(), 4);
    let png = below(&folder, "plot.png");
    expect(0, &["plot", &rig, "--clip", "both", "--scale", "0.5", "-o", &png]);
    let picture = bone_render::Pixmap::load_png(&png).expect("a picture");
    assert_eq!(picture.width(), 380);
    assert!(picture.pixels().iter().any(|p| p.red() < 100 && p.blue() > 150), "a blue line");
    expect(0, &["plot", &repository("examples/walk/rig.ron"), "-o", &png]);
    expect(0, &["plot", &repository("tests/rigs/shots.ron"), "--clip", "act", "-o", &png]);
}

#[test]
fn plots_say_what_cannot_be_plotted() {
    let (folder, rig) = with_shots();
    let out = below(&folder, "plot.svg");
    let cases: [(&[&str], &str); 9] = [
        (&["--clip", "wvae"], "did you mean \"wave\"?"),
        (&["--clip", "nothing"], "\"wave\", \"droop\", \"both\", \"slow\""),
        (&["--bone", "poel"], "did you mean \"pole\"?"),
        (&["--bone", "chest"], "no bone called \"chest\""),
        (&["--channel", "move"], "what moves is rotate"),
        (&["--channel", "rotat"], "did you mean rotate?"),
        (&["--scale", "0"], "above 0"),
        (&["-o", "plot.gif"], "neither"),
        (&["-o", &rig], "neither"),
    ];
    for (words, said) in cases {
        let mut all = vec!["plot", rig.as_str(), "-o", out.as_str()];
        if words[0] == "-o" {
            all.truncate(2);
        }
        all.extend(words);
        let ran = expect(2, &all);
        assert!(ran.err.contains(said), "{words:?}: {}", ran.err);
    }
    assert!(!Path::new(&out).exists());
    let drawing = below(&folder, "flag.svg");
    assert!(expect(2, &["plot", &rig, "-o", &drawing]).err.contains("is a source of"));
    let still = FLAG_RIG.replace(
        "\"pole\": (from: (5, 5), to: (35, 5))",
        "\"pole\": (from: (5, 5), to: (35, 5)), \"sun\": (from: (30, 32), length: 5)",
    );
    std::fs::write(&rig, still).expect("the rig");
    assert!(
        expect(2, &["plot", &rig, "-b", "sun", "-o", &out]).err.contains("the bones that move are \"pole\"")
    );
    expect(3, &["plot", &below(&folder, "no.ron"), "-o", &out]);
    std::fs::write(&rig, FLAG_RIG.replace("bone: \"pole\"", "bone: \"pol\"")).expect("the rig");
    assert!(expect(3, &["plot", &rig, "-o", &out]).err.contains("did you mean \"pole\"?"));
    std::fs::write(&rig, "Rig(version: 1, drawing: \"flag.svg\")").expect("the rig");
    assert!(expect(2, &["plot", &rig, "-o", &out]).err.contains("no clips"));
}
