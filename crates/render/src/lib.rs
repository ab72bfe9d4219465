//! SVG in and out, and pixels of drawings.
//!
//! [`read_svg`] makes a [`Drawing`](bone_drawing::Drawing) of a text, [`write_svg`] a text of a drawing and a
//! [`Frame`](bone_drawing::Frame). A [`Renderer`] draws frames with tiny-skia, every pixel as resvg draws the
//! text; a [`FrameEncoder`] makes bytes of them, and a [`FrameSink`] keeps those.
//!
//! ```text
//! SVG text -> Drawing -+-> (per frame) Renderer -> pixels -> FrameEncoder -> bytes -> FrameSink
//!                      +-> (per frame) SVG text -> Raster -> pixels: the reference
//! ```
//!
//! Canvas space is the user space of the root `viewBox`, x right and y down, whatever the size of the frame
//! in pixels.
//!
//! The crate opens no files but those that a sink writes, has no serialisation and never prints.

// What tests, benches and examples use is checked by the test of the manifests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod compose;
#[cfg(feature = "sinks")]
mod encode;
mod frame;
mod number;
mod range;
mod raster;
mod renderer;
#[cfg(feature = "sinks")]
mod sink;
mod svg;
mod viewport;

pub use compose::{composite_over, data_url, data_url_of, fill_background, retain_art, tint};
#[cfg(feature = "sinks")]
pub use encode::{Compress, EncodeError, PngEncoder};
pub use frame::{Background, BackgroundError, FrameOptions, FrameSize, FrameSizeError};
pub use number::as_written;
pub use raster::{Raster, RasterError};
pub use renderer::{DrawReport, Renderer};
#[cfg(feature = "sinks")]
pub use sink::{
    Encoding, FilePattern, FrameContent, FrameEncoder, FrameName, FrameRate, FrameSink, Memory,
    NumberedFiles, PatternError, SinkError, Stream, WholeFile, keep_name, new_file, replace_file,
};
pub use svg::{
    ImageSource, MAX_LETTERS, NoteSeverity, Precision, Resources, Showable, SvgDefinition, SvgError,
    SvgGradient, SvgGroup, SvgItem, SvgLook, SvgNote, SvgOutline, SvgPlace, SvgRegion, SvgTint, SvgValues,
    SvgView, SvgWriter, color_matrix, decode_svg, escape_xml, is_id_taken, read_svg, read_svg_showing,
    svg_text, write_node, write_svg, write_svg_view,
};

pub use viewport::Viewport;

pub use kurbo;
#[cfg(not(feature = "text"))]
pub use svg::fontdb;
pub use tiny_skia::Pixmap;
#[cfg(feature = "text")]
pub use usvg::fontdb;

#[cfg(test)]
mod tests;
