//! The types that can be keyed: numbers and vectors, interpolated component by component.

use std::ops::{Add, Mul, Sub};

use kurbo::Vec2;

/// A value that a [`Curve`](super::Curve) can interpolate.
pub trait Value:
    Copy + PartialEq + Add<Output = Self> + Sub<Output = Self> + Mul<f64, Output = Self>
{
    /// The additive identity.
    const ZERO: Self;

    /// Combines two values component by component.
    fn zip(self, other: Self, join: impl Fn(f64, f64) -> f64) -> Self;

    /// Whether every component is finite.
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
