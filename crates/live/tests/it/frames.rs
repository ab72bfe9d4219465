//! Pictures and places: the pixels of the command line, the bones of `inspect`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bone_format::{Disk, load, no_fonts};
use bone_looks::inspect::PosedMoment;
use bone_render::{Background, FrameOptions, FrameSize, Pixmap};
use bone_rig::{FrameState, Mixer, Overrides, Rig};
use serde_json::json;

use crate::apart;
use crate::client::arm;
use crate::client::{Served, copy, options};

/// The examples with a rig, in order.
fn examples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut found: Vec<PathBuf> = std::fs::read_dir(root)
        .expect("the examples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.join("rig.ron").is_file())
        .collect();
    found.sort();
    found
}

fn rig_at(path: &Path) -> Rig {
    load(path, Arc::new(Disk), &no_fonts).rig.expect("a rig without mistakes")
}

/// A frame as the command line draws it: a state of its own, fitted, on a colour.
fn frame(
    rig: &Rig,
    clip: Option<&str>,
    time: f64,
    size: FrameSize,
    background: Option<Background>,
) -> Pixmap {
    let mut state = FrameState::new(rig);
    // The page shows the drawing wherever the camera looks.
    let overrides = Overrides { camera: rig.page_camera(), ..Overrides::new() };
    let clip = clip.map(|name| rig.clip(name).expect("the clip"));
    rig.pose_with(clip, time, &overrides, &mut state).expect("it is posed");
    let mut pixmap = Pixmap::new(size.width(), size.height()).expect("memory");
    rig.draw(&mut state, &FrameOptions { size, background }, &mut pixmap).expect("it is drawn");
    pixmap
}

#[test]
fn pictures_have_the_pixels_of_the_command_line() {
    let mut compared = 0;
    for example in examples() {
        let folder = tempfile::tempdir().expect("a folder");
        copy(&example, folder.path());
        let path = folder.path().join("rig.ron");
        let rig = rig_at(&path);
        // The examples whose springs take long are looked at in few frames.
        let served = bone_live::LiveServer::start(options(&path)).expect("a server");
        let mut page = crate::client::Page::open(served.address());
        let clip = rig.clips().first().map(|clip| (clip.name().to_owned(), clip.time().length));
        // A page asks for a size in pixels, not for a scale.
        let own = FrameSize::from_scale(rig.art().size(), 0.35).expect("a size");
        let own = FrameSize::new(own.width(), own.height()).expect("a size");
        let twice = FrameSize::new(own.width() * 2, own.height() * 2).expect("a size");
        let white = Background::parse("#ffffff").expect("a colour");
        for step in 0..8_u32 {
            let time = clip.as_ref().map_or(0.0, |(_, length)| length * f64::from(step) / 8.0);
            let name = clip.as_ref().map(|(name, _)| name.as_str());
            for size in [own, twice] {
                let answer = page.picture(json!({
                    "t": "frame", "clip": name, "time": time, "size": [size.width(), size.height()],
                    "paper": "#ffffff",
                }));
                let wanted = frame(&rig, name, time, size, white);
                let found = Pixmap::decode_png(&answer.png).expect("a PNG");
                let differ = found.pixels().iter().zip(wanted.pixels()).filter(|(a, b)| a != b).count();
                assert_eq!(differ, 0, "{} at {time}: {differ} pixels", example.display());
                compared += 1;
            }
        }
    }
    assert!(compared >= 15 * 8 * 2, "{compared} pictures");
}

#[test]
fn transparent_pixels_show_squares() {
    let served = arm();
    let mut page = served.page();
    let answer = page.picture(json!({ "t": "frame", "clip": null, "time": 0, "size": [400, 300] }));
    let found = Pixmap::decode_png(&answer.png).expect("a PNG");
    let bare = frame(&rig_at(&served.rig), None, 0.0, FrameSize::new(400, 300).expect("a size"), None);
    for (at, (pixel, bare)) in found.pixels().iter().zip(bare.pixels()).enumerate() {
        assert_eq!(pixel.alpha(), 255);
        if bare.alpha() == 255 {
            assert_eq!(pixel, bare);
        } else if bare.alpha() == 0 {
            let (x, y) = (at % 400 / 8, at / 400 / 8);
            let grey = if (x + y) % 2 == 0 { 255 } else { 224 };
            assert_eq!([pixel.red(), pixel.green(), pixel.blue()], [grey; 3], "{x} {y}");
        }
    }
}

#[test]
fn bones_lie_where_inspect_has_them_at_any_zoom() {
    let served = Served::example("walk");
    let rig = rig_at(&served.rig);
    let mut page = served.page();
    let clip = rig.clips().first().expect("a clip");
    let mut state = FrameState::new(&rig);
    rig.pose(Some(clip), 0.3, &mut state).expect("it is posed");
    let moment = PosedMoment::new(&rig, &state);
    for view in [json!(null), json!([100, 200, 200, 250]), json!([-300, -100, 1600, 2000])] {
        let size = [320_u32, 400];
        let answer = page.picture(json!({
            "t": "frame", "clip": clip.name(), "time": 0.3, "size": size, "view": view, "paper": "#fff",
        }));
        let numbers = |value: &serde_json::Value| -> Vec<f64> {
            value.as_array().expect("numbers").iter().map(|n| n.as_f64().expect("one")).collect()
        };
        let map = numbers(&answer.posed["to_picture"]);
        for (bone, found) in moment.bones.iter().zip(answer.posed["bones"].as_array().expect("bones")) {
            let found = numbers(found);
            assert!(apart([found[0], found[1]], [bone.origin.x, bone.origin.y]) < 1e-9, "{}", bone.name);
            assert!(apart([found[2], found[3]], [bone.tip.x, bone.tip.y]) < 1e-9, "{}", bone.name);
            // A view puts its left top corner at that of the picture, at one scale.
            if let Some(view) = view.as_array() {
                let part: Vec<f64> = view.iter().map(|n| n.as_f64().expect("one")).collect();
                let scale = f64::from(size[0]) / part[2];
                let x = map[0] * found[0] + map[2] * found[1] + map[4];
                assert!((x - (found[0] - part[0]) * scale).abs() < 1e-6);
            }
        }
        // Art lies under its bones: the picture is that of the same map, drawn by another way.
        assert_eq!(answer.posed["size"], json!(size));
    }
}

#[test]
fn older_requests_of_a_page_are_dropped() {
    let served = Served::example("walk");
    let mut page = served.page();
    for seq in 1..=200 {
        page.send(&json!({ "t": "frame", "seq": seq, "clip": "walk", "time": f64::from(seq) / 200.0, "size": [640, 800] }));
    }
    let mut answered = Vec::new();
    while answered.last() != Some(&200) {
        answered.push(page.until("posed")["seq"].as_u64().expect("a number"));
    }
    assert!(answered.is_sorted() && answered.len() < 150, "{} answers", answered.len());
    // While playing, up to three wait, and come in order.
    for seq in 1001..=1003 {
        page.send(
            &json!({ "t": "frame", "seq": seq, "clip": "walk", "time": 0.1, "size": [64, 80], "play": true }),
        );
    }
    let played: Vec<u64> = (0..3).map(|_| page.until("posed")["seq"].as_u64().expect("a number")).collect();
    assert_eq!(played, [1001, 1002, 1003]);
}

#[test]
fn ghosts_are_tinted_and_the_rest_is_as_before() {
    let served = arm();
    let mut page = served.page();
    let message = |onion: serde_json::Value| json!({ "t": "frame", "clip": "wave", "time": 0.5, "size": [400, 300], "paper": "#fff", "onion": onion });
    let plain = page.picture(message(json!(null))).png;
    let none = page.picture(message(json!({ "before": 0, "after": 0 }))).png;
    assert_eq!(plain, none);
    let ghosts = page.picture(message(json!({ "before": 2, "after": 2, "step": 6, "opacity": 0.8 }))).png;
    assert_ne!(plain, ghosts);
    let keys = page.picture(message(json!({ "before": 1, "after": 1, "keys": true }))).png;
    assert_ne!(keys, ghosts);
}

#[test]
fn art_and_bones_are_hit() {
    let served = arm();
    let mut page = served.page();
    let mut hit = |at: [f64; 2]| {
        page.seq += 1;
        let seq = page.seq;
        page.send(&json!({ "t": "hit", "seq": seq, "clip": null, "time": 0, "at": at, "reach": 6 }));
        page.find(|answer| answer["seq"] == json!(seq))
    };
    let on_fore = hit([225.0, 127.0]);
    assert_eq!(on_fore["bone"], json!({ "name": "fore", "part": "body" }));
    assert_eq!(on_fore["art"]["art"], "fore");
    assert_eq!(on_fore["art"]["address"], "fore");
    assert_eq!(hit([310.0, 125.0])["bone"], json!({ "name": "hand", "part": "tip" }));
    assert_eq!(hit([30.0, 110.0])["bone"], json!(null));
    assert_eq!(hit([390.0, 10.0])["art"], json!(null));
}

#[test]
fn a_machine_goes_on_as_in_a_program_and_says_what_it_does_not_have() {
    let served = Served::example("chick");
    let mut page = served.page();
    let frame = |time: f64, start: u32, inputs: serde_json::Value, name: &str| {
        let machine = json!({"name": name, "start": start, "inputs": inputs});
        json!({"t": "frame", "seq": 1, "time": time, "picture": false, "machine": machine})
    };
    let mut posed = |time, start, inputs| {
        page.send(&frame(time, start, inputs, "chick"));
        page.until("posed")
    };
    // Of the steps of a program those of a page are sums; a trigger that was set twice between them counts once.
    for time in [0.0, 0.1, 0.35] {
        posed(time, 1, json!({"speed": 1.5, "jump": 0}));
    }
    let seen = posed(1.0, 1, json!({"speed": 1.5, "jump": 0}));
    assert_eq!(seen["states"], json!(["ground", "right", "busy"]));
    let rig = rig_at(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/chick/rig.ron"));
    let (mut mixer, mut state) = (Mixer::new(&rig), FrameState::new(&rig));
    mixer.start(&rig, 0, 0.0).expect("a machine");
    mixer.set_machine_input(&rig, 0, 1.5).expect("the speed");
    for _ in 0..20 {
        mixer.step(&rig, 0.05, &mut state).expect("a step");
    }
    let springs = ["tuft", "tail"];
    for bone in rig.skeleton().bones().filter(|bone| !springs.contains(&rig.skeleton().name(*bone))) {
        let [origin, from] = [state.world().origin(bone), point(&seen["bones"][bone.index()])];
        assert!(origin.distance(from) < 1e-9, "{}: {origin} {from}", rig.skeleton().name(bone));
    }
    assert_eq!(posed(1.1, 1, json!({"speed": 1.5, "jump": 2}))["states"][0], "air");
    assert_eq!(posed(1.2, 1, json!({"speed": 1.5, "jump": 2}))["states"][0], "air");
    // Hours that a page slept; what it has of before; another start.
    assert_eq!(posed(1e300, 1, json!({"nothing": 1, "speed": -1e300}))["states"][0], "ground");
    assert_eq!(posed(1e300, 2, json!({"left": 1, "jump": 7}))["states"], json!(["ground", "left", "busy"]));
    assert_eq!(posed(-5.0, 2, json!({}))["states"], json!(["ground", "right", "busy"]));
    page.send(&frame(0.0, 3, json!({}), "chik"));
    let why = page.until("failed")["why"].to_string();
    assert!(why.contains("chik") && why.contains("did you mean \\\"chick\\\"?"), "{why}");
    page.send(&json!({"t": "frame", "seq": 2, "time": 0, "machine": {"name": "chick", "inputs": {"speed": "fast"}}}));
    assert!(page.until("failed")["why"].to_string().contains("number"));
    // A state is of its machine, and the path says of which.
    let rename =
        |within| json!([{"op": "Rename", "of": "state", "from": "air", "to": "up", "within": within}]);
    for within in
        [json!(null), json!(["machines", "hen"]), json!(["clips", "walk"]), json!("machines"), json!([])]
    {
        let answer = page.ask(json!({"t": "edit", "title": "x", "ops": rename(within.clone())}));
        assert_eq!(answer["t"], "refused", "{within}: {answer}");
    }
}

fn point(bone: &serde_json::Value) -> kurbo::Point {
    let number = |at: usize| bone[at].as_f64().expect("a number");
    kurbo::Point::new(number(0), number(1))
}
