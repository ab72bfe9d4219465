//! A clip as one SVG with SMIL: the tree of the drawing with its ids and groups, frame 0 in the attributes,
//! curves as elements inside. Tags are written as for a frame, by `bone_render`.
//!
//! The matrix of a group is fitted first. What is inside is fitted to where it should be, seen from the group
//! as it was fitted: so errors do not add up, and the error of each outline is that on the canvas.

mod smil;
mod solver;
mod values;

use bone_render::{SvgView, SvgWriter, escape_xml, is_id_taken};

use self::solver::SvgSolver;
use self::values::ClipValues;
use super::{SampledClip, VectorError, VectorOptions, VectorReport};

/// Writes a clip as one animated SVG. A clip of one frame has no animation.
///
/// # Errors
/// If a number of the options cannot be used.
pub fn animated_svg(
    clip: &SampledClip,
    options: &VectorOptions,
) -> Result<(String, VectorReport), VectorError> {
    options.check()?;
    let solver = SvgSolver::new(clip, options);
    let root = solver.root();
    let mut writer = SvgWriter::new(&clip.drawing, ClipValues::new(solver), false);
    // A view without one is an error before.
    if let Some(view) = SvgView::new(&options.view, |id| is_id_taken(&clip.drawing, id)) {
        writer.root();
        writer.out.push_str(&events(clip));
        writer.view(&view, &root);
        writer.definitions();
        writer.out.push_str("</svg>\n");
    }
    Ok((writer.out, writer.values.solver.report))
}

/// The events for scripts of a page: JSON in `data-events`; nothing without any.
fn events(clip: &SampledClip) -> String {
    if clip.events.is_empty() {
        return String::new();
    }
    let list: serde_json::Value =
        clip.events.iter().map(|event| serde_json::Value::Object(event.json())).collect();
    let mut attribute = String::from(" data-events=\"");
    escape_xml(&list.to_string(), &mut attribute);
    attribute.push('"');
    attribute
}
