//! Pictures of rigs and reports about them, for people who make rigs: overlays, contact sheets, onion skins,
//! plots and lists.

// What tests, benches and examples use is checked by the test of the manifests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

pub mod inspect;
mod lettering;
pub mod onion;
pub mod overlay;
pub mod plot;
pub mod shapes;
pub mod sheet;
