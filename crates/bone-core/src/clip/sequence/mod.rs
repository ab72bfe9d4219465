//! Sequences: clips one after the other, cross-faded, with layers above. A sequence can be sampled at any
//! time in any order, as a clip can; no state is carried from frame to frame.
//!
//! At a time the parts play whose fades overlap, two for one fade, and the layers. Parents are never blended:
//! a fade that would need it is an error.

mod build;
mod keys;
mod layer;
mod part;
mod smoothstep;

use bone_archive::archive;
use std::sync::Arc;

pub use build::{SequenceBuilder, SequenceError};
pub use keys::SequenceKey;
pub use layer::{Fades, Layer, LayerBlend};
pub use part::SequencePart;
pub use smoothstep::smoothstep;

use layer::PlacedLayer;
use part::{PlacedPart, SLACK};

use super::{Clip, ClipTime, Step, changes, mix};
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
    /// The share by which it moves what the clips before it give: 1 for the first one.
    pub level: f64,
    /// How it is combined with what is below, if it is a layer; a part moves everything.
    pub layer: Option<LayerBlend>,
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

/// The parts that play at a time: from the lowest that is seen to the last that has begun.
#[derive(Clone, Copy)]
struct SequenceRound {
    lowest: usize,
    last: usize,
    /// On the axis of the parts.
    time: f64,
    /// Whether the first part fades in from the end of a loop.
    over_end: bool,
}

/// A part that plays at a time.
#[derive(Clone, Copy)]
struct PlayedPart<'s> {
    index: usize,
    run: &'s PlacedPart,
    /// The clip's time.
    time: f64,
    /// The share by which it covers the parts below it.
    share: f64,
}

impl Sequence {
    /// Length, looping, and how long drawings are held.
    pub fn time(&self) -> ClipTime {
        self.time
    }

    /// How many of its clips are parts.
    pub fn part_count(&self) -> usize {
        self.parts.len()
    }

    /// Its parts, each with the second at which it begins.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = (f64, &SequencePart)> {
        self.parts.iter().map(|placed| (placed.begins, &placed.part))
    }

    /// Its clips: those of the parts in their order, then those of the layers.
    pub fn clips(&self) -> impl Iterator<Item = &Arc<Clip>> {
        self.parts.iter().map(|part| &part.part.clip).chain(self.layers.iter().map(|layer| &layer.part.clip))
    }

    /// How many of its clips play at most at a time.
    pub fn most_at_once(&self) -> usize {
        let count = |round: SequenceRound| round.last + 1 - round.lowest;
        let begins = self.parts.iter().enumerate();
        let most = begins.map(|(last, run)| count(self.up_to(last, run.begins))).max().unwrap_or(0);
        // The end of a loop plays below its start.
        let end = if self.fades_over_end() { count(self.up_to(self.last(), self.time.length)) } else { 0 };
        most + end + self.layers.len()
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
        let time = self.time.moving().local(time);
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
        let now = self.round(time);
        if let Some(end) = self.end_of(&now) {
            blend(skeleton, end, scratch, pose);
            self.parts[0].skipped.add(pose);
        }
        blend(skeleton, self.stack(&now), scratch, pose);
        for layer in &self.layers[..layers] {
            layer.apply(skeleton, time, scratch, pose);
        }
    }

    /// The clips that play at a time, with their weights.
    pub fn weighted_clips(&self, time: f64, weighted_clips: &mut Vec<WeightedClip>) {
        weighted_clips.clear();
        let time = self.time.local(time);
        let weighted = |index: usize, clip: &Clip, time: f64, level: f64| WeightedClip {
            clip: index,
            time: clip.key_time(time),
            weight: level,
            level,
            layer: None,
        };
        let now = self.round(time);
        for played in self.end_of(&now).into_iter().flatten().chain(self.stack(&now)) {
            weighted_clips.iter_mut().for_each(|below| below.weight *= 1.0 - played.share);
            let clip = &played.run.part.clip;
            weighted_clips.push(weighted(played.index, clip, played.time, played.share));
        }
        for (i, layer) in self.layers.iter().enumerate() {
            let weight = layer.weight(time);
            if weight > 0.0 {
                let (clip, at) = (&layer.part.clip, layer.clip_time(time));
                let layer = Some(layer.blend);
                weighted_clips
                    .push(WeightedClip { layer, ..weighted(self.parts.len() + i, clip, at, weight) });
            }
        }
    }

    /// The intervals of time outside of which another sequence has the same poses, to the bit: in order, none
    /// for equal sequences. All times if anything but the keys of the clips differs.
    pub fn changed_since(&self, last: &Self) -> Vec<(f64, f64)> {
        let length = self.time.length;
        let same = (length, self.time.looped) == (last.time.length, last.time.looped)
            && self.parts.len() == last.parts.len()
            && self.layers.len() == last.layers.len()
            && self.parts.iter().zip(&last.parts).all(|(a, b)| a.plays_as(b))
            && self.layers.iter().zip(&last.layers).all(|(a, b)| a.plays_as(b));
        if !same {
            return vec![changes::ALL];
        }
        // The end of a loop is seen below its start, which fades in.
        let end = if self.fades_over_end() { length + self.parts[0].part.fade } else { length };
        let mut changed = Vec::new();
        for (index, (run, then)) in self.parts.iter().zip(&last.parts).enumerate() {
            // Until a later part covers it.
            let covered = self.parts[index + 1..].iter().map(|later| later.begins + later.part.fade + SLACK);
            let until = covered.fold(end, f64::min);
            let seen = (if index == 0 { -run.begins } else { 0.0 }, until - run.begins);
            run.part.changed_since(&then.part, run.begins, seen, &mut changed);
        }
        for (layer, then) in self.layers.iter().zip(&last.layers) {
            let seen = (0.0, layer.part.length.min(length - layer.start));
            layer.part.changed_since(&then.part, layer.start, seen, &mut changed);
        }
        for k in 0..changed.len() {
            let (from, to) = changed[k];
            if to > length {
                changed.push(((from - length).max(0.0), to - length));
            }
        }
        changes::join(changed)
    }

    /// The last part that has begun.
    fn begun(&self, time: f64) -> usize {
        self.parts.partition_point(|run| run.begins <= time + SLACK).saturating_sub(1)
    }

    /// The part at the end.
    fn last(&self) -> usize {
        self.begun(self.time.length - 2.0 * SLACK)
    }

    /// Whether the first part fades in from the end of a loop.
    fn fades_over_end(&self) -> bool {
        self.time.looped && self.parts[0].part.fade > 0.0
    }

    /// Seconds since the start of a part, which may be off by its last bit. Before the first part its clip is
    /// extended.
    fn since(&self, part: usize, time: f64) -> f64 {
        let since = time - self.parts[part].begins;
        if part > 0 { since.max(0.0) } else { since }
    }

    /// The parts that play at a time.
    fn round(&self, time: f64) -> SequenceRound {
        let round = self.up_to(self.begun(time), time);
        let fades = self.fades_over_end() && round.lowest == 0 && self.parts[0].share(time) < 1.0;
        SequenceRound { over_end: fades, ..round }
    }

    /// The parts up to one that play at a time, the first of them as a whole.
    fn up_to(&self, last: usize, time: f64) -> SequenceRound {
        let covers = |part: &usize| self.parts[*part].share(self.since(*part, time)) >= 1.0;
        let lowest = (0..=last).rev().find(covers).unwrap_or(0);
        SequenceRound { lowest, last, time, over_end: false }
    }

    /// The parts of a round from the lowest on.
    fn stack(&self, round: &SequenceRound) -> impl Iterator<Item = PlayedPart<'_>> + use<'_> {
        let SequenceRound { lowest, last, time, over_end } = *round;
        (lowest..=last).filter_map(move |index| {
            let (run, since) = (&self.parts[index], self.since(index, time));
            let share = if index == lowest && !over_end { 1.0 } else { run.share(since) };
            (share > 0.0).then(|| PlayedPart { index, run, time: run.part.clip_time(since), share })
        })
    }

    /// The parts of the end of a loop, while its first part fades in.
    fn end_of(&self, round: &SequenceRound) -> Option<impl Iterator<Item = PlayedPart<'_>> + use<'_>> {
        let end = || self.up_to(self.last(), self.time.length + round.time);
        round.over_end.then(|| self.stack(&end()))
    }
}

/// Blends parts into a pose. The first one is whole, or fades in from the pose.
fn blend<'s>(
    skeleton: &Skeleton,
    parts: impl Iterator<Item = PlayedPart<'s>>,
    scratch: &mut Pose,
    pose: &mut Pose,
) {
    for PlayedPart { index, run, time, share } in parts {
        let whole = share >= 1.0;
        let own = if whole { &mut *pose } else { &mut *scratch };
        run.part.clip.sample(skeleton, time, own);
        // Those of the first part are turns of the end of a loop.
        if index > 0 {
            run.skipped.skip(own);
        }
        if !whole {
            mix::fade(skeleton, pose, scratch, share);
        }
    }
}

archive!(struct Sequence { time, parts, layers }
    if |it| !it.parts.is_empty() && it.parts.is_sorted_by(|a, b| a.begins <= b.begins), "sequence");
