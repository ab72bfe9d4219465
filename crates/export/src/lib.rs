//! Frames to one file.

#![cfg_attr(not(test), warn(unused_crate_dependencies))]

#[cfg(feature = "apng")]
mod apng;
mod colours;
#[cfg(any(feature = "apng", feature = "webp"))]
mod difference;
mod error;
#[cfg(feature = "gif")]
mod gif;
mod parallel;
#[cfg(any(feature = "apng", feature = "atlas"))]
mod png;
mod raster;
mod timing;

#[cfg(feature = "apng")]
pub use apng::{ApngColours, ApngForm, ApngWriter};
pub use error::ExportError;
#[cfg(feature = "gif")]
pub use gif::{GifColours, GifOptions, GifPalette, GifTiming, GifWriter};
pub use raster::{PixelRect, PixelSize, Rgba};
pub use timing::{PlayRate, Plays};
