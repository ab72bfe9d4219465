//! Recorded motion in, clips that an artist can edit out.
//!
//! A recording has a position for every joint in every frame. A clip has a few keys a second, feet that do
//! not slide, and a loop whose end is its start. Both sides share one type, [`PlanarMotion`]: the joints of
//! one figure in the plane, frame by frame. The readers of file formats ([`bvh`], [`keypoints`]) make it;
//! everything that makes clips takes it.
//!
//! The crate opens no files and does not depend on the rig format: the caller passes text and a skeleton, and
//! writes the result.

// A test of the manifests checks the dependencies of tests, benches and examples.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

#[macro_use]
mod error;

pub mod amc;
pub mod animal;
mod animal_parts;
mod body;
pub mod bvh;
mod chunks;
mod control_tracks;
pub mod controls;
pub mod cycle;
pub mod distance;
pub mod facing;
pub mod figure;
mod figure_leg;
pub mod fit;
pub mod gltf;
mod json;
pub mod keypoints;
pub mod lips;
mod marker_tracks;
mod markers;
pub mod parts;
mod planar;
pub mod planted;
mod project;
pub mod retarget;
mod rigid;
mod segments;
mod space;
mod space_motion;
mod statistics;
pub mod stick_figure;
#[cfg(test)]
mod tests;
mod text;
pub mod transitions;
pub mod trc;

pub use body::Body;
pub use error::ImportError;
pub use figure_leg::FigureLeg;
pub use planar::{PlanarJoint, PlanarMotion};
pub use project::{ProjectedMotion, ViewDirection, project};
pub use space_motion::{FigureKind, SignedAxis, SpaceMotion};
