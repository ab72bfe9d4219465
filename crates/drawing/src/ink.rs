//! Ink: how far a stroke reaches to both sides of its path, at places along it, and smoothly between them.

use bone_archive::archive;

use crate::paint::{LineCap, LineJoin};

/// The reach of a stroke along each subpath of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct InkProfile {
    /// At least one, at increasing places.
    pub places: Vec<InkPlace>,
    /// The start and the end of open lines.
    pub caps: [LineCap; 2],
    /// The corners.
    pub join: LineJoin,
    /// At least 1.
    pub miter_limit: f64,
}

/// How far ink reaches at a place of its path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InkPlace {
    /// A share of the length at rest of the subpath, from 0 to 1.
    pub at: f64,
    /// To the left and to the right of the path in its direction, as it is seen with y pointing down; in its units.
    pub sides: [f64; 2],
}

archive!(struct InkProfile { places, caps, join, miter_limit } if |it| it.is_sound(), "ink");
archive!(struct InkPlace { at, sides });

impl InkProfile {
    /// The most places that ink can have.
    pub const MOST_PLACES: usize = 2000;

    /// The reach at all places, to the left and to the right.
    pub fn values(&self) -> Vec<f64> {
        self.places.iter().flat_map(|place| place.sides).collect()
    }

    /// The greatest width.
    pub fn widest(&self) -> f64 {
        self.places.iter().fold(0.0, |most: f64, place| most.max(2.0 * place.sides[0].max(place.sides[1])))
    }

    /// Whether all numbers can be used.
    pub fn is_sound(&self) -> bool {
        let is_sound = |place: &InkPlace| {
            (0.0..=1.0).contains(&place.at)
                && place.sides.iter().all(|reach| (0.0..=MOST_REACH).contains(reach))
        };
        !self.places.is_empty()
            && self.places.len() <= Self::MOST_PLACES
            && self.places.iter().all(is_sound)
            && self.places.is_sorted_by(|a, b| a.at < b.at)
            && self.miter_limit >= 1.0
    }
}

/// The greatest reach: what is wider is no stroke.
const MOST_REACH: f64 = 1e6;

/// The reach at places of a subpath at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InkWidths<'a> {
    pub(crate) at: &'a [f64],
    /// Two for each place.
    pub(crate) values: &'a [f64],
    pub(crate) scale: f64,
    pub(crate) is_closed: bool,
}

impl InkWidths<'_> {
    /// The reach of a place to a side.
    fn reach(&self, place: usize, side: usize) -> f64 {
        let reach = self.values.get(2 * place + side).copied().unwrap_or_default();
        // What is not a number is none.
        self.scale * if reach > 0.0 { reach.min(MOST_REACH) } else { 0.0 }
    }

    /// The mean slope after a place, and the share that it holds for.
    fn chord(&self, place: usize, side: usize) -> Option<(f64, f64)> {
        let run = self.at.get(place + 1)? - self.at[place];
        Some(((self.reach(place + 1, side) - self.reach(place, side)) / run, run))
    }

    /// The slope at a place: Steffen's, with which the reach is monotone between places (A simple method for monotonic
    /// interpolation in one dimension, Astronomy and Astrophysics 239, 1990, equations 11, 24 and 27).
    fn slope(&self, place: usize, side: usize) -> f64 {
        let last = self.at.len() - 1;
        let (starts, ends) = (self.at[0] <= 0.0, self.at[last] >= 1.0);
        let wraps = self.is_closed && starts && ends && last > 0;
        let before = match place {
            0 if wraps => self.chord(last - 1, side),
            0 => None,
            _ => self.chord(place - 1, side),
        };
        let after = if place == last && wraps { self.chord(0, side) } else { self.chord(place, side) };
        match (before, after) {
            (Some((a, run_a)), Some((b, run_b))) if a * b > 0.0 => {
                let mean = (a * run_b + b * run_a) / (run_a + run_b);
                a.signum() * (2.0 * a.abs().min(b.abs())).min(mean.abs())
            }
            (None, Some(first)) if starts => one_sided(first, self.chord(place + 1, side)),
            (Some(end), None) if ends => {
                one_sided(end, place.checked_sub(2).and_then(|place| self.chord(place, side)))
            }
            // Beyond the first and the last place the reach stays.
            _ => 0.0,
        }
    }

    /// The reach at a share of the subpath, and its first two derivatives by it. `gap` is that of the place before;
    /// 0 is before all places.
    pub(crate) fn radius(&self, gap: usize, share: f64, side: usize) -> [f64; 3] {
        let Some(first) = gap.checked_sub(1).filter(|first| first + 1 < self.at.len()) else {
            return [self.reach(gap.saturating_sub(1).min(self.at.len() - 1), side), 0.0, 0.0];
        };
        let run = self.at[first + 1] - self.at[first];
        let u = ((share - self.at[first]) / run).clamp(0.0, 1.0);
        let (from, to) = (self.reach(first, side), self.reach(first + 1, side));
        let (m0, m1) = (run * self.slope(first, side), run * self.slope(first + 1, side));
        // from + m0 u + b u² + a u³
        let (a, b) = (2.0 * (from - to) + m0 + m1, 3.0 * (to - from) - 2.0 * m0 - m1);
        let value = from + u * (m0 + u * (b + u * a));
        [value.max(0.0), (m0 + u * (2.0 * b + 3.0 * u * a)) / run, (2.0 * b + 6.0 * u * a) / (run * run)]
    }
}

/// The slope at an end of the places: that of a parabola through three, or of a line through two.
fn one_sided((chord, run): (f64, f64), next: Option<(f64, f64)>) -> f64 {
    let Some((beyond, run_beyond)) = next else { return chord };
    let share = run / (run + run_beyond);
    let slope = chord * (1.0 + share) - beyond * share;
    if slope * chord <= 0.0 { 0.0 } else { chord.signum() * slope.abs().min(2.0 * chord.abs()) }
}
