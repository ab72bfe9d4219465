//! `--for`: what is refused and why, and what is left when nothing fits. `tests/judges/deliveries.py` reads the files.

use bone_export::{DELIVERIES, DeliveredFacts};

use crate::command::{below, expect, flag, names, repository};

#[test]
fn each_target_has_a_file_within_its_rules() {
    let (folder, rig) = flag();
    for target in DELIVERIES.iter().filter(|target| target.ending != "webm") {
        let out = below(&folder, &format!("{}.{}", target.name, target.ending));
        let ran = expect(0, &[&rig, "-o", &out, "--for", target.name, "--frames", "0-11"]);
        assert!(ran.err.contains(target.label) && ran.err.contains(" bytes ("), "{}", ran.err);
        let bytes = std::fs::read(&out).expect("the file");
        let facts = DeliveredFacts::read(&bytes).expect("a file that can be read");
        assert!((target.fits)(facts.width, facts.height) && facts.alpha, "{}: {facts:?}", target.name);
        assert!(facts.bytes <= target.most_bytes && facts.milliseconds == 500, "{}: {facts:?}", target.name);
        // Half a second is twice a whole one; the others play for ever.
        let plays = if target.counted { Some(4) } else { facts.plays.map(|_| 0) };
        assert_eq!(facts.plays, plays, "{}", target.name);
    }
}

#[test]
fn what_a_service_does_not_take_is_an_error_with_a_way_out() {
    let (folder, rig) = flag();
    let out = |name: &str| below(&folder, name);
    let before = names(folder.path());
    for (words, part) in [
        (
            &["-o", &out("a.gif"), "--for", "whatsapp"][..],
            "a WhatsApp sticker is a .webp: write -o walk.webp",
        ),
        (&["-o", &out("a.webp"), "--for", "whatsap"], "did you mean whatsapp?"),
        (
            &["-o", &out("a.webp"), "--for", "whatsapp", "--size", "100x100"],
            "is 512x512 pixels, and --size is 100x100",
        ),
        (
            &["-o", &out("a.webp"), "--for", "whatsapp", "--loop", "2"],
            "--loop does not go with --for whatsapp",
        ),
        (&["-o", &out("a.gif"), "--for", "slack", "--scale", "2"], "--scale does not go with"),
        (&["-o", &out("a.tgs"), "--for", "telegram", "--colours", "9"], "--colours does not go with"),
        (&["-o", &out("a/"), "--for", "slack"], "an emoji"),
    ] {
        let ran = expect(2, &[&[&*rig], words].concat());
        let part = if part == "an emoji" { "is a .gif: write" } else { part };
        assert!(ran.err.contains(part), "{words:?}: {}", ran.err);
    }
    let long = ["--frames", "0-199", "--fps", "24"];
    let ran = expect(1, &[&[&*rig, "-o", &out("a.apng"), "--for", "signal"][..], &long].concat());
    assert!(ran.err.contains("at most 3 s") && ran.err.contains("--frames 0-71"), "{}", ran.err);
    let ran = expect(1, &[&rig, "-o", &out("a.apng"), "--for", "line", "--frames", "0-8", "--fps", "30"]);
    assert!(ran.err.contains("whole seconds"), "{}", ran.err);
    assert_eq!(names(folder.path()), before, "nothing is left");
}

/// Noise that no palette makes small: the error has all that was tried, and there is no file.
#[test]
fn a_budget_that_cannot_be_met_is_an_error_with_what_was_tried() {
    let (folder, rig) = flag();
    let noise = "<filter id='n'><feTurbulence baseFrequency='0.9' numOctaves='4'/></filter>\
                 <rect width='40' height='40' filter='url(#n)'/></svg>";
    let drawing = crate::command::FLAG_SVG.replace("</svg>", noise);
    std::fs::write(folder.path().join("flag.svg"), drawing).expect("the drawing");
    let out = below(&folder, "a.apng");
    let ran = expect(1, &[&rig, "-o", &out, "--for", "signal", "--frames", "0-23"]);
    assert!(ran.err.contains("is within its 307200 bytes. Tried were"), "{}", ran.err);
    assert!(ran.err.contains("12 a second, 24 colours: ") && ran.err.contains("--frames"), "{}", ran.err);
    let out = below(&folder, "a.tgs");
    let ran = expect(1, &[&rig, "-o", &out, "--for", "telegram"]);
    assert!(ran.err.contains("a filter is written as an image"), "{}", ran.err);
    assert!(names(folder.path()).iter().all(|name| !name.starts_with("a.")), "{:?}", names(folder.path()));
}

#[test]
fn files_that_are_there_stay_and_inputs_are_never_replaced() {
    let (folder, rig) = flag();
    let out = below(&folder, "a.gif");
    std::fs::write(&out, "old").expect("a file");
    let ran = expect(2, &[&rig, "-o", &out, "--for", "slack", "--existing", "error"]);
    assert!(ran.err.contains("exists already"), "{}", ran.err);
    assert_eq!(std::fs::read(&out).expect("it"), b"old");
    let both = below(&folder, "{clip}.gif");
    expect(0, &[&rig, "-q", "-o", &both, "--for", "slack", "--clip", "all"]);
    assert!(names(folder.path()).contains(&"wave.gif".to_owned()));
}

#[test]
fn presets_lists_all() {
    let all = expect(0, &["presets"]).out;
    let json: serde_json::Value = serde_json::from_str(&expect(0, &["presets", "--json"]).out).expect("JSON");
    for (at, target) in DELIVERIES.iter().enumerate() {
        assert!(all.lines().any(|line| line.starts_with(target.name)), "{}", target.name);
        assert_eq!(json[at]["most_bytes"], target.most_bytes);
    }
    let page = std::fs::read_to_string(repository("docs/deliveries.md")).expect("the page");
    for line in all.lines().skip(1) {
        let name = line.split_whitespace().next().unwrap_or_default();
        assert!(page.contains(&format!("| `{name}` |")), "docs/deliveries.md has no {name}");
    }
}
