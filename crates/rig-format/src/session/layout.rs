//! New values as text in the style of their file: on one line where they fit, else an entry a line.

use std::sync::Arc;

use super::text::Style;
use super::value::DocValue;
use crate::doc::VertexPart;
use crate::text::Syntax;

/// Lines are no longer than this, unless one value is.
pub(super) const WIDTH: usize = 110;

/// How new values are written.
pub(super) struct Form {
    pub(super) style: Style,
    pub(super) syntax: Syntax,
}

impl Form {
    /// A value as its notation has it.
    pub(super) fn shaped(&self, value: &DocValue) -> DocValue {
        match self.syntax {
            Syntax::Ron => value.clone(),
            Syntax::Json => value.as_json(),
        }
    }

    /// A value on one line.
    pub(super) fn line(&self, value: &DocValue) -> String {
        let mut out = String::new();
        self.shaped(value).flat(self.syntax, &mut out);
        out
    }

    /// The name of a field or a variant.
    pub(super) fn name(&self, name: &str) -> String {
        match self.syntax {
            Syntax::Ron => name.to_owned(),
            Syntax::Json => self.line(&DocValue::text(name)),
        }
    }

    /// A key of a map.
    pub(super) fn key(&self, key: &DocValue) -> String {
        match (self.syntax, key) {
            (Syntax::Json, DocValue::Number(_)) => self.name(&key.to_string()),
            _ => self.line(key),
        }
    }

    /// What is before a value in its container, and the value.
    pub(super) fn entry<'v>(&self, container: &'v DocValue, at: usize) -> (String, &'v DocValue) {
        const NOTHING: &DocValue = &DocValue::None;
        let label = match container {
            DocValue::Fields(_, fields) => fields.get(at).map(|(name, _)| self.name(name)),
            DocValue::Map(entries) => entries.get(at).map(|(key, _)| self.key(key)),
            _ => None,
        };
        let label = label.map_or(String::new(), |label| format!("{label}: "));
        (label, container.child(at).unwrap_or(NOTHING))
    }

    /// Writes a value whose line has this indentation, behind so many columns. `flat`: all on one line.
    pub(super) fn layout(&self, value: &DocValue, indent: &str, used: usize, flat: bool) -> String {
        layout(&self.shaped(value), self, indent, used, flat)
    }
}

fn layout(value: &DocValue, form: &Form, indent: &str, used: usize, flat: bool) -> String {
    let (style, syntax) = (&form.style, form.syntax);
    let mut line = String::new();
    value.flat(syntax, &mut line);
    // A comma follows.
    if flat || value.len() == 0 || used + columns(&line) < WIDTH && !has_table(value) {
        return line;
    }
    let mut out = String::from(value.kind().unwrap_or_default());
    if let DocValue::Fields(_, fields) = value
        && fields.iter().any(|(_, field)| is_rows(field))
    {
        // Of a binding, only the rows are on lines of their own.
        let field = |(name, field): &(Arc<str>, DocValue)| {
            format!("{name}: {}", layout(field, form, indent, WIDTH, !is_rows(field)))
        };
        let fields: Vec<String> = fields.iter().map(field).collect();
        return format!("{out}({})", fields.join(", "));
    }
    let deeper = format!("{indent}{}", style.unit);
    let (open, close) = match value {
        DocValue::List(_) => ('[', ']'),
        DocValue::Map(_) => ('{', '}'),
        _ => ('(', ')'),
    };
    out.push(open);
    // The columns of the line that is being filled with short entries, and of which kind those are.
    let mut filled: Option<(usize, u32)> = None;
    for at in 0..value.len() {
        let (label, child) = form.entry(value, at);
        let mut short = String::new();
        child.flat(syntax, &mut short);
        let shares = match value {
            DocValue::Map(entries) => entries.get(at).and_then(|(key, row)| line_of_row(key, row)),
            // Bindings and rules have lines of their own, as people write them.
            DocValue::List(_) if matches!(child, DocValue::Fields(Some(_), _)) => None,
            DocValue::List(_) | DocValue::Tuple(..) => (columns(&short) < WIDTH / 3).then_some(ANY),
            _ => (child.len() == 0).then_some(ANY),
        };
        let length = columns(&label) + columns(&short) + 1;
        match filled {
            Some((columns, kind)) if shares == Some(kind) && columns + 1 + length <= WIDTH => {
                out.push(' ');
                filled = Some((columns + 1 + length, kind));
            }
            _ => {
                out.push_str(style.newline);
                out.push_str(&deeper);
                filled = shares.map(|kind| (columns(&deeper) + length, kind));
            }
        }
        out.push_str(&label);
        let used = columns(&deeper) + columns(&label);
        out.push_str(&layout(child, form, &deeper, used, shares.is_some()));
        if syntax == Syntax::Ron || at + 1 < value.len() {
            out.push(',');
        }
    }
    out.push_str(style.newline);
    out.push_str(indent);
    out.push(close);
    out
}

/// Entries of any kind that share a line.
const ANY: u32 = u32::MAX;

/// What shares a line with the weights of a vertex: its tangents; if it follows one bone alone, others that do.
fn line_of_row(key: &DocValue, row: &DocValue) -> Option<u32> {
    let address = key.vertex().filter(|_| matches!(row, DocValue::Map(_)))?;
    let is_single = address.part == VertexPart::Anchor && row.len() == 1;
    Some(if is_single { ANY } else { address.vertex })
}

/// Whether a value is the weights of vertices.
fn is_rows(value: &DocValue) -> bool {
    matches!(value, DocValue::Map(rows) if rows.iter().any(|(key, row)| line_of_row(key, row).is_some()))
}

/// Whether a map of weights, or of records with brackets in them, is in a value: it gets lines of its own, as
/// people write vertices, bones and their channels.
pub(super) fn has_table(value: &DocValue) -> bool {
    let children =
        |value: &DocValue| (0..value.len()).filter_map(|at| value.child(at).cloned()).collect::<Vec<_>>();
    let is_record = |value: &DocValue| {
        matches!(value, DocValue::Fields(..)) && children(value).iter().any(|field| field.len() > 0)
    };
    is_rows(value)
        || matches!(value, DocValue::Map(_)) && children(value).iter().any(is_record)
        || children(value).iter().any(has_table)
}

pub(super) fn columns(text: &str) -> usize {
    text.chars().count()
}
