//! A drawing with slots for the parts that move, and the step from a pose in canvas space to a frame in the
//! spaces of the drawing. The caller decides what moves.

use std::collections::BTreeMap;
use std::sync::Arc;

use kurbo::{Affine, BezPath};

use crate::color_map::TintValues;
use crate::definition::{FilterId, StepValues};
use crate::drawing::{Drawing, invert};
use crate::element::ElementId;
use crate::filter_look::FilterSlot;
use crate::frame::{Frame, Visibility};
use crate::gradient_look::GradientPart;
use crate::ink_outline::InkedPath;
use crate::limits;
use crate::look::{LookValues, ShapeLook};
use crate::moving::{
    BentPaint, InkedStroke, KeyedGradient, MirroredFill, Moving, OwnedMoving, PosedArt, TrimmedStroke,
};
use crate::node::{NodeKind, Shape};
use crate::node_id::NodeId;
use crate::paint::{FillRule, GradientId, Paint};
use crate::region::{Extent, shifted};
use crate::settled::{push_turned, turned_subpaths};
use crate::tint_slots::TintSlots;
use crate::trim::{Trim, TrimmedPath};

/// The pose of a [`Posable`] in canvas space. Lists that are too short leave the others at rest.
#[derive(Clone, Copy, Debug, Default)]
pub struct CanvasPose<'a> {
    /// The matrix of each rigid part, elements first.
    pub rigid: &'a [Affine],
    /// The outline of each posed shape.
    pub outlines: &'a [BezPath],
    /// How the paint of each posed shape moves.
    pub paints: &'a [PaintMotion],
    /// The visibility of each element that can be hidden, fade or change its draw order.
    pub visibilities: &'a [Visibility],
    /// The keyed values of each path of [`Moving::looks`](crate::Moving), in the path's own space.
    pub looks: &'a [LookValues],
    /// The tint and the shade of each of [`Moving::tints`](crate::Moving).
    pub tints: &'a [TintValues],
    /// The values of all of [`Moving::gradients`](crate::Moving), one after the other.
    pub gradient_values: &'a [f64],
    /// The values of each of [`Moving::filter_steps`](crate::Moving).
    pub filter_steps: &'a [StepValues],
    /// Of each path of [`Moving::trims`](crate::Moving) where its stroke starts and ends, and the offset of both.
    pub trims: &'a [[f64; 3]],
    /// The reach of the ink of all of [`Moving::inks`](crate::Moving), one path after the other: to the left and to the
    /// right at each place.
    pub inks: &'a [f64],
    /// What a camera shows of the canvas, on the canvas; none for all of it.
    pub camera: Option<Affine>,
    /// Whether each posed shape has the outline that it has at rest, perhaps in more pieces: then the frame has
    /// the drawn one, so that its pixels are those of the drawing.
    pub at_rest: &'a [bool],
    /// Whether each shape with [`BentPaint`] is painted in patches. Those without a value are painted at once.
    pub bent: &'a [bool],
    /// The outlines of all patches on the canvas, those of one shape after those of the other.
    pub patches: &'a [BezPath],
    /// The map of the paint of each patch, canvas to canvas.
    pub patch_paints: &'a [Affine],
    /// Whether a part of each shape with a [`MirroredFill`] is mirrored, and another not.
    pub mirrored: &'a [bool],
    /// The outline of all parts of each of these shapes on the canvas.
    pub parts: &'a [BezPath],
    /// Whether outlines are to have the same curves in every frame, for what is interpolated between frames.
    pub in_pieces: bool,
}

impl<'a> CanvasPose<'a> {
    /// The outline of a posed shape or, after `outlines` of these, of a patch.
    fn outline(&self, part: &Posed, outlines: usize) -> Option<&'a BezPath> {
        if let Some(parts) = part.parts {
            return self.parts.get(parts);
        }
        match part.outline.checked_sub(outlines) {
            None => self.outlines.get(part.outline),
            Some(patch) => self.patches.get(patch),
        }
    }

    /// Whether a part of a shape is mirrored.
    fn is_mirrored(&self, parts: usize) -> bool {
        self.mirrored.get(parts).is_some_and(|mirrored| *mirrored)
    }

    /// What moves its paint.
    fn paint(&self, at: usize, outlines: usize) -> Option<Affine> {
        match at.checked_sub(outlines) {
            None => self.paints.get(at)?.paint,
            Some(patch) => self.patch_paints.get(patch).copied(),
        }
    }
}

/// How the paint of a posed shape moves in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PaintMotion {
    /// The canvas affine that moves gradients and patterns away from their place at rest. None: they stay in
    /// the shape's own space.
    pub paint: Option<Affine>,
    /// How many times as wide as at rest the stroke and its dashes are on the canvas. None: as they are in
    /// the shape's own space.
    pub stroke: Option<f64>,
}

/// How many parts stayed at rest because their numbers were not finite, were huge, or could not be inverted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Rigid parts.
    pub rigid: usize,
    /// Posed shapes: one of a clip path or mask may stand in several places.
    pub posed: usize,
}

/// A drawing of which some parts move, ready to be posed once a frame.
///
/// The drawing that it makes has slots for what moves, groups around what needs one for that, and copies of
/// shared definitions for users that need other numbers in them.
#[derive(Clone, Debug)]
pub struct Posable {
    pub(crate) drawing: Arc<Drawing>,
    /// What it was made for.
    pub(crate) moving: OwnedMoving,
    pub(crate) rigid: Vec<Rigid>,
    pub(crate) posed: Vec<Posed>,
    /// How many outlines a pose gives.
    pub(crate) outlines: usize,
    pub(crate) gradients: Vec<PaintSlot>,
    pub(crate) keyed: KeyedIds,
    /// What gradients that are copies are made of, and which part of that they have.
    pub(crate) origins: BTreeMap<GradientId, (GradientId, GradientPart)>,
    pub(crate) patterns: Vec<PaintSlot>,
    pub(crate) looks: Vec<LookSlot>,
    /// The values in the drawing of each path of [`Moving::looks`](crate::Moving).
    pub(crate) look_values: Vec<LookValues>,
    pub(crate) tints: TintSlots,
    /// Each path of [`Moving::trims`](crate::Moving), and the shapes that are the part of its stroke.
    pub(crate) trims: Vec<TrimmedPath>,
    pub(crate) trimmed: Vec<TrimSlot>,
    /// Each path of [`Moving::inks`](crate::Moving), and the nodes that are ink: each with the node of its path and the
    /// one that stands for it.
    pub(crate) inks: Vec<InkedPath>,
    pub(crate) inked: Vec<(NodeId, NodeId, NodeId)>,
    /// From the space around everything to the canvas, and back, if there is a camera.
    pub(crate) camera: Option<(Affine, Affine)>,
    pub(crate) extents: Vec<Extent>,
    /// The extent of each mask and filter that has a region of its own.
    pub(crate) masks: Vec<usize>,
    pub(crate) filters: Vec<usize>,
    /// The filters that copies are made of.
    pub(crate) filter_origins: BTreeMap<FilterId, FilterId>,
    pub(crate) filter_looks: Vec<FilterSlot>,
    /// The visibilities at rest, for elements without a value in the pose.
    pub(crate) at_rest: Vec<Visibility>,
    pub(crate) visible: usize,
    /// The first of two slots of visibilities for each shape with bent paint: painted at once, and in patches.
    pub(crate) bent: Vec<usize>,
    /// The same for each shape with a mirrored fill: painted as it is, and in parts.
    pub(crate) mirrored: Vec<usize>,
    /// Slots of visibilities that have the keyed opacity of a paint, with its place in [`Moving::looks`](crate::Moving) and
    /// among the values there.
    pub(crate) fading: Vec<(usize, usize, usize)>,
}

/// Which of [`Moving::gradients`](crate::Moving) a gradient is.
pub(crate) type KeyedIds = BTreeMap<GradientId, usize>;

/// A shape that can be painted in other ways.
#[derive(Clone, Debug)]
pub(crate) struct LookSlot {
    /// The posed shape, which widens its stroke where its outline gets wider.
    pub(crate) posed: Option<usize>,
    /// Its place in [`Moving::looks`](crate::Moving), and the values of that path in the drawing.
    pub(crate) keyed: Option<(usize, LookValues)>,
    /// The path of which it strokes a part.
    pub(crate) trim: Option<usize>,
    /// The nearest of [`Moving::tints`](crate::Moving) around it.
    pub(crate) tint: Option<usize>,
    /// Whether it is the ink of a path, and filled with the paint of its stroke.
    pub(crate) is_ink: bool,
    pub(crate) own: ShapeLook,
}

/// A part that is moved by a matrix.
#[derive(Clone, Debug)]
pub(crate) struct Rigid {
    /// The nearest rigid part around it, by its place in the list.
    pub(crate) outer: Option<usize>,
    /// From the space around the part to canvas space, at rest, and back. None if it has no inverse: then the
    /// part is not visible.
    pub(crate) around_to_canvas: Option<(Affine, Affine)>,
    /// The part's own transform, which the posed one replaces.
    pub(crate) own: Affine,
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
    pub(crate) to_local: Option<Affine>,
    /// Its outline at rest.
    pub(crate) at_rest: Arc<BezPath>,
    /// The subpaths that are turned, so that the windings are 0 and 1 at rest.
    pub(crate) turned: Vec<bool>,
    /// Which of the outlines of parts takes the place of the shape's own.
    pub(crate) parts: Option<usize>,
    /// The path of which it strokes a part, and which of these shapes it is.
    pub(crate) trim: Option<(usize, usize)>,
    /// The path of which it is the ink.
    pub(crate) ink: Option<usize>,
    /// The rigid part that carries its outline at rest, if no pose has an outline for it.
    pub(crate) carrier: Option<usize>,
}

/// What a shape of its own is of a stroke, by the place of its path in [`Moving::trims`](crate::Moving) or
/// [`Moving::inks`](crate::Moving).
#[derive(Clone, Copy, Debug)]
pub(crate) enum StrokeOf {
    Trim(usize),
    Ink(usize),
}

/// A shape that is the part of a stroke.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrimSlot {
    /// Its place in [`Moving::trims`](crate::Moving).
    pub(crate) path: usize,
    /// The node of the path.
    pub(crate) node: NodeId,
    /// The group of its fill and its stroke; the path itself where there is no fill.
    pub(crate) unit: NodeId,
}

impl TrimSlot {
    /// The number of the outline of a path that no pose has.
    pub(crate) const STILL: usize = usize::MAX;
}

/// A gradient or pattern that only one posed shape uses.
#[derive(Clone, Debug)]
pub(crate) struct PaintSlot {
    /// Which of the posed shapes.
    pub(crate) posed: usize,
    pub(crate) own: Affine,
}

/// Fills a shape by windings that are 0 and 1 at rest, if that is possible. Returns the subpaths that are turned
/// for it when the shape is posed. Dashes would begin elsewhere.
pub(crate) fn settle(shape: &mut Shape) -> Option<Vec<bool>> {
    let is_dashed = shape.stroke.as_ref().is_some_and(|stroke| !stroke.dashes.is_empty());
    let fill = shape.fill.as_mut().filter(|_| !is_dashed)?;
    let turned = turned_subpaths(&shape.outline, fill.rule)?;
    let is_turned = turned.contains(&true);
    if fill.rule == FillRule::NonZero {
        return is_turned.then_some(turned);
    }
    fill.rule = FillRule::NonZero;
    if !is_turned {
        return Some(Vec::new());
    }
    let mut outline = BezPath::new();
    push_turned(&shape.outline, &turned, |element| element, &mut outline);
    shape.outline = Arc::new(outline);
    Some(turned)
}

/// Whether a matrix is the identity but for rounding: art and paint at rest keep their numbers.
fn is_still(affine: Affine) -> bool {
    let still = Affine::IDENTITY.as_coeffs();
    let mut differences = affine.as_coeffs().into_iter().zip(still).map(|(a, b)| (a - b).abs());
    differences.by_ref().take(4).all(|d| d < 1e-11) && differences.all(|d| d < 1e-8)
}

impl Posable {
    /// Gives a shape of the drawing with slots an outline slot, and gradients and patterns of its own.
    pub(crate) fn pose(
        &mut self,
        drawing: &mut Drawing,
        node: NodeId,
        outline: usize,
        inside: Option<usize>,
        to_canvas: Affine,
    ) {
        let NodeKind::Shape(shape) = &drawing.nodes[node.index()].kind else { return };
        let mut shape: Shape = (**shape).clone();
        let at = self.posed.len();
        let mut changed = self.outline_slot(drawing, (node, &mut shape), (outline, inside, to_canvas));
        let mut copied: Vec<(Paint, Paint)> = Vec::new();
        let fill = shape.fill.as_mut().map(|fill| &mut fill.paint);
        let stroke = shape.stroke.as_mut().map(|stroke| &mut stroke.paint);
        for paint in fill.into_iter().chain(stroke) {
            let own = match copied.iter().find(|(from, _)| from == paint) {
                Some((_, own)) => *own,
                None => {
                    let own = self.own_paint(drawing, *paint, at);
                    copied.push((*paint, own));
                    own
                }
            };
            changed |= own != *paint;
            *paint = own;
        }
        self.look_slot(drawing, node, &shape, (Some(at), self.path_of(outline)));
        if changed {
            drawing.nodes[node.index()].kind = NodeKind::Shape(Arc::new(shape));
        }
    }

    /// Gives a shape of the drawing with slots an outline slot, and says whether its fill changed for that.
    pub(crate) fn outline_slot(
        &mut self,
        drawing: &mut Drawing,
        (node, shape): (NodeId, &mut Shape),
        (outline, inside, to_canvas): (usize, Option<usize>, Affine),
    ) -> bool {
        drawing.slots.outlines.push(node);
        let to_local = invert(to_canvas);
        let turned = if self.is_ink(node) { None } else { settle(shape) };
        let changed = turned.is_some();
        let turned = turned.unwrap_or_default();
        let at_rest = Arc::clone(&shape.outline);
        let (parts, trim, ink, carrier) = (None, None, None, None);
        self.posed.push(Posed {
            outline,
            inside,
            to_canvas,
            to_local,
            at_rest,
            turned,
            parts,
            trim,
            ink,
            carrier,
        });
        changed
    }

    /// The path of which a posed outline is.
    pub(crate) fn path_of(&self, outline: usize) -> Option<ElementId> {
        match self.moving.posed.get(outline) {
            Some(PosedArt::Path(id)) => Some(*id),
            _ => None,
        }
    }

    /// Gives a shape a slot for its look, if it can change. `path` is the element that it is of, for which a pose can
    /// have values.
    pub(crate) fn look_slot(
        &mut self,
        drawing: &mut Drawing,
        node: NodeId,
        shape: &Shape,
        (posed, path): (Option<usize>, Option<ElementId>),
    ) {
        let keyed = path.and_then(|path| {
            let at = self.moving.looks.iter().position(|id| *id == path)?;
            Some((at, *self.look_values.get(at)?))
        });
        if keyed.is_some() || shape.stroke.is_some() {
            drawing.slots.looks.push(node);
            let (is_ink, own) = (self.is_ink(node), ShapeLook::of(shape));
            let own = if is_ink { ShapeLook { stroke: own.fill, ..ShapeLook::default() } } else { own };
            self.looks.push(LookSlot { posed, keyed, trim: None, tint: None, is_ink, own });
        }
    }

    /// Whether a node is the ink of a path.
    fn is_ink(&self, node: NodeId) -> bool {
        self.inked.iter().any(|(ink, ..)| *ink == node)
    }

    /// A copy of a gradient or pattern for one posed shape; a colour is itself.
    fn own_paint(&mut self, drawing: &mut Drawing, paint: Paint, posed: usize) -> Paint {
        match paint {
            Paint::Color(_) => paint,
            Paint::Gradient(id) => {
                let mut copy = drawing.gradients[id.index()].clone();
                copy.id = drawing.free_id(&copy.id, posed);
                self.gradients.push(PaintSlot { posed, own: copy.transform });
                let own = drawing.push_gradient(copy);
                self.origins.insert(own, (id, GradientPart::Whole));
                drawing.slots.gradients.push(own);
                Paint::Gradient(own)
            }
            Paint::Pattern(id) => {
                let mut copy = drawing.patterns[id.index()].clone();
                copy.id = drawing.free_id(&copy.id, posed);
                self.patterns.push(PaintSlot { posed, own: copy.transform });
                let id = drawing.push_pattern(copy);
                drawing.slots.patterns.push(id);
                Paint::Pattern(id)
            }
        }
    }
}

impl Posable {
    /// The drawing with its slots, to which the frames belong.
    pub fn drawing(&self) -> &Arc<Drawing> {
        &self.drawing
    }

    /// How many rigid parts and outlines a pose gives.
    pub fn counts(&self) -> (usize, usize) {
        (self.rigid.len(), self.outlines)
    }

    /// The shapes with bent paint.
    pub fn bent_paints(&self) -> &[BentPaint] {
        &self.moving.bent
    }

    /// The shapes with mirrored fills.
    pub fn mirrored_fills(&self) -> &[MirroredFill] {
        &self.moving.mirrored
    }

    /// The elements that can be tinted.
    pub fn tints(&self) -> &[ElementId] {
        &self.moving.tints
    }

    /// The gradients whose ends and stops can change.
    pub fn keyed_gradients(&self) -> &[KeyedGradient] {
        &self.moving.gradients
    }

    /// How many steps of filters can change.
    pub fn keyed_steps(&self) -> usize {
        self.moving.filter_steps.len()
    }

    /// The paths of which a part can be stroked.
    pub fn trims(&self) -> &[TrimmedStroke] {
        &self.moving.trims
    }

    /// The paths with ink.
    pub fn inks(&self) -> &[InkedStroke] {
        &self.moving.inks
    }

    /// Whether each posed shape is filled or stroked with a gradient or a pattern, so that
    /// [`PaintMotion::paint`] means something.
    pub fn paint_servers(&self) -> Vec<bool> {
        let mut has = vec![false; self.outlines];
        for slot in self.gradients.iter().chain(&self.patterns) {
            let outline = self.posed[slot.posed].outline;
            // Patches come after all shapes.
            if let Some(has) = has.get_mut(outline) {
                *has = true;
            }
        }
        has
    }

    /// Whether it was made for the same of its drawing.
    pub fn moves(&self, moving: &Moving<'_>) -> bool {
        let own = &self.moving;
        (&*own.rigid, &*own.rigid_nodes, &*own.posed) == (moving.rigid, moving.rigid_nodes, moving.posed)
            && (&*own.visible, &*own.looks, &*own.tints) == (moving.visible, moving.looks, moving.tints)
            && (&*own.bent, &*own.mirrored, &*own.trims) == (moving.bent, moving.mirrored, moving.trims)
            && (own.camera, &*own.gradients, &*own.inks) == (moving.camera, moving.gradients, moving.inks)
            && (&*own.filter_steps, &*own.masks) == (moving.filter_steps, moving.masks)
    }

    /// The frame of a pose. Allocates nothing once `frame` was used before and outlines keep their number of
    /// curves.
    pub fn frame(&self, pose: &CanvasPose<'_>, frame: &mut Frame) -> Skipped {
        let mut skipped = Skipped::default();
        frame.transforms.clear();
        for k in 0..self.rigid.len() {
            let (transform, used) = self.transform(k, pose);
            skipped.rigid += usize::from(!used);
            frame.transforms.push(transform);
        }
        frame.transforms.extend(self.camera.map(|(around, back)| {
            let view = pose.camera.map(|view| back * view * around);
            view.filter(|view| !is_still(*view) && limits::is_usable(*view)).unwrap_or_default()
        }));
        frame.outlines.truncate(self.posed.len());
        for posed in self.posed.iter().skip(frame.outlines.len()) {
            // Art at rest has its own curves, and more pieces when it moves.
            let path = pose.outline(posed, self.outlines);
            let pieces = path.map_or(0, |path| path.elements().len());
            let trimmed = posed.trim.map_or(0, |(path, _)| self.trims[path].capacity());
            let inked = posed.ink.map_or(0, |path| self.inks[path].capacity());
            let most = pieces.max(posed.at_rest.elements().len()).max(trimmed).max(inked);
            frame.outlines.push(BezPath::with_capacity(most));
        }
        frame.trims.clear();
        frame.trims.extend(self.trimmed.iter().map(|slot| self.trim(slot.path, pose)));
        for (posed, out) in self.posed.iter().zip(&mut frame.outlines) {
            skipped.posed += usize::from(!self.outline(posed, pose, (out, &mut frame.trims)));
        }
        frame.looks.clear();
        frame.looks.extend(self.looks.iter().map(|slot| self.look(slot, pose)));
        self.tints.fill((pose.tints, pose.gradient_values), frame);
        for (slots, out) in [(&self.gradients, &mut frame.gradients), (&self.patterns, &mut frame.patterns)] {
            out.clear();
            out.extend(slots.iter().map(|slot| self.paint(slot, pose)));
        }
        self.regions(pose, frame);
        frame.visibilities.clear();
        let given = pose.visibilities.get(..self.visible.min(pose.visibilities.len())).unwrap_or_default();
        frame.visibilities.extend(given);
        frame.visibilities.extend(self.at_rest.iter().skip(given.len()));
        let bent = self.bent.iter().enumerate().filter(|(at, _)| pose.bent.get(*at) == Some(&true));
        let mirrored = self.mirrored.iter().enumerate().filter(|(at, _)| self.shows_parts(*at, pose));
        for (_, slot) in bent.chain(mirrored) {
            frame.visibilities[*slot] = Visibility::HIDDEN;
            frame.visibilities[slot + 1] = Visibility::SHOWN;
        }
        for (slot, at, place) in &self.fading {
            if let Some(values) = pose.looks.get(*at) {
                frame.visibilities[*slot].opacity = values[*place].clamp(0.0, 1.0);
            }
        }
        skipped
    }

    /// Whether a shape is painted in parts. Patches of a gradient that bends are cut by the parts themselves.
    fn shows_parts(&self, parts: usize, pose: &CanvasPose<'_>) -> bool {
        let posed = self.moving.mirrored[parts].posed;
        let bent = self.moving.bent.iter().position(|bent| bent.posed == posed);
        let is_bent = bent.is_some_and(|bent| pose.bent.get(bent) == Some(&true));
        pose.is_mirrored(parts) && !is_bent
    }

    fn regions(&self, pose: &CanvasPose<'_>, frame: &mut Frame) {
        frame.masks.clear();
        frame.filters.clear();
        frame.steps.clear();
        self.filter_values(pose.filter_steps, &mut frame.filter_looks);
        let shift =
            |extent: usize| self.extents[extent].shift(pose.outlines, |outer| self.moved(outer, pose.rigid));
        let slots = &self.drawing.slots;
        for (extent, id) in self.masks.iter().zip(slots.masks.keys()) {
            frame.masks.push(shifted(self.drawing.masks[id.index()].rect, shift(*extent)));
        }
        for (extent, id) in self.filters.iter().zip(slots.filters.keys()) {
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
                let change = back * invert(outer)? * moved * around;
                // Art at rest is drawn where it is, to the bit.
                let posed = if is_still(change) { part.own } else { change * part.own };
                Some(posed).filter(|posed| limits::is_usable(*posed))
            }),
            _ => None,
        };
        let still = moved.is_some() && moved == outer && pose.rigid.get(k) == moved.as_ref();
        (posed.unwrap_or(part.own), posed.is_some() || still)
    }

    /// The matrix that a rigid part moves by. If its own cannot be used, it is that of the part around it.
    fn moved(&self, k: usize, matrices: &[Affine]) -> Option<Affine> {
        let mut at = k;
        loop {
            match matrices.get(at) {
                Some(matrix) if limits::is_pose_usable(*matrix) => return Some(*matrix),
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
            let paint = pose.paint(part.outline, self.outlines)?;
            // (M_outer A)^-1 P A: P in the shape's own space.
            let local = self.to_local(part, pose.rigid)? * paint * part.to_canvas;
            let all = local * slot.own;
            // A singular gradient is not drawn; one that does not move keeps its numbers.
            let usable = limits::is_usable(all) && invert(local).is_some() && !is_still(local);
            usable.then_some(all)
        };
        moved().unwrap_or(slot.own)
    }

    /// How a shape is painted: keyed lengths get longer as the path's own do.
    fn look(&self, slot: &LookSlot, pose: &CanvasPose<'_>) -> ShapeLook {
        let scale = slot.posed.map_or(1.0, |posed| self.stroke(&self.posed[posed], pose));
        let keyed = slot.keyed.as_ref().and_then(|(at, rest)| Some((pose.looks.get(*at)?, rest)));
        let mut look = slot.own.posed(keyed, scale);
        // A point would have round and square caps.
        if slot.trim.is_some_and(|path| self.trim(path, pose).is_empty()) {
            look.lengths.width = 0.0;
        }
        if slot.is_ink {
            look = ShapeLook { fill: look.stroke, ..ShapeLook::default() };
        }
        match slot.tint {
            Some(tint) => look.tinted(&self.tints.map(tint, pose.tints)),
            None => look,
        }
    }

    /// Which part of a path is stroked.
    fn trim(&self, path: usize, pose: &CanvasPose<'_>) -> Trim {
        pose.trims.get(path).map_or(Trim::WHOLE, |values| Trim::new(*values))
    }

    /// The reach of the ink of a path at each of its places.
    fn ink_values<'a>(&'a self, path: usize, pose: &CanvasPose<'a>) -> &'a [f64] {
        let count = |ink: &InkedPath| ink.rest().len();
        let first: usize = self.inks[..path].iter().map(count).sum();
        let own = &self.inks[path];
        pose.inks.get(first..first + count(own)).unwrap_or(own.rest())
    }

    /// How many times as long as at rest the lengths of a stroke are.
    fn stroke(&self, part: &Posed, pose: &CanvasPose<'_>) -> f64 {
        let moved = || {
            let wanted = pose.paints.get(part.outline)?.stroke?;
            // The groups around the shape scale its stroke already.
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

    /// The outline of a shape in its own space. False if it could not be used and the one at rest was
    /// written.
    fn outline(
        &self,
        part: &Posed,
        pose: &CanvasPose<'_>,
        (out, trims): (&mut BezPath, &mut [Trim]),
    ) -> bool {
        let to_local = self.to_local(part, pose.rigid);
        let posed = to_local.zip(pose.outline(part, self.outlines));
        let posed = posed.filter(|(map, path)| limits::is_path_usable(path, *map));
        out.truncate(0);
        if let Some(parts) = part.parts
            && !(pose.in_pieces || pose.is_mirrored(parts))
        {
            return true;
        }
        let keeps = part.outline == TrimSlot::STILL;
        if let Some(path) = part.ink {
            let posed = posed.map(|(map, path)| (path, map));
            self.inks[path].write(self.ink_values(path, pose), posed, self.stroke(part, pose), out);
            return keeps || posed.is_some();
        }
        if let Some((path, slot)) = part.trim {
            let trim = &mut trims[slot];
            if !self.trims[path].is_as_drawn(*trim, pose.in_pieces) {
                let posed = posed.map(|(map, path)| (path, map));
                trim.form = self.trims[path].write(*trim, posed, pose.in_pieces, out);
                return keeps || posed.is_some();
            }
        }
        if keeps && part.trim.is_none() {
            let carried =
                part.carrier.map_or(Some(Affine::IDENTITY), |carrier| self.moved(carrier, pose.rigid));
            let map = to_local.zip(carried).map(|(to_local, carried)| to_local * carried * part.to_canvas);
            match map.filter(|map| !is_still(*map) && limits::is_path_usable(&part.at_rest, *map)) {
                Some(map) => out.extend(part.at_rest.elements().iter().map(|element| map * *element)),
                None => out.extend(part.at_rest.elements().iter().copied()),
            }
            return true;
        }
        // Groups around it that move would carry the outline away from its place.
        let rests = pose.at_rest.get(part.outline).is_some_and(|rests| *rests) && part.parts.is_none();
        if rests && posed.is_some_and(|(map, _)| is_still(map * part.to_canvas)) {
            out.extend(part.at_rest.elements().iter().copied());
            return true;
        }
        match posed {
            Some((map, path)) if part.turned.is_empty() => {
                out.extend(path.elements().iter().map(|element| map * *element));
            }
            Some((map, path)) => push_turned(path, &part.turned, |element| map * element, out),
            None => out.extend(part.at_rest.elements().iter().copied()),
        }
        keeps || posed.is_some()
    }
}
