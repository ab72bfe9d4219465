//! Drivers: bone values that follow another bone's value. A driver is a clip whose time is a value of the
//! pose; its result is added to that pose.

use bone_archive::{Archive, ArchiveError, Reader, Writer, words};
use std::error::Error;
use std::fmt;

use kurbo::Vec2;

use super::{BoneProperty, Join, Scalar, Tracks, Vector};
use crate::{Angle, BoneId, Pose, Skeleton};

words! {
    /// A value of a bone that can drive others.
    #[non_exhaustive]
    pub enum Drive {
        /// The rotation from the setup pose, degrees, not wrapped.
        #[default]
        Rotate = 0,
        /// The shift from the setup origin along the x axis of the parent's frame.
        MoveX = 1,
        /// The shift from the setup origin along the y axis of the parent's frame.
        MoveY = 2,
        /// The scale along the bone.
        ScaleX = 3,
        /// The scale across the bone.
        ScaleY = 4,
        /// The length of the bone's own skin.
        Stretch = 5,
    }
}

impl Drive {
    /// The property that it is a part of: 0, or 1 of a pair.
    pub const fn property(self) -> (BoneProperty, usize) {
        match self {
            Self::Rotate => (BoneProperty::Scalar(Scalar::Rotate), 0),
            Self::MoveX => (BoneProperty::Vector(Vector::Move), 0),
            Self::MoveY => (BoneProperty::Vector(Vector::Move), 1),
            Self::ScaleX => (BoneProperty::Vector(Vector::Scale), 0),
            Self::ScaleY => (BoneProperty::Vector(Vector::Scale), 1),
            Self::Stretch => (BoneProperty::Scalar(Scalar::Stretch), 0),
        }
    }

    /// The value in the setup pose.
    pub const fn at_rest(self) -> f64 {
        self.property().0.row().rest
    }

    /// The value of a bone in a pose. Rotations and shifts are relative to the setup pose of that pose.
    /// A bone of another skeleton is at rest.
    pub fn of(self, skeleton: &Skeleton, pose: &Pose, bone: BoneId) -> f64 {
        let Some(now) = pose.bones.get(bone.index()).filter(|_| skeleton.contains(bone)) else {
            return self.at_rest();
        };
        let (property, part) = self.property();
        let value = property.of(now, &pose.setup(skeleton, bone));
        if part == 0 { value.x } else { value.y }
    }
}

/// A curve that a driver cannot play, because it is absolute: it sets a value instead of adding to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotRelative {
    /// The bone that would be driven.
    pub bone: BoneId,
}

impl fmt::Display for NotRelative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a driver adds to the pose, and a curve of {:?} sets a value", self.bone)
    }
}

impl Error for NotRelative {}

/// Bone values that follow a value of another bone: a biceps that swells as the elbow bends.
///
/// [`Scalar::Rotate`] and [`Vector::Move`] add to the pose, [`Scalar::Stretch`] adds its difference from 1,
/// and [`Vector::Scale`] multiplies; halves of these do the same. Several drivers accumulate; each reads the pose after the drivers before
/// it.
///
/// ```
/// use bone_core::clip::{Curve, Drive, Driver, Extend, Key, Scalar, Tracks};
/// use bone_core::{Angle, BoneSpec, Pose, SkeletonBuilder};
///
/// let gears = SkeletonBuilder::new().bone(BoneSpec::new("big", 20.0)).bone(BoneSpec::new("small", 10.0)).build()?;
/// let (big, small) = (gears.find("big").expect("added"), gears.find("small").expect("added"));
/// let twice_back = Curve::new(vec![Key::new(0.0, 0.0), Key::new(90.0, -180.0)], Extend::Linear)?;
/// let driver = Driver::new(big, Drive::Rotate, Tracks::new().scalar(small, Scalar::Rotate, twice_back))?;
///
/// let mut pose = Pose::new(&gears);
/// pose.bones[big.index()].angle += Angle::from_degrees(450.0);
/// assert_eq!(driver.apply(&gears, &mut pose), 450.0);
/// assert_eq!(pose.bones[small.index()].angle.degrees(), -900.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Driver {
    /// The bone that drives, and which value of it; none if the caller has the driving value.
    source: Option<(BoneId, Drive)>,
    tracks: Tracks,
}

impl Driver {
    /// A driver whose curves are over the driving value instead of time.
    ///
    /// # Errors
    /// If a curve sets a value instead of adding to it.
    pub fn new(bone: BoneId, drive: Drive, tracks: Tracks) -> Result<Self, NotRelative> {
        Self::of(Some((bone, drive)), tracks)
    }

    /// A driver whose curves are over a value that the caller has: see [`apply_at`](Self::apply_at).
    ///
    /// # Errors
    /// If a curve sets a value instead of adding to it.
    pub fn of_number(tracks: Tracks) -> Result<Self, NotRelative> {
        Self::of(None, tracks)
    }

    fn of(source: Option<(BoneId, Drive)>, mut tracks: Tracks) -> Result<Self, NotRelative> {
        let scalar = tracks.scalars.iter().find(|(_, c, _)| c.row().drive == Join::Never);
        let vector = tracks.vectors.iter().find(|(_, c, _)| c.row().drive == Join::Never);
        if let Some(bone) = scalar.map(|track| track.0).or(vector.map(|track| track.0)) {
            return Err(NotRelative { bone });
        }
        tracks.sort();
        Ok(Self { source, tracks })
    }

    /// The bone that drives, and which value of it; none if the caller has the driving value.
    pub fn source(&self) -> Option<(BoneId, Drive)> {
        self.source
    }

    /// The driven bones; a bone may occur more than once.
    pub fn driven(&self) -> impl Iterator<Item = BoneId> {
        let scalars = self.tracks.scalars.iter().map(|(bone, ..)| *bone);
        self.tracks.vectors.iter().map(|(bone, ..)| *bone).chain(scalars)
    }

    /// The curves over the driving value.
    pub fn tracks(&self) -> &Tracks {
        &self.tracks
    }

    /// Adds the driven values to a pose, and returns the driving value: 0 if no bone drives. Bones of another
    /// skeleton are left out. Does not allocate.
    pub fn apply(&self, skeleton: &Skeleton, pose: &mut Pose) -> f64 {
        let value = self.source.map_or(0.0, |(bone, drive)| drive.of(skeleton, pose, bone));
        self.apply_at(value, pose);
        value
    }

    /// Adds what a driving value drives to a pose.
    pub fn apply_at(&self, value: f64, pose: &mut Pose) {
        for (bone, channel, curve) in &self.tracks.vectors {
            let Some(bone) = pose.bones.get_mut(bone.index()) else { continue };
            let by = curve.at(value);
            match channel {
                Vector::Move => bone.origin += by,
                Vector::Scale => bone.scale = Vec2::new(bone.scale.x * by.x, bone.scale.y * by.y),
                Vector::SetupOrigin | Vector::Origin => {}
            }
        }
        for (bone, channel, curve) in &self.tracks.scalars {
            let Some(bone) = pose.bones.get_mut(bone.index()) else { continue };
            let by = curve.at(value);
            match channel {
                Scalar::Rotate => bone.angle += Angle::from_degrees(by),
                Scalar::Stretch => bone.stretch += by - 1.0,
                Scalar::MoveX => bone.origin.x += by,
                Scalar::MoveY => bone.origin.y += by,
                Scalar::ScaleX => bone.scale.x *= by,
                Scalar::ScaleY => bone.scale.y *= by,
                Scalar::SetupAngle | Scalar::Angle | Scalar::OriginX | Scalar::OriginY => {}
            }
        }
    }
}

impl Archive for Driver {
    fn write(&self, to: &mut Writer) {
        self.source.write(to);
        self.tracks.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let (source, tracks) = Archive::read(from)?;
        Self::of(source, tracks).map_err(|_| from.invalid("driver"))
    }
}
