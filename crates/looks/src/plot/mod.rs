//! Plots: the values of bones over time and their speeds, as an SVG.

mod draw;
mod graph;
mod scale;

use bone_core::clip::BoneProperty;
use std::fmt;

use bone_core::BoneId;

use bone_rig::Rig;
use bone_rig::RigClip;
pub use draw::Plot;
use draw::draw;
use graph::{of_clip, of_sequence};

/// The bones and channels to plot.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlotSelection<'w> {
    /// The bones; all that move if this is empty.
    pub bones: &'w [BoneId],
    /// The channel; all keyed channels if there is none.
    pub channel: Option<BoneProperty>,
}

/// A plot that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlotError {
    /// The clip does not move the selected bones and channels.
    Still {
        /// Names of the bones that it moves.
        moves: Vec<String>,
        /// Channels of the selected bones that it moves.
        channels: Vec<BoneProperty>,
    },
    /// Too many graphs.
    TooMany {
        /// How many there would be.
        graphs: usize,
    },
    /// The clip is not a part of the rig.
    OtherRig,
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
            Self::OtherRig => f.write_str("the clip belongs to another rig"),
        }
    }
}

impl std::error::Error for PlotError {}

impl Plot {
    /// The largest number of graphs in a plot.
    pub const MOST: usize = 150;

    /// Plots a clip or sequence: each value that it keys over its time and a little beyond, with its speed
    /// below. The keys of a clip are marked; a sequence has no keys and is sampled.
    ///
    /// # Errors
    /// If the selection does not move, or has too many graphs, or the clip is of another rig.
    pub fn new(rig: &Rig, clip: &RigClip, selection: PlotSelection<'_>) -> Result<Self, PlotError> {
        if !rig.owns_clip(clip) {
            return Err(PlotError::OtherRig);
        }
        let tracks = graph::tracks(clip);
        let chosen = |bone: BoneId| selection.bones.is_empty() || selection.bones.contains(&bone);
        let mut graphs: Vec<(BoneId, BoneProperty)> = tracks
            .iter()
            .copied()
            .filter(|&(bone, channel)| {
                chosen(bone) && selection.channel.is_none_or(|selection| selection == channel)
            })
            .collect();
        // In the order of the selection, or else of the skeleton.
        graphs.sort_by_key(|track| (selection.bones.iter().position(|bone| *bone == track.0), *track));
        if graphs.is_empty() {
            let skeleton = rig.skeleton();
            let mut moves: Vec<String> =
                tracks.iter().map(|(bone, _)| skeleton.name(*bone).to_owned()).collect();
            moves.dedup();
            let mut channels: Vec<BoneProperty> =
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
            None => of_sequence(rig, clip, &graphs),
        };
        let titled = graphs.iter().zip(sampled).map(|((bone, channel), lines)| draw::Titled {
            bone: rig.skeleton().name(*bone),
            channel: *channel,
            lines,
        });
        Ok(draw(clip, titled.collect()))
    }
}
