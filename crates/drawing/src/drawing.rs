//! The drawing: nodes in paint order, the definitions that they share, and the author's elements.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use kurbo::{Affine, Rect, Size};

use crate::definition::{ClipId, ClipPath, Filter, FilterId, Mask, MaskId};
use crate::element::{Element, ElementId, ElementKind};
use crate::elements::Elements;
use crate::ink::InkProfile;
use crate::node::Node;
use crate::node_id::NodeId;
use crate::outline::Outline;
use crate::paint::{Gradient, GradientId, Pattern, PatternId};
use crate::slots::Slots;
use crate::stencil::{Links, Stencil};

/// A vector drawing as plain data.
///
/// The space of a node follows from the groups around it. The roots are in output space, in pixels of a frame
/// without scale. *Canvas space* is what its author sees in a drawing program: the user space of the root
/// `viewBox`, x right and y down. Drawings come from an SVG reader or from a [`DrawingBuilder`](crate::DrawingBuilder),
/// never change, and are shared by `Arc`.
#[derive(Clone, Debug)]
pub struct Drawing {
    pub(crate) nodes: Vec<Node>,
    pub(crate) roots: Vec<NodeId>,
    pub(crate) gradients: Vec<Gradient>,
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) clips: Vec<ClipPath>,
    pub(crate) masks: Vec<Mask>,
    pub(crate) filters: Vec<Filter>,
    pub(crate) elements: Arc<Elements>,
    /// The node that each element is drawn by in its own place.
    pub(crate) node_of: Arc<Vec<Option<NodeId>>>,
    /// The ids of all definitions.
    pub(crate) taken: Arc<HashSet<String>>,
    /// The group of the `viewBox`, whose inside is canvas space.
    pub(crate) canvas_group: Option<NodeId>,
    pub(crate) canvas: Rect,
    pub(crate) size: Size,
    pub(crate) canvas_to_output: Affine,
    pub(crate) slots: Slots,
    /// The outlines of clip paths and masks, computed at first use.
    pub(crate) stencils: OnceLock<Vec<Stencil>>,
    /// The clip paths, masks and filters of the nodes of the picture, computed at first use.
    pub(crate) links: OnceLock<Links>,
}

impl Drawing {
    /// All nodes. Those of the picture come first, parents before what is in them, in paint order; those of
    /// definitions follow.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// A node. None for an id of another drawing that is out of range.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index())
    }

    /// The nodes at the top, in paint order.
    pub fn roots(&self) -> &[NodeId] {
        &self.roots
    }

    /// The gradients, each with its id by its place.
    pub fn gradients(&self) -> &[Gradient] {
        &self.gradients
    }

    /// The patterns.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// The clip paths.
    pub fn clips(&self) -> &[ClipPath] {
        &self.clips
    }

    /// The masks.
    pub fn masks(&self) -> &[Mask] {
        &self.masks
    }

    /// The filters.
    pub fn filters(&self) -> &[Filter] {
        &self.filters
    }

    /// A gradient of this drawing.
    pub fn gradient(&self, id: GradientId) -> Option<&Gradient> {
        self.gradients.get(id.index())
    }

    /// A pattern of this drawing.
    pub fn pattern(&self, id: PatternId) -> Option<&Pattern> {
        self.patterns.get(id.index())
    }

    /// A clip path of this drawing.
    pub fn clip(&self, id: ClipId) -> Option<&ClipPath> {
        self.clips.get(id.index())
    }

    /// A mask of this drawing.
    pub fn mask(&self, id: MaskId) -> Option<&Mask> {
        self.masks.get(id.index())
    }

    /// A filter of this drawing.
    pub fn filter(&self, id: FilterId) -> Option<&Filter> {
        self.filters.get(id.index())
    }

    /// The places at which a frame has a value.
    pub fn slots(&self) -> &Slots {
        &self.slots
    }

    /// All elements below the root, in document order.
    pub fn elements(&self) -> &[Element] {
        &self.elements.list
    }

    /// All element ids, in document order.
    pub fn ids(&self) -> impl Iterator<Item = ElementId> + use<> {
        (0..u32::try_from(self.elements.list.len()).unwrap_or(u32::MAX)).map(ElementId)
    }

    /// An element. None for an id of another drawing that is out of range.
    pub fn element(&self, id: ElementId) -> Option<&Element> {
        self.elements.list.get(id.index())
    }

    /// The node that an element is drawn by in its own place.
    pub fn node_of(&self, id: ElementId) -> Option<NodeId> {
        self.element(id).filter(|element| element.is_drawn())?;
        self.node_of.get(id.index()).copied().flatten()
    }

    /// The element that a node is part of: its own, or that of the nearest group around it that has one.
    pub fn element_around(&self, id: NodeId) -> Option<ElementId> {
        self.ancestors(id).find_map(|at| self.nodes[at.index()].element)
    }

    /// Whether an element is a path or shape that is drawn in its own place.
    pub fn is_shape(&self, id: ElementId) -> bool {
        self.shape_node(id).is_some()
    }

    /// The node of a path or shape that is drawn in its own place.
    pub fn shape_node(&self, id: ElementId) -> Option<NodeId> {
        let node = self.node_of(id)?;
        let path = self.element(id).is_some_and(|element| element.kind == ElementKind::Path);
        (path && self.nodes[node.index()].shape().is_some()).then_some(node)
    }

    /// The outline of a path or shape that is drawn in its own place.
    pub fn outline(&self, id: ElementId) -> Option<Outline> {
        let node = self.shape_node(id)?;
        let outline = self.node_outline(node, self.to_canvas(node))?;
        Some(Outline { has_markers: self.has_markers(id), ..outline })
    }

    /// The outline of a shape's node, which a matrix takes to the canvas.
    pub(crate) fn node_outline(&self, node: NodeId, to_canvas: Affine) -> Option<Outline> {
        let shape = self.nodes[node.index()].shape()?;
        let width = shape.stroke.as_ref().map_or(0.0, |stroke| stroke.width);
        Some(Outline {
            path: to_canvas * &*shape.outline,
            local_to_canvas: to_canvas,
            visible: shape.is_visible(),
            even_odd: shape.fill.map(|fill| fill.rule == crate::FillRule::EvenOdd),
            stroke_width: width * to_canvas.determinant().abs().sqrt(),
            fill: shape.fill.map(|fill| fill.paint),
            stroke: shape.stroke.as_ref().map(|stroke| stroke.paint),
            has_markers: false,
        })
    }

    /// Whether an element has this id.
    pub fn has_id(&self, id: &str) -> bool {
        self.elements.names().with_id(id).is_some()
    }

    /// The bounds of an image on the canvas.
    pub fn image_box(&self, id: ElementId) -> Option<Rect> {
        let is_image = self.element(id).is_some_and(|element| element.kind == ElementKind::Image);
        let mut inside: Vec<NodeId> = self.node_of(id).filter(|_| is_image).into_iter().collect();
        let mut covers: Option<Rect> = None;
        while let Some(at) = inside.pop() {
            let node = &self.nodes[at.index()];
            inside.extend(node.children());
            if let Some(image) = node.image() {
                let rect = self.to_canvas(at).transform_rect_bbox(image.size.to_rect());
                covers = Some(covers.map_or(rect, |covers| covers.union(rect)));
            }
        }
        covers
    }

    /// Whether a path carries markers.
    pub fn has_markers(&self, id: ElementId) -> bool {
        self.shape_node(id).is_some_and(|node| self.with_markers(node) != (node, node))
    }

    /// The drawn paths of an element: itself if it is a path, else all in it, in the order they are drawn.
    /// Clones made by `use` are not among them.
    pub fn paths_in(&self, id: ElementId) -> Vec<ElementId> {
        self.within(id).filter(|path| self.is_shape(*path)).collect()
    }

    /// An element and all elements in it, in document order.
    pub fn within(&self, id: ElementId) -> impl Iterator<Item = ElementId> + '_ {
        // In document order the content of an element follows it without a gap.
        let first = id.index();
        let rest = self.elements.list.get(first + 1..).unwrap_or_default();
        let count = rest.iter().take_while(|element| element.parent.is_some_and(|at| at >= id)).count();
        let end = if first < self.elements.list.len() { first + 1 + count } else { first };
        (first..end).map(|at| ElementId(u32::try_from(at).unwrap_or(u32::MAX)))
    }

    /// Whether an element is another one or is in it.
    pub fn is_within(&self, id: ElementId, ancestor: ElementId) -> bool {
        self.up(id).any(|at| at == ancestor)
    }

    /// An element and those around it, inner ones first. Empty for an id of another drawing.
    pub fn up(&self, id: ElementId) -> impl Iterator<Item = ElementId> + '_ {
        let known = Some(id).filter(|id| self.element(*id).is_some());
        std::iter::successors(known, |at| self.element(*at)?.parent)
    }

    /// The elements directly in a group that may be drawn, in document order.
    pub fn children(&self, group: ElementId) -> impl Iterator<Item = ElementId> + '_ {
        self.elements.children(group).iter().copied()
    }

    /// The elements that are hidden at rest and can be shown.
    pub fn hidden(&self) -> &[ElementId] {
        &self.elements.hidden
    }

    /// The paths that have ink in the drawing: their nodes have a plain stroke along its middle.
    pub fn inks(&self) -> &[(ElementId, InkProfile)] {
        &self.elements.inks
    }

    /// Whether an element is hidden at rest and can be shown.
    pub fn is_hidden(&self, id: ElementId) -> bool {
        self.elements.hidden.binary_search(&id).is_ok()
    }

    /// The canvas: the root's `viewBox`, or its size if it has none. In user units of the drawing.
    pub fn canvas(&self) -> Rect {
        self.canvas
    }

    /// Size in pixels at scale 1.
    pub fn size(&self) -> Size {
        self.size
    }

    /// From canvas space to pixels at scale 1: the `viewBox` mapping with its `preserveAspectRatio`.
    pub fn canvas_to_output(&self) -> Affine {
        self.canvas_to_output
    }

    /// A node and the groups around it, the node first. Empty for an id of another drawing.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let known = Some(id).filter(|id| id.index() < self.nodes.len());
        std::iter::successors(known, |at| self.nodes[at.index()].parent)
    }

    /// From a node's inside (its own transform included) to canvas space, at rest. Of a node of a definition:
    /// to the space of what uses it.
    pub fn to_canvas(&self, id: NodeId) -> Affine {
        let mut way: Vec<Affine> = Vec::new();
        for at in self.ancestors(id) {
            if Some(at) == self.canvas_group {
                return way.into_iter().rev().fold(Affine::IDENTITY, |all, own| all * own);
            }
            way.push(self.nodes[at.index()].transform());
        }
        way.into_iter().rev().fold(Affine::IDENTITY, |all, own| all * own)
    }

    /// The space of the roots: pixels if the `viewBox` has a group of its own, else
    /// canvas space.
    pub(crate) fn around_roots(&self) -> Affine {
        match self.canvas_group {
            Some(_) => invert(self.canvas_to_output).unwrap_or(Affine::IDENTITY),
            None => Affine::IDENTITY,
        }
    }

    /// The nodes directly in a group, or at the top.
    pub(crate) fn siblings(&self, parent: Option<NodeId>) -> &[NodeId] {
        parent.map_or(&self.roots, |parent| self.nodes[parent.index()].children())
    }

    /// Whether a node or a node in it shows an element.
    pub(crate) fn shows_an_element(&self, id: NodeId) -> bool {
        let mut inside = vec![id];
        while let Some(at) = inside.pop() {
            let node = &self.nodes[at.index()];
            if node.element.is_some() {
                return true;
            }
            inside.extend(node.children());
        }
        false
    }

    /// A path's node with that of its markers, which an SVG reader puts right after it, or right before it if
    /// they are painted first.
    pub(crate) fn with_markers(&self, id: NodeId) -> (NodeId, NodeId) {
        if self.nodes[id.index()].shape().is_none() {
            return (id, id);
        }
        let siblings = self.siblings(self.nodes[id.index()].parent);
        // Siblings are in the order of their ids.
        let Ok(place) = siblings.binary_search(&id) else { return (id, id) };
        let is_markers =
            |at: &NodeId| self.nodes[at.index()].group().is_some() && !self.shows_an_element(*at);
        let before = |n: usize| place.checked_sub(n).map(|at| siblings[at]);
        // Markers between two paths belong to the first.
        let follows_path = before(2).is_some_and(|at| self.nodes[at.index()].shape().is_some());
        if let Some(after) = siblings.get(place + 1).copied().filter(is_markers) {
            (id, after)
        } else if let Some(before) = before(1).filter(is_markers).filter(|_| !follows_path) {
            (before, id)
        } else {
            (id, id)
        }
    }

    /// The first and the last node of an element: groups without an element of their own that are around it
    /// alone, and markers.
    pub(crate) fn unit(&self, id: NodeId) -> (NodeId, NodeId) {
        let mut unit = self.with_markers(id);
        while let Some(parent) = self.nodes[unit.0.index()].parent {
            let node = &self.nodes[parent.index()];
            let children = node.children();
            let alone = children.first() == Some(&unit.0) && children.last() == Some(&unit.1);
            if !alone || node.element.is_some() || Some(parent) == self.canvas_group {
                break;
            }
            unit = (parent, parent);
        }
        unit
    }

    /// The group with the filters of an element that is drawn in its own place.
    pub(crate) fn filtered_node(&self, id: ElementId) -> Option<NodeId> {
        let node = self.node_of(id)?;
        let (outer, _) = self.unit(node);
        let has_filters =
            |at: &NodeId| self.nodes[at.index()].group().is_some_and(|it| !it.filters.is_empty());
        self.ancestors(node).take_while(|at| *at <= node && *at >= outer).find(has_filters)
    }

    /// The filters of an element that is drawn in its own place, in order.
    pub fn filters_of(&self, id: ElementId) -> &[FilterId] {
        let group = self.filtered_node(id).and_then(|node| self.nodes[node.index()].group());
        group.map_or(&[], |group| &group.filters)
    }

    /// Whether anything drawn of an element is visible.
    pub fn has_visible(&self, id: ElementId) -> bool {
        self.node_of(id).is_some_and(|node| self.is_seen(node))
    }
}

/// The inverse; none if the matrix is so flat that its inverse is noise.
pub(crate) fn invert(affine: Affine) -> Option<Affine> {
    let [a, b, c, d, _, _] = affine.as_coeffs();
    let size = (a * a + b * b).max(c * c + d * d);
    let determinant = affine.determinant().abs();
    // NaN fails the comparison too.
    if determinant > size * 1e-14 { Some(affine.inverse()).filter(|back| back.is_finite()) } else { None }
}
