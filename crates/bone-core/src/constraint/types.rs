//! Types that all constraints share: attachment points, targets, parameters at one time, and the status.

use bone_archive::{archive, words};
use kurbo::Point;

use crate::BoneId;

archive! {
    /// A point of a bone.
    #[derive(Clone, Copy, Debug, PartialEq, Default)]
    pub enum AttachmentPoint {
        /// Its origin.
        Origin = 0,
        /// Its tip, stretch included.
        #[default]
        Tip = 1,
        /// A point in its frame, in which the bone lies along x; the bone's stretch is applied.
        At(Point) = 2,
    }
}

archive! {
    /// A target position.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Target {
        /// A point of the canvas.
        Canvas(Point) = 0,
        /// A point of a bone, at its current position.
        Bone(BoneId, AttachmentPoint) = 1,
        /// The position in the animated pose: the end is pinned there while other ends move.
        Here = 2,
    }
}

words! {
    /// The side to which a chain bends, seen from its first joint along the line to the target.
    #[non_exhaustive]
    pub enum Bend {
        /// The side of the animated pose, and on it the least change. The side is the sign of the area between
        /// the chain and the line from its first joint to its end. A straight chain takes the side with more room
        /// within its limits.
        #[default]
        Auto = 0,
        /// The first joint in between lies to the left of that line.
        Left = 1,
        /// It lies to the right.
        Right = 2,
        /// The side with the smaller change. With a moving target it may flip.
        Either = 3,
        /// The bend of the animated pose: the chain is stretched or compressed as a whole in place of bending, as far
        /// as its limits for that allow. What is left is as with `Auto`. A chain that is nearly straight bends far for
        /// a small change of its target; it stretches by as little as the target moves.
        Keep = 4,
    }
}

/// The parameters of a constraint at one time; `None` takes the constraint's own value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstraintParameters {
    /// The strength, from 0 to 1.
    pub mix: f64,
    /// The position that replaces a target on the canvas or on a bone.
    pub place: Option<Point>,
    /// The bend side.
    pub bend: Option<Bend>,
    /// The softness of inverse kinematics, or of an aim.
    pub softness: Option<f64>,
    /// The position on a path, or the distance.
    pub amount: Option<f64>,
}

/// The status of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConstraintStatus {
    /// Its condition is met (before its mix).
    Met,
    /// Its condition cannot be met; the pose is as near as possible.
    Nearest,
    /// It has no effect at this time: its mix is 0.
    Off,
    /// It is not applicable at this time, and did not change the pose.
    Ignored(IgnoredReason),
}

/// The reason why a constraint did not change a pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IgnoredReason {
    /// The constraint names a bone that the skeleton does not have.
    UnknownBone,
    /// The pose, the target or the mix is not finite.
    NotFinite,
    /// The target is a descendant of a bone that would move for it.
    CarriesTarget,
    /// No bone may move: the end's bone is not part of the chain, and has no parent.
    NoChain,
    /// A bone inside the chain inherits scale without rotation.
    InheritInside,
    /// A frame above is scaled to 0, so that no rotation has an effect.
    Flat,
}
