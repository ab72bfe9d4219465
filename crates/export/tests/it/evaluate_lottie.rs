//! The look of a layer at a frame by Lottie's rules: a small evaluator.

use kurbo::{Affine, Point};
use serde_json::Value;

use super::evaluate_smil::ease;

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Number(n) => vec![n.as_f64().expect("a number")],
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        // An outline: vertices and handles.
        Value::Object(fields) => ["v", "i", "o"].iter().flat_map(|name| numbers(&fields[*name])).collect(),
        other => panic!("{other}"),
    }
}

/// The numbers of a property at a frame.
pub(crate) fn property(value: &Value, frame: f64) -> Vec<f64> {
    if value["a"] == 0 {
        return numbers(&value["k"]);
    }
    let keys = value["k"].as_array().expect("keys");
    let time = |key: &Value| key["t"].as_f64().expect("a time");
    assert!(keys.windows(2).all(|pair| time(&pair[0]) < time(&pair[1])), "times ascend");
    let Some(k) = keys.iter().rposition(|key| time(key) <= frame) else { return numbers(&keys[0]["s"]) };
    let from = numbers(&keys[k]["s"]);
    let Some(next) = keys.get(k + 1) else { return from };
    if keys[k]["h"] == 1 {
        return from;
    }
    let handle = |side: &str, axis: &str| keys[k][side][axis].as_f64().expect("a handle");
    let u = (frame - time(&keys[k])) / (time(next) - time(&keys[k]));
    let e = ease([handle("o", "x"), handle("o", "y"), handle("i", "x"), handle("i", "y")], u);
    from.iter().zip(numbers(&next["s"])).map(|(a, b)| a + e * (b - a)).collect()
}

/// What is not there is as the specification has it: nothing is moved.
fn transform(ks: &Value, frame: f64) -> Affine {
    let get = |name: &str, default: f64| match &ks[name] {
        Value::Null => vec![default; 2],
        found => property(found, frame),
    };
    let (a, s, r) = (get("a", 0.0), get("s", 100.0), get("r", 0.0));
    let p = match ks["p"]["s"] {
        Value::Bool(true) => vec![property(&ks["p"]["x"], frame)[0], property(&ks["p"]["y"], frame)[0]],
        _ => get("p", 0.0),
    };
    Affine::translate((p[0], p[1]))
        * bone_core::Angle::from_degrees(r[0]).rotation()
        * Affine::scale_non_uniform(s[0] / 100.0, s[1] / 100.0)
        * Affine::translate((-a[0], -a[1]))
}

/// What lottie-web's SVG renderer needs of a group, or shows nothing of its layer without an error
/// (`ShapeInterface.js`): the transform is its last item, and has an opacity and a position that is not split.
pub(crate) fn groups_have_whole_transforms(value: &Value) {
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(items) => waiting.extend(items),
            Value::Object(fields) => waiting.extend(fields.values()),
            _ => {}
        }
        if value["ty"] == "gr" {
            let last = value["it"].as_array().and_then(|items| items.last()).expect("items");
            assert!(last["ty"] == "tr" && !last["o"].is_null(), "{last}");
            assert!(last["p"]["s"].is_null(), "{last}");
        }
    }
}

/// The vertices and handles of the shapes of a layer with a name at a frame, in the order of the file.
pub(crate) fn points(document: &Value, name: &str, frame: f64) -> Vec<Point> {
    let layers = document["layers"].as_array().expect("layers");
    let in_assets =
        document["assets"].as_array().expect("assets").iter().filter_map(|asset| asset["layers"].as_array());
    let all: Vec<&Value> = layers.iter().chain(in_assets.flatten()).collect();
    let layer = *all
        .iter()
        .find(|layer| layer["ty"] == 4 && layer["nm"] == name)
        .unwrap_or_else(|| panic!("no layer {name}"));
    let mut found = Vec::new();
    let (mut around, mut parent) = (transform(&layer["ks"], frame), &layer["parent"]);
    while !parent.is_null() {
        let layer = *all.iter().find(|layer| layer["ind"] == *parent).expect("the parent");
        (around, parent) = (transform(&layer["ks"], frame) * around, &layer["parent"]);
    }
    let mut next = vec![(&layer["shapes"], around)];
    while let Some((items, around)) = next.pop() {
        let items = items.as_array().expect("items");
        let own =
            items.iter().find(|item| item["ty"] == "tr").map_or(Affine::IDENTITY, |tr| transform(tr, frame));
        let here = around * own;
        for item in items {
            if item["ty"] == "gr" {
                next.push((&item["it"], here));
            } else if item["ty"] == "sh" {
                let all = property(&item["ks"], frame);
                let third = all.len() / 3;
                for at in (0..third).step_by(2) {
                    let v = Point::new(all[at], all[at + 1]);
                    let handle = |part: usize| {
                        v + kurbo::Vec2::new(all[part * third + at], all[part * third + at + 1])
                    };
                    found.extend([here * v, here * handle(1), here * handle(2)]);
                }
            }
        }
    }
    found
}
