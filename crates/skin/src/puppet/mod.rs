//! Puppets: art that bends between pins, without bones. The motion of each vertex of a mesh is found from those of
//! the pins; outlines follow these motions as they follow bones.

mod build;
mod error;
mod parts;
mod pose;
mod system;

pub use error::PuppetError;
pub use parts::{PinTurn, Puppet, PuppetPin};
pub use pose::PuppetScratch;
