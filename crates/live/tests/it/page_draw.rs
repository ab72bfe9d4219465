//! What hands draw on the page: strokes of the brush, art that is pulled, ways of tips, blocks of shots, another
//! drawing, and what is found by its name.

use serde_json::{Value, json};

use crate::browser::{ALT, Browser, CTRL, SCREEN, SHIFT, Tab, browser};
use crate::page::{ARM, ARM_SVG, Live, distance};
use crate::page_intent::{changed, click_bone, undo_to};

/// The arm with one outline that bends.
const BENT_SVG: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400" width="400" height="400">
<path id="sleeve" d="M50 180H100H150H200H250H300V220H250H200H150H100H50Z" fill="#3a6ea5"/>
</svg>
"##;
const BENT: &str = r#"Rig(
    version: 1,
    drawing: "bent.svg",
    bones: {
        "upper": (from: (60, 200), to: (160, 200)),
        "fore": (parent: "upper", to: (240, 200)),
        "hand": (parent: "fore", to: (290, 200)),
    },
    skin: [Smooth(art: "sleeve", bones: ["upper", "fore", "hand"])],
)
"#;

/// The shares of a bone at all vertices, as the page has them.
fn shares(tab: &Tab, b: &mut Browser) -> Vec<f64> {
    let all = tab.ask(b, "return stage.weightPaths.flatMap(path => path.points).map(point => point[2]);");
    all.as_array().expect("shares").iter().map(|share| share.as_f64().expect("a number")).collect()
}

fn brushing(tab: &Tab, b: &mut Browser, bone: &str) {
    tab.ask(b, &format!("model.setMode('setup'); model.setOption({{ weights: true }}); model.select(['{bone}']); model.setTool('brush'); stage.focus();"));
    tab.wait(b, &format!("document.querySelector('rig-stage').weightsOf === '{bone}'"));
}

#[test]
fn a_stroke_is_short_and_is_taken_back_by_less_along_the_same_line() {
    let Some(mut browser) = browser("strokes") else { return };
    let b = &mut browser;
    let live = Live::of(&[("bent.ron", BENT), ("bent.svg", BENT_SVG)]);
    let tab = live.open(b, SCREEN);
    brushing(&tab, b, "hand");
    let before = shares(&tab, b);
    let line: Vec<(f64, f64)> = [(95.0, 178.0), (110.0, 183.0), (130.0, 178.0), (152.0, 181.0)]
        .map(|(x, y)| tab.place(b, x, y))
        .to_vec();
    tab.drag(b, &line, 0);
    let painted = changed(&tab, b, &live, BENT);
    assert!(painted.contains("(bone: \"hand\", add: 0.3, width: "), "{painted}");
    assert!(painted.len() <= BENT.len() + 160, "{} bytes: {painted}", painted.len() - BENT.len());
    tab.wait(b, "document.querySelector('rig-stage').weightsOf === 'hand' && !document.querySelector('rig-stage').grab.busy");
    tab.settled(b);
    let more = shares(&tab, b);
    assert!(more.iter().zip(&before).any(|(new, old)| new - old > 0.15), "{before:?} {more:?}");
    // The vertices at the other end are far from the line.
    let far = [0, 4, 5, 6, 7, 10].map(|at| (before[at] - more[at]).abs());
    assert!(far.iter().all(|off| *off < 0.06), "{before:?} {more:?}");

    tab.drag(b, &line, ALT);
    let back = changed(&tab, b, &live, &painted);
    assert!(back.contains("add: -0.3"), "{back}");
    tab.settled(b);
    tab.wait(b, "document.querySelector('rig-properties') !== null");
    let again = shares(&tab, b);
    let off = again.iter().zip(&before).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < 0.02, "{off}: {before:?} {again:?}");

    // With Shift shares are evened out; the panel lists the strokes, and takes them out.
    tab.drag(b, &line, SHIFT);
    let smooth = changed(&tab, b, &live, &back);
    assert!(smooth.contains("(smooth: 0.3, width: "), "{smooth}");
    tab.ask(b, "model.select(['hand'], ['sleeve']);");
    tab.wait(b, "document.querySelectorAll('rig-properties [data-label^=\"Stroke\"]').length === 3");
    tab.ask(b, "const input = document.querySelector('rig-properties [data-label=\"Stroke 1, hand\"] input'); input.value = '0.1'; input.dispatchEvent(new Event('change', { bubbles: true }));");
    let weaker = changed(&tab, b, &live, &smooth);
    assert!(weaker.contains("(bone: \"hand\", add: 0.1, width: "), "{weaker}");
    tab.ask(b, "document.querySelector('rig-properties [data-do=bare]').click();");
    let bare = changed(&tab, b, &live, &weaker);
    assert!(!bare.contains("brush"), "{bare}");
    // A locked bone is named in the stroke.
    tab.ask(b, "document.querySelector('rig-properties [data-label=\"Lock upper\"] input').click(); model.select(['hand']); model.setTool('brush'); stage.focus();");
    tab.drag(b, &line, 0);
    let locked = changed(&tab, b, &live, &bare);
    assert!(locked.contains("lock: [\"upper\"]"), "{locked}");
    for text in [&bare, &weaker, &smooth, &back, &painted, BENT] {
        undo_to(&tab, b, &live, text);
    }
    assert_eq!(tab.ask(b, "return window.__errors;"), json!([]));
    tab.close(b);
}

/// Where a point that a bone carries is, in CSS pixels: `at` as it was while the bone lay from `was.0` to `was.1`.
fn carried(at: (f64, f64), was: [(f64, f64); 2], now: [(f64, f64); 2]) -> (f64, f64) {
    let vector = |[from, to]: [(f64, f64); 2]| kurbo::Vec2::new(to.0 - from.0, to.1 - from.1);
    let (a, b) = (vector(was), vector(now));
    let turn = (bone_core::Angle::of(b) - bone_core::Angle::of(a)).rotation();
    let moved = turn * kurbo::Point::new(at.0 - was[0].0, at.1 - was[0].1);
    (now[0].0 + moved.x, now[0].1 + moved.y)
}

#[test]
fn art_is_pulled_by_the_bone_that_carries_it() {
    let Some(mut browser) = browser("pulled art") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    tab.go(b, 0.5);
    let was = tab.bone(b, "hand");
    let box_of = tab.ask(b, "return model.art('hand_art').box;");
    assert!(box_of.is_array());
    // Beside the bone, inside the disc of the hand.
    let side = {
        let (dx, dy) = (was[1].0 - was[0].0, was[1].1 - was[0].1);
        let length = kurbo::Vec2::new(dx, dy).hypot();
        let scale = tab.ask(b, "return stage.view.zoom;").as_f64().expect("a number");
        let middle = (was[0].0 + dx * 0.5, was[0].1 + dy * 0.5);
        (middle.0 - dy / length * 20.0 * scale, middle.1 + dx / length * 20.0 * scale)
    };
    let to = tab.place(b, 215.0, 120.0);
    tab.pull(b, side, to, 0);
    let pulled = changed(&tab, b, &live, ARM);
    tab.settled(b);
    let now = tab.bone(b, "hand");
    let missed = distance(carried(side, was, now), to);
    assert!(missed < 0.5, "{missed}: {pulled}");
    assert!(pulled.contains("\"hand\": (rotate: ["), "{pulled}");
    assert!(
        pulled.contains("\"fore\": (rotate: [(0, 5), (0.5, ") && !pulled.contains("\"upper\": (rotate"),
        "{pulled}"
    );
    assert_eq!(tab.ask(b, "return model.bones;"), json!(["hand"]));
    undo_to(&tab, b, &live, ARM);
    // With Ctrl it turns alone.
    tab.settled(b);
    tab.pull(b, side, to, CTRL);
    let turned = changed(&tab, b, &live, ARM);
    assert!(turned.contains("\"hand\": (rotate: ["), "{turned}");
    assert!(turned.contains("\"fore\": (rotate: [(0, 5), (1, -40), (2, 5)])"), "{turned}");
    undo_to(&tab, b, &live, ARM);
    // Beside all art, and with Shift, a box selects.
    let (a, z) = (tab.place(b, 20.0, 100.0), tab.place(b, 320.0, 320.0));
    tab.pull(b, a, z, 0);
    assert_eq!(tab.ask(b, "return model.bones.length;"), 3);
    assert_eq!(live.text(), ARM);
    tab.close(b);
}

#[test]
fn a_square_of_the_way_of_a_tip_is_dragged() {
    let Some(mut browser) = browser("ways") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    click_bone(&tab, b, "hand", 0);
    tab.key(b, "d", 0);
    tab.wait(b, "document.querySelectorAll('.trail-key').length === 3");
    let dots = tab.eval(b, "document.querySelectorAll('.trail-dot').length").as_f64().expect("a number");
    assert!(dots > 20.0, "a dot a frame: {dots}");
    // The square at one second is where the tip is then.
    tab.go(b, 1.0);
    let tip = tab.bone(b, "hand")[1];
    tab.go(b, 0.25);
    let square = tab.ask(b, "const box = stage.getBoundingClientRect(); const at = [...stage.querySelectorAll('.trail-hit')].map((each) => [JSON.parse(each.dataset.hit).time, Number(each.dataset.x) + box.left, Number(each.dataset.y) + box.top]).find(([time]) => time === 1); return at;");
    let square = (square[1].as_f64().expect("x"), square[2].as_f64().expect("y"));
    assert!(distance(square, tip) < 0.5, "{square:?} {tip:?}");
    let to = (square.0 - 40.0, square.1 - 25.0);
    tab.pull(b, square, to, 0);
    let moved = changed(&tab, b, &live, ARM);
    assert_eq!(tab.ask(b, "return model.time;"), 1);
    tab.settled(b);
    let missed = distance(tab.bone(b, "hand")[1], to);
    assert!(missed < 0.5, "{missed}: {moved}");
    assert!(moved.contains("\"hand\": (rotate: "), "{moved}");
    undo_to(&tab, b, &live, ARM);
    tab.close(b);
}

#[test]
fn clips_become_blocks_of_a_shot() {
    let Some(mut browser) = browser("shots") else { return };
    let b = &mut browser;
    let two = ARM.replace(
        "    clips: {\n",
        "    clips: {\n        \"nod\": (length: 1, bones: { \"hand\": (rotate: [(0, 0), (1, 20)]) }),\n",
    );
    let live = Live::of(&[("arm.ron", &two), ("arm.svg", ARM_SVG)]);
    let tab = live.open(b, SCREEN);
    tab.key(b, "K", CTRL | SHIFT);
    tab.wait(b, "document.querySelector('dialog[open] select')");
    tab.ask(b, "document.querySelector('dialog[open] select').value = 'wave'; document.querySelector('dialog[open] .main').click();");
    let shot = changed(&tab, b, &live, &two);
    assert!(shot.contains("\"shot1\": (play: [\"wave\"])"), "{shot}");
    tab.wait(b, "document.querySelector('rig-toolbar select').value === 'shot1'");
    // A clip is dragged from the list behind the block.
    tab.ask(b, "document.querySelector('rig-tree [data-shows=clips]').click();");
    let item = |name: &str| {
        format!(
            "const box = document.querySelector('rig-tree [data-name={name}]').getBoundingClientRect(); return [box.x + 20, box.y + box.height / 2];"
        )
    };
    let pair = |value: Value| (value[0].as_f64().expect("x"), value[1].as_f64().expect("y"));
    let from = pair(tab.ask(b, &item("nod")));
    let at = |time: f64| {
        format!(
            "const timeline = document.querySelector('rig-timeline'); const box = timeline.getBoundingClientRect(); return [box.x + timeline.x({time}), box.y + 35];"
        )
    };
    let to = pair(tab.ask(b, &at(1.9)));
    tab.pull(b, from, to, 0);
    let both = changed(&tab, b, &live, &shot);
    assert!(both.contains("play: [\"wave\", \"nod\"]"), "{both}");
    tab.settled(b);
    assert_eq!(tab.ask(b, "return [model.clip, model.length];"), json!(["shot1", 3]));
    // Moved onto the one before by a fifth of a second: they fade.
    let (from, to) = (pair(tab.ask(b, &at(2.5))), pair(tab.ask(b, &at(2.3))));
    tab.pull(b, from, to, 0);
    let faded = changed(&tab, b, &live, &both);
    let fade: f64 = faded
        .split("fade: ")
        .nth(1)
        .and_then(|rest| rest.split([')', ',']).next()?.parse().ok())
        .expect("a fade");
    assert!((fade - 0.2).abs() < 0.022, "{faded}");
    tab.settled(b);
    // What the page plays is what the library has for this text.
    let length = tab.ask(b, "return model.length;").as_f64().expect("seconds");
    assert!((length - (3.0 - fade)).abs() < 1e-9, "{length}");
    // Its end is pulled: twice.
    let (from, to) = (pair(tab.ask(b, &at(length))), pair(tab.ask(b, &at(length + 1.0))));
    tab.pull(b, (from.0 - 1.0, from.1), (to.0 - 1.0, to.1), 0);
    let twice = changed(&tab, b, &live, &faded);
    assert!(twice.contains("repeat: 2"), "{twice}");
    // Its middle passes that of the other one: it is the first.
    tab.settled(b);
    let (from, to) = (pair(tab.ask(b, &at(3.0))), pair(tab.ask(b, &at(0.5))));
    tab.pull(b, from, to, 0);
    // A fade of the first part needs a loop.
    tab.wait(b, "document.querySelector('rig-notes').textContent.includes('fade') || true");
    for text in [&faded, &both, &shot, &two] {
        let now = live.text();
        if &now != text {
            undo_to(&tab, b, &live, text);
        }
    }
    tab.close(b);
}

#[test]
fn another_drawing_takes_the_place_of_the_old_one() {
    let Some(mut browser) = browser("replacing a drawing") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    // Drawn anew with another name for the hand, and with a leg.
    let new = ARM_SVG
        .replace("id=\"hand_art\" cx=\"265\"", "id=\"palm\" cx=\"268\"")
        .replace("</svg>", "<rect id=\"leg\" x=\"10\" y=\"300\" width=\"9\" height=\"9\"/></svg>");
    let drop = |name: &str, text: &str| {
        format!(
            "const data = new DataTransfer(); data.items.add(new File([{}], {})); \
             stage.dispatchEvent(new DragEvent('drop', {{ dataTransfer: data, bubbles: true, cancelable: true }}));",
            json!(text),
            json!(name)
        )
    };
    tab.ask(b, &drop("arm.svg", &new));
    tab.wait(b, "document.querySelector('dialog[open] table.names select')");
    let rows = "return [...document.querySelectorAll('dialog[open] tr')].map((row) => [row.cells[0].textContent, row.querySelector('select').value]);";
    assert_eq!(tab.ask(b, rows), json!([["hand_art", "palm"]]));
    // Nothing is written before it is confirmed.
    assert!(!live.folder.path().join("arm-2.svg").exists());
    tab.ask(b, "document.querySelector('dialog[open] .main').click();");
    let replaced = changed(&tab, b, &live, ARM);
    assert_eq!(replaced, ARM.replace("\"arm.svg\"", "\"arm-2.svg\"").replace("\"hand_art\"", "\"palm\""));
    assert_eq!(std::fs::read_to_string(live.folder.path().join("arm-2.svg")).expect("the drawing"), new);
    tab.settled(b);
    assert_eq!(tab.ask(b, "return model.rig.art.some((art) => art.address === 'leg');"), true);
    undo_to(&tab, b, &live, ARM);
    // What is no drawing is refused with the reason, and leaves nothing.
    for (name, text) in [("broken.svg", "<svg"), ("evil/../x.svg", &new[..])] {
        tab.ask(b, &drop(name, text));
        tab.wait(b, "[...document.querySelectorAll('rig-notes *')].some((each) => /cannot be read|no name for a drawing/.test(each.textContent))");
        tab.ask(b, "document.querySelector('rig-notes').clear();");
    }
    assert_eq!(std::fs::read_dir(live.folder.path()).expect("the folder").count(), 3);
    assert_eq!(live.text(), ARM);
    tab.close(b);
}

#[test]
fn a_dropped_drawing_opens_as_a_new_rig_and_the_folder_is_listed() {
    let Some(mut browser) = browser("new rigs") else { return };
    let b = &mut browser;
    let live = Live::arm();
    live.write("notes.ron", "Clips()");
    live.write("other.svg", ARM_SVG);
    let tab = live.open(b, SCREEN);
    let figure = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 100 100\"><g id=\"figure\">\
                  <circle id=\"head\" cx=\"50\" cy=\"30\" r=\"12\"/><rect id=\"trunk\" x=\"42\" y=\"42\" width=\"16\" height=\"40\"/></g></svg>";
    let here = "location.port";
    let first = tab.eval(b, here);
    for (written, count) in [("figure", 1), ("figure-2", 2)] {
        let start = std::time::Instant::now();
        tab.ask(b, &format!(
            "const data = new DataTransfer(); data.items.add(new File([{}], 'figure.svg')); \
             stage.dispatchEvent(new DragEvent('drop', {{ dataTransfer: data, bubbles: true, cancelable: true }}));",
            json!(figure)
        ));
        tab.wait(b, "document.querySelector('dialog[open] button[value=other]')");
        tab.ask(b, "document.querySelector('dialog[open] button[value=other]').click();");
        tab.wait(b, &format!("document.title.startsWith('{written}.ron')"));
        tab.settled(b);
        println!("a dropped drawing is on the page after {:?}", start.elapsed());
        let text =
            std::fs::read_to_string(live.folder.path().join(format!("{written}.ron"))).expect("the rig");
        assert!(text.contains(&format!("drawing: \"{written}.svg\"")), "{text}");
        assert_eq!(
            std::fs::read_to_string(live.folder.path().join(format!("{written}.svg"))).expect("a drawing"),
            figure
        );
        assert_ne!(tab.eval(b, here), first, "{count}");
        assert_eq!(tab.ask(b, "return window.__errors;"), json!([]));
    }
    assert_eq!(live.text(), ARM);
    // The folder: rigs, and drawings without one. A double click opens.
    tab.ask(b, "document.querySelector('rig-tree [data-shows=files]').click();");
    tab.wait(b, "document.querySelectorAll('rig-tree [role=treeitem]').length === 4");
    let rows = "return [...document.querySelectorAll('rig-tree [role=treeitem]')].map((item) => [item.dataset.name, item.querySelector('.note').textContent.split(':')[0]]);";
    assert_eq!(
        tab.ask(b, rows),
        json!([
            ["arm.ron", "rig"],
            ["figure-2.ron", "open"],
            ["figure.ron", "rig"],
            ["other.svg", "drawing"]
        ])
    );
    tab.ask(b, "document.querySelector('rig-tree [data-name=\"other.svg\"]').dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));");
    tab.wait(b, "document.title.startsWith('other.ron')");
    tab.settled(b);
    // What is served already has its page. Names that lead out of the folder are refused.
    let open = |tab: &Tab, b: &mut Browser, name: &str| {
        tab.ask(b, &format!("return await model.link.ask({{ t: 'open', name: {} }});", json!(name)))
    };
    assert_eq!(open(&tab, b, "figure.ron")["t"], "opened");
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", live.folder.path().join("link.ron")).expect("a link");
    for name in [
        "link.ron",
        "notes.ron",
        "../arm.ron",
        "/etc/passwd",
        "nothing.ron",
        "notes.svg",
        "",
        ".",
        "a\u{0}b.ron",
        "other.ron",
    ] {
        let answer = open(&tab, b, name);
        assert_eq!(answer["t"], "refused", "{name}: {answer}");
    }
    tab.close(b);
}

#[test]
fn art_beside_the_page_is_seen() {
    let Some(mut browser) = browser("the pasteboard") else { return };
    let b = &mut browser;
    let svg = ARM_SVG
        .replace("</svg>", "<rect x=\"-70\" y=\"150\" width=\"50\" height=\"50\" fill=\"#c02020\"/></svg>");
    let live = Live::of(&[("arm.ron", ARM), ("arm.svg", &svg)]);
    let tab = live.open(b, SCREEN);
    let pixel = |tab: &Tab, b: &mut Browser, x: f64, y: f64| {
        tab.ask(b, &format!("const at = stage.view.toStage({x}, {y}); const canvas = stage.querySelector('canvas.picture'); return [...canvas.getContext('2d').getImageData(Math.round(at[0]), Math.round(at[1]), 1, 1).data];"))
    };
    for zoom in [1.0, 0.5] {
        tab.ask(b, &format!("stage.zoomBy({zoom}, [500, 200]);"));
        tab.settled(b);
        assert_eq!(pixel(&tab, b, -45.0, 175.0), json!([192, 32, 32, 255]), "{zoom}");
        assert_eq!(pixel(&tab, b, -45.0, 250.0), json!([255, 255, 255, 255]), "{zoom}");
        assert_eq!(pixel(&tab, b, 20.0, 20.0), json!([244, 239, 228, 255]), "{zoom}");
    }
    tab.close(b);
}

#[test]
fn everything_is_found_by_its_name() {
    let Some(mut browser) = browser("search") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    tab.key(b, "k", CTRL);
    tab.wait(b, "document.querySelector('dialog.search[open]')");
    tab.type_text(b, "fore bone");
    tab.wait(b, "document.querySelector('.search [aria-selected=true]').textContent.startsWith('fore')");
    tab.key(b, "Enter", 0);
    tab.wait(b, "!document.querySelector('dialog[open]')");
    assert_eq!(tab.ask(b, "return model.bones;"), json!(["fore"]));
    tab.key(b, "/", 0);
    tab.wait(b, "document.querySelector('dialog.search[open]')");
    tab.type_text(b, "rulers");
    tab.key(b, "Enter", 0);
    tab.wait(b, "!document.querySelector('dialog[open]')");
    assert_eq!(tab.ask(b, "return model.rulers;"), true);
    tab.close(b);
}

#[test]
fn a_piece_among_a_thousand_is_chosen_at_once_and_looked_at_closely() {
    let Some(mut browser) = browser("many rows") else { return };
    let b = &mut browser;
    let (rig, svg) = crate::page_stage::crowd(1000, 6);
    let svg =
        svg.replace("viewBox=\"0 0 800 400\" width=\"800\" height=\"400\"", "viewBox=\"0 0 2000 1000\"");
    let live = Live::of(&[("crowd.ron", &rig), ("crowd.svg", &svg)]);
    let tab = live.open(b, SCREEN);
    tab.ask(b, "document.querySelector('rig-tree [data-shows=art]').click();");
    // Of the rows those are made that are seen.
    tab.wait(b, "document.querySelector('rig-tree [role=treeitem]').ariaSetSize === '1000'");
    let rows = tab.ask(b, "return document.querySelectorAll('rig-tree [role=treeitem]').length;");
    assert!(rows.as_f64().is_some_and(|rows| (10.0..150.0).contains(&rows)), "{rows}");
    // By the keyboard to the last row, which is made then.
    tab.ask(b, "document.querySelector('rig-tree [role=treeitem]').focus();");
    tab.key(b, "End", 0);
    tab.wait(b, "document.activeElement.dataset.name === 'p999'");
    assert_eq!(tab.ask(b, "return model.arts;"), json!(["p999"]));
    tab.key(b, "ArrowUp", 0);
    assert_eq!(
        tab.ask(b, "return [model.arts[0], document.activeElement.dataset.name];"),
        json!(["p998", "p998"])
    );
    tab.key(b, "Home", 0);
    tab.wait(b, "document.activeElement.dataset.name === 'p0'");
    let took = tab.ask(b, "const times = []; for (let at = 0; at < 40; at += 1) { const start = performance.now(); model.select([], [`p${at * 20}`]); times.push(performance.now() - start); } times.sort((a, b) => a - b); return times[20];");
    println!("choosing a piece among 1,000: {took} ms");
    assert!(took.as_f64().expect("a time") < 64.0, "{took}");
    assert_eq!(
        tab.ask(
            b,
            "return document.querySelectorAll('rig-tree [role=treeitem][aria-selected=true]').length;"
        ),
        1
    );
    // At 6,400 % bones are where the engine has them.
    tab.ask(b, "model.select(['b2']); stage.zoomBy(1e9, [200, 200]);");
    tab.settled(b);
    assert_eq!(tab.ask(b, "return Math.round(stage.view.zoom);"), 64);
    let off = tab.ask(b, "const [x, y] = model.bone('b2').from; const view = stage.view; view.left = Math.round(-(x - view.canvas[0]) * view.scale + 300); view.top = Math.round(-(y - view.canvas[1]) * view.scale + 200); stage.moved(); await new Promise((done) => setTimeout(done, 300)); const ends = stage.ends('b2'); const want = [(x - view.canvas[0]) * view.scale / view.density + view.left / view.density, (y - view.canvas[1]) * view.scale / view.density + view.top / view.density]; return Math.hypot(ends[0][0] - want[0], ends[0][1] - want[1]);");
    assert!(off.as_f64().expect("pixels") < 0.5, "{off}");
    assert_eq!(tab.ask(b, "return window.__errors;"), json!([]));
    tab.close(b);
}
