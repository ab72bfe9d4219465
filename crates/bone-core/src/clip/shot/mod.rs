//! Shots: clips one after the other, faded into each other, and layers on top. A shot is asked for any moment in any order,
//! as a clip is; nothing is carried from frame to frame.
//!
//! At any moment at most two parts of the sequence play, so a frame costs two clips and the layers. Parents are never
//! mixed: where a fade would have to, the shot is refused.

mod build;
mod layer;
mod run;

use std::sync::Arc;

pub use build::{ShotBuilder, ShotError};
pub use layer::{Blend, Fades, Layer};
pub use run::Part;

use layer::LayerRun;
use run::{PartRun, SLACK};

use super::{Clip, ClipTime, Step, mix};
use crate::{Pose, Skeleton};

/// A source of a shot at a moment: for those who mix what clips do besides moving bones.
///
/// Numbers of the sources are mixed by their weights. What can only be one thing or the other is that of the last voice
/// of a weight of 0.5 or more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Voice {
    /// Which source: the parts in their order, then the layers.
    pub source: usize,
    /// The time on the axis of its keys.
    pub time: f64,
    /// Its share, in (0, 1]: those of the sequence add up to 1, and a layer has its own.
    pub weight: f64,
}

/// A sequence of clips with layers on top, ready to be asked for any moment in any order.
///
/// ```
/// use std::sync::Arc;
///
/// use bone_core::clip::{ClipBuilder, Curve, Extend, Key, Part, Scalar, ShotBuilder};
/// use bone_core::{BoneSpec, Pose, SkeletonBuilder};
///
/// let flag = SkeletonBuilder::new().bone(BoneSpec::new("pole", 80.0)).build()?;
/// let pole = flag.find("pole").expect("it was added");
/// let at = |degrees| -> Result<_, Box<dyn std::error::Error>> {
///     let still = Curve::new(vec![Key::new(0.0, degrees)], Extend::Hold)?;
///     Ok(Arc::new(ClipBuilder::new(1.0).scalar(pole, Scalar::Rotate, still).build(&flag)?))
/// };
/// // From 350 to 10 degrees it is 20 degrees the short way.
/// let shot = ShotBuilder::new()
///     .part(Part::whole(at(350.0)?))
///     .part(Part { fade: 0.5, ..Part::whole(at(10.0)?) })
///     .build(&flag)?;
/// assert_eq!(shot.time().length, 1.5);
///
/// let (mut pose, mut scratch) = (Pose::new(&flag), Pose::new(&flag));
/// shot.sample(&flag, 0.75, &mut scratch, &mut pose);
/// assert_eq!(pose.bones[pole.index()].angle.degrees(), 360.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Shot {
    time: ClipTime,
    parts: Vec<PartRun>,
    layers: Vec<LayerRun>,
}

/// What of the sequence plays at a moment: a part, and the one that takes over from it with its share of the whole.
#[derive(Clone, Copy)]
struct Playing {
    part: usize,
    time: f64,
    over: Option<(usize, f64, f64)>,
}

impl Shot {
    /// Length, looping, and how long drawings are held.
    pub fn time(&self) -> ClipTime {
        self.time
    }

    /// The clips that it plays: those of the parts in their order, then those of the layers.
    pub fn sources(&self) -> impl Iterator<Item = &Arc<Clip>> {
        self.parts.iter().map(|part| &part.part.clip).chain(self.layers.iter().map(|layer| &layer.part.clip))
    }

    /// How many layers there are; at most two parts and all of these play at a time.
    pub fn layer_count(&self) -> usize {
        self.layers.len()
    }

    /// Holds each drawing for some frames, or for none; the clips no longer hold any by themselves.
    pub fn set_step(&mut self, step: Option<Step>) {
        self.time.step = step;
        let parts = self.parts.iter_mut().map(|run| &mut run.part.clip);
        for clip in parts.chain(self.layers.iter_mut().map(|layer| &mut layer.part.clip)) {
            if clip.time().step.is_some() {
                Arc::make_mut(clip).set_step(None);
            }
        }
    }

    /// Makes room in a pose for whatever this shot can put into it.
    pub fn prepare(&self, skeleton: &Skeleton, pose: &mut Pose) {
        let (mut parents, mut setups) = (0_usize, 0_usize);
        for clip in self.sources() {
            parents = parents.saturating_add(clip.parents.len());
            setups = setups.saturating_add(clip.tracks.setups());
        }
        pose.reserve(parents.min(skeleton.len()), setups.min(skeleton.len()));
    }

    /// The pose at a time of this shot. `scratch` is memory for the clips that are mixed in.
    ///
    /// Allocates nothing in poses that were [prepared](Self::prepare).
    pub fn sample(&self, skeleton: &Skeleton, time: f64, scratch: &mut Pose, pose: &mut Pose) {
        let time = self.time.local(time);
        self.sample_under(skeleton, time, self.layers.len(), scratch, pose);
    }

    /// The same without holding drawings; clips that hold theirs still do.
    pub fn sample_moving(&self, skeleton: &Skeleton, time: f64, scratch: &mut Pose, pose: &mut Pose) {
        let time = ClipTime { step: None, ..self.time }.local(time);
        self.sample_under(skeleton, time, self.layers.len(), scratch, pose);
    }

    /// The sequence with the first so many layers, at a time of the shot's own axis.
    fn sample_under(
        &self,
        skeleton: &Skeleton,
        time: f64,
        layers: usize,
        scratch: &mut Pose,
        pose: &mut Pose,
    ) {
        let Some(playing) = self.playing(time) else { return pose.reset(skeleton) };
        self.parts[playing.part].part.clip.sample(skeleton, playing.time, pose);
        if let Some((part, time, share)) = playing.over {
            let run = &self.parts[part];
            run.part.clip.sample(skeleton, time, scratch);
            mix::fade(skeleton, pose, scratch, share, &run.way);
        }
        for layer in &self.layers[..layers] {
            layer.apply(skeleton, time, scratch, pose);
        }
    }

    /// What plays at a time, with its share: for whatever clips do besides moving bones.
    pub fn voices(&self, time: f64, voices: &mut Vec<Voice>) {
        voices.clear();
        let time = self.time.local(time);
        let Some(playing) = self.playing(time) else { return };
        let voice = |source: usize, clip: &Clip, time: f64, weight: f64| Voice {
            source,
            time: clip.time().local(time),
            weight,
        };
        let first = &self.parts[playing.part].part.clip;
        let share = playing.over.map_or(0.0, |over| over.2);
        voices.push(voice(playing.part, first, playing.time, 1.0 - share));
        if let Some((part, time, share)) = playing.over {
            voices.push(voice(part, &self.parts[part].part.clip, time, share));
        }
        for (i, layer) in self.layers.iter().enumerate() {
            let weight = layer.weight(time);
            if weight > 0.0 {
                voices.push(voice(self.parts.len() + i, &layer.part.clip, layer.clip_time(time), weight));
            }
        }
    }

    /// The part of the sequence that has begun last, none for a shot without parts.
    fn begun(&self, time: f64) -> Option<usize> {
        let after = self.parts.partition_point(|run| run.begins <= time + SLACK);
        (!self.parts.is_empty()).then(|| after.saturating_sub(1))
    }

    fn playing(&self, time: f64) -> Option<Playing> {
        let now = self.begun(time)?;
        let run = &self.parts[now];
        let since = time - run.begins;
        // The start of a part may be off by its last bit. Before the first part its clip says what there is.
        let since = if since < 0.0 && now > 0 { 0.0 } else { since };
        let alone = Playing { part: now, time: run.part.clip_time(since), over: None };
        let fades = run.part.fade > 0.0 && (now > 0 || self.time.looped) && since < run.part.fade;
        if !fades {
            return Some(alone);
        }
        // The first part of a loop takes over from what plays at its end.
        let (before, at) = match now.checked_sub(1) {
            Some(before) => (before, time),
            None => (self.begun(self.time.length - 2.0 * SLACK)?, self.time.length + time),
        };
        let out = &self.parts[before];
        let going = out.part.clip_time(at - out.begins);
        let share = layer::soft(since / run.part.fade);
        Some(match share {
            _ if share >= 1.0 => alone,
            _ if share <= 0.0 => Playing { part: before, time: going, over: None },
            _ => Playing { part: before, time: going, over: Some((now, alone.time, share)) },
        })
    }
}
