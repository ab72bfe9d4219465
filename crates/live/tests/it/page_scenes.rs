//! Scenes on the page: an actor is put elsewhere by its bone, what is of its rig is refused with the reason.

use crate::browser::{SCREEN, browser};
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
