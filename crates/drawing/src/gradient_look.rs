//! A gradient at a moment: what keys and tints make of its ends and its stops. Its values are numbers in one list: those
//! of its ends, then five of each stop.

use std::sync::Arc;

use kurbo::Point;

use crate::color_map::ColorMap;
use crate::look::PaintLook;
use crate::paint::{Gradient, GradientKind};
use crate::property::{GradientProperty, StopProperty};

/// How many numbers the ends of a gradient are.
const ENDS: usize = 5;

/// How many numbers a stop is.
const OF_STOP: usize = 5;

impl GradientProperty {
    /// Where its numbers begin among the values of a gradient.
    pub const fn place(self) -> usize {
        match self {
            Self::From | Self::Center => 0,
            Self::To | Self::Radius => 2,
            Self::Focus => 3,
        }
    }

    /// Whether gradients of a kind have it.
    pub const fn is_of(self, kind: &GradientKind) -> bool {
        match kind {
            GradientKind::Linear { .. } => matches!(self, Self::From | Self::To),
            GradientKind::Radial { .. } => matches!(self, Self::Center | Self::Radius | Self::Focus),
        }
    }
}

impl StopProperty {
    /// Where its numbers begin among the values of a gradient.
    pub const fn place(self, stop: usize) -> usize {
        let of_stop = match self {
            Self::Offset => 0,
            Self::Color => 1,
            Self::Opacity => 4,
        };
        ENDS + OF_STOP * stop + of_stop
    }
}

impl Gradient {
    /// Its values in the drawing.
    pub fn values(&self) -> Vec<f64> {
        let ends = match self.kind {
            GradientKind::Linear { start, end } => [start.x, start.y, end.x, end.y, 0.0],
            GradientKind::Radial { center, radius, focus, .. } => {
                [center.x, center.y, radius, focus.x, focus.y]
            }
        };
        let stops = self.stops.iter().flat_map(|stop| {
            let [red, green, blue] = stop.color.map(f64::from);
            [stop.offset, red, green, blue, stop.opacity]
        });
        ends.into_iter().chain(stops).collect()
    }
}

/// What of a keyed gradient another one has that is made of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum GradientPart {
    /// All.
    #[default]
    Whole,
    /// Its colours, all opaque.
    Colors,
    /// Its opacities, as greys.
    Opacities,
}

/// A gradient at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct GradientLook {
    /// The gradient with its ends and stops at the moment. Its transform is that of the drawing.
    pub gradient: Gradient,
    /// The colour of each stop before it is rounded, from 0 to 255.
    pub colors: Vec<[f64; 3]>,
}

impl GradientLook {
    /// As in the drawing.
    pub(crate) fn of(gradient: &Gradient) -> Self {
        let colors = gradient.stops.iter().map(|stop| stop.color.map(f64::from)).collect();
        // Stops of its own, which frames change.
        Self { gradient: Gradient { stops: gradient.stops.to_vec().into(), ..gradient.clone() }, colors }
    }

    /// The gradient of the drawing with other values, of which there may be none, and colours that a map makes.
    pub(crate) fn set(&mut self, drawn: &Gradient, (values, part): (&[f64], GradientPart), map: &ColorMap) {
        if self.gradient.id != drawn.id || self.colors.len() != drawn.stops.len() {
            *self = Self::of(drawn);
        }
        let number =
            |at: usize, drawn: f64| values.get(at).copied().filter(|n| n.is_finite()).unwrap_or(drawn);
        let point = |at: usize, drawn: Point| Point::new(number(at, drawn.x), number(at + 1, drawn.y));
        self.gradient.kind = match drawn.kind {
            GradientKind::Linear { start, end } => {
                GradientKind::Linear { start: point(0, start), end: point(2, end) }
            }
            GradientKind::Radial { center, radius, focus, focus_radius } => {
                let (moved, own) = (point(0, center), point(3, focus));
                // As in SVG, a focus that is the centre moves with it.
                let focus = if focus == center && own == focus { moved } else { own };
                GradientKind::Radial {
                    center: moved,
                    radius: number(2, radius).max(0.0),
                    focus,
                    focus_radius,
                }
            }
        };
        let stops = Arc::make_mut(&mut self.gradient.stops);
        let mut least = 0.0_f64;
        for (at, (stop, drawn)) in stops.iter_mut().zip(&*drawn.stops).enumerate() {
            let [red, green, blue] = drawn.color.map(f64::from);
            let first = StopProperty::Color.place(at);
            // Offsets never fall, as SVG has it.
            stop.offset = number(StopProperty::Offset.place(at), drawn.offset).clamp(0.0, 1.0).max(least);
            least = stop.offset;
            let opacity = number(StopProperty::Opacity.place(at), drawn.opacity).clamp(0.0, 1.0);
            let color = [number(first, red), number(first + 1, green), number(first + 2, blue)];
            let color = map.apply(color.map(|level| level.clamp(0.0, 255.0)));
            let (color, opacity) = match part {
                GradientPart::Whole => (color, opacity),
                GradientPart::Colors => (color, 1.0),
                GradientPart::Opacities if values.is_empty() => ([red, green, blue], 1.0),
                GradientPart::Opacities => ([255.0 * opacity; 3], 1.0),
            };
            (stop.opacity, stop.color) = (opacity, PaintLook { color, opacity }.rgb());
            if let Some(own) = self.colors.get_mut(at) {
                *own = color;
            }
        }
        let is_flat = match self.gradient.kind {
            GradientKind::Linear { start, end } => start == end,
            GradientKind::Radial { radius, .. } => radius <= 0.0,
        };
        if let Some(last) = stops.last().copied().filter(|_| is_flat) {
            // Without an extent it has the colour of its last stop.
            self.gradient.kind = drawn.kind;
            stops.iter_mut().for_each(|stop| (stop.color, stop.opacity) = (last.color, last.opacity));
            let color = self.colors.last().copied().unwrap_or_default();
            self.colors.fill(color);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use kurbo::Affine;

    use crate::paint::{Spread, Stop};

    fn gradient(kind: GradientKind) -> Gradient {
        let stop = |offset, level| Stop { offset, color: [level; 3], opacity: 0.5 };
        let stops = vec![stop(0.0, 0), stop(0.5, 100), stop(1.0, 200)].into();
        Gradient { id: "a".to_owned(), kind, stops, spread: Spread::Pad, transform: Affine::IDENTITY }
    }

    fn set(drawn: &Gradient, values: &[f64]) -> GradientLook {
        let mut look = GradientLook::of(drawn);
        look.set(drawn, (values, GradientPart::Whole), &ColorMap::IDENTITY);
        look
    }

    #[test]
    fn the_values_of_the_drawing_make_the_drawing() {
        let (start, end) = (Point::new(1.0, 2.0), Point::new(3.0, 5.0));
        let linear = GradientKind::Linear { start, end };
        let radial = GradientKind::Radial { center: start, radius: 4.0, focus: end, focus_radius: 1.0 };
        for drawn in [gradient(linear), gradient(radial)] {
            assert_eq!(set(&drawn, &drawn.values()).gradient, drawn);
            assert_eq!(set(&drawn, &[]).gradient, drawn);
        }
    }

    #[test]
    fn offsets_never_fall_and_a_centred_focus_moves_with_its_centre() {
        let center = Point::new(1.0, 2.0);
        let drawn = gradient(GradientKind::Radial { center, radius: 4.0, focus: center, focus_radius: 0.0 });
        let mut values = drawn.values();
        values[StopProperty::Offset.place(0)] = 0.7;
        values[StopProperty::Offset.place(2)] = -3.0;
        values[GradientProperty::Center.place()] = 9.0;
        let found = set(&drawn, &values).gradient;
        assert_eq!(found.stops.iter().map(|stop| stop.offset).collect::<Vec<_>>(), [0.7; 3]);
        let moved = Point::new(9.0, 2.0);
        assert!(
            matches!(found.kind, GradientKind::Radial { center, focus, .. } if center == moved && focus == moved)
        );
        values[GradientProperty::Radius.place()] = 0.0;
        let flat = set(&drawn, &values).gradient;
        assert!(flat.kind == drawn.kind && flat.stops.iter().all(|stop| stop.color == [200; 3]));
    }
}
