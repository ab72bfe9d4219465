//! State machines on the page: their states are boxes, their inputs are played with, a state is renamed and deleted.

use serde_json::json;

use crate::browser::{Browser, CTRL, SCREEN, SHIFT, Tab, browser};
use crate::page::Live;
use crate::page_intent::undo_to;

#[test]
fn machines_play_by_their_inputs() {
    let Some(mut browser) = browser("machines") else { return };
    let b = &mut browser;
    let live = Live::example("chick");
    let before = live.text();
    let tab = live.open(b, SCREEN);
    tab.ask(b, "const clips = document.querySelector('[aria-label=Clip]'); clips.selectedIndex = clips.length - 1; clips.dispatchEvent(new Event('change', { bubbles: true }));");
    let now = |text: &str| {
        format!(
            "[...document.querySelectorAll('.state.now')].map((box) => box.dataset.state).join() === '{text}'"
        )
    };
    tab.wait(b, &now("ground,right,busy"));
    // It goes on by itself, and a trigger counts once.
    tab.wait(b, "parseFloat(document.querySelector('rig-transport .value').textContent) > 0.3");
    tab.ask(b, "document.querySelector('rig-properties [data-do=fire]').click();");
    tab.wait(b, &now("air,right,busy"));
    tab.wait(b, "document.querySelector('.arrow.taken')?.dataset.way === JSON.stringify(['ground', 'air'])");
    tab.wait(b, &now("ground,right,busy"));
    tab.ask(b, "document.querySelector('#p-left').click();");
    tab.wait(b, &now("ground,left,busy"));
    // The blend goes on between its clips: another pose than that of rest.
    tab.ask(b, "const speed = document.querySelector('#p-speed'); speed.value = '2.4'; speed.dispatchEvent(new Event('input', { bubbles: true }));");
    assert_eq!(tab.ask(b, "return model.inputs.speed;").as_f64(), Some(2.4));
    std::thread::sleep(std::time::Duration::from_millis(400));
    if let Some(folder) = std::env::var_os("PICTURES") {
        std::fs::write(std::path::Path::new(&folder).join("machine.png"), tab.picture(b, None))
            .expect("a picture");
    }
    // Bones are not chosen, so that no key moves what is not seen.
    tab.ask(b, "model.pick('head', false); stage.focus();");
    tab.key(b, "r", 0);
    assert_eq!(tab.ask(b, "return [model.bones.length, stage.grab.busy];"), json!([0, false]));
    // Home starts it anew, with the inputs as they are.
    tab.ask(b, "model.setPlaying(false); stage.focus();");
    tab.key(b, "Home", 0);
    tab.wait(b, "document.querySelector('rig-transport .value').textContent === '0.00 s'");
    tab.settled(b);
    // Chosen again, it has the inputs and the triggers of a new start.
    tab.ask(b, "model.setClip('walk'); model.setMachine('chick');");
    tab.wait(b, &now("ground,right,busy"));
    tab.ask(b, "document.querySelector('rig-properties [data-do=fire]').click();");
    tab.wait(b, &now("air,right,busy"));
    tab.wait(b, &now("ground,right,busy"));
    tab.ask(b, "model.setPlaying(false);");
    // A state is renamed with what leads to it, as one step.
    tab.ask(b, "document.querySelector('[data-state=air]').click();");
    tab.wait(b, "document.querySelector('rig-properties h2').innerText === 'State air'");
    tab.ask(b, "document.querySelector('rig-properties [data-do=rename-state]').click();");
    tab.wait(b, "!!document.querySelector('dialog[open]')");
    tab.ask(b, "const dialog = document.querySelector('dialog[open]'); dialog.querySelector('input').value = 'up'; dialog.querySelector('button.main').click();");
    let text = live.wait(|text| text != before);
    let (own, layers) = before.split_at(before.find("layers").expect("layers"));
    assert_eq!(text, format!("{}{layers}", own.replace("\"air\"", "\"up\"")));
    tab.wait(b, "!!document.querySelector('[data-state=up]')");
    undo_to(&tab, b, &live, &before);
    // Another program saves while it plays: it goes on, and without the machine a clip is shown.
    tab.ask(b, "model.setPlaying(true);");
    live.write("rig.ron", &before.replace("fade: 0.06", "fade: 0.07"));
    tab.wait(b, "[...document.querySelectorAll('.condition')].some((each) => each.title.includes('0.07'))");
    tab.wait(b, &now("ground,right,busy"));
    let (clips, _) = before.split_at(before.find("    machines:").expect("machines"));
    live.write("rig.ron", &format!("{clips})\n"));
    tab.wait(b, "!document.body.classList.contains('with-machine')");
    live.write("rig.ron", &before);
    tab.wait(b, "document.querySelector('[aria-label=Clip]').innerText.includes('machine')");
    // A bone is not moved while a machine is shown; with a clip it can be again.
    tab.ask(b, "model.setClip('walk');");
    tab.wait(b, "!document.body.classList.contains('with-machine')");
    assert_eq!(live.text(), before);
    tab.close(b);
}

/// A point among the places of clips sets both inputs; the figure is between them as the library has it.
#[test]
fn two_inputs_are_one_field() {
    let Some(mut browser) = browser("a field of two inputs") else { return };
    let b = &mut browser;
    let live = Live::example("chick");
    let text = live.text();
    let (clips, _) = text.split_at(text.find("    machines:").expect("machines"));
    live.write("rig.ron", &format!("{clips}    machines: {{ \"m\": (inputs: {{\"ax\": 0, \"ay\": 0}}, states: {{\"go\": (by: [\"ax\", \"ay\"], sync: false, blend: [(at: (0, 0), clip: \"faces right\"), (at: (4, 0), clip: \"walk\"), (at: (0, 2), clip: \"peck\")])}}) }},\n)\n"));
    let tab = live.open(b, SCREEN);
    tab.wait(b, "[...document.querySelector('[aria-label=Clip]').options].some((option) => option.innerText === 'm (machine)')");
    tab.ask(b, "model.setMachine('m'); model.setPlaying(false);");
    tab.wait(b, "document.querySelectorAll('rig-pad .place').length === 3");
    let at = tab.ask(b, "const { left, top } = document.querySelector('rig-pad').getBoundingClientRect(); return [left, top];");
    let (left, top) = (at[0].as_f64().expect("x"), at[1].as_f64().expect("y"));
    // The field is 216 by 126 pixels within its margin of 12: a quarter of the way to the right, half of the way up.
    tab.pull(b, (left + 13.0, top + 139.0), (left + 67.0, top + 76.0), 0);
    let now = |tab: &Tab, b: &mut Browser| {
        tab.ask(b, "return [model.inputs.ax, model.inputs.ay].map((each) => Number(each.toFixed(2)));")
    };
    assert_eq!(now(&tab, b), json!([1, 1]));
    tab.key(b, "ArrowRight", 0);
    assert_eq!(now(&tab, b), json!([1.08, 1]));
    tab.key(b, "ArrowDown", SHIFT);
    assert_eq!(now(&tab, b), json!([1.08, 0.8]));
    if let Some(folder) = std::env::var_os("PICTURES") {
        std::fs::write(std::path::Path::new(&folder).join("pad.png"), tab.picture(b, None))
            .expect("a picture");
    }
    assert_eq!(tab.ask(b, "return window.__errors;"), json!([]));
    tab.close(b);
}

/// Chooses an option of a list in the panel.
fn choose(tab: &Tab, b: &mut Browser, label: &str, option: &str) {
    tab.ask(b, &format!("const list = document.querySelector('rig-properties [data-label=\"{label}\"] select'); list.value = '{option}'; list.dispatchEvent(new Event('change', {{ bubbles: true }}));"));
}

fn typed(tab: &Tab, b: &mut Browser, label: &str, value: &str) {
    tab.ask(b, &format!("const field = document.querySelector('rig-properties [data-label=\"{label}\"] input'); field.value = '{value}'; field.dispatchEvent(new Event('change', {{ bubbles: true }}));"));
}

fn button(tab: &Tab, b: &mut Browser, what: &str) {
    tab.ask(b, &format!("document.querySelector('rig-properties [data-do={what}]').click();"));
}

/// Answers the dialog that is open with the values of its fields, and its action.
fn answer(tab: &Tab, b: &mut Browser, fields: &[(&str, &str)]) {
    tab.wait(b, "!!document.querySelector('dialog[open]')");
    let set: String = fields
        .iter()
        .map(|(name, value)| format!("dialog.querySelector('[name={name}]').value = '{value}';"))
        .collect();
    tab.ask(b, &format!("const dialog = document.querySelector('dialog[open]'); {set} dialog.querySelector('button.main').click();"));
}

/// A machine of four states, made from nothing by hand, is the one that is written, and plays.
#[test]
fn machines_are_made_by_hand() {
    let Some(mut browser) = browser("machines by hand") else { return };
    let b = &mut browser;
    let live = Live::example("chick");
    let text = live.text();
    let bare = format!("{})\n", text.split_at(text.find("    machines:").expect("machines")).0);
    live.write("rig.ron", &bare);
    let tab = live.open(b, SCREEN);
    tab.wait(b, "![...document.querySelector('[aria-label=Clip]').options].some((option) => option.innerText.includes('machine'))");
    tab.ask(b, "model.setClip('idle'); stage.focus();");
    tab.key(b, "M", CTRL | SHIFT);
    answer(&tab, b, &[("name", "bird")]);
    let machine = |live: &Live| {
        live.text().split_once("    machines: {").map(|(_, rest)| rest.to_owned()).unwrap_or_default()
    };
    let has = |tab: &Tab, b: &mut Browser, live: &Live, part: &str| {
        live.wait(|text| text.split_whitespace().collect::<Vec<_>>().join(" ").contains(part));
        tab.settled(b);
        assert_eq!(tab.ask(b, "return model.rig.findings.errors;"), json!(0), "{}", machine(live));
    };
    has(&tab, b, &live, "\"bird\": (states: {\"idle\": (clip: \"idle\")})");
    tab.wait(b, "document.body.classList.contains('with-machine')");
    // Inputs of all kinds.
    for (name, kind, part) in [
        ("speed", "a number", "inputs: {\"speed\": 0}"),
        ("left", "yes or no", "\"left\": false"),
        ("jump", "a trigger", "\"jump\": Trigger"),
    ] {
        button(&tab, b, "add-input");
        answer(&tab, b, &[("name", name), ("kind", kind)]);
        has(&tab, b, &live, part);
    }
    // A clip of the list is dropped on the states, another one by a button.
    tab.ask(b, "document.querySelector('rig-tree [data-shows=clips]').click();");
    let middle = |tab: &Tab, b: &mut Browser, what: &str| {
        let at = tab.ask(b, &format!("const box = document.querySelector('{what}').getBoundingClientRect(); return [box.x + Math.min(40, box.width / 2), box.y + box.height / 2];"));
        (at[0].as_f64().expect("x"), at[1].as_f64().expect("y"))
    };
    let (from, to) = (middle(&tab, b, "rig-tree [data-name=jump]"), middle(&tab, b, ".states h2"));
    tab.pull(b, from, to, 0);
    has(&tab, b, &live, "\"jump\": (clip: \"jump\")");
    tab.wait(b, "document.querySelector('rig-properties h2').innerText === 'State jump'");
    // Dragged from box to box: it leads there; its conditions are put together.
    let (from, to) = (middle(&tab, b, "[data-state=idle]"), middle(&tab, b, "[data-state=jump]"));
    tab.pull(b, from, to, 0);
    has(&tab, b, &live, "(from: \"idle\", to: \"jump\", after: 1, fade: 0.2)");
    tab.wait(b, "document.querySelector('rig-properties h2').innerText === 'idle to jump'");
    choose(&tab, b, "Add condition", "jump is set");
    has(&tab, b, &live, "fired: [\"jump\"], after: 1");
    choose(&tab, b, "Leave out", "after 1 s");
    has(&tab, b, &live, "(from: \"idle\", to: \"jump\", fired: [\"jump\"], fade: 0.2)");
    choose(&tab, b, "Add condition", "not left");
    has(&tab, b, &live, "is: {\"left\": false}, fired");
    choose(&tab, b, "Add condition", "speed below");
    has(&tab, b, &live, "below: {\"speed\": 0}, is");
    typed(&tab, b, "speed below", "2");
    has(&tab, b, &live, "below: {\"speed\": 2}");
    typed(&tab, b, "Fade", "0.06");
    has(&tab, b, &live, "fired: [\"jump\"], fade: 0.06)");
    tab.ask(b, "document.querySelector('[data-state=jump]').click();");
    choose(&tab, b, "Lead to", "idle");
    has(&tab, b, &live, "(from: \"jump\", to: \"idle\", ended: true, fade: 0.2)");
    tab.wait(b, "document.querySelector('rig-properties h2').innerText === 'jump to idle'");
    // The state of a clip becomes one of three that an input blends.
    tab.ask(b, "document.querySelector('[data-state=idle]').click();");
    choose(&tab, b, "Blended by", "speed");
    has(&tab, b, &live, "(by: [\"speed\"], blend: [(at: 0, clip: \"idle\"), (at: 1, clip: \"idle\")])");
    choose(&tab, b, "Clip 2", "walk");
    has(&tab, b, &live, "(at: 1, clip: \"walk\")]");
    choose(&tab, b, "Add clip", "run");
    has(&tab, b, &live, "(at: 1, clip: \"walk\"), (at: 2, clip: \"run\")]");
    typed(&tab, b, "At 3", "2.4");
    has(&tab, b, &live, "(at: 2.4, clip: \"run\")]");
    button(&tab, b, "rename-state");
    answer(&tab, b, &[("name", "ground")]);
    has(&tab, b, &live, "\"ground\": (by");
    tab.wait(b, "document.querySelector('rig-properties h2').innerText === 'State ground'");
    // A layer of one bone, added to what is below.
    tab.ask(b, "model.pickState(null);");
    button(&tab, b, "add-layer");
    answer(&tab, b, &[("bone", "body")]);
    has(&tab, b, &live, "layers: [(states: {\"off\": ()}, bones: [\"body\"])]");
    tab.ask(b, "[...document.querySelectorAll('.states h2')].at(-1).click();");
    choose(&tab, b, "Is", "added to what is below");
    has(&tab, b, &live, "mode: Add");
    let made = machine(&live);
    if let Some(folder) = std::env::var_os("PICTURES") {
        std::fs::write(std::path::Path::new(&folder).join("machine_made.png"), tab.picture(b, None))
            .expect("a picture");
    }
    // It plays as it is written: the trigger leads up, the end of the clip back.
    let now = |text: &str| {
        format!(
            "[...document.querySelectorAll('.state.now')].map((box) => box.dataset.state).join() === '{text}'"
        )
    };
    tab.ask(b, "model.pickState(null);");
    tab.wait(b, &now("ground,off"));
    button(&tab, b, "fire");
    tab.wait(b, &now("jump,off"));
    tab.wait(b, &now("ground,off"));
    // What was played is a file for the command line.
    tab.ask(b, "model.setPlaying(false); window.copied = ''; navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }; model.restart(); model.setInput('speed', 0.5); model.setInput('speed', 2); model.run = 0.25; model.setInput('jump'); model.setInput('left', 1);");
    button(&tab, b, "copy-inputs");
    tab.wait(b, "window.copied === '[[0,\"speed\",2], [0.25,\"jump\",true], [0.25,\"left\",true]]'");
    // What leads to another state goes first, with a key; then the input with its conditions, then all.
    tab.ask(b, "document.querySelector('[data-arrow=\"1\"]').click(); stage.focus();");
    tab.key(b, "Delete", 0);
    let one_way = live.wait(|text| !text.contains("ended: true"));
    choose(&tab, b, "Change input", "left");
    tab.wait(b, "!!document.querySelector('dialog[open]')");
    tab.ask(b, "[...document.querySelectorAll('dialog[open] button')].find((button) => button.value === 'other').click();");
    live.wait(|text| !text.split_once("machines: {").expect("machines").1.contains("left"));
    undo_to(&tab, b, &live, &one_way);
    undo_to(&tab, b, &live, &format!("{}    machines: {{{made}", bare.strip_suffix(")\n").expect("an end")));
    button(&tab, b, "delete-machine");
    live.wait(|text| text == bare);
    assert_eq!(tab.ask(b, "return window.__errors;"), json!([]));
    tab.close(b);
}
