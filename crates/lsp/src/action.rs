//! What an editor offers to correct findings: the fixes that they bring along.

use std::ops::Range;
use std::path::Path;

use serde_json::{Value, json};

use crate::buffer::LineText;
use crate::view::RigView;

/// The fixes of the findings that touch a range of a text. Findings of an older text have none.
pub(crate) fn actions(
    views: &[RigView],
    (path, uri): (&Path, &str),
    lines: &LineText,
    range: Range<usize>,
) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for (view, found) in views.iter().flat_map(|view| view.diagnostics.iter().map(move |found| (view, found)))
    {
        let (Some(place), Some((fix, text))) = (found.place, &found.fix) else { continue };
        let touches = place.span.start as usize <= range.end && range.start <= place.span.end as usize;
        let is_current = view.path(fix.source) == path && view.sources.text(fix.source) == lines.text();
        if !touches || !is_current || place.source != fix.source {
            continue;
        }
        let old = lines.text().get(fix.span.range()).unwrap_or_default();
        let title = match (old, text.as_str()) {
            ("", new) => format!("Insert `{new}`"),
            (old, "") => format!("Remove `{old}`"),
            (_, new) => format!("Change to `{new}`"),
        };
        let edit = json!({ "range": lines.range(fix.span.range()), "newText": text });
        let action = json!({
            "title": title,
            "kind": "quickfix",
            "isPreferred": true,
            "edit": { "changes": { uri: [edit] } },
        });
        if !all.contains(&action) {
            all.push(action);
        }
    }
    all
}
