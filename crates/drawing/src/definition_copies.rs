//! Copies of clip paths, masks and filters for the nodes that use them and move. The copies have slots for
//! outlines, paint and regions. Definitions in which nothing moves stay shared.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kurbo::{Affine, Rect, Shape as _};

use crate::bent_paint::Place;
use crate::definition::{ClipId, FilterId, MaskId};
use crate::drawing::Drawing;
use crate::limits::index_u32;
use crate::node::{Node, NodeKind, Shape};
use crate::node_id::NodeId;
use crate::paint::{Fill, Paint};
use crate::posable::Posable;
use crate::region::Extent;
use crate::stencil::{ClipOrMask, Instance, Link, Stencil, StencilPlace};

/// Limit of the copies in bytes of text: clip paths with many users can be larger than any drawing.
pub(crate) const MAX_COPIED: usize = 256 << 20;

/// The extents of all copies.
#[derive(Debug, Default)]
pub(crate) struct CopiedDefinitions {
    pub(crate) extents: Vec<Extent>,
    /// The extent of each slot of a mask, and of a filter.
    pub(crate) masks: Vec<usize>,
    pub(crate) filters: Vec<usize>,
}

/// The copies would be larger than [`MAX_COPIED`].
#[derive(Debug)]
pub(crate) struct CopiesTooLarge;

/// Makes the copies and their slots.
pub(crate) struct DefinitionCopier<'a> {
    source: &'a Drawing,
    drawing: &'a mut Drawing,
    posable: &'a mut Posable,
    /// The nearest rigid part of each node.
    near: &'a [Option<usize>],
    /// Posed shapes of the picture: node and outline.
    paths: BTreeMap<NodeId, usize>,
    /// Posed stencils: the set of users that each outline is for.
    stencils: BTreeMap<StencilPlace, Vec<(usize, usize)>>,
    /// The sets that each user is in.
    sets: BTreeMap<NodeId, Vec<usize>>,
    /// Whether anything in a clip path or mask, or in what it links to, is posed for users in these sets.
    needed: BTreeMap<(Vec<usize>, Instance), bool>,
    /// Copies of clip paths by what is posed in them.
    made: BTreeMap<(Instance, Vec<usize>, Option<usize>), ClipId>,
    jobs: Vec<CopyJob>,
    copied: usize,
    copies: CopiedDefinitions,
}

/// A copy to be filled.
struct CopyJob {
    instance: Instance,
    sets: Vec<usize>,
    inside: Option<usize>,
    copy: ClipOrMask,
}

impl<'a> DefinitionCopier<'a> {
    /// `paths` are the posed nodes with their outlines, `stencils` the posed ones with theirs.
    pub(crate) fn new(
        source: &'a Drawing,
        drawing: &'a mut Drawing,
        posable: &'a mut Posable,
        near: &'a [Option<usize>],
        paths: BTreeMap<NodeId, usize>,
        stencils: &[(Stencil, usize)],
    ) -> Self {
        let mut numbers: BTreeMap<&Arc<[NodeId]>, usize> = BTreeMap::new();
        let mut sets: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
        let mut places: BTreeMap<StencilPlace, Vec<(usize, usize)>> = BTreeMap::new();
        for (stencil, outline) in stencils {
            let next = numbers.len();
            let set = *numbers.entry(&stencil.users).or_insert_with(|| {
                stencil.users.iter().for_each(|user| sets.entry(*user).or_default().push(next));
                next
            });
            places.entry(stencil.place).or_default().push((set, *outline));
        }
        Self {
            source,
            drawing,
            posable,
            near,
            paths,
            stencils: places,
            sets,
            needed: BTreeMap::new(),
            made: BTreeMap::new(),
            jobs: Vec::new(),
            copied: 0,
            copies: CopiedDefinitions::default(),
        }
    }

    /// Makes the copies for all users and for the definitions that those link to.
    pub(crate) fn copy_all(mut self) -> Result<CopiedDefinitions, CopiesTooLarge> {
        let source = self.source;
        for users in source.links().list.chunk_by(|a, b| a.0 == b.0) {
            let node = users[0].0;
            let sets = self.sets.get(&node).cloned().unwrap_or_default();
            let extent = self.extent_of_node(node);
            let space = source.to_canvas(node);
            let (inside, links) = (self.near[node.index()], users.iter().map(|(_, link)| *link));
            self.relink(node, links.collect(), space, &sets, inside, extent);
            while let Some(job) = self.jobs.pop() {
                self.fill(&job)?;
            }
        }
        Ok(self.copies)
    }

    /// Links a group of the drawing with slots to copies of its definitions, where it needs them.
    fn relink(
        &mut self,
        node: NodeId,
        links: Vec<Link>,
        space: Affine,
        sets: &[usize],
        inside: Option<usize>,
        extent: Option<usize>,
    ) {
        let mut filters = Vec::new();
        for link in links {
            match link {
                Link::ClipOrMask(cut) => {
                    let Some(copy) = self.link(cut, space, sets, inside, extent) else { continue };
                    if let NodeKind::Group(group) = &mut self.drawing.nodes[node.index()].kind {
                        match copy {
                            ClipOrMask::Clip(id) => group.clip = Some(id),
                            ClipOrMask::Mask(id) => group.mask = Some(id),
                        }
                    }
                }
                Link::Filter(filter) => {
                    filters.push(extent.map_or(filter, |extent| self.filter(filter, extent)));
                }
            }
        }
        if let NodeKind::Group(group) = &mut self.drawing.nodes[node.index()].kind
            && !filters.is_empty()
        {
            group.filters = filters;
        }
    }

    /// The copy to link to instead, if one is needed.
    fn link(
        &mut self,
        cut: ClipOrMask,
        space: Affine,
        sets: &[usize],
        inside: Option<usize>,
        extent: Option<usize>,
    ) -> Option<ClipOrMask> {
        let instance = Instance::new(cut, space);
        if !self.is_needed(instance, sets) {
            return None;
        }
        let key = (instance, sets.to_vec(), inside);
        let copy = match cut {
            ClipOrMask::Clip(id) => {
                if let Some(made) = self.made.get(&key) {
                    return Some(ClipOrMask::Clip(*made));
                }
                let mut copy = self.source.clips[id.index()].clone();
                copy.id = self.drawing.free_id(&copy.id, self.made.len());
                let made = ClipId(index_u32(self.drawing.clips.len()));
                self.drawing.clips.push(copy);
                self.made.insert(key, made);
                ClipOrMask::Clip(made)
            }
            ClipOrMask::Mask(id) => {
                let mut copy = self.source.masks[id.index()].clone();
                copy.id = self.drawing.free_id(&copy.id, self.drawing.masks.len());
                let made = MaskId(index_u32(self.drawing.masks.len()));
                self.drawing.masks.push(copy);
                if let Some(extent) = extent {
                    self.drawing.slots.masks.push(made);
                    self.copies.masks.push(extent);
                }
                ClipOrMask::Mask(made)
            }
        };
        self.jobs.push(CopyJob { instance, sets: sets.to_vec(), inside, copy });
        Some(copy)
    }

    fn posed_at(&self, place: StencilPlace, sets: &[usize]) -> Option<usize> {
        let outlines = self.stencils.get(&place)?;
        outlines.iter().find(|(set, _)| sets.contains(set)).map(|(_, outline)| *outline)
    }

    /// Whether a clip path or mask must be copied. Decided once for all definitions that it links to.
    fn is_needed(&mut self, instance: Instance, sets: &[usize]) -> bool {
        let key = |instance: Instance| (sets.to_vec(), instance);
        if sets.is_empty() {
            return false;
        }
        if let Some(needed) = self.needed.get(&key(instance)) {
            return *needed;
        }
        let (mut reached, mut next) = (BTreeSet::from([instance]), vec![instance]);
        let mut linked_by: BTreeMap<Instance, Vec<Instance>> = BTreeMap::new();
        while let Some(at) = next.pop() {
            for linked in self.source.linked(at) {
                linked_by.entry(linked).or_default().push(at);
                if reached.insert(linked) {
                    next.push(linked);
                }
            }
        }
        let holds = |instance: &Instance| {
            let nodes = self.source.inner_nodes(instance.definition);
            let place = |node| StencilPlace { instance: *instance, node };
            nodes.into_iter().any(|inner| self.posed_at(place(inner.node), sets).is_some())
        };
        let mut needed: BTreeSet<Instance> = reached.iter().filter(|at| holds(at)).copied().collect();
        let mut next: Vec<Instance> = needed.iter().copied().collect();
        while let Some(at) = next.pop() {
            let by = linked_by.get(&at).into_iter().flatten();
            next.extend(by.filter(|by| needed.insert(**by)));
        }
        self.needed.extend(reached.iter().map(|at| (key(*at), needed.contains(at))));
        needed.contains(&instance)
    }

    /// Fills the copy of a clip path or mask with copies of its nodes.
    fn fill(&mut self, job: &CopyJob) -> Result<(), CopiesTooLarge> {
        let space = job.instance.space();
        // The clip path or mask of the definition itself, in the space of its user.
        if let Some(cut) = self.source.linked_clip_or_mask(job.instance.definition) {
            let extent = match job.copy {
                ClipOrMask::Mask(id) => self.drawing.slots.masks.slot(id).map(|slot| self.copies.masks[slot]),
                ClipOrMask::Clip(_) => None,
            };
            match (job.copy, self.link(cut, space, &job.sets, job.inside, extent)) {
                (ClipOrMask::Clip(id), Some(ClipOrMask::Clip(copy))) => {
                    self.drawing.clips[id.index()].clip = Some(copy);
                }
                (ClipOrMask::Mask(id), Some(ClipOrMask::Mask(copy))) => {
                    self.drawing.masks[id.index()].mask = Some(copy);
                }
                _ => {}
            }
        }
        let inner = self.source.inner_nodes(job.instance.definition);
        self.copied +=
            inner.iter().map(|inner| weight(&self.source.nodes[inner.node.index()])).sum::<usize>();
        if self.copied > MAX_COPIED {
            return Err(CopiesTooLarge);
        }
        let mut copies: BTreeMap<NodeId, NodeId> = BTreeMap::new();
        let mut children = Vec::new();
        for inner in &inner {
            let original = &self.source.nodes[inner.node.index()];
            let parent = original.parent.and_then(|parent| copies.get(&parent).copied());
            let mut copy = Node { parent, ..original.clone() };
            if let NodeKind::Group(group) = &mut copy.kind {
                group.children.clear();
            }
            let copy = self.drawing.push(copy);
            copies.insert(inner.node, copy);
            match parent {
                None => children.push(copy),
                Some(parent) => self.drawing.add_child(parent, copy),
            }
            let place = StencilPlace { instance: job.instance, node: inner.node };
            if let Some(outline) = self.posed_at(place, &job.sets) {
                let to_canvas = space * inner.to_user;
                self.posable.pose(self.drawing, copy, outline, job.inside, to_canvas);
                if let Some(parts) = self.parts_of(job.copy, inner.node, (outline, job.inside, to_canvas)) {
                    self.drawing.nodes[parts.index()].parent = parent;
                    match parent {
                        None => children.push(parts),
                        Some(parent) => self.drawing.add_child(parent, parts),
                    }
                }
            }
            let links = self.source.links_of(inner.node);
            if !links.is_empty() {
                let extent = self.extent_of_inner(job, inner.node, inner.to_user);
                self.relink(copy, links, space * inner.to_user, &job.sets, job.inside, extent);
            }
        }
        match job.copy {
            ClipOrMask::Clip(id) => self.drawing.clips[id.index()].children = children,
            ClipOrMask::Mask(id) => self.drawing.masks[id.index()].children = children,
        }
        Ok(())
    }

    /// The parts of a posed shape of a clip path, or of a mask where what lies over each other is united, too: of
    /// one opaque colour, without a stroke that they would cover.
    fn parts_of(
        &mut self,
        cut: ClipOrMask,
        node: NodeId,
        (outline, inside, to_canvas): (usize, Option<usize>, Affine),
    ) -> Option<NodeId> {
        let shape = self.source.nodes[node.index()].shape()?;
        let is_opaque = |fill: Fill| fill.opacity >= 1.0 && matches!(fill.paint, Paint::Color(_));
        let is_united =
            matches!(cut, ClipOrMask::Clip(_)) || shape.stroke.is_none() && shape.fill.is_some_and(is_opaque);
        let parts = self.posable.parts_of(outline).filter(|_| is_united);
        let shape = Shape { stroke: None, ..shape.clone() };
        self.posable.add_parts(self.drawing, shape, Place { outline, inside, to_canvas, parts })
    }

    fn filter(&mut self, id: FilterId, extent: usize) -> FilterId {
        let mut copy = self.source.filters[id.index()].clone();
        copy.id = self.drawing.free_id(&copy.id, self.drawing.filters.len());
        let made = FilterId(index_u32(self.drawing.filters.len()));
        let slots = &mut self.drawing.slots;
        slots.filters.push(made);
        slots.first_step.push(slots.steps);
        slots.steps += copy.steps.len();
        self.drawing.filters.push(copy);
        self.copies.filters.push(extent);
        self.posable.filter_origins.insert(made, id);
        made
    }

    /// The bounds of a shape or an image in a space.
    fn covered(&self, node: NodeId, map: Affine) -> Option<Rect> {
        match &self.source.nodes[node.index()].kind {
            NodeKind::Shape(shape) => Some((map * &*shape.outline).bounding_box()),
            NodeKind::Image(image) => Some(map.transform_rect_bbox(image.size.to_rect())),
            NodeKind::Group(_) => None,
        }
    }

    /// The extent of a node of the picture; none if nothing in it moves on its own.
    fn extent_of_node(&mut self, user: NodeId) -> Option<usize> {
        let source = self.source;
        let mut extent = Extent::new(self.near[user.index()], source.to_canvas(user))?;
        let mut next: Vec<(NodeId, Affine)> = vec![(user, source.to_canvas(user))];
        while let Some((at, to_canvas)) = next.pop() {
            let children = source.nodes[at.index()].children().iter().rev();
            next.extend(children.map(|child| (*child, to_canvas * source.nodes[child.index()].transform())));
            let covered = |to: Affine| self.covered(at, to * to_canvas);
            let rigid = self.near[at.index()].filter(|_| self.near[at.index()] != self.near[user.index()]);
            match (self.paths.get(&at), rigid) {
                (Some(outline), _) => {
                    extent.posed.extend(covered(extent.to_local).map(|rect| (*outline, rect)));
                }
                (None, Some(rigid)) => {
                    extent.rigid.extend(covered(Affine::IDENTITY).map(|rect| (rigid, rect)));
                }
                (None, None) => {
                    if let Some(rect) = covered(extent.to_local) {
                        extent.add_still(rect);
                    }
                }
            }
        }
        self.keep(extent)
    }

    /// The extent of a group in a mask; none if nothing in it is posed.
    fn extent_of_inner(&mut self, job: &CopyJob, user: NodeId, to_user: Affine) -> Option<usize> {
        let space = job.instance.space();
        let mut extent = Extent::new(job.inside, space * to_user)?;
        let mut next: Vec<(NodeId, Affine)> = vec![(user, to_user)];
        while let Some((at, to_user)) = next.pop() {
            let node = &self.source.nodes[at.index()];
            let children = node.children().iter().rev();
            next.extend(
                children.map(|child| (*child, to_user * self.source.nodes[child.index()].transform())),
            );
            let Some(shape) = node.shape() else { continue };
            let rect = (extent.to_local * space * to_user * &*shape.outline).bounding_box();
            match self.posed_at(StencilPlace { instance: job.instance, node: at }, &job.sets) {
                Some(outline) => extent.posed.push((outline, rect)),
                None => extent.add_still(rect),
            }
        }
        self.keep(extent)
    }

    fn keep(&mut self, extent: Extent) -> Option<usize> {
        extent.moves().then(|| {
            self.copies.extents.push(extent);
            self.copies.extents.len() - 1
        })
    }
}

/// The approximate size of a node as text, in bytes.
pub(crate) fn weight(node: &Node) -> usize {
    match &node.kind {
        NodeKind::Group(_) => 64,
        NodeKind::Shape(shape) => 128 + 24 * shape.outline.elements().len(),
        NodeKind::Image(image) => 128 + image.data.bytes.len() / 3 * 4,
    }
}
