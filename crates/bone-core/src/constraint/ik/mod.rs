//! Inverse kinematics: chains of bones that reach for targets. `chain` reads the joints from a pose,
//! `two_bone` solves two bones in closed form, `many` several ends with the steps of `tree`, `solver`
//! everything else with those of `newton` and `plain`; `nearest` is for targets out of reach.

mod chain;
mod goal;
mod linkage;
mod many;
mod nearest;
mod newton;
mod plain;
mod run;
mod scratch;
mod search;
mod solve_nearest;
mod solve_tree;
mod solver;
mod tree;
mod two_bone;
mod types;

pub(super) use scratch::IkScratch;
pub use types::{Effector, EndAngle, Ik};
