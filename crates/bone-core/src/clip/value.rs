//! What can be keyed: numbers and pairs of numbers, interpolated part by part.

use std::ops::{Add, Mul, Sub};

use kurbo::Vec2;

/// A value that a [`Curve`](super::Curve) can carry from key to key.
pub trait Value:
    Copy + PartialEq + Add<Output = Self> + Sub<Output = Self> + Mul<f64, Output = Self>
{
    /// No change.
    const ZERO: Self;

    /// Joins two values part by part.
    fn zip(self, other: Self, join: impl Fn(f64, f64) -> f64) -> Self;

    /// Whether every part is a number.
    fn is_finite(self) -> bool;
}

impl Value for f64 {
    const ZERO: Self = 0.0;

    fn zip(self, other: Self, join: impl Fn(f64, f64) -> f64) -> Self {
        join(self, other)
    }

    fn is_finite(self) -> bool {
        Self::is_finite(self)
    }
}

impl Value for Vec2 {
    const ZERO: Self = Self::ZERO;

    fn zip(self, other: Self, join: impl Fn(f64, f64) -> f64) -> Self {
        Self::new(join(self.x, other.x), join(self.y, other.y))
    }

    fn is_finite(self) -> bool {
        Self::is_finite(self)
    }
}
