//! The text beside the page: saved by other programs, wrong, in conflict, changed in another tab, and a server
//! that comes back.

use std::time::{Duration, Instant};

use crate::browser::{SCREEN, browser};
use crate::page::{ARM, ARM_SVG, Live, between, turned};

/// Milliseconds from a save to the picture of it.
const FOLLOWS: u128 = 200;

#[test]
fn the_page_follows_every_kind_of_save() {
    let Some(mut browser) = browser("saves in an editor") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    tab.go(b, 1.0);
    let name = "arm.ron";
    type Save<'a> = &'a dyn Fn(&str);
    let ways: [(&str, Save<'_>); 4] = [
        ("write", &|text| live.write(name, text)),
        ("rename", &|text| {
            live.write("arm.tmp", text);
            std::fs::rename(live.folder.path().join("arm.tmp"), &live.rig).expect("a rename");
        }),
        ("delete and create", &|text| {
            std::fs::remove_file(&live.rig).expect("a removal");
            live.write(name, text);
        }),
        ("twice", &|text| {
            live.write(name, &text.replace("(1, ", "(1, 1"));
            live.write(name, text);
        }),
    ];
    let mut took = Vec::new();
    for (at, (way, save)) in ways.iter().enumerate() {
        let value = 11 + at;
        let text = ARM.replace("-40", &value.to_string());
        // The page itself notes when the picture is there.
        let watch = format!(
            "window.__shown = null; const value = {value}; const look = () => {{ \
             const key = model.tracks()[0].keys[1].v; \
             if (key === value && stage.pictures.idle && model.posed.rev === model.rig.rev) window.__shown = Date.now(); \
             else requestAnimationFrame(look); }}; look(); return Date.now();"
        );
        tab.ask(b, &watch);
        let saved =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("the time").as_millis();
        save(&text);
        tab.wait(b, "window.__shown !== null");
        let shown = tab.eval(b, "window.__shown").as_f64().expect("a time") as u128;
        took.push((*way, shown.saturating_sub(saved)));
        assert_eq!(tab.ask(b, "return [model.time, model.clip];"), serde_json::json!([1, "wave"]));
    }
    println!("from a save to its picture, ms: {took:?}");
    // The limit is for an idle machine; tests share theirs.
    assert!(took.iter().all(|(_, ms)| *ms < 5 * FOLLOWS), "{took:?}");
    tab.close(b);
}

#[test]
fn with_a_mistake_the_last_picture_stays_and_editing_is_off() {
    let Some(mut browser) = browser("a mistake in the text") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    tab.go(b, 1.0);
    tab.ask(b, "model.select(['fore']); stage.zoomBy(2, [200, 150]);");
    tab.settled(b);
    let before =
        tab.ask(b, "return [model.time, model.clip, model.bones, stage.view.scale, stage.view.left];");
    let wrong = ARM.replace("parent: \"upper\"", "parent: \"uper\"");
    live.write("arm.ron", &wrong);
    tab.wait(b, "document.documentElement.dataset.good === 'false'");
    tab.wait(b, "document.querySelector('rig-problems li.error')");
    let shown = tab.eval(b, "document.querySelector('rig-problems').textContent");
    let shown = shown.as_str().expect("a text");
    for part in ["\"uper\"", "arm.ron:7", "did you mean \"upper\"?"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let [joint, tip] = tab.bone(b, "fore");
    let grip = between(joint, tip, 0.5);
    tab.pull(b, grip, turned(grip, joint, 20.0), 0);
    assert_eq!(live.text(), wrong, "nothing is written into a text with mistakes");
    live.write("arm.ron", ARM);
    tab.wait(b, "document.documentElement.dataset.good === 'true'");
    tab.settled(b);
    let after =
        tab.ask(b, "return [model.time, model.clip, model.bones, stage.view.scale, stage.view.left];");
    assert_eq!(before, after);
    assert_eq!(tab.eval(b, "document.querySelector('rig-problems').hidden"), true);
    tab.close(b);
}

#[test]
fn two_tabs_follow_each_other() {
    let Some(mut browser) = browser("two tabs") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let one = live.open(b, SCREEN);
    let context = one.context.clone();
    let other = b.open_in(&context, &live.url, SCREEN);
    other.settled(b);
    other.ask(
        b,
        "window.__at = null; model.on('rig', () => { if (model.rig.rev > 0) window.__at ??= Date.now(); });",
    );
    let start = one.ask(
        b,
        "window.__asked = Date.now(); await model.edit('Turn', [{ op: 'SetKey', channel: ['clips', 'wave', 'bones', 'fore', 'rotate'], \
         time: 1, value: -20, ease: null }]); return window.__asked;",
    );
    other.wait(b, "window.__at !== null");
    let took = other.eval(b, "window.__at").as_f64().expect("a time") - start.as_f64().expect("a time");
    println!("from an edit in one tab to the other, ms: {took}");
    assert!(took < 500.0, "{took}");
    other.settled(b);
    assert_eq!(other.ask(b, "return model.tracks()[0].keys[1].v;"), -20);
    assert_eq!(live.text(), ARM.replace("-40", "-20"));
    // What one did the other can take back.
    other.ask(b, "await model.undo();");
    live.wait(|text| text == ARM);
    one.wait(b, "document.documentElement.dataset.good === 'true'");
    other.close(b);
    one.close(b);
}

#[test]
fn hostile_names_are_text() {
    let Some(mut browser) = browser("names with markup") else { return };
    let b = &mut browser;
    let name = "<img src=x onerror=alert(1)>";
    let rig = ARM.replace("hand", name);
    let svg = ARM_SVG.replace("hand_art", "&lt;img src=x onerror=alert(1)>_art");
    let live = Live::of(&[("arm.ron", &rig), ("arm.svg", &svg)]);
    let tab = live.open(b, SCREEN);
    assert_eq!(
        tab.ask(
            b,
            "return model.rig.bones.map((bone) => bone.name).includes('<img src=x onerror=alert(1)>');"
        ),
        true
    );
    tab.ask(
        b,
        "model.select([model.rig.bones[2].name], [model.rig.art[3].address]); model.setMode('setup');",
    );
    tab.eval(b, "[...document.querySelectorAll('[role=tab]')].forEach((tab) => tab.click())");
    tab.eval(b, "document.querySelector('[data-shows=art]').click()");
    let [joint, tip] = tab.bone(b, name);
    tab.hover(b, between(joint, tip, 0.5));
    tab.key(b, "F2", 0);
    tab.wait(b, "document.querySelector('dialog[open]')");
    assert_eq!(tab.eval(b, "document.querySelectorAll('img').length"), 0);
    assert_eq!(tab.eval(b, "document.querySelector('rig-tree').textContent.includes('<img')"), true);
    tab.key(b, "Escape", 0);
    tab.close(b);
}

/// Scripts in a drawing, and names that are markup, addresses, or words of JavaScript: none of it runs, all of it is
/// shown as it is written, and edits of such names go where they belong.
#[test]
fn nothing_of_a_rig_runs_in_the_page() {
    let Some(mut browser) = browser("a rig with scripts") else { return };
    let b = &mut browser;
    let run = "window.__ran = (window.__ran || 0) + 1";
    let bones = [
        "<img src=x onerror='window.__ran=1'>",
        "<svg onload='window.__ran=1'>",
        "</script><script>window.__ran=1</script>",
        "javascript:window.__ran=1",
        "__proto__",
        "constructor",
        "${window.__ran=1}",
        "{{window.__ran=1}}",
        "' onclick='window.__ran=1",
        "a\u{202e}txt.exe",
    ];
    let named: String = (0..)
        .zip(bones)
        .map(|(at, name)| format!("{name:?}: (from: ({at}0, 0), to: ({at}5, 9)),\n"))
        .collect();
    let clip = |name: &str| {
        format!("{name:?}: (length: 1, bones: {{ \"__proto__\": (rotate: [(0, 0), (1, 20)]) }}),\n")
    };
    let clips: String = ["<b onmouseover='window.__ran=1'>x</b>", "__proto__", "toString"].map(clip).concat();
    let rig = format!(
        "Rig(version: 1, drawing: \"arm.svg\", bones: {{\n{named}}}, skin: [Rigid(art: \"fore_art\", bone: \"__proto__\")],\n\
         clips: {{\n{clips}}})"
    );
    let hostile = format!(
        "<script>{run}</script><script href='data:text/javascript,{run}'/><style>@import 'http://127.0.0.1:1/x';</style>\
         <a href='javascript:{run}'><rect id='link' width='50' height='50'/></a>\
         <rect id='&lt;img src=x onerror=&quot;{run}&quot;>' width='5' height='5' onload='{run}' onclick='{run}'/>\
         <foreignObject width='99' height='99'><body xmlns='http://www.w3.org/1999/xhtml'><img src='x' onerror='{run}'/>\
         <iframe src='javascript:{run}'/></body></foreignObject>\
         <image href='javascript:{run}' width='9' height='9'/><image href='http://127.0.0.1:1/x.png' width='9' height='9'/>\
         <animate href='#back' attributeName='href' to='javascript:{run}'/><set attributeName='onload' to='{run}'/></svg>"
    );
    let svg = ARM_SVG.replace("<svg ", &format!("<svg onload='{run}' ")).replace("</svg>", &hostile);
    let live = Live::of(&[("arm.ron", &rig), ("arm.svg", &svg)]);
    let tab = live.open(b, SCREEN);
    tab.settled(b);
    tab.eval(
        b,
        "document.querySelectorAll('[role=tab], summary, rig-tree button').forEach((it) => it.click())",
    );
    for name in bones {
        tab.ask(b, &format!("model.select([{}], []);", serde_json::json!(name)));
        tab.settled(b);
    }
    for name in ["<b onmouseover='window.__ran=1'>x</b>", "toString", "__proto__"] {
        tab.ask(b, &format!("model.setClip({0}); model.setTime(1);", serde_json::json!(name)));
        tab.settled(b);
    }
    // The key of the clip and the bone with the name of JavaScript's own.
    tab.ask(
        b,
        "await model.edit('Turn', [{ op: 'SetKey', channel: ['clips', '__proto__', 'bones', '__proto__', 'rotate'], \
         time: 1, value: 35, ease: null }]);",
    );
    live.wait(|text| text.matches("(1, 35)").count() == 1);
    tab.settled(b);
    let clips = "return Object.keys(model.rig.clips).sort().map((name) => \
        [name, Object.entries(model.rig.clips).find(([it]) => it === name)[1].tracks[0].keys[1].v]);";
    let named = |proto: &[i32]| {
        let proto = proto.iter().map(|value| serde_json::json!(["__proto__", value]));
        let others = ["<b onmouseover='window.__ran=1'>x</b>", "toString"];
        let mut all: Vec<_> = proto.chain(others.map(|name| serde_json::json!([name, 20]))).collect();
        all.sort_by_key(|entry| if entry[0] == "toString" { 2 } else { i32::from(entry[0] == "__proto__") });
        serde_json::Value::Array(all)
    };
    assert_eq!(tab.ask(b, clips), named(&[35]));
    // A clip that comes anew.
    tab.ask(
        b,
        "await model.edit('Delete', [{ op: 'Delete', of: 'clip', name: '__proto__', dependants: true }]);",
    );
    tab.settled(b);
    assert_eq!(tab.ask(b, clips), named(&[]));
    tab.ask(b, "await model.undo();");
    tab.settled(b);
    assert_eq!(tab.ask(b, clips), named(&[35]));
    let shown = tab.eval(b, "document.body.textContent");
    for name in [bones[0], bones[2], bones[4]] {
        assert!(shown.as_str().is_some_and(|shown| shown.contains(name)), "{name}");
    }
    assert_eq!(tab.eval(b, "String(window.__ran)"), "undefined");
    let foreign = "document.querySelectorAll('script:not([src=\"main.js\"]), iframe, foreignObject, img:not([src^=blob]), [onload], [onerror], [onclick], a[href^=javascript]').length";
    assert_eq!(tab.eval(b, foreign), 0);
    assert_eq!(tab.eval(b, "document.cookie + location.hash"), "");
    tab.close(b);
}

#[test]
fn the_page_comes_back_after_the_server_does() {
    let Some(mut browser) = browser("a connection that is lost") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    // As after sleep: the connection ends, and the page makes a new one.
    let start = Instant::now();
    tab.ask(b, "window.__lost = 0; model.on('link', (connected) => { window.__lost += connected ? 1 : 0; }); model.link.drop();");
    tab.wait(b, "window.__lost === 1");
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    tab.settled(b);
    tab.ask(b, "model.select(['fore']); model.setTime(1);");
    tab.settled(b);
    for key in ["r", "5", "Enter"] {
        tab.ask(b, "stage.focus();");
        tab.key(b, key, 0);
    }
    live.wait(|text| text == ARM.replace("-40", "-35"));
    tab.close(b);
}

#[test]
fn a_conflict_is_a_note_with_both_values() {
    let Some(mut browser) = browser("a conflict") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    tab.go(b, 1.0);
    // On hold, so that both change the same before either is written.
    tab.ask(b, "await model.request({ t: 'hold', on: true });");
    let set = |value: i32| {
        format!(
            "await model.edit('Turn', [{{ op: 'SetKey', channel: ['clips', 'wave', 'bones', 'fore', 'rotate'], \
             time: 1, value: {value}, ease: null }}]);"
        )
    };
    tab.ask(b, &set(-20));
    live.write("arm.ron", &ARM.replace("-40", "-70"));
    tab.wait(b, "document.querySelector('rig-notes .card.conflict')");
    let shown = tab.eval(b, "document.querySelector('rig-notes .card.conflict').textContent");
    let shown = shown.as_str().expect("a text");
    assert!(shown.contains("-20") && shown.contains("-70"), "{shown}");
    let take = "[...document.querySelectorAll('.card.conflict button')].find((button) => button.textContent === 'Take theirs').click()";
    tab.eval(b, take);
    tab.wait(b, "!document.querySelector('rig-notes .card.conflict')");
    tab.ask(b, "await model.request({ t: 'hold', on: false }); await model.request({ t: 'save' });");
    live.wait(|text| text == ARM.replace("-40", "-70"));
    tab.settled(b);
    assert_eq!(tab.ask(b, "return model.tracks()[0].keys[1].v;"), -70);
    tab.close(b);
}

/// The secret is taken out of the address and kept by the tab; without it, and with that of another server, the page
/// says what is missing, and the right address in the same tab opens it.
#[test]
fn the_address_gives_its_secret_to_the_tab() {
    let Some(mut browser) = browser("the secret of the address") else { return };
    let b = &mut browser;
    let live = Live::arm();
    let tab = live.open(b, SCREEN);
    let (place, secret) = live.url.split_once('#').expect("a secret");
    assert_eq!(tab.eval(b, "location.href"), place);
    tab.call(b, "Page.reload", serde_json::json!({}));
    tab.settled(b);
    assert_eq!(tab.eval(b, "[location.href, document.cookie]"), serde_json::json!([place, ""]));
    tab.close(b);
    for given in [place.to_owned(), format!("{place}#{}", "0".repeat(32))] {
        let tab = b.open(&given, SCREEN);
        tab.wait(b, "document.querySelector('rig-notes .card')?.textContent.includes('whole address')");
        assert_eq!(tab.eval(b, "document.documentElement.dataset.painted ?? null"), serde_json::Value::Null);
        tab.eval(b, &format!("location.hash = '{secret}'"));
        tab.settled(b);
        tab.wait(b, "!document.querySelector('rig-notes .card')");
    }
}
