//! A place beside an outline at rest, whose paint a fold may take.

/// A place of an outline at rest, one for each direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FoldPlace {
    /// The distance from its bones.
    pub(crate) depth: f64,
    /// The length of the outline on which the weights change.
    pub(crate) spread: f64,
    /// The winding of the paint beside it; 0 without a fill. With the even-odd rule, the winding that the
    /// subpath has alone there.
    pub(crate) paint: i8,
}
