//! The joints of a figure in space: what the readers of captures make.

use bone_core::Side;

use crate::body::{Body, JointTree};
use crate::parts::BodyPart;
use crate::space::{Vec3, length, sub};

/// An axis of a file with its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedAxis {
    /// 0, 1 or 2 for x, y or z.
    pub axis: u8,
    /// Whether the negative half of the axis is meant.
    pub negative: bool,
}

impl SignedAxis {
    pub(crate) fn vector(self) -> Vec3 {
        let mut v = [0.0; 3];
        v[usize::from(self.axis.min(2))] = if self.negative { -1.0 } else { 1.0 };
        v
    }

    /// The axis as it is typed: `+y`.
    pub fn name(self) -> String {
        let letter = ["x", "y", "z"][usize::from(self.axis.min(2))];
        format!("{}{letter}", if self.negative { "-" } else { "+" })
    }
}

/// The joints of one figure in space, frame by frame: what the readers of captures make.
#[derive(Clone, Debug, PartialEq)]
pub struct SpaceMotion {
    /// The names of the joints, parents first.
    pub(crate) names: Vec<String>,
    pub(crate) parents: Vec<Option<usize>>,
    /// Frames a second.
    pub(crate) rate: f64,
    /// The joints of frame 0, then those of frame 1, and so on.
    pub(crate) positions: Vec<Vec3>,
    /// The figure at rest.
    pub(crate) rest: Vec<Vec3>,
    /// What was assumed.
    pub(crate) notes: Vec<String>,
    /// The kind of the figure, if it is given.
    pub(crate) kind: Option<FigureKind>,
}

/// What is made of a skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureKind {
    /// A person: its joints are parts of a body.
    Person,
    /// A figure of its own joints, with their names.
    Joints,
}

impl SpaceMotion {
    /// The motion of joints at a number of frames a second, and the figure at rest.
    pub(crate) fn new(
        names: Vec<String>,
        parents: Vec<Option<usize>>,
        rate: f64,
        positions: Vec<Vec3>,
        rest: Vec<Vec3>,
    ) -> Self {
        Self { names, parents, rate, positions, rest, notes: Vec::new(), kind: None }
    }

    /// The number of joints.
    pub fn joint_count(&self) -> usize {
        self.names.len()
    }

    /// The number of frames.
    pub fn frames(&self) -> usize {
        self.positions.len() / self.names.len().max(1)
    }

    /// The same motion with further notes about what was assumed.
    #[must_use]
    pub fn noted(mut self, notes: &[String]) -> Self {
        self.notes.extend_from_slice(notes);
        self
    }

    /// The same motion as that of a figure of this kind; without one an animal is found by its shape.
    #[must_use]
    pub fn of_kind(self, kind: Option<FigureKind>) -> Self {
        Self { kind: kind.or(self.kind), ..self }
    }

    /// The parts of the body.
    pub(crate) fn body(&self) -> Body {
        Body::find(&JointTree {
            names: self.names.iter().map(String::as_str).collect(),
            parents: self.parents.clone(),
            lengths: self.lengths(),
            pose: self.first().to_vec(),
        })
    }

    pub(crate) fn first(&self) -> &[Vec3] {
        &self.positions[..self.names.len()]
    }

    /// The distance of each joint from its parent. The offset of a joint that has position channels is not
    /// its length, so lengths are measured in a frame.
    pub(crate) fn lengths(&self) -> Vec<f64> {
        let first = self.first();
        let distance =
            |joint: usize| self.parents[joint].map_or(0.0, |parent| length(sub(first[joint], first[parent])));
        (0..self.names.len()).map(distance).collect()
    }
}

/// The parts whose ends are missing although their joints turn, and the lengths to give them: heads and
/// hands. Some programs write ends at a distance of 0, which would lose their turns.
pub(crate) fn missing_ends(motion: &SpaceMotion) -> Vec<(BodyPart, usize, f64)> {
    let body = motion.body();
    let first = motion.first();
    let far = |a: usize, b: usize| length(sub(first[b], first[a]));
    let mut found = Vec::new();
    for part in [BodyPart::Head, BodyPart::Hand(Side::Left), BodyPart::Hand(Side::Right)] {
        let Some(joint) = body.start(part).filter(|_| body.end(part).is_none()) else { continue };
        let long = match part {
            BodyPart::Hand(side) => body.start(BodyPart::ForeArm(side)).map(|arm| 0.4 * far(arm, joint)),
            _ => body.start(BodyPart::Hips).map(|hips| 0.3 * far(hips, joint)),
        };
        found.extend(long.filter(|long| *long > 0.0).map(|long| (part, joint, long)));
    }
    found
}
