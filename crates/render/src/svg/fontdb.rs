//! No fonts: what stands for a database of them where text is not compiled in.

/// A database without fonts.
#[derive(Clone, Debug, Default)]
pub struct Database;

impl Database {
    /// An empty one.
    pub fn new() -> Self {
        Self
    }

    /// 0.
    pub fn len(&self) -> usize {
        0
    }

    /// Always.
    pub fn is_empty(&self) -> bool {
        true
    }
}
