//! Notes on solved weights, and errors. Names of bones and places in files are added by the caller.

use std::error::Error;
use std::fmt;

use bone_core::{BoneId, in_few_digits};
use kurbo::Point;

/// A problem in the input that was worked around. The weights are usable.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FieldNote {
    /// A shape with a coordinate or a stroke width that is not finite; it was left out.
    ShapeNotFinite {
        /// Its place in the list.
        shape: usize,
    },
    /// A path without a point; it was left out.
    ShapeEmpty {
        /// Its place in the list.
        shape: usize,
    },
    /// Nothing drawn has an extent: all weights go to the nearest bone.
    NoArea,
    /// So much detail that outlines were simplified before they were meshed.
    Coarse {
        /// Details below this size, in canvas units, are lost to the weights, not to the drawing.
        step: f64,
    },
    /// A bone whose origin is its tip; it counts as a point.
    BoneWithoutLength {
        /// The bone.
        bone: BoneId,
    },
    /// Bones that coincide; they share weights equally.
    BonesCoincide {
        /// One.
        first: BoneId,
        /// The other.
        second: BoneId,
    },
    /// A bone without influence: another one is nearer everywhere.
    BoneWithoutShare {
        /// The bone.
        bone: BoneId,
    },
    /// Parts of the drawing without a bone; each follows the part with bones beside it, or the nearest bones.
    PieceWithoutBone {
        /// A point of one of them.
        at: Point,
        /// How many there are.
        pieces: usize,
    },
    /// Two shapes that nearly touch have different weights there: too much detail was around to join them.
    Slit {
        /// The place.
        at: Point,
        /// The greatest difference of a bone's weight.
        jump: f64,
    },
    /// A part of a shape is outside every region of influence; it follows the nearest region.
    OutsideRegions {
        /// Its place in the list.
        shape: usize,
        /// A vertex of it that no region reaches.
        at: Point,
    },
    /// The equations could not be solved; a simpler method was used: heat for biharmonic, the nearest bone
    /// for heat.
    Unsolved,
    /// Biharmonic weights that are within their bounds, but not proven optimal.
    NotOptimal,
}

impl fmt::Display for FieldNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ShapeNotFinite { shape } => {
                write!(f, "shape {shape} has a coordinate that is not a usable number: it was left out")
            }
            Self::ShapeEmpty { shape } => write!(f, "shape {shape} has no points: it was left out"),
            Self::NoArea => write!(f, "nothing drawn has an extent: weights go to the nearest bone"),
            Self::Coarse { step } => {
                let step = in_few_digits(*step);
                write!(f, "the outlines are very detailed: weights ignore what is smaller than {step}")
            }
            Self::BoneWithoutLength { bone } => write!(f, "{bone:?} has no length: it counts as a point"),
            Self::BonesCoincide { first, second } => {
                write!(f, "{first:?} and {second:?} lie on each other: they share equally")
            }
            Self::BoneWithoutShare { bone } => {
                write!(f, "{bone:?} has no influence: other bones are nearer everywhere")
            }
            Self::PieceWithoutBone { at, pieces } => {
                write!(
                    f,
                    "no bone comes into {pieces} parts of the drawing, one of them at {}: they follow what is nearest",
                    place(*at)
                )
            }
            Self::Slit { at, jump } => {
                let (jump, at) = (in_few_digits(*jump), place(*at));
                write!(f, "weights differ by {jump} between shapes that nearly touch at {at}")
            }
            Self::OutsideRegions { shape, at } => {
                write!(
                    f,
                    "no region of influence reaches shape {shape} at {}: it follows the nearest one",
                    place(*at)
                )
            }
            Self::Unsolved => write!(f, "the weights could not be solved: a simpler method was used"),
            Self::NotOptimal => write!(f, "the weights are within bounds, but may not be the smoothest"),
        }
    }
}

/// A point in a message.
fn place(at: Point) -> String {
    format!("({}, {})", in_few_digits(at.x), in_few_digits(at.y))
}

/// The reason why there are no weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldError {
    /// There are no bones.
    NoBones,
    /// There are no shapes.
    NoShapes,
    /// Every shape has a coordinate that is not finite.
    ShapesNotFinite,
    /// A bone whose origin or tip is not finite, or is beyond 1e100.
    BoneNotFinite {
        /// The bone.
        bone: BoneId,
    },
    /// A bone that is listed twice.
    BoneTwice {
        /// The bone.
        bone: BoneId,
    },
    /// It was cancelled.
    Cancelled,
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBones => write!(f, "there are no bones to follow"),
            Self::NoShapes => write!(f, "there is nothing drawn that could follow bones"),
            Self::ShapesNotFinite => write!(f, "every shape has coordinates that are not usable numbers"),
            Self::BoneNotFinite { bone } => write!(f, "{bone:?} does not lie at a usable place"),
            Self::BoneTwice { bone } => write!(f, "{bone:?} is listed twice"),
            Self::Cancelled => write!(f, "it was cancelled"),
        }
    }
}

impl Error for FieldError {}
