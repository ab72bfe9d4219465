//! What is to be bound, before anything of it is computed.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use bone_core::BoneId;
use bone_drawing::{ElementId, PosedArt};
use bone_skin::{Puppet, SkinBlend, VertexWeights};

use super::bind::Requests;
use crate::doc::{ExplicitDoc, PaintDoc, PaintOptionsDoc, SmoothDoc};
use crate::span::{Span, Spanned};

/// What is to be bound, in the order of the document: first all of it is found out, then all is computed, so
/// that it can be computed on several threads.
#[derive(Default)]
pub(super) struct Plan<'a> {
    pub(super) requests: Requests,
    pub(super) steps: Vec<Step<'a>>,
    /// The fields that bindings share, by what these agree in.
    pub(super) shared: BTreeMap<Vec<u64>, SharedField>,
    /// The puppets, whose vertices have ids behind those of the bones in this order.
    pub(super) puppets: Vec<Arc<Puppet>>,
}

/// Paths that are bound together: each with its place among the requests.
pub(super) struct Step<'a> {
    pub(super) paths: Vec<(PosedArt, usize)>,
    pub(super) origin: PlannedBinding<'a>,
}

/// The binding that they come from.
pub(super) enum PlannedBinding<'a> {
    Rigid {
        art: &'a Spanned<String>,
    },
    Explicit {
        explicit: &'a ExplicitDoc,
        element: ElementId,
        rest: Vec<VertexWeights>,
        blend: SkinBlend,
    },
    /// `art` has the elements of the outlines on which the field is solved; none if another binding reports
    /// what was found out about it.
    Smooth {
        smooth: Box<Cow<'a, SmoothDoc>>,
        elements: Vec<ElementId>,
        art: Option<Vec<ElementId>>,
        field: usize,
    },
}

impl PlannedBinding<'_> {
    /// Where the art is named, and how its paint follows.
    pub(super) fn paint(&self) -> (Span, &PaintOptionsDoc) {
        match self {
            Self::Rigid { art } => (art.span, &PLAIN),
            Self::Explicit { explicit, .. } => (explicit.art.span, &explicit.paint_options),
            Self::Smooth { smooth, .. } => (smooth.art.span, &smooth.paint_options),
        }
    }
}

/// A field of one binding, or of several that share it.
#[derive(Clone)]
pub(super) struct SharedField {
    /// Its place among the requested ones.
    pub(super) field: usize,
    /// Stands for its words.
    pub(super) id: u64,
    pub(super) bones: Vec<BoneId>,
    /// The elements of the outlines on which it is solved.
    pub(super) art: Vec<ElementId>,
}

/// The paint of art that is carried.
pub(super) const PLAIN: PaintOptionsDoc =
    PaintOptionsDoc { paint: PaintDoc::Follow, stroke: None, clip: None };
