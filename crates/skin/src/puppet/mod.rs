//! Puppets: art that bends between pins, without bones. The motion of each vertex of a mesh is found from those of
//! the pins; outlines follow these motions as they follow bones.

#[cfg(feature = "weights")]
mod build;
#[cfg(feature = "weights")]
mod error;
mod parts;
mod pose;
mod system;

#[cfg(feature = "weights")]
pub use error::PuppetError;
pub use parts::{PinTurn, Puppet, PuppetPin};
pub use pose::PuppetScratch;
