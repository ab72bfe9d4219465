//! What an animation sets: one local transform a bone, and the rare overrides of parent and setup.
//! A pose knows nothing of time and of the canvas; [`WorldPose`](crate::WorldPose) places it.

use kurbo::Vec2;

use crate::{Angle, BoneId, BonePose, Rebase, Skeleton};

/// A parent other than the one at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reparent {
    /// The bone that changed hands.
    pub bone: BoneId,
    /// Who carries it now; none for the canvas.
    pub parent: Option<BoneId>,
    /// Where the carried frame stands in the new parent's.
    pub rebase: Rebase,
}

/// A moment of an animation, bone by bone, in the frames of the parents.
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
    /// One entry a bone, in the skeleton's order.
    pub bones: Vec<BonePose>,
    /// Bones that hang elsewhere than at rest, sorted by bone.
    pub(crate) reparents: Vec<Reparent>,
    /// Setup origins and angles other than the skeleton's: sorted by bone.
    pub(crate) setups: Vec<(BoneId, BonePose)>,
}

impl Pose {
    /// The setup pose.
    pub fn new(skeleton: &Skeleton) -> Self {
        Self { bones: skeleton.setup.clone(), reparents: Vec::new(), setups: Vec::new() }
    }

    /// Back to the setup pose, in the memory that is there.
    pub fn reset(&mut self, skeleton: &Skeleton) {
        self.bones.clear();
        self.bones.extend_from_slice(&skeleton.setup);
        self.reparents.clear();
        self.setups.clear();
    }

    /// Becomes equal to another pose, in the memory that is there.
    pub fn copy_from(&mut self, other: &Self) {
        self.bones.clone_from(&other.bones);
        self.reparents.clone_from(&other.reparents);
        self.setups.clone_from(&other.setups);
    }

    /// Hands a bone to another parent. A loop is reported by the forward pass.
    pub fn set_parent(&mut self, change: Reparent) {
        match self.reparents.binary_search_by_key(&change.bone, |r| r.bone) {
            Ok(at) => self.reparents[at] = change,
            Err(at) => self.reparents.insert(at, change),
        }
    }

    /// Hangs a bone where it hangs at rest.
    pub(crate) fn reset_parent(&mut self, bone: BoneId) {
        if let Ok(at) = self.reparents.binary_search_by_key(&bone, |r| r.bone) {
            self.reparents.remove(at);
        }
    }

    /// Makes room for so many changed parents and setups.
    pub(crate) fn reserve(&mut self, reparents: usize, setups: usize) {
        self.reparents.reserve(reparents.saturating_sub(self.reparents.len()));
        self.setups.reserve(setups.saturating_sub(self.setups.len()));
    }

    /// The parents that differ from those at rest, sorted by bone.
    pub fn reparents(&self) -> &[Reparent] {
        &self.reparents
    }

    /// The parent that a bone has in this pose.
    pub fn parent(&self, skeleton: &Skeleton, bone: BoneId) -> Option<BoneId> {
        self.reparent(bone).map_or_else(|| skeleton.parent(bone), |r| r.parent)
    }

    #[inline]
    pub(crate) fn reparent(&self, bone: BoneId) -> Option<&Reparent> {
        let at = self.reparents.binary_search_by_key(&bone, |r| r.bone).ok()?;
        Some(&self.reparents[at])
    }

    /// Moves the setup pose of a bone under its resting skin: origin and angle replace the skeleton's for as long as
    /// this pose stands. Scale and stretch of a setup pose are always 1.
    pub fn set_setup(&mut self, bone: BoneId, origin: Vec2, angle: Angle) {
        let setup = BonePose { origin, angle, ..BonePose::REST };
        match self.setups.binary_search_by_key(&bone, |s| s.0) {
            Ok(at) => self.setups[at].1 = setup,
            Err(at) => self.setups.insert(at, (bone, setup)),
        }
    }

    /// The setup pose of a bone that holds in this pose.
    pub fn setup(&self, skeleton: &Skeleton, bone: BoneId) -> BonePose {
        match self.setups.binary_search_by_key(&bone, |s| s.0) {
            Ok(at) => self.setups[at].1,
            Err(_) => *skeleton.setup(bone),
        }
    }

    /// The bone's length now: its length at rest times the x part of its own scale.
    pub fn length(&self, skeleton: &Skeleton, bone: BoneId) -> f64 {
        skeleton.length(bone) * self.bones[bone.index()].scale.x
    }
}
