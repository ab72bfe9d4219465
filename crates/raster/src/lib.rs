//! Shapes, gradients, layers and blurs on pixels: each pixel is that of tiny-skia and resvg 0.49. No SVG, no drawing.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod blend;
mod blur;
mod dither;
mod fill;
mod inked;
mod paint;
mod painter;
mod range;

pub use blend::{clip_out, composite_over, mask_by};
pub use blur::Blur;
pub use fill::{CachedCoverage, Filler, GradientColor, Ink, SolidColor, Stop};
pub use inked::inked;
pub use paint::{Paint, Shader};
pub use painter::{Backdrop, Painter, has_area};
pub use range::{can_fill, can_stroke};
