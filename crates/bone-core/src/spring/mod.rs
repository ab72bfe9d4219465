//! Secondary motion: hair, tails and scarves that lag and oscillate. The motion depends on its history, so it
//! is simulated once for a whole clip at a fixed step and then looked up: a frame is the same alone, in
//! order, in parallel, and at any frame rate. A program that poses by itself steps a [`SpringState`].
//!
//! Each spring bone is a thin rod with a hinge, a spring and a damper; forces act between parent and child
//! rods both ways. The simulated value is the rotation from the animated pose, so stiff springs reproduce the
//! animation. Bones stop at [lines and circles](Stop), and do not meet each
//! other. There are only rotations: scale, stretch and shear of an animated bone are
//! not changed.

mod bake;
mod bodies;
mod relax;
mod rod;
mod springs;
mod state;
mod stop;
mod wind;

pub use bake::{BakeError, BakedSprings};
pub use rod::Spring;
pub use springs::{SpringError, Springs};
pub use state::SpringState;
pub use stop::{Stop, StopShape};
pub use wind::Wind;
