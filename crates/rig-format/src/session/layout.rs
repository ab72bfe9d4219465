//! New values as text in the style of their file: on one line where they fit, else an entry a line.

use super::value::DocValue;
use crate::edit::text::Style;
use crate::write::quoted;

/// Lines are no longer than this, unless one value is.
pub(super) const WIDTH: usize = 110;

/// Writes a value whose line has this indentation, behind so many columns. `flat`: all on one line.
pub(super) fn layout(value: &DocValue, style: &Style, indent: &str, used: usize, flat: bool) -> String {
    let mut line = String::new();
    value.flat(&mut line);
    // A comma follows.
    if flat || value.len() == 0 || used + columns(&line) < WIDTH && !has_table(value) {
        return line;
    }
    let deeper = format!("{indent}{}", style.unit);
    let mut out = String::from(value.kind().unwrap_or_default());
    let (open, close) = match value {
        DocValue::List(_) => ('[', ']'),
        DocValue::Map(_) => ('{', '}'),
        _ => ('(', ')'),
    };
    out.push(open);
    // The columns of the line that is being filled with short entries.
    let mut filled: Option<usize> = None;
    for at in 0..value.len() {
        let (label, child) = entry(value, at);
        let mut short = String::new();
        child.flat(&mut short);
        let shares = match value {
            DocValue::Map(_) => false,
            DocValue::List(_) | DocValue::Tuple(..) => columns(&short) < WIDTH / 3,
            _ => child.len() == 0,
        };
        let length = columns(&label) + columns(&short) + 1;
        match filled {
            Some(columns) if shares && columns + 1 + length <= WIDTH => {
                out.push(' ');
                filled = Some(columns + 1 + length);
            }
            _ => {
                out.push_str(style.newline);
                out.push_str(&deeper);
                filled = shares.then(|| columns(&deeper) + length);
            }
        }
        out.push_str(&label);
        out.push_str(&layout(child, style, &deeper, columns(&deeper) + columns(&label), false));
        out.push(',');
    }
    out.push_str(style.newline);
    out.push_str(indent);
    out.push(close);
    out
}

/// Whether a map of records with brackets in them is in a value: its entries get a line each, as people write
/// bones and their channels.
pub(super) fn has_table(value: &DocValue) -> bool {
    let children =
        |value: &DocValue| (0..value.len()).filter_map(|at| value.child(at).cloned()).collect::<Vec<_>>();
    let is_record = |value: &DocValue| {
        matches!(value, DocValue::Fields(..)) && children(value).iter().any(|field| field.len() > 0)
    };
    matches!(value, DocValue::Map(_)) && children(value).iter().any(is_record)
        || children(value).iter().any(has_table)
}

/// What stands before a value in its container, and the value.
pub(super) fn entry(container: &DocValue, at: usize) -> (String, &DocValue) {
    const NOTHING: &DocValue = &DocValue::None;
    match container {
        DocValue::Fields(_, fields) => {
            fields.get(at).map_or((String::new(), NOTHING), |(name, value)| (format!("{name}: "), value))
        }
        DocValue::Map(entries) => entries
            .get(at)
            .map_or((String::new(), NOTHING), |(key, value)| (format!("{}: ", key_text(key)), value)),
        other => (String::new(), other.child(at).unwrap_or(NOTHING)),
    }
}

/// A key of a map as it is written.
pub(super) fn key_text(key: &DocValue) -> String {
    match key {
        DocValue::Text(text) => quoted(text),
        other => other.to_string(),
    }
}

pub(super) fn columns(text: &str) -> usize {
    text.chars().count()
}
