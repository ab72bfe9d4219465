//! Clips: keyed movements of bones. A clip turns a time into a [`Pose`]; what it does to the skin (offsets, weights)
//! is kept by the crates that know skin, on the same [`Curve`]s and the same [`ClipTime`]. A [`Driver`] plays the same
//! curves over a value of the pose instead of time.

mod curve;
mod driver;
mod ease;
mod mix;
mod reparent;
mod shot;
mod slopes;
mod step;
mod tracks;
mod value;

use kurbo::Vec2;

pub use curve::{Curve, CurveError, Key};
pub use driver::{Drive, Driver, NotRelative};
pub use ease::{Ease, Extend};
pub use reparent::{Keep, ParentKey, ParentTrack};
pub use shot::{Blend, Fades, Layer, Part, Shot, ShotBuilder, ShotError, Voice};
pub use step::Step;
pub use tracks::Tracks;
pub use value::Value;

use crate::{Angle, BoneId, BonePose, ClipError, Pose, Skeleton};

/// A bone value of one part that a clip can key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Scalar {
    /// Turns the setup pose under resting skin, degrees; relative channels stay relative to it.
    SetupAngle,
    /// Turn against the parent, degrees, absolute.
    Angle,
    /// Turn relative to the setup pose, degrees; adds to an absolute one.
    Rotate,
    /// Length of the bone's own skin.
    Stretch,
}

/// A bone value of two parts that a clip can key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Vector {
    /// Moves the setup origin under resting skin; relative channels stay relative to it.
    SetupOrigin,
    /// Origin in the parent's frame, absolute.
    Origin,
    /// Shift relative to the setup origin; adds to an absolute one.
    Move,
    /// Scale along and across the bone, inherited by children.
    Scale,
}

/// How long a clip is and whether it starts over: the way from the time that plays to the time of the keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipTime {
    /// Seconds.
    pub length: f64,
    /// Whether it starts over after its length.
    pub looped: bool,
    /// How long each drawing is held; none for a new one at any time.
    pub step: Option<Step>,
}

impl ClipTime {
    /// The time on the keys' own axis. What comes before and after a clip that does not loop is up to its curves.
    pub fn local(&self, time: f64) -> f64 {
        let time = if self.looped { time.rem_euclid(self.length) } else { time };
        self.step.map_or(time, |step| step.held(time))
    }

    /// Makes a curve that fills this clip exactly loop without a seam in its speed.
    pub fn fit<T: Value>(&self, curve: &mut Curve<T>) {
        if self.looped {
            curve.close_over(self.length);
        }
    }
}

/// Collects the tracks of a clip.
#[derive(Clone, Debug)]
pub struct ClipBuilder {
    time: ClipTime,
    tracks: Tracks,
    parents: Vec<ParentTrack>,
}

impl ClipBuilder {
    /// A clip of so many seconds in which nothing moves yet.
    pub fn new(length: f64) -> Self {
        let time = ClipTime { length, looped: false, step: None };
        Self { time, tracks: Tracks::new(), parents: Vec::new() }
    }

    /// Whether the clip starts over after its length.
    pub fn looped(mut self, looped: bool) -> Self {
        self.time.looped = looped;
        self
    }

    /// Holds each drawing for some frames.
    pub fn step(mut self, step: Option<Step>) -> Self {
        self.time.step = step;
        self
    }

    /// Keys a value of one part. A second curve for the same value replaces the first.
    pub fn scalar(mut self, bone: BoneId, channel: Scalar, curve: Curve<f64>) -> Self {
        self.tracks = self.tracks.scalar(bone, channel, curve);
        self
    }

    /// Keys a value of two parts. A second curve for the same value replaces the first.
    pub fn vector(mut self, bone: BoneId, channel: Vector, curve: Curve<Vec2>) -> Self {
        self.tracks = self.tracks.vector(bone, channel, curve);
        self
    }

    /// Keys all these values; they replace what was keyed before.
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

    /// Sorts the tracks and works out how bones that change hands keep their places.
    ///
    /// # Errors
    /// If the length is unusable, parents form a loop at some time, or a new parent is flat when it takes over.
    pub fn build(mut self, skeleton: &Skeleton) -> Result<Clip, ClipError> {
        if !(self.time.length.is_finite() && self.time.length > 0.0) {
            return Err(ClipError::Length { length: self.time.length });
        }
        self.tracks.sort();
        self.tracks.fit(self.time);
        self.parents.sort_by_key(ParentTrack::bone);
        let mut clip = Clip { time: self.time, tracks: self.tracks, parents: Vec::new() };
        clip.parents = reparent::resolve(skeleton, &clip, self.parents)?;
        Ok(clip)
    }
}

/// A movement of bones over time, ready to be asked for any moment in any order.
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
    time: ClipTime,
    tracks: Tracks,
    parents: Vec<ParentTrack>,
}

impl Clip {
    /// Length and looping.
    pub fn time(&self) -> ClipTime {
        self.time
    }

    /// Holds each drawing for some frames, or for none.
    pub fn set_step(&mut self, step: Option<Step>) {
        self.time.step = step;
    }

    /// The curves of the bones' values.
    pub fn tracks(&self) -> &Tracks {
        &self.tracks
    }

    /// The bones whose parents change.
    pub fn parents(&self) -> impl ExactSizeIterator<Item = BoneId> {
        self.parents.iter().map(ParentTrack::bone)
    }

    /// Makes room in a pose for whatever this clip can put into it.
    pub fn prepare(&self, pose: &mut Pose) {
        pose.reserve(self.parents.len(), self.tracks.setups());
    }

    /// What is keyed of the bones that are asked for, sorted by bone.
    fn keyed(&self, of: impl Fn(BoneId) -> bool) -> Vec<mix::Keyed> {
        let parents = self.parents.iter().map(ParentTrack::bone);
        let mut bones: Vec<BoneId> = self.tracks.bones().chain(parents).filter(|&bone| of(bone)).collect();
        bones.sort_unstable();
        bones.dedup();
        let mut all: Vec<mix::Keyed> = bones.into_iter().map(mix::Keyed::none).collect();
        let mut mark = |bone: BoneId, mark: fn(&mut mix::Keyed)| {
            if let Ok(at) = all.binary_search_by_key(&bone, |keyed| keyed.bone) {
                mark(&mut all[at]);
            }
        };
        for (bone, channel, _) in self.tracks.vectors() {
            mark(
                bone,
                match channel {
                    Vector::SetupOrigin => |keyed| (keyed.setup, keyed.origin) = (true, true),
                    Vector::Origin | Vector::Move => |keyed| keyed.origin = true,
                    Vector::Scale => |keyed| keyed.scale = true,
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
                },
            );
        }
        for track in &self.parents {
            mark(track.bone(), |keyed| keyed.parent = true);
        }
        all
    }

    /// The pose at a time of this clip alone: the setup pose with every keyed value in place.
    ///
    /// Allocates nothing in a pose that was [prepared](Self::prepare) or has been through this clip.
    pub fn sample(&self, skeleton: &Skeleton, time: f64, pose: &mut Pose) {
        self.sample_keys(skeleton, self.time.local(time), pose);
    }

    /// The same without holding drawings.
    pub fn sample_moving(&self, skeleton: &Skeleton, time: f64, pose: &mut Pose) {
        self.sample_keys(skeleton, ClipTime { step: None, ..self.time }.local(time), pose);
    }

    /// The pose at a time of the keys' own axis.
    fn sample_keys(&self, skeleton: &Skeleton, time: f64, pose: &mut Pose) {
        self.sample_bones(skeleton, time, pose);
        for track in &self.parents {
            track.apply(time, pose);
        }
    }

    /// All but the parents, at a time of the keys' own axis.
    fn sample_bones(&self, skeleton: &Skeleton, time: f64, pose: &mut Pose) {
        pose.reset(skeleton);
        if self.tracks.moves_setup() {
            self.sample_setups(skeleton, time, pose);
        }
        for (bone, channel, curve) in &self.tracks.vectors {
            let bone = &mut pose.bones[bone.index()];
            let value = curve.at(time);
            match channel {
                Vector::SetupOrigin => {}
                Vector::Origin => bone.origin = value,
                Vector::Move => bone.origin += value,
                Vector::Scale => bone.scale = value,
            }
        }
        for (bone, channel, curve) in &self.tracks.scalars {
            let bone = &mut pose.bones[bone.index()];
            let value = curve.at(time);
            match channel {
                Scalar::SetupAngle => {}
                Scalar::Angle => bone.angle = Angle::from_degrees(value),
                Scalar::Rotate => bone.angle += Angle::from_degrees(value),
                Scalar::Stretch => bone.stretch = value,
            }
        }
    }

    fn sample_setups(&self, skeleton: &Skeleton, time: f64, pose: &mut Pose) {
        for (bone, channel, curve) in &self.tracks.vectors {
            if *channel == Vector::SetupOrigin {
                let setup = pose.setup(skeleton, *bone);
                self.set_setup(pose, *bone, BonePose { origin: curve.at(time), ..setup });
            }
        }
        for (bone, channel, curve) in &self.tracks.scalars {
            if *channel == Scalar::SetupAngle {
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
