//! What groups are clipped, masked and filtered by. Several groups may share one.

use kurbo::{Affine, Rect};

use crate::element::ElementId;
use crate::node::NodeId;

/// A clip path in [`Drawing::clips`](crate::Drawing::clips).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClipId(pub(crate) u32);

/// A mask in [`Drawing::masks`](crate::Drawing::masks).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MaskId(pub(crate) u32);

/// A filter in [`Drawing::filters`](crate::Drawing::filters).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilterId(pub(crate) u32);

macro_rules! index {
    ($($id:ty),*) => {$(
        impl $id {
            /// Its place in the list.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}
index!(ClipId, MaskId, FilterId);

/// Outlines that bound what is seen of a group: the union of their insides, whatever their paint.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipPath {
    /// Its id in SVG texts; unique among the definitions of a drawing.
    pub id: String,
    /// The element that its author drew.
    pub element: Option<ElementId>,
    /// From its inside to the space of the group.
    pub transform: Affine,
    /// A clip path that bounds it in turn, in the space of the group.
    pub clip: Option<ClipId>,
    /// Shapes, and groups that have a transform or a clip path alone.
    pub children: Vec<NodeId>,
}

/// A picture whose brightness or opacity says how much is seen of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    /// Its id in SVG texts; unique among the definitions of a drawing.
    pub id: String,
    /// The element that its author drew.
    pub element: Option<ElementId>,
    /// Beyond this nothing is seen, in the space of the group.
    pub rect: Rect,
    /// What of the picture counts.
    pub kind: MaskKind,
    /// A mask that the group is seen through as well.
    pub mask: Option<MaskId>,
    /// What the picture shows, in the space of the group.
    pub children: Vec<NodeId>,
}

/// What of a mask's picture counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MaskKind {
    /// How bright it is.
    #[default]
    Luminance,
    /// How opaque it is.
    Alpha,
}

/// A filter: SVG's steps, as text. Nothing but SVG renderers knows what they do.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// Its id in SVG texts; unique among the definitions of a drawing.
    pub id: String,
    /// Beyond this there is nothing, in the space of the group.
    pub rect: Rect,
    /// Its steps, in order.
    pub steps: Vec<FilterStep>,
}

/// A step of a filter.
#[derive(Clone, Debug, PartialEq)]
pub struct FilterStep {
    /// Its tag, such as `feGaussianBlur`.
    pub tag: &'static str,
    /// Its own region; none if it is that of the filter.
    pub rect: Option<Rect>,
    /// Its attributes but for those of the region, in order. Values are not escaped.
    pub attributes: Vec<(&'static str, String)>,
    /// What is in it, as text.
    pub content: String,
    /// A node that it shows, if it is an `feImage`.
    pub image: Option<NodeId>,
}
