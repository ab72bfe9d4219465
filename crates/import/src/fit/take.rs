//! What is to be keyed: the values of some bones in every frame, on the skeleton that they move.

use bone_core::{Angle, BoneId, Pose, Skeleton};
use kurbo::Vec2;

/// One value of one bone in every frame.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedTrack {
    /// The bone.
    pub bone: BoneId,
    /// Its values.
    pub samples: ChannelSamples,
    /// Degrees from the setup pose that a turn may not leave.
    pub limits: Option<(f64, f64)>,
}

/// Values relative to the setup pose, as the channels of a clip have them.
#[derive(Clone, Debug, PartialEq)]
pub enum ChannelSamples {
    /// Degrees.
    Rotate(Vec<f64>),
    /// Times the length.
    Stretch(Vec<f64>),
    /// A shift in the parent's frame.
    Move(Vec<Vec2>),
}

impl ChannelSamples {
    /// How many frames there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Rotate(values) | Self::Stretch(values) => values.len(),
            Self::Move(values) => values.len(),
        }
    }

    /// Whether there is no frame.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// RecordedTrack values of a skeleton's bones.
#[derive(Clone, Debug)]
pub struct Take {
    /// Frames a second.
    pub rate: f64,
    /// All of one length. Of a loop the last frame is the first one again, but for how far moves and turns have got.
    pub tracks: Vec<RecordedTrack>,
    /// Whether the end leads to the start.
    pub looped: bool,
}

impl Take {
    /// How many frames there are, the last one of a loop included.
    pub fn frames(&self) -> usize {
        self.tracks.first().map_or(0, |track| track.samples.len())
    }

    /// Seconds.
    pub fn length(&self) -> f64 {
        self.frames().saturating_sub(1) as f64 / self.rate
    }

    /// The pose of a frame.
    pub fn pose(&self, skeleton: &Skeleton, frame: usize, pose: &mut Pose) {
        pose.reset(skeleton);
        for track in &self.tracks {
            let bone = &mut pose.bones[track.bone.index()];
            match &track.samples {
                ChannelSamples::Rotate(values) => bone.angle += Angle::from_degrees(values[frame]),
                ChannelSamples::Stretch(values) => bone.stretch = values[frame],
                ChannelSamples::Move(values) => bone.origin += values[frame],
            }
        }
    }
}
