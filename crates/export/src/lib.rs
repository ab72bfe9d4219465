//! Clips to one file: GIF, APNG and WebP, sprite sheets, animated SVG and Lottie, and the arguments with which
//! ffmpeg makes videos; frames in layers: OpenRaster and Photoshop.
//!
//! Frames are straight RGBA, row by row, and come in order. A writer keeps what the next frame needs, so the
//! memory does not grow with the length of the animation; several frames are compressed at a time, and the
//! bytes are the same for any number of threads.
//!
//! ```
//! use std::io::Cursor;
//!
//! use bone_export::{Animation, PixelSize, PlayRate};
//!
//! // A white pixel that moves over black, at 12 frames a second.
//! let frames: Vec<Vec<u8>> = (0..3)
//!     .map(|at| (0..3).flat_map(|x| if x == at { [255; 4] } else { [0, 0, 0, 255] }).collect())
//!     .collect();
//! let size = PixelSize { width: 3, height: 1 };
//! let animation = Animation::new(size, 3, PlayRate { frames: 12, seconds: 1 });
//!
//! let mut writer = animation.writer("gif")?;
//! // A GIF has one palette for all frames, so they are needed twice.
//! frames.iter().for_each(|frame| writer.look(frame));
//! let mut file = Cursor::new(Vec::new());
//! for at in (0..).map_while(|at| writer.shown(at)).collect::<Vec<_>>() {
//!     writer.push(&frames[at], &mut file)?;
//! }
//! writer.finish(&mut file)?;
//! assert!(file.into_inner().starts_with(b"GIF89a"));
//! # Ok::<(), bone_export::ExportError>(())
//! ```
//!
//! [`vector`] has what needs no frames: animated SVG and Lottie of drawings.
//!
//! The crate opens no files, starts no programs and never prints.

// What tests and benches use is checked by the test of the manifests.

#![cfg_attr(not(test), warn(unused_crate_dependencies))]

#[cfg(feature = "atlas")]
mod atlas;
mod batch;
mod colours;
mod delivery;
mod difference;
mod error;
#[cfg(any(feature = "atlas", feature = "vector"))]
mod events;
mod flatten;
mod formats;
#[cfg(feature = "layers")]
mod layered;
mod palette;
mod parallel;
#[cfg(feature = "png")]
mod png;
mod raster;
mod timing;
#[cfg(feature = "vector")]
pub mod vector;
mod video;
#[cfg(any(feature = "layers", feature = "vector"))]
mod zip;

#[cfg(feature = "atlas")]
pub use atlas::{Atlas, AtlasBuilder, AtlasOptions, AtlasPage, AtlasTrim};
pub use delivery::{DELIVERIES, DeliveredFacts, DeliveryLevel, DeliveryTarget, reduce_colours};
pub use error::ExportError;
#[cfg(any(feature = "atlas", feature = "vector"))]
pub use events::ExportEvent;
pub use flatten::flatten;
pub use formats::{Animation, FORMATS, FileFormat, FormatKind, FrameWriter, OutputFile};
#[cfg(feature = "layers")]
pub use layered::LayerWriter;
pub use raster::{PixelRect, PixelSize, Rgba};
pub use timing::{PlayRate, Plays};
pub use video::{FilmSound, MOST_SOUNDS, SOUND_FORMATS, VIDEO_QUALITY, VideoFormat, VideoOptions};
