//! Stencils: the outlines of clip paths and masks on the canvas. They are not painted; they bound what is
//! visible of other art.

use bone_archive::{Archive, ArchiveError, Reader, Writer, archive};
use std::sync::Arc;

use kurbo::{Affine, BezPath};

use crate::definition::{ClipId, FilterId, MaskId};
use crate::element::ElementId;
use crate::node_id::NodeId;
use crate::outline::Outline;

/// A shape of a clip path or a mask on the canvas, for the nodes that use it.
///
/// A clip path that is used in two spaces has two stencils for each of its shapes, each with its own posed
/// outline.
#[derive(Clone, Debug, PartialEq)]
pub struct Stencil {
    /// The outline, on the canvas.
    pub outline: Outline,
    /// The element that its author drew, or one around it. If the clip path or mask has no element, the
    /// element that it clips.
    pub element: ElementId,
    /// The first element that it clips, the `use` for a clone; none if it clips only markers.
    pub clipped: Option<ElementId>,
    pub(crate) place: StencilPlace,
    /// Nodes of the drawing that it clips, in order.
    pub(crate) users: Arc<[NodeId]>,
}

impl Stencil {
    /// How many drawn nodes it clips.
    pub fn user_count(&self) -> usize {
        self.users.len()
    }
}

/// The shape and the space of a stencil.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StencilPlace {
    pub(crate) instance: Instance,
    /// The shape in the definition.
    pub(crate) node: NodeId,
}

archive! {
    /// A clip path or a mask.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub(crate) enum ClipOrMask {
        Clip(ClipId) = 0,
        Mask(MaskId) = 1,
    }
}

/// A definition that a group links to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    ClipOrMask(ClipOrMask),
    Filter(FilterId),
}

/// A clip path or mask in a space. Of equal spaces one is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instance {
    pub(crate) definition: ClipOrMask,
    space: [u64; 6],
}

impl Instance {
    pub(crate) fn new(definition: ClipOrMask, space: Affine) -> Self {
        Self { definition, space: space.as_coeffs().map(f64::to_bits) }
    }

    /// From the space of the user to canvas space.
    pub(crate) fn space(self) -> Affine {
        Affine::new(self.space.map(f64::from_bits))
    }
}

/// A node of a clip path or mask, and the map from its inside to the space of the user.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InnerNode {
    pub(crate) node: NodeId,
    pub(crate) to_user: Affine,
}

/// The links of all nodes of the picture, and the element that each belongs to: what is in a clone to the
/// `use`, what is in a marker to none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    pub(crate) list: Vec<(NodeId, Link)>,
    pub(crate) owners: Vec<Option<ElementId>>,
}

archive!(struct StencilPlace { instance, node });

impl Archive for Instance {
    fn write(&self, to: &mut Writer) {
        self.definition.write(to);
        self.space().write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        Ok(Self::new(Archive::read(from)?, Archive::read(from)?))
    }
}

/// Without its outline, which nothing needs once the stencil is bound.
impl Archive for Stencil {
    fn write(&self, to: &mut Writer) {
        (self.element, self.clipped).write(to);
        (self.place, &self.users).write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let (element, clipped) = Archive::read(from)?;
        let (place, users) = Archive::read(from)?;
        let outline = Outline {
            path: BezPath::new(),
            local_to_canvas: Affine::IDENTITY,
            visible: false,
            even_odd: None,
            stroke_width: 0.0,
            fill: None,
            stroke: None,
            has_markers: false,
        };
        Ok(Self { outline, element, clipped, place, users })
    }
}
