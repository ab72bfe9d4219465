//! Errors of poses and clips.

use std::error::Error;
use std::fmt;

use crate::builder::Chain;
use crate::{BoneId, in_few_digits};

/// A pose that cannot be placed on the canvas.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PoseError {
    /// The changed parents form a cycle.
    ParentLoop {
        /// From child to parent; the parent of the last is the first.
        bones: Vec<BoneId>,
    },
    /// A changed parent or setup names a bone that the skeleton does not have.
    UnknownBone {
        /// The bone.
        bone: BoneId,
    },
    /// The pose belongs to another skeleton: its number of bones is different.
    BoneCount {
        /// Bones of the pose.
        pose: usize,
        /// Bones of the skeleton.
        skeleton: usize,
    },
    /// The clip, or the memory of frames, belongs to another rig.
    OtherRig,
}

impl fmt::Display for PoseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ParentLoop { bones } => write!(f, "the parents of bones form a cycle: {bones:?}"),
            Self::UnknownBone { bone } => write!(f, "the skeleton has no {bone:?}"),
            Self::BoneCount { pose, skeleton } => {
                write!(f, "the pose has {pose} bones, the skeleton {skeleton}")
            }
            Self::OtherRig => f.write_str("the clip or the state belongs to another rig"),
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
        /// The given length, in seconds.
        length: f64,
    },
    /// A track names a bone that the skeleton does not have.
    UnknownBone {
        /// The bone.
        bone: BoneId,
    },
    /// A key of a parent whose time is not finite.
    ParentTime {
        /// The bone whose parent is keyed.
        bone: BoneId,
    },
    /// The changed parents form a cycle from this time on.
    ParentLoop {
        /// Seconds.
        time: f64,
        /// Names from child to parent; the parent of the last is the first.
        bones: Vec<String>,
    },
    /// A bone is to keep its transform when its parent changes, but the frame of its new parent is singular
    /// (a scale of 0).
    FlatParent {
        /// Seconds.
        time: f64,
        /// The bone whose parent changes.
        bone: String,
    },
}

impl fmt::Display for ClipError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { length } => {
                write!(f, "a clip's length must be a number above 0, not {}", in_few_digits(*length))
            }
            Self::UnknownBone { bone } => {
                write!(f, "a track names {bone:?}, which the skeleton does not have")
            }
            Self::ParentTime { bone } => {
                write!(f, "a key of the parent of {bone:?} has a time that is not a number")
            }
            Self::ParentLoop { time, bones } => {
                let time = in_few_digits(*time);
                write!(f, "at {time} s the parents of bones form a cycle: {}", Chain(bones))
            }
            Self::FlatParent { time, bone } => {
                write!(
                    f,
                    "at {} s bone \"{bone}\" cannot keep its place: its new parent is scaled to nothing",
                    in_few_digits(*time)
                )
            }
        }
    }
}

impl Error for ClipError {}
