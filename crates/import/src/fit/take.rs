//! The values of some bones in every frame: the input of the curve fitting.

use bone_core::{Angle, BoneId, Pose, Skeleton};
use kurbo::Vec2;

use crate::ImportError;

/// One channel of one bone in every frame.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedTrack {
    /// The bone.
    pub bone: BoneId,
    /// Its values.
    pub samples: ChannelSamples,
    /// The range of a rotation in degrees from the setup pose, if the joint has limits.
    pub limits: Option<(f64, f64)>,
}

/// Values relative to the setup pose, like those of a clip's channels.
#[derive(Clone, Debug, PartialEq)]
pub enum ChannelSamples {
    /// Degrees.
    Rotate(Vec<f64>),
    /// Multiples of the length.
    Stretch(Vec<f64>),
    /// A translation in the parent's frame.
    Move(Vec<Vec2>),
}

impl ChannelSamples {
    /// The number of frames.
    pub fn len(&self) -> usize {
        match self {
            Self::Rotate(values) | Self::Stretch(values) => values.len(),
            Self::Move(values) => values.len(),
        }
    }

    /// Whether there are no frames.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The recorded values of a skeleton's bones.
#[derive(Clone, Debug)]
pub struct Take {
    /// Frames a second.
    pub rate: f64,
    /// All of the same length. The last frame of a loop equals the first one, except for the gain of
    /// translations and rotations.
    pub tracks: Vec<RecordedTrack>,
    /// Whether the take is a loop.
    pub looped: bool,
}

impl Take {
    /// The number of frames, the last one of a loop included.
    pub fn frames(&self) -> usize {
        self.tracks.first().map_or(0, |track| track.samples.len())
    }

    /// The duration in seconds.
    pub fn length(&self) -> f64 {
        self.frames().saturating_sub(1) as f64 / self.rate
    }

    /// Writes the pose of a frame. Bones of another skeleton are left out; where a track has no such frame, its
    /// bone is at rest.
    pub fn pose(&self, skeleton: &Skeleton, frame: usize, pose: &mut Pose) {
        pose.reset(skeleton);
        for track in &self.tracks {
            let Some(bone) = pose.bones.get_mut(track.bone.index()) else { continue };
            match &track.samples {
                ChannelSamples::Rotate(values) => {
                    bone.angle += Angle::from_degrees(values.get(frame).copied().unwrap_or_default());
                }
                ChannelSamples::Stretch(values) => bone.stretch = values.get(frame).copied().unwrap_or(1.0),
                ChannelSamples::Move(values) => bone.origin += values.get(frame).copied().unwrap_or_default(),
            }
        }
    }

    /// Whether curves can be fitted to it: a rate above 0, bones of this skeleton, limits in order, and one finite
    /// value of each track for each frame, of which there is one at least.
    pub(crate) fn check(&self, skeleton: &Skeleton) -> Result<(), ImportError> {
        let finite = |samples: &ChannelSamples| match samples {
            ChannelSamples::Rotate(values) | ChannelSamples::Stretch(values) => {
                values.iter().all(|value| value.is_finite())
            }
            ChannelSamples::Move(values) => values.iter().all(|value| value.is_finite()),
        };
        let frames = self.frames();
        let fits = |track: &RecordedTrack| {
            let in_order = track.limits.is_none_or(|(least, most)| least <= most);
            skeleton.contains(track.bone)
                && track.samples.len() == frames
                && finite(&track.samples)
                && in_order
        };
        let is_empty = frames == 0 && !self.tracks.is_empty();
        if is_empty || !(self.rate.is_finite() && self.rate > 0.0) || !self.tracks.iter().all(fits) {
            fail!(
                "a take with a bone of another skeleton, a value that is not finite, or tracks of different length"
            );
        }
        Ok(())
    }
}
