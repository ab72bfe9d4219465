//! RecordedTrack motion in, clips out that an artist can edit.
//!
//! A recording knows every joint in every frame. A clip has a few keys a second, feet that stand, and an end that meets its
//! start. Between the two lies one border type, [`PlanarMotion`]: the joints of one figure in the plane, frame by frame. What reads
//! files makes it, what makes clips takes it.
//!
//! Opens no files, and knows no rig: whoever calls brings text and a skeleton, and writes what comes out.

// What tests, benches and examples use is checked by the test of the manifests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod body;
pub mod bvh;
mod chunks;
pub mod cycle;
pub mod distance;
mod error;
pub mod figure;
pub mod fit;
pub mod graph;
pub mod keypoints;
pub mod parts;
mod planar;
mod project;
pub mod retarget;
mod space;
pub mod stick_figure;
pub mod transitions;

pub use body::Body;
pub use error::{ImportError, ImportNote};
pub use planar::{PlanarJoint, PlanarMotion, PlanarMotionError};
pub use project::{ProjectedMotion, SignedAxis, ViewDirection, project};
