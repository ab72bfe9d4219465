//! Recorded motion in, clips out that an artist can edit.
//!
//! A recording knows every joint in every frame. A clip has a few keys a second, feet that stand, and an end that meets its
//! start. Between the two lies one border type, [`Flat`]: the joints of one figure in the plane, frame by frame. What reads
//! files makes it, what makes clips takes it.
//!
//! Opens no files, and knows no rig: whoever calls brings text and a skeleton, and writes what comes out.

// What tests, benches and examples use is checked by the test of the manifests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod body;
pub mod bvh;
pub mod cycle;
pub mod distance;
mod error;
pub mod figure;
pub mod fit;
pub mod flat;
pub mod graph;
pub mod keypoints;
pub mod parts;
mod portions;
mod project;
pub mod retarget;
mod space;
pub mod stick;
pub mod transitions;

pub use body::Body;
pub use error::{ImportError, Note};
pub use flat::{Flat, FlatError, FlatJoint};
pub use project::{Axis, Projected, View, project};
