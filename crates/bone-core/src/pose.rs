//! The animated state of a skeleton: one local transform for each bone, and overrides of parent and setup.
//! [`WorldPose`](crate::WorldPose) places a pose on the canvas.

use std::ops::{Deref, DerefMut};

use kurbo::Vec2;

use crate::{Angle, BoneId, BonePose, Rebase, Skeleton};

/// A parent other than the one at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reparent {
    /// The bone with the changed parent.
    pub bone: BoneId,
    /// Its parent in this pose; none for the canvas.
    pub parent: Option<BoneId>,
    /// The old parent's frame relative to the new parent's.
    pub rebase: Rebase,
}

/// The local transforms of all bones, in the frames of their parents.
///
/// ```
/// use bone_core::{Angle, BoneSpec, Pose, SkeletonBuilder, WorldPose};
///
/// let arm = SkeletonBuilder::new()
///     .bone(BoneSpec::new("fore", 40.0).parent("upper").origin(50.0, 0.0))
///     .bone(BoneSpec::new("upper", 50.0))
///     .build()?;
/// let mut pose = Pose::new(&arm);
/// pose.bones[0].angle = Angle::from_degrees(90.0);
/// let mut world = WorldPose::new(&arm);
/// world.forward(&arm, &pose)?;
/// let fore = arm.find("fore").expect("it was added");
/// assert_eq!(world.tip(&arm, &pose, fore), kurbo::Point::new(0.0, 90.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    /// The local transform of each bone, in the skeleton's order.
    pub bones: BonePoses,
    /// Bones with another parent than at rest, sorted by bone.
    pub(crate) reparents: Vec<Reparent>,
    /// Setup origins and angles other than the skeleton's: sorted by bone.
    pub(crate) setups: Vec<(BoneId, BonePose)>,
}

/// The local transforms of a pose: a slice with one entry for each bone of the skeleton. Its length cannot be
/// changed.
#[derive(Clone, Debug, PartialEq)]
pub struct BonePoses(Vec<BonePose>);

impl Deref for BonePoses {
    type Target = [BonePose];

    #[inline]
    fn deref(&self) -> &[BonePose] {
        &self.0
    }
}

impl DerefMut for BonePoses {
    #[inline]
    fn deref_mut(&mut self) -> &mut [BonePose] {
        &mut self.0
    }
}

impl<'p> IntoIterator for &'p BonePoses {
    type Item = &'p BonePose;
    type IntoIter = std::slice::Iter<'p, BonePose>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'p> IntoIterator for &'p mut BonePoses {
    type Item = &'p mut BonePose;
    type IntoIter = std::slice::IterMut<'p, BonePose>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter_mut()
    }
}

impl Pose {
    /// The setup pose.
    pub fn new(skeleton: &Skeleton) -> Self {
        Self { bones: BonePoses(skeleton.setup.clone()), reparents: Vec::new(), setups: Vec::new() }
    }

    /// Resets to the setup pose, without allocating.
    pub fn reset(&mut self, skeleton: &Skeleton) {
        self.bones.0.clear();
        self.bones.0.extend_from_slice(&skeleton.setup);
        self.reparents.clear();
        self.setups.clear();
    }

    /// Becomes equal to another pose, reusing its memory.
    pub fn copy_from(&mut self, other: &Self) {
        self.bones.0.clone_from(&other.bones.0);
        self.reparents.clone_from(&other.reparents);
        self.setups.clone_from(&other.setups);
    }

    /// Changes the parent of a bone. A cycle, or a bone that is not in the skeleton, is an error of the
    /// forward pass.
    pub fn set_parent(&mut self, change: Reparent) {
        match self.reparents.binary_search_by_key(&change.bone, |r| r.bone) {
            Ok(at) => self.reparents[at] = change,
            Err(at) => self.reparents.insert(at, change),
        }
    }

    /// Resets a bone to its parent at rest.
    pub(crate) fn reset_parent(&mut self, bone: BoneId) {
        if let Ok(at) = self.reparents.binary_search_by_key(&bone, |r| r.bone) {
            self.reparents.remove(at);
        }
    }

    /// Reserves memory for this many changed parents and setups.
    pub(crate) fn reserve(&mut self, reparents: usize, setups: usize) {
        self.reparents.reserve(reparents.saturating_sub(self.reparents.len()));
        self.setups.reserve(setups.saturating_sub(self.setups.len()));
    }

    /// The bones with changed parents or setups, and the new parents.
    pub(crate) fn changed_bones(&self) -> impl Iterator<Item = BoneId> {
        let children = self.reparents.iter().map(|change| change.bone);
        let parents = self.reparents.iter().filter_map(|change| change.parent);
        children.chain(parents).chain(self.setups.iter().map(|setup| setup.0))
    }

    /// The parent that a bone has in this pose.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton.
    pub fn parent(&self, skeleton: &Skeleton, bone: BoneId) -> Option<BoneId> {
        self.reparent(bone).map_or_else(|| skeleton.parent(bone), |r| r.parent)
    }

    #[inline]
    pub(crate) fn reparent(&self, bone: BoneId) -> Option<&Reparent> {
        let at = self.reparents.binary_search_by_key(&bone, |r| r.bone).ok()?;
        Some(&self.reparents[at])
    }

    /// Moves the setup pose of a bone under its resting skin: origin and angle replace the skeleton's in this
    /// pose. Scale and stretch of a setup pose are always 1. A bone that is not in the skeleton is an error
    /// of the forward pass.
    pub fn set_setup(&mut self, bone: BoneId, origin: Vec2, angle: Angle) {
        let setup = BonePose { origin, angle, ..BonePose::REST };
        match self.setups.binary_search_by_key(&bone, |s| s.0) {
            Ok(at) => self.setups[at].1 = setup,
            Err(at) => self.setups.insert(at, (bone, setup)),
        }
    }

    /// The setup pose of a bone in this pose.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton.
    pub fn setup(&self, skeleton: &Skeleton, bone: BoneId) -> BonePose {
        match self.setups.binary_search_by_key(&bone, |s| s.0) {
            Ok(at) => self.setups[at].1,
            Err(_) => *skeleton.setup(bone),
        }
    }

    /// The bone's current length: its length at rest times the x part of its own scale.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton.
    pub fn length(&self, skeleton: &Skeleton, bone: BoneId) -> f64 {
        skeleton.length(bone) * self.bones[bone.index()].scale.x
    }
}
