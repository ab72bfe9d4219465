//! Collects the parts and layers of a shot, and settles once what must not be settled anew in every frame.

use std::error::Error;
use std::fmt;

use super::layer::{Layer, LayerRun};
use super::run::{Part, PartRun, SLACK};
use super::{Shot, mix};
use crate::clip::{ClipTime, Step};
use crate::{BoneId, Pose, Skeleton};

/// Collects the parts of a shot.
#[derive(Clone, Debug, Default)]
pub struct ShotBuilder {
    parts: Vec<Part>,
    layers: Vec<Layer>,
    looped: bool,
    length: Option<f64>,
    step: Option<Step>,
}

/// Clips that make no shot.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ShotError {
    /// There is no part.
    Empty,
    /// A length, speed, start, weight or fade that is not a usable number.
    Number {
        /// Which source: the parts in their order, then the layers.
        source: usize,
    },
    /// The fades of a part, or of a layer, take longer than it plays; or the first part fades and has nothing before it.
    Fade {
        /// Which source.
        source: usize,
    },
    /// A length that is not a number above 0.
    Length {
        /// What was given or came out, in seconds.
        length: f64,
    },
    /// A bone would have to hang on two parents at once during a fade, or by half on another one.
    Parents {
        /// Which source, the later one of two.
        source: usize,
        /// The name of the bone.
        bone: String,
    },
}

impl fmt::Display for ShotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "a shot without parts"),
            Self::Number { source } => {
                write!(f, "source {source} holds something that is not a usable number")
            }
            Self::Fade { source } => write!(f, "the fades of source {source} do not fit into it"),
            Self::Length { length } => write!(f, "a shot's length must be a number above 0, not {length}"),
            Self::Parents { source, bone } => {
                write!(f, "bone \"{bone}\" cannot hang on two parents while source {source} fades")
            }
        }
    }
}

impl Error for ShotError {}

impl ShotBuilder {
    /// A shot in which nothing plays yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Plays something after what is there already.
    pub fn part(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    /// Puts something on top of what is there already.
    pub fn layer(mut self, layer: Layer) -> Self {
        self.layers.push(layer);
        self
    }

    /// Whether the shot starts over after its length.
    pub fn looped(mut self, looped: bool) -> Self {
        self.looped = looped;
        self
    }

    /// Seconds, in place of those that the parts take. The last part goes on as its clip does.
    pub fn length(mut self, length: Option<f64>) -> Self {
        self.length = length;
        self
    }

    /// Holds each drawing for some frames.
    pub fn step(mut self, step: Option<Step>) -> Self {
        self.step = step;
        self
    }

    /// Places the parts and settles how angles get from one clip to the other.
    ///
    /// # Errors
    /// If numbers are unusable, fades do not fit, or a bone would have to hang on two parents at once.
    pub fn build(self, skeleton: &Skeleton) -> Result<Shot, ShotError> {
        let Self { parts, layers, looped, length, step } = self;
        let (parts, end) = placed(parts, looped)?;
        let length = length.unwrap_or(end);
        if !(length.is_finite() && length > 0.0) {
            return Err(ShotError::Length { length });
        }
        let time = ClipTime { length, looped, step };
        let mut shot = Shot { time, parts, layers: Vec::new() };
        let (mut pose, mut other) = (Pose::new(skeleton), Pose::new(skeleton));
        for part in 0..shot.parts.len() {
            shot.settle_fade(skeleton, part, &mut pose, &mut other)?;
        }
        for layer in layers {
            let source = shot.parts.len() + shot.layers.len();
            shot.add_layer(skeleton, layer, source, &mut pose, &mut other)?;
        }
        Ok(shot)
    }
}

/// The parts in their places, and where the sequence ends.
fn placed(parts: Vec<Part>, looped: bool) -> Result<(Vec<PartRun>, f64), ShotError> {
    let mut runs: Vec<PartRun> = Vec::with_capacity(parts.len());
    let mut end = 0.0;
    for (source, part) in parts.into_iter().enumerate() {
        if !part.is_sound() {
            return Err(ShotError::Number { source });
        }
        let fits = part.fade <= part.length + SLACK;
        let before = runs.last().map(|run| (run.part.length, if source == 1 { 0.0 } else { run.part.fade }));
        let fits_before = before.is_none_or(|(length, fade)| part.fade + fade <= length + SLACK);
        if !(fits && fits_before) || (source == 0 && part.fade > 0.0 && !looped) {
            return Err(ShotError::Fade { source });
        }
        let begins = if source == 0 { 0.0 } else { end - part.fade };
        end = begins + part.length;
        runs.push(PartRun { part, begins, way: mix::Way::default() });
    }
    // The first part of a loop begins while the last one ends.
    let (Some(first), Some(last)) = (runs.first(), runs.last()) else { return Err(ShotError::Empty) };
    let fade = first.part.fade;
    let next = runs.get(1).map_or(fade, |run| run.part.fade);
    let before = if runs.len() > 1 { last.part.fade } else { 0.0 };
    if fade > 0.0 && (fade + before > last.part.length + SLACK || fade + next > first.part.length + SLACK) {
        return Err(ShotError::Fade { source: 0 });
    }
    Ok((runs, end - fade))
}

impl Shot {
    /// Looks at the middle of a part's fade, where both clips count alike, for the shorter way of every angle; and refuses
    /// parents that differ.
    fn settle_fade(
        &mut self,
        skeleton: &Skeleton,
        part: usize,
        pose: &mut Pose,
        other: &mut Pose,
    ) -> Result<(), ShotError> {
        let (begins, fade) = (self.parts[part].begins, self.parts[part].part.fade);
        if fade <= 0.0 {
            return Ok(());
        }
        let Some(playing) = self.playing(begins + 0.5 * fade) else { return Ok(()) };
        let Some((_, time, _)) = playing.over else { return Ok(()) };
        let (out, run) = (&self.parts[playing.part], &self.parts[part]);
        // The first part of a loop takes over from the end, where one part must be alone.
        let at = if part == 0 { self.time.length } else { begins };
        let since = at - out.begins;
        if part == 0 && playing.part > 0 && since + SLACK < out.part.fade {
            return Err(ShotError::Fade { source: 0 });
        }
        let unlike = |&bone: &BoneId| {
            let before = out.part.parent_throughout(bone, since, since + fade);
            before.is_none() || before != run.part.parent_throughout(bone, 0.0, fade)
        };
        if let Some(bone) = out.part.clip.parents().chain(run.part.clip.parents()).find(unlike) {
            let bone = skeleton.name(bone).to_owned();
            return Err(ShotError::Parents { source: part, bone });
        }
        if !run.part.spin {
            out.part.clip.sample(skeleton, playing.time, pose);
            run.part.clip.sample(skeleton, time, other);
            self.parts[part].way = mix::Way::shortest(pose, other);
        }
        Ok(())
    }

    fn add_layer(
        &mut self,
        skeleton: &Skeleton,
        layer: Layer,
        source: usize,
        pose: &mut Pose,
        other: &mut Pose,
    ) -> Result<(), ShotError> {
        let fades = layer.fades;
        if !(layer.part.is_sound() && layer.start.is_finite()) {
            return Err(ShotError::Number { source });
        }
        let fits = fades.start + fades.end <= layer.part.length + SLACK;
        if !(fits && fades.start >= 0.0 && fades.end >= 0.0) {
            return Err(ShotError::Fade { source });
        }
        let mut run = LayerRun::new(skeleton, layer);
        let partly = run.find_partly();
        if let Some(bone) = run.changes_parent().filter(|_| run.adds() || !partly.is_empty()) {
            return Err(ShotError::Parents { source, bone: skeleton.name(bone).to_owned() });
        }
        if !run.adds() {
            for span in partly {
                let mut way = mix::Way::default();
                if !run.part.spin {
                    let middle = run.start + 0.5 * (span.from + span.to);
                    self.sample_under(skeleton, middle, self.layers.len(), other, pose);
                    run.part.clip.sample(skeleton, run.clip_time(middle), other);
                    way = mix::Way::shortest(pose, other);
                }
                run.partly.push((span, way));
            }
        }
        self.layers.push(run);
        Ok(())
    }
}
