//! What can be wrong with a pose or a clip. Mistakes in a skeleton are the builder's.

use std::error::Error;
use std::fmt;

use crate::BoneId;
use crate::builder::Chain;

/// A pose that has no place on the canvas.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PoseError {
    /// Changed parents carry each other.
    ParentLoop {
        /// From child to parent; the last hangs on the first.
        bones: Vec<BoneId>,
    },
}

impl fmt::Display for PoseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ParentLoop { bones } => write!(f, "bones carry each other in a loop: {bones:?}"),
        }
    }
}

impl Error for PoseError {}

/// A clip that cannot be played.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ClipError {
    /// A length that is not a number above 0.
    Length {
        /// What was given, in seconds.
        length: f64,
    },
    /// Changed parents carry each other from this time on.
    ParentLoop {
        /// Seconds.
        time: f64,
        /// Names from child to parent; the last hangs on the first.
        bones: Vec<String>,
    },
    /// A bone changes hands in place, but the frame of its new parent is flat (a scale of 0), so that nothing can stay in
    /// place in it.
    FlatParent {
        /// Seconds.
        time: f64,
        /// The bone that changes hands.
        bone: String,
    },
}

impl fmt::Display for ClipError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { length } => write!(f, "a clip's length must be a number above 0, not {length}"),
            Self::ParentLoop { time, bones } => {
                write!(f, "at {time} s bones carry each other in a loop: {}", Chain(bones))
            }
            Self::FlatParent { time, bone } => {
                write!(
                    f,
                    "at {time} s bone \"{bone}\" cannot keep its place: its new parent is scaled to nothing"
                )
            }
        }
    }
}

impl Error for ClipError {}
