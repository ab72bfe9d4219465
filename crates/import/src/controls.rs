//! Controls: bones that carry a value of hands or face, such as how far the mouth is open, to the drivers of a
//! rig. A recording has such a value in every frame as a share; the range of a driver gives it a size.

use bone_core::clip::Key;
use bone_core::{Angle, BoneId, BoneSpec, Side, SkeletonBuilder};
use kurbo::Vec2;

use crate::ImportError;
use crate::fit::{ChannelKeys, ChannelSamples, KeyedTrack, RecordedTrack, Take, fit};
use crate::parts::sided_stem;
use crate::{PlanarMotion, PlanarMotionError};

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
    pub(crate) const fn at(self) -> usize {
        match self {
            Self::Fist(Side::Left) => 0,
            Self::Fist(Side::Right) => 1,
            Self::Mouth => 2,
            Self::Brow(Side::Left) => 3,
            Self::Brow(Side::Right) => 4,
            Self::Eyelid(Side::Left) => 5,
            Self::Eyelid(Side::Right) => 6,
        }
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
    /// Checks that there is a finite share for each frame.
    pub(crate) fn check(&self, frames: usize) -> Result<(), PlanarMotionError> {
        match () {
            () if self.shares.len() != frames => Err(PlanarMotionError::Count),
            () if !self.shares.iter().all(|share| share.is_finite()) => Err(PlanarMotionError::Number),
            () => Ok(()),
        }
    }

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

/// The value of a bone that carries a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlChannel {
    /// Degrees.
    Rotate,
    /// A translation along x of the parent's frame.
    MoveX,
    /// A translation along y of the parent's frame.
    MoveY,
}

/// A bone that carries a control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControlBone {
    /// The control.
    pub control: Control,
    /// The bone.
    pub bone: BoneId,
    /// The value of the bone that moves.
    pub channel: ControlChannel,
    /// The values of the shares -1 and 1.
    pub ends: (f64, f64),
}

impl ControlBone {
    /// The value for a share.
    fn value(&self, share: f64) -> f64 {
        if share < 0.0 { -share * self.ends.0 } else { share * self.ends.1 }
    }
}

/// Few keys for the controls of a motion that the bones carry; shares keep within `tolerance`.
///
/// # Errors
/// If the motion has fewer than two frames.
pub fn fit_controls(
    motion: &PlanarMotion,
    bones: &[ControlBone],
    looped: bool,
    tolerance: f64,
) -> Result<Vec<KeyedTrack>, ImportError> {
    // The tip of a bone of this length moves by 1 while its control goes through the range of the driver.
    let mut skeleton = SkeletonBuilder::new();
    let mut carried: Vec<(&ControlBone, &ControlTrack)> = Vec::new();
    for bone in bones {
        let range = bone.ends.0.abs().max(bone.ends.1.abs());
        let track = motion.controls().iter().find(|track| track.control == bone.control);
        if let Some(track) = track.filter(|_| range > 0.0) {
            let length = 1.0 / Angle::from_degrees(range).radians();
            skeleton.push(BoneSpec::new(bone.control.name(), length));
            carried.push((bone, track));
        }
    }
    if carried.is_empty() {
        return Ok(Vec::new());
    }
    let skeleton = skeleton.build().map_err(|errors| ImportError::new(errors.to_string()))?;
    let mut tracks = Vec::new();
    for (bone, track) in &carried {
        let Some(tip) = skeleton.find(bone.control.name()) else { continue };
        let samples = track.shares.iter().map(|share| bone.value(*share)).collect();
        let (low, high) = (bone.ends.0.min(bone.ends.1), bone.ends.0.max(bone.ends.1));
        let limits = Some((low.min(0.0), high.max(0.0)));
        tracks.push(RecordedTrack { bone: tip, samples: ChannelSamples::Rotate(samples), limits });
    }
    let fitted = fit(&skeleton, &Take { rate: motion.rate(), tracks, looped }, tolerance)?;
    let real = |track: KeyedTrack| {
        let bone = carried.iter().find(|(bone, _)| skeleton.name(track.bone) == bone.control.name())?.0;
        let ChannelKeys::Rotate(keys) = track.keys else { return None };
        let along = |way: Vec2| {
            let shifted = |key: &Key<f64>| Key { time: key.time, value: way * key.value, ease: key.ease };
            ChannelKeys::Move(keys.iter().map(shifted).collect())
        };
        let keys = match bone.channel {
            ControlChannel::Rotate => ChannelKeys::Rotate(keys),
            ControlChannel::MoveX => along(Vec2::new(1.0, 0.0)),
            ControlChannel::MoveY => along(Vec2::new(0.0, 1.0)),
        };
        Some(KeyedTrack { bone: bone.bone, keys, extend: track.extend })
    };
    Ok(fitted.clip.tracks.into_iter().filter_map(real).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bones_carry_controls_by_their_names() {
        for control in Control::ALL {
            assert_eq!(Control::by_name(control.name()), Some(control));
            assert_eq!(Control::ALL[control.at()], control);
        }
        assert_eq!(Control::by_name("Eyelid.L"), Some(Control::Eyelid(Side::Left)));
        assert_eq!(Control::by_name("leftEyebrow"), Some(Control::Brow(Side::Left)));
        assert_eq!(Control::by_name("mouth_ctrl"), Some(Control::Mouth));
        assert_eq!(Control::by_name("fist"), None);
        assert_eq!(Control::by_name("upper_arm_l"), None);
    }
}
