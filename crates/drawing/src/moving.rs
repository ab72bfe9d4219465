//! What of a drawing moves.

use bone_archive::archive;
use kurbo::BezPath;

use crate::definition::FilterId;
use crate::element::ElementId;
use crate::ink::InkProfile;
use crate::node_id::NodeId;
use crate::paint::GradientId;
use crate::stencil::Stencil;

archive! {
    /// Something that gets a new outline in every frame.
    #[derive(Clone, Debug, PartialEq)]
    pub enum PosedArt {
        /// A path that is drawn in its own place.
        Path(ElementId) = 0,
        /// A shape of a clip path or mask, for the users of the stencil.
        Stencil(Stencil) = 1,
        /// Any other shape of the picture: of a clone, a text or a marker, with the element that it belongs to.
        Part(ElementId, NodeId) = 2,
    }
}

impl PosedArt {
    /// The element that it comes from; the shapes of a clip path that is used in two spaces come from one.
    pub fn element(&self) -> ElementId {
        match self {
            Self::Path(id) | Self::Part(id, _) => *id,
            Self::Stencil(stencil) => stencil.element,
        }
    }
}

/// What of a drawing moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moving<'a> {
    /// Elements that are moved by a matrix each.
    pub rigid: &'a [ElementId],
    /// Nodes that are moved by a matrix each, after those elements.
    pub rigid_nodes: &'a [NodeId],
    /// What gets a new outline.
    pub posed: &'a [PosedArt],
    /// Elements that can be hidden, fade and change their place in the paint order.
    pub visible: &'a [ElementId],
    /// Paths that can be painted in other ways in each frame.
    pub looks: &'a [ElementId],
    /// Elements whose colours can be tinted, with those of all that is in them.
    pub tints: &'a [ElementId],
    /// Gradients whose ends and stops can change.
    pub gradients: &'a [KeyedGradient],
    /// Steps of filters whose numbers can change.
    pub filter_steps: &'a [KeyedStep],
    /// Posed shapes of the picture whose gradients bend.
    pub bent: &'a [BentPaint],
    /// Posed shapes of which a part can be mirrored.
    pub mirrored: &'a [MirroredFill],
    /// Paths of which a part can be stroked.
    pub trims: &'a [TrimmedStroke],
    /// Paths whose strokes have a width that changes along them.
    pub inks: &'a [InkedStroke],
    /// Art that is seen only inside or outside of the fill of other art.
    pub masks: &'a [ShapeMask],
    /// Whether a camera moves all of it.
    pub camera: bool,
}

/// A posed shape whose gradients bend with its outline: while they do, it is painted in patches with a map of
/// the gradient each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BentPaint {
    /// Its place in [`Moving::posed`].
    pub posed: usize,
    /// The number of its patches.
    pub patches: usize,
}

/// A gradient whose ends and stops can change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyedGradient {
    /// The gradients of the drawing that it is: an SVG reader has one for each box that it lies in.
    pub gradients: Vec<GradientId>,
    /// The art that has it for itself, and whether for its stroke; none for all art that it colours.
    pub of: Option<(ElementId, bool)>,
    /// How many numbers its values are: see [`Gradient::values`](crate::Gradient::values).
    pub numbers: usize,
}

/// A step of a filter whose numbers can change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyedStep {
    /// The filters of the drawing that it is in: an SVG reader has one for each box that it lies in.
    pub filters: Vec<FilterId>,
    /// The art that has them for itself; none for all art that has them.
    pub of: Option<ElementId>,
    /// Its number in them, from 0.
    pub step: usize,
}

/// A posed shape of which one part can be mirrored and another not: while it is, the outlines of its parts are
/// filled, and its own outline is stroked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirroredFill {
    /// Its place in [`Moving::posed`].
    pub posed: usize,
    /// The subpath of the shape that each subpath of its parts is cut from.
    pub subpaths: Vec<u32>,
}

/// A path of the picture of which a part can be stroked. Its stroke is a shape of its own, with an outline for each
/// frame; its fill stays whole.
#[derive(Clone, Debug, PartialEq)]
pub struct TrimmedStroke {
    /// The path.
    pub path: ElementId,
    /// Of one that is posed: its outline at rest on the canvas, in the pieces that poses have.
    pub pieces: BezPath,
    /// Whether the part can lie across the start of the path. Then outlines always have the points for it.
    pub may_wrap: bool,
}

/// A path of the picture with ink in place of its stroke: a filled shape of its own, with an outline for each frame.
#[derive(Clone, Debug, PartialEq)]
pub struct InkedStroke {
    /// The path.
    pub path: ElementId,
    /// Of one that is posed: its outline at rest on the canvas, in the pieces that poses have.
    pub pieces: BezPath,
    /// Its ink where nothing is keyed.
    pub profile: InkProfile,
    /// The greatest reach that it can have at each place, to the left and to the right.
    pub widest: Vec<f64>,
    /// The largest distance of its outline from the exact one, on the canvas.
    pub tolerance: f64,
}

/// Art that is seen only inside, or only outside, of the fill of other art, wherever both move. What hides or fades the other
/// art has no effect on that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapeMask {
    /// What is masked.
    pub art: ElementId,
    /// Whose fill masks it: a path, or all that is in a group.
    pub by: ElementId,
    /// Whether it is seen outside.
    pub out: bool,
}

/// The same, owned.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnedMoving {
    pub(crate) rigid: Vec<ElementId>,
    pub(crate) rigid_nodes: Vec<NodeId>,
    pub(crate) posed: Vec<PosedArt>,
    pub(crate) visible: Vec<ElementId>,
    pub(crate) looks: Vec<ElementId>,
    pub(crate) tints: Vec<ElementId>,
    pub(crate) gradients: Vec<KeyedGradient>,
    pub(crate) filter_steps: Vec<KeyedStep>,
    pub(crate) bent: Vec<BentPaint>,
    pub(crate) mirrored: Vec<MirroredFill>,
    pub(crate) trims: Vec<TrimmedStroke>,
    pub(crate) inks: Vec<InkedStroke>,
    pub(crate) masks: Vec<ShapeMask>,
    pub(crate) camera: bool,
}

impl OwnedMoving {
    pub(crate) fn of(moving: &Moving<'_>) -> Self {
        Self {
            rigid: moving.rigid.to_vec(),
            rigid_nodes: moving.rigid_nodes.to_vec(),
            posed: moving.posed.to_vec(),
            visible: moving.visible.to_vec(),
            looks: moving.looks.to_vec(),
            tints: moving.tints.to_vec(),
            gradients: moving.gradients.to_vec(),
            filter_steps: moving.filter_steps.to_vec(),
            bent: moving.bent.to_vec(),
            mirrored: moving.mirrored.to_vec(),
            trims: moving.trims.to_vec(),
            inks: moving.inks.to_vec(),
            masks: moving.masks.to_vec(),
            camera: moving.camera,
        }
    }

    pub(crate) fn view(&self) -> Moving<'_> {
        Moving {
            rigid: &self.rigid,
            rigid_nodes: &self.rigid_nodes,
            posed: &self.posed,
            visible: &self.visible,
            looks: &self.looks,
            tints: &self.tints,
            gradients: &self.gradients,
            filter_steps: &self.filter_steps,
            bent: &self.bent,
            mirrored: &self.mirrored,
            trims: &self.trims,
            inks: &self.inks,
            masks: &self.masks,
            camera: self.camera,
        }
    }
}

archive!(struct OwnedMoving { rigid, rigid_nodes, posed, visible, looks, tints, gradients, filter_steps, bent, mirrored, trims, inks, masks, camera });
archive!(struct KeyedGradient { gradients, of, numbers });
archive!(struct KeyedStep { filters, of, step });
archive!(struct BentPaint { posed, patches });
archive!(struct MirroredFill { posed, subpaths });
archive!(struct ShapeMask { art, by, out });
archive!(struct InkedStroke { path, pieces, profile, widest, tolerance });
archive!(struct TrimmedStroke { path, pieces, may_wrap });
