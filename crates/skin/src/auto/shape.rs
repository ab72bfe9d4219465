//! The shapes that weights must cover.

use kurbo::BezPath;

use crate::options::WindingRule;

/// Coordinates beyond this are not usable.
pub(super) const LIMIT: f64 = 1e100;

/// A path that the weights must cover, on the canvas. One that is neither filled nor stroked counts as a thin
/// line.
#[derive(Clone, Copy, Debug)]
pub struct CoveredShape<'a> {
    /// The outlines.
    pub path: &'a BezPath,
    /// Its winding rule, if it is filled.
    pub fill: Option<WindingRule>,
    /// Width of its stroke in canvas units; 0 for none.
    pub stroke_width: f64,
}

/// A clip path that bends with what it cuts. What it hides at rest is no part of the drawing.
#[derive(Clone, Copy, Debug)]
pub struct ClipRegion<'a> {
    /// The shapes that it cuts, by their places in the list of all, in order.
    pub shapes: &'a [usize],
    /// Its outlines on the canvas: what is in one of them is seen.
    pub outlines: &'a [(BezPath, WindingRule)],
}
