//! Pictures of rigs and reports about them, for people who make them: overlays, sheets, onion skins, plots, lists, and the
//! scaffold of a rig for a drawing that has none.

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
    BoneReport, BoneStyle, FileNames, Scaffold, Scaffolded, UpdatedBones, scaffold, scaffold_with,
    update_bones,
};
