//! Gradients whose ends and stops can change: copies for art that has one of its own, and slots for all gradients that
//! are made of them.

use crate::drawing::Drawing;
use crate::gradient_look::GradientPart;
use crate::moving::KeyedGradient;
use crate::node::NodeKind;
use crate::paint::{GradientId, Paint};
use crate::posable::{KeyedIds, Posable};
use crate::tint_slots::GradientSlot;

impl Drawing {
    /// The gradients that are keyed, and the drawing with copies for art that has one of its own, if there is any.
    pub(crate) fn keyed_gradients(&self, keyed: &[KeyedGradient]) -> (Option<Self>, KeyedIds) {
        let mut ids = KeyedIds::new();
        let mut with_copies: Option<Self> = None;
        for (at, keyed) in keyed.iter().enumerate() {
            let Some((element, of_stroke)) = keyed.of else {
                ids.extend(keyed.gradients.iter().map(|id| (*id, at)));
                continue;
            };
            let Some(node) = self.shape_node(element) else { continue };
            let drawing = with_copies.get_or_insert_with(|| self.clone());
            let NodeKind::Shape(shape) = &drawing.nodes[node.index()].kind else { continue };
            let mut shape = (**shape).clone();
            let paint = match of_stroke {
                true => shape.stroke.as_mut().map(|stroke| &mut stroke.paint),
                false => shape.fill.as_mut().map(|fill| &mut fill.paint),
            };
            let Some(paint) = paint else { continue };
            let Paint::Gradient(shared) = *paint else { continue };
            let Some(mut own) = drawing.gradients.get(shared.index()).cloned() else { continue };
            own.id = drawing.free_id(&own.id, drawing.gradients.len());
            let own = drawing.push_gradient(own);
            *paint = Paint::Gradient(own);
            drawing.nodes[node.index()].kind = NodeKind::Shape(shape.into());
            ids.insert(own, at);
        }
        (with_copies, ids)
    }
}

impl Posable {
    /// Whether a gradient of the drawing is keyed.
    pub(crate) fn is_keyed(&self, gradient: GradientId) -> bool {
        self.keyed.contains_key(&gradient)
    }

    /// Slots for all gradients that are keyed, or are copies of such.
    pub(crate) fn key_gradients(&mut self, drawing: &mut Drawing) {
        if self.keyed.is_empty() {
            return;
        }
        // Where the values of each begin in a pose.
        let mut first = 0;
        let mut places = Vec::with_capacity(self.moving.gradients.len());
        for keyed in &self.moving.gradients {
            places.push(first..first + keyed.numbers);
            first += keyed.numbers;
        }
        let all: Vec<GradientId> = (0..drawing.gradients.len()).filter_map(GradientId::at).collect();
        for id in all {
            let (mut root, mut part) = (id, GradientPart::Whole);
            // A copy comes after what it is made of.
            while let Some((of, own)) = self.origins.get(&root).filter(|(of, _)| *of < root) {
                (root, part) = (*of, if part == GradientPart::Whole { *own } else { part });
            }
            let Some(values) = self.keyed.get(&root).and_then(|at| places.get(*at)) else { continue };
            drawing.slots.gradient_looks.push(id);
            let drawn = drawing.gradients[id.index()].clone();
            self.tints.gradients.push(GradientSlot { drawn, tint: None, values: values.clone(), part });
        }
    }
}
