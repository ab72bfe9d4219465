//! Lists of points in the files of estimators.

use crate::ImportError;
use crate::json::{Json, JsonKind};

/// Whether a list contains the points of one person: numbers, short lists of numbers, or objects with an x.
pub(super) fn is_points(list: Json<'_>) -> Result<bool, ImportError> {
    let Some(first) = list.list().into_iter().find(|entry| entry.kind() != JsonKind::Null) else {
        return Ok(false);
    };
    Ok(match first.kind() {
        JsonKind::Number => true,
        JsonKind::Object => first.object()?.has("x"),
        JsonKind::List => {
            let inner = first.list();
            inner.len() <= 4 && inner.first().is_some_and(|number| number.kind() == JsonKind::Number)
        }
        _ => false,
    })
}

/// A point that was not detected is 0, 0, 0; some programs omit one of the zeros.
pub(super) fn seen(point: Option<[f64; 3]>) -> Option<[f64; 3]> {
    point
        .filter(|&[x, y, confidence]| confidence > 0.0 && (x != 0.0 || y != 0.0))
        .map(|[x, y, confidence]| [x, y, confidence.min(1.0)])
}

/// The list of points: MediaPipe's own messages have it one level deeper.
pub(super) fn landmarks(json: Json<'_>) -> Result<Json<'_>, ImportError> {
    // Other types have no entries.
    Ok(json.object()?.get("landmark").unwrap_or(json))
}
