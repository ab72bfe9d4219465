//! Keys as they are written to a rig: rounded, with handles that stay readable. The final errors are measured
//! on them.

use bone_core::clip::{ClipBuilder, Curve, Ease, Extend, Key, Scalar, Vector};
use bone_core::{BoneId, ClipError, Skeleton};
use kurbo::Vec2;

use super::knots::{Knot, between};

/// The largest height of a handle, as a multiple of the difference between its keys.
const LONGEST_HANDLE: f64 = 6.0;

/// The keys of one channel.
#[derive(Clone, Debug, PartialEq)]
pub enum ChannelKeys {
    /// Degrees from the setup pose.
    Rotate(Vec<Key<f64>>),
    /// Multiples of the length.
    Stretch(Vec<Key<f64>>),
    /// A translation in the parent's frame.
    Move(Vec<Key<Vec2>>),
}

impl ChannelKeys {
    /// The number of keys.
    pub fn len(&self) -> usize {
        match self {
            Self::Rotate(keys) | Self::Stretch(keys) => keys.len(),
            Self::Move(keys) => keys.len(),
        }
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// One channel of a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyedTrack {
    /// The bone.
    pub bone: BoneId,
    /// Its keys.
    pub keys: ChannelKeys,
    /// How the curve continues outside its keys.
    pub extend: Extend,
}

/// A clip with few keys.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyedClip {
    /// Seconds.
    pub length: f64,
    /// Whether the clip loops.
    pub looped: bool,
    /// The channels, in the order of the bones.
    pub tracks: Vec<KeyedTrack>,
}

impl KeyedClip {
    /// Builds the clip that plays these keys.
    ///
    /// # Errors
    /// If the keys do not form a clip.
    pub fn clip(&self, skeleton: &Skeleton) -> Result<bone_core::clip::Clip, ClipError> {
        let mut builder = ClipBuilder::new(self.length).looped(self.looped);
        for track in &self.tracks {
            builder = match &track.keys {
                ChannelKeys::Rotate(keys) => match Curve::new(keys.clone(), track.extend) {
                    Ok(curve) => builder.scalar(track.bone, Scalar::Rotate, curve),
                    Err(_) => builder,
                },
                ChannelKeys::Stretch(keys) => match Curve::new(keys.clone(), track.extend) {
                    Ok(curve) => builder.scalar(track.bone, Scalar::Stretch, curve),
                    Err(_) => builder,
                },
                ChannelKeys::Move(keys) => match Curve::new(keys.clone(), track.extend) {
                    Ok(curve) => builder.vector(track.bone, Vector::Move, curve),
                    Err(_) => builder,
                },
            };
        }
        builder.build(skeleton)
    }
}

/// Rounds to this number of decimal digits.
pub(crate) fn rounded(value: f64, digits: i32) -> f64 {
    let unit = 10.0_f64.powi(digits);
    // The sum makes a negative zero positive.
    (value * unit).round() / unit + 0.0
}

/// The number of decimal digits that keep a value within a tolerance.
pub(crate) fn digits(tolerance: f64) -> i32 {
    (0..6).find(|&digits| 0.5 * 10.0_f64.powi(-digits) <= tolerance).unwrap_or(6)
}

/// The keys of a curve through knots. Times are rounded to milliseconds.
pub(super) fn scalar_keys(knots: &[Knot], rate: f64, digits: i32) -> Vec<Key<f64>> {
    let time = |knot: &Knot| rounded(knot.frame as f64 / rate, 3);
    let value = |knot: &Knot| rounded(knot.value, digits);
    let mut keys: Vec<Key<f64>> = Vec::with_capacity(knots.len());
    for (at, knot) in knots.iter().enumerate() {
        let ease = knots.get(at + 1).map_or(Ease::Smooth, |next| {
            let run = (next.frame - knot.frame) as f64;
            ease(value(next) - value(knot), knot.slope * run / 3.0, next.slope * run / 3.0)
        });
        if keys.last().is_none_or(|last| last.time < time(knot)) {
            keys.push(Key { time: time(knot), value: value(knot), ease });
        }
    }
    keys
}

/// The ease of a piece with the value difference `difference` and handles of these heights.
fn ease(difference: f64, leave: f64, arrive: f64) -> Ease {
    if difference == 0.0 {
        return Ease::Linear;
    }
    let bound = |handle: f64| handle.clamp(-LONGEST_HANDLE, LONGEST_HANDLE);
    let y1 = rounded(bound(leave / difference), 2);
    let y2 = rounded(1.0 - bound(arrive / difference), 2);
    if (y1 - 0.33).abs() < 0.015 && (y2 - 0.67).abs() < 0.015 {
        return Ease::Linear;
    }
    Ease::Bezier { x1: 0.33, y1, x2: 0.67, y2 }
}

/// The frame at which a piece needs a knot because its handles would be too long to write: where it turns.
/// `negligible` is a difference that does not matter.
pub(super) fn turning_point(a: Knot, b: Knot, negligible: f64) -> Option<usize> {
    if b.frame - a.frame < 3 {
        return None;
    }
    let run = (b.frame - a.frame) as f64;
    let difference = (b.value - a.value).abs();
    let over = |slope: f64| (slope * run / 3.0).abs() - LONGEST_HANDLE * difference > negligible;
    if !(over(a.slope) || over(b.slope)) {
        return None;
    }
    // The frame with the largest distance from the straight line between the ends.
    let errors = |frame: usize| {
        let share = (frame - a.frame) as f64 / run;
        (between(a, b, frame as f64) - a.value - share * (b.value - a.value)).abs()
    };
    (a.frame + 1..b.frame).fold(None, |best: Option<usize>, frame| match best {
        Some(best) if errors(best) >= errors(frame) => Some(best),
        _ => Some(frame),
    })
}
