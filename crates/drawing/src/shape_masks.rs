//! Art that is seen only inside, or only outside, of the fill of other art. A group around it gets a clip path, or a mask,
//! whose shapes have the outlines of that other art in each frame.

use std::sync::Arc;

use kurbo::{Affine, BezPath, Rect, Shape as _};

use crate::bent_paint::{FAR, mask};
use crate::build_posable::{Builder, drawn_node, name};
use crate::definition::{ClipId, ClipPath, MaskId};
use crate::definition_copies::{MAX_COPIED, weight};
use crate::drawing::{Drawing, invert};
use crate::element::ElementId;
use crate::error::MoveError;
use crate::limits::index_u32;
use crate::moving::ShapeMask;
use crate::node::{Node, NodeKind, Shape, Smoothness};
use crate::node_id::NodeId;
use crate::paint::{Fill, FillRule, Paint};
use crate::posable::{Posable, TrimSlot};

/// The region of masks that cut nothing off.
const EVERYWHERE: Rect = Rect::new(-FAR, -FAR, FAR, FAR);

/// A group around masked art, and what masks it.
pub(crate) struct Masked {
    group: NodeId,
    /// The group around that in the source.
    parent: Option<NodeId>,
    /// The shapes of the art that masks.
    by: Vec<NodeId>,
    out: bool,
}

/// The space of masked art, which is that of the shapes of its mask.
struct MaskedSpace {
    /// The nearest rigid part around it.
    inside: Option<usize>,
    to_canvas: Affine,
    from_canvas: Affine,
}

impl Builder<'_> {
    /// Groups around all art that is masked.
    pub(crate) fn masked(&mut self, masks: &[ShapeMask]) -> Result<Vec<Masked>, MoveError> {
        let mut masked = Vec::with_capacity(masks.len());
        let mut copied = 0;
        for ShapeMask { art, by, out } in masks.iter().copied() {
            let source = self.source;
            let (node, by_node) = (drawn_node(source, art)?, drawn_node(source, by)?);
            let shapes = source.shapes_in(by_node);
            if shapes.is_empty() {
                return Err(MoveError::NotAPath { element: by, name: name(source, by) });
            }
            copied += shapes.iter().map(|shape| weight(&source.nodes[shape.index()])).sum::<usize>();
            if copied > MAX_COPIED {
                return Err(MoveError::TooManyCopies);
            }
            let unit = source.unit(node);
            let parent = source.nodes[unit.0.index()].parent;
            masked.push(Masked { group: self.around(unit, 1), parent, by: shapes, out });
        }
        Ok(masked)
    }

    /// Gives these groups their clip paths and masks, when it is clear which outlines poses have.
    pub(crate) fn mask(&mut self, masked: &[Masked], near: &[Option<usize>]) {
        for Masked { group, parent, by, out } in masked {
            let to_canvas = parent.map_or(self.source.around_roots(), |parent| self.source.to_canvas(parent));
            // Without an inverse nothing in there is visible.
            let Some(from_canvas) = invert(to_canvas) else { continue };
            let inside = parent.and_then(|parent| near[parent.index()]);
            let space = MaskedSpace { inside, to_canvas, from_canvas };
            let mut children = Vec::with_capacity(by.len() + 1);
            children.extend(out.then(|| everywhere(&mut self.drawing)));
            for node in by {
                self.mask_shape(*node, &space, near[node.index()], &mut children);
            }
            let (clip, mask) = match out {
                true => (None, Some(mask(&mut self.drawing, children, None))),
                false => (Some(clip(&mut self.drawing, children)), None),
            };
            if let NodeKind::Group(group) = &mut self.drawing.nodes[group.index()].kind {
                (group.clip, group.mask) = (clip, mask);
            }
        }
    }

    /// Adds a shape with the outline of a node, which a pose has or a rigid part carries, and one of its mirrored parts.
    fn mask_shape(
        &mut self,
        node: NodeId,
        space: &MaskedSpace,
        carrier: Option<usize>,
        children: &mut Vec<NodeId>,
    ) {
        let Some(own) = self.source.nodes[node.index()].shape() else { return };
        let to_space = space.from_canvas * self.source.to_canvas(node);
        let outline = if to_space == Affine::IDENTITY {
            Arc::clone(&own.outline)
        } else {
            Arc::new(to_space * &*own.outline)
        };
        let rule = own.fill.map_or(FillRule::NonZero, |fill| fill.rule);
        let shape = Shape { anti_alias: own.anti_alias, ..black(outline, rule) };
        let posed = self.posed_paths.get(&node).copied();
        let outline = posed.unwrap_or(TrimSlot::STILL);
        children.push(self.posable.add_mask_shape(&mut self.drawing, shape.clone(), outline, space));
        if posed.is_none() {
            self.posable.posed.last_mut().into_iter().for_each(|posed| posed.carrier = carrier);
        }
        let Some(parts) = posed.and_then(|posed| self.posable.parts_of(posed)) else { return };
        let Some((shape, of_parts)) = self.posable.shape_of_parts(shape, parts) else { return };
        children.push(self.posable.add_mask_shape(&mut self.drawing, shape, outline, space));
        self.posable.parts_last(of_parts);
    }
}

impl Posable {
    /// Adds a shape with an outline slot, whose paint does not change.
    fn add_mask_shape(
        &mut self,
        drawing: &mut Drawing,
        mut shape: Shape,
        outline: usize,
        space: &MaskedSpace,
    ) -> NodeId {
        let kind = NodeKind::Shape(Arc::new(shape.clone()));
        let node = drawing.push(Node { parent: None, element: None, own: false, kind });
        self.outline_slot(drawing, (node, &mut shape), (outline, space.inside, space.to_canvas));
        drawing.nodes[node.index()].kind = NodeKind::Shape(Arc::new(shape));
        node
    }
}

impl Drawing {
    /// Whether an element that is drawn in its own place, or something in it, has an outline that is not a straight line.
    pub fn has_outline(&self, id: ElementId) -> bool {
        let encloses = |node: &NodeId| {
            let outline = self.nodes[node.index()].shape().map(|shape| &shape.outline);
            outline.is_some_and(|outline| outline.control_box().area() > 0.0 && outline.elements().len() > 2)
        };
        self.node_of(id).is_some_and(|node| self.shapes_in(node).iter().any(encloses))
    }

    /// The shapes in whose fill a mask hides art, if it does nothing else.
    pub fn hiding(&self, mask: MaskId) -> Option<&[NodeId]> {
        let mask = self.mask(mask).filter(|mask| mask.rect == EVERYWHERE && mask.mask.is_none())?;
        let (first, shapes) = mask.children.split_first()?;
        let filled = |node: &NodeId, color: u8| {
            let shape = self.nodes[node.index()].shape().filter(|shape| shape.stroke.is_none())?;
            let is_plain = |fill: &Fill| fill.paint == Paint::Color([color; 3]) && fill.opacity == 1.0;
            shape.fill.as_ref().filter(|fill| is_plain(fill)).map(|_| &shape.outline)
        };
        let covers = filled(first, 255).is_some_and(|outline| outline.control_box() == EVERYWHERE);
        let is_plain = covers && shapes.iter().all(|shape| filled(shape, 0).is_some());
        (is_plain && self.slots.outlines.slot(*first).is_none()).then_some(shapes)
    }

    /// A node and the nodes in it that are shapes with an outline, in paint order.
    pub(crate) fn shapes_in(&self, node: NodeId) -> Vec<NodeId> {
        let (mut shapes, mut next) = (Vec::new(), vec![node]);
        while let Some(at) = next.pop() {
            let node = &self.nodes[at.index()];
            let has_outline = node.shape().is_some_and(|shape| !shape.outline.is_empty());
            shapes.extend(has_outline.then_some(at));
            next.extend(node.children().iter().rev());
        }
        shapes
    }
}

/// A shape of one opaque colour.
fn black(outline: Arc<BezPath>, rule: FillRule) -> Shape {
    Shape {
        outline,
        fill: Some(Fill { paint: Paint::Color([0; 3]), rule, opacity: 1.0 }),
        stroke: None,
        stroke_first: false,
        anti_alias: Smoothness::Smooth,
        visible: true,
    }
}

/// A white shape that covers all that can be seen.
fn everywhere(drawing: &mut Drawing) -> NodeId {
    let white = Fill { paint: Paint::Color([255; 3]), rule: FillRule::NonZero, opacity: 1.0 };
    let shape = Shape { fill: Some(white), ..black(Arc::new(EVERYWHERE.to_path(0.1)), FillRule::NonZero) };
    let kind = NodeKind::Shape(Arc::new(shape));
    drawing.push(Node { parent: None, element: None, own: false, kind })
}

fn clip(drawing: &mut Drawing, children: Vec<NodeId>) -> ClipId {
    let id = drawing.free_id("masked", drawing.clips.len());
    let (element, transform, clip) = (None, Affine::IDENTITY, None);
    drawing.clips.push(ClipPath { id, element, transform, clip, children });
    ClipId(index_u32(drawing.clips.len() - 1))
}
