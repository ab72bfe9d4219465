//! What draws: the border between the walk through a drawing and the library that makes pixels of it.
//! Refuses to know drawings: it is told one shape, one image, one layer after the other, in the order in which they lie.

mod skia;

use tiny_skia::{
    BlendMode, Color, FillRule, FilterQuality, IntRect, Path, Pixmap, SpreadMode, Stroke, Transform,
};

pub(crate) use skia::Skia;

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

    /// The pixels, all that was drawn so far among them.
    fn pixels(&mut self) -> &mut Pixmap;
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
