//! The rounded keys of a fit, and the errors of the joints when these keys are played. Only these errors are
//! reported.

use bone_core::clip::{Curve, Extend, Key};
use bone_core::{Pose, Skeleton};
use kurbo::Vec2;

use super::keys::{self, ChannelKeys, KeyDigits, KeyedClip, KeyedTrack, digits, keep_within, rounded};
use super::knots::Knot;
use super::{ChannelSamples, FittedClip, Fitter};

impl Fitter<'_> {
    /// Rounds the keys and measures the errors of the joints, which replace the estimated ones.
    pub(super) fn round_and_measure(&mut self, skeleton: &Skeleton) -> FittedClip {
        let rate = self.take.rate;
        // The rounding of times moves a joint by a part of the tolerance.
        let times = digits(0.25 * self.tolerance / self.sensitivity.highest_speed(rate)).max(3);
        let handle = if times > 3 { 5 } else { 3 };
        let mut tracks = Vec::new();
        let mut written = Vec::new();
        for (at, value) in self.values.iter().enumerate() {
            let recorded = &self.take.tracks[value.track];
            let sensitivity = digits(value.negligible.min(0.5));
            let keys = match &value.curve {
                Some(curve) => {
                    let knots: Vec<Knot> = (0..=curve.pieces()).map(|at| curve.knot(at)).collect();
                    let digits =
                        KeyDigits { value: sensitivity, time: times, handle, negligible: value.negligible };
                    let mut keys = keys::scalar_keys(&knots, rate, digits);
                    if let Some(limits) = value.limits {
                        keep_within(&mut keys, limits, handle);
                    }
                    written.push((at, keys.clone()));
                    keys
                }
                None => vec![Key::new(0.0, rounded(value.constant, sensitivity))],
            };
            let (rest, keys) = match recorded.samples {
                ChannelSamples::Stretch(_) => (1.0, ChannelKeys::Stretch(keys)),
                _ => (0.0, ChannelKeys::Rotate(keys)),
            };
            let nothing = value.curve.is_none() && rounded(value.constant, sensitivity) == rest;
            if !nothing {
                tracks.push(KeyedTrack { bone: recorded.bone, keys, extend: Extend::Hold });
            }
        }
        let sensitivity = digits(0.02 * self.tolerance);
        for translation in &self.translations {
            let round = |v: Vec2| Vec2::new(rounded(v.x, sensitivity), rounded(v.y, sensitivity));
            let keys: Vec<_> = translation
                .keys()
                .map(|key| Key { time: rounded(key.time, times), value: round(key.value), ease: key.ease })
                .collect();
            if keys.len() > 1 || keys.first().is_some_and(|key| key.value != Vec2::ZERO) {
                tracks.push(KeyedTrack {
                    bone: self.take.tracks[translation.track].bone,
                    keys: ChannelKeys::Move(keys),
                    extend: translation.extend,
                });
            }
        }
        tracks.sort_by_key(|track| track.bone);
        let length = rounded(self.take.length(), times).max(0.001);
        let clip = KeyedClip { length, looped: self.take.looped, tracks };
        let (max_error, rms_error) = self.measure(skeleton, &clip);
        if max_error > self.tolerance {
            self.replay_written(written);
        }
        let again = usize::from(clip.looped);
        let moving = || clip.tracks.iter().filter(|track| track.keys.len() > 1);
        let (channels, keys) = (moving().count(), moving().map(|track| track.keys.len() - again).sum());
        FittedClip { clip, max_error, rms_error, channels, keys }
    }
}

impl Fitter<'_> {
    /// Takes the residuals of values from their rounded keys, so that what rounding and bounded handles add is
    /// attributed to these values.
    fn replay_written(&mut self, written: Vec<(usize, Vec<Key<f64>>)>) {
        for (at, keys) in written {
            let value = &mut self.values[at];
            let Ok(curve) = Curve::new(keys, Extend::Hold) else { continue };
            for (frame, (residual, sample)) in value.residuals.iter_mut().zip(value.samples).enumerate() {
                *residual = curve.at(frame as f64 / self.take.rate) - sample;
            }
        }
    }
}

/// A measured clip and its errors.
pub(super) struct MeasuredClip {
    clip: KeyedClip,
    errors: Vec<Vec<Vec2>>,
}

impl Fitter<'_> {
    /// The largest and the root mean square distance of the joints between the take and a clip, over all
    /// frames; the distances of all frames are left in `errors`. Frames in which the clip equals the one
    /// measured before are not played again.
    fn measure(&mut self, skeleton: &Skeleton, clip: &KeyedClip) -> (f64, f64) {
        let Ok(played) = clip.clip(skeleton) else { return (f64::INFINITY, f64::INFINITY) };
        // The last frame of a loop equals its first one.
        let frames = self.take.frames() - usize::from(self.take.looped);
        let other = match &self.measured {
            Some(last) => {
                self.errors.clone_from(&last.errors);
                other_frames(clip, &last.clip, frames, self.take.rate)
            }
            None => vec![true; frames],
        };
        let others: Vec<usize> = (0..frames).filter(|frame| other[*frame]).collect();
        let rate = self.take.rate;
        let posed = |frame, pose: &mut Pose| played.sample(skeleton, frame as f64 / rate, pose);
        let errors = self.sensitivity.errors(skeleton, &others, posed);
        self.store_errors(&others, &errors);
        let (mut worst, mut sum, mut count) = (0.0_f64, 0.0, 0_u32);
        for frame in 0..frames {
            for errors in &self.errors {
                let square = errors[frame].hypot2();
                worst = worst.max(square);
                sum += square;
                count += 1;
            }
        }
        self.measured = Some(MeasuredClip { clip: clip.clone(), errors: self.errors.clone() });
        (worst.sqrt(), (sum / f64::from(count.max(1))).sqrt())
    }
}

/// The frames in which two clips of the same tracks differ. Between two keys a value depends on these two
/// keys only.
fn other_frames(clip: &KeyedClip, last: &KeyedClip, frames: usize, rate: f64) -> Vec<bool> {
    let mut other = vec![clip.tracks.len() != last.tracks.len(); frames];
    for (track, last) in clip.tracks.iter().zip(&last.tracks) {
        let (
            ChannelKeys::Rotate(keys) | ChannelKeys::Stretch(keys),
            ChannelKeys::Rotate(old) | ChannelKeys::Stretch(old),
        ) = (&track.keys, &last.keys)
        else {
            if track != last {
                other.fill(true);
            }
            continue;
        };
        for pair in keys.windows(2) {
            let at = old.partition_point(|key| key.time < pair[0].time);
            let same = old.get(at..at + 2).is_some_and(|old| {
                old[0] == pair[0] && (old[1].time, old[1].value) == (pair[1].time, pair[1].value)
            });
            if !same {
                let from = (pair[0].time * rate).floor() as usize;
                let until = ((pair[1].time * rate).ceil() as usize + 1).min(frames);
                other[from.min(until)..until].fill(true);
            }
        }
    }
    other
}
