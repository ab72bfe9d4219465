//! The filters of groups as typed steps.

use bone_drawing::{PaintLook, StepValues};
use tiny_skia::{BlendMode, Color, NonZeroRect};

use super::transfer::TransferTables;
use crate::number::as_read;

/// The filters of a group, in their order.
#[derive(Debug)]
pub(crate) struct FilterChain {
    pub(crate) filters: Vec<RenderFilter>,
}

#[derive(Debug)]
pub(crate) struct RenderFilter {
    pub(super) rect: NonZeroRect,
    /// The slot of its region.
    pub(super) slot: Option<usize>,
    /// The slot of the numbers of its steps.
    pub(super) look: Option<usize>,
    pub(super) steps: Vec<Step>,
}

#[derive(Debug)]
pub(super) struct Step {
    pub(super) kind: StepKind,
    /// Whether it computes with linear light.
    pub(super) linear: bool,
    /// Its own region; none if it is that of the filter.
    pub(super) rect: Option<NonZeroRect>,
    /// The slot of its own region.
    pub(super) slot: Option<usize>,
}

/// What a step takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    Source,
    /// The alpha of the source, with black.
    SourceAlpha,
    /// The result of an earlier step.
    Step(usize),
}

/// Lengths are in units of the group.
#[derive(Debug)]
pub(super) enum StepKind {
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
    /// Sums of products of both inputs, `k1` to `k4`.
    Arithmetic {
        inputs: [Input; 2],
        factors: [f32; 4],
    },
    Transfer {
        input: Input,
        tables: TransferTables,
    },
    Morphology {
        input: Input,
        dilate: bool,
        radius: (f32, f32),
    },
}

impl StepKind {
    /// The same with the numbers of a moment; none if it has none that change.
    pub(super) fn posed(&self, values: &StepValues) -> Option<Self> {
        let [across, down, dx, dy, red, green, blue, opacity, _] = *values;
        let (deviation, shift) = ((as_read(across), as_read(down)), (as_read(dx), as_read(dy)));
        let [red, green, blue] = PaintLook { color: [red, green, blue], opacity }.rgb();
        let color = Color::from_rgba8(red, green, blue, usvg::Opacity::new_clamped(as_read(opacity)).to_u8());
        match *self {
            Self::Blur { input, .. } => Some(Self::Blur { input, deviation }),
            Self::DropShadow { input, .. } => Some(Self::DropShadow { input, deviation, shift, color }),
            Self::Offset { input, .. } => Some(Self::Offset { input, shift }),
            Self::Flood { .. } => Some(Self::Flood { color }),
            _ => None,
        }
    }
}
