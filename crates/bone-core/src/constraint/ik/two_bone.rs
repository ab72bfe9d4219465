//! Two bones in closed form, by the law of cosines: most limbs that there are, read off the pose without a linkage.
//! A limb whose limits leave no solution, or that is anything but two plain turning bones, goes to the numeric solver.
//!
//! With plane vectors as complex numbers, `u` and `w` the two links at rest, `t` the target and `z` a unit number: the end
//! of the limb, its lower bone turned by `z`, is at `u + z w`. From `|u + z w| = |t|` follows the product `z w / u`, whose real part
//! the law of cosines gives and whose imaginary part has either sign: one of the two bends. The upper bone turns by what is left
//! to `t`. So a solution takes a square root, for the bend, and an arc tangent a joint.

use kurbo::Vec2;

use super::chain::{self, carried};
use super::goal::Goal;
use super::linkage::{Linkage, Motion, inverse, map};
use super::types::Ik;
use crate::constraint::context::{Context, Kept, local_of};
use crate::constraint::types::{Bend, Target, Why};
use crate::{Angle, Inherit, Joint};

/// Shares of the limb's length that do not count: beyond its reach, and off a straight line.
const REACHED: f64 = 1e-8;
const STRAIGHT: f64 = 1e-12;

/// Two links and a target, in the frame that the upper bone hangs in, its origin there.
struct Limb {
    upper: Hinge,
    lower: Hinge,
    /// From the upper joint to the lower one, and from there to the end, as they lie before their joints turn them.
    first: Vec2,
    second: Vec2,
    target: Vec2,
    /// Whether that frame is a mirror image of the canvas.
    mirrored: bool,
}

/// A turning joint: the animated angle, and how far it may turn from there, radians.
struct Hinge {
    now: Angle,
    least: f64,
    most: f64,
    ease: f64,
}

/// What two joints turn by, radians.
#[derive(Clone, Copy, Debug)]
struct Turns {
    upper: f64,
    lower: f64,
}

/// How far a chain came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Came {
    pub(super) reached: bool,
    /// The length that distances are measured by.
    pub(super) size: f64,
}

impl Limb {
    /// The change to the side that is asked for. `None` if limits do not allow it, or where it is not told by the target alone.
    #[inline]
    fn solve(&self, bend: Bend) -> Option<(Turns, Came)> {
        let (first, second, target) = (self.first, self.second, self.target);
        let (uu, ww, tt) = (first.hypot2(), second.hypot2(), target.hypot2());
        let (long, short, distance) = (uu.sqrt(), ww.sqrt(), tt.sqrt());
        // Nothing to turn, or nowhere to point. Also for what is not a number.
        if !(long > 0.0 && short > 0.0 && distance > 0.0) {
            return None;
        }
        let (most, least) = (long + short, (long - short).abs());
        // Beyond the reach the limb is straight, or folded. Products, so that nothing is lost near either.
        let cos = (0.5 * (tt - uu - ww)).clamp(-long * short, long * short);
        let sin = 0.5 * ((most * most - tt).max(0.0) * (tt - least * least).max(0.0)).sqrt();
        let left = if self.mirrored { -1.0 } else { 1.0 };
        let side = match bend {
            Bend::Left => left,
            Bend::Right => -left,
            Bend::Auto | Bend::Either => self.side(),
        };
        let mut best = None;
        for side in [side, -side] {
            let bent = product(Vec2::new(cos, sin * side), product(first, conjugate(second)));
            let end = product(first, Vec2::new(uu + cos, sin * side));
            let upper = self.upper.turn(Angle::of(product(target, conjugate(end))));
            let lower = self.lower.turn(Angle::of(bent));
            if let (Some(upper), Some(lower)) = (upper, lower) {
                let turns = Turns { upper, lower };
                if best.is_none_or(|best| self.cost(turns) < self.cost(best)) {
                    best = Some(turns);
                }
            }
            // The other side only to choose, or where limits leave none of this one.
            if bend != Bend::Either && (best.is_some() || bend != Bend::Auto) {
                break;
            }
        }
        let turns = best?;
        let reached = (distance.clamp(least, most) - distance).abs() <= REACHED * most;
        Some((turns, Came { reached, size: most }))
    }

    /// To which side the animated pose bends. A straight limb takes the side to which its limits leave more room.
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

    fn cost(&self, turns: Turns) -> f64 {
        turns.upper * turns.upper / self.upper.ease + turns.lower * turns.lower / self.lower.ease
    }
}

impl Hinge {
    /// How far it turns to an angle, the nearer way unless limits allow the farther one only.
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
pub(super) fn solve(linkage: &mut Linkage, bend: Bend, mirrored: bool) -> Option<Came> {
    let [upper, lower] = &linkage.nodes[..] else { return None };
    let turning = upper.motion == Motion::Turn && lower.motion == Motion::Turn;
    if !(turning && linkage.similar && lower.parent == 0 && linkage.ends[0].node == 1) {
        return None;
    }
    let hinge = |i: usize| {
        let node = &linkage.nodes[i];
        Hinge { now: Angle::from_degrees(node.degrees), least: node.least, most: node.most, ease: node.ease }
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
    let (turns, came) = limb.solve(bend)?;
    (linkage.values[0], linkage.values[1]) = (turns.upper, turns.lower);
    Some(came)
}

/// Poses a limb that is just that: one end moved by two turning bones, nothing between them that a clip may bring. `None` leaves
/// everything to the general way, which comes to the same.
pub(super) fn pose(
    ik: &Ik,
    goal: &Goal,
    bend: Bend,
    context: &mut Context<'_>,
    kept: &mut Kept,
) -> Result<Option<Came>, Why> {
    let [end] = &ik.ends[..] else { return Ok(None) };
    let (skeleton, pose) = (context.skeleton, &*context.pose);
    if end.chain != 2 || !pose.reparents.is_empty() {
        return Ok(None);
    }
    let lower = if end.rides() { skeleton.parent(end.bone) } else { Some(end.bone) };
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
        return Err(Why::NotFinite);
    }
    let (axes, _) = context.world.parent_frame(skeleton, pose, upper).inherited(skeleton.inherit(upper));
    let axes = chain::matrix(axes);
    let Some(back) = inverse(&axes) else { return Ok(None) };
    if let Target::Bone(bone, _) = end.target
        && context.descends_from(bone, upper)
    {
        return Err(Why::CarriesTarget);
    }
    let local = if end.rides() {
        carried(context, end.bone, pose.bones[end.bone.index()].origin)
    } else {
        local_of(skeleton, pose, end.bone, end.spot)
    };
    let hinge = |bone| {
        let (least, most) = chain::turn_limits(context, bone);
        Hinge { now: pose.bones[bone.index()].angle, least, most, ease: ik.ease(bone) }
    };
    let limb = Limb {
        upper: hinge(upper),
        lower: hinge(lower),
        first: carried(context, lower, shin.origin) * thigh.scale.x,
        second: Vec2::new(local.x * shin.scale.x, local.y * shin.scale.y) * thigh.scale.x,
        target: map(&back, goal.target() - context.world.origin(upper)),
        mirrored: axes[0] * axes[3] < axes[1] * axes[2],
    };
    let Some((turns, came)) = limb.solve(bend) else { return Ok(None) };
    // Parents stand before their children.
    kept.keep_all(context, &[upper, lower, end.bone][..if end.rides() { 3 } else { 2 }]);
    context.pose.bones[upper.index()].angle += Angle::from_radians(turns.upper);
    context.pose.bones[lower.index()].angle += Angle::from_radians(turns.lower);
    context.world.refresh(skeleton, context.pose, upper);
    Ok(Some(came))
}

#[inline(always)]
fn product(a: Vec2, b: Vec2) -> Vec2 {
    Vec2::new(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)
}

#[inline(always)]
fn conjugate(a: Vec2) -> Vec2 {
    Vec2::new(a.x, -a.y)
}
