//! What shapes are filled with.

use tiny_skia::{BlendMode, Color, Pixmap, SpreadMode, Transform};

use crate::fill::Stop;

/// The shader and blend mode of a shape.
#[derive(Clone, Copy, Debug)]
pub struct Paint<'a> {
    /// The colour source.
    pub shader: Shader<'a>,
    /// How it is combined with what is below.
    pub blend: BlendMode,
    /// Whether edges are antialiased.
    pub anti_alias: bool,
}

/// The colour source of a shape. Gradients and tiles lie in the space of the shape, moved by a transform of
/// their own.
#[derive(Clone, Copy, Debug)]
pub enum Shader<'a> {
    /// One colour.
    Color(Color),
    /// From one point to the other.
    Linear {
        /// x and y of the first point, then of the second.
        ends: [f32; 4],
        /// In the order of their offsets.
        stops: &'a [Stop],
        /// What is beyond the ends.
        spread: SpreadMode,
        /// To the space of the shape.
        transform: Transform,
    },
    /// Between two circles.
    Radial {
        /// x, y and radius of the focal circle, then of the outer one.
        numbers: [f32; 6],
        /// In the order of their offsets.
        stops: &'a [Stop],
        /// What is beyond the circles.
        spread: SpreadMode,
        /// To the space of the shape.
        transform: Transform,
    },
    /// A picture that repeats in both directions.
    Tile {
        /// The picture.
        pixmap: &'a Pixmap,
        /// From 0 to 1.
        opacity: f32,
        /// From its pixels to the space of the shape.
        transform: Transform,
    },
}
