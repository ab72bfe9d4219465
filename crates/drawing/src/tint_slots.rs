//! Where a frame has the colours that tinted groups make: of images a map, of gradients their stops. The colours of
//! shapes are in their looks.

use crate::color_map::{ColorMap, TintValues};
use crate::frame::Frame;
use crate::look::GradientLook;
use crate::paint::Gradient;

/// The tinted art of a drawing with slots.
#[derive(Clone, Debug, Default)]
pub(crate) struct TintSlots {
    /// Of each of [`Moving::tints`](crate::Moving) the nearest one around it.
    pub(crate) outer: Vec<Option<usize>>,
    /// The tint of each image that has a slot.
    pub(crate) images: Vec<usize>,
    /// Of each gradient that has a slot for its colours: as it is drawn, and its tint.
    pub(crate) gradients: Vec<(Gradient, usize)>,
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
    pub(crate) fn fill(&self, values: &[TintValues], frame: &mut Frame) {
        frame.tints.clear();
        frame.tints.extend(self.images.iter().map(|tint| self.map(*tint, values)));
        let looks = &mut frame.gradient_looks;
        looks.truncate(self.gradients.len());
        let new = self.gradients.iter().skip(looks.len());
        looks.extend(new.map(|(gradient, _)| GradientLook::of(gradient)));
        for ((gradient, tint), look) in self.gradients.iter().zip(looks) {
            look.set(gradient, &self.map(*tint, values));
        }
    }
}
