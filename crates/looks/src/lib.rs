//! Pictures of rigs and reports about them, for people who make rigs: overlays, contact sheets, onion skins,
//! plots, lists, and scaffolds: rigs written for drawings that have none.

// What tests, benches and examples use is checked by the test of the manifests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

pub mod inspect;
mod lettering;
pub mod onion;
pub mod overlay;
pub mod plot;
mod scaffold;
pub mod shapes;
pub mod sheet;

pub use scaffold::{
    BoneReport, BoneStyle, FileNames, Scaffold, ScaffoldResult, UpdatedBones, scaffold, scaffold_with,
    shown_guides, update_bones,
};
