//! Two bones in closed form, by the law of cosines, for most limbs. It reads the pose without a linkage. A
//! limb whose limits allow no solution, or that is not two plain rotating bones, is solved by the numeric
//! solver.
//!
//! With plane vectors as complex numbers, `u` and `w` the two links at rest, `t` the target and `z` a unit
//! number: the end of the limb, its lower bone rotated by `z`, is at `u + z w`. From `|u + z w| = |t|`
//! follows the product `z w / u`, whose real part the law of cosines gives and whose imaginary part has
//! either sign: one of the two bends. The upper bone rotates by the remaining angle to `t`. So a solution
//! takes a square root for the bend, and an arc tangent for each joint.

use kurbo::Vec2;

use super::chain::{self, carried};
use super::goal::Goal;
use super::linkage::{Linkage, Motion, inverse, map};
use super::types::Ik;
use crate::constraint::context::{Context, SavedBones, attachment_in_bone};
use crate::constraint::types::{Bend, IgnoredReason, Target};
use crate::{Angle, Inherit, Joint};

/// Tolerances as shares of the limb's length: for the reach, and for a straight line.
const REACHED: f64 = 1e-8;
const STRAIGHT: f64 = 1e-12;

/// Two links and a target, in the parent frame of the upper bone, relative to its origin.
struct Limb {
    upper: Knee,
    lower: Knee,
    /// From the upper joint to the lower one, and from there to the end, before their joints rotate them.
    first: Vec2,
    second: Vec2,
    target: Vec2,
    /// Whether that frame is a mirror image of the canvas.
    mirrored: bool,
}

/// A rotating joint: the animated angle, and its limits relative to it, radians.
struct Knee {
    now: Angle,
    least: f64,
    most: f64,
    compliance: f64,
}

/// The rotations of two joints, radians.
#[derive(Clone, Copy, Debug)]
struct JointTurns {
    upper: f64,
    lower: f64,
}

/// The result for a chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChainResult {
    pub(super) reached: bool,
    /// The unit of distances: the reach.
    pub(super) size: f64,
}

impl Limb {
    /// The rotations for the side of `bend`. `None` if limits do not allow it, or if the target alone does
    /// not determine it.
    #[inline]
    fn solve(&self, bend: Bend) -> Option<(JointTurns, ChainResult)> {
        let (first, second, target) = (self.first, self.second, self.target);
        let (uu, ww, tt) = (first.hypot2(), second.hypot2(), target.hypot2());
        let (long, short, distance) = (uu.sqrt(), ww.sqrt(), tt.sqrt());
        // A link or a distance of 0. Also for numbers that are not finite.
        if !(long > 0.0 && short > 0.0 && distance > 0.0) {
            return None;
        }
        let (most, least) = (long + short, (long - short).abs());
        // Beyond the reach the limb is straight, or folded. Products, so that no precision is lost near
        // either.
        let cos = (0.5 * (tt - uu - ww)).clamp(-long * short, long * short);
        let sin = 0.5 * ((most * most - tt).max(0.0) * (tt - least * least).max(0.0)).sqrt();
        let left = if self.mirrored { -1.0 } else { 1.0 };
        let side = match bend {
            Bend::Left => left,
            Bend::Right => -left,
            Bend::Auto | Bend::Either | Bend::Keep => self.side(),
        };
        let mut best = None;
        for side in [side, -side] {
            let bent = product(Vec2::new(cos, sin * side), product(first, conjugate(second)));
            let end = product(first, Vec2::new(uu + cos, sin * side));
            let upper = self.upper.turn(Angle::of(product(target, conjugate(end))));
            let lower = self.lower.turn(Angle::of(bent));
            if let (Some(upper), Some(lower)) = (upper, lower) {
                let turns = JointTurns { upper, lower };
                if best.is_none_or(|best| self.cost(turns) < self.cost(best)) {
                    best = Some(turns);
                }
            }
            // The other side is needed only for a choice, or where limits allow no solution on this one.
            if bend != Bend::Either && (best.is_some() || bend != Bend::Auto) {
                break;
            }
        }
        let turns = best?;
        let reached = (distance.clamp(least, most) - distance).abs() <= REACHED * most;
        Some((turns, ChainResult { reached, size: most }))
    }

    /// The side to which the animated pose bends. A straight limb takes the side with more room within its
    /// limits.
    fn side(&self) -> f64 {
        let angle = self.lower.now;
        let (sin, cos) = angle.sin_cos();
        let over = self.first.cross(product(Vec2::new(cos, sin), self.second));
        if over * over > STRAIGHT * STRAIGHT * self.first.hypot2() * self.second.hypot2() {
            over.signum()
        } else if self.lower.most >= -self.lower.least {
            1.0
        } else {
            -1.0
        }
    }

    fn cost(&self, turns: JointTurns) -> f64 {
        turns.upper * turns.upper / self.upper.compliance + turns.lower * turns.lower / self.lower.compliance
    }
}

impl Knee {
    /// The rotation to an angle, the shorter way unless limits allow only the longer one.
    #[inline(always)]
    fn turn(&self, to: Angle) -> Option<f64> {
        let by = (to.nearest_to(self.now) - self.now).radians();
        if by >= self.least && by <= self.most {
            return Some(by);
        }
        let other = if by > 0.0 { by - std::f64::consts::TAU } else { by + std::f64::consts::TAU };
        (other >= self.least && other <= self.most).then_some(other)
    }
}

/// Solves a linkage of two turning joints with one end; see [`Limb::solve`].
pub(super) fn solve(linkage: &mut Linkage, bend: Bend, mirrored: bool) -> Option<ChainResult> {
    let [upper, lower] = &linkage.nodes[..] else { return None };
    let turning = upper.motion == Motion::Turn && lower.motion == Motion::Turn;
    if !(turning && linkage.similar && lower.parent == 0 && linkage.ends[0].node == 1) {
        return None;
    }
    let hinge = |i: usize| {
        let node = &linkage.nodes[i];
        Knee {
            now: Angle::from_degrees(node.degrees),
            least: node.least,
            most: node.most,
            compliance: node.compliance,
        }
    };
    let scale = upper.scale.x;
    let limb = Limb {
        upper: hinge(0),
        lower: hinge(1),
        first: lower.offset * scale,
        second: linkage.ends[0].local_in(linkage) * (scale * lower.scale.x),
        target: linkage.ends[0].target,
        mirrored,
    };
    let (turns, result) = limb.solve(bend)?;
    (linkage.values[0], linkage.values[1]) = (turns.upper, turns.lower);
    Some(result)
}

/// Poses a limb in closed form: one end moved by two rotating bones without changed parents. `None` if the
/// general method has to be used, which gives the same result.
pub(super) fn pose(
    ik: &Ik,
    goal: &Goal,
    bend: Bend,
    context: &mut Context<'_>,
    saved: &mut SavedBones,
) -> Result<Option<ChainResult>, IgnoredReason> {
    let [end] = &ik.ends[..] else { return Ok(None) };
    let (skeleton, pose) = (context.skeleton, &*context.pose);
    if end.chain != 2 || !pose.reparents.is_empty() {
        return Ok(None);
    }
    let lower = if end.bone_is_excluded() { skeleton.parent(end.bone) } else { Some(end.bone) };
    let Some((lower, upper)) = lower.and_then(|lower| Some((lower, skeleton.parent(lower)?))) else {
        return Ok(None);
    };
    let (thigh, shin) = (&pose.bones[upper.index()], &pose.bones[lower.index()]);
    let plain = |bone| matches!(skeleton.joint(bone), Joint::Free | Joint::Pin { .. });
    let even = thigh.scale.x == thigh.scale.y && thigh.scale.x > 0.0 && shin.scale.x != 0.0;
    if !(plain(upper) && plain(lower) && even && skeleton.inherit(lower) == Inherit::All) {
        return Ok(None);
    }
    if !(thigh.is_finite() && shin.is_finite()) {
        return Err(IgnoredReason::NotFinite);
    }
    let (axes, _) = context.world.parent_frame(skeleton, pose, upper).inherited(skeleton.inherit(upper));
    let axes = chain::matrix(axes);
    let Some(back) = inverse(&axes) else { return Ok(None) };
    if let Target::Bone(bone, _) = end.target
        && context.descends_from(bone, upper)
    {
        return Err(IgnoredReason::CarriesTarget);
    }
    let local = if end.bone_is_excluded() {
        carried(context, end.bone, pose.bones[end.bone.index()].origin)
    } else {
        attachment_in_bone(skeleton, pose, end.bone, end.point)
    };
    let hinge = |bone| {
        let (least, most) = chain::turn_limits(context, bone);
        Knee { now: pose.bones[bone.index()].angle, least, most, compliance: ik.compliance(bone) }
    };
    let limb = Limb {
        upper: hinge(upper),
        lower: hinge(lower),
        first: carried(context, lower, shin.origin) * thigh.scale.x,
        second: Vec2::new(local.x * shin.scale.x, local.y * shin.scale.y) * thigh.scale.x,
        target: map(&back, goal.target() - context.world.origin(upper)),
        mirrored: axes[0] * axes[3] < axes[1] * axes[2],
    };
    let Some((turns, result)) = limb.solve(bend) else { return Ok(None) };
    // Parents come before their children.
    saved.keep_all(context, &[upper, lower, end.bone][..if end.bone_is_excluded() { 3 } else { 2 }]);
    context.pose.bones[upper.index()].angle += Angle::from_radians(turns.upper);
    context.pose.bones[lower.index()].angle += Angle::from_radians(turns.lower);
    context.world.place_again(skeleton, context.pose, upper);
    Ok(Some(result))
}

#[inline(always)]
fn product(a: Vec2, b: Vec2) -> Vec2 {
    Vec2::new(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)
}

#[inline(always)]
fn conjugate(a: Vec2) -> Vec2 {
    Vec2::new(a.x, -a.y)
}
