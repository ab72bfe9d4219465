//! Slots: the places of a drawing at which a frame has a value. A drawing that is not posed has none.

use crate::definition::{FilterId, MaskId};
use crate::node_id::NodeId;
use crate::paint::{GradientId, PatternId};

/// No slot.
const NONE: u32 = u32::MAX;

/// The slots of a drawing. Each list is in the order of the values in a [`Frame`](crate::Frame).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slots {
    pub(crate) transforms: Column<NodeId>,
    pub(crate) outlines: Column<NodeId>,
    pub(crate) strokes: Column<NodeId>,
    pub(crate) visibilities: Column<NodeId>,
    pub(crate) gradients: Column<GradientId>,
    pub(crate) patterns: Column<PatternId>,
    pub(crate) masks: Column<MaskId>,
    pub(crate) filters: Column<FilterId>,
    /// For each filter of the column its first step among the regions of steps.
    pub(crate) first_step: Vec<usize>,
    pub(crate) steps: usize,
}

impl Slots {
    /// Groups that have a transform in each frame.
    pub fn transforms(&self) -> &[NodeId] {
        &self.transforms.keys
    }

    /// Shapes that have an outline in each frame.
    pub fn outlines(&self) -> &[NodeId] {
        &self.outlines.keys
    }

    /// Shapes whose stroke width can change.
    pub fn strokes(&self) -> &[NodeId] {
        &self.strokes.keys
    }

    /// Groups that can be hidden, fade and change their place in the paint order.
    pub fn visibilities(&self) -> &[NodeId] {
        &self.visibilities.keys
    }

    /// Gradients that have a transform in each frame.
    pub fn gradients(&self) -> &[GradientId] {
        &self.gradients.keys
    }

    /// Patterns that have a transform in each frame.
    pub fn patterns(&self) -> &[PatternId] {
        &self.patterns.keys
    }

    /// Masks whose region can change.
    pub fn masks(&self) -> &[MaskId] {
        &self.masks.keys
    }

    /// Filters whose region and steps can change.
    pub fn filters(&self) -> &[FilterId] {
        &self.filters.keys
    }

    /// The slot of a group's transform.
    pub fn transform(&self, node: NodeId) -> Option<usize> {
        self.transforms.slot(node.index())
    }

    /// The slot of a shape's outline.
    pub fn outline(&self, node: NodeId) -> Option<usize> {
        self.outlines.slot(node.index())
    }

    /// The slot of a shape's stroke.
    pub fn stroke(&self, node: NodeId) -> Option<usize> {
        self.strokes.slot(node.index())
    }

    /// The slot of a group's visibility.
    pub fn visibility(&self, node: NodeId) -> Option<usize> {
        self.visibilities.slot(node.index())
    }

    /// The slot of a gradient's transform.
    pub fn gradient(&self, id: GradientId) -> Option<usize> {
        self.gradients.slot(id.index())
    }

    /// The slot of a pattern's transform.
    pub fn pattern(&self, id: PatternId) -> Option<usize> {
        self.patterns.slot(id.index())
    }

    /// The slot of a mask's region.
    pub fn mask(&self, id: MaskId) -> Option<usize> {
        self.masks.slot(id.index())
    }

    /// The slot of a filter's region.
    pub fn filter(&self, id: FilterId) -> Option<usize> {
        self.filters.slot(id.index())
    }

    /// The slot of the region of a filter's step.
    pub fn step(&self, id: FilterId, step: usize) -> Option<usize> {
        let filter = self.filter(id)?;
        let end = self.first_step.get(filter + 1).copied().unwrap_or(self.steps);
        Some(self.first_step[filter] + step).filter(|slot| *slot < end)
    }
}

/// Nodes or definitions with a slot each, found by their index in the drawing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Column<T> {
    pub(crate) keys: Vec<T>,
    /// The slot of each thing of the drawing.
    slots: Vec<u32>,
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self { keys: Vec::new(), slots: Vec::new() }
    }
}

impl<T> Column<T> {
    pub(crate) fn slot(&self, place: usize) -> Option<usize> {
        self.slots.get(place).filter(|slot| **slot != NONE).map(|slot| *slot as usize)
    }

    /// Gives a thing the next slot.
    pub(crate) fn push(&mut self, key: T, place: usize) -> usize {
        if self.slots.len() <= place {
            self.slots.resize(place + 1, NONE);
        }
        let slot = self.keys.len();
        self.slots[place] = u32::try_from(slot).unwrap_or(NONE);
        self.keys.push(key);
        slot
    }
}
