//! Every outline of the picture with the element that it belongs to: what paths drew, and what clones, texts and markers became.
//! Refuses to pose them.

use kurbo::BezPath;

use super::{Art, ElementId};

/// An outline of the picture at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnOutline {
    /// The element that it belongs to; none for what stands in no element of the drawing.
    pub element: Option<ElementId>,
    /// Whether it is the element's own, that of a path; of clones, texts and markers it is not.
    pub own: bool,
    /// Its curves in canvas space.
    pub path: BezPath,
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
        let outline = |(at, slot): (usize, &super::Slot)| {
            let path = slot.to_canvas * slot.path.as_ref()?;
            let element = normal.ancestors(at).find_map(|at| elements[at]);
            let own = element.is_some_and(|id| self.slot(id) == Some(at));
            Some(DrawnOutline { element, own, path, visible: slot.visible })
        };
        normal.slots.iter().enumerate().filter_map(outline).collect()
    }
}
