//! Files made here, read and compared with values from the formulas of the specification.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bone_core::Side;
use serde_json::{Value, json};

use super::*;
use crate::parts::BodyPart;
use crate::tests::{Random, cases};

/// A file that grows: its JSON, and one buffer.
struct Made {
    json: Value,
    buffer: Vec<u8>,
}

impl Made {
    fn new(nodes: Value) -> Self {
        let json = json!({
            "asset": {"version": "2.0"}, "nodes": nodes, "accessors": [], "bufferViews": [],
            "animations": [{"name": "Move", "channels": [], "samplers": []}],
        });
        Self { json, buffer: Vec::new() }
    }

    /// An accessor of numbers, four bytes each.
    fn floats(&mut self, kind: &str, values: &[f32]) -> usize {
        let width = match kind {
            "SCALAR" => 1,
            "VEC3" => 3,
            _ => 4,
        };
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.accessor(kind, 5126, values.len() / width, &bytes)
    }

    fn accessor(&mut self, kind: &str, component: u32, count: usize, bytes: &[u8]) -> usize {
        let views = self.json["bufferViews"].as_array_mut().expect("a list");
        views.push(json!({"buffer": 0, "byteOffset": self.buffer.len(), "byteLength": bytes.len()}));
        let view = views.len() - 1;
        self.buffer.extend_from_slice(bytes);
        let all = self.json["accessors"].as_array_mut().expect("a list");
        all.push(json!({"bufferView": view, "componentType": component, "count": count, "type": kind,
            "normalized": component != 5126}));
        all.len() - 1
    }

    fn channel(&mut self, node: usize, path: &str, interpolation: &str, times: &[f32], values: &[f32]) {
        let input = self.floats("SCALAR", times);
        let output = self.floats(if path == "rotation" { "VEC4" } else { "VEC3" }, values);
        self.sampler(node, path, json!({"input": input, "output": output, "interpolation": interpolation}));
    }

    fn sampler(&mut self, node: usize, path: &str, sampler: Value) {
        let animation = &mut self.json["animations"][0];
        let samplers = animation["samplers"].as_array_mut().expect("a list");
        samplers.push(sampler);
        let at = samplers.len() - 1;
        let channels = animation["channels"].as_array_mut().expect("a list");
        channels.push(json!({"sampler": at, "target": {"node": node, "path": path}}));
    }

    fn text(&self) -> String {
        let mut json = self.json.clone();
        let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(&self.buffer));
        json["buffers"] = json!([{"uri": uri, "byteLength": self.buffer.len()}]);
        json.to_string()
    }

    fn with_file(&self, uri: &str) -> String {
        let mut json = self.json.clone();
        json["buffers"] = json!([{"uri": uri, "byteLength": self.buffer.len()}]);
        json.to_string()
    }

    fn binary(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"] = json!([{"byteLength": self.buffer.len()}]);
        let mut text = json.to_string().into_bytes();
        while !text.len().is_multiple_of(4) {
            text.push(b' ');
        }
        let mut out = b"glTF".to_vec();
        let word = |number: usize| u32::try_from(number).expect("small").to_le_bytes();
        out.extend(word(2));
        out.extend(word(12 + 8 + text.len() + 8 + self.buffer.len()));
        out.extend(word(text.len()));
        out.extend(b"JSON");
        out.extend(&text);
        out.extend(word(self.buffer.len()));
        out.extend(b"BIN\0");
        out.extend(&self.buffer);
        out
    }
}

fn nothing(_: &str) -> Result<Vec<u8>> {
    Err(ImportError::new("no file is beside it"))
}

fn read_text(text: &str) -> Result<SpaceMotion> {
    read(text.as_bytes(), &GltfOptions::default(), &mut nothing)
}

/// Three joints in a row along x, one long each, below a node that is scaled and turned by 90 degrees about y.
fn chain() -> Made {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    Made::new(json!([
        {"name": "Armature", "children": [1], "scale": [2, 2, 2], "rotation": [0, half, 0, half]},
        {"name": "a", "children": [2], "translation": [0, 1, 0]},
        {"name": "b", "children": [3], "translation": [1, 0, 0]},
        {"name": "c", "translation": [1, 0, 0]},
    ]))
}

fn near(found: Vec3, wanted: Vec3) {
    for axis in 0..3 {
        assert!((found[axis] - wanted[axis]).abs() < 1e-6, "{found:?} {wanted:?}");
    }
}

/// About z by these degrees: x, y, z, w.
fn about_z(degrees: f64) -> [f32; 4] {
    let (sin, cos) = bone_core::Angle::from_degrees(degrees / 2.0).sin_cos();
    [0.0, 0.0, sin as f32, cos as f32]
}

/// A turn by 90 degrees of `a`: `b` moves along an arc of radius 2 (the scale), in the plane of y and -z, into
/// which the node above turns x.
#[test]
fn joints_are_where_the_specification_puts_them() {
    let mut made = chain();
    let turns = [about_z(0.0), about_z(90.0).map(|n| -n)].concat();
    made.channel(1, "rotation", "LINEAR", &[0.0, 1.0], &turns);
    made.channel(2, "translation", "STEP", &[0.0, 0.5, 1.0], &[1.0, 0.0, 0.0, 3.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    let options = GltfOptions { rate: Some(4.0), ..GltfOptions::default() };
    for bytes in [made.text().into_bytes(), made.binary()] {
        let motion = read(&bytes, &options, &mut nothing).expect("a motion");
        assert_eq!(motion.names, ["a", "b", "c"]);
        assert_eq!(motion.parents, [None, Some(0), Some(1)]);
        assert_eq!((motion.rate, motion.frames()), (4.0, 5));
        for (frame, at) in motion.positions.chunks(3).enumerate() {
            // An even rotation along the shorter arc, though the second quaternion has the other sign.
            let (sin, cos) = bone_core::Angle::from_degrees(22.5 * frame as f64).sin_cos();
            let far = if (2..4).contains(&frame) { 6.0 } else { 2.0 };
            near(at[0], [0.0, 2.0, 0.0]);
            near(at[1], [0.0, 2.0 + far * sin, -far * cos]);
            near(at[2], [0.0, 2.0 + (far + 2.0) * sin, -(far + 2.0) * cos]);
        }
        near(motion.rest[2], [0.0, 2.0, -4.0]);
    }
}

/// With tangents that are the slopes of a cubic polynomial the spline is this polynomial.
#[test]
fn cubic_splines_are_polynomials() {
    let cubic = |t: f64| 2.0 * t * t * t - 3.0 * t * t + 0.5 * t + 1.0;
    let slope = |t: f64| 6.0 * t * t - 6.0 * t + 0.5;
    let times = [0.0, 0.5, 2.0];
    let rows =
        times.iter().flat_map(|&t| [[slope(t), 0.0, 0.0], [cubic(t), t, 0.0], [slope(t), 0.0, 0.0]].concat());
    let mut made =
        Made::new(json!([{"name": "a", "children": [1]}, {"name": "b", "translation": [0, 1, 0]}]));
    let values: Vec<f32> = rows.map(|n| n as f32).collect();
    made.channel(0, "translation", "CUBICSPLINE", &times.map(|t| t as f32), &values);
    let options = GltfOptions { rate: Some(20.0), ..GltfOptions::default() };
    let motion = read(made.text().as_bytes(), &options, &mut nothing).expect("a motion");
    assert_eq!(motion.frames(), 41);
    for frame in 0..41 {
        let t = frame as f64 / 20.0;
        assert!((motion.positions[2 * frame][0] - cubic(t)).abs() < 1e-5, "{t}");
    }
}

/// Section 3.11: `max(c / 127, -1)` for bytes, `max(c / 32767, -1)` for shorts.
#[test]
fn whole_numbers_are_normalized() {
    let mut made = chain();
    let input = made.floats("SCALAR", &[0.0, 1.0]);
    let shorts: Vec<u8> = [0_i16, 0, 0, 32767, 0, 0, 32767, 0].iter().flat_map(|n| n.to_le_bytes()).collect();
    let output = made.accessor("VEC4", 5122, 2, &shorts);
    made.sampler(1, "rotation", json!({"input": input, "output": output}));
    let motion = read_text(&made.text()).expect("a motion");
    // Half a turn about z.
    near(motion.positions[motion.positions.len() - 1], [0.0, 2.0, 4.0]);
}

#[test]
fn the_rate_is_that_of_the_keys() {
    for (times, rate) in [
        (vec![0.0, 1.0 / 24.0, 0.5], 24.0),
        (vec![0.0, 1.0 / 60.0, 0.25], 60.0),
        (vec![0.0, 0.123, 0.5], USUAL_RATE),
    ] {
        let mut made = chain();
        let turns = vec![about_z(10.0); times.len()].concat();
        let times: Vec<f32> = times.into_iter().map(|t| t as f32).collect();
        made.channel(1, "rotation", "LINEAR", &times, &turns);
        let motion = read_text(&made.text()).expect("a motion");
        assert_eq!(motion.rate, rate, "{times:?}");
        assert_eq!(motion.notes.is_empty(), rate != USUAL_RATE);
    }
}

/// A body of a VRM file with names that mean nothing.
fn vrm(old: bool) -> Made {
    let bones = [
        ("hips", None, [0.0, 1.0, 0.0]),
        ("spine", Some(0), [0.0, 0.2, 0.0]),
        ("neck", Some(1), [0.0, 0.3, 0.0]),
        ("head", Some(2), [0.0, 0.1, 0.0]),
        ("leftShoulder", Some(1), [0.05, 0.25, 0.0]),
        ("leftUpperArm", Some(4), [0.15, 0.0, 0.0]),
        ("leftLowerArm", Some(5), [0.28, 0.0, 0.0]),
        ("leftHand", Some(6), [0.25, 0.0, 0.0]),
        ("rightShoulder", Some(1), [-0.05, 0.25, 0.0]),
        ("rightUpperArm", Some(8), [-0.15, 0.0, 0.0]),
        ("rightLowerArm", Some(9), [-0.28, 0.0, 0.0]),
        ("rightHand", Some(10), [-0.25, 0.0, 0.0]),
        ("leftUpperLeg", Some(0), [0.1, -0.05, 0.0]),
        ("leftLowerLeg", Some(12), [0.0, -0.43, 0.0]),
        ("leftFoot", Some(13), [0.0, -0.44, 0.0]),
        ("leftToes", Some(14), [0.0, -0.05, 0.12]),
        ("rightUpperLeg", Some(0), [-0.1, -0.05, 0.0]),
        ("rightLowerLeg", Some(16), [0.0, -0.43, 0.0]),
        ("rightFoot", Some(17), [0.0, -0.44, 0.0]),
        ("rightToes", Some(18), [0.0, -0.05, 0.12_f64]),
    ];
    let nodes: Vec<Value> = bones
        .iter()
        .enumerate()
        .map(|(at, (_, _, offset))| {
            let children: Vec<usize> = (0..bones.len()).filter(|&n| bones[n].1 == Some(at)).collect();
            json!({"name": format!("J{at:02}"), "translation": offset, "children": children})
        })
        .collect();
    let mut made = Made::new(Value::from(nodes));
    made.json["skins"] = json!([{"joints": (0..bones.len()).collect::<Vec<_>>()}]);
    made.json["extensions"] = if old {
        let list: Vec<Value> =
            bones.iter().enumerate().map(|(at, (name, ..))| json!({"bone": name, "node": at})).collect();
        json!({"VRM": {"humanoid": {"humanBones": list}}})
    } else {
        let map: serde_json::Map<String, Value> = bones
            .iter()
            .enumerate()
            .map(|(at, (name, ..))| ((*name).to_owned(), json!({"node": at})))
            .collect();
        json!({"VRMC_vrm": {"humanoid": {"humanBones": map}}})
    };
    let turns = [about_z(0.0), about_z(30.0)].concat();
    made.channel(1, "rotation", "LINEAR", &[0.0, 1.0 / 30.0], &turns);
    made
}

#[test]
fn bones_of_vrm_have_the_names_of_its_humanoid() {
    for old in [true, false] {
        let motion = read(&vrm(old).binary(), &GltfOptions::default(), &mut nothing).expect("a motion");
        let body = motion.body();
        for (part, name) in [
            (BodyPart::Hips, "hips"),
            (BodyPart::Head, "head"),
            (BodyPart::UpperArm(Side::Left), "leftUpperArm"),
            (BodyPart::Hand(Side::Right), "rightHand"),
            (BodyPart::Thigh(Side::Right), "rightUpperLeg"),
            (BodyPart::Toe(Side::Left), "leftToes"),
        ] {
            assert_eq!(body.start(part).map(|at| &*motion.names[at]), Some(name));
        }
        assert!(body.guessed().is_empty());
        // Heads and hands that end where they begin get ends, so that their turns are seen.
        assert!(body.end(BodyPart::Head).is_some() && body.end(BodyPart::Hand(Side::Left)).is_some());
    }
}

#[test]
fn buffers_may_be_files_beside_it() {
    let mut made = chain();
    made.channel(1, "rotation", "LINEAR", &[0.0, 0.5], &[about_z(0.0), about_z(9.0)].concat());
    let text = made.with_file("move.bin");
    let mut asked = Vec::new();
    let motion = read(text.as_bytes(), &GltfOptions::default(), &mut |name| {
        asked.push(name.to_owned());
        Ok(made.buffer.clone())
    });
    assert_eq!(motion.expect("a motion").names.len(), 3);
    assert_eq!(asked, ["move.bin"], "read once");
    let error = read_text(&text).expect_err("no file");
    assert!(error.message == "no file is beside it" && error.span.is_some());
    let short = read(text.as_bytes(), &GltfOptions::default(), &mut |_| Ok(vec![0; 8])).expect_err("short");
    assert!(short.message.contains("bytes are announced, and 8 are there"), "{short}");
}

#[test]
fn an_animation_is_chosen_by_name_or_number() {
    let mut made = chain();
    made.channel(1, "rotation", "LINEAR", &[0.0, 0.5], &[about_z(0.0), about_z(9.0)].concat());
    let mut other = made.json["animations"][0].clone();
    other["name"] = json!("Jump");
    made.json["animations"].as_array_mut().expect("a list").push(other);
    let text = made.text();
    let read_one = |name: Option<&str>| {
        let options = GltfOptions { animation: name.map(str::to_owned), ..GltfOptions::default() };
        read(text.as_bytes(), &options, &mut nothing)
    };
    assert!(read_one(Some("Jump")).is_ok() && read_one(Some("2")).is_ok());
    let first = read_one(None).expect("the first");
    assert!(first.notes[0].starts_with("the animation is \"Move\", the first of \"Move\", \"Jump\""));
    let error = read_one(Some("Run")).expect_err("none");
    assert_eq!(error.help.as_deref(), Some("there are \"Move\", \"Jump\""));
}

/// A change of a valid file: a place in its JSON with another value.
type Damage = (&'static str, Value, &'static str);

#[test]
fn damaged_files_have_messages() {
    let mut made = chain();
    made.channel(1, "rotation", "LINEAR", &[0.0, 0.5], &[about_z(0.0), about_z(9.0)].concat());
    let valid: Value = serde_json::from_str(&made.text()).expect("JSON");
    assert!(read_text(&valid.to_string()).is_ok());
    let cases: Vec<Damage> = vec![
        ("/asset", json!(null), "this is not a glTF file"),
        ("/asset/version", json!("1.0"), "this is not glTF 2"),
        ("/animations", json!([]), "there are no animations"),
        ("/animations/0/channels", json!([]), "this animation moves no nodes"),
        ("/animations/0/channels/0/target", json!(null), "this channel has no \"target\""),
        ("/animations/0/channels/0/sampler", json!(7), "there is no sampler 7"),
        ("/animations/0/channels/0/target/node", json!(9), "there is no node 9"),
        ("/animations/0/samplers/0/interpolation", json!("EASE"), "an interpolation is"),
        ("/animations/0/samplers/0/input", json!(5), "there is no accessor 5"),
        ("/animations/0/samplers/0/input", json!(1), "the times of keys are numbers"),
        ("/animations/0/samplers/0/output", json!(0), "2 keys need 2 rows of 4 numbers"),
        ("/accessors/0/count", json!(-1), "a whole number from 0 on"),
        ("/accessors/0/count", json!(3), "accessor 0: 3 elements"),
        ("/accessors/0/count", json!(999_999_999), "more than 20000000 numbers"),
        ("/accessors/0/componentType", json!(5125), "5125 is not a type"),
        ("/accessors/1/componentType", json!(5122), "whole numbers of motion have to be normalized"),
        ("/accessors/0/type", json!("MAT4"), "numbers of motion are"),
        ("/accessors/0/sparse", json!({"count": 1}), "sparse accessors"),
        ("/accessors/0/byteOffset", json!(6), "accessor 0: 2 elements"),
        ("/bufferViews/1/byteLength", json!(4000), "4000 bytes from byte 8 on are not in the buffer"),
        ("/bufferViews/1/buffer", json!(2), "there is no buffer 2"),
        ("/bufferViews/0/byteStride", json!(2), "accessor 0: 2 elements"),
        ("/bufferViews/0/extensions", json!({"EXT_meshopt_compression": {}}), "the motion is compressed"),
        ("/buffers/0/byteLength", json!(4000), "4000 bytes are announced"),
        ("/buffers/0/uri", json!("data:;base64,A*"), "these data are not base64"),
        ("/buffers/0/uri", json!("data:text/plain,abc"), "data in this file have to be"),
        ("/buffers/0/uri", json!(null), "this buffer has no data"),
        ("/nodes/3/children", json!([1]), "node 1 has two parents"),
        ("/nodes/1/children", json!([77]), "there is no node 77"),
        ("/nodes/1/matrix", json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]), "node 1 has a matrix"),
        ("/nodes/1/translation", json!([1, 2]), "\"translation\" has 3 numbers"),
    ];
    for (place, value, message) in cases {
        let mut damaged = valid.clone();
        let (parent, key) = place.rsplit_once('/').expect("a place");
        damaged.pointer_mut(parent).expect(place)[key] = value;
        let text = damaged.to_string();
        let error = read_text(&text).expect_err(place);
        assert!(error.message.starts_with(message), "{place}: {error}");
        assert!(error.span.is_some_and(|span| text.get(span).is_some()) || place == "/animations", "{place}");
    }
    // A node below itself, and times that go back.
    let mut circle = valid.clone();
    circle["nodes"][0]["children"] = json!([]);
    circle["nodes"][3]["children"] = json!([1]);
    assert!(read_text(&circle.to_string()).expect_err("a circle").message.contains("below itself"));
    let mut back = chain();
    back.channel(1, "rotation", "LINEAR", &[0.5, 0.5], &[about_z(0.0), about_z(9.0)].concat());
    assert!(read_text(&back.text()).expect_err("back").message.contains("do not increase"));
    let mut bad = chain();
    bad.channel(1, "rotation", "LINEAR", &[0.0, f32::NAN], &[about_z(0.0), about_z(9.0)].concat());
    assert!(read_text(&bad.text()).expect_err("not a number").message.contains("not a usable number"));
}

#[test]
fn damaged_binary_files_have_the_byte() {
    let mut made = chain();
    made.channel(1, "rotation", "LINEAR", &[0.0, 0.5], &[about_z(0.0), about_z(9.0)].concat());
    let whole = made.binary();
    let wrong =
        |bytes: &[u8]| read(bytes, &GltfOptions::default(), &mut nothing).expect_err("damaged").message;
    let changed = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        wrong(&bytes)
    };
    assert!(wrong(&whole[..7]).starts_with("byte 7: the file ends before its header"));
    assert!(wrong(&whole[..300]).starts_with("byte 300: the file ends before the"));
    assert!(changed(4, 1).starts_with("byte 4: this is glTF 1"));
    assert!(changed(14, 255).starts_with("byte 12: a chunk of"));
    assert!(changed(16, b'X').contains("no JSON chunk"));
    assert!(changed(20, b'x').starts_with("byte 20: this is not JSON"));
    for at in 0..whole.len() {
        assert!(read(&whole[..at], &GltfOptions::default(), &mut nothing).is_err(), "{at}");
    }
}

/// Any byte may be wrong: an error or a motion of usable numbers.
#[test]
fn changed_bytes_never_panic() {
    let whole = vrm(false).binary();
    let (cases, mut random) = (cases(3000), Random(9));
    let mut below = |end: usize| random.below(end);
    let mut readable = 0;
    for _ in 0..cases {
        let mut bytes = whole.clone();
        for _ in 0..=below(3) {
            let at = below(bytes.len());
            match below(3) {
                0 => bytes[at] = below(256) as u8,
                1 => bytes[at] = b"0123456789-\"{}[],"[below(17)],
                _ => {
                    let end = (at + below(9)).min(bytes.len());
                    let piece = bytes[at..end].to_vec();
                    let to = below(bytes.len() - piece.len());
                    bytes[to..to + piece.len()].copy_from_slice(&piece);
                }
            }
        }
        if let Ok(motion) = read(&bytes, &GltfOptions::default(), &mut nothing) {
            readable += 1;
            assert!(motion.positions.iter().flatten().all(|n| !n.is_nan()));
        }
    }
    assert!(readable > cases / 50, "{readable} of {cases}");
}
