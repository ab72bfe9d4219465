//! How a shape is painted at a moment: what a frame has in place of the shape's own values.

use crate::paint::Stroke;

/// The lengths of a stroke at a moment, in the shape's own space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StrokeLook {
    /// Its width.
    pub width: f64,
    /// Where its dashes begin.
    pub dash_offset: f64,
    /// How many times as long as in the drawing its dashes are.
    pub dash_scale: f64,
}

impl StrokeLook {
    /// As in the drawing.
    pub fn of(stroke: &Stroke) -> Self {
        Self { width: stroke.width, dash_offset: stroke.dash_offset, dash_scale: 1.0 }
    }
}
