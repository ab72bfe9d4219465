//! BVH: a tree of joints with offsets, and a row of numbers for each frame. The format has no specification;
//! what is read here is what programs write: rotations in any order, positions of any joint, missing end
//! sites, any line ends.
//!
//! Positions in a row *replace* the offset of their joint. The file has no unit and no up axis.

mod lexer;
mod read;
mod recording;
#[cfg(test)]
mod tests;

use std::ops::Range;

use bone_core::Angle;

use crate::body::Body;
use crate::chunks::{chunks, concat};
use crate::parts::BodyPart;
use crate::space::{self, IDENTITY, Mat3, Vec3};
use crate::space_motion::{SpaceMotion, missing_ends};

pub use read::{decode, read};
use recording::{Bvh, BvhChannel, BvhJoint};

/// The cosine of the angle to its neck from which on the end of a head is not above it.
const ASIDE: f64 = 0.5;
/// About the number of frames in which the direction of a head is measured.
const HEAD_FRAMES: usize = 200;

impl Bvh {
    /// The number of frames, at least one.
    fn frames(&self) -> usize {
        self.rows.len() / self.width
    }

    /// The joints in space in all frames. Heads and hands that end where they begin get ends that turn with
    /// their joints, and a head that ends at its side ends above it.
    fn motion(&self) -> SpaceMotion {
        let plain = self.in_space();
        let ends = missing_ends(&plain);
        let above = self.end_of_head(&plain.body());
        if ends.is_empty() && above.is_none() {
            return plain;
        }
        let mut longer = self.clone();
        for (_, joint, long) in ends {
            let along = space::direction(self.joints[joint].offset).unwrap_or([0.0, 1.0, 0.0]);
            longer.joints.push(BvhJoint {
                name: format!("{}_Tip", self.joints[joint].name),
                parent: Some(joint),
                offset: space::scaled(along, long),
                channels: Vec::new(),
            });
        }
        let mut notes = Vec::new();
        if let Some((end, offset)) = above {
            longer.joints[end].offset = offset;
            let head = self.joints[end].parent.map_or("", |head| &self.joints[head].name);
            notes.push(format!("\"{head}\" ends at the side of the head: its end is moved above it"));
        }
        longer.in_space().noted(&notes)
    }

    /// The end of a head that points aside or ahead, and the offset with which it is above the head: some
    /// skeletons have bones along an axis of their own in the file, and turn them in all frames.
    fn end_of_head(&self, body: &Body) -> Option<(usize, Vec3)> {
        let (head, end) = (body.start(BodyPart::Head)?, body.end(BodyPart::Head)?);
        let neck = body.start(BodyPart::Neck).filter(|neck| *neck != head).or(self.joints[head].parent)?;
        let moves = |channel: &BvhChannel| matches!(channel, BvhChannel::Position(_));
        if self.joints[end].parent != Some(head) || self.joints[end].channels.iter().any(moves) {
            return None;
        }
        let (mut positions, mut turns, mut sum) = (Vec::new(), Vec::new(), [0.0; 3]);
        for row in self.rows.chunks_exact(self.width).step_by(1 + self.frames() / HEAD_FRAMES) {
            self.world_into(row, &mut positions, &mut turns);
            if let Some(up) = space::direction(space::sub(positions[head], positions[neck])) {
                sum = space::add(sum, space::apply_transposed(&turns[head], up));
            }
        }
        let (up, offset) = (space::direction(sum)?, self.joints[end].offset);
        let long = space::length(offset);
        (space::dot(up, offset) < ASIDE * long).then(|| (end, space::scaled(up, long)))
    }

    fn in_space(&self) -> SpaceMotion {
        let names = self.joints.iter().map(|joint| joint.name.clone()).collect();
        let parents = self.joints.iter().map(|joint| joint.parent).collect();
        SpaceMotion::new(names, parents, 1.0 / self.frame_time, self.all_positions(), self.rest_positions())
    }

    /// The positions of all joints from their offsets alone.
    fn rest_positions(&self) -> Vec<[f64; 3]> {
        let mut positions: Vec<Vec3> = Vec::with_capacity(self.joints.len());
        for joint in &self.joints {
            let from = joint.parent.map_or([0.0; 3], |parent| positions[parent]);
            positions.push(space::add(from, joint.offset));
        }
        positions
    }

    /// The positions of all joints in all frames, frame by frame.
    fn all_positions(&self) -> Vec<Vec3> {
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

    /// Appends the positions of one frame, which begin at `start`.
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
