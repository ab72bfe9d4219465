//! Every outline of the picture with the element that it belongs to: what paths drew, and what clones, texts and markers became.
//! Refuses to pose them.

use std::ops::Range;

use kurbo::{Affine, BezPath};

use super::{Art, ElementId};
use crate::template::invert;

/// An outline of the picture at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnOutline {
    /// The element that it belongs to; none for what stands in no element of the drawing.
    pub element: Option<ElementId>,
    /// Whether it is the element's own, that of a path; of clones, texts and markers it is not.
    pub own: bool,
    /// Its curves in canvas space, as the text of the drawing has them.
    pub path: BezPath,
    /// The same by the matrices that what moves it is put in front of: usvg keeps the nearest f32 of each number.
    pub carried: BezPath,
    /// Whether it has a fill or a stroke, and is not hidden.
    pub visible: bool,
}

impl Art {
    /// Every outline of the picture at rest, in the order in which they are drawn.
    pub fn drawn_outlines(&self) -> Vec<DrawnOutline> {
        let normal = self.normal();
        let mut elements: Vec<Option<ElementId>> = vec![None; normal.slots.len()];
        let slots = || self.ids().filter_map(|id| Some((id, self.slot(id)?)));
        for (id, slot) in slots() {
            elements[slot] = Some(id);
        }
        // Markers stand beside their path.
        for (id, slot) in slots() {
            let (first, last) = normal.with_markers(slot);
            for at in [first, last] {
                elements[at].get_or_insert(id);
            }
        }
        // Whoever reads the posed drawing reads the numbers of its text.
        let text = |range: &Range<usize>| normal.text.get(range.clone()).unwrap_or_default();
        let mut to_canvas: Vec<Affine> = Vec::with_capacity(normal.slots.len());
        let root = invert(normal.canvas_to_output).unwrap_or_default();
        for slot in &normal.slots {
            let around = slot.parent.map_or(root, |parent| to_canvas[parent]);
            let own = slot.transform.as_ref().and_then(|range| matrix(text(range)));
            to_canvas.push(around * own.unwrap_or(slot.own));
        }
        let outline = |(at, slot): (usize, &super::Slot)| {
            let data = BezPath::from_svg(text(slot.data.as_ref()?)).ok()?;
            let (path, carried) = (to_canvas[at] * &data, slot.to_canvas * data);
            let element = normal.ancestors(at).find_map(|at| elements[at]);
            let own = element.is_some_and(|id| self.slot(id) == Some(at));
            Some(DrawnOutline { element, own, path, carried, visible: slot.visible })
        };
        normal.slots.iter().enumerate().filter_map(outline).collect()
    }
}

/// The matrix of a transform attribute, which is all that usvg writes.
fn matrix(attribute: &str) -> Option<Affine> {
    let (_, numbers) = attribute.split_once("matrix(")?;
    let numbers = numbers.split_once(')')?.0.split_whitespace().map(|number| number.parse().ok());
    let numbers: Vec<f64> = numbers.collect::<Option<_>>()?;
    Some(Affine::new(numbers.try_into().ok()?))
}
