//! The numbers of filter steps that can change: where they are among the values of a step, and in its attributes.

use std::collections::BTreeMap;

use crate::definition::{FilterId, FilterStep, StepValues};
use crate::look::PaintLook;
use crate::property::FilterProperty;

/// The largest blur, beyond which nothing is seen.
const MOST_BLUR: f64 = 1e4;

/// The steps of filters that change, each by its place in [`Moving::filter_steps`](crate::Moving).
pub(crate) type KeyedSteps = BTreeMap<FilterId, Vec<(usize, usize)>>;

/// A filter with steps that change.
#[derive(Clone, Debug)]
pub(crate) struct FilterSlot {
    pub(crate) id: FilterId,
    /// Steps, and their places in [`Moving::filter_steps`](crate::Moving).
    pub(crate) steps: Vec<(usize, usize)>,
}

impl FilterProperty {
    /// Where its numbers begin among the values of a step.
    pub const fn place(self) -> usize {
        match self {
            Self::Blur => 0,
            Self::Offset => 2,
            Self::Flood => 4,
            Self::FloodOpacity => 7,
            Self::Saturate | Self::HueRotate => 8,
        }
    }

    /// Whether a step has it.
    pub fn is_of(self, step: &FilterStep) -> bool {
        let of_type = |word: &str| &*step.tag == "feColorMatrix" && step.attribute("type") == Some(word);
        match self {
            Self::Blur => matches!(&*step.tag, "feGaussianBlur" | "feDropShadow"),
            Self::Offset => matches!(&*step.tag, "feOffset" | "feDropShadow"),
            Self::Flood | Self::FloodOpacity => matches!(&*step.tag, "feFlood" | "feDropShadow"),
            Self::Saturate => of_type("saturate"),
            Self::HueRotate => of_type("hueRotate"),
        }
    }
}

impl FilterStep {
    /// An attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The values that its attributes have.
    pub fn read_values(&self) -> StepValues {
        let numbers = |name: &str| {
            let words = self.attribute(name).unwrap_or_default().split_ascii_whitespace();
            words.filter_map(|word| word.parse().ok())
        };
        let number = |name: &str| numbers(name).next().unwrap_or(0.0);
        let mut blur = numbers("stdDeviation");
        let across = blur.next().unwrap_or(0.0);
        let hex = self.attribute("flood-color").and_then(|color| color.strip_prefix('#')).unwrap_or_default();
        let level =
            |at: usize| hex.get(at..at + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok()).unwrap_or(0);
        let [red, green, blue] = [0, 2, 4].map(|at| f64::from(level(at)));
        let amount = match &*self.tag {
            "feColorMatrix" => number("values"),
            _ => 0.0,
        };
        let (dx, dy) = (number("dx"), number("dy"));
        [across, blur.next().unwrap_or(across), dx, dy, red, green, blue, number("flood-opacity"), amount]
    }

    /// What an attribute is with other values: its numbers, or a colour. None of one that cannot change.
    pub fn posed(&self, name: &str, values: &StepValues) -> Option<StepAttribute> {
        let [across, down, dx, dy, red, green, blue, opacity, amount] = *values;
        match name {
            "stdDeviation" => Some(StepAttribute::Pair([across, down])),
            "dx" => Some(StepAttribute::Number(dx)),
            "dy" => Some(StepAttribute::Number(dy)),
            "flood-color" => {
                Some(StepAttribute::Color(PaintLook { color: [red, green, blue], opacity }.rgb()))
            }
            "flood-opacity" => Some(StepAttribute::Number(opacity)),
            "values"
                if [FilterProperty::Saturate, FilterProperty::HueRotate].iter().any(|of| of.is_of(self)) =>
            {
                Some(StepAttribute::Number(amount))
            }
            _ => None,
        }
    }
}

/// An attribute of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepAttribute {
    /// A number.
    Number(f64),
    /// Two numbers.
    Pair([f64; 2]),
    /// A colour.
    Color([u8; 3]),
}

/// Values that a step can have, in place of those that it cannot have.
pub(crate) fn usable(values: &StepValues, step: &FilterStep) -> StepValues {
    let mut usable = step.values;
    for (at, (own, value)) in usable.iter_mut().zip(values).enumerate() {
        if value.is_finite() {
            *own = match at {
                0 | 1 => value.clamp(0.0, MOST_BLUR),
                2 | 3 => value.clamp(-1e6, 1e6),
                4..=6 => value.clamp(0.0, 255.0),
                7 => value.clamp(0.0, 1.0),
                _ if FilterProperty::Saturate.is_of(step) => value.clamp(0.0, 1.0),
                _ => *value,
            };
        }
    }
    usable
}
