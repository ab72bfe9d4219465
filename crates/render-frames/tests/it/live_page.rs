//! `live` as an artist uses it, in a real browser: the pictures on the page are those of `render`, and a session
//! from a drawing to an exported wave.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use bone_render::Pixmap;
use serde_json::{Value, json};

use crate::browser::{Browser, CTRL, SCREEN, SHIFT, Screen, Tab, browser};
use crate::command::{command, expect, repository};

/// A running `live`.
struct Live {
    process: Child,
    url: String,
}

impl Live {
    fn start(rig: &Path) -> Self {
        let rig = rig.display().to_string();
        let mut start = command(&["live", &rig, "--no-open", "-q"]);
        let mut process = start.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program");
        let mut url = String::new();
        let out = process.stdout.take().expect("its output");
        BufReader::new(out).read_line(&mut url).expect("an address");
        Self { process, url: url.trim().to_owned() }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A copy of an example in a folder.
fn example(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    for entry in std::fs::read_dir(repository(&format!("examples/{name}"))).expect("the example").flatten() {
        if entry.path().is_file() {
            std::fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("a copy");
        }
    }
    let rig = folder.path().join("rig.ron");
    (folder, rig)
}

const MODEL: &str = "const { model } = await import('./model.js'); const stage = document.querySelector('rig-stage'); \
    const canvas = document.querySelector('canvas.picture');";

fn ask(tab: &Tab, b: &mut Browser, body: &str) -> Value {
    tab.eval(b, &format!("(async () => {{ {MODEL} {body} }})()"))
}

fn settle(tab: &Tab, b: &mut Browser) {
    tab.wait(
        b,
        "document.documentElement.dataset.painted === document.documentElement.dataset.revision \
         && document.querySelector('rig-stage').pictures.idle",
    );
}

/// FNV-1a of the colours of all pixels.
fn fingerprint(picture: &Pixmap) -> u32 {
    let bytes = picture.pixels().iter().flat_map(|pixel| {
        let colour = pixel.demultiply();
        [colour.red(), colour.green(), colour.blue(), colour.alpha()]
    });
    bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// That of the page; the canvas shows what lies beside it, too.
const FINGERPRINT: &str = "const { left, top, page } = stage.view; \
    const data = canvas.getContext('2d').getImageData(left, top, ...page).data; \
    let hash = 0x811c9dc5; for (let at = 0; at < data.length; at += 1) hash = Math.imul(hash ^ data[at], 0x01000193); \
    return hash >>> 0;";

#[test]
fn pictures_on_the_page_are_those_of_render() {
    let Some(mut browser) = browser("pictures on the page") else { return };
    let b = &mut browser;
    let names = [
        "first-bone",
        "arm",
        "walk",
        "elbow",
        "tail",
        "cloak",
        "reach",
        "chain",
        "stairs",
        "plant",
        "face",
        "engine",
        "lettering",
        "whale",
        "mocap",
    ];
    let mut compared = 0;
    for name in names {
        let (folder, rig) = example(name);
        let live = Live::start(&rig);
        let tab = b.open(&live.url, SCREEN);
        tab.wait(b, "document.documentElement.dataset.painted !== undefined");
        for (density, height) in [(1.0, SCREEN.height), (2.0, SCREEN.height + 4)] {
            tab.resize(b, Screen { density, height, ..SCREEN });
            tab.wait(b, &format!("document.querySelector('rig-stage').view.density === {density}"));
            settle(&tab, b);
            let info = ask(
                &tab,
                b,
                "const [width, height] = stage.view.page; return [width, height, model.clipInfo.frames, model.fps, model.clip];",
            );
            let (width, height) = (&info[0], &info[1]);
            let frames = info[2].as_u64().expect("frames");
            let fps = info[3].as_f64().expect("a rate");
            let clip = info[4].as_str().expect("a clip");
            let wanted: Vec<u64> = (0..8).map(|part| part * frames / 8).collect();
            let list = wanted.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
            let out = folder.path().join(format!("{density}")).join("f_####.png").display().to_string();
            let size = format!("{width}x{height}");
            let rig = rig.display().to_string();
            expect(
                0,
                &[
                    "render",
                    &rig,
                    "-q",
                    "-o",
                    &out,
                    "--clip",
                    clip,
                    "--frames",
                    &list,
                    "--size",
                    &size,
                    "--background",
                    "#ffffff",
                ],
            );
            for frame in wanted {
                let file = folder.path().join(format!("{density}")).join(format!("f_{frame:04}.png"));
                let expected =
                    Pixmap::decode_png(&std::fs::read(&file).expect("a frame")).expect("a picture");
                ask(&tab, b, &format!("model.setTime({frame} / {fps});"));
                settle(&tab, b);
                assert_eq!(json!([width, height]), json!([expected.width(), expected.height()]));
                let shown = ask(&tab, b, FINGERPRINT);
                assert_eq!(shown, fingerprint(&expected), "{name}, frame {frame}, density {density}");
                compared += 1;
            }
        }
        tab.close(b);
    }
    println!("{compared} pictures on the page are those of render, to the byte");
}

/// The artist: a hand with a mouse, and eyes for what stands on the page.
struct Artist<'b> {
    tab: Tab,
    b: &'b mut Browser,
    shots: u32,
}

impl Artist<'_> {
    fn place(&mut self, script: &str) -> (f64, f64) {
        let at = self.tab.eval(self.b, script);
        (at[0].as_f64().expect("a place"), at[1].as_f64().expect("a place"))
    }

    /// The middle of an element, found by its text or its selector.
    fn find(&mut self, selector: &str, text: &str) -> (f64, f64) {
        let script = format!(
            "(() => {{ const all = [...document.querySelectorAll({})].filter((each) => each.getClientRects().length); \
             const box = all.find((each) => each.textContent.trim().startsWith({})).getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2]; }})()",
            json!(selector),
            json!(text)
        );
        self.place(&script)
    }

    fn click(&mut self, selector: &str, text: &str) {
        self.tab.wait(
            self.b,
            &format!(
                "[...document.querySelectorAll({})].some((each) => each.getClientRects().length && !each.disabled \
                 && each.textContent.trim().startsWith({}))",
                json!(selector),
                json!(text)
            ),
        );
        let at = self.find(selector, text);
        self.tab.click(self.b, at, 0);
    }

    /// A place of the drawing on the screen.
    fn on_drawing(&mut self, (x, y): (f64, f64)) -> (f64, f64) {
        self.place(&format!(
            "(() => {{ const stage = document.querySelector('rig-stage'); const box = stage.getBoundingClientRect(); \
             const at = stage.view.toStage({x}, {y}); return [at[0] + box.left, at[1] + box.top]; }})()"
        ))
    }

    /// A place on a bone, between joint (0) and tip (1).
    fn on_bone(&mut self, name: &str, share: f64) -> (f64, f64) {
        self.place(&format!(
            "(() => {{ const stage = document.querySelector('rig-stage'); const box = stage.getBoundingClientRect(); \
             const [a, b] = stage.ends({}); \
             return [a[0] + (b[0] - a[0]) * {share} + box.left, a[1] + (b[1] - a[1]) * {share} + box.top]; }})()",
            json!(name)
        ))
    }

    fn wait(&mut self, condition: &str) {
        let body = format!(
            "(async () => {{ {MODEL} window.__is = !!({condition}) && model.posed.rev === model.rig.rev && stage.pictures.idle; }})()"
        );
        let start = std::time::Instant::now();
        loop {
            self.tab.eval(self.b, &body);
            if self.tab.eval(self.b, "window.__is") == true {
                return;
            }
            assert!(start.elapsed().as_secs() < 20, "{condition} never came to be");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }

    fn add_bone(&mut self, from: (f64, f64), to: (f64, f64), count: usize) {
        let (from, to) = (self.on_drawing(from), self.on_drawing(to));
        self.tab.pull(self.b, from, to, 0);
        self.wait(&format!("model.rig.bones.length === {count}"));
    }

    fn drop_art(&mut self, art: &str, bone: &str) {
        let selector = format!("[data-name=\"{art}\"] > .row");
        let (from, to) = (self.find(&selector, ""), self.on_bone(bone, 0.5));
        self.tab.pull(self.b, from, to, 0);
        self.wait(&format!(
            "model.rig.art.find((art) => art.address === '{art}').follows?.bones.includes('{bone}')"
        ));
    }

    /// Drags in the ruler to a frame.
    fn scrub(&mut self, frame: u32) {
        let script = |frame: u32| {
            format!(
                "(() => {{ const timeline = document.querySelector('rig-timeline'); const box = timeline.getBoundingClientRect(); \
                 return [timeline.x({frame} / 24) + box.left, box.top + 10]; }})()"
            )
        };
        let (from, to) = (self.place(&script(frame + 1)), self.place(&script(frame)));
        self.tab.pull(self.b, from, to, 0);
        self.wait(&format!("Math.abs(model.time - {frame} / 24) < 1e-6"));
    }

    /// Turns a bone with the pointer on its body.
    fn turn(&mut self, bone: &str, degrees: f64) {
        let before = ask(&self.tab, self.b, "return model.rig.rev;");
        self.drag_around(bone, degrees);
        self.wait(&format!("model.rig.rev > {before}"));
    }

    fn drag_around(&mut self, bone: &str, degrees: f64) {
        let (joint, grip) = (self.on_bone(bone, 0.0), self.on_bone(bone, 0.6));
        let path: Vec<_> = (0..=10)
            .map(|step| {
                let turn = bone_core::Angle::from_degrees(degrees * f64::from(step) / 10.0).direction();
                let (x, y) = (grip.0 - joint.0, grip.1 - joint.1);
                (joint.0 + x * turn.x - y * turn.y, joint.1 + x * turn.y + y * turn.x)
            })
            .collect();
        self.tab.drag(self.b, &path, 0);
    }

    /// Slides a slider of the panel to a share of its way.
    fn slide(&mut self, name: &str, share: f64) {
        let script = |share: f64| {
            format!(
                "(() => {{ const input = document.querySelector('rig-properties [data-label={name}] input[type=range]'); \
                 const box = input.getBoundingClientRect(); const at = Number(input.value) / (Number(input.max) - Number(input.min)); \
                 const share = {share} < 0 ? at : {share}; return [box.x + 8 + share * (box.width - 16), box.y + box.height / 2]; }})()"
            )
        };
        let (from, to) = (self.place(&script(-1.0)), self.place(&script(share)));
        self.tab.pull(self.b, from, to, 0);
        self.wait(&format!(
            "Math.abs(model.sliders.{name} - {share}) < 0.02 || model.posed.sliders.{name}.v === {share}"
        ));
    }

    /// Turns a bone that is not keyed.
    fn pose(&mut self, bone: &str, degrees: f64) {
        self.drag_around(bone, degrees);
        self.wait(&format!("model.pose[{}]", json!(bone)));
    }

    fn add_clip(&mut self, name: &str) {
        self.click("[aria-label='New clip']", "");
        self.tab.wait(self.b, "document.querySelector('#field-name')");
        self.tab.eval(self.b, "document.querySelector('#field-name').select()");
        self.tab.type_text(self.b, name);
        self.click("dialog button", "Add");
        self.wait(&format!("model.clip === '{name}'"));
    }

    /// Types the value of a slider.
    fn number(&mut self, slider: &str, value: f64) {
        self.click(&format!("[aria-label='{slider}, number']"), "");
        self.tab.eval(self.b, "document.activeElement.select()");
        self.tab.type_text(self.b, &value.to_string());
        self.tab.key(self.b, "Enter", 0);
        self.wait(&format!("Math.abs(model.posed.sliders.{slider}.v - {value}) < 1e-6"));
    }

    /// A picture for the documents, where `PICTURES` names a folder.
    fn shoot(&mut self, name: &str) {
        self.shots += 1;
        self.tab.hover(self.b, (3.0, 3.0));
        let picture = self.tab.picture(self.b, None);
        if let Some(folder) = std::env::var_os("PICTURES") {
            let folder = PathBuf::from(folder);
            std::fs::create_dir_all(&folder).expect("the folder");
            std::fs::write(folder.join(format!("{name}.png")), picture).expect("a picture");
        }
    }
}

#[test]
fn an_artist_rigs_a_drawing_and_exports_a_wave() {
    let Some(mut browser) = browser("a session as an artist") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::copy(repository("assets/live/robot.svg"), folder.path().join("robot.svg")).expect("the drawing");
    let live = Live::start(&folder.path().join("robot.svg"));
    let start = std::time::Instant::now();
    let tab = browser.open(&live.url, SCREEN);
    tab.wait(&mut browser, "document.documentElement.dataset.painted !== undefined");
    let mut artist = Artist { tab, b: &mut browser, shots: 0 };
    artist.shoot("1-open");

    // Three bones of the arm, below the one that `init` made.
    artist.click("button", "Setup");
    artist.click("[role=treeitem] > .row", "body");
    artist.click("button", "Bone");
    artist.add_bone((304.0, 265.0), (350.0, 265.0), 2);
    artist.add_bone((350.0, 265.0), (396.0, 265.0), 3);
    artist.add_bone((396.0, 265.0), (424.0, 240.0), 4);
    artist.shoot("2-bones");
    artist.click("button", "Bone");

    // The arm bends with two of them, the hand follows one.
    artist.click("[data-name=arm] > .row", "");
    let second = artist.find("[data-name=arm_2] > .row", "");
    artist.tab.click(artist.b, second, SHIFT);
    artist.click("[role=tab]", "Art");
    artist.drop_art("arm", "arm_2");
    artist.click("[role=tab]", "Bones");
    artist.click("[data-name=hand] > .row", "");
    artist.click("[role=tab]", "Art");
    artist.drop_art("hand", "hand");
    artist.shoot("3-bound");

    // A clip, and its keys.
    artist.click("[role=tab]", "Bones");
    artist.click("button", "Pose");
    artist.add_clip("wave");
    artist.scrub(0);
    artist.turn("arm", -52.0);
    artist.turn("arm_2", -20.0);
    for (frame, degrees) in [(12, -40.0), (24, 30.0), (36, -30.0)] {
        artist.scrub(frame);
        // The value here is what the keys before leave.
        artist.turn("arm_2", degrees);
    }
    artist.scrub(8);
    artist.shoot("4-keys");
    artist.click("button", "Curves");
    artist.wait("true");
    artist.shoot("5-curves");
    artist.click("button", "Curves");

    artist.click("button", "Export");
    artist.click("#x-start", "Export");
    artist.tab.wait(artist.b, "document.querySelector('#x-state').textContent.startsWith('Written')");
    artist.shoot("6-export");
    let Artist { tab, b, shots } = artist;
    assert_eq!(shots, 6);
    println!("from the drawing to the wave: {:.0} s", start.elapsed().as_secs_f64());
    tab.close(b);

    let gif = std::fs::read(folder.path().join("out/wave.gif")).expect("the wave");
    assert!(gif.starts_with(b"GIF89a") && gif.len() > 10_000, "{}", gif.len());
    let rig = folder.path().join("robot.ron");
    let text = std::fs::read_to_string(&rig).expect("the rig");
    let path = rig.display().to_string();
    assert!(expect(0, &["check", &path]).out.contains("no mistakes"), "{text}");
    let written = text.lines().skip_while(|line| !line.contains("bones: {")).take_while(|line| *line != ")");
    println!("{}", written.clone().collect::<Vec<_>>().join("\n"));
    // The tutorial shows what the session writes.
    let tutorial = std::fs::read_to_string(repository("docs/live.md")).expect("the tutorial");
    let shown = tutorial.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines: Vec<&str> = shown.flat_map(str::lines).filter(|line| !line.contains('…')).collect();
    assert!(lines.len() > 6, "{lines:?}");
    for line in lines {
        assert!(written.clone().any(|written| written == line), "{line}\n{text}");
    }
    let wave = written.clone().find(|line| line.contains("\"arm_2\": (rotate")).expect("the wave");
    assert!(wave.starts_with("            \"arm_2\": (rotate: [(0, -20), (0.5, -60), (1, "), "{wave}");
    assert!(wave.ends_with(", (2, -20)]),"), "{wave}");
    // The comments of the scaffold stay.
    assert!(text.contains("// Which art follows which bones: Rigid moves with one bone"), "{text}");
}

#[test]
fn a_cut_out_puppet_gets_sliders() {
    let Some(mut browser) = browser("a puppet with sliders") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::copy(repository("assets/live/owl.svg"), folder.path().join("owl.svg")).expect("the drawing");
    let live = Live::start(&folder.path().join("owl.svg"));
    let tab = browser.open(&live.url, SCREEN);
    tab.wait(&mut browser, "document.documentElement.dataset.painted !== undefined");
    let mut artist = Artist { tab, b: &mut browser, shots: 0 };
    let key = |artist: &mut Artist<'_>, key: &str, keys: u8| {
        ask(&artist.tab, artist.b, "stage.focus();");
        artist.tab.key(artist.b, key, keys);
    };

    // The bone of the scaffold goes; body and head, and wings on both sides.
    artist.click("button", "Setup");
    artist.click("[role=treeitem] > .row", "body");
    key(&mut artist, "Delete", 0);
    artist.wait("model.rig.bones.length === 0");
    artist.click("button", "Bone");
    artist.add_bone((240.0, 384.0), (240.0, 240.0), 1);
    artist.add_bone((240.0, 240.0), (240.0, 116.0), 2);
    artist.click("button", "Bone");
    artist.click("[role=treeitem] > .row", "");
    key(&mut artist, "m", 0);
    artist.click("button", "Bone");
    artist.add_bone((308.0, 232.0), (338.0, 356.0), 4);
    artist.click("button", "Bone");
    artist.wait("model.tool === 'select'");
    artist.shoot("owl-1-bones");

    // Everything is bound; the moon is not the owl's.
    key(&mut artist, "b", CTRL);
    artist.tab.wait(artist.b, "document.querySelector('rig-status').textContent.startsWith('Bound')");
    artist.click("[role=tab]", "Art");
    artist.click("[data-name=moon] > .row", "");
    artist.click("button", "Unbind");
    artist.wait("!model.rig.art.find((art) => art.address === 'moon').bound");
    artist.click("[role=tab]", "Bones");

    // Two sliders, each with the pose of its end.
    artist.click("button", "Pose");
    for (slider, bones) in
        [("wings", &[("wing_left", -70.0), ("wing_right", 70.0)][..]), ("tilt", &[("skull", 14.0)])]
    {
        key(&mut artist, "x", 0);
        artist.tab.wait(artist.b, "document.querySelector('dialog.palette[open]')");
        artist.tab.key(artist.b, "v", 0);
        artist.tab.wait(artist.b, "document.querySelector('#field-name')");
        artist.tab.type_text(artist.b, slider);
        artist.tab.key(artist.b, "Enter", 0);
        let range = format!("rig-properties [data-label={slider}] input[type=range]");
        artist.tab.wait(artist.b, &format!("document.querySelector({})", json!(range)));
        artist.slide(slider, 1.0);
        artist.click(&format!("rig-properties [data-label='record {slider}'] button"), "");
        artist.tab.wait(artist.b, "document.body.classList.contains('mode-record')");
        for (bone, degrees) in bones {
            artist.pose(bone, *degrees);
        }
        if slider == "wings" {
            artist.shoot("owl-2-record");
        }
        key(&mut artist, "Enter", 0);
        artist.wait(&format!("model.rig.rules.some((rule) => rule.name === '{slider}')"));
    }

    // A clip that keys them.
    artist.add_clip("hoot");
    ask(&artist.tab, artist.b, "model.select([]);");
    for (frame, wings, tilt) in [(0, 0.0, 0.0), (12, 1.0, 0.8), (24, 0.2, 0.0), (36, 1.0, 0.4)] {
        artist.scrub(frame);
        for (slider, value) in [("wings", wings), ("tilt", tilt)] {
            artist.number(slider, value);
        }
    }
    artist.scrub(34);
    artist.shoot("owl-3-clip");
    let Artist { tab, b, shots } = artist;
    assert_eq!(shots, 3);
    assert_eq!(tab.eval(b, "window.__errors"), json!([]));
    tab.close(b);
    drop(live);
    let rig = folder.path().join("owl.ron");
    let text = std::fs::read_to_string(&rig).expect("the rig");
    assert!(expect(0, &["check", &rig.display().to_string()]).out.contains("no mistakes"), "{text}");
    // A slide that records its first pose is no key.
    assert!(text.contains("\"first\": (length: 2, loop: true),"), "{text}");
    let tutorial = std::fs::read_to_string(repository("docs/live-sliders.md")).expect("the tutorial");
    let shown = tutorial.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
    for line in shown.flat_map(str::lines) {
        assert!(text.lines().any(|written| written == line), "{line}\n{text}");
    }
}
