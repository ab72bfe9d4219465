//! Ten tasks as hands do them, counted: each click, drag, key press and typed field is one gesture. And a loop made
//! with the keyboard alone.

use serde_json::json;

use crate::browser::{ALT, Browser, CTRL, SCREEN, SHIFT, Tab, browser};
use crate::page::{ARM, ARM_SVG, Live, between, turned};
use crate::page_intent::{changed, undo_to};

/// A hand on a page, and what it did so far.
struct Hand<'b> {
    tab: Tab,
    b: &'b mut Browser,
    gestures: usize,
}

impl Hand<'_> {
    fn key(&mut self, key: &str, keys: u8) {
        self.gestures += 1;
        self.tab.key(self.b, key, keys);
        self.tab.settled(self.b);
    }

    fn drag(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.gestures += 1;
        self.tab.pull(self.b, from, to, 0);
        self.tab.settled(self.b);
    }

    /// A click in the middle of what a selector finds.
    fn click(&mut self, selector: &str) {
        self.gestures += 1;
        self.tab.wait(self.b, &format!("document.querySelector({})", json!(selector)));
        crate::page_intent::click_on(&self.tab, self.b, selector);
    }

    fn wait(&mut self, condition: &str) {
        self.tab.wait(self.b, condition);
    }

    fn at(&mut self, x: f64, y: f64) -> (f64, f64) {
        self.tab.place(self.b, x, y)
    }

    /// Another program writes the rig.
    fn rewrite(&mut self, live: &Live, text: &str) {
        self.tab.ask(self.b, "model.setTool('select'); model.announce('');");
        live.write("arm.ron", text);
        self.wait("document.querySelector('rig-status').textContent.startsWith('From the file')");
        self.tab.settled(self.b);
    }

    /// The text that the gestures made; the page goes back to what it was, and the count to 0.
    fn done(&mut self, live: &Live, task: &str, was: &str, most: usize, is: impl Fn(&str) -> bool) {
        let text = live.wait(|text| text != was && is(text));
        println!("{task}: {} gestures, planned {most}", self.gestures);
        assert!(self.gestures <= most, "{task}: {} gestures\n{text}", self.gestures);
        for _ in 0..12 {
            if live.text() == was {
                break;
            }
            self.tab.ask(self.b, "await model.undo();");
        }
        live.wait(|text| text == was);
        self.tab.ask(self.b, "stage.focus(); model.select([]); model.selectKeys([]);");
        self.tab.settled(self.b);
        self.gestures = 0;
    }
}

#[test]
fn ten_tasks_take_no_more_gestures_than_planned() {
    let Some(mut browser) = browser("ten tasks") else { return };
    let clips = ARM.replace(
        "    clips: {\n",
        "    clips: {\n        \"nod\": (length: 1, bones: { \"hand\": (rotate: [(0, 0), (1, 20)]) }),\n",
    );
    let live = Live::of(&[("arm.ron", &clips), ("arm.svg", ARM_SVG)]);
    let tab = live.open(&mut browser, SCREEN);
    let mut hand = Hand { tab, b: &mut browser, gestures: 0 };
    let setup = |hand: &mut Hand<'_>| {
        hand.tab.ask(hand.b, "model.setMode('setup'); stage.focus();");
        hand.tab.settled(hand.b);
    };
    setup(&mut hand);
    // 1: a chain of three bones with names and twins.
    hand.tab.ask(hand.b, "model.select([]);");
    hand.key("m", 0);
    hand.key("n", 0);
    let joints = [(100.0, 300.0), (150.0, 330.0), (200.0, 320.0), (240.0, 350.0)].map(|(x, y)| hand.at(x, y));
    for ends in joints.windows(2) {
        hand.drag(ends[0], ends[1]);
    }
    hand.done(&live, "a chain of three bones, twins and names", &clips, 5, |text| {
        text.matches(".L\"").count() >= 3
    });
    hand.tab.ask(hand.b, "model.setTool('select'); if (model.axis !== null) { const { toggleMirror } = await import('./setup.js'); toggleMirror(); }");

    // 2: the whole drawing is bound. What is bound already stays, so nothing is at first.
    let bare = clips.replace(
        "        Rigid(art: \"upper_art\", bone: \"upper\"),\n        Rigid(art: \"fore_art\",  bone: \"fore\"),\n        Rigid(art: \"hand_art\",  bone: \"hand\"),\n",
        "",
    );
    hand.rewrite(&live, &bare);
    hand.key("b", CTRL);
    hand.done(&live, "the whole drawing bound", &bare, 2, |text| text.contains("\"hand_art\""));
    hand.rewrite(&live, &clips);

    // 3: a goal for an arm.
    hand.key("x", 0);
    hand.wait("document.querySelector('dialog.palette[open]')");
    hand.key("i", 0);
    let [joint, tip] = hand.tab.bone(hand.b, "hand");
    let to = hand.at(250.0, 130.0);
    hand.drag(between(joint, tip, 0.8), to);
    hand.done(&live, "a goal for an arm", &clips, 3, |text| {
        text.contains("Ik(name: \"hand\", tip: \"hand\"")
    });

    // 4: a weight is corrected.
    let bent = clips.replace(
        "Rigid(art: \"upper_art\", bone: \"upper\")",
        "Smooth(art: \"upper_art\", bones: [\"upper\", \"fore\"])",
    );
    hand.rewrite(&live, &bent);
    let [joint, tip] = hand.tab.bone(hand.b, "fore");
    hand.gestures += 1;
    hand.tab.click(hand.b, between(joint, tip, 0.6), 0);
    hand.key("q", 0);
    hand.wait("document.querySelector('rig-stage').weightsOf === 'fore' && document.querySelector('rig-stage').weightPaths.length");
    let (from, to) = (hand.at(60.0, 195.0), hand.at(60.0, 205.0));
    hand.drag(from, to);
    hand.done(&live, "a weight corrected", &bent, 3, |text| {
        text.contains("brush: [") && text.len() <= bent.len() + 160
    });
    hand.rewrite(&live, &clips);

    // 5: an arm posed and keyed, by its art.
    hand.tab.ask(hand.b, "model.setClip('wave'); model.setMode('pose'); stage.focus();");
    hand.tab.go(hand.b, 0.5);
    let [joint, tip] = hand.tab.bone(hand.b, "hand");
    let to = hand.at(220.0, 110.0);
    hand.drag(between(joint, tip, 0.9), to);
    hand.done(&live, "an arm posed and keyed", &clips, 1, |text| text.contains("(0.5, "));

    // 6: a pose copied to the other side.
    hand.tab.go(hand.b, 0.5);
    hand.tab.ask(hand.b, "model.select(['fore']);");
    hand.key("c", CTRL);
    hand.wait("document.querySelector('rig-status').textContent.startsWith('Copied')");
    hand.tab.go(hand.b, 1.5);
    hand.key("V", CTRL | SHIFT);
    hand.done(&live, "a pose to the other side", &clips, 2, |text| text.contains("(1.5, "));

    // 7: a stretch of keys retimed: a box, and its edge.
    let at = |hand: &mut Hand<'_>, time: f64, down: f64| {
        let at = hand.tab.ask(hand.b, &format!("const timeline = document.querySelector('rig-timeline'); const box = timeline.getBoundingClientRect(); return [box.x + timeline.x({time}), box.y + {down}];"));
        (at[0].as_f64().expect("x"), at[1].as_f64().expect("y"))
    };
    let (from, to) = (at(&mut hand, -0.02, 30.0), at(&mut hand, 1.2, 68.0));
    hand.drag(from, to);
    let (from, to) = (at(&mut hand, 1.0, 20.0), at(&mut hand, 1.5, 20.0));
    hand.drag(from, to);
    hand.done(&live, "a stretch retimed", &clips, 2, |text| text.contains("(1.5, -40)"));

    // 8: a slider of two poses.
    hand.tab.go(hand.b, 0.0);
    hand.key("x", 0);
    hand.wait("document.querySelector('dialog.palette[open]')");
    hand.key("v", 0);
    hand.wait("document.querySelector('dialog[open] input')");
    hand.key("Enter", 0);
    hand.wait("document.querySelector('rig-properties input[type=range]')");
    let slide = hand.tab.ask(hand.b, "const box = document.querySelector('rig-properties input[type=range]').getBoundingClientRect(); return [box.x + 8, box.x + box.width - 4, box.y + box.height / 2];");
    let number = |at: usize| slide[at].as_f64().expect("a place");
    hand.drag((number(0), number(2)), (number(1), number(2)));
    hand.click("rig-properties [data-do=record]");
    hand.wait("document.body.classList.contains('mode-record')");
    let [joint, tip] = hand.tab.bone(hand.b, "hand");
    let grip = between(joint, tip, 0.6);
    hand.drag(grip, turned(grip, joint, 40.0));
    hand.tab.ask(hand.b, "stage.focus();");
    hand.key("Enter", 0);
    hand.done(&live, "a slider of two poses", &clips, 7, |text| {
        text.contains("slider: \"slider1\"") && text.contains("rotate: [(0, 0), (1, ")
    });

    // 9: a shot of three clips.
    hand.key("K", CTRL | SHIFT);
    hand.wait("document.querySelector('dialog[open] select')");
    hand.key("Enter", 0);
    hand.wait("document.querySelector('rig-toolbar select').value === 'shot1'");
    for (count, clip) in ["nod", "wave"].into_iter().enumerate() {
        hand.gestures += 1;
        hand.tab.ask(hand.b, &format!("const list = document.querySelector('rig-properties [data-label=\"Add clip\"] select'); list.value = '{clip}'; list.dispatchEvent(new Event('change', {{ bubbles: true }}));"));
        hand.wait(&format!("document.querySelector('rig-timeline').blocks.parts.length === {}", count + 2));
    }
    hand.done(&live, "a shot of three clips", &clips, 4, |text| text.contains("play: ["));

    // 10: a loop as a GIF.
    hand.key("e", CTRL);
    hand.wait("document.activeElement.id === 'x-start'");
    hand.key("Enter", 0);
    println!("a loop as a GIF: {} gestures, planned 2", hand.gestures);
    assert_eq!(hand.gestures, 2);
    // The program that renders is not part of this test program: that it is asked for is seen.
    hand.wait("document.querySelector('#x-state').textContent !== ''");
    let Hand { tab, b, .. } = hand;
    assert_eq!(tab.ask(b, "return window.__errors;"), json!([]));
    tab.close(b);
}

/// Chain, binding, goal, slider, retiming, with no pointer at all.
#[test]
fn a_rig_is_made_with_the_keyboard_alone() {
    let Some(mut browser) = browser("the keyboard alone") else { return };
    let b = &mut browser;
    let rig = ARM.replace("        Rigid(art: \"hand_art\",  bone: \"hand\"),\n", "");
    let live = Live::of(&[("arm.ron", &rig), ("arm.svg", ARM_SVG)]);
    let tab = live.open(b, SCREEN);
    tab.ask(b, "model.select([]); stage.focus();");
    // Bones: drawn from the tip of the selected one, a length at a time.
    tab.key(b, "Tab", 0);
    tab.wait(b, "document.body.classList.contains('mode-setup')");
    tab.ask(b, "model.select(['hand']);");
    tab.key(b, "n", 0);
    for _ in 0..3 {
        tab.key(b, "ArrowRight", SHIFT);
    }
    tab.key(b, "Enter", 0);
    let drawn = changed(&tab, b, &live, &rig);
    assert!(drawn.contains("(parent: \"hand\", to: ("), "{drawn}");
    tab.key(b, "Escape", 0);
    // A goal at the tip.
    tab.key(b, "x", 0);
    tab.wait(b, "document.querySelector('dialog.palette[open]')");
    tab.key(b, "i", 0);
    tab.wait(b, "document.querySelector('rig-stage').dataset.tool === 'rule'");
    tab.key(b, "Enter", 0);
    let goal = changed(&tab, b, &live, &drawn);
    assert!(goal.contains("Ik("), "{goal}");
    // Everything is bound.
    tab.key(b, "b", CTRL);
    let bound = changed(&tab, b, &live, &goal);
    assert!(bound.contains("art: \"hand_art\""), "{bound}");
    // A slider with its name typed.
    tab.key(b, "x", 0);
    tab.wait(b, "document.querySelector('dialog.palette[open]')");
    tab.key(b, "v", 0);
    tab.wait(b, "document.querySelector('dialog[open] input')");
    tab.type_text(b, "smile");
    tab.key(b, "Enter", 0);
    let slider = changed(&tab, b, &live, &bound);
    assert!(slider.contains("\"smile\": (range: (0, 1))"), "{slider}");
    // Keys later by a frame each.
    tab.key(b, "Tab", 0);
    tab.wait(b, "document.body.classList.contains('mode-setup') === false");
    tab.key(b, "t", 0);
    tab.wait(b, "document.activeElement.matches('[role=gridcell]')");
    tab.key(b, "ArrowRight", 0);
    tab.key(b, "Enter", 0);
    tab.wait(b, "document.activeElement.getAttribute('aria-selected') === 'true'");
    tab.key(b, "ArrowRight", ALT);
    let retimed = changed(&tab, b, &live, &slider);
    assert!(retimed.contains("(1.0417, -40)"), "{retimed}");
    for text in [&slider, &bound, &goal, &drawn] {
        tab.ask(b, "stage.focus();");
        undo_to(&tab, b, &live, text);
    }
    assert_eq!(tab.ask(b, "return window.__errors;"), json!([]));
    tab.close(b);
}
