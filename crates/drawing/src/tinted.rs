//! Gives slots for their colours to all shapes, gradients and images in tinted art. What a clip path, a mask or a filter
//! has in it keeps its colours. Of shared gradients and patterns each tint has a copy.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::definition_copies::{CopiesTooLarge, MAX_COPIED, weight};
use crate::drawing::Drawing;
use crate::gradient_look::GradientPart;
use crate::look::ShapeLook;
use crate::moving::PosedArt;
use crate::node::{Node, NodeKind, Shape};
use crate::node_id::NodeId;
use crate::paint::{GradientId, Paint, PatternId};
use crate::posable::{LookSlot, Posable};
use crate::tint_slots::GradientSlot;

impl Posable {
    /// Makes the slots. `tinted` has the node of each element that can be tinted.
    pub(crate) fn tint(
        &mut self,
        source: &Drawing,
        tinted: &[NodeId],
        drawing: &mut Drawing,
    ) -> Result<(), CopiesTooLarge> {
        if tinted.is_empty() {
            return Ok(());
        }
        let marks = self.marks(source, tinted, drawing);
        self.tints.outer = vec![None; tinted.len()];
        let mut leaves = Vec::new();
        let mut next: Vec<(NodeId, Option<usize>)> =
            drawing.roots.iter().rev().map(|root| (*root, None)).collect();
        while let Some((at, around)) = next.pop() {
            let own = marks[at.index()];
            // A shape with other forms and what stands for it have the same mark.
            if let Some(own) = own.filter(|own| Some(*own) != around) {
                self.tints.outer[own] = around;
            }
            let tint = own.or(around);
            let node = &drawing.nodes[at.index()];
            next.extend(node.children().iter().rev().map(|child| (*child, tint)));
            leaves.extend(tint.filter(|_| node.group().is_none()).map(|tint| (at, tint)));
        }
        let mut copier = PaintCopier { drawing, posable: self, copies: BTreeMap::new(), leaves, copied: 0 };
        while let Some((node, tint)) = copier.leaves.pop() {
            copier.leaf(node, tint)?;
        }
        Ok(())
    }

    /// The tint of each node that is one of tinted art, or stands for it.
    fn marks(&self, source: &Drawing, tinted: &[NodeId], drawing: &Drawing) -> Vec<Option<usize>> {
        let mut marks = vec![None; drawing.nodes.len()];
        for (tint, node) in tinted.iter().enumerate() {
            let (first, last) = source.unit(*node);
            let siblings = source.siblings(source.nodes[first.index()].parent);
            let start = siblings.binary_search(&first).unwrap_or(0);
            for at in siblings[start..].iter().take_while(|at| **at <= last) {
                marks[at.index()] = Some(tint);
            }
        }
        // The other forms of a shape lie beside it.
        for slot in &self.trimmed {
            let mark = marks[slot.node.index()];
            marks[slot.unit.index()] = marks[slot.unit.index()].or(mark);
        }
        let bent = self.moving.bent.iter().map(|bent| bent.posed).zip(&self.bent);
        let mirrored = self.moving.mirrored.iter().map(|mirrored| mirrored.posed).zip(&self.mirrored);
        for (posed, whole) in bent.chain(mirrored) {
            let node = match self.moving.posed.get(posed) {
                Some(PosedArt::Path(element)) => source.shape_node(*element),
                Some(PosedArt::Part(_, node)) => Some(*node),
                Some(PosedArt::Stencil(_)) | None => None,
            };
            if let Some((node, form)) = node.zip(drawing.slots.visibilities.keys().get(whole + 1)) {
                marks[form.index()] = marks[node.index()];
            }
        }
        marks
    }
}

/// Gradients and patterns for what is tinted.
struct PaintCopier<'a> {
    drawing: &'a mut Drawing,
    posable: &'a mut Posable,
    /// What stands for a paint under a tint.
    copies: BTreeMap<(PaintKey, usize), Paint>,
    /// Shapes and images that have no slots yet, with their tint.
    leaves: Vec<(NodeId, usize)>,
    copied: usize,
}

/// A gradient or a pattern.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PaintKey {
    Gradient(GradientId),
    Pattern(PatternId),
}

impl PaintCopier<'_> {
    fn leaf(&mut self, node: NodeId, tint: usize) -> Result<(), CopiesTooLarge> {
        match &self.drawing.nodes[node.index()].kind {
            NodeKind::Shape(shape) => {
                let shape = Shape::clone(shape);
                self.shape(node, shape, tint)?;
            }
            NodeKind::Image(_) => {
                self.drawing.slots.tints.push(node);
                self.posable.tints.images.push(tint);
            }
            NodeKind::Group(_) => {}
        }
        Ok(())
    }

    fn shape(&mut self, node: NodeId, mut shape: Shape, tint: usize) -> Result<(), CopiesTooLarge> {
        let slot = match self.drawing.slots.looks.slot(node) {
            Some(slot) => slot,
            None => {
                let own = ShapeLook::of(&shape);
                self.posable.looks.push(LookSlot {
                    posed: None,
                    keyed: None,
                    trim: None,
                    tint: None,
                    is_ink: false,
                    own,
                });
                self.drawing.slots.looks.push(node)
            }
        };
        self.posable.looks[slot].tint = Some(tint);
        let fill = shape.fill.as_mut().map(|fill| &mut fill.paint);
        let stroke = shape.stroke.as_mut().map(|stroke| &mut stroke.paint);
        let mut changed = false;
        for paint in fill.into_iter().chain(stroke) {
            let own = self.paint(*paint, tint)?;
            changed |= own != *paint;
            *paint = own;
        }
        if changed {
            self.drawing.nodes[node.index()].kind = NodeKind::Shape(Arc::new(shape));
        }
        Ok(())
    }

    /// The paint that stands for one under a tint.
    fn paint(&mut self, paint: Paint, tint: usize) -> Result<Paint, CopiesTooLarge> {
        let key = match paint {
            Paint::Color(_) => return Ok(paint),
            Paint::Gradient(id) => PaintKey::Gradient(id),
            Paint::Pattern(id) => PaintKey::Pattern(id),
        };
        if let Some(copy) = self.copies.get(&(key, tint)) {
            return Ok(*copy);
        }
        let of = if let Paint::Gradient(id) = paint { Some(id) } else { None };
        // What is moved is a copy for one shape already.
        let slots = &self.drawing.slots;
        let made = match paint {
            Paint::Gradient(id) if slots.gradients.slot(id).is_some() => paint,
            Paint::Pattern(id) if slots.patterns.slot(id).is_some() => paint,
            Paint::Color(_) => paint,
            Paint::Gradient(id) => {
                let mut copy = self.drawing.gradients[id.index()].clone();
                copy.id = self.drawing.free_id(&copy.id, self.drawing.gradients.len());
                Paint::Gradient(self.drawing.push_gradient(copy))
            }
            Paint::Pattern(id) => {
                let mut copy = self.drawing.patterns[id.index()].clone();
                copy.id = self.drawing.free_id(&copy.id, self.drawing.patterns.len());
                Paint::Pattern(self.drawing.push_pattern(copy))
            }
        };
        match made {
            Paint::Color(_) => {}
            Paint::Gradient(id) => {
                let keyed = [Some(id), of].into_iter().flatten();
                let known = keyed.filter_map(|id| self.drawing.slots.gradient_looks.slot(id)).next();
                let slots = &mut self.posable.tints.gradients;
                let drawn = self.drawing.gradients[id.index()].clone();
                let slot = match known.and_then(|known| slots.get(known)) {
                    Some(keyed) => GradientSlot { drawn, tint: Some(tint), ..keyed.clone() },
                    None => GradientSlot { drawn, tint: Some(tint), values: 0..0, part: GradientPart::Whole },
                };
                match self.drawing.slots.gradient_looks.slot(id) {
                    Some(own) => slots[own] = slot,
                    None => {
                        self.drawing.slots.gradient_looks.push(id);
                        slots.push(slot);
                    }
                }
            }
            Paint::Pattern(id) => {
                let children = self.drawing.patterns[id.index()].children.clone();
                self.drawing.patterns[id.index()].children = self.contents(&children, tint)?;
            }
        }
        self.copies.insert((key, tint), made);
        Ok(made)
    }

    /// Copies of nodes with all in them, whose shapes and images get the tint.
    fn contents(&mut self, nodes: &[NodeId], tint: usize) -> Result<Vec<NodeId>, CopiesTooLarge> {
        let mut made = Vec::with_capacity(nodes.len());
        let mut next: Vec<(NodeId, Option<NodeId>)> = nodes.iter().rev().map(|node| (*node, None)).collect();
        while let Some((at, parent)) = next.pop() {
            let mut copy = Node { parent, ..self.drawing.nodes[at.index()].clone() };
            self.copied += weight(&copy);
            if self.copied > MAX_COPIED {
                return Err(CopiesTooLarge);
            }
            let inside = match &mut copy.kind {
                NodeKind::Group(group) => std::mem::take(&mut group.children),
                NodeKind::Shape(_) | NodeKind::Image(_) => Vec::new(),
            };
            let is_leaf = copy.group().is_none();
            let copy = self.drawing.push(copy);
            match parent {
                Some(parent) => self.drawing.add_child(parent, copy),
                None => made.push(copy),
            }
            if is_leaf {
                self.leaves.push((copy, tint));
            }
            next.extend(inside.iter().rev().map(|child| (*child, Some(copy))));
        }
        Ok(made)
    }
}
