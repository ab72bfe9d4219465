//! State machines on the page: their states are boxes, their inputs are played with, a state is renamed and deleted.

use crate::browser::{SCREEN, browser};
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
    assert_eq!(tab.ask(b, "return [model.bones.length, stage.grab.busy];"), serde_json::json!([0, false]));
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
