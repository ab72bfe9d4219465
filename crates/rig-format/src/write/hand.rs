//! How numbers of a document become those of a text: with so many digits, and placed on another canvas.

use kurbo::{Point, Vec2};

use super::digits::Digits;
use crate::schema::Precision;

/// How numbers are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberHand {
    digits: Digits,
    /// By how much lengths grow.
    scale: f64,
    /// By how much positions move then.
    shift: Vec2,
}

impl From<Digits> for NumberHand {
    fn from(digits: Digits) -> Self {
        Self { digits, scale: 1.0, shift: Vec2::ZERO }
    }
}

impl NumberHand {
    /// All digits, with lengths and positions as they are on a canvas on which this one is placed.
    pub(crate) fn placed(scale: f64, shift: Vec2) -> Self {
        Self { digits: Digits::ALL, scale, shift }
    }

    pub(crate) fn number(self, value: f64, precision: Precision) -> f64 {
        let value = if precision == Precision::Place { self.scale * value } else { value };
        self.digits.round(value, precision)
    }

    /// A position of the canvas, before it is written as a pair of lengths.
    pub(crate) fn position(self, at: Point) -> Point {
        at + self.shift / self.scale
    }

    pub(crate) fn time(self, value: f64) -> f64 {
        self.number(value, Precision::Time)
    }

    pub(crate) fn share(self, value: f64) -> f64 {
        self.number(value, Precision::Share)
    }
}
