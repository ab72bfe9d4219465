//! The outline of an element's shape.

use kurbo::{Affine, BezPath};

use crate::paint::Paint;

/// The outline of an element's shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Its curves in canvas space.
    pub path: BezPath,
    /// From the space in which its author drew it, where its stroke, dashes and paint are measured, to canvas
    /// space.
    pub local_to_canvas: Affine,
    /// Whether it has a fill or a stroke and is not hidden; what is not visible can still carry markers or be
    /// switched on later.
    pub visible: bool,
    /// Whether it is filled, and then whether by the even-odd rule.
    pub even_odd: Option<bool>,
    /// Width of its stroke in canvas units; 0 for none.
    pub stroke_width: f64,
    /// The paint of its fill.
    pub fill: Option<Paint>,
    /// The paint of its stroke.
    pub stroke: Option<Paint>,
    /// Whether it carries markers. They move with a matrix, but need one of their own when the path gets
    /// another outline.
    pub has_markers: bool,
}
