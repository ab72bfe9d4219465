//! Plots: the values of bones over time and how fast they change, as an SVG. For looking at, and for nothing else: a frame never
//! comes through here.

mod draw;
mod graph;
mod scale;

use std::fmt;

use bone_core::BoneId;
use kurbo::Size;

use draw::draw;
use graph::{of_clip, of_shot};
use rig::Rig;
use rig::RigClip;

/// A value of bones that can be plotted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Channel {
    /// Degrees from the setup pose.
    Rotate,
    /// Degrees against the parent.
    Angle,
    /// The shift from the setup origin.
    Move,
    /// The origin in the parent's frame.
    Origin,
    /// Size along and across the bone.
    Scale,
    /// Length of the bone's own skin.
    Stretch,
    /// Degrees of the setup pose.
    SetupAngle,
    /// The setup origin in the parent's frame.
    SetupOrigin,
}

impl Channel {
    /// All of them, in the order in which they are drawn.
    pub const ALL: [Self; 8] = [
        Self::Rotate,
        Self::Angle,
        Self::Move,
        Self::Origin,
        Self::Scale,
        Self::Stretch,
        Self::SetupAngle,
        Self::SetupOrigin,
    ];

    /// As it is written in a rig.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rotate => "rotate",
            Self::Angle => "angle",
            Self::Move => "move",
            Self::Origin => "origin",
            Self::Scale => "scale",
            Self::Stretch => "stretch",
            Self::SetupAngle => "setup_angle",
            Self::SetupOrigin => "setup_origin",
        }
    }

    /// What it is measured in.
    const fn unit(self) -> &'static str {
        match self {
            Self::Rotate | Self::Angle | Self::SetupAngle => "degrees",
            Self::Move | Self::Origin | Self::SetupOrigin => "units",
            Self::Scale | Self::Stretch => "times",
        }
    }
}

/// What is plotted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'w> {
    /// The bones; all that move if there are none.
    pub bones: &'w [BoneId],
    /// The channel; all that there are without one.
    pub channel: Option<Channel>,
}

/// A plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// The picture.
    pub svg: String,
    /// Its size in pixels.
    pub size: Size,
}

/// Why there is nothing to plot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlotError {
    /// The clip does not move what was asked for. The bones that it moves, and the channels of those that were asked for.
    Still {
        /// Names of the bones that it moves.
        moves: Vec<String>,
        /// Channels of the bones that were asked for.
        channels: Vec<Channel>,
    },
    /// More graphs than anybody looks at.
    TooMany {
        /// How many there would be.
        graphs: usize,
    },
}

impl fmt::Display for PlotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 12;
        match self {
            Self::Still { channels, .. } if !channels.is_empty() => {
                let names: Vec<&str> = channels.iter().map(|channel| channel.name()).collect();
                write!(f, "what moves is {}", names.join(", "))
            }
            Self::Still { moves, .. } if moves.is_empty() => f.write_str("no bone moves at all"),
            Self::Still { moves, .. } => {
                let names: Vec<String> = moves.iter().take(SHOWN).map(|name| format!("\"{name}\"")).collect();
                let more = if moves.len() > SHOWN { ", …" } else { "" };
                write!(f, "the bones that move are {}{more}", names.join(", "))
            }
            Self::TooMany { graphs } => {
                write!(f, "{graphs} graphs are too many for one plot, which has at most {}", Plot::MOST)
            }
        }
    }
}

impl std::error::Error for PlotError {}

impl Plot {
    /// So many graphs stand in one plot.
    pub const MOST: usize = 150;

    /// Plots what a clip or a shot does: each value that it keys over its time and a little beyond, with its speed below.
    /// The keys of a clip are marked; a shot has none of its own, and is sampled.
    ///
    /// # Errors
    /// If nothing of what is wanted moves, or too much of it.
    pub fn new(scene: &Rig, clip: &RigClip, wanted: Wanted<'_>) -> Result<Self, PlotError> {
        let tracks = graph::tracks(clip);
        let chosen = |bone: BoneId| wanted.bones.is_empty() || wanted.bones.contains(&bone);
        let mut graphs: Vec<(BoneId, Channel)> = tracks
            .iter()
            .copied()
            .filter(|&(bone, channel)| chosen(bone) && wanted.channel.is_none_or(|wanted| wanted == channel))
            .collect();
        // In the order in which they were asked for, else in that of the skeleton.
        graphs.sort_by_key(|track| (wanted.bones.iter().position(|bone| *bone == track.0), *track));
        if graphs.is_empty() {
            let skeleton = scene.skeleton();
            let mut moves: Vec<String> =
                tracks.iter().map(|(bone, _)| skeleton.name(*bone).to_owned()).collect();
            moves.dedup();
            let mut channels: Vec<Channel> =
                tracks.iter().filter(|track| chosen(track.0)).map(|track| track.1).collect();
            channels.sort_unstable();
            channels.dedup();
            return Err(PlotError::Still { moves, channels });
        }
        if graphs.len() > Self::MOST {
            return Err(PlotError::TooMany { graphs: graphs.len() });
        }
        let sampled = match clip.clip() {
            Some(keyed) => of_clip(keyed, &graphs),
            None => of_shot(scene, clip, &graphs),
        };
        let titled = graphs.iter().zip(sampled).map(|((bone, channel), lines)| draw::Titled {
            bone: scene.skeleton().name(*bone),
            channel: *channel,
            lines,
        });
        Ok(draw(clip, titled.collect()))
    }
}
