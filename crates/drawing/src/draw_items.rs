//! The draw order: what a frame paints of a drawing, back to front.

use kurbo::{Affine, Rect, Shape as _};

use crate::drawing::Drawing;
use crate::element::ElementId;
use crate::frame::Frame;
use crate::node::{Isolation, NodeKind};
use crate::node_id::NodeId;

/// One item of the draw order: a shape, an image, or an isolated group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawItem {
    /// The node.
    pub node: NodeId,
    /// From the space around the node (without its own transform) to the space of the list.
    pub transform: Affine,
    /// Its draw order: the sum of the orders of the groups around it.
    pub order: f64,
}

/// Scratch memory for [`Drawing::draw_items`].
#[derive(Clone, Debug, Default)]
pub struct DrawItemScratch {
    next: Vec<(NodeId, Affine, f64)>,
}

impl Drawing {
    /// The draw items of these nodes in a frame, back to front. Groups that are not isolated are expanded,
    /// hidden nodes are left out, and the rest is sorted by draw order.
    pub fn draw_items(
        &self,
        frame: &Frame,
        nodes: &[NodeId],
        transform: Affine,
        scratch: &mut DrawItemScratch,
        out: &mut Vec<DrawItem>,
    ) {
        out.clear();
        let mut sorted = true;
        scratch.next.clear();
        scratch.next.extend(nodes.iter().rev().map(|node| (*node, transform, 0.0)));
        while let Some((node, transform, order)) = scratch.next.pop() {
            let Some(here) = self.nodes.get(node.index()) else { continue };
            if let NodeKind::Group(group) = &here.kind {
                let visibility = frame.visibility(self, node);
                if !visibility.is_seen() {
                    continue;
                }
                let order = order + visibility.place();
                if !group.is_isolated() && visibility.fading().is_none() {
                    let inside = transform * frame.transform(self, node);
                    scratch.next.extend(group.children.iter().rev().map(|child| (*child, inside, order)));
                    continue;
                }
                sorted &= out.last().is_none_or(|last: &DrawItem| last.order <= order);
                out.push(DrawItem { node, transform, order });
            } else if !frame.hides(node) {
                sorted &= out.last().is_none_or(|last| last.order <= order);
                out.push(DrawItem { node, transform, order });
            }
        }
        if !sorted {
            // Stable: equal orders keep the order of the drawing.
            out.sort_by(|a, b| a.order.total_cmp(&b.order));
        }
    }

    /// Every shape and image that a frame paints, on the canvas, back to front. Isolated groups are expanded
    /// too.
    pub fn painted(&self, frame: &Frame) -> Vec<DrawItem> {
        let (nodes, transform) = match self.canvas_group.and_then(|group| self.node(group)) {
            Some(group) => (group.children(), Affine::IDENTITY),
            None => (&*self.roots, self.around_roots()),
        };
        let (mut scratch, mut items) = (DrawItemScratch::default(), Vec::new());
        self.draw_items(frame, nodes, transform, &mut scratch, &mut items);
        let mut next: Vec<DrawItem> = items.drain(..).rev().collect();
        let mut found = Vec::new();
        while let Some(item) = next.pop() {
            match &self.nodes[item.node.index()].kind {
                NodeKind::Group(group) => {
                    let inside = item.transform * frame.transform(self, item.node);
                    self.draw_items(frame, &group.children, inside, &mut scratch, &mut items);
                    next.extend(items.drain(..).rev());
                }
                NodeKind::Shape(_) | NodeKind::Image(_) => found.push(item),
            }
        }
        found
    }

    /// The bounds of a shape or an image in the space of its item, without the stroke; none for a group.
    pub fn bounds(&self, frame: &Frame, item: &DrawItem) -> Option<Rect> {
        match &self.node(item.node)?.kind {
            NodeKind::Shape(_) => {
                let outline = frame.outline(self, item.node)?;
                Some((item.transform * outline).bounding_box())
            }
            NodeKind::Image(image) => Some(item.transform.transform_rect_bbox(image.size.to_rect())),
            NodeKind::Group(_) => None,
        }
    }

    /// What the draw order of an element sorts; none if it is not drawn.
    pub fn order_scope(&self, id: ElementId) -> Option<OrderScope> {
        let (first, last) = self.unit(self.node_of(id)?);
        let group = self.isolated_around(first);
        let inside = match group.or(self.canvas_group) {
            Some(group) => self.nodes[group.index()].children(),
            None => &self.roots,
        };
        let parent = self.nodes[first.index()].parent;
        let mut next: Vec<NodeId> = inside.to_vec();
        let mut alone = true;
        while let Some(at) = next.pop() {
            let node = &self.nodes[at.index()];
            if node.parent == parent && (first..=last).contains(&at) {
                continue;
            }
            match node.group() {
                Some(group) if !group.is_isolated() => next.extend(&group.children),
                _ => {
                    alone = false;
                    break;
                }
            }
        }
        let isolation = group.and_then(|group| self.nodes[group.index()].group()?.isolation());
        Some(OrderScope { isolation, around: group.and_then(|group| self.element_at(group)), alone })
    }

    /// The element of a group: its own, that of its only child, or that of a group around it.
    fn element_at(&self, group: NodeId) -> Option<ElementId> {
        let alone = |at: &NodeId| match self.nodes[at.index()].children() {
            [one] => Some(*one),
            _ => None,
        };
        let mut inside = std::iter::successors(Some(group), alone);
        inside.find_map(|at| self.nodes[at.index()].element).or_else(|| self.element_around(group))
    }

    /// The nearest isolated group around a node, if any. Draw order does not sort across it.
    pub(crate) fn isolated_around(&self, id: NodeId) -> Option<NodeId> {
        let isolated = |at: &NodeId| self.nodes[at.index()].group().is_some_and(crate::Group::is_isolated);
        self.ancestors(id).skip(1).find(isolated)
    }
}

/// What the draw order of an element sorts: everything in the nearest isolated group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderScope {
    /// Why that group is isolated; none if it is the whole drawing.
    pub isolation: Option<Isolation>,
    /// The element of that group.
    pub around: Option<ElementId>,
    /// Whether the element is alone in it.
    pub alone: bool,
}
