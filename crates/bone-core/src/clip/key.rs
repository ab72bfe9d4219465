//! A key of a curve.

use super::Ease;

/// A key: from this time to the next key the value is interpolated by `ease`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key<T> {
    /// Seconds from the start of the clip.
    pub time: f64,
    /// The value at that time.
    pub value: T,
    /// The interpolation to the next key.
    pub ease: Ease,
}

impl<T> Key<T> {
    /// A key with the default interpolation, [`Ease::Smooth`].
    pub fn new(time: f64, value: T) -> Self {
        Self { time, value, ease: Ease::default() }
    }

    /// The same key with another interpolation.
    pub fn ease(mut self, ease: Ease) -> Self {
        self.ease = ease;
        self
    }
}
