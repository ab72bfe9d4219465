//! A drawing with slots for the parts that move, and the step from a pose in canvas space to a frame in the
//! spaces of the drawing. The caller decides what moves.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use archive::{Archive, ArchiveError, Reader, Writer, archive};
use kurbo::{Affine, BezPath};

use crate::definition_copies::DefinitionCopier;
use crate::drawing::{Drawing, invert};
use crate::element::{ElementId, ElementState};
use crate::error::MoveError;
use crate::frame::{Frame, Visibility};
use crate::limits;
use crate::node::{Group, Node, NodeId, NodeKind, Shape};
use crate::paint::{FillRule, Paint};
use crate::region::{Extent, shifted};
use crate::settled::{push_turned, turned_subpaths};
use crate::stencil::Stencil;

/// Something that gets a new outline in every frame.
#[derive(Clone, Debug, PartialEq)]
pub enum PosedArt {
    /// A path that is drawn in its own place.
    Path(ElementId),
    /// A shape of a clip path or mask, for the users of the stencil.
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
    /// Posed shapes of the picture whose gradients bend.
    pub bent: &'a [BentPaint],
    /// Posed shapes of which a part can be mirrored.
    pub mirrored: &'a [MirroredFill],
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

/// A posed shape of which one part can be mirrored and another not: while it is, the outlines of its parts are
/// filled, and its own outline is stroked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirroredFill {
    /// Its place in [`Moving::posed`].
    pub posed: usize,
    /// The subpath of the shape that each subpath of its parts is cut from.
    pub subpaths: Vec<u32>,
}

/// The same, owned.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnedMoving {
    rigid: Vec<ElementId>,
    rigid_nodes: Vec<NodeId>,
    pub(crate) posed: Vec<PosedArt>,
    visible: Vec<ElementId>,
    bent: Vec<BentPaint>,
    pub(crate) mirrored: Vec<MirroredFill>,
}

archive!(struct OwnedMoving { rigid, rigid_nodes, posed, visible, bent, mirrored });
archive!(struct BentPaint { posed, patches });
archive!(struct MirroredFill { posed, subpaths });
archive!(
    enum PosedArt {
        Path(element) = 0,
        Stencil(stencil) = 1,
        Part(element, node) = 2,
    }
);

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
    drawing: Arc<Drawing>,
    /// What it was made for.
    pub(crate) moving: OwnedMoving,
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
    /// The visibilities at rest, for elements without a value in the pose.
    pub(crate) at_rest: Vec<Visibility>,
    visible: usize,
    /// The first of two slots of visibilities for each shape with bent paint: painted at once, and in patches.
    pub(crate) bent: Vec<usize>,
    /// The same for each shape with a mirrored fill: painted as it is, and in parts.
    pub(crate) mirrored: Vec<usize>,
}

/// A part that is moved by a matrix.
#[derive(Clone, Debug)]
pub(crate) struct Rigid {
    /// The nearest rigid part around it, by its place in the list.
    pub(crate) outer: Option<usize>,
    /// From the space around the part to canvas space, at rest, and back. None if it has no inverse: then the
    /// part is not visible.
    around_to_canvas: Option<(Affine, Affine)>,
    /// The part's own transform, which the posed one replaces.
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
    pub(crate) at_rest: Arc<BezPath>,
    /// The subpaths that are turned, so that the windings are 0 and 1 at rest.
    pub(crate) turned: Vec<bool>,
    /// Which of the outlines of parts takes the place of the shape's own.
    pub(crate) parts: Option<usize>,
}

/// A gradient or pattern that only one posed shape uses.
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
    /// If an element is not drawn in its own place, is listed twice, or is posed but has no outline; if a
    /// stencil is of another drawing; or if clip paths and masks need too many copies, or there are too many
    /// patches.
    pub fn new(source: &Drawing, moving: &Moving<'_>) -> Result<Self, MoveError> {
        let mut rigid_nodes = nodes_of(source, moving.rigid)?;
        if let Some(node) = moving.rigid_nodes.iter().find(|node| source.node(**node).is_none()) {
            return Err(MoveError::NoSuchNode { node: *node });
        }
        rigid_nodes.extend(moving.rigid_nodes);
        let patches = moving.bent.iter().fold(0_usize, |all, bent| all.saturating_add(bent.patches));
        if patches > MOST_PATCHES {
            return Err(MoveError::TooManyPatches);
        }
        if let Some(stencil) = source.unknown_stencil(stencils_of(moving.posed)) {
            return Err(MoveError::UnknownStencil { element: stencil.element });
        }
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
        let Builder { mut drawing, mut posable, posed_paths, posed_stencils, .. } = builder;
        let copier =
            DefinitionCopier::new(source, &mut drawing, &mut posable, &near, posed_paths, &posed_stencils);
        let copies = copier.copy_all().map_err(|_| MoveError::TooManyCopies)?;
        (posable.extents, posable.masks, posable.filters) = (copies.extents, copies.masks, copies.filters);
        posable.mirror_fills(source, &mut drawing);
        posable.bend_paints(source, moving, &mut drawing);
        posable.drawing = Arc::new(drawing);
        Ok(posable)
    }

    /// Writes what moves, of which [`read`](Self::read) makes the same again.
    pub fn write(&self, to: &mut Writer) {
        self.moving.write(to);
    }

    /// Reads what moves of a drawing that was read before.
    ///
    /// # Errors
    /// If it is not of this drawing.
    pub fn read(source: &Drawing, from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let OwnedMoving { rigid, rigid_nodes, posed, visible, bent, mirrored } = &Archive::read(from)?;
        from.check(source.unknown_stencil(stencils_of(posed)).is_none(), "stencil")?;
        let moving = Moving { rigid, rigid_nodes, posed, visible, bent, mirrored };
        Self::new(source, &moving).map_err(|_| from.invalid("moving art"))
    }

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
        frame.outlines.truncate(self.posed.len());
        for posed in self.posed.iter().skip(frame.outlines.len()) {
            // Art at rest has its own curves, and more pieces when it moves.
            let path = pose.outline(posed, self.outlines);
            let pieces = path.map_or(0, |path| path.elements().len());
            frame.outlines.push(BezPath::with_capacity(pieces.max(posed.at_rest.elements().len())));
        }
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
        let bent = self.bent.iter().enumerate().filter(|(at, _)| pose.bent.get(*at) == Some(&true));
        let mirrored = self.mirrored.iter().enumerate().filter(|(at, _)| self.shows_parts(*at, pose));
        for (_, slot) in bent.chain(mirrored) {
            frame.visibilities[*slot] = Visibility::HIDDEN;
            frame.visibilities[slot + 1] = Visibility::SHOWN;
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
    fn outline(&self, part: &Posed, pose: &CanvasPose<'_>, out: &mut BezPath) -> bool {
        let to_local = self.to_local(part, pose.rigid);
        let posed = to_local.zip(pose.outline(part, self.outlines));
        let posed = posed.filter(|(map, path)| limits::is_path_usable(path, *map));
        out.truncate(0);
        if let Some(parts) = part.parts
            && !(pose.in_pieces || pose.is_mirrored(parts))
        {
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
        posed.is_some()
    }
}

/// The most patches of all shapes with bent paint together.
const MOST_PATCHES: usize = 1_000_000;

fn stencils_of(posed: &[PosedArt]) -> impl Iterator<Item = &Stencil> {
    posed.iter().filter_map(|art| match art {
        PosedArt::Stencil(stencil) => Some(stencil),
        PosedArt::Path(_) | PosedArt::Part(..) => None,
    })
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

/// The nearest rigid part of every node of the picture, itself first.
fn near(drawing: &Drawing, units: &[(NodeId, NodeId)]) -> Vec<Option<usize>> {
    let mut near: Vec<Option<usize>> = vec![None; drawing.nodes.len()];
    for (k, (first, last)) in units.iter().enumerate() {
        let siblings = drawing.siblings(drawing.nodes[first.index()].parent);
        let start = siblings.binary_search(first).unwrap_or(0);
        for at in siblings[start..].iter().take_while(|at| *at <= last) {
            near[at.index()].get_or_insert(k);
        }
    }
    let mut next: Vec<NodeId> = drawing.roots.iter().rev().copied().collect();
    while let Some(at) = next.pop() {
        let around = drawing.nodes[at.index()].parent.and_then(|parent| near[parent.index()]);
        near[at.index()] = near[at.index()].or(around);
        next.extend(drawing.nodes[at.index()].children().iter().rev());
    }
    near
}

/// The nodes of elements, each of which is drawn and listed once.
fn nodes_of(drawing: &Drawing, ids: &[ElementId]) -> Result<Vec<NodeId>, MoveError> {
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]) {
        return Err(MoveError::Duplicate { element: twice, name: name(drawing, twice) });
    }
    let node = |id: &ElementId| {
        drawing.node_of(*id).ok_or_else(|| MoveError::NotDrawn {
            element: *id,
            name: name(drawing, *id),
            reason: match drawing.element(*id).map(|element| &element.state) {
                Some(ElementState::NotDrawn(reason)) => reason.to_string(),
                Some(ElementState::ClipOrMask) => {
                    "it is in a clip path or a mask of other elements".to_owned()
                }
                _ => "the drawing has no such element".to_owned(),
            },
        })
    };
    ids.iter().map(node).collect()
}

fn name(drawing: &Drawing, id: ElementId) -> String {
    drawing.element(id).map_or_else(|| format!("element {}", id.index()), |element| element.name())
}

/// A group that is put around some siblings.
struct Wrapper {
    first: NodeId,
    last: NodeId,
    /// Outer ones have the higher rank.
    rank: u8,
    node: NodeId,
}

struct Builder<'a> {
    source: &'a Drawing,
    drawing: Drawing,
    posable: Posable,
    wrappers: HashMap<Option<NodeId>, Vec<Wrapper>>,
    /// The parents that have wrappers, in the order in which they were met.
    wrapped: Vec<Option<NodeId>>,
    posed_paths: BTreeMap<NodeId, usize>,
    posed_stencils: Vec<(Stencil, usize)>,
}

impl<'a> Builder<'a> {
    fn new(source: &'a Drawing, moving: &Moving<'_>) -> Self {
        let drawing = source.clone();
        let posable = Posable {
            drawing: Arc::new(Drawing::empty()),
            moving: OwnedMoving {
                rigid: moving.rigid.to_vec(),
                rigid_nodes: moving.rigid_nodes.to_vec(),
                posed: moving.posed.to_vec(),
                visible: moving.visible.to_vec(),
                bent: moving.bent.to_vec(),
                mirrored: moving.mirrored.to_vec(),
            },
            rigid: Vec::with_capacity(moving.rigid.len() + moving.rigid_nodes.len()),
            posed: Vec::with_capacity(moving.posed.len()),
            outlines: moving.posed.len(),
            gradients: Vec::new(),
            patterns: Vec::new(),
            strokes: Vec::new(),
            extents: Vec::new(),
            masks: Vec::new(),
            filters: Vec::new(),
            at_rest: Vec::new(),
            visible: moving.visible.len(),
            bent: Vec::new(),
            mirrored: Vec::new(),
        };
        Self {
            source,
            drawing,
            posable,
            wrappers: HashMap::new(),
            wrapped: Vec::new(),
            posed_paths: BTreeMap::new(),
            posed_stencils: Vec::new(),
        }
    }

    /// A group around siblings.
    fn around(&mut self, (first, last): (NodeId, NodeId), rank: u8) -> NodeId {
        let parent = self.source.nodes[first.index()].parent;
        let group = Node {
            parent,
            element: None,
            own: false,
            kind: NodeKind::Group(Box::new(Group { transform: Affine::IDENTITY, ..Group::new() })),
        };
        let node = self.drawing.push(group);
        let list = self.wrappers.entry(parent).or_default();
        if list.is_empty() {
            self.wrapped.push(parent);
        }
        list.push(Wrapper { first, last, rank, node });
        node
    }

    fn rigid(&mut self, units: &[(NodeId, NodeId)], near: &[Option<usize>]) {
        for (first, last) in units.iter().copied() {
            let node = &self.source.nodes[first.index()];
            let around = match node.parent {
                Some(parent) => self.source.to_canvas(parent),
                None => self.source.around_roots(),
            };
            let in_place = node.group().is_some() && first == last;
            let outer = node.parent.and_then(|parent| near[parent.index()]);
            let own = if in_place { node.transform() } else { Affine::IDENTITY };
            let group = if in_place { first } else { self.around((first, last), 0) };
            self.drawing.slots.transforms.push(group, group.index());
            let around_to_canvas = invert(around).map(|back| (around, back));
            self.posable.rigid.push(Rigid { outer, around_to_canvas, own });
        }
    }

    /// Groups around elements whose visibility can change: those with a value in the pose, then the others
    /// that are hidden at rest.
    fn visible(&mut self, nodes: &[NodeId], ids: &[ElementId]) {
        let listed: BTreeSet<ElementId> = ids.iter().copied().collect();
        let hidden = self.source.hidden().iter().filter(|id| !listed.contains(id));
        let unlisted: Vec<(ElementId, NodeId)> =
            hidden.filter_map(|id| Some((*id, self.source.node_of(*id)?))).collect();
        for (id, node) in ids.iter().copied().zip(nodes.iter().copied()).chain(unlisted) {
            let group = self.around(self.source.unit(node), 1);
            self.drawing.slots.visibilities.push(group, group.index());
            let hidden = self.source.is_hidden(id);
            self.posable.at_rest.push(if hidden { Visibility::HIDDEN } else { Visibility::SHOWN });
        }
    }

    /// Puts the groups into the drawing.
    fn wrap(&mut self) {
        for parent in std::mem::take(&mut self.wrapped) {
            let Some(mut wrappers) = self.wrappers.remove(&parent) else { continue };
            // By where they begin; of those with one place the outer one first.
            wrappers.sort_by_key(|w| (w.first, std::cmp::Reverse(w.last), std::cmp::Reverse(w.rank), w.node));
            let children = self.source.siblings(parent);
            let mut list: Vec<NodeId> = Vec::with_capacity(children.len());
            // Open groups, the innermost last.
            let mut open: Vec<(NodeId, NodeId)> = Vec::new();
            let mut next = wrappers.iter().peekable();
            for child in children.iter().copied() {
                while let Some(wrapper) = next.next_if(|wrapper| wrapper.first == child) {
                    self.put(wrapper.node, parent, &open, &mut list);
                    open.push((wrapper.node, wrapper.last));
                }
                self.put(child, parent, &open, &mut list);
                while open.last().is_some_and(|(_, last)| *last == child) {
                    open.pop();
                }
            }
            match parent {
                None => self.drawing.roots = list,
                Some(parent) => {
                    if let NodeKind::Group(group) = &mut self.drawing.nodes[parent.index()].kind {
                        group.children = list;
                    }
                }
            }
        }
    }

    /// Puts a node into the innermost open group.
    fn put(
        &mut self,
        node: NodeId,
        parent: Option<NodeId>,
        open: &[(NodeId, NodeId)],
        list: &mut Vec<NodeId>,
    ) {
        let around = open.last().map(|(group, _)| *group);
        self.drawing.nodes[node.index()].parent = around.or(parent);
        match around {
            None => list.push(node),
            Some(around) => {
                if let NodeKind::Group(group) = &mut self.drawing.nodes[around.index()].kind {
                    group.children.push(node);
                }
            }
        }
    }

    fn posed(&mut self, all: &[PosedArt], near: &[Option<usize>]) -> Result<(), MoveError> {
        let mut seen = BTreeSet::new();
        for (outline, posed) in all.iter().enumerate() {
            let node = match posed {
                PosedArt::Path(id) => self
                    .source
                    .shape_node(*id)
                    .ok_or_else(|| MoveError::NotAPath { element: *id, name: name(self.source, *id) })?,
                PosedArt::Part(id, node) => {
                    let shape = self.source.node(*node).is_some_and(|node| node.shape().is_some());
                    let name = || name(self.source, *id);
                    shape
                        .then_some(*node)
                        .ok_or_else(|| MoveError::NotAPath { element: *id, name: name() })?
                }
                PosedArt::Stencil(stencil) => {
                    if !seen.insert((stencil.place, &stencil.users)) {
                        let (element, name) = (stencil.element, name(self.source, stencil.element));
                        return Err(MoveError::Duplicate { element, name });
                    }
                    self.posed_stencils.push((stencil.clone(), outline));
                    continue;
                }
            };
            let to_canvas = self.source.to_canvas(node);
            self.posable.pose(&mut self.drawing, node, outline, near[node.index()], to_canvas);
            self.posed_paths.insert(node, outline);
        }
        Ok(())
    }
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
        drawing.slots.outlines.push(node, node.index());
        let to_local = invert(to_canvas);
        let turned = settle(&mut shape);
        let at_rest = Arc::clone(&shape.outline);
        let mut copied: Vec<(Paint, Paint)> = Vec::new();
        let mut changed = turned.is_some();
        let turned = turned.unwrap_or_default();
        let parts = None;
        self.posed.push(Posed { outline, inside, to_canvas, to_local, at_rest, turned, parts });
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
        if shape.stroke.is_some() {
            drawing.slots.strokes.push(node, node.index());
            self.strokes.push(at);
        }
        if changed {
            drawing.nodes[node.index()].kind = NodeKind::Shape(Arc::new(shape));
        }
    }

    /// A copy of a gradient or pattern for one posed shape; a colour is itself.
    fn own_paint(&mut self, drawing: &mut Drawing, paint: Paint, posed: usize) -> Paint {
        match paint {
            Paint::Color(_) => paint,
            Paint::Gradient(id) => {
                let mut copy = drawing.gradients[id.index()].clone();
                copy.id = drawing.free_id(&copy.id, posed);
                self.gradients.push(PaintSlot { posed, own: copy.transform });
                let id = drawing.push_gradient(copy);
                drawing.slots.gradients.push(id, id.index());
                Paint::Gradient(id)
            }
            Paint::Pattern(id) => {
                let mut copy = drawing.patterns[id.index()].clone();
                copy.id = drawing.free_id(&copy.id, posed);
                self.patterns.push(PaintSlot { posed, own: copy.transform });
                let id = drawing.push_pattern(copy);
                drawing.slots.patterns.push(id, id.index());
                Paint::Pattern(id)
            }
        }
    }
}
