//! Words that change: a frame is the drawing with these words typed in it.

use std::path::Path;
use std::sync::Arc;

use bone_drawing::ArtProperty;
use bone_format::{InMemory, load, no_fonts};
use bone_layer_tests::files::has_fonts;
use bone_layer_tests::picture::difference;
use bone_layer_tests::player::Player;
use bone_rig::{Choice, FrameState, OverrideError, Overrides};

/// A drawing of which each text has one of these words.
fn drawing([count, word, name]: [&str; 3]) -> String {
    let escaped = |words: &str| words.replace('&', "&amp;").replace('<', "&lt;");
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 160 100'>
        <style>#count {{ fill: #c33 }} .bold {{ font-weight: bold; letter-spacing: 1px }} text {{ font-family: 'DejaVu Sans' }}</style>
        <defs><linearGradient id='gold' x2='1'><stop stop-color='#fa0'/><stop offset='1' stop-color='#620'/></linearGradient>
        <filter id='soft'><feGaussianBlur stdDeviation='1'/></filter></defs>
        <g text-anchor='middle'><text id='count' x='40' y='40' font-size='30'>{}</text>
        <text id='word' class='bold' transform='translate(110 40) rotate(-12)' font-size='14' fill='url(#gold)' filter='url(#soft)' opacity='0.8'><tspan x='0' y='0'>{}</tspan></text></g>
        <text id='name' x='20 34' y='80' font-size='16' stroke='#246' fill='none'>{}</text>
        <text y='99' font-size='9'>still</text></svg>",
        escaped(count),
        escaped(word),
        escaped(name),
    )
}

const RIG: &str = r#"Rig(version: 1, drawing: "a.svg",
    bones: { "post": (from: (40, 50), to: (40, 20)) }, skin: [Rigid(art: "count", bone: "post")],
    drivers: [(bone: "post", value: Rotate, art: { TURNED })],
    clips: { "talk": (length: 2, bones: { "post": (rotate: [(0, 0), (2, 40)]) }, art: { KEYED }) })"#;

fn rig(words: [&str; 3], keyed: &str, turned: &str) -> Player {
    let rig = RIG.replace("KEYED", keyed).replace("TURNED", turned);
    let rig = if turned.is_empty() {
        rig.replace("drivers: [(bone: \"post\", value: Rotate, art: {  })],", "")
    } else {
        rig
    };
    Player::load(
        Path::new("a.ron"),
        Arc::new(InMemory::new().with("a.ron", rig).with("a.svg", drawing(words))),
    )
}

#[test]
fn a_frame_is_the_drawing_with_its_words() {
    if !has_fonts() {
        return;
    }
    let keyed = rig(
        ["0", "go", "Ann"],
        r#""count": (text: [(0, "3"), (0.5, "27"), (1.5, "0")]),
           "word": (text: [(0, "ready & <set>"), (1, ""), (1.5, "go")], opacity: [(0, 1), (2, 0.5)]),
           "name": (text: [(0.5, "Bo"), (1.5, "Frederic")])"#,
        "",
    );
    let (mut state, mut other) = (FrameState::new(&keyed.rig), None);
    // Before its first key a channel has the value of that.
    let shown = [
        (0, ["3", "ready & <set>", "Bo"]),
        (11, ["3", "ready & <set>", "Bo"]),
        (12, ["27", "ready & <set>", "Bo"]),
        (24, ["27", " ", "Bo"]),
        (35, ["27", " ", "Bo"]),
        (36, ["0", "go", "Frederic"]),
        (48, ["0", "go", "Frederic"]),
    ];
    for (frame, words) in shown {
        let found = keyed.draw(keyed.clip(Some("talk")), frame, 2.0, &mut state);
        let art = if words[1] == " " { "" } else { r#""word": (opacity: [(0, 1), (2, 0.5)])"# };
        let words = words.map(|words| if words == " " { "" } else { words });
        let typed = typed(words, art);
        let expected =
            typed.draw(typed.clip(Some("talk")), frame, 2.0, other.insert(FrameState::new(&typed.rig)));
        let apart = difference(&found, &expected);
        assert_eq!(apart.pixels, 0, "frame {frame}: {apart:?}");
        let text = keyed.draw_by_text(keyed.clip(Some("talk")), frame, 2.0, &mut state);
        assert!(difference(&found, &text).largest <= 1, "frame {frame} by resvg");
    }
}

/// The same with words that do not change. Empty texts give a note.
fn typed(words: [&str; 3], keyed: &str) -> Player {
    let rig = RIG
        .replace("KEYED", keyed)
        .replace("drivers: [(bone: \"post\", value: Rotate, art: { TURNED })],", "");
    let drawing = drawing(words).replace("<tspan x='0' y='0'></tspan>", "");
    let drawing = match words[1] {
        "" => {
            let start = drawing.find("<text id='word'").expect("it is in the drawing");
            let end = start + drawing[start..].find("</text>").expect("it ends") + "</text>".len();
            format!("{}{}", &drawing[..start], &drawing[end..])
        }
        _ => drawing,
    };
    Player::load(Path::new("a.ron"), Arc::new(InMemory::new().with("a.ron", rig).with("a.svg", drawing)))
}

#[test]
fn drivers_and_programs_choose_words() {
    if !has_fonts() {
        return;
    }
    let player = rig(["0", "go", "Ann"], "", r#""count": (text: [(-100, "0"), (20, "far")])"#);
    let mut state = FrameState::new(&player.rig);
    let count = player.rig.art().find("count").expect("a text");
    let clip = player.clip(Some("talk"));
    for (frame, words) in [(0, "0"), (23, "0"), (25, "far")] {
        let found = player.draw(clip, frame, 1.0, &mut state);
        let typed = typed([words, "go", "Ann"], "");
        let expected = typed.draw(typed.clip(Some("talk")), frame, 1.0, &mut FrameState::new(&typed.rig));
        assert_eq!(difference(&found, &expected).pixels, 0, "frame {frame}");
    }
    let mut overrides = Overrides::new();
    overrides.art.set((count, ArtProperty::Text), Choice::Child(7).value());
    let wrong = player.rig.pose_with(clip, 0.0, &overrides, &mut state);
    assert!(matches!(wrong, Err(OverrideError::UnknownSwitch { .. })), "{wrong:?}");
    overrides.art.set((count, ArtProperty::Text), Choice::Child(0).value());
    player.rig.pose_with(clip, 0.0, &overrides, &mut state).expect("the text has these words");
}

#[test]
fn without_fonts_words_are_missing_with_a_warning() {
    let text = RIG.replace("KEYED", r#""count": (text: [(0, "3"), (1, "4")])"#);
    let text = text.replace("drivers: [(bone: \"post\", value: Rotate, art: { TURNED })],", "");
    let files = InMemory::new().with("a.ron", text).with("a.svg", drawing(["0", "go", "Ann"]));
    let loaded = load(Path::new("a.ron"), Arc::new(files), &no_fonts);
    assert!(loaded.diagnostics.iter().any(|found| found.message.contains("not installed")));
}

#[test]
fn words_that_are_too_long_are_an_error_at_their_key() {
    let long = format!(
        "Rig(version: 1, drawing: \"a.svg\", bones: {{\"b\": (from: (0, 0), to: (9, 0))}}, skin: [], clips: {{\"c\": (length: 1, art: {{\"count\": (text: [(0, \"{}\")])}})}})",
        "x".repeat(30_001)
    );
    let files = InMemory::new().with("a.ron", long).with("a.svg", drawing(["0", "go", "Ann"]));
    let loaded = load(Path::new("a.ron"), Arc::new(files), &no_fonts);
    let error = loaded.diagnostics.iter().find(|found| found.message.contains("30001 letters"));
    assert!(error.is_some_and(|found| found.place.is_some()), "{:?}", loaded.diagnostics);
    assert!(loaded.rig.is_none());
}
