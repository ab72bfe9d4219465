//! The page writes what was meant: identity of what is selected, bindings, rules and goals, loops, and joints.

use kurbo::Vec2;
use serde_json::{Value, json};

use crate::browser::{ALT, Browser, CTRL, SCREEN, SHIFT, Tab, browser};
use crate::page::{ARM, ARM_SVG, Live, between, distance, turned};

/// The middle of what a selector finds, and a click there.
pub(crate) fn click_on(tab: &Tab, b: &mut Browser, selector: &str) {
    let at = tab.eval(
        b,
        &format!(
            "(() => {{ const box = document.querySelector({}).getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2]; }})()",
            json!(selector)
        ),
    );
    tab.click(b, (at[0].as_f64().expect("x"), at[1].as_f64().expect("y")), 0);
}

/// Clicks the button of the panel that has a text.
fn press_button(tab: &Tab, b: &mut Browser, text: &str) {
    let button = format!(
        "[...document.querySelectorAll('rig-properties button')].find((button) => button.textContent.startsWith({}))",
        json!(text)
    );
    tab.wait(b, &button);
    tab.eval(b, &format!("{button}.id = 'pressed'"));
    click_on(tab, b, "#pressed");
}

/// The text once it is another one, and the page has it.
pub(crate) fn changed(tab: &Tab, b: &mut Browser, live: &Live, was: &str) -> String {
    let text = live.wait(|text| text != was);
    // The document answers in order.
    tab.ask(b, "await model.link.ask({ t: 'text', file: model.rig.rig });");
    tab.settled(b);
    text
}

/// Steps back to a text, to the byte.
pub(crate) fn undo_to(tab: &Tab, b: &mut Browser, live: &Live, text: &str) {
    tab.ask(b, "model.announce('');");
    tab.key(b, "z", CTRL);
    live.wait(|now| now == text);
    tab.wait(b, "document.querySelector('rig-status').textContent.startsWith('Undone')");
    tab.settled(b);
}

/// Clicks the middle of a bone.
pub(crate) fn click_bone(tab: &Tab, b: &mut Browser, name: &str, keys: u8) {
    let [joint, tip] = tab.bone(b, name);
    tab.click(b, between(joint, tip, 0.5), keys);
    tab.settled(b);
}

/// Chooses an option of a list as a hand does: it opens, the option is taken.
fn choose(tab: &Tab, b: &mut Browser, list: &str, option: &str) {
    tab.eval(
        b,
        &format!(
            "(() => {{ const list = document.querySelector({}); list.focus(); list.value = {}; \
             list.dispatchEvent(new Event('input', {{ bubbles: true }})); \
             list.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()",
            json!(list),
            json!(option)
        ),
    );
}

const TITLE: &str = "document.querySelector('rig-properties h2').textContent";

#[test]
fn the_bone_of_the_panel_is_keyed() {
    let Some(mut browser) = browser("the panel of bones") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    // The numbers of both are equal: nothing is keyed.
    tab.go(b, 0.5);
    click_bone(&tab, b, "upper", 0);
    tab.wait(b, &format!("{TITLE} === 'upper'"));
    click_bone(&tab, b, "hand", 0);
    tab.wait(b, &format!("{TITLE} === 'hand'"));
    click_on(&tab, b, "#k-rotate");
    let text = changed(&tab, b, &live, ARM);
    assert!(text.contains("\"hand\": (rotate: ") && !text.contains("\"upper\": (rotate"), "{text}");
    tab.settled(b);
    undo_to(&tab, b, &live, ARM);
    // A number that is typed for one, before the other is clicked, is that of the first one.
    click_bone(&tab, b, "upper", 0);
    tab.wait(b, &format!("{TITLE} === 'upper'"));
    click_on(&tab, b, "#p-Rotate-0");
    tab.ask(b, "document.activeElement.select();");
    tab.type_text(b, "12");
    click_bone(&tab, b, "hand", 0);
    let text = changed(&tab, b, &live, ARM);
    assert!(text.contains("\"upper\": (rotate: ") && !text.contains("\"hand\": (rotate"), "{text}");
    tab.wait(b, &format!("{TITLE} === 'hand'"));
    tab.settled(b);
    undo_to(&tab, b, &live, ARM);
    // R and a number are for the bone that was selected when R was pressed.
    tab.ask(b, "model.select(['upper']); stage.focus();");
    tab.settled(b);
    for key in ["r", "9"] {
        tab.key(b, key, 0);
    }
    tab.ask(b, "model.select(['hand']);");
    tab.key(b, "Enter", 0);
    let text = changed(&tab, b, &live, ARM);
    assert!(text.contains("\"upper\": (rotate: ") && !text.contains("\"hand\": (rotate"), "{text}");
    tab.close(b);
}

#[test]
fn the_clip_of_the_panel_is_deleted() {
    let Some(mut browser) = browser("the panel of clips") else { return };
    let b = &mut browser;
    let clips = "clips: {\n        \"one\": (length: 2, bones: {}),\n        \"two\": (length: 2, bones: {}),\n    },\n)\n";
    let (head, _) = ARM.split_once("clips: {").expect("clips");
    let rig = format!("{head}{clips}");
    let live = Live::of(&[("arm.ron", &rig), ("arm.svg", ARM_SVG)]);
    let tab = live.open(b, SCREEN);
    tab.wait(b, &format!("{TITLE} === 'Clip one'"));
    choose(&tab, b, "rig-toolbar select", "two");
    tab.wait(b, &format!("{TITLE} === 'Clip two'"));
    press_button(&tab, b, "Delete");
    let text = changed(&tab, b, &live, &rig);
    assert_eq!(text, rig.replace("        \"two\": (length: 2, bones: {}),\n", ""));
    tab.settled(b);
    undo_to(&tab, b, &live, &rig);
    tab.close(b);
}

#[test]
fn all_pieces_that_are_chosen_are_bound() {
    let Some(mut browser) = browser("pieces that are bound") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    tab.ask(b, "model.setMode('setup'); model.select(['upper'], ['hand_art', 'upper_art', 'fore_art']); stage.focus();");
    tab.settled(b);
    tab.key(b, "b", 0);
    let text = changed(&tab, b, &live, ARM);
    let expected =
        ARM.replace("bone: \"fore\"", "bone: \"upper\"").replace("bone: \"hand\"", "bone: \"upper\"");
    assert_eq!(text, expected);
    tab.settled(b);
    assert_eq!(tab.ask(b, "return model.rig.undo.length;"), 1);
    let follow = "return model.rig.art.filter((art) => art.bound).map((art) => art.follows.bones.join());";
    assert_eq!(tab.ask(b, follow), json!(["upper", "upper", "upper"]));
    undo_to(&tab, b, &live, ARM);
    // Two, to several bones, and loose again.
    tab.ask(b, "model.select(['upper', 'fore'], ['fore_art', 'upper_art']); stage.focus();");
    tab.key(b, "b", 0);
    let text = changed(&tab, b, &live, ARM);
    assert_eq!(text.matches("Smooth(").count(), 2, "{text}");
    tab.settled(b);
    undo_to(&tab, b, &live, ARM);
    tab.ask(b, "model.select([], ['upper_art', 'hand_art', 'fore_art']);");
    press_button(&tab, b, "Unbind");
    let text = changed(&tab, b, &live, ARM);
    assert!(!text.contains("_art"), "{text}");
    tab.settled(b);
    assert_eq!(tab.ask(b, "return model.rig.undo.length;"), 1);
    undo_to(&tab, b, &live, ARM);
    tab.close(b);
}

/// How many pixels of the stage's picture have the colour of the guide lines, #ff00ff.
fn guide_pixels(tab: &Tab, b: &mut Browser) -> Value {
    tab.settled(b);
    tab.ask(
        b,
        "const canvas = document.querySelector('canvas.picture'); \
         const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height); let count = 0; \
         for (let at = 0; at < data.length; at += 4) if (data[at] > 200 && data[at + 1] < 60 && data[at + 2] > 200) count += 1; \
         return count;",
    )
}

#[test]
fn a_new_clip_does_not_show_the_bone_lines() {
    let Some(mut browser) = browser("a new clip with bone lines") else { return };
    let b = &mut browser;
    let lines = "<g id=\"layer7\" inkscape:label=\"Bones\" xmlns:inkscape=\"http://www.inkscape.org/namespaces/inkscape\" \
                 stroke=\"#ff00ff\" stroke-width=\"4\" fill=\"none\"><path id=\"l1\" d=\"M60 200H160\"/><path id=\"l2\" d=\"M160 200H240\"/></g>\n</svg>";
    let svg = ARM_SVG.replace("</svg>", lines);
    let (head, tail) = ARM.split_once("        \"wave\"").expect("a clip");
    let rig = format!("{head}{}", &tail[tail.find("    },\n)").expect("the end")..]);
    let live = Live::of(&[("arm.ron", &rig), ("arm.svg", &svg)]);
    let tab = live.open(b, SCREEN);
    assert!(guide_pixels(&tab, b).as_u64() > Some(100), "the drawing has its lines");
    tab.key(b, "c", 0);
    tab.wait(b, "document.querySelector('dialog[open] input')");
    tab.key(b, "Enter", 0);
    let text = changed(&tab, b, &live, &rig);
    assert!(text.contains("\"Bones\": (visible: [(0, false)])"), "{text}");
    tab.wait(b, "document.querySelector('rig-toolbar select').value === 'clip1'");
    assert_eq!(guide_pixels(&tab, b), 0, "the new clip");
    tab.ask(b, "model.setMode('setup');");
    assert_eq!(guide_pixels(&tab, b), 0, "the setup");
    tab.ask(b, "model.setMode('pose');");
    // A clip that another program's message adds.
    tab.ask(b, "await model.link.ask({ t: 'edit', title: '', gesture: null, ops: [{ op: 'AddClip', name: 'other', length: 1 }] });");
    live.wait(|text| text.contains("other"));
    tab.ask(b, "model.setClip('other');");
    assert_eq!(guide_pixels(&tab, b), 0, "a clip of a message");
    tab.close(b);
}

/// The arm with a tail of rules.
fn with_rules(rules: &str, clips: &str) -> String {
    let (head, _) = ARM.split_once("    clips: {").expect("clips");
    format!("{head}    constraints: [{rules}],\n    clips: {{ {clips} }},\n)\n")
}

#[test]
fn what_a_rule_moves_is_moved_by_its_goal_or_not_at_all() {
    let Some(mut browser) = browser("bones that rules move") else { return };
    let b = &mut browser;
    let rig =
        with_rules("Ik(name: \"reach\", tip: \"hand\", target: (270, 170), chain: 3)", "\"a\": (length: 2)");
    let live = Live::of(&[("arm.ron", &rig), ("arm.svg", ARM_SVG)]);
    let tab = live.open(b, SCREEN);
    tab.go(b, 0.5);
    assert_eq!(tab.ask(b, "return model.bone('fore').held;"), json!(["Ik reach"]));
    let [joint, tip] = tab.bone(b, "fore");
    let grip = between(joint, tip, 0.5);
    tab.pull(b, grip, (grip.0, grip.1 - 90.0), 0);
    tab.settled(b);
    let text = changed(&tab, b, &live, &rig);
    assert!(text.contains("\"reach\": (target: ") && !text.contains("rotate"), "{text}");
    undo_to(&tab, b, &live, &rig);
    // To turn it alone is refused, with the reason, wherever the pointer is at last.
    for ends_at_start in [false, true] {
        let [joint, tip] = tab.bone(b, "fore");
        let grip = between(joint, tip, 0.6);
        let mut path: Vec<_> = (0..=12).map(|step| turned(grip, joint, f64::from(step) * -6.0)).collect();
        if ends_at_start {
            path.extend((0..=12).map(|step| turned(grip, joint, f64::from(12 - step) * -6.0)));
        }
        tab.ask(b, "document.querySelectorAll('rig-notes .card').forEach((card) => card.remove());");
        tab.drag(b, &path, CTRL);
        tab.wait(b, "document.querySelector('rig-notes .card.error')?.textContent.includes('is moved by the constraint \"reach\"')");
        tab.settled(b);
        assert_eq!(live.text(), rig);
        assert_eq!(
            tab.ask(b, "return [model.rig.undo.length, Object.keys(model.pose).length];"),
            json!([0, 0])
        );
    }
    // One that no goal moves: the copy of another bone.
    let rig =
        with_rules("Copy(name: \"twin\", bone: \"hand\", from: \"upper\", rotate: 1)", "\"a\": (length: 2)");
    live.write("arm.ron", &rig);
    let begin = std::time::Instant::now();
    while tab.ask(b, "return model.bone('hand').held;") != json!(["Copy twin"]) {
        assert!(begin.elapsed() < std::time::Duration::from_secs(10), "the rig of the file");
    }
    tab.settled(b);
    let [joint, tip] = tab.bone(b, "hand");
    let grip = between(joint, tip, 0.6);
    let path: Vec<_> = (0..=12).map(|step| turned(grip, joint, f64::from(step) * 5.0)).collect();
    tab.drag(b, &path, 0);
    tab.wait(b, "[...document.querySelectorAll('rig-notes .card.error')].some((card) => card.textContent.includes('\"twin\"'))");
    assert_eq!(live.text(), rig);
    tab.close(b);
    // A target that is a bone is not sent away for a point that cannot be reached: a crosshead on its rail.
    let live = Live::example("engine");
    let rig = live.text();
    let tab = live.open(b, SCREEN);
    tab.go(b, 0.5);
    tab.ask(b, "model.select(['crosshead']);");
    tab.settled(b);
    let [joint, tip] = tab.bone(b, "crosshead");
    let grip = between(joint, tip, 0.5);
    tab.pull(b, grip, (grip.0 + 50.0, grip.1 - 40.0), 0);
    tab.wait(
        b,
        "document.querySelector('rig-notes .card.error')?.textContent.includes('\"crosshead\" is moved by')",
    );
    assert_eq!(live.text(), rig);
    tab.close(b);
}

#[test]
fn a_goal_stands_where_the_clip_has_it() {
    let Some(mut browser) = browser("goals that move") else { return };
    let b = &mut browser;
    let rig = with_rules(
        "Ik(name: \"reach\", tip: \"hand\", target: (270, 170), chain: 3)",
        "\"a\": (length: 2, constraints: { \"reach\": (target: (keys: [(0, (270, 170)), (2, (190, 90))], ease: Linear)) })",
    );
    let live = Live::of(&[("arm.ron", &rig), ("arm.svg", ARM_SVG)]);
    let tab = live.open(b, SCREEN);
    let handle = "const box = stage.getBoundingClientRect(); const goal = stage.querySelector('circle.goal'); \
                  return [Number(goal.dataset.x) + box.left, Number(goal.dataset.y) + box.top];";
    let place = |at: &Value| (at[0].as_f64().expect("x"), at[1].as_f64().expect("y"));
    for time in [0.0, 0.5, 1.0, 1.5, 2.0] {
        tab.go(b, time);
        let at = place(&tab.ask(b, handle));
        // The keys are linear, and the chain reaches them all.
        let expected = tab.place(b, 270.0 - 40.0 * time, 170.0 - 40.0 * time);
        assert!(distance(at, expected) < 0.5, "at {time}: {at:?} {expected:?}");
        let [_, tip] = tab.bone(b, "hand");
        assert!(distance(at, tip) < 0.5, "at {time}: {at:?} {tip:?}");
    }
    // A drag starts there, and where the handle is held does not matter.
    tab.go(b, 1.0);
    let at = place(&tab.ask(b, handle));
    let grip = (at.0 + 3.0, at.1 - 2.0);
    tab.pull(b, grip, (grip.0 + 24.0, grip.1 + 12.0), 0);
    changed(&tab, b, &live, &rig);
    let now = place(&tab.ask(b, handle));
    assert!(distance(now, (at.0 + 24.0, at.1 + 12.0)) < 0.5, "{at:?} {now:?}");
    undo_to(&tab, b, &live, &rig);
    tab.close(b);
}

#[test]
fn keys_work_after_a_choice_in_a_list() {
    let Some(mut browser) = browser("keys after a choice") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    let focus = "document.activeElement === document.querySelector('rig-stage')";
    let check = |b: &mut Browser, list: &str| {
        tab.wait(b, focus);
        tab.ask(b, "model.setTime(1); model.select(['fore']);");
        tab.settled(b);
        // R turns, Enter sets.
        let before = live.text();
        for key in ["r", "7"] {
            tab.key(b, key, 0);
        }
        tab.key(b, "Enter", 0);
        changed(&tab, b, &live, &before);
        tab.settled(b);
        undo_to(&tab, b, &live, &before);
        tab.key(b, " ", 0);
        tab.wait(b, "document.querySelector('rig-transport [aria-label=Pause]')");
        tab.key(b, " ", 0);
        tab.wait(b, "document.querySelector('rig-transport [aria-label=Play]')");
        tab.key(b, "Tab", 0);
        assert_eq!(tab.ask(b, "return model.mode;"), "setup", "{list}");
        tab.key(b, "Tab", 0);
        assert_eq!(tab.ask(b, "return model.mode;"), "pose", "{list}");
    };
    choose(&tab, b, "rig-toolbar select", "wave");
    check(b, "clips");
    choose(&tab, b, "rig-transport select", "0.5");
    check(b, "speed");
    tab.ask(b, "model.selectKeys([...document.querySelectorAll('[role=gridcell]')].slice(1, 2).map((cell) => cell.dataset.key));");
    choose(&tab, b, "[aria-label='Ease of the selected keys']", "Linear");
    live.wait(|text| text.contains("Linear"));
    tab.settled(b);
    undo_to(&tab, b, &live, ARM);
    check(b, "eases");
    // Bones, with the pointer.
    click_on(&tab, b, "[data-name=fore] .name");
    check(b, "bones");
    tab.ask(b, "model.setMode('setup'); model.select(['hand']);");
    tab.settled(b);
    choose(&tab, b, "[id='p-Moves as']", "Free");
    live.wait(|text| text.contains("joint: Free"));
    tab.settled(b);
    undo_to(&tab, b, &live, ARM);
    tab.ask(b, "model.setMode('pose');");
    check(b, "joints");
    // A list that has the focus takes no letters, and a field does.
    tab.eval(b, "document.querySelector('rig-transport select').focus()");
    tab.key(b, "o", 0);
    assert_eq!(tab.ask(b, "return model.onion;"), true);
    tab.eval(b, "document.querySelector('rig-transport input').focus()");
    tab.key(b, "o", 0);
    assert_eq!(tab.ask(b, "return model.onion;"), true);
    tab.close(b);
}

/// The arm with one clip, of the given fields.
fn with_clip(fields: &str) -> String {
    let (head, _) = ARM.split_once("        \"wave\"").expect("a clip");
    format!("{head}        \"wave\": ({fields}),\n    }},\n)\n")
}

/// Keys a bone at a time by a number that is typed after a key, and gives the new text.
fn key_by(tab: &Tab, b: &mut Browser, live: &Live, (bone, time): (&str, f64), typed: &str) -> String {
    tab.ask(b, &format!("model.select([{}]); stage.focus();", json!(bone)));
    tab.go(b, time);
    let before = live.text();
    for key in typed.chars() {
        tab.key(b, &key.to_string(), 0);
    }
    tab.key(b, "Enter", 0);
    let text = changed(tab, b, live, &before);
    tab.settled(b);
    text
}

#[test]
fn a_first_key_changes_its_stretch_alone() {
    let Some(mut browser) = browser("first keys") else { return };
    let b = &mut browser;
    // Fields of the clip, the bone, the time, what is typed, and the channel afterwards.
    let fore = "length: 2, loop: true, bones: { \"fore\": (rotate: [(1, 5)]) }";
    let open = "length: 2, bones: { \"fore\": (rotate: [(1, 5)]) }";
    let cases = [
        (fore, 0.5, "r-45", "\"fore\": (rotate: [(0, 5), (0.5, -40), (1, 5), (2, 5)])"),
        (fore, 1.5, "r5", "\"fore\": (rotate: [(1, 5), (1.5, 10), (2, 5)])"),
        (fore, 0.0, "r-45", "\"fore\": (rotate: [(0, -40), (1, 5), (2, -40)])"),
        (fore, 2.0, "r-45", "\"fore\": (rotate: [(0, -40), (1, 5), (2, -40)])"),
        (fore, 1.0, "r20", "\"fore\": (rotate: [(1, 25)])"),
        (open, 0.5, "r-45", "\"fore\": (rotate: [(0, 5), (0.5, -40), (1, 5)])"),
        (open, 1.5, "r-45", "\"fore\": (rotate: [(1, 5), (1.5, -40)])"),
        ("length: 2", 0.5, "r30", "\"fore\": (rotate: [(0, 0), (0.5, 30)])"),
        ("length: 2", 0.0, "r30", "\"fore\": (rotate: [(0, 30)])"),
        ("length: 2", 2.0, "r30", "\"fore\": (rotate: [(0, 0), (2, 30)])"),
        ("length: 2, loop: true", 0.5, "r30", "\"fore\": (rotate: [(0, 0), (0.5, 30), (2, 0)])"),
        ("length: 2, loop: true", 0.0, "r30", "\"fore\": (rotate: [(0, 30)])"),
        ("length: 2, loop: true", 2.0, "r30", "\"fore\": (rotate: [(0, 30), (2, 30)])"),
        ("length: 2, loop: true", 0.5, "g3,4", "\"fore\": (move: [(0, (0, 0)), (0.5, (3, 4)), (2, (0, 0))])"),
        ("length: 2, loop: true", 0.5, "s2", "\"fore\": (scale: [(0, 1), (0.5, 2), (2, 1)])"),
        ("length: 2", 0.5, "s2,3", "\"fore\": (scale: [(0, 1), (0.5, (2, 3))])"),
    ];
    let live = Live::of(&[("arm.ron", &with_clip(cases[0].0)), ("arm.svg", ARM_SVG)]);
    let tab = live.open(b, SCREEN);
    let mut loaded = live.text();
    for (fields, time, typed, expected) in cases {
        let rig = with_clip(fields);
        if rig != loaded {
            tab.ask(b, "model.announce('');");
            live.write("arm.ron", &rig);
            tab.wait(b, "document.querySelector('rig-status').textContent.startsWith('From the file')");
            loaded.clone_from(&rig);
        }
        tab.settled(b);
        let text = key_by(&tab, b, &live, ("fore", time), typed);
        assert!(text.contains(expected), "{fields}, {typed} at {time}: expected {expected}\n{text}");
        if fields.contains("loop") {
            // The first frame is the last one.
            tab.go(b, 0.0);
            let first = tab.bone(b, "fore");
            tab.go(b, 2.0);
            assert_eq!(first, tab.bone(b, "fore"));
        }
        undo_to(&tab, b, &live, &rig);
    }
    // A goal.
    let rig = with_rules(
        "Ik(name: \"reach\", tip: \"hand\", target: (270, 170), chain: 3)",
        "\"a\": (length: 2, loop: true)",
    );
    tab.ask(b, "model.announce('');");
    live.write("arm.ron", &rig);
    tab.wait(b, "document.querySelector('rig-status').textContent.startsWith('From the file')");
    tab.settled(b);
    tab.go(b, 0.5);
    let (from, to) = (tab.place(b, 270.0, 170.0), tab.place(b, 240.0, 130.0));
    tab.pull(b, from, to, 0);
    let text = changed(&tab, b, &live, &rig);
    assert!(text.contains("(target: [(0, (270, 170)), (0.5, (240, 130)), (2, (270, 170))])"), "{text}");
    tab.settled(b);
    undo_to(&tab, b, &live, &rig);
    tab.close(b);
}

#[test]
fn all_selected_bones_turn_by_one_angle() {
    let Some(mut browser) = browser("several bones that turn") else { return };
    let b = &mut browser;
    let rig = with_clip("length: 2");
    let live = Live::of(&[("arm.ron", &rig.replace(", limits: (-150, 150)", "")), ("arm.svg", ARM_SVG)]);
    let rig = live.text();
    let tab = live.open(b, SCREEN);
    click_bone(&tab, b, "upper", 0);
    click_bone(&tab, b, "fore", SHIFT);
    click_bone(&tab, b, "hand", SHIFT);
    let [_, tip] = tab.bone(b, "hand");
    let to = tab.place(b, 230.0, 90.0);
    tab.pull(b, tip, to, 0);
    let text = changed(&tab, b, &live, &rig);
    let angle = |bone: &str| -> f64 {
        let start = format!("\"{bone}\": (rotate: [(0, ");
        let value = text.split(&start).nth(1).and_then(|rest| rest.split(')').next());
        value.unwrap_or_else(|| panic!("{bone} in {text}")).parse().expect("a number")
    };
    assert_eq!((angle("upper"), angle("fore")), (angle("fore"), angle("hand")), "{text}");
    assert!(angle("upper") < -10.0, "{text}");
    tab.settled(b);
    let [joint, tip] = tab.bone(b, "hand");
    let direction =
        |to: (f64, f64)| bone_core::Angle::of(Vec2::new(to.0 - joint.0, to.1 - joint.1)).degrees();
    let missed = (direction(tip) - direction(to)).rem_euclid(360.0);
    assert!(!(0.5..=359.5).contains(&missed), "{missed}");
    undo_to(&tab, b, &live, &rig);
    // A number that is typed turns all of them, too.
    tab.ask(b, "stage.focus();");
    for key in ["r", "1", "2"] {
        tab.key(b, key, 0);
    }
    tab.key(b, "Enter", 0);
    let text = changed(&tab, b, &live, &rig);
    assert_eq!(text.matches("(rotate: [(0, 12)])").count(), 3, "{text}");
    tab.close(b);
}

#[test]
fn an_elbow_keeps_its_chain() {
    let Some(mut browser) = browser("elbows") else { return };
    let b = &mut browser;
    let bones = "\"upper\": (from: (60, 200), to: (160, 200)),\n        \"fore\": (parent: \"upper\", to: (240, 200)),\n        \
                 \"hand\": (parent: \"fore\", length: 50),\n        \"thumb\": (parent: \"hand\", length: 20, angle: 30),\n        \
                 \"twin\": (parent: \"upper\", from: (160, 200), to: (180, 260)),\n        \
                 \"spur\": (parent: \"upper\", length: 40, angle: -90),\n        \
                 \"inner\": (parent: \"upper\", origin: (50, 10), length: 20),\n";
    let (start, end) = (ARM.find("\"upper\"").expect("bones"), ARM.find("    },\n    skin").expect("skin"));
    let rig = format!("{}{bones}{}", &ARM[..start], &ARM[end..]);
    let live = Live::of(&[("arm.ron", &rig), ("arm.svg", ARM_SVG)]);
    let tab = live.open(b, SCREEN);
    tab.ask(b, "model.setMode('setup');");
    tab.settled(b);
    let names = ["upper", "fore", "hand", "thumb", "twin", "spur", "inner"];
    let rest: Vec<_> = names.iter().map(|name| tab.bone(b, name)).collect();
    let to = tab.place(b, 170.0, 240.0);
    let elbow = tab.place(b, 160.0, 200.0);
    // The tip of one bone, and the start of the other one: the same joint.
    for held in ["upper", "fore"] {
        tab.ask(b, &format!("model.select(['{held}']);"));
        tab.settled(b);
        tab.pull(b, elbow, to, 0);
        let text = changed(&tab, b, &live, &rig);
        assert!(text.contains("\"upper\": (from: (60, 200), to: (170, 240)),"), "{held}: {text}");
        assert!(text.contains("\"fore\": (parent: \"upper\", to: (240, 200)),"), "{held}: {text}");
        assert!(
            text.contains("\"twin\": (parent: \"upper\", from: (170, 240), to: (180, 260)),"),
            "{held}: {text}"
        );
        assert!(text.contains("\"thumb\": (parent: \"hand\", length: 20, angle: 30)"), "{held}: {text}");
        tab.settled(b);
        for (name, was) in names.iter().zip(&rest) {
            let [joint, tip] = tab.bone(b, name);
            let from = if ["fore", "twin", "spur"].contains(name) { to } else { was[0] };
            let end = if *name == "upper" { to } else { was[1] };
            assert!(
                distance(joint, from) < 0.6 && distance(tip, end) < 0.6,
                "{held}: {name} {joint:?} {tip:?}"
            );
        }
        undo_to(&tab, b, &live, &rig);
    }
    // Alt tears: the child stays, with a `from` of its own.
    tab.ask(b, "model.select(['upper']);");
    tab.settled(b);
    tab.pull(b, elbow, to, ALT);
    let text = changed(&tab, b, &live, &rig);
    assert!(text.contains("\"upper\": (from: (60, 200), to: (170, 240)),"), "{text}");
    assert!(text.contains("\"fore\": (parent: \"upper\", from: (160, 200), to: (240, 200)),"), "{text}");
    assert!(text.contains("\"twin\": (parent: \"upper\", from: (160, 200), to: (180, 260)),"), "{text}");
    tab.settled(b);
    undo_to(&tab, b, &live, &rig);
    tab.ask(b, "model.select(['fore']);");
    tab.settled(b);
    tab.pull(b, elbow, to, ALT);
    let text = changed(&tab, b, &live, &rig);
    assert!(text.contains("\"upper\": (from: (60, 200), to: (160, 200)),"), "{text}");
    assert!(text.contains("\"fore\": (parent: \"upper\", from: (170, 240), to: (240, 200)),"), "{text}");
    tab.settled(b);
    undo_to(&tab, b, &live, &rig);
    // What a line of the drawing places is not moved, and says so; torn off it is left alone.
    let line =
        ARM_SVG.replace("</svg>", "<path id=\"l1\" d=\"M160 200H240\" stroke=\"none\" fill=\"none\"/></svg>");
    let rig = rig.replace("(parent: \"upper\", to: (240, 200))", "(parent: \"upper\", line: \"l1\")");
    live.write("arm.svg", &line);
    live.write("arm.ron", &rig);
    let begin = std::time::Instant::now();
    while tab.ask(b, "return model.bone('fore').form.join();") != "line" {
        assert!(begin.elapsed() < std::time::Duration::from_secs(10), "the rig of the file");
    }
    tab.settled(b);
    tab.ask(b, "model.select(['upper']);");
    tab.settled(b);
    tab.pull(b, elbow, to, 0);
    tab.wait(b, "document.querySelector('rig-notes .card.error')?.textContent.includes('line')");
    assert_eq!(live.text(), rig);
    tab.pull(b, elbow, to, ALT);
    let text = changed(&tab, b, &live, &rig);
    assert!(text.contains("to: (170, 240)") && text.contains("(parent: \"upper\", line: \"l1\")"), "{text}");
    tab.close(b);
}
