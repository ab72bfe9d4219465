//! Lattices that bend outlines before the bones do, and forms of their nodes on grids of parameters.
//!
//! A lattice is a tensor product of uniform cubic B-splines over a box: a drawing on it has continuous second
//! derivatives in the box. A point at rest goes through its lattice, then through the one that this is inside of, and
//! then follows its bones.

mod cuts;
mod forms;
mod lattice;
mod rest;
mod warps;

pub use cuts::WarpTrials;
pub use forms::{FormAxis, FormGrid};
pub use lattice::Lattice;
pub(crate) use rest::BentRest;
pub use warps::{PosedWarps, WarpForm, WarpScratch, Warps};
