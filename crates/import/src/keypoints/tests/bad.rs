//! Errors in files: their messages and spans.

use super::*;
use crate::ImportError;

/// The message, and the text at its span.
fn message_and_place(text: &[u8], error: &ImportError) -> (String, String) {
    let span = error.span.clone().unwrap_or(0..0);
    (error.message.clone(), String::from_utf8_lossy(&text[span]).into_owned())
}

fn one_of_many(text: &str) -> (String, String) {
    message_and_place(text.as_bytes(), &KeypointReader::new().add_frame(0, text.as_bytes()).expect_err(text))
}

fn alone(text: &str) -> (String, String) {
    message_and_place(text.as_bytes(), &KeypointReader::new().add_file(text.as_bytes()).expect_err(text))
}

fn numbers(count: usize) -> String {
    let numbers: Vec<String> = (0..count).map(|n| (n + 10).to_string()).collect();
    format!("[{}]", numbers.join(","))
}

fn open_pose(points: &str) -> String {
    format!("{{\"people\": [{{\"pose_keypoints_2d\": {points}}}]}}")
}

fn pair(message: &str, at: &str) -> (String, String) {
    (message.to_owned(), at.to_owned())
}

#[test]
fn invalid_json_is_reported() {
    let good = open_pose(&numbers(75));
    let cut = &good[..good.len() - 20];
    let message = "the file ends in the middle of its JSON: it was cut off while it was written or copied";
    assert_eq!(one_of_many(cut), pair(message, ""));
    assert_eq!(one_of_many(&good.replace("15", "NaN")), pair("NaN is not a number in JSON", "NaN"));
    assert_eq!(one_of_many(&good.replace(",15,", ",15;")).1, ";");
    assert_eq!(one_of_many(""), pair("the file is empty", ""));
    let binary = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    let error = KeypointReader::new().add_frame(0, binary).expect_err("a picture");
    assert!(error.message.starts_with("the file is not text"), "{error}");
    let utf_16 = KeypointReader::new().add_frame(0, b"\xff\xfe{\0}\0").expect_err("UTF-16");
    assert_eq!(utf_16.message, "the file is text in UTF-16");
}

#[test]
fn invalid_people_are_reported() {
    let counted = |count| format!("{count} numbers are not a person of a known layout");
    assert_eq!(one_of_many(&open_pose(&numbers(74))), pair(&counted(74), "["));
    assert_eq!(one_of_many(&open_pose(&numbers(72))), pair(&counted(72), "["));
    let ambiguous = "three numbers of a MediaPipe landmark can be x, y, z or x, y, visibility";
    assert_eq!(alone(&format!("[{}, {}]", numbers(99), numbers(99))), pair(ambiguous, "["));
    let text = open_pose(&numbers(75).replace("30", "\"x\""));
    assert_eq!(one_of_many(&text), pair("a number belongs here, not a text", "\""));
    let huge = "this number is too large: at most 1e9 can be used";
    for number in ["1e999", "-1e10", "123456789012345678901234567890"] {
        assert_eq!(one_of_many(&open_pose(&numbers(75).replace("30", number))), pair(huge, number));
    }
    let (message, at) = one_of_many("{\"version\": 1.3}");
    assert_eq!((&*message, &*at), ("there are no keypoints in this object; it has \"version\"", "{"));
    assert_eq!(one_of_many("{\"people\": 3}").0, "a list of people belongs here, not a number");
    assert_eq!(one_of_many("\"people\"").0, "keypoints are an object or a list, not a text");
    let in_space = "{\"people\": [{\"pose_keypoints_3d\": [1, 2, 3, 4]}]}";
    assert_eq!(one_of_many(in_space).0, "these points are in space, not in a picture");
}

#[test]
fn mixed_layouts_are_reported() {
    let mut reader = KeypointReader::new();
    reader.add_frame(0, open_pose(&numbers(75)).as_bytes()).expect("BODY_25");
    let other = open_pose(&numbers(51));
    let error = reader.add_frame(1, other.as_bytes()).expect_err("COCO");
    let message =
        "this person has the layout COCO (17 points), those before have OpenPose BODY_25 (25 points)";
    assert_eq!(message_and_place(other.as_bytes(), &error), pair(message, "["));
    let two =
        format!("{{\"people\": [{{\"keypoints\": {}}}, {{\"keypoints\": {}}}]}}", numbers(51), numbers(54));
    let message = "this person has the layout OpenPose COCO (18 points), those before have COCO (17 points)";
    assert_eq!(one_of_many(&two), pair(message, "["));
}

#[test]
fn invalid_frames_are_reported() {
    let person = |head: &str| format!("{{{head}\"keypoints\": {}}}", numbers(51));
    let (with, without) = (person("\"image_id\": 4, "), person(""));
    assert_eq!(alone(&format!("[{with}, {without}]")).0, "some frames have a number and some have none");
    let wrong = person("\"image_id\": 1.5, ");
    assert_eq!(alone(&format!("[{wrong}]")), pair("the number of a frame is a whole one, from 0 on", "1.5"));
    let wrong = person("\"image_id\": \"cat.jpg\", ");
    assert_eq!(alone(&format!("[{wrong}]")).1, "\"cat.jpg\"");
    let both = format!("[{with}, {}]", person("\"image_id\": 5, "));
    assert_eq!(
        one_of_many(&both),
        pair("this file has several pictures, but it is one of several files", "5")
    );
    assert_eq!(alone("[]").0, "there are no frames in this file");
    assert_eq!(
        alone(&open_pose(&numbers(75))).0,
        "this file has only one frame: a motion needs at least two"
    );
}

#[test]
fn files_without_motion_are_reported() {
    let finish = |files: &[String], options: &KeypointOptions| {
        let mut reader = KeypointReader::new();
        for (number, file) in files.iter().enumerate() {
            reader.add_frame(number as u64, file.as_bytes()).expect("a frame");
        }
        reader.finish(options).map(|_| ()).expect_err("no motion").message
    };
    let empty = "{\"people\": []}".to_owned();
    let good = open_pose(&numbers(75));
    let options = KeypointOptions::default();
    assert_eq!(finish(&[], &options), "there are no people in the frames");
    assert_eq!(finish(&[empty.clone(), empty.clone()], &options), "there are no people in the frames");
    assert_eq!(
        finish(std::slice::from_ref(&good), &options),
        "there is only one frame: a motion needs at least two"
    );
    let second = KeypointOptions { person: 2, ..options };
    assert_eq!(
        finish(&[good.clone(), good.clone()], &second),
        "there is no person 2: only one is in the frames"
    );
    let shares: Vec<String> = (0..75).map(|n| format!("0.{}", n + 10)).collect();
    let shares = open_pose(&format!("[{}]", shares.join(",")));
    let message = "the coordinates are relative to the picture, and its size is not given";
    assert_eq!(finish(&[shares.clone(), shares.clone()], &options), message);
    assert!(finish(&[shares, good], &options).contains("all have to be pixels"));
}

#[test]
fn pictures_without_a_video_are_reported() {
    let entry = |id: u64| json!({ "image_id": id, "keypoints": vec![7.0; 51] });
    let mut reader = KeypointReader::new();
    reader.add_file(json!([entry(139), entry(581_781)]).to_string().as_bytes()).expect("two pictures");
    let error = reader.finish(&KeypointOptions::default()).map(|_| ()).expect_err("no video");
    assert_eq!(error.message, "the frames run from 139 to 581781, but only 2 exist");
}
