//! What all constraints share: points of bones, targets, settings of one moment, and how a constraint ended.

use kurbo::Point;

use crate::BoneId;

/// A point of a bone.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Spot {
    /// Where it starts.
    Origin,
    /// Where it ends, its stretch included.
    #[default]
    Tip,
    /// A point of its frame, in which it lies along x; its stretch moves the point along.
    At(Point),
}

/// Where something is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// A point of the canvas.
    Canvas(Point),
    /// A point of a bone, wherever that is now.
    Bone(BoneId, Spot),
    /// Where the animated pose has it: the end is pinned there while others pull.
    Here,
}

/// The side to which a chain bends, seen from its first joint along the line to the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Bend {
    /// The side on which the animated pose has it, and there the least change: the sign of the area between the chain and the line
    /// from its first joint to its end. A straight chain takes the side to which its limits leave more room.
    #[default]
    Auto,
    /// The first joint in between lies to the left of that line.
    Left,
    /// It lies to the right.
    Right,
    /// Whichever side is the smaller change. A moving target may make it flip.
    Either,
}

/// What of a constraint is animated, at one moment; `None` is what the constraint itself says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// How much of it counts, from 0 to 1.
    pub mix: f64,
    /// The point of the canvas that takes the place of a canvas target.
    pub place: Option<Point>,
    /// The side to bend to.
    pub bend: Option<Bend>,
    /// The softness of inverse kinematics.
    pub softness: Option<f64>,
    /// The position on a path, or the distance.
    pub amount: Option<f64>,
}

/// How a constraint ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// What it asks for holds (before its mix).
    Met,
    /// It cannot hold; the pose is as near as it gets.
    Nearest,
    /// It had no effect at this moment: its mix is 0.
    Off,
    /// It makes no sense at this moment and left the pose alone.
    Ignored(Why),
}

/// Why a constraint left a pose alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// The pose, the target or the mix is not a number.
    NotFinite,
    /// The target is a descendant of a bone that would move for it.
    CarriesTarget,
    /// No bone may move: the end's bone rides along and nothing carries it.
    NoChain,
    /// A bone inside the chain inherits scale without rotation.
    InheritInside,
    /// Something above is scaled to nothing, so that no turn has an effect.
    Flat,
}
