//! How a shape is painted at a moment: what a frame has in place of the shape's own values.

use crate::color_map::ColorMap;
use crate::node::Shape;
use crate::paint::{Paint, Stroke};
use crate::property::ArtProperty;

/// What can be keyed of how a path is painted, in the order in which poses have the values.
pub const LOOK_PROPERTIES: [ArtProperty; 6] = [
    ArtProperty::StrokeWidth,
    ArtProperty::DashOffset,
    ArtProperty::Fill,
    ArtProperty::FillOpacity,
    ArtProperty::Stroke,
    ArtProperty::StrokeOpacity,
];

/// How many numbers the values of these are.
const NUMBERS: usize = 10;

/// The values of one path: those of each of [`LOOK_PROPERTIES`].
pub type LookValues = [f64; NUMBERS];

/// The place among [`LookValues`] at which the numbers of a property begin; none if it is not one of them.
pub const fn place_in_look(property: ArtProperty) -> Option<usize> {
    // A match and no search: every lane of a frame asks.
    match property {
        ArtProperty::StrokeWidth => Some(0),
        ArtProperty::DashOffset => Some(1),
        ArtProperty::Fill => Some(2),
        ArtProperty::FillOpacity => Some(5),
        ArtProperty::Stroke => Some(6),
        ArtProperty::StrokeOpacity => Some(9),
        _ => None,
    }
}

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

/// The paint of a fill or a stroke at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PaintLook {
    /// Red, green and blue, from 0 to 255; an ease may lead beyond. Of a gradient or pattern they mean nothing.
    pub color: [f64; 3],
    /// From 0 to 1.
    pub opacity: f64,
}

impl PaintLook {
    /// As in the drawing.
    pub fn of(paint: Paint, opacity: f64) -> Self {
        let color = if let Paint::Color(color) = paint { color.map(f64::from) } else { [0.0; 3] };
        Self { color, opacity }
    }

    /// The colour as it is painted.
    pub fn rgb(&self) -> [u8; 3] {
        // The conversion saturates, and takes NaN for 0.
        self.color.map(|part| part.round() as u8)
    }

    /// The colour within its range.
    pub fn clamped(&self) -> [f64; 3] {
        self.color.map(|part| part.clamp(0.0, 255.0))
    }

    /// The paint with this colour, if it is a colour.
    pub fn paint(&self, paint: Paint) -> Paint {
        if let Paint::Color(_) = paint { Paint::Color(self.rgb()) } else { paint }
    }
}

/// How a shape is painted at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShapeLook {
    /// The lengths of its stroke.
    pub lengths: StrokeLook,
    /// The paint of its fill.
    pub fill: PaintLook,
    /// The paint of its stroke.
    pub stroke: PaintLook,
}

impl ShapeLook {
    /// As in the drawing; of what the shape does not have all is 0.
    pub fn of(shape: &Shape) -> Self {
        let stroke = shape.stroke.as_ref();
        Self {
            lengths: stroke.map(StrokeLook::of).unwrap_or_default(),
            fill: shape.fill.map(|fill| PaintLook::of(fill.paint, fill.opacity)).unwrap_or_default(),
            stroke: stroke.map(|stroke| PaintLook::of(stroke.paint, stroke.opacity)).unwrap_or_default(),
        }
    }

    /// With the colours that a map makes of its own.
    pub(crate) fn tinted(mut self, map: &ColorMap) -> Self {
        if !map.is_identity() {
            for paint in [&mut self.fill, &mut self.stroke] {
                paint.color = map.apply(paint.clamped());
            }
        }
        self
    }

    fn values(&self) -> LookValues {
        let [red, green, blue] = self.fill.color;
        let [r, g, b] = self.stroke.color;
        let StrokeLook { width, dash_offset, .. } = self.lengths;
        [width, dash_offset, red, green, blue, self.fill.opacity, r, g, b, self.stroke.opacity]
    }

    /// The keyed values in the place of those that the path has at rest, and all lengths multiplied. A copy that
    /// paints a part of the shape may be wider than the path, and stays so.
    pub(crate) fn posed(mut self, keyed: Option<(&LookValues, &LookValues)>, scale: f64) -> Self {
        if let Some((pose, rest)) = keyed {
            let keyed = |at: usize| (pose[at] != rest[at] && pose[at].is_finite()).then_some(pose[at]);
            self.lengths.width += keyed(0).map_or(0.0, |value| value - rest[0]);
            self.lengths.dash_offset += keyed(1).map_or(0.0, |value| value - rest[1]);
            for (paint, first) in [(&mut self.fill, 2), (&mut self.stroke, 6)] {
                for (part, at) in paint.color.iter_mut().zip(first..) {
                    *part = keyed(at).unwrap_or(*part);
                }
                paint.opacity = keyed(first + 3).map_or(paint.opacity, |opacity| opacity.clamp(0.0, 1.0));
            }
        }
        self.lengths.width *= scale;
        self.lengths.dash_offset *= scale;
        self.lengths.dash_scale = scale;
        self
    }
}

impl Shape {
    /// The values in the drawing of what can be keyed of it.
    pub fn look_values(&self) -> LookValues {
        ShapeLook::of(self).values()
    }

    /// Why a property of its look cannot be keyed: what it lacks.
    pub fn lacks(&self, property: ArtProperty) -> Option<&'static str> {
        let has_color = |paint: Paint| matches!(paint, Paint::Color(_));
        let is_of_fill = matches!(property, ArtProperty::Fill | ArtProperty::FillOpacity);
        match (property, self.fill, &self.stroke) {
            (_, None, _) if is_of_fill => Some("fill"),
            (_, _, None) if !is_of_fill => Some("stroke"),
            (ArtProperty::DashOffset, _, Some(stroke)) if stroke.dashes.is_empty() => Some("dashes"),
            (ArtProperty::Fill, Some(fill), _) if !has_color(fill.paint) => Some("fill of one colour"),
            (ArtProperty::Stroke, _, Some(stroke)) if !has_color(stroke.paint) => {
                Some("stroke of one colour")
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_property_has_its_place() {
        let place = |at: usize, property: &ArtProperty| {
            assert_eq!(place_in_look(*property), Some(at));
            at + property.row().kind.parts()
        };
        assert_eq!(LOOK_PROPERTIES.iter().fold(0, place), NUMBERS);
        assert_eq!(place_in_look(ArtProperty::Opacity), None);
    }
}
