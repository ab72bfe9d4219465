//! Motion of bones over time.

use bone_archive::archive;
use kurbo::Vec2;

use super::channel::{Scalar, Vector};
use super::curve::Curve;
use super::reparent::{ParentKey, ParentTrack};
use super::same_time::SAME_TIME;
use super::step::Step;
use super::time::ClipTime;
use super::tracks::Tracks;
use super::{changes, mix, rebases};
use crate::{Angle, BoneId, BonePose, ClipError, Pose, Skeleton};

/// Collects the tracks of a clip.
#[derive(Clone, Debug)]
pub struct ClipBuilder {
    time: ClipTime,
    retime: Option<Curve<f64>>,
    tracks: Tracks,
    parents: Vec<ParentTrack>,
}

impl ClipBuilder {
    /// A clip of this many seconds without keys.
    pub fn new(length: f64) -> Self {
        Self::timed(ClipTime::new(length, false))
    }

    /// A clip that plays its keys in this way, without keys.
    pub fn timed(time: ClipTime) -> Self {
        Self { time, retime: None, tracks: Tracks::new(), parents: Vec::new() }
    }

    /// Plays the keys at other times: a curve from the time of the clip, within a round, to that of its keys.
    pub fn retime(mut self, retime: Option<Curve<f64>>) -> Self {
        self.retime = retime;
        self
    }

    /// Whether the clip loops.
    pub fn looped(mut self, looped: bool) -> Self {
        self.time.looped = looped;
        self
    }

    /// Holds each drawing for some frames.
    pub fn step(mut self, step: Option<Step>) -> Self {
        self.time.step = step;
        self
    }

    /// Keys a value of one component. A second curve for the same value replaces the first.
    pub fn scalar(mut self, bone: BoneId, channel: Scalar, curve: Curve<f64>) -> Self {
        self.tracks = self.tracks.scalar(bone, channel, curve);
        self
    }

    /// Keys a value of two components. A second curve for the same value replaces the first.
    pub fn vector(mut self, bone: BoneId, channel: Vector, curve: Curve<Vec2>) -> Self {
        self.tracks = self.tracks.vector(bone, channel, curve);
        self
    }

    /// Keys all these values; they replace all keyed before.
    pub fn tracks(mut self, tracks: Tracks) -> Self {
        self.tracks = tracks;
        self
    }

    /// Keys the bone's parent. A second track for the same bone replaces the first.
    pub fn parent(mut self, bone: BoneId, keys: Vec<ParentKey>) -> Self {
        self.parents.retain(|track| track.bone() != bone);
        self.parents.push(ParentTrack::new(bone, keys));
        self
    }

    /// Sorts the tracks, and computes the rebase of each bone that keeps its transform when its parent
    /// changes.
    ///
    /// # Errors
    /// If the length or the time of a parent is not usable, a track names a bone that the skeleton does not have, parents form a
    /// cycle at some time, or the frame of a new parent is singular when it takes over.
    pub fn build(mut self, skeleton: &Skeleton) -> Result<Clip, ClipError> {
        if !(self.time.length.is_finite() && self.time.length > 0.0) {
            return Err(ClipError::Length { length: self.time.length });
        }
        let mut bones = self.tracks.bones().chain(self.parents.iter().flat_map(ParentTrack::bones));
        if let Some(bone) = bones.find(|&bone| !skeleton.contains(bone)) {
            return Err(ClipError::UnknownBone { bone });
        }
        drop(bones);
        if let Some(track) = self.parents.iter().find(|track| !track.is_finite()) {
            return Err(ClipError::ParentTime { bone: track.bone() });
        }
        self.tracks.sort();
        if self.retime.is_none() {
            self.tracks.fit(self.time);
        }
        self.parents.sort_by_key(ParentTrack::bone);
        let (time, retime) = (self.time, self.retime);
        let mut clip = Clip { time, retime, tracks: self.tracks, parents: Vec::new() };
        clip.parents =
            rebases::resolve(skeleton, |time, pose| clip.sample_bones(skeleton, time, pose), self.parents)?;
        Ok(clip)
    }
}

/// Motion of bones over time. It can be sampled at any time in any order.
///
/// ```
/// use bone_core::clip::{ClipBuilder, Curve, Extend, Key, Scalar};
/// use bone_core::{BoneSpec, Pose, SkeletonBuilder};
///
/// let flag = SkeletonBuilder::new().bone(BoneSpec::new("pole", 80.0)).build()?;
/// let pole = flag.find("pole").expect("it was added");
/// let sway = Curve::new(vec![Key::new(0.0, -5.0), Key::new(1.0, 5.0), Key::new(2.0, -5.0)], Extend::Hold)?;
/// let clip = ClipBuilder::new(2.0).looped(true).scalar(pole, Scalar::Rotate, sway).build(&flag)?;
///
/// let mut pose = Pose::new(&flag);
/// clip.sample(&flag, 5.0, &mut pose);
/// assert_eq!(pose.bones[pole.index()].angle.degrees(), 5.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Clip {
    pub(super) time: ClipTime,
    retime: Option<Curve<f64>>,
    pub(super) tracks: Tracks,
    pub(super) parents: Vec<ParentTrack>,
}

impl Clip {
    /// Length and looping.
    pub fn time(&self) -> ClipTime {
        self.time
    }

    /// The time of its keys at a playback time: everything that it does is keyed on that axis.
    pub fn key_time(&self, time: f64) -> f64 {
        self.retimed(self.time.keyed(time))
    }

    /// The playback times from 0 to the length at which a time of the keys is passed, ascending.
    pub fn playback_times(&self, key: f64) -> Vec<f64> {
        /// Between two keys of `retime` so many places are looked at: an ease may go back and forth.
        const BETWEEN: u32 = 64;
        const HALVINGS: u32 = 60;
        let Some(retime) = &self.retime else { return self.time.playback_times(key) };
        let (end, off) = (self.time.key_length(), |time: f64| retime.at(time) - key);
        let mut ends: Vec<f64> = retime.keys().map(|at| at.time).chain([0.0, end]).collect();
        ends.retain(|time| (0.0..=end).contains(time));
        ends.sort_by(f64::total_cmp);
        let between = |pair: &[f64]| {
            let (from, run) = (pair[0], pair[1] - pair[0]);
            (0..BETWEEN).map(move |part| from + run * f64::from(part) / f64::from(BETWEEN))
        };
        let places = ends.windows(2).flat_map(between).chain([end]);
        let (mut found, mut before) = (Vec::new(), None);
        for place in places {
            let now = off(place);
            match before {
                // Where it stays, its arrival counts.
                _ if now == 0.0 => found.extend(before.is_none_or(|(_, off)| off != 0.0).then_some(place)),
                Some((mut from, was)) if was * now < 0.0 => {
                    let mut to = place;
                    for _ in 0..HALVINGS {
                        let middle = 0.5 * (from + to);
                        if off(from) * off(middle) <= 0.0 { to = middle } else { from = middle }
                    }
                    found.push(to);
                }
                _ => {}
            }
            before = Some((place, now));
        }
        let mut times: Vec<f64> = found.into_iter().flat_map(|at| self.time.playback_times(at)).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }

    /// The same without holding drawings.
    pub fn moving_key_time(&self, time: f64) -> f64 {
        self.retimed(self.time.moving().keyed(time))
    }

    fn retimed(&self, time: f64) -> f64 {
        self.retime.as_ref().map_or(time, |retime| retime.at(time))
    }

    /// Whether the times of its keys are those of the clip, from 0 to its length.
    pub fn plays_straight(&self) -> bool {
        self.time.rounds.is_none() && self.retime.is_none()
    }

    /// Seconds after which its keys are played again from their start; none if they are played once, turn
    /// back, or at other times.
    pub fn key_loop(&self) -> Option<f64> {
        self.time.key_loop().filter(|_| self.retime.is_none())
    }

    /// Sets for how many frames each drawing is held, if any.
    pub fn set_step(&mut self, step: Option<Step>) {
        self.time.step = step;
    }

    /// The curves of the bones' values.
    pub fn tracks(&self) -> &Tracks {
        &self.tracks
    }

    /// The bones whose parent is keyed.
    pub fn parents(&self) -> impl ExactSizeIterator<Item = BoneId> {
        self.parents.iter().map(ParentTrack::bone)
    }

    /// The intervals of time outside of which another clip has the same poses, to the bit: in order, none for
    /// equal clips. All times if lengths, parents or keyed channels differ.
    pub fn changed_since(&self, last: &Self) -> Vec<(f64, f64)> {
        let (mine, theirs) = (&self.tracks, &last.tracks);
        let times = |clip: &Self| clip.time.moving();
        let scalars = mine.scalars.iter().zip(&theirs.scalars);
        let vectors = mine.vectors.iter().zip(&theirs.vectors);
        let same = times(self) == times(last)
            && (&self.parents, &self.retime) == (&last.parents, &last.retime)
            && (mine.scalars.len(), mine.vectors.len()) == (theirs.scalars.len(), theirs.vectors.len())
            && scalars.clone().all(|(a, b)| (a.0, a.1) == (b.0, b.1))
            && vectors.clone().all(|(a, b)| (a.0, a.1) == (b.0, b.1));
        if !same {
            return vec![changes::ALL];
        }
        let mut changed = Vec::new();
        scalars.for_each(|(a, b)| a.2.changed_since(&b.2, &mut changed));
        vectors.for_each(|(a, b)| a.2.changed_since(&b.2, &mut changed));
        let mut changed = changes::join(changed);
        if !changed.is_empty() && !self.plays_straight() {
            // The intervals are of the keys.
            return vec![changes::ALL];
        }
        if self.time.looped {
            // It plays no other times.
            changed
                .iter_mut()
                .for_each(|(from, to)| (*from, *to) = (from.max(0.0), to.min(self.time.length)));
            changed.retain(|(from, to)| from < to);
        }
        changed
    }

    /// A bone of this clip that a skeleton does not have, if the clip was built for another one.
    pub(super) fn unknown_bone(&self, skeleton: &Skeleton) -> Option<BoneId> {
        let mut bones = self.tracks.bones().chain(self.parents.iter().flat_map(ParentTrack::bones));
        bones.find(|&bone| !skeleton.contains(bone))
    }

    /// Reserves memory in a pose for everything that this clip can write.
    pub fn prepare(&self, pose: &mut Pose) {
        pose.reserve(self.parents.len(), self.tracks.setups());
    }

    /// The keyed channels of the bones that pass a test, sorted by bone.
    pub(super) fn keyed(&self, of: impl Fn(BoneId) -> bool) -> Vec<mix::KeyedChannels> {
        let parents = self.parents.iter().map(ParentTrack::bone);
        let mut bones: Vec<BoneId> = self.tracks.bones().chain(parents).filter(|&bone| of(bone)).collect();
        bones.sort_unstable();
        bones.dedup();
        let mut all: Vec<mix::KeyedChannels> = bones.into_iter().map(mix::KeyedChannels::none).collect();
        let mut mark = |bone: BoneId, mark: fn(&mut mix::KeyedChannels)| {
            if let Ok(at) = all.binary_search_by_key(&bone, |keyed| keyed.bone) {
                mark(&mut all[at]);
            }
        };
        for (bone, channel, _) in self.tracks.vectors() {
            mark(
                bone,
                match channel {
                    Vector::SetupOrigin => |keyed| (keyed.setup, keyed.origin) = (true, [true; 2]),
                    Vector::Origin | Vector::Move => |keyed| keyed.origin = [true; 2],
                    Vector::Scale => |keyed| keyed.scale = [true; 2],
                },
            );
        }
        for (bone, channel, _) in self.tracks.scalars() {
            mark(
                bone,
                match channel {
                    Scalar::SetupAngle => |keyed| (keyed.setup, keyed.angle) = (true, true),
                    Scalar::Angle | Scalar::Rotate => |keyed| keyed.angle = true,
                    Scalar::Stretch => |keyed| keyed.stretch = true,
                    Scalar::OriginX | Scalar::MoveX => |keyed| keyed.origin[0] = true,
                    Scalar::OriginY | Scalar::MoveY => |keyed| keyed.origin[1] = true,
                    Scalar::ScaleX => |keyed| keyed.scale[0] = true,
                    Scalar::ScaleY => |keyed| keyed.scale[1] = true,
                },
            );
        }
        for track in &self.parents {
            mark(track.bone(), |keyed| keyed.parent = true);
        }
        all
    }

    /// The pose of this clip at a time: the setup pose with every keyed value. Bones that the skeleton does not have are
    /// left out.
    ///
    /// Does not allocate in a pose that was [prepared](Self::prepare) or was sampled with this clip before.
    pub fn sample(&self, skeleton: &Skeleton, time: f64, pose: &mut Pose) {
        self.sample_keys(skeleton, self.key_time(time), pose);
    }

    /// The same without holding drawings.
    pub fn sample_moving(&self, skeleton: &Skeleton, time: f64, pose: &mut Pose) {
        self.sample_keys(skeleton, self.moving_key_time(time), pose);
    }

    /// The pose at a time of the keys: see [`key_time`](Self::key_time).
    pub fn sample_keys(&self, skeleton: &Skeleton, time: f64, pose: &mut Pose) {
        self.sample_bones(skeleton, time, pose);
        for track in &self.parents {
            track.apply(time + SAME_TIME, pose);
        }
    }

    /// All but the parents, at a time on the axis of the keys.
    pub(super) fn sample_bones(&self, skeleton: &Skeleton, time: f64, pose: &mut Pose) {
        pose.reset(skeleton);
        if self.tracks.moves_setup() {
            self.sample_setups(skeleton, time, pose);
        }
        for (bone, channel, curve) in &self.tracks.vectors {
            let Some(bone) = pose.bones.get_mut(bone.index()) else { continue };
            let value = curve.at(time);
            match channel {
                Vector::SetupOrigin => {}
                Vector::Origin => bone.origin = value,
                Vector::Move => bone.origin += value,
                Vector::Scale => bone.scale = value,
            }
        }
        for (bone, channel, curve) in &self.tracks.scalars {
            let Some(bone) = pose.bones.get_mut(bone.index()) else { continue };
            let value = curve.at(time);
            match channel {
                Scalar::SetupAngle => {}
                Scalar::Angle => bone.angle = Angle::from_degrees(value),
                Scalar::Rotate => bone.angle += Angle::from_degrees(value),
                Scalar::Stretch => bone.stretch = value,
                Scalar::MoveX => bone.origin.x += value,
                Scalar::MoveY => bone.origin.y += value,
                Scalar::OriginX => bone.origin.x = value,
                Scalar::OriginY => bone.origin.y = value,
                Scalar::ScaleX => bone.scale.x = value,
                Scalar::ScaleY => bone.scale.y = value,
            }
        }
    }

    fn sample_setups(&self, skeleton: &Skeleton, time: f64, pose: &mut Pose) {
        for (bone, channel, curve) in &self.tracks.vectors {
            if *channel == Vector::SetupOrigin && skeleton.contains(*bone) {
                let setup = pose.setup(skeleton, *bone);
                self.set_setup(pose, *bone, BonePose { origin: curve.at(time), ..setup });
            }
        }
        for (bone, channel, curve) in &self.tracks.scalars {
            if *channel == Scalar::SetupAngle && skeleton.contains(*bone) {
                let setup = pose.setup(skeleton, *bone);
                self.set_setup(pose, *bone, BonePose { angle: Angle::from_degrees(curve.at(time)), ..setup });
            }
        }
    }

    fn set_setup(&self, pose: &mut Pose, bone: BoneId, setup: BonePose) {
        pose.set_setup(bone, setup.origin, setup.angle);
        pose.bones[bone.index()] = setup;
    }
}

archive!(struct Clip { time, retime, tracks, parents });
