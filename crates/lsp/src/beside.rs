//! What editors show beside values, which they draw themselves: frames of times, lengths of bones, colours.

use std::ops::Range;

use bone_format::doc::Rgb;
use bone_format::{MarkKind, ValueMark, marks_in};
use serde_json::{Value, json};

use crate::buffer::LineText;
use crate::protocol::ClientColor;
use crate::view::RigView;

/// The hints of a range of a text, as a rig has its frames and bones.
pub(crate) fn hints(view: &RigView, lines: &LineText, range: &Range<usize>) -> Vec<Value> {
    let Some(rig) = &view.rig else { return Vec::new() };
    let fps = rig.fps();
    let shown = |mark: ValueMark| {
        let end = mark.span.range().end;
        let (label, about) = match mark.kind {
            // Whole frames have no fraction, whatever the time was rounded to.
            MarkKind::Time(time) if time != 0.0 => {
                let frame = rounded(time * fps, 100.0);
                (format!("f{frame}"), format!("frame {frame} of {fps} in a second"))
            }
            MarkKind::Tip(bone) => {
                let length = rig.skeleton().length(rig.skeleton().find(&bone)?);
                let length = rounded(length, 10.0);
                (format!("length {length}"), format!("the length of {bone} at rest"))
            }
            _ => return None,
        };
        let position = lines.range(end..end)["start"].clone();
        let is_inside = range.start <= end && end <= range.end;
        is_inside
            .then(|| json!({ "position": position, "label": label, "tooltip": about, "paddingLeft": true }))
    };
    marks_in(lines.text()).into_iter().filter_map(shown).collect()
}

fn rounded(value: f64, steps: f64) -> f64 {
    let rounded = (value * steps).round() / steps;
    // No `-0`.
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// The colours of a text.
pub(crate) fn colors(lines: &LineText) -> Vec<Value> {
    let text = lines.text();
    let color = |mark: ValueMark| {
        let MarkKind::Color(Rgb(parts)) = mark.kind else { return None };
        // Between the quotes, where a presentation is written.
        let span = mark.span.range();
        let is_quoted = text.get(span.clone())?.starts_with('"');
        let [red, green, blue] = parts.map(|part| f64::from(part) / 255.0);
        let color = json!({ "red": red, "green": green, "blue": blue, "alpha": 1 });
        is_quoted.then(|| json!({ "range": lines.range(span.start + 1..span.end - 1), "color": color }))
    };
    marks_in(text).into_iter().filter_map(color).collect()
}

/// How a colour is written. The format has no alpha: opacities are keyed by themselves.
pub(crate) fn presentations(color: ClientColor) -> Vec<Value> {
    let ClientColor { red, green, blue } = color;
    let parts = [red, green, blue].map(|part| (part.clamp(0.0, 1.0) * 255.0).round() as u8);
    vec![json!({ "label": Rgb(parts).to_string() })]
}
