//! From a posed drawing to pixels: SVG art, frames, sinks.
//!
//! A drawing is read once into an [`Art`]: every element of the SVG with its names, its place in the text and, for
//! paths, its outline in canvas space. A [`Template`] says which of them move; per frame it writes the posed drawing as an SVG,
//! which a [`Raster`] draws, a [`FrameEncoder`] makes bytes of and a [`FrameSink`] keeps.
//!
//! ```text
//! SVG text -> Art -> Template -> (per frame) SVG text -> Raster -> Pixmap -> FrameEncoder -> bytes -> FrameSink
//! ```
//!
//! Canvas space is the user space of the root `viewBox`, x right and y down, whatever the size of the frame in pixels.
//!
//! A [`Walker`] goes from the numbers of a frame to pixels without the text. tiny-skia paints for it; with the feature `vello`, vello_cpu
//! does if it is asked to: `Walker::with(PainterKind::Vello)`.
//!
//! The crate opens no files but those that a sink writes, knows no serialisation and never prints.

mod art;
mod compose;
mod cuts;
mod encode;
mod fill;
mod frame;
mod given;
mod holes;
mod number;
mod paint;
mod posed;
mod presence;
mod raster;
mod refused;
mod region;
mod sink;
mod template;
mod walk;

pub use art::{
    Art, ArtError, DrawnOutline, Element, ElementId, ElementKind, ElementState, FindError, Hidden,
    ImageSource, Note, Numbered, Outline, Place, Resources, Severity, Showable, Stencil, limits,
};
pub use compose::{data_url, lay_over, only, tint};
pub use encode::{Compress, EncodeError, PngEncoder};
pub use frame::{Background, BackgroundError, FrameSize, FrameSizeError, MAX_FRAME_PIXELS, MAX_FRAME_SIDE};
pub use given::Given;
pub use number::settled;
pub use paint::Look;
pub use posed::{PosedArt, Skipped};
pub use presence::Presence;
pub use raster::{FrameOptions, Raster, RasterError};
pub use refused::TemplateError;
pub use sink::{
    Encoding, FilePattern, FrameContent, FrameEncoder, FrameName, FrameRate, FrameSink, Memory,
    NumberedFiles, PatternError, SinkError, Stream,
};
pub use template::Template;
pub use walk::{Drawn, PainterKind, Walker};

pub use tiny_skia::Pixmap;
pub use usvg::fontdb;

#[cfg(test)]
mod tests;
