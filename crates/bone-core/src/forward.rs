//! The forward pass: from a pose in parents' frames to matrices on the canvas, in one sweep, parents first.
//! It does not allocate after the first call and never recurses.

use kurbo::{Affine, Point};

use crate::angle::SinCosBlock;
use crate::frame::{Frame, Local, local_frame};
use crate::{Angle, BoneId, BonePose, Inherit, Pose, PoseError, Skeleton};

/// The world transforms of a pose, and the scratch memory of the forward pass.
#[derive(Clone, Debug)]
pub struct WorldPose {
    matrices: Vec<Affine>,
    betas: Vec<Angle>,
    /// Setup matrices of a pose that moves the setup; otherwise unused.
    rest: Rest,
    /// State of each bone in the reordered pass, and the path down to the current bone.
    placed: Vec<Visit>,
    path: Vec<BoneId>,
}

#[derive(Clone, Debug)]
struct Rest {
    active: bool,
    setup: Vec<BonePose>,
    worlds: Vec<Affine>,
    inverses: Vec<Affine>,
    betas: Vec<Angle>,
}

impl Rest {
    fn with_room_for(bones: usize) -> Self {
        Self {
            active: false,
            setup: Vec::with_capacity(bones),
            worlds: Vec::with_capacity(bones),
            inverses: Vec::with_capacity(bones),
            betas: Vec::with_capacity(bones),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Visit {
    No,
    OnPath,
    Done,
}

/// Sines and cosines are computed for this many bones at a time: enough to vectorise, little waste for a
/// small rig.
const BLOCK: usize = 8;

impl WorldPose {
    /// Memory for a skeleton, in its setup pose.
    pub fn new(skeleton: &Skeleton) -> Self {
        Self {
            matrices: skeleton.worlds.clone(),
            betas: skeleton.betas.clone(),
            // A clip may move setups and parents at any time: memory for that is reserved from the start.
            rest: Rest::with_room_for(skeleton.len()),
            placed: Vec::with_capacity(skeleton.len()),
            path: Vec::with_capacity(skeleton.len()),
        }
    }

    /// Becomes equal to another one, without its scratch memory: a pose that is kept takes a fraction of the memory of
    /// one that is computed. Does not allocate where it kept as much before.
    pub fn copy_from(&mut self, other: &Self) {
        self.matrices.clone_from(&other.matrices);
        self.betas.clone_from(&other.betas);
        self.rest.active = other.rest.active;
        if other.rest.active {
            self.rest.setup.clone_from(&other.rest.setup);
            self.rest.worlds.clone_from(&other.rest.worlds);
            self.rest.inverses.clone_from(&other.rest.inverses);
            self.rest.betas.clone_from(&other.rest.betas);
        }
    }

    /// The setup pose, without scratch memory: to keep what was placed elsewhere, with [`copy_from`](Self::copy_from).
    pub fn kept(skeleton: &Skeleton) -> Self {
        Self {
            matrices: skeleton.worlds.clone(),
            betas: skeleton.betas.clone(),
            rest: Rest::with_room_for(0),
            placed: Vec::new(),
            path: Vec::new(),
        }
    }

    /// Places every bone of `pose`: `W_j = W_p C_j`, by the inherit rule and with the parents of this pose.
    ///
    /// # Errors
    /// If the pose does not belong to the skeleton, or changed parents form a cycle; then the matrices do not
    /// change.
    pub fn forward(&mut self, skeleton: &Skeleton, pose: &Pose) -> Result<(), PoseError> {
        self.check(skeleton, pose)?;
        self.matrices.resize(skeleton.len(), Affine::IDENTITY);
        self.betas.resize(skeleton.len(), Angle::ZERO);
        if pose.reparents.is_empty() {
            self.sweep(skeleton, pose);
        } else {
            self.sweep_reordered(skeleton, pose);
        }
        self.move_rest(skeleton, pose);
        Ok(())
    }

    /// Whether the pose belongs to the skeleton, and its parents form no cycle.
    pub(crate) fn check(&mut self, skeleton: &Skeleton, pose: &Pose) -> Result<(), PoseError> {
        if pose.bones.len() != skeleton.len() {
            return Err(PoseError::BoneCount { pose: pose.bones.len(), skeleton: skeleton.len() });
        }
        if let Some(bone) = pose.changed_bones().find(|&bone| !skeleton.contains(bone)) {
            return Err(PoseError::UnknownBone { bone });
        }
        if pose.reparents.is_empty() { Ok(()) } else { self.check_parents(skeleton, pose) }
    }

    /// Places a bone and its subtree again, after their local values have changed in a pose that was placed
    /// before. Returns the index up to which all bones are as [`Self::forward`] would place them.
    ///
    /// With changed parents a subtree is not a range, and all bones are placed. Does nothing and returns 0 where
    /// [`Self::forward`] would return an error, for a bone of another skeleton, and if another one was placed
    /// before.
    pub fn refresh(&mut self, skeleton: &Skeleton, pose: &Pose, bone: BoneId) -> usize {
        let placed = self.matrices.len() == skeleton.len() && skeleton.contains(bone);
        if placed && self.check(skeleton, pose).is_ok() { self.place_again(skeleton, pose, bone) } else { 0 }
    }

    /// The same for a pose that [`Self::check`] has accepted.
    pub(crate) fn place_again(&mut self, skeleton: &Skeleton, pose: &Pose, bone: BoneId) -> usize {
        if !pose.reparents.is_empty() {
            self.sweep_reordered(skeleton, pose);
            return skeleton.len();
        }
        let end = skeleton.subtree_ends[bone.index()] as usize;
        for i in bone.index()..end {
            let parent = skeleton.parents[i].map(|p| {
                let p = p.index();
                Frame::stretched(self.matrices[p], self.betas[p], pose.bones[p].stretch)
            });
            let local = Local::new(&pose.bones[i]);
            (self.matrices[i], self.betas[i]) = local_frame(parent.as_ref(), skeleton.inherits[i], &local);
        }
        end
    }

    /// Parents come before their children: one pass, the trigonometry in blocks.
    fn sweep(&mut self, skeleton: &Skeleton, pose: &Pose) {
        let mut trig = SinCosBlock::<BLOCK>::new();
        for (k, block) in pose.bones.chunks(BLOCK).enumerate() {
            trig.fill(block.iter().map(|bone| bone.angle));
            let start = k * BLOCK;
            if skeleton.inherits_all {
                self.sweep_block(start, block, &trig, skeleton, pose, |_| Inherit::All);
            } else {
                self.sweep_block(start, block, &trig, skeleton, pose, |i| skeleton.inherits[i]);
            }
        }
    }

    #[inline(always)]
    fn sweep_block(
        &mut self,
        start: usize,
        block: &[BonePose],
        trig: &SinCosBlock<BLOCK>,
        skeleton: &Skeleton,
        pose: &Pose,
        inherit: impl Fn(usize) -> Inherit,
    ) {
        for (k, bone) in block.iter().enumerate() {
            let i = start + k;
            let local = Local::with_sin_cos(bone, trig.sin[k], trig.cos[k]);
            let parent = skeleton.parents[i].map(|p| {
                let p = p.index();
                Frame::stretched(self.matrices[p], self.betas[p], pose.bones[p].stretch)
            });
            (self.matrices[i], self.betas[i]) = local_frame(parent.as_ref(), inherit(i), &local);
        }
    }

    /// With changed parents a bone may come before its parent: from each bone the pass goes up to what is
    /// placed, then down again.
    fn sweep_reordered(&mut self, skeleton: &Skeleton, pose: &Pose) {
        self.placed.clear();
        self.placed.resize(skeleton.len(), Visit::No);
        for bone in skeleton.bones() {
            let mut at = Some(bone);
            while let Some(b) = at.filter(|b| self.placed[b.index()] == Visit::No) {
                self.path.push(b);
                at = pose.parent(skeleton, b);
            }
            while let Some(b) = self.path.pop() {
                let local = Local::new(&pose.bones[b.index()]);
                let frame = self.parent_frame(skeleton, pose, b);
                (self.matrices[b.index()], self.betas[b.index()]) =
                    local_frame(Some(&frame), skeleton.inherit(b), &local);
                self.placed[b.index()] = Visit::Done;
            }
        }
    }

    fn check_parents(&mut self, skeleton: &Skeleton, pose: &Pose) -> Result<(), PoseError> {
        self.placed.clear();
        self.placed.resize(skeleton.len(), Visit::No);
        for change in &pose.reparents {
            let mut at = Some(change.bone);
            self.path.clear();
            while let Some(bone) = at.filter(|b| self.placed[b.index()] == Visit::No) {
                self.placed[bone.index()] = Visit::OnPath;
                self.path.push(bone);
                at = pose.parent(skeleton, bone);
            }
            let looped = at.filter(|b| self.placed[b.index()] == Visit::OnPath);
            if let Some(first) = looped {
                let from = self.path.iter().position(|&b| b == first).unwrap_or_default();
                let bones = self.path[from..].to_vec();
                self.path.clear();
                return Err(PoseError::ParentLoop { bones });
            }
            for bone in self.path.drain(..) {
                self.placed[bone.index()] = Visit::Done;
            }
        }
        Ok(())
    }

    /// The parent frame of `bone` in this pose, its rebase applied. The parent must be placed already.
    pub(crate) fn parent_frame(&self, skeleton: &Skeleton, pose: &Pose, bone: BoneId) -> Frame {
        let frame_of = |parent: Option<BoneId>| {
            parent.map_or(Frame::CANVAS, |p| {
                Frame::stretched(
                    self.matrices[p.index()],
                    self.betas[p.index()],
                    pose.bones[p.index()].stretch,
                )
            })
        };
        match pose.reparent(bone) {
            Some(change) => frame_of(change.parent).rebased(&change.rebase),
            None => frame_of(skeleton.parent(bone)),
        }
    }

    fn move_rest(&mut self, skeleton: &Skeleton, pose: &Pose) {
        self.rest.active = !pose.setups.is_empty();
        if !self.rest.active {
            return;
        }
        let rest = &mut self.rest;
        rest.setup.clear();
        rest.setup.extend_from_slice(&skeleton.setup);
        for (bone, setup) in &pose.setups {
            rest.setup[bone.index()] = *setup;
        }
        rest.worlds.resize(skeleton.len(), Affine::IDENTITY);
        rest.betas.resize(skeleton.len(), Angle::ZERO);
        skeleton.setup_frames(&rest.setup, &mut rest.worlds, &mut rest.betas);
        rest.inverses.clear();
        rest.inverses.extend(rest.worlds.iter().map(|world| world.inverse()));
    }

    /// W: bone to canvas, one for each bone.
    #[inline]
    pub fn matrices(&self) -> &[Affine] {
        &self.matrices
    }

    /// W: bone to canvas.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton than that of the pose.
    #[inline]
    pub fn matrix(&self, bone: BoneId) -> Affine {
        self.matrices[bone.index()]
    }

    /// The bone's origin on the canvas.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton than that of the pose.
    pub fn origin(&self, bone: BoneId) -> Point {
        self.matrix(bone).translation().to_point()
    }

    /// The bone's angle on the canvas: the sum of the angles that it inherits, not wrapped.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton than that of the pose.
    #[inline]
    pub fn angle(&self, bone: BoneId) -> Angle {
        self.betas[bone.index()]
    }

    /// The bone's tip on the canvas: the origin of a child at `(length, 0)`.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton than that of the pose.
    pub fn tip(&self, skeleton: &Skeleton, pose: &Pose, bone: BoneId) -> Point {
        let stretch = pose.bones[bone.index()].stretch;
        self.matrix(bone) * Point::new(skeleton.length(bone) * stretch, 0.0)
    }

    /// B: bone at rest to canvas, in the setup of this pose.
    #[inline]
    fn setup_world(&self, skeleton: &Skeleton, bone: BoneId) -> Affine {
        let worlds = if self.rest.active { &self.rest.worlds } else { &skeleton.worlds };
        worlds[bone.index()]
    }

    /// B^-1: canvas to bone at rest, in the setup of this pose.
    #[inline]
    pub(crate) fn setup_inverse(&self, skeleton: &Skeleton, bone: BoneId) -> Affine {
        if self.rest.active { self.rest.inverses[bone.index()] } else { skeleton.setup_inverse(bone) }
    }

    /// The bone's angle on the canvas at rest, in the setup of this pose.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton than that of the pose.
    #[inline]
    pub fn setup_angle(&self, skeleton: &Skeleton, bone: BoneId) -> Angle {
        if self.rest.active { self.rest.betas[bone.index()] } else { skeleton.setup_angle(bone) }
    }

    /// M: the effect of the bone on its skin, canvas to canvas: `M_j = W_j K_j B_j^-1`. K stretches along the bone, and
    /// across it by the volume that the bone keeps.
    ///
    /// It is the identity, to the bit, if the bone lies where its setup has it: the product with the inverse
    /// is that only but for rounding, and an edge on a pixel's threshold shows this.
    ///
    /// # Panics
    /// If it is a bone of a larger skeleton than that of the pose.
    #[inline]
    pub fn skin_matrix(&self, skeleton: &Skeleton, pose: &Pose, bone: BoneId) -> Affine {
        let world = self.matrix(bone);
        let stretch = pose.bones[bone.index()].stretch;
        if world == self.setup_world(skeleton, bone) && stretch == 1.0 {
            return Affine::IDENTITY;
        }
        let [a, b, c, d, e, f] = world.as_coeffs();
        let width = skeleton.width(bone, stretch);
        Affine::new([a * stretch, b * stretch, c * width, d * width, e, f])
            * self.setup_inverse(skeleton, bone)
    }
}
