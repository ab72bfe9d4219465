//! Scenes on the page: an actor is put elsewhere by its bone, what is of its rig is refused with the reason.

use serde_json::json;

use crate::browser::{ALT, Browser, CTRL, SCREEN, SHIFT, Tab, browser};
use crate::page::{Live, between, distance};
use crate::page_intent::undo_to;

#[test]
fn actors_are_put_elsewhere() {
    let Some(mut browser) = browser("scenes") else { return };
    let b = &mut browser;
    let live = Live::example("pond");
    let before = live.text();
    let tab = live.open(b, SCREEN);
    tab.ask(b, "stage.focus();");
    tab.key(b, "Tab", 0);
    tab.wait(b, "document.body.classList.contains('mode-setup')");
    tab.settled(b);
    // On the canvas, by hand: the place of its bone, in units of the scene.
    let [start, _] = tab.bone(b, "snail");
    let to = tab.place(b, 150.0, 500.0);
    tab.click(b, start, 0);
    tab.settled(b);
    tab.pull(b, start, to, 0);
    let moved = live.wait(|text| text != before);
    assert!(moved.contains("rig: \"snail.ron\", at: (150, 500), scale: 0.72"), "{moved}");
    tab.settled(b);
    let [now, _] = tab.bone(b, "snail");
    assert!(distance(now, to) < 1.0, "{now:?} {to:?}");
    undo_to(&tab, b, &live, &before);
    tab.settled(b);
    // A bone of a rig stays, and the page says why.
    let [start, tip] = tab.bone(b, "snail/house");
    tab.click(b, between(start, tip, 0.5), 0);
    tab.settled(b);
    let to = tab.place(b, 300.0, 300.0);
    tab.pull(b, tip, to, 0);
    tab.wait(b, "document.body.innerText.includes('of a rig, and not of the scene')");
    assert_eq!(live.text(), before);
    if let Some(folder) = std::env::var_os("PICTURES") {
        std::fs::write(std::path::Path::new(&folder).join("scene.png"), tab.picture(b, None))
            .expect("a picture");
    }
    tab.close(b);
}

/// The middle of the row of a name in the timeline, at a time.
fn at_row(tab: &Tab, b: &mut Browser, row: &str, time: f64) -> (f64, f64) {
    let found = tab.ask(
        b,
        &format!(
            "const timeline = document.querySelector('rig-timeline'), box = timeline.getBoundingClientRect();
             for (let y = 26; y < box.height; y += 2) if (timeline.rowAt(y)?.name === '{row}') return [box.x + timeline.x({time}), box.y + y + 9];
             return null;"
        ),
    );
    let number = |at: usize| found[at].as_f64().unwrap_or_else(|| panic!("there is no row {row}"));
    (number(0), number(1))
}

fn picture(tab: &Tab, b: &mut Browser, name: &str) {
    if let Some(folder) = std::env::var_os("PICTURES") {
        std::fs::write(std::path::Path::new(&folder).join(name), tab.picture(b, None)).expect("a picture");
    }
}

fn show(tab: &Tab, b: &mut Browser, clip: &str) {
    tab.ask(b, &format!("model.setClip('{clip}');"));
    tab.settled(b);
}

#[test]
fn shots_of_scenes_are_rows() {
    let Some(mut browser) = browser("shots of scenes") else { return };
    let b = &mut browser;
    let live = Live::example("pond");
    let before = live.text();
    let tab = live.open(b, SCREEN);
    tab.settled(b);
    // The film has a block for each shot; one is put before another, and lasts longer.
    assert_eq!(tab.ask(b, "return model.clip;"), json!("film"));
    picture(&tab, b, "film.png");
    let (from, to) = (at_row(&tab, b, "shots", 9.0), at_row(&tab, b, "shots", 1.0));
    tab.pull(b, from, to, 0);
    let moved = live.wait(|text| text != before);
    let place =
        |text: &str, shot: &str| text.find(&format!("\"{shot}\": (\n            length")).expect("a shot");
    assert!(place(&moved, "question") < place(&moved, "evening"), "{moved}");
    undo_to(&tab, b, &live, &before);
    tab.settled(b);
    let (from, to) = (at_row(&tab, b, "shots", 20.0), at_row(&tab, b, "shots", 21.0));
    tab.pull(b, (from.0 - 2.0, from.1), (to.0 - 2.0, to.1), 0);
    let longer = live.wait(|text| text != before);
    let length =
        longer.rsplit("length: ").next().and_then(|rest| rest.split(',').next()?.parse::<f64>().ok());
    assert!((length.expect("a length") - 5.0).abs() < 0.05, "{longer}");
    undo_to(&tab, b, &live, &before);

    // A shot has a row for each actor, what is written and what the actor does by itself.
    show(&tab, b, "evening");
    picture(&tab, b, "shot.png");
    let rows = "return model.clipInfo.parts.map(({ of, clip, start, length, at }) => [of, clip, start, length, typeof at.at(-1) === 'number']);";
    assert_eq!(
        tab.ask(b, rows),
        json!([
            // Three rounds of 1.5 s, and half a second in which both are seen.
            ["frog", "sits", 0, 3, false],
            ["snail", "glides", 0, 4.5, true],
            ["snail", "listens", 4, 2.5, true],
            ["fly", "flies", 0, 0.125, false],
            ["guest", "rests", 0, 2, false],
        ])
    );
    // Moved onto the one before it: a longer fade.
    let (from, to) = (at_row(&tab, b, "snail", 5.5), at_row(&tab, b, "snail", 5.2));
    tab.pull(b, from, to, 0);
    let faded = live.wait(|text| text != before);
    let fade: f64 = faded
        .split("fade: 0.")
        .nth(1)
        .and_then(|rest| format!("0.{}", rest.split(')').next()?).parse().ok())
        .expect("a fade");
    assert!((fade - 0.8).abs() < 0.05, "{faded}");
    undo_to(&tab, b, &live, &before);
    // Without a pointer: the same parts as cells, which are chosen and put elsewhere.
    tab.settled(b);
    assert_eq!(tab.ask(b, "return model.clipInfo.sounds_at;"), json!([["shots", "evening", "sounds", 0]]));
    tab.ask(b, "document.querySelector('rig-timeline [data-key=\"part 2\"]').focus();");
    tab.key(b, "Enter", 0);
    tab.wait(b, "document.querySelector('rig-properties').innerText.includes('snail: listens, from 4 s')");
    tab.key(b, "ArrowLeft", ALT);
    let first = live.wait(|text| text != before);
    assert!(
        first.contains("play: [(clip: \"listens\", fade: 0.5), (clip: \"glides\", repeat: 3)]"),
        "{first}"
    );
    undo_to(&tab, b, &live, &before);
    // Of what an actor does by itself the page says so.
    tab.settled(b);
    let (from, to) = (at_row(&tab, b, "frog", 1.0), at_row(&tab, b, "frog", 2.0));
    tab.pull(b, from, to, 0);
    tab.wait(b, "document.body.innerText.includes('sits is what frog does by itself')");
    // A clip of the list goes to the row of its actor, behind what it does by itself.
    tab.ask(b, "model.part = null; model.emit('selection'); const list = document.querySelector('[data-label=\"Add clip\"] select'); list.value = 'frog/asks'; list.dispatchEvent(new Event('change', { bubbles: true }));");
    let added = live.wait(|text| text != before);
    assert!(added.contains("\"frog\": (play: [\"sits\", \"asks\"])"), "{added}");
    tab.settled(b);
    let (frog, _) = (at_row(&tab, b, "frog", 1.0), ());
    tab.click(b, frog, 0);
    tab.ask(b, "document.querySelector('[data-do=take-out]').click();");
    let taken = live.wait(|text| text != before && text != added);
    assert!(taken.contains("\"frog\": (play: [\"asks\"])"), "{taken}");
    undo_to(&tab, b, &live, &added);
    undo_to(&tab, b, &live, &before);
    tab.close(b);
}

#[test]
fn actors_are_moved_in_shots() {
    let Some(mut browser) = browser("actors in shots") else { return };
    let b = &mut browser;
    let live = Live::example("pond");
    let before = live.text();
    let tab = live.open(b, SCREEN);
    show(&tab, b, "evening");
    // Dragged to 50 units right of its place and 30 above while it is on its way: a key of its way there.
    tab.go(b, 2.0);
    tab.settled(b);
    let now =
        tab.ask(b, "return model.posed.bones[model.rig.bones.findIndex(({ name }) => name === 'snail')];");
    let (x, y) = (now[0].as_f64().expect("x"), now[1].as_f64().expect("y"));
    // 2 of the 4.8 seconds of the straight way from 120 before its place to 150 behind it.
    assert!((x - (90.0 - 7.5)).abs() < 1e-6 && (y - 474.0).abs() < 1e-6, "{x} {y}");
    let (from, to) = (tab.place(b, x, y), tab.place(b, x + 57.5, y - 30.0));
    tab.click(b, from, 0);
    tab.settled(b);
    tab.pull(b, from, to, 0);
    let moved = live.wait(|text| text != before);
    assert!(moved.contains("move: [(0, (-120, 0), Linear), (2, (50, -30)), (4.8, (150, 0))]"), "{moved}");
    tab.settled(b);
    picture(&tab, b, "actor.png");
    // Its key is dragged to another time.
    let row = at_row(&tab, b, "move", 2.0);
    let to = at_row(&tab, b, "move", 3.0);
    tab.pull(b, row, to, 0);
    let later = live.wait(|text| text != before && text != moved);
    assert!(later.contains("(-120, 0), Linear), (3, (50, -30)), (4.8"), "{later}");
    undo_to(&tab, b, &live, &moved);
    undo_to(&tab, b, &live, &before);
    tab.settled(b);
    // Its curve is that of the text: linear to 4.8 s, and then it stays.
    tab.ask(b, "model.select(['snail']); model.setOption({ graph: true, channel: JSON.stringify(['shots', 'evening', 'actors', 'snail', 'move']) });");
    tab.settled(b);
    picture(&tab, b, "actor_curve.png");
    tab.ask(b, "model.setOption({ graph: false });");
    // Typed: turned, and not there. Its size is not of a shot.
    tab.ask(b, "const field = document.querySelector('rig-properties [data-channel=rotate] input'); field.value = '12'; field.dispatchEvent(new Event('change', { bubbles: true }));");
    let turned = live.wait(|text| text != before);
    assert!(turned.contains("turn: [(0, 0), (2, 12)]"), "{turned}");
    undo_to(&tab, b, &live, &before);
    tab.settled(b);
    tab.ask(b, "document.querySelector('#p-There').click();");
    let gone = live.wait(|text| text != before);
    assert!(
        gone.contains("move: [(0, (-120, 0), Linear), (4.8, (150, 0))],\n                    visible: false"),
        "{gone}"
    );
    tab.wait(b, "!document.querySelector('#p-There').checked");
    undo_to(&tab, b, &live, &before);
    tab.wait(b, "document.querySelector('#p-There').checked");
    assert_eq!(
        tab.ask(b, "return !!document.querySelector('rig-properties [data-channel=scale]');"),
        json!(false)
    );
    // A bone of its rig is not keyed here, and the page says where it is.
    let [joint, tip] = tab.bone(b, "snail/house");
    tab.click(b, between(joint, tip, 0.5), 0);
    tab.settled(b);
    tab.pull(b, tip, (tip.0 + 30.0, tip.1 + 30.0), 0);
    tab.wait(b, "document.body.innerText.includes('is of the rig of an actor')");
    assert_eq!(live.text(), before);
    // The camera is keyed in the shot.
    tab.ask(b, "model.select([]); const zoom = document.querySelector('rig-properties [data-label=\"Camera zoom\"] input'); zoom.value = '1.5'; zoom.dispatchEvent(new Event('change', { bubbles: true }));");
    let zoomed = live.wait(|text| text != before);
    assert!(zoomed.contains("camera: (zoom: [(0, 1), (1, 1), (2, 1.5), (6.5, 1.12)]"), "{zoomed}");
    undo_to(&tab, b, &live, &before);
    // In the setup: size, what it is behind, what it plays by itself.
    tab.ask(b, "stage.focus();");
    tab.key(b, "Tab", 0);
    tab.wait(b, "document.body.classList.contains('mode-setup')");
    tab.ask(b, "model.select(['snail']);");
    tab.settled(b);
    picture(&tab, b, "actor_setup.png");
    let typed = |tab: &Tab, b: &mut Browser, label: &str, kind: &str, value: &str| {
        tab.ask(b, &format!("const field = document.querySelector('rig-properties [data-label={label}] {kind}'); field.value = '{value}'; field.dispatchEvent(new Event('change', {{ bubbles: true }}));"));
    };
    for (label, kind, value, text) in [
        ("Scale", "input", "0.9", "at: (90, 474), scale: 0.9, behind"),
        ("Behind", "select", "log", "scale: 0.72, behind: \"log\", clip: \"listens\""),
        ("Behind", "select", "", "scale: 0.72, clip: \"listens\""),
        ("Plays", "select", "glides", "clip: \"glides\""),
        ("Speed", "input", "2", "clip: \"listens\", speed: 2"),
        ("Place", "input", "95", "at: (95, 474), scale: 0.72"),
    ] {
        typed(&tab, b, label, kind, value);
        let now = live.wait(|text| text != before);
        assert!(now.contains(text), "{label}: {now}");
        undo_to(&tab, b, &live, &before);
        tab.settled(b);
    }
    // Another frog, which is taken out again; the snail goes with what it does in shots.
    tab.ask(b, "[...document.querySelectorAll('rig-toolbar button')].find((button) => button.innerText.trim() === 'Actor').click();");
    tab.wait(b, "!!document.querySelector('dialog[open] #field-rig')");
    tab.ask(b, "const list = document.querySelector('dialog[open] #field-rig'); list.value = 'frog.ron'; list.dispatchEvent(new Event('change')); document.querySelector('dialog[open] .main').click();");
    let two = live.wait(|text| text != before);
    assert!(two.contains("\"frog2\": (rig: \"frog.ron\", at: (480, 432))"), "{two}");
    tab.wait(b, "document.querySelector('rig-properties h2').innerText === 'frog2'");
    tab.settled(b);
    picture(&tab, b, "two_frogs.png");
    tab.ask(b, "stage.focus();");
    tab.key(b, "Delete", 0);
    live.wait(|text| text == before);
    tab.settled(b);
    tab.ask(b, "model.select(['snail']); stage.focus();");
    tab.key(b, "Delete", 0);
    let without = live.wait(|text| text != before);
    assert!(!without.contains("\"snail\":"), "{without}");
    undo_to(&tab, b, &live, &before);
    tab.settled(b);
    // One that carries another one stays, and the page says why.
    tab.ask(b, "model.select(['frog']); stage.focus();");
    tab.key(b, "Delete", 0);
    tab.wait(b, "document.body.innerText.includes('no such actor')");
    assert_eq!(live.text(), before);
    // A new shot, which is renamed, copied, and deleted.
    tab.ask(b, "model.select([]); model.setMode('pose'); stage.focus();");
    tab.key(b, "K", CTRL | SHIFT);
    tab.wait(b, "!!document.querySelector('dialog[open] #field-length')");
    tab.ask(b, "document.querySelector('dialog[open] .main').click();");
    let added = live.wait(|text| text != before);
    assert!(added.contains("\"shot1\": (length: 3)"), "{added}");
    tab.wait(b, "document.querySelector('[aria-label=Clip]').value === 'shot1'");
    tab.ask(b, "document.querySelector('rig-properties [data-do=rename]').click();");
    tab.wait(b, "!!document.querySelector('dialog[open] input')");
    tab.ask(b, "const dialog = document.querySelector('dialog[open]'); dialog.querySelector('input').value = 'end'; dialog.querySelector('.main').click();");
    let renamed = live.wait(|text| text != before && text != added);
    assert!(renamed.contains("\"end\": (length: 3)"), "{renamed}");
    tab.wait(b, "document.querySelector('[aria-label=Clip]').value === 'end'");
    tab.ask(b, "document.querySelector('rig-properties [data-do=duplicate]').click();");
    let copied = live.wait(|text| text.contains("end_2"));
    assert!(copied.contains("\"end_2\": (length: 3)"), "{copied}");
    undo_to(&tab, b, &live, &renamed);
    tab.ask(b, "document.querySelector('rig-properties [data-do=delete]').click();");
    live.wait(|text| text == before);
    assert_eq!(tab.ask(b, "return window.__errors;"), json!([]));
    tab.close(b);
}

#[test]
fn a_scene_begins_with_a_drawing() {
    let Some(mut browser) = browser("an empty scene") else { return };
    let b = &mut browser;
    let live = Live::example("pond");
    let empty = "Scene(\n    version: 1,\n    drawing: \"drawing.svg\",\n)\n";
    live.write("scene.ron", empty);
    let tab = live.open(b, SCREEN);
    tab.wait(b, "document.querySelector('[aria-label=Clip]').options.length === 0");
    // A shot of nothing but the drawing has a camera.
    tab.ask(b, "stage.focus();");
    tab.key(b, "c", 0);
    tab.wait(b, "!!document.querySelector('dialog[open] #field-length')");
    tab.ask(b, "document.querySelector('dialog[open] .main').click();");
    let shot = live.wait(|text| text.contains("\"shot1\": (length: 3)"));
    tab.wait(b, "document.querySelector('[aria-label=Clip]').value === 'shot1'");
    tab.go(b, 1.0);
    tab.settled(b);
    tab.ask(b, "const zoom = document.querySelector('rig-properties [data-label=\"Camera zoom\"] input'); zoom.value = '2'; zoom.dispatchEvent(new Event('change', { bubbles: true }));");
    let zoomed = live.wait(|text| *text != shot);
    assert!(zoomed.contains("camera: (zoom: [(0, 1), (1, 2)])"), "{zoomed}");
    // An actor, and what it does: a clip that is dropped on its row, and its way.
    tab.ask(b, "stage.focus();");
    tab.key(b, "n", 0);
    tab.wait(b, "!!document.querySelector('dialog[open] #field-rig')");
    tab.ask(b, "const list = document.querySelector('dialog[open] #field-rig'); list.value = 'snail.ron'; list.dispatchEvent(new Event('change')); document.querySelector('dialog[open] .main').click();");
    live.wait(|text| text.contains("\"snail\": (rig: \"snail.ron\", at: (480, 432))"));
    tab.wait(b, "document.querySelector('rig-properties h2').innerText === 'snail'");
    tab.ask(b, "model.setMode('pose'); model.select([]); document.querySelector('rig-tree [data-shows=clips]').click();");
    tab.settled(b);
    let item = tab.ask(b, "const box = document.querySelector('rig-tree [data-name=\"snail/glides\"]').getBoundingClientRect(); return [box.x + 20, box.y + box.height / 2];");
    let from = (item[0].as_f64().expect("x"), item[1].as_f64().expect("y"));
    let to = at_row(&tab, b, "snail", 1.0);
    tab.pull(b, from, to, 0);
    live.wait(|text| text.contains("\"snail\": (play: [\"glides\"])"));
    tab.settled(b);
    picture(&tab, b, "scene_made.png");
    // What is made is read by the library, and plays for as long as it says.
    assert_eq!(
        tab.ask(b, "return [model.rig.findings.errors, model.length, model.clipInfo.parts.length];"),
        json!([0, 3, 1])
    );
    assert_eq!(tab.ask(b, "return window.__errors;"), json!([]));
    tab.close(b);
}

#[test]
fn a_scene_is_saved_elsewhere_while_an_actor_is_dragged() {
    let Some(mut browser) = browser("a scene that others save") else { return };
    let b = &mut browser;
    let live = Live::example("pond");
    let before = live.text();
    let tab = live.open(b, SCREEN);
    show(&tab, b, "evening");
    tab.ask(b, "window.model = model;");
    tab.go(b, 2.0);
    tab.settled(b);
    let (from, to) = (tab.place(b, 82.5, 474.0), tab.place(b, 140.0, 444.0));
    tab.click(b, from, 0);
    tab.settled(b);
    // Another value of the same actor: both are in the text then.
    tab.press(b, from, 0);
    tab.move_to(b, between(from, to, 0.5), 0);
    live.write("scene.ron", &before.replace("at: (706, 414)", "at: (706, 415)"));
    tab.move_to(b, to, 0);
    tab.wait(
        b,
        "document.body.innerText.includes('From the file') || document.documentElement.dataset.revision > 1",
    );
    tab.release(b, to, 0);
    let both = live.wait(|text| text.contains("(2, (50, -30))"));
    assert!(both.contains("at: (706, 415)"), "{both}");
    tab.settled(b);
    // The picture is that of the new text before it is held again.
    tab.wait(b, "Math.abs(window.model.posed.bones[window.model.rig.bones.findIndex(({ name }) => name === 'snail')][0] - 140) < 1e-6 && !window.model.posed.stale && window.model.posed.rev === window.model.rig.rev");
    tab.settled(b);
    // The same key: nothing is overwritten, and a card has both values.
    let (from, to) = (tab.place(b, 140.0, 444.0), tab.place(b, 160.0, 424.0));
    tab.press(b, from, 0);
    tab.move_to(b, between(from, to, 0.5), 0);
    tab.settled(b);
    let theirs = both.replace("(2, (50, -30))", "(2, (55, -35))");
    live.write("scene.ron", &theirs);
    tab.wait(b, "JSON.stringify(window.model.tracks()).includes('[55,-35]')");
    tab.move_to(b, to, 0);
    tab.release(b, to, 0);
    tab.wait(b, "!!document.querySelector('rig-notes .card.here')");
    let card = tab.ask(b, "return document.querySelector('rig-notes .card.here').innerText;");
    assert!(card.as_str().is_some_and(|card| card.contains("snail.move at 2 s is -35")), "{card}");
    tab.key(b, "Escape", 0);
    tab.wait(b, "!document.querySelector('rig-notes .card.here')");
    assert_eq!(live.text(), theirs);
    // The actor goes while it is held: the drag ends.
    tab.press(b, from, 0);
    tab.move_to(b, between(from, to, 0.5), 0);
    live.write(
        "scene.ron",
        &before
            .lines()
            .filter(|line| !line.contains("\"snail\": (rig"))
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    );
    std::thread::sleep(std::time::Duration::from_millis(700));
    tab.move_to(b, to, 0);
    tab.release(b, to, 0);
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(!live.text().contains("\"snail\": (rig"));
    assert_eq!(tab.ask(b, "return window.__errors;"), json!([]));
    tab.close(b);
}
