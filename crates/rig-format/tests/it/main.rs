//! Reading rig files against the `ron` crate and random texts.

mod compiling;
mod reading;
mod session;
