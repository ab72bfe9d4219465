//! Inverse kinematics: chains of bones that reach for targets. `chain` reads the joints from a pose,
//! `two_bone` solves two bones in closed form, `solver` everything else, with the steps of `newton` and
//! `plain`; `nearest` is for targets out of reach.

mod chain;
mod dense;
mod goal;
mod linkage;
mod nearest;
mod newton;
mod plain;
mod run;
mod scratch;
mod solver;
mod two_bone;
mod types;

pub(super) use scratch::IkScratch;
pub use types::{Effector, EndAngle, Ik};
