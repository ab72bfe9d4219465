//! Clips of a running program: they begin and end when it likes, fade into each other, lie above each other,
//! and springs move with what comes of it.

use bone_core::clip::{LayerBlend, PoseBlend, PoseMixer, WeightedClip};
use bone_core::spring::SpringState;
use bone_core::{Pose, PoseError};

use crate::clip::{RigClip, mix_parameters};
use crate::identity::RigIdentity;
use crate::machine::{Machine, MachineState};
use crate::machine_run::{Entered, MOST_AT_ONCE, MOST_MOMENTS, MOST_SEEN, MachineRun};
use crate::moment::KeptMoment;
use crate::overrides::Overrides;
use crate::passed::{MOST_PASSED, Passed, Passings};
use crate::playback::{Cue, LayerOptions, MixerError, MixerEvent, Playback};
use crate::rig::Rig;
use crate::state::FrameState;
use crate::voice::{LayerFade, Voice, VoiceState};

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
    machine: Option<Box<MachineRun>>,
    /// The place of that machine in the rig, or of the last one.
    machine_at: u32,
}

#[derive(Clone, Copy, Debug)]
struct CuePoint {
    clip: usize,
    time: f64,
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
            machine: None,
            machine_at: 0,
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

    /// Fades from what has played into a state machine, in the start states of its layers. Layers of the program stay
    /// above it. It plays until something else is played and has covered it; what ran before is left.
    ///
    /// # Errors
    /// [`MixerError::Machine`] if the rig does not have it; if the rig is another one, or `fade` is not usable.
    pub fn start(&mut self, rig: &Rig, machine: usize, fade: f64) -> Result<(), MixerError> {
        let fade = duration(fade)?;
        self.owns(rig)?;
        let of = rig.machines().get(machine).ok_or(MixerError::Machine)?;
        rig.channels();
        self.release_machine(fade);
        self.springs_rest |= self.base_count() == 0 && fade <= 0.0;
        let mut run = Box::new(MachineRun::new(machine, of, fade));
        let points = |state: &MachineState| state.points.len().max(1);
        let most = of.layers.iter().map(|layer| layer.states.iter().map(points).max().unwrap_or(0));
        let most = most.sum::<usize>() * MOST_SEEN;
        run.weights.reserve(most);
        self.reserve(rig, self.voices.len() + most);
        let moments = of.layers.len() * (MOST_AT_ONCE + 1);
        self.events.reserve(self.events.capacity() + moments);
        self.place_states(rig, of, &run);
        // A rig of more machines has no memory.
        (self.machine, self.machine_at) = (Some(run), machine as u32);
        Ok(())
    }

    /// The machine that runs, by its place in [`Rig::machines`].
    pub fn machine(&self) -> Option<usize> {
        self.machine.as_ref().map(|run| run.machine)
    }

    /// Sets an input of the machine that runs, by its place in [`Machine::inputs`]. Flags and triggers are set by any
    /// number but 0. It counts from the beginning of the next step; a trigger counts at that moment alone.
    ///
    /// # Errors
    /// [`MixerError::Machine`] if no machine runs or it does not have the input; if the value is not finite.
    pub fn set_machine_input(&mut self, rig: &Rig, input: usize, value: f64) -> Result<(), MixerError> {
        self.owns(rig)?;
        let run = self.machine.as_mut().ok_or(MixerError::Machine)?;
        let of = rig.machines().get(run.machine).and_then(|machine| machine.inputs.get(input));
        run.set(input, of.ok_or(MixerError::Machine)?.kind, finite(value, "input")?);
        Ok(())
    }

    /// The state that a layer of the machine is in, by its place in [`MachineLayer::states`](crate::MachineLayer).
    pub fn machine_state(&self, layer: usize) -> Option<usize> {
        self.machine.as_ref().and_then(|run| run.current(layer)).map(|play| play.state)
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
        self.events.clear();
        self.advance_all(rig, seconds, state);
        rig.wear(overrides.worn(rig.parts()), state);
        self.mix(rig, state);
        rig.place(overrides, state)?;
        let parts = rig.parts();
        if let Some(springs) = &mut self.springs {
            let FrameState { driven, mixed, world, worn, .. } = &mut *state;
            if std::mem::take(&mut self.springs_rest) {
                springs.rest(&parts.springs, &parts.skeleton, driven, world);
            }
            springs.step(&parts.springs, &parts.skeleton, driven, world, seconds);
            let apply = |pose: &mut Pose| springs.apply(&parts.springs, &parts.skeleton, pose);
            parts.spring(worn, mixed, driven, apply);
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
        if voice.state.is_none() {
            self.events.push(MixerEvent::Removed { of: voice.id });
        }
        self.spare.push(voice);
        self.poses.remove(at);
    }

    /// Advances times and fades, and the machine with its transitions at their moments.
    fn advance_all(&mut self, rig: &Rig, seconds: f64, state: &mut FrameState) {
        let mut passes = Some(MOST_PASSED);
        let Some((mut run, machine)) = self.machine.take().and_then(|run| {
            let of = rig.machines().get(run.machine)?;
            Some((run, of))
        }) else {
            self.advance(rig, seconds, &mut passes);
            return self.settle(0);
        };
        let mut weights = std::mem::take(&mut run.weights);
        let mut left = seconds;
        for moment in 0.. {
            let mut is_new = false;
            for entered in run.take(machine) {
                is_new = true;
                self.events.push(match *entered {
                    Entered::State { layer, state } => MixerEvent::State { layer, state },
                    Entered::Stuck { layer } => MixerEvent::Stuck { layer },
                });
            }
            if moment == 0 {
                run.clear_triggers(machine);
            }
            if is_new || moment == 0 {
                self.place_states(rig, machine, &run);
                self.weigh_states(machine, &run, &mut weights, is_new && left > 0.0);
                self.settle(self.events.len());
            }
            if left <= 0.0 {
                break;
            }
            if is_new {
                // The shorter way of each angle is that of the moment at which the state is entered, however long the
                // step is.
                self.mix(rig, state);
            }
            let by = match moment < MOST_MOMENTS {
                true => run.until_next(machine, rig.clips(), &mut weights, left),
                false => left,
            };
            let begun = self.events.len();
            self.pace_states(rig, machine, &run, &mut weights);
            self.advance(rig, by, &mut passes);
            run.advance(machine, rig.clips(), &mut weights, by);
            self.place_states(rig, machine, &run);
            self.weigh_states(machine, &run, &mut weights, false);
            self.settle(begun);
            left -= by;
        }
        run.weights = weights;
        // Another clip has covered it.
        let is_seen = self.voices.iter().any(|voice| voice.state.is_some_and(|state| state.layer == 0));
        if is_seen {
            self.machine = Some(run);
        } else {
            self.release_machine(0.0);
        }
    }

    /// Advances times and fades. `passes` is how many events may still be reported.
    fn advance(&mut self, rig: &Rig, seconds: f64, passes: &mut Option<usize>) {
        let last_played = self.base_count().saturating_sub(1);
        for (slot, voice) in self.voices.iter_mut().enumerate() {
            voice.fade.since += seconds;
            if let Some(clip) = voice.clip.and_then(|clip| rig.clips().get(clip)) {
                let (passage, end) = voice.advance(clip, seconds);
                if let Some(most) = *passes {
                    let (of, begun) = (voice.id, self.events.len());
                    let cues = self.cues.iter().enumerate().filter(|(_, cue)| voice.clip == Some(cue.clip));
                    let cues = cues.map(|(cue, point)| (cue, clip.time().round(point.time).1));
                    let events = &mut self.events;
                    // What fades out is silent once the next plays.
                    let of_keys = voice
                        .state
                        .map_or(slot >= last_played, |state| state.is_current && voice.weight > 0.0);
                    let more = self.passings.report(clip, cues, of_keys, (passage, most), |_, passed| {
                        events.push(match passed {
                            Passed::Event(event, weight) => MixerEvent::Key { of, event, weight },
                            Passed::Cue(cue) => MixerEvent::Cue { of, cue: Cue(cue) },
                        });
                    });
                    *passes = most.checked_sub(self.events.len() - begun).filter(|_| !more);
                    self.events.extend(more.then_some(MixerEvent::Overflow));
                }
                self.events.extend(end.filter(|_| voice.state.is_none()));
            }
        }
    }

    /// Removes what is not seen any more, and gives each clip its share, and the events from `begun` on.
    fn settle(&mut self, begun: usize) {
        // What is covered by another clip.
        let base = &self.voices[..self.base_count()];
        let covers = |voice: &Voice| voice.state.is_none() && voice.level() >= 1.0;
        let covered = base.iter().rposition(covers).unwrap_or(0);
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
            let level = voice.level();
            match (voice.layer, voice.state) {
                // A machine has given it its share.
                (Some(_), Some(_)) => {}
                (Some(_), None) => voice.share = level,
                (None, _) => {
                    voice.share = left * level;
                    left -= voice.share;
                }
            }
        }
        for event in &mut self.events[begun..] {
            if let MixerEvent::Key { of, weight, .. } = event {
                let voice = self.voices.iter().find(|voice| voice.id == *of);
                *weight *= voice.map_or(0.0, |voice| voice.share);
            }
        }
    }

    /// Gives each clip of the states that are seen a voice, and removes those of other states.
    fn place_states(&mut self, rig: &Rig, machine: &Machine, run: &MachineRun) {
        for at in (0..self.voices.len()).rev() {
            let is_seen =
                |state: VoiceState| run.seen(state.layer.into()).any(|(play, _)| play.id == state.play);
            if self.voices[at].state.is_some_and(|state| !is_seen(state)) {
                self.remove(at);
            }
        }
        for (at, layer) in machine.layers.iter().enumerate() {
            for (play, _) in run.seen(at) {
                let Some(of) = layer.states.get(play.state) else { continue };
                let own = |voice: &Voice| voice.state.is_some_and(|state| state.is_of(at, play.id));
                if self.voices.iter().any(own) {
                    continue;
                }
                // Where nothing plays, the lowest layer has the setup pose, and the others let it through.
                let rest = (at == 0 && of.points.is_empty()).then_some(None);
                for (point, clip) in of.points.iter().map(|point| Some(point.clip)).chain(rest).enumerate() {
                    let below =
                        |voice: &Voice| voice.state.is_some_and(|state| usize::from(state.layer) <= at);
                    let top = self.voices.iter().rposition(below).map_or(0, |top| top + 1);
                    let is_first = !self.voices.iter().any(|voice| voice.state.is_some());
                    let slot = if is_first || at > 0 { top.max(self.base_count()) } else { top };
                    self.insert(rig, slot, clip);
                    let voice = &mut self.voices[slot];
                    voice.fade = LayerFade::new(1.0, 1.0, 0.0);
                    voice.layer = (at > 0).then_some(layer.blend);
                    // More layers and clips of a blend than that are not compiled.
                    let (place, point) = (at as u16, point as u16);
                    let state = VoiceState { play: play.id, layer: place, point, is_current: true };
                    (voice.state, voice.weight) = (Some(state), 0.0);
                    if let Some(roots) = layer.bones.as_ref().filter(|_| at > 0) {
                        voice.bones.fill(false);
                        for root in roots {
                            rig.skeleton().subtree(*root).for_each(|bone| voice.bones[bone.index()] = true);
                        }
                    }
                }
            }
        }
    }

    /// Gives the clips of states their weights: those with which one after the other is blended into what is below, so
    /// that each has its share of the whole in the end. A state that is `new` counts a little, so that the way of each
    /// angle is chosen.
    fn weigh_states(&mut self, machine: &Machine, run: &MachineRun, weights: &mut Vec<f64>, is_new: bool) {
        const A_LITTLE: f64 = 1e-9;
        // What was played above the machine covers its upper layers, too.
        let over = |voice: &&Voice| voice.layer.is_none() && voice.state.is_none();
        let top = self.voices.iter().rposition(|voice| voice.layer.is_none() && voice.state.is_some());
        let above = self.voices.iter().skip(top.map_or(usize::MAX, |top| top + 1)).filter(over);
        let open: f64 = above.map(|voice| 1.0 - voice.level()).product();
        for (at, layer) in machine.layers.iter().enumerate() {
            let full = if at > 0 { layer.weight * open } else { 1.0 };
            let current = run.current(at).map(|play| play.id);
            let mut above = 0.0;
            for (play, share) in run.seen(at).rev() {
                let Some(state) = layer.states.get(play.state) else { continue };
                state.weights(run.values(), weights);
                let is_current = current == Some(play.id);
                let share = if is_new && is_current { share.max(A_LITTLE) } else { share };
                for voice in self.voices.iter_mut().rev() {
                    let Some(own) = voice.state.as_mut().filter(|own| own.is_of(at, play.id)) else {
                        continue;
                    };
                    own.is_current = is_current;
                    let own = full * share * weights.get(usize::from(own.point)).copied().unwrap_or(1.0);
                    let left: f64 = 1.0 - above;
                    voice.share = own;
                    voice.weight = match voice.layer {
                        Some(LayerBlend::Add) => own,
                        _ if own >= left => 1.0,
                        _ => own / left,
                    };
                    above += own;
                }
            }
        }
    }

    /// Gives the clips of states their speeds.
    fn pace_states(&mut self, rig: &Rig, machine: &Machine, run: &MachineRun, weights: &mut Vec<f64>) {
        for voice in &mut self.voices {
            let (Some(own), Some(clip)) = (voice.state, voice.clip) else { continue };
            let layer = usize::from(own.layer);
            let play = run.seen(layer).find(|(play, _)| play.id == own.play);
            let state = play.and_then(|(play, _)| machine.layers.get(layer)?.states.get(play.state));
            if let Some(state) = state {
                state.weights(run.values(), weights);
                voice.speed = MachineRun::speed(state, weights, rig.clips(), clip);
            }
        }
    }

    /// What a machine has shown stays as it is until it is covered; its upper layers fade out.
    fn release_machine(&mut self, fade: f64) {
        self.machine = None;
        for voice in self.voices.iter_mut().filter(|voice| voice.state.is_some()) {
            voice.state = None;
            if voice.layer.is_some() {
                voice.fade = LayerFade::new(1.0, 0.0, fade);
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
        let machine = rig.machines().get(self.machine_at as usize);
        for (slot, voice) in self.voices.iter().enumerate() {
            let clip = voice.clip.and_then(|clip| Some((clip, parts.clips.get(clip)?)));
            match clip {
                // A clip of a blend that has no part in it: nothing of it is read.
                Some(_) if voice.state.is_some() && voice.weight <= 0.0 => {}
                // `driven` is free until the pose is complete.
                Some((_, clip)) => clip.sample_moving(&parts.skeleton, voice.time, driven, mixed),
                None => mixed.reset(&parts.skeleton),
            }
            let (weight, how) = match (voice.layer, clip) {
                (None, _) => (voice.level(), PoseBlend::Whole),
                (Some(_), None) => continue,
                (Some(blend), Some((clip, _))) => {
                    let channels = match voice.state {
                        Some(state) => rig.layer_channels(self.machine_at as usize, state.layer.into()),
                        None => &rig.channels()[clip],
                    };
                    (voice.level(), PoseBlend::Layer { channels, bones: &voice.bones, blend })
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
                    match voice.state.and_then(|state| machine?.layers.get(usize::from(state.layer))) {
                        // What another clip of the layer keys is at rest in this one.
                        Some(layer) => {
                            let all = layer.clips().flat_map(|clip| parts.clips[clip].placed_art());
                            art.layer(driven_art, all, (weight, blend));
                        }
                        None => art.layer(driven_art, clip.placed_art(), (weight, blend)),
                    }
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
