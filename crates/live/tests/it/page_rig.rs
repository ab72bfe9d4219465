//! A rig that is made on the page: chains with twins, everything bound, bones split and deleted, rules from the palette,
//! keys retimed.

use std::sync::Arc;

use bone_authoring::{FileNames, scaffold};
use bone_format::{Files, InMemory, no_fonts};
use serde_json::{Value, json};

use crate::browser::{Browser, CTRL, SCREEN, SHIFT, Tab, browser};
use crate::page::{ARM, ARM_SVG, Live, between, distance, repository, turned};
use crate::page_intent::{changed, click_bone, click_on, undo_to};

/// A drawing with two limbs beside its middle, and a rig without bones.
const PUPPET_SVG: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 300" width="300" height="300">
<rect width="300" height="300" fill="#eef"/>
<rect id="body" x="130" y="100" width="40" height="100" fill="#385"/>
<path id="arm" d="M170 110H280V130H170Z" fill="#c73"/>
<path id="other" d="M130 110H20V130H130Z" fill="#c73"/>
</svg>"##;
const PUPPET: &str = "Rig(\n    version: 1,\n    drawing: \"puppet.svg\",\n    bones: {},\n)\n";

fn setup(tab: &Tab, b: &mut Browser) {
    tab.ask(b, "model.setMode('setup'); stage.focus();");
    tab.settled(b);
}

fn hover_and_click(tab: &Tab, b: &mut Browser, at: (f64, f64), keys: u8) {
    tab.move_to(b, at, keys);
    tab.settled(b);
    tab.click(b, at, keys);
    tab.settled(b);
}

#[test]
fn a_chain_is_drawn_with_its_twins_and_bound_by_one_key() {
    let Some(mut browser) = browser("chains") else { return };
    let b = &mut browser;
    let live = Live::of(&[("puppet.ron", PUPPET), ("puppet.svg", PUPPET_SVG)]);
    let tab = live.open(b, SCREEN);
    setup(&tab, b);
    tab.key(b, "m", 0);
    tab.key(b, "n", 0);
    // Near the middle of the arm: the joints lie on it, and the first one 30 units beside the axis.
    for (x, y) in [(180.0, 122.0), (220.0, 119.0), (275.0, 121.0)] {
        let at = tab.place(b, x, y);
        hover_and_click(&tab, b, at, 0);
    }
    tab.key(b, "Enter", 0);
    let drawn = changed(&tab, b, &live, PUPPET);
    for line in [
        "\n        \"arm.L\": (from: (180, 120), to: (220, 120)),",
        "\n        \"arm.R\": (from: (120, 120), to: (80, 120)),",
        "\n        \"arm_2.L\": (parent: \"arm.L\", to: (275, 120)),",
        "\n        \"arm_2.R\": (parent: \"arm.R\", to: (25, 120)),",
    ] {
        assert!(drawn.contains(line), "{drawn}");
    }
    assert_eq!(tab.ask(b, "return model.bones;"), json!(["arm_2.L"]));
    assert_eq!(tab.ask(b, "return model.rig.undo.length;"), 1, "one step");
    // With Ctrl a joint is where the pointer is; Backspace takes the last point back, Escape all of them.
    let (near, far) = (tab.place(b, 150.0, 190.0), tab.place(b, 153.0, 130.0));
    tab.ask(b, "model.select([]); model.axis = null; model.emit('tool');");
    hover_and_click(&tab, b, near, CTRL);
    hover_and_click(&tab, b, far, CTRL);
    tab.key(b, "Backspace", 0);
    let up = tab.place(b, 153.0, 110.0);
    hover_and_click(&tab, b, up, CTRL);
    tab.key(b, "Enter", 0);
    let spine = changed(&tab, b, &live, &drawn);
    assert!(spine.contains("\"body\": (from: (150, 190), to: (153, 110)),"), "{spine}");
    tab.key(b, "Escape", 0);

    tab.key(b, "b", CTRL);
    let bound = changed(&tab, b, &live, &spine);
    for binding in [
        "Smooth(art: \"arm\", bones: [\"arm.L\", \"arm_2.L\"])",
        "Smooth(art: \"other\", bones: [\"arm.R\", \"arm_2.R\"])",
        "Rigid(art: \"body\", bone: \"body\")",
    ] {
        assert!(bound.contains(binding), "{bound}");
    }
    undo_to(&tab, b, &live, &spine);
    undo_to(&tab, b, &live, &drawn);
    undo_to(&tab, b, &live, PUPPET);
    assert_eq!(tab.ask(b, "return window.__errors;"), json!([]));
    tab.close(b);
}

#[test]
fn an_example_is_bound_as_init_binds_it() {
    let Some(mut browser) = browser("binding") else { return };
    let b = &mut browser;
    let svg = std::fs::read_to_string(repository("assets/tutorial/waver.svg")).expect("a drawing");
    let files: Arc<dyn Files> = Arc::new(InMemory::new().with("waver.svg", svg.as_str()));
    let called = FileNames { drawing: "waver.svg", rig: "waver.ron" };
    let made = scaffold("waver.svg".as_ref(), called, &files, &no_fonts).rig.expect("a scaffold").text;
    // The same without its bindings, but for one that is typed.
    let start = made.find("skin: [").expect("bindings") + "skin: [".len();
    let end = start + made[start..].find("\n    ]").expect("their end");
    let typed = "Rigid(art: \"head\", bone: \"spine\")";
    let bare = format!("{}{typed}{}", &made[..start], &made[end + 5..]);
    let live = Live::of(&[("waver.ron", &bare), ("waver.svg", &svg)]);
    let tab = live.open(b, SCREEN);
    setup(&tab, b);
    tab.key(b, "b", CTRL);
    let bound = changed(&tab, b, &live, &bare);
    let bindings = |text: &str| -> Vec<String> {
        let words = text.split("skin: [").nth(1).expect("bindings").split("\n    ]").next().expect("an end");
        let all = words
            .split_inclusive(')')
            .map(|one| one.trim_start_matches([',', ' ', '\n']).trim_end_matches(']').to_owned());
        all.filter(|one| one.starts_with("Rigid") || one.starts_with("Smooth")).collect()
    };
    let (found, wanted) = (bindings(&bound), bindings(&made));
    assert_eq!(found[0], typed, "{bound}");
    let others =
        |list: Vec<String>| list.into_iter().filter(|one| !one.contains("\"head\"")).collect::<Vec<_>>();
    assert_eq!(others(found), others(wanted), "{bound}");
    tab.close(b);
}

#[test]
fn bones_are_cut_and_deleted_without_a_change_of_the_picture() {
    let Some(mut browser) = browser("bones") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    let picture = |tab: &Tab, b: &mut Browser| {
        tab.ask(b, "const canvas = document.querySelector('canvas.picture'); return canvas.toDataURL();")
    };
    tab.go(b, 1.0);
    let before = picture(&tab, b);
    setup(&tab, b);
    tab.key(b, "e", 0);
    let [joint, tip] = tab.bone(b, "fore");
    hover_and_click(&tab, b, between(joint, tip, 0.51), 0);
    let cut = changed(&tab, b, &live, ARM);
    assert!(cut.contains("\"fore\":  (parent: \"upper\", to: (200, 200), limits: (-150, 150)),"), "{cut}");
    assert!(cut.contains("\"fore_2\": (parent: \"fore\", to: (240, 200)),"), "{cut}");
    assert!(cut.contains("\"hand\":  (parent: \"fore_2\", to: (290, 200)),"), "{cut}");
    tab.ask(b, "model.setMode('pose');");
    tab.go(b, 1.0);
    assert_eq!(picture(&tab, b), before, "the same frame");
    setup(&tab, b);
    click_bone(&tab, b, "fore_2", 0);
    tab.key(b, "Delete", 0);
    let healed = changed(&tab, b, &live, &cut);
    assert!(healed.contains("\"hand\":  (parent: \"fore\", from: (240, 200), to: (290, 200)),"), "{healed}");
    undo_to(&tab, b, &live, &cut);
    undo_to(&tab, b, &live, ARM);
    // What a bone carried goes to the one below it.
    click_bone(&tab, b, "hand", 0);
    tab.key(b, "Delete", 0);
    let text = changed(&tab, b, &live, ARM);
    assert!(
        text.contains("Rigid(art: \"hand_art\",  bone: \"fore\")") && !text.contains("\"hand\""),
        "{text}"
    );
    undo_to(&tab, b, &live, ARM);
    assert_eq!(tab.ask(b, "return window.__errors;"), json!([]));
    tab.close(b);
}

#[test]
fn rules_come_from_a_palette_and_go_again() {
    let Some(mut browser) = browser("rules") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    setup(&tab, b);
    click_bone(&tab, b, "hand", 0);
    tab.key(b, "x", 0);
    tab.wait(b, "document.querySelector('dialog.palette[open]')");
    tab.key(b, "i", 0);
    tab.wait(b, "document.querySelector('rig-stage').dataset.tool === 'rule'");
    let [joint, tip] = tab.bone(b, "hand");
    let to = tab.place(b, 250.0, 130.0);
    tab.pull(b, between(joint, tip, 0.8), to, 0);
    let goal = changed(&tab, b, &live, ARM);
    assert!(goal.contains("Ik(name: \"hand\", tip: \"hand\", target: (250, 130), chain: 2)"), "{goal}");
    // The tip is there in the pose.
    tab.ask(b, "model.setMode('pose');");
    tab.go(b, 0.0);
    let [_, tip] = tab.bone(b, "hand");
    let goal_at = tab.place(b, 250.0, 130.0);
    assert!(distance(tip, goal_at) < 0.6, "{tip:?} {goal_at:?}");

    // A second rule, by keys alone: the arc of limits.
    setup(&tab, b);
    click_bone(&tab, b, "upper", 0);
    tab.key(b, "x", 0);
    tab.wait(b, "document.querySelector('dialog.palette[open]')");
    tab.key(b, "l", 0);
    let limited = changed(&tab, b, &live, &goal);
    assert!(
        limited.contains("\"upper\": (from: (60, 200), to: (160, 200), limits: (-45, 45)),"),
        "{limited}"
    );
    // An end of its arc is dragged: whole degrees. A key beyond is what was typed, and a finding says so.
    tab.settled(b);
    let handle = tab.ask(b, "const box = stage.getBoundingClientRect(); const { x, y } = stage.querySelectorAll('.limit-handle')[1].dataset; return [Number(x) + box.left, Number(y) + box.top];");
    let handle = (handle[0].as_f64().expect("x"), handle[1].as_f64().expect("y"));
    let [joint, _] = tab.bone(b, "upper");
    tab.pull(b, handle, turned(handle, joint, -15.0), 0);
    let narrower = changed(&tab, b, &live, &limited);
    assert!(narrower.contains("limits: (-45, 30)"), "{narrower}");
    tab.ask(b, "model.setMode('pose'); model.select(['upper']); stage.focus();");
    tab.go(b, 0.0);
    for key in ["r", "7", "0", "Enter"] {
        tab.key(b, key, 0);
    }
    let beyond = changed(&tab, b, &live, &narrower);
    let found = tab.ask(b, "return model.rig.findings.findings.map((finding) => finding.code);");
    assert_eq!(found, json!(["beyond-limits"]), "{beyond}");
    undo_to(&tab, b, &live, &narrower);
    undo_to(&tab, b, &live, &limited);
    setup(&tab, b);
    undo_to(&tab, b, &live, &goal);

    // The list of rules: what it moves is lit, its strength is typed, Delete takes it out to the byte.
    click_on(&tab, b, "[data-shows=rules]");
    click_on(&tab, b, "rig-tree [role=treeitem]");
    tab.settled(b);
    assert_eq!(tab.ask(b, "return model.bones;"), json!(["hand"]));
    tab.wait(b, "document.querySelector('rig-properties [data-label=Mix] input')");
    tab.ask(
        b,
        "const field = document.querySelector('rig-properties [data-label=Mix] input'); field.value = '0.5'; \
         field.dispatchEvent(new Event('change', { bubbles: true }));",
    );
    let weaker = changed(&tab, b, &live, &goal);
    assert!(weaker.contains("chain: 2, mix: 0.5)") || weaker.contains("mix: 0.5"), "{weaker}");
    undo_to(&tab, b, &live, &goal);
    click_on(&tab, b, "rig-tree [role=treeitem]");
    tab.ask(b, "stage.focus();");
    tab.key(b, "Delete", 0);
    let gone = changed(&tab, b, &live, &goal);
    assert_eq!(gone, ARM, "the list goes with its last rule");
    undo_to(&tab, b, &live, &goal);
    undo_to(&tab, b, &live, ARM);
    // A chain of springs.
    click_on(&tab, b, "[data-shows=bones]");
    click_bone(&tab, b, "fore", 0);
    tab.key(b, "x", 0);
    tab.wait(b, "document.querySelector('dialog.palette[open]')");
    tab.key(b, "s", 0);
    let swings = changed(&tab, b, &live, ARM);
    assert!(swings.contains("(chain: \"fore\", stiffness: 2, damping: 0.15)"), "{swings}");
    assert_eq!(tab.ask(b, "return window.__errors;"), json!([]));
    tab.close(b);
}

#[test]
fn selected_keys_are_stretched_by_their_ends() {
    let Some(mut browser) = browser("retiming") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    let edges = |tab: &Tab, b: &mut Browser| -> [(f64, f64); 3] {
        let at = tab.ask(
            b,
            "const timeline = document.querySelector('rig-timeline'); const box = timeline.getBoundingClientRect(); \
             return [1, 1.5, 2].map((time) => box.left + timeline.x(time)).concat(box.top + 22);",
        );
        let number = |index: usize| at[index].as_f64().expect("a place");
        [0, 1, 2].map(|index| (number(index), number(3)))
    };
    // The keys at 0 and 1: their last one goes to 1.5.
    tab.ask(b, "model.selectKeys(model.tracks().flatMap((track) => track.keys.filter((key) => key.t < 1.5).map((key) => `${JSON.stringify(track.path)}@${Math.round(key.t * 1e4)}`)));");
    tab.settled(b);
    let [one, later, _] = edges(&tab, b);
    tab.pull(b, one, later, 0);
    let text = changed(&tab, b, &live, ARM);
    assert!(text.contains("rotate: [(0, 5), (1.5, -40), (2, 5)]"), "{text}");
    assert_eq!(tab.ask(b, "return model.keys.size;"), 2);
    undo_to(&tab, b, &live, ARM);
    // Onto the key at the end: that is replaced, and comes back.
    let [one, _, two] = edges(&tab, b);
    tab.ask(b, "model.selectKeys(model.tracks().flatMap((track) => track.keys.filter((key) => key.t < 1.5).map((key) => `${JSON.stringify(track.path)}@${Math.round(key.t * 1e4)}`)));");
    tab.settled(b);
    tab.pull(b, one, two, 0);
    let text = changed(&tab, b, &live, ARM);
    assert!(text.contains("rotate: [(0, 5), (2, -40)]"), "{text}");
    undo_to(&tab, b, &live, ARM);
    // Half a cycle by one key, and back.
    tab.ask(b, "stage.focus();");
    tab.key(b, "z", 0);
    let half = changed(&tab, b, &live, ARM);
    assert!(half.contains("half: Swap"), "{half}");
    tab.key(b, "z", 0);
    live.wait(|text| !text.contains("half"));
    let _: Value = tab.ask(b, "return window.__errors;");
    tab.close(b);
}

#[test]
fn the_other_side_of_a_limb_is_one_key() {
    let Some(mut browser) = browser("mirror") else { return };
    let b = &mut browser;
    let rig = PUPPET.replace(
        "bones: {}",
        "bones: {\n        \"body\": (from: (150, 190), to: (150, 110)),\n        \
         \"arm.L\": (parent: \"body\", from: (175, 120), to: (225, 120), limits: (-90, 20)),\n        \
         \"hand.L\": (parent: \"arm.L\", to: (275, 120)),\n    }",
    );
    let live = Live::of(&[("puppet.ron", &rig), ("puppet.svg", PUPPET_SVG)]);
    let tab = live.open(b, SCREEN);
    setup(&tab, b);
    click_bone(&tab, b, "arm.L", 0);
    click_bone(&tab, b, "hand.L", SHIFT);
    tab.key(b, "m", CTRL);
    let text = changed(&tab, b, &live, &rig);
    assert!(
        text.contains("\"arm.R\": (parent: \"body\", from: (125, 120), to: (75, 120), limits: (-20, 90)),"),
        "{text}"
    );
    assert!(text.contains("\"hand.R\": (parent: \"arm.R\", to: (25, 120)),"), "{text}");
    undo_to(&tab, b, &live, &rig);
    tab.close(b);
}

/// The drawing of the arm has a place that is no art's.
#[test]
fn a_joint_beside_all_art_is_where_the_pointer_is() {
    let Some(mut browser) = browser("free joints") else { return };
    let b = &mut browser;
    let live = Live::of(&[("arm.ron", ARM), ("arm.svg", ARM_SVG)]);
    let tab = live.open(b, SCREEN);
    setup(&tab, b);
    tab.ask(b, "model.select([]);");
    tab.key(b, "n", 0);
    let (from, to) = (tab.place(b, 100.0, 300.0), tab.place(b, 150.0, 340.0));
    tab.pull(b, from, to, 0);
    let text = changed(&tab, b, &live, ARM);
    assert!(text.contains("\"bone\": (from: (100, 300), to: (150, 340)),"), "{text}");
    undo_to(&tab, b, &live, ARM);
    tab.close(b);
}

#[test]
fn a_slider_records_what_is_posed() {
    let Some(mut browser) = browser("recording") else { return };
    let b = &mut browser;
    let rig = ARM.replace("    clips: {", "    sliders: {\"wave\": (range: (0, 60))},\n    clips: {");
    let live = Live::of(&[("arm.ron", &rig), ("arm.svg", ARM_SVG)]);
    let tab = live.open(b, SCREEN);
    let picture = |tab: &Tab, b: &mut Browser| {
        tab.settled(b);
        tab.ask(b, "return document.querySelector('canvas.picture').toDataURL();")
    };
    tab.go(b, 0.0);
    let rest = picture(&tab, b);
    tab.ask(b, "model.select([]); model.slide('wave', 60);");
    let record = "[...document.querySelectorAll('rig-properties button')].find((button) => button.dataset.do === 'record')";
    tab.wait(b, record);
    tab.eval(b, &format!("{record}.id = 'record'"));
    click_on(&tab, b, "#record");
    tab.wait(b, "document.body.classList.contains('mode-record')");
    // The hand is turned: no key of the clip comes of it.
    let [joint, tip] = tab.bone(b, "hand");
    let at = between(joint, tip, 0.6);
    let points: Vec<_> = (0..=8).map(|step| turned(at, joint, 5.0 * f64::from(step))).collect();
    tab.drag(b, &points, 0);
    tab.settled(b);
    tab.ask(b, "stage.focus();");
    tab.key(b, "Enter", 0);
    let text = changed(&tab, b, &live, &rig);
    let degrees: f64 = text
        .split("\"hand\": (rotate: [(0, 0), (60, ")
        .nth(1)
        .and_then(|rest| rest.split(')').next()?.parse().ok())
        .unwrap_or_default();
    assert!((degrees - 40.0).abs() < 1.5, "{text}");
    assert!(text.contains("slider: \"wave\""), "{text}");
    // With the slider at rest not a pixel differs; with it the hand is turned.
    tab.ask(b, "model.slide('wave', null);");
    assert_eq!(picture(&tab, b), rest);
    tab.ask(b, "model.slide('wave', 60);");
    assert_ne!(picture(&tab, b), rest);
    undo_to(&tab, b, &live, &rig);
    assert_eq!(tab.ask(b, "return window.__errors;"), json!([]));
    tab.close(b);
}
