//! A recording as its file has it.

use crate::space::Vec3;

/// What a number of a row controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BvhChannel {
    /// The position along an axis; it replaces the offset.
    Position(u8),
    /// A rotation about an axis in degrees, applied after those before it.
    Rotation(u8),
}

/// A joint of the tree; an end site is a joint without channels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BvhJoint {
    pub(super) name: String,
    /// Its parent, which comes before it.
    pub(super) parent: Option<usize>,
    pub(super) offset: Vec3,
    pub(super) channels: Vec<BvhChannel>,
}

/// A recording as the file has it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bvh {
    pub(super) joints: Vec<BvhJoint>,
    /// Seconds.
    pub(super) frame_time: f64,
    /// The numbers of all channels, one row for each frame.
    pub(super) rows: Vec<f64>,
    /// The length of a row.
    pub(super) width: usize,
}
