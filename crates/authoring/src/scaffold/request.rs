//! What a scaffold is made of, and what it is.

/// A rig for a drawing that had none.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaffold {
    /// The text of the rig file.
    pub text: String,
    /// How many bones it has.
    pub bones: usize,
    /// Whether they are guide lines of the drawing: lines in a group called `bones` or `skeleton`.
    pub drawn: bool,
    /// How many pieces of art are bound.
    pub bound: usize,
    /// How many pieces of art could be bound and are not.
    pub unbound: usize,
}

/// The names of files in the written text.
#[derive(Clone, Copy, Debug)]
pub struct FileNames<'a> {
    /// The drawing, as the rig names it: relative to the rig.
    pub drawing: &'a str,
    /// The rig itself, in the comments.
    pub rig: &'a str,
}

/// How bones from guide lines are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoneStyle {
    /// With coordinates: `from` and `to`.
    #[default]
    Coordinates,
    /// With `line`: the coordinates are read from the drawing whenever the rig is loaded.
    Lines,
}
