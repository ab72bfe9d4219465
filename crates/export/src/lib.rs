//! Clips to one file: GIF, APNG and WebP, sprite sheets, animated SVG and Lottie, and the arguments with which
//! ffmpeg makes videos.
//!
//! Frames are straight RGBA, row by row, and come in order. A writer keeps what the next frame needs, so the
//! memory does not grow with the length of the animation; several frames are compressed at a time, and the
//! bytes are the same for any number of threads.
//!
//! ```
//! use bone_export::{GifColours, GifOptions, GifTiming, GifWriter, PixelSize, PlayRate, Plays};
//!
//! // A white pixel that moves over black, at 12 frames a second.
//! let size = PixelSize { width: 3, height: 1 };
//! let frames: Vec<Vec<u8>> = (0..3)
//!     .map(|at| (0..3).flat_map(|x| if x == at { [255; 4] } else { [0, 0, 0, 255] }).collect())
//!     .collect();
//!
//! // A GIF has one palette for all frames, so they are needed twice.
//! let mut colours = GifColours::new(GifOptions::default());
//! frames.iter().for_each(|frame| colours.add(frame));
//! let timing = GifTiming::new(3, PlayRate { frames: 12, seconds: 1 });
//! let mut writer = GifWriter::new(Vec::new(), size, timing, colours.palette(), Plays::Endless, 2)?;
//! for shown in 0..timing.shown() {
//!     writer.push(&frames[timing.frame(shown) as usize])?;
//! }
//! let gif = writer.finish()?;
//! assert!(gif.starts_with(b"GIF89a"));
//! # Ok::<(), bone_export::ExportError>(())
//! ```
//!
//! [`vector`] has what needs no frames: animated SVG and Lottie of drawings.
//!
//! The crate opens no files, starts no programs and never prints.

// What tests and benches use is checked by the test of the manifests.

#![cfg_attr(not(test), warn(unused_crate_dependencies))]

#[cfg(feature = "apng")]
mod apng;
#[cfg(feature = "atlas")]
mod atlas;
mod batch;
mod colours;
mod difference;
mod error;
mod flatten;
mod gif;
mod parallel;
#[cfg(any(feature = "apng", feature = "atlas"))]
mod png;
mod raster;
mod timing;
#[cfg(feature = "vector")]
pub mod vector;
mod video;
mod webp;

#[cfg(feature = "apng")]
pub use apng::{ApngColours, ApngForm, ApngWriter};
#[cfg(feature = "atlas")]
pub use atlas::{Atlas, AtlasBuilder, AtlasOptions, AtlasPage, AtlasTrim};
pub use error::ExportError;
pub use flatten::flatten;
pub use gif::{GifColours, GifOptions, GifPalette, GifTiming, GifWriter};
pub use raster::{PixelRect, PixelSize, Rgba};
pub use timing::{PlayRate, Plays};
pub use video::{VIDEO_QUALITY, VideoFormat, VideoOptions};
pub use webp::WebpWriter;
