//! Makes the slots of a drawing: groups around what moves, comes and goes, and copies of gradients and patterns that one posed shape has
//! to itself.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use kurbo::Affine;

use super::{Moving, PaintSlot, Posable, Posed, PosedArt, Rigid};
use crate::drawing::{Drawing, invert};
use crate::element::{ElementId, ElementState};
use crate::error::MoveError;
use crate::frame::Visibility;
use crate::node::{Group, Node, NodeId, NodeKind, Shape};
use crate::paint::Paint;
use crate::stencil::Stencil;

/// The nearest rigid part of every node of the picture, itself first.
pub(super) fn near(drawing: &Drawing, units: &[(NodeId, NodeId)]) -> Vec<Option<usize>> {
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
pub(super) fn nodes_of(drawing: &Drawing, ids: &[ElementId]) -> Result<Vec<NodeId>, MoveError> {
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
                Some(ElementState::ClipOrMask) => "it bounds what other elements show".to_owned(),
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

pub(super) struct Builder<'a> {
    source: &'a Drawing,
    pub(super) drawing: Drawing,
    pub(super) posable: Posable,
    wrappers: HashMap<Option<NodeId>, Vec<Wrapper>>,
    /// The parents that have wrappers, in the order in which they were met.
    wrapped: Vec<Option<NodeId>>,
    pub(super) cut_paths: BTreeMap<NodeId, usize>,
    pub(super) cut_stencils: Vec<(Stencil, usize)>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(source: &'a Drawing, moving: &Moving<'_>) -> Self {
        let drawing = source.clone();
        let posable = Posable {
            drawing: Arc::new(Drawing::empty()),
            rigid: Vec::new(),
            posed: Vec::new(),
            outlines: moving.posed.len(),
            gradients: Vec::new(),
            patterns: Vec::new(),
            strokes: Vec::new(),
            extents: Vec::new(),
            masks: Vec::new(),
            filters: Vec::new(),
            at_rest: Vec::new(),
            visible: moving.visible.len(),
        };
        Self {
            source,
            drawing,
            posable,
            wrappers: HashMap::new(),
            wrapped: Vec::new(),
            cut_paths: BTreeMap::new(),
            cut_stencils: Vec::new(),
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

    pub(super) fn rigid(&mut self, units: &[(NodeId, NodeId)], near: &[Option<usize>]) {
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

    /// Groups around what comes and goes: elements of which a pose speaks, then those that the drawing hides and of which none does.
    pub(super) fn visible(&mut self, nodes: &[NodeId], ids: &[ElementId]) {
        let spoken: BTreeSet<ElementId> = ids.iter().copied().collect();
        let hidden = self.source.hidden().iter().filter(|id| !spoken.contains(id));
        let quiet: Vec<(ElementId, NodeId)> =
            hidden.filter_map(|id| Some((*id, self.source.node_of(*id)?))).collect();
        for (id, node) in ids.iter().copied().zip(nodes.iter().copied()).chain(quiet) {
            let group = self.around(self.source.unit(node), 1);
            self.drawing.slots.visibilities.push(group, group.index());
            let hidden = self.source.is_hidden(id);
            self.posable.at_rest.push(if hidden { Visibility::HIDDEN } else { Visibility::SHOWN });
        }
    }

    /// Puts the groups into the drawing.
    pub(super) fn wrap(&mut self) {
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

    pub(super) fn posed(&mut self, all: &[PosedArt], near: &[Option<usize>]) -> Result<(), MoveError> {
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
                    self.cut_stencils.push((stencil.clone(), outline));
                    continue;
                }
            };
            let to_canvas = self.source.to_canvas(node);
            self.posable.pose(&mut self.drawing, node, outline, near[node.index()], to_canvas);
            self.cut_paths.insert(node, outline);
        }
        Ok(())
    }
}

impl Posable {
    /// Gives a shape of the drawing with slots an outline in each frame, and its paint to itself.
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
        let at_rest = Arc::clone(&shape.outline);
        self.posed.push(Posed { outline, inside, to_canvas, to_local, at_rest });
        let mut copied: Vec<(Paint, Paint)> = Vec::new();
        let mut changed = false;
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
