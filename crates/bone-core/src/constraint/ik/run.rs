//! Inverse kinematics on one pose: reads the joints from the pose, moves them with the closed form or the
//! numeric solver, and writes the pose back.

use kurbo::Point;

use super::goal::Goal;
use super::scratch::IkScratch;
use super::search::BendHint;
use super::two_bone::ChainResult;
use super::types::{Effector, Ik};
use super::{chain, two_bone};
use crate::constraint::context::{Context, SavedBones};
use crate::constraint::range::softened;
use crate::constraint::types::{Bend, ConstraintParameters, ConstraintStatus, IgnoredReason, Target};
use crate::{Angle, BoneId};

impl Ik {
    /// The end, if there is only one: bend side and stretch apply to a single chain.
    fn single(&self) -> Option<&Effector> {
        if let [end] = &self.ends[..] { Some(end) } else { None }
    }

    pub(in crate::constraint) fn apply(
        &self,
        context: &mut Context<'_>,
        parameters: &ConstraintParameters,
        scratch: &mut IkScratch,
        saved: &mut SavedBones,
    ) -> Result<ConstraintStatus, IgnoredReason> {
        if self.ends.is_empty() {
            return Err(IgnoredReason::NoChain);
        }
        scratch.goals.clear();
        for end in &self.ends {
            scratch.goals.push(Goal::of(end, context, parameters)?);
        }
        let mut status = ConstraintStatus::Met;
        for round in 0..ROUNDS {
            if round > 0 {
                saved.restore(context);
            }
            let result = match self.solve_two_bones(context, parameters, scratch, saved)? {
                Some(result) => result,
                None => self.solve_chain(context, parameters, scratch, saved)?,
            };
            status = if result.reached { ConstraintStatus::Met } else { ConstraintStatus::Nearest };
            if !self.apply_end_angles(context, scratch, result.size) {
                break;
            }
        }
        saved.mix(context, parameters.mix);
        Ok(status)
    }

    /// The closed form, for two bones that keep their lengths.
    fn solve_two_bones(
        &self,
        context: &mut Context<'_>,
        parameters: &ConstraintParameters,
        scratch: &mut IkScratch,
        saved: &mut SavedBones,
    ) -> Result<Option<ChainResult>, IgnoredReason> {
        if self.is_elastic(parameters) {
            return Ok(None);
        }
        let (goal, bend) = (scratch.goals[0], self.side(parameters));
        two_bone::pose(self, &goal, bend, context, saved)
    }

    /// The general method, for any chains.
    fn solve_chain(
        &self,
        context: &mut Context<'_>,
        parameters: &ConstraintParameters,
        scratch: &mut IkScratch,
        saved: &mut SavedBones,
    ) -> Result<ChainResult, IgnoredReason> {
        chain::gather(self, context, scratch, saved)?;
        for end in &self.ends {
            if let Target::Bone(bone, _) = end.target
                && scratch.moves.iter().any(|moved| context.descends_from(bone, *moved))
            {
                return Err(IgnoredReason::CarriesTarget);
            }
        }
        let short = self.apply_elasticity(context, parameters, scratch);
        if parameters.bend.unwrap_or(self.bend) == Bend::Keep && self.turn_whole(context, scratch) {
            let size = scratch.solver.size;
            scratch.write(context, saved);
            return Ok(ChainResult { reached: !short, size });
        }
        let (solver, mirrored) = (&mut scratch.solver, scratch.mirrored);
        let bend = self.side(parameters);
        let closed = self.single().and_then(|_| two_bone::solve(&mut solver.linkage, bend, mirrored));
        let mut result = closed.unwrap_or_else(|| {
            let hint = match bend {
                Bend::Auto | Bend::Keep => BendHint::None,
                Bend::Left if mirrored => BendHint::Negative,
                Bend::Right if !mirrored => BendHint::Negative,
                Bend::Left | Bend::Right => BendHint::Positive,
                Bend::Either => BendHint::Either,
            };
            let reached = solver.solve(hint).reached;
            ChainResult { reached, size: solver.linkage.reach(0).map_or(1.0, |reach| reach.0) }
        });
        result.reached &= !short;
        scratch.write(context, saved);
        Ok(result)
    }

    /// Turns a chain of more than two bones about its first joint alone. False if that does not bring its end to the
    /// target, or limits do not allow it.
    fn turn_whole(&self, context: &Context<'_>, scratch: &mut IkScratch) -> bool {
        let Some(end) = self.single().filter(|_| scratch.bones.len() > 2) else { return false };
        let base = context.world.origin(scratch.bones[0]);
        let direction = |at: Point| Angle::of(at - base);
        let turn = direction(scratch.goals[0].target()) - direction(animated_end(end, context));
        let turn = turn.nearest_to(Angle::ZERO).radians();
        scratch.solver.turn_first(if scratch.mirrored { -turn } else { turn })
    }

    /// The bend side, after a chain that keeps its bend was stretched.
    fn side(&self, parameters: &ConstraintParameters) -> Bend {
        match parameters.bend.unwrap_or(self.bend) {
            Bend::Keep => Bend::Auto,
            bend => bend,
        }
    }

    /// Whether softness, stretch or compression are used.
    fn is_elastic(&self, parameters: &ConstraintParameters) -> bool {
        let softness = parameters.softness.unwrap_or(self.softness);
        softness > 0.0 || self.stretch > 1.0 || self.compress < 1.0
    }

    /// Softness, stretch and compression: changes targets and links for the solver. True if the end is to
    /// stay short of its target.
    fn apply_elasticity(
        &self,
        context: &Context<'_>,
        parameters: &ConstraintParameters,
        scratch: &mut IkScratch,
    ) -> bool {
        scratch.stretched = 1.0;
        let softness = parameters.softness.unwrap_or(self.softness).clamp(0.0, 1.0);
        let linkage = &mut scratch.solver.linkage;
        let Some(end) = self.single().filter(|_| self.is_elastic(parameters)) else { return false };
        let Some((most, least)) = linkage.reach(0) else { return false };
        let base = linkage.base(0);
        let way = linkage.ends[0].target - base;
        let distance = way.hypot();
        let soft = softened(distance, most, softness);
        let keeps = parameters.bend.unwrap_or(self.bend) == Bend::Keep;
        let whole = keeps.then(|| change_of_whole(end, context, scratch.bones[0], scratch.goals[0]));
        let wanted = if let Some(factor) = whole.filter(|factor| factor.is_finite()) {
            factor.min(self.stretch.max(1.0)).max(self.compress.min(1.0))
        } else if distance > soft && self.stretch > 1.0 {
            (distance / soft).min(self.stretch)
        } else if distance < least && self.compress < 1.0 {
            (distance / least).max(self.compress).max(f64::MIN_POSITIVE)
        } else {
            1.0
        };
        if wanted != 1.0 {
            linkage.stretch(wanted);
            scratch.stretched = wanted;
        }
        let reached = (soft * wanted.max(1.0)).min(distance);
        if reached < distance {
            linkage.ends[0].target = base + way * (reached / distance);
            return true;
        }
        false
    }

    /// Sets the angles of end bones that are not part of a chain. True if that has moved an end, so that the
    /// chain has to be solved again.
    fn apply_end_angles(&self, context: &mut Context<'_>, scratch: &mut IkScratch, size: f64) -> bool {
        let mut again = false;
        for (end, goal) in self.ends.iter().zip(&mut scratch.goals) {
            let Some(angle) = goal.angle else { continue };
            let frame = context.world.parent_frame(context.skeleton, context.pose, end.bone);
            let (axes, beta) = frame.inherited(context.skeleton.inherit(end.bone));
            let mirrored = if axes.determinant() < 0.0 { -1.0 } else { 1.0 };
            let bone = &mut context.pose.bones[end.bone.index()];
            let off = angle - (beta + bone.angle);
            bone.angle += off * mirrored;
            context.world.place_again(context.skeleton, context.pose, end.bone);
            let arm = goal.arm(context, end);
            again |= (arm - goal.arm).hypot() > 1e-9 * size;
            goal.arm = arm;
        }
        again
    }
}

/// The animated position of the point that a chain brings to its target.
fn animated_end(end: &Effector, context: &Context<'_>) -> Point {
    if end.bone_is_excluded() {
        context.world.origin(end.bone)
    } else {
        context.attachment(end.bone, end.point)
    }
}

/// The factor by which a chain reaches its target as it is bent; not finite where it has no extent.
fn change_of_whole(end: &Effector, context: &Context<'_>, first: BoneId, goal: Goal) -> f64 {
    let base = context.world.origin(first);
    goal.target().distance(base) / animated_end(end, context).distance(base)
}

/// Repetitions for bones whose shape depends on their angle, under an uneven scale.
const ROUNDS: usize = 4;
