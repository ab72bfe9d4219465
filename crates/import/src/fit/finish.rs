//! Keys as they are written, and how far joints are off when they are played: the only figures that are told.

use bone_core::{Pose, Skeleton, WorldPose};
use kurbo::Vec2;

use super::nodes::Node;
use super::reach::Places;
use super::written::{self, KeyedClip, KeyedTrack, Keys, digits, rounded};
use super::{Fitted, Samples, Shift, Take, Work};

impl Work<'_> {
    /// Rounds, writes and measures: what joints are off then is what they are off from here on.
    pub(super) fn finish(&mut self, skeleton: &Skeleton) -> Fitted {
        let rate = self.take.rate;
        let mut tracks = Vec::new();
        for value in &self.values {
            let recorded = &self.take.tracks[value.track];
            let places = digits(value.slight.min(0.5));
            let keys = match &value.curve {
                Some(curve) => {
                    let nodes: Vec<Node> = (0..=curve.pieces()).map(|at| curve.node(at)).collect();
                    written::scalar_keys(&nodes, rate, places)
                }
                None => vec![bone_core::clip::Key::new(0.0, rounded(value.constant, places))],
            };
            let (rest, keys) = match recorded.samples {
                Samples::Stretch(_) => (1.0, Keys::Stretch(keys)),
                _ => (0.0, Keys::Rotate(keys)),
            };
            let nothing = value.curve.is_none() && rounded(value.constant, places) == rest;
            if !nothing {
                tracks.push(KeyedTrack { bone: recorded.bone, keys, extend: bone_core::clip::Extend::Hold });
            }
        }
        let places = digits(0.02 * self.tolerance);
        for Shift { track, keys, extend, .. } in &self.shifts {
            let round = |v: Vec2| Vec2::new(rounded(v.x, places), rounded(v.y, places));
            let keys: Vec<_> = keys
                .iter()
                .map(|key| bone_core::clip::Key {
                    time: rounded(key.time, 3),
                    value: round(key.value),
                    ease: key.ease,
                })
                .collect();
            if keys.len() > 1 || keys.first().is_some_and(|key| key.value != Vec2::ZERO) {
                tracks.push(KeyedTrack {
                    bone: self.take.tracks[*track].bone,
                    keys: Keys::Move(keys),
                    extend: *extend,
                });
            }
        }
        tracks.sort_by_key(|track| track.bone);
        let length = rounded(self.take.length(), 3).max(0.001);
        let clip = KeyedClip { length, looped: self.take.looped, tracks };
        let (worst, mean) = measure(skeleton, self.take, &clip, self.places, &mut self.off);
        let again = usize::from(clip.looped);
        let moving = || clip.tracks.iter().filter(|track| track.keys.len() > 1);
        let (channels, keys) = (moving().count(), moving().map(|track| track.keys.len() - again).sum());
        Fitted { clip, worst, mean, channels, keys }
    }
}

/// The largest and the mean distance of joints between a take and a clip, over all frames; all of them are left in `offs`.
fn measure(
    skeleton: &Skeleton,
    take: &Take,
    clip: &KeyedClip,
    places: &Places,
    offs: &mut [Vec<Vec2>],
) -> (f64, f64) {
    let Ok(played) = clip.clip(skeleton) else { return (f64::INFINITY, f64::INFINITY) };
    let (mut pose, mut world) = (Pose::new(skeleton), WorldPose::new(skeleton));
    let (mut worst, mut sum, mut count) = (0.0_f64, 0.0, 0_u32);
    // The last frame of a loop is its first one.
    let frames = take.frames() - usize::from(take.looped);
    for frame in 0..frames {
        played.sample(skeleton, frame as f64 / take.rate, &mut pose);
        let _ = world.forward(skeleton, &pose);
        for (at, offs) in offs.iter_mut().enumerate() {
            offs[frame] = world.tip(skeleton, &pose, places.measured[at]).to_vec2() - places.tip(at, frame);
            let off = offs[frame].hypot();
            worst = worst.max(off);
            sum += off * off;
            count += 1;
        }
    }
    (worst, (sum / f64::from(count.max(1))).sqrt())
}
