//! Outfits on the page: put on and taken off by hand and by keys.

use crate::browser::{SCREEN, browser};
use crate::page::{Live, repository};
use crate::page_intent::{click_on, undo_to};

#[test]
fn outfits_are_put_on_and_taken_off() {
    let Some(mut browser) = browser("outfits") else { return };
    let b = &mut browser;
    let [rig, svg] = ["tests/rigs/outfits.ron", "tests/rigs/outfits.svg"]
        .map(|path| std::fs::read_to_string(repository(path)).expect("a file"));
    let live = Live::of(&[("outfits.ron", &rig), ("outfits.svg", &svg)]);
    let tab = live.open(b, SCREEN);
    click_on(&tab, b, "[data-shows=outfits]");
    let is_worn = |list: &str| format!("wear: [{list}]");
    for (name, list) in [
        ("winter", r#""caped", "winter""#),
        ("robot", r#""caped", "winter", "robot""#),
        // The other of its group comes off.
        ("summer", r#""caped", "robot", "summer""#),
        ("caped", r#""robot", "summer""#),
    ] {
        click_on(&tab, b, &format!("rig-tree [data-name={name}]"));
        live.wait(|text| text.contains(&is_worn(list)));
        tab.settled(b);
    }
    let shown = "return [...document.querySelectorAll('rig-tree [role=treeitem]')].map((row) => row.innerText.replaceAll('\\n', ' '));";
    assert_eq!(
        tab.ask(b, shown),
        serde_json::json!(["winter clothes", "summer worn, clothes", "robot worn", "caped"])
    );
    let before = live.text();
    // By keys: arrows go from one to the next and change nothing.
    tab.ask(b, "document.querySelector('rig-tree [role=treeitem][tabindex=\"0\"]').focus();");
    tab.key(b, "ArrowUp", 0);
    tab.key(b, " ", 0);
    live.wait(|text| text.contains(&is_worn(r#""summer""#)));
    undo_to(&tab, b, &live, &before);
    tab.close(b);
    // A rig without outfits has no tab for them.
    let other = Live::arm();
    let tab = other.open(b, SCREEN);
    tab.wait(b, "document.querySelector('[data-shows=outfits]').hidden");
    tab.close(b);
}
