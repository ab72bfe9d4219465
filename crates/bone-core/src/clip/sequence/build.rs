//! Builds a sequence from its parts and layers, and computes once what must be the same in every frame.

use std::error::Error;
use std::fmt;

use super::layer::{Layer, PartialSpan, PlacedLayer};
use super::part::{PlacedPart, SLACK, SequencePart};
use super::{Sequence, mix};
use crate::clip::{ClipTime, Step};
use crate::{BoneId, Pose, Skeleton, in_few_digits};

/// Collects the parts of a sequence.
#[derive(Clone, Debug, Default)]
pub struct SequenceBuilder {
    parts: Vec<SequencePart>,
    layers: Vec<Layer>,
    looped: bool,
    length: Option<f64>,
    step: Option<Step>,
}

/// Parts and layers that are not a valid sequence.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SequenceError {
    /// There is no part.
    Empty,
    /// A length, speed, start, weight or fade that is not usable.
    Number {
        /// The index of the clip: the parts in their order, then the layers.
        clip: usize,
    },
    /// The fades of a part or a layer are longer than it plays, or than the part before it plays, or the first
    /// part fades and no part is before it.
    Fade {
        /// The index of the clip.
        clip: usize,
    },
    /// A clip or a layer names a bone that the skeleton does not have.
    UnknownBone {
        /// The index of the clip.
        clip: usize,
        /// The bone.
        bone: BoneId,
    },
    /// A length that is not a number above 0.
    Length {
        /// The length, given or computed, in seconds.
        length: f64,
    },
    /// A bone would have two parents during a fade, or a new parent in part of a layer's weight.
    Parents {
        /// The index of the clip, the later one of two.
        clip: usize,
        /// The name of the bone.
        bone: String,
    },
}

impl fmt::Display for SequenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "a sequence without parts"),
            Self::Number { clip } => {
                write!(f, "clip {clip} has a number that is not usable")
            }
            Self::Fade { clip } => write!(f, "the fades of clip {clip} do not fit into it"),
            Self::UnknownBone { clip, bone } => {
                write!(f, "clip {clip} names {bone:?}, which the skeleton does not have")
            }
            Self::Length { length } => {
                write!(f, "a sequence's length must be a number above 0, not {}", in_few_digits(*length))
            }
            Self::Parents { clip, bone } => {
                write!(f, "bone \"{bone}\" cannot have two parents while clip {clip} fades")
            }
        }
    }
}

impl Error for SequenceError {}

impl SequenceBuilder {
    /// A sequence without parts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a part.
    pub fn part(mut self, part: SequencePart) -> Self {
        self.parts.push(part);
        self
    }

    /// Adds a layer above the layers before it.
    pub fn layer(mut self, layer: Layer) -> Self {
        self.layers.push(layer);
        self
    }

    /// Whether the sequence loops.
    pub fn looped(mut self, looped: bool) -> Self {
        self.looped = looped;
        self
    }

    /// Seconds, instead of the sum of the parts. The last part continues as its clip does.
    pub fn length(mut self, length: Option<f64>) -> Self {
        self.length = length;
        self
    }

    /// Sets for how many frames each drawing is held.
    pub fn step(mut self, step: Option<Step>) -> Self {
        self.step = step;
        self
    }

    /// Places the parts, and computes which whole turns each fade skips.
    ///
    /// # Errors
    /// If numbers are not usable, a bone is not in the skeleton, fades do not fit, or a bone would have two
    /// parents at once.
    pub fn build(self, skeleton: &Skeleton) -> Result<Sequence, SequenceError> {
        let Self { parts, layers, looped, length, step } = self;
        let clips = parts.iter().map(|part| (part, None));
        let clips = clips.chain(layers.iter().map(|layer| (&layer.part, layer.bones.as_deref())));
        for (clip, (part, bones)) in clips.enumerate() {
            let mut listed = bones.unwrap_or_default().iter().copied();
            let unknown = listed.find(|&bone| !skeleton.contains(bone));
            if let Some(bone) = unknown.or(part.clip.unknown_bone(skeleton)) {
                return Err(SequenceError::UnknownBone { clip, bone });
            }
        }
        let (parts, end) = placed(parts, looped)?;
        let length = length.unwrap_or(end);
        if !(length.is_finite() && length > 0.0) {
            return Err(SequenceError::Length { length });
        }
        let time = ClipTime { step, ..ClipTime::new(length, looped) };
        let mut sequence = Sequence { time, parts, layers: Vec::new() };
        let (mut pose, mut other) = (Pose::new(skeleton), Pose::new(skeleton));
        // Each needs those before it; the first one, in a loop, the last.
        for part in (1..sequence.parts.len()).chain([0]) {
            sequence.set_skipped_turns(skeleton, part, &mut pose, &mut other)?;
        }
        for layer in layers {
            let clip = sequence.parts.len() + sequence.layers.len();
            sequence.add_layer(skeleton, layer, clip, &mut pose, &mut other)?;
        }
        Ok(sequence)
    }
}

/// The parts with their start times, and the end of the sequence.
fn placed(parts: Vec<SequencePart>, looped: bool) -> Result<(Vec<PlacedPart>, f64), SequenceError> {
    let mut runs: Vec<PlacedPart> = Vec::with_capacity(parts.len());
    let mut end = 0.0;
    for (clip, part) in parts.into_iter().enumerate() {
        if !part.is_sound() {
            return Err(SequenceError::Number { clip });
        }
        // A part may begin while the fade of the one before it lasts, but not before that part.
        let before = runs.last().map_or(f64::INFINITY, |run| run.part.length);
        if part.fade > part.length.min(before) + SLACK || (clip == 0 && part.fade > 0.0 && !looped) {
            return Err(SequenceError::Fade { clip });
        }
        let begins = if clip == 0 { 0.0 } else { end - part.fade };
        end = begins + part.length;
        runs.push(PlacedPart { part, begins, skipped: mix::SkippedTurns::default() });
    }
    // The first part of a loop begins while the last one ends.
    let (Some(first), Some(last)) = (runs.first(), runs.last()) else { return Err(SequenceError::Empty) };
    let fade = first.part.fade;
    if fade > last.part.length.min(end - fade) + SLACK {
        return Err(SequenceError::Fade { clip: 0 });
    }
    Ok((runs, end - fade))
}

impl Sequence {
    /// Computes the skipped turns at the middle of a part's fade, where it and what is below have the same
    /// weight. Different parents are an error.
    fn set_skipped_turns(
        &mut self,
        skeleton: &Skeleton,
        part: usize,
        pose: &mut Pose,
        other: &mut Pose,
    ) -> Result<(), SequenceError> {
        let (begins, fade) = (self.parts[part].begins, self.parts[part].part.fade);
        if fade <= 0.0 {
            return Ok(());
        }
        // The first part of a loop fades in from the end.
        let (out, at) = match part.checked_sub(1) {
            Some(out) => (out, begins),
            None => (self.last(), self.time.length),
        };
        if part == 0 && at + SLACK < fade {
            return Err(SequenceError::Fade { clip: 0 });
        }
        let run = &self.parts[part];
        // Those that still play below the one before it have its parents.
        let (below, since) = (&self.parts[out].part, at - self.parts[out].begins);
        let unlike = |&bone: &BoneId| {
            let before = below.parent_throughout(bone, since, since + fade);
            before.is_none() || before != run.part.parent_throughout(bone, 0.0, fade)
        };
        if let Some(bone) = below.clip.parents().chain(run.part.clip.parents()).find(unlike) {
            let bone = skeleton.name(bone).to_owned();
            return Err(SequenceError::Parents { clip: part, bone });
        }
        let skipped = if run.part.spin {
            self.parts[out].skipped.clone()
        } else {
            let middle = 0.5 * fade;
            super::blend(skeleton, self.stack(&self.up_to(out, at + middle)), other, pose);
            run.part.clip.sample(skeleton, run.part.clip_time(middle), other);
            mix::SkippedTurns::shortest(pose, other)
        };
        self.parts[part].skipped = skipped;
        Ok(())
    }

    fn add_layer(
        &mut self,
        skeleton: &Skeleton,
        layer: Layer,
        clip: usize,
        pose: &mut Pose,
        other: &mut Pose,
    ) -> Result<(), SequenceError> {
        let fades = layer.fades;
        if !(layer.part.is_sound() && layer.start.is_finite()) {
            return Err(SequenceError::Number { clip });
        }
        let fits = fades.start + fades.end <= layer.part.length + SLACK;
        if !(fits && fades.start >= 0.0 && fades.end >= 0.0) {
            return Err(SequenceError::Fade { clip });
        }
        let mut run = PlacedLayer::new(skeleton, layer);
        let partial_spans = run.find_partial_spans();
        if let Some(bone) = run.changes_parent().filter(|_| run.adds() || !partial_spans.is_empty()) {
            return Err(SequenceError::Parents { clip, bone: skeleton.name(bone).to_owned() });
        }
        if !run.adds() {
            run.partial_spans = partial_spans;
            for span in 0..run.partial_spans.len() {
                let PartialSpan { from, to, .. } = run.partial_spans[span];
                let middle = run.start + 0.5 * (from + to);
                self.sample_under(skeleton, middle, self.layers.len(), other, pose);
                run.part.clip.sample(skeleton, run.clip_time(middle), other);
                run.choose_turns(span, pose, other);
            }
        }
        self.layers.push(run);
        Ok(())
    }
}
