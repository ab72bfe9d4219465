//! Recorded values of hands and face.

use bone_core::Side;

use crate::parts::sided_stem;

/// A value of hands or face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Control {
    /// How far the fingers are bent: 0 for a flat hand, 1 for a fist.
    Fist(Side),
    /// How far the mouth is open: 0 is closed.
    Mouth,
    /// How far a brow is raised: 0 at rest, -1 where it is lowered.
    Brow(Side),
    /// How far an eyelid is closed: 0 is open.
    Eyelid(Side),
}

/// The number of controls.
pub(crate) const CONTROLS: usize = 7;

impl Control {
    /// All controls, left before right.
    pub const ALL: [Self; CONTROLS] = [
        Self::Fist(Side::Left),
        Self::Fist(Side::Right),
        Self::Mouth,
        Self::Brow(Side::Left),
        Self::Brow(Side::Right),
        Self::Eyelid(Side::Left),
        Self::Eyelid(Side::Right),
    ];

    /// The name of the bone that carries it, and its name in maps.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fist(Side::Left) => "fist_l",
            Self::Fist(Side::Right) => "fist_r",
            Self::Mouth => "mouth",
            Self::Brow(Side::Left) => "brow_l",
            Self::Brow(Side::Right) => "brow_r",
            Self::Eyelid(Side::Left) => "eyelid_l",
            Self::Eyelid(Side::Right) => "eyelid_r",
        }
    }

    /// The control that a bone is named after: separators, capitals and the place of the side do not matter.
    pub fn by_name(name: &str) -> Option<Self> {
        let (side, stem) = sided_stem(name);
        let stem = stem.strip_suffix("control").or_else(|| stem.strip_suffix("ctrl")).unwrap_or(&stem);
        match (stem, side) {
            ("fist", Some(side)) => Some(Self::Fist(side)),
            ("mouth", None) => Some(Self::Mouth),
            ("brow" | "eyebrow", Some(side)) => Some(Self::Brow(side)),
            ("eyelid" | "lid", Some(side)) => Some(Self::Eyelid(side)),
            _ => None,
        }
    }

    /// Its index in [`Control::ALL`].
    pub(crate) fn at(self) -> usize {
        Self::ALL.iter().position(|control| *control == self).unwrap_or_default()
    }

    /// The smallest and the largest share.
    pub const fn range(self) -> (f64, f64) {
        match self {
            Self::Brow(_) => (-1.0, 1.0),
            _ => (0.0, 1.0),
        }
    }
}

/// A control in every frame of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct ControlTrack {
    /// The control.
    pub control: Control,
    /// Its share in every frame.
    pub shares: Vec<f64>,
}

impl ControlTrack {
    /// The same track with the difference of its last and its first share spread over all frames; both are
    /// equal to the bit.
    pub(crate) fn closed(&self) -> Self {
        let last = self.shares.len().saturating_sub(1);
        let gain = self.shares.last().zip(self.shares.first()).map_or(0.0, |(last, first)| last - first);
        let at = |frame: usize| gain * (frame as f64 / last.max(1) as f64 - 0.5);
        let (least, most) = self.control.range();
        let mut shares: Vec<f64> =
            (0..self.shares.len()).map(|frame| (self.shares[frame] - at(frame)).clamp(least, most)).collect();
        if let Some(&first) = shares.first() {
            shares[last] = first;
        }
        Self { shares, ..*self }
    }

    /// The same track at another number of frames for each of its own, interpolated linearly.
    pub(crate) fn resampled(&self, frames: usize, step: f64) -> Self {
        let last = self.shares.len().saturating_sub(1);
        let at = |frame: usize| {
            let at = frame as f64 * step;
            let before = (at as usize).min(last);
            let (one, other) = (self.shares[before], self.shares[(before + 1).min(last)]);
            one + (other - one) * at.fract()
        };
        Self { shares: (0..frames).map(at).collect(), ..*self }
    }
}
