//! How many digits a text has.

use crate::schema::Precision;

/// How many digits after the point are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digits {
    /// Of coordinates, lengths and degrees.
    pub places: usize,
    /// Of times, in seconds.
    pub times: usize,
    /// Of weights, sizes, opacities and other shares.
    pub shares: usize,
}

impl Digits {
    /// Every number as it is.
    pub const ALL: Self = Self { places: 17, times: 17, shares: 17 };

    pub(crate) fn round(self, value: f64, precision: Precision) -> f64 {
        let digits = match precision {
            Precision::Place | Precision::Angle => self.places,
            Precision::Time => self.times,
            Precision::Share => self.shares,
        };
        // Reading reports numbers that are not finite at their places.
        number(value, digits).parse().unwrap_or(value)
    }
}

impl Default for Digits {
    /// A hundredth of a unit, a tenth of a millisecond, four digits of a share.
    fn default() -> Self {
        Self { places: 2, times: 4, shares: 4 }
    }
}

/// A number with so many digits after the point at most, and no more than it needs.
pub(crate) fn number(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        // Reading reports it at its place.
        return value.to_string();
    }
    let mut text = match digits {
        0..17 => format!("{value:.digits$}"),
        _ => value.to_string(),
    };
    if text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    if text == "-0" { "0".to_owned() } else { text }
}
