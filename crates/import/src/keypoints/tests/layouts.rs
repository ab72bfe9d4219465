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

/// A frame in YOLO's text: class, box and the points of COCO, relative to a picture of 1000 by 500 pixels.
fn yolo(people: &People, tail: &str) -> String {
    let mut text = String::new();
    for person in people {
        text.push_str("0 0.5 0.5 0.2 0.8");
        for point in 0..17 {
            let [x, y, c] =
                COCO.iter().find(|(coco, _)| *coco == point).map_or([0.0; 3], |&(_, body)| person[body]);
            text.push_str(&format!(" {} {} {c}", x / 1000.0, y / 500.0));
        }
        text.push_str(tail);
        text.push('\n');
    }
    text
}

#[test]
fn yolo_text_and_json() {
    let frames = walk();
    let picture =
        KeypointOptions { image_size: Some(Size::new(1000.0, 500.0)), ..KeypointOptions::default() };
    let mut expected = KeypointReader::new();
    for (number, people) in frames.iter().enumerate() {
        let one = |person: &Vec<[f64; 3]>| {
            let point = |point: usize| {
                COCO.iter().find(|(coco, _)| *coco == point).map_or([0.0; 3], |&(_, body)| person[body])
            };
            json!({ "keypoints": (0..17).map(point).collect::<Vec<_>>().concat() })
        };
        let text = json!({ "people": people.iter().map(one).collect::<Vec<_>>() }).to_string();
        expected.add_frame(number as u64, text.as_bytes()).expect("a frame");
    }
    let expected = expected.finish(&KeypointOptions::default()).expect("a capture").motion;
    let near = |found: &crate::PlanarMotion| {
        assert_eq!(found.joints(), expected.joints());
        for frame in 0..expected.frames() {
            for (a, b) in found.frame(frame).iter().zip(expected.frame(frame)) {
                assert!(a.distance(*b) < 1e-6, "frame {frame}: {a} {b}");
            }
        }
    };
    for tail in ["", " 0.87", " 0.87 3"] {
        let mut reader = KeypointReader::new();
        // YOLO writes no file for a frame without people.
        for (number, people) in frames.iter().enumerate().filter(|(_, people)| !people.is_empty()) {
            reader.add_frame(number as u64, yolo(people, tail).as_bytes()).expect("a frame");
        }
        near(&reader.finish(&picture).expect("a capture").motion);
    }
    // Its JSON has columns.
    let mut reader = KeypointReader::new();
    for (number, people) in frames.iter().enumerate() {
        let one = |person: &Vec<[f64; 3]>| {
            let column = |axis: usize| -> Vec<f64> {
                let point = |point: usize| {
                    COCO.iter().find(|(coco, _)| *coco == point).map_or(0.0, |&(_, body)| person[body][axis])
                };
                (0..17).map(point).collect()
            };
            json!({ "name": "person", "class": 0, "confidence": 0.9,
                "keypoints": { "x": column(0), "y": column(1), "visible": column(2) } })
        };
        let text = serde_json::Value::from(people.iter().map(one).collect::<Vec<_>>()).to_string();
        reader.add_frame(number as u64, text.as_bytes()).expect("a frame");
    }
    near(&reader.finish(&KeypointOptions::default()).expect("a capture").motion);
}

#[test]
fn damaged_yolo_files_have_messages() {
    let line = yolo(&walk()[0], "");
    let line = line.trim_end();
    let cut = line.rsplit_once(' ').expect("words").0;
    let cases: [(String, &str); 10] = [
        (cut.rsplit_once(' ').expect("words").0.to_owned(), "54 numbers are not a person"),
        (format!("{line} 1 2 3"), "59 numbers are not a person"),
        (line.replacen("0.5", "half", 1), "\"half\" where a number"),
        (line.replacen("0.5", "nan", 1), "\"nan\" where a number"),
        (line.replacen("0.5", "1e99", 1), "\"1e99\" where a number"),
        (line.replacen("0.5", "0,5", 1), "\"0,5\" where a number"),
        ("0".to_owned(), "1 numbers are not a person"),
        (r#"[{"keypoints": {"x": [1, 2], "y": [1]}}]"#.to_owned(), "there are 2 x, 1 y and 2 confidences"),
        (r#"[{"keypoints": {"y": [1, 2]}}]"#.to_owned(), "there are no \"x\" of these points"),
        (r#"[{"keypoints": {"x": 3, "y": [1, 2]}}]"#.to_owned(), "a list of numbers belongs here"),
    ];
    for (text, message) in cases {
        let error = KeypointReader::new().add_frame(0, text.as_bytes()).expect_err(&text);
        assert!(error.message.starts_with(message), "{text}: {error}");
        assert!(error.span.is_some(), "{text}");
    }
}
