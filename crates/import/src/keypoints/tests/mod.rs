//! Keypoints as a whole: the synthetic walk against its ground truth, layouts, people, and invalid files.

mod bad;
mod expression;
mod habits;
mod hostile;
mod layouts;
mod people;
mod tables;
mod videos;
mod walk;

use std::path::PathBuf;

use bone_core::Angle;
use kurbo::Vec2;
use serde_json::{Value, json};

use super::{KeypointCapture, KeypointOptions, KeypointReader, find_series};
use crate::tests::Random;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/motion/openpose/synthetic_walk")
}

/// The people of each frame of the walk: 25 points of x, y and confidence.
type People = Vec<Vec<[f64; 3]>>;

/// The walk from its files.
fn walk() -> Vec<People> {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    let found = find_series(&names).expect("a series");
    assert_eq!(names[found.other_files[0]], "truth.json");
    let people = |&(_, at): &(u64, usize)| -> People {
        let text = std::fs::read_to_string(folder().join(&names[at])).expect("a frame");
        let frame: Value = serde_json::from_str(&text).expect("JSON");
        let one = |person: &Value| {
            let numbers: Vec<f64> =
                serde_json::from_value(person["pose_keypoints_2d"].clone()).expect("numbers");
            numbers.chunks(3).map(|point| [point[0], point[1], point[2]]).collect()
        };
        frame["people"].as_array().expect("people").iter().map(one).collect()
    };
    found.frames.iter().map(people).collect()
}

/// A frame as OpenPose writes it.
fn body_25(people: &People) -> Vec<u8> {
    let one = |points: &Vec<[f64; 3]>| json!({ "person_id": [-1], "pose_keypoints_2d": points.concat() });
    json!({ "version": 1.3, "people": people.iter().map(one).collect::<Vec<_>>() }).to_string().into_bytes()
}

/// Reads numbered frames as OpenPose writes them.
fn capture(frames: &[(u64, People)], options: &KeypointOptions) -> KeypointCapture {
    let mut reader = KeypointReader::new();
    for (number, people) in frames {
        reader.add_frame(*number, &body_25(people)).expect("a frame of people");
    }
    reader.finish(options).expect("a capture")
}

fn numbered(frames: Vec<People>) -> Vec<(u64, People)> {
    frames.into_iter().enumerate().map(|(at, people)| (at as u64, people)).collect()
}

/// The joints at both ends of a bone, and the name of its angle in the ground truth.
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

/// The differences from the ground truth for each bone, in degrees, frame by frame.
fn errors(capture: &KeypointCapture) -> Vec<(&'static str, Vec<f64>)> {
    let text = std::fs::read_to_string(folder().join("truth.json")).expect("the truth");
    let truth: Value = serde_json::from_str(&text).expect("JSON");
    let motion = &capture.motion;
    let bone = |&(from, to, name): &(&str, &str, &'static str)| {
        let (from, to) = (motion.find(from)?, motion.find(to)?);
        let errors = (0..motion.frames()).map(|frame| {
            let way = motion.offset(frame, from, to);
            // The ground truth turns counter-clockwise, y up.
            let seen = Angle::of(Vec2::new(way.x, -way.y));
            let at = frame + capture.first_frame as usize;
            let known = Angle::from_radians(truth["truth"][name][at].as_f64().expect("an angle"));
            seen.nearest_to(known).degrees() - known.degrees()
        });
        Some((name, errors.collect()))
    };
    BONES.iter().filter_map(bone).collect()
}

fn rms(values: &[f64]) -> f64 {
    (values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64).sqrt()
}

/// The largest root mean square of all bones, in degrees.
fn worst(capture: &KeypointCapture) -> f64 {
    errors(capture).iter().map(|(_, errors)| rms(errors)).fold(0.0, f64::max)
}

fn notes(capture: &KeypointCapture) -> Vec<&str> {
    capture.notes.iter().map(|note| note.as_str()).collect()
}
