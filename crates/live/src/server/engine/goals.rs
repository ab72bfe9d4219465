//! Clips by their names, and where the targets of constraints are.

use bone_rig::{FrameState, Rig, RigClip};
use kurbo::Point;

use crate::message::Reason;

pub(super) fn clip<'r>(rig: &'r Rig, name: Option<&str>) -> Result<Option<&'r RigClip>, Reason> {
    match name {
        None => Ok(None),
        Some(name) => rig.clip(name).map(Some).ok_or_else(|| format!("there is no clip \"{name}\"")),
    }
}

/// Where the targets of named constraints are at this time that are points of the canvas.
pub(super) fn goals(rig: &Rig, state: &FrameState) -> Vec<(String, Point)> {
    let parameters = state.constraint_parameters();
    let now = |(index, name, rest): (usize, String, Point)| {
        (name, parameters.get(index).and_then(|own| own.place).unwrap_or(rest))
    };
    rest_goals(rig).map(now).collect()
}

/// The same at rest, with the index of each constraint.
pub(crate) fn rest_goals(rig: &Rig) -> impl Iterator<Item = (usize, String, Point)> {
    use bone_core::constraint::{ConstraintRule, Target};
    let place = |target: &Target| match target {
        Target::Canvas(at) => Some(*at),
        _ => None,
    };
    rig.constraints().enumerate().filter_map(move |(index, (name, constraint))| {
        let at = match &constraint.rule {
            ConstraintRule::Ik(ik) => ik.ends.first().and_then(|end| place(&end.target)),
            ConstraintRule::Aim(aim) => place(&aim.target),
            _ => None,
        };
        Some((index, name.name.clone()?, at?))
    })
}
