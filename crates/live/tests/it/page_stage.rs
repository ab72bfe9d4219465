//! The stage: bones where the engine has them, times from pointer to picture, what the page asks for, and how it
//! looks in other colours and sizes.

use std::time::{Duration, Instant};

use crate::browser::{Browser, SCREEN, Screen, Tab, browser};
use crate::page::{Live, between, distance, turned};

#[test]
fn bones_lie_where_the_engine_has_them() {
    let Some(mut browser) = browser("bones of the overlay") else { return };
    let b = &mut browser;
    let live = Live::example("walk");
    let files = std::sync::Arc::new(bone_format::Disk);
    let loaded = bone_format::load(&live.rig, files, &bone_format::no_fonts);
    let rig = &loaded.rig.expect("the walk");
    let mut state = bone_rig::FrameState::new(rig);
    let tab = live.open(b, SCREEN);
    for (zoom, time) in [
        ("stage.fit();", 0.0),
        ("stage.zoomBy(3.1, [200, 150]);", 0.25),
        ("stage.zoomBy(0.21, [90, 40]);", 0.5),
    ] {
        tab.ask(b, zoom);
        tab.go(b, time);
        rig.pose(rig.clip("walk"), time, &mut state).expect("a pose");
        let mut furthest: f64 = 0.0;
        for bone in rig.skeleton().bones() {
            let [from, to] = tab.bone(b, rig.skeleton().name(bone));
            let origin = state.world().origin(bone);
            let tip = state.world().tip(rig.skeleton(), state.driven(), bone);
            for (shown, at) in [(from, origin), (to, tip)] {
                let expected = tab.place(b, at.x, at.y);
                furthest = furthest.max(distance(shown, expected));
            }
        }
        assert!(furthest < 0.5, "{zoom} {furthest}");
        // The page's own mapping against the outline of the paper.
        let [x, y, width, height] = paper(&tab, b);
        let canvas = rig.art().canvas();
        let (left, top) = tab.place(b, canvas.x0, canvas.y0);
        let (right, bottom) = tab.place(b, canvas.x1, canvas.y1);
        for (a, e) in [(left, x), (top, y), (right, x + width), (bottom, y + height)] {
            assert!((a - e).abs() < 0.6, "{zoom} {a} {e}");
        }
    }
    tab.close(b);
}

/// The edge of the page on the screen.
fn paper(tab: &Tab, b: &mut Browser) -> [f64; 4] {
    let rect = tab.eval(
        b,
        "(() => { const box = document.querySelector('.paper').getBoundingClientRect(); return [box.x, box.y, box.width, box.height]; })()",
    );
    [0, 1, 2, 3].map(|side| rect[side].as_f64().expect("a side"))
}

/// The middle of some times.
fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Drags a bone by small steps, and the times from a move to the picture of it, milliseconds.
fn drag_times(tab: &Tab, b: &mut Browser, bone: &str, degrees: f64) -> (Vec<f64>, f64) {
    let [joint, tip] = tab.bone(b, bone);
    let grip = between(joint, tip, 0.5);
    tab.ask(
        b,
        "window.__times = []; window.__at = null; \
         stage.addEventListener('pointermove', () => { window.__at ??= performance.now(); }, true); \
         model.on('posed', () => { if (window.__at !== null) { const at = window.__at; window.__at = null; \
         requestAnimationFrame(() => window.__times.push(performance.now() - at)); } });",
    );
    tab.press(b, grip, 0);
    let start = Instant::now();
    let mut count = 0;
    for step in 1..=40_u32 {
        tab.move_to(b, turned(grip, joint, f64::from(step) * degrees), 0);
        let waiting = Instant::now();
        let enough = format!("window.__times.length > {count}");
        while tab.eval(b, &enough) != true && waiting.elapsed() < Duration::from_millis(150) {}
        count = tab.eval(b, "window.__times.length").as_u64().unwrap_or_default();
    }
    let took = start.elapsed().as_secs_f64();
    tab.key(b, "Escape", 0);
    tab.release(b, grip, 0);
    let times = tab.eval(b, "window.__times");
    let times: Vec<f64> =
        times.as_array().expect("times").iter().filter_map(serde_json::Value::as_f64).collect();
    (times, took)
}

/// Drags a bone as a hand does, which does not wait for pictures, and how many of them are seen in a second.
fn drag_rate(tab: &Tab, b: &mut Browser, bone: &str, degrees: f64) -> f64 {
    let [joint, tip] = tab.bone(b, bone);
    let grip = between(joint, tip, 0.5);
    tab.ask(
        b,
        "window.__pictures = 0; \
         model.on('posed', () => requestAnimationFrame(() => { window.__pictures += 1; }));",
    );
    tab.press(b, grip, 0);
    let start = Instant::now();
    let mut step = 0.0;
    while start.elapsed() < Duration::from_secs(2) {
        step += 1.0;
        tab.move_to(b, turned(grip, joint, step % 60.0 * degrees), 0);
    }
    let pictures = tab.eval(b, "window.__pictures").as_f64().unwrap_or_default();
    let rate = pictures / start.elapsed().as_secs_f64();
    tab.key(b, "Escape", 0);
    tab.release(b, grip, 0);
    rate
}

#[test]
fn pointer_to_picture() {
    let Some(mut browser) = browser("times from pointer to picture") else { return };
    let b = &mut browser;
    // A whole drawing, and a part of it that fills a large stage.
    for (width, height, zoom, limit) in [(1220, 1200, 1.0, 33.0), (2436, 1400, 4.0, 50.0)] {
        let live = Live::example("walk");
        let tab = live.open(b, Screen { width, height, density: 1.0 });
        tab.ask(b, &format!("if ({zoom} > 1) stage.zoomBy({zoom}, stage.ends('upper_arm_l')[0]);"));
        tab.settled(b);
        let (times, took) = drag_times(&tab, b, "upper_arm_l", 0.7);
        let size = tab.ask(b, "return [document.querySelector('canvas.picture').width, document.querySelector('canvas.picture').height];");
        println!(
            "pointer to picture, {size}: median {:.1} ms (idle machine: at most {limit}), {} pictures in {took:.2} s",
            median(times.clone()),
            times.len()
        );
        assert!(times.len() >= 30, "{}", times.len());
        tab.close(b);
    }
}

/// A drawing of many paths on a chain of many bones.
pub(crate) fn crowd(paths: usize, bones: usize) -> (String, String) {
    let place = |at: usize, of: usize| 20.0 + 760.0 * at as f64 / of as f64;
    let mut svg = String::from(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 400" width="800" height="400">"#,
    );
    let (mut list, mut skin) = (String::new(), String::new());
    for at in 0..paths {
        let (x, y) = (place(at, paths), 120.0 + 160.0 * ((at * 7) % 13) as f64 / 13.0);
        let d = format!("M{x} {y}c8 -10 16 -10 24 0c8 10 8 16 0 24c-8 10 -16 10 -24 0c-8 -8 -8 -16 0 -24Z");
        svg.push_str(&format!(
            "<path id=\"p{at}\" d=\"{d}\" fill=\"#{:02x}7{:x}a0\"/>",
            (at * 5) % 256,
            at % 16
        ));
        skin.push_str(&format!("        Rigid(art: \"p{at}\", bone: \"b{}\"),\n", at * bones / paths));
    }
    svg.push_str("</svg>");
    for at in 0..bones {
        let from = if at == 0 { "from: (20, 200)".to_owned() } else { format!("parent: \"b{}\"", at - 1) };
        list.push_str(&format!("        \"b{at}\": ({from}, to: ({}, 200)),\n", place(at + 1, bones)));
    }
    let rig = format!(
        "Rig(\n    version: 1,\n    drawing: \"crowd.svg\",\n    bones: {{\n{list}    }},\n    skin: [\n{skin}    ],\n    \
         clips: {{ \"sway\": (length: 1, bones: {{ \"b0\": (rotate: [(0, 0), (1, 5)]) }}) }},\n)\n"
    );
    (rig, svg)
}

#[test]
fn three_hundred_paths_and_sixty_bones_are_dragged() {
    let Some(mut browser) = browser("many paths that are dragged") else { return };
    let b = &mut browser;
    let (rig, svg) = crowd(300, 60);
    let live = Live::of(&[("crowd.ron", &rig), ("crowd.svg", &svg)]);
    let tab = live.open(b, SCREEN);
    let (times, _) = drag_times(&tab, b, "b10", 6.0);
    let rate = drag_rate(&tab, b, "b10", 6.0);
    println!(
        "300 paths, 60 bones: median {:.1} ms, {rate:.0} pictures a second (idle machine: at least 24)",
        median(times)
    );
    assert!(rate > 4.0, "{rate}");
    let script = tab.ask(
        b,
        "const start = performance.now(); for (let at = 0; at < 50; at += 1) stage.redraw(); return (performance.now() - start) / 50;",
    );
    println!("script for the bones of a picture: {script} ms");
    tab.close(b);
}

#[test]
fn playing_keeps_real_time() {
    let Some(mut browser) = browser("playing") else { return };
    let b = &mut browser;
    let live = Live::example("walk");
    let tab = live.open(b, SCREEN);
    tab.ask(b, "window.__frames = new Set(); window.__laps = 0; let last = 0; model.on('posed', (posed) => { window.__frames.add(posed.time.toFixed(3)); if (posed.time < last) window.__laps += 1; last = posed.time; }); stage.focus();");
    let start = Instant::now();
    tab.key(b, " ", 0);
    tab.wait(b, "window.__laps >= 3");
    let took = start.elapsed().as_secs_f64();
    tab.key(b, " ", 0);
    let frames = tab.eval(b, "window.__frames.size");
    println!("three laps of one second: {took:.2} s, {frames} of 24 frames were shown");
    assert!((2.5..4.0).contains(&took), "{took}");
    tab.wait(b, "document.querySelector('rig-transport [aria-label=Play]')");
    tab.close(b);
}

/// Memory of this process, MB. None where the system does not say.
fn resident() -> Option<f64> {
    let pages: f64 = std::fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse().ok()?;
    Some(pages * 4096.0 / 1e6)
}

/// Play and edits need no more memory as time goes by. `SOAK` is the time in seconds.
#[test]
fn hours_need_no_more_memory_than_minutes() {
    let Some(mut browser) = browser("memory") else { return };
    let b = &mut browser;
    let seconds: f64 = std::env::var("SOAK").ok().and_then(|text| text.parse().ok()).unwrap_or(3.0);
    let live = Live::example("walk");
    let tab = live.open(b, SCREEN);
    let heap = "return performance.memory.usedJSHeapSize / 1e6;";
    let bone = tab.ask(b, "return model.rig.bones[3].name;");
    let bone = bone.as_str().expect("a bone").to_owned();
    let round = |tab: &Tab, b: &mut Browser, number: u32| {
        tab.ask(
            b,
            &format!(
                "model.setPlaying(true); \
                 await model.edit('Turn', [{{ op: 'SetKey', channel: ['clips', model.clip, 'bones', '{bone}', 'rotate'], \
                 time: 0, value: {}, ease: null }}]); if ({number} % 2) await model.undo();",
                number % 7
            ),
        );
    };
    (0..10).for_each(|number| round(&tab, b, number));
    let (start, first) = (Instant::now(), (resident(), tab.ask(b, heap).as_f64().expect("a size")));
    let mut number = 10;
    while start.elapsed().as_secs_f64() < seconds {
        round(&tab, b, number);
        number += 1;
        std::thread::sleep(Duration::from_millis(200));
    }
    let last = (resident(), tab.ask(b, heap).as_f64().expect("a size"));
    eprintln!(
        "{number} edits in {seconds} s: server {:?} -> {:?} MB, page {:.1} -> {:.1} MB",
        first.0, last.0, first.1, last.1
    );
    // What the collector has not taken yet is counted, too.
    assert!(last.1 - first.1 < 20.0, "{first:?} {last:?}");
    if let (Some(first), Some(last)) = (first.0, last.0) {
        assert!(last - first < 20.0, "{first} {last}");
    }
    tab.close(b);
}

#[test]
fn the_page_is_small_and_asks_no_other_host() {
    let Some(mut browser) = browser("requests of the page") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    let requests = b.events(&tab, "Network.requestWillBeSent");
    let host =
        live.url.split("//").nth(1).and_then(|rest| rest.split('/').next()).expect("a host").to_owned();
    for request in &requests {
        let url = request["request"]["url"].as_str().expect("an address");
        assert!(url.starts_with(&format!("http://{host}/")) || url.starts_with("blob:"), "{url}");
    }
    assert!(requests.len() > 10, "{}", requests.len());
    let size = bone_live::page_size();
    println!("the page: {size} bytes in {} requests", requests.len());
    assert!(size < 320_000, "{size}");
    tab.close(b);
}

#[test]
fn nothing_is_cut_off_in_other_sizes_and_colours() {
    let Some(mut browser) = browser("other sizes and colours") else { return };
    let b = &mut browser;
    let live = Live::example("walk");
    let tab = live.open(b, Screen { width: 1024, height: 700, density: 1.0 });
    tab.ask(b, "model.select(['chest']); model.setOption({ weights: false });");
    tab.settled(b);
    let cut = "[...document.querySelectorAll('rig-toolbar button, rig-toolbar select, rig-transport button, rig-transport select, .zoom button')]\
        .filter((control) => { const box = control.getBoundingClientRect(); \
        return box.width && (box.right > innerWidth + 1 || box.left < -1 || box.bottom > innerHeight + 1); })\
        .map((control) => control.textContent || control.getAttribute('aria-label'))";
    let small = "[...document.querySelectorAll('button, select, input')]\
        .filter((control) => { const box = control.getBoundingClientRect(); return box.width && (box.width < 24 || box.height < 24); })\
        .map((control) => control.outerHTML.slice(0, 90))";
    assert_eq!(tab.eval(b, cut), serde_json::json!([]));
    assert_eq!(tab.eval(b, small), serde_json::json!([]), "targets of less than 24 px");
    for (feature, value) in
        [("prefers-color-scheme", "dark"), ("forced-colors", "active"), ("prefers-reduced-motion", "reduce")]
    {
        let media = serde_json::json!({ "features": [{ "name": feature, "value": value }] });
        tab.call(b, "Emulation.setEmulatedMedia", media);
        tab.settled(b);
        assert_eq!(tab.eval(b, cut), serde_json::json!([]), "{feature}");
        keep(&format!("page-{value}.png"), &tab.picture(b, None));
    }
    tab.call(b, "Emulation.setEmulatedMedia", serde_json::json!({ "features": [] }));
    // Text of twice the size.
    tab.eval(b, "document.documentElement.style.fontSize = '200%'");
    tab.settled(b);
    assert_eq!(tab.eval(b, cut), serde_json::json!([]), "200 % text");
    assert_eq!(tab.eval(b, "document.querySelector('rig-stage').clientHeight > 100"), true);
    keep("page-large-text.png", &tab.picture(b, None));
    tab.close(b);
}

/// Keeps a picture for people, where `PICTURES` names a folder.
pub(crate) fn keep(name: &str, picture: &[u8]) {
    if let Some(folder) = std::env::var_os("PICTURES") {
        let folder = std::path::PathBuf::from(folder);
        std::fs::create_dir_all(&folder).expect("the folder");
        std::fs::write(folder.join(name), picture).expect("a picture");
    }
}
