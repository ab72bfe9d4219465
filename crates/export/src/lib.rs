//! Clips as one file.
//!
//! [`vector`] has animated SVG and Lottie: outlines that bend stay outlines, with few keys.

// What tests, benches and examples use is checked by the test of the manifests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

#[cfg(feature = "vector")]
pub mod vector;
