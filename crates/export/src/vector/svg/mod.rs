//! A clip as one SVG with SMIL: the tree of the drawing with its ids and groups, frame 0 in the attributes,
//! curves as elements inside.
//!
//! The matrix of a group is fitted first. What is inside is fitted to where it should be, seen from the group
//! as it was fitted: so errors do not add up, and the error of each outline is that on the canvas.

mod smil;
mod solver;
mod write;

use self::solver::Solver;
use self::write::Writer;
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
    let mut writer = Writer::new(Solver::new(clip, options));
    writer.document();
    Ok(writer.finish())
}
