//! Applies constraints to a pose in their order.

use super::context::{Context, SavedBones};
use super::ik::IkScratch;
use super::rule::{Constraint, ConstraintRule};
use super::types::{ConstraintParameters, ConstraintStatus, IgnoredReason};
use crate::{Pose, Skeleton, WorldPose};

/// Scratch memory of constraints, one for each thread. It has no state between frames.
#[derive(Clone, Debug, Default)]
pub struct ConstraintScratch {
    ik: IkScratch,
    saved: SavedBones,
    statuses: Vec<ConstraintStatus>,
}

impl ConstraintScratch {
    /// Without memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reserves memory for these constraints on a skeleton, so that no frame allocates.
    pub fn reserve(&mut self, skeleton: &Skeleton, constraints: &[Constraint]) {
        let ends = constraints.iter().map(|constraint| match &constraint.rule {
            ConstraintRule::Ik(ik) => ik.ends.len(),
            _ => 0,
        });
        let ends = ends.max().unwrap_or(0);
        self.ik.reserve(skeleton.len(), ends);
        self.saved.reserve(skeleton.len() + ends);
        self.statuses.reserve(constraints.len());
    }

    /// The status of each constraint in the last call, in their order.
    pub fn statuses(&self) -> &[ConstraintStatus] {
        &self.statuses
    }

    /// Steps of the numeric solver in the last call, for benches.
    #[doc(hidden)]
    pub fn steps(&self) -> usize {
        self.ik.steps()
    }
}

/// Applies constraints in their order to a pose that `world` has placed; both agree again afterwards.
///
/// Does not allocate once `scratch` was used with these constraints.
///
/// Constraints without an entry in `parameters` have their own. All are ignored if pose or `world` are not of the
/// skeleton.
pub fn apply(
    constraints: &[Constraint],
    parameters: &[ConstraintParameters],
    skeleton: &Skeleton,
    pose: &mut Pose,
    world: &mut WorldPose,
    scratch: &mut ConstraintScratch,
) {
    scratch.statuses.clear();
    let fits = world.matrices().len() == skeleton.len() && world.check(skeleton, pose).is_ok();
    for (k, constraint) in constraints.iter().enumerate() {
        let parameters = parameters.get(k).copied().unwrap_or_else(|| constraint.parameters());
        let is_on_known = constraint.on.is_none_or(|bone| skeleton.contains(bone));
        let status = if !fits || !is_on_known || !constraint.rule.bones_are_known(skeleton) {
            ConstraintStatus::Ignored(IgnoredReason::UnknownBone)
        } else if parameters.mix.is_nan() {
            ConstraintStatus::Ignored(IgnoredReason::NotFinite)
        } else if parameters.mix <= 0.0 {
            ConstraintStatus::Off
        } else {
            let parameters = ConstraintParameters { mix: parameters.mix.min(1.0), ..parameters };
            let carried = constraint.carried(skeleton, pose, world);
            let mut context = Context { skeleton, pose, world, carried };
            scratch.saved.clear();
            match &constraint.rule {
                ConstraintRule::Ik(ik) => {
                    ik.apply(&mut context, &parameters, &mut scratch.ik, &mut scratch.saved)
                }
                ConstraintRule::Aim(aim) => aim.apply(&mut context, &parameters, &mut scratch.saved),
                ConstraintRule::Copy(copy) => copy.apply(&mut context, &parameters, &mut scratch.saved),
                ConstraintRule::Limit(limit) => limit.apply(&mut context, &parameters, &mut scratch.saved),
                ConstraintRule::Path(path) => path.apply(&mut context, &parameters, &mut scratch.saved),
                ConstraintRule::Distance(distance) => {
                    distance.apply(&mut context, &parameters, &mut scratch.saved)
                }
            }
            .and_then(|status| scratch.saved.sound(&mut context, status))
            .unwrap_or_else(ConstraintStatus::Ignored)
        };
        scratch.statuses.push(status);
    }
}
