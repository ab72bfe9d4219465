//! The number of a node.

/// A node of a [`Drawing`](crate::Drawing).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The node at a place in the list.
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

macro_rules! index {
    ($($id:ty),*) => {$(
        impl $id {
            /// Its place in the list of the [`Drawing`](crate::Drawing).
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<$id> for usize {
            fn from(id: $id) -> Self {
                id.index()
            }
        }
    )*};
}
pub(crate) use index;

index!(NodeId);
