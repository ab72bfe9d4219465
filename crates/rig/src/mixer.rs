//! Clips of a running program: they begin and end when it likes, fade into each other, lie above each other,
//! and springs move with what comes of it.

use std::error::Error;
use std::fmt;

use bone_core::clip::{LayerBlend, Passage, PoseBlend, PoseMixer, WeightedClip, smoothstep};
use bone_core::spring::SpringState;
use bone_core::{BoneId, PoseError};

use crate::clip::{RigClip, mix_parameters};
use crate::events::EventId;
use crate::identity::RigIdentity;
use crate::moment::KeptMoment;
use crate::overrides::{OverrideError, Overrides};
use crate::passed::{MOST_PASSED, Passed, Passings};
use crate::rig::Rig;
use crate::state::FrameState;

/// Plays any number of clips and sequences of a rig at once, step by step.
///
/// [`play`](Self::play) fades from what has played into another clip, and [`layer`](Self::layer) puts a clip
/// above them. Each has its own speed. [`step`](Self::step) advances all of them and poses the rig; springs
/// are simulated, by the laws of those of a clip, 1/480 s behind the animation. The same calls with the same
/// numbers give the same frames to the bit. A step allocates nothing after the first one with as many clips.
///
/// Drawings that a clip holds for some frames are not held: pose every other frame for "on twos". A clip that
/// does not loop stays at its end. Where two clips change the parent of a bone, it has the parent of the one
/// with more weight.
///
/// ```no_run
/// # fn running() -> bool { false }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let rig = bone_rig::Rig::load(&[])?;
/// use bone_rig::{FrameState, LayerOptions, Mixer, MixerEvent};
///
/// let (idle, wave) = (rig.clip("idle").ok_or("no idle")?, rig.clip("wave").ok_or("no wave")?);
/// let mut state = FrameState::new(&rig);
/// let mut mixer = Mixer::new(&rig);
/// mixer.play(&rig, idle, 0.0)?;
/// let hand = mixer.layer(&rig, wave, LayerOptions { fade: 0.2, ..LayerOptions::default() })?;
/// while running() {
///     mixer.step(&rig, 1.0 / 60.0, &mut state)?;
///     if mixer.events().contains(&MixerEvent::Ended { of: hand }) {
///         mixer.stop(&rig, hand, 0.3)?;
///     }
///     // Draw `state`.
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Mixer {
    rig: RigIdentity,
    /// From the lowest to the highest: what was played, then the layers. In the order of the slots of
    /// `poses`.
    voices: Vec<Voice>,
    /// Voices that have ended, for their memory.
    spare: Vec<Voice>,
    poses: PoseMixer,
    /// The keyed clips of all voices, each with the clip of the rig.
    playing: Vec<(usize, WeightedClip)>,
    /// Of one voice.
    weighted_clips: Vec<WeightedClip>,
    /// None for a rig without springs.
    springs: Option<SpringState>,
    springs_rest: bool,
    cues: Vec<CuePoint>,
    events: Vec<MixerEvent>,
    passings: Passings,
    last_id: u64,
}

/// A clip that plays in a [`Mixer`], until it has faded out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Playback(u64);

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

/// A moment of a clip that a [`Mixer`] reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cue(usize);

/// What happened in a step of a [`Mixer`].
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
        /// The event; [`Rig::events`] has its name and what it carries.
        event: EventId,
        /// The share that the clip has in the pose; of a sequence, that of its part or layer.
        weight: f64,
    },
    /// The step passed more than 1,000 events and cues. Those after the first 1,000 are left out.
    Overflow,
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
    /// Its weight, from 0 to 1; see [`Mixer::set_weight`].
    pub weight: f64,
    /// Seconds in which it fades in.
    pub fade: f64,
}

impl Default for LayerOptions<'_> {
    fn default() -> Self {
        Self { blend: LayerBlend::default(), bones: None, weight: 1.0, fade: 0.0 }
    }
}

/// A call that a [`Mixer`] cannot follow. Nothing was changed.
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

#[derive(Clone, Copy, Debug)]
struct CuePoint {
    clip: usize,
    time: f64,
}

#[derive(Clone, Debug)]
struct Voice {
    id: Playback,
    /// The clip of the rig; none for the setup pose.
    clip: Option<usize>,
    /// On the axis of the clip.
    time: f64,
    /// Seconds of the clip per second.
    speed: f64,
    /// Whether its time was set and no step has followed: a cue at that time is passed, too.
    begins: bool,
    /// Whether it has reported its end.
    ended: bool,
    fade: LayerFade,
    /// How it lies above others; none for what is played below all layers.
    layer: Option<LayerBlend>,
    /// The weight that the program sets.
    weight: f64,
    /// Whether each bone is moved.
    bones: Vec<bool>,
    /// The share of the whole that it has at the moment.
    share: f64,
}

/// A level between 0 and 1 that moves smoothly.
#[derive(Clone, Copy, Debug)]
struct LayerFade {
    from: f64,
    to: f64,
    since: f64,
    seconds: f64,
}

impl LayerFade {
    fn new(from: f64, to: f64, seconds: f64) -> Self {
        Self { from, to, since: 0.0, seconds }
    }

    fn level(&self) -> f64 {
        if self.since >= self.seconds {
            return self.to;
        }
        self.from + (self.to - self.from) * smoothstep(self.since / self.seconds)
    }
}

/// The greatest number of clips for which memory is reserved.
const MOST_RESERVED: usize = 1000;

fn finite(number: f64, value: &'static str) -> Result<f64, MixerError> {
    if number.is_finite() { Ok(number) } else { Err(MixerError::Number { value }) }
}

fn duration(seconds: f64) -> Result<f64, MixerError> {
    if seconds >= 0.0 { finite(seconds, "fade") } else { Err(MixerError::Number { value: "fade" }) }
}

impl Mixer {
    /// In the setup pose. Springs come to rest in the pose of the first step.
    pub fn new(rig: &Rig) -> Self {
        let parts = rig.parts();
        let springs = (!parts.springs.is_empty()).then(|| SpringState::unposed(&parts.springs));
        let poses = PoseMixer::new(&parts.skeleton, parts.clips.iter().flat_map(RigClip::motions));
        Self {
            rig: rig.identity().clone(),
            voices: Vec::new(),
            spare: Vec::new(),
            poses,
            playing: Vec::new(),
            weighted_clips: Vec::new(),
            springs,
            springs_rest: true,
            cues: Vec::new(),
            events: Vec::new(),
            passings: Passings::default(),
            last_id: 0,
        }
    }

    /// Reserves memory for this many clips at once, with their fades, so that no later call allocates; for at most
    /// 1,000. Does nothing for another rig.
    pub fn reserve(&mut self, rig: &Rig, clips: usize) {
        if self.owns(rig).is_err() {
            return;
        }
        let clips = clips.min(MOST_RESERVED);
        let bones = rig.skeleton().len();
        let have = self.voices.len() + self.spare.len();
        self.voices.reserve(clips.saturating_sub(self.voices.len()));
        self.spare.reserve(clips.saturating_sub(self.spare.len()));
        self.spare.extend((have..clips).map(|_| Voice::empty(bones)));
        self.poses.reserve(rig.skeleton(), clips);
        self.reserve_lists(rig, clips);
    }

    /// Memory for what the clips of so many voices give in a step.
    fn reserve_lists(&mut self, rig: &Rig, voices: usize) {
        let most = rig.clips().iter().map(RigClip::most_at_once).max().unwrap_or(0);
        self.weighted_clips.reserve(most.saturating_sub(self.weighted_clips.len()));
        self.playing.reserve((most * voices).saturating_sub(self.playing.len()));
        let passes = !self.cues.is_empty() || rig.clips().iter().any(RigClip::has_events);
        if passes {
            self.passings.reserve(rig.clips(), self.cues.len());
        }
        // Each voice can loop or end, and be removed.
        let most = voices * 2 + if passes { MOST_PASSED + 1 } else { 0 };
        self.events.reserve(most.saturating_sub(self.events.len()));
    }

    /// Fades from what has played into a clip, within some seconds; at once for 0. Layers stay above it.
    ///
    /// # Errors
    /// If the rig or the clip is another one, or `fade` is not usable.
    pub fn play(&mut self, rig: &Rig, clip: &RigClip, fade: f64) -> Result<Playback, MixerError> {
        let fade = duration(fade)?;
        let clip = self.find(rig, clip)?;
        let at = self.base_count();
        let id = self.insert(rig, at, Some(clip));
        self.voices[at].fade = LayerFade::new(0.0, 1.0, fade);
        self.springs_rest |= at == 0 && fade <= 0.0;
        Ok(id)
    }

    /// Fades from what has played into the setup pose. Layers stay above it.
    ///
    /// # Errors
    /// If the rig is another one, or `fade` is not usable.
    pub fn rest(&mut self, rig: &Rig, fade: f64) -> Result<Playback, MixerError> {
        let fade = duration(fade)?;
        self.owns(rig)?;
        let at = self.base_count();
        let id = self.insert(rig, at, None);
        self.voices[at].fade = LayerFade::new(0.0, 1.0, fade);
        Ok(id)
    }

    /// Puts a clip above all others: the values that it keys.
    ///
    /// # Errors
    /// If the rig or the clip is another one, the skeleton does not have a bone, or a number is not usable.
    pub fn layer(
        &mut self,
        rig: &Rig,
        clip: &RigClip,
        options: LayerOptions<'_>,
    ) -> Result<Playback, MixerError> {
        let LayerOptions { blend, bones, weight, fade } = options;
        let (fade, weight) = (duration(fade)?, finite(weight, "weight")?);
        let clip = self.find(rig, clip)?;
        // Found once for the rig, and not in a step.
        rig.channels();
        let skeleton = rig.skeleton();
        let mut listed = bones.unwrap_or_default().iter().copied();
        if let Some(bone) = listed.find(|bone| !skeleton.contains(*bone)) {
            return Err(MixerError::UnknownBone { bone });
        }
        let id = self.insert(rig, self.voices.len(), Some(clip));
        let Some(voice) = self.voices.last_mut() else { return Ok(id) };
        voice.layer = Some(blend);
        voice.weight = weight.clamp(0.0, 1.0);
        voice.fade = LayerFade::new(0.0, 1.0, fade);
        if let Some(roots) = bones {
            voice.bones.fill(false);
            for root in roots {
                skeleton.subtree(*root).for_each(|bone| voice.bones[bone.index()] = true);
            }
        }
        Ok(id)
    }

    /// Fades a layer out within some seconds, at once for 0. What was played last fades into the setup pose.
    ///
    /// # Errors
    /// If the clip has ended, the rig is another one, or `fade` is not usable.
    pub fn stop(&mut self, rig: &Rig, of: Playback, fade: f64) -> Result<(), MixerError> {
        let fade = duration(fade)?;
        self.owns(rig)?;
        let at = self.at(of)?;
        let count = self.base_count();
        let voice = &mut self.voices[at];
        if voice.layer.is_some() {
            voice.fade = LayerFade::new(voice.fade.level(), 0.0, fade);
        } else if at + 1 == count {
            self.rest(rig, fade)?;
        }
        Ok(())
    }

    /// Sets how many seconds of the clip play in a second; below 0 it plays backwards.
    ///
    /// # Errors
    /// If the clip has ended, or the speed is not finite.
    pub fn set_speed(&mut self, of: Playback, speed: f64) -> Result<(), MixerError> {
        let at = self.at(of)?;
        self.voices[at].speed = finite(speed, "speed")?;
        Ok(())
    }

    /// Sets the weight of a layer; values outside of 0 to 1 count as these. At 0 it is not seen, and goes on.
    ///
    /// # Errors
    /// If the clip has ended or is no layer, or the weight is not finite.
    pub fn set_weight(&mut self, of: Playback, weight: f64) -> Result<(), MixerError> {
        let at = self.at(of)?;
        if self.voices[at].layer.is_none() {
            return Err(MixerError::NoLayer { of });
        }
        self.voices[at].weight = finite(weight, "weight")?.clamp(0.0, 1.0);
        Ok(())
    }

    /// Moves a clip to a time of its own.
    ///
    /// # Errors
    /// If the clip has ended, or the time is not finite.
    pub fn set_time(&mut self, of: Playback, time: f64) -> Result<(), MixerError> {
        let at = self.at(of)?;
        let voice = &mut self.voices[at];
        (voice.time, voice.begins, voice.ended) = (finite(time, "time")?, true, false);
        Ok(())
    }

    /// The time of a clip, in its own seconds; none if it has ended.
    pub fn time(&self, of: Playback) -> Option<f64> {
        self.at(of).ok().map(|at| self.voices[at].time)
    }

    /// The share that a clip has in the pose since the last step, from 0 to 1; none if it has ended.
    pub fn share(&self, of: Playback) -> Option<f64> {
        self.at(of).ok().map(|at| self.voices[at].share)
    }

    /// Reports a moment of a clip whenever it is passed, forwards or backwards: a foot that touches the
    /// ground.
    ///
    /// # Errors
    /// If the rig or the clip is another one, or the time is not finite.
    pub fn cue(&mut self, rig: &Rig, clip: &RigClip, time: f64) -> Result<Cue, MixerError> {
        let (clip, time) = (self.find(rig, clip)?, finite(time, "time")?);
        self.cues.push(CuePoint { clip, time });
        self.reserve_lists(rig, self.voices.len());
        Ok(Cue(self.cues.len() - 1))
    }

    /// What happened in the last step, in the order of the clips.
    pub fn events(&self) -> &[MixerEvent] {
        &self.events
    }

    /// Brings the springs to rest in the pose of the next step: after a cut, or where a figure appears.
    pub fn rest_springs(&mut self) {
        self.springs_rest = true;
    }

    /// Advances all clips by some seconds and poses the rig. With 0 it poses the same moment again.
    ///
    /// # Errors
    /// If the rig or the state is another one, `seconds` is below 0 or not finite, or the parents of bones in
    /// two clips form a cycle.
    pub fn step(&mut self, rig: &Rig, seconds: f64, state: &mut FrameState) -> Result<(), MixerError> {
        static NONE: Overrides = Overrides::new();
        self.step_with(rig, seconds, &NONE, state)
    }

    /// The same with overrides on top of the clips, as [`Rig::pose_with`] has them. Springs move with them.
    ///
    /// # Errors
    /// As [`step`](Self::step), and if the rig does not have what is overridden.
    pub fn step_with(
        &mut self,
        rig: &Rig,
        seconds: f64,
        overrides: &Overrides,
        state: &mut FrameState,
    ) -> Result<(), MixerError> {
        self.pose_bones(rig, seconds, overrides, state)?;
        rig.deform_playing(rig.played(&self.playing), overrides, state);
        Ok(())
    }

    /// The same without the drawing: the bones alone, which [`Rig::show`] deforms the drawing by, in this state or in
    /// that of another thread.
    ///
    /// # Errors
    /// As [`step_with`](Self::step_with), or if the moment is of another rig.
    pub fn step_bones(
        &mut self,
        rig: &Rig,
        seconds: f64,
        overrides: &Overrides,
        state: &mut FrameState,
        moment: &mut KeptMoment,
    ) -> Result<(), MixerError> {
        if !moment.is_of(rig) {
            return Err(PoseError::OtherRig.into());
        }
        self.pose_bones(rig, seconds, overrides, state)?;
        moment.keep(state, self.playing.iter().copied());
        Ok(())
    }

    fn pose_bones(
        &mut self,
        rig: &Rig,
        seconds: f64,
        overrides: &Overrides,
        state: &mut FrameState,
    ) -> Result<(), MixerError> {
        self.owns(rig)?;
        rig.owns(None, state)?;
        overrides.check(rig.parts())?;
        if !(seconds >= 0.0 && seconds.is_finite()) {
            return Err(MixerError::Number { value: "duration of the step" });
        }
        self.advance(rig, seconds);
        self.mix(rig, state);
        rig.place(overrides, state)?;
        let parts = rig.parts();
        if let Some(springs) = &mut self.springs {
            let FrameState { driven, world, .. } = &mut *state;
            if std::mem::take(&mut self.springs_rest) {
                springs.rest(&parts.springs, &parts.skeleton, driven, world);
            }
            springs.step(&parts.springs, &parts.skeleton, driven, world, seconds);
            springs.apply(&parts.springs, &parts.skeleton, driven);
            world.forward(&parts.skeleton, driven)?;
        }
        Ok(())
    }

    fn owns(&self, rig: &Rig) -> Result<(), PoseError> {
        if self.rig == *rig.identity() { Ok(()) } else { Err(PoseError::OtherRig) }
    }

    /// The index of a clip of the rig.
    fn find(&self, rig: &Rig, clip: &RigClip) -> Result<usize, PoseError> {
        self.owns(rig)?;
        rig.place_of(clip).filter(|_| rig.owns_clip(clip)).ok_or(PoseError::OtherRig)
    }

    /// The index of what plays.
    fn at(&self, of: Playback) -> Result<usize, MixerError> {
        self.voices.iter().position(|voice| voice.id == of).ok_or(MixerError::NotPlaying { of })
    }

    /// How many voices are below the layers.
    fn base_count(&self) -> usize {
        self.voices.partition_point(|voice| voice.layer.is_none())
    }

    fn insert(&mut self, rig: &Rig, at: usize, clip: Option<usize>) -> Playback {
        let bones = rig.skeleton().len();
        let mut voice = self.spare.pop().unwrap_or_else(|| Voice::empty(bones));
        self.last_id += 1;
        let id = Playback(self.last_id);
        let mut moved = std::mem::take(&mut voice.bones);
        moved.fill(true);
        // A clip that is played backwards begins where its program sets it.
        voice = Voice { id, clip, bones: moved, ..Voice::empty(0) };
        self.voices.insert(at, voice);
        self.spare.reserve(self.voices.len());
        self.poses.insert(rig.skeleton(), at);
        self.reserve_lists(rig, self.voices.len());
        id
    }

    fn remove(&mut self, at: usize) {
        let voice = self.voices.remove(at);
        self.events.push(MixerEvent::Removed { of: voice.id });
        self.spare.push(voice);
        self.poses.remove(at);
    }

    /// Advances times and fades.
    fn advance(&mut self, rig: &Rig, seconds: f64) {
        self.events.clear();
        let last_played = self.base_count().saturating_sub(1);
        let mut left = Some(MOST_PASSED);
        for (slot, voice) in self.voices.iter_mut().enumerate() {
            voice.fade.since += seconds;
            if let Some(clip) = voice.clip.and_then(|clip| rig.clips().get(clip)) {
                let (passage, end) = voice.advance(clip, seconds);
                if let Some(most) = left {
                    let (of, begun) = (voice.id, self.events.len());
                    let cues = self.cues.iter().enumerate().filter(|(_, cue)| voice.clip == Some(cue.clip));
                    let cues = cues.map(|(cue, point)| (cue, clip.time().round(point.time).1));
                    let events = &mut self.events;
                    // What fades out is silent once the next plays.
                    let of_keys = slot >= last_played;
                    let more = self.passings.report(clip, cues, of_keys, (passage, most), |_, passed| {
                        events.push(match passed {
                            Passed::Event(event, weight) => MixerEvent::Key { of, event, weight },
                            Passed::Cue(cue) => MixerEvent::Cue { of, cue: Cue(cue) },
                        });
                    });
                    left = most.checked_sub(self.events.len() - begun).filter(|_| !more);
                    self.events.extend(more.then_some(MixerEvent::Overflow));
                }
                self.events.extend(end);
            }
        }
        // What is covered by another clip.
        let base = &self.voices[..self.base_count()];
        let covered = base.iter().rposition(|voice| voice.fade.level() >= 1.0).unwrap_or(0);
        (0..covered).for_each(|_| self.remove(0));
        // Layers that have faded out.
        for at in (self.base_count()..self.voices.len()).rev() {
            let fade = self.voices[at].fade;
            if fade.to == 0.0 && fade.since >= fade.seconds {
                self.remove(at);
            }
        }
        // The shares of what is played add up to 1, with the setup pose below.
        let mut left = 1.0;
        for voice in self.voices.iter_mut().rev() {
            let level = voice.fade.level();
            if voice.layer.is_some() {
                voice.share = level * voice.weight;
            } else {
                voice.share = left * level;
                left -= voice.share;
            }
        }
        for event in &mut self.events {
            if let MixerEvent::Key { of, weight, .. } = event {
                let voice = self.voices.iter().find(|voice| voice.id == *of);
                *weight *= voice.map_or(0.0, |voice| voice.share);
            }
        }
    }

    /// Mixes the clips of this moment into a state.
    fn mix(&mut self, rig: &Rig, state: &mut FrameState) {
        let parts = rig.parts();
        let FrameState { pose, mixed, driven, art, driven_art, constraints, .. } = state;
        art.reset();
        self.poses.prepare(mixed);
        self.poses.prepare(driven);
        self.poses.begin(&parts.skeleton, pose);
        self.playing.clear();
        for (slot, voice) in self.voices.iter().enumerate() {
            let clip = voice.clip.and_then(|clip| Some((clip, parts.clips.get(clip)?)));
            match clip {
                // `driven` is free until the pose is complete.
                Some((_, clip)) => clip.sample_moving(&parts.skeleton, voice.time, driven, mixed),
                None => mixed.reset(&parts.skeleton),
            }
            let (weight, how) = match (voice.layer, clip) {
                (None, _) => (voice.fade.level(), PoseBlend::Whole),
                (Some(_), None) => continue,
                (Some(blend), Some((clip, _))) => {
                    let layer =
                        PoseBlend::Layer { channels: &rig.channels()[clip], bones: &voice.bones, blend };
                    (voice.share, layer)
                }
            };
            self.poses.blend(&parts.skeleton, slot, pose, mixed, weight, how);
            let Some((index, clip)) = clip else {
                art.fade_out(weight);
                continue;
            };
            if voice.share <= 0.0 {
                continue;
            }
            clip.weighted_clips(voice.time, &mut self.weighted_clips);
            // `driven_art` is free until the pose is complete, too.
            clip.mix_art((voice.time, &self.weighted_clips), driven_art);
            match voice.layer {
                Some(blend) => {
                    art.layer(driven_art, clip.placed_art(), (weight, blend));
                }
                None => art.fade(driven_art, weight),
            }
            let scaled =
                |played: &WeightedClip| WeightedClip { weight: played.weight * voice.share, ..*played };
            self.playing.extend(self.weighted_clips.iter().map(|played| (index, scaled(played))));
        }
        mix_parameters(rig.played(&self.playing), &parts.constraints, &mut constraints.parameters);
    }
}

impl Voice {
    fn empty(bones: usize) -> Self {
        Self {
            id: Playback(0),
            clip: None,
            time: 0.0,
            speed: 1.0,
            begins: true,
            ended: false,
            fade: LayerFade::new(0.0, 1.0, 0.0),
            layer: None,
            weight: 1.0,
            bones: vec![true; bones],
            share: 0.0,
        }
    }

    /// Advances its time. Returns what it passes, and whether it began anew or came to its end.
    fn advance(&mut self, clip: &RigClip, seconds: f64) -> (Passage, Option<MixerEvent>) {
        let of = self.id;
        let (time, by) = (clip.time(), seconds * self.speed);
        let (from, to) = (self.time, self.time + by);
        let begins = self.begins && by != 0.0;
        self.begins &= by == 0.0;
        if !time.has_end() {
            let (times, local) = time.round(to);
            self.time = local;
            // The conversion saturates.
            let looped = (times != 0.0).then(|| MixerEvent::Looped { of, times: times.abs() as u32 });
            return (time.passage(from, to, begins), looped);
        }
        self.time = if by == 0.0 { to } else { to.clamp(0.0, time.length) };
        // From a time outside of the clip it jumps to an end, which may be the other way.
        let to_end = if (self.time - from) * by < 0.0 { from } else { self.time };
        let at_end = (by > 0.0 && to >= time.length) || (by < 0.0 && to <= 0.0);
        // A clip that goes from one end to the other in one step arrives there, too.
        let ended = at_end && (!self.ended || self.time != from);
        self.ended = if by == 0.0 { self.ended } else { at_end };
        (time.passage(from, to_end, begins), ended.then_some(MixerEvent::Ended { of }))
    }
}
