//! The memory of inverse kinematics: the solver, and which bone each of its joints is.

use super::goal::Goal;
use super::linkage::Motion;
use super::solver::Solver;
use super::types::Ik;
use crate::constraint::context::{Context, Kept};
use crate::{Angle, BoneId, Joint};

/// Memory of inverse kinematics, one a thread. It carries nothing from frame to frame.
#[derive(Clone, Debug, Default)]
pub(in crate::constraint) struct IkScratch {
    pub(super) solver: Solver,
    pub(super) goals: Vec<Goal>,
    /// The bone of each node, and back.
    pub(super) bones: Vec<BoneId>,
    pub(super) node_of: Vec<u32>,
    /// Bones that may move, and the way up from an end.
    pub(super) moves: Vec<BoneId>,
    pub(super) way: Vec<BoneId>,
    pub(super) mirrored: bool,
    pub(super) stretched: f64,
}

impl IkScratch {
    /// Memory for so many bones and ends, so that no frame allocates.
    pub(in crate::constraint) fn reserve(&mut self, bones: usize, ends: usize) {
        // A chain holds each bone once; what several ends list, they may list each.
        self.bones.reserve(bones);
        self.node_of.reserve(bones);
        self.moves.reserve(bones * ends.max(1));
        self.way.reserve(bones);
        self.goals.reserve(ends);
        if ends > 0 {
            self.solver.reserve(bones, ends);
        }
    }

    /// Steps that the numeric solver took the last time.
    pub(in crate::constraint) fn steps(&self) -> usize {
        self.solver.steps
    }

    /// Keeps the bones of the chains and the ends' own bones, unless that has been done.
    pub(super) fn save(&self, context: &Context<'_>, ik: &Ik, kept: &mut Kept) {
        let ends = ik.ends.iter().filter(|end| end.rides()).map(|end| end.bone);
        kept.save(context, self.bones.iter().copied().chain(ends));
    }

    /// Joint values into the pose.
    pub(super) fn write(&self, context: &mut Context<'_>, kept: &Kept) {
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
        kept.refresh(context);
    }
}
