//! Controls: bones that carry a value of hands or face, such as how far the mouth is open, to the drivers of a
//! rig. A recording has such a value in every frame as a share; the range of a driver gives it a size.

pub(crate) use crate::control_tracks::CONTROLS;
pub use crate::control_tracks::{Control, ControlTrack};

use bone_core::clip::Key;
use bone_core::{Angle, BoneId, BoneSpec, SkeletonBuilder};
use kurbo::Vec2;

use crate::ImportError;
use crate::PlanarMotion;
use crate::fit::{ChannelKeys, ChannelSamples, KeyedTrack, RecordedTrack, Take, fit};

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
    use bone_core::Side;
    use bone_core::clip::Curve;
    use kurbo::Point;
    use proptest::prelude::*;

    use crate::PlanarJoint;

    use super::*;

    /// A joint that stands, with recorded values of the face.
    fn face(tracks: &[Vec<f64>]) -> Result<PlanarMotion, ImportError> {
        let joint = PlanarJoint { name: "head".into(), parent: None };
        let frames = tracks.first().map_or(1, Vec::len);
        let track =
            |(track, shares): (&Control, &Vec<f64>)| ControlTrack { control: *track, shares: shares.clone() };
        PlanarMotion::new(vec![joint], 30.0, vec![Point::ZERO; frames])?
            .with_controls(Control::ALL.iter().zip(tracks).map(track).collect())
    }

    /// Shares as recordings have them, and a few that none should have.
    fn shares() -> impl Strategy<Value = Vec<f64>> {
        let other =
            prop::sample::select(vec![0.0, -1.0, 1.0, 1e-300, 1e300, f64::MAX, f64::NAN, f64::INFINITY]);
        let share = prop_oneof![20 => -1.0..=1.0_f64, 1 => other];
        prop::collection::vec(share, 1..40)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn recorded_controls_keep_to_the_tolerance(
            mut tracks in prop::collection::vec(shares(), 1..5), low in -90.0..0.0_f64, high in 1.0..90.0_f64, looped in any::<bool>(),
            end in prop::sample::select(vec![0.0, 1e-300, 1e300, f64::MAX, f64::NAN, f64::NEG_INFINITY]),
        ) {
            let frames = tracks[0].len();
            tracks.iter_mut().for_each(|track| track.resize(frames, 0.25));
            let Ok(motion) = face(&tracks) else {
                prop_assert!(tracks.iter().flatten().any(|share| !share.is_finite()));
                return Ok(());
            };
            let channels = [ControlChannel::Rotate, ControlChannel::MoveX, ControlChannel::MoveY];
            let bones = |ends| -> Vec<ControlBone> {
                let bone = |(at, control): (usize, &Control)| {
                    ControlBone { control: *control, bone: BoneId::new(at as u32), channel: channels[at % 3], ends }
                };
                Control::ALL.iter().enumerate().map(bone).collect()
            };
            for ends in [(end, high), (low, end), (end, end)] {
                let _ = (fit_controls(&motion, &bones(ends), looped, 0.02), fit_controls(&motion, &bones((low, high)), looped, end));
            }
            let usual = tracks.iter().flatten().all(|share| share.abs() <= 1.0);
            let Ok(fitted) = fit_controls(&motion, &bones((low, high)), false, 0.02) else {
                prop_assert!(frames < 2 || !usual, "a motion of {frames} frames");
                return Ok(());
            };
            for track in fitted.iter().filter(|_| usual) {
                let at = track.bone.index();
                let keys: Vec<Key<f64>> = match &track.keys {
                    ChannelKeys::Rotate(keys) => keys.clone(),
                    ChannelKeys::Move(keys) => keys.iter().map(|key| Key { time: key.time, value: key.value.x + key.value.y, ease: key.ease }).collect(),
                    ChannelKeys::Stretch(_) => unreachable!("no control stretches"),
                };
                let curve = Curve::new(keys, track.extend).expect("keys make a curve");
                for (frame, share) in tracks[at].iter().enumerate() {
                    // The sign of a share chooses the end of the range that it goes to.
                    let wanted = if *share < 0.0 { -share * low } else { share * high };
                    let away = (curve.at(frame as f64 / 30.0) - wanted).abs();
                    prop_assert!(away <= 0.02 * high.max(-low) + 1e-9, "{at} {frame}: {away} of {low}..{high}");
                }
            }
        }
    }

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
