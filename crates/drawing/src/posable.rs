//! A drawing of which some parts move: its slots, and the step from what a rig gives in canvas space to a frame of numbers in
//! the spaces of the drawing. What moves is decided elsewhere.

mod build;

use std::sync::Arc;

use kurbo::{Affine, BezPath};

use crate::definition_copies::DefinitionCopier;
use crate::drawing::{Drawing, invert};
use crate::element::ElementId;
use crate::error::MoveError;
use crate::frame::{Frame, Visibility};
use crate::limits;
use crate::node::NodeId;
use crate::region::{Extent, shifted};
use crate::stencil::Stencil;

use build::{Builder, near, nodes_of};

/// Something that gets a new outline in every frame.
#[derive(Clone, Debug)]
pub enum PosedArt {
    /// A path that is drawn in its own place.
    Path(ElementId),
    /// A shape of a clip path or mask, for those that the stencil cuts.
    Stencil(Stencil),
    /// Any other shape of the picture: of a clone, a text or a marker, with the element that it belongs to.
    Part(ElementId, NodeId),
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
}

/// What a moment gives to a [`Posable`], in canvas space. Lists that are too short leave the rest at rest.
#[derive(Clone, Copy, Debug, Default)]
pub struct CanvasPose<'a> {
    /// The matrix of each rigid part, elements first.
    pub rigid: &'a [Affine],
    /// The outline of each posed shape.
    pub outlines: &'a [BezPath],
    /// How the paint of each posed shape moves.
    pub paints: &'a [PaintMotion],
    /// How each element stands whose visibility can change.
    pub visibilities: &'a [Visibility],
}

/// How the paint of a posed shape moves in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PaintMotion {
    /// The canvas affine that moves gradients and patterns away from their place at rest. None: they stay in the shape's own space.
    pub paint: Option<Affine>,
    /// How many times as wide as at rest the stroke and its dashes are on the canvas. None: as they are in the shape's own space.
    pub stroke: Option<f64>,
}

/// How many parts stayed as they are at rest, because their numbers were not finite, were huge, or could not be turned back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Rigid parts.
    pub rigid: usize,
    /// Posed shapes: one of a clip path or mask may stand in several places.
    pub posed: usize,
}

/// A drawing of which some parts move, ready to be posed once a frame.
///
/// The drawing that it makes has slots for what moves, groups around what needs one for that, and copies of shared definitions for
/// users that need other numbers in them.
#[derive(Clone, Debug)]
pub struct Posable {
    drawing: Arc<Drawing>,
    pub(crate) rigid: Vec<Rigid>,
    pub(crate) posed: Vec<Posed>,
    /// How many outlines a pose gives.
    outlines: usize,
    gradients: Vec<PaintSlot>,
    patterns: Vec<PaintSlot>,
    /// The posed shape of each slot of a stroke.
    strokes: Vec<usize>,
    extents: Vec<Extent>,
    /// The extent of each mask and filter that has a region of its own.
    masks: Vec<usize>,
    filters: Vec<usize>,
    /// How the elements stand of which a pose may say nothing.
    at_rest: Vec<Visibility>,
    visible: usize,
}

/// A part that is moved by a matrix.
#[derive(Clone, Debug)]
pub(crate) struct Rigid {
    /// The nearest rigid part around it, by its place in the list.
    pub(crate) outer: Option<usize>,
    /// From the space around the part to canvas space, at rest, and back. None if it cannot be turned back: then nothing of it is seen.
    around_to_canvas: Option<(Affine, Affine)>,
    /// The part's own transform, of which the posed one takes the place.
    own: Affine,
}

/// A shape that gets a new outline.
#[derive(Clone, Debug)]
pub(crate) struct Posed {
    /// Which of the outlines of a pose.
    pub(crate) outline: usize,
    /// The nearest rigid part around it or itself.
    pub(crate) inside: Option<usize>,
    /// From the shape's own space to canvas space, at rest.
    pub(crate) to_canvas: Affine,
    /// And back.
    to_local: Option<Affine>,
    /// Its outline at rest.
    at_rest: Arc<BezPath>,
}

/// A gradient or pattern that one posed shape has to itself.
#[derive(Clone, Debug)]
struct PaintSlot {
    /// Which of the posed shapes.
    posed: usize,
    own: Affine,
}

impl Posable {
    /// Makes slots for what moves.
    ///
    /// # Errors
    /// If an element is not drawn in its own place, is listed twice, or is posed but has no outline; or if clip paths and masks come to
    /// too many copies.
    pub fn new(source: &Drawing, moving: &Moving<'_>) -> Result<Self, MoveError> {
        let mut rigid_nodes = nodes_of(source, moving.rigid)?;
        rigid_nodes.extend(moving.rigid_nodes);
        let paths = moving.posed.iter().filter_map(|art| match art {
            PosedArt::Path(id) => Some(*id),
            PosedArt::Stencil(_) | PosedArt::Part(..) => None,
        });
        nodes_of(source, &paths.collect::<Vec<_>>())?;
        let visible = nodes_of(source, moving.visible)?;
        let units: Vec<(NodeId, NodeId)> = rigid_nodes.iter().map(|node| source.unit(*node)).collect();
        let near = near(source, &units);
        let mut builder = Builder::new(source, moving);
        builder.rigid(&units, &near);
        builder.visible(&visible, moving.visible);
        builder.wrap();
        builder.posed(moving.posed, &near)?;
        let Builder { mut drawing, mut posable, cut_paths, cut_stencils, .. } = builder;
        let copier =
            DefinitionCopier::new(source, &mut drawing, &mut posable, &near, cut_paths, &cut_stencils);
        let copies = copier.copy_all().map_err(|_| MoveError::TooManyCopies)?;
        (posable.extents, posable.masks, posable.filters) = (copies.extents, copies.masks, copies.filters);
        posable.drawing = Arc::new(drawing);
        Ok(posable)
    }

    /// The drawing with its slots, to which the frames belong.
    pub fn drawing(&self) -> &Arc<Drawing> {
        &self.drawing
    }

    /// How many rigid parts and outlines a pose gives.
    pub fn counts(&self) -> (usize, usize) {
        (self.rigid.len(), self.outlines)
    }

    /// Whether each posed shape is filled or stroked with a gradient or a pattern, so that [`PaintMotion::paint`] means something.
    pub fn paint_servers(&self) -> Vec<bool> {
        let mut has = vec![false; self.outlines];
        for slot in self.gradients.iter().chain(&self.patterns) {
            has[self.posed[slot.posed].outline] = true;
        }
        has
    }

    /// The frame of a pose. Allocates nothing once `frame` has been here and outlines keep their number of curves.
    pub fn frame(&self, pose: &CanvasPose<'_>, frame: &mut Frame) -> Skipped {
        let mut skipped = Skipped::default();
        frame.transforms.clear();
        for k in 0..self.rigid.len() {
            let (transform, used) = self.transform(k, pose);
            skipped.rigid += usize::from(!used);
            frame.transforms.push(transform);
        }
        frame.outlines.resize_with(self.posed.len(), BezPath::new);
        for (posed, out) in self.posed.iter().zip(&mut frame.outlines) {
            skipped.posed += usize::from(!self.outline(posed, pose, out));
        }
        frame.strokes.clear();
        frame.strokes.extend(self.strokes.iter().map(|k| self.stroke(&self.posed[*k], pose)));
        for (slots, out) in [(&self.gradients, &mut frame.gradients), (&self.patterns, &mut frame.patterns)] {
            out.clear();
            out.extend(slots.iter().map(|slot| self.paint(slot, pose)));
        }
        self.regions(pose, frame);
        frame.visibilities.clear();
        let given = pose.visibilities.get(..self.visible.min(pose.visibilities.len())).unwrap_or_default();
        frame.visibilities.extend(given);
        frame.visibilities.extend(self.at_rest.iter().skip(given.len()));
        skipped
    }

    fn regions(&self, pose: &CanvasPose<'_>, frame: &mut Frame) {
        frame.masks.clear();
        frame.filters.clear();
        frame.steps.clear();
        let shift =
            |extent: usize| self.extents[extent].shift(pose.outlines, |outer| self.moved(outer, pose.rigid));
        let slots = &self.drawing.slots;
        for (extent, id) in self.masks.iter().zip(slots.masks()) {
            frame.masks.push(shifted(self.drawing.masks[id.index()].rect, shift(*extent)));
        }
        for (extent, id) in self.filters.iter().zip(slots.filters()) {
            let filter = &self.drawing.filters[id.index()];
            let sides = shift(*extent);
            frame.filters.push(shifted(filter.rect, sides));
            frame.steps.extend(filter.steps.iter().map(|step| step.rect.map(|rect| shifted(rect, sides))));
        }
    }

    /// The transform that takes the place of a rigid part's own, and whether its matrix could be used.
    fn transform(&self, k: usize, pose: &CanvasPose<'_>) -> (Affine, bool) {
        let part = &self.rigid[k];
        let moved = self.moved(k, pose.rigid);
        let outer = part.outer.map_or(Some(Affine::IDENTITY), |outer| self.moved(outer, pose.rigid));
        let posed = match (moved, outer) {
            (Some(moved), Some(outer)) if moved == outer => None,
            (Some(moved), Some(outer)) => part.around_to_canvas.and_then(|(around, back)| {
                // A^-1 M_outer^-1 M A T, with A the space around the part and T its own transform.
                Some(back * invert(outer)? * moved * around * part.own).filter(|all| limits::is_usable(*all))
            }),
            _ => None,
        };
        let still = moved.is_some() && moved == outer && pose.rigid.get(k) == moved.as_ref();
        (posed.unwrap_or(part.own), posed.is_some() || still)
    }

    /// The matrix that a rigid part really moves by. One that cannot be used moves as what is around it does.
    fn moved(&self, k: usize, matrices: &[Affine]) -> Option<Affine> {
        let mut at = k;
        loop {
            match matrices.get(at) {
                Some(matrix) if limits::is_usable(*matrix) => return Some(*matrix),
                _ => match self.rigid[at].outer {
                    Some(outer) => at = outer,
                    None => return Some(Affine::IDENTITY),
                },
            }
        }
    }

    /// The transform of a gradient or pattern.
    fn paint(&self, slot: &PaintSlot, pose: &CanvasPose<'_>) -> Affine {
        let moved = || {
            let part = &self.posed[slot.posed];
            let paint = pose.paints.get(part.outline)?.paint?;
            // (M_outer A)^-1 P A: what P is in the shape's own space.
            let local = self.to_local(part, pose.rigid)? * paint * part.to_canvas;
            let all = local * slot.own;
            // A flat gradient is not drawn at all; one that does not move keeps its numbers.
            let usable = limits::is_usable(all) && invert(local).is_some() && !is_still(local);
            usable.then_some(all)
        };
        moved().unwrap_or(slot.own)
    }

    /// How many times as long as at rest the lengths of a stroke are.
    fn stroke(&self, part: &Posed, pose: &CanvasPose<'_>) -> f64 {
        let moved = || {
            let wanted = pose.paints.get(part.outline)?.stroke?;
            // What is around the shape scales its stroke already.
            let around = part.inside.map_or(Some(Affine::IDENTITY), |outer| self.moved(outer, pose.rigid))?;
            let scale = wanted / around.determinant().abs().sqrt();
            let usable = scale.is_finite() && scale >= 0.0 && (scale - 1.0).abs() > 1e-9;
            (usable && limits::in_range(scale)).then_some(scale)
        };
        moved().unwrap_or(1.0)
    }

    /// (M_outer A)^-1: from canvas space back under the matrix that moves what is around the shape.
    fn to_local(&self, part: &Posed, matrices: &[Affine]) -> Option<Affine> {
        let moved = part.inside.map_or(Some(Affine::IDENTITY), |inside| self.moved(inside, matrices))?;
        Some(part.to_local? * invert(moved)?)
    }

    /// The outline of a shape in its own space. False if it could not be used and the one at rest stands.
    fn outline(&self, part: &Posed, pose: &CanvasPose<'_>, out: &mut BezPath) -> bool {
        let to_local = self.to_local(part, pose.rigid);
        let posed = to_local.zip(pose.outlines.get(part.outline));
        let posed = posed.filter(|(map, path)| limits::is_path_usable(path, *map));
        out.truncate(0);
        match posed {
            Some((map, path)) => out.extend(path.elements().iter().map(|element| map * *element)),
            None => out.extend(part.at_rest.elements().iter().copied()),
        }
        posed.is_some()
    }
}

/// Whether a matrix moves nothing, but for rounding: paint at rest keeps its numbers.
fn is_still(affine: Affine) -> bool {
    let still = Affine::IDENTITY.as_coeffs();
    let mut differences = affine.as_coeffs().into_iter().zip(still).map(|(a, b)| (a - b).abs());
    differences.by_ref().take(4).all(|d| d < 1e-11) && differences.all(|d| d < 1e-8)
}
