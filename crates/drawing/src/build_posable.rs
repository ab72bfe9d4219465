//! Gives a drawing slots for what moves, groups around what needs one, and copies of shared definitions.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use bone_archive::{Archive, ArchiveError, Reader, Writer};
use kurbo::Affine;

use crate::definition_copies::DefinitionCopier;
use crate::drawing::{Drawing, invert};
use crate::element::{ElementId, ElementState};
use crate::error::MoveError;
use crate::frame::Visibility;
use crate::moving::{Moving, OwnedMoving, PosedArt};
use crate::node::{Group, Node, NodeKind};
use crate::node_id::NodeId;
use crate::posable::{Posable, Rigid};
use crate::stencil::Stencil;
use crate::tint_slots::TintSlots;

impl Posable {
    /// Makes slots for what moves.
    ///
    /// # Errors
    /// If an element is not drawn in its own place, is listed twice, or is posed but has no outline; if a
    /// stencil is of another drawing; or if clip paths and masks need too many copies, or there are too many
    /// patches.
    pub fn new(source: &Drawing, moving: &Moving<'_>) -> Result<Self, MoveError> {
        let (with_copies, keyed) = source.keyed_gradients(moving.gradients);
        let source = with_copies.as_ref().unwrap_or(source);
        let (with_filters, keyed_steps) = source.keyed_filters(moving.filter_steps);
        let source = with_filters.as_ref().unwrap_or(source);
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
        let tinted = nodes_of(source, moving.tints)?;
        let units: Vec<(NodeId, NodeId)> = rigid_nodes.iter().map(|node| source.unit(*node)).collect();
        let near = near(source, &units);
        let mut builder = Builder::new(source, moving);
        builder.posable.keyed = keyed;
        builder.rigid(&units, &near);
        builder.visible(&visible, moving.visible);
        let masked = builder.masked(moving.masks)?;
        if moving.camera {
            builder.camera();
        }
        builder.wrap();
        builder.measure(moving)?;
        builder.posed(moving.posed, &near)?;
        builder.still_strokes();
        builder.mask(&masked, &near);
        builder.looks(moving.looks)?;
        let Builder { mut drawing, mut posable, posed_paths, posed_stencils, .. } = builder;
        let copier =
            DefinitionCopier::new(source, &mut drawing, &mut posable, &near, posed_paths, &posed_stencils);
        let copies = copier.copy_all().map_err(|_| MoveError::TooManyCopies)?;
        (posable.extents, posable.masks, posable.filters) = (copies.extents, copies.masks, copies.filters);
        posable.mirror_fills(source, &mut drawing);
        posable.bend_paints(source, moving, &mut drawing);
        posable.key_gradients(&mut drawing);
        posable.key_filters(&mut drawing, &keyed_steps);
        posable.tint(source, &tinted, &mut drawing).map_err(|_| MoveError::TooManyCopies)?;
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
        let moving: OwnedMoving = Archive::read(from)?;
        from.check(source.unknown_stencil(stencils_of(&moving.posed)).is_none(), "stencil")?;
        Self::new(source, &moving.view()).map_err(|_| from.invalid("moving art"))
    }
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
    ids.iter().map(|id| drawn_node(drawing, *id)).collect()
}

/// The node of an element that is drawn.
pub(crate) fn drawn_node(drawing: &Drawing, id: ElementId) -> Result<NodeId, MoveError> {
    drawing.node_of(id).ok_or_else(|| MoveError::NotDrawn {
        element: id,
        name: name(drawing, id),
        reason: match drawing.element(id).map(|element| &element.state) {
            Some(ElementState::NotDrawn(reason)) => reason.to_string(),
            Some(ElementState::ClipOrMask) => "it is in a clip path or a mask of other elements".to_owned(),
            _ => "the drawing has no such element".to_owned(),
        },
    })
}

pub(crate) fn name(drawing: &Drawing, id: ElementId) -> String {
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

pub(crate) struct Builder<'a> {
    pub(crate) source: &'a Drawing,
    pub(crate) drawing: Drawing,
    pub(crate) posable: Posable,
    wrappers: HashMap<Option<NodeId>, Vec<Wrapper>>,
    /// The parents that have wrappers, in the order in which they were met.
    wrapped: Vec<Option<NodeId>>,
    pub(crate) posed_paths: BTreeMap<NodeId, usize>,
    posed_stencils: Vec<(Stencil, usize)>,
}

impl<'a> Builder<'a> {
    fn new(source: &'a Drawing, moving: &Moving<'_>) -> Self {
        let drawing = source.clone();
        let posable = Posable {
            drawing: Arc::new(Drawing::empty()),
            moving: OwnedMoving::of(moving),
            rigid: Vec::with_capacity(moving.rigid.len() + moving.rigid_nodes.len()),
            posed: Vec::with_capacity(moving.posed.len()),
            outlines: moving.posed.len(),
            gradients: Vec::new(),
            keyed: BTreeMap::new(),
            origins: BTreeMap::new(),
            patterns: Vec::new(),
            looks: Vec::new(),
            look_values: Vec::new(),
            tints: TintSlots::default(),
            trims: Vec::new(),
            trimmed: Vec::new(),
            inks: Vec::new(),
            inked: Vec::new(),
            fading: Vec::new(),
            camera: None,
            extents: Vec::new(),
            masks: Vec::new(),
            filters: Vec::new(),
            filter_origins: BTreeMap::new(),
            filter_looks: Vec::new(),
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

    /// A group around siblings. Those that rigid parts need are inside, those of masks around them, then those of what
    /// comes and goes, and that of the camera.
    pub(crate) fn around(&mut self, (first, last): (NodeId, NodeId), rank: u8) -> NodeId {
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
            self.drawing.slots.transforms.push(group);
            let around_to_canvas = invert(around).map(|back| (around, back));
            self.posable.rigid.push(Rigid { outer, around_to_canvas, own });
        }
    }

    /// A group around everything.
    fn camera(&mut self) {
        let (Some(first), Some(last)) = (self.source.roots.first(), self.source.roots.last()) else { return };
        let around = self.source.around_roots();
        if let Some(back) = invert(around) {
            let group = self.around((*first, *last), 3);
            self.drawing.slots.transforms.push(group);
            self.posable.camera = Some((around, back));
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
            let group = self.around(self.source.unit(node), 2);
            self.drawing.slots.visibilities.push(group);
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
            let stroke = self.split(node);
            let place = (outline, near[node.index()], to_canvas);
            if stroke.is_none_or(|(stroke, _)| stroke != node) {
                self.posable.pose(&mut self.drawing, node, place.0, place.1, place.2);
            }
            if let Some((stroke, of)) = stroke {
                self.posable.pose(&mut self.drawing, stroke, place.0, place.1, place.2);
                self.posable.stroke_last(&mut self.drawing, stroke, of);
            }
            self.posed_paths.insert(node, outline);
        }
        Ok(())
    }

    /// Slots for the looks of paths that keep their outline.
    fn looks(&mut self, ids: &[ElementId]) -> Result<(), MoveError> {
        for id in ids {
            let name = || name(self.source, *id);
            let node = self.source.shape_node(*id);
            let node = node.ok_or_else(|| MoveError::NotAPath { element: *id, name: name() })?;
            let shape = self.source.node(node).and_then(|node| node.shape());
            let is_new =
                !self.posed_paths.contains_key(&node) && self.drawing.slots.looks.slot(node).is_none();
            if let Some(shape) = shape.filter(|_| is_new) {
                self.posable.look_slot(&mut self.drawing, node, shape, (None, Some(*id)));
            }
        }
        Ok(())
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
