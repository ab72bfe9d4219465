//! Filled shapes of which one part can be mirrored and another not. Each has two forms in the drawing with slots:
//! the shape itself, and a fill of its parts with the stroke of its own outline. A frame shows one of them. In
//! clip paths, where shapes are united, and in plain masks the parts are added to the shape.

use std::sync::Arc;

use kurbo::BezPath;

use crate::bent_paint::{Place, group};
use crate::drawing::Drawing;
use crate::frame::Visibility;
use crate::moving::PosedArt;
use crate::node::{Group, Shape};
use crate::node_id::NodeId;
use crate::paint::FillRule;
use crate::posable::Posable;

impl Posable {
    /// Adds the second form of all shapes of the picture with mirrored fills.
    pub(crate) fn mirror_fills(&mut self, source: &Drawing, drawing: &mut Drawing) {
        for parts in 0..self.moving.mirrored.len() {
            let node = match self.moving.posed.get(self.moving.mirrored[parts].posed) {
                Some(PosedArt::Path(element)) => source.shape_node(*element),
                Some(PosedArt::Part(_, node)) => Some(*node),
                Some(PosedArt::Stencil(_)) | None => None,
            };
            // Two slots for each, also for one without a form of its own.
            self.mirrored.push(self.at_rest.len());
            let forms = [Visibility::SHOWN, Visibility::HIDDEN].map(|visibility| {
                let form = group(drawing, Group::new());
                drawing.slots.visibilities.push(form);
                self.at_rest.push(visibility);
                form
            });
            let shape = node.and_then(|node| source.node(node)?.shape().map(|shape| (node, shape)));
            let Some((node, shape)) = shape else { continue };
            let Some(place) = self.place(drawing, node) else { continue };
            self.mirror_fill(drawing, (node, shape), Place { parts: Some(parts), ..place }, forms);
        }
    }

    fn mirror_fill(
        &mut self,
        drawing: &mut Drawing,
        (node, shape): (NodeId, &Shape),
        place: Place,
        [whole, in_parts]: [NodeId; 2],
    ) {
        let only_fill = Shape { stroke: None, ..shape.clone() };
        let Some(fill) = self.add_parts(drawing, only_fill, place) else { return };
        let stroke = shape.stroke.is_some().then(|| {
            let only_stroke = Shape { fill: None, ..shape.clone() };
            self.add_stroke(drawing, only_stroke, place)
        });
        let mut children: Vec<NodeId> = std::iter::once(fill).chain(stroke).collect();
        if shape.stroke_first {
            children.reverse();
        }
        let unit = self.unit_of(node);
        let (parent, element) = (drawing.nodes[unit.index()].parent, drawing.nodes[node.index()].element);
        drawing.replace_child(parent, unit, &[whole, in_parts]);
        drawing.adopt(whole, vec![unit]);
        drawing.nodes[in_parts.index()].element = element;
        drawing.adopt(in_parts, children);
    }

    /// Which of the mirrored fills a posed shape has.
    pub(crate) fn parts_of(&self, outline: usize) -> Option<usize> {
        self.moving.mirrored.iter().position(|mirrored| mirrored.posed == outline)
    }

    /// Adds a shape whose outline is that of the parts of a posed one. None if it is filled by the even-odd rule
    /// in a way that windings cannot replace: parts that lie over each other would be holes.
    pub(crate) fn add_parts(&mut self, drawing: &mut Drawing, shape: Shape, place: Place) -> Option<NodeId> {
        let parts = place.parts?;
        let (shape, of_parts) = self.shape_of_parts(shape, parts)?;
        let node = self.add(drawing, shape, Place { parts: None, ..place });
        self.parts_last(of_parts);
        Some(node)
    }

    /// A shape for the parts of a posed one, whose outline is empty where no part is mirrored. None as above.
    pub(crate) fn shape_of_parts(&self, shape: Shape, parts: usize) -> Option<(Shape, PartsOutline)> {
        let mut settled = shape.clone();
        let turned = crate::posable::settle(&mut settled).unwrap_or_default();
        settled.fill.filter(|fill| fill.rule == FillRule::NonZero)?;
        let subpaths = self.moving.mirrored.get(parts)?.subpaths.iter();
        let turned = subpaths.map(|subpath| turned.get(*subpath as usize) == Some(&true)).collect();
        // The rule is found out with the outline of the shape, which the parts do not need.
        let of_parts = PartsOutline { parts, turned, at_rest: settled.outline };
        Some((Shape { outline: Arc::new(BezPath::new()), fill: settled.fill, ..shape }, of_parts))
    }

    /// The shape that was posed last is one of parts.
    pub(crate) fn parts_last(&mut self, of_parts: PartsOutline) {
        if let Some(posed) = self.posed.last_mut() {
            (posed.parts, posed.turned, posed.at_rest) =
                (Some(of_parts.parts), of_parts.turned, of_parts.at_rest);
        }
    }
}

/// The outline of the parts of a posed shape.
pub(crate) struct PartsOutline {
    parts: usize,
    turned: Vec<bool>,
    at_rest: Arc<BezPath>,
}
