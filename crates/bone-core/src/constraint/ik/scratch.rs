//! Scratch memory of inverse kinematics: the solver, and the bone of each of its joints.

use super::goal::Goal;
use super::linkage::Motion;
use super::search::Solver;
use super::types::Ik;
use crate::constraint::context::{Context, SavedBones};
use crate::{Angle, BoneId, Joint};

/// Scratch memory of inverse kinematics, one for each thread. It has no state between frames.
#[derive(Clone, Debug, Default)]
pub(in crate::constraint) struct IkScratch {
    pub(super) solver: Solver,
    pub(super) goals: Vec<Goal>,
    /// The bone of each node, and the node of each bone.
    pub(super) bones: Vec<BoneId>,
    pub(super) node_of: Vec<u32>,
    /// Bones that may move, and the path from an end to the root.
    pub(super) moves: Vec<BoneId>,
    pub(super) way: Vec<BoneId>,
    pub(super) mirrored: bool,
    pub(super) stretched: f64,
}

impl IkScratch {
    /// Reserves memory for this many bones and ends, so that no frame allocates.
    pub(in crate::constraint) fn reserve(&mut self, bones: usize, ends: usize) {
        // A chain has each bone once; with several ends a bone may be listed by each.
        self.bones.reserve(bones);
        self.node_of.reserve(bones);
        self.moves.reserve(bones * ends.max(1));
        self.way.reserve(bones);
        self.goals.reserve(ends);
        if ends > 0 {
            self.solver.reserve(bones, ends);
        }
    }

    /// Steps of the numeric solver in the last call.
    pub(in crate::constraint) fn steps(&self) -> usize {
        self.solver.steps
    }

    /// Saves the bones of the chains and the ends' own bones, unless some are saved already.
    pub(super) fn save(&self, context: &Context<'_>, ik: &Ik, saved: &mut SavedBones) {
        let ends = ik.ends.iter().filter(|end| end.bone_is_excluded()).map(|end| end.bone);
        saved.save(context, self.bones.iter().copied().chain(ends));
    }

    /// Writes the joint values into the pose.
    pub(super) fn write(&self, context: &mut Context<'_>, saved: &SavedBones) {
        let linkage = &self.solver.linkage;
        for (i, bone) in self.bones.iter().enumerate() {
            let value = linkage.values[i];
            let pose = &mut context.pose.bones[bone.index()];
            match linkage.nodes[i].motion {
                Motion::Turn => pose.angle += Angle::from_radians(value),
                Motion::Slide(_) => {
                    if let Joint::Slide { axis, .. } = context.skeleton.joint(*bone) {
                        pose.origin += axis.direction() * value;
                    }
                }
                Motion::Still => {}
            }
            if self.stretched != 1.0 {
                pose.stretch *= self.stretched;
            }
        }
        saved.refresh(context);
    }
}
