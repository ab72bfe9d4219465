//! Clips and sequences of a rig, with one interface for both. `bone-core` moves the bones; the names, and
//! everything else that a clip does, are here.

use bone_archive::archive;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bone_core::clip::{Clip, ClipTime, LayerBlend, Sequence, Step, WeightedClip, same_frame};
use bone_core::constraint::ConstraintParameters;
use bone_core::spring::BakedSprings;
use bone_core::{BoneId, Pose, Skeleton};
use bone_skin::{Offsets, PlayedOffsets, PlayedSetups, PlayedWeights, Setups, Skin, WeightTracks};

use crate::constraints::{ConstraintTracks, Constraints};
use crate::draw_order::{ArtPose, ArtTracks, DrawOrder, PlacedTracks};
use crate::events::ClipEvents;
use crate::identity::RigIdentity;

/// Everything that one keyed clip does. Sequences share it with the clips that they play.
#[derive(Clone, Debug)]
pub struct ClipData {
    /// The keyed motion of the bones.
    pub motion: Arc<Clip>,
    /// The keyed offsets of vertices.
    pub offsets: Offsets,
    /// The keyed setup positions of vertices.
    pub setups: Setups,
    /// The keyed weights of vertices.
    pub weights: WeightTracks,
    /// The keyed visibility, opacity and draw order of art.
    pub art: ArtTracks,
    /// The keyed parameters of constraints.
    pub constraints: ConstraintTracks,
    /// Its events, those of the rig.
    pub events: ClipEvents,
}

/// The baked secondary motion of a clip, with what the clip did.
#[derive(Clone, Debug)]
struct LastBake {
    springs: Arc<OnceLock<Option<BakedSprings>>>,
    sequence: Option<Box<Sequence>>,
    clips: Vec<Arc<ClipData>>,
}

/// A movement of the rig: a keyed clip, or a sequence of clips.
///
/// It plays in the rig that it is a part of, and so do its clones.
#[derive(Clone, Debug)]
pub struct RigClip {
    name: String,
    /// The parts and layers of a sequence; none for a keyed clip.
    sequence: Option<Box<Sequence>>,
    /// The clips of the sequence in its order; for a keyed clip, its own data.
    clips: Vec<Arc<ClipData>>,
    /// The camera of a sequence, in place of those of its clips.
    camera: ArtTracks,
    /// The seconds at which secondary motion begins anew, in order.
    cuts: Vec<f64>,
    /// The secondary motion of spring bones, baked when it is first played; none if it cannot be baked.
    baked_springs: Arc<OnceLock<Option<BakedSprings>>>,
    /// What was baked for a clip that this one replaces, until it is baked itself.
    last_bake: Arc<Mutex<Option<LastBake>>>,
    /// The rig that it is a part of; none before a rig is built with it.
    rig: Option<RigIdentity>,
    /// The row of each lane of art of each of its clips, and of its camera, in that rig.
    rows: Vec<Vec<u32>>,
}

impl RigClip {
    /// A keyed clip.
    pub fn from_clip(name: String, data: impl Into<Arc<ClipData>>) -> Self {
        Self {
            name,
            sequence: None,
            clips: vec![data.into()],
            camera: ArtTracks::default(),
            cuts: Vec::new(),
            baked_springs: Arc::default(),
            last_bake: Arc::default(),
            rig: None,
            rows: Vec::new(),
        }
    }

    /// A sequence of clips. `clips` are in the order of those of the sequence.
    pub fn from_sequence(name: String, sequence: Sequence, clips: Vec<Arc<ClipData>>) -> Self {
        Self {
            name,
            sequence: Some(Box::new(sequence)),
            clips,
            camera: ArtTracks::default(),
            cuts: Vec::new(),
            baked_springs: Arc::default(),
            last_bake: Arc::default(),
            rig: None,
            rows: Vec::new(),
        }
    }

    /// The same with a camera of its own, over its own time.
    #[must_use]
    pub fn with_camera(self, camera: ArtTracks) -> Self {
        Self { camera, ..self }
    }

    /// The same with secondary motion that begins anew at some seconds, as in another shot of a film. Seconds outside
    /// of it are left out.
    #[must_use]
    pub fn with_cuts(self, mut cuts: Vec<f64>) -> Self {
        let length = self.time().length;
        cuts.retain(|cut| *cut > 0.0 && *cut < length);
        cuts.sort_by(f64::total_cmp);
        Self { cuts, ..self }
    }

    /// The seconds at which secondary motion begins anew.
    pub(crate) fn cuts(&self) -> &[f64] {
        &self.cuts
    }

    /// Shares the baked secondary motion of a clip with an equal motion, in a rig with equal bones, springs,
    /// drivers and constraints: whichever is played first bakes it for both.
    #[must_use]
    pub fn with_springs_of(self, equal: &Self) -> Self {
        Self { baked_springs: Arc::clone(&equal.baked_springs), ..self }
    }

    /// Bakes the secondary motion only where this clip differs from one that it replaces, in a rig with equal
    /// bones, springs, drivers and constraints.
    #[must_use]
    pub fn with_springs_after(self, last: &Self) -> Self {
        let last_bake = if last.is_baked() {
            let (sequence, clips) = (last.sequence.clone(), last.clips.clone());
            Some(LastBake { springs: Arc::clone(&last.baked_springs), sequence, clips })
        } else {
            // That clip was not played since it was changed itself.
            last.last_bake.lock().unwrap_or_else(PoisonError::into_inner).clone()
        };
        Self { last_bake: Arc::new(Mutex::new(last_bake)), ..self }
    }

    /// Gives what was baked for the clip that this one replaces to a function, with the intervals of time in
    /// which the clips differ; once.
    pub(crate) fn with_last_bake<T>(
        &self,
        bake: impl FnOnce(Option<(&BakedSprings, &[(f64, f64)])>) -> T,
    ) -> T {
        let last = self.last_bake.lock().unwrap_or_else(PoisonError::into_inner).take();
        let last =
            last.as_ref().and_then(|last| Some((last.springs.get()?.as_ref()?, self.changed_since(last)?)));
        bake(last.as_ref().map(|(springs, changed)| (*springs, &changed[..])))
    }

    /// The intervals of time in which bones move differently, if nothing but keys of bones was changed.
    fn changed_since(&self, last: &LastBake) -> Option<Vec<(f64, f64)>> {
        let is_same = |(data, then): (&Arc<ClipData>, &Arc<ClipData>)| {
            data.constraints == then.constraints && data.art.moves_sliders_as(&then.art)
        };
        let same = self.clips.len() == last.clips.len() && self.clips.iter().zip(&last.clips).all(is_same);
        if !same {
            return None;
        }
        match (&self.sequence, &last.sequence) {
            (Some(sequence), Some(last)) => Some(sequence.changed_since(last)),
            (None, None) => Some(self.clip()?.changed_since(&last.clips.first()?.motion)),
            _ => None,
        }
    }

    /// Whether two clips share their baked secondary motion.
    pub fn shares_springs(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.baked_springs, &other.baked_springs)
    }

    /// Whether the secondary motion was baked.
    pub fn is_baked(&self) -> bool {
        self.baked_springs.get().is_some()
    }

    /// Everything that the clip does; none for a sequence.
    pub fn data(&self) -> Option<&Arc<ClipData>> {
        if self.sequence.is_some() { None } else { self.clips.first() }
    }

    /// The data of the clips of a sequence, in its order; for a keyed clip, its own.
    pub fn sources(&self) -> &[Arc<ClipData>] {
        &self.clips
    }

    /// The keyed motion of its clips.
    pub(crate) fn motions(&self) -> impl Iterator<Item = &Clip> {
        self.clips.iter().map(|data| &*data.motion)
    }

    /// The name in the rig.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The keyed motion of the bones; none for a sequence.
    pub fn clip(&self) -> Option<&Clip> {
        self.data().map(|data| &*data.motion)
    }

    /// The parts and layers of a sequence; none for a keyed clip.
    pub fn sequence(&self) -> Option<&Sequence> {
        self.sequence.as_deref()
    }

    /// Length, looping, and how long drawings are held.
    pub fn time(&self) -> ClipTime {
        match (&self.sequence, self.clip()) {
            (Some(sequence), _) => sequence.time(),
            (None, Some(clip)) => clip.time(),
            (None, None) => unreachable!("a keyed clip has its own data"),
        }
    }

    /// The number of frames: a loop ends with the frame before it repeats, any other clip includes its end.
    pub fn frame_count(&self, fps: f64) -> u64 {
        let time = self.time();
        let (frames, slack) = (time.length * fps, same_frame(fps));
        let count = if time.looped { (frames - slack).ceil() } else { (frames + slack).floor() + 1.0 };
        // A float to integer conversion saturates.
        count.max(1.0) as u64
    }

    /// Makes it a part of a rig.
    pub(crate) fn set_rig(&mut self, rig: &RigIdentity, draw_order: &DrawOrder) {
        self.rig = Some(rig.clone());
        self.rows = self.art_tracks().map(|tracks| tracks.rows(draw_order)).collect();
    }

    /// Whether it is a part of this rig.
    pub(crate) fn is_of(&self, rig: &RigIdentity) -> bool {
        self.rig.as_ref() == Some(rig)
    }

    /// The bones that its clips move.
    pub(crate) fn bones(&self) -> impl Iterator<Item = BoneId> {
        let clips = self.clips.iter().map(|data| &*data.motion);
        let clips =
            clips.chain(self.sequence.iter().flat_map(|sequence| sequence.clips()).map(|clip| &**clip));
        clips.flat_map(|clip| {
            let scalars = clip.tracks().scalars().map(|(bone, ..)| bone);
            scalars.chain(clip.tracks().vectors().map(|(bone, ..)| bone)).chain(clip.parents())
        })
    }

    /// Poses the bones at a time. Allocates nothing in poses that were prepared.
    pub(crate) fn sample(&self, skeleton: &Skeleton, time: f64, scratch: &mut Pose, pose: &mut Pose) {
        match (&self.sequence, self.clip()) {
            (Some(sequence), _) => sequence.sample(skeleton, time, scratch, pose),
            (None, Some(clip)) => clip.sample(skeleton, time, pose),
            (None, None) => {}
        }
    }

    /// The same without holding drawings.
    pub(crate) fn sample_moving(&self, skeleton: &Skeleton, time: f64, scratch: &mut Pose, pose: &mut Pose) {
        match (&self.sequence, self.clip()) {
            (Some(sequence), _) => sequence.sample_moving(skeleton, time, scratch, pose),
            (None, Some(clip)) => clip.sample_moving(skeleton, time, pose),
            (None, None) => {}
        }
    }

    /// The cache of the baked secondary motion.
    pub(crate) fn baked_springs(&self) -> &OnceLock<Option<BakedSprings>> {
        &self.baked_springs
    }

    /// The clips that play at a time, with their weights: everything but the bones is mixed by them.
    pub(crate) fn weighted_clips(&self, time: f64, weighted_clips: &mut Vec<WeightedClip>) {
        match (&self.sequence, self.clip()) {
            (Some(sequence), _) => sequence.weighted_clips(time, weighted_clips),
            (None, Some(clip)) => {
                weighted_clips.clear();
                let time = clip.key_time(time);
                weighted_clips.push(WeightedClip { clip: 0, time, weight: 1.0, level: 1.0, layer: None });
            }
            (None, None) => weighted_clips.clear(),
        }
    }

    /// The data of each playing clip.
    pub(crate) fn playing<'s>(
        &'s self,
        weighted_clips: &'s [WeightedClip],
    ) -> impl Iterator<Item = PlayedClip<'s>> + Clone {
        weighted_clips
            .iter()
            .filter_map(|playing| Some(PlayedClip { data: self.clips.get(playing.clip)?, played: playing }))
    }

    /// The art at a time, whose playing clips are known.
    pub(crate) fn mix_art(&self, (time, weighted_clips): (f64, &[WeightedClip]), pose: &mut ArtPose) {
        pose.reset();
        for played in weighted_clips {
            if let (Some(data), Some(rows)) = (self.clips.get(played.clip), self.rows.get(played.clip)) {
                let art = PlacedTracks { tracks: &data.art, rows };
                art.mix_in(played.time, (played.level, played.layer), pose);
            }
        }
        if let Some(camera) = self.placed_art().last() {
            camera.mix_in(self.time().local(time), (1.0, Some(LayerBlend::Replace)), pose);
        }
    }

    /// What of art its clips key, then its camera.
    fn art_tracks(&self) -> impl DoubleEndedIterator<Item = &ArtTracks> + Clone {
        self.clips.iter().map(|data| &data.art).chain([&self.camera])
    }

    /// The same in the rig that it is a part of.
    pub(crate) fn placed_art(&self) -> impl Iterator<Item = PlacedTracks<'_>> + Clone {
        self.art_tracks().zip(&self.rows).map(|(tracks, rows)| PlacedTracks { tracks, rows })
    }

    /// Reserves memory for everything that this can write into a pose, and for all clips that can play at
    /// once.
    pub(crate) fn prepare(
        &self,
        skeleton: &Skeleton,
        poses: &mut [&mut Pose],
        weighted_clips: &mut Vec<WeightedClip>,
    ) {
        for pose in poses {
            match (&self.sequence, self.clip()) {
                (Some(sequence), _) => sequence.prepare(skeleton, pose),
                (None, Some(clip)) => clip.prepare(pose),
                (None, None) => {}
            }
        }
        weighted_clips.reserve(self.most_at_once().saturating_sub(weighted_clips.len()));
    }

    /// How many keyed clips play at most at once.
    pub(crate) fn most_at_once(&self) -> usize {
        self.sequence.as_ref().map_or(1, |sequence| sequence.most_at_once())
    }

    /// Its secondary motion is computed anew.
    pub(crate) fn forget_springs(&mut self) {
        (self.baked_springs, self.last_bake) = (Arc::default(), Arc::default());
    }

    /// Holds each drawing for some frames, in place of the number in the rig file.
    pub fn set_step(&mut self, step: Option<Step>) {
        self.forget_springs();
        if let Some(sequence) = &mut self.sequence {
            // Everything but the bones is sampled at the times that the sequence gives.
            return sequence.set_step(step);
        }
        for data in &mut self.clips {
            let data = Arc::make_mut(data);
            Arc::make_mut(&mut data.motion).set_step(step);
        }
    }
}

/// A keyed clip at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlayedClip<'s> {
    pub(crate) data: &'s ClipData,
    pub(crate) played: &'s WeightedClip,
}

impl<'s> PlayedClip<'s> {
    pub(crate) fn offsets(self) -> PlayedOffsets<'s> {
        PlayedOffsets { offsets: &self.data.offsets, at: self.played.time, weight: self.played.weight }
    }

    pub(crate) fn setups(self) -> PlayedSetups<'s> {
        PlayedSetups { setups: &self.data.setups, at: self.played.time, weight: self.played.weight }
    }

    pub(crate) fn weights(self) -> PlayedWeights<'s> {
        PlayedWeights { weights: &self.data.weights, at: self.played.time, weight: self.played.weight }
    }
}

/// The parameters of each constraint in the playing clips.
pub(crate) fn mix_parameters<'s>(
    playing: impl Iterator<Item = PlayedClip<'s>> + Clone,
    constraints: &Constraints,
    parameters: &mut Vec<ConstraintParameters>,
) {
    constraints.own_parameters(parameters);
    for (index, (mixed, constraint)) in parameters.iter_mut().zip(&constraints.constraints).enumerate() {
        let mut place_weight = 0.0;
        for played in playing.clone() {
            let Some(track) = played.data.constraints.of(index) else { continue };
            let length = played.data.motion.key_loop();
            let keyed = track.parameters(constraint, played.played.time, length);
            constraints.mix_in(index, mixed, &keyed, played.played.weight, &mut place_weight);
        }
    }
}

archive!(struct RigClip { name, sequence, clips, camera, cuts; baked_springs = Arc::default(), last_bake = Arc::default(), rig = None, rows = Vec::new() }
    if |clip| (clip.sequence.is_some() || clip.clips.len() == 1) && cuts_fit(&clip.cuts, clip.time()), "clip");

/// Whether cuts are in order and within a clip.
fn cuts_fit(cuts: &[f64], time: ClipTime) -> bool {
    cuts.is_sorted() && cuts.iter().all(|cut| *cut > 0.0 && *cut < time.length)
}

impl RigClip {
    /// Whether the skin has what its clips move, and a rig with so many events those of its clips.
    pub(crate) fn fits(&self, skin: &Skin, events: usize) -> bool {
        let fits = |data: &ClipData| {
            data.offsets.fit(skin)
                && data.setups.fit(skin)
                && data.weights.fit(skin)
                && data.events.fit(events)
        };
        self.clips.iter().all(|data| fits(data))
    }
}
