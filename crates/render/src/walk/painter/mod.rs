//! What draws: the border between the walk through a drawing and the library that makes pixels of it.
//! Refuses to know drawings: it is told one shape, one image, one layer after the other, in the order in which they lie.

mod skia;
#[cfg(feature = "vello")]
mod vello;

use tiny_skia::{
    BlendMode, Color, FillRule, FilterQuality, IntRect, Path, Pixmap, SpreadMode, Stroke, Transform,
};

pub(crate) use skia::Skia;
#[cfg(feature = "vello")]
pub(crate) use vello::{Scene, Vello};

/// The library that draws frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PainterKind {
    /// tiny-skia: every pixel as resvg draws it.
    #[default]
    TinySkia,
    /// vello_cpu: finer edges and many strokes in less time, pixels near those of resvg. What it cannot do, tiny-skia does.
    #[cfg(feature = "vello")]
    Vello,
}

use crate::fill::Record;

/// Draws on a picture. What was drawn may wait until the pixels are asked for.
pub(crate) trait Painter {
    /// Width and height in pixels.
    fn size(&self) -> (u32, u32);

    /// Fills a path of the space that the transform maps to pixels.
    fn fill(&mut self, path: &Path, rule: FillRule, coat: &Coat<'_>, ts: Transform);

    /// Draws along a path; the line is as wide as it is under the transform.
    fn stroke(&mut self, path: &Path, line: &Stroke, coat: &Coat<'_>, ts: Transform);

    /// As [`Painter::fill`]. The record is the shape's own, to keep what it covers for the next frame.
    fn fill_again(
        &mut self,
        path: &Path,
        rule: FillRule,
        coat: &Coat<'_>,
        ts: Transform,
        _record: &mut Record,
    ) {
        self.fill(path, rule, coat, ts);
    }

    /// As [`Painter::stroke`], with a record.
    fn stroke_again(
        &mut self,
        path: &Path,
        line: &Stroke,
        coat: &Coat<'_>,
        ts: Transform,
        _record: &mut Record,
    ) {
        self.stroke(path, line, coat, ts);
    }

    /// Draws an image, a pixel of it as large as a unit of the space that the transform maps to pixels.
    fn image(&mut self, pixels: &Pixmap, quality: FilterQuality, ts: Transform);

    /// Brings a layer that was drawn on its own onto what is behind it. Its place is in the picture's pixels.
    fn layer(&mut self, layer: &Pixmap, place: IntRect, opacity: f32, blend: BlendMode);

    /// Begins a group that comes as a whole: what is drawn until its end is seen through all cuts, as clear as the opacity says.
    /// A painter that says no has begun nothing; the group is drawn on a picture of its own, then.
    fn begin(&mut self, _opacity: f32, _cuts: &[Cut<'_>]) -> bool {
        false
    }

    /// Ends the group that was begun last.
    fn end(&mut self) {}

    /// The pixels, all that was drawn so far among them. Not within a group.
    fn pixels(&mut self) -> &mut Pixmap;
}

/// An outline that a group is cut to.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "vello"), allow(dead_code, reason = "only painters that take groups look into it"))]
pub(crate) struct Cut<'a> {
    pub(crate) path: &'a Path,
    pub(crate) rule: FillRule,
    pub(crate) anti_alias: bool,
    pub(crate) transform: Transform,
}

/// What a picture holds before it is drawn on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Behind {
    /// Nothing.
    Clear,
    /// It is to be filled first.
    Color(Color),
    /// What is to stay.
    Pixels,
}

/// What a shape is painted with, and how it meets what is behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coat<'a> {
    pub(crate) dye: Dye<'a>,
    pub(crate) blend: BlendMode,
    pub(crate) anti_alias: bool,
}

/// What gives a shape its colours. Gradients and tiles lie in the space of the shape, moved by a transform of their own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Dye<'a> {
    Color(Color),
    /// From one point to the other.
    Linear {
        ends: [f32; 4],
        stops: &'a [Stop],
        spread: SpreadMode,
        transform: Transform,
    },
    /// The focal point and its radius, the middle and its.
    Radial {
        numbers: [f32; 6],
        stops: &'a [Stop],
        spread: SpreadMode,
        transform: Transform,
    },
    /// A picture that repeats in both directions.
    Tile {
        pixmap: &'a Pixmap,
        opacity: f32,
        transform: Transform,
    },
}

/// A colour of a gradient, and where it stands from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    pub(crate) at: f32,
    pub(crate) color: Color,
}
