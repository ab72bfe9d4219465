//! Frames to one file.

#![cfg_attr(not(test), warn(unused_crate_dependencies))]

#[cfg(feature = "apng")]
mod apng;
#[cfg(feature = "atlas")]
mod atlas;
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
#[cfg(feature = "video")]
mod video;
#[cfg(feature = "webp")]
mod webp;

#[cfg(feature = "apng")]
pub use apng::{ApngColours, ApngForm, ApngWriter};
#[cfg(feature = "atlas")]
pub use atlas::{Atlas, AtlasBuilder, AtlasOptions, AtlasPage, AtlasTrim};
pub use error::ExportError;
#[cfg(feature = "gif")]
pub use gif::{GifColours, GifOptions, GifPalette, GifTiming, GifWriter};
pub use raster::{PixelRect, PixelSize, Rgba};
pub use timing::{PlayRate, Plays};
#[cfg(feature = "video")]
pub use video::{VIDEO_QUALITY, VideoFormat, VideoOptions};
#[cfg(feature = "webp")]
pub use webp::WebpWriter;
