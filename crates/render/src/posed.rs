//! What gets a new outline in every frame, and the place in the text where that goes.
//! Outlines are written elsewhere.

use std::ops::Range;

use kurbo::Affine;

use crate::art::{ElementId, Stencil};
use crate::template::invert;

/// Something that gets a new outline in every frame.
#[derive(Clone, Debug)]
pub enum PosedArt {
    /// A path that is drawn.
    Path(ElementId),
    /// A path of a clip path or mask, for those whom the stencil cuts.
    Stencil(Stencil),
}

impl PosedArt {
    /// The element that it comes from; the paths of a clip path that is used in two spaces come from one.
    pub fn element(&self) -> ElementId {
        match self {
            Self::Path(id) => *id,
            Self::Stencil(stencil) => stencil.element,
        }
    }
}

/// A place in the text where a posed outline goes.
#[derive(Debug)]
pub(crate) struct Posed {
    /// Which of the outlines of a frame.
    pub(crate) outline: usize,
    /// The nearest rigid element around it or itself.
    pub(crate) inside: Option<usize>,
    /// From the path's own space to canvas space, at rest.
    pub(crate) to_canvas: Affine,
    /// And back.
    pub(crate) to_local: Option<Affine>,
    /// The data at rest.
    pub(crate) at_rest: Range<usize>,
}

impl Posed {
    pub(crate) fn new(
        outline: usize,
        inside: Option<usize>,
        to_canvas: Affine,
        at_rest: Range<usize>,
    ) -> Self {
        Self { outline, inside, to_canvas, to_local: invert(to_canvas), at_rest }
    }
}

/// How many elements stayed as they are at rest, because their numbers were not finite, were huge, or could not be turned back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Rigid elements.
    pub rigid: usize,
    /// Places of posed paths: a path of a clip or mask may have several.
    pub posed: usize,
}
