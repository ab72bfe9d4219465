//! Constraints: conditions that bones meet besides their keys. A hand stays on a door, an eye looks at a
//! ball, a train follows its track, a foot stays on the floor.
//!
//! Constraints are applied to a pose and its placement on the canvas in their order, each with a `mix` from 0
//! (no effect) to 1 (full effect). They change only local values of bones, and depend on no other frame.

mod aim;
mod context;
mod copy;
mod distance;
mod ik;
mod limit;
mod path;
mod range;
mod rule;
mod run;
mod tracks;
mod types;

pub use aim::Aim;
pub use context::attachment_on_canvas;
pub use copy::{CopyBone, CopySpace};
pub use distance::{Distance, DistanceMode};
pub use ik::{Effector, EndAngle, Ik};
pub use limit::Limit;
pub use path::{MeasuredPath, Path, PathTurn};
pub use rule::{Constraint, ConstraintRule};
pub use run::{ConstraintScratch, apply};
pub use tracks::{ConstraintProperty, ConstraintTrack, Hold};
pub use types::{AttachmentPoint, Bend, ConstraintParameters, ConstraintStatus, IgnoredReason, Target};
