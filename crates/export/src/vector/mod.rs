//! Animated SVG and Lottie. A clip is sampled at its frames and halfway between them ([`SampledClip`]); what
//! moves becomes curves with few keys, whose error is measured in pixels at all of these times.
//!
//! - [`animated_svg`]: one file with SMIL and no script. Frame 0 is in the plain attributes, so a program
//!   without SMIL shows it.
//! - [`lottie`] and [`dot_lottie`]: what players of Lottie draw on phones and in browsers.
//! - [`html_page`]: the same SVG in a page of its own, with controls.
//! - [`telegram_sticker`]: a Lottie within the rules of Telegram.
//!
//! What a format cannot hold is in the [`VectorReport`]; nothing is left out without a line there.
//!
//! ```
//! use std::sync::Arc;
//!
//! use bone_drawing::{CanvasPose, DrawingBuilder, Moving, Posable, Shape};
//! use bone_export::vector::{SampledClip, VectorError, VectorOptions, animated_svg, lottie};
//! use kurbo::{Affine, Rect, Shape as _};
//! use bone_render::{FrameOptions, FrameSize, Viewport};
//!
//! // A square that moves to the right, 12 frames at 24 a second.
//! let mut builder = DrawingBuilder::new(Rect::new(0.0, 0.0, 100.0, 40.0));
//! builder.shape("square", Shape::filled(Rect::new(5.0, 5.0, 35.0, 35.0).to_path(0.1), [200, 50, 50]));
//! let drawing = builder.finish()?;
//! let square = drawing.find("square")?;
//! let posable = Posable::new(&drawing, &Moving { rigid: &[square], ..Moving::default() })?;
//! let pose = |time: f64, frame: &mut bone_drawing::Frame| {
//!     let rigid = [Affine::translate((100.0 * time, 0.0))];
//!     posable.frame(&CanvasPose { rigid: &rigid, ..CanvasPose::default() }, frame);
//!     Ok::<(), VectorError>(())
//! };
//! let clip = SampledClip::new(Arc::clone(posable.drawing()), "slide", 24.0, 12, false, pose)?;
//!
//! let size = FrameOptions { size: FrameSize::new(200, 80)?, background: None };
//! let options = VectorOptions::new(Viewport::fit(&drawing, &size));
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
mod html;
mod lottie;
mod options;
mod order;
mod outline;
mod report;
mod samples;
mod svg;
mod text;
mod thin;
mod track;

pub use error::VectorError;
pub use html::html_page;
pub use lottie::{dot_lottie, lottie, sticker_bytes, telegram_sticker};
pub use options::VectorOptions;
pub use report::{Loss, VectorReport};
pub use samples::SampledClip;
pub use svg::animated_svg;
