//! Clip paths, masks and filters. Several groups can share one.

use std::borrow::Cow;

use bone_archive::archive;
use kurbo::{Affine, Rect};

use crate::element::ElementId;
use crate::limits::index_u32;
use crate::node_id::{NodeId, index};

/// A clip path in [`Drawing::clips`](crate::Drawing::clips).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClipId(pub(crate) u32);

/// A mask in [`Drawing::masks`](crate::Drawing::masks).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MaskId(pub(crate) u32);

/// A filter in [`Drawing::filters`](crate::Drawing::filters).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilterId(pub(crate) u32);

index!(ClipId, MaskId, FilterId);

impl FilterId {
    /// The filter at a place of [`Drawing::filters`](crate::Drawing::filters), whether the drawing has it or not.
    pub fn from_index(index: usize) -> Self {
        Self(index_u32(index))
    }
}

/// Outlines that clip a group to the union of their insides, whatever their paint.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipPath {
    /// Its id in SVG texts; unique among the definitions of a drawing.
    pub id: String,
    /// The element that its author drew.
    pub element: Option<ElementId>,
    /// From its inside to the space of the group.
    pub transform: Affine,
    /// A clip path that clips this one, in the space of the group.
    pub clip: Option<ClipId>,
    /// Shapes, and groups with nothing but a transform or a clip path.
    pub children: Vec<NodeId>,
}

/// A picture whose luminance or alpha is the opacity of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    /// Its id in SVG texts; unique among the definitions of a drawing.
    pub id: String,
    /// The element that its author drew.
    pub element: Option<ElementId>,
    /// Outside of this rectangle nothing is visible, in the space of the group.
    pub rect: Rect,
    /// Which channel of the picture is used.
    pub kind: MaskKind,
    /// A second mask of the group.
    pub mask: Option<MaskId>,
    /// The nodes of the picture, in the space of the group.
    pub children: Vec<NodeId>,
}

archive! {
    /// Which channel of a mask's picture is used.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum MaskKind {
        /// The luminance.
        #[default]
        Luminance = 0,
        /// The alpha.
        Alpha = 1,
    }
}

/// A filter: SVG's steps as text. Only SVG renderers can apply them.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// Its id in SVG texts; unique among the definitions of a drawing.
    pub id: String,
    /// The region outside of which the result is transparent, in the space of the group.
    pub rect: Rect,
    /// Its steps, in order.
    pub steps: Vec<FilterStep>,
}

/// The numbers of a step at a moment: its blur across and down, its offset in x and y, its colour from 0 to 255, how solid
/// that is, and the amount of what it does to colours. 0 where the step has none.
pub type StepValues = [f64; 9];

/// A step of a filter.
#[derive(Clone, Debug, PartialEq)]
pub struct FilterStep {
    /// Its tag, such as `feGaussianBlur`.
    pub tag: Cow<'static, str>,
    /// Its own region; none if it is that of the filter.
    pub rect: Option<Rect>,
    /// Its attributes but for those of the region, in order. Values are not escaped.
    pub attributes: Vec<(Cow<'static, str>, String)>,
    /// The numbers and the colour that can change, as its [attributes](Self::read_values) have them.
    pub values: StepValues,
    /// Its content as text.
    pub content: String,
    /// The node that it shows, if it is an `feImage`.
    pub image: Option<NodeId>,
}

archive!(struct ClipId of Clip);
archive!(struct MaskId of Mask);
archive!(struct FilterId of Filter);
archive!(struct ClipPath { id, element, transform, clip, children });
archive!(struct Mask { id, element, rect, kind, mask, children });
archive!(struct Filter { id, rect, steps });
archive!(struct FilterStep { tag, rect, attributes, values, content, image });
