//! The curves of what is selected: several at once, of bones, art, rules and sliders; boxes, moves and handles.

use serde_json::{Value, json};

use crate::browser::{Browser, SCREEN, SHIFT, Tab, browser};
use crate::page::{ARM, ARM_SVG, Live, distance};
use crate::page_intent::{changed, undo_to};

/// The arm with keys of three bones, of art, of a goal, of a slider and of the camera.
fn keyed() -> String {
    let keys = r##"bones: {
            "upper": (rotate: [(0, 0), (1, 20), (2, 0)], scale: [(0, 1), (2, (1.5, 1))]),
            "fore": (rotate: [(0, 5), (1, -40), (2, 5)]),
            "hand": (rotate: [(0, 10), (1, 30), (2, 10)]),
        },
        art: {"hand_art": (opacity: [(0, 1), (2, 0)], fill: [(0, "#ff0000"), (2, "#0000ff")])},
        constraints: {"reach": (mix: [(0, 0), (2, 1)], target: [(0, (290, 200)), (2, (250, 150))])},
        sliders: {"wave": [(0, 0), (2, 60)]},
        camera: (zoom: [(0, 1), (2, 2)]),"##;
    let old = "bones: {\n            \"fore\": (rotate: [(0, 5), (1, -40), (2, 5)]),  // up, and down again\n        }";
    assert!(ARM.contains(old));
    let rules = "constraints: [Ik(name: \"reach\", tip: \"hand\", target: (290, 200), chain: 2, mix: 0)],\n    \
                 sliders: {\"wave\": (range: (0, 60))},\n    clips: {";
    ARM.replace(old, keys).replace("clips: {", rules)
}

/// Where keys of a channel are on the screen, by their times, as the graph draws them.
fn key_at(tab: &Tab, b: &mut Browser, channel: &[&str], time: f64, value: f64) -> (f64, f64) {
    let at = tab.ask(
        b,
        &format!(
            "const timeline = document.querySelector('rig-timeline'); const box = timeline.getBoundingClientRect(); \
             const track = timeline.graph.tracks.find((each) => String(each.path.slice(2)) === {}); \
             return [box.x + timeline.x({time}), box.y + timeline.graph.place(track, {value})];",
            json!(channel.join(","))
        ),
    );
    (at[0].as_f64().expect("x"), at[1].as_f64().expect("y"))
}

fn graph(tab: &Tab, b: &mut Browser, select: &str) {
    tab.ask(b, &format!("model.setOption({{ graph: true }}); {select}"));
    tab.settled(b);
    tab.wait(
        b,
        "(() => { const { graph } = document.querySelector('rig-timeline'); \
         return graph.tracks.length && graph.shown === graph.tracks.map((track) => JSON.stringify(track.path)).join(); })()",
    );
}

#[test]
fn curves_are_those_of_the_engine_for_every_kind_of_number() {
    let Some(mut browser) = browser("curves") else { return };
    let b = &mut browser;
    let live = Live::of(&[("arm.ron", &keyed()), ("arm.svg", ARM_SVG)]);
    let tab = live.open(b, SCREEN);
    let paths = json!([
        ["clips", "wave", "bones", "fore", "rotate"],
        ["clips", "wave", "bones", "upper", "scale"],
        ["clips", "wave", "art", "hand_art", "opacity"],
        ["clips", "wave", "constraints", "reach", "mix"],
        ["clips", "wave", "constraints", "reach", "target"],
        ["clips", "wave", "sliders", "wave"],
        ["clips", "wave", "camera", "zoom"],
    ]);
    let answer = |tab: &Tab, b: &mut Browser, paths: &Value| {
        tab.ask(
            b,
            &format!(
                "return await new Promise((done) => {{ const seq = model.link.next(); \
                 for (const t of ['curve', 'failed']) {{ const old = model.handlers.get(t); \
                 model.handlers.set(t, (message) => {{ if (message.seq !== seq) return old?.(message); model.handlers.set(t, old); done(message); }}); }} \
                 model.link.send({{ t: 'curve', seq, paths: {paths}, from: 0, to: 2, count: 9 }}); }});"
            ),
        )
    };
    let found = answer(&tab, b, &paths);
    let values = &found["values"];
    // At the keys they are what is typed.
    let typed = [
        json!([[5.0], [5.0]]),
        json!([[1.0, 1.0], [1.5, 1.0]]),
        json!([[1.0], [0.0]]),
        json!([[0.0], [1.0]]),
        json!([[290.0, 200.0], [250.0, 150.0]]),
        json!([[0.0], [60.0]]),
        json!([[1.0], [2.0]]),
    ];
    for (at, typed) in typed.iter().enumerate() {
        let lists = values[at].as_array().expect("lists");
        for (end, sample) in [(0, 0), (1, 8)] {
            let seen: Vec<f64> = lists.iter().map(|list| list[sample].as_f64().expect("a number")).collect();
            let wanted: Vec<f64> = typed[end]
                .as_array()
                .expect("numbers")
                .iter()
                .map(|n| n.as_f64().expect("a number"))
                .collect();
            assert_eq!(seen.len(), wanted.len(), "{}: {seen:?}", paths[at]);
            let off = seen.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-6, "{}: {seen:?} {wanted:?}", paths[at]);
        }
    }
    // Two keys are joined by a curve whose middle is half way; a zoom grows by equal factors.
    for (at, middle) in [(2, 0.5), (3, 0.5), (5, 30.0), (6, std::f64::consts::SQRT_2)] {
        let seen = values[at][0][4].as_f64().expect("a number");
        assert!((seen - middle).abs() < 1e-6, "{}: {seen}", paths[at]);
    }
    for path in [
        json!([["clips", "wave", "art", "hand_art", "fill"]]),
        json!([["clips", "wave", "bones", "missing", "rotate"]]),
        json!([["clips", "nothing", "bones", "fore", "rotate"]]),
        json!([["shots"]]),
    ] {
        assert_eq!(answer(&tab, b, &path)["t"], "failed", "{path}");
    }
    // What is selected has its curves: a bone both of its channels, art its own, a rule its own.
    for (select, count) in [
        ("model.select(['upper', 'fore', 'hand']);", 4),
        ("model.select(['upper']);", 2),
        ("model.select([], ['hand_art']);", 1),
        ("model.selectRule(model.rig.rules[0]);", 2),
    ] {
        graph(&tab, b, select);
        let tracks = tab.ask(b, "return document.querySelector('rig-timeline').graph.tracks.length;");
        assert_eq!(tracks, count, "{select}");
    }
    assert_eq!(tab.ask(b, "return window.__errors;"), json!([]));
    tab.close(b);
}

#[test]
fn a_handle_bends_one_stretch_and_keys_move_together() {
    let Some(mut browser) = browser("handles") else { return };
    let b = &mut browser;
    let rig = keyed();
    let live = Live::of(&[("arm.ron", &rig), ("arm.svg", ARM_SVG)]);
    let tab = live.open(b, SCREEN);
    graph(&tab, b, "model.select(['upper', 'fore', 'hand']);");
    // The key of one of three curves is chosen, and the handle behind it pulled.
    let at = key_at(&tab, b, &["bones", "fore", "rotate"], 1.0, -40.0);
    tab.click(b, at, 0);
    tab.settled(b);
    assert_eq!(tab.ask(b, "return [model.keys.size, model.time];"), json!([1, 1]));
    let handles = "const timeline = document.querySelector('rig-timeline'); const box = timeline.getBoundingClientRect(); \
                   return timeline.graph.handles.map((each) => [box.x + each.x, box.y + each.y]);";
    tab.wait(b, "document.querySelector('rig-timeline').graph.handles.length === 2");
    let found = tab.ask(b, handles);
    let place = |at: usize| (found[at][0].as_f64().expect("x"), found[at][1].as_f64().expect("y"));
    // A smooth key has both handles on its slope: here it is flat.
    assert!(distance(place(0), at) > 8.0 && (place(0).1 - at.1).abs() < 4.0, "{found} {at:?}");
    let to = (place(0).0 + 20.0, place(0).1 - 25.0);
    tab.pull(b, place(0), to, 0);
    let bent = changed(&tab, b, &live, &rig);
    assert_eq!(bent.matches("Bezier").count(), 1, "{bent}");
    let (before, after) = bent.split_once("(1, -40, Bezier(").expect("an ease of this key");
    assert!(after.split_once("))").is_some_and(|(_, rest)| rig.ends_with(rest)), "{bent}");
    assert!(rig.starts_with(before), "{bent}");
    undo_to(&tab, b, &live, &rig);

    // A box over the middle keys of all three, moved by half a second: the values stay.
    tab.ask(b, "model.selectKeys([]);");
    let corners = [
        key_at(&tab, b, &["bones", "hand", "rotate"], 1.0, 30.0),
        key_at(&tab, b, &["bones", "fore", "rotate"], 1.0, -40.0),
    ];
    tab.pull(b, (corners[0].0 - 14.0, corners[0].1 - 14.0), (corners[1].0 + 14.0, corners[1].1 + 12.0), 0);
    assert_eq!(tab.ask(b, "return model.keys.size;"), 3);
    let step = key_at(&tab, b, &["bones", "hand", "rotate"], 1.5, 30.0);
    tab.pull(b, corners[0], (step.0, step.1 + 3.0), SHIFT);
    let later = changed(&tab, b, &live, &rig);
    for line in ["(0, 0), (1.5, 20), (2, 0)", "(0, 5), (1.5, -40), (2, 5)", "(0, 10), (1.5, 30), (2, 10)"] {
        assert!(later.contains(line), "{later}");
    }
    undo_to(&tab, b, &live, &rig);
    // In value: all by as much, and the times stay.
    let up = key_at(&tab, b, &["bones", "hand", "rotate"], 1.0, 40.0);
    tab.wait(b, "document.querySelector('rig-timeline').graph.handles.length === 0");
    tab.pull(b, corners[0], (up.0 + 2.0, up.1), SHIFT);
    let higher = changed(&tab, b, &live, &rig);
    for line in ["(0, 0), (1, 30), (2, 0)", "(0, 5), (1, -30), (2, 5)", "(0, 10), (1, 40), (2, 10)"] {
        assert!(higher.contains(line), "{higher}");
    }
    undo_to(&tab, b, &live, &rig);
    // Art and a rule have keys to be moved, too.
    graph(&tab, b, "model.select([], ['hand_art']);");
    let (from, to) = (
        key_at(&tab, b, &["art", "hand_art", "opacity"], 2.0, 0.0),
        key_at(&tab, b, &["art", "hand_art", "opacity"], 2.0, 0.5),
    );
    tab.pull(b, from, to, SHIFT);
    let half = changed(&tab, b, &live, &rig);
    assert!(half.contains("opacity: [(0, 1), (2, 0.5)]"), "{half}");
    undo_to(&tab, b, &live, &rig);
    assert_eq!(tab.ask(b, "return window.__errors;"), json!([]));
    tab.close(b);
}
