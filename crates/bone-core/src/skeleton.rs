//! Bones at rest, in columns, which do not change while an animation plays.
//! [`SkeletonBuilder`](crate::SkeletonBuilder) builds them, so `parent[b] < b` holds and every length is
//! valid.

use kurbo::{Affine, Point};

use crate::angle::{exp, ln};
use crate::frame::{Frame, Local, local_frame};
use crate::{Angle, BoneId, BonePose, InfluenceRegion, Inherit, Joint};

/// The bones of a rig at rest, depth first: a parent comes before its children, and a subtree is a range of
/// ids.
///
/// Several bones without a parent are several skeletons in one rig. Functions that take a [`BoneId`] need one
/// of this skeleton; [`contains`](Self::contains) checks that.
#[derive(Clone, Debug)]
pub struct Skeleton {
    pub(crate) names: Vec<String>,
    /// All bones, sorted by name.
    pub(crate) by_name: Vec<BoneId>,
    pub(crate) parents: Vec<Option<BoneId>>,
    pub(crate) subtree_ends: Vec<u32>,
    pub(crate) setup: Vec<BonePose>,
    pub(crate) lengths: Vec<f64>,
    pub(crate) inherits: Vec<Inherit>,
    pub(crate) volumes: Vec<f64>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) regions: Vec<Option<InfluenceRegion>>,
    /// B: bone to canvas, at rest.
    pub(crate) worlds: Vec<Affine>,
    /// B^-1: canvas to bone, at rest.
    pub(crate) inverses: Vec<Affine>,
    pub(crate) betas: Vec<Angle>,
    /// Whether every bone inherits all: then the forward pass takes a shorter path.
    pub(crate) inherits_all: bool,
}

impl Skeleton {
    /// The number of bones.
    #[inline]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there are no bones.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// Whether an id belongs to this skeleton: whether there are that many bones.
    #[inline]
    pub fn contains(&self, bone: BoneId) -> bool {
        bone.index() < self.len()
    }

    /// All bones, parents first.
    pub fn bones(&self) -> impl ExactSizeIterator<Item = BoneId> + DoubleEndedIterator + use<> {
        (0..self.len()).map(BoneId::from_index)
    }

    /// The bones without a parent.
    pub fn roots(&self) -> impl Iterator<Item = BoneId> {
        self.bones().filter(|&bone| self.parent(bone).is_none())
    }

    /// The bone of this name, by binary search.
    pub fn find(&self, name: &str) -> Option<BoneId> {
        let at = self.by_name.binary_search_by(|bone| self.name(*bone).cmp(name)).ok()?;
        Some(self.by_name[at])
    }

    /// The name that the artist gave.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton: [`contains`](Self::contains) tests that.
    pub fn name(&self, bone: BoneId) -> &str {
        &self.names[bone.index()]
    }

    /// The parent at rest.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton: [`contains`](Self::contains) tests that.
    #[inline]
    pub fn parent(&self, bone: BoneId) -> Option<BoneId> {
        self.parents[bone.index()]
    }

    /// The bone and its descendants at rest.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton: [`contains`](Self::contains) tests that.
    pub fn subtree(
        &self,
        bone: BoneId,
    ) -> impl ExactSizeIterator<Item = BoneId> + DoubleEndedIterator + use<> {
        (bone.index()..self.subtree_ends[bone.index()] as usize).map(BoneId::from_index)
    }

    /// The first bone after the subtree of this one.
    pub(crate) fn subtree_end(&self, bone: BoneId) -> BoneId {
        BoneId::from_index(self.subtree_ends[bone.index()] as usize)
    }

    /// Origin and angle in the parent's frame at rest; scale and stretch are 1.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton: [`contains`](Self::contains) tests that.
    #[inline]
    pub fn setup(&self, bone: BoneId) -> &BonePose {
        &self.setup[bone.index()]
    }

    /// B: bone to canvas at rest.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton: [`contains`](Self::contains) tests that.
    #[inline]
    pub fn setup_world(&self, bone: BoneId) -> Affine {
        self.worlds[bone.index()]
    }

    /// B^-1: canvas to bone at rest.
    #[inline]
    pub(crate) fn setup_inverse(&self, bone: BoneId) -> Affine {
        self.inverses[bone.index()]
    }

    /// The bone's origin on the canvas at rest.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton: [`contains`](Self::contains) tests that.
    pub fn setup_origin(&self, bone: BoneId) -> Point {
        self.setup_world(bone).translation().to_point()
    }

    /// The bone's tip on the canvas at rest.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton: [`contains`](Self::contains) tests that.
    pub fn setup_tip(&self, bone: BoneId) -> Point {
        self.setup_world(bone) * Point::new(self.length(bone), 0.0)
    }

    /// The bone's angle on the canvas at rest: the sum of the angles that it inherits, not wrapped.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton: [`contains`](Self::contains) tests that.
    pub fn setup_angle(&self, bone: BoneId) -> Angle {
        self.betas[bone.index()]
    }

    /// Length at rest, in drawing units; never 0.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton: [`contains`](Self::contains) tests that.
    #[inline]
    pub fn length(&self, bone: BoneId) -> f64 {
        self.lengths[bone.index()]
    }

    /// What the bone inherits from its parent.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton: [`contains`](Self::contains) tests that.
    #[inline]
    pub fn inherit(&self, bone: BoneId) -> Inherit {
        self.inherits[bone.index()]
    }

    /// The factor of the width of a bone's skin where the bone is this many times as long: `stretch^-volume`, at most
    /// that of a 16th of its length.
    #[inline]
    pub(crate) fn width(&self, bone: BoneId, stretch: f64) -> f64 {
        let volume = self.volumes[bone.index()];
        if volume == 0.0 { 1.0 } else { exp(-volume * ln(stretch.abs().max(1.0 / 16.0))) }
    }

    /// How the bone may move.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton: [`contains`](Self::contains) tests that.
    pub fn joint(&self, bone: BoneId) -> Joint {
        self.joints[bone.index()]
    }

    /// The region of influence, if given.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton: [`contains`](Self::contains) tests that.
    pub fn region(&self, bone: BoneId) -> Option<InfluenceRegion> {
        self.regions[bone.index()]
    }

    /// Setup matrices of this tree with other setup origins and angles: `B_j = B_p L_j` by the inherit rule.
    pub(crate) fn setup_frames(&self, setup: &[BonePose], worlds: &mut [Affine], betas: &mut [Angle]) {
        for (i, local) in setup.iter().enumerate() {
            let parent = self.parents[i].map(|p| Frame::at_rest(worlds[p.index()], betas[p.index()]));
            (worlds[i], betas[i]) = local_frame(parent.as_ref(), self.inherits[i], &Local::new(local));
        }
    }
}
