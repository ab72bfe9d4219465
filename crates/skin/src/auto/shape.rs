//! The shapes that weights must cover.

use kurbo::BezPath;

/// Coordinates beyond this are not usable.
pub(super) const LIMIT: f64 = 1e100;

/// The windings that count as inside, as in SVG.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum WindingRule {
    /// Windings other than 0.
    #[default]
    NonZero,
    /// Odd windings.
    EvenOdd,
}

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
