//! Input that a program or a page can hand over by mistake: descriptions of another rig, and messages with any
//! number, name and list in the place of each that they have. Each is answered, and the next ones are, too.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bone_format::session::Session;
use bone_format::span::Sources;
use bone_format::{InMemory, ReadRules, no_fonts};
use bone_live::describe::{findings, inspection, joint, kind};
use bone_live::{LiveOptions, LiveServer, RigWatch};
use bone_looks::inspect::{Inspection, Joint, PosedMoment};
use serde_json::{Value, json};
use tungstenite::Message;

use crate::client::Served;
use crate::rigs::{ARM, ARM_SVG};

#[test]
fn descriptions_of_other_rigs_are_written() {
    let open = |text: &str| {
        let files = InMemory::new().with("a.ron", text).with("arm.svg", ARM_SVG);
        Session::open("a.ron", Arc::new(files), no_fonts)
    };
    let sessions = [ARM, "Rig(version: 1, drawing: \"arm.svg\")", "Rig(version: 1"].map(open);
    let mut all = Vec::new();
    for session in &sessions {
        for sources in [session.sources(), &Sources::new()] {
            assert!(findings(session.diagnostics(), sources)["findings"].is_array());
        }
        let (Some(rig), Some(doc)) = (session.rig(), session.doc()) else { continue };
        let mut state = bone_rig::FrameState::new(rig);
        rig.pose(None, 0.0, &mut state).expect("its own state");
        all.push((Inspection::new(rig, doc), PosedMoment::new(rig, &state)));
    }
    let mut far = all[0].0.clone();
    far.art.iter_mut().for_each(|art| art.parent = Some(usize::MAX));
    far.fps = f64::NAN;
    let moments: Vec<PosedMoment> = all.iter().map(|(_, moment)| moment.clone()).collect();
    for own in all.into_iter().map(|(own, _)| own).chain([far]) {
        for moment in &moments {
            let time = (Some("\u{0}"), u64::MAX, f64::NAN, moment);
            assert!(inspection(Path::new("\n"), &own, Some(time))["posed"]["bones"].is_array());
        }
        own.art.iter().for_each(|art| _ = kind(art));
    }
    assert_eq!(
        joint(Joint::Slide { axis: bone_core::Angle::ZERO, limits: Some((f64::NAN, 1.0)) }).0,
        "slide"
    );
}

/// Rigs that are no files, and ports that are taken.
#[test]
fn servers_of_anything_start_or_say_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let served = Served::files(&[("rig.ron", ARM), ("arm.svg", ARM_SVG)]);
    for rig in [PathBuf::new(), folder.path().to_owned(), folder.path().join("no.ron"), PathBuf::from("\n")] {
        for (port, records) in [(0, None), (served.port(), None), (0, Some(folder.path().join("no/such")))] {
            let mut options = LiveOptions::new(&rig);
            (options.port, options.records) = (port, records);
            options.fonts = Arc::new(no_fonts);
            options.formats = json!({ "a": [1, null] });
            options.assets = Some(PathBuf::from("/no/such"));
            match LiveServer::start(options) {
                Ok(server) => server.stop(),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
        drop(RigWatch::new(&rig, Arc::new(no_fonts), ReadRules::default()));
    }
}

/// A message of each kind that a page sends.
fn messages() -> Vec<Value> {
    let values =
        json!({ "upper": { "rotate": 3.0, "move": [1.0, 2.0], "scale": [1.0, 1.0], "stretch": 1.0 } });
    let onion = json!({ "before": 1, "after": 1, "step": 1, "opacity": 0.5 });
    let moment = |message: Value| {
        let mut whole =
            json!({ "clip": "wave", "time": 0.1, "pose": values.clone(), "goals": { "a": [1.0, 2.0] } });
        message.as_object().expect("fields").iter().for_each(|(name, value)| whole[name] = value.clone());
        whole
    };
    let grab = |grab: Value| moment(json!({ "t": "begin", "gesture": "g", "grab": grab }));
    let edit = |op: Value| json!({ "t": "edit", "title": "a", "scale": 1.0, "ops": [op] });
    vec![
        moment(
            json!({ "t": "frame", "seq": 1, "size": [8, 8], "view": [0.0, 0.0, 9.0, 9.0], "onion": onion, "values": ["upper"] }),
        ),
        moment(json!({ "t": "png", "seq": 1, "size": [8, 8] })),
        moment(json!({ "t": "svg" })),
        moment(json!({ "t": "hit", "seq": 1, "at": [3.0, 4.0], "reach": 4.0 })),
        moment(json!({ "t": "copy", "bones": ["upper"] })),
        grab(json!({ "kind": "rotate", "bone": "upper", "at": [20.0, 20.0], "bones": ["upper"] })),
        grab(json!({ "kind": "translate", "bone": "upper", "at": [20.0, 20.0] })),
        grab(json!({ "kind": "scale", "bone": "upper", "at": [20.0, 20.0] })),
        grab(json!({ "kind": "ik", "bone": "upper", "at": [20.0, 20.0] })),
        json!({ "t": "begin", "gesture": "g", "grab": { "kind": "bone", "bone": "upper", "at": [20.0, 20.0] } }),
        json!({ "t": "begin", "gesture": "g", "grab": { "kind": "tip", "bone": "upper", "at": [20.0, 20.0] } }),
        json!({ "t": "begin", "gesture": "g", "grab": { "kind": "limit", "bone": "upper", "end": 1 } }),
        json!({ "t": "begin", "gesture": "g", "grab": { "kind": "region", "bone": "upper", "end": 1 } }),
        json!({ "t": "drag", "seq": 1, "gesture": "g", "to": [9.0, 9.0], "chain": 2, "size": [8, 8] }),
        json!({ "t": "key", "clip": "wave", "time": 0.1, "pose": values, "bones": ["upper"], "channels": ["rotate"], "scale": 1.0 }),
        json!({ "t": "key", "clip": "wave", "time": 0.1, "rows": [{ "owner": { "of": "art", "name": "upper" }, "property": "fill", "value": "#fff" }] }),
        json!({ "t": "paste", "clip": "wave", "time": 0.1, "values": { "upper": { "rotate": 3.0 } }, "mirror": true, "scale": 1.0 }),
        json!({ "t": "folder" }),
        json!({ "t": "open", "name": "arm.ron" }),
        json!({ "t": "curve", "seq": 1, "paths": [["clips", "wave", "bones", "upper", "rotate"]], "from": 0.0, "to": 1.0, "count": 9 }),
        json!({ "t": "weights", "seq": 1, "bone": "upper", "art": "upper" }),
        json!({ "t": "paint", "art": ["upper"], "do": "set", "bone": "upper", "values": [[0, 1, 0.5]], "times": 1, "strength": 0.5 }),
        json!({ "t": "paint", "art": ["upper"], "do": "smooth", "times": 1, "strength": 0.5 }),
        edit(
            json!({ "op": "DrawChain", "points": [[1.0, 2.0], [3.0, 4.0]], "parent": "upper", "axis": 2.0 }),
        ),
        edit(json!({ "op": "SplitBone", "bone": "upper", "at": 0.5 })),
        edit(json!({ "op": "DeleteBones", "bones": ["upper"] })),
        edit(json!({ "op": "MirrorSide", "bones": ["upper"], "axis": 2.0 })),
        edit(
            json!({ "op": "AddRule", "kind": "Ik", "bones": ["upper"], "target": "fore", "at": [1.0, 2.0], "art": "upper", "chain": 2 }),
        ),
        edit(
            json!({ "op": "RecordPose", "slider": "smile", "value": 1.0, "pose": { "upper": { "rotate": 3.0 } } }),
        ),
        edit(json!({ "op": "BindAll", "replace": true })),
        edit(
            json!({ "op": "Retime", "channels": [["clips", "wave", "bones", "upper", "rotate"]], "from": 0.0, "until": 1.0, "start": 0.5, "end": 2.0 }),
        ),
        json!({ "t": "snap", "seq": 1, "at": [1.0, 2.0], "reach": 8.0 }),
        edit(json!({ "op": "AddClip", "name": "new", "length": 1.0 })),
        edit(json!({ "op": "Bind", "arts": ["upper"], "bones": ["upper"], "how": "Smooth" })),
        edit(json!({ "op": "Set", "at": ["clips", "wave", "length"], "value": 1.0 })),
        edit(
            json!({ "op": "SetKey", "channel": ["clips", "wave", "bones", "upper", "rotate"], "time": 0.1, "value": 1.0 }),
        ),
        edit(json!({ "op": "Move", "at": ["skin", 0], "to": 1 })),
        json!({ "t": "commit", "gesture": "g", "scale": 1.0 }),
        json!({ "t": "dependants", "of": "bone", "name": "upper" }),
        json!({ "t": "undo" }),
    ]
}

/// The message with another value in the place of one that it has, for each of those.
fn changed(message: &Value, with: &[Value], all: &mut Vec<Value>) {
    let mut places = vec![String::new()];
    while let Some(place) = places.pop() {
        match message.pointer(&place) {
            Some(Value::Object(fields)) => {
                places
                    .extend(fields.keys().filter(|name| *name != "t").map(|name| format!("{place}/{name}")));
            }
            Some(Value::Array(entries)) => {
                places.extend((0..entries.len()).map(|at| format!("{place}/{at}")));
                if let Some(first) = entries.first() {
                    // Longer messages end the connection.
                    let count = 200_000 / (first.to_string().len() + 1);
                    let mut many = message.clone();
                    *many.pointer_mut(&place).expect("it is there") =
                        Value::Array(vec![first.clone(); count]);
                    all.push(many);
                }
            }
            Some(found) => {
                for value in with.iter().filter(|value| value.is_number() == found.is_number()) {
                    let mut changed = message.clone();
                    *changed.pointer_mut(&place).expect("it is there") = value.clone();
                    all.push(changed);
                }
            }
            None => {}
        }
    }
}

#[test]
fn messages_with_any_number_name_and_list_are_answered() {
    let served = Served::with(&[("rig.ron", ARM), ("arm.svg", ARM_SVG)], |options| options.hold = true);
    let mut page = served.page();
    let long = "x".repeat(100_000);
    let with = [
        json!(0),
        json!(-1),
        json!(0.5),
        json!(1e-300),
        json!(1e9),
        json!(1e300),
        json!(-1e308),
        json!(u32::MAX),
        json!(9_007_199_254_740_991_u64),
        json!(u64::MAX),
        json!(""),
        json!("far"),
        json!("\u{0}\""),
        json!(long),
    ];
    let begin = &messages()[5].clone();
    for message in messages() {
        let mut all = vec![message.clone()];
        changed(&message, &with, &mut all);
        for message in all {
            let begun = Instant::now();
            if message["t"] == "drag" || message["t"] == "commit" {
                page.send(begin);
            }
            page.send_raw(Message::text(message.to_string()));
            if message["t"] == "begin" {
                page.send(
                    &json!({ "t": "drag", "seq": 2, "gesture": "g", "to": [1e300, 3.0], "size": [4, 4] }),
                );
                page.send(&json!({ "t": "cancel", "gesture": "g", "id": "x" }));
            }
            let text: String = message.to_string().chars().take(300).collect();
            // Both of the threads that answer go on.
            for question in [json!({ "t": "copy", "clip": null, "time": 0 }), json!({ "t": "formats" })] {
                let answer = page.try_ask(question);
                assert!(answer.is_some_and(|answer| answer["t"] != "failed"), "{text}");
            }
            assert!(begun.elapsed() < Duration::from_secs(10), "{:?}: {text}", begun.elapsed());
            page.forget();
        }
        // What one message adds again and again does not stay for the next ones.
        let text = |page: &mut crate::client::Page| {
            page.ask(json!({ "t": "text", "file": "rig.ron" }))["text"].clone()
        };
        while text(&mut page) != ARM
            && page.try_ask(json!({ "t": "undo" })).is_some_and(|answer| answer["t"] == "done")
        {}
    }
}
