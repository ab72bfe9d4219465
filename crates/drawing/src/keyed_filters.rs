//! Filters of which steps can change: copies for art that has one of its own, and slots for all filters that are made of
//! them.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::definition::{FilterId, StepValues};
use crate::drawing::Drawing;
use crate::filter_look::{FilterSlot, KeyedSteps, usable};
use crate::moving::KeyedStep;
use crate::node::NodeKind;
use crate::posable::Posable;

impl Drawing {
    /// The filters that are keyed, and the drawing with copies for art that has one of its own, if there is any.
    pub(crate) fn keyed_filters(&self, keyed: &[KeyedStep]) -> (Option<Self>, KeyedSteps) {
        let mut ids = KeyedSteps::new();
        let mut with_copies: Option<Self> = None;
        let mut made: BTreeMap<(FilterId, crate::ElementId), FilterId> = BTreeMap::new();
        for (at, keyed) in keyed.iter().enumerate() {
            let Some(element) = keyed.of else {
                keyed.filters.iter().for_each(|id| ids.entry(*id).or_default().push((keyed.step, at)));
                continue;
            };
            let Some(node) = self.filtered_node(element) else { continue };
            for shared in &keyed.filters {
                let drawing = with_copies.get_or_insert_with(|| self.clone());
                let Some(mut own) = drawing.filters.get(shared.index()).cloned() else { continue };
                let copy = match made.get(&(*shared, element)) {
                    Some(copy) => *copy,
                    None => {
                        own.id = drawing.free_id(&own.id, drawing.filters.len());
                        let copy = FilterId::from_index(drawing.filters.len());
                        drawing.filters.push(own);
                        if let NodeKind::Group(group) = &mut drawing.nodes[node.index()].kind {
                            group.filters.iter_mut().filter(|id| *id == shared).for_each(|id| *id = copy);
                        }
                        made.insert((*shared, element), copy);
                        copy
                    }
                };
                ids.entry(copy).or_default().push((keyed.step, at));
            }
        }
        if let Some(drawing) = &mut with_copies {
            // They were found with the shared filters.
            drawing.links = OnceLock::new();
        }
        (with_copies, ids)
    }
}

impl Posable {
    /// Slots for all filters that are keyed, or are copies of such.
    pub(crate) fn key_filters(&mut self, drawing: &mut Drawing, keyed: &KeyedSteps) {
        if keyed.is_empty() {
            return;
        }
        for id in (0..drawing.filters.len()).map(FilterId::from_index) {
            let of = self.filter_origins.get(&id).copied().unwrap_or(id);
            if let Some(steps) = keyed.get(&of) {
                drawing.slots.filter_looks.push(id);
                self.filter_looks.push(FilterSlot { id, steps: steps.clone() });
            }
        }
    }

    /// Writes the values of the steps of all keyed filters.
    pub(crate) fn filter_values(&self, values: &[StepValues], looks: &mut Vec<Vec<Option<StepValues>>>) {
        looks.resize_with(self.filter_looks.len(), Vec::new);
        for (slot, look) in self.filter_looks.iter().zip(looks) {
            let Some(filter) = self.drawing.filter(slot.id) else { continue };
            look.clear();
            look.resize(filter.steps.len(), None);
            for (step, at) in &slot.steps {
                if let (Some(own), Some(of), Some(values)) =
                    (look.get_mut(*step), filter.steps.get(*step), values.get(*at))
                {
                    *own = Some(usable(values, of));
                }
            }
        }
    }
}
