//! How a shape is painted at a moment: what a frame has in place of the shape's own values.

use crate::paint::Stroke;
use crate::property::ArtProperty;

/// What can be keyed of a stroke, in the order in which poses have the values.
pub const STROKE_PROPERTIES: [ArtProperty; 2] = [ArtProperty::StrokeWidth, ArtProperty::DashOffset];

/// The values of one stroke, as many as [`STROKE_PROPERTIES`].
pub type StrokeValues = [f64; STROKE_PROPERTIES.len()];

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

    /// The keyed values in the place of those that the path has at rest, and all lengths multiplied. A copy that
    /// paints a part of the shape may be wider than the path, and stays so.
    pub(crate) fn posed(self, keyed: Option<(&StrokeValues, &StrokeValues)>, scale: f64) -> Self {
        let shift = |at: usize| {
            let keyed = keyed.map(|(pose, rest)| (pose[at], rest[at]));
            keyed
                .filter(|(pose, rest)| pose != rest && pose.is_finite())
                .map_or(0.0, |(pose, rest)| pose - rest)
        };
        let [width, dash_offset] = [self.width + shift(0), self.dash_offset + shift(1)];
        Self { width: width * scale, dash_offset: dash_offset * scale, dash_scale: scale }
    }
}

impl Stroke {
    /// The values in the drawing; none of what it does not have.
    pub fn values(&self) -> [Option<f64>; STROKE_PROPERTIES.len()] {
        [Some(self.width), (!self.dashes.is_empty()).then_some(self.dash_offset)]
    }
}
