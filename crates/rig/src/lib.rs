//! A compiled rig: a drawing with its skeletons, skin, constraints and clips, ready to be posed at any time.
//!
//! A [`Rig`] is immutable while it plays and shared by all threads. Everything that changes from frame to
//! frame is in a [`FrameState`], one for each thread. Rigs are compiled from rig files by the crate
//! `rig-format`, or built by a program from [`parts::RigParts`].
//!
//! States and clips belong to the rig they were made for. [`Rig::pose`] and [`Rig::place`] return
//! [`PoseError::OtherRig`](bone_core::PoseError::OtherRig) for those of another rig; every other function
//! says on its page what it returns. None panics.

// What tests, benches and examples use is checked by the test of the manifests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod clip;
mod constraints;
mod drag;
mod draw_order;
mod paint;
pub mod parts;
mod rig;
mod state;

pub use clip::RigClip;
pub use constraints::RigConstraint;
pub use draw_order::{ArtPose, Choice, DrawOrder, Switch};
pub use parts::RigDriver;
pub use rig::Rig;
pub use state::FrameState;
