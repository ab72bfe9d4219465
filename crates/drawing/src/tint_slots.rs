//! Where a frame has the colours of images and the ends and stops of gradients, which tints and keys change. The colours
//! of shapes are in their looks.

use std::ops::Range;

use crate::color_map::{ColorMap, TintValues};
use crate::frame::Frame;
use crate::gradient_look::{GradientLook, GradientPart};
use crate::paint::Gradient;

/// The tinted art of a drawing with slots.
#[derive(Clone, Debug, Default)]
pub(crate) struct TintSlots {
    /// Of each of [`Moving::tints`](crate::Moving) the nearest one around it.
    pub(crate) outer: Vec<Option<usize>>,
    /// The tint of each image that has a slot.
    pub(crate) images: Vec<usize>,
    /// The gradients that have a slot for their ends and stops.
    pub(crate) gradients: Vec<GradientSlot>,
}

/// A gradient that can change.
#[derive(Clone, Debug)]
pub(crate) struct GradientSlot {
    pub(crate) drawn: Gradient,
    /// The nearest tint around what it colours.
    pub(crate) tint: Option<usize>,
    /// Where its values are in a pose; empty if it is not keyed.
    pub(crate) values: Range<usize>,
    /// What of these it has.
    pub(crate) part: GradientPart,
}

impl TintSlots {
    /// What a tint and those around it make of colours. A pose without values leaves them.
    pub(crate) fn map(&self, tint: usize, values: &[TintValues]) -> ColorMap {
        let mut map = ColorMap::IDENTITY;
        let outer = |at: &usize| self.outer.get(*at).copied().flatten();
        for own in std::iter::successors(Some(tint), outer).filter_map(|at| values.get(at)) {
            map = ColorMap::of(own).after(&map);
        }
        map
    }

    /// Fills the lists of a frame. Allocates nothing once it was used before.
    pub(crate) fn fill(&self, (tints, values): (&[TintValues], &[f64]), frame: &mut Frame) {
        frame.tints.clear();
        frame.tints.extend(self.images.iter().map(|tint| self.map(*tint, tints)));
        let looks = &mut frame.gradient_looks;
        looks.truncate(self.gradients.len());
        looks.extend(self.gradients.iter().skip(looks.len()).map(|slot| GradientLook::of(&slot.drawn)));
        for (slot, look) in self.gradients.iter().zip(looks) {
            let map = slot.tint.map_or(ColorMap::IDENTITY, |tint| self.map(tint, tints));
            let values = values.get(slot.values.clone()).unwrap_or_default();
            look.set(&slot.drawn, (values, slot.part), &map);
        }
    }
}
