//! Reading rig files against the `ron` crate and random texts.

mod reading;
mod session;
