//! What shapes are filled with.

use tiny_skia::{BlendMode, Color, Pixmap, SpreadMode, Transform};

use crate::fill::Stop;

/// The shader and blend mode of a shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint<'a> {
    pub(crate) shader: Shader<'a>,
    pub(crate) blend: BlendMode,
    pub(crate) anti_alias: bool,
}

/// The colour source of a shape. Gradients and tiles lie in the space of the shape, moved by a transform of
/// their own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shader<'a> {
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
