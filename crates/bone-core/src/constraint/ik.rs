//! Inverse kinematics as an animator asks for it: which ends go where, how the chain may bend, give and stretch.
//! It reads the joints off the pose of this frame, lets the analytic or the numeric solver move them, and writes
//! the pose back; it never looks at another frame.

use kurbo::{Point, Vec2};

use super::least::Lean;
use super::run::{Outcome, Scratch, Setting, Stage, Why};
use super::two_bone::{self, Came};
use super::{Spot, Target, chain};
use crate::angle::decay;
use crate::{Angle, BoneId};

/// The side to which a chain bends, seen from its first joint along the line to the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Bend {
    /// The side on which the animated pose has it, and there the least change: the sign of the area between the chain and the line
    /// from its first joint to its end. A straight chain takes the side to which its limits leave more room.
    #[default]
    Auto,
    /// The first joint in between lies to the left of that line.
    Left,
    /// It lies to the right.
    Right,
    /// Whichever side is the smaller change. A moving target may make it flip.
    Either,
}

/// What becomes of the angle on the canvas of the bone that an end sits on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum EndAngle {
    /// It follows the chain.
    #[default]
    Free,
    /// It stays as the animated pose has it: a foot that stays flat. The bone itself is not counted in the chain.
    Keep,
    /// It is that of the target's bone, as far as the setup pose has them apart. The bone is not counted in the chain.
    Target,
}

/// A point of a bone, where it is to be, and how many bones may move for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effector {
    /// The bone that the point is on.
    pub bone: BoneId,
    /// The point.
    pub spot: Spot,
    /// Where it is to be.
    pub target: Target,
    /// How many bones may move, counted upwards: from this bone, or from its parent if it only rides along (its origin
    /// is the end, or its angle is given).
    pub chain: usize,
    /// The bone's own angle on the canvas.
    pub angle: EndAngle,
}

impl Effector {
    /// The tip of a bone on a target, moved by so many bones.
    pub const fn new(bone: BoneId, target: Target, chain: usize) -> Self {
        Self { bone, spot: Spot::Tip, target, chain, angle: EndAngle::Free }
    }

    /// Whether the bone itself only rides along.
    pub(super) fn rides(&self) -> bool {
        self.spot == Spot::Origin || self.angle != EndAngle::Free
    }
}

/// Chains of bones that reach for targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Ik {
    /// One or several on one tree. [`Target::Here`] makes an end a pin: it stays where the animated pose has it.
    pub ends: Vec<Effector>,
    /// The side to bend to, where there is one end.
    pub bend: Bend,
    /// From this share of the reach before its end the chain slows down, so that it never snaps straight; 0 for none.
    pub softness: f64,
    /// How many times its length the chain may stretch to reach a target beyond it; 1 for not at all.
    pub stretch: f64,
    /// How many times its length it may shrink to for a target too near to fold to; 1 for not at all.
    pub compress: f64,
    /// Bones that resist: 2 counts their change twice as much as others' (squared), 0.5 half. One that is not listed has 1.
    pub stiffness: Vec<(BoneId, f64)>,
}

impl Ik {
    /// One end, nothing special.
    pub fn new(end: Effector) -> Self {
        Self {
            ends: vec![end],
            bend: Bend::Auto,
            softness: 0.0,
            stretch: 1.0,
            compress: 1.0,
            stiffness: Vec::new(),
        }
    }

    /// Whether the constraint is one end moved by one run of bones, which bend side and stretch speak of.
    fn single(&self) -> Option<&Effector> {
        if let [end] = &self.ends[..] { Some(end) } else { None }
    }

    pub(super) fn apply(
        &self,
        stage: &mut Stage<'_>,
        setting: &Setting,
        scratch: &mut Scratch,
    ) -> Result<Outcome, Why> {
        scratch.goals.clear();
        for end in &self.ends {
            scratch.goals.push(Goal::of(end, stage, setting)?);
        }
        let mut outcome = Outcome::Met;
        for round in 0..ROUNDS {
            if round > 0 {
                scratch.restore(stage);
            }
            let came = match self.limb(stage, setting, scratch)? {
                Some(came) => came,
                None => self.chain(stage, setting, scratch)?,
            };
            outcome = if came.reached { Outcome::Met } else { Outcome::Nearest };
            if !self.turn_ends(stage, scratch, came.size) {
                break;
            }
        }
        scratch.mix(stage, setting.mix);
        Ok(outcome)
    }

    /// The short way, for two bones that keep their lengths.
    fn limb(
        &self,
        stage: &mut Stage<'_>,
        setting: &Setting,
        scratch: &mut Scratch,
    ) -> Result<Option<Came>, Why> {
        if self.gives(setting) {
            return Ok(None);
        }
        let (goal, bend) = (scratch.goals[0], setting.bend.unwrap_or(self.bend));
        two_bone::pose(self, &goal, bend, stage, scratch)
    }

    /// The general way, for any chains.
    fn chain(&self, stage: &mut Stage<'_>, setting: &Setting, scratch: &mut Scratch) -> Result<Came, Why> {
        chain::gather(self, stage, scratch)?;
        for end in &self.ends {
            if let Target::Bone(bone, _) = end.target
                && scratch.moves.iter().any(|moved| stage.hangs_on(bone, *moved))
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
        scratch.write(stage);
        Ok(came)
    }

    /// Whether the chain may slow down or change its length on the way.
    fn gives(&self, setting: &Setting) -> bool {
        let softness = setting.softness.unwrap_or(self.softness);
        softness > 0.0 || self.stretch > 1.0 || self.compress < 1.0
    }

    /// How willingly a bone moves: the inverse of its stiffness.
    pub(super) fn ease(&self, bone: BoneId) -> f64 {
        let stiffness = self.stiffness.iter().find(|(b, _)| *b == bone).map_or(1.0, |(_, s)| *s);
        1.0 / if stiffness > 0.0 { stiffness.max(1e-9) } else { 1.0 }
    }

    /// Softness, stretch and compression: targets and links as the solver shall see them. Whether the end is meant to stay
    /// short of its target.
    fn give(&self, setting: &Setting, scratch: &mut Scratch) -> bool {
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
    fn turn_ends(&self, stage: &mut Stage<'_>, scratch: &mut Scratch, size: f64) -> bool {
        let mut again = false;
        for (end, goal) in self.ends.iter().zip(&mut scratch.goals) {
            let Some(angle) = goal.angle else { continue };
            let frame = stage.world.parent_frame(stage.skeleton, stage.pose, end.bone);
            let (axes, beta) = frame.inherited(stage.skeleton.inherit(end.bone));
            let mirrored = if axes.determinant() < 0.0 { -1.0 } else { 1.0 };
            let bone = &mut stage.pose.bones[end.bone.index()];
            let off = angle - (beta + bone.angle);
            bone.angle += off * mirrored;
            stage.world.refresh(stage.skeleton, stage.pose, end.bone);
            let arm = goal.arm(stage, end);
            again |= (arm - goal.arm).hypot() > 1e-9 * size;
            goal.arm = arm;
        }
        again
    }
}

/// Looks at bones whose kept angle changes their shape under an uneven scale.
const ROUNDS: usize = 4;

/// What one end asks for, worked out before anything moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    /// Where the spot shall be, on the canvas.
    place: Point,
    /// The angle that the bone shall have on the canvas.
    angle: Option<Angle>,
    /// From the bone's origin to the spot, once it has that angle; nothing where the bone is part of the chain.
    arm: Vec2,
}

impl Goal {
    fn of(end: &Effector, stage: &Stage<'_>, setting: &Setting) -> Result<Self, Why> {
        let place = stage.place(end.target, setting, end.bone, end.spot)?;
        let mut goal = Self { place, angle: None, arm: Vec2::ZERO };
        let now = stage.world.angle(end.bone);
        let turn = match (end.angle, end.target) {
            (EndAngle::Target, Target::Bone(bone, _)) => {
                let rest = |b| stage.world.setup_angle(stage.skeleton, b);
                let asked = stage.world.angle(bone) + (rest(end.bone) - rest(bone));
                asked.nearest_to(now) - now
            }
            _ => Angle::ZERO,
        };
        if end.angle != EndAngle::Free {
            goal.angle = Some(now + turn);
            goal.arm = turned(turn, goal.arm(stage, end));
        }
        Ok(goal)
    }

    /// From the origin of the end's bone to its spot, as the bone stands.
    fn arm(&self, stage: &Stage<'_>, end: &Effector) -> Vec2 {
        stage.spot(end.bone, end.spot) - stage.world.origin(end.bone)
    }

    /// Where the last joint's chain has to bring the end.
    pub(super) fn target(&self) -> Point {
        self.place - self.arm
    }
}

fn turned(angle: Angle, v: Vec2) -> Vec2 {
    let (sin, cos) = angle.sin_cos();
    Vec2::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y)
}

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
