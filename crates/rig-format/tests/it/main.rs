//! Reading rig files against the `ron` crate and random texts.

mod any_input;
mod compiling;
mod fixes;
mod reading;
mod session;
