//! What plays: a rig is a drawing with its skeletons, skin, constraints and clips, compiled and ready to be posed at any time.
//!
//! A [`Rig`] never changes while it plays and is shared by all threads; what changes from frame to frame is in a [`FrameState`],
//! one a thread. Rigs are made from rig files by the crate `rig-format`, or by a program from [`parts::RigParts`].

// What tests, benches and examples use is checked by the test of the manifests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod clip;
mod constraints;
mod drag;
mod draw_order;
mod paint;
mod rig;

pub use clip::RigClip;
pub use constraints::RigConstraint;
pub use draw_order::{ArtPose, Choice, DrawOrder, Switch};
pub use rig::{FrameState, Rig, RigDriver};

/// What a rig is made of, for programs that make rigs.
pub mod parts {
    pub use crate::clip::ClipSource;
    pub use crate::constraints::{ConstraintState, ConstraintTracks, Constraints};
    pub use crate::draw_order::{ArtTracks, NOTHING};
    pub use crate::paint::{PaintRule, PaintSource};
    pub use crate::rig::RigParts;
}
