//! A walk whose angles are known, with the defects of an estimator: noise, holes, changed sides, outliers, a bystander, an empty
//! frame.

use std::path::PathBuf;

use bone_core::Angle;
use kurbo::Vec2;

use crate::keypoints::{Capture, Options, Reader, series};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/motion/openpose/synthetic_walk")
}

fn walk(change: impl Fn(u64, Vec<u8>) -> Option<Vec<u8>>) -> Capture {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    let found = series(&names).expect("a series");
    let mut reader = Reader::new();
    for (number, at) in found.frames {
        let bytes = std::fs::read(folder().join(&names[at])).expect("a frame");
        if let Some(bytes) = change(number, bytes) {
            reader.frame(number, &bytes).expect("a frame of people");
        }
    }
    reader.finish(&Options::default()).expect("a capture")
}

/// From which joint to which, and the name of the angle in the truth.
const BONES: [(&str, &str, &str); 11] = [
    ("MidHip", "Neck", "spine"),
    ("RShoulder", "RElbow", "uarm_r"),
    ("RElbow", "RWrist", "farm_r"),
    ("LShoulder", "LElbow", "uarm_l"),
    ("LElbow", "LWrist", "farm_l"),
    ("RHip", "RKnee", "thigh_r"),
    ("RKnee", "RAnkle", "shin_r"),
    ("RAnkle", "RBigToe", "foot_r"),
    ("LHip", "LKnee", "thigh_l"),
    ("LKnee", "LAnkle", "shin_l"),
    ("LAnkle", "LBigToe", "foot_l"),
];

/// The differences to the truth of each bone, in degrees, frame by frame.
fn errors(capture: &Capture) -> Vec<(&'static str, Vec<f64>)> {
    let text = std::fs::read_to_string(folder().join("truth.json")).expect("the truth");
    let truth: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let flat = &capture.flat;
    let bone = |&(from, to, name): &(&str, &str, &'static str)| {
        let (from, to) = (flat.find(from).expect(from), flat.find(to).expect(to));
        let errors = (0..flat.frames()).map(|frame| {
            let way = flat.way(frame, from, to);
            // The truth turns against the clock, y up.
            let seen = Angle::of(Vec2::new(way.x, -way.y));
            let at = frame + capture.first_frame as usize;
            let known = Angle::from_radians(truth["truth"][name][at].as_f64().expect("an angle"));
            seen.nearest_to(known).degrees() - known.degrees()
        });
        (name, errors.collect())
    };
    BONES.iter().map(bone).collect()
}

fn rms(values: &[f64]) -> f64 {
    (values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64).sqrt()
}

#[test]
fn the_walk_is_that_of_the_truth() {
    let capture = walk(|_, bytes| Some(bytes));
    for note in &capture.notes {
        println!("{note}");
    }
    assert_eq!(capture.flat.frames(), 90);
    for (name, errors) in errors(&capture) {
        let most = errors.iter().map(|e| e.abs()).fold(0.0, f64::max);
        println!("{name:8} rms {:.2} most {most:.2}", rms(&errors));
        assert!(rms(&errors) < 1.5, "{name}: {}", rms(&errors));
    }
}
