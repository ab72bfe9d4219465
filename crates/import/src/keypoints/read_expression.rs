//! Reads the points of hands and face beside those of a body, as OpenPose and MediaPipe write them, and
//! MediaPipe's blend shapes.

use super::expression::{ExpressionPoints, FACES, HAND, Points};
use super::points::{is_points, landmarks, seen};
use crate::ImportError;
use crate::json::{Json, JsonKind, Object};

/// Names of the points of the left and of the right hand.
const HAND_FIELDS: [[&str; 4]; 2] = [
    ["hand_left_keypoints_2d", "hand_left_keypoints", "left_hand_landmarks", "leftHandLandmarks"],
    ["hand_right_keypoints_2d", "hand_right_keypoints", "right_hand_landmarks", "rightHandLandmarks"],
];
/// Names of the points of a face.
const FACE_FIELDS: [&str; 4] = ["face_keypoints_2d", "face_keypoints", "face_landmarks", "faceLandmarks"];
/// Names of blend shapes.
const SHAPE_FIELDS: [&str; 2] = ["face_blendshapes", "faceBlendshapes"];

/// What an object has of hands and face of the person with this index; `None` if it has nothing.
pub(super) fn expression(
    object: &Object<'_>,
    person: usize,
) -> Result<Option<Box<ExpressionPoints>>, ImportError> {
    let mut found = ExpressionPoints::default();
    for (hand, fields) in found.hands.iter_mut().zip(&HAND_FIELDS) {
        if let Some(json) = object.any(fields) {
            *hand = points(json, object.any(&fields[..2]).is_some(), person, "a hand", &[HAND])?;
        }
    }
    if let Some(json) = object.any(&FACE_FIELDS) {
        found.face = points(json, object.any(&FACE_FIELDS[..2]).is_some(), person, "a face", &FACES)?;
    }
    if let Some(json) = object.any(&SHAPE_FIELDS) {
        found.shapes = shapes(json, person)?;
    }
    Ok((!found.is_empty()).then(|| Box::new(found)))
}

/// The points of a hand or a face; `None` if none was detected. `sure`: the third number of a point is its
/// confidence, not its depth.
fn points(
    json: Json<'_>,
    sure: bool,
    person: usize,
    what: &str,
    counts: &[usize],
) -> Result<Option<Points>, ImportError> {
    let json = landmarks(json)?;
    let entries = json.list_of(&format!("the points of {what} are a list"))?;
    let Some(first) = entries.iter().find(|entry| entry.kind() != JsonKind::Null) else { return Ok(None) };
    let counted = |count: usize, unit: &str| {
        let known: Vec<String> = counts.iter().map(usize::to_string).collect();
        let message = format!("{count} {unit} are not {what}: it has {} points", known.join(" or "));
        ImportError::at(json.start(), message).help("OpenPose writes x, y and confidence of each point")
    };
    let confidence = |third: Option<f64>| third.filter(|_| sure).unwrap_or(1.0);
    let points: Points = match first.kind() {
        JsonKind::Number => {
            let numbers = json.numbers()?;
            if !numbers.len().is_multiple_of(3) || !counts.contains(&(numbers.len() / 3)) {
                return Err(counted(numbers.len(), "numbers"));
            }
            numbers.chunks_exact(3).map(|at| seen(Some([at[0], at[1], confidence(Some(at[2]))]))).collect()
        }
        // One list of points for each person.
        JsonKind::List if !is_points(json)? || first.list().len() > 4 => {
            return match entries.get(person) {
                Some(entry) if entry.kind() == JsonKind::List && is_points(*entry)? => {
                    points(*entry, sure, 0, what, counts)
                }
                Some(entry) if entry.kind() == JsonKind::List && !entry.list().is_empty() => {
                    let message = format!("the points of {what} belong here");
                    Err(ImportError::at(entry.start(), message))
                }
                _ => Ok(None),
            };
        }
        _ => entries.iter().map(|entry| point(*entry, confidence)).collect::<Result<_, _>>()?,
    };
    if !counts.contains(&points.len()) {
        return Err(counted(points.len(), "points"));
    }
    Ok(points.iter().any(Option::is_some).then_some(points))
}

/// One point: `[x, y, …]` or `{x, y}`. MediaPipe writes a visibility of 0 for points of hands and faces, which
/// has no meaning.
fn point(json: Json<'_>, confidence: impl Fn(Option<f64>) -> f64) -> Result<Option<[f64; 3]>, ImportError> {
    match json.kind() {
        JsonKind::Null => Ok(None),
        JsonKind::List => match json.numbers()?[..] {
            [x, y, ref rest @ ..] if rest.len() < 3 => {
                Ok(seen(Some([x, y, confidence(rest.first().copied())])))
            }
            _ => Err(ImportError::at(json.start(), "a point is x and y, and z or a confidence")),
        },
        JsonKind::Object => {
            let object = json.object()?;
            let number = |name: &str| match object.get(name) {
                Some(number) => number.number(),
                None => Err(ImportError::at(json.start(), format!("this point has no \"{name}\""))),
            };
            Ok(seen(Some([number("x")?, number("y")?, 1.0])))
        }
        _ => Err(json.mismatch("a point belongs here")),
    }
}

/// The names and scores of blend shapes: a list of categories, or of results with categories for each face.
fn shapes(json: Json<'_>, person: usize) -> Result<Vec<(String, f64)>, ImportError> {
    let categories = |json: Json<'_>| -> Result<Option<Vec<(String, f64)>>, ImportError> {
        match json.kind() {
            JsonKind::Object => {
                let object = json.object()?;
                object.get("categories").map(|list| list.list().into_iter().map(shape).collect()).transpose()
            }
            _ => Ok(None),
        }
    };
    match json.kind() {
        JsonKind::Object => Ok(categories(json)?.unwrap_or_default()),
        JsonKind::List => {
            let entries = json.list();
            let is_result = |entry: &Json<'_>| {
                Ok::<_, ImportError>(entry.kind() == JsonKind::Object && entry.object()?.has("categories"))
            };
            match entries.first() {
                None => Ok(Vec::new()),
                Some(first) if is_result(first)? => match entries.get(person) {
                    Some(entry) => Ok(categories(*entry)?.unwrap_or_default()),
                    None => Ok(Vec::new()),
                },
                Some(_) => entries.into_iter().map(shape).collect(),
            }
        }
        _ => Err(json.mismatch("blend shapes are a list")),
    }
}

/// The name and the score of a blend shape.
fn shape(json: Json<'_>) -> Result<(String, f64), ImportError> {
    let wrong = || {
        ImportError::at(json.start(), "a blend shape has a name and a score")
            .help("MediaPipe writes {\"categoryName\": \"jawOpen\", \"score\": 0.4}")
    };
    if json.kind() != JsonKind::Object {
        return Err(wrong());
    }
    let object = json.object()?;
    let name = object.any(&["categoryName", "category_name"]).and_then(Json::text_value).ok_or_else(wrong)?;
    let score = object.get("score").ok_or_else(wrong)?.number()?;
    Ok((name.into_owned(), score))
}
