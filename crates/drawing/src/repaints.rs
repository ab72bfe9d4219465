//! What a program sets of single nodes on top of everything else: colours, pictures, and what is left out. Sinks, boxes
//! and hit tests ask for it node by node; renderers and writers of text are given another drawing.

use std::sync::{Arc, OnceLock};

use crate::drawing::Drawing;
use crate::element::ElementId;
use crate::node::{ImageData, NodeKind};
use crate::node_id::NodeId;
use crate::paint::Paint;

/// A part of how a shape is painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PaintPart {
    /// Its inside.
    Fill,
    /// Its line.
    Stroke,
}

/// A colour in place of the paint of a shape: red, green and blue in sRGB, and the opacity, from 0 to 1.
pub(crate) type Repaint = ([u8; 3], f64);

/// What a program sets of single nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repaints {
    /// Sorted.
    colors: Vec<((NodeId, PaintPart), Repaint)>,
    images: Vec<(NodeId, ImageData)>,
    hidden: Vec<NodeId>,
    repainted: RepaintedDrawing,
}

/// The drawing at which something was set, and the one in which it is drawn so, made at first use. It follows from the rest, so
/// that copies, which are made to be changed, begin without it, and all are equal.
#[derive(Debug, Default)]
struct RepaintedDrawing(OnceLock<[Arc<Drawing>; 2]>);

impl Clone for RepaintedDrawing {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for RepaintedDrawing {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Repaints {
    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        self.colors.is_empty() && self.images.is_empty() && self.hidden.is_empty()
    }

    /// Sets or removes the colour of a part of all shapes in an element. False, and nothing is set, if none has it.
    pub fn set_color(
        &mut self,
        drawing: &Drawing,
        element: ElementId,
        part: PaintPart,
        color: Option<([u8; 3], f64)>,
    ) -> bool {
        let has = |node: NodeId| {
            drawing.node(node).and_then(|node| node.shape()).is_some_and(|shape| match part {
                PaintPart::Fill => shape.fill.is_some(),
                PaintPart::Stroke => shape.stroke.is_some(),
            })
        };
        let mut found = false;
        self.repainted = RepaintedDrawing::default();
        for node in drawing.nodes_in(element).filter(|node| has(*node)) {
            found = true;
            set(&mut self.colors, (node, part), color);
        }
        found
    }

    /// Sets or removes the picture of all images in an element; it is shown in the box of the drawing's own. False if
    /// there are none.
    pub fn set_image(&mut self, drawing: &Drawing, element: ElementId, image: Option<&ImageData>) -> bool {
        let is_image =
            |node: &NodeId| matches!(drawing.node(*node).map(|it| &it.kind), Some(NodeKind::Image(_)));
        let mut found = false;
        self.repainted = RepaintedDrawing::default();
        for node in drawing.nodes_in(element).filter(is_image) {
            found = true;
            set(&mut self.images, node, image.cloned());
        }
        found
    }

    /// Leaves an element out, or no more. False if it is not drawn.
    pub fn set_hidden(&mut self, drawing: &Drawing, element: ElementId, hidden: bool) -> bool {
        let mut found = false;
        self.repainted = RepaintedDrawing::default();
        for node in drawing.nodes_in(element) {
            found = true;
            match self.hidden.binary_search(&node) {
                Ok(at) if !hidden => drop(self.hidden.remove(at)),
                Err(at) if hidden => self.hidden.insert(at, node),
                _ => {}
            }
        }
        found
    }

    /// The colour of a part of a shape.
    pub(crate) fn color(&self, node: NodeId, part: PaintPart) -> Option<Repaint> {
        let at = self.colors.binary_search_by_key(&(node, part), |entry| entry.0).ok()?;
        Some(self.colors[at].1)
    }

    /// The picture of an image.
    pub fn image(&self, node: NodeId) -> Option<&ImageData> {
        let at = self.images.binary_search_by_key(&node, |entry| entry.0).ok()?;
        Some(&self.images[at].1)
    }

    /// A drawing in which everything is drawn as it is set, with the slots of the one at which it was set; another one is as
    /// it is.
    pub(crate) fn repainted<'a>(&'a self, drawing: &'a Arc<Drawing>) -> &'a Arc<Drawing> {
        let [own, made] = self.repainted.0.get_or_init(|| [drawing.clone(), Arc::new(self.apply(drawing))]);
        if Arc::ptr_eq(own, drawing) { made } else { drawing }
    }

    fn apply(&self, drawing: &Drawing) -> Drawing {
        let mut applied = drawing.clone();
        for ((node, part), (color, opacity)) in &self.colors {
            let Some(NodeKind::Shape(shape)) = applied.kind_mut(*node) else { continue };
            let shape = Arc::make_mut(shape);
            let own = match part {
                PaintPart::Fill => shape.fill.as_mut().map(|fill| (&mut fill.paint, &mut fill.opacity)),
                PaintPart::Stroke => {
                    shape.stroke.as_mut().map(|stroke| (&mut stroke.paint, &mut stroke.opacity))
                }
            };
            if let Some(own) = own {
                (*own.0, *own.1) = (Paint::Color(*color), *opacity);
            }
        }
        for (node, data) in &self.images {
            let Some(NodeKind::Image(image)) = applied.kind_mut(*node) else { continue };
            Arc::make_mut(image).data = data.clone();
        }
        for node in &self.hidden {
            match applied.kind_mut(*node) {
                Some(NodeKind::Shape(shape)) => Arc::make_mut(shape).visible = false,
                Some(NodeKind::Image(image)) => Arc::make_mut(image).visible = false,
                _ => {}
            }
        }
        applied
    }

    /// Whether a node is left out.
    pub(crate) fn hides(&self, node: NodeId) -> bool {
        !self.hidden.is_empty() && self.hidden.binary_search(&node).is_ok()
    }
}

fn set<K: Copy + Ord, V>(list: &mut Vec<(K, V)>, key: K, value: Option<V>) {
    match (list.binary_search_by_key(&key, |entry| entry.0), value) {
        (Ok(at), Some(value)) => list[at].1 = value,
        (Ok(at), None) => drop(list.remove(at)),
        (Err(at), Some(value)) => list.insert(at, (key, value)),
        (Err(_), None) => {}
    }
}

impl Drawing {
    fn kind_mut(&mut self, node: NodeId) -> Option<&mut NodeKind> {
        self.nodes.get_mut(node.index()).map(|node| &mut node.kind)
    }

    /// The shapes and images of an element, with those that were added for how they are painted.
    pub(crate) fn nodes_in(&self, element: ElementId) -> impl Iterator<Item = NodeId> + '_ {
        let all = (0..self.nodes.len()).filter_map(|at| u32::try_from(at).ok()).map(NodeId);
        all.filter(move |node| {
            self.nodes[node.index()].group().is_none()
                && self.element_around(*node).is_some_and(|own| self.is_within(own, element))
        })
    }
}
