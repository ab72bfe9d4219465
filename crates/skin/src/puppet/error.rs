//! Pins that cannot hold a puppet.

use std::fmt;

use kurbo::Point;

/// Pins are named by their place in the list.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PuppetError {
    /// There is no pin.
    NoPins,
    /// A pin is not within the art.
    Outside {
        /// The pin.
        pin: usize,
        /// The nearest place that is.
        nearest: Point,
    },
    /// A pin is within the grip of another one.
    Near {
        /// Both pins.
        pins: [usize; 2],
        /// Their distance.
        distance: f64,
        /// The greater grip.
        grip: f64,
    },
    /// All that is near a pin is held by others.
    Holds {
        /// The pin.
        pin: usize,
    },
    /// The equations have no solution.
    Unsolved,
}

impl fmt::Display for PuppetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPins => write!(f, "a puppet needs a pin"),
            Self::Outside { pin, .. } => write!(f, "pin {pin} is outside of the art"),
            Self::Near { pins: [a, b], .. } => write!(f, "pins {a} and {b} are within each other's grip"),
            Self::Holds { pin } => write!(f, "nothing is left for pin {pin} to hold"),
            Self::Unsolved => write!(f, "the mesh of the puppet has no solution"),
        }
    }
}

impl std::error::Error for PuppetError {}
