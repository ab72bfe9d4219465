//! Builds a sequence from its parts and layers, and computes once what must be the same in every frame.

use std::error::Error;
use std::fmt;

use super::layer::{Layer, PlacedLayer};
use super::part::{PlacedPart, SLACK, SequencePart};
use super::{Sequence, mix};
use crate::clip::{ClipTime, Step};
use crate::{BoneId, Pose, Skeleton};

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
    /// The fades of a part or a layer are longer than it plays, or the first part fades and no part is before
    /// it.
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
                write!(f, "a sequence's length must be a number above 0, not {length}")
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
        let time = ClipTime { length, looped, step };
        let mut sequence = Sequence { time, parts, layers: Vec::new() };
        let (mut pose, mut other) = (Pose::new(skeleton), Pose::new(skeleton));
        for part in 0..sequence.parts.len() {
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
        let fits = part.fade <= part.length + SLACK;
        let before = runs.last().map(|run| (run.part.length, if clip == 1 { 0.0 } else { run.part.fade }));
        let fits_before = before.is_none_or(|(length, fade)| part.fade + fade <= length + SLACK);
        if !(fits && fits_before) || (clip == 0 && part.fade > 0.0 && !looped) {
            return Err(SequenceError::Fade { clip });
        }
        let begins = if clip == 0 { 0.0 } else { end - part.fade };
        end = begins + part.length;
        runs.push(PlacedPart { part, begins, skipped: mix::SkippedTurns::default() });
    }
    // The first part of a loop begins while the last one ends.
    let (Some(first), Some(last)) = (runs.first(), runs.last()) else { return Err(SequenceError::Empty) };
    let fade = first.part.fade;
    let next = runs.get(1).map_or(fade, |run| run.part.fade);
    let before = if runs.len() > 1 { last.part.fade } else { 0.0 };
    if fade > 0.0 && (fade + before > last.part.length + SLACK || fade + next > first.part.length + SLACK) {
        return Err(SequenceError::Fade { clip: 0 });
    }
    Ok((runs, end - fade))
}

impl Sequence {
    /// Computes the skipped turns at the middle of a part's fade, where both clips have the same weight.
    /// Different parents are an error.
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
        let Some(playing) = self.playing(begins + 0.5 * fade) else { return Ok(()) };
        let Some((_, time, _)) = playing.over else { return Ok(()) };
        let (out, run) = (&self.parts[playing.part], &self.parts[part]);
        // The first part of a loop fades in from the end, where one part must play alone.
        let at = if part == 0 { self.time.length } else { begins };
        let since = at - out.begins;
        if part == 0 && playing.part > 0 && since + SLACK < out.part.fade {
            return Err(SequenceError::Fade { clip: 0 });
        }
        let unlike = |&bone: &BoneId| {
            let before = out.part.parent_throughout(bone, since, since + fade);
            before.is_none() || before != run.part.parent_throughout(bone, 0.0, fade)
        };
        if let Some(bone) = out.part.clip.parents().chain(run.part.clip.parents()).find(unlike) {
            let bone = skeleton.name(bone).to_owned();
            return Err(SequenceError::Parents { clip: part, bone });
        }
        if !run.part.spin {
            out.part.clip.sample(skeleton, playing.time, pose);
            run.part.clip.sample(skeleton, time, other);
            self.parts[part].skipped = mix::SkippedTurns::shortest(pose, other);
        }
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
            for span in partial_spans {
                let mut skipped = mix::SkippedTurns::default();
                if !run.part.spin {
                    let middle = run.start + 0.5 * (span.from + span.to);
                    self.sample_under(skeleton, middle, self.layers.len(), other, pose);
                    run.part.clip.sample(skeleton, run.clip_time(middle), other);
                    skipped = mix::SkippedTurns::shortest(pose, other);
                }
                run.partial_spans.push((span, skipped));
            }
        }
        self.layers.push(run);
        Ok(())
    }
}
