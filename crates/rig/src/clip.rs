//! What plays: the clips and shots of a rig, alike for whoever plays them. Bones are moved by `bone-core`; here are the names,
//! and what a clip does besides moving bones.

use std::sync::{Arc, OnceLock};

use bone_core::clip::{Clip, ClipTime, Sequence, Step, WeightedClip};
use bone_core::constraint::ConstraintParameters;
use bone_core::spring::BakedSprings;
use bone_core::{Pose, Skeleton};
use skin::{Offsets, PlayedOffsets, PlayedSetups, PlayedWeights, Setups, WeightTracks};

use crate::constraints::{ConstraintTracks, Constraints};
use crate::draw_order::{ArtPose, ArtTracks, DrawOrder};

/// All that one keyed clip does. Shots share it with the clips that they play.
#[derive(Clone, Debug)]
pub struct ClipSource {
    /// How the bones move.
    pub motion: Arc<Clip>,
    /// How vertices move freely.
    pub offsets: Offsets,
    /// How the outlines at rest move.
    pub setups: Setups,
    /// How weights change.
    pub weights: WeightTracks,
    /// How art comes and goes.
    pub art: ArtTracks,
    /// What it does with constraints.
    pub rules: ConstraintTracks,
}

/// A movement of the rig, keyed or put together: a clip or a shot.
#[derive(Clone, Debug)]
pub struct RigClip {
    name: String,
    /// Its parts and layers; none for a clip.
    shot: Option<Box<Sequence>>,
    /// Those of the shot in its order; of a clip, itself.
    sources: Vec<Arc<ClipSource>>,
    /// How spring bones swing in it, worked out when it is first played; none if it cannot be, which compiling rules out.
    swings: OnceLock<Option<BakedSprings>>,
}

impl RigClip {
    /// A keyed clip.
    pub fn from_clip(name: String, source: ClipSource) -> Self {
        Self { name, shot: None, sources: vec![Arc::new(source)], swings: OnceLock::new() }
    }

    /// A sequence of clips. `sources` are in the order of those of the shot.
    pub fn from_shot(name: String, shot: Sequence, sources: Vec<Arc<ClipSource>>) -> Self {
        Self { name, shot: Some(Box::new(shot)), sources, swings: OnceLock::new() }
    }

    /// What the clip does; none for a shot.
    pub fn source(&self) -> Option<&Arc<ClipSource>> {
        if self.shot.is_some() { None } else { self.sources.first() }
    }

    /// The name in the rig.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The keyed movement of the bones; none for a shot.
    pub fn clip(&self) -> Option<&Clip> {
        self.source().map(|source| &*source.motion)
    }

    /// What is put together of clips; none for a clip.
    pub fn shot(&self) -> Option<&Sequence> {
        self.shot.as_deref()
    }

    /// Length, looping, and how long drawings are held.
    pub fn time(&self) -> ClipTime {
        match (&self.shot, self.clip()) {
            (Some(shot), _) => shot.time(),
            (None, Some(clip)) => clip.time(),
            (None, None) => unreachable!("a clip is its own source"),
        }
    }

    /// How many frames it has: a loop ends with the frame before it repeats, any other clip includes its end.
    pub fn frame_count(&self, fps: f64) -> u64 {
        // A length that was typed as 0.1 must not gain or lose a frame to the last bit.
        const SLACK: f64 = 1e-6;
        let time = self.time();
        let frames = time.length * fps;
        let count = if time.looped { (frames - SLACK).ceil() } else { (frames + SLACK).floor() + 1.0 };
        // A float to integer conversion saturates.
        count.max(1.0) as u64
    }

    /// Poses the bones for a moment. Allocates nothing in poses that were prepared.
    pub fn sample(&self, skeleton: &Skeleton, time: f64, scratch: &mut Pose, pose: &mut Pose) {
        match (&self.shot, self.clip()) {
            (Some(shot), _) => shot.sample(skeleton, time, scratch, pose),
            (None, Some(clip)) => clip.sample(skeleton, time, pose),
            (None, None) => {}
        }
    }

    /// The same without holding drawings.
    pub(crate) fn sample_moving(&self, skeleton: &Skeleton, time: f64, scratch: &mut Pose, pose: &mut Pose) {
        match (&self.shot, self.clip()) {
            (Some(shot), _) => shot.sample_moving(skeleton, time, scratch, pose),
            (None, Some(clip)) => clip.sample_moving(skeleton, time, pose),
            (None, None) => {}
        }
    }

    /// Where the swings of its spring bones are kept.
    pub(crate) fn swings(&self) -> &OnceLock<Option<BakedSprings>> {
        &self.swings
    }

    /// What plays at a moment: what clips do besides moving bones is mixed by this.
    pub(crate) fn voices(&self, time: f64, voices: &mut Vec<WeightedClip>) {
        match (&self.shot, self.clip()) {
            (Some(shot), _) => shot.weighted_clips(time, voices),
            (None, Some(clip)) => {
                voices.clear();
                voices.push(WeightedClip { clip: 0, time: clip.time().local(time), weight: 1.0 });
            }
            (None, None) => voices.clear(),
        }
    }

    /// The free offsets of what plays.
    pub(crate) fn offsets<'s>(
        &'s self,
        voices: &'s [WeightedClip],
    ) -> impl Iterator<Item = PlayedOffsets<'s>> {
        voices.iter().filter_map(|voice| {
            let offsets = &self.sources.get(voice.clip)?.offsets;
            Some(PlayedOffsets { offsets, at: voice.time, weight: voice.weight })
        })
    }

    /// The setup positions of what plays.
    pub(crate) fn setups<'s>(&'s self, voices: &'s [WeightedClip]) -> impl Iterator<Item = PlayedSetups<'s>> {
        voices.iter().filter_map(|voice| {
            let setups = &self.sources.get(voice.clip)?.setups;
            Some(PlayedSetups { setups, at: voice.time, weight: voice.weight })
        })
    }

    /// The keyed weights of what plays.
    pub(crate) fn weights<'s>(
        &'s self,
        voices: &'s [WeightedClip],
    ) -> impl Iterator<Item = PlayedWeights<'s>> + Clone {
        voices.iter().filter_map(|voice| {
            let weights = &self.sources.get(voice.clip)?.weights;
            Some(PlayedWeights { weights, at: voice.time, weight: voice.weight })
        })
    }

    /// How art comes and goes in what plays.
    pub(crate) fn art(&self, voices: &[WeightedClip], stage: &DrawOrder, pose: &mut ArtPose) {
        pose.reset(stage);
        for voice in voices {
            if let Some(source) = self.sources.get(voice.clip) {
                source.art.mix_in(voice.time, voice.weight, pose);
            }
        }
    }

    /// How much each constraint counts in what plays.
    pub(crate) fn settings(
        &self,
        voices: &[WeightedClip],
        rules: &Constraints,
        settings: &mut Vec<ConstraintParameters>,
    ) {
        rules.own_settings(settings);
        for (which, setting) in settings.iter_mut().enumerate() {
            let mut placed = 0.0;
            for voice in voices {
                let Some(source) = self.sources.get(voice.clip) else { continue };
                let Some(track) = source.rules.of(which) else { continue };
                let time = source.motion.time();
                let length = time.looped.then_some(time.length);
                let said = rules.setting(which, track, voice.time, length);
                rules.mix_in(which, setting, &said, voice.weight, &mut placed);
            }
        }
    }

    /// Makes room for whatever this can put into a pose, and for all that may play at a time.
    pub(crate) fn prepare(
        &self,
        skeleton: &Skeleton,
        poses: &mut [&mut Pose],
        voices: &mut Vec<WeightedClip>,
    ) {
        for pose in poses {
            match (&self.shot, self.clip()) {
                (Some(shot), _) => shot.prepare(skeleton, pose),
                (None, Some(clip)) => clip.prepare(pose),
                (None, None) => {}
            }
        }
        // At most two parts, and all layers.
        let layers = self.shot.as_ref().map_or(0, |shot| shot.layer_count());
        voices.reserve((2 + layers).saturating_sub(voices.len()));
    }

    /// Holds each drawing for some frames, whatever the rig says.
    pub fn set_step(&mut self, step: Option<Step>) {
        self.swings = OnceLock::new();
        if let Some(shot) = &mut self.shot {
            // What the clips do besides moving bones is asked for at the times that the shot gives.
            return shot.set_step(step);
        }
        for source in &mut self.sources {
            let source = Arc::make_mut(source);
            Arc::make_mut(&mut source.motion).set_step(step);
        }
    }
}
