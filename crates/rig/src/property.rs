//! What a row of an [`ArtPose`](crate::ArtPose) is: a property of art, a slider, or of the camera.

use bone_archive::{Join, Property, ValueKind, archive, properties};
use bone_core::{Angle, exp};
use bone_drawing::{ArtProperty, FilterProperty, GradientProperty, InkProperty, StopProperty};
use kurbo::{Affine, Point, Rect};

archive! {
    /// What a lane of keys is of, besides bones and constraints.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum RowProperty {
        /// A property of art.
        Art(ArtProperty) = 0,
        /// The value of a slider.
        Slider = 1,
        /// A property of the camera.
        Camera(CameraProperty) = 2,
        /// A value of the ends of a gradient.
        Gradient(GradientProperty) = 3,
        /// A value of a stop of a gradient.
        Stop(StopProperty) = 4,
        /// A number of a step of a filter.
        FilterStep(FilterProperty) = 5,
        /// A value of the ink of a path.
        Ink(InkProperty) = 6,
    }
}

/// The row of every slider.
const SLIDER: Property = Property { name: "slider", value: "0.5", drive: Join::Sum, ..Property::COMMON };

impl RowProperty {
    /// Its row in the table.
    pub const fn row(self) -> &'static Property {
        match self {
            Self::Art(property) => property.row(),
            Self::Slider => &SLIDER,
            Self::Camera(property) => property.row(),
            Self::Gradient(property) => property.row(),
            Self::Stop(property) => property.row(),
            Self::FilterStep(property) => property.row(),
            Self::Ink(property) => property.row(),
        }
    }
}

impl From<ArtProperty> for RowProperty {
    fn from(property: ArtProperty) -> Self {
        Self::Art(property)
    }
}

properties! {
    /// A value of the camera that a clip can key.
    pub enum CameraProperty {
        /// The point of the drawing that is in the middle of the picture.
        Center = 0, "center" {
            kind: ValueKind::Place, value: "(200, 150)", keys: "[(0, (200, 150)), (1, (320, 90))]",
            unkeyed: "the middle of the drawing", also: &["centre", "position", "target", "look_at"],
        }
        /// How many times as large as in the drawing everything is. It is eased and mixed as its logarithm: halfway
        /// from 1 to 4 it is 2.
        Zoom = 1, "zoom" {
            kind: ValueKind::Zoom, value: "2", keys: "[(0, 1), (1, 2.5)]", unkeyed: "1", rest: 1.0,
            also: &["scale"],
        }
        /// How far the camera is turned; the picture turns the other way.
        Turn = 2, "turn" {
            kind: ValueKind::Degrees, value: "8", keys: "[(0, 0), (1, 8)]", unkeyed: "0",
            also: &["rotate", "rotation", "angle", "roll"],
        }
    }
}

impl CameraProperty {
    /// How many numbers a camera is.
    pub(crate) const NUMBERS: usize = 4;

    /// Where its numbers begin among those of a camera.
    pub(crate) const fn place(self) -> usize {
        match self {
            Self::Center => 0,
            Self::Zoom => 2,
            Self::Turn => 3,
        }
    }
}

/// A parameter of the rig: it has a name and no bone, and drivers read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Slider {
    /// Its name.
    pub name: String,
    /// The least and the greatest value.
    pub range: (f64, f64),
    /// The value where nothing is keyed.
    pub rest: f64,
}

impl Slider {
    /// Whether its range has an inside, with the value at rest.
    pub(crate) fn is_sound(&self) -> bool {
        let (least, greatest) = self.range;
        least.is_finite() && greatest.is_finite() && least <= self.rest && self.rest <= greatest
    }
}

/// Where a camera looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The point of the drawing that is in the middle of the picture.
    pub center: Point,
    /// How many times as large as in the drawing everything is.
    pub zoom: f64,
    /// How far it is turned; the picture turns the other way.
    pub turn: Angle,
}

impl Camera {
    /// The camera of four numbers, of which the zoom is a logarithm.
    pub(crate) fn of([x, y, zoom, turn]: [f64; CameraProperty::NUMBERS]) -> Self {
        Self { center: Point::new(x, y), zoom: exp(zoom), turn: Angle::from_degrees(turn) }
    }

    /// The one that shows a page as it is.
    pub fn of_page(page: Rect) -> Self {
        Self { center: page.center(), zoom: 1.0, turn: Angle::ZERO }
    }

    /// Where a point of the canvas is on a page of this size.
    pub fn view(&self, page: Rect) -> Affine {
        Affine::translate(page.center().to_vec2())
            * Angle::from_degrees(-self.turn.degrees()).rotation()
            * Affine::scale(self.zoom)
            * Affine::translate(-self.center.to_vec2())
    }

    /// Whether its numbers are finite, and its zoom is above 0.
    pub(crate) fn is_sound(&self) -> bool {
        self.center.is_finite() && self.zoom.is_normal() && self.zoom > 0.0 && self.turn.degrees().is_finite()
    }
}
