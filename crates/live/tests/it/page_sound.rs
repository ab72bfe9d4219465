//! Sounds on the page: their waves, what is heard from where on, and that it leads.

use serde_json::json;

use crate::browser::{SCREEN, browser};
use crate::page::{ARM, ARM_SVG, Live};

/// A WAV file of one channel and 16 bits: a second of silence, then one of a loud tone.
fn wav() -> Vec<u8> {
    let (rate, count) = (48_000_u32, 96_000_u32);
    let mut bytes = b"RIFF".to_vec();
    bytes.extend((36 + 2 * count).to_le_bytes());
    bytes.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    bytes.extend([rate.to_le_bytes(), (2 * rate).to_le_bytes()].concat());
    bytes.extend(b"\x02\0\x10\0data");
    bytes.extend((2 * count).to_le_bytes());
    for k in 0..count {
        let loud = if k < rate || k % 100 < 50 { 0_i16 } else { 30_000 };
        bytes.extend(loud.to_le_bytes());
    }
    bytes
}

#[test]
fn sounds_are_drawn_and_lead() {
    let Some(mut browser) = browser("sounds") else { return };
    let b = &mut browser;
    // The arm waves for two seconds; it is loud from 0.75 s on, and there is a sound that is not there.
    let with = ARM.replace(
        "\"wave\": (",
        "\"wave\": (sounds: [(file: \"hush.wav\", at: 0.25, from: 0.5, gain: -6, fade: (0, 0.5)), (file: \"gone.wav\")], ",
    );
    assert_ne!(with, ARM);
    let live = Live::of(&[("arm.ron", &with), ("arm.svg", ARM_SVG)]);
    let tab = live.open(b, SCREEN);
    // A sound that comes later is found once the page connects again.
    std::fs::write(live.folder.path().join("hush.wav"), wav()).expect("a file");
    tab.ask(b, "model.link.drop();");
    tab.settled(b);
    let row = "const timeline = document.querySelector('rig-timeline'); const canvas = timeline.querySelector('canvas'); \
        const shown = (time) => { const density = canvas.width / canvas.clientWidth; const context = canvas.getContext('2d'); \
        const x = Math.round(timeline.x(time) * density); let most = 0; \
        for (let y = Math.round(92 * density); y < 110 * density; y += 1) { const [r, g, b] = context.getImageData(x + 2, y, 1, 1).data; \
        const [p, q, s] = context.getImageData(x + 2, canvas.height - 3, 1, 1).data; \
        if (Math.abs(r - p) + Math.abs(g - q) + Math.abs(b - s) > 90) most += 1; } return most / density; };";
    tab.wait(
        b,
        "document.querySelector('rig-transport [title=\"Whether sounds are heard\"]').hidden === false",
    );
    let mut heights = json!(null);
    for _ in 0..100 {
        heights = tab.ask(b, &format!("{row} return [0.5, 0.9, 1.7].map(shown);"));
        if heights[1].as_f64() > heights[0].as_f64() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let [quiet, loud, fading] = [0, 1, 2].map(|at| heights[at].as_f64().expect("a height"));
    assert!(quiet <= 2.0 && loud >= 7.0 && (1.0..=3.0).contains(&fading), "{heights}");

    // What is started, relative to the clock of the sound.
    tab.ask(
        b,
        "const started = window.started = []; const start = AudioBufferSourceNode.prototype.start; \
         AudioBufferSourceNode.prototype.start = function (when, offset) { \
         started.push([when - this.context.currentTime, offset, model.time]); start.call(this, when, offset); };",
    );
    tab.key(b, "Home", 0);
    tab.settled(b);
    tab.key(b, " ", 0);
    tab.wait(b, "window.started.length && document.querySelector('rig-transport button[aria-label=Pause]')");
    let first = tab.ask(b, "return started.at(-1);");
    let [wait, offset] = [0, 1].map(|at| first[at].as_f64().expect("a number"));
    assert!((wait - 0.29).abs() < 0.02 && offset == 0.5, "{first}");
    // Its clock and that of the page agree within two frames over a second.
    let drift = tab.ask(
        b,
        "await new Promise((done) => setTimeout(done, 300)); const [time, now] = [model.time, performance.now()]; \
         await new Promise((done) => setTimeout(done, 1000)); \
         return Math.abs(model.time - time - (performance.now() - now) / 1000);",
    );
    assert!(drift.as_f64().expect("seconds") < 2.0 / 24.0, "{drift}");
    // In the middle it begins in the middle, also when the clip comes round.
    tab.wait(
        b,
        "window.started.length > 1 && document.querySelector('rig-transport button[aria-label=Pause]')",
    );
    tab.key(b, " ", 0);
    tab.ask(b, "started.length = 0; model.setTime(1);");
    tab.wait(b, "window.started.length");
    let scrubbed = tab.ask(b, "return started[0];");
    assert!((scrubbed[1].as_f64().expect("a number") - 1.25).abs() < 1e-6, "{scrubbed}");
    // Off, nothing is heard.
    tab.ask(
        b,
        "model.setOption({ sound: false }); started.length = 0; model.setTime(0); model.setPlaying(true);",
    );
    tab.ask(b, "await new Promise((done) => setTimeout(done, 200)); model.setPlaying(false);");
    assert_eq!(tab.ask(b, "return started.length;"), 0);
    // Its wave is dragged half a second later, and the text says so; where it stands in a clip's list does not matter.
    let at = |time: f64| {
        format!(
            "const timeline = document.querySelector('rig-timeline'), box = timeline.getBoundingClientRect(); return [box.x + timeline.x({time}), box.y + 101];"
        )
    };
    let pair = |value: serde_json::Value| (value[0].as_f64().expect("x"), value[1].as_f64().expect("y"));
    let (from, to) = (pair(tab.ask(b, &at(1.0))), pair(tab.ask(b, &at(1.5))));
    tab.pull(b, from, to, 0);
    let later = live.wait(|text| text != with);
    assert_eq!(later, with.replace("at: 0.25", "at: 0.75"));
    assert_eq!(tab.eval(b, "window.__errors"), json!([]));
    tab.close(b);
}
