//! Typed indices: names exist in files only, the runtime uses ids.

use bone_archive::archive;
use std::fmt;

/// A bone of one [`Skeleton`](crate::Skeleton): its index in the depth-first columns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoneId(u32);

impl BoneId {
    /// The id of an index.
    #[inline]
    pub const fn new(index: u32) -> Self {
        Self(index)
    }

    /// The index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// From an index that is known to fit, since no skeleton has more than `u32::MAX` bones.
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

archive!(struct BoneId of Bone);
