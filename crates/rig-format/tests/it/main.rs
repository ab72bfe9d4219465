//! Reading rig files against the `ron` crate and random texts.

mod any_input;
mod compiling;
mod fixes;
mod layout;
mod reading;
mod session;
