//! Other programs and other tabs while something is dragged, as a person sees it: cards with both values, drags
//! that end, files that are renamed or gone.

use std::time::Duration;

use crate::browser::{Browser, CTRL, SCREEN, Tab, browser};
use crate::page::{ARM, Live, between, distance, turned};

const CARD: &str = "document.querySelector('rig-notes .card.here')";

/// Presses `fore` and turns it, up to the release; where the pointer is.
fn held(tab: &Tab, b: &mut Browser, by: f64) -> (f64, f64) {
    tab.go(b, 1.0);
    let [joint, tip] = tab.bone(b, "fore");
    let grip = between(joint, tip, 0.6);
    tab.press(b, grip, 0);
    let places: Vec<_> = (1..=6).map(|step| turned(grip, joint, by * f64::from(step) / 6.0)).collect();
    places.iter().for_each(|place| tab.move_to(b, *place, 0));
    places[places.len() - 1]
}

fn texts(tab: &Tab, b: &mut Browser, of: &str) -> String {
    tab.eval(b, &format!("{of}.textContent")).as_str().expect("a text").to_owned()
}

#[test]
fn a_save_of_the_dragged_value_gives_a_card_at_the_pointer() {
    let Some(mut browser) = browser("an outside save in a drag") else { return };
    let b = &mut browser;
    let theirs = ARM.replace("-40", "77");
    for (before, key) in [(5, "Enter"), (50, "Escape"), (600, "Enter"), (1500, "Escape")] {
        let live = Live::arm();
        let tab = live.open(b, SCREEN);
        tab.ask(b, "window.model = model;");
        let end = held(&tab, b, 30.0);
        live.write("arm.ron", &theirs);
        std::thread::sleep(Duration::from_millis(before));
        tab.release(b, end, 0);
        tab.wait(b, CARD);
        let shown = texts(&tab, b, CARD);
        assert!(shown.contains("fore.rotate at 1 s is 77 in arm.ron, yours "), "{before}: {shown}");
        assert_eq!(live.text(), theirs, "{before}");
        let at = tab.ask(b, &format!("const box = {CARD}.getBoundingClientRect(); return [box.x, box.y];"));
        let at = (at[0].as_f64().expect("x"), at[1].as_f64().expect("y"));
        assert!(distance(at, end) < 30.0, "{at:?} {end:?}");
        let mine = shown.split("yours ").nth(1).expect("a number");
        let mine: String = mine.chars().take_while(|letter| "-.0123456789".contains(*letter)).collect();
        tab.key(b, key, 0);
        tab.wait(b, &format!("!{CARD}"));
        if key == "Enter" {
            assert!((mine.parse::<f64>().expect("a number") + 10.0).abs() < 1.0, "{mine}");
            live.wait(|text| text == ARM.replace("-40", &mine));
            tab.key(b, "z", CTRL);
        }
        live.wait(|text| text == theirs);
        tab.wait(b, "model.tracks()[0].keys[1].v === 77");
        assert_eq!(tab.ask(b, "return document.activeElement.localName;"), "rig-stage");
        tab.close(b);
    }
}

#[test]
fn another_value_is_merged_and_the_drag_goes_on() {
    let Some(mut browser) = browser("an outside save of another value in a drag") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    tab.ask(b, "window.model = model;");
    tab.go(b, 1.0);
    let [joint, tip] = tab.bone(b, "fore");
    let grip = between(joint, tip, 0.6);
    tab.press(b, grip, 0);
    (1..=3).for_each(|step| tab.move_to(b, turned(grip, joint, 5.0 * f64::from(step)), 0));
    live.write("arm.ron", &ARM.replace("to: (290, 200)", "to: (295, 200)"));
    tab.wait(b, "Math.abs(window.model.rig.bones[2].to[0] - 295) < 1e-6");
    (4..=6).for_each(|step| tab.move_to(b, turned(grip, joint, 5.0 * f64::from(step)), 0));
    tab.release(b, turned(grip, joint, 30.0), 0);
    let text = live.wait(|text| !text.contains("-40"));
    assert!(text.contains("to: (295, 200)"), "{text}");
    let key: f64 = text
        .split("(1, ")
        .nth(1)
        .and_then(|it| it.split(')').next())
        .expect("a key")
        .parse()
        .expect("a number");
    assert!((key + 10.0).abs() < 0.5, "{key}");
    tab.settled(b);
    assert_eq!(tab.eval(b, CARD), serde_json::Value::Null);
    tab.close(b);
}

#[test]
fn a_drag_of_a_bone_that_is_deleted_ends() {
    let Some(mut browser) = browser("a bone that is deleted in a drag") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    tab.go(b, 1.0);
    let [joint, tip] = tab.bone(b, "hand");
    let grip = between(joint, tip, 0.5);
    tab.press(b, grip, 0);
    (1..=3).for_each(|step| tab.move_to(b, turned(grip, joint, 5.0 * f64::from(step)), 0));
    let gone = ARM
        .replace("        \"hand\":  (parent: \"fore\", to: (290, 200)),\n", "")
        .replace("        Rigid(art: \"hand_art\",  bone: \"hand\"),\n", "");
    live.write("arm.ron", &gone);
    tab.wait(
        b,
        "document.querySelector('rig-notes').textContent.includes('\"hand\" was deleted in arm.ron')",
    );
    assert_eq!(tab.ask(b, "return stage.grab.busy;"), false);
    tab.move_to(b, turned(grip, joint, 40.0), 0);
    tab.release(b, turned(grip, joint, 40.0), 0);
    tab.settled(b);
    assert_eq!(live.text(), gone);
    tab.close(b);
}

#[test]
fn a_drag_that_ends_in_a_text_with_mistakes_is_kept() {
    let Some(mut browser) = browser("mistakes in a drag") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    let end = held(&tab, b, 30.0);
    live.write("arm.ron", &ARM.replace("parent: \"upper\"", "parent: \"uper\""));
    tab.wait(b, "document.documentElement.dataset.good === 'false'");
    tab.release(b, end, 0);
    tab.wait(b, CARD);
    assert!(texts(&tab, b, CARD).contains("arm.ron has mistakes now"));
    live.write("arm.ron", ARM);
    tab.wait(b, "document.documentElement.dataset.good === 'true'");
    tab.eval(b, &format!("{CARD}.querySelector('button').click()"));
    live.wait(|text| text != ARM && text.contains("parent: \"upper\""));
    tab.close(b);
}

#[test]
fn the_second_tab_gets_the_card() {
    let Some(mut browser) = browser("one value in two tabs") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let one = live.open(b, SCREEN);
    let two = b.open_in(&one.context.clone(), &live.url, SCREEN);
    two.settled(b);
    let end = held(&two, b, 30.0);
    one.ask(
        b,
        "await model.edit('Turn', [{ op: 'SetKey', channel: ['clips', 'wave', 'bones', 'fore', 'rotate'], \
         time: 1, value: -20, ease: null }]);",
    );
    two.release(b, end, 0);
    two.wait(b, CARD);
    assert!(texts(&two, b, CARD).contains("fore.rotate at 1 s is -20 in arm.ron"));
    assert_eq!(live.text(), ARM.replace("-40", "-20"));
    assert_eq!(one.eval(b, CARD), serde_json::Value::Null);
    two.close(b);
    one.close(b);
}

#[test]
fn a_renamed_rig_and_a_deleted_drawing_are_seen() {
    let Some(mut browser) = browser("files that are renamed or deleted") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    tab.ask(b, "window.model = model;");
    let hero = live.folder.path().join("hero.ron");
    std::fs::rename(&live.rig, &hero).expect("a rename");
    tab.wait(b, "document.querySelector('rig-notes').textContent.includes('arm.ron is called hero.ron now')");
    let end = held(&tab, b, 30.0);
    tab.release(b, end, 0);
    let text = || std::fs::read_to_string(&hero).expect("the rig");
    tab.wait(b, "window.model.tracks()[0].keys[1].v !== -40");
    tab.wait(b, "!window.model.rig.files.some((file) => file.changed)");
    assert!(!text().contains("-40") && !live.rig.exists(), "{}", text());
    assert!(texts(&tab, b, "document.querySelector('rig-toolbar')").contains("hero.ron"));
    let start = std::time::Instant::now();
    std::fs::remove_file(live.folder.path().join("arm.svg")).expect("it is removed");
    tab.wait(b, "document.querySelector('rig-notes').textContent.includes('arm.svg is not there any more')");
    println!("from a removal to its card: {:?}", start.elapsed());
    let state = tab.ask(b, "const saved = document.querySelector('rig-toolbar .saved'); return [saved.dataset.state, saved.textContent, stage.classList.contains('stale')];");
    assert_eq!(state, serde_json::json!(["stale", "arm.svg is missing", true]));
    let again = "[...document.querySelectorAll('rig-notes button')].find((button) => button.textContent === 'Write it anew').click()";
    tab.eval(b, again);
    tab.wait(b, "!document.querySelector('rig-stage').classList.contains('stale') && !document.querySelector('rig-notes').textContent.includes('arm.svg')");
    assert_eq!(
        std::fs::read_to_string(live.folder.path().join("arm.svg")).expect("the drawing"),
        crate::page::ARM_SVG
    );
    tab.close(b);
}
