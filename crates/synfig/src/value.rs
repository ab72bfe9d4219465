//! The values of parameters, as Synfig has them: y up, angles counter-clockwise, lengths in its units.

use std::rc::Rc;

use kurbo::Vec2;

/// A colour: red, green and blue in linear light, and alpha.
pub(crate) type LightColor = [f64; 4];

/// A value at one time.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) enum NodeValue {
    /// None, or of a kind that is not read.
    #[default]
    Nothing,
    /// Real numbers and integers; bools as 0 and 1, angles in degrees, times in seconds.
    Number(f64),
    Pair(Vec2),
    Color(LightColor),
    Text(Rc<str>),
    /// Entries, and whether the last is joined with the first.
    List(Rc<[NodeValue]>, bool),
    /// The parts of a composite in their order.
    Record(Rc<[NodeValue]>),
    /// Places from 0 to 1, and colours.
    Gradient(Rc<[(f64, LightColor)]>),
    /// An index in the list of canvases.
    Canvas(usize),
}

impl NodeValue {
    pub(crate) fn number(&self) -> f64 {
        match self {
            Self::Number(number) if number.is_finite() => *number,
            _ => 0.0,
        }
    }

    pub(crate) fn flag(&self) -> bool {
        self.number() != 0.0
    }

    /// Rounded to the nearest.
    pub(crate) fn whole(&self) -> i64 {
        // The conversion saturates.
        self.number().round() as i64
    }

    pub(crate) fn pair(&self) -> Vec2 {
        match self {
            Self::Pair(pair) if pair.is_finite() => *pair,
            _ => Vec2::ZERO,
        }
    }

    pub(crate) fn color(&self) -> LightColor {
        match self {
            Self::Color(color) => *color,
            _ => [0.0, 0.0, 0.0, 1.0],
        }
    }

    pub(crate) fn text(&self) -> &str {
        if let Self::Text(text) = self { text } else { "" }
    }

    /// Entries of a list, and whether it is closed.
    pub(crate) fn list(&self) -> (&[Self], bool) {
        if let Self::List(entries, closed) = self { (entries, *closed) } else { (&[], false) }
    }

    /// A part of a composite.
    pub(crate) fn part(&self, at: usize) -> &Self {
        const NONE: &NodeValue = &NodeValue::Nothing;
        if let Self::Record(parts) = self { parts.get(at).unwrap_or(NONE) } else { NONE }
    }

    /// All numbers in it, for interpolation; none of what holds.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        match self {
            Self::Number(number) => vec![*number],
            Self::Pair(pair) => vec![pair.x, pair.y],
            Self::Color(color) => color.to_vec(),
            Self::Gradient(stops) => stops.iter().flat_map(|(_, color)| *color).collect(),
            Self::Record(parts) => parts.iter().flat_map(Self::numbers).collect(),
            _ => Vec::new(),
        }
    }

    /// The same kind with other numbers, in the order of [`Value::numbers`].
    pub(crate) fn with(&self, numbers: &mut impl Iterator<Item = f64>) -> Self {
        let mut next = || numbers.next().unwrap_or_default();
        match self {
            Self::Number(_) => Self::Number(next()),
            Self::Pair(_) => Self::Pair(Vec2::new(next(), next())),
            Self::Color(_) => Self::Color([(); 4].map(|()| next())),
            Self::Gradient(stops) => {
                Self::Gradient(stops.iter().map(|(at, _)| (*at, [(); 4].map(|()| next()))).collect())
            }
            Self::Record(parts) => Self::Record(parts.iter().map(|part| part.with(numbers)).collect()),
            other => other.clone(),
        }
    }

    /// A combination of two values of one kind, number by number; the first value where they differ in kind.
    pub(crate) fn combined(&self, other: &Self, of: impl Fn(f64, f64) -> f64) -> Self {
        let (a, b) = (self.numbers(), other.numbers());
        if a.len() != b.len() {
            return self.clone();
        }
        self.with(&mut a.iter().zip(&b).map(|(a, b)| of(*a, *b)))
    }
}

impl From<f64> for NodeValue {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for NodeValue {
    fn from(flag: bool) -> Self {
        Self::Number(f64::from(u8::from(flag)))
    }
}
