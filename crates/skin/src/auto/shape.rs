//! The shapes that weights must cover, as they are drawn on the canvas.

use kurbo::BezPath;

/// Coordinates beyond this are no places.
pub(super) const LIMIT: f64 = 1e100;

/// Which windings count as inside, as in SVG.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum WindingRule {
    /// Not 0.
    #[default]
    NonZero,
    /// Odd.
    EvenOdd,
}

/// A path that the weights must cover, on the canvas. One that is neither filled nor stroked counts as a thin line.
#[derive(Clone, Copy, Debug)]
pub struct CoveredShape<'a> {
    /// The outlines.
    pub path: &'a BezPath,
    /// How it is filled, if it is.
    pub fill: Option<WindingRule>,
    /// Width of its stroke in canvas units; 0 for none.
    pub stroke_width: f64,
}
