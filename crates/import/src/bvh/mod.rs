//! BVH: a tree of joints with offsets, and for each frame a row of numbers. The format was never written down; what is read here is
//! what programs write: any order of turns, positions of any joint, no end sites, any line ends.
//!
//! Positions in a row *replace* the offset of their joint. There is no unit and no up axis in the file.

mod lexer;
mod read;
#[cfg(test)]
mod tests;

use std::ops::Range;

use bone_core::Angle;

use crate::chunks::{chunks, concat};
use crate::space::{self, IDENTITY, Mat3, Vec3};

pub use read::{decode, read};

/// What a number of a row moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BvhChannel {
    /// The place along an axis, in place of the offset.
    Position(u8),
    /// A turn about an axis, degrees, after those before it.
    Rotation(u8),
}

/// A joint of the tree; an end site is one without channels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BvhJoint {
    pub(crate) name: String,
    /// The joint it hangs on; it comes before this one.
    pub(crate) parent: Option<usize>,
    pub(crate) offset: Vec3,
    pub(crate) channels: Vec<BvhChannel>,
}

/// A recording as the file has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Bvh {
    pub(crate) joints: Vec<BvhJoint>,
    /// Seconds.
    pub(crate) frame_time: f64,
    /// A row of all channels a frame.
    pub(crate) rows: Vec<f64>,
    /// Numbers in a row.
    pub(crate) width: usize,
}

impl Bvh {
    /// How many joints there are, end sites too.
    pub fn joint_count(&self) -> usize {
        self.joints.len()
    }

    /// The name of a joint; an end site is called after its joint, with `_End` behind it.
    pub fn joint_name(&self, joint: usize) -> &str {
        &self.joints[joint].name
    }

    /// The joint that a joint hangs on.
    pub fn parent(&self, joint: usize) -> Option<usize> {
        self.joints[joint].parent
    }

    /// How many frames there are: at least one.
    pub fn frames(&self) -> usize {
        self.rows.len() / self.width
    }

    /// Frames a second.
    pub fn rate(&self) -> f64 {
        1.0 / self.frame_time
    }

    /// Where all joints are in a frame, in the file's own space and unit.
    ///
    /// # Panics
    /// If there is no such frame.
    pub fn joint_positions(&self, frame: usize) -> Vec<[f64; 3]> {
        let mut positions = Vec::with_capacity(self.joints.len());
        let mut turns = Vec::with_capacity(self.joints.len());
        self.world_into(&self.rows[frame * self.width..(frame + 1) * self.width], &mut positions, &mut turns);
        positions
    }

    /// Where all joints are when no number of a row moves them.
    pub(crate) fn rest_positions(&self) -> Vec<[f64; 3]> {
        let mut positions: Vec<Vec3> = Vec::with_capacity(self.joints.len());
        for joint in &self.joints {
            let from = joint.parent.map_or([0.0; 3], |parent| positions[parent]);
            positions.push(space::add(from, joint.offset));
        }
        positions
    }

    /// The same for all frames, one after the other.
    pub(crate) fn all_positions(&self) -> Vec<Vec3> {
        let some = |frames: Range<usize>| {
            let mut positions = Vec::with_capacity(frames.len() * self.joints.len());
            let mut turns = Vec::with_capacity(self.joints.len());
            for row in self.rows.chunks_exact(self.width).skip(frames.start).take(frames.len()) {
                let start = positions.len();
                self.world_at(row, &mut positions, start, &mut turns);
            }
            positions
        };
        chunks(self.frames(), 1000, some).into_iter().reduce(concat).unwrap_or_default()
    }

    fn world_into(&self, row: &[f64], positions: &mut Vec<Vec3>, turns: &mut Vec<Mat3>) {
        positions.clear();
        self.world_at(row, positions, 0, turns);
    }

    /// Appends the places of one frame, which begin at `start`.
    fn world_at(&self, row: &[f64], positions: &mut Vec<Vec3>, start: usize, turns: &mut Vec<Mat3>) {
        turns.clear();
        let mut numbers = row.iter();
        for joint in &self.joints {
            let mut offset = joint.offset;
            let mut turn = joint.parent.map_or(IDENTITY, |parent| turns[parent]);
            let from = joint.parent.map_or([0.0; 3], |parent| positions[start + parent]);
            let carried = turn;
            for channel in &joint.channels {
                let value = numbers.next().copied().unwrap_or_default();
                match *channel {
                    BvhChannel::Position(axis) => offset[usize::from(axis)] = value,
                    BvhChannel::Rotation(axis) => {
                        turn = space::turned(&turn, usize::from(axis), Angle::from_degrees(value));
                    }
                }
            }
            positions.push(space::add(from, space::apply(&carried, offset)));
            turns.push(turn);
        }
    }
}
