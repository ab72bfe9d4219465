//! Animated SVG and Lottie. A clip is sampled at its frames and halfway between them ([`SampledClip`]); what
//! moves becomes curves with few keys, whose error is measured in pixels at all of these times.
//!
//! - [`animated_svg`]: one file with SMIL and no script. Frame 0 is in the plain attributes, so a program
//!   without SMIL shows it.
//! - [`lottie`] and [`dot_lottie`]: what players of Lottie draw on phones and in browsers.
//!
//! What a format cannot hold is in the [`VectorReport`]; nothing is left out without a line there.
//!
//! ```
//! use std::sync::Arc;
//!
//! use drawing::{CanvasPose, DrawingBuilder, Moving, Posable, Shape};
//! use export::vector::{SampledClip, VectorError, VectorOptions, animated_svg, lottie};
//! use kurbo::{Affine, Rect, Shape as _, Size};
//!
//! // A square that moves to the right, 12 frames at 24 a second.
//! let mut builder = DrawingBuilder::new(Rect::new(0.0, 0.0, 100.0, 40.0));
//! builder.shape("square", Shape::filled(Rect::new(5.0, 5.0, 35.0, 35.0).to_path(0.1), [200, 50, 50]));
//! let drawing = builder.finish();
//! let square = drawing.find("square")?;
//! let posable = Posable::new(&drawing, &Moving { rigid: &[square], ..Moving::default() })?;
//! let pose = |time: f64, frame: &mut drawing::Frame| {
//!     let rigid = [Affine::translate((100.0 * time, 0.0))];
//!     posable.frame(&CanvasPose { rigid: &rigid, ..CanvasPose::default() }, frame);
//!     Ok::<(), VectorError>(())
//! };
//! let clip = SampledClip::new(Arc::clone(posable.drawing()), "slide", 24.0, 12, false, pose)?;
//!
//! let options = VectorOptions::new(Size::new(200.0, 80.0));
//! let (svg, report) = animated_svg(&clip, &options)?;
//! assert!(svg.contains("<animateTransform"));
//! assert!(report.keys == 2 && report.error <= options.tolerance && report.losses.is_empty());
//! let (json, _) = lottie(&clip, &options)?;
//! assert!(json.starts_with("{\"v\":"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod affine;
mod ease;
mod error;
mod lottie;
mod order;
mod outline;
mod report;
mod samples;
mod svg;
mod text;
mod thin;
mod track;
mod zip;

pub use error::VectorError;
pub use lottie::{dot_lottie, lottie};
pub use report::{Loss, VectorReport};
pub use samples::SampledClip;
pub use svg::animated_svg;

/// How a clip is written.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorOptions {
    /// Width and height in pixels. The drawing is fitted into it.
    pub size: kurbo::Size,
    /// The largest error of an outline in those pixels, at frames and halfway between them.
    pub tolerance: f64,
    /// Digits of coordinates after the point; none: as many as the tolerance needs.
    pub precision: Option<u8>,
    /// A colour behind the drawing: red, green, blue and alpha.
    pub background: Option<[u8; 4]>,
    /// How often a looping clip plays; none: for ever. Lottie leaves this to the player.
    pub plays: Option<u32>,
}

impl VectorOptions {
    /// Options for a size in pixels, with a tolerance of a quarter of a pixel.
    pub fn new(size: kurbo::Size) -> Self {
        Self { size, tolerance: 0.25, precision: None, background: None, plays: None }
    }

    /// From the drawing at scale 1 to the pixels of the export.
    fn view(&self, drawing: &drawing::Drawing) -> kurbo::Affine {
        let own = drawing.size();
        let scale = (self.size.width / own.width).min(self.size.height / own.height);
        let shift = 0.5 * (self.size.to_vec2() - own.to_vec2() * scale);
        kurbo::Affine::translate(shift) * kurbo::Affine::scale(scale)
    }

    /// Digits after the point of lengths that are so many pixels a unit: rounding takes at most a third of the
    /// tolerance.
    fn digits(&self, pixels: f64) -> u8 {
        self.precision.unwrap_or_else(|| {
            let half_unit = |digits: u8| 0.71 * pixels * 10.0_f64.powi(-i32::from(digits));
            (0..9).find(|digits| half_unit(*digits) <= 0.34 * self.tolerance).unwrap_or(9)
        })
    }

    /// Whether all numbers can be used.
    fn check(&self) -> Result<(), VectorError> {
        let fine = |n: f64| n.is_finite() && n > 0.0;
        if !fine(self.size.width) || !fine(self.size.height) {
            return Err(VectorError::Size);
        }
        if fine(self.tolerance) { Ok(()) } else { Err(VectorError::Tolerance) }
    }
}
