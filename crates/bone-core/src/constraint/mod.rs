//! Constraints: what a bone must do besides its keys. A hand stays on a door, an eye looks at a ball, a train follows its
//! track, a foot stays where it was set down.
//!
//! Constraints act on a pose and its places on the canvas in the order in which they stand, each with a `mix` from 0
//! (nothing) to 1 (all of it). They change the local numbers of bones and nothing else, and they know no other moment
//! than the one in hand: a frame alone is the frame in a sequence.

mod aim;
mod chain;
mod copy;
mod dense;
mod distance;
mod hands;
mod ik;
mod least;
mod limit;
mod linkage;
mod nearest;
mod newton;
mod path;
mod plain;
mod run;
mod tracks;
mod two_bone;

pub use aim::Aim;
pub use copy::{CopyBone, Space};
pub use distance::{Distance, Keep};
pub use ik::{Bend, Effector, EndAngle, Ik};
pub use limit::Limit;
pub use path::{Path, PathTurn, Track};
pub use run::{Constraint, Kind, Outcome, Scratch, Setting, Why, apply, spot_on_canvas};
pub use tracks::{ConstraintTrack, Hold};

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
