//! Where filters and their steps have an effect, in a frame.

use tiny_skia::NonZeroRect;

use super::chain::{FilterChain, RenderFilter, Step};
use crate::renderer::values::Values;

impl FilterChain {
    /// The union of the regions, which is the box of the layer.
    pub(crate) fn region(&self, values: &Values) -> Option<NonZeroRect> {
        let mut rects = self.filters.iter().map(|filter| filter.region(values));
        let first = rects.next()?;
        let [left, top, right, bottom] = rects.fold(sides(first), |all, rect| {
            let [left, top, right, bottom] = sides(rect);
            [all[0].min(left), all[1].min(top), all[2].max(right), all[3].max(bottom)]
        });
        NonZeroRect::from_ltrb(left, top, right, bottom)
    }

    /// Whether a region or a number can change from frame to frame.
    pub(crate) fn moves(&self) -> bool {
        let moves = |filter: &RenderFilter| {
            filter.slot.or(filter.look).is_some() || filter.steps.iter().any(|step| step.slot.is_some())
        };
        self.filters.iter().any(moves)
    }

    /// Whether a region or a number changed since the last frame.
    pub(crate) fn changed(&self, values: &Values) -> bool {
        self.filters.iter().any(|filter| {
            let mut slots = filter.steps.iter().filter_map(|step| step.slot);
            filter.slot.is_some_and(|slot| values.filters.changed[slot])
                || filter.look.is_some_and(|slot| values.filter_looks.changed[slot])
                || slots.any(|slot| values.filter_steps.changed[slot])
        })
    }
}

impl RenderFilter {
    pub(super) fn region(&self, values: &Values) -> NonZeroRect {
        self.slot.and_then(|slot| values.filters.now[slot]).unwrap_or(self.rect)
    }
}

impl Step {
    /// The region of a step of a filter.
    pub(super) fn region(&self, filter: &RenderFilter, values: &Values) -> NonZeroRect {
        let own = match self.slot {
            Some(slot) => values.filter_steps.now[slot],
            None => self.rect,
        };
        own.unwrap_or_else(|| filter.region(values))
    }
}

fn sides(rect: NonZeroRect) -> [f32; 4] {
    [rect.left(), rect.top(), rect.right(), rect.bottom()]
}
