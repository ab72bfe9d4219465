//! What a mixer is asked for and what it reports.

use std::error::Error;
use std::fmt;

use bone_core::clip::LayerBlend;
use bone_core::{BoneId, PoseError};

use crate::events::EventId;
use crate::overrides::OverrideError;

/// A clip that plays in a [`Mixer`](crate::Mixer), until it has faded out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Playback(pub(crate) u64);

impl Playback {
    /// What has this [number](Self::number). One that no mixer has given plays nowhere.
    pub fn from_number(number: u64) -> Self {
        Self(number)
    }

    /// Its number, for programs in other languages.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// A moment of a clip that a [`Mixer`](crate::Mixer) reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cue(pub(crate) usize);

/// What happened in a step of a [`Mixer`](crate::Mixer).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum MixerEvent {
    /// The clip began anew.
    Looped {
        /// The clip.
        of: Playback,
        /// How many times within the step.
        times: u32,
    },
    /// A clip that does not loop came to its end, or played backwards to its start. It stays there.
    Ended {
        /// The clip.
        of: Playback,
    },
    /// A clip passed a cue, once for each time within the step.
    Cue {
        /// The clip.
        of: Playback,
        /// The cue.
        cue: Cue,
    },
    /// A clip passed an event of its keys, once for each time within the step. What was played before and fades
    /// out passes none; neither does the part of a sequence that fades out.
    Key {
        /// The clip.
        of: Playback,
        /// The event; [`Rig::events`](crate::Rig::events) has its name and what it carries.
        event: EventId,
        /// The share that the clip has in the pose; of a sequence, that of its part or layer.
        weight: f64,
    },
    /// The step passed more than 1,000 events and cues. Those after the first 1,000 are left out.
    Overflow,
    /// A layer of the machine entered a state.
    State {
        /// The layer.
        layer: usize,
        /// The state.
        state: usize,
    },
    /// The transitions of a layer of the machine lead round in a circle without taking time: after 8 of them the rest is
    /// left for the next step.
    Stuck {
        /// The layer.
        layer: usize,
    },
    /// A clip has faded out, or another one has covered it. It plays no more.
    Removed {
        /// The clip.
        of: Playback,
    },
}

/// How a clip lies above others.
#[derive(Clone, Copy, Debug)]
pub struct LayerOptions<'a> {
    /// Whether it replaces the values below, or is added to them.
    pub blend: LayerBlend,
    /// The bones that it moves, each with its subtree at rest; none for all bones.
    pub bones: Option<&'a [BoneId]>,
    /// Its weight, from 0 to 1; see [`Mixer::set_weight`](crate::Mixer::set_weight).
    pub weight: f64,
    /// Seconds in which it fades in.
    pub fade: f64,
}

impl Default for LayerOptions<'_> {
    fn default() -> Self {
        Self { blend: LayerBlend::default(), bones: None, weight: 1.0, fade: 0.0 }
    }
}

/// A call that a [`Mixer`](crate::Mixer) cannot follow. Nothing was changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MixerError {
    /// The rig, the clip or the state is another rig's, or the parents of bones in two clips form a cycle.
    Pose(PoseError),
    /// The overrides do not fit the rig.
    Override(OverrideError),
    /// The clip has ended, or was played by another mixer.
    NotPlaying {
        /// The clip.
        of: Playback,
    },
    /// Only a layer has a weight.
    NoLayer {
        /// The clip.
        of: Playback,
    },
    /// The rig does not have the machine, no machine runs, or it does not have the input.
    Machine,
    /// The skeleton does not have the bone.
    UnknownBone {
        /// The bone.
        bone: BoneId,
    },
    /// A number is not finite, or below 0 where it may not be.
    Number {
        /// What it is.
        value: &'static str,
    },
}

impl fmt::Display for MixerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pose(error) => error.fmt(f),
            Self::Override(error) => error.fmt(f),
            Self::NotPlaying { .. } => write!(f, "the clip does not play any more"),
            Self::NoLayer { .. } => write!(f, "the clip is no layer: its weight is that of its fade"),
            Self::Machine => write!(f, "no machine with this input runs"),
            Self::UnknownBone { bone } => write!(f, "the skeleton has no {bone:?}"),
            Self::Number { value } => write!(f, "the {value} is not usable"),
        }
    }
}

impl Error for MixerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Pose(error) => Some(error),
            Self::Override(error) => Some(error),
            _ => None,
        }
    }
}

impl From<PoseError> for MixerError {
    fn from(error: PoseError) -> Self {
        Self::Pose(error)
    }
}

impl From<OverrideError> for MixerError {
    fn from(error: OverrideError) -> Self {
        Self::Override(error)
    }
}
