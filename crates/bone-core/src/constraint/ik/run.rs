//! Inverse kinematics on one pose: reads the joints off the pose of this frame, lets the analytic or the numeric solver
//! move them, and writes the pose back; it never looks at another frame.

use super::goal::Goal;
use super::scratch::IkScratch;
use super::solver::Lean;
use super::two_bone::Came;
use super::types::{Effector, Ik};
use super::{chain, two_bone};
use crate::angle::decay;
use crate::constraint::context::{Context, Kept};
use crate::constraint::types::{Bend, Outcome, Setting, Target, Why};

impl Ik {
    /// Whether the constraint is one end moved by one run of bones, which bend side and stretch speak of.
    fn single(&self) -> Option<&Effector> {
        if let [end] = &self.ends[..] { Some(end) } else { None }
    }

    pub(in crate::constraint) fn apply(
        &self,
        context: &mut Context<'_>,
        setting: &Setting,
        scratch: &mut IkScratch,
        kept: &mut Kept,
    ) -> Result<Outcome, Why> {
        scratch.goals.clear();
        for end in &self.ends {
            scratch.goals.push(Goal::of(end, context, setting)?);
        }
        let mut outcome = Outcome::Met;
        for round in 0..ROUNDS {
            if round > 0 {
                kept.restore(context);
            }
            let came = match self.limb(context, setting, scratch, kept)? {
                Some(came) => came,
                None => self.chain(context, setting, scratch, kept)?,
            };
            outcome = if came.reached { Outcome::Met } else { Outcome::Nearest };
            if !self.turn_ends(context, scratch, came.size) {
                break;
            }
        }
        kept.mix(context, setting.mix);
        Ok(outcome)
    }

    /// The short way, for two bones that keep their lengths.
    fn limb(
        &self,
        context: &mut Context<'_>,
        setting: &Setting,
        scratch: &mut IkScratch,
        kept: &mut Kept,
    ) -> Result<Option<Came>, Why> {
        if self.gives(setting) {
            return Ok(None);
        }
        let (goal, bend) = (scratch.goals[0], setting.bend.unwrap_or(self.bend));
        two_bone::pose(self, &goal, bend, context, kept)
    }

    /// The general way, for any chains.
    fn chain(
        &self,
        context: &mut Context<'_>,
        setting: &Setting,
        scratch: &mut IkScratch,
        kept: &mut Kept,
    ) -> Result<Came, Why> {
        chain::gather(self, context, scratch, kept)?;
        for end in &self.ends {
            if let Target::Bone(bone, _) = end.target
                && scratch.moves.iter().any(|moved| context.descends_from(bone, *moved))
            {
                return Err(Why::CarriesTarget);
            }
        }
        let short = self.give(setting, scratch);
        let (solver, mirrored) = (&mut scratch.solver, scratch.mirrored);
        let bend = setting.bend.unwrap_or(self.bend);
        let closed = self.single().and_then(|_| two_bone::solve(&mut solver.linkage, bend, mirrored));
        let mut came = closed.unwrap_or_else(|| {
            let lean = match bend {
                Bend::Auto => Lean::None,
                Bend::Left if mirrored => Lean::Negative,
                Bend::Right if !mirrored => Lean::Negative,
                Bend::Left | Bend::Right => Lean::Positive,
                Bend::Either => Lean::Either,
            };
            let reached = solver.solve(lean).reached;
            Came { reached, size: solver.linkage.reach(0).map_or(1.0, |reach| reach.0) }
        });
        came.reached &= !short;
        scratch.write(context, kept);
        Ok(came)
    }

    /// Whether the chain may slow down or change its length on the way.
    fn gives(&self, setting: &Setting) -> bool {
        let softness = setting.softness.unwrap_or(self.softness);
        softness > 0.0 || self.stretch > 1.0 || self.compress < 1.0
    }

    /// Softness, stretch and compression: targets and links as the solver shall see them. Whether the end is meant to stay
    /// short of its target.
    fn give(&self, setting: &Setting, scratch: &mut IkScratch) -> bool {
        scratch.stretched = 1.0;
        let softness = setting.softness.unwrap_or(self.softness).clamp(0.0, 1.0);
        let linkage = &mut scratch.solver.linkage;
        if self.single().is_none() || !self.gives(setting) {
            return false;
        }
        let Some((most, least)) = linkage.reach(0) else { return false };
        let base = linkage.base(0);
        let way = linkage.ends[0].target - base;
        let distance = way.hypot();
        let soft = softened(distance, most, softness);
        let wanted = if distance > soft && self.stretch > 1.0 {
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

    /// Gives bones that only ride along their angles. Whether the ends have moved by that, so that they need another look.
    fn turn_ends(&self, context: &mut Context<'_>, scratch: &mut IkScratch, size: f64) -> bool {
        let mut again = false;
        for (end, goal) in self.ends.iter().zip(&mut scratch.goals) {
            let Some(angle) = goal.angle else { continue };
            let frame = context.world.parent_frame(context.skeleton, context.pose, end.bone);
            let (axes, beta) = frame.inherited(context.skeleton.inherit(end.bone));
            let mirrored = if axes.determinant() < 0.0 { -1.0 } else { 1.0 };
            let bone = &mut context.pose.bones[end.bone.index()];
            let off = angle - (beta + bone.angle);
            bone.angle += off * mirrored;
            context.world.refresh(context.skeleton, context.pose, end.bone);
            let arm = goal.arm(context, end);
            again |= (arm - goal.arm).hypot() > 1e-9 * size;
            goal.arm = arm;
        }
        again
    }
}

/// Looks at bones whose kept angle changes their shape under an uneven scale.
const ROUNDS: usize = 4;

/// Soft inverse kinematics (Nicholas, "Soft IK", 2009): beyond `most - zone` the distance approaches `most` by an exponential
/// with a continuous speed instead of meeting it.
fn softened(distance: f64, most: f64, softness: f64) -> f64 {
    let zone = softness * most;
    let hard = most - zone;
    if zone > 0.0 && distance > hard {
        hard + zone * (1.0 - decay((distance - hard) / zone))
    } else {
        distance.min(most)
    }
}
