//! The leaves of a drawing: every shape and image that is painted, with the element that it belongs to.

use kurbo::{Point, Rect, Shape as _};

use crate::drawing::Drawing;
use crate::element::ElementId;
use crate::node::NodeKind;
use crate::node_id::NodeId;
use crate::outline::Outline;

/// The kind of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafKind {
    /// A path in its own place.
    Path,
    /// A shape of a clone or a text.
    Part,
    /// A shape or image of a marker; the node is that of the whole marker.
    Marker,
    /// An image, also one in a clone. The node is the largest that shows nothing else.
    Image,
}

/// A shape or an image of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Its node.
    pub node: NodeId,
    /// The drawn element that it is, or that shows it: a `use`, a `text`, the path of a marker.
    pub owner: ElementId,
    /// What it is.
    pub kind: LeafKind,
}

impl Drawing {
    /// The shapes and images of the picture in paint order, at rest; one for each marker. Those in no element
    /// are not included.
    pub fn leaves(&self) -> Vec<Leaf> {
        let mut marked: Vec<Option<ElementId>> = vec![None; self.nodes.len()];
        for (path, group) in self.marker_groups() {
            marked[group.index()] = Some(path);
        }
        let mut leaves = Vec::new();
        // Nodes with the element that shows them.
        let mut next: Vec<(NodeId, Option<ElementId>)> =
            self.roots.iter().rev().map(|node| (*node, None)).collect();
        while let Some((at, around)) = next.pop() {
            let node = &self.nodes[at.index()];
            let owner = node.element.filter(|_| node.own).or(around);
            if let Some(path) = marked[at.index()] {
                let marker = |node: &NodeId| Leaf { node: *node, owner: path, kind: LeafKind::Marker };
                leaves.extend(node.children().iter().map(marker));
                continue;
            }
            let kind = match &node.kind {
                NodeKind::Group(group) => {
                    next.extend(group.children.iter().rev().map(|child| (*child, owner)));
                    continue;
                }
                NodeKind::Image(_) => LeafKind::Image,
                NodeKind::Shape(_) if owner.is_some_and(|id| self.shape_node(id) == Some(at)) => {
                    LeafKind::Path
                }
                NodeKind::Shape(_) => LeafKind::Part,
            };
            let Some(owner) = owner else { continue };
            let node = if kind == LeafKind::Image { self.alone(at, owner) } else { at };
            leaves.push(Leaf { node, owner, kind });
        }
        leaves
    }

    /// The paths with markers, each with the group of these.
    pub(crate) fn marker_groups(&self) -> impl Iterator<Item = (ElementId, NodeId)> + '_ {
        self.ids().filter_map(|id| {
            let node = self.shape_node(id)?;
            let (first, last) = self.with_markers(node);
            [first, last].into_iter().find(|at| *at != node).map(|group| (id, group))
        })
    }

    /// The outermost node within an element that shows nothing but this one.
    fn alone(&self, node: NodeId, owner: ElementId) -> NodeId {
        let own = self.node_of(owner);
        let mut at = node;
        while Some(at) != own {
            match self.nodes[at.index()].parent {
                Some(parent) if self.nodes[parent.index()].children() == [at] => at = parent,
                _ => break,
            }
        }
        at
    }

    /// The outline of a shape's node, on the canvas; none of what is no shape.
    pub fn part_outline(&self, node: NodeId) -> Option<Outline> {
        self.node(node)?;
        self.node_outline(node, self.to_canvas(node))
    }

    /// The corners of a node's box on the canvas. The box of an image is along its own directions, all others
    /// are along the axes. None if the node has no extent.
    pub fn corners(&self, node: NodeId) -> Option<[Point; 4]> {
        let mut inside: Vec<NodeId> = vec![node];
        let mut images: Vec<[Point; 4]> = Vec::new();
        let mut covers: Option<Rect> = None;
        while let Some(at) = inside.pop() {
            let to_canvas = self.to_canvas(at);
            let rect = match &self.node(at)?.kind {
                NodeKind::Group(group) => {
                    inside.extend(&group.children);
                    continue;
                }
                NodeKind::Image(image) => {
                    let rect = image.size.to_rect();
                    let corners =
                        [(rect.x0, rect.y0), (rect.x1, rect.y0), (rect.x1, rect.y1), (rect.x0, rect.y1)];
                    images.push(corners.map(|corner| to_canvas * Point::from(corner)));
                    to_canvas.transform_rect_bbox(rect)
                }
                NodeKind::Shape(shape) => (to_canvas * &*shape.outline).bounding_box(),
            };
            covers = Some(covers.map_or(rect, |covers| covers.union(rect)));
        }
        let rect = covers.filter(Rect::is_finite)?;
        let upright = [(rect.x0, rect.y0), (rect.x1, rect.y0), (rect.x1, rect.y1), (rect.x0, rect.y1)];
        match images.as_slice() {
            [one] => Some(*one),
            _ => Some(upright.map(Point::from)),
        }
    }

    /// Whether a node or a node in it is visible.
    pub fn is_seen(&self, node: NodeId) -> bool {
        let mut inside = vec![node];
        while let Some(at) = inside.pop() {
            match self.node(at).map(|node| &node.kind) {
                Some(NodeKind::Group(group)) => inside.extend(&group.children),
                Some(NodeKind::Shape(shape)) if shape.is_visible() => return true,
                Some(NodeKind::Image(image)) if image.visible => return true,
                _ => {}
            }
        }
        false
    }
}
