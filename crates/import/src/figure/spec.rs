//! What a figure is to be made of: its bones, and what happens to those that are seen at an angle.

use crate::parts::BodyPart;

/// What happens to bones that are seen at an angle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Foreshortening {
    /// They get shorter.
    #[default]
    Keep,
    /// They get shorter, down to half their length.
    Clamp,
    /// They keep their length.
    Ignore,
}

/// How a figure is made.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FigureOptions {
    /// What happens to bones that are seen at an angle.
    pub foreshortening: Foreshortening,
    /// Whether it walks without getting anywhere.
    pub on_the_spot: bool,
    /// How high it stands, in units of the drawing.
    pub height: f64,
    /// Whether the last frame is the first one again.
    pub looped: bool,
}

impl FigureOptions {
    /// A figure of this height that moves along the ground once, with its foreshortening kept.
    pub const fn new(height: f64) -> Self {
        Self { foreshortening: Foreshortening::Keep, on_the_spot: false, height, looped: false }
    }

    /// The same options with another treatment of foreshortened bones.
    #[must_use]
    pub const fn foreshortening(self, foreshortening: Foreshortening) -> Self {
        Self { foreshortening, ..self }
    }

    /// The same options, and whether the figure moves on the spot.
    #[must_use]
    pub const fn on_the_spot(self, on_the_spot: bool) -> Self {
        Self { on_the_spot, ..self }
    }

    /// The same options, and whether the motion is a loop.
    #[must_use]
    pub const fn looped(self, looped: bool) -> Self {
        Self { looped, ..self }
    }
}

/// A bone of a figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FigureBone {
    /// Its name in the skeleton.
    pub name: String,
    /// The part of a body that it is.
    pub part: Option<BodyPart>,
    /// The joint where it begins.
    pub from: usize,
    /// The joint where it ends.
    pub to: usize,
    /// Its parent, by its place in the list.
    pub parent: Option<usize>,
}
