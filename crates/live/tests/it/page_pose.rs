//! Bones turned, pulled and keyed with the pointer and with keys: what is in the text afterwards, to the byte.

use crate::browser::{CTRL, SCREEN, SHIFT, browser};
use crate::page::{ARM, Live, between, distance, turned};

/// The text of the arm with another number in place of one; the number that is there.
fn only_number(text: &str, before: &str, after: &str) -> f64 {
    let (head, tail) = ARM.split_once(before).expect("the place");
    let number = text.strip_prefix(head).and_then(|rest| rest.strip_suffix(tail));
    let number = number.unwrap_or_else(|| panic!("more than {before} changed:\n{text}"));
    assert_eq!(after.replace('#', number), number, "{number}");
    number.parse().unwrap_or_else(|_| panic!("{number} is no number"))
}

#[test]
fn a_drag_of_thirty_degrees_changes_one_number() {
    let Some(mut browser) = browser("a drag of thirty degrees") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    tab.go(b, 1.0);
    let [joint, tip] = tab.bone(b, "fore");
    let grip = between(joint, tip, 0.6);
    let path: Vec<_> = (0..=10).map(|step| turned(grip, joint, f64::from(step) * 3.0)).collect();
    tab.drag(b, &path, 0);
    let text = live.wait(|text| text != ARM);
    let turned_to = only_number(&text, "-40", "#");
    assert!((turned_to + 10.0).abs() < 0.5, "{turned_to}");
    // No more digits than the screen resolves.
    assert!((turned_to * 10.0).fract().abs() < 1e-6, "{turned_to}");
    tab.settled(b);
    let [_, after] = tab.bone(b, "fore");
    let expected = turned(tip, joint, 30.0);
    assert!(distance(after, expected) < 1.0, "{after:?} {expected:?}");
    tab.key(b, "z", CTRL);
    live.wait(|text| text == ARM);
    tab.key(b, "Z", CTRL | SHIFT);
    live.wait(|again| again == text);
    tab.close(b);
}

#[test]
fn a_drag_of_four_hundred_degrees_is_that_of_four_hundred() {
    let Some(mut browser) = browser("a drag of four hundred degrees") else { return };
    let b = &mut browser;
    let live = Live::arm();
    // Without limits, that would stop it.
    live.write("arm.ron", &ARM.replace(", limits: (-150, 150)", ""));
    let before = live.text();
    let tab = live.open(b, SCREEN);
    tab.wait(b, "document.documentElement.dataset.good === 'true'");
    tab.go(b, 1.0);
    let [joint, tip] = tab.bone(b, "fore");
    let grip = between(joint, tip, 0.6);
    let path: Vec<_> = (0..=40).map(|step| turned(grip, joint, f64::from(step) * 10.0)).collect();
    tab.drag(b, &path, 0);
    let text = live.wait(|text| text != before);
    let key = text.split("(1, ").nth(1).and_then(|rest| rest.split(')').next()).expect("the key");
    let value: f64 = key.parse().expect("a number");
    assert!((value - 360.0).abs() < 0.5, "{value}");
    tab.close(b);
}

#[test]
fn a_tip_pulls_its_chain_and_the_same_place_gives_the_same_pose() {
    let Some(mut browser) = browser("a chain that is pulled") else { return };
    let b = &mut browser;
    let mut ends = Vec::new();
    for way in [0, 1] {
        let live = Live::arm();
        let tab = live.open(b, SCREEN);
        tab.go(b, 0.5);
        let [_, tip] = tab.bone(b, "hand");
        let goal = tab.place(b, 250.0, 120.0);
        let detour = tab.place(b, 200.0, 60.0);
        let mut path = vec![tip];
        if way == 1 {
            path.extend((1..=5).map(|step| between(tip, detour, f64::from(step) / 5.0)));
        }
        let last = path[path.len() - 1];
        path.extend((1..=10).map(|step| between(last, goal, f64::from(step) / 10.0)));
        tab.drag(b, &path, 0);
        live.wait(|text| text != ARM);
        tab.settled(b);
        let [_, tip] = tab.bone(b, "hand");
        assert!(distance(tip, goal) < 0.6, "{tip:?} {goal:?}");
        ends.push(live.text());
        tab.close(b);
    }
    // Two bones moved: the hand and the forearm.
    let text = &ends[0];
    assert!(text.contains("\"hand\": (rotate: [(0, 0), (0.5, "), "{text}");
    assert_eq!(text.matches("(0.5, ").count(), 2, "{text}");
    assert!(text.contains("\"upper\": (from: (60, 200), to: (160, 200)),\n"), "{text}");
}

#[test]
fn what_is_out_of_reach_is_shown() {
    let Some(mut browser) = browser("a chain out of reach") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    let [_, tip] = tab.bone(b, "hand");
    let far = tab.place(b, 390.0, 20.0);
    tab.press(b, tip, 0);
    for step in 1..=5 {
        tab.move_to(b, between(tip, far, f64::from(step) / 5.0), 0);
    }
    tab.wait(b, "[...document.querySelectorAll('rig-stage text')].some((text) => text.textContent === 'out of reach')");
    tab.key(b, "Escape", 0);
    tab.release(b, far, 0);
    assert_eq!(live.text(), ARM);
    tab.close(b);
}

#[test]
fn escape_leaves_everything_as_it_was() {
    let Some(mut browser) = browser("a drag that is left") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    tab.go(b, 1.0);
    let before = tab.picture(b, None);
    let undo = tab.ask(b, "return JSON.stringify([model.rig.undo, model.rig.redo, model.rig.rev]);");
    let [joint, tip] = tab.bone(b, "fore");
    tab.press(b, between(joint, tip, 0.5), 0);
    for step in 1..=8 {
        tab.move_to(b, turned(between(joint, tip, 0.5), joint, f64::from(step) * 8.0), 0);
    }
    tab.key(b, "Escape", 0);
    tab.release(b, tip, 0);
    tab.settled(b);
    assert_eq!(live.text(), ARM);
    assert_eq!(tab.ask(b, "return JSON.stringify([model.rig.undo, model.rig.redo, model.rig.rev]);"), undo);
    let [_, after] = tab.bone(b, "fore");
    assert!(distance(after, tip) < 0.01);
    // The bone is selected now, and nothing else has changed.
    tab.ask(b, "model.select([]); stage.blur(); document.activeElement.blur(); model.announce('');");
    tab.hover(b, (2.0, 2.0));
    tab.settled(b);
    let canvas = |picture: &[u8]| bone_render::Pixmap::decode_png(picture).expect("a picture");
    let (before, after) = (canvas(&before), canvas(&tab.picture(b, None)));
    let stage = tab.ask(b, "const box = stage.getBoundingClientRect(); return [box.x + 8, box.y + 8, box.right - 8, box.bottom - 60];");
    let side = |at: usize| stage[at].as_f64().expect("a side") as u32;
    for y in side(1)..side(3) {
        for x in side(0)..side(2) {
            assert_eq!(before.pixel(x, y), after.pixel(x, y), "{x}, {y}");
        }
    }
    tab.close(b);
}

#[test]
fn a_hundred_moves_are_one_step_and_one_write() {
    let Some(mut browser) = browser("a hundred moves") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    tab.go(b, 1.0);
    let rig = live.rig.clone();
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let seen = std::sync::Arc::clone(&stop);
    // A reader beside it never finds the file empty or in part.
    let reader = std::thread::spawn(move || {
        let mut texts: Vec<String> = Vec::new();
        while !seen.load(std::sync::atomic::Ordering::Relaxed) {
            if let Ok(text) = std::fs::read_to_string(&rig)
                && texts.last() != Some(&text)
            {
                texts.push(text);
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        texts
    });
    let [joint, tip] = tab.bone(b, "fore");
    let grip = between(joint, tip, 0.6);
    let path: Vec<_> = (0..=100).map(|step| turned(grip, joint, f64::from(step) * 0.4)).collect();
    tab.drag(b, &path, 0);
    crate::page_intent::changed(&tab, b, &live, ARM);
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let texts = reader.join().expect("the reader");
    assert_eq!(texts.len(), 2, "{texts:#?}");
    assert_eq!(tab.ask(b, "return model.rig.undo.length;"), 1);
    tab.key(b, "z", CTRL);
    live.wait(|text| text == ARM);
    tab.close(b);
}

#[test]
fn numbers_and_states_of_keys() {
    let Some(mut browser) = browser("numbers that are typed") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    tab.go(b, 1.0);
    let [joint, tip] = tab.bone(b, "fore");
    tab.click(b, between(joint, tip, 0.5), 0);
    tab.wait(b, "document.querySelector('#k-rotate').dataset.state === 'keyed'");
    // R, a number, Enter.
    for key in ["r", "-", "2", "0"] {
        tab.key(b, key, 0);
    }
    tab.key(b, "Enter", 0);
    live.wait(|text| text == ARM.replace("-40", "-60"));
    // Auto key off: a typed number changes the pose and not the text, until I.
    tab.key(b, "a", 0);
    tab.ask(b, "const input = document.querySelector('#p-Rotate-0'); input.value = '12'; input.dispatchEvent(new Event('change', { bubbles: true }));");
    tab.wait(b, "document.querySelector('#k-rotate').dataset.state === 'changed'");
    // It is kept while the time is elsewhere.
    tab.go(b, 0.0);
    tab.wait(b, "document.querySelector('#k-rotate').dataset.state === 'keyed'");
    tab.go(b, 1.0);
    tab.wait(b, "document.querySelector('#k-rotate').dataset.state === 'changed'");
    assert_eq!(live.text(), ARM.replace("-40", "-60"));
    tab.ask(b, "stage.focus();");
    tab.key(b, "i", 0);
    live.wait(|text| text == ARM.replace("-40", "12"));
    tab.wait(b, "document.querySelector('#k-rotate').dataset.state === 'keyed'");
    tab.go(b, 0.5);
    tab.wait(b, "document.querySelector('#k-rotate').dataset.state === 'none'");
    tab.close(b);
}
