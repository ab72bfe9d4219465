//! Filters that are applied without resvg: blurs, drop shadows, and the steps that they are combined with. The
//! order and the arithmetic are those of resvg 0.49, so no pixel differs; blurs visit only what is near the
//! ink of a layer, and go along rows in both directions. A filter with another step is left to resvg.

mod apply;
mod blur;
mod colors;
mod morphology;
mod read;

use tiny_skia::{BlendMode, Color, NonZeroRect};

use super::values::Values;

pub(crate) use apply::{apply, fit_to};
pub(crate) use read::{read, region};

/// The filters of a group, in their order.
#[derive(Debug)]
pub(crate) struct FilterChain {
    pub(crate) filters: Vec<RenderFilter>,
}

#[derive(Debug)]
pub(crate) struct RenderFilter {
    rect: NonZeroRect,
    /// The slot of its region.
    slot: Option<usize>,
    steps: Vec<Step>,
}

#[derive(Debug)]
struct Step {
    kind: StepKind,
    /// Whether it computes with linear light.
    linear: bool,
    /// Its own region; none if it is that of the filter.
    rect: Option<NonZeroRect>,
    /// The slot of its own region.
    slot: Option<usize>,
}

/// What a step takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    Source,
    /// The alpha of the source, with black.
    SourceAlpha,
    /// The result of an earlier step.
    Step(usize),
}

/// Lengths are in units of the group.
#[derive(Debug)]
enum StepKind {
    Blur {
        input: Input,
        deviation: (f32, f32),
    },
    DropShadow {
        input: Input,
        deviation: (f32, f32),
        shift: (f32, f32),
        color: Color,
    },
    Offset {
        input: Input,
        shift: (f32, f32),
    },
    Flood {
        color: Color,
    },
    Merge {
        inputs: Vec<Input>,
    },
    /// The first over the second, or another mode.
    Blend {
        inputs: [Input; 2],
        mode: BlendMode,
    },
    Matrix {
        input: Input,
        values: Box<[f32; 20]>,
    },
    Morphology {
        input: Input,
        dilate: bool,
        radius: (f32, f32),
    },
}

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

    /// Whether a region can change from frame to frame.
    pub(crate) fn moves(&self) -> bool {
        let moves = |filter: &RenderFilter| {
            filter.slot.is_some() || filter.steps.iter().any(|step| step.slot.is_some())
        };
        self.filters.iter().any(moves)
    }

    /// Whether a region changed since the last frame.
    pub(crate) fn changed(&self, values: &Values) -> bool {
        self.filters.iter().any(|filter| {
            let mut slots = filter.steps.iter().filter_map(|step| step.slot);
            filter.slot.is_some_and(|slot| values.filters.changed[slot])
                || slots.any(|slot| values.filter_steps.changed[slot])
        })
    }
}

impl RenderFilter {
    fn region(&self, values: &Values) -> NonZeroRect {
        self.slot.and_then(|slot| values.filters.now[slot]).unwrap_or(self.rect)
    }
}

impl Step {
    /// The region of a step of a filter.
    fn region(&self, filter: &RenderFilter, values: &Values) -> NonZeroRect {
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
