//! Sequences: clips one after the other, cross-faded, with layers above. A sequence can be sampled at any
//! time in any order, as a clip can; no state is carried from frame to frame.
//!
//! At any time at most two parts play, so a frame costs two clips and the layers. Parents are never blended:
//! a fade that would need it is an error.

mod build;
mod layer;
mod part;

use archive::{Archive, ArchiveError, Reader, Writer};
use std::sync::Arc;

pub use build::{SequenceBuilder, SequenceError};
pub use layer::{Fades, Layer, LayerBlend};
pub use part::SequencePart;

use layer::PlacedLayer;
use part::{PlacedPart, SLACK};

use super::{Clip, ClipTime, Step, mix};
use crate::{Pose, Skeleton};

/// A weighted clip instance of a sequence at a time, for callers that blend other effects of clips than
/// bones.
///
/// Numbers of the clips are blended by their weights. A value that cannot be blended is that of the last clip
/// with a weight of 0.5 or more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedClip {
    /// The index of the clip: the parts in their order, then the layers.
    pub clip: usize,
    /// The time on the axis of its keys.
    pub time: f64,
    /// Its weight, in (0, 1]: those of the parts add up to 1, and a layer has its own.
    pub weight: f64,
}

/// A sequence of clips with layers above. It can be sampled at any time in any order.
///
/// ```
/// use std::sync::Arc;
///
/// use bone_core::clip::{ClipBuilder, Curve, Extend, Key, SequencePart, Scalar, SequenceBuilder};
/// use bone_core::{BoneSpec, Pose, SkeletonBuilder};
///
/// let flag = SkeletonBuilder::new().bone(BoneSpec::new("pole", 80.0)).build()?;
/// let pole = flag.find("pole").expect("it was added");
/// let at = |degrees| -> Result<_, Box<dyn std::error::Error>> {
///     let still = Curve::new(vec![Key::new(0.0, degrees)], Extend::Hold)?;
///     Ok(Arc::new(ClipBuilder::new(1.0).scalar(pole, Scalar::Rotate, still).build(&flag)?))
/// };
/// // From 350 to 10 degrees it is 20 degrees the short way.
/// let sequence = SequenceBuilder::new()
///     .part(SequencePart::whole(at(350.0)?))
///     .part(SequencePart { fade: 0.5, ..SequencePart::whole(at(10.0)?) })
///     .build(&flag)?;
/// assert_eq!(sequence.time().length, 1.5);
///
/// let (mut pose, mut scratch) = (Pose::new(&flag), Pose::new(&flag));
/// sequence.sample(&flag, 0.75, &mut scratch, &mut pose);
/// assert_eq!(pose.bones[pole.index()].angle.degrees(), 360.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sequence {
    time: ClipTime,
    parts: Vec<PlacedPart>,
    layers: Vec<PlacedLayer>,
}

/// The parts that play at a time: one, and the one that fades in with its share.
#[derive(Clone, Copy)]
struct Playing {
    part: usize,
    time: f64,
    over: Option<(usize, f64, f64)>,
}

impl Sequence {
    /// Length, looping, and how long drawings are held.
    pub fn time(&self) -> ClipTime {
        self.time
    }

    /// Its clips: those of the parts in their order, then those of the layers.
    pub fn clips(&self) -> impl Iterator<Item = &Arc<Clip>> {
        self.parts.iter().map(|part| &part.part.clip).chain(self.layers.iter().map(|layer| &layer.part.clip))
    }

    /// The number of layers; at most two parts and all layers play at a time.
    pub fn layer_count(&self) -> usize {
        self.layers.len()
    }

    /// Sets for how many frames each drawing is held, if any; the clips no longer hold any by themselves.
    pub fn set_step(&mut self, step: Option<Step>) {
        self.time.step = step;
        let parts = self.parts.iter_mut().map(|run| &mut run.part.clip);
        for clip in parts.chain(self.layers.iter_mut().map(|layer| &mut layer.part.clip)) {
            if clip.time().step.is_some() {
                Arc::make_mut(clip).set_step(None);
            }
        }
    }

    /// Reserves memory in a pose for everything that this sequence can write.
    pub fn prepare(&self, skeleton: &Skeleton, pose: &mut Pose) {
        let (mut parents, mut setups) = (0_usize, 0_usize);
        for clip in self.clips() {
            parents = parents.saturating_add(clip.parents.len());
            setups = setups.saturating_add(clip.tracks.setups());
        }
        pose.reserve(parents.min(skeleton.len()), setups.min(skeleton.len()));
    }

    /// The pose of this sequence at a time. `scratch` is memory for the clips that are blended in.
    ///
    /// Does not allocate in poses that were [prepared](Self::prepare).
    pub fn sample(&self, skeleton: &Skeleton, time: f64, scratch: &mut Pose, pose: &mut Pose) {
        let time = self.time.local(time);
        self.sample_under(skeleton, time, self.layers.len(), scratch, pose);
    }

    /// The same without holding drawings of the sequence; clips that hold drawings still do.
    pub fn sample_moving(&self, skeleton: &Skeleton, time: f64, scratch: &mut Pose, pose: &mut Pose) {
        let time = ClipTime { step: None, ..self.time }.local(time);
        self.sample_under(skeleton, time, self.layers.len(), scratch, pose);
    }

    /// The parts with the first `layers` layers, at a time on the sequence's own axis.
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
            mix::fade(skeleton, pose, scratch, share, &run.skipped);
        }
        for layer in &self.layers[..layers] {
            layer.apply(skeleton, time, scratch, pose);
        }
    }

    /// The clips that play at a time, with their weights.
    pub fn weighted_clips(&self, time: f64, weighted_clips: &mut Vec<WeightedClip>) {
        weighted_clips.clear();
        let time = self.time.local(time);
        let Some(playing) = self.playing(time) else { return };
        let weighted = |index: usize, clip: &Clip, time: f64, weight: f64| WeightedClip {
            clip: index,
            time: clip.time().local(time),
            weight,
        };
        let first = &self.parts[playing.part].part.clip;
        let share = playing.over.map_or(0.0, |over| over.2);
        weighted_clips.push(weighted(playing.part, first, playing.time, 1.0 - share));
        if let Some((part, time, share)) = playing.over {
            weighted_clips.push(weighted(part, &self.parts[part].part.clip, time, share));
        }
        for (i, layer) in self.layers.iter().enumerate() {
            let weight = layer.weight(time);
            if weight > 0.0 {
                weighted_clips.push(weighted(
                    self.parts.len() + i,
                    &layer.part.clip,
                    layer.clip_time(time),
                    weight,
                ));
            }
        }
    }

    /// The last part that has begun; none for a sequence without parts.
    fn begun(&self, time: f64) -> Option<usize> {
        let after = self.parts.partition_point(|run| run.begins <= time + SLACK);
        (!self.parts.is_empty()).then(|| after.saturating_sub(1))
    }

    fn playing(&self, time: f64) -> Option<Playing> {
        let now = self.begun(time)?;
        let run = &self.parts[now];
        let since = time - run.begins;
        // The start of a part may be off by its last bit. Before the first part its clip is extended.
        let since = if since < 0.0 && now > 0 { 0.0 } else { since };
        let alone = Playing { part: now, time: run.part.clip_time(since), over: None };
        let fades = run.part.fade > 0.0 && (now > 0 || self.time.looped) && since < run.part.fade;
        if !fades {
            return Some(alone);
        }
        // The first part of a loop fades in from the part at its end.
        let (before, at) = match now.checked_sub(1) {
            Some(before) => (before, time),
            None => (self.begun(self.time.length - 2.0 * SLACK)?, self.time.length + time),
        };
        let out = &self.parts[before];
        let going = out.part.clip_time(at - out.begins);
        let share = layer::smoothstep(since / run.part.fade);
        Some(match share {
            _ if share >= 1.0 => alone,
            _ if share <= 0.0 => Playing { part: before, time: going, over: None },
            _ => Playing { part: before, time: going, over: Some((now, alone.time, share)) },
        })
    }
}

impl Archive for Sequence {
    fn write(&self, to: &mut Writer) {
        self.time.write(to);
        self.parts.write(to);
        self.layers.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let sequence = Self { time: Archive::read(from)?, parts: from.list()?, layers: from.list()? };
        let sorted = sequence.parts.is_sorted_by(|a, b| a.begins <= b.begins);
        from.check(sorted && !sequence.parts.is_empty(), "sequence")?;
        Ok(sequence)
    }
}
