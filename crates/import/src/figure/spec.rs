//! The description of a figure: its options and its bones.

use crate::animal_parts::AnimalPart;
use crate::parts::BodyPart;

/// How foreshortened bones are treated.
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
pub struct FigureOptions {
    /// How foreshortened bones are treated.
    pub foreshortening: Foreshortening,
    /// Whether the figure walks on the spot.
    pub on_the_spot: bool,
    /// The height of the figure, in units of the canvas.
    pub height: f64,
    /// Whether the last frame equals the first one.
    pub looped: bool,
    /// The tolerance of the joints, as a share of the height: a bone whose seen length is within it keeps its
    /// direction.
    pub tolerance: f64,
}

impl FigureOptions {
    /// Options for a figure of this height that moves along the ground, does not loop and keeps its
    /// foreshortening.
    pub const fn new(height: f64) -> Self {
        Self {
            foreshortening: Foreshortening::Keep,
            on_the_spot: false,
            height,
            looped: false,
            tolerance: 0.01,
        }
    }
}

/// A bone of a figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FigureBone {
    /// Its name in the skeleton.
    pub name: String,
    /// The part of a body that it is, if it is one.
    pub part: Option<BodyPart>,
    /// The part of a four-legged animal that it is, if it is one.
    pub animal: Option<AnimalPart>,
    /// The index of the joint where it begins.
    pub from: usize,
    /// The index of the joint where it ends.
    pub to: usize,
    /// The index of its parent bone.
    pub parent: Option<usize>,
}
