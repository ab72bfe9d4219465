//! Slots: the places of a drawing at which a frame has a value. A drawing that is not posed has none.

use crate::definition::{FilterId, MaskId};
use crate::node_id::NodeId;
use crate::paint::{GradientId, PatternId};

/// No slot.
const NONE: u32 = u32::MAX;

/// The slots of a drawing. Each column is in the order of the values in a [`Frame`](crate::Frame).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slots {
    /// Groups that have a transform in each frame.
    pub transforms: SlotColumn<NodeId>,
    /// Shapes that have an outline in each frame.
    pub outlines: SlotColumn<NodeId>,
    /// Shapes that can be painted in other ways.
    pub looks: SlotColumn<NodeId>,
    /// Groups that can be hidden, fade and change their place in the paint order.
    pub visibilities: SlotColumn<NodeId>,
    /// Images whose colours can change.
    pub tints: SlotColumn<NodeId>,
    /// Gradients whose ends and stops can change.
    pub gradient_looks: SlotColumn<GradientId>,
    /// Gradients that have a transform in each frame.
    pub gradients: SlotColumn<GradientId>,
    /// Patterns that have a transform in each frame.
    pub patterns: SlotColumn<PatternId>,
    /// Masks whose region can change.
    pub masks: SlotColumn<MaskId>,
    /// Shapes that are the part of a stroke.
    pub trims: SlotColumn<NodeId>,
    /// Filters whose region and steps can change.
    pub filters: SlotColumn<FilterId>,
    /// Filters of which the numbers of steps can change.
    pub filter_looks: SlotColumn<FilterId>,
    /// For each filter of the column its first step among the regions of steps.
    pub(crate) first_step: Vec<usize>,
    pub(crate) steps: usize,
    /// Whether each path of which a part is stroked keeps its outline.
    pub(crate) still: Vec<bool>,
}

impl Slots {
    /// Whether a shape is the part of the stroke of a path that is as in the drawing, whatever bones do.
    pub fn is_still_trim(&self, node: NodeId) -> bool {
        self.trims.slot(node).is_some_and(|slot| self.still.get(slot) == Some(&true))
    }

    /// The slot of the region of a filter's step.
    pub fn step(&self, id: FilterId, step: usize) -> Option<usize> {
        let filter = self.filters.slot(id)?;
        let end = self.first_step.get(filter + 1).copied().unwrap_or(self.steps);
        Some(self.first_step[filter] + step).filter(|slot| *slot < end)
    }
}

/// Nodes or definitions with a slot each, found by their index in the drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotColumn<T> {
    keys: Vec<T>,
    /// The slot of each thing of the drawing.
    slots: Vec<u32>,
}

impl<T> Default for SlotColumn<T> {
    fn default() -> Self {
        Self { keys: Vec::new(), slots: Vec::new() }
    }
}

impl<T: Copy + Into<usize>> SlotColumn<T> {
    /// What has a slot, in their order.
    pub fn keys(&self) -> &[T] {
        &self.keys
    }

    /// The slot of a node or definition.
    pub fn slot(&self, of: T) -> Option<usize> {
        self.slots.get(of.into()).filter(|slot| **slot != NONE).map(|slot| *slot as usize)
    }

    /// Gives a thing the next slot.
    pub(crate) fn push(&mut self, key: T) -> usize {
        let (place, slot) = (key.into(), self.keys.len());
        if self.slots.len() <= place {
            self.slots.resize(place + 1, NONE);
        }
        self.slots[place] = u32::try_from(slot).unwrap_or(NONE);
        self.keys.push(key);
        slot
    }
}
