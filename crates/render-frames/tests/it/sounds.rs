//! Sounds of clips in videos, compared sample by sample with what the rig says. Tests that need ffmpeg are skipped where
//! there is none, unless `REQUIRE_JUDGES` is set.

use std::path::Path;

use crate::command::expect;
use crate::videos::{has_ffmpeg, output};

fn within(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

const RATE: f64 = 48_000.0;

/// From 0 to 1, to -1 and back to 0 in a period of 1.
fn wave(at: f64) -> f64 {
    1.0 - 4.0 * ((at + 0.25).rem_euclid(1.0) - 0.5).abs()
}

/// A tone that grows louder: what is left out or comes late is not like the rest.
fn tone(hertz: f64, seconds: f64, at: f64) -> f64 {
    if (0.0..seconds).contains(&at) { (0.1 + 0.5 * at / seconds) * wave(hertz * at) } else { 0.0 }
}

/// A WAV file of one channel and 16 bits.
fn wav(hertz: f64, seconds: f64) -> Vec<u8> {
    let count = (seconds * RATE) as u32;
    let mut bytes = b"RIFF".to_vec();
    bytes.extend((36 + 2 * count).to_le_bytes());
    bytes.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    bytes.extend([(RATE as u32).to_le_bytes(), (2 * RATE as u32).to_le_bytes()].concat());
    bytes.extend(b"\x02\0\x10\0data");
    bytes.extend((2 * count).to_le_bytes());
    for k in 0..count {
        let value = tone(hertz, seconds, f64::from(k) / RATE);
        bytes.extend(((value * 32767.0).round() as i16).to_le_bytes());
    }
    bytes
}

/// A rig whose clip has these sounds.
fn rig(folder: &Path, sounds: &str) -> String {
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='32' height='32'><rect id='a' width='20' height='20'/></svg>";
    let text = format!(
        r#"Rig(version: 1, drawing: "a.svg", fps: 24, bones: {{ "a": (from: (5, 5), to: (15, 5)) }},
            skin: [Rigid(bone: "a", art: ["a"])],
            clips: {{
                "talk": (length: 1.5, loop: true, bones: {{ "a": (rotate: [(0, 0), (0.7, 20), (1.5, 0)]) }}, {sounds}),
                "mute": (length: 1, bones: {{ "a": (rotate: [(0, 0), (1, 20)]) }}),
            }},
            shots: {{ "both": (play: ["mute", "talk", (clip: "talk", from: 0.5)]) }})"#
    );
    for (name, bytes) in [("a.svg", svg.as_bytes()), ("rig.ron", text.as_bytes())] {
        std::fs::write(folder.join(name), bytes).expect("a file");
    }
    std::fs::write(folder.join("low.wav"), wav(330.0, 1.0)).expect("a file");
    std::fs::create_dir_all(folder.join("voices")).expect("a folder");
    std::fs::write(folder.join("voices/high.wav"), wav(1100.0, 2.0)).expect("a file");
    within(folder, "rig.ron")
}

const SOUNDS: &str = r#"sounds: [(file: "low.wav", at: 0.2),
    (file: "voices/high.wav", at: 0.25, from: 0.5, gain: -6, fade: (0.1, 0.3))]"#;

/// What `SOUNDS` says is heard so many seconds after the start of the clip.
fn heard(at: f64) -> f64 {
    let since = at - 0.25;
    let share = (since / 0.1).clamp(0.0, 1.0) * ((1.5 - since) / 0.3).clamp(0.0, 1.0);
    let high = if since >= 0.0 { tone(1100.0, 2.0, 0.5 + since) } else { 0.0 };
    tone(330.0, 1.0, at - 0.2) + share * 0.501_187_234 * high
}

/// The samples of a video, of its left channel; both are the same.
fn samples(path: &str) -> Vec<f64> {
    let words = ["-v", "error", "-i", path, "-vn", "-f", "s16le", "-ar", "48000", "-"];
    let bytes = output("ffmpeg", &words);
    let pairs = bytes.as_chunks::<4>().0.iter();
    pairs
        .map(|[l, m, r, n]| {
            assert!((i16::from_le_bytes([*l, *m]) - i16::from_le_bytes([*r, *n])).abs() < 300);
            f64::from(i16::from_le_bytes([*l, *m])) / 32767.0
        })
        .collect()
}

/// The greatest difference from what should be heard.
fn worst(samples: &[f64], truth: impl Fn(f64) -> f64) -> f64 {
    let differences = (0..).zip(samples).map(|(k, sample)| (sample - truth(f64::from(k) / RATE)).abs());
    differences.fold(0.0, f64::max)
}

#[test]
fn a_video_has_the_sounds_of_its_clip() {
    if !has_ffmpeg("a_video_has_the_sounds_of_its_clip") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rig = rig(folder.path(), SOUNDS);
    // -6 dB is 10^(-6/20). Of the encoders only that of MOV loses nothing.
    for (name, most) in [("a.mov", 2e-4), ("a.mp4", 0.06), ("a.webm", 0.12)] {
        let film = within(folder.path(), name);
        let ran = expect(0, &[&rig, "-o", &film, "--background", "white", "-q"]);
        assert_eq!(ran.err, "");
        let first = std::fs::read(&film).expect("the video");
        expect(0, &[&rig, "-o", &film, "--background", "white", "-q"]);
        assert!(first == std::fs::read(&film).expect("the video"), "{name} has the same bytes each time");
        let samples = samples(&film);
        let frame = RATE / 24.0;
        assert!((samples.len() as f64 - 1.5 * RATE).abs() <= frame, "{name}: {} samples", samples.len());
        let begins = samples.iter().position(|sample| sample.abs() > 0.02).expect("a sound") as f64 / RATE;
        assert!((begins - 0.2).abs() < 0.02, "{name}: {begins}");
        let whole = &samples[..samples.len().min((1.5 * RATE) as usize)];
        let worst = worst(whole, heard);
        assert!(worst < most, "{name}: {worst}");
    }
    let film = within(folder.path(), "mute.mp4");
    expect(0, &[&rig, "-o", &film, "--no-sound", "-q"]);
    assert!(output("ffprobe", &["-v", "error", "-select_streams", "a", "-show_streams", &film]).is_empty());
}

/// A piece of the frames has that piece of the sound, a shot that of its parts, and frames that were drawn apart get
/// what they would have had together.
#[test]
fn pieces_shots_and_assembled_frames_sound_alike() {
    if !has_ffmpeg("pieces_shots_and_assembled_frames_sound_alike") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rig = rig(folder.path(), SOUNDS);
    let film = within(folder.path(), "piece.mov");
    expect(0, &[&rig, "-o", &film, "--frames", "12-30", "-q"]);
    let piece = samples(&film);
    assert_eq!(piece.len(), 19 * 2000);
    assert!(worst(&piece, |at| heard(0.5 + at)) < 2e-4);

    let film = within(folder.path(), "both.mov");
    let ran = expect(0, &[&rig, "--clip", "both", "-o", &film]);
    // What begins in a clip goes on when the next one plays; a clip that is begun later has what begins after that.
    let shot = samples(&film);
    assert!(worst(&shot, |at| heard(at - 1.0)) < 2e-4, "{}", ran.err);

    let frames = within(folder.path(), "frames/f_####.png");
    let ran = expect(0, &[&rig, "-o", &frames, "--progress", "none"]);
    assert!(ran.err.contains("note: sound is left out; .mp4, .webm, .mov of a clip have it"), "{}", ran.err);
    let film = within(folder.path(), "assembled.mov");
    expect(
        0,
        &["assemble", &frames, "-o", &film, "--frames", "12-30", "--sound", &rig, "--clip", "talk", "-q"],
    );
    assert_eq!(samples(&film), piece);
    let ran = expect(2, &["assemble", &frames, "-o", &within(folder.path(), "a.gif"), "--sound", &rig]);
    assert!(ran.err.contains("--sound is for videos"), "{}", ran.err);

    let film = within(folder.path(), "every-other.mp4");
    let ran = expect(0, &[&rig, "-o", &film, "--frames", "0-20:2"]);
    assert!(ran.err.contains("whose frames are not one after the other"), "{}", ran.err);
}

/// A step in each round of a loop, the last of them long before the end.
#[test]
fn a_sound_is_heard_in_each_round() {
    if !has_ffmpeg("a_sound_is_heard_in_each_round") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rig = rig(folder.path(), r#"sounds: [(file: "low.wav", at: 0.2, fade: (0, 0.1))]"#);
    let text = std::fs::read_to_string(&rig)
        .expect("the rig")
        .replace(r#"play: ["mute""#, r#"length: 6, play: [(clip: "talk", repeat: 3), "mute""#);
    std::fs::write(&rig, text.replace(r#", "talk", (clip: "talk", from: 0.5)]"#, "]")).expect("a file");
    let truth = |at: f64| {
        let since = if at < 4.5 { at.rem_euclid(1.5) } else { at } - 0.2;
        tone(330.0, 1.0, since) * ((1.0 - since) / 0.1).clamp(0.0, 1.0)
    };
    for (name, most) in [("a.mov", 2e-4), ("a.mp4", 0.06), ("a.webm", 0.12)] {
        let film = within(folder.path(), name);
        expect(0, &[&rig, "--clip", "both", "-o", &film, "--background", "white", "-q"]);
        let samples = samples(&film);
        let worst = worst(&samples[..samples.len().min(6 * 48000)], truth);
        assert!(worst < most, "{name}: {worst}");
    }
}

#[test]
fn what_cannot_be_heard_is_said() {
    if !has_ffmpeg("what_cannot_be_heard_is_said") {
        return;
    }
    let outer = tempfile::tempdir().expect("a temporary folder");
    let folder = outer.path().join("in");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::write(outer.path().join("out.wav"), wav(440.0, 0.5)).expect("a file");
    let film = within(&folder, "a.mp4");
    let failing = [
        (r#"sounds: [(file: "loww.wav")]"#, "did you mean \"low.wav\"?"),
        (r#"sounds: [(file: "../out.wav")]"#, "it is outside of the rig's folder"),
        (r#"sounds: [(file: "a.svg")]"#, "cannot be used as sound"),
        (r#"sounds: [(file: "list.wav")]"#, "cannot be used as sound"),
        (r#"sounds: [(file: "empty.wav")]"#, "cannot be used as sound"),
        (r#"sounds: [(file: "low.wav", from: 3)]"#, "it lasts 1 s, and 3 s of it are left out"),
        (r#"sounds: [(file: "low.wav"), (file: "low.wav", at: 0)]"#, "begins twice at 0 s"),
        (r#"sounds: [(file: "low.wav", gain: 99)]"#, "-6 is half as loud"),
        (r#"sounds: [(file: "low.wav", volume: 1)]"#, "`gain`"),
        (r#"sounds: [(at: 1)]"#, "`file`"),
        (r#"sounds: [(file: "")]"#, "`file` is empty"),
    ];
    for (sounds, message) in failing {
        let rig = rig(&folder, sounds);
        // A list of files, which ffmpeg would follow.
        std::fs::write(folder.join("list.wav"), "ffconcat version 1.0\nfile ../out.wav\n").expect("a file");
        std::fs::write(folder.join("empty.wav"), "").expect("a file");
        let ran = crate::command::run(&[&rig, "-o", &film, "--progress", "none"]);
        assert!(ran.code != Some(0) && ran.err.contains(message), "{sounds}: {ran:?}");
        assert!(!folder.join("a.mp4").exists(), "{sounds}");
    }
    let late = rig(&folder, r#"sounds: [(file: "low.wav", at: 1)]"#);
    let ran = expect(0, &[&late, "-o", &film, "--progress", "none"]);
    assert!(ran.err.contains("note: the last 0.50 s of low.wav are cut off"), "{}", ran.err);
    // Steps of a walk: one file, many times.
    let steps = |count: usize| -> String {
        let at = |step: usize| {
            format!("(file: \"low.wav\", at: {:.4}, gain: -40)", step as f64 * 1.5 / count as f64)
        };
        format!("sounds: [{}]", (0..count).map(at).collect::<Vec<_>>().join(", "))
    };
    let many = rig(&folder, &steps(300));
    expect(0, &[&many, "-o", &film, "--existing", "overwrite", "-q"]);
    let more = rig(&folder, &steps(401));
    let ran = expect(1, &[&more, "-o", &film, "--existing", "overwrite", "-q"]);
    assert!(ran.err.contains("has more than 400 sounds in these frames"), "{}", ran.err);
    // A sound is an input as the drawing is.
    let own = rig(&folder, r#"sounds: [(file: "own.mp4")]"#);
    std::fs::copy(&film, folder.join("own.mp4")).expect("a copy");
    let ran = expect(2, &[&own, "-o", &within(&folder, "own.mp4"), "--existing", "overwrite"]);
    assert!(ran.err.contains("is a source of the frames"), "{}", ran.err);
    let ran = expect(0, &["events", &rig(&folder, r#"sounds: [(file: "low.wav", at: 1)]"#), "--json"]);
    let events: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let payload = serde_json::json!({ "sound": { "from": 0, "gain": 0, "fade": [0, 0] } });
    assert_eq!(
        (&events[0]["name"], &events[0]["frame"], &events[0]["payload"]),
        (&"low.wav".into(), &24.into(), &payload)
    );
}
