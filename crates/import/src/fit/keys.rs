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

/// How the keys of a value are rounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyDigits {
    /// Of values.
    pub(super) value: i32,
    /// Of times, in seconds.
    pub(super) time: i32,
    /// The most digits of handles.
    pub(super) handle: i32,
    /// A difference of the value that is too small to be visible.
    pub(super) negligible: f64,
}

/// The keys of a curve through knots.
pub(super) fn scalar_keys(knots: &[Knot], rate: f64, digits: KeyDigits) -> Vec<Key<f64>> {
    let time = |knot: &Knot| rounded(knot.frame as f64 / rate, digits.time);
    let value = |knot: &Knot| rounded(knot.value, digits.value);
    let mut keys: Vec<Key<f64>> = Vec::with_capacity(knots.len());
    for (at, knot) in knots.iter().enumerate() {
        let ease = knots.get(at + 1).map_or(Ease::Smooth, |next| {
            let run = (next.frame - knot.frame) as f64;
            let handles = (knot.slope * run / 3.0, next.slope * run / 3.0);
            ease(value(next) - value(knot), handles, digits)
        });
        if keys.last().is_none_or(|last| last.time < time(knot)) {
            keys.push(Key { time: time(knot), value: value(knot), ease });
        }
    }
    keys
}

/// The ease of a piece with the value difference `difference` and handles of these heights. Its numbers have
/// as many digits as keep the value within what is negligible, at least two.
fn ease(difference: f64, (leave, arrive): (f64, f64), of: KeyDigits) -> Ease {
    if difference == 0.0 {
        return Ease::Linear;
    }
    let digits = digits(of.negligible / difference.abs()).clamp(2, of.handle);
    let bound = |handle: f64| handle.clamp(-LONGEST_HANDLE, LONGEST_HANDLE);
    let y1 = rounded(bound(leave / difference), digits);
    let y2 = rounded(1.0 - bound(arrive / difference), digits);
    let (x1, x2) = (rounded(1.0 / 3.0, digits), rounded(2.0 / 3.0, digits));
    let straight = 1.5 * 10.0_f64.powi(-digits);
    if (y1 - x1).abs() < straight && (y2 - x2).abs() < straight {
        return Ease::Linear;
    }
    Ease::Bezier { x1, y1, x2, y2 }
}

/// Keeps keys within limits: values are clamped, and of a curve that leaves the limits between two keys the
/// handles, which have this many digits. A cubic stays within the hull of its four values.
pub(super) fn keep_within(keys: &mut [Key<f64>], (least, most): (f64, f64), digits: i32) {
    let unit = 10.0_f64.powi(digits);
    let shorter = |number: f64| (number * unit).trunc() / unit;
    for key in keys.iter_mut() {
        key.value = key.value.clamp(least.min(most), most.max(least));
    }
    for at in 1..keys.len() {
        let (from, to) = (keys[at - 1], keys[at]);
        let Ease::Bezier { x1, y1, x2, y2 } = from.ease else { continue };
        let difference = to.value - from.value;
        let hull = [from.value + difference * y1, from.value + difference * y2];
        let beyond = |value: f64| value < least - 1e-9 || value > most + 1e-9;
        let leaves = |share: f64| {
            let rest = 1.0 - share;
            let y = 3.0 * rest * rest * share * y1 + 3.0 * rest * share * share * y2 + share * share * share;
            beyond(from.value + difference * y)
        };
        // Where the slope of the cubic is 0: a s^2 + b s + c.
        let (a, b, c) = (1.0 + 3.0 * (y1 - y2), 2.0 * (y2 - 2.0 * y1), y1);
        let root = (b * b - 4.0 * a * c).max(0.0).sqrt();
        let turns =
            if a.abs() > 1e-12 { [(-b + root) / (2.0 * a), (-b - root) / (2.0 * a)] } else { [-c / b, 0.0] };
        let mut turns = turns.into_iter().filter(|share| (0.0..1.0).contains(share));
        if hull.into_iter().any(beyond) && turns.any(leaves) {
            // Shorter handles are nearer to the values of the keys.
            let [first, second] = hull.map(|value| value.clamp(least, most));
            let y1 = shorter((first - from.value) / difference);
            let y2 = 1.0 - shorter((to.value - second) / difference);
            keys[at - 1].ease = Ease::Bezier { x1, y1, x2, y2: rounded(y2, digits) };
        }
    }
}

/// The frame at which a piece needs a knot because its handles would be too long to write: where it turns.
/// `negligible` is a difference that does not matter.
pub(super) fn turning_point(a: Knot, b: Knot, negligible: f64) -> Option<usize> {
    if b.frame - a.frame < 2 {
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
