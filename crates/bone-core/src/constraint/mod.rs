//! Constraints: what a bone must do besides its keys. A hand stays on a door, an eye looks at a ball, a train follows its
//! track, a foot stays where it was set down.
//!
//! Constraints act on a pose and its places on the canvas in the order in which they stand, each with a `mix` from 0
//! (nothing) to 1 (all of it). They change the local numbers of bones and nothing else, and they know no other moment
//! than the one in hand: a frame alone is the frame in a sequence.

mod aim;
mod context;
mod copy;
mod distance;
mod hands;
mod ik;
mod limit;
mod path;
mod range;
mod run;
mod tracks;
mod types;

pub use aim::Aim;
pub use context::spot_on_canvas;
pub use copy::{CopyBone, Space};
pub use distance::{Distance, Keep};
pub use ik::{Effector, EndAngle, Ik};
pub use limit::Limit;
pub use path::{Path, PathTurn, Track};
pub use run::{Constraint, Kind, Scratch, apply};
pub use tracks::{ConstraintTrack, Hold};
pub use types::{Bend, Outcome, Setting, Spot, Target, Why};
