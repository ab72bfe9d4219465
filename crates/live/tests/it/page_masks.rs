//! Masks on the page: made of what is selected, turned inside out, taken out.

use serde_json::json;

use crate::browser::{Browser, SCREEN, SHIFT, Tab, browser};
use crate::page::Live;
use crate::page_intent::{changed, click_on, undo_to};

const SVG: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 200" width="300" height="200">
<path id="white" d="M40 100C80 40 220 40 260 100C220 160 80 160 40 100Z" fill="#fff"/>
<circle id="out: true" cx="150" cy="100" r="50" fill="#364"/><path id="gleam" d="M60 80h40v40h-40z" fill="#fc8"/></svg>"##;
const RIG: &str = r#"// An eye.
Rig(
    version: 1,
    drawing: "eye.svg",
    bones: {
        "look": (kind: Point, from: (280, 190)),
    },
    skin: [
        Rigid(art: "out: true", bone: "look"),
    ],
    clips: {
        "look": (length: 2, bones: { "look": (move: [(0, (0, 0)), (1, (70, 0)), (2, (0, 0))]) }),
    },
)
"#;

#[test]
fn art_is_masked_by_what_is_selected_after_it() {
    let Some(mut browser) = browser("masks") else { return };
    let b = &mut browser;
    let live = Live::of(&[("eye.ron", RIG), ("eye.svg", SVG)]);
    let tab = live.open(b, SCREEN);
    tab.go(b, 0.0);
    // One thing alone masks nothing.
    let at = |tab: &Tab, b: &mut Browser, x: f64, y: f64, keys: u8| {
        let at = tab.place(b, x, y);
        tab.click(b, at, keys);
        tab.settled(b);
    };
    at(&tab, b, 150.0, 120.0, 0);
    tab.key(b, "x", 0);
    tab.wait(b, "document.querySelector('dialog.palette[open]')");
    tab.key(b, "m", 0);
    tab.wait(b, "document.querySelector('rig-status').textContent.includes('what masks it')");
    assert_eq!(live.text(), RIG);
    at(&tab, b, 80.0, 100.0, SHIFT);
    at(&tab, b, 220.0, 100.0, SHIFT);
    tab.key(b, "x", 0);
    tab.wait(b, "document.querySelector('dialog.palette[open]')");
    tab.key(b, "m", 0);
    let inside = changed(&tab, b, &live, RIG);
    assert!(inside.contains(r#"(art: ["out: true", "gleam"], by: "white")"#), "{inside}");
    // Where the mask hides it, a click goes through.
    tab.go(b, 1.0);
    let hit = |tab: &Tab, b: &mut Browser| {
        at(tab, b, 266.0, 100.0, 0);
        tab.ask(b, "return model.arts;")
    };
    let choose = |tab: &Tab, b: &mut Browser, outside: bool| {
        click_on(tab, b, "rig-tree [role=treeitem]");
        let shown = "document.querySelector('rig-properties input[type=checkbox]')?.checked";
        tab.wait(b, &format!("{shown} === {outside}"));
    };
    assert_eq!(hit(&tab, b), json!([]));
    click_on(&tab, b, "[data-shows=rules]");
    tab.wait(b, "document.querySelector('rig-tree [role=treeitem]')?.innerText.includes('Mask out: true, gleam by white')");
    choose(&tab, b, false);
    click_on(&tab, b, "rig-properties input[type=checkbox]");
    let outside = changed(&tab, b, &live, &inside);
    assert!(outside.contains(r#"by: "white", out: true)"#), "{outside}");
    assert_eq!(hit(&tab, b), json!(["out: true"]));
    choose(&tab, b, true);
    click_on(&tab, b, "rig-properties input[type=checkbox]");
    assert_eq!(changed(&tab, b, &live, &outside), inside);
    tab.ask(b, "stage.focus();");
    tab.key(b, "Delete", 0);
    assert_eq!(changed(&tab, b, &live, &inside), RIG);
    undo_to(&tab, b, &live, &inside);
    assert_eq!(tab.ask(b, "return model.rig.rules.length;"), json!(1));
    tab.close(b);
}
