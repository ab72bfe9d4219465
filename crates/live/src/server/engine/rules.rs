//! What moves a bone besides a pointer, as messages.

use bone_core::BoneId;
use bone_core::constraint::{Constraint, ConstraintRule, ConstraintStatus};
use bone_rig::{FrameState, Rig, RigConstraint};

use crate::message::Reason;

/// The constraints and drivers that move a bone at this time, as a message; none if there are none.
pub(super) fn holders(rig: &Rig, state: &FrameState, bone: BoneId) -> Option<Reason> {
    let mut rules = constraints_of(rig, state, bone);
    if rig.drivers().iter().any(|driver| driver.motion.driven().any(|driven| driven == bone)) {
        rules.push("a driver".to_owned());
    }
    moved_by(rig, bone, rules)
}

/// The message that rules move a bone; none if there are none.
pub(super) fn moved_by(rig: &Rig, bone: BoneId, rules: Vec<String>) -> Option<Reason> {
    (!rules.is_empty())
        .then(|| format!("\"{}\" is moved by {}", rig.skeleton().name(bone), rules.join(" and ")))
}

/// The constraints that move a bone at this time. A limit moves nothing by itself.
pub(super) fn constraints_of(rig: &Rig, state: &FrameState, bone: BoneId) -> Vec<String> {
    let statuses = state.statuses();
    let moves = |(index, (_, own)): &(usize, (&RigConstraint, &Constraint))| {
        let is_off = statuses.get(*index) == Some(&ConstraintStatus::Off);
        let is_limit = matches!(own.rule, ConstraintRule::Limit(_));
        !is_off && !is_limit && own.rule.bones_written(rig.skeleton()).contains(&bone)
    };
    let constraints = rig.constraints().enumerate().filter(moves);
    let called = |(index, (name, _)): (usize, (&RigConstraint, _))| match &name.name {
        Some(name) => format!("the constraint \"{name}\""),
        None => format!("constraint {}", index + 1),
    };
    constraints.map(called).collect()
}
