//! Findings as the protocol has them, each for the file that it is in.

use std::path::Path;

use bone_format::Diagnostic;
use bone_format::diagnostic::Severity;
use serde_json::{Value, json};

use crate::buffer::LineText;
use crate::uri::uri_of;
use crate::view::RigView;

/// The findings of some rigs in one file.
pub(crate) fn findings_in(
    views: &[RigView],
    path: &Path,
    lines_of: &dyn Fn(&Path, &str) -> LineText,
) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for view in views {
        for found in &view.diagnostics {
            let here = match found.place {
                Some(place) => view.path(place.source) == path,
                None => view.files.first().is_some_and(|root| root == path),
            };
            if here {
                let value = finding(view, found, path, lines_of);
                if !all.contains(&value) {
                    all.push(value);
                }
            }
        }
    }
    all
}

fn finding(
    view: &RigView,
    found: &Diagnostic,
    path: &Path,
    lines_of: &dyn Fn(&Path, &str) -> LineText,
) -> Value {
    // Without a place it is shown at the first line.
    let range =
        found.place.map(|place| lines_of(path, view.sources.text(place.source)).range(place.span.range()));
    let first = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } });
    let message = std::iter::once(&found.message).chain(&found.help).map(String::as_str).collect::<Vec<_>>();
    let related = found.related.iter().map(|(place, why)| {
        let (path, text) = (view.path(place.source), view.sources.text(place.source));
        let range = lines_of(&path, text).range(place.span.range());
        json!({ "location": { "uri": uri_of(&path), "range": range }, "message": why })
    });
    json!({
        "range": range.unwrap_or(first),
        "severity": if found.severity == Severity::Error { 1 } else { 2 },
        "code": found.code.name(),
        "source": "bone-layer",
        "message": message.join("\n"),
        "relatedInformation": related.collect::<Vec<_>>(),
    })
}
