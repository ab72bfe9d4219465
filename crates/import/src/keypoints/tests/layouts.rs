//! The same walk in other layouts and forms of files gives the same motion.

use kurbo::Size;

use super::*;
use crate::keypoints::KeypointLayout;

/// For each point of COCO that the walk has, the point of BODY_25: from the documentation of both.
const COCO: [(usize, usize); 13] = [
    (0, 0),
    (5, 5),
    (6, 2),
    (7, 6),
    (8, 3),
    (9, 7),
    (10, 4),
    (11, 12),
    (12, 9),
    (13, 13),
    (14, 10),
    (15, 14),
    (16, 11),
];
/// The same for MediaPipe.
const MEDIAPIPE: [(usize, usize); 17] = [
    (0, 0),
    (11, 5),
    (12, 2),
    (13, 6),
    (14, 3),
    (15, 7),
    (16, 4),
    (23, 12),
    (24, 9),
    (25, 13),
    (26, 10),
    (27, 14),
    (28, 11),
    (29, 21),
    (30, 24),
    (31, 19),
    (32, 22),
];

fn reordered(points: &[[f64; 3]], table: &[(usize, usize)], count: usize) -> Vec<[f64; 3]> {
    let mut other = vec![[0.0; 3]; count];
    for &(to, from) in table {
        other[to] = points[from];
    }
    other
}

fn read(file: &Value, options: &KeypointOptions) -> KeypointCapture {
    let mut reader = KeypointReader::new();
    reader.add_file(file.to_string().as_bytes()).expect("a file of frames");
    reader.finish(options).expect("a capture")
}

fn each_frame(one: impl Fn(usize, &People) -> Value) -> Value {
    walk().iter().enumerate().map(|(at, people)| one(at, people)).collect()
}

#[test]
fn coco_results() {
    let mut list = Vec::new();
    for (at, people) in walk().iter().enumerate() {
        for points in people {
            let keypoints = reordered(points, &COCO, 17).concat();
            list.push(json!({ "image_id": at, "category_id": 1, "keypoints": keypoints, "score": 0.9 }));
        }
    }
    let by_number = read(&Value::from(list.clone()), &KeypointOptions::default());
    assert_eq!(by_number.layout, KeypointLayout::Coco17);
    assert!(worst(&by_number) < 1.5, "{}", worst(&by_number));
    assert_eq!(by_number.motion.find("LBigToe"), None);
    for entry in &mut list {
        entry["image_id"] =
            Value::from(format!("walk/frame_{:04}.jpg", entry["image_id"].as_u64().expect("a number")));
    }
    assert!(read(&Value::from(list.clone()), &KeypointOptions::default()).motion == by_number.motion);
    let dataset = json!({ "images": [], "annotations": list });
    assert!(read(&dataset, &KeypointOptions::default()).motion == by_number.motion);
}

#[test]
fn plain_lists_of_frames() {
    let coco = |people: &People| people.iter().map(|points| reordered(points, &COCO, 17)).collect::<Vec<_>>();
    let options = KeypointOptions::default();
    let triples = read(&each_frame(|_, people| json!(coco(people))), &options);
    assert!(worst(&triples) < 1.5);
    let motion = each_frame(
        |_, people| json!({ "people": coco(people).iter().map(|p| json!({ "keypoints": p.concat() })).collect::<Vec<_>>() }),
    );
    assert!(read(&motion, &options).motion == triples.motion);
    assert!(read(&json!({ "frames": motion }), &options).motion == triples.motion);
    // As MMPose writes it: positions and scores in separate lists.
    let apart = each_frame(|at, people| {
        let one = |points: &Vec<[f64; 3]>| {
            let positions: Vec<[f64; 2]> = points.iter().map(|p| [p[0], p[1]]).collect();
            json!({ "keypoints": positions, "keypoint_scores": points.iter().map(|p| p[2]).collect::<Vec<_>>() })
        };
        json!({ "frame_id": at, "instances": coco(people).iter().map(one).collect::<Vec<_>>() })
    });
    assert!(read(&json!({ "instance_info": apart }), &options).motion == triples.motion);
}

/// Coordinates relative to the picture, one person a frame, and landmarks with low visibility in place of
/// missing ones.
#[test]
fn mediapipe_landmarks() {
    let size = Size::new(1280.0, 720.0);
    let options = KeypointOptions { image_size: Some(size), ..KeypointOptions::default() };
    let landmarks = |people: &People| {
        let points = people.last().map(|points| reordered(points, &MEDIAPIPE, 33));
        let one = |p: &[f64; 3]| json!({ "x": p[0] / size.width, "y": p[1] / size.height, "z": 0.1, "visibility": p[2] });
        points.map(|points| points.iter().map(one).collect::<Vec<_>>())
    };
    let file = each_frame(|_, people| json!({ "landmarks": landmarks(people) }));
    let found = read(&file, &options);
    assert_eq!(found.layout, KeypointLayout::MediaPipe33);
    assert!(worst(&found) < 1.5, "{}", worst(&found));
    assert!(read(&each_frame(|_, people| json!(landmarks(people))), &options).motion == found.motion);
    let numbers = each_frame(|_, people| {
        let points = people.last().map(|points| reordered(points, &MEDIAPIPE, 33));
        let four = |p: &[f64; 3]| [p[0] / size.width, p[1] / size.height, 0.1, p[2]];
        json!(points.map(|points| points.iter().map(four).collect::<Vec<_>>().concat()))
    });
    assert!(read(&numbers, &options).motion == found.motion);
}
