//! Reads a file of keypoints: frames, their people, and the points in the order of the file. The forms that
//! OpenPose, COCO tools and MediaPipe users write are accepted; ambiguous ones are errors.

use std::ops::Range;

use super::expression::ExpressionPoints;
use super::layout::KeypointLayout;
use super::points::{is_points, landmarks, seen};
use super::read_expression::expression;
use super::series::last_number;
use crate::json::{Json, JsonKind, MAX_LIST_LENGTH, Object};
use crate::text::place;
use crate::{ImportError, error};

/// A person as in the file: x, y and confidence of each detected point.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Person {
    pub(super) layout: KeypointLayout,
    pub(super) points: Vec<Option<[f64; 3]>>,
    /// The first byte of the person in the file.
    pub(super) span: Range<usize>,
    /// The points of hands and face, if there are any.
    pub(super) expression: Option<Box<ExpressionPoints>>,
}

/// The content of a file.
pub(super) enum FileContent {
    /// The people of one frame.
    Frame(Vec<Person>),
    /// Frames with their numbers; a number may occur again, with more people. With the layout that the file names.
    Frames(Vec<(u64, Vec<Person>)>, Option<KeypointLayout>),
}

/// Names of the list of points in a person.
const POINT_FIELDS: [&str; 7] = [
    "pose_keypoints_2d",
    "pose_keypoints",
    "keypoints",
    "pose_landmarks",
    "poseLandmarks",
    "landmarks",
    "landmark",
];
/// Names of a separate list of confidences.
const SCORE_FIELDS: [&str; 2] = ["keypoint_scores", "keypoints_scores"];
/// Names of the list of people in a frame.
const PEOPLE_FIELDS: [&str; 5] = ["people", "persons", "instances", "poses", "detections"];
/// Names of the list of frames in a file.
const FRAME_FIELDS: [&str; 2] = ["frames", "instance_info"];
/// Names of the number of a frame.
const FRAME_NUMBER_FIELDS: [&str; 5] = ["frame", "frame_id", "frame_number", "frame_index", "image_id"];
/// Names of points in space, which have no positions in the picture.
const SPACE_FIELDS: [&str; 4] =
    ["pose_keypoints_3d", "pose_world_landmarks", "poseWorldLandmarks", "worldLandmarks"];

/// The numbers in front of the points of a line that YOLO writes: the class and the box.
const YOLO_BOX: usize = 5;

/// The people of a text file that YOLO writes for a frame: a line each, with the class, the box and the points
/// of COCO, relative to the picture; a confidence and the number of a track may follow. `None` if the file is
/// not of this kind.
pub(super) fn yolo(bytes: &[u8]) -> Option<Result<Vec<Person>, ImportError>> {
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace())?;
    if !first.is_ascii_digit() {
        return None;
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Some(Err(ImportError::new(
            "the file is not text: its lines have bytes that are no characters",
        )));
    };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let people: Result<Vec<Person>, ImportError> = lines.map(|line| yolo_line(text, line)).collect();
    let seen = |one: &Person| one.points.iter().any(Option::is_some);
    Some(people.map(|people| people.into_iter().filter(seen).collect()))
}

fn yolo_line(text: &str, line: &str) -> Result<Person, ImportError> {
    let number = |word| error::number(word, &place(text, word), 1e9, "a number");
    let numbers: Vec<f64> = line.split_whitespace().map(number).collect::<Result<_, _>>()?;
    let start = place(text, line).start;
    let points = KeypointLayout::Coco17.points();
    let width = [3, 2]
        .into_iter()
        .find(|width| (YOLO_BOX + width * points..=YOLO_BOX + width * points + 2).contains(&numbers.len()));
    let span = start..start + line.trim_end().len().min(20);
    let Some(width) = width else {
        let message = format!("{} numbers are not a person that YOLO writes", numbers.len());
        return Err(ImportError::at(span, message)
            .help("a line has 56 numbers: a class, a box of four, and x, y and confidence of 17 points"));
    };
    let point = |at: &[f64]| seen(Some([at[0], at[1], at.get(2).copied().unwrap_or(1.0)]));
    let found = numbers[YOLO_BOX..YOLO_BOX + width * points].chunks_exact(width).map(point).collect();
    Ok(Person { layout: KeypointLayout::Coco17, points: found, span, expression: None })
}

/// Reads a file. `alone`: it is not one of many, so a list in it is a list of frames, not of people.
pub(super) fn file(bytes: &[u8], alone: bool) -> Result<FileContent, ImportError> {
    let json = Json::read(bytes)?;
    match json.kind() {
        JsonKind::Object => {
            let object = json.object()?;
            let list = object.get("annotations").or_else(|| object.any(&FRAME_FIELDS));
            match list {
                Some(list) => Ok(FileContent::Frames(frames(list)?, named_layout(&object)?)),
                None => Ok(FileContent::Frame(frame(json)?)),
            }
        }
        JsonKind::List if alone && !is_points(json)? => Ok(FileContent::Frames(frames(json)?, None)),
        JsonKind::List => {
            one_picture(json)?;
            Ok(FileContent::Frame(frame(json)?))
        }
        _ => Err(json.mismatch("keypoints are an object or a list")),
    }
}

/// Checks that a file of a folder has entries of one picture only.
fn one_picture(list: Json<'_>) -> Result<(), ImportError> {
    let mut first = None;
    for entry in list.list() {
        let Some(picture) = entry.object()?.get("image_id") else { continue };
        let number = picture_number(picture)?;
        if *first.get_or_insert(number) != number {
            let message = "this file has several pictures, but it is one of several files";
            return Err(ImportError::at(picture.span(), message).help("pass this file, not its folder"));
        }
    }
    Ok(())
}

/// The layout that a file names: MMPose's the data set or the names of its points, COCO's those of its categories.
fn named_layout(object: &Object<'_>) -> Result<Option<KeypointLayout>, ImportError> {
    let mut names: Vec<String> = Vec::new();
    if let Some(meta) = object.get("meta_info") {
        let meta = meta.object()?;
        let set = meta.get("dataset_name").and_then(Json::text_value);
        if let Some(layout) = set.and_then(|set| KeypointLayout::by_word(&set)) {
            return Ok(Some(layout));
        }
        if let Some(list) = meta.get("keypoint_id2name") {
            let list = list.object()?;
            let mut numbered: Vec<(u32, String)> = list
                .entries()
                .filter_map(|(number, name)| Some((number.parse().ok()?, name.text_value()?.into_owned())))
                .collect();
            numbered.sort_unstable();
            names = numbered.into_iter().map(|(_, name)| name).collect();
        }
    } else if let Some(first) = object.get("categories").and_then(|all| all.list().into_iter().next()) {
        let points = first.object()?.get("keypoints").map(Json::list).unwrap_or_default();
        names = points.into_iter().filter_map(|name| Some(name.text_value()?.into_owned())).collect();
    }
    Ok(KeypointLayout::named(&names.iter().map(String::as_str).collect::<Vec<_>>()))
}

fn frames(list: Json<'_>) -> Result<Vec<(u64, Vec<Person>)>, ImportError> {
    let entries = list.list_of("a list of frames belongs here")?;
    if entries.len() > MAX_LIST_LENGTH {
        fail!(list.start(), "more than {MAX_LIST_LENGTH} frames in one list cannot be read");
    }
    let mut found = Vec::with_capacity(entries.len());
    let mut numbered: Option<bool> = None;
    for (place, entry) in entries.into_iter().enumerate() {
        let number = match entry.object()?.any(&FRAME_NUMBER_FIELDS) {
            Some(number) => Some(picture_number(number)?),
            None => None,
        };
        if *numbered.get_or_insert(number.is_some()) != number.is_some() {
            let message = "some frames have a number and some have none";
            return Err(ImportError::at(entry.start(), message).label(match number {
                Some(_) => "this is the first with a number",
                None => "this is the first without one",
            }));
        }
        found.push((number.unwrap_or(place as u64), frame(entry)?));
    }
    Ok(found)
}

/// The number of a frame: a whole number, or the name of a picture with a number.
fn picture_number(json: Json<'_>) -> Result<u64, ImportError> {
    if let Some(text_value) = json.text_value() {
        let number = last_number(&text_value).filter(|&number| number <= u64::from(u32::MAX));
        return number.ok_or_else(|| ImportError::at(json.span(), "this name contains no frame number"));
    }
    let number = json.number()?;
    if number < 0.0 || number.fract() != 0.0 {
        fail!(json.span(), "the number of a frame is a whole one, from 0 on");
    }
    Ok(number as u64)
}

/// The people in a frame, in any of the accepted forms.
fn frame(json: Json<'_>) -> Result<Vec<Person>, ImportError> {
    match json.kind() {
        JsonKind::Null => Ok(Vec::new()),
        JsonKind::List if is_points(json)? => Ok(person(json)?.into_iter().collect()),
        JsonKind::List => people(json),
        JsonKind::Object => {
            let object = json.object()?;
            if let Some(list) = object.any(&PEOPLE_FIELDS) {
                return people(list);
            }
            match object.any(&POINT_FIELDS) {
                Some(list) if list.kind() == JsonKind::List && !is_points(list)? => people_of(list, &object),
                Some(_) => Ok(person(json)?.into_iter().collect()),
                None if POINT_FIELDS.iter().chain(&PEOPLE_FIELDS).any(|name| object.has(name)) => {
                    Ok(Vec::new())
                }
                None => Err(no_people(json, &object)),
            }
        }
        _ => Err(json.mismatch("people belong here")),
    }
}

/// The people of a list, with hands and faces that are in lists beside it.
fn people_of(list: Json<'_>, object: &Object<'_>) -> Result<Vec<Person>, ImportError> {
    let mut found = Vec::new();
    for (at, entry) in list.list().into_iter().enumerate() {
        if let Some(person) = person(entry)? {
            found.push(Person { expression: expression(object, at)?, ..person });
        }
    }
    Ok(found)
}

fn people(list: Json<'_>) -> Result<Vec<Person>, ImportError> {
    let entries = list.list_of("a list of people belongs here")?;
    entries.into_iter().filter_map(|entry| person(entry).transpose()).collect()
}

fn no_people(json: Json<'_>, object: &Object<'_>) -> ImportError {
    if object.any(&SPACE_FIELDS).is_some() {
        return ImportError::at(json.start(), "these points are in space, not in a picture").help(
            "have the estimator write the points in the picture too (\"pose_keypoints_2d\", \"landmarks\")",
        );
    }
    let names = object.names();
    let here = if names.is_empty() { "nothing".to_owned() } else { names };
    ImportError::at(json.start(), format!("there are no keypoints in this object; it has {here}"))
        .help("OpenPose writes \"people\" with \"pose_keypoints_2d\", COCO tools \"keypoints\", MediaPipe \"landmarks\"")
}

/// A person; `None` if none of its points was detected.
fn person(json: Json<'_>) -> Result<Option<Person>, ImportError> {
    let (list, scores, expression) = match json.kind() {
        JsonKind::Null => return Ok(None),
        JsonKind::List => (json, None, None),
        JsonKind::Object => {
            let object = json.object()?;
            match object.any(&POINT_FIELDS) {
                Some(list) => (list, object.any(&SCORE_FIELDS), expression(&object, 0)?),
                None if POINT_FIELDS.iter().any(|name| object.has(name)) => return Ok(None),
                None => return Err(no_people(json, &object)),
            }
        }
        _ => return Err(json.mismatch("a person belongs here")),
    };
    if list.kind() == JsonKind::Object && list.object()?.has("y") {
        return columns(list);
    }
    let list = landmarks(list)?;
    let entries = list.list_of("a list of points belongs here")?;
    let scores = scores.map(Json::numbers).transpose()?;
    let Some(first) = entries.iter().find(|entry| entry.kind() != JsonKind::Null) else { return Ok(None) };
    let points = match first.kind() {
        JsonKind::Number => points_from_numbers(list, scores.as_deref())?,
        JsonKind::List | JsonKind::Object => {
            let layout = KeypointLayout::of(entries.len())
                .ok_or_else(|| wrong_count(list, entries.len(), "points"))?;
            let point = |(at, &entry): (usize, &Json<'_>)| {
                let score = scores.as_ref().map(|scores| scores.get(at).copied().unwrap_or(0.0));
                point(entry, score, layout)
            };
            entries.iter().enumerate().map(point).collect::<Result<Vec<_>, ImportError>>()?
        }
        _ => return Err(first.mismatch("a point belongs here")),
    };
    let layout = KeypointLayout::of(points.len()).ok_or_else(|| wrong_count(list, points.len(), "points"))?;
    if let Some(scores) = &scores
        && scores.len() != points.len()
    {
        fail!(list.start(), "there are {} points, but {} scores beside them", points.len(), scores.len());
    }
    let points: Vec<Option<[f64; 3]>> = points.into_iter().map(seen).collect();
    let detected = points.iter().any(Option::is_some);
    let expression = expression.or_else(|| ExpressionPoints::of_whole_body(layout, &points));
    Ok(detected.then(|| Person { layout, points, span: list.start(), expression }))
}

/// A person with a list of x, one of y, and one of confidences, as YOLO writes JSON.
fn columns(json: Json<'_>) -> Result<Option<Person>, ImportError> {
    let object = json.object()?;
    let column = |name: &str| {
        let Some(list) = object.get(name) else {
            fail!(json.start(), "there are no \"{name}\" of these points")
        };
        list.list_of("a list of numbers belongs here")?;
        list.numbers()
    };
    let (x, y) = (column("x")?, column("y")?);
    let confidence = match ["visible", "confidence", "conf"].into_iter().find(|name| object.has(name)) {
        Some(name) => column(name)?,
        None => vec![1.0; x.len()],
    };
    if x.len() != y.len() || x.len() != confidence.len() {
        fail!(json.start(), "there are {} x, {} y and {} confidences", x.len(), y.len(), confidence.len());
    }
    let layout = KeypointLayout::of(x.len()).ok_or_else(|| wrong_count(json, x.len(), "points"))?;
    let points: Vec<Option<[f64; 3]>> =
        (0..x.len()).map(|at| seen(Some([x[at], y[at], confidence[at]]))).collect();
    let detected = points.iter().any(Option::is_some);
    Ok(detected.then(|| Person { layout, points, span: json.start(), expression: None }))
}

/// The points of a list of numbers.
fn points_from_numbers(list: Json<'_>, scores: Option<&[f64]>) -> Result<Vec<Option<[f64; 3]>>, ImportError> {
    let numbers = list.numbers()?;
    let count = numbers.len();
    if let Some(scores) = scores {
        if count != 2 * scores.len() {
            return Err(wrong_count(list, count, "numbers"));
        }
        return Ok(numbers
            .chunks_exact(2)
            .zip(scores)
            .map(|(at, &confidence)| Some([at[0], at[1], confidence]))
            .collect());
    }
    if count == 4 * KeypointLayout::MediaPipe33.points() {
        return Ok(numbers.chunks_exact(4).map(|at| Some([at[0], at[1], at[3]])).collect());
    }
    if count == 3 * KeypointLayout::MediaPipe33.points() {
        return Err(no_telling(list));
    }
    if count % 3 != 0 || KeypointLayout::of(count / 3).is_none() {
        return Err(wrong_count(list, count, "numbers"));
    }
    Ok(numbers.chunks_exact(3).map(|at| Some([at[0], at[1], at[2]])).collect())
}

/// One point: `[x, y]`, `[x, y, confidence]`, `[x, y, z, visibility]` or `{x, y, score}`; null is a point
/// that was not detected.
fn point(
    json: Json<'_>,
    score: Option<f64>,
    layout: KeypointLayout,
) -> Result<Option<[f64; 3]>, ImportError> {
    match json.kind() {
        JsonKind::Null => Ok(None),
        JsonKind::List => {
            let numbers = json.numbers()?;
            match (numbers[..].len(), score, layout) {
                (2.., Some(confidence), _) => Ok(Some([numbers[0], numbers[1], confidence])),
                (2, None, _) => Ok(Some([numbers[0], numbers[1], 1.0])),
                (3, None, KeypointLayout::MediaPipe33) => Err(no_telling(json)),
                (3, None, _) => Ok(Some([numbers[0], numbers[1], numbers[2]])),
                (4, None, KeypointLayout::MediaPipe33) => Ok(Some([numbers[0], numbers[1], numbers[3]])),
                (count, ..) => {
                    let message = format!("a point is x, y and confidence, not {count} numbers");
                    Err(ImportError::at(json.start(), message))
                }
            }
        }
        JsonKind::Object => {
            let object = json.object()?;
            let number = |name: &str| {
                object
                    .get(name)
                    .ok_or_else(|| ImportError::at(json.start(), format!("this point has no \"{name}\"")))?
                    .number()
            };
            let confidence = match object.any(&["visibility", "score", "confidence"]) {
                Some(confidence) => confidence.number()?,
                None => score.unwrap_or(1.0),
            };
            Ok(Some([number("x")?, number("y")?, confidence]))
        }
        _ => Err(json.mismatch("a point belongs here")),
    }
}

fn no_telling(at: Json<'_>) -> ImportError {
    ImportError::at(at.start(), "three numbers of a MediaPipe landmark can be x, y, z or x, y, visibility")
        .help(
            "write four (x, y, z, visibility), or objects like {\"x\": 0.5, \"y\": 0.2, \"visibility\": 0.9}",
        )
}

fn wrong_count(list: Json<'_>, count: usize, what: &str) -> ImportError {
    let help = if what == "numbers" {
        "COCO has 51 numbers (x, y and confidence of 17 points), OpenPose 54 or 75, MediaPipe 132 (x, y, z, visibility of 33)"
    } else {
        "COCO has 17 points, OpenPose 18 or 25 (BODY_25), MediaPipe 33"
    };
    ImportError::at(list.start(), format!("{count} {what} are not a person of a known layout")).help(help)
}
