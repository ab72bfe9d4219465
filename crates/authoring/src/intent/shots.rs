//! Shots: clips one after the other.

use bone_format::session::{DocPath, DocValue, Edit, PathStep, Session};

use super::{request, texts};
use crate::error::AuthoringError;

/// The numbers of a part, in the order in which they are written.
const NUMBERS: [&str; 5] = ["repeat", "from", "speed", "length", "fade"];

pub(super) fn add(session: &Session, name: &str, clips: &[String]) -> Result<Vec<Edit>, AuthoringError> {
    if clips.is_empty() {
        return Err(request("a shot plays at least one clip"));
    }
    for section in ["clips", "shots"] {
        if session.get(&DocPath::from([section, name])).is_ok() {
            return Err(request(format!("\"{name}\" is there already")));
        }
    }
    let play = ("play", texts(clips.iter().map(String::as_str)));
    let value = DocValue::fields(None, [play]);
    Ok(vec![Edit::Add { into: DocPath::from(["shots"]), name: name.to_owned(), value }])
}

/// A part that is only a name becomes a record with the number, and one without numbers a name.
pub(super) fn set(
    session: &Session,
    at: &DocPath,
    field: &str,
    value: Option<f64>,
) -> Result<Vec<Edit>, AuthoringError> {
    if !NUMBERS.contains(&field) {
        return Err(request(format!("a part of a shot has no number `{field}`")));
    }
    let own = session.get(at)?;
    let is_of_shot = matches!(at.steps.first(), Some(PathStep::Name(section)) if section == "shots");
    if !is_of_shot || own.as_text().is_none() && own.field("clip").is_none() {
        return Err(request(format!("{at} is no part of a shot that names a clip")));
    }
    let at = at.clone();
    Ok(vec![match (value, own.as_text()) {
        (Some(value), Some(clip)) => {
            let clip = ("clip", DocValue::Text(clip.clone()));
            Edit::set(at, DocValue::fields(None, [clip, (field, value.into())]))
        }
        (Some(value), None) => Edit::set(at.name(field), value),
        (None, None) if own.field(field).is_some() => {
            let others = NUMBERS.iter().chain(&["spin"]).filter(|other| **other != field);
            match (others.clone().any(|other| own.field(other).is_some()), own.field("clip")) {
                (false, Some(clip)) => Edit::set(at, clip.clone()),
                _ => Edit::Remove { at: at.name(field) },
            }
        }
        (None, _) => return Ok(Vec::new()),
    }])
}
