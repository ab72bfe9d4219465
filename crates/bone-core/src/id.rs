//! Typed indices: names exist in files only, the runtime speaks of ids.

use std::fmt;

/// A bone of one [`Skeleton`](crate::Skeleton): its place in the depth-first columns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoneId(u32);

impl BoneId {
    /// The id of a place in the columns.
    #[inline]
    pub const fn new(index: u32) -> Self {
        Self(index)
    }

    /// The place in the columns.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// From a column index that is known to fit, since no skeleton holds more than `u32::MAX` bones.
    #[inline]
    pub(crate) const fn from_index(index: usize) -> Self {
        Self(index as u32)
    }
}

impl fmt::Debug for BoneId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bone#{}", self.0)
    }
}
