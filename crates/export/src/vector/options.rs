//! How a clip is written.

use super::error::VectorError;

/// How a clip is written.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorOptions {
    /// The part of the drawing that is seen, its size in pixels, and the colour behind it.
    pub view: bone_render::Viewport,
    /// The largest error of an outline in those pixels, at frames and halfway between them.
    pub tolerance: f64,
    /// Digits of coordinates after the point; none: as many as the tolerance needs.
    pub precision: Option<u8>,
    /// How often a looping clip plays; none: for ever. Lottie leaves this to the player.
    pub plays: Option<u32>,
}

impl VectorOptions {
    /// Options for a view, with a tolerance of a quarter of a pixel.
    pub fn new(view: bone_render::Viewport) -> Self {
        Self { view, tolerance: 0.25, precision: None, plays: None }
    }

    /// Digits after the point of lengths that are so many pixels a unit: rounding takes at most a third of the
    /// tolerance.
    pub(super) fn digits(&self, pixels: f64) -> u8 {
        self.precision.unwrap_or_else(|| {
            let half_unit = |digits: u8| 0.71 * pixels * 10.0_f64.powi(-i32::from(digits));
            (0..9).find(|digits| half_unit(*digits) <= 0.34 * self.tolerance).unwrap_or(9)
        })
    }

    /// Whether all numbers can be used.
    pub(super) fn check(&self) -> Result<(), VectorError> {
        if bone_render::SvgView::new(&self.view, |_| false).is_none() {
            return Err(VectorError::View);
        }
        let fine = self.tolerance.is_finite() && self.tolerance > 0.0;
        if fine { Ok(()) } else { Err(VectorError::Tolerance) }
    }
}
